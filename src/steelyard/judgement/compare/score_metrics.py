"""Paired differences of score metrics: average precision, partial AUC, Brier score, log loss, calibration.

A paired bootstrap: the same rows are resampled for every model. The interval of a difference is Student's,
with the standard deviation of the bootstrap and the degrees of freedom of the rarer class; that of a single
value is Wilson's by spread, as in `evaluate`. The area under the ROC curve has DeLong's test
(`scores.area_comparison`).
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Annotated, Any

import numpy as np
from numpy.typing import NDArray
from scipy.special import stdtr, stdtrit

from steelyard.counts.labels import Label
from steelyard.counts.score_counts import ScoreCounts
from steelyard.counts.scored_classes import rows_of_positive
from steelyard.counts.ties import TwoSides
from steelyard.measures.catalogue import measure as look_up
from steelyard.measures.measure import Measure
from steelyard.report.records import HIDDEN, Record, Value
from steelyard.scores.fields import OfMeasure
from steelyard.scores.score_bootstrap import ends_by_spread, measured, with_sides
from steelyard.uncertainty.multiple_comparisons import holm
from steelyard.uncertainty.resampling import generator_of

Array = NDArray[Any]

OF_RANKINGS = ("average_precision", "partial_auc")
OF_PROBABILITIES = ("brier", "log_loss", "debiased_calibration_error")
# The standard deviation of 400 bootstrap samples is known to 4%; of 100, to 7%.
MOST_SAMPLES, FEWEST_SAMPLES, ROWS_DRAWN = 400, 100, 20_000_000


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
    if spread == 0:
        return difference, difference, difference, 1.0 if difference == 0 else 0.0
    half = _quantile(fewest, level) * spread
    p = float(2 * stdtr(max(fewest - 1, 1), -abs(difference) / spread))
    return difference, difference - half, difference + half, p


def _quantile(fewest: int, level: float) -> float:
    """Student's quantile: with few rows of a class the bootstrap's spread is itself uncertain."""
    return float(stdtrit(max(fewest - 1, 1), (1 + level) / 2))
