"""How often can any test tell two equal models apart, when few rare examples decide?

Balanced accuracy of two models with a large common class: what the models differ by there is known, and equality is a statement
about the rare class, that the second model finds `gap` more of it than the first. Of n rare examples b are found by the first model
alone and c by the second alone. A test that says "the second is better" for (b, c) must say it too for fewer b and for more c. So
an outcome can lead to a rejection only if all outcomes that are as extreme in that sense have together at most the level as their
probability, whatever else the models agree on. What the outcomes that are left weigh in a cell is more than any such test rejects
there: with eight examples of which one tells the models apart there is nothing to reject by.
"""

from __future__ import annotations

import math
from functools import cache

import numpy as np

_AGREEMENTS = 200
"""Of how many degrees of agreement the worst is sought: fewer would let more outcomes pass, so that the figure errs upwards."""


def outcome_probabilities(examples: int, only_first: float, only_second: float) -> np.ndarray:
    """The probability of every (b, c), shape (n + 1, n + 1): a trinomial distribution."""
    b, c = np.ogrid[: examples + 1, : examples + 1]
    rest = np.maximum(examples - b - c, 0)
    logs = np.array([math.lgamma(k + 1) for k in range(examples + 1)])
    found = logs[examples] - logs[b] - logs[c] - logs[rest]
    for number, p in ((b, only_first), (c, only_second), (rest, 1 - only_first - only_second)):
        found = found + np.where(number > 0, number * math.log(max(p, 1e-300)), 0.0)
    return np.where(b + c <= examples, np.exp(found), 0.0)


@cache
def _may_reject(examples: int, gap: float, level: float) -> np.ndarray:
    """Which outcomes (b, c) a test of this level may reject for, in either direction."""
    second = np.zeros((examples + 1, examples + 1))
    first = second.copy()
    for only_first in np.linspace(max(0.0, -gap), (1 - gap) / 2, _AGREEMENTS):
        p = outcome_probabilities(examples, float(only_first), float(only_first + gap))
        second = np.maximum(second, p.cumsum(axis=0)[:, ::-1].cumsum(axis=1)[:, ::-1])
        first = np.maximum(first, p[::-1].cumsum(axis=0)[::-1].cumsum(axis=1))
    return np.asarray(np.minimum(first, second) <= level)


def most_rejected_of(examples: int, only_first: float, only_second: float, level: float) -> float:
    """The most that a test of this level rejects two equal models with so many rare examples."""
    allowed = _may_reject(examples, round(only_second - only_first, 12), level)
    return float(outcome_probabilities(examples, only_first, only_second)[allowed].sum())


def most_rejected(rare: int, recalls: tuple[float, float], agreement: float, level: float) -> float:
    """The same for models of these recalls that agree by so much more than by chance, their rare examples being Poisson."""
    first, second = recalls
    apart = max(0.0, second - first)
    only_second = agreement * apart + (1 - agreement) * (1 - first) * second
    only_first = agreement * (apart - second + first) + (1 - agreement) * first * (1 - second)
    total = weight = 0.0
    for n in range(1, 3 * rare + 10):
        chance = math.exp(n * math.log(rare) - rare - math.lgamma(n + 1))
        if chance > 1e-4:
            total += chance * most_rejected_of(n, only_first, only_second, level)
            weight += chance
    return total / weight
