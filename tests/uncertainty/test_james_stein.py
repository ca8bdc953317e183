"""The bias of a measure on test sets: by hand, and where classes are alike or are not."""

from __future__ import annotations

import math

import numpy as np
import pytest

import steelyard as sy
from steelyard.counts.joint import JointCounts
from steelyard.uncertainty.confidence_limits import (
    STREAM,
    bias_of,
    biases_of_test_sets,
    moves_of,
    possible,
    smoothed_counts,
    smoothed_sets,
)
from steelyard.uncertainty.resampling import Simulation
from steelyard.uncertainty.threefry import Threefry


def test_classes_that_chance_may_tell_apart_are_made_alike() -> None:
    """Errors 1, 2, 3 of 20 each: 6 of 60, so that 2 are expected of each; Pearson's sum is 2 / (2 x 0.9) < 2, and chance
    explains all of it, as it does of the 2, 3 and 1 that the classes attract."""
    counts = np.array([[19, 1, 0], [1, 18, 1], [1, 2, 17]])
    assert smoothed_counts(counts) == pytest.approx(np.full((3, 3), 1.0) + 17 * np.eye(3))


def test_classes_that_differ_stay_so() -> None:
    """Errors 0, 0 and 150 of 300: 50 are expected of each, Pearson's sum is (2 x 2500 + 10000) / (50 x 5/6) = 360, and chance
    explains 2 / 360 of it."""
    counts = np.array([[300, 0, 0], [0, 300, 0], [75, 75, 150]])
    found = smoothed_counts(counts)
    assert found.sum(axis=1).tolist() == pytest.approx([300] * 3)
    assert np.diagonal(found).tolist() == pytest.approx([300 - 50 / 180] * 2 + [150 + 100 / 180])


def test_a_class_without_examples_borrows_nothing() -> None:
    counts = np.array([[20, 1, 2], [2, 17, 1], [0, 0, 0]])
    found = smoothed_counts(counts)
    assert found[2].tolist() == [0, 0, 0]
    assert found.sum() == pytest.approx(43)
    joint = JointCounts.from_confusion(sy.Confusion(counts, list("abc")))
    for fixed in (True, False):
        drawn, expected = smoothed_sets(joint, fixed, np.random.default_rng(0), 4000)
        assert not drawn[:, 2].any()
        assert drawn.mean(axis=0) == pytest.approx(expected, abs=0.2)


def test_the_bias_of_a_maximum_is_found_where_errors_are_few() -> None:
    """Fifty classes of 20 with one error in ten of them each way: 10 errors of 1,000. Class balance accuracy is too low by about
    (E max(X, Y) - 0.2) / 20 with X, Y of Poisson(0.2); draws around these counts show next to nothing of it."""
    counts = 20 * np.eye(50, dtype=int)
    for k in range(10):
        counts[k, k] -= 1
        counts[k, k + 20] += 1
    joint = JointCounts.from_confusion(sy.Confusion(counts, range(50)))
    chosen = [sy.measure("CBA"), sy.measure("accuracy")]
    found = biases_of_test_sets(joint, chosen, Simulation(design="fixed", seed=0))
    mass = [math.exp(-0.2) * 0.2**k / math.factorial(k) for k in range(9)]
    largest = sum(p * q * max(i, j) for i, p in enumerate(mass) for j, q in enumerate(mass))
    expected = -(largest - 0.2) / 20
    assert found["class_balance_accuracy"] == pytest.approx(expected, abs=0.1 * abs(expected) + 0.0003)
    assert found["accuracy"] == pytest.approx(0, abs=0.0003)


def test_two_classes_have_nothing_to_borrow() -> None:
    joint = JointCounts.from_confusion(sy.Confusion([[5, 1], [2, 30]], ["a", "b"]))
    chosen = [sy.measure("CBA")]
    assert biases_of_test_sets(joint, chosen, Simulation(design="sample", seed=0)) == {
        "class_balance_accuracy": 0.0
    }


