"""Meeting in the middle lists the matrices that fit, all of them and no others; the truth is every matrix, one by one."""

from __future__ import annotations

import itertools
from dataclasses import replace

import numpy as np
import pytest

import steelyard as sy
from steelyard.auditing.options import Options, demands_of, sizes_of
from steelyard.auditing.problem.printed_numbers import statements
from steelyard.auditing.problem.settings import OneMatrix
from tests.auditing.brute_force import matrices, values

QUESTIONS = (
    (("macro_precision", "macro_recall", "macro_f1"), False),
    (("macro_precision", "macro_recall", "macro_f1"), True),
    (("accuracy", "macro_precision", "macro_f1"), False),
    (("macro_precision", "macro_f1"), False),
    (("macro_recall", "precision"), False),
    (("macro_recall", "precision"), True),
    (("weighted_f1", "class_balance_accuracy"), False),
)


def _question(sizes, names, texts):
    known = sizes_of(Options("", ", ".join(f"c{at}={size}" for at, size in enumerate(sizes))), [])
    of_first = {"precision": "precision[c0]"}
    printed = ", ".join(f"{of_first.get(name, name)}={text}" for name, text in zip(names, texts, strict=True))
    return known, demands_of(statements(printed), known, None, "nearest")


def _counts(matrix):
    return tuple(np.diag(matrix).tolist()), tuple(np.sum(matrix, axis=0).tolist())


@pytest.mark.parametrize(("names", "transposed"), QUESTIONS)
@pytest.mark.parametrize("sizes", [(3, 4, 5), (1, 6, 3), (2, 3, 2, 2)])
def test_all_that_fits_and_nothing_else_is_listed(sizes, names, transposed):
    every = matrices(sizes)
    of = np.array([values(name, np.swapaxes(every, 1, 2) if transposed else every) for name in names])
    for at in np.random.default_rng(1).choice(np.flatnonzero(~np.isnan(of).any(axis=0)), 6):
        texts = [f"{value:.3f}" for value in of[:, at]]
        # What is printed of a value halfway between two numbers may be either: both fit.
        fits = (np.abs(of - np.array(texts, float)[:, None]) <= 0.0005 + 1e-9).all(axis=0)
        known, demands = _question(sizes, names, texts)
        demands = [replace(demand, transposed=transposed) for demand in demands]
        met = {_counts(matrix) for matrix in OneMatrix(known)._meet(demands, demands) if matrix is not None}
        assert met == {_counts(matrix) for matrix in every[fits]}, texts


def test_a_class_without_predictions_counts_as_0_where_that_was_said():
    """Of 2, 2 and 2 examples, all called the first or the second: (2/3 + 2/3 + 0) / 3 and (4/5 + 4/5 + 0) / 3."""
    printed = "macro_precision=0.444, macro_f1=0.533"
    assert sy.audit(printed, "a=2, b=2, c=2").verdict == "impossible"
    assert sy.audit(printed, "a=2, b=2, c=2", undefined=0).verdict == "possible"


def _fits_somewhere(sizes, printed, digits):
    """Whether any hits and predictions of three classes give macro precision, recall and F1 as printed."""
    first, second, third = sizes
    half, total = 0.5 * 10**-digits, sum(sizes)
    alarms = np.array([(a, b) for a, b in itertools.product(range(total + 1), repeat=2) if a + b <= total]).T
    for hits in itertools.product(range(first + 1), range(second + 1), range(third + 1)):
        if abs(np.mean(np.divide(hits, sizes)) - printed[1]) > half + 1e-9:
            continue
        misses = np.subtract(sizes, hits)
        of = np.array([*alarms, misses.sum() - alarms.sum(axis=0)])
        of = of[:, (of >= 0).all(axis=0) & (of + misses[:, None] <= misses.sum()).all(axis=0)]
        predicted = of + np.array(hits)[:, None]
        with np.errstate(all="ignore"):
            precision = np.mean(np.array(hits)[:, None] / predicted, axis=0)
        f1 = np.mean(2 * np.array(hits)[:, None] / (predicted + np.array(sizes)[:, None]), axis=0)
        if ((np.abs(precision - printed[0]) <= half + 1e-9) & (np.abs(f1 - printed[2]) <= half + 1e-9)).any():
            return True
    return False


