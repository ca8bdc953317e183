"""Counts with their labels."""

from __future__ import annotations

import pickle
from fractions import Fraction
from typing import Any

import numpy as np
import pytest

import steelyard as sy
from steelyard.counts.confusion import ORIENTATION
from steelyard.counts.labels import REST
from steelyard.measures.measure import PositiveClassWarning


def test_rows_are_truth() -> None:
    counted = sy.Confusion.from_labels(["a", "a", "b"], ["a", "b", "b"])
    assert counted.counts.tolist() == [[1, 1], [0, 1]]
    assert counted.actual.tolist() == [2, 1]
    assert counted.predicted.tolist() == [1, 2]
    assert counted.hits.tolist() == [1, 1]
    assert counted.total == 3


def test_classes_are_those_that_occur_or_those_that_are_listed() -> None:
    found = sy.Confusion.from_labels([2, 0], [0, 0])
    assert found.labels == (0, 2)
    assert not found.listed
    listed = sy.Confusion.from_labels([2, 0], [0, 0], labels=[2, 1, 0])
    assert listed.labels == (2, 1, 0)
    assert listed.listed
    assert listed.counts.tolist() == [[0, 0, 1], [0, 0, 0], [0, 0, 1]]


def test_a_prediction_of_a_class_that_never_occurs_in_the_truth_is_kept() -> None:
    counted = sy.Confusion.from_labels(["a", "a"], ["a", "z"])
    assert counted.labels == ("a", "z")
    assert counted.counts.tolist() == [[1, 1], [0, 0]]


def test_integers_stay_integers_and_weights_are_floats() -> None:
    assert sy.Confusion([[1, 2], [3, 4]]).counts.dtype == np.int64
    assert sy.Confusion(np.array([[1, 2], [3, 4]], dtype=np.uint8)).counts.dtype == np.int64
    assert sy.Confusion(np.array([[1, 2], [3, 4]], dtype=object)).counts.dtype == np.int64
    assert sy.Confusion([[True, False], [False, True]]).counts.tolist() == [[1, 0], [0, 1]]
    assert sy.Confusion([[1.0, 2], [3, 4]]).counts.dtype == np.float64
    weighted = sy.Confusion.from_labels([0, 1, 1], [0, 1, 0], sample_weight=[0.5, 2, 1])
    assert weighted.counts.tolist() == [[0.5, 0.0], [1.0, 2.0]]


def test_counts_cannot_be_changed_from_outside() -> None:
    given = np.array([[1, 2], [3, 4]])
    counted = sy.Confusion(given)
    given[0, 0] = 99
    assert counted.counts[0, 0] == 1
    with pytest.raises(ValueError, match="read-only"):
        counted.counts[0, 0] = 5


BAD_MATRICES = {
    "ragged": ([[1, 2], [3]], "ragged"),
    "not square": ([[1, 2, 3], [4, 5, 6]], r"not square; found shape \(2, 3\)"),
    "one row": ([1, 2], "not square"),
    "a number": (3, "not square"),
    "nothing": ([], "not square|empty"),
    "no classes": (np.zeros((0, 0)), "empty"),
    "None": (None, "not square"),
    "negative": ([[1, -1], [0, 1]], "negative count; found -1"),
    "negative float": ([[1, -0.5], [0, 1]], "negative count; found -0.5"),
    "NaN": ([[1, float("nan")], [0, 1]], "NaN or infinity"),
    "infinite": ([[1, float("inf")], [0, 1]], "NaN or infinity"),
    "text": ([["1", "2"], ["3", "4"]], "must hold numbers"),
    "missing": ([[1, None], [0, 1]], "must hold numbers"),
    "complex": ([[1j, 0], [0, 1]], "must hold numbers"),
    "2^63": ([[2**63, 0], [0, 1]], "too large"),
    "2^64": ([[2**64, 0], [0, 1]], "too large"),
    "2^63 unsigned": (np.array([[2**63, 0], [0, 1]], dtype=np.uint64), "too large"),
    "total of 2^63": ([[2**62, 2**62], [0, 1]], "too large together"),
}