def test_what_is_undefined_has_no_bias() -> None:
    values = np.array([[1.0, np.nan, 3.0], [np.nan] * 3, [1.0, 2.0, 3.0]])
    found = bias_of(values, np.array([0.0, 1.0, np.nan]))
    assert found.tolist() == pytest.approx([2 - 1 / math.sqrt(2), 0, 0])


def test_the_hidden_end_moves_by_what_is_known_of_the_test_sets_bias() -> None:
    """Draws with a bias of -1 (100 of them, with a spread of 0): -3.41 without more, -1 and -4 if test sets are 4 too low; the
    other end by twice -1, or twice -5 / 3.41."""
    kink = 2 + math.sqrt(2)
    low, high = moves_of(-3.0, 1.0, -1.0, 0.0, 0.0, 100)
    assert (float(low), float(high)) == pytest.approx((-2, -kink))
    low, high = moves_of(-3.0, 1.0, -1.0, 0.0, 0.0, 100, of_test_sets=-4.0)
    assert (float(low), float(high)) == pytest.approx((-2 * 5 / kink, -5))
    low, high = moves_of(-3.0, 1.0, -1.0, 0.0, 0.0, 100, of_test_sets=-1.0)
    assert (float(low), float(high)) == pytest.approx((-2, -kink))


def test_the_bias_of_many_classes_is_known_from_fewer_test_sets() -> None:
    """A hundred classes of 20, one in ten of their examples wrong: class balance accuracy is 0.9 where as many errors leave
    each class as come into it, and less on every test set, where chance makes one of the two the larger."""
    counts = (
        18 * np.eye(100, dtype=int)
        + np.roll(np.eye(100, dtype=int), 1, 1)
        + np.roll(np.eye(100, dtype=int), 7, 1)
    )
    joint = JointCounts.from_confusion(sy.Confusion(counts, range(100)))
    found = biases_of_test_sets(joint, [sy.measure("CBA")], Simulation(design="fixed", seed=0))
    # test sets drawn one after the other by hand, of the same rates: every error goes to any other class
    random, values = np.random.default_rng(3), []
    for _ in range(400):
        hits = random.binomial(20, 0.9, 100)
        sent = np.repeat(np.arange(100), 20 - hits)
        came = np.bincount((sent + random.integers(1, 100, len(sent))) % 100, minlength=100)
        values.append(np.mean(hits / np.maximum(20, hits + came)))
    spread = float(np.std(values))
    # the bias is given less the error of drawing, a 14th of the spread
    expected = float(np.mean(values)) - 0.9 + spread / math.sqrt(200)
    assert found["class_balance_accuracy"] == pytest.approx(expected, abs=4 * spread / math.sqrt(200))
    assert abs(expected) > 3 * spread


def test_whole_counts_and_their_expectation_are_weighed_as_one_batch_would_be() -> None:
    """Nothing but speed depends on weighing them apart: the bias is the same to the last bit.

    Classes are so large that none is without a hit. Costs and distances have no bias here."""
    counts = np.array([[30, 2, 1, 0], [3, 20, 2, 1], [0, 1, 39, 0], [1, 0, 1, 45]])
    joint = JointCounts.from_confusion(sy.Confusion(counts, list("abcd")))
    chosen = list(sy.catalogue("multi-class"))
    found = biases_of_test_sets(joint, chosen, Simulation(design="sample", seed=4))
    drawn, expected = smoothed_sets(joint, False, Threefry(4, STREAM), 500)
    together = sy.weigh(chosen, sy.Confusion(np.concatenate([drawn, expected[None]]), list("abcd")))
    ordered = {"linear_weighted_kappa", "quadratic_weighted_kappa", "macro_mae"}
    assert found == {
        name: 0.0 if name in ordered else float(bias_of(values[:-1], values[-1]))
        for name, values in together.items()
    }


def test_sets_of_which_a_class_has_no_hit_say_nothing_of_one_where_all_have() -> None:
    drawn = np.array([0.0, 0.5, 0.7, 0.0])
    assert possible(drawn, 0.6).tolist() == pytest.approx([math.nan, 0.5, 0.7, math.nan], nan_ok=True)
    assert possible(drawn, 0.0).tolist() == drawn.tolist()
