"""Design of a stratified sample: strata by score, Neyman allocation, and the interval width to expect."""

# Rows are sorted by prediction and score and cut where the sum of their standard deviations reaches equal
# parts (Dalenius and Hodges 1959), so that Neyman's allocation gives every stratum about as many labels. The
# standard deviation of a row is that of its influence on the metric: the gradient of the metric at the
# expected confusion matrix times that of its true class.

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from steelyard.counts.confusion import Confusion
from steelyard.counts.labels import Array
from steelyard.errors import InputError
from steelyard.measures.measure import Measure, weigh
from steelyard.uncertainty.stratified_sample import StratifiedSample

# Labels in every stratum, however sure the scores are.
FLOOR = 3
# The part of a row's probability that is the mean of all: scores that are too sure assume nothing away.
_OF_THE_MEAN = 0.1
# About how many labels a stratum is made for, and how many strata there are.
_LABELS_A_STRATUM, _FEWEST, _MOST = 12, 4, 30
# Simulated samples whose mean half-width is expected, and draws for each.
_REPLICATES, _DRAWS = 16, 300


@dataclass(frozen=True, eq=False)
class Aim:
    """What is to be known of a pool: one metric of one or more models."""

    #: Of the positive class, for each row, shape (N,).
    probabilities: Array
    #: Is the positive class predicted, shape (models, N).
    predicted: Array
    measure: Measure
    models: tuple[str, ...]
    classes: tuple[str, str] = ("positive", "negative")

    @cached_property
    def pattern(self) -> Array:
        """A number for what the models predict for each row, shape (N,)."""
        weights = 1 << np.arange(len(self.predicted))
        return np.asarray(weights @ self.predicted, dtype=np.int64)

    @property
    def order(self) -> Array:
        """The rows by pattern of predictions, then by score, then as they stand."""
        return np.lexsort((self.probabilities, self.pattern))

    @property
    def quantities(self) -> tuple[str, ...]:
        """What intervals are given of: every model, and the difference of the first to each other."""
        return (*self.models, *(f"{self.models[0]} - {name}" for name in self.models[1:]))

    def shrunk(self, probabilities: Array) -> Array:
        """Probabilities drawn towards the mean of the pool, away from 0 and 1."""
        mixed = (1 - _OF_THE_MEAN) * probabilities + _OF_THE_MEAN * self.probabilities.mean()
        return np.asarray(np.clip(mixed, 1e-9, 1 - 1e-9))

    @cached_property
    def expected(self) -> Array:
        """The probability that is assumed of each row."""
        return self.shrunk(self.probabilities)

    def values(self, totals: Array) -> dict[str, Array]:
        """The metric of each model, and differences, for rows in each category."""
        # Categories are positives by pattern, then negatives by pattern; shape (..., 2 * patterns).
        patterns = 1 << len(self.models)
        positives, negatives = totals[..., :patterns], totals[..., patterns:]
        by_model: dict[str, Array] = {}
        for k, name in enumerate(self.models):
            chosen = (np.arange(patterns) >> k & 1).astype(bool)
            cells = [
                [truth[..., chosen].sum(axis=-1), truth[..., ~chosen].sum(axis=-1)]
                for truth in (positives, negatives)
            ]
            matrices = np.moveaxis(np.array(cells), (0, 1), (-2, -1))
            value = weigh([self.measure], Confusion(matrices, self.classes), positive=self.classes[0])
            by_model[name] = np.asarray(value[self.measure.name])
        first = self.models[0]
        return by_model | {f"{first} - {name}": by_model[first] - by_model[name] for name in self.models[1:]}

    @cached_property
    def totals(self) -> Array:
        """The rows that are expected in each category."""
        how: dict[str, Any] = {"minlength": 1 << len(self.models)}
        both = (self.expected, 1 - self.expected)
        return np.concatenate([np.bincount(self.pattern, weights=each, **how) for each in both])

    @cached_property
    def influence(self) -> Array:
        """How far the label of a row of each pattern moves the metric, over all quantities."""
        patterns, totals = 1 << len(self.models), self.totals
        # Central differences; the step grows with the cell, as metrics are ratios of cells.
        steps = np.maximum(totals, 1.0) * 1e-4
        moved = np.stack([totals + sign * np.diag(steps) for sign in (1, -1)])
        squares = np.zeros(patterns)
        for values in self.values(np.maximum(moved, 0)).values():
            gradient = (values[0] - values[1]) / (2 * steps)
            squares += np.nan_to_num(gradient[:patterns] - gradient[patterns:]) ** 2
        if not squares.any():
            reason = "these predictions" if self.predicted.any() else "no row that is predicted positive"
            do = "check the positive class and the threshold, or choose another metric"
            raise InputError(f"{self.measure.name} is not defined on this pool", found=reason, do=do)
        # A pattern whose labels do not move the metric keeps a hundredth of the largest influence.
        return np.asarray(np.maximum(np.sqrt(squares), np.sqrt(squares.max()) / 100))

    def deviation(self, pattern: Any, expected: Array) -> Array:
        """The standard deviation of the influence of rows on the metric."""
        return np.asarray(self.influence[pattern] * np.sqrt(expected * (1 - expected)))

    @cached_property
    def deviations(self) -> Array:
        return self.deviation(self.pattern, self.expected)


