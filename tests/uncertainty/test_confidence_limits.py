"""The ends of intervals: BCa by Efron's formula, Wilson as the limit of an interval of shares, and what no example changes."""

from __future__ import annotations

import math
from statistics import NormalDist

import numpy as np
import pytest

from steelyard.scores.score_bootstrap import ends_by_spread
from steelyard.uncertainty import confidence_limits
from steelyard.uncertainty.binomial_intervals import student_quantile, wilson, wilson_by_spread
from steelyard.uncertainty.per_row_costs import around, ends, mixed_spread, ratio
from steelyard.uncertainty.sequential_test import find_changes

NORMAL = NormalDist()
GRID = np.linspace(0, 1, 100_001)  # its quantile of p is p


@pytest.mark.parametrize("estimate", [0.5, 0.3, 0.8])
@pytest.mark.parametrize("acceleration", [0.0, 0.1, -0.2])
@pytest.mark.parametrize("level", [0.9, 0.95])
def test_bca_is_efrons_formula(estimate: float, acceleration: float, level: float) -> None:
    """efron1987: the quantiles at cdf(z0 + (z0 + z) / (1 - a (z0 + z)))."""
    low, high = confidence_limits.skewness_corrected_percentiles(GRID, estimate, acceleration, level)
    z0 = NORMAL.inv_cdf(estimate)
    for end, tail in ((low, (1 - level) / 2), (high, (1 + level) / 2)):
        z = z0 + NORMAL.inv_cdf(tail)
        assert end == pytest.approx(NORMAL.cdf(z0 + z / (1 - acceleration * z)), abs=2e-5)


def test_bca_where_nothing_lies_below_is_the_plain_interval() -> None:
    values = np.arange(1.0, 101.0)
    plain = confidence_limits.percentiles(values, 0.9)
    assert confidence_limits.skewness_corrected_percentiles(values, 0.0, 0.1, 0.9) == plain
    assert confidence_limits.skewness_corrected_percentiles(values, 101.0, 0.1, 0.9) == plain
    assert confidence_limits.skewness_corrected_percentiles(values, 1.0, 0.0, 0.9)[0] < plain[0]
    # An acceleration at which the denominator would vanish leaves the ends inside.
    low, high = confidence_limits.skewness_corrected_percentiles(values, 50.0, 5.0, 0.95)
    assert 1 <= low <= high <= 100


def test_percentiles_are_those_of_numpy() -> None:
    rng = np.random.default_rng(1)
    for size in (2, 3, 10, 999):
        values = rng.normal(size=size)
        for level in (0.5, 0.9, 0.95, 0.99):
            expected = np.quantile(values, [(1 - level) / 2, (1 + level) / 2])
            assert confidence_limits.percentiles(values, level) == pytest.approx(expected.tolist(), rel=1e-12)


def test_a_symmetric_posterior_around_its_centre_is_not_moved() -> None:
    assert confidence_limits.moves(np.linspace(-1, 1, 1001), 0.0, 0.95) == pytest.approx((0, 0), abs=1e-12)
    assert confidence_limits.moves(np.array([np.nan, 1.0]), 0.0, 0.95) == (0.0, 0.0)


