"""How sure is a rate, and do two rates differ? Exactly, for any number of examples.

Fisher's test and the Clopper-Pearson interval: both hold for small counts, where approximations cry wolf.
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

ROUNDING = 1e-7
"""Outcomes whose probability exceeds that of the observed one by less than this part count as equally likely."""


def fisher(hits: int, of: int, other_hits: int, other_of: int) -> float:
    """The probability, if both rates were equal, of a division of the hits at least as unlikely as this one (two-sided)."""
    together, total = hits + other_hits, of + other_of
    if not of or not other_of or together in (0, total):
        return 1.0
    least, most = max(0, together - other_of), min(of, together)
    k = np.arange(least, most, dtype=np.float64)
    # log P(k + 1) - log P(k) of the hypergeometric distribution; summing ratios needs no gamma function.
    steps = np.log(together - k) + np.log(of - k) - np.log(k + 1) - np.log(other_of - together + k + 1)
    logs: NDArray[np.float64] = np.concatenate([[0.0], np.cumsum(steps)])
    chances = np.exp(logs - logs.max())
    seen = chances[hits - least]
    return min(1.0, float(chances[chances <= seen * (1 + ROUNDING)].sum() / chances.sum()))


def clopper_pearson(hits: int, of: int, alpha: float) -> tuple[float, float]:
    """An interval that contains the rate with a probability of at least 1 - alpha, whatever the rate is."""
    if not of:
        return 0.0, 1.0
    low = 0.0 if hits == 0 else _root(hits, of, alpha / 2, upper=True)
    high = 1.0 if hits == of else _root(hits, of, alpha / 2, upper=False)
    return low, high


def _root(hits: int, of: int, tail: float, upper: bool) -> float:
    """The rate at which P(X >= hits) (or P(X <= hits)) is `tail`, by bisection: the probability grows (falls) with the rate."""
    k = np.arange(hits, of + 1) if upper else np.arange(hits + 1)
    i = np.arange(of, dtype=np.float64)
    ways = np.concatenate([[0.0], np.cumsum(np.log(of - i) - np.log(i + 1))])[k]  # log of "of choose k"
    low, high = 0.0, 1.0
    for _ in range(60):
        middle = (low + high) / 2
        if not 0 < middle < 1:
            break
        chance = float(np.exp(ways + k * math.log(middle) + (of - k) * math.log1p(-middle)).sum())
        if (chance > tail) == upper:
            high = middle
        else:
            low = middle
    return (low + high) / 2
