"""Answers without branch and bound: relations between metrics, concavity, and hill climbing to a witness."""

from __future__ import annotations

import itertools
from dataclasses import replace
from fractions import Fraction
from typing import Any

import numpy as np
import pytest

import steelyard as sy
from steelyard.auditing.options import Options, demands_of, sizes_of
from steelyard.auditing.problem.demands import simplified
from steelyard.auditing.problem.folds import Folds
from steelyard.auditing.problem.printed_numbers import statements
from steelyard.auditing.problem.settings import OneMatrix, Sizes, errors_with
from steelyard.auditing.search.branch_and_bound import Budget
from steelyard.measures.measure import Relation
from tests.auditing.brute_force import matrices, values


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
    sizes = sizes_of(Options("", "a=?, b=?, c=?"), [])
    found = simplified(demands_of(statements(printed), sizes, None, "nearest"), 3)
    assert (found is not None) == possible
    if found is not None:
        assert len(found) == 1


def test_values_that_meet_at_a_tie_do_not_contradict_each_other() -> None:
    """189 of 200 right are 0.945, printed 0.95; 11 wrong are 0.055, printed 0.06."""
    result = sy.audit("accuracy=0.95, error_rate=0.06", "a=100, b=100")
    assert result.verdict == "possible"
    assert result.witness is not None
    assert result.witness[0][0] + result.witness[1][1] == 189
    cut = sy.audit("accuracy=0.94, error_rate=0.06", "a=100, b=100", rounding="cut")
    assert cut.verdict == "possible"  # 188 right: 0.94 and 0.06


def test_a_contradiction_in_disguise_needs_no_search() -> None:
    sizes = sizes_of(Options("", "a=3, b=2, c=2"), [])
    demands = demands_of(statements("accuracy=0.90, error_rate=0.12"), sizes, None, "nearest")
    for setting in (OneMatrix(sizes), Folds(sizes, 2)):
        found = setting.decide(demands, Budget(5))
        assert (found.answer, found.complete, found.boxes, found.matrices) == ("impossible", True, 0, ())
    # Rows of 3 in three cells: 10; of 2: 6.
    assert OneMatrix(sizes).candidates() == 10 * 6 * 6


@pytest.mark.parametrize(("printed", "possible"), [("0.33", True), ("0.50", False)])
def test_a_measure_in_disguise_stays_of_its_class(printed: str, possible: bool) -> None:
    """One of three positives is missed, never half of them, whichever class comes first."""
    expected = "possible" if possible else "impossible"
    assert sy.audit(f"fnr[b]={printed}", "a=2, b=3").verdict == expected
    assert sy.audit(f"fnr[b]={printed}", "b=3, a=2").verdict == expected


def test_only_plainer_measures_in_a_straight_line_stand_in_for_others() -> None:
    sizes = sizes_of(Options("", "a=4, b=4"), [])
    for name in ("similarity_index", "threat_score", "correlation_distance"):
        demands = demands_of(statements(f"{name}=0.5"), sizes, None, "nearest")
        assert simplified(demands, 2) == demands
    # The square of the accuracy has no mean that follows from the mean accuracy.
    square = Relation("the square of accuracy", "accuracy", lambda value, classes: value * value)
    demand = demands_of(statements("error_rate=0.5"), sizes, None, "nearest")[0]
    curved = replace(demand, measure=replace(demand.measure, relations=(square,)))
    assert simplified([curved], 2) == [curved]


def test_relations_hold_of_means_over_folds_too() -> None:
    result = sy.audit("CBA=0.681, IAM=0.342", "a=70, b=76, c=17", folds=5, seconds=2)
    assert result.verdict == "impossible"


def test_climbing_finds_a_matrix_of_mortaz2020_example_3() -> None:
    printed = {"accuracy": "0.36", "macro_recall": "0.33", "macro_precision": "0.37", "macro_f1": "0.35"}
    sizes = sizes_of(Options("", [2200, 2150, 1080, 650, 505]), [])
    iterations = OneMatrix(sizes)._climb(demands_of(statements(printed), sizes, None, "nearest"))
    found = next(found for found in itertools.islice(iterations, 5_000) if found is not None)
    matrix = np.array(found)
    assert matrix.sum(axis=1).tolist() == [2200, 2150, 1080, 650, 505]
    for name, text in printed.items():
        assert abs(values(name, matrix[None])[0] - float(text)) <= 0.005 + 1e-12


