"""Input of an evaluation: counts of one model, its scores, and the threshold between them."""

# Reading comes first and knows nothing of what is said afterwards: whatever the source (columns, a frame,
# files, counts, a tally, a matrix), an evaluation is given the counts of one model and, where there are
# scores, the scores and the threshold that was chosen.

from __future__ import annotations

from collections.abc import Hashable, Iterable, Sequence, Sized
from dataclasses import dataclass, replace
from numbers import Integral
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import numpy as np

from steelyard.counts.confusion import Confusion, refuse_batch
from steelyard.counts.labels import ABSTAIN, Label, meant
from steelyard.counts.libraries import frame_words, is_countable, is_frame, refuse_unaligned
from steelyard.counts.score_counts import ScoreCounts
from steelyard.errors import InputError, parameter
from steelyard.reading.counting import BLOCK, Counts, count, count_table
from steelyard.reading.engines import opened
from steelyard.reading.groups import ModelCounts
from steelyard.reading.table import Progress, Table

if TYPE_CHECKING:
    from steelyard.judgement.evaluate.abstention import Abstention
    from steelyard.judgement.sample.label_rates import CorrectedLabels
    from steelyard.judgement.sample.strata import Labelling, Strata
    from steelyard.scores.predicted_labels import ThresholdChoice
    from steelyard.scores.score_options import AskedScores
    from steelyard.uncertainty.cluster_bootstrap import Units
    from steelyard.uncertainty.sample_weights import WeightedCounts

Key = TypeVar("Key", bound=Hashable)
AUTO = "auto"
# Blocks that a series is read in before their length is chosen.
MOST_BLOCKS = 2_000
# How far proportions that were printed with two decimals may be from adding up to 1.
_PRINTED = 0.0051


@dataclass(frozen=True)
class ReadRequest:
    """How is the source to be read?"""

    truth: str | None = None
    pred: str | None = None
    weight: Any = None
    slices: Any = ()
    cluster: Any = None
    block: int | str | None = None
    missing: str = "error"
    labels: Sequence[Label] | None = None
    # The prediction that means no answer.
    abstain: Label | None = None
    positive: Label | None = None
    # What was said about scores, if anything was.
    scores: AskedScores | None = None
    engine: str | None = None
    spark_master: str | None = None
    progress: Progress | None = None
    # How the labelled rows were sampled, if they are not all rows.
    labelling: Labelling | None = None

    @property
    def slice_names(self) -> list[str]:
        """The columns to slice by, of a file or a frame."""
        return [self.slices] if isinstance(self.slices, str) else list(self.slices)


@dataclass(frozen=True)
class EvaluationInput:
    """What an evaluation judges."""

    source: str
    counted: ModelCounts
    scores: ScoreCounts | None = None
    threshold: ThresholdChoice | None = None
    labels_from_scores: bool = False
    # The units that are resampled for intervals, where those are not rows: groups of rows.
    units: Units | None = None
    # What the matrix was estimated from: strata of a sample, or labels with known error rates.
    strata: Strata | CorrectedLabels | None = None
    # Rows without an answer, which the counts leave out.
    abstention: Abstention | None = None
    # Was the column of predictions found by its name, beside scores that were asked for?
    pred_guessed: bool = False

    @property
    def matrix(self) -> Confusion:
        return self.counted.matrix

    @property
    def weighted(self) -> WeightedCounts | None:
        """What the weights are worth, where rows have weights."""
        squares, rows = self.counted.squares, self.counted.row_counts
        if squares is None or rows is None:
            return None
        from steelyard.uncertainty.sample_weights import WeightedCounts

        return WeightedCounts(self.matrix, squares, rows)


