"""From draws to the two ends of an interval: percentiles, and percentiles corrected for bias and for
skewness."""

from __future__ import annotations

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


def percentiles(values: Array, level: float) -> tuple[float, float]:
    """The middle part of the draws, as much of it as the level says."""
    low, high = np.quantile(values, [(1 - level) / 2, (1 + level) / 2])
    return float(low), float(high)


def unbiased_percentiles(values: Array, centre: float, level: float) -> tuple[float, float]:
    """The middle part of the posterior's draws, less the bias that a curved or kinked measure has."""
    low, high = percentiles(values, level)
    at_low, at_high = moves(values, centre)
    return low - at_low, high - at_high


def moves(values: Array, centre: float) -> tuple[float, float]:
    """By how much the two ends of an interval are too high, if the draws lie around the value `centre` of the
    mean rates.

    The draws' mean differs from that value by their bias b. The value of the test set seen has a bias of its
    own: as large as b where the measure is smooth, up to three times as large at a kink such as CBA's maximum
    of two equal numbers. So one end is moved by 2b and the far one by 4b. For a linear measure b is 0 and
    nothing moves.
    """
    bias = float(np.mean(values)) - centre
    if not np.isfinite(bias):
        return 0.0, 0.0
    return 2 * bias + 2 * max(bias, 0.0), 2 * bias + 2 * min(bias, 0.0)


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
    usable = ~np.isnan(left_out)
    counts, left_out = joint.counts[usable], left_out[usable]
    if not len(counts):
        return 0.0
    gap = np.average(left_out, weights=counts) - left_out
    spread = float((counts * gap**2).sum())
    return 0.0 if spread == 0 else float((counts * gap**3).sum()) / (6 * spread**1.5)
