"""Joint counts of several models."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

import steelyard as sy
from steelyard.counts.joint import JointCounts

ROWS = st.lists(
    st.tuples(st.sampled_from("abc"), st.sampled_from("abcd"), st.sampled_from("ab")), min_size=1, max_size=40
)


@given(ROWS)
def test_counts_of_rows(rows: list[tuple[str, str, str]]) -> None:
    y, p, q = (list(column) for column in zip(*rows, strict=True))
    joint = JointCounts.from_columns(y, {"p": p, "q": q})
    cells = {
        (joint.labels[t], joint.labels[a], joint.labels[b]): int(n)
        for t, (a, b), n in zip(joint.truth, joint.predictions, joint.counts, strict=True)
    }
    assert cells == {row: rows.count(row) for row in rows}
    for k, column in enumerate((p, q)):
        assert np.array_equal(
            joint.matrix(k).counts, sy.Confusion.from_labels(y, column, labels=joint.labels).counts
        )


def test_labels_are_the_union() -> None:
    joint = JointCounts.from_columns([1, 1, 2], {"a": [1, 7, 2], "b": [5, 1, 1]})
    assert joint.labels == (1, 2, 5, 7)
    assert joint.actual.tolist() == [2, 1, 0, 0]


def test_kinds_of_columns() -> None:
    plain = JointCounts.from_columns(["x", "y", "y"], {"a": ["x", "x", "y"], "b": ["y", "y", "y"]})
    other = JointCounts.from_columns(
        pd.Categorical(["x", "y", "y"]), {"a": pd.Series(["x", "x", "y"]), "b": np.array(["y", "y", "y"])}
    )
    assert plain.labels == other.labels
    assert np.array_equal(plain.predictions, other.predictions)
    assert np.array_equal(plain.counts, other.counts)


def test_folds() -> None:
    joint = JointCounts.from_columns(
        [0, 0, 1, 1], {"a": [0, 1, 1, 1], "b": [0, 0, 0, 1]}, folds=["u", "v", "u", "v"]
    )
    matrices = joint.by_fold()
    assert matrices.shape == (2, 2, 2, 2)
    assert matrices[0].tolist() == [[[1, 0], [0, 1]], [[0, 1], [0, 1]]]
    assert (matrices.sum(axis=1)[1] == joint.matrix(1).counts).all()


@pytest.mark.parametrize("folds", [None, list("uvuvvu")])
def test_one_class_against_the_rest_keeps_the_folds(folds: list[str] | None) -> None:
    y, p = list("aabbcc"), list("abbcca")
    joint = JointCounts.from_columns(y, {"p": p}, folds=folds).one_vs_rest("b")
    assert [str(label) for label in joint.labels] == ["b", "the other classes"]
    assert joint.matrix(0).counts.tolist() == [[1, 1], [1, 3]]
    if folds is None:
        assert joint.folds is None
    else:  # u: a as a, b as b, c as a; v: a as b, b as c, c as c
        assert joint.by_fold()[0].tolist() == [[[1, 0], [0, 2]], [[0, 1], [1, 1]]]


def test_twins() -> None:
    joint = JointCounts.from_columns(
        [0, 1, 1], {"a": [0, 1, 0], "b": [1, 1, 0], "c": [0, 1, 0], "d": [1, 1, 0]}
    )
    assert joint.twins.tolist() == [0, 1, 0, 1]


@pytest.mark.parametrize(
    ("y", "columns", "folds", "told"),
    [
        ([1, 2], {"a": [1, 2], "b": [1]}, None, "y_true and 'b' differ in length; found 2 and 1 rows"),
        ([1, 2], {"a": [1, 2], "b": [1, 2]}, [1], "y_true and 'folds' differ in length"),
        ([], {"a": [], "b": []}, None, "nothing to count"),
        ([1, 2], {"a": [1, None], "b": [1, 2]}, None, "the prediction 'a' has missing labels"),
        ([1, 2], {"a": ["1", "2"], "b": [1, 2]}, None, "no label in common"),
    ],
)
def test_bad_columns(
    y: list[object], columns: dict[str, list[object]], folds: list[int] | None, told: str
) -> None:
    with pytest.raises(sy.InputError, match=told):
        JointCounts.from_columns(y, columns, folds=folds)


def test_a_label_that_is_not_listed() -> None:
    with pytest.raises(sy.InputError, match="no class in labels= 'z'"):
        JointCounts.from_columns(["x", "y"], {"a": ["x", "z"], "b": ["x", "y"]}, labels=["x", "y"])
