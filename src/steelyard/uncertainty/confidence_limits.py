"""Confidence limits from draws: percentiles, BCa (Efron 1987), and percentiles less the bias of a metric."""
# A measure that takes the larger of two numbers, such as class balance accuracy, is too low on test sets:
# where as many examples leave a class as come into it, chance makes one number the larger. Draws around the
# counts seen do not show it where errors are few, for a class without an error has none in the draws either.
# So test sets are drawn from smoothed rates: classes err as often as all of them together, and attract as
# many errors, as far as the counts allow: James-Stein shrinkage by the part that chance explains of the
# differences between classes (Efron and Morris 1975).

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from statistics import NormalDist
from typing import Any

import numpy as np

from steelyard.counts.confusion import Confusion
from steelyard.counts.joint import JointCounts
from steelyard.counts.labels import Array
from steelyard.measures.measure import Measure
from steelyard.uncertainty.dirichlet_posterior import Random, attracted, attraction_shares, ratio, shrunk
from steelyard.uncertainty.resampling import Simulation, weighs_confusions
from steelyard.uncertainty.threefry import Threefry

_NORMAL = NormalDist()
# A bias below this part of the draws' spread narrows no interval.
_HIDDEN = 0.25
# How many times their own bias the draws lie off the truth at a kink, such as a maximum of two equal normal
# numbers: the test set's mean error is sqrt(2 / pi) spreads, and the draws around it add sqrt(2) - 1 of
# that.
_KINK = 2 + math.sqrt(2)
# The part of the difference between the long and the short side of the draws that the short one is given.
_EDGE = 0.05


def percentiles(values: Array, level: float) -> tuple[float, float]:
    """The middle part of the draws, as much of it as the level says."""
    low, high = quantiles(values, (1 - level) / 2, (1 + level) / 2)
    return low, high


def quantiles(values: Array, *probabilities: float) -> tuple[float, ...]:
    """The quantiles of draws, by linear interpolation: those of np.quantile, in a third of its time."""
    return tuple(map(float, sorted_quantiles(np.sort(values), *probabilities)))


def spread_percentiles(values: Array, value: float, level: float, spread: float) -> tuple[float, float]:
    """Percentiles of the defined draws, spread around their median."""
    # They contain the estimate and stay within what was drawn.
    known = values[np.isfinite(values)]
    if not len(known) or not math.isfinite(value):
        return math.nan, math.nan
    middle = float(np.median(known))
    low, high = percentiles(known, level)
    low, high = middle + spread * (low - middle), middle + spread * (high - middle)
    return max(min(low, value), float(known.min())), min(max(high, value), float(known.max()))


def sorted_quantiles(values: Array, *probabilities: float) -> list[Array]:
    """The quantiles of every row of draws that are sorted along the last axis."""
    last = values.shape[-1] - 1
    interpolated = []
    for p in probabilities:
        below = min(int(last * p), last)
        low, high, fraction = values[..., below], values[..., min(below + 1, last)], last * p - below
        step = high - low
        interpolated.append(high - step * (1 - fraction) if fraction >= 0.5 else low + step * fraction)
    return interpolated


def unbiased_percentiles(
    values: Array, centre: float, level: float, of_test_sets: float = 0.0
) -> tuple[float, float]:
    """The middle part of the posterior's draws, less the bias that a curved or kinked measure has."""
    low, high = percentiles(values, level)
    at_low, at_high = moves(values, centre, level, of_test_sets)
    return low - at_low, high - at_high


def is_ratio(measure: Measure) -> bool:
    """Is the measure a ratio of two rates, from 0 to infinity (likelihood ratio, odds ratio, lift)?"""
    # Percentiles of a ratio stay as drawn. They are the same on every scale, so those of the odds ratio agree
    # with those of the likelihood ratios; a bias on the scale of the ratio itself comes from the long right
    # tail and would move the lower limit far below the data. On the log scale the correction would multiply
    # the upper limit of a ratio by (e^1.27)^3.4 = 76 where no error was seen: the mean log of a gamma
    # variable of shape 1/2 is 1.27 below the log of its mean. Divergences of many classes, whose least value
    # 0 may be the truth, are corrected.
    return measure.kind == "two-class" and measure.range.at(2) == (0.0, math.inf)


