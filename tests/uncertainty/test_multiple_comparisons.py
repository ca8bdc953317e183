"""Several models: places, chances of being best, corrected p-values, groups."""

from __future__ import annotations

import numpy as np
import pytest

from steelyard.uncertainty.differences import holm, indistinguishable_groups, probability_best, ranks


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
