"""Which scores was an evaluation given, and which labels do they stand for?

A label is a score and a threshold, or the class with the largest score. Arrays, frames and files of scores
are counted twice: as scores, for everything that is said of the ranking, and as the labels they stand for,
for everything that is said of a matrix.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from numbers import Real
from pathlib import Path
from typing import Any

import numpy as np

from steelyard.counts.labels import Label, check_missing, meant
from steelyard.counts.libraries import column_names, frame_words, is_frame
from steelyard.counts.score_counts import ScoreCounts
from steelyard.errors import InputError
from steelyard.measures.catalogue import measure
from steelyard.measures.costs import (
    cheapest_threshold_of_probabilities,
    costs_for,
    expected_cost_of,
)
from steelyard.reading.duckdb_files import Progress, open_files
from steelyard.reading.engines import is_countable
from steelyard.reading.frames import score_rows
from steelyard.reading.groups import ModelCounts
from steelyard.reading.named_columns import columns_of_classes, find_column
from steelyard.reading.said_costs import SaidCosts
from steelyard.reading.score_files import score_counts_from_files
from steelyard.reading.score_groups import ClusterReading
from steelyard.reading.score_labels import count_labels_of_scores, count_labels_on_cluster
from steelyard.reading.spark_scores import score_counts_of_spark
from steelyard.scores.sweep import matrix_at
from steelyard.scores.thresholds import BestThreshold, best_threshold, threshold_as_json
from steelyard.uncertainty.draws import Design

CHEAPEST, BEST_COST = "cheapest", "best:cost"
"""Thresholds by costs: that of probabilities which say the truth, and the best one on the rows."""
IN_PLACE = ClusterReading()
"""No cluster is asked unless a frame is on one."""


@dataclass(frozen=True)
class ThresholdChoice:
    """Where a score becomes a positive label, and who says so."""

    threshold: float
    how: str
    """"given", or "best:" and the measure that was made best."""
    words: str
    best: BestThreshold | None = None
    fitted_on: str | None = None
    """The rows it was chosen on, where they are others than those it is judged on."""

    @property
    def is_optimistic(self) -> bool:
        return self.best is not None and self.fitted_on is None

    def to_dict(self) -> dict[str, Any]:
        return {
            "threshold": threshold_as_json(self.threshold),
            "how": self.how,
            "words": self.words,
            "best": None if self.best is None else self.best.to_dict(),
            "fitted_on": self.fitted_on,
            "optimistic": self.is_optimistic,
        }


@dataclass(frozen=True)
class AskedScores:
    """What the caller said about scores: one column, or a column for each class, and how they become
    labels."""

    score: Any
    is_table: bool
    threshold: str | float | None
    fit_on: Any
    reading: ClusterReading = IN_PLACE
    costs: SaidCosts | None = None
    """What decisions cost, where a threshold or labels are to cost least."""

    @classmethod
    def of(
        cls,
        score: Any,
        scores: Any,
        threshold: Any,
        fit_on: Any,
        reading: ClusterReading = IN_PLACE,
        costs: SaidCosts | None = None,
    ) -> AskedScores | None:
        """None if nothing was said about scores."""
        if score is None and scores is None:
            for name, value in (("threshold", threshold), ("fit_on", fit_on)):
                if value is not None:
                    raise InputError(
                        f"{name} is for scores", found="no scores", do="name the column of scores with score"
                    )
            return None
        if score is not None and not isinstance(score, (str, Mapping)) and np.ndim(score) == 2:
            raise InputError(
                "score is one column, of the positive class",
                found=f"an array of shape {np.shape(score)}",
                do="pass proba[:, 1], or scores= for a column for each class",
            )
        if score is not None and scores is not None:
            raise InputError(
                "scores are given in one way",
                found="score and scores",
                allowed="score (one column) or scores (a column for each class)",
            )
        if threshold in (CHEAPEST, BEST_COST) and (costs is None or costs.column is not None):
            raise InputError(
                "the cheapest label needs costs by class",
                found="no costs" if costs is None else "costs by row",
                do="say cost=..., as in 'fraud>ok=200, ok>fraud=4'",
            )
        if scores is not None and threshold not in (None, CHEAPEST):
            raise InputError(
                "a threshold is for one column of scores",
                found="a column for each class",
                do='leave it out: the largest score gives the label, or with costs say "cheapest"',
            )
        if score is not None and isinstance(score, str) and "*" in score:
            raise InputError(
                "score names one column",
                found=repr(score),
                allowed="the name of one column",
                do="say scores for a pattern",
            )
        if fit_on is not None and not (isinstance(threshold, str) and threshold.startswith("best:")):
            raise InputError(
                "there is nothing to choose on other rows",
                found=f"threshold {threshold!r}",
                allowed="a threshold such as best:gmean",
            )
        return cls(score if scores is None else scores, scores is not None, threshold, fit_on, reading, costs)

    def gives_labels(self, data: Any, y_pred: Any, pred: str | None) -> bool:
        """Do the scores give the labels, or are there predictions beside them?"""
        predicted = y_pred is not None or pred is not None
        if self.threshold is not None and predicted:
            raise InputError(
                "labels come from predictions or from a threshold", found="both", do="leave one of them out"
            )
        if self.is_table or self.threshold is not None:
            return not predicted
        if not predicted and not _has_predictions(data):
            raise InputError(
                "one column of scores does not say the labels",
                found=(
                    "no threshold and no column named like a prediction"
                    if _has_columns(data)
                    else "no threshold and no predictions"
                ),
                do='say a threshold such as 0.5 or "best:gmean", or give predictions too',
            )
        return False

    def names(self, available: Sequence[str]) -> list[str]:
        """The columns that hold the scores."""
        return (
            list(columns_of_classes(available, self.score).values())
            if isinstance(self.score, (str, Mapping))
            else []
        )


def read_scores(
    asked: AskedScores,
    data: Any,
    truth: str | None,
    positive: Label | None,
    labels: Sequence[Label] | None,
    weight: Any,
    missing: str,
    progress: Progress | None = None,
) -> ScoreCounts:
    """The scores of arrays, a frame or files, counted."""
    check_missing(missing)
    if asked.reading.reads(data):
        how: dict[str, Any] = {"tolerance": asked.reading.tolerance, "exact": asked.reading.exact}
        with asked.reading.opened(data) as source:
            return score_counts_of_spark(
                source,
                _named_columns(asked.score, "a frame on a cluster"),
                truth,
                None if asked.is_table else positive,
                labels=labels,
                weight=weight,
                missing=missing,  # type: ignore[arg-type]
                **how,
            )
    if is_countable(data) and not is_frame(data):
        raise InputError(
            "scores are read from columns in memory, frames and files",
            found=f"{type(data).__module__}.{type(data).__name__}",
            do="fetch the columns, or write them to a file",
        )
    if isinstance(data, (str, Path)):
        return score_counts_from_files(
            data,
            _named_columns(asked.score, "a file"),
            truth,
            None if asked.is_table else positive,
            labels=labels,
            weight=weight,
            missing=missing,  # type: ignore[arg-type]
            progress=progress,
        )
    rows = score_rows(
        data, asked.score, is_table=asked.is_table, truth=truth, weight=weight, slices=(), missing=missing
    )
    return rows.score_counts(None if asked.is_table and len(rows.scores) > 1 else positive, labels, missing)


def _named_columns(score: Any, source: str) -> str | Mapping[Label, str]:
    """The names of the columns that hold the scores."""
    if not isinstance(score, (str, Mapping)):
        raise InputError(
            f"the scores of {source} are named by their columns",
            found=type(score).__name__,
            allowed="names of columns",
        )
    return score


def choose_threshold(
    asked: AskedScores,
    scores: ScoreCounts,
    *,
    truth: str | None = None,
    weight: Any = None,
    missing: str = "error",
    priors: Any = None,
    intervals: bool = True,
    level: float = 0.95,
    seed: int = 0,
    design: Design = "sample",
) -> ThresholdChoice | None:
    """The threshold asked for: a number, or the one that makes a measure best, on these rows or on others."""
    given = asked.threshold
    if given is None or asked.is_table:
        return None
    label = scores.positive_class().label
    if given == CHEAPEST:
        return _cheapest(asked, scores, label)
    if not isinstance(given, str) or not given.startswith("best:"):
        number = _as_number(given)
        return ThresholdChoice(
            number, "given", f"{label} is called at scores of at least {number:.6g}, as asked"
        )
    fit, fitted_on = scores, None
    if asked.fit_on is not None:
        rows, scored = asked.fit_on if isinstance(asked.fit_on, tuple) else (asked.fit_on, asked.score)
        other = replace(asked, score=scored, fit_on=None)
        fit = read_scores(
            other, rows, truth, label, None, weight if isinstance(weight, str) else None, missing
        )
        fitted_on = str(rows) if isinstance(rows, (str, Path)) else "other rows"
    replicates = 200 if intervals and not fit.is_weighted else 0
    chosen = (
        expected_cost_of(costs_for(asked.costs, scores.labels))
        if given == BEST_COST
        else measure(given.removeprefix("best:").strip())
    )
    best = best_threshold(
        fit, chosen, priors=priors, replicates=replicates, level=level, seed=seed, design=design
    )
    where = "on these very rows" if fitted_on is None else f"on {fitted_on}"
    at = "" if priors is None else " at your priors"
    words = (
        f"{label} is called at scores of at least {best.threshold:.6g}, which makes {chosen.name} best{at}"
        f" {where}"
    )
    return ThresholdChoice(best.threshold, f"best:{chosen.name}", words, best, fitted_on)


def _cheapest(asked: AskedScores, scores: ScoreCounts, label: Label) -> ThresholdChoice:
    """From which probability on calling the class costs less than not calling it."""
    lowest, highest = (
        pick(float(ties.scores[end]) for column in scores.columns for ties in column if len(ties.scores))
        for pick, end in ((min, 0), (max, -1))
    )
    if lowest < 0 or highest > 1:
        raise InputError(
            "the cheapest label needs probabilities",
            found=f"scores from {lowest:g} to {highest:g}",
            allowed="numbers from 0 to 1",
            do='calibrate the scores, or say threshold="best:cost"',
        )
    number = cheapest_threshold_of_probabilities(costs_for(asked.costs, scores.labels), label)
    words = f"{label} is called at probabilities of at least {number:.6g}, from which on that costs less"
    return ThresholdChoice(number, CHEAPEST, words)


def count_labels(
    asked: AskedScores,
    scores: ScoreCounts,
    choice: ThresholdChoice | None,
    data: Any,
    *,
    truth: str | None,
    weight: Any,
    slices: Any,
    missing: str,
) -> tuple[ModelCounts, str]:
    """The labels the scores stand for against the truth, and what the source is called."""
    names = scores.positive_first().labels if scores.positive is not None else scores.labels
    threshold = None if choice is None else choice.threshold
    if threshold is None and len(scores.columns) == 1:
        raise InputError(
            "one column of scores does not say the labels",
            found="no threshold",
            do='say a threshold such as 0.5 or "best:gmean"',
        )
    how: dict[str, Any] = {
        "threshold": threshold,
        "name": _label_source(asked, threshold),
        "weight": weight,
        "slices": [slices] if isinstance(slices, str) else slices,
        "missing": missing,
    }
    if asked.is_table and asked.threshold == CHEAPEST:
        how["costs"] = costs_for(asked.costs, names).fixed
    if asked.reading.reads(data):
        if "costs" in how:
            raise InputError(
                "the cheapest label of many classes is found on this machine",
                found="scores on a cluster",
                do="leave out engine=, or write the labels there",
            )
        with asked.reading.opened(data) as source:
            columns = _columns_in_order(source.columns, asked, names, threshold)
            counted = count_labels_on_cluster(source, truth, columns, names, **how)
        return counted, str(data) if isinstance(data, (str, Path)) else frame_words(data)
    if isinstance(data, (str, Path)):
        files = open_files(data)
        columns = _columns_in_order(files.columns, asked, names, threshold)
        if threshold is not None and weight is None and not len(slices) and missing == "error":
            return _cut(files.columns, truth, columns, scores, threshold, how["name"]), str(data)
        return count_labels_of_scores(files, truth, columns, names, **how), str(data)
    rows = score_rows(
        data,
        asked.score,
        is_table=asked.is_table,
        truth=truth,
        weight=weight,
        slices=slices,
        missing=missing,
    )
    called = frame_words(data) if is_frame(data) else "labels and scores in memory"
    return rows.called(names, threshold, _label_source(asked, threshold), how.get("costs")), called


def _cut(
    available: Sequence[str],
    truth: str | None,
    columns: Mapping[Label, str],
    scores: ScoreCounts,
    threshold: float,
    name: str,
) -> ModelCounts:
    """The labels of scores of which none is missing: there is no need to read them again."""
    rest = [column for column in available if column not in columns.values()]
    truth = find_column(truth, rest, "truth", "truth=...")
    unused = tuple(column for column in rest if column != truth)
    return ModelCounts.of_matrix(matrix_at(scores, threshold), truth=truth, pred=name, unused=unused)


def _columns_in_order(
    available: Sequence[str], asked: AskedScores, names: Sequence[Label], threshold: float | None
) -> dict[Label, str]:
    """The columns of scores; with one for each class, in the order of the classes."""
    columns = columns_of_classes(available, asked.score)
    if threshold is not None:
        return dict(columns)
    own = zip(names, meant(names, columns), strict=True)
    return {label: columns[written] for label, written in own if written is not None}


def without_used(counted: ModelCounts, asked: AskedScores) -> ModelCounts:
    """The same counts, with the columns of scores no longer among the unused ones."""
    if not isinstance(asked.score, (str, Mapping)) or not counted.unused:
        return counted
    used = set(asked.names([*counted.unused]))
    return replace(counted, unused=tuple(column for column in counted.unused if column not in used))


def _label_source(asked: AskedScores, threshold: float | None) -> str:
    if threshold is not None:
        return f"{asked.score if isinstance(asked.score, str) else 'score'} >= {threshold:.6g}"
    if asked.threshold == CHEAPEST:
        return "the cheapest label"
    return f"the largest of {asked.score}" if isinstance(asked.score, str) else "the largest score"


def _as_number(given: Any) -> float:
    try:
        if isinstance(given, (str, Real)) and not isinstance(given, bool):
            number = float(given)
            if number == number:
                return number
    except ValueError:
        pass
    raise InputError(
        "the threshold is not understood",
        found=repr(given),
        allowed="a number, or best: and a measure, as in best:gmean",
    )


def _has_columns(data: Any) -> bool:
    return isinstance(data, (str, Path)) or is_frame(data) or is_countable(data)


def _has_predictions(data: Any) -> bool:
    """Is there a column that is named like a prediction?"""
    if not _has_columns(data):
        return False
    columns = open_files(data).columns if isinstance(data, (str, Path)) else _columns_of(data)
    try:
        find_column(None, columns, "prediction", "")
    except InputError:
        return False
    return True


def _columns_of(data: Any) -> Sequence[str]:
    return column_names(data) if is_frame(data) else list(data.columns)
