"""Paired differences between models: intervals, p-values, ranks, corrections for many pairs."""
# The draws of every pair are put in order once, and only as far as anybody looks: both ends of an interval
# and the level that holds for all pairs together are read from the lowest and the highest draws. What lies
# below or above a value is counted.

from __future__ import annotations

import itertools
import math
from bisect import bisect_left
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from statistics import NormalDist

import numpy as np

from steelyard.counts.joint import JointCounts
from steelyard.counts.labels import Array, Label
from steelyard.errors import InputError
from steelyard.measures.measure import Measure
from steelyard.report.records import Defined, DefinedOrNone, Record, Value
from steelyard.uncertainty.binomial_intervals import student_cdf, student_quantile
from steelyard.uncertainty.confidence_limits import moves_of, sorted_quantiles
from steelyard.uncertainty.dirichlet_posterior import disagreement_of_prior
from steelyard.uncertainty.resampling import Simulation, drawn_values, stream_of

# Values that differ by less are equal in exact arithmetic.
ROUNDING = 1e-12


@dataclass(frozen=True)
class Difference(Record):
    """The first model's value less the second's, and what is known about it."""

    value: Defined
    low: Defined
    high: Defined
    probability_better: Defined
    """That the first model is the better one (a lower value is better where the measure says so); ties count
    half."""
    probability_equivalent: DefinedOrNone
    """That the difference is too small to matter (within the rope), if a rope was given."""
    p_value: DefinedOrNone
    """Of the hypothesis that both models have the same value of this measure: twice the smaller tail of the
    draws that the interval is made of, or the test over folds."""
    # A whole number; its published schema allows null all the same.
    undefined_draws: Value = 0
    note: str = ""
    p_value_is_floor: bool = False
    """No draw lay beyond 0: the p-value is at most the one given."""
    simultaneous_low: DefinedOrNone = None
    simultaneous_high: DefinedOrNone = None
    """The interval that holds for all pairs of models at once, where there are several."""

    @property
    def is_clear(self) -> bool:
        """Does the interval exclude 0?"""
        return self.low > 0 or self.high < 0


def undefined_difference(note: str) -> Difference:
    """A difference of which nothing is known."""
    nan = math.nan
    return Difference(nan, nan, nan, nan, None, None, note=note)


@dataclass(frozen=True, eq=False)
class Gaps:
    """The draws (pairs, draws) of differences, none of them undefined, with what is read from their order."""

    # `centres` are the differences at the posterior's mean rates, see `unbiased_percentiles`.

    drawn: Array
    level: float
    centres: Array | None

    @cached_property
    def ordered(self) -> Array:
        """The draws of every pair in order."""
        return np.sort(self.drawn, axis=1)

    @cached_property
    def ends(self) -> tuple[Array, Array]:
        """The middle part of the draws of every pair, as much of it as the level says."""
        return self._middle(self.level)

    def _middle(self, level: float) -> tuple[Array, Array]:
        low, high = sorted_quantiles(self.ordered, (1 - level) / 2, (1 + level) / 2)
        return low, high

    @cached_property
    def moved(self) -> tuple[Array, Array]:
        """By how much the two ends of every interval are too high."""
        if self.centres is None:
            return np.zeros(len(self.drawn)), np.zeros(len(self.drawn))
        mean = self.drawn.mean(axis=1)
        finite = np.isfinite(mean - self.centres)
        with np.errstate(invalid="ignore"):
            moves = moves_of(*self.ends, mean, self.drawn.std(axis=1), self.centres, self.drawn.shape[1])
        return np.where(finite, moves[0], 0.0), np.where(finite, moves[1], 0.0)

    def difference(
        self, k: int, measure: Measure, value: float, rope: float | None, left_out: int
    ) -> Difference:
        """Of one of the pairs, whose difference seen is `value`; so many of its draws were undefined."""
        row, draws = self.drawn[k], self.drawn.shape[1]
        at_low, at_high = float(self.moved[0][k]), float(self.moved[1][k])
        low, high = float(self.ends[0][k]) - at_low, float(self.ends[1][k]) - at_high
        tail = min(_number(row <= at_low + ROUNDING), _number(row >= at_high - ROUNDING))
        shifted = row - (at_low + at_high) / 2
        lower, higher = _number(shifted <= -ROUNDING), _number(shifted >= ROUNDING)
        better = {"lower": float(lower), "neither": math.nan}.get(measure.better, float(higher))
        within = None if rope is None else _number(np.abs(shifted) <= rope + ROUNDING) / draws
        notes = [f"undefined in {left_out:,} draws, which are left out"] if left_out else []
        if abs(value) < ROUNDING and not _number(row):
            notes.append(
                "the models are identical on this test set in all that this metric sees: no interval can be"
                " given"
            )
        chance = better / draws + float(draws - higher - lower) / draws / 2
        p_value, note = min(1.0, 2 * (tail + 1) / (draws + 1)), "; ".join(notes)
        ends = min(low, value), max(high, value)
        return Difference(value, *ends, chance, within, p_value, left_out, note, tail == 0)

    def simultaneous(self) -> tuple[Array, Array]:
        """The ends of intervals that hold for all pairs at once."""
        low, high = self._middle(simultaneous_level(self.drawn, self.level))
        return low - self.moved[0], high - self.moved[1]