def test_climbing_finds_a_matrix_of_which_truth_was_taken_for_prediction() -> None:
    printed = {"macro_recall": "0.63", "macro_precision": "0.57"}
    sizes = sizes_of(Options("", [20, 30, 50]), [])
    given = demands_of(statements(printed), sizes, None, "nearest")
    iterations = OneMatrix(sizes)._climb([replace(demand, transposed=True) for demand in given])
    found = next(found for found in itertools.islice(iterations, 5_000) if found is not None)
    matrix = np.array(found)
    assert matrix.sum(axis=1).tolist() == [20, 30, 50]
    for name, text in printed.items():
        assert abs(values(name, matrix.T[None])[0] - float(text)) <= 0.005 + 1e-12


def test_without_the_sizes_nothing_is_climbed() -> None:
    """One box is no answer, and a matrix of classes of unknown size is not begun."""
    sizes = sizes_of(Options("", "a=?, b=?"), [])
    demands = demands_of(statements("mcc=0.123"), sizes, None, "nearest")
    assert OneMatrix(sizes).decide(demands, Budget(5, boxes=1)).answer == "undecided"


def test_no_errors_are_no_cells() -> None:
    assert errors_with([0, 0, 0], [0, 0, 0]).tolist() == [[0] * 3] * 3
    result = sy.audit("accuracy=1.000, macro_f1=1.000", "a=2, b=3, c=4")
    assert result.witness == ((2, 0, 0), (0, 3, 0), (0, 0, 4))


@pytest.mark.parametrize(("printed", "possible"), [("0.500", True), ("0.490", False)])
def test_a_measure_at_equal_classes_needs_no_cells(printed: str, possible: bool) -> None:
    """Accuracy with every class as large as the others is the mean recall: (0 + 1/2 + 1) / 3, in steps of 1/18."""
    result = sy.audit(f"balanced(accuracy)={printed}", "a=1, b=2, c=3")
    assert result.verdict == ("possible" if possible else "impossible")
    if result.witness is not None:
        assert sum(Fraction(row[k], sum(row)) for k, row in enumerate(result.witness)) == Fraction(3, 2)


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


def test_values_are_exact_at_a_tie() -> None:
    result = sy.audit("gmean=0.5", "a=4, b=4")
    assert result.witness is not None
    value = result.setting.value(result.demands[0], result.decision.matrices)
    assert Fraction(45, 100) <= value <= Fraction(55, 100)


@pytest.mark.parametrize(
    ("known", "total", "up_to"),
    [
        ((None, None), None, 4),
        ((None, None), 4, 9),
        ((2, None), None, 4),
        ((None, None, None), None, 4),
        ((None, None, None), 5, 9),
        ((None, 1, None), 4, 9),
        ((1, 2, 1), None, 9),
    ],
)
def test_matrices_are_counted_as_listed(known: tuple[int | None, ...], total: int | None, up_to: int) -> None:
    """Every class has an example, and all of them are as many as was said."""
    sizes = Sizes(tuple("abc"[: len(known)]), known, total, up_to)
    choices = [range(1, 6) if size is None else (size,) for size in known]
    listed = 0
    for rows in itertools.product(*choices):
        if (total is None and (None not in known or sum(rows) <= up_to)) or sum(rows) == total:
            listed += len(matrices(rows))
    assert sizes.matrices() == listed


# -- concavity of the harmonic mean


MACRO = "macro_precision=0.778, macro_recall=0.733, macro_f1=0.770"
"""2 * 0.7785 * 0.7335 / (0.7785 + 0.7335) = 0.7553 is the most that a mean of F1 scores can be."""


@pytest.mark.parametrize(
    ("sizes", "options"),
    [
        (None, {}),
        (None, {"classes": 5}),
        (None, {"classes": 20}),
        ([120, 80, 60, 40], {}),
        ([30] * 20, {}),
        ([60, 60, 60], {"undefined": 0}),
        ("a=20, b=20, c=20", {"folds": 4}),
    ],
)
@pytest.mark.usefixtures("without_mistakes")
def test_a_macro_table_beyond_concavity_is_impossible_without_search(
    sizes: Any, options: dict[str, Any]
) -> None:
    result = sy.audit(MACRO, sizes, check="folds" not in options, **options)
    assert result.verdict == "impossible"
    assert result.decision.boxes == 0
    assert result.contradiction is not None
    assert len(result.contradiction.demands) == 3
    if "folds" not in options:
        assert "The certificate holds: 1 box" in result.check


