"""Models by their scores: paired differences of score metrics, and labels at cross-fitted thresholds.

Score metrics (average precision, partial AUC, Brier score, log loss, calibration) are compared by a paired
bootstrap: the same rows are resampled for every model. The interval of a difference is Student's, with the
standard deviation of the bootstrap and the degrees of freedom of the rarer class; that of a single value is
Wilson's by spread, as in `evaluate`. The area under the ROC curve has DeLong's test
(`scores.area_comparison`).

A threshold chosen and judged on the same rows looks better than it is. In cross-fitting the rows are split
into folds, and each model's threshold for a fold is the best one on the other folds, so that models are
compared by their scores alone and no row judges a threshold it helped to choose.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Annotated, Any

import numpy as np
from numpy.typing import NDArray
from scipy.special import stdtr, stdtrit

from steelyard.counts.encoding import encode, keep_rows
from steelyard.counts.labels import Label
from steelyard.counts.score_counts import ScoreCounts
from steelyard.counts.scored_classes import codes_of_labels, rows_of_positive
from steelyard.counts.ties import TwoSides
from steelyard.errors import InputError
from steelyard.measures.catalogue import measure as look_up
from steelyard.measures.measure import Measure
from steelyard.measures.names import short_name
from steelyard.report.numbers import shown
from steelyard.report.records import HIDDEN, AnyLabel, Record, Value
from steelyard.scores.fields import MeasureName, OfMeasure
from steelyard.scores.score_bootstrap import ends_by_spread, measured, with_sides
from steelyard.scores.threshold_selection import best_threshold
from steelyard.uncertainty.differences import holm
from steelyard.uncertainty.resampling import generator_of

Array = NDArray[Any]
# ROC AUC is missing here: DeLong's test has its paired difference in closed form.
OF_RANKINGS = ("average_precision", "partial_auc")
OF_PROBABILITIES = ("brier", "log_loss", "debiased_calibration_error")
# The standard deviation of 400 bootstrap samples is known to 4%; of 100, to 7%.
MOST_SAMPLES, FEWEST_SAMPLES, ROWS_DRAWN = 400, 100, 20_000_000
# Folds of cross-fitting: each threshold is chosen on 90% of the rows.
FOLDS = 10


@dataclass(frozen=True)
class ScoreValue(Record):
    """A score metric of one model with its confidence interval."""

    value: Value
    low: Value
    high: Value


@dataclass(frozen=True)
class ScoreDifference(Record):
    """A score metric of the first model less that of the second."""

    first: str
    second: str
    difference: Value
    low: Value
    high: Value
    p_value: Value
    holm_p_value: Value


@dataclass(frozen=True)
class ScoreMetric(OfMeasure):
    """One score metric of all models, and its paired differences."""

    measure: Annotated[Measure, HIDDEN]
    values: Mapping[str, ScoreValue]
    pairs: tuple[ScoreDifference, ...]


def compare_score_metrics(
    y_true: Any,
    scores: Mapping[str, Array],
    positive: Label | None = None,
    *,
    level: float = 0.95,
    seed: int = 0,
) -> tuple[ScoreMetric, ...]:
    """Compare models by their scores of the positive class, all in the order of `y_true`."""
    columns = {name: np.asarray(column, dtype=float) for name, column in scores.items()}
    models = {name: ScoreCounts.from_scores(y_true, column, positive) for name, column in columns.items()}
    label = next(iter(models.values())).positive_class().label
    models = {name: counts.one_vs_rest(label).positive_first() for name, counts in models.items()}
    is_positive = rows_of_positive(y_true, label)
    probabilities = all(column.min() >= 0 and column.max() <= 1 for column in columns.values())
    metrics = [look_up(name) for name in (*OF_RANKINGS, *(OF_PROBABILITIES if probabilities else ()))]
    statistic = measured(metrics)
    values = {name: np.array(statistic(counts), dtype=float) for name, counts in models.items()}
    samples = max(FEWEST_SAMPLES, min(MOST_SAMPLES, ROWS_DRAWN // len(is_positive)))
    drawn = {name: np.empty((samples, len(metrics))) for name in columns}
    distinct = {name: np.unique(column, return_inverse=True) for name, column in columns.items()}
    rng = generator_of(seed)
    for r in range(samples):
        copies = _resampled(is_positive, rng)
        for name, (grid, place) in distinct.items():
            sides = [
                np.bincount(place[side], copies[side], len(grid)).astype(np.int64)
                for side in (is_positive, ~is_positive)
            ]
            drawn[name][r] = statistic(with_sides(models[name], TwoSides.on_grid(grid, *sides)))
    fewest = int(min(np.count_nonzero(is_positive), np.count_nonzero(~is_positive)))
    return tuple(
        _metric(
            m,
            {name: float(values[name][k]) for name in columns},
            {name: drawn[name][:, k] for name in columns},
            fewest,
            level,
        )
        for k, m in enumerate(metrics)
    )


def _resampled(is_positive: Array, rng: np.random.Generator) -> Array:
    """How often each row is resampled; a sample without one of the classes is replaced."""
    rows = len(is_positive)
    while True:
        copies = np.bincount(rng.integers(0, rows, rows), minlength=rows)
        positives = int(copies[is_positive].sum())
        if 0 < positives < rows:
            return copies


def _metric(
    m: Measure, values: Mapping[str, float], drawn: Mapping[str, Array], fewest: int, level: float
) -> ScoreMetric:
    with_interval = {
        name: ScoreValue(value, *_interval(m, value, drawn[name], fewest, level))
        for name, value in values.items()
    }
    pairs = list(itertools.combinations(values, 2))
    tests = [_difference(values[a] - values[b], drawn[a] - drawn[b], fewest, level) for a, b in pairs]
    # A pair without a p-value counts among the questions that were asked.
    corrected = holm([1.0 if math.isnan(test[-1]) else test[-1] for test in tests])
    differences = (
        ScoreDifference(a, b, *test, math.nan if math.isnan(test[-1]) else p)
        for (a, b), test, p in zip(pairs, tests, corrected, strict=True)
    )
    return ScoreMetric(m, with_interval, tuple(differences))


def _interval(m: Measure, value: float, drawn: Array, fewest: int, level: float) -> tuple[float, float]:
    low, high = m.range.at(2)
    if not (math.isfinite(value) and np.isfinite(drawn).all()):
        return math.nan, math.nan
    if math.isfinite(high - low):
        ends = ends_by_spread(value, drawn, fewest, level, (low, high))
        return float(ends[0]), float(ends[1])
    half = _quantile(fewest, level) * float(drawn.std(ddof=1))
    return max(low, value - half), min(high, value + half)


def _difference(
    difference: float, drawn: Array, fewest: int, level: float
) -> tuple[float, float, float, float]:
    """The difference, its interval and its p-value; an infinite log loss leaves the interval unknown."""
    if not (math.isfinite(difference) and np.isfinite(drawn).all()):
        return difference, math.nan, math.nan, math.nan
    spread = float(drawn.std(ddof=1))
    # The same difference in every sample, as of two equal columns: there is no interval around it.
    if spread == 0:
        return difference, difference, difference, 1.0 if difference == 0 else 0.0
    half = _quantile(fewest, level) * spread
    p = float(2 * stdtr(max(fewest - 1, 1), -abs(difference) / spread))
    return difference, difference - half, difference + half, p


def _quantile(fewest: int, level: float) -> float:
    """Student's quantile: with few rows of a class the bootstrap's spread is itself uncertain."""
    return float(stdtrit(max(fewest - 1, 1), (1 + level) / 2))


@dataclass(frozen=True)
class CrossFitting(Record):
    """How labels were made of scores: the metric, and each model's threshold for every fold."""

    maximises: MeasureName
    positive: AnyLabel
    folds: int
    thresholds: Mapping[str, tuple[float, ...]]
    """By model; a score of at least the threshold of its row's fold is predicted positive."""

    @property
    def sentence(self) -> str:
        """What the predicted labels are, and how far the thresholds differ over folds."""
        ranges = [f"{model} {_range(chosen)}" for model, chosen in self.thresholds.items()]
        return (
            f"Labels come from thresholds chosen by {short_name(self.maximises)} on other rows"
            f" ({self.folds}-fold cross-fitting): {', '.join(ranges)}."
        )