def test_by_how_much_the_ends_are_moved_by_hand() -> None:
    """A bias of 0.1 with hardly any spread: the low end by (2 + sqrt 2) 0.1, the other by twice what exceeds a quarter of the
    spread; sides of the same length add nothing."""
    low, high = confidence_limits.moves_of(0.0, 2.0, 1.0, 0.04, 0.9, 10**12)
    assert float(low) == pytest.approx((2 + math.sqrt(2)) * 0.1, rel=1e-6)
    assert float(high) == pytest.approx(2 * (0.1 - 0.01), rel=1e-6)
    low, high = confidence_limits.moves_of(0.0, 2.0, 1.0, 0.04, 1.1, 10**12)
    assert float(low) == pytest.approx(-2 * (0.1 - 0.01), rel=1e-6)
    assert float(high) == pytest.approx(-(2 + math.sqrt(2)) * 0.1, rel=1e-6)
    # Drawing errs by spread / sqrt(draws), which is no bias.
    assert [float(v) for v in confidence_limits.moves_of(0.0, 2.0, 1.0, 1.0, 0.9, 100)] == pytest.approx(
        [0, 0], abs=1e-12
    )
    # One side longer by 1: the short side is moved outwards by a twentieth of that.
    low, high = confidence_limits.moves_of(0.0, 3.0, 1.0, 0.0, 1.0, 100)
    assert (float(low), float(high)) == pytest.approx((0.05, 0.0))
    low, high = confidence_limits.moves_of(-1.0, 2.0, 1.0, 0.0, 1.0, 100)
    assert (float(low), float(high)) == pytest.approx((0.0, -0.05))


def test_what_no_example_changes_has_no_skewness() -> None:
    assert confidence_limits.skewness_of(np.array([0.5, 0.5]), np.array([3, 4])) == 0
    assert confidence_limits.skewness_of(np.array([np.nan]), np.array([3])) == 0
    # Three examples whose values without them are 0, 0 and 3: gaps 1, 1, -2; sum of cubes -6, of squares 6.
    expected = -6 / (6 * 6**1.5)
    assert confidence_limits.skewness_of(np.array([0.0, 0.0, 3.0]), np.array([1, 1, 1])) == pytest.approx(
        expected
    )
    assert confidence_limits.skewness_of(np.array([0.0, 3.0, np.nan]), np.array([2, 1, 5])) == pytest.approx(
        expected
    )


def test_quantiles_of_sorted_rows_are_those_of_numpy() -> None:
    rows = np.sort(np.random.default_rng(2).normal(size=(4, 57)), axis=-1)
    for p, found in zip(
        (0.0, 0.03, 0.5, 0.77, 1.0),
        confidence_limits.sorted_quantiles(rows, 0.0, 0.03, 0.5, 0.77, 1.0),
        strict=True,
    ):
        np.testing.assert_allclose(found, np.quantile(rows, p, axis=-1), rtol=1e-13)
    assert confidence_limits.quantiles(np.array([7.0]), 0.3) == (7.0,)
    assert all(math.isnan(v) for v in confidence_limits.quantiles(np.array([1.0, np.nan]), 0.3, 0.5))


# -- intervals of shares


@pytest.mark.parametrize("value", [0.1, 0.5, 0.93])
@pytest.mark.parametrize("rows", [50, 2000])
def test_of_many_examples_it_is_wilsons_interval(value: float, rows: int) -> None:
    spread = math.sqrt(value * (1 - value) / rows)
    found = wilson_by_spread(value, spread, 0.0, 10**6, 0.95)
    assert found == pytest.approx(wilson(value * rows, rows, 0.95), abs=1e-4)


@pytest.mark.parametrize(
    ("value", "spread", "bias", "few"), [(0.7, 0.05, 0.01, 30), (0.99, 0.0, 0.0, 5), (0.2, 0.1, -0.02, 2)]
)
def test_a_scale_of_another_width_is_no_other_interval(
    value: float, spread: float, bias: float, few: int
) -> None:
    low, high = wilson_by_spread(value, spread, bias, few, 0.9)
    stretched = wilson_by_spread(10 * value - 3, 10 * spread, 10 * bias, few, 0.9, (-3.0, 7.0))
    assert stretched == pytest.approx((10 * low - 3, 10 * high - 3), rel=1e-9)
    assert low <= value <= high


