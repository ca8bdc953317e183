"""The matrices that are tried, and the ways in which they are changed, are those that are promised."""

from __future__ import annotations

import itertools
from fractions import Fraction

import numpy as np
import pytest

from steelyard.proofs.prover.small_matrices import class_present, small_matrices
from steelyard.proofs.questions.transformations import (
    all_scaled,
    cell_changed,
    classes_reordered,
    error_becomes_hit,
    rows_scaled,
    transposed,
)
from steelyard.proofs.tried_matrices import allowed, emptied, near, plain, shown_rows


def as_set(matrices: np.ndarray) -> set[tuple[int, ...]]:
    return {tuple(m.ravel().tolist()) for m in matrices}


@pytest.mark.parametrize(("n_classes", "highest"), [(2, 4), (3, 1)])
def test_every_matrix_of_small_counts_is_tried(n_classes, highest):
    every = set(itertools.product(range(highest + 1), repeat=n_classes**2)) - {(0,) * n_classes**2}
    assert every <= as_set(small_matrices(n_classes))


@pytest.mark.parametrize("n_classes", [1, 2, 3, 4, 5])
def test_matrices_come_by_total_and_once(n_classes):
    found = small_matrices(n_classes)
    totals = found.sum(axis=(1, 2))
    assert totals[0] > 0
    assert (np.diff(totals) >= 0).all()
    assert len(as_set(found)) == len(found)
    filled = (found != 0).sum(axis=(1, 2))
    same = np.diff(totals) == 0
    assert (np.diff(filled)[same] >= 0).all()
    with pytest.raises(ValueError, match="read-only"):
        found[0, 0, 0] = 7


@pytest.mark.parametrize("n_classes", [2, 3, 4])
def test_corner_cases_and_large_counts_are_among_them(n_classes):
    found = as_set(small_matrices(n_classes))
    one = np.eye(n_classes, dtype=int)
    turned = np.roll(one, 1, axis=1)
    for matrix in (one, turned, np.ones_like(one), one + 1, turned + one, 3 * one + turned):
        assert tuple(matrix.ravel().tolist()) in found
    for k in range(n_classes):
        column, failed, heavy, wrong, empty, to_first = (
            np.zeros_like(one), one.copy(), one.copy(), turned.copy(), one.copy(), one.copy(),
        )  # fmt: skip
        column[:, k] = 1
        failed[k] = turned[k]
        heavy[k, k] = 10
        wrong[k] = one[k]
        empty[k, k] = 0
        to_first[k] = one[0]
        rising = column * np.arange(1, n_classes + 1)[:, None]
        for matrix in (
            column,
            rising,
            failed,
            3 * failed + one,
            heavy,
            wrong,
            empty,
            to_first,
            2 * to_first + one,
        ):
            assert tuple(matrix.ravel().tolist()) in found
    largest = small_matrices(n_classes).max(axis=(1, 2))
    assert (largest > 1e5).sum() >= 50  # sixty with counts up to a million
    assert largest.max() < 1e6
    assert ((largest > 1e3) & (largest < 1e4)).sum() >= 50
    uneven = small_matrices(n_classes)
    rows = uneven.sum(axis=2)
    assert ((rows.max(axis=1) >= 50) & (rows.max(axis=1) <= 50 * 2 * n_classes)).sum() > 50


def test_no_more_than_asked_for_are_drawn():
    for n_classes in (3, 4, 5):  # besides the structured ones and those of 0 and 1
        largest = small_matrices(n_classes).max(axis=(1, 2))
        assert ((largest > 1) & (largest < 5)).sum() > 2500
    assert 4000 <= len(small_matrices(4)) + 600 <= 5000
    few = small_matrices(4, most=100)
    assert len(few) < len(small_matrices(4))
    assert len(few) >= 300


def test_those_with_every_class():
    matrices = np.array([[[1, 0], [0, 1]], [[0, 0], [1, 1]], [[1, 1], [0, 0]], [[0, 1], [1, 0]]])
    assert class_present(matrices).tolist() == [[[1, 0], [0, 1]], [[0, 1], [1, 0]]]


@pytest.mark.parametrize(("n_classes", "sets"), [(2, 15), (3, 511)])
def test_every_set_of_empty_cells_is_tried(n_classes, sets):
    found = emptied(n_classes)
    assert len({tuple((m != 0).ravel().tolist()) for m in found}) == sets == len(found)
    assert found.max() < 100
    assert found.min() == 0


def test_many_sets_of_empty_cells_of_four_classes():
    found = emptied(4)
    shares = (found != 0).mean(axis=(1, 2))
    assert len(found) > 700
    for share in (0.2, 0.5, 0.8):
        assert ((shares > share - 0.1) & (shares < share + 0.1)).sum() > 100
    assert (found.sum(axis=(1, 2)) > 0).all()