# `choosing` (priors, intervals, level, seed) is how a threshold is chosen where one is asked for. Priors may
# be a function that finds them by the scores.
def read(data: Any, y_pred: Any, request: ReadRequest, **choosing: Any) -> EvaluationInput:
    """Read a source, whatever it is."""
    if isinstance(data, dict) and not any(isinstance(column, dict) for column in data.values()):
        raise InputError(
            "a mapping of columns is not a table",
            found=f"{type(data).__name__} with {', '.join(map(repr, list(data)[:5]))}",
            allowed="columns, a frame, a file or a matrix",
            do="give the columns, as in evaluate(data['y_true'], data['y_pred']), or a frame of them",
        )
    scores = request.scores
    refuse_unaligned(data, y_pred, request.weight, None if scores is None else scores.score)
    if request.labelling is not None:
        return _in_strata(data, y_pred, request, request.labelling, **choosing)
    if request.block is not None:
        return _in_blocks(data, y_pred, request, request.block)
    if request.cluster is not None:
        if is_counted(data, y_pred, request):
            raise InputError(
                "clusters need rows",
                found=f"{parameter('cluster')} with {called(data)}",
                do="give the file, the frame or the columns",
            )
        # The groups are one more slice; then the slices are put together again.
        cut = _cut_further(request, y_pred, "cluster", request.cluster)
        return _put_together(read(data, y_pred, replace(cut, cluster=None), **choosing), "groups")
    if scores is None:
        inputs = _answered(called(data, y_pred), _labels(data, y_pred, request), request)
    elif scores.fit_on is data or _is_same_path(scores.fit_on, data):
        raise InputError(
            "a threshold is chosen on other rows than it is judged on",
            found=str(data),
            do=f"leave {parameter('fit_on')} out, or name others",
        )
    elif _is_path(data):
        # Labels and scores of files are read through one table.
        with opened(data, request.engine, request.spark_master, progress=request.progress) as table:
            inputs = replace(_with_scores(table, y_pred, request, scores, **choosing), source=str(data))
    else:
        inputs = _with_scores(data, y_pred, request, scores, **choosing)
    refuse_batch(inputs.matrix, "one classifier is evaluated at a time")
    return inputs


def _cut_further(request: ReadRequest, y_pred: Any, name: str, column: Any) -> ReadRequest:
    """The same question with one more column to cut the rows by, the last one."""
    if y_pred is not None or not isinstance(column, str):  # bare columns, of labels or of scores
        return replace(request, slices={**(request.slices or {}), name: column})
    return replace(request, slices=[*request.slice_names, column])


