"""Beta and Student distributions: cumulative probabilities and quantiles, from scipy.special.

SciPy is imported by the first call: `import scipy.special` takes about as long as NumPy itself, and neither
`import steelyard` nor a plain evaluation needs it (docs/decisions/0037).
"""

from __future__ import annotations

import math
from functools import lru_cache
from statistics import NormalDist


def beta_cdf(value: float, a: float, b: float) -> float:
    """Cumulative distribution function of Beta(a, b): the regularised incomplete beta function."""
    from scipy.special import betainc

    return float(betainc(a, b, min(max(value, 0.0), 1.0)))


def beta_quantile(probability: float, a: float, b: float) -> float:
    """Quantile function of Beta(a, b)."""
    from scipy.special import betaincinv

    return float(betaincinv(a, b, probability))


def student_cdf(value: float, degrees: float) -> float:
    """Cumulative distribution function of Student's t."""
    from scipy.special import stdtr

    return float(stdtr(degrees, value))


@lru_cache(maxsize=256)  # every metric of a report asks for the same few
def student_quantile(probability: float, degrees: float) -> float:
    """Quantile function of Student's t."""
    from scipy.special import stdtrit

    return float(stdtrit(degrees, probability))


def binomial_cdf(hits: int, trials: int, probability: float) -> float:
    """Cumulative distribution function of the binomial distribution; 0 below 0 hits."""
    from scipy.special import bdtr

    return float(bdtr(hits, trials, probability)) if hits >= 0 else 0.0


def stretch_of_few(number: float, level: float) -> float:
    """By how much a bootstrap of this many units is too narrow: its variance lacks n / (n - 1), and its ends
    are those of a normal distribution where Student's are due."""
    if number <= 1:
        return 1.0
    t, z = student_quantile(0.5 + level / 2, number - 1), NormalDist().inv_cdf(0.5 + level / 2)
    return math.sqrt(number / (number - 1)) * t / z
