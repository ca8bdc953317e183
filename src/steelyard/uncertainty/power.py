"""Power of a paired comparison: which difference a test set can show, and how large it has to be.

Normal approximation: a difference d is significant with probability `power` if
d = (z_(1 - alpha / 2) + z_power) SE. The standard error of a paired difference falls with the square root of
the rows, and over data sets with the square root of their number.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numpy.typing import NDArray

from steelyard.counts.joint import JointCounts
from steelyard.counts.labels import Label
from steelyard.measures.measure import Measure
from steelyard.uncertainty.resampling import drawn_values

Array = NDArray[Any]
# Rows of the expected test set whose standard error is scaled to other sizes.
ROWS = 20_000
DRAWS = 2_000


def quantiles(level: float, power: float) -> float:
    """z of the two-sided test plus z of the power."""
    from scipy.special import ndtri

    return float(ndtri(0.5 + level / 2) + ndtri(power))


def detectable_difference(half_width: float, level: float, power: float = 0.8) -> float:
    """The smallest true difference that is significant with this power, from half the width of the interval
    of a difference."""
    from scipy.special import ndtri

    return half_width / float(ndtri(0.5 + level / 2)) * quantiles(level, power)


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
    """Standard error of the paired difference of one row: of n rows it is this divided by sqrt(n).

    Two models with these rates agree as far as `agreement` says: 1 where the better one differs only on the
    errors it corrects, 0 where errors are independent.
    """
    better = improved_rates(rates, improvement)
    number = len(rates)
    cells, counts = [], []
    for truth in range(number):
        coupled = (1 - improvement) * np.diag(rates[truth])
        coupled[truth] += improvement * rates[truth]
        joint = agreement * coupled + (1 - agreement) * np.outer(better[truth], rates[truth])
        for first in range(number):
            for second in range(number):
                rows = round(ROWS * float(shares[truth]) * float(joint[first, second]))
                if rows:
                    cells.append((labels[truth], labels[first], labels[second]))
                    counts.append(rows)
    truths, firsts, seconds = zip(*cells, strict=True)
    both = JointCounts.from_cells(truths, [firsts, seconds], counts, ["better", "other"], labels=labels)
    drawn = drawn_values(
        both,
        [measure],
        source="posterior",
        draws=DRAWS,
        seed=0,
        design="sample",
        prior="shared",
        positive=positive,
        undefined="nan",
    )[measure.name]
    return float(np.nanstd(drawn[0] - drawn[1])) * math.sqrt(both.total)