def _in_blocks(data: Any, y_pred: Any, request: ReadRequest, block: int | str) -> EvaluationInput:
    """Read a series with the blocks as one more slice, then put the slices together again."""
    from steelyard.reading.rows import label_rows

    if block != AUTO and (isinstance(block, bool) or not isinstance(block, Integral) or block < 1):
        raise InputError(
            "a block cannot have this length",
            found=repr(block),
            allowed="whole numbers of rows >= 1, or auto",
            parameter="block",
        )

    def length(rows: int) -> int:
        return max(1, rows // MOST_BLOCKS) if isinstance(block, str) else block

    how: dict[str, Any] = {"truth": request.truth, "pred": request.pred, "weight": request.weight}
    if y_pred is not None or is_frame(data):
        rows = label_rows(data, y_pred, slices=request.slices, **how)
        numbers = np.arange(len(rows.truth)) // length(len(rows.truth))
        rows = replace(rows, slices={**(rows.slices or {}), BLOCK: numbers})
        counted = (rows.complete() if request.missing == "drop" else rows).counted(request.labels)
    elif _is_path(data):
        if request.engine not in (None, "duckdb"):
            raise InputError(
                "the rows of a series are counted by DuckDB",
                found=f"engine {request.engine!r}",
                do=f"leave out {parameter('engine')}, or name a column of days or weeks with"
                f" {parameter('cluster')}",
            )
        how |= {"missing": request.missing, "labels": request.labels}
        rows_in_all = count(data, **how).counted().rows if isinstance(block, str) else 0
        with opened(data) as table:
            counted = count_table(table, by=request.slice_names, block=length(rows_in_all), **how).counted()
    else:
        raise InputError(
            "blocks need rows in order",
            found=f"{parameter('block')} with {called(data)}",
            do="give the file, the frame or the columns",
        )
    inputs = _put_together(_answered(called(data, y_pred), counted, request), "blocks")
    if block != AUTO or inputs.units is None:
        return inputs
    return replace(inputs, units=inputs.units.long_enough())


def _answered(source: str, counted: ModelCounts, request: ReadRequest) -> EvaluationInput:
    """The labels of the rows that have an answer."""
    if request.abstain is None and meant([ABSTAIN], counted.matrix.labels) == [None]:
        return EvaluationInput(source, counted)
    from steelyard.judgement.evaluate.abstention import without_abstained

    counted, abstention = without_abstained(counted, request.abstain)
    return EvaluationInput(source, counted, abstention=abstention)


def _summed(parts: Iterable[tuple[Key, Confusion]]) -> dict[Key, Confusion]:
    """The sum of the matrices under each key."""
    sums: dict[Key, Confusion] = {}
    for key, matrix in parts:
        sums[key] = sums[key] + matrix if key in sums else matrix
    return sums


def _put_together(inputs: EvaluationInput, what: str) -> EvaluationInput:
    """What was cut by groups last: the groups are resampled, the other slices remain."""
    from steelyard.uncertainty.cluster_bootstrap import Units

    counted = inputs.counted
    groups = _summed((key[-1], matrix) for key, matrix in counted.slices.items())
    slices = _summed((key[:-1], matrix) for key, matrix in counted.slices.items() if key[:-1])
    whole = replace(counted, slices=slices, slice_columns=counted.slice_columns[:-1])
    whole = replace(whole, slice_squares={}, slice_row_counts={})
    in_order = sorted(groups, key=int) if what == "blocks" else list(groups)
    units = Units.of_groups([groups[name] for name in in_order], what) if groups else None
    return replace(inputs, counted=whole, units=units)


def _in_strata(
    data: Any, y_pred: Any, request: ReadRequest, labelling: Labelling, **choosing: Any
) -> EvaluationInput:
    """Read a sample with the strata as further slices; the matrix is the one estimated for the pool."""
    from steelyard.judgement.sample.strata import rows_of_strata, strata_of

    threshold = None if request.scores is None else request.scores.threshold
    if request.scores is not None and not isinstance(threshold, (int, float)):
        try:
            float(str(threshold))
        except ValueError:
            raise InputError(
                "metrics of scores are not estimated from a sample",
                found=parameter("score") if threshold is None else parameter("threshold", str(threshold)),
                allowed=f"predicted labels, or scores with {parameter('threshold', '0.5')}",
                parameter="threshold" if threshold is not None else "score",
            ) from None
    rows = rows_of_strata(data, labelling)
    cut = request
    for column in labelling.columns:
        cut = _cut_further(cut, y_pred, column, column)
    truth = request.truth if labelling.gold is None else labelling.gold
    inputs = read(data, y_pred, replace(cut, truth=truth, labelling=None, missing="drop"), **choosing)
    counted, depth = inputs.counted, len(labelling.columns)
    matrices = _summed((key[-depth:], matrix) for key, matrix in counted.slices.items())
    labels = counted.matrix.labels
    strata = strata_of(labelling, rows, matrices, labels, request.missing)
    weights = {key: size / n for key, size, n in zip(strata.keys, strata.sizes, strata.labelled, strict=True)}
    slices = _summed(
        (key[:-depth], Confusion(matrix.counts * weights[key[-depth:]], labels))
        for key, matrix in counted.slices.items()
        if key[:-depth]
    )
    whole = replace(
        counted,
        matrix=strata.pool,
        slices=slices,
        slice_columns=counted.slice_columns[:-depth],
        row_counts=counted.matrix,
        missing=counted.missing if labelling.rates is None and labelling.gold is None else 0,
    )
    return replace(inputs, counted=whole, strata=strata, scores=None)


def _with_scores(
    data: Any, y_pred: Any, request: ReadRequest, score_request: AskedScores, **choosing: Any
) -> EvaluationInput:
    from steelyard.scores.predicted_labels import choose_threshold, count_labels, without_used
    from steelyard.scores.score_options import read_scores, within_reach

    if isinstance(score_request.score, str) and score_request.score == request.truth:
        raise InputError(
            "one column cannot be both truth and scores",
            found=f"{parameter('truth', score_request.score)} and {parameter('score', score_request.score)}",
            do="name the column of scores",
            parameter="score",
        )
    from_scores = score_request.gives_labels(data, y_pred, request.pred)
    if from_scores and request.abstain is not None:
        raise InputError(
            "labels that a threshold makes of scores never abstain",
            found=f"{parameter('abstain', request.abstain)} beside scores",
            do="leave it out, or name a column of predictions",
            parameter="abstain",
        )
    columns: dict[str, Any] = {"truth": request.truth, "weight": request.weight, "missing": request.missing}
    slices = request.slices if from_scores else ()
    with within_reach(score_request, data, request.truth, request.weight, slices) as (reading, here, unused):
        how = ("truth", "positive", "labels", "weight", "missing", "progress")
        scores = read_scores(reading, here, *(getattr(request, name) for name in how))
        if callable(choosing.get("priors")):
            rows = scores
            if request.weight is not None:  # a row counts once, whatever it weighs
                unweighted = replace(request, weight=None)
                rows = read_scores(reading, here, *(getattr(unweighted, name) for name in how))
            choosing["priors"] = choosing["priors"](rows)
        threshold = choose_threshold(score_request, scores, **columns, **choosing)
        if from_scores:
            counted, source = count_labels(reading, scores, threshold, here, slices=slices, **columns)
            if unused is not None:
                counted, source = replace(counted, unused=unused), frame_words(data)
            return EvaluationInput(source, counted, scores, threshold, labels_from_scores=True)
    counted = without_used(_labels(data, y_pred, request), score_request)
    inputs = _answered(called(data, y_pred), counted, request)
    guessed = y_pred is None and request.pred is None
    return replace(inputs, scores=scores, threshold=threshold, pred_guessed=guessed)


def _labels(data: Any, y_pred: Any, request: ReadRequest) -> ModelCounts:
    """The labels predicted against the truth."""
    by_name = ("truth", "pred", "weight", "missing", "labels")
    how: dict[str, Any] = {name: getattr(request, name) for name in by_name}
    if y_pred is not None or (is_frame(data) and not is_countable(data)):
        from steelyard.reading.rows import count_columns

        return count_columns(data, y_pred, slices=request.slices, **how)
    sliced = request.slices is not None and len(request.slices)
    if (sliced or request.weight is not None) and is_counted(data, y_pred, request):
        raise InputError(
            f"{'slices' if sliced else 'weights'} are read off rows",
            found=f"{parameter('slices' if sliced else 'weight')} with {called(data)}",
            do="give the file, the frame or the columns",
        )
    if isinstance(data, Counts):
        return data.counted(request.pred)
    if _is_path(data) or is_countable(data) or isinstance(data, Table):
        how |= {name: getattr(request, name) for name in ("engine", "spark_master", "progress")}
        return count(data, slices=request.slice_names, **how).counted()
    from steelyard.reading.tally import Tally

    counts, labels = data.confusion if isinstance(data, Tally) else data, request.labels
    if not (isinstance(counts, (Confusion, Sized)) or hasattr(counts, "__array__")):
        raise InputError(
            "this cannot be evaluated",
            found=type(counts).__name__,
            allowed="two columns of labels, a frame, a file, counts, a tally or a matrix",
        )
    matrix = counts if isinstance(counts, Confusion) and labels is None else Confusion(counts, labels)
    _refuse_proportions(matrix)
    return ModelCounts.of_matrix(matrix)


def is_counted(data: Any, y_pred: Any, request: ReadRequest) -> bool:
    """Is this a matrix, counts or a tally, whose rows are not there any more?"""
    if _is_path(data):
        return False
    from steelyard.reading.tally import Tally

    if isinstance(data, (Confusion, Counts, Tally)):
        return True
    bare = y_pred is None and request.scores is None
    return bare and not (isinstance(data, Table) or is_countable(data) or is_frame(data))


def called(data: Any, y_pred: Any = None) -> str:
    """What the source of labels is called."""
    if y_pred is not None:
        return "labels in memory"
    if _is_path(data):
        return str(data)
    from steelyard.reading.tally import Tally

    if isinstance(data, Counts):
        return "counts"
    if isinstance(data, Tally):
        return repr(data)
    if isinstance(data, Table):
        return "a table"
    return frame_words(data) if is_countable(data) or is_frame(data) else "a confusion matrix"


def _is_path(data: Any) -> bool:
    return isinstance(data, (str, Path))


def _is_same_path(data: Any, other: Any) -> bool:
    return _is_path(data) and _is_path(other) and Path(data) == Path(other)


# It holds rates, and no interval knows how many examples they are of.
def _refuse_proportions(matrix: Confusion) -> None:
    """Refuse a matrix whose rows, columns or cells add up to 1."""
    counts = matrix.counts
    if counts.dtype.kind != "f" or matrix.batch_shape or np.all(counts == np.rint(counts)):
        return
    slack = _PRINTED * matrix.n_classes
    sums = {"rows": matrix.actual, "columns": matrix.predicted, "cells": np.atleast_1d(matrix.total)}
    for what, totals in sums.items():
        if np.all(np.abs(totals - 1) <= slack):
            raise InputError(
                "the matrix holds proportions, not counts",
                found=f"{what} that add up to 1",
                allowed="a count in every cell",
                do="give counts: multiply each row by the size of its class"
                if what == "rows"
                else "give counts, or multiply by the class sizes",
            )
