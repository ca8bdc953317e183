"""How good is this classifier, and which of the usual numbers mislead here?"""

from __future__ import annotations

import math
import warnings
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, cast

from steelyard._version import __version__
from steelyard.counts.confusion import Confusion, PositiveChoice
from steelyard.counts.labels import Label
from steelyard.counts.plain import number_or_none
from steelyard.errors import InputError
from steelyard.judgement.evaluate.classes import ClassReport, class_reports
from steelyard.judgement.evaluate.composition import MEANING, TestSet, describe_test_set
from steelyard.judgement.evaluate.proportions import Shift, Sweep, find_shifts, sweep_priors
from steelyard.judgement.rules import HEADLINE_MULTI_CLASS, HEADLINE_TWO_CLASS
from steelyard.judgement.weighing import Weighing, weigh_all
from steelyard.measures.catalogue import measure
from steelyard.measures.measure import Measure, PositiveClassWarning
from steelyard.measures.relevance import Relevance, parse, prevalence
from steelyard.measures.undefined import Undefined
from steelyard.reading.counts import Counts
from steelyard.reading.duckdb_files import Progress
from steelyard.reading.engines import count_with, is_countable
from steelyard.reading.frames import count_columns, count_frame, is_frame
from steelyard.reading.groups import Counted
from steelyard.report.presented_by_name import Presented
from steelyard.scores.labels import AskedScores, choose_threshold, count_labels, read_scores, without_used
from steelyard.scores.ranking import RankingReport, report_ranking
from steelyard.uncertainty.intervals import Interval, Intervals, Method
from steelyard.uncertainty.intervals import interval as find_intervals

SCHEMA = "steelyard/evaluate/1"

MOST_CLASSES_WITH_INTERVALS = 50
"""Above this, 10,000 drawn matrices of all measures take longer than a reader waits unasked."""

# What others report, for comparison with the headline, whose measures come from the rules of the advice.
OTHERS_REPORT_TWO_CLASS = ("accuracy", "precision", "f_beta", "mcc")
OTHERS_REPORT_MULTI_CLASS = ("accuracy", "macro_f_beta", "weighted_f_beta", "mcc")


@dataclass(frozen=True)
class SliceReport:
    """The headline on one part of the test set."""

    name: tuple[str, ...]
    rows: float
    values: dict[str, float]
    why_undefined: str | None

    def to_dict(self) -> dict[str, Any]:
        values = {name: number_or_none(value) for name, value in self.values.items()}
        return {
            "slice": list(self.name),
            "rows": self.rows,
            "values": values,
            "undefined_because": self.why_undefined,
        }


@dataclass(frozen=True, repr=False)
class Evaluation(Presented):
    """All that is said about one classifier on one test set.

    >>> import steelyard as sy
    >>> result = sy.evaluate([[90, 10], [30, 870]], labels=["fraud", "ok"], positive="fraud", interval=None)
    >>> isinstance(result, sy.Evaluation)
    True
    >>> result.matrix.labels
    ('fraud', 'ok')
    >>> result.to_dict()["schema"]
    'steelyard/evaluate/...
    """

    presenter = "steelyard.judgement.evaluate.shown"

    source: str
    counted: Counted
    test_set: TestSet
    headline: tuple[str, ...]
    others_report: tuple[str, ...]
    weighing: Weighing
    shifts: tuple[Shift, ...]
    sweep: Sweep | None
    classes: tuple[ClassReport, ...]
    slices: tuple[SliceReport, ...]
    notes: tuple[str, ...]
    intervals: Intervals | None = None
    ranking: RankingReport | None = None

    @property
    def matrix(self) -> Confusion:
        return self.counted.matrix

    @property
    def positive(self) -> PositiveChoice | None:
        return self.weighing.positive

    @property
    def relevance(self) -> Relevance | None:
        return self.weighing.relevance

    def to_dict(self) -> dict[str, Any]:
        """Plain data as described by `steelyard evaluate --json-schema`; undefined values are None with a reason."""
        weighed = self.weighing.to_dict()
        return {
            "schema": SCHEMA,
            "steelyard": __version__,
            "source": {
                "name": self.source,
                "rows": self.counted.rows,
                "missing_left_out": self.counted.missing,
                "truth": self.counted.truth,
                "pred": self.counted.pred,
                "unused_columns": list(self.counted.unused),
            },
            "test_set": self.test_set.to_dict(),
            "matrix": weighed["matrix"],
            "positive": weighed["positive"],
            "priors": weighed["priors"],
            "relevance": weighed["relevance"],
            "headline": list(self.headline),
            "others_report": list(self.others_report),
            "shifts": [shift.to_dict() for shift in self.shifts],
            "classes": [row.to_dict() for row in self.classes],
            "measures": [{**row, "interval": self._interval(row["id"])} for row in weighed["measures"]],
            "interval_settings": None if self.intervals is None else dict(self.intervals.settings),
            "slices": {
                "columns": list(self.counted.slice_columns),
                "rows": [part.to_dict() for part in self.slices],
            },
            "sweep": None if self.sweep is None else self.sweep.to_dict(),
            "ranking": None if self.ranking is None else self.ranking.to_dict(),
            "notes": list(self.notes),
        }

    def interval_of(self, name: str) -> Interval | None:
        """The interval of a measure, where intervals were found and it has one."""
        found = None if self.intervals is None else self.intervals.by_name.get(name)
        return None if found is None or math.isnan(found.low) else found

    def _interval(self, name: str) -> dict[str, Any] | None:
        found = self.interval_of(name)
        if found is None:
            return None
        return {
            "low": number_or_none(found.low),
            "high": number_or_none(found.high),
            "level": found.level,
            "method": found.method,
            "note": found.note,
        }

    def table(self) -> list[dict[str, Any]]:
        """Every measure as a row of plain data."""
        rows = []
        for row in self.weighing.rows:
            found = self.interval_of(row.measure.name)
            rows.append(
                {
                    **row.to_dict(),
                    "low": None if found is None else found.low,
                    "high": None if found is None else found.high,
                }
            )
        return rows

    def plot(self, kind: str = "priors") -> Any:
        """A Matplotlib figure: "matrix", "classes", "scale", "priors"; with scores also "roc", "precision_recall" and "threshold"."""
        return self.presented_by("steelyard.judgement.evaluate.plots").plot(self, kind)