def _range(chosen: Sequence[float]) -> str:
    least, most = min(chosen), max(chosen)
    if math.isinf(least):
        return "never predicts positive"
    return shown(least) if most == least else f"{shown(least)} to {shown(most)}"


def cross_fit(
    y_true: Any,
    scores: Mapping[str, Array],
    positive: Label | None,
    maximise: Measure,
    groups: Any = None,
    seed: int = 0,
) -> tuple[dict[str, list[Label]], CrossFitting]:
    """The labels of each model at cross-fitted thresholds; rows of one group stay in one fold."""
    label = ScoreCounts.from_scores(y_true, next(iter(scores.values())), positive).positive_class().label
    others = [other for other in codes_of_labels(encode(y_true, "y_true")) if other != label]
    if len(others) != 1:
        raise InputError(
            "scores alone compare models of two classes",
            found=f"{1 + len(others)} classes",
            do="name each model's predicted labels beside its scores",
            parameter="pred",
        )
    fold = _folds(rows_of_positive(y_true, label), groups, seed)
    folds = int(fold.max()) + 1
    labels, thresholds = {}, {}
    for model, column in scores.items():
        chosen = []
        for k in range(folds):
            rest = fold != k
            counts = ScoreCounts.from_scores(keep_rows(y_true, rest), column[rest], label)
            chosen.append(best_threshold(counts, maximise, label, replicates=0).threshold)
        thresholds[model] = tuple(chosen)
        called = column >= np.array(chosen)[fold]
        labels[model] = [label if yes else others[0] for yes in called.tolist()]
    return labels, CrossFitting(maximise, label, folds, thresholds)


def _folds(positive: Array, groups: Any, seed: int) -> Array:
    """The fold of each row: classes spread evenly (stratified), or whole groups."""
    rng = generator_of(seed)
    fold = np.empty(len(positive), dtype=np.int64)
    if groups is not None:
        _, numbered = np.unique(np.asarray(groups).astype(str), return_inverse=True)
        number = int(numbered.max()) + 1
        folds_of_groups = rng.permutation(number) % min(FOLDS, number)
        fold = folds_of_groups[numbered]
    else:
        folds = min(FOLDS, int(np.count_nonzero(positive)), int(np.count_nonzero(~positive)))
        for side in (np.flatnonzero(positive), np.flatnonzero(~positive)):
            fold[rng.permutation(side)] = np.arange(len(side)) % max(folds, 1)
    for k in range(int(fold.max()) + 1):
        rest = positive[fold != k]
        if not len(rest) or rest.all() or not rest.any():
            raise InputError(
                "thresholds cannot be chosen on other rows",
                found=f"{np.count_nonzero(positive)} positive and {np.count_nonzero(~positive)} negative rows"
                + ("" if groups is None else " in too few groups"),
                allowed="two or more of each, in different folds",
                do="name each model's predicted labels beside its scores",
                parameter="pred",
            )
    return fold
