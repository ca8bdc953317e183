"""Counts at the edges of what is allowed, labels far apart, sets of labels and held cells: each against plain counting."""

from __future__ import annotations

import random
from collections import Counter
from dataclasses import replace

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

import steelyard as sy
from steelyard.counts.encoding import missing_rows
from steelyard.counts.label_sets import LabelSets, distinct
from steelyard.counts.labels import REST, is_missing, plain_label
from steelyard.counts.ties import Ties

FAR = (
    [0, 1], [-3, 5], [0, 2**31 - 1], [-(2**31), 0], [-(2**31) + 1, -(2**31)], [2**31, 2**31 + 1], [2**31 - 2, 2**31 - 1],
    [-(2**40), 2**40], [0, 255], [0, 256], [0, 1023], [0, 1024], [0, 5000], [-128, 127], [2**62, 2**62 + 1], [10, 11, 400, 100_000],
)  # fmt: skip


@pytest.mark.parametrize("labels", FAR, ids=str)
@pytest.mark.parametrize("weighted", [False, True])
def test_whole_numbers_however_far_apart_are_counted(labels: list[int], weighted: bool) -> None:
    rng = random.Random(str(labels))
    truth, pred = ([rng.choice(labels) for _ in range(40)] for _ in range(2))
    weights = [rng.choice([1, 2, 4]) for _ in truth] if weighted else None
    plain: Counter[tuple[int, int]] = Counter()
    for i, pair in enumerate(zip(truth, pred, strict=True)):
        plain[pair] += 1 if weights is None else weights[i]
    found = sy.Confusion.from_labels(np.array(truth), np.array(pred), sample_weight=weights)
    assert list(found.labels) == sorted({*truth, *pred})
    for i, one in enumerate(found.labels):
        for j, other in enumerate(found.labels):
            assert found.counts[i, j] == plain[one, other]


def test_labels_that_show_up_after_the_first_rows() -> None:
    truth = np.zeros(70_000, dtype=np.int64)
    truth[-1], truth[-2] = 7, -900_000
    found = sy.Confusion.from_labels(truth, np.zeros_like(truth))
    assert list(found.labels) == [-900_000, 0, 7]
    assert found.counts[:, 1].tolist() == [1, 69_998, 1]


def test_counts_that_are_too_large() -> None:
    largest = 2**63 - 2048
    assert sy.Confusion([[largest, 0], [0, 0]]).counts[0, 0] == largest
    with pytest.raises(sy.InputError, match="too large together"):
        sy.Confusion([[2**62, 2**62], [0, 0]])
    with pytest.raises(sy.InputError, match="too large"):
        sy.Confusion(np.array([[2**63, 0], [0, 1]], dtype=np.uint64))
    assert sy.Confusion([[2.0**63, 0.0], [0.0, 1.0]]).counts.dtype == np.float64


def test_whole_numbers_kept_as_objects_are_counts() -> None:
    """pandas and JSON hand over Python's own integers; they are the same counts."""
    counts = [[200, 126], [0, 10**12]]
    found = sy.Confusion(np.array(counts, dtype=object))
    assert found.counts.tolist() == counts
    assert found.counts.dtype == np.int64


def test_frames_of_every_library_without_names_are_matrices() -> None:
    for frame in (pd.DataFrame([[5, 1], [2, 7]]), pl.DataFrame({"a": [5, 2], "b": [1, 7]})):
        assert sy.Confusion(frame).counts.tolist() == [[5, 1], [2, 7]]


@pytest.mark.parametrize(
    ("counts", "words"),
    [
        ([1, 2], "not square"),
        (pd.Series([1, 2]), "not square"),
        ([[1, 2]], "not square"),
        (np.zeros((0, 0)), "empty"),
        ([[1, 2], [3]], "ragged"),
        ([[1, -1], [0, 0]], "negative"),
        ([[1.0, np.nan], [0, 0]], "NaN or infinity"),
        ([[1.0, np.inf], [0, 0]], "NaN or infinity"),
        ([["a", "b"], ["c", "d"]], "numbers"),
        (np.ma.masked_equal([[1, 2], [3, 4]], 3), "masked"),
    ],
)
def test_what_is_no_matrix_of_counts(counts, words) -> None:
    with pytest.raises(sy.InputError, match=words):
        sy.Confusion(counts)


