"""Ways around the search: relations between measures, and climbing to a witness."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest

import steelyard as sy
from steelyard.properties.audit.climb import climb
from steelyard.properties.audit.printed import statements
from steelyard.properties.audit.question import demands_of, sizes_of
from steelyard.properties.audit.relations import plain
from steelyard.properties.audit.search import Budget
from steelyard.properties.audit.spaces import errors_with
from tests.properties.audit.brute_force import values


@pytest.mark.parametrize(
    ("printed", "possible"),
    [
        ("CBA=0.681, IAM=0.342", False),  # 2 * 0.6815 - 1 = 0.363
        ("CBA=0.450, IAM=-0.100", True),
        ("accuracy=0.90, error_rate=0.12", False),
        ("accuracy=0.90, error_rate=0.10", True),
        ("macro_recall=0.80, balanced_accuracy=0.82", False),
    ],
)
def test_values_of_one_measure_in_disguise(printed: str, possible: bool) -> None:
    sizes = sizes_of("a=?, b=?, c=?", [], None, None, None)
    found = plain(demands_of(statements(printed), sizes, None, "nearest"), 3)
    assert (found is not None) == possible
    if found is not None:
        assert len(found) == 1


def test_relations_hold_of_means_over_folds_too() -> None:
    result = sy.audit("CBA=0.681, IAM=0.342", "a=70, b=76, c=17", folds=5, seconds=2)
    assert result.verdict == "impossible"


def test_climbing_finds_a_matrix_of_mortaz2020_example_3() -> None:
    printed = {"accuracy": "0.36", "macro_recall": "0.33", "macro_precision": "0.37", "macro_f1": "0.35"}
    sizes = sizes_of([2200, 2150, 1080, 650, 505], [], None, None, None)
    found = climb(demands_of(statements(printed), sizes, None, "nearest"), sizes, "nan", Budget(30))
    assert found is not None
    matrix = np.array(found)
    assert matrix.sum(axis=1).tolist() == [2200, 2150, 1080, 650, 505]
    for name, text in printed.items():
        assert abs(values(name, matrix[None])[0] - float(text)) <= 0.005 + 1e-12


@pytest.mark.parametrize("seed", range(20))
def test_errors_with_given_sums_have_an_empty_diagonal(seed: int) -> None:
    rng = np.random.default_rng(seed)
    cells = rng.integers(0, 9, (4, 4)) * rng.integers(0, 2, (4, 4))
    np.fill_diagonal(cells, 0)
    made = errors_with(cells.sum(axis=1).tolist(), cells.sum(axis=0).tolist())
    assert (made >= 0).all()
    assert not made.diagonal().any()
    assert made.sum(axis=1).tolist() == cells.sum(axis=1).tolist()
    assert made.sum(axis=0).tolist() == cells.sum(axis=0).tolist()


def test_a_hard_linear_system_is_asked_of_the_prover() -> None:
    # 3 x + 5 y reaches 8 but not 7 with whole numbers from 0.
    from steelyard.properties import smt

    answer, point = smt.integer_point([(0, 100), (0, 100)], [({0: 3, 1: 5}, 0, 7, 7)])
    assert answer == "no"
    assert point is None
    answer, point = smt.integer_point([(0, 100), (0, 100)], [({0: 3, 1: 5}, 0, 8, 8)])
    assert (answer, point) == ("yes", [1, 1])


def test_values_are_exact_at_a_tie() -> None:
    result = sy.audit("gmean=0.5", "a=4, b=4")
    assert result.witness is not None
    value = result.setting.value(result.demands[0], result.decision.matrices)
    assert Fraction(45, 100) <= value <= Fraction(55, 100)
