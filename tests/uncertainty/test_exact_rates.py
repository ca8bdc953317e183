"""Fisher's test and the Clopper-Pearson interval against hand arithmetic and values recorded from SciPy 1.17.1."""

from __future__ import annotations

from fractions import Fraction
from math import comb

import pytest

from steelyard.uncertainty.exact_rates import clopper_pearson, fisher


def by_fractions(hits: int, of: int, other_hits: int, other_of: int) -> Fraction:
    """The definition, in exact arithmetic."""
    together, total = hits + other_hits, of + other_of
    ways = {
        k: comb(together, k) * comb(total - together, of - k)
        for k in range(max(0, together - other_of), min(of, together) + 1)
    }
    return Fraction(sum(way for way in ways.values() if way <= ways[hits]), sum(ways.values()))


def test_the_lady_tasting_tea() -> None:
    # Fisher (1935): 3 of 4 cups told right on either side, 2 * (1 + 16) / 70.
    assert fisher(3, 4, 1, 4) == pytest.approx(34 / 70)


@pytest.mark.parametrize(
    "cells", [(3, 10, 200, 300), (0, 5, 7, 9), (12, 12, 80, 100), (1, 40, 3, 41), (5, 6, 1, 30), (0, 3, 0, 9)]
)
def test_fisher_is_the_sum_of_the_unlikelier_divisions(cells: tuple[int, int, int, int]) -> None:
    assert fisher(*cells) == pytest.approx(float(by_fractions(*cells)), rel=1e-9)


def test_recorded_values() -> None:
    # scipy.stats.fisher_exact([[3, 7], [200, 100]]).pvalue; scipy.stats.binomtest(3, 10).proportion_ci(0.99)
    assert fisher(3, 10, 200, 300) == pytest.approx(0.03558556789714659, rel=1e-9)
    assert clopper_pearson(3, 10, 0.01) == pytest.approx((0.03700722109620741, 0.7351139852871308), rel=1e-9)


def test_the_interval_at_the_ends() -> None:
    # No hit in n: the upper end solves (1 - p)^n = alpha / 2.
    low, high = clopper_pearson(0, 20, 0.05)
    assert low == 0
    assert high == pytest.approx(1 - 0.025 ** (1 / 20))
    assert clopper_pearson(20, 20, 0.05) == pytest.approx((0.025 ** (1 / 20), 1.0))
    assert clopper_pearson(0, 0, 0.05) == (0.0, 1.0)


def test_large_counts() -> None:
    assert fisher(900_000, 1_000_000, 90_000, 100_000) == pytest.approx(1.0)
    assert fisher(900_000, 1_000_000, 89_000, 100_000) < 1e-20
