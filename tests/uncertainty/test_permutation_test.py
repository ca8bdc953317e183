"""Swaps by what each model gets right: the same p-values as swaps of whole rows, where a measure asks no more."""

from __future__ import annotations

from itertools import product
from math import comb

import numpy as np
import pytest

import steelyard as sy
from steelyard.counts.confusion import Confusion
from steelyard.counts.joint import JointCounts
from steelyard.uncertainty import permutation_test
from steelyard.uncertainty.resampling import Simulation

TRUTH = [0] * 4 + [1] * 3 + [2] * 2
FIRST = [0, 0, 1, 2, 1, 1, 0, 2, 2]
SECOND = [0, 1, 0, 2, 1, 0, 1, 2, 0]


def test_examples_that_two_models_both_get_right() -> None:
    joint = JointCounts.from_columns(TRUTH, {"a": FIRST, "b": SECOND})
    # class 0: a right in rows 1, 2 and b in 1, 3; class 1: a in 5, 6 and b in 5, 7; class 2: a in 8, 9 and b in 8
    assert joint.right_together.tolist() == [[[2, 1], [1, 2]], [[2, 1], [1, 2]], [[2, 1], [1, 1]]]


def test_examples_beyond_what_floats_count_are_right_together_to_the_last_one() -> None:
    counts = [2**60 + 1, 2**60 + 3, 5]
    joint = JointCounts.from_cells([0, 0, 1], [[0, 1, 1], [0, 0, 1]], counts, ["a", "b"])
    assert joint.right_together[0].tolist() == [[2**60 + 1, 2**60 + 1], [2**60 + 1, 2**61 + 4]]
    assert joint.right_together[1].tolist() == [[5, 5], [5, 5]]


@pytest.mark.parametrize("undefined", ["nan", 0, "skip"])
@pytest.mark.parametrize("classes", [2, 4])
def test_values_by_hits_are_those_of_whole_matrices(classes: int, undefined: float | str) -> None:
    random = np.random.default_rng(3)
    counts = random.integers(0, 9, size=(50, classes, classes))
    counts[:, 1] = 0  # a class without examples, of which no recall is defined
    counts[:, 0] = random.multinomial(20, [1 / classes] * classes, size=50)
    for k in range(2, classes):
        counts[:, k] = random.multinomial(7, [1 / classes] * classes, size=50)
    labels = [f"k{k}" for k in range(classes)]
    hits = np.diagonal(counts, axis1=1, axis2=2).T.copy()
    by_hits = []
    for m in sy.catalogue("multi-class", wide=True):
        found = permutation_test.values_by_hits(m, hits, counts[0].sum(axis=1), labels, undefined)  # type: ignore[arg-type]
        if found is not None:
            by_hits.append(m.name)
            whole = m(Confusion(counts, labels), undefined=undefined)
            # A mean over classes is added up in another order: two units in the last place, far below the 1e-12 by which the
            # test itself tells equal differences.
            np.testing.assert_array_max_ulp(found, whole, maxulp=4)
    assert {"accuracy", "macro_recall", "gmean"} <= set(by_hits)
    assert not {"kappa", "mcc", "macro_precision", "relative_classifier_information"} & set(by_hits)


def test_a_measure_of_a_positive_class_asks_for_more_than_hits() -> None:
    hits, actual = np.array([[3], [4]]), np.array([5, 5])
    assert permutation_test.values_by_hits(sy.measure("recall"), hits, actual, ["a", "b"], "nan") is None
    assert permutation_test.values_by_hits(sy.measure("macro_recall"), hits, actual, ["a", "b"], "nan") == [
        0.7
    ]


def test_swaps_of_accuracy_are_tosses_of_one_coin_for_each_discordant_row() -> None:
    """15 rows of which one model alone is right, 3 and 12: the binomial distribution says how often."""
    truth = [0] * 30 + [1] * 10
    a = [0] * 25 + [1] * 5 + [1] * 10
    b = [0] * 15 + [1] * 10 + [0] * 3 + [1] * 2 + [1] * 8 + [0] * 2
    joint = JointCounts.from_columns(truth, {"a": a, "b": b})
    tails = sum(comb(15, k) for k in range(16) if k <= 3 or k >= 12) / 2**15
    found = permutation_test.exchangeability_p_values(
        joint, [(0, 1)], sy.measure("accuracy"), Simulation(40_000, 0)
    )
    assert found[0] == pytest.approx(tails, abs=4 * (tails / 40_000) ** 0.5)