@dataclass(frozen=True, eq=False)
class Strata:
    """The stratum of each row (0, 1, ...), and how many rows of each stratum are labelled."""

    of_rows: Array
    sizes: Array
    labels: Array

    def expectations(self, aim: Aim) -> tuple[Array, Array]:
        """The pattern of the rows of each stratum, and their mean probability."""
        pattern = np.zeros(len(self.sizes), dtype=np.int64)
        pattern[self.of_rows] = aim.pattern
        return pattern, np.bincount(self.of_rows, weights=aim.expected) / self.sizes

    def drawn(
        self, patterns: int, expectations: tuple[Array, Array], random: np.random.Generator
    ) -> StratifiedSample:
        """Labelled rows as they would be if the expected probabilities were right."""
        pattern, mean = expectations
        positives = random.binomial(self.labels, mean)
        counts = np.zeros((len(self.sizes), 2 * patterns))
        counts[np.arange(len(counts)), pattern] = positives
        counts[np.arange(len(counts)), pattern + patterns] = self.labels - positives
        return StratifiedSample(counts, self.sizes.astype(float), np.tile(np.arange(patterns), 2))


def designed(aim: Aim, labels: int) -> Strata:
    """Strata and allocation for so many labels."""
    # What a row counts for follows from its pattern and score, so sorted scores show where strata end; to put
    # rows in order takes ten times as long as to sort numbers.
    patterns = np.flatnonzero(np.bincount(aim.pattern))
    rows_of = [np.flatnonzero(aim.pattern == pattern) for pattern in patterns]
    scores_of = [aim.probabilities[rows] for rows in rows_of]
    ordered = [np.sort(scores) for scores in scores_of]
    deviations_of = map(aim.deviation, patterns, map(aim.shrunk, ordered))
    sums = np.cumsum(np.concatenate(list(deviations_of)))
    wanted = int(np.clip(labels // _LABELS_A_STRATUM, _FEWEST, _MOST))
    of_rows = np.empty(len(aim.pattern), dtype=np.int64)
    number = start = 0
    for rows, scores, rising in zip(rows_of, scores_of, ordered, strict=True):
        stop = start + len(rows)
        before = sums[start - 1] if start else 0.0
        share = (sums[start:stop] - before) / (sums[stop - 1] - before)
        # A second stratum below the alerts finds positives that the models missed by far.
        least = 2 if len(rows) >= 2 * _LABELS_A_STRATUM else 1
        parts = max(least, round(wanted * (sums[stop - 1] - before) / sums[-1]))
        cuts = np.flatnonzero(np.diff(np.minimum((share * parts).astype(np.int64), parts - 1))) + 1
        stratum = np.searchsorted(rising[cuts], scores, side="right")
        # Rows of one score that a cut parts go as they stand.
        for parted in np.unique(rising[cuts][rising[cuts] == rising[cuts - 1]]):
            tied = np.flatnonzero(scores == parted)
            places = np.searchsorted(rising, parted) + np.arange(len(tied))
            stratum[tied] = np.searchsorted(cuts, places, side="right")
        of_rows[rows] = number + stratum
        number, start = number + len(cuts) + 1, stop
    sizes = np.bincount(of_rows)
    deviations = np.bincount(of_rows, weights=aim.deviations)
    return Strata(of_rows, sizes, allocated(sizes, deviations, labels, np.minimum(sizes, FLOOR)))


def allocated(sizes: Array, deviations: Array, labels: int, least: Array) -> Array:
    """Neyman allocation: labels in proportion to summed deviations, within `least` and the sizes."""
    if labels < least.sum():
        raise InputError(
            "there are too few labels for the strata",
            found=f"{labels:,}",
            allowed=f"at least {int(least.sum()):,}",
            do="label more rows",
            parameter="labels",
        )
    shares, fixed = np.zeros(len(sizes)), np.zeros(len(sizes), dtype=bool)
    while not fixed.all():
        left = labels - shares[fixed].sum()
        shares[~fixed] = left * deviations[~fixed] / deviations[~fixed].sum()
        low, high = ~fixed & (shares < least), ~fixed & (shares > sizes)
        # What lies outside is fixed at its bound, first on the side that lies outside by more (as for
        # projections onto a simplex with bounds), and the rest is shared again.
        if not (low.any() or high.any()):
            break
        lower = (least - shares)[low].sum() >= (shares - sizes)[high].sum()
        chosen, bound = (low, least) if lower else (high, sizes)
        shares[chosen] = bound[chosen]
        fixed |= chosen
    whole = np.clip(np.floor(shares + 1e-9).astype(np.int64), least, sizes)
    by_remainder = np.argsort(whole - shares, kind="stable")
    for k in np.resize(by_remainder, len(sizes) * 3):
        short = labels - int(whole.sum())
        if short > 0 and whole[k] < sizes[k]:
            whole[k] += 1
        elif short < 0 and whole[k] > least[k]:
            whole[k] -= 1
    return whole


def half_widths(aim: Aim, labels: int, level: float, seed: int, strata: Strata | None = None) -> list[float]:
    """The mean half-width of the interval of each quantity: of this design, or of simple random sampling."""
    random = np.random.default_rng((seed, 36))
    rows, patterns = len(aim.probabilities), 1 << len(aim.models)
    shares = aim.totals / rows
    low, high = aim.measure.range.at(2)
    widest = [(high - low) / 2] * len(aim.models) + [high - low] * (len(aim.models) - 1)
    sums = np.zeros(len(widest))
    expectations = None if strata is None else strata.expectations(aim)
    for replicate in range(_REPLICATES):
        if strata is None or expectations is None:
            counts = random.multinomial(labels, shares)[None].astype(float)
            sample = StratifiedSample(counts, np.array([float(rows)]), np.tile(np.arange(patterns), 2))
        else:
            sample = strata.drawn(patterns, expectations, random)
        limits = sample.limits(
            aim.values,
            level=level,
            draws=_DRAWS,
            seed=replicate,
            is_difference=lambda name: name not in aim.models,
        )
        sums += [
            limit.half_width if np.isfinite(limit.half_width) else most
            for limit, most in zip((limits[name] for name in aim.quantities), widest, strict=True)
        ]
    return [float(width) for width in sums / _REPLICATES]


def labels_needed(
    aim: Aim, half_width: float, level: float, seed: int, start: tuple[int, float], random: bool
) -> int:
    """About how many labels the interval of the first quantity needs for this half-width."""
    # Its square falls like 1 / labels - 1 / rows, the variance of a sample of a finite pool, so a few steps
    # come near.
    rows = len(aim.probabilities)
    # Patterns of predictions have two strata as a rule, and each of these its floor.
    fewest = min(rows - 1, 2 * FLOOR * len(np.unique(aim.pattern)))
    labels, width = start
    for _ in range(8):
        if labels >= rows or not width:
            break
        left = (1 / labels - 1 / rows) * (half_width / width) ** 2
        # At most ten times as many at a time: a sample with hardly any positive says little of larger ones.
        wanted = int(np.clip(1 / (1 / rows + left), max(fewest, labels / 10), min(rows, 10 * labels)))
        if abs(wanted - labels) <= 0.02 * labels:
            break
        labels = wanted
        if labels < rows:
            width = half_widths(aim, labels, level, seed, None if random else designed(aim, labels))[0]
    # Two digits are known of a simulated number.
    unit: int = 10 ** max(0, len(str(labels)) - 2)
    return min(rows, -(-labels // unit) * unit)
