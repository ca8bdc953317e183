"""How many simulated sets are enough, and how many of them may miss?

A test of coverage in every run draws few sets, and `make test-all` many. What is asserted is what chance leaves: with
the promised rate a result beyond the limit has a probability below one in five hundred.
"""

from __future__ import annotations

import pytest

CHANCE = 0.002


def sets(few: int, many: int) -> pytest.MarkDecorator:
    """The number of sets as an argument `sets` of the test."""
    return pytest.mark.parametrize("sets", [few, pytest.param(many, marks=pytest.mark.whole)])


def fewest(sets: int, rate: float) -> float:
    """The fewest sets of which something may hold that holds with this rate."""
    from scipy.stats import binom

    return float(binom.ppf(CHANCE, sets, rate))


def most(sets: int, rate: float) -> float:
    """The most sets of which something may hold that holds with this rate."""
    from scipy.stats import binom

    return float(binom.isf(CHANCE, sets, rate))