@pytest.mark.parametrize("kind", list(BAD_MATRICES))
def test_bad_matrices_are_refused_in_one_sentence(kind: str) -> None:
    matrix, words = BAD_MATRICES[kind]
    with pytest.raises(sy.InputError, match=words) as caught:
        sy.Confusion(matrix)
    assert str(caught.value).endswith(".")
    assert "\n" not in str(caught.value)
    assert "allowed" in str(caught.value)


BAD_LABELS = {
    "too few": (["a"], "1 labels for 2 classes"),
    "too many": (["a", "b", "c"], "3 labels for 2 classes"),
    "twice": (["a", "a"], "named twice; found 'a'"),
    "1 and True": ([1, True], "named twice"),
    "a string": ("ab", "list of class names"),
    "none at all": ([], "empty"),
    "None": (["a", None], "no name"),
    "NaN": (["a", float("nan")], "no name"),
    "a list": (["a", ["b"]], "cannot be a label"),
}


@pytest.mark.parametrize("kind", list(BAD_LABELS))
def test_bad_labels_are_refused(kind: str) -> None:
    labels, words = BAD_LABELS[kind]
    with pytest.raises(sy.InputError, match=words):
        sy.Confusion([[1, 2], [3, 4]], labels=labels)


BAD_COLUMNS = {
    "lengths": (([1, 2], [1]), {}, "differ in length; found 2 and 1 rows"),
    "empty": (([], []), {}, "nothing to count"),
    "unlisted truth": (([0, 1], [0, 0]), {"labels": [0]}, "labels= for the truth 1"),
    "unlisted prediction": (([0, 0], [0, 1]), {"labels": [0]}, "labels= for the prediction 1"),
    "weights too short": (([0, 1], [0, 1]), {"sample_weight": [1]}, r"shape \(1,\) for 2 rows"),
    "weights of two dimensions": (([0, 1], [0, 1]), {"sample_weight": [[1], [1]]}, r"shape \(2, 1\)"),
    "negative weight": (([0, 1], [0, 1]), {"sample_weight": [1, -1]}, "first at row 1: -1.0"),
    "NaN weight": (([0, 1], [0, 1]), {"sample_weight": [np.nan, 1]}, "first at row 0: nan"),
    "infinite weight": (([0, 1], [0, 1]), {"sample_weight": [1, np.inf]}, "finite"),
    "text weights": (([0, 1], [0, 1]), {"sample_weight": ["a", "b"]}, "must be numbers"),
    "all weights 0": (([0, 1], [0, 1]), {"sample_weight": [0, 0]}, "weights that are all 0"),
}


@pytest.mark.parametrize("kind", list(BAD_COLUMNS))
def test_bad_columns_are_refused(kind: str) -> None:
    columns, given, words = BAD_COLUMNS[kind]
    with pytest.raises(sy.InputError, match=words):
        sy.Confusion.from_labels(*columns, **given)


# -- merging


def test_merging_aligns_labels() -> None:
    first = sy.Confusion([[1, 2], [3, 4]], labels=["a", "b"])
    second = sy.Confusion([[10, 20], [30, 40]], labels=["b", "a"])
    assert (first + second).labels == ("a", "b")
    assert (first + second).counts.tolist() == [[41, 32], [23, 14]]
    third = sy.Confusion([[5]], labels=["c"])
    assert (first + third).labels == ("a", "b", "c")
    assert (first + third).counts.tolist() == [[1, 2, 0], [3, 4, 0], [0, 0, 5]]
    assert (third + first).counts.tolist() == (first + third).counts.tolist()


