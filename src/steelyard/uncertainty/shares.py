"""Between which values does a number from 0 to 1 lie, if samples show how far it moves?

Percentiles of samples cover too little near 1: a ranking that is nearly perfect on these rows is nearly
perfect on all samples of them, and one without an error has no spread at all. So Wilson's interval is taken,
which asks which true values would have let the one seen happen: as many examples are put into it as a plain
rate would need for the spread of the samples.
"""

from __future__ import annotations

import math

from steelyard.uncertainty.distributions import student_quantile


def share_interval(
    value: float,
    spread: float,
    bias: float,
    fewest: int,
    level: float,
    bounds: tuple[float, float] = (0.0, 1.0),
) -> tuple[float, float]:
    """The ends of the interval of a value, from the spread of samples of the rows and from by how much their
    mean exceeds the value; `fewest` is the number of examples of the rarer class.

    The examples that a rate would need for this spread are v (1 - v) / spread², and one error among
    fewest² pairs is added to both numbers: a value of 1 is then worth as many examples as the rarer class
    has. Student's quantile allows for a spread that few examples tell, and the end that the bias hides is
    moved by it.

    >>> low, high = share_interval(1.0, 0.0, 0.0, 20, 0.95)
    >>> round(low, 3), high
    (0.82, 1.0)
    """
    least, greatest = bounds
    width = greatest - least
    few = max(fewest, 2)
    t = student_quantile((1 + level) / 2, few - 1)
    spread *= math.sqrt(few / (few - 1))
    if not math.isfinite(value - spread):
        return math.nan, math.nan
    if not math.isfinite(width):
        return value - t * spread - max(bias, 0), value + t * spread - min(bias, 0)
    share = min(max((value - least) / width, 0.0), 1.0)
    pair = 1 / few**2
    worth = (share * (1 - share) + pair) / ((spread / width) ** 2 + pair / few)
    reach = t * t / worth
    centre = (share + reach / 2) / (1 + reach)
    half = math.sqrt(reach * (share * (1 - share) + reach / 4)) / (1 + reach)
    low = least + width * (centre - half) - max(bias, 0)
    high = least + width * (centre + half) - min(bias, 0)
    return max(least, min(low, value)), min(greatest, max(high, value))