def test_an_interval_of_shares_at_its_edges() -> None:
    # No error among 20: as many examples as the rarer class has, so that Wilson's low end is n / (n + t²) of those.
    t = student_quantile(0.975, 19)
    low, high = wilson_by_spread(1.0, 0.0, 0.0, 20, 0.95)
    assert high == 1.0
    assert low == pytest.approx(20 / (20 + t * t), rel=1e-9)
    assert wilson_by_spread(0.0, 0.0, 0.0, 20, 0.95) == pytest.approx((0.0, 1 - low), abs=1e-12)
    # Fewer than two examples count as two.
    assert wilson_by_spread(1.0, 0.0, 0.0, 1, 0.95) == wilson_by_spread(1.0, 0.0, 0.0, 2, 0.95)
    assert all(math.isnan(v) for v in wilson_by_spread(math.nan, 0.1, 0.0, 20, 0.95))
    assert all(math.isnan(v) for v in wilson_by_spread(0.5, math.nan, 0.0, 20, 0.95))


def test_the_end_that_a_bias_hides_is_moved_by_it() -> None:
    # 0.49 and 0.51 have the same m (1 - m), so that the number of trials is the same.
    low, high = wilson_by_spread(0.49, 0.03, 0.0, 50, 0.95)
    assert wilson_by_spread(0.49, 0.03, 0.02, 50, 0.95) == pytest.approx((low - 0.02, high))
    low, high = wilson_by_spread(0.51, 0.03, 0.0, 50, 0.95)
    assert wilson_by_spread(0.51, 0.03, -0.02, 50, 0.95) == pytest.approx((low, high + 0.02))
    wide = (-math.inf, math.inf)
    reach = student_quantile(0.975, 9) * 2.0 * math.sqrt(10 / 9)
    assert wilson_by_spread(5.0, 2.0, 0.0, 10, 0.95, wide) == pytest.approx((5 - reach, 5 + reach))
    assert wilson_by_spread(5.0, 2.0, 1.0, 10, 0.95, wide) == pytest.approx((4 - reach, 5 + reach))
    assert wilson_by_spread(5.0, 2.0, -1.0, 10, 0.95, wide) == pytest.approx((5 - reach, 6 + reach))


def test_an_interval_of_shares_by_hand() -> None:
    """A value of 1 whose samples have a mean of 0.98 and a spread of 0.03, 20 examples of the rarer class: 0.98 x 0.02 and one error
    among 20² pairs, 1/400, of a spread² of 0.0009 x 20/19 and 1/8000 are 20.6 trials, and n of n have the low end n / (n + t²)."""
    worth = (0.98 * 0.02 + 1 / 400) / (0.0009 * 20 / 19 + 1 / 8000)
    assert worth == pytest.approx(20.60, abs=0.01)
    low, high = wilson_by_spread(1.0, 0.03, -0.02, 20, 0.95)
    assert (low, high) == (pytest.approx(worth / (worth + 2.093024**2), rel=1e-6), 1)


def test_a_band_does_not_fall_at_the_edge_of_a_step() -> None:
    """One of 20 positives stands at the edge: it is missed in 36% of the samples, 0.95 or 1 (mean 0.9816, spread 0.0241). The recall
    of 1 is then worth about its 20 examples, as beside the edge, where no sample misses it (0.82); it was worth 3.4, a low end of 0.43."""
    drawn = np.full(1000, 1.0)
    drawn[:368] = 0.95
    at_edge, _ = ends_by_spread(1.0, drawn, 20, 0.95)
    beside, _ = ends_by_spread(1.0, np.ones(1000), 20, 0.95)
    assert beside == pytest.approx(20 / (20 + 2.093024**2), rel=1e-6)
    assert beside - 0.03 < at_edge


def test_the_low_end_of_a_maximum_allows_for_its_own_bias() -> None:
    """Samples lie 0.02 above the value (less 0.1 / sqrt(1000) of drawing): a maximum's low end is moved by sqrt(2) times that more."""
    drawn = 0.52 + 0.1 * np.tile([-1.0, 1.0], 500)
    low, high = ends_by_spread(0.5, drawn, 50, 0.95)
    moved, same = ends_by_spread(0.5, drawn, 50, 0.95, maximum=True)
    assert moved == pytest.approx(low - math.sqrt(2) * (0.02 - 0.1 / math.sqrt(1000)), abs=1e-12)
    assert same == high


