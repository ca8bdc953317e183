"""Tables with names, masks, repeated labels, pickles: nothing lost, nothing taken for something else."""

from __future__ import annotations

import copy
import json
import pickle

import numpy as np
import pandas as pd
import pytest

import steelyard as sy
from steelyard.counts.labels import REST

# -- data frames


def test_the_columns_of_a_data_frame_are_brought_into_the_order_of_its_rows() -> None:
    matrix = sy.Confusion(pd.DataFrame([[1, 9], [8, 2]], index=["a", "b"], columns=["b", "a"]))
    assert matrix.labels == ("a", "b")
    assert matrix.counts.tolist() == [[9, 1], [2, 8]]
    assert matrix.listed


def test_a_crosstab_with_different_classes_is_aligned() -> None:
    truth, predicted = pd.Series(list("aabbc")), pd.Series(list("abbdd"))
    matrix = sy.Confusion(pd.crosstab(truth, predicted))
    assert matrix.labels == ("a", "b", "c", "d")
    assert matrix == sy.Confusion.from_labels(truth, predicted)


def test_an_empty_class_of_a_data_frame_stays() -> None:
    named = pd.DataFrame([[3, 0], [0, 0]], index=["a", "b"], columns=["a", "b"])
    assert sy.Confusion(named).labels == ("a", "b")


def test_labels_choose_the_order_of_a_data_frame() -> None:
    named = pd.DataFrame([[1, 9], [8, 2]], index=["a", "b"], columns=["b", "a"])
    assert sy.Confusion(named, labels=["b", "a"]).counts.tolist() == [[8, 2], [1, 9]]
    with pytest.raises(sy.InputError, match="'a'"):
        sy.Confusion(named, labels=["b", "x"])


def test_a_data_frame_without_names_is_a_matrix() -> None:
    matrix = sy.Confusion(pd.DataFrame([[1, 9], [8, 2]]))
    assert matrix.labels == ("c1", "c2")
    assert not matrix.listed


def test_a_data_frame_with_holes_or_words_is_refused() -> None:
    with pytest.raises(sy.InputError, match="empty cells"):
        sy.Confusion(pd.DataFrame([[1, None], [8, 2]], index=["a", "b"], columns=["a", "b"]))
    with pytest.raises(sy.InputError, match="must hold numbers"):
        sy.Confusion(pd.DataFrame([[1, "x"], [8, 2]], index=["a", "b"], columns=["a", "b"]))


def test_rows_of_one_label_are_added_up() -> None:
    matrix = sy.Confusion.from_table([[1, 2], [3, 4], [5, 6]], ["a", "a", "b"], ["a", "b"])
    assert matrix.counts.tolist() == [[4, 6], [5, 6]]
    matrix = sy.Confusion.from_table([[1, 2], [3, 4]], ["a", "b"], ["b", "b"])
    assert matrix.counts.tolist() == [[0, 3], [0, 7]]
    with pytest.raises(sy.InputError, match="do not fit the table"):
        sy.Confusion.from_table([[1, 2], [3, 4]], ["a"], ["a", "b"])


# -- masks


def test_masked_counts_and_weights_are_refused() -> None:
    with pytest.raises(sy.InputError, match="masked cells; found 1 without"):
        sy.Confusion(np.ma.array([[1, 2], [3, 4]], mask=[[0, 1], [0, 0]]))
    weights = np.ma.array([1.0, 1.0, 1.0], mask=[0, 1, 0])
    with pytest.raises(sy.InputError, match="masked values; found 1 rows"):
        sy.Confusion.from_labels([0, 1, 1], [0, 1, 0], sample_weight=weights)
    with pytest.raises(sy.InputError, match="masked values"):
        sy.ScoreCounts.from_scores([0, 1, 1], [0.1, 0.2, 0.3], 1, sample_weight=weights)
    unmasked = np.ma.array([[1, 2], [3, 4]])
    assert sy.Confusion(unmasked).counts.tolist() == [[1, 2], [3, 4]]


# -- what it stays


def test_a_confusion_read_back_cannot_be_written_to() -> None:
    matrix = sy.Confusion([[1, 2], [3, 4]], ["a", "b"])
    found = sy.Confusion.from_labels([0, 1], [0, 1])
    for again in (pickle.loads(pickle.dumps(matrix)), copy.copy(matrix), copy.deepcopy(matrix)):
        assert again == matrix
        assert again.listed
        assert not again.counts.flags.writeable
    assert not pickle.loads(pickle.dumps(found)).listed


def test_an_infinite_label_is_strict_json() -> None:
    matrix = sy.Confusion([[1, 0], [0, 1]], [float("inf"), float("-inf")])
    assert json.loads(json.dumps(matrix.to_dict(), allow_nan=False))["labels"] == ["inf", "-inf"]


