"""A matrix of more than a thousand classes is looked at by the cells that hold something; all cells, which a batch of
matrices is looked at by, give the same values and the same reasons."""

import math

import numpy as np
import pytest

import steelyard as sy
from steelyard.measures.catalogue import catalogue
from steelyard.measures.matrix import NeedsEveryCellError
from steelyard.measures.operators import balanced, weighted_by
from steelyard.measures.sparse import FROM_CLASSES, SparseCells, sparse_matrix, sums_without

CLASSES = 1_100
CLOSE = {"rel_tol": 1e-9, "abs_tol": 1e-12}
MEASURES = [m for m in catalogue() if m.kind == "multi-class"]


def sparse(weighted=False, absent=()):
    random = np.random.default_rng(4)
    rows = 30_000
    truth = np.concatenate([np.arange(CLASSES), (CLASSES * random.random(rows) ** 2).astype(int)])
    called = np.where(random.random(len(truth)) < 0.7, truth, random.integers(0, CLASSES, len(truth)))
    truth[np.isin(truth, absent)] = 0
    counts = np.zeros((CLASSES, CLASSES), dtype=np.int64)
    np.add.at(counts, (truth, called), 1)
    return counts * random.random(CLASSES)[:, None] if weighted else counts


def alike(a, b):
    return math.isclose(a, b, **CLOSE) or (math.isnan(a) and math.isnan(b))


def by_all_cells(measure, counts, **how):
    both = sy.Confusion(np.stack([counts, counts]), labels=[f"k{i}" for i in range(CLASSES)])
    found = measure(both, **how)
    return float(found[0]), measure.why_undefined(both)[0]


@pytest.mark.parametrize(("weighted", "absent"), [(False, ()), (True, ()), (False, (7,)), (True, (7, 900))])
def test_the_cells_that_hold_something_are_enough(weighted, absent):
    assert CLASSES >= FROM_CLASSES
    counts = sparse(weighted, absent)
    matrix = sy.Confusion(counts, labels=[f"k{i}" for i in range(CLASSES)])
    relevance = np.linspace(0.1, 1, CLASSES).tolist()
    chosen = MEASURES[:: 2 if weighted else 1]
    made = [balanced(m) for m in chosen[::3]] + [weighted_by(m, relevance) for m in chosen if m.over_classes][
        ::3
    ]
    for measure in (*chosen, *made):
        value, why = by_all_cells(measure, counts)
        assert alike(measure(matrix), value)
        assert measure.why_undefined(matrix) == why
        assert sparse_matrix(matrix, False) is not None


@pytest.mark.parametrize("policy", [0, 0.5, 1, "skip"])
def test_policies_hold_there_too(policy):
    counts = sparse(absent=(7,))
    matrix = sy.Confusion(counts, labels=[f"k{i}" for i in range(CLASSES)])
    for name in ("auroc_ovo", "macro_recall", "maurpc_ova", "confusion_entropy"):
        value, _ = by_all_cells(sy.measure(name), counts, undefined=policy)
        assert alike(sy.measure(name)(matrix, undefined=policy), value)


def test_what_needs_empty_cells_is_given_all_of_them():
    counts = sparse()
    matrix = sy.Confusion(counts)
    widest = sy.multi_class(
        id="emptiest",
        title="Emptiest",
        question="How many cells are empty?",
        formula="e",
        reads="the number of empty cells",
        body=lambda c: (c.counts == 0).sum(axis=(0, 1)) * 1.0,
        range=(0, math.inf),
    )
    assert widest(matrix) == (counts == 0).sum()
    assert math.isclose(
        sy.measure("macro_mae")(matrix), by_all_cells(sy.measure("macro_mae"), counts)[0], **CLOSE
    )
    held = sparse_matrix(matrix, False).raw
    for look in (
        np.asarray,
        np.sqrt,
        np.sum,
        len,
        list,
        bool,
        lambda cells: cells[0],
        lambda cells: cells.max(),
    ):
        with pytest.raises(NeedsEveryCellError):
            look(held)
    with pytest.raises(NeedsEveryCellError):
        (held + 1).sum(axis=0)