def test_merging_parts_is_counting_the_whole() -> None:
    rng = np.random.default_rng(1)
    truth, predicted = rng.integers(0, 6, 500), rng.integers(0, 6, 500)
    parts = [sy.Confusion.from_labels(truth[i : i + 7], predicted[i : i + 7]) for i in range(0, 500, 7)]
    merged = parts[0]
    for part in parts[1:]:
        merged = merged + part
    assert merged == sy.Confusion.from_labels(truth, predicted)


def test_merging_is_exact_beyond_2_to_the_53() -> None:
    big = 2**60 + 1
    merged = sy.Confusion([[big, 0], [0, 1]]) + sy.Confusion([[2, 0], [0, 0]])
    assert merged.counts.tolist() == [[2**60 + 3, 0], [0, 1]]
    assert merged.actual.tolist() == [2**60 + 3, 1]
    assert merged.one_vs_rest("c1").counts.tolist() == [[2**60 + 3, 0], [0, 1]]


def test_merging_refuses_what_does_not_fit() -> None:
    with pytest.raises(sy.InputError, match="too large"):
        sy.Confusion([[2**62, 0], [0, 0]]) + sy.Confusion([[2**62, 0], [0, 0]])
    with pytest.raises(sy.InputError, match="batches of shape"):
        sy.Confusion([[1]]) + sy.Confusion([[[1]], [[2]]])
    with pytest.raises(TypeError):
        sy.Confusion([[1]]) + 3


# -- large counts


@pytest.mark.parametrize("unit", [1, 10**15, 2**52])
@pytest.mark.parametrize(
    "name", ["mcc", "kappa", "accuracy", "gmean", "macro_f_beta", "class_balance_accuracy", "maurpc_ova"]
)
def test_no_overflow_at_large_counts(name: str, unit: int) -> None:
    small = [[5, 1, 0], [2, 40, 3], [1, 9, 700]]
    large = [[v * unit for v in row] for row in small]
    assert sy.measure(name)(large) == pytest.approx(sy.measure(name)(small), rel=1e-12)


@pytest.mark.parametrize("name", ["mcc", "kappa"])
@pytest.mark.parametrize(
    "matrix",
    [
        [[10**15, 3], [2, 10**15 - 7]],
        [[2**62, 1], [1, 1]],
        [[1, 0], [1, 2**62]],
        [[2**60, 2**60 - 1], [2**60 - 1, 2**60]],
        [
            [2**60 + 1, 2**60],
            [2**60, 2**60],
        ],  # the agreement above chance is 1 part in 2^60: all but cancelled
        [[10**15, 10**15, 1], [10**15, 10**15 + 1, 1], [5, 7, 10**15]],
        [[10**15 + 3, 10, 0], [10, 1, 0], [0, 0, 10**3]],
    ],
    ids=str,
)
def test_mcc_and_kappa_are_right_at_large_counts(name: str, matrix: list[list[int]]) -> None:
    """Against the textbook formula in Python's own integers."""
    size = len(matrix)
    t, p = [sum(row) for row in matrix], [sum(column) for column in zip(*matrix, strict=True)]
    n, hits = sum(t), sum(matrix[i][i] for i in range(size))
    chance = sum(a * b for a, b in zip(t, p, strict=True))
    if name == "kappa":
        expected = Fraction(hits * n - chance, n * n - chance)
        assert sy.measure(name).exact(matrix) == expected
    else:
        square = Fraction(
            (hits * n - chance) ** 2, (n * n - sum(a * a for a in t)) * (n * n - sum(b * b for b in p))
        )
        assert float(sy.measure(name).exact(matrix)) ** 2 == pytest.approx(float(square), rel=1e-12)
        expected = float(square) ** 0.5 * (1 if hits * n > chance else -1)
    assert sy.measure(name)(matrix) == pytest.approx(float(expected), rel=1e-9, abs=1e-18)