def moves(values: Array, centre: float, level: float, of_test_sets: float = 0.0) -> tuple[float, float]:
    """By how much the two ends of an interval are too high, see `moves_of`."""
    # The draws lie around the value `centre` of the mean rates, and the value of a test set is biased by
    # `of_test_sets`.
    mean = float(np.mean(values))
    if not np.isfinite(mean - centre):
        return 0.0, 0.0
    spread, ends = float(np.std(values)), percentiles(values, level)
    at_low, at_high = moves_of(*ends, mean, spread, centre, len(values), of_test_sets)
    return float(at_low), float(at_high)


def moves_of(
    low: Any, high: Any, mean: Any, spread: Any, centre: Any, draws: int, of_test_sets: Any = 0.0
) -> tuple[Array, Array]:
    """By how much the two ends are too high, for one interval or for arrays of them."""
    # The draws' mean differs from the value at the mean rates by their bias b (less the error of drawing).
    # The value of the test set seen has a bias of its own: as large as b where the measure is smooth, 1 +
    # sqrt(2) times as large at a kink such as CBA's maximum of two equal numbers, and larger still where
    # errors are few, of which `of_test_sets` tells (`biases_of_test_sets`). So the end that the bias hides is
    # moved by (2 + sqrt(2)) b, or by b and the test set's bias if that is more. The other end follows by 2b,
    # but only for what exceeds a quarter of the spread: where classes are few, a bias of that size comes from
    # a lopsided posterior rather than from the test set. For a linear measure b is 0 and nothing is moved.
    # A truth at the edge of what is possible (a precision of 1) lies hardly beyond the short side of such a
    # posterior, so that end is moved outwards by a twentieth of the difference between the two sides.
    bias = mean - centre
    bias = np.sign(bias) * np.maximum(np.abs(bias) - spread / np.sqrt(draws), 0)
    both = (bias + of_test_sets) / _KINK
    bias = np.where(np.abs(both) > np.abs(bias), both, bias)
    followed = np.sign(bias) * np.maximum(np.abs(bias) - _HIDDEN * spread, 0)
    above, below = high - mean, mean - low
    at_low = np.where(bias > 0, _KINK * bias, 2 * followed) + _EDGE * np.maximum(above - below, 0)
    at_high = np.where(bias > 0, 2 * followed, _KINK * bias) - _EDGE * np.maximum(below - above, 0)
    return at_low, at_high


def skewness_corrected_percentiles(
    values: Array, estimate: float, acceleration: float, level: float
) -> tuple[float, float]:
    """BCa (Efron 1987): percentiles moved by the draws' median bias and by how their spread grows."""
    below = (np.count_nonzero(values < estimate) + np.count_nonzero(values <= estimate)) / 2 / len(values)
    if not 0 < below < 1:
        return percentiles(values, level)
    bias = _NORMAL.inv_cdf(below)

    def moved(probability: float) -> float:
        shifted = bias + _NORMAL.inv_cdf(probability)
        return _NORMAL.cdf(bias + shifted / max(1 - acceleration * shifted, 1e-6))

    low, high = np.quantile(values, [moved((1 - level) / 2), moved((1 + level) / 2)])
    return float(low), float(high)


def acceleration(joint: JointCounts, measure: Measure, how: Simulation) -> float:
    """The skewness that BCa needs, from leaving out one example."""
    # Equal examples share a cell, so there are few cases.
    lessened = joint.counts - np.eye(len(joint.counts), dtype=np.int64)
    left_out = how.values([measure], Confusion(joint.matrices(lessened)[0], joint.labels))
    return skewness_of(np.asarray(left_out[measure.name]), joint.counts)


def skewness_of(left_out: Array, counts: Array) -> float:
    """The same from the values that leave one example out, and how many examples share each."""
    usable = ~np.isnan(left_out)
    counts, left_out = counts[usable], left_out[usable]
    if not len(counts):
        return 0.0
    gap = np.average(left_out, weights=counts) - left_out
    spread = float((counts * gap**2).sum())
    return 0.0 if spread == 0 else float((counts * gap**3).sum()) / (6 * spread**1.5)


# Test sets that are drawn: 500, whose mean is known to a 22nd part of their spread; with more than 63 classes
# fewer, so that their cells stay two million, but 200, which know it to a 14th part.
_MOST_SETS, _FEWEST_SETS, _CELLS_DRAWN = 500, 200, 2_000_000
_A_BATCH = 16
# What is 0 in exact arithmetic may be this far from it (Goodman and Kruskal's lambda, mutual information).
_NEARLY_0 = 1e-12
# Apart from the streams of blocks of draws, which are numbered from 0 on.
STREAM = 1 << 31