def differences(
    measure: Measure,
    values: Sequence[float],
    drawn: Array,
    level: float,
    rope: float | None,
    centres: Array | None = None,
) -> tuple[list[Difference], Gaps]:
    """The difference of every pair from its value seen and its draws (pairs, draws)."""
    # And the draws that are defined for all pairs.
    missing = np.isnan(drawn)
    left_out = missing.sum(axis=1) if missing.any() else np.zeros(len(drawn), dtype=np.intp)
    whole = Gaps(drawn, level, centres)
    results = []
    for k, value in enumerate(values):
        if math.isnan(value) or left_out[k] == drawn.shape[1]:
            note = "undefined for at least one of the models"
            results.append(replace(undefined_difference(note), value=value, undefined_draws=int(left_out[k])))
        elif left_out[k]:
            centre = None if centres is None else centres[k : k + 1]
            defined = Gaps(drawn[k][~missing[k]][None], level, centre)
            results.append(defined.difference(0, measure, value, rope, int(left_out[k])))
        else:
            results.append(whole.difference(k, measure, value, rope, 0))
    return results, whole if not left_out.any() else Gaps(drawn[:, ~missing.any(axis=0)], level, centres)


def simultaneous_level(gaps: Array, level: float) -> float:
    """The level of each of several intervals at which all hold at once at the level wanted."""
    # gaps (pairs, draws). A draw lies as deep in its pair's distribution as there are draws on the side where
    # there are fewer, itself and its equals included; the shallowest pair decides for the draw.
    in_order = np.sort(gaps, axis=1)
    pairs, draws = gaps.shape
    wanted = int((1 - level) * (draws - 1)) + 1

    def shallow(depth: int, among: Array) -> Array:
        """Which draws are as shallow as that in one of the pairs?"""
        low, high = in_order[:, depth, None], in_order[:, draws - 1 - depth, None]
        return np.asarray(((among < low) | (among > high)).any(axis=0))

    deep = draws // 2
    upper = min(deep, max(1, -(-wanted // (2 * pairs))))
    lower = upper - 1
    while (outlying := shallow(upper, gaps)).sum() < wanted:
        if upper == deep:
            return 0.0
        lower, upper = upper, min(deep, 2 * upper)
    few = gaps[:, outlying]
    upper = bisect_left(range(upper), wanted, lower + 1, key=lambda depth: shallow(depth, few).sum())
    lower = upper - 1
    # The depth d between two whole ones at which as many draws as wanted are outlying. A truth like the draws
    # lies below the d-th of n with probability d / (n + 1), below the next one, d / n of the way up, more
    # often: with 66 pairs and 2,000 draws d is about 2, and that covered 88 to 92%.
    at_lower, at_upper = (int(shallow(depth, few).sum()) if depth else 0 for depth in (lower, upper))
    depth = upper - (at_upper - wanted) / (at_upper - at_lower)
    return float(1 - 2 * max(depth - 1, 0.0) / (draws - 1))


def _number(of: Array) -> int:
    """How many are true, or are not 0."""
    return int(np.count_nonzero(of))


def ranks(values: Array, lower_is_better: bool = False) -> Array:
    """The rank of each model in each draw, 1 the best, equal ones sharing the mean of their places."""
    # Values (M, draws).
    better = -values if lower_is_better else values
    above = (better[None] > better[:, None]).sum(axis=1)
    equal = (better[None] == better[:, None]).sum(axis=1)
    return np.asarray(above + (equal + 1) / 2)


def shrunk_differences(values: Array) -> Array:
    """Draws (M, draws) of the models' differences from their mean under a hierarchical prior."""
    # Models are normal around a common mean. The part k of what is seen that is noise, by which differences
    # are shrunk, is uniform beforehand (Strawderman 1971), so afterwards a Gamma number below 1. Under a flat
    # prior the first of 4 simulated close models with a probability of 70% or more was the best in 35 to 55%.
    # Two models have nothing to learn the spread of models from: theirs stay as drawn.
    from scipy.special import gammainc, gammaincinv

    models, draws = values.shape
    gaps = values - values.mean(axis=0)
    middle = gaps.mean(axis=1, keepdims=True)
    noise = float(gaps.var(axis=1).sum())
    shape = (models + 1) / 2
    learnt = models > 2 and noise > 0
    rate = (models - 1) * float((middle**2).sum()) / (2 * noise) if learnt else math.inf
    if not math.isfinite(rate):
        return np.asarray(gaps)
    # Inverted at evenly spread probabilities: the draws are independent, so that their order is no pattern.
    chance = (np.arange(draws) + 0.5) / draws
    noisy = gammaincinv(shape, chance * gammainc(shape, rate)) / rate if rate > 0 else chance ** (1 / shape)
    return np.asarray((1 - noisy) * middle + np.sqrt(1 - noisy) * (gaps - middle))


def probability_best(values: Array, lower_is_better: bool = False) -> Array:
    """How likely is each model the best one? Equal ones share their draw."""
    better = -values if lower_is_better else values
    top = better == better.max(axis=0)
    return np.asarray((top / top.sum(axis=0)).mean(axis=1))


def holm(p_values: Sequence[float]) -> list[float]:
    """p-values corrected for asking several questions at once (Holm 1979)."""
    order = np.argsort(p_values, kind="stable")
    steps = np.asarray(p_values, dtype=np.float64)[order] * np.arange(len(p_values), 0, -1)
    corrected = np.empty(len(p_values))
    corrected[order] = np.minimum(1, np.maximum.accumulate(steps))
    return [float(p) for p in corrected]


def indistinguishable_groups(
    models: Sequence[str], p_values: Mapping[tuple[str, str], float], threshold: float
) -> list[tuple[str, ...]]:
    """Neighbours in the ranking that do not differ: the bars of a critical-difference diagram."""
    # Runs whose first and last differ by no more than noise. `models` are in order of rank. A run is kept if
    # no longer run contains it.

    def alike(a: str, b: str) -> bool:
        return p_values.get((a, b), p_values.get((b, a), 1.0)) >= threshold

    runs: list[tuple[int, int]] = []
    for start in range(len(models)):
        stop = start
        while stop + 1 < len(models) and all(
            alike(models[k], models[stop + 1]) for k in range(start, stop + 1)
        ):
            stop += 1
        if stop > start and not any(a <= start and stop <= b for a, b in runs):
            runs.append((start, stop))
    return [tuple(models[a : b + 1]) for a, b in runs]


def stretched(drawn: Array, joint: JointCounts) -> Array:
    """The posterior's draws (M, draws), spread where more than two models share the prior."""
    # By 1 + 4.8 (3/4 - d) / n, n being the examples of the rarest class and d the part of the prior in which
    # two models differ.
    # Of two models it is 3/4 and nothing is spread. Of many it cannot be more than 1/2, and a class of which
    # both models found all of few examples would be too surely alike: tests of equal balanced accuracy with
    # 20 or 30 rare examples, nearly all found, rejected 8% at a level of 5%, and 6 to 7% so spread.
    actual = joint.actual
    disagreement = disagreement_of_prior(len(np.unique(joint.twins)))
    if disagreement >= 0.75:
        return drawn
    factor = 1 + 4.8 * (0.75 - disagreement) / float(actual[actual > 0].min())
    defined = ~np.isnan(drawn)
    count = np.maximum(defined.sum(axis=1, keepdims=True), 1)
    means = np.where(defined, drawn, 0).sum(axis=1, keepdims=True) / count
    return np.asarray(means + factor * (drawn - means))


# -- over cross-validation folds, which share training data
#
# The differences of the folds are not independent, so an ordinary t-test is far too sure. Nadeau and Bengio
# (2003) widen the variance of the mean difference from s²/k to s² (1/k + n_test/n_train). Read as a
# posterior, the same t distribution is the Bayesian correlated t-test of Corani and Benavoli (2015), which
# gives the probability that one model is better.


def corrected_t(
    gaps: Array, test_to_train: float, level: float, rope: float | None = None, lower_is_better: bool = False
) -> Difference:
    """The mean of the folds' differences with its interval, probability and two-sided p-value."""
    folds = len(gaps)
    if folds < 2:
        raise InputError(
            "a test over folds needs folds", found=f"{folds} with a defined difference", allowed="at least 2"
        )
    if not (math.isfinite(test_to_train) and test_to_train >= 0):
        raise InputError(
            "the ratio of test to training examples cannot be used",
            found=repr(test_to_train),
            allowed="a number >= 0",
        )
    mean = float(np.mean(gaps))
    scale = math.sqrt(float(np.var(gaps, ddof=1)) * (1 / folds + test_to_train))
    if scale == 0:
        better = 0.5 if mean == 0 else float((mean > 0) != lower_is_better)
        equivalent = None if rope is None else float(abs(mean) <= rope)
        p_value = 1.0 if mean == 0 else 0.0
        return Difference(
            mean, mean, mean, better, equivalent, p_value, note="the same difference in every fold"
        )
    degrees = folds - 1
    half = student_quantile(0.5 + level / 2, degrees) * scale
    above = student_cdf(mean / scale, degrees)
    equivalent = None
    if rope is not None:
        below = (student_cdf((end - mean) / scale, degrees) for end in (rope, -rope))
        equivalent = next(below) - next(below)
    p_value = 2 * student_cdf(-abs(mean) / scale, degrees)
    better = 1 - above if lower_is_better else above
    return Difference(mean, mean - half, mean + half, better, equivalent, p_value)


def ratio_in_use(test_to_train: float | None, folds: int) -> float:
    """The ratio of test to training examples: that of one cross-validation unless it is given."""
    # Each of its k folds is tested on 1/k.
    return 1 / (folds - 1) if test_to_train is None and folds > 1 else test_to_train or 0.0


def drawn_over_folds(by_fold: Array, test_to_train: float | None, draws: int, seed: int) -> Array:
    """Draws (M, draws) of the models' mean values over folds, from their values (M, folds)."""
    # NaN where fewer than two folds are defined.
    #
    # A multivariate t distribution with the corrected covariance: any two rows differ by the correlated t
    # distribution by which that pair is judged, so ranks and the probability of being best come from the same
    # model as the tests. Folds in which a model is undefined are left out for all of them.
    models, folds = by_fold.shape
    defined = by_fold[:, ~np.isnan(by_fold).any(axis=0)]
    count = defined.shape[1]
    if count < 2:
        return np.full((models, draws), np.nan)
    random = stream_of(seed, 0, 2)
    centre = defined.mean(axis=1, keepdims=True)
    spread = (defined - centre) / math.sqrt(count - 1)
    scale = math.sqrt(1 / count + ratio_in_use(test_to_train, folds))
    thickness = np.sqrt((count - 1) / random.chisquare(count - 1, size=draws))
    return np.asarray(centre + scale * (spread @ random.standard_normal((count, draws))) * thickness)


def value_over_folds(
    values: Array, test_to_train: float | None, level: float, least: float, greatest: float
) -> tuple[float, float, float]:
    """The mean of one model's values over folds with the ends of its interval."""
    # NaN where fewer than two folds are defined.
    defined = values[~np.isnan(values)]
    if len(defined) < 2:
        return (float(defined[0]) if len(defined) else math.nan), math.nan, math.nan
    mean = corrected_t(defined, ratio_in_use(test_to_train, len(values)), level)
    return mean.value, max(least, mean.low), min(greatest, mean.high)


def over_folds(
    measure: Measure,
    first: Array,
    second: Array,
    test_to_train: float | None,
    level: float,
    rope: float | None,
    largest: float,
) -> Difference:
    """From the value of each model on each fold."""
    # Folds where one is undefined are left out, and that is said.
    #
    # Without a ratio the folds are taken for those of one cross-validation: each is tested on 1/k and trained
    # on the rest. `largest` is the greatest difference the measure's range allows.
    gaps = first - second
    defined = gaps[~np.isnan(gaps)]
    missing = len(gaps) - len(defined)
    if len(defined) < 2:
        return undefined_difference(f"defined in {len(defined)} of {len(gaps)} folds only")
    ratio = ratio_in_use(test_to_train, len(gaps))
    mean = corrected_t(defined, ratio, level, rope, measure.better == "lower")
    missed = f"undefined in {missing} of {len(gaps)} folds, which are left out" if missing else ""
    return replace(
        mean,
        low=max(mean.low, -largest),
        high=min(mean.high, largest),
        probability_better=math.nan if measure.better == "neither" else mean.probability_better,
        note="; ".join(note for note in (mean.note, missed) if note),
    )


@dataclass(frozen=True)
class McNemar(Record):
    """Do two models err on equally many examples?"""

    # Counted on the examples that only one of them gets right.

    only_first: int
    only_second: int
    # Two-sided, from the binomial distribution; it keeps its level but is cautious.
    exact: float
    # Two-sided, with half the probability of the outcome seen: near its level on average (Fagerland et al.
    # 2013).
    mid_p: float


def mcnemar_of(only_first: int, only_second: int) -> McNemar:
    """McNemar's test from the two counts of examples that one model alone gets right."""
    from scipy.special import bdtr

    trials, fewer = only_first + only_second, min(only_first, only_second)
    tail = float(bdtr(fewer, trials, 0.5))
    beyond = float(bdtr(fewer - 1, trials, 0.5)) if fewer else 0.0
    return McNemar(only_first, only_second, min(1.0, 2 * tail), min(1.0, tail + beyond))


# Power is a normal approximation: a difference d is significant with probability `power` if d = (z_(1 - alpha
# / 2) + z_power) SE. The standard error of a paired difference falls with the square root of the rows, and
# over data sets with the square root of their number.
#
# Rows of the expected test set whose standard error is scaled to other sizes.
ROWS = 20_000
DRAWS = 2_000


def quantiles(level: float, power: float) -> float:
    """z of the two-sided test plus z of the power."""
    return NormalDist().inv_cdf(0.5 + level / 2) + NormalDist().inv_cdf(power)


def detectable_difference(half_width: float, level: float, power: float = 0.8) -> float:
    """The smallest true difference that is significant with this power, from an interval's half-width."""
    return half_width / NormalDist().inv_cdf(0.5 + level / 2) * quantiles(level, power)


def improved_rates(rates: Array, improvement: float) -> Array:
    """Class rates (C, C) of a better model: this share of the errors of every class is corrected."""
    return np.asarray((1 - improvement) * rates + improvement * np.eye(len(rates)))


def standard_error_of_row(
    measure: Measure,
    rates: Array,
    improvement: float,
    shares: Array,
    agreement: float,
    positive: Label | None,
    labels: tuple[Label, ...],
) -> float:
    """Standard error of the paired difference of one row: of n rows it is this divided by sqrt(n)."""
    # Two models with these rates agree as far as `agreement` says: 1 where the better one differs only on the
    # errors it corrects, 0 where errors are independent.
    better = improved_rates(rates, improvement)
    number = len(rates)
    cells = {}
    for truth in range(number):
        coupled = (1 - improvement) * np.diag(rates[truth])
        coupled[truth] += improvement * rates[truth]
        joint = agreement * coupled + (1 - agreement) * np.outer(better[truth], rates[truth])
        for first, second in itertools.product(range(number), repeat=2):
            if rows := round(ROWS * float(shares[truth]) * float(joint[first, second])):
                cells[labels[truth], labels[first], labels[second]] = rows
    truths, *answers = zip(*cells, strict=True)
    both = JointCounts.from_cells(truths, answers, [*cells.values()], ["better", "other"], labels=labels)
    drawn = drawn_values(both, [measure], Simulation(DRAWS, positive=positive))
    first, second = drawn[measure.name]
    return float(np.nanstd(first - second)) * math.sqrt(both.total)