def evaluate(
    data: Any,
    y_pred: Any = None,
    *,
    truth: str | None = None,
    pred: str | None = None,
    score: Any = None,
    scores: Any = None,
    threshold: str | float | None = None,
    fit_on: Any = None,
    positive: Label | None = None,
    labels: Iterable[Label] | None = None,
    weight: Any = None,
    priors: Any = None,
    relevance: Relevance | str | None = None,
    slices: str | Sequence[str] | dict[str, Any] = (),
    missing: str = "error",
    undefined: Undefined = "nan",
    interval: str | None = "auto",
    level: float = 0.95,
    draws: int = 10_000,
    seed: int = 0,
    engine: str | None = None,
    spark_master: str | None = None,
    progress: Progress | None = None,
) -> Evaluation:
    """Evaluate a classifier from columns of labels, a frame, a file (or a glob of files), counts, a Confusion or a matrix.

    `weight` and `slices` name columns of the frame or file; with bare columns of labels they are the columns themselves (slices as a
    mapping from name to column). `engine` ("duckdb" or "spark") and `spark_master` say who reads files.
    `relevance` is a Relevance or text such as 'ham < spam'; without one, PREV is used.
    `interval` is how sure we are: "auto", "bootstrap", "posterior" or None; see `steelyard.interval`.

    `score` is a column of scores of the positive class, `scores` a column for each class (a pattern such as "p_*" in a frame or
    file). The labels are the predictions if there are any, otherwise scores that reach `threshold` (a number, or "best:gmean", chosen
    on these rows or on `fit_on`: a file, a frame, or columns of truth and score), or the class with the largest score.

    >>> import steelyard as sy
    >>> result = sy.evaluate(["fraud", "ok", "ok", "fraud"], ["fraud", "ok", "fraud", "ok"], positive="fraud")
    >>> result.matrix.counts.tolist()
    [[1, 1], [1, 1]]
    >>> sy.evaluate("predictions.csv", truth="y", pred="yhat", positive="fraud").matrix.counts.tolist()
    [[90, 10], [30, 870]]
    """
    listed = None if labels is None else list(labels)
    asked = AskedScores.of(score, scores, threshold, fit_on)
    read = choice = None
    from_scores = asked is not None and asked.gives_labels(data, y_pred, pred)
    if asked is not None:
        if engine not in (None, "duckdb"):
            raise InputError(
                "scores of files are counted by DuckDB",
                found=f"engine {engine!r}",
                do="leave out engine, or the scores",
            )
        if fit_on is data or (
            isinstance(fit_on, (str, Path)) and isinstance(data, (str, Path)) and Path(fit_on) == Path(data)
        ):
            raise InputError(
                "a threshold is chosen on other rows than it is judged on",
                found=str(data),
                do="leave fit_on out, or name others",
            )
        read = read_scores(asked, data, truth, positive, listed, weight, missing)
        sure: dict[str, Any] = {"intervals": interval is not None, "level": level, "seed": seed}
        choice = choose_threshold(
            asked, read, truth=truth, weight=weight, missing=missing, priors=priors, **sure
        )
    if asked is not None and read is not None and from_scores:
        counted, source = count_labels(
            asked, read, choice, data, truth=truth, weight=weight, slices=slices, missing=missing
        )
    else:
        counted, source = _count(
            data, y_pred, truth, pred, weight, slices, missing, listed, engine, spark_master, progress
        )
        counted = counted if asked is None else without_used(counted, asked)
    matrix = counted.matrix
    if matrix.batch_shape:
        raise InputError(
            "one classifier is evaluated at a time",
            found=f"a batch of shape {matrix.batch_shape}",
            allowed="one matrix",
        )
    if not matrix.total:
        raise InputError(
            "there is nothing to evaluate", found="a matrix of zeros", allowed="at least one example"
        )
    test_set = describe_test_set(matrix)
    if test_set.shape == "one class":
        raise InputError(
            "the truth holds one class only, so nothing can be said about telling classes apart",
            found=f"{test_set.total:,} examples of class {test_set.largest.label!r}",
            allowed="examples of at least two classes",
            do="see 'steelyard weigh' for the measures of a matrix",
        )
    notes = _notes(counted, test_set)
    chosen = _relevance(relevance, matrix, test_set)
    weighing = weigh_all(matrix, positive=positive, priors=priors, relevance=chosen, undefined=undefined)
    two = weighing.positive is not None and matrix.n_classes == 2
    headline, others = (
        (HEADLINE_TWO_CLASS, OTHERS_REPORT_TWO_CLASS)
        if two
        else (HEADLINE_MULTI_CLASS, OTHERS_REPORT_MULTI_CLASS)
    )
    label = weighing.positive.label if weighing.positive is not None else None
    intervals, reason = _intervals(matrix, interval, level, draws, seed, label, undefined)
    ranking = None
    if read is not None:
        ranking = report_ranking(
            read,
            matrix,
            choice,
            labels_from_scores=from_scores,
            priors=priors,
            interval=interval,
            level=level,
            seed=seed,
        )
    spoken = (*notes, *([reason] if reason else []), *(() if ranking is None else ranking.notes))
    return Evaluation(
        source=source,
        counted=counted,
        test_set=test_set,
        headline=headline,
        others_report=others,
        weighing=weighing,
        shifts=find_shifts(matrix, test_set, label, weighing.priors),
        sweep=sweep_priors(matrix, test_set, label),
        classes=class_reports(matrix, level if intervals is not None else None),
        slices=_slice_reports(counted, [measure(name) for name in headline], label, undefined),
        notes=spoken,
        intervals=intervals,
        ranking=ranking,
    )