def test_integers_beyond_2_to_the_53_keep_their_differences() -> None:
    """2^60 + 1 examples of which 2^60 are right: one is missed, though no float64 tells the two numbers apart."""
    matrix = [[2**60, 1], [0, 5]]
    assert sy.measure("fnr").exact(matrix) == Fraction(1, 2**60 + 1)
    assert sy.measure("fnr")(matrix) == pytest.approx(2.0**-60, rel=1e-12)
    assert sy.measure("error_rate")(matrix) == pytest.approx(2.0**-60, rel=1e-12)


@pytest.mark.parametrize("name", [m.id for m in sy.catalogue("multi-class")])
def test_a_class_of_2_to_the_62_examples_is_not_lost(name: str) -> None:
    """Truth plus predictions of one class may exceed 2^63."""
    for matrix in ([[2**62, 1], [1, 1]], [[1, 2**62], [1, 1]], [[3, 1], [2**61, 2**61 + 1]]):
        assert sy.measure(name)(matrix) == pytest.approx(
            float(sy.measure(name).exact(matrix)), rel=1e-9, abs=1e-18
        )


# -- the positive class


@pytest.mark.parametrize(
    ("labels", "positive"),
    [
        ([0, 1], 1),
        ([1, 0], 1),
        ([-1, 1], 1),
        ([False, True], True),
        (["0", "1"], "1"),
        (["true", "false"], "true"),
        (["negative", "positive"], "positive"),
        (["Positive", "whatever"], "Positive"),
        ([0.0, 1.0], 1.0),
    ],
    ids=str,
)
def test_conventional_positive_classes_are_taken_without_a_word(labels: list[Any], positive: Any) -> None:
    choice = sy.Confusion([[90, 1], [2, 7]], labels=labels).positive_class()
    assert (choice.label, choice.guessed) == (positive, False)
    value = sy.measure("recall")(
        sy.Confusion([[90, 1], [2, 7]], labels=labels)
    )  # a warning would be an error here
    assert value == pytest.approx(90 / 91 if labels[0] == positive else 7 / 9)


def test_otherwise_the_rarer_class_is_taken_and_said() -> None:
    matrix = sy.Confusion([[90, 1], [2, 7]], labels=["ham", "spam"])
    with pytest.warns(
        PositiveClassWarning, match=r"'spam' is taken for the positive class because it is the rarer class"
    ) as caught:
        assert sy.measure("recall")(matrix) == pytest.approx(7 / 9)
    assert caught[0].filename == __file__
    with pytest.warns(PositiveClassWarning, match="'spam'") as caught:
        sy.measure("recall").score(["ham", "ham", "spam"], ["ham", "ham", "spam"])
    assert sy.measure("recall")(matrix, positive="ham") == pytest.approx(90 / 91)


def test_a_tie_is_decided_aloud() -> None:
    with pytest.warns(PositiveClassWarning, match="'y' is taken .* neither class is rarer and it comes last"):
        assert sy.measure("recall")(sy.Confusion([[5, 5], [3, 7]], labels=["x", "y"])) == 0.7


def test_no_positive_class_is_guessed_among_many() -> None:
    with pytest.raises(sy.InputError, match="one_versus_all"):
        sy.measure("recall")(np.eye(3, dtype=int))
    with pytest.raises(sy.InputError, match="there is no class 'z'"):
        sy.measure("recall")(sy.Confusion([[5, 5], [3, 8]], labels=["x", "y"]), positive="z")


def test_a_bare_matrix_is_tp_fn_fp_tn() -> None:
    assert sy.measure("recall")([[90, 10], [5, 5]]) == 0.9


# -- views


def test_one_vs_rest_adds_the_others_up() -> None:
    matrix = sy.Confusion([[5, 1, 2], [3, 40, 4], [6, 7, 50]], labels=["a", "b", "c"])
    against = matrix.one_vs_rest("b")
    assert against.labels == ("b", REST)
    assert against.counts.tolist() == [[40, 7], [8, 63]]
    batch = sy.Confusion(np.stack([matrix.counts, matrix.counts.T]), labels=matrix.labels)
    assert batch.one_vs_rest("b").counts.tolist() == [[[40, 7], [8, 63]], [[40, 8], [7, 63]]]


