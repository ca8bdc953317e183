"""Closed intervals and exact tests of plain rates against hand arithmetic and values recorded from SciPy 1.17.1."""

from __future__ import annotations

import math
from fractions import Fraction
from math import comb

import pytest

import steelyard as sy
from steelyard.uncertainty.binomial_intervals import (
    RATES,
    area_trials,
    beta_quantile,
    clopper_pearson,
    fisher,
    rate_of,
    stretch_of_few,
    student_cdf,
    student_quantile,
    wilson,
    wilson_by_spread,
)

Z = 1.959963984540054  # the 97.5% quantile of the normal distribution, from tables


def test_wilson_is_where_the_score_test_just_rejects() -> None:
    """Wilson's ends are the rates p at which |k/n - p| = z sqrt(p (1 - p) / n)."""
    for hits, total in ((8, 10), (1, 7), (250, 1000)):
        for end in wilson(hits, total, 0.95):
            assert abs(hits / total - end) == pytest.approx(Z * math.sqrt(end * (1 - end) / total), rel=1e-9)


def test_wilson_of_none_and_all() -> None:
    """At 0 of n the upper end is z² / (n + z²), by setting k = 0 in the formula."""
    low, high = wilson(0, 10, 0.95)
    assert low == 0
    assert high == pytest.approx(Z**2 / (10 + Z**2), abs=1e-12)
    assert wilson(10, 10, 0.95) == (pytest.approx(1 - high, abs=1e-12), 1.0)


def test_clopper_pearson_of_none_and_all() -> None:
    """At 0 of n the upper end solves (1 - p)^n = 0.025."""
    low, high = clopper_pearson(0, 10, 0.95)
    assert low == 0
    assert high == pytest.approx(1 - 0.025 ** (1 / 10), abs=1e-12)
    assert clopper_pearson(10, 10, 0.95) == (pytest.approx(0.025 ** (1 / 10), abs=1e-12), 1.0)


def test_clopper_pearson_ends_have_the_tail_probability() -> None:
    """At the lower end 8 or more of 10 have probability 0.025, at the upper end 8 or fewer: sums of binomial terms."""

    def term(k: int, p: float) -> float:
        return math.comb(10, k) * p**k * (1 - p) ** (10 - k)

    low, high = clopper_pearson(8, 10, 0.95)
    assert sum(term(k, low) for k in range(8, 11)) == pytest.approx(0.025, abs=1e-12)
    assert sum(term(k, high) for k in range(9)) == pytest.approx(0.025, abs=1e-12)


def test_quantiles_with_closed_forms() -> None:
    """Beta(1, b) has the quantile 1 - (1 - p)^(1/b); Student's t with 2 degrees of freedom has one too."""
    assert beta_quantile(0.3, 1, 5) == pytest.approx(1 - 0.7**0.2, abs=1e-12)
    assert student_cdf(1.5, 2) == pytest.approx(0.5 + 1.5 / (2 * math.sqrt(2 + 1.5**2)), abs=1e-12)
    assert student_quantile(0.975, 2) == pytest.approx(0.95 * math.sqrt(2 / (4 * 0.975 * 0.025)), abs=1e-9)


@pytest.mark.parametrize("name", sorted(RATES))
def test_every_rate_is_its_measure(name: str) -> None:
    matrix = sy.Confusion([[7, 2], [30, 961]], ["bad", "good"])
    for positive in matrix.labels:
        found = rate_of(sy.measure(name), matrix, positive)
        assert found is not None
        assert found[0] / found[1] == pytest.approx(sy.measure(name)(matrix, positive=positive), abs=1e-15)


def test_rates_by_name() -> None:
    found = sy.interval([[7, 2], [30, 961]], method="wilson")
    # The share of alerts is a rate too, but not among the measures of a matrix that are shown unasked.
    assert set(found) == set(RATES) - {"detection_prevalence"}
    assert (found["recall"].low, found["recall"].high) == wilson(7, 9, 0.95)
    with pytest.raises(sy.InputError, match="gmean is not a plain rate"):
        sy.interval([[7, 2], [30, 961]], "gmean", method="wilson")


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
    assert clopper_pearson(3, 10, 0.99) == pytest.approx((0.03700722109620741, 0.7351139852871308), rel=1e-9)


def test_the_interval_at_the_ends() -> None:
    # No hit in n: the upper end solves (1 - p)^n = alpha / 2.
    low, high = clopper_pearson(0, 20, 0.95)
    assert low == 0
    assert high == pytest.approx(1 - 0.025 ** (1 / 20))
    assert clopper_pearson(20, 20, 0.95) == pytest.approx((0.025 ** (1 / 20), 1.0))
    assert clopper_pearson(0, 0, 0.95) == (0.0, 1.0)


def test_large_counts() -> None:
    assert fisher(900_000, 1_000_000, 90_000, 100_000) == pytest.approx(1.0)
    assert fisher(900_000, 1_000_000, 89_000, 100_000) < 1e-20


def test_quantiles_from_printed_tables() -> None:
    """Student's t as printed: Abramowitz and Stegun, table 26.10."""
    assert student_quantile(0.975, 10) == pytest.approx(2.228, abs=5e-4)
    assert student_quantile(0.005, 30) == pytest.approx(-2.750, abs=5e-4)
    assert student_cdf(-12.706, 1) == pytest.approx(0.025, abs=1e-6)


def test_a_bootstrap_of_few_is_stretched() -> None:
    """sqrt(n / (n - 1)) t / z; of 2 units t(0.975, 1) = 12.7062 from tables."""
    assert stretch_of_few(2, 0.95) == pytest.approx(math.sqrt(2) * 12.7062047 / Z, rel=1e-7)
    assert stretch_of_few(10, 0.95) == pytest.approx(math.sqrt(10 / 9) * 2.2621572 / Z, rel=1e-7)
    assert stretch_of_few(10, 0.9) == pytest.approx(math.sqrt(10 / 9) * 1.8331129 / 1.6448536, rel=1e-6)
    assert stretch_of_few(1, 0.95) == 1
    assert stretch_of_few(0, 0.95) == 1
    assert stretch_of_few(1_000_000, 0.95) == pytest.approx(1, abs=1e-5)


def test_an_area_borrows_from_the_exponential_model() -> None:
    """Newcombe (2006), Statistics in Medicine 25, 559-573, method 5: variance A (1 - A) (1 + N ((1 - A) / (2 - A) + A / (1 + A))) / (m n) with
    N = (m + n) / 2 - 1. By hand for A = 1/2, m = n = 5: N = 4, both fractions 1/3, so 25 / (1 + 8/3) = 75/11 trials."""
    assert area_trials(0.5, 5, 5) == pytest.approx(75 / 11)
    assert area_trials(1.0, 5, 5) == pytest.approx(25 / 3)
    alone = wilson_by_spread(0.9, 0.06, 0.0, 5, 0.95)
    low, high = wilson_by_spread(0.9, 0.06, 0.0, 5, 0.95, model_trials=area_trials(0.9, 5, 600))
    assert alone[0] < low < 0.9 < high < alone[1]
    # with many examples the spread that was seen decides
    many = wilson_by_spread(0.9, 0.01, 0.0, 1000, 0.95, model_trials=10.0)
    assert many == pytest.approx(wilson_by_spread(0.9, 0.01, 0.0, 1000, 0.95), abs=1e-3)