# A hundred examples and four digits: hardly a matrix fits, and a wrong digit leaves none.
SMALL = (
    ((34, 14, 35), (0.5702, 0.6199, 0.5776)),
    ((27, 10, 24), (0.6721, 0.7628, 0.6859)),
    ((12, 23, 18), (0.5517, 0.5270, 0.5372)),
    ((30, 30, 30), (0.7111, 0.7000, 0.7012)),
)


@pytest.mark.parametrize(("sizes", "printed"), SMALL)
def test_small_tables_of_four_digits_are_decided(sizes, printed):
    names = ("macro_precision", "macro_recall", "macro_f1")
    text = ", ".join(f"{name}={value:.4f}" for name, value in zip(names, printed, strict=True))
    expected = "possible" if _fits_somewhere(sizes, printed, 4) else "impossible"
    assert sy.audit(text, list(sizes), seconds=3).verdict == expected


@pytest.mark.parametrize(
    ("text", "sizes"),
    [
        ("macro_precision=0.5357, macro_recall=0.5578, macro_f1=0.5407", [23, 9, 24, 32]),
        ("macro_precision=0.7023, macro_recall=0.6960, macro_f1=0.6886", [5, 9, 8, 6, 9, 3, 9]),
        ("macro_precision=0.7224, macro_recall=0.7321, macro_f1=0.7122", [43, 33, 28, 19, 14, 9, 16]),
        ("macro_precision=0.5383, macro_recall=0.5161, macro_f1=0.5216", [109, 139, 219]),
    ],
)
def test_the_few_matrices_of_tables_of_four_digits_are_met(text, sizes):
    """Printed of a matrix, so that there is one."""
    assert sy.audit(text, sizes, seconds=5).verdict == "possible"


def test_sizes_that_are_not_known_are_drawn():
    assert sy.audit(
        "macro_precision=0.4544, macro_recall=0.4600, macro_f1=0.4503", classes=7, total=56
    ).witness


@pytest.mark.parametrize(
    ("text", "sizes"),
    [
        ("macro_f1=0.5 ± 20, macro_precision=0.55278 ± 0.00001", [2, 2, 2, 2, 2, 3]),
        ("macro_f1=0.5 ± 10, macro_precision=0.70653 ± 0.001", [3, 8, 2, 2, 6]),
        ("macro_f1=0.5 ± 50, macro_precision=0.81111 ± 0.00001", [5, 6, 7, 4, 3]),
    ],
)
def test_a_wide_interval_lets_no_other_sizes_in(text, sizes):
    """The false alarms of a witness must be as many as its misses; the first is possible nowhere (found by enumeration)."""
    result = sy.audit(text, sizes, seconds=5, undefined=0)
    assert (result.verdict == "impossible") == (sizes == [2, 2, 2, 2, 2, 3])
    if result.witness is not None:
        assert [sum(row) for row in result.witness] == sizes


@pytest.mark.parametrize(
    ("names", "total", "up_to"),
    [
        (("macro_precision", "macro_recall", "macro_f1"), 8, None),
        (("accuracy", "macro_f1"), 8, None),
        (("weighted_f1",), None, 6),
        (("macro_recall", "precision"), 7, None),
    ],
)
def test_every_size_of_small_test_sets_is_tried(names, total, up_to):
    """All sizes of three classes and all matrices of these sizes, for printed values and values near them."""
    totals = [total] if up_to is None else range(3, up_to + 1)
    sizes = [of for of in itertools.product(range(1, 7), repeat=3) if sum(of) in totals]
    of = np.concatenate(
        [np.array([values(name, matrices(each)) for name in names]) for each in sizes], axis=1
    )
    of = of[:, ~np.isnan(of).any(axis=0)]
    random = np.random.default_rng(len(names))
    for at in random.choice(of.shape[1], 4):
        moved = of[:, at] + random.choice([0, 0.004, -0.007], len(names))
        texts = [f"{value:.3f}" for value in moved]
        near = np.abs(of - np.array(texts, float)[:, None])
        if (np.abs(near - 0.0005) < 1e-9).any():
            continue
        question = {"precision": "precision[c1]"}
        printed = ", ".join(f"{question.get(n, n)}={text}" for n, text in zip(names, texts, strict=True))
        known = {"classes": 3} if "precision" not in names else {"sizes": "c1=?, c2=?, c3=?"}
        known |= {"total": total} if up_to is None else {"up_to": up_to}
        expected = "possible" if (near < 0.0005).all(axis=0).any() else "impossible"
        assert sy.audit(printed, seconds=10, **known).verdict == expected, printed
