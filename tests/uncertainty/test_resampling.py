"""Draws: what they keep, how they spread, and that nothing but the seed decides them."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest

import steelyard as sy
from steelyard.counts.joint import JointCounts
from steelyard.uncertainty.permutation_test import swapped_matrices
from steelyard.uncertainty.resampling import (
    Simulation,
    block_size,
    blocks,
    drawn_values,
    draws_in_use,
    matrices_of_block,
    resampled_cells,
)

COUNTS = np.array([[90, 7, 3], [10, 30, 0], [2, 1, 2]])
JOINT = JointCounts.from_confusion(sy.Confusion(COUNTS))


def drawn(source: str, design: str, draws: int = 20_000) -> np.ndarray:
    parts = [found for _, found in blocks(JOINT, Simulation(draws, 1, design, "jeffreys"), source)]
    return np.concatenate(parts, axis=1)[0]


def test_stratified_resampling_keeps_every_class_and_spreads_like_a_binomial() -> None:
    matrices = drawn("bootstrap", "fixed")
    assert (matrices.sum(axis=2) == COUNTS.sum(axis=1)).all()
    rows = COUNTS.sum(axis=1, keepdims=True)
    variance = COUNTS * (1 - COUNTS / rows)
    assert np.allclose(matrices.mean(axis=0), COUNTS, atol=5 * np.sqrt(variance.max() / 20_000))
    assert np.allclose(matrices.var(axis=0), variance, rtol=0.06, atol=1e-9)


def test_multinomial_resampling_keeps_the_total_only() -> None:
    matrices = drawn("bootstrap", "sample")
    assert (matrices.sum(axis=(1, 2)) == COUNTS.sum()).all()
    assert len(np.unique(matrices.sum(axis=2), axis=0)) > 100
    assert np.allclose(matrices.var(axis=0), COUNTS * (1 - COUNTS / COUNTS.sum()), rtol=0.06, atol=1e-9)


@pytest.mark.parametrize("source", ["bootstrap", "posterior"])
@pytest.mark.parametrize("design", ["fixed", "sample"])
def test_blocks_do_not_depend_on_order_threads_or_how_many_follow(source: str, design: str) -> None:
    size, count = block_size(JOINT, source), 4
    whole = np.concatenate(
        [found for _, found in blocks(JOINT, Simulation(count * size, 7, design, "jeffreys"), source)], axis=1
    )

    def one(block: int) -> np.ndarray:
        return matrices_of_block(JOINT, Simulation(0, 7, design, "jeffreys"), source, block, size)

    with ThreadPoolExecutor(3) as pool:
        backwards = list(pool.map(one, reversed(range(count))))
    assert np.array_equal(np.concatenate(backwards[::-1], axis=1), whole)
    shorter = np.concatenate(
        [found for _, found in blocks(JOINT, Simulation(size + 5, 7, design, "jeffreys"), source)], axis=1
    )
    assert np.array_equal(shorter, whole[:, : size + 5])


def test_seeds_decide() -> None:
    chosen = [sy.measure("CBA"), sy.measure("mcc")]
    first, again, other = (
        drawn_values(JOINT, chosen, Simulation(draws=300, seed=seed)) for seed in (3, 3, 4)
    )
    assert all(np.array_equal(first[name], again[name]) for name in first)
    assert not np.array_equal(first["mcc"], other["mcc"])
    unsaid, said = (drawn_values(JOINT, chosen, Simulation(draws=100, **seed)) for seed in ({}, {"seed": 0}))
    assert np.array_equal(unsaid["mcc"], said["mcc"])


def test_swapping_keeps_what_the_models_said_together() -> None:
    """Each row keeps its truth and its two predictions, only who said which is tossed: their sum never changes."""
    joint = JointCounts.from_columns(
        [0, 0, 0, 1, 1, 1, 2], {"a": [0, 1, 0, 1, 0, 2, 2], "b": [0, 0, 2, 1, 1, 1, 2]}
    )
    random = np.random.default_rng(0)
    matrices = swapped_matrices(joint, random, 500)
    seen = joint.matrices(joint.counts[None])
    assert (matrices.sum(axis=0) == seen.sum(axis=0)).all()
    assert (matrices.sum(axis=3) == seen.sum(axis=3)).all()
    assert len(np.unique(matrices[0], axis=0)) > 1


def test_resampled_cells_of_a_pair_keep_pairs_together() -> None:
    joint = JointCounts.from_columns([0, 0, 1, 1], {"a": [0, 1, 1, 0], "b": [0, 1, 1, 0]})
    weights = resampled_cells(joint, True, np.random.default_rng(0), 50)
    first, second = joint.matrices(weights)
    assert (first == second).all()


def test_many_classes_are_drawn_less_often() -> None:
    """10,000 draws up to 22 classes, then five million cells in all, 1,000 draws at least."""
    expected = {2: 10_000, 22: 10_000, 23: 5_000_000 // 529, 50: 2_000, 70: 1_020, 71: 1_000, 1_000: 1_000}
    assert {classes: draws_in_use(None, classes) for classes in expected} == expected
    assert draws_in_use(300, 1_000) == 300