@pytest.mark.parametrize("name", ["macro_recall", "gmean"])
def test_gaps_by_hits_are_those_of_swapped_matrices(name: str) -> None:
    random = np.random.default_rng(8)
    truth = random.integers(0, 3, 500)
    models = {
        f"m{k}": np.where(random.random(500) < 0.6 + 0.03 * k, truth, random.integers(0, 3, 500))
        for k in range(2)
    }
    joint, by = JointCounts.from_columns(truth, models), sy.measure(name)
    quick = permutation_test.gaps_by_hits(joint, (0, 1), by, Simulation(20_000, 0))
    slow = permutation_test.gaps_of_matrices(joint, by, Simulation(20_000, 1))
    assert quick is not None
    for share in (0.1, 0.5, 0.9, 0.99):
        beyond = float(np.mean(quick >= np.quantile(slow, share)))
        assert beyond == pytest.approx(float(np.mean(slow >= np.quantile(slow, share))), abs=0.02)


def test_swaps_of_a_metric_that_needs_more_than_hits() -> None:
    """Three rows of one class, on which a says b and b says a, and one of the other: all 2^4 swaps listed."""
    truth, a, b = [0, 0, 0, 1], [1, 1, 1, 1], [0, 0, 0, 0]
    joint, by = JointCounts.from_columns(truth, {"a": a, "b": b}), sy.measure("macro_f1")
    gaps = []
    for signs in product((False, True), repeat=4):
        both = [np.where(signs, x, y) for x, y in ((a, b), (b, a))]
        values = [by(truth, predicted, labels=[0, 1], undefined=0) for predicted in both]
        gaps.append(abs(values[0] - values[1]))
    seen = abs(by(truth, a, labels=[0, 1], undefined=0) - by(truth, b, labels=[0, 1], undefined=0))
    exact = np.mean(np.array(gaps) >= seen - 1e-12)
    (found,) = permutation_test.exchangeability_p_values(joint, [(0, 1)], by, Simulation(20_000, undefined=0))
    assert found == pytest.approx(exact, abs=4 * (exact * (1 - exact) / 20_000) ** 0.5 + 1e-4)


@pytest.mark.parametrize("bits", [True, False])
def test_heads_are_binomial(bits: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    if not bits:  # as before NumPy 2
        monkeypatch.delattr(np, "bitwise_count", raising=False)
    tosses = np.array([1, 5, 63, 64, 65, 5_000])
    found = permutation_test.heads(tosses, np.random.default_rng(0), 20_000)
    assert (found <= tosses).all()
    assert found.mean(axis=0) == pytest.approx(tosses / 2, rel=0.03)
    assert found.var(axis=0) == pytest.approx(tosses / 4, rel=0.05)


def test_a_pair_has_the_swaps_it_would_have_in_other_company() -> None:
    joint = JointCounts.from_columns(TRUTH, {"a": FIRST, "b": SECOND, "c": SECOND[::-1]})
    by = sy.measure("macro_recall")
    alone = permutation_test.gaps_by_hits(joint.only([0, 1]), (0, 1), by, Simulation(300))
    among = permutation_test.gaps_by_hits(joint, (0, 1), by, Simulation(300))
    np.testing.assert_array_equal(alone, among)


def test_blocks_of_swaps_are_all_swaps(monkeypatch: pytest.MonkeyPatch) -> None:
    joint = JointCounts.from_columns(TRUTH, {"a": FIRST, "b": SECOND})
    by = sy.measure("macro_recall")
    monkeypatch.setattr(permutation_test, "_NUMBERS_OF_A_BLOCK", 3 * 64)
    gaps = permutation_test.gaps_by_hits(joint, (0, 1), by, Simulation(1_000))
    assert gaps is not None
    # one model alone is right in two rows of class 0, two of class 1 and one of class 2: gaps of k / 2, of k 2/3
    # and of 1/2, each up or down, over three classes
    possible = {
        round(abs(x / 4 + y / 3 + z / 2) / 3, 12) for x in (-2, 0, 2) for y in (-2, 0, 2) for z in (-1, 1)
    }
    assert {round(g, 12) for g in gaps.tolist()} == possible


def test_undefined_pairs_have_no_p_value() -> None:
    joint = JointCounts.from_columns([0, 0, 1], {"a": [0, 1, 2], "b": [1, 0, 1]})
    by = sy.measure("macro_recall")
    assert permutation_test.exchangeability_p_values(joint, [(0, 1)], by, Simulation(500, 0)) == [None]
    filled = permutation_test.exchangeability_p_values(
        joint, [(0, 1)], by, Simulation(20_000, 0, undefined=0)
    )
    # Recalls of class 2 count as 0. One model alone is right in every row: the gap seen is that of row 3, and it is
    # not reached where rows 1 and 2 go together against row 3, a quarter of the swaps.
    assert filled == [pytest.approx(0.75, abs=4 * (0.75 * 0.25 / 20_000) ** 0.5)]