def _intervals(
    matrix: Confusion,
    method: str | None,
    level: float,
    draws: int,
    seed: int,
    positive: Label | None,
    undefined: Undefined,
) -> tuple[Intervals | None, str]:
    """The intervals asked for, or why there are none."""
    if method is None or not matrix.total:
        return None, ""
    if method == "auto" and matrix.n_classes > MOST_CLASSES_WITH_INTERVALS:
        return (
            None,
            f"Intervals are left out: with {matrix.n_classes:,} classes they take long; ask for them with interval 'posterior'.",
        )
    if method == "auto" and matrix.counts.dtype.kind == "f" and (matrix.counts % 1).any():
        return None, "Intervals are left out: sums of weights do not say how many examples there are."
    chosen = cast(Method, method)
    found = find_intervals(
        matrix, method=chosen, level=level, draws=draws, seed=seed, positive=positive, undefined=undefined
    )
    return found, ""


def _count(
    data: Any,
    y_pred: Any,
    truth: str | None,
    pred: str | None,
    weight: Any,
    slices: Any,
    missing: str,
    labels: list[Label] | None,
    engine: str | None,
    spark_master: str | None,
    progress: Progress | None,
) -> tuple[Counted, str]:
    if y_pred is not None:
        if isinstance(slices, (str, list, tuple)) and slices:
            raise InputError(
                "slices of bare columns are given as columns",
                found=repr(slices),
                allowed='a mapping such as {"country": column}',
            )
        return count_columns(
            data, y_pred, weight=weight, slices=slices or None, missing=missing, labels=labels
        ), "labels in memory"
    names = [slices] if isinstance(slices, str) else list(slices)
    if isinstance(data, Counts):
        return data.counted(pred), "counts"
    if isinstance(data, (str, Path)) or is_countable(data):
        counts = count_with(
            engine,
            data,
            truth=truth,
            pred=pred,
            weight=weight,
            slices=names,
            missing=missing,
            labels=labels,
            spark_master=spark_master,
            progress=progress,
        )
        return counts.counted(), str(data) if isinstance(
            data, (str, Path)
        ) else f"a {type(data).__module__.partition('.')[0].strip('_')} frame"
    if is_frame(data):
        counted = count_frame(
            data, truth=truth, pred=pred, weight=weight, slices=names, missing=missing, labels=labels
        )
        return counted, f"a {type(data).__module__.partition('.')[0]} frame"
    matrix = Confusion(data, labels) if labels is not None or not isinstance(data, Confusion) else data
    return Counted(
        matrix, {}, (), int(matrix.total.sum()), 0, "truth", "prediction", ()
    ), "a confusion matrix"


