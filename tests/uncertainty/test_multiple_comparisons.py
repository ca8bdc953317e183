"""Several models: places, chances of being best, corrected p-values, groups."""

from __future__ import annotations

import numpy as np
import pytest

from steelyard.uncertainty.differences import (
    holm,
    indistinguishable_groups,
    probability_best,
    ranks,
    shrunk_differences,
)


def test_holm_by_hand() -> None:
    """0.01, 0.03, 0.04 times 3, 2, 1 are 0.03, 0.06, 0.04; none may fall below the one before it."""
    assert holm([0.01, 0.04, 0.03]) == pytest.approx([0.03, 0.06, 0.06])
    assert holm([0.5, 0.9]) == pytest.approx([1.0, 1.0])
    assert holm([]) == []


def test_ranks_share_places() -> None:
    values = np.array([[0.9, 0.5], [0.7, 0.5], [0.8, 0.6]])
    assert ranks(values).tolist() == [[1, 2.5], [3, 2.5], [2, 1]]
    assert ranks(values, lower_is_better=True)[:, 0].tolist() == [3, 1, 2]


def test_probability_of_being_best_is_shared_by_equals() -> None:
    values = np.array([[0.9, 0.5, 0.1, 0.3], [0.7, 0.5, 0.2, 0.3], [0.8, 0.4, 0.3, 0.3]])
    found = probability_best(values)
    assert found == pytest.approx([(1 + 1 / 2 + 1 / 3) / 4, (1 / 2 + 1 / 3) / 4, (1 + 1 / 3) / 4])
    assert found.sum() == pytest.approx(1)


def test_the_first_model_is_the_best_as_often_as_its_probability_says() -> None:
    """Six models whose true values are drawn from the prior: noise of 1, the part k of noise uniform. Over 600 test sets the mean
    probability of the first is the frequency with which it is the best, within three standard errors; under a flat prior it is above."""
    random = np.random.default_rng(21)
    shrunk, flat, best = [], [], []
    for _ in range(600):
        true = np.sqrt(1 / random.random() - 1) * random.normal(size=6)
        seen = true + random.normal(size=6) + random.normal()
        drawn = seen[:, None] + random.normal(size=(6, 200)) + random.normal(size=200)
        chance = probability_best(shrunk_differences(drawn))
        shrunk.append(chance.max())
        flat.append(probability_best(drawn).max())
        best.append(np.argmax(chance) == np.argmax(true))
    three_errors = 3 * np.sqrt(0.25 / 600)
    assert np.mean(shrunk) == pytest.approx(np.mean(best), abs=three_errors)
    assert np.mean(flat) > np.mean(best) + three_errors


def test_equal_draws_and_clear_differences_are_hardly_shrunk() -> None:
    assert shrunk_differences(np.array([[0.5, 0.5], [0.5, 0.5]])).tolist() == [[0, 0], [0, 0]]
    random = np.random.default_rng(2)
    drawn = np.array([[0.0], [20.0], [40.0]]) + random.normal(size=(3, 500))
    assert shrunk_differences(drawn).mean(axis=1) == pytest.approx([-20, 0, 20], abs=0.5)


def test_groups_are_longest_runs_of_neighbours() -> None:
    p = {
        ("a", "b"): 0.4,
        ("b", "c"): 0.2,
        ("a", "c"): 0.01,
        ("c", "d"): 0.001,
        ("a", "d"): 0.001,
        ("d", "b"): 0.001,
    }
    assert indistinguishable_groups("abcd", p, 0.05) == [("a", "b"), ("b", "c")]
    assert indistinguishable_groups("abc", {}, 0.05) == [("a", "b", "c")]
    assert indistinguishable_groups("ab", {("b", "a"): 0.01}, 0.05) == []