# -- amounts of rows


def test_numbers_around_a_mean_have_its_mean_and_spread() -> None:
    means, variance = np.array([3.0, 7.0, 0.0, 2.0, 0.5]), np.array([0.2, 0.0, 0.5, 1e-13, 0.1])
    drawn = around(means, variance, np.random.default_rng(3), 200_000)
    assert drawn.shape == (200_000, 5)
    assert drawn[:, 0].mean() == pytest.approx(3, rel=0.01)
    assert drawn[:, 0].var() / 9 == pytest.approx(0.2, rel=0.05)
    assert drawn[:, 4].mean() == pytest.approx(0.5, rel=0.01)
    assert drawn[:, 4].var() / 0.25 == pytest.approx(0.1, rel=0.05)
    assert (drawn[:, 1:4] == [7.0, 0.0, 2.0]).all()


def test_the_spread_of_a_cell_is_mixed_with_that_of_its_class() -> None:
    """Amounts 1 and 3 in a cell: the mean of squares 5 over the squared mean 4, less 1, is 1/4."""
    from steelyard.uncertainty.per_row_costs import BORROWED

    counts, sums, squares = np.array([[2.0]]), np.array([[4.0]]), np.array([[10.0]])
    own = 0.25
    for of_class in (0.0, 1.0, -1.0):
        mixed = (own * 2 + BORROWED * max(of_class, 0)) / (2 + BORROWED)
        assert mixed_spread(counts, sums, squares, np.array([[of_class]]))[0, 0] == pytest.approx(2 * mixed)
    none = np.array([[0.0]])
    assert mixed_spread(none, none, none, np.array([[0.5]]))[0, 0] == pytest.approx(0.5)
    one = np.array([[1.0]])
    alone = mixed_spread(one, 3 * one, 9 * one, np.array([[0.6]]))[0, 0]
    assert alone == pytest.approx(0.6 * BORROWED / (1 + BORROWED))
    assert ratio(np.array([1.0, 2.0]), np.array([0.0, 4.0]), 7.0).tolist() == [7.0, 0.5]


def test_the_interval_of_a_cost_holds_its_value() -> None:
    drawn = np.linspace(1, 3, 2001)
    low, high = ends(2.0, drawn, 2.0, 0.9)
    assert (low, high) == pytest.approx((1.1, 2.9))
    assert ends(0.5, drawn, 2.0, 0.9)[0] == 0.5
    assert ends(9.0, drawn, 2.0, 0.9)[1] == 9.0
    assert ends(2.0, np.array([*drawn, np.nan]), 2.0, 0.9) == (low, high)
    assert all(math.isnan(v) for v in ends(math.nan, drawn, 2.0, 0.9))
    assert all(math.isnan(v) for v in ends(2.0, np.array([np.nan]), 2.0, 0.9))


# -- changes


def test_a_rate_that_falls_is_found_where_it_fell() -> None:
    """90 of 100 in the reference and in three blocks, then 40 of 100 in two: the change lies after three blocks."""
    each = [90, 90, 90, 90, 40, 40]
    hits = np.cumsum(each)[:, None, None]
    totals = np.cumsum([100] * 6)[:, None]
    (change,) = find_changes(hits, totals, 1e-6)
    assert (change.row, change.column, change.since) == (0, 0, 3)
    assert change.p < 1e-6
    assert change.hits_before / change.of_before > 0.85
    assert find_changes(np.cumsum([90] * 6)[:, None, None], totals, 1e-3) == []
    # Of two rates only the one that changed, and none where its level is 0.
    both = np.cumsum([[90, 50], [90, 50], [90, 50], [90, 50], [40, 50], [40, 50]], axis=0)[:, None, :]
    assert [(c.row, c.column) for c in find_changes(both, totals, 1e-6)] == [(0, 0)]
    assert find_changes(both, totals, np.array([[0.0, 1e-6]])) == []
