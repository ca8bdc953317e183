"""Draws of many joint cells have the distribution of draws cell by cell, at a small part of their cost."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from scipy import stats

from steelyard.counts.joint import JointCounts
from steelyard.judgement.compare import judge
from steelyard.measures.catalogue import measure
from steelyard.uncertainty import many_model_posterior, permutation_test
from steelyard.uncertainty.resampling import Simulation, block_size


def disagreeing(classes: int, models: int, rows: int, seed: int = 1) -> JointCounts:
    """Models that share difficult rows, so that most ways to disagree are seen once."""
    random = np.random.default_rng(seed)
    truth = random.choice(classes, rows, p=(shares := 0.6 ** np.arange(classes)) / shares.sum())
    hard = random.random(rows)
    columns = {
        f"m{m}": np.where(
            0.7 * hard + 0.3 * random.random(rows) > 0.75 - 0.02 * m,
            random.integers(0, classes, rows),
            truth,
        )
        for m in range(models)
    }
    return JointCounts.from_columns(truth, columns)


@pytest.mark.parametrize("shape", [0.3, 0.5, 0.97, 1.0, 2.9, 8.0])
def test_a_table_holds_the_quantiles_of_a_gamma_distribution(shape: float) -> None:
    # scipy.stats.gamma, an implementation of its own; a unit is 1 / 2048
    table = many_model_posterior.gamma_table(shape).astype(float) / 2048
    middles = (np.arange(len(table)) + 0.5) / len(table)
    exactly = stats.gamma.ppf(middles, shape)
    assert np.abs(table - exactly)[table < 10].max() < 1.5 / 2048
    assert table.mean() == pytest.approx(shape, abs=2e-4)
    assert table.var() == pytest.approx(shape, rel=1e-3)


def test_sums_have_the_mean_the_spread_and_the_correlations_of_gamma_numbers() -> None:
    joint = disagreeing(3, 6, 20_000)
    weight = np.array([0.97, 1.0, 0.9])
    drawn = many_model_posterior.masses(joint, weight, np.random.default_rng(3), 4_000)
    mean = joint.seen * weight[:, None]
    # Sums of independent Gamma numbers: mean and variance are the shape, the covariance of two models is the
    # shape they have in common.
    assert drawn.mean(axis=1) == pytest.approx(mean, rel=0.02, abs=0.5)
    large = mean > 30
    assert drawn.var(axis=1)[large] == pytest.approx(mean[large], rel=0.15)
    both_wrong = (joint.truth == 0) & (joint.predictions[:, 0] == 1) & (joint.predictions[:, 5] == 1)
    common = float(joint.counts[both_wrong].sum()) * 0.97
    found = np.cov(drawn[0, :, 0, 1], drawn[5, :, 0, 1])[0, 1]
    assert found == pytest.approx(common, abs=5 * np.sqrt(mean[0, 0, 1] * mean[5, 0, 1] / 2_000))
    # Every model's row of a class holds the same mass, exactly: it is the same examples.
    totals = drawn.sum(axis=-1)
    assert (totals == totals[:1]).all()


def test_no_two_draws_share_more_than_one_hand() -> None:
    once = 16
    hands = [[(draw + time * hand) % once for hand in range(4)] for time in range(4) for draw in range(once)]
    for a, b in itertools.combinations(hands, 2):
        assert sum(x == y for x, y in zip(a, b, strict=True)) <= 1


def test_the_same_seed_gives_the_same_draws_and_another_another() -> None:
    joint, ones = disagreeing(2, 13, 20_000), np.ones(2)
    assert many_model_posterior.is_many(joint)
    first, again, other = (
        many_model_posterior.masses(joint, ones, np.random.default_rng(seed), 64) for seed in (1, 1, 2)
    )
    assert (first == again).all()
    assert (first != other).any()


def test_intervals_of_a_comparison_are_those_of_cell_by_cell_draws(monkeypatch: pytest.MonkeyPatch) -> None:
    joint = disagreeing(3, 5, 6_000)
    monkeypatch.setattr(many_model_posterior, "MANY", 2)
    settings = judge.Options(None, by="gmean", measures=["gmean", "kappa"], draws=4_000)
    quick = judge.compare_counts(joint, settings)
    monkeypatch.setattr(many_model_posterior, "MANY", 10**9)
    slow = judge.compare_counts(joint, settings)
    for pair, same in zip(quick.pairs, slow.pairs, strict=True):
        for name in ("gmean", "kappa"):
            a, b = pair.differences[name], same.differences[name]
            wide = b.high - b.low
            assert a.value == b.value
            # the error of a 2.5% quantile of 4,000 draws is about 1.5% of the interval's width
            assert abs(a.low - b.low) < 0.08 * wide
            assert abs(a.high - b.high) < 0.08 * wide


@pytest.mark.parametrize("size", [64, 83, 2_048])
def test_two_draws_have_one_hand_in_common_at_most(size: int) -> None:
    """The four of the cells and that of the prior; each is drawn for a quarter of the draws, and used four times at most."""
    hands = np.stack(
        [many_model_posterior.dealt(hand, size) for hand in (0, 1, 2, 3, many_model_posterior.PRIORS_HAND)]
    )
    assert hands.shape == (5, size)
    assert [int(np.bincount(hand).max()) for hand in hands] == [4] * 5
    assert hands.max() < many_model_posterior.drawn_once(size) == -(-size // 4)
    common = (hands[:, :, None] == hands[:, None, :]).sum(axis=0)
    np.fill_diagonal(common, 0)
    assert common.max() == 1


def test_enough_draws_for_a_difference_to_be_clear_among_all_pairs() -> None:
    for models in (2, 5, 20, 40):
        pairs = models * (models - 1) / 2
        assert 2 / (many_model_posterior.draws_that_decide(models, 0.95) + 1) * pairs < 0.05


def test_swaps_of_all_pairs_together() -> None:
    """A hundred thousand, 500 of each pair at least, and never more than draws are asked for."""
    found = [permutation_test.swaps_of_each(pairs, 10**6) for pairs in (1, 3, 11, 200, 201, 4_950)]
    assert found == [100_000, 33_333, 9_090, 500, 500, 500]
    assert permutation_test.swaps_of_each(1, 800) == 800


def test_models_that_never_differ_are_exchangeable_for_certain() -> None:
    truth = [0, 0, 1, 1, 2]
    joint = JointCounts.from_columns(
        truth, {"a": [0, 1, 1, 1, 2], "b": [0, 1, 1, 1, 2], "c": [1, 0, 1, 1, 2]}
    )
    pairs = [(0, 1), (0, 2)]
    found = permutation_test.exchangeability_p_values(joint, pairs, measure("accuracy"), Simulation(40, 0))
    assert found == [1, 1]  # a and c are equally accurate: every swap differs at least as much


def test_what_is_drawn_at_once_fits_into_memory() -> None:
    """Resampled cells, or the matrices of few of them, take two megabytes at once, and matrices of many cells that are not drawn one
    by one 32; 16 and 64 draws are made together whatever they take."""
    few, many, classes = disagreeing(3, 5, 6_000), disagreeing(2, 13, 20_000), disagreeing(40, 5, 2_000)
    assert (many_model_posterior.is_many(few), many_model_posterior.is_many(many)) == (False, True)
    for joint, source in ((few, "bootstrap"), (few, "posterior"), (many, "bootstrap")):
        assert 16 < block_size(joint, source) <= (2 << 20) / 8 / len(joint.counts)
    assert block_size(many, "posterior") == 2_048  # 13 models of 4 cells
    assert 64 < many_model_posterior.block_of_many(classes) <= (32 << 20) / 8 / (5 * 40**2)