def test_a_class_called_the_other_classes_is_a_class() -> None:
    matrix = sy.Confusion([[5, 1, 0], [2, 6, 0], [0, 1, 9]], ["the other classes", "b", "c"])
    two = matrix.one_vs_rest("the other classes")
    assert two.counts.tolist() == [[5, 1], [2, 16]]
    assert [str(label) for label in two.labels] == ["the other classes", "all the other classes"]
    assert matrix.one_vs_rest("b").labels == ("b", REST)
    assert "class 'the other classes'" in sy.measure("recall").why_undefined(
        sy.Confusion([[0, 0], [1, 1]], ["the other classes", "b"]), positive="the other classes"
    )


def test_a_class_called_the_cat_keeps_its_quotes() -> None:
    matrix = sy.Confusion([[0, 0], [1, 1]], ["the cat", "the dog"])
    assert sy.measure("macro_recall").why_undefined(matrix) == "there are no examples of class 'the cat'"
    words = sy.measure("recall").why_undefined([[0, 0], [1, 1]])
    assert words == "there are no examples of the positive class"


def test_a_class_whose_rows_weigh_nothing_does_not_occur() -> None:
    weights = [1.0, 1.0, 0.0]
    assert sy.Confusion.from_labels(list("abc"), list("abc"), sample_weight=weights).labels == ("a", "b")
    scores = sy.ScoreCounts.from_scores(list("abc"), [0.1, 0.2, 0.3], "a", sample_weight=weights)
    assert scores.labels == ("a", "b")


def test_a_table_that_names_a_class_twice_or_holds_its_sums_is_refused() -> None:
    table = pd.DataFrame([[3, 1], [2, 4]], index=["a", "b"], columns=["a", "b"])
    with pytest.raises(sy.InputError, match="a class is named twice; found 'a'"):
        sy.Confusion(table.set_axis(["a", "a"], axis=1))
    with pytest.raises(sy.InputError, match="a class is named twice; found 'b'"):
        sy.Confusion(table.set_axis(["b", "b"], axis=0))
    with pytest.raises(sy.InputError, match=r"no class in common; found 0, \.\.\. and 'a'"):
        sy.Confusion(table.reset_index(drop=True))
    truth, predicted = pd.Series(["a", "b", "b"]), pd.Series(["a", "b", "a"])
    with pytest.raises(sy.InputError, match="holds sums, not a class; found 'All'"):
        sy.Confusion(pd.crosstab(truth, predicted, margins=True))
    of_that_name = pd.DataFrame([[3, 1], [2, 4]], index=["b", "All"], columns=["b", "All"])
    assert sy.Confusion(of_that_name).labels == ("b", "All")


def test_a_matrix_of_a_matrix_keeps_its_classes() -> None:
    found = sy.Confusion.from_labels(["fraud", "ok", "ok"], ["fraud", "ok", "fraud"])
    again = sy.Confusion(found)
    assert (again.labels, again.listed) == (("fraud", "ok"), False)
    assert sy.Confusion(found, listed=True).listed
    assert sy.Confusion(found, ["x", "y"]).labels == ("x", "y")


# -- tables of pandas that end in sums, or whose sides differ

THREE_ROWS = pd.Series(list("abca")), pd.Series(list("abcc"))


@pytest.mark.parametrize("normalize", [False, "index", "columns", "all"])
def test_sums_of_a_cross_table_are_no_class(normalize: bool | str) -> None:
    table = pd.crosstab(*THREE_ROWS, margins=True, normalize=normalize)
    with pytest.raises(sy.InputError, match="holds sums, not a class; found 'All'"):
        sy.Confusion(table)


def test_a_class_may_be_called_like_a_sum() -> None:
    names = ["some", "all"]
    assert sy.Confusion(pd.DataFrame([[5, 5], [5, 3]], index=names, columns=names)).labels == ("some", "all")
    sums = pd.DataFrame([[5, 5], [5, 5]], index=names, columns=names)
    with pytest.raises(sy.InputError, match="holds sums"):
        sy.Confusion(sums)
    assert sy.Confusion(sums, labels=names).counts.tolist() == [[5, 5], [5, 5]]


def test_sides_without_a_class_in_common_are_believed_where_labels_name_them() -> None:
    table = pd.crosstab(pd.Series(list("ab")), pd.Series(list("cc")))
    with pytest.raises(sy.InputError, match="no class in common"):
        sy.Confusion(table)
    assert sy.Confusion(table, labels=iter("abc")).counts.tolist() == [[0, 0, 1], [0, 0, 1], [0, 0, 0]]


def test_indexes_of_other_types_hold_the_same_names() -> None:
    names = ["r0", "r1", "r2"]
    truth = pd.Series([0, 1, 1], index=pd.Index(names, dtype=object))
    told = pd.Series([0, 1, 0], index=pd.Index(names, dtype="string"))
    assert sy.Confusion.from_labels(truth, told).counts.tolist() == [[1, 0], [1, 1]]
    with pytest.raises(sy.InputError, match="indexes of two columns differ"):
        sy.Confusion.from_labels(truth, told[::-1])