def _relevance(given: Relevance | str | None, matrix: Confusion, test_set: TestSet) -> Relevance | None:
    if isinstance(given, str):
        return prevalence(matrix) if given.strip().lower() == "prevalence" else parse(given, matrix.labels)
    if given is None and not test_set.absent:
        return prevalence(matrix)
    return given


def _notes(counted: Counted, test_set: TestSet) -> tuple[str, ...]:
    matrix, notes = counted.matrix, []
    if counted.missing:
        notes.append(
            f"{counted.missing:,} of {counted.rows:,} rows were left out because their truth or prediction is missing."
        )
    if test_set.absent:
        notes.append(
            f"No examples of {_listing(test_set.absent)}: measures that need the recall of every class are undefined."
        )
    never = [
        label for label, count in zip(matrix.labels, matrix.predicted.tolist(), strict=True) if count == 0
    ]
    if never:
        notes.append(f"Never predicted: {_listing(never)}.")
    lost = [
        c.label
        for c, hits in zip(test_set.classes, matrix.hits.tolist(), strict=True)
        if c.count > 0 and hits == 0
    ]
    if lost:
        notes.append(
            f"Not one example of {_listing(lost)} is told right; that alone makes the geometric mean 0."
        )
    few = [c for c in test_set.classes if 0 < c.count < 10]
    if few:
        notes.append(
            f"Fewer than 10 examples of {_listing([c.label for c in few])}: their rates, and every mean over classes, rest on very little."
        )
    scores = [name for name in counted.unused if _looks_like_a_score(name)]
    if scores:
        notes.append(f"Columns that look like scores were not used: {_listing(scores)}.")
    return tuple(notes)


def _looks_like_a_score(name: str) -> bool:
    folded = name.casefold()
    return (
        folded.startswith(("p_", "prob", "proba", "score", "logit", "confidence"))
        or folded.endswith(("_score", "_prob", "_proba", "_probability", "_logit"))
        or folded == "p"
    )


def _listing(labels: Sequence[Label], most: int = 5) -> str:
    shown = ", ".join(str(label) for label in labels[:most])
    return shown + (f" and {len(labels) - most} more" if len(labels) > most else "")


def _slice_reports(
    counted: Counted, headline: Sequence[Measure], positive: Label | None, undefined: Undefined
) -> tuple[SliceReport, ...]:
    """The headline of each slice, worst first; slices where it is undefined stand last, with the reason."""
    reports = []
    for name, matrix in counted.slices.items():
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", PositiveClassWarning)
            values = {
                m.name: m(matrix, undefined=undefined, positive=positive if m.kind == "two-class" else None)
                for m in headline
            }
            undefined_ones = [m for m in headline if math.isnan(values[m.name])]
            why = "; ".join(
                dict.fromkeys(
                    m.why_undefined(matrix, positive=positive if m.kind == "two-class" else None)
                    or "undefined"
                    for m in undefined_ones
                )
            )
        reports.append(SliceReport(name, matrix.total.item(), values, why or None))
    first = headline[0]
    sign = 1 if first.better == "higher" else -1
    return tuple(
        sorted(reports, key=lambda r: (math.isnan(r.values[first.name]), sign * r.values[first.name]))
    )


def shape_in_words(test_set: TestSet) -> str:
    """One sentence on the shape of the test set."""
    sentence = f"{test_set.shape}: {MEANING[test_set.shape]}"
    if test_set.rrt is not None:
        sentence += (
            f" (RRT {test_set.rrt:,.3g}: the largest class has that many times the examples of the smallest)"
        )
    return sentence
