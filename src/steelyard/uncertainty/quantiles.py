"""How much of a Beta or Student distribution lies below a value, and below which value lies this much?

The incomplete Beta function is its continued fraction (Press et al., Numerical Recipes, section 6.4), summed
by Lentz's method; the core therefore needs no SciPy. Quantiles are found by halving, which cannot fail on a
function that grows.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import lru_cache
from statistics import NormalDist

_SMALLEST = 1e-300
_MOST_TERMS = 100_000
_HALVINGS = 200


def beta_below(value: float, a: float, b: float) -> float:
    """How much of Beta(a, b) lies below a value?"""
    if value <= 0:
        return 0.0
    if value >= 1:
        return 1.0
    front = math.exp(
        math.lgamma(a + b) - math.lgamma(a) - math.lgamma(b) + a * math.log(value) + b * math.log1p(-value)
    )
    if value < (a + 1) / (a + b + 2):
        return front * _continued_fraction(value, a, b) / a
    return 1 - front * _continued_fraction(1 - value, b, a) / b


def _continued_fraction(x: float, a: float, b: float) -> float:
    above, below = 1.0, 1 / _away_from_0(1 - (a + b) * x / (a + 1))
    found = below
    for m in range(1, _MOST_TERMS):
        for step in (
            m * (b - m) * x / ((a + 2 * m - 1) * (a + 2 * m)),
            -(a + m) * (a + b + m) * x / ((a + 2 * m) * (a + 2 * m + 1)),
        ):
            # written out, as this is where quantiles spend their time: see _away_from_0
            below = 1 + step * below
            below = 1 / (below if abs(below) > _SMALLEST else _SMALLEST)
            above = 1 + step / above
            above = above if abs(above) > _SMALLEST else _SMALLEST
            found *= below * above
        if abs(below * above - 1) < 1e-16:
            break
    return found


def _away_from_0(number: float) -> float:
    return number if abs(number) > _SMALLEST else _SMALLEST


def beta_quantile(probability: float, a: float, b: float) -> float:
    """Below which value lies this much of Beta(a, b)?"""
    return _where(lambda value: beta_below(value, a, b), probability, 0.0, 1.0)


def student_below(value: float, degrees: float) -> float:
    """How much of Student's t distribution lies below a value?"""
    tail = beta_below(degrees / (degrees + value * value), degrees / 2, 0.5) / 2
    return tail if value < 0 else 1 - tail


@lru_cache(maxsize=256)  # the same few examples are asked for by every measure of a report
def student_quantile(probability: float, degrees: float) -> float:
    """Below which value lies this much of Student's t distribution?"""
    end = 1.0
    while student_below(-end, degrees) > min(probability, 1 - probability):
        end *= 2
    return _where(lambda value: student_below(value, degrees), probability, -end, end)


def stretch_of_few(number: float, level: float) -> float:
    """By how much a bootstrap of this many units is too narrow: its variance lacks n / (n - 1), and its ends
    are those of a normal distribution where Student's are due."""
    if number <= 1:
        return 1.0
    t, z = student_quantile(0.5 + level / 2, number - 1), NormalDist().inv_cdf(0.5 + level / 2)
    return math.sqrt(number / (number - 1)) * t / z


def _where(below: Callable[[float], float], probability: float, low: float, high: float) -> float:
    """The value below which lies this much, between two ends."""
    for _ in range(_HALVINGS):
        middle = (low + high) / 2
        if middle in (low, high):
            break
        if below(middle) < probability:
            low = middle
        else:
            high = middle
    return (low + high) / 2
