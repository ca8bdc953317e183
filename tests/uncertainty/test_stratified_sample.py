"""Intervals of stratified samples: estimates by hand, the binomial case by Clopper and Pearson, coverage."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import stats

from steelyard.uncertainty.stratified_sample import StratifiedSample


def share(totals: np.ndarray) -> dict[str, np.ndarray]:
    return {"share": totals[..., 0] / totals.sum(axis=-1)}


def test_a_row_stands_for_the_rows_of_its_stratum() -> None:
    # 3 of 10 labels of 1,000 rows and 2 of 5 of 20 rows: 3 * 100 + 2 * 4 = 308, and 7 * 100 + 3 * 4 = 712.
    sample = StratifiedSample(np.array([[3.0, 7.0], [2.0, 3.0]]), np.array([1000.0, 20.0]), np.array([0, 0]))
    assert sample.totals.tolist() == [308.0, 712.0]


@pytest.mark.parametrize(("hits", "labels"), [(0, 20), (3, 20), (17, 60), (60, 60)])
def test_one_stratum_lies_between_jeffreys_like_mid_p_and_clopper_pearson(hits: int, labels: int) -> None:
    sample = StratifiedSample(
        np.array([[hits, labels - hits]], dtype=float), np.array([1e8]), np.array([0, 0])
    )
    random = np.random.default_rng(0)
    for category, probability, expected in (
        (1, 0.025, stats.beta.ppf(0.025, hits, labels - hits + 1) if hits else 0.0),
        (0, 0.975, stats.beta.ppf(0.975, hits + 1, labels - hits) if hits < labels else 1.0),
    ):
        drawn = share(sample.drawn_totals(sample.with_one_more(category), random, 40_000))["share"]
        assert np.quantile(drawn, probability) == pytest.approx(expected, abs=0.006)
    found = sample.limits(share, level=0.95, draws=20_000, seed=0)["share"]
    exact = stats.binomtest(hits, labels).proportion_ci(method="exact")
    assert exact.low - 0.006 <= found.low <= hits / labels <= found.high <= exact.high + 0.006
    assert found.high - found.low > 0.75 * (exact.high - exact.low)


def test_a_pool_that_is_labelled_whole_has_no_uncertainty() -> None:
    sample = StratifiedSample(np.array([[3.0, 7.0], [2.0, 3.0]]), np.array([10.0, 5.0]), np.array([0, 0]))
    found = sample.limits(share, level=0.95, draws=500, seed=0)["share"]
    assert (found.low, found.estimate, found.high) == pytest.approx((1 / 3, 1 / 3, 1 / 3))


def test_drawn_pools_have_the_variance_of_a_finite_population() -> None:
    # Polya posterior: variance (N - n) N p (1 - p) / (n + 1) of the total in a stratum.
    sample = StratifiedSample(np.array([[12.0, 28.0]]), np.array([100.0]), np.array([0, 0]))
    drawn = sample.drawn_totals(sample.counts, np.random.default_rng(0), 60_000)
    assert drawn.sum(axis=1).tolist() == [100.0] * 60_000
    assert drawn[:, 0].mean() == pytest.approx(30, abs=0.1)
    assert drawn[:, 0].var() == pytest.approx(60 * 100 * 0.3 * 0.7 / 41, rel=0.03)


def test_nothing_seen_is_not_taken_for_nothing() -> None:
    """Ten strata without a positive: the upper limit is about that of one label in all of them."""
    counts = np.tile([0.0, 30.0], (10, 1))
    found = StratifiedSample(counts, np.full(10, 1e6), np.array([0, 0])).limits(
        share, level=0.95, draws=4000, seed=0
    )["share"]
    assert found.low == 0
    assert found.high == pytest.approx(stats.beta.ppf(0.95, 1, 300), rel=0.1)  # mid-p: half of 5%


def test_coverage_where_wald_fails() -> None:
    random = np.random.default_rng(11)
    sizes = np.array([20_000.0, 3_000.0, 500.0, 100.0])
    shares, labels = np.array([0.0008, 0.01, 0.1, 0.5]), np.array([60, 40, 30, 30])
    positives = np.round(sizes * shares).astype(int)
    true = positives[2:].sum() / positives.sum()
    covered = 0
    for replicate in range(200):
        hits = random.hypergeometric(positives, sizes.astype(int) - positives, labels)
        counts = np.zeros((4, 4))
        counts[:2, 1], counts[:2, 3] = hits[:2], labels[:2] - hits[:2]
        counts[2:, 0], counts[2:, 2] = hits[2:], labels[2:] - hits[2:]
        found = StratifiedSample(counts, sizes, np.array([0, 1, 0, 1])).limits(
            lambda totals: {"recall": totals[..., 0] / (totals[..., 0] + totals[..., 1])},
            level=0.95,
            draws=500,
            seed=replicate,
        )["recall"]
        covered += found.low <= true <= found.high
    assert covered >= 186  # 93%