@pytest.mark.parametrize(
    ("labels", "words"),
    [
        (["a", "a"], "named twice"),
        (["a", "b", "a"], "named twice"),
        ([1, 1.0], "named twice"),
        ("ab", "list of class names"),
        ([], "empty"),
        (["a", None], "no name"),
        (["a", float("nan")], "no name"),
        (["a", ["b"]], "cannot be a label"),
    ],
)
def test_what_is_no_list_of_labels(labels, words) -> None:
    with pytest.raises(sy.InputError, match=words):
        sy.Confusion(np.ones((max(len(labels), 1),) * 2), labels)


# -- sets of labels

TRUTH = np.array([[1, 0, 1], [1, 0, 1], [0, 0, 0], [1, 1, 0], [0, 1, 1]])
GIVEN = np.array([[1, 0, 1], [1, 0, 1], [0, 1, 0], [1, 0, 0], [1, 1, 0]])


def test_sets_of_labels_by_hand() -> None:
    sets = LabelSets.from_tables(TRUTH, GIVEN, ["a", "b", "c"])
    assert sets.n_rows == 5
    assert sets.rows_all_right == 2
    assert sets.errors == 4
    assert len(sets.rows) == 4  # the first two rows are alike
    for k in range(3):
        t, p = TRUTH[:, k] == 1, GIVEN[:, k] == 1
        assert sets.by_label.counts[k].tolist() == [
            [(t & p).sum(), (t & ~p).sum()],
            [(~t & p).sum(), (~t & ~p).sum()],
        ]
    for kind in range(len(sets.rows)):
        t, p = sets.truth[kind], sets.predicted[kind]
        assert sets.by_row.counts[kind].tolist() == [
            [(t & p).sum(), (t & ~p).sum()],
            [(~t & p).sum(), (~t & ~p).sum()],
        ]
    twice = sets.matrices(np.stack([sets.rows, 2 * sets.rows]))
    assert (twice[1].counts == 2 * twice[0].counts).all()


def test_tables_that_lack_something() -> None:
    holes = TRUTH.astype(object)
    holes[1, 0] = None
    with pytest.raises(sy.InputError, match="missing"):
        LabelSets.from_tables(holes, GIVEN)
    kept = LabelSets.from_tables(holes, GIVEN, missing="drop")
    assert (kept.n_rows, kept.dropped) == (4, 1)
    floats = TRUTH.astype(float)
    floats[0, 2] = np.nan
    assert LabelSets.from_tables(floats, GIVEN, missing="drop").n_rows == 4
    nullable = pd.DataFrame(TRUTH).astype("Int64")
    nullable.iloc[4, 1] = pd.NA
    with pytest.raises(sy.InputError, match="some labels are missing; found none in 1 of 5 rows"):
        LabelSets.from_tables(nullable, GIVEN)
    assert LabelSets.from_tables(nullable, GIVEN, missing="drop").n_rows == 4
    assert LabelSets.from_tables(TRUTH, GIVEN).labels == ("label 1", "label 2", "label 3")
    for truth, given in (
        (TRUTH, GIVEN[:, :2]),
        (TRUTH, GIVEN[:4]),
        (TRUTH[:, 0], GIVEN[:, 0]),
        ([["a"]], [["b"]]),
        (TRUTH * 2, GIVEN),
    ):
        with pytest.raises(sy.InputError):
            LabelSets.from_tables(truth, given)
    for names in (["a", "b"], ["a", "a", "b"]):
        with pytest.raises(sy.InputError, match="labels do not fit"):
            LabelSets.from_tables(TRUTH, GIVEN, names)


def test_rows_that_are_alike_are_counted() -> None:
    rows, times = distinct(np.array([[1, 0], [0, 1], [1, 0], [1, 0]]))
    assert sorted(zip(rows.tolist(), times.tolist(), strict=True)) == [([0, 1], 1), ([1, 0], 3)]
    assert distinct(np.zeros((0, 2)))[1].tolist() == []


