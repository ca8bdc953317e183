"""Confidence limits from draws: percentiles, bias-corrected percentiles, BCa (Efron 1987)."""

from __future__ import annotations

import math
from statistics import NormalDist
from typing import Any

import numpy as np
from numpy.typing import NDArray

from steelyard.counts.confusion import Confusion
from steelyard.counts.joint import JointCounts
from steelyard.counts.labels import Label
from steelyard.measures.measure import Measure
from steelyard.measures.undefined import Undefined

Array = NDArray[Any]
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
    """The quantiles of draws, by linear interpolation: those of np.quantile to the last bit, in a third of
    its time.

    >>> quantiles(np.array([3.0, 1.0, 2.0, 4.0]), 0.25, 0.5)
    (1.75, 2.5)
    """
    last = len(values) - 1
    exactly = [last * p for p in probabilities]
    below = [min(int(place), last) for place in exactly]
    ordered = np.partition(values, sorted({*below, *(min(k + 1, last) for k in below), last}))
    if np.isnan(ordered[last]):
        return tuple(float("nan") for _ in probabilities)
    found = []
    for place, k in zip(exactly, below, strict=True):
        low, high, part = float(ordered[k]), float(ordered[min(k + 1, last)]), place - k
        step = high - low
        found.append(high - step * (1 - part) if part >= 0.5 else low + step * part)
    return tuple(found)


def sorted_quantiles(values: Array, *probabilities: float) -> list[Array]:
    """The quantiles of every row of draws that are sorted along the last axis."""
    last = values.shape[-1] - 1
    found = []
    for p in probabilities:
        below = min(int(last * p), last)
        low, high, part = values[..., below], values[..., min(below + 1, last)], last * p - below
        step = high - low
        found.append(high - step * (1 - part) if part >= 0.5 else low + step * part)
    return found


def unbiased_percentiles(
    values: Array, centre: float, level: float, of_test_sets: float = 0.0
) -> tuple[float, float]:
    """The middle part of the posterior's draws, less the bias that a curved or kinked measure has."""
    low, high = percentiles(values, level)
    at_low, at_high = moves(values, centre, level, of_test_sets)
    return low - at_low, high - at_high


def moves(values: Array, centre: float, level: float, of_test_sets: float = 0.0) -> tuple[float, float]:
    """By how much the two ends of an interval are too high, if the draws lie around the value `centre` of the
    mean rates and the value of a test set is biased by `of_test_sets`; see `moves_of`."""
    mean = float(np.mean(values))
    if not np.isfinite(mean - centre):
        return 0.0, 0.0
    spread, ends = float(np.std(values)), percentiles(values, level)
    at_low, at_high = moves_of(*ends, mean, spread, centre, len(values), of_test_sets)
    return float(at_low), float(at_high)


def moves_of(
    low: Any, high: Any, mean: Any, spread: Any, centre: Any, draws: int, of_test_sets: Any = 0.0
) -> tuple[Array, Array]:
    """By how much the two ends are too high, for one interval or for arrays of them.

    The draws' mean differs from the value at the mean rates by their bias b (less the error of drawing). The
    value of the test set seen has a bias of its own: as large as b where the measure is smooth, 1 + sqrt(2)
    times as large at a kink such as CBA's maximum of two equal numbers, and larger still where errors are
    few, of which `of_test_sets` tells (`biases_of_test_sets`). So the end that the bias hides is moved by
    (2 + sqrt(2)) b, or by b and the test set's bias if that is more. The other end follows by 2b, but only
    for what exceeds a quarter of the spread: where classes are few, a bias of that size comes from a lopsided
    posterior rather than from the test set. For a linear measure b is 0 and nothing is moved.

    A truth at the edge of what is possible (a precision of 1) lies hardly beyond the short side of such a
    posterior, so that end is moved outwards by a twentieth of the difference between the two sides.
    """
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
    """BCa (Efron 1987): percentiles moved by the median bias of the draws and by how their spread grows with
    the value."""
    below = (np.count_nonzero(values < estimate) + np.count_nonzero(values <= estimate)) / 2 / len(values)
    if not 0 < below < 1:
        return percentiles(values, level)
    bias = _NORMAL.inv_cdf(below)

    def moved(probability: float) -> float:
        shifted = bias + _NORMAL.inv_cdf(probability)
        return _NORMAL.cdf(bias + shifted / max(1 - acceleration * shifted, 1e-6))

    low, high = np.quantile(values, [moved((1 - level) / 2), moved((1 + level) / 2)])
    return float(low), float(high)


def acceleration(joint: JointCounts, measure: Measure, positive: Label | None, undefined: Undefined) -> float:
    """The skewness that BCa needs, from leaving out one example: equal examples share a cell, so there are
    few cases."""
    lessened = joint.counts - np.eye(len(joint.counts), dtype=np.int64)
    left_out = np.asarray(
        measure(Confusion(joint.matrices(lessened)[0], joint.labels), positive=positive, undefined=undefined)
    )
    return skewness_of(left_out, joint.counts)


def skewness_of(left_out: Array, counts: Array) -> float:
    """The same from the values that leave one example out, and how many examples share each."""
    usable = ~np.isnan(left_out)
    counts, left_out = counts[usable], left_out[usable]
    if not len(counts):
        return 0.0
    gap = np.average(left_out, weights=counts) - left_out
    spread = float((counts * gap**2).sum())
    return 0.0 if spread == 0 else float((counts * gap**3).sum()) / (6 * spread**1.5)
