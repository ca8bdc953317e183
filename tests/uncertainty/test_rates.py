"""Closed intervals of plain rates against hand arithmetic."""

from __future__ import annotations

import math

import pytest

import steelyard as sy
from steelyard.uncertainty.quantiles import beta_quantile, student_below, student_quantile
from steelyard.uncertainty.rates import RATES, clopper_pearson, rate_of, wilson

Z = 1.959963984540054  # the 97.5 % quantile of the normal distribution, from tables


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
    assert student_below(1.5, 2) == pytest.approx(0.5 + 1.5 / (2 * math.sqrt(2 + 1.5**2)), abs=1e-12)
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
    assert set(found) == set(RATES)
    assert (found["recall"].low, found["recall"].high) == wilson(7, 9, 0.95)
    with pytest.raises(sy.InputError, match="gmean is not a plain rate"):
        sy.interval([[7, 2], [30, 961]], "gmean", method="wilson")
