"""Models by their scores: paired differences of score metrics, and labels at cross-fitted thresholds.

Score metrics (average precision, partial AUC, Brier score, log loss, calibration) are compared by a paired
bootstrap: the same rows are resampled for every model. The interval of a difference is Student's, with the
standard deviation of the bootstrap and the degrees of freedom of the rarer class; that of a single value is
Wilson's by spread, as in `evaluate`. The area under the ROC curve has DeLong's test (`scores.delong`).

A threshold chosen and judged on the same rows looks better than it is. In cross-fitting the rows are split
into folds, and each model's threshold for a fold is the best one on the other folds, so that models are
compared by their scores alone and no row judges a threshold it helped to choose.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy.special import stdtr, stdtrit

from steelyard.counts.encoding import encode
from steelyard.counts.labels import Array, Label
from steelyard.counts.score_bins import few_enough, in_bins
from steelyard.counts.score_columns import codes_of_labels, rows_of_positive
from steelyard.counts.score_counts import ScoreCounts
from steelyard.counts.ties import Ties, TwoSides
from steelyard.errors import InputError
from steelyard.measures.catalogue import measure as look_up
from steelyard.measures.measure import Measure
from steelyard.measures.names import short_name
from steelyard.report.numbers import shown
from steelyard.report.records import AnyLabel, Record, Value
from steelyard.scores.fields import MeasureName, OfMeasure
from steelyard.scores.score_bootstrap import ends_by_spread, measured
from steelyard.scores.threshold_selection import best_threshold
from steelyard.uncertainty.differences import holm
from steelyard.uncertainty.resampling import generator_of

# ROC AUC is missing here: DeLong's test has its paired difference in closed form.
OF_RANKINGS = ("average_precision", "partial_auc")
OF_PROBABILITIES = ("brier", "log_loss", "debiased_calibration_error")
# The standard deviation of 400 bootstrap samples is known to 4%; of 100, to 7%.
MOST_SAMPLES, FEWEST_SAMPLES, ROWS_DRAWN = 400, 100, 200_000_000
# Rows that are drawn from at once: their places fit a cache.
ROWS_AT_ONCE = 1 << 16
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
    models = {name: counts.positive_first(label) for name, counts in models.items()}
    is_positive = rows_of_positive(y_true, label)
    probabilities = all(column.min() >= 0 and column.max() <= 1 for column in columns.values())
    metrics = [look_up(name) for name in (*OF_RANKINGS, *(OF_PROBABILITIES if probabilities else ()))]
    statistic = measured(metrics)
    values = {name: np.array(statistic(counts), dtype=float) for name, counts in models.items()}
    rows = len(is_positive)
    samples = max(FEWEST_SAMPLES, min(MOST_SAMPLES, ROWS_DRAWN // rows))
    gridded = {
        name: _Gridded.of(models[name].ranked(), column, is_positive) for name, column in columns.items()
    }

    def values_of_sample(name: str, counts: Array) -> Array:
        pair = TwoSides.on_grid(gridded[name].scores, *counts)
        return np.array(statistic(models[name].with_sides(pair)), dtype=float)

    # What the samples lie around: bins move them as far as they move this value.
    around = {name: values_of_sample(name, each.counted(slice(None))) for name, each in gridded.items()}
    drawn = {name: np.empty((samples, len(metrics))) for name in columns}
    resampled = _resampled(gridded, rows, generator_of(seed))
    for r, counts in zip(range(samples), resampled, strict=False):
        for name in columns:
            drawn[name][r] = values_of_sample(name, counts[name])
    fewest = int(min(np.count_nonzero(is_positive), np.count_nonzero(~is_positive)))
    # Student's quantile: with few rows of a class the bootstrap's spread is itself uncertain.
    quantile = float(stdtrit(max(fewest - 1, 1), (1 + level) / 2))

    def value_of(k: int, name: str) -> ScoreValue:
        value, sample, (low, high) = float(values[name][k]), drawn[name][:, k], metrics[k].range.at(2)
        if not (math.isfinite(value) and np.isfinite(sample).all()):
            return ScoreValue(value, math.nan, math.nan)
        if math.isfinite(high - low):
            ends = ends_by_spread(value, sample, fewest, level, (low, high), around[name][k])
            return ScoreValue(value, *map(float, ends))
        half = quantile * float(sample.std(ddof=1))
        return ScoreValue(value, max(low, value - half), min(high, value + half))

    def test(k: int, first: str, second: str) -> tuple[float, float, float, float]:
        """The difference, its interval and its p-value; an infinite log loss leaves the interval unknown."""
        difference = float(values[first][k]) - float(values[second][k])
        sample = drawn[first][:, k] - drawn[second][:, k]
        if not (math.isfinite(difference) and np.isfinite(sample).all()):
            return difference, math.nan, math.nan, math.nan
        spread = float(sample.std(ddof=1))
        # The same difference in every sample, as of two equal columns: there is no interval around it.
        if spread == 0:
            return difference, difference, difference, 1.0 if difference == 0 else 0.0
        p = float(2 * stdtr(max(fewest - 1, 1), -abs(difference) / spread))
        return difference, difference - quantile * spread, difference + quantile * spread, p

    pairs = list(itertools.combinations(columns, 2))
    compared = []
    for k, m in enumerate(metrics):
        tests = [test(k, *pair) for pair in pairs]
        # A pair without a p-value counts among the questions that were asked.
        corrected = holm([1.0 if math.isnan(p) else p for *_, p in tests])
        differences = (
            ScoreDifference(*pair, *each, math.nan if math.isnan(each[-1]) else p)
            for pair, each, p in zip(pairs, tests, corrected, strict=True)
        )
        compared.append(ScoreMetric(m, {name: value_of(k, name) for name in columns}, tuple(differences)))
    return tuple(compared)


@dataclass(frozen=True, eq=False)
class _Gridded:
    """The scores of a model on an ascending grid: each of them, or of many the means of bins."""

    scores: Array
    #: The place of each row among the counts of positives, then those of negatives.
    places: Array

    @classmethod
    def of(cls, pair: TwoSides, column: Array, is_positive: Array) -> _Gridded:
        each = few_enough(pair)
        starts = np.unique(column) if each else in_bins(pair).starts
        places = np.searchsorted(starts, column, side="right") - 1
        scores = starts
        if not each:
            # The mean, not the start: a probability of 0 in a bin would make a log loss infinite.
            means = np.bincount(places, column) / np.bincount(places)
            scores = np.clip(means, starts, np.append(np.nextafter(starts[1:], -np.inf), np.inf))
        places += np.where(is_positive, 0, len(starts))
        return cls(scores, places.astype(np.min_scalar_type(2 * len(starts))))

    def counted(self, rows: Any) -> Array:
        """The counts (2, grid) of some rows, positives first."""
        return np.bincount(self.places[rows], minlength=2 * len(self.scores)).reshape(2, -1)


def _resampled(
    models: Mapping[str, _Gridded], rows: int, rng: np.random.Generator
) -> Iterator[dict[str, Array]]:
    """The counts of as many rows, drawn with replacement, the same for every model; with both classes."""
    starts = np.arange(0, rows, ROWS_AT_ONCE)
    lengths = np.diff(starts, append=rows)
    while True:
        # How many of each block of rows, then which of them.
        sizes = rng.multinomial(rows, lengths / rows) if len(starts) > 1 else lengths
        counts = {name: np.zeros((2, len(model.scores)), dtype=np.int64) for name, model in models.items()}
        for start, length, size in zip(starts.tolist(), lengths.tolist(), sizes.tolist(), strict=True):
            resampled = start + rng.integers(0, length, size)
            for name, model in models.items():
                counts[name] += model.counted(resampled)
        if all(counts[name].any(axis=1).all() for name in models):
            yield counts


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
        ranges = []
        for model, chosen in self.thresholds.items():
            least, most = min(chosen), max(chosen)
            span = shown(least) if most == least else f"{shown(least)} to {shown(most)}"
            ranges.append(f"{model} never predicts positive" if math.isinf(least) else f"{span} for {model}")
        return (
            f"Labels come from thresholds chosen by {short_name(self.maximises)} on other rows"
            f" ({self.folds}-fold cross-fitting): {', '.join(ranges)}."
        )


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
    is_positive = rows_of_positive(y_true, label)
    fold = _folds(is_positive, groups, seed)
    folds = int(fold.max()) + 1
    labels, thresholds = {}, {}
    for model, column in scores.items():
        order = np.argsort(column)  # once: the rows of other folds are in order then
        in_order, truth, fold_of = column[order], is_positive[order], fold[order]
        chosen = []
        for k in range(folds):
            rest = fold_of != k
            sides = (Ties.of_sorted(in_order[rest & side]) for side in (truth, ~truth))
            counts = ScoreCounts.from_ties(dict(zip((label, others[0]), sides, strict=True)), label)
            chosen.append(best_threshold(counts, maximise, label, replicates=0).threshold)
        thresholds[model] = tuple(chosen)
        called = column >= np.array(chosen)[fold]
        labels[model] = [label if yes else others[0] for yes in called.tolist()]
    return labels, CrossFitting(maximise, label, folds, thresholds)


def _folds(positive: Array, groups: Any, seed: int) -> Array:
    """The fold of each row: classes spread evenly (stratified), or whole groups."""
    rng = generator_of(seed)
    fold = np.empty(len(positive), dtype=np.int8)
    if groups is not None:
        _, numbered = np.unique(np.asarray(groups).astype(str), return_inverse=True)
        number = int(numbered.max()) + 1
        folds_of_groups = rng.permutation(number) % min(FOLDS, number)
        fold[:] = folds_of_groups[numbered]
    else:
        folds = min(FOLDS, int(np.count_nonzero(positive)), int(np.count_nonzero(~positive)))
        for side in (np.flatnonzero(positive), np.flatnonzero(~positive)):
            fold[rng.permutation(side)] = np.resize(np.arange(max(folds, 1), dtype=np.int8), len(side))
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