# -- held cells


@pytest.mark.parametrize("seed", range(5))
def test_held_cells_are_those_of_the_matrix(seed: int) -> None:
    rng = np.random.default_rng(seed)
    counts = rng.integers(1, 9, (7, 7)) * (rng.random((7, 7)) < 0.3)
    held = sy.Confusion(counts).held
    assert held.places.sums(held.values, 0).tolist() == counts.sum(axis=0).tolist()
    assert held.places.sums(held.values, 1).tolist() == counts.sum(axis=1).tolist()
    assert held.values[held.places.diagonal].sum() == np.trace(counts)
    kept = (counts.sum(axis=0) + counts.sum(axis=1)) > 0
    fewer = held.places.only(kept)
    assert fewer.size == kept.sum()
    again = np.zeros((fewer.size, fewer.size), dtype=counts.dtype)
    again[fewer.rows, fewer.columns] = held.values
    assert again.tolist() == counts[kept][:, kept].tolist()


def test_no_cell_holds_anything() -> None:
    held = sy.Confusion(np.zeros((3, 3), dtype=int)).held
    assert held.places.sums(held.values, 0).tolist() == [0, 0, 0]


def test_a_count_too_large_is_named_before_a_negative_one() -> None:
    with pytest.raises(sy.InputError, match="a count is too large"):
        sy.Confusion([[2**63, -1], [0, 1]])  # NumPy makes floats of these integers


def test_what_cannot_be_compared_is_not_missing() -> None:
    assert is_missing(np.array([1, 2])) is False
    assert missing_rows(np.array(["a", None, float("nan")], dtype=object)).tolist() == [False, True, True]
    assert missing_rows(np.array([1.0, np.nan])).tolist() == [False, True]
    assert missing_rows(pa.array([1.0, float("nan"), None])).tolist() == [False, True, True]


def test_words_of_our_own_become_plain_text() -> None:
    assert plain_label(REST) == str(REST)
    assert [plain_label(label) for label in ("a", 3, np.int64(2), float("inf"))] == ["a", 3, 2, "inf"]


def test_rows_of_weight_0_are_no_examples() -> None:
    counted = Ties.of(np.array([0.2, 0.1, 0.3]), np.array([1.0, 0.0, 2.0]))
    assert (counted.scores.tolist(), counted.counts.tolist()) == ([0.2, 0.3], [1.0, 2.0])


def test_whole_scores_of_pandas_keep_their_sign_and_size() -> None:
    for dtype, scores in (("Int64", [-1, 2]), ("UInt64", [2**63, 2**63 + 2048])):
        counted = sy.ScoreCounts.from_scores([0, 1], pd.Series(scores, dtype=dtype), positive=1)
        sides = counted.ranked()
        assert [float(sides.negatives.scores[0]), float(sides.positives.scores[0])] == scores


def test_edges_of_bins_are_finite_and_rise() -> None:
    for bins in ([0, 0.5, np.inf], [0, 0.6, 0.5], [0.5]):
        with pytest.raises(sy.InputError, match="edges of the bins are not usable"):
            sy.ScoreCounts.from_scores([0, 1], [0.1, 0.9], positive=1, bins=bins)
    assert sy.ScoreCounts.from_scores([0, 1], [0.1, 0.9], positive=1, bins=4).to_dict()["bins"] == 4


def test_probabilities_of_0_and_1_have_a_decision_curve() -> None:
    counted = sy.ScoreCounts.from_scores([0, 0, 1, 1], [0.0, 0.5, 0.5, 1.0], positive=1)
    # from 0.5 on two hits and one false alarm in four rows, which costs 1 : 1
    assert sy.curves.decision_curve(counted, [0.5]).net_benefit.tolist() == [(2 - 1) / 4]


def test_scores_of_more_classes_are_not_added() -> None:
    three, four = (sy.ScoreCounts.from_scores(range(size), np.eye(size)) for size in (3, 4))
    with pytest.raises(sy.InputError, match="3 and 4 score columns"):
        three + four
    assert (three + replace(three, own_places=None)).own_places is None