@pytest.mark.parametrize(
    ("printed", "impossible"),
    [
        # The tangent: classes with P = R = 0.5 have F1 = 0.5; 0.51 is more.
        ("macro_precision=0.500, macro_recall=0.500, macro_f1=0.510", True),
        ("macro_precision=0.500, macro_recall=0.500, macro_f1=0.500", False),
        # Without a printed precision it is 1 at most: 2 * 0.4 / 1.4 = 0.571.
        ("macro_recall=0.400, macro_f1=0.580", True),
        # Weighted by class frequency, recall is accuracy: 2 * 0.6 * 0.8 / 1.4 = 0.686.
        ("weighted(precision)=0.600, accuracy=0.800, weighted_f1=0.700", True),
        ("weighted(precision)=0.600, accuracy=0.800, weighted_f1=0.680", False),
        # F2 counts recall four times: 5 * 0.6 * 0.8 / (4 * 0.6 + 0.8) = 0.75.
        ("macro_precision=0.600, macro_recall=0.800, macro(f2)=0.760", True),
        # The F-measure of the macros is no mean: it is 2 * 0.6 * 0.8 / 1.4 = 0.686 to the digit.
        ("macro_precision=0.600, macro_recall=0.800, f_beta_of_macros=0.670", True),
        # Accuracy lies between the recalls.
        ("recall[a]=0.80, recall[b]=0.70, recall[c]=0.90, accuracy=0.68", True),
    ],
)
def test_means_against_their_bounds(printed: str, impossible: bool) -> None:
    sizes = sizes_of(Options("", "a=?, b=?, c=?"), [])
    demands = demands_of(statements(printed), sizes, None, "nearest")
    assert (simplified(demands, 3) is None) == impossible


def test_no_matrix_is_beyond_concavity() -> None:
    """Macro and weighted F1 of every matrix of 3, 4 and 2 examples, held against the bound that excludes."""
    every = matrices((3, 4, 2))
    sizes = sizes_of(Options("", [3, 4, 2]), [])
    names = ("macro_precision", "macro_recall", "macro_f1", "weighted_f1", "accuracy")
    # Known sizes are those of the rows, also where a paper may have printed values of the transpose.
    for transposed in (False, True):
        seen = np.swapaxes(every, 1, 2) if transposed else every
        table = np.stack([values(name, seen) for name in names])
        for column in table[:, ~np.isnan(table).any(axis=0)].T[::97]:
            printed = {name: f"{value:.4f}" for name, value in zip(names, column, strict=True)}
            demands = demands_of(statements(printed), sizes, None, "nearest")
            swapped = [replace(demand, transposed=transposed) for demand in demands]
            assert simplified(swapped, 3, sizes=sizes.known) is not None, printed


@pytest.mark.usefixtures("without_mistakes")
def test_the_smallest_contradicting_set_is_reported() -> None:
    """Accuracy has no part in it, although all four are impossible as well."""
    result = sy.audit(MACRO + ", accuracy=0.760", classes=5)
    assert result.contradiction is not None
    assert [d.text.partition(" ")[0] for d in result.contradiction.demands] == [
        "macro_precision",
        "macro_recall",
        "macro_f1",
    ]


def test_the_budget_is_one_for_everything() -> None:
    """Search, explanation and certificate together compute no longer than the seconds that were given."""
    import time

    for printed in (
        "macro_f1=0.7431, mcc=0.6120, kappa=0.6101",
        "macro_precision=0.861, macro_recall=0.897, macro_f1=0.826",
    ):
        start = time.thread_time()
        sy.audit(printed, classes=3, seconds=0.8, check=True)
        assert time.thread_time() - start < 0.8 + 0.6


def test_many_classes_of_known_sizes_stay_within_the_budget() -> None:
    """A climb of 50 classes has 1,050 places to begin at, each a matrix that takes long to fill."""
    import time

    sizes = {f"c{k}": 10 + k % 3 for k in range(50)}
    start = time.thread_time()
    sy.audit("macro_precision=0.803, macro_recall=0.801, macro_f1=0.802", sizes, seconds=0.5)
    assert time.thread_time() - start < 4


def test_unknown_sizes_are_excluded_in_real_numbers() -> None:
    """Two classes: with macro precision 0.816 and macro recall 0.801, macro F1 is not as low as 0.755."""
    sizes = sizes_of(Options("", classes=2), [])
    demands = demands_of(
        statements("macro_precision=0.816, macro_recall=0.801, macro_f1=0.755"), sizes, None, "nearest"
    )
    assert OneMatrix(sizes)._is_excluded_in_reals(demands, False, Budget(20))
    possible = demands_of(
        statements("macro_precision=0.816, macro_recall=0.801, macro_f1=0.805"), sizes, None, "nearest"
    )
    assert not OneMatrix(sizes)._is_excluded_in_reals(possible, False, Budget(0.3))