def smoothed_counts(counts: Array) -> Array:
    """The expected counts (C, C) of classes that are as alike as the counts allow."""
    counts = np.asarray(counts, dtype=np.float64)
    actual, hits = counts.sum(axis=1), np.diagonal(counts)
    seen = actual > 0
    errors = shrunk(actual - hits, actual * (actual - hits).sum() / max(actual.sum(), 1.0), seen, actual)
    expected = attraction_shares(attracted(counts, errors)[0]) * errors[:, None]
    np.fill_diagonal(expected, actual - errors)
    return np.asarray(expected)


def smoothed_sets(joint: JointCounts, sizes_fixed: bool, random: Random, size: int) -> tuple[Array, Array]:
    """Test sets (size, C, C) of one model drawn from its smoothed rates, and the counts (C, C) expected."""
    expected = smoothed_counts(joint.seen[0])
    actual = joint.actual
    rates = np.where(
        (actual > 0)[:, None], ratio(expected, actual[:, None].astype(np.float64)), np.eye(len(actual))
    )
    drawn = np.broadcast_to(actual, (size, len(actual)))
    if not sizes_fixed:
        # A class that comes out empty has no recall; one example of it stands for the little that it says.
        drawn = random.multinomial(np.full(size, joint.total), actual / joint.total)
        drawn = np.where(actual > 0, np.maximum(drawn, 1), 0)
    return random.multinomial(drawn, rates), expected


def biases_of_test_sets(
    joint: JointCounts,
    measures: Sequence[Measure],
    how: Simulation,
    random: Random | None = None,
    seen: Confusion | None = None,
    with_weights: Callable[[Array, Array], tuple[Array, Array]] | None = None,
) -> dict[str, float]:
    """By how much each measure of one model exceeds its true value on test sets like this one, on average."""
    # Less what may be an error of drawing; drawn rows may be given weights, as those `seen` have.
    biases = {m.name: 0.0 for m in measures}
    # Smoothed errors fall on every class: of costs and distances they would say nothing. Two classes have
    # nothing to borrow.
    measures = [m for m in measures if not weighs_confusions(m)]
    if joint.n_classes < 3 or not measures:
        return biases
    size = min(_MOST_SETS, max(_FEWEST_SETS, _CELLS_DRAWN // joint.n_classes**2))
    drawn, expected = smoothed_sets(joint, how.sizes_fixed, random or Threefry(how.seed, STREAM), size)
    if with_weights is not None:
        drawn, expected = with_weights(drawn, expected)
    # Whole counts stay whole, which measures add up in less time. What is expected is weighed in a batch too:
    # a matrix alone is added up in another order, and a bias of 0 would be one of 1e-17.
    simulated = how.values(measures, Confusion(drawn, joint.labels, copy=False))
    batch = Confusion(np.repeat(expected[None], _A_BATCH, axis=0), joint.labels, copy=False)
    true = how.values(measures, batch)
    values_seen = how.values(measures, seen or Confusion(joint.seen[0], joint.labels))
    return biases | {
        name: float(bias_of(possible(values, values_seen[name]), true[name][0]))
        for name, values in simulated.items()
    }


def possible(drawn: Array, seen: Any) -> Array:
    """Drawn values without those of exactly 0, unless 0 was seen."""
    # A product over classes (G-mean) is 0 on every test set of which one class has no hit. Where that did not
    # happen, the bias of such sets says nothing of the set at hand.
    return np.where((np.abs(drawn) < _NEARLY_0) & (np.abs(seen) >= _NEARLY_0), np.nan, drawn)


def bias_of(drawn: Array, expected: Any) -> Array:
    """The mean of drawn values (..., sets) less the value expected, less the error of drawing."""
    # 0 where either is undefined.
    defined = np.isfinite(drawn)
    number = np.maximum(defined.sum(axis=-1), 1)
    mean = np.where(defined, drawn, 0).sum(axis=-1) / number
    spread = np.sqrt((np.where(defined, drawn - mean[..., None], 0) ** 2).sum(axis=-1) / number)
    bias = np.where(np.isfinite(expected) & defined.any(axis=-1), mean - expected, 0.0)
    return np.asarray(np.sign(bias) * np.maximum(np.abs(bias) - spread / np.sqrt(number), 0))