def test_select_keeps_order_and_counts() -> None:
    matrix = sy.Confusion([[5, 1, 2], [3, 40, 4], [6, 7, 50]], labels=["a", "b", "c"])
    assert matrix.select(["c", "a"]).counts.tolist() == [[50, 6], [2, 5]]
    with pytest.raises(sy.InputError, match="there is no class 'q'"):
        matrix.select(["q"])


def test_orientation_is_said_wherever_a_matrix_is_shown() -> None:
    for matrix in ([[1, 2], [3, 4]], np.ones((5, 2, 2)), np.eye(30)):
        assert ORIENTATION in repr(sy.Confusion(matrix))
        assert ORIENTATION in sy.Confusion(matrix)._repr_html_()
        assert sy.Confusion(matrix).to_dict()["orientation"] == ORIENTATION


def test_html_escapes_labels() -> None:
    assert "<script>" not in sy.Confusion([[1, 2], [3, 4]], labels=["<script>", "b"])._repr_html_()


def test_equality_copies_and_pickles() -> None:
    matrix = sy.Confusion([[1, 2], [3, 4]], labels=["a", "b"])
    assert matrix == sy.Confusion([[1, 2], [3, 4]], labels=["a", "b"])
    assert matrix != sy.Confusion([[1, 2], [3, 4]], labels=["a", "c"])
    assert matrix != sy.Confusion([[1, 2], [3, 5]], labels=["a", "b"])
    assert matrix != 3
    assert sy.Confusion(matrix) == matrix
    back = pickle.loads(pickle.dumps(matrix))
    assert back == matrix
    assert back.listed


def test_a_batch_of_none_is_a_batch() -> None:
    assert sy.measure("mcc")(np.zeros((0, 3, 3))).shape == (0,)
    assert sy.measure("recall").why_undefined(np.zeros((0, 2, 2))).shape == (0,)
    assert sy.measure("mcc")(np.ones((2, 0, 3, 3))).shape == (2, 0)


def test_classes_are_held_that_occur_once_in_truth_or_prediction() -> None:
    counts = np.zeros((2, 4, 4), dtype=int)
    counts[0, 0, 0], counts[0, 0, 1], counts[1, 2, 0] = 5, 1, 1
    assert sy.Confusion(counts).n_classes_held == 3
    assert sy.Confusion(counts, labels=list("abcd")).n_classes_held == 4


def test_an_unlisted_class_that_holds_nothing_is_left_out_and_a_listed_one_is_not() -> None:
    matrix = [[5, 1, 0], [2, 7, 0], [0, 0, 0]]
    assert sy.measure("macro_recall").exact(matrix) == (Fraction(5, 6) + Fraction(7, 9)) / 2
    assert np.isnan(sy.measure("macro_recall")(sy.Confusion(matrix, labels=["a", "b", "c"])))
    assert (
        sy.measure("macro_recall").why_undefined(sy.Confusion(matrix, labels=["a", "b", "c"]))
        == "there are no examples of class 'c'"
    )


LARGEST = 2**63 - 1


@pytest.mark.parametrize(
    "counts",
    [
        [[LARGEST, 0], [0, 0]],
        [[LARGEST - 1, 0], [0, 1]],
        [[2**62, 2**62 - 1], [0, 0]],
        [[2**61, 2**61], [2**61, 2**61 - 1]],
    ],
)
def test_a_total_of_all_that_64_bits_hold_is_counted(counts: list[list[int]]) -> None:
    cm = sy.Confusion(counts)
    assert cm.counts.tolist() == counts
    assert int(cm.total) == LARGEST
    with pytest.raises(sy.InputError, match=r"a total of 2\^63 or more"):
        sy.Confusion([[counts[0][0], counts[0][1] + 1], counts[1]])