@pytest.mark.parametrize("n_classes", [2, 3])
def test_every_scale_is_tried(n_classes):
    found = plain(n_classes)
    assert (found.sum(axis=(1, 2)) > 0).all()
    full = found[(found > 0).all(axis=(1, 2))]
    for scale in (1, 10, 1e3, 1e5, 1e7, 1e9, 1e11, 1e13, 1e15, 2.0**53, 1e18, 1e-6, 1e-12):
        rest = min(1.0, scale)
        assert (((full >= scale) & (full <= 9 * scale + 9 * rest)).all(axis=(1, 2))).sum() >= 6
    mixed = [m for m in found if m.max() > 1e10 and m[m > 0].min() < 100]
    assert len(mixed) > 20
    assert any((m == 0).any() for m in mixed)
    fractions = [m for m in found if (m % 1 != 0).any() and m.min() >= 1e-3 and m.max() < 1e3]
    assert len(fractions) >= 20
    assert as_set(small_matrices(n_classes)[:150]) <= as_set(found)
    assert as_set(small_matrices(n_classes)[-40:]) <= as_set(found)


def test_how_near_is_near():
    assert near(1.0, 1.0 + 9e-7, 1e-6)
    assert not near(1.0, 1.0 + 2e-6, 1e-6)
    assert near(1e9, 1e9 + 900, 1e-6)
    assert near(-1e9, -1e9 - 900, 1e-6)
    assert not near(1e9, 1e9 + 2000, 1e-6)
    assert near(0.0, 9e-7, 1e-6)
    assert near(np.nan, np.nan, 1e-6)
    assert not near(np.nan, 1.0, 1e-6)
    assert not near(1.0, np.nan, 1e-6)
    assert allowed(np.array([[1.0, 0], [3, 9_999]])) == 1e-6
    assert allowed(np.array([[1.0, 0], [3, 10_000]])) == 1e-3
    assert shown_rows(np.array([[1.0, 0.5], [3, 2]])) == "[[1, 0.5], [3, 2]]"


M = np.array([[1, 2], [3, 4]])
T = np.array([[1, 2, 3], [4, 5, 6], [7, 8, 9]])


def test_rows_are_scaled():
    assert rows_scaled.apply(M, (2, 5)).tolist() == [[2, 4], [15, 20]]
    factors = [tuple(f) for f in rows_scaled.parameters(3)]
    assert factors == [(2, 1, 1), (1, 2, 1), (1, 1, 2), (10, 1, 1), (1, 2, 3)]
    pairs = list(rows_scaled.numeric_pairs(T[None]))
    assert len(pairs) == 5
    assert all((before == T).all() for before, _ in pairs)
    assert pairs[0][1].tolist() == [[[2, 4, 6], [4, 5, 6], [7, 8, 9]]]
    assert list(rows_scaled.symbols(3)) == ["b0", "b1", "b2"]


def test_a_random_pair_has_random_parameters():
    drawn = iter([Fraction(2), Fraction(1, 3)])
    exact = np.array([[Fraction(v) for v in row] for row in M.tolist()], dtype=object)
    before, after = rows_scaled.random_pair(exact, lambda: next(drawn))
    assert before is exact
    assert after.tolist() == [[2, 4], [1, Fraction(4, 3)]]


def test_all_counts_are_scaled():
    assert all_scaled.apply(M, 3).tolist() == [[3, 6], [9, 12]]
    assert tuple(all_scaled.parameters(2)) == (2, 3)
    assert list(all_scaled.symbols(2)) == ["k"]


@pytest.mark.parametrize(("n_classes", "orders"), [(2, 1), (3, 5), (4, 23), (5, 23)])
def test_classes_are_reordered(n_classes, orders):
    found = [tuple(p) for p in classes_reordered.parameters(n_classes)]
    assert len(set(found)) == len(found) == orders
    assert all(sorted(p) == list(range(n_classes)) and list(p) != sorted(p) for p in found)


def test_an_order_moves_rows_and_columns_alike():
    assert classes_reordered.apply(T, (2, 0, 1)).tolist() == [[9, 7, 8], [3, 1, 2], [6, 4, 5]]


@pytest.mark.parametrize("n_classes", [2, 3, 4])
def test_the_orders_of_a_proof_make_all_orders(n_classes):
    """By brute force: whatever is not changed by them is changed by no order."""
    generators = [tuple(g) for g in classes_reordered.symbolic(n_classes, str)]
    reached = {tuple(range(n_classes))}
    for _ in range(24):
        reached |= {tuple(order[i] for i in g) for order in reached for g in generators}
    assert len(reached) == len(list(itertools.permutations(range(n_classes))))
    assert len(generators) == (1 if n_classes == 2 else 2)


def test_truth_and_prediction_are_exchanged():
    assert transposed.apply(T[None], None).tolist() == [T.T.tolist()]
    assert tuple(transposed.parameters(3)) == (None,)


def test_one_cell_changes():
    change = cell_changed("fn", (0, 1))
    assert change.id == "fn changed"
    assert change.apply(M, 5).tolist() == [[1, 7], [3, 4]]
    assert M.tolist() == [[1, 2], [3, 4]]
    assert tuple(change.parameters(2)) == (1, 2, 7)


def test_an_error_becomes_a_hit():
    change = error_becomes_hit((1, 0))
    assert change.apply(M, 2).tolist() == [[1, 2], [1, 6]]
    assert M.tolist() == [[1, 2], [3, 4]]
    assert change.id == "errors 1->0 become hits"
    assert tuple(change.parameters(2)) == (1,)