def test_columns_without_anything_are_not_taken_for_rows():
    """Class 1 is never predicted: half of its examples are called 0 and half 2. Of what is called 0 or 2, two thirds
    and one third are of a class: squares 5/9; of all other predictions everything is of one class."""
    counts = np.diag(np.full(CLASSES, 2))
    counts[1] = 0
    counts[1, 0] = counts[1, 2] = 1

    def purities(c):
        shares = c.ratio(c.counts, c.predicted[None, :], "nothing was predicted as {label}")
        return c.mean((shares * shares).sum(axis=0))

    purity = sy.multi_class(
        id="purity",
        title="Purity",
        question="Are the examples of a prediction of one class?",
        formula="p",
        reads="mean over predictions of the sum of squared shares",
        body=purities,
    )
    matrix = sy.Confusion(counts, labels=range(CLASSES))
    expected = (2 * 5 / 9 + CLASSES - 3) / (CLASSES - 1)
    assert purity(matrix, undefined="skip") == pytest.approx(expected, rel=1e-13)
    assert math.isnan(purity(matrix))
    assert purity.why_undefined(matrix) == "nothing was predicted as class '1'"


def test_classes_that_were_not_named_and_hold_nothing_are_left_out():
    counts = sparse()
    wide = np.zeros((CLASSES + 50, CLASSES + 50), dtype=np.int64)
    wide[:CLASSES, :CLASSES] = counts
    unnamed = sy.Confusion(wide)
    for name in ("macro_recall", "confusion_entropy", "auroc_ova", "mean_binary_accuracy"):
        assert math.isclose(sy.measure(name)(unnamed), by_all_cells(sy.measure(name), counts)[0], **CLOSE)


def test_a_sum_without_its_largest_part_leaves_no_dust():
    """0.1 + 0.2 + 0.3 - 0.6 is not 0 in floats; 1e16 + 1 - 1e16 is 0 or 2."""
    counts = np.zeros((CLASSES, CLASSES))
    counts[0, 0], counts[0, 1], counts[1, 5], counts[2, 3] = 1e16, 1.0, 0.3, 0.7
    held = sy.Confusion(counts).held
    assert sums_without(held.places, held.values, axis=1).tolist() == [1.0, 1e16, 0.0, 0.0]
    assert sums_without(held.places, held.values, axis=0).tolist() == [0.0, 0.0, 0.0, 0.0]
    cells = SparseCells(held.places, held.values)
    assert cells.without_own().sum(axis=1)[:3, 0].tolist() == [1.0, 0.3, 0.7]
    view = sparse_matrix(sy.Confusion(counts, labels=range(CLASSES)), False)
    assert view.rejected[0, 0] == 1.0  # what is neither of the first class nor called so: 0.3 + 0.7
    assert view.rejected[9, 0] == pytest.approx(1e16)


def test_weights_of_any_size_are_brought_near():
    counts = sparse()
    for name in ("mcc", "kappa", "confusion_entropy"):
        usual = sy.measure(name)(sy.Confusion(counts * 1.0, labels=range(CLASSES)))
        huge = sy.measure(name)(sy.Confusion(counts * 2.0**700, labels=range(CLASSES)))
        assert math.isclose(huge, usual, **CLOSE)


def test_recall_and_accuracy_by_hand():
    counts = sparse()
    matrix = sy.Confusion(counts)
    assert sy.measure("accuracy")(matrix) == pytest.approx(np.trace(counts) / counts.sum(), abs=1e-15)
    recalls = np.diagonal(counts) / counts.sum(axis=1)
    assert sy.measure("macro_recall")(matrix) == pytest.approx(recalls.mean(), abs=1e-13)
    shares = counts / counts.sum(axis=1, keepdims=True)
    assert balanced(sy.measure("accuracy"))(matrix) == pytest.approx(np.trace(shares) / CLASSES, abs=1e-13)
