"""Are scores counted right, merged right, and refused where they cannot be used?"""

from __future__ import annotations

import warnings
from fractions import Fraction

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

import steelyard as sy
from steelyard.counts.labels import REST
from steelyard.errors import InputError, UnknownNameError
from steelyard.measures.measure import PositiveClassWarning
from tests.scores.cases import MANY_CLASS, drawn

AUC = sy.measure("roc_auc")
ROWS = st.lists(st.tuples(st.integers(0, 1), st.integers(-3, 3)), min_size=2, max_size=40).filter(
    lambda rows: len({y for y, _ in rows}) == 2
)


def pair_count_auc(rows):
    """The definition, pair by pair, in fractions."""
    positives, negatives = [s for y, s in rows if y], [s for y, s in rows if not y]
    wins = sum(Fraction((p > n) - (p < n) + 1, 2) for p in positives for n in negatives)
    return wins / (len(positives) * len(negatives))


@given(ROWS)
def test_auc_is_the_share_of_pairs_ranked_right(rows):
    scores = sy.ScoreCounts.from_scores([y for y, _ in rows], [float(s) for _, s in rows])
    assert AUC(scores) == pytest.approx(float(pair_count_auc(rows)), abs=1e-15)


@given(ROWS, st.integers(0, 40))
def test_parts_add_up_to_the_whole(rows, cut):
    truth, score = [y for y, _ in rows], [float(s) for _, s in rows]
    parts = [part for part in (slice(0, min(cut, len(rows))), slice(cut, None)) if truth[part]]
    counted = [sy.ScoreCounts.from_scores(truth[part], score[part], positive=1) for part in parts]
    merged = counted[0] if len(counted) == 1 else counted[0] + counted[1]
    assert merged == sy.ScoreCounts.from_scores(truth, score, positive=1)


@given(ROWS, st.lists(st.integers(1, 5), min_size=40, max_size=40))
def test_a_weight_is_so_many_equal_rows(rows, weights):
    truth, score, weights = [y for y, _ in rows], [float(s) for _, s in rows], weights[: len(rows)]
    weighted = sy.ScoreCounts.from_scores(truth, score, sample_weight=weights)
    repeated = sy.ScoreCounts.from_scores(np.repeat(truth, weights), np.repeat(score, weights))
    for name in ("roc_auc", "average_precision", "weighted_auc", "h_measure", "partial_auc"):
        assert sy.measure(name)(weighted, positive=1) == pytest.approx(
            sy.measure(name)(repeated, positive=1), abs=1e-12
        )


@given(ROWS, st.lists(st.integers(-4, 4), min_size=2, max_size=6, unique=True))
def test_binned_auc_stays_within_its_bound(rows, edges):
    truth, score = [y for y, _ in rows], [float(s) for _, s in rows]
    exact = AUC(sy.ScoreCounts.from_scores(truth, score))
    binned = sy.ScoreCounts.from_scores(truth, score, bins=sorted(edges))
    assert abs(AUC(binned) - exact) <= binned.auc_error_bound() + 1e-12


def test_bins_hold_their_start_and_merge():
    scores = sy.ScoreCounts.from_scores([1, 0, 1, 0], [0.0, 0.25, 0.26, 1.0], bins=4)
    positives, negatives = scores.ranked().positives, scores.ranked().negatives
    assert positives.scores.tolist() == [0.0, 0.25]
    assert negatives.scores.tolist() == [0.25, 0.75]
    # Of the four pairs, the one within the bin that starts at 0.25 is unknown: 1 / (2 * 4).
    assert scores.auc_error_bound() == 0.125
    assert (scores + scores).ranked().positives.counts.tolist() == [2, 2]
    assert sy.ScoreCounts.from_scores([1, 0], [0.1, 0.2]).auc_error_bound() == 0
    with pytest.raises(InputError, match="different bins"):
        scores + sy.ScoreCounts.from_scores([1, 0], [0.1, 0.2])
    for low, high in ((-1.0, 2.0), (-1.0, 0.5), (0.5, 2.0)):
        with pytest.raises(InputError, match=rf"divides 0..1; found scores from {low:g} to {high:g}"):
            sy.ScoreCounts.from_scores([1, 0], [low, high], bins=10)


def test_counts_are_integers_without_weights_and_ties_are_kept():
    scores = sy.ScoreCounts.from_scores(["b", "a", "b", "b"], [0.5, 0.5, 0.5, 0.25], positive="b")
    assert scores.labels == ("a", "b")
    assert scores.totals.tolist() == [1, 3]
    assert scores.totals.dtype == np.int64
    assert scores.ranked().positives.scores.tolist() == [0.25, 0.5]
    assert scores.ranked().positives.counts.tolist() == [1, 2]
    assert scores.to_dict()["examples"] == [1, 3]


@pytest.mark.parametrize(
    "make",
    [
        list,
        np.array,
        lambda v: np.array(v).reshape(-1, 1),
        pd.Series,
        lambda v: pd.Series(v, dtype="Float64"),
        pl.Series,
        pa.array,
        lambda v: pa.chunked_array([v[:2], v[2:]]),
    ],
)
def test_columns_of_every_library(make):
    score = [0.1, 0.4, 0.35, 0.8]
    assert sy.ScoreCounts.from_scores([0, 0, 1, 1], make(score)) == sy.ScoreCounts.from_scores(
        [0, 0, 1, 1], score
    )


@pytest.mark.parametrize("frame", [pd.DataFrame, pl.DataFrame, pa.table, dict])
def test_tables_are_matched_by_the_name_of_the_class(frame):
    case = MANY_CLASS["three classes"]
    names = ["c", "a", "b"]
    truth = [names[k] for k in case.truth]
    table = frame({name: case.array[:, k] for k, name in enumerate(names)})
    by_name = sy.ScoreCounts.from_scores(truth, table)
    assert by_name.labels == ("a", "b", "c")
    in_order = sy.ScoreCounts.from_scores(truth, case.array, labels=names)
    for name in ("hand_till", "ova_auc"):
        assert sy.measure(name)(by_name) == pytest.approx(sy.measure(name)(in_order))
    for label in names:
        assert AUC(by_name, positive=label) == AUC(in_order, positive=label)


def test_tables_merge_class_by_class():
    case = MANY_CLASS["three classes"]
    first = sy.ScoreCounts.from_scores(case.truth[:40], case.array[:40], labels=[0, 1, 2])
    second = sy.ScoreCounts.from_scores(case.truth[40:], case.array[40:], labels=[0, 1, 2])
    assert first + second == sy.ScoreCounts.from_scores(case.truth, case.array)


def test_the_positive_class_is_chosen_by_the_one_rule():
    assert sy.ScoreCounts.from_scores([0, 1, 1], [1, 2, 3]).positive.label == 1
    guessed = sy.ScoreCounts.from_scores(["ok", "ok", "bad"], [1, 2, 3])
    assert (guessed.positive.label, guessed.positive.reason, guessed.positive.guessed) == (
        "bad",
        "it is the rarer class",
        True,
    )
    with pytest.warns(PositiveClassWarning, match="'bad' is taken for the positive class"):
        assert AUC(guessed) == 1
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert AUC(guessed, positive="bad") == 1
    with pytest.raises(InputError, match="these are scores of class 'bad'"):
        AUC(guessed, positive="ok")


def test_one_class_against_the_rest():
    scores = sy.ScoreCounts.from_scores(["a", "b", "c", "a"], [0.9, 0.1, 0.5, 0.3], positive="a")
    assert scores.labels == ("a", REST)
    assert AUC(scores) == 0.75
    with pytest.raises(InputError, match="one column of scores is for two classes; found 3 classes"):
        sy.ScoreCounts.from_scores(["a", "b", "c", "a"], [0.9, 0.1, 0.5, 0.3])


def test_one_class_only_gives_a_reason():
    with pytest.raises(InputError, match="only one class occurs"):
        sy.ScoreCounts.from_scores(["ok", "ok"], [0.1, 0.2])
    without = sy.ScoreCounts.from_scores(["ok", "ok"], [0.1, 0.2], positive="fraud")
    assert np.isnan(AUC(without))
    assert AUC.why_undefined(without) == "there are no examples of class 'fraud'"
    only = sy.ScoreCounts.from_scores(["fraud", "fraud"], [0.1, 0.2], positive="fraud")
    assert AUC.why_undefined(only) == "there are no examples of the other classes"
    assert sy.measure("average_precision")(only) == 1
    assert np.isnan(sy.measure("average_precision").at_priors(0.01)(only))
    assert (without + only).labels == ("fraud", "ok")
    assert AUC(without + only) == 0.5


def test_missing_scores_are_refused_dropped_or_lowest():
    truth, score = [1, 0, 1, 0, 1], [0.9, np.nan, 0.4, 0.5, np.nan]
    with pytest.raises(InputError, match="NaN in 2 of 5 rows, the first at row 1"):
        sy.ScoreCounts.from_scores(truth, score)
    dropped = sy.ScoreCounts.from_scores(truth, score, missing="drop")
    assert dropped.dropped == 2
    assert dropped.totals.tolist() == [1, 2]
    lowest = sy.ScoreCounts.from_scores(truth, score, missing="lowest")
    assert lowest.totals.tolist() == [2, 3]
    assert lowest.ranked().negatives.scores.tolist() == [-np.inf, 0.5]
    with pytest.raises(InputError, match="no row has a score; found 2 rows without one"):
        sy.ScoreCounts.from_scores([0, 1], [np.nan, np.nan], missing="drop")
    with pytest.raises(UnknownNameError, match="way to treat missing scores 'ignore'"):
        sy.ScoreCounts.from_scores(truth, score, missing="ignore")
    with pytest.raises(InputError, match="NaN in 1 of 2 rows"):
        sy.ScoreCounts.from_scores([0, 1], [None, 0.5])


def test_probabilities_are_checked():
    with pytest.raises(InputError, match=r"2 scores outside 0..1, the farthest -0.5 at row 2"):
        sy.ScoreCounts.from_scores([0, 1, 0], [1.2, 0.5, -0.5], probabilities=True)
    with pytest.raises(
        InputError, match=r"1 rows that do not, the worst row 1 \(counted from 0\) with a sum of 0.9"
    ):
        sy.ScoreCounts.from_scores(
            [0, 1, 2], [[0.2, 0.3, 0.5], [0.1, 0.3, 0.5], [0.0, 0.0, 1.0]], probabilities=True
        )
    sy.ScoreCounts.from_scores(
        [0, 1, 2], [[0.2, 0.3, 0.5], [0.1, 0.3, 0.6], [1e-7, 0.0, 1.0]], probabilities=True
    )


@pytest.mark.parametrize(
    ("truth", "score", "options", "words"),
    [
        ([], [], {}, "nothing to count"),
        ([0, 1], [0.5], {}, "differ in length; found 2 and 1 rows"),
        ([0, 1], ["a", "b"], {}, "is not a column of numbers"),
        ([0, 1], [[0.1, 0.2, 0.7], [0.1, 0.2, 0.7]], {}, "3 columns for 2 classes"),
        ([0, 1], np.full((2, 2, 2), 0.5), {}, r"shape \(2, 2, 2\)"),
        ([0, 1], [0.1, 0.2], {"positive": 7}, "no class 7"),
        ([0, 1], [0.1, 0.2], {"labels": [0, 2]}, "no class in labels= for the truth 1"),
        ([0, 1], [0.1, 0.2], {"sample_weight": [1, -1]}, "not negative"),
        ([0, 1, 2], np.eye(3), {"positive": 1}, "none is the positive one yet"),
        ([0, 1, 5], {0: [0.1] * 3, 1: [0.2] * 3, 2: [0.3] * 3}, {}, "no score column for class 5"),
        ([0, 1], [0.1, 0.2], {"bins": [1.0, 1.0]}, "edges of the bins are not usable"),
        ([0, 1], [0.1, 0.2], {"bins": 0}, "there must be bins"),
    ],
)
def test_bad_input(truth, score, options, words):
    with pytest.raises(InputError, match=words):
        sy.ScoreCounts.from_scores(truth, score, **options)


def test_scores_of_different_classes_do_not_merge():
    truth, score = drawn(20, 5, 3, 1)
    with pytest.raises(InputError, match="scores of class 1 and of class 0"):
        sy.ScoreCounts.from_scores(truth, score, positive=1) + sy.ScoreCounts.from_scores(
            truth, score, positive=0
        )
    with pytest.raises(InputError, match="1 and 3 score columns"):
        sy.ScoreCounts.from_scores(truth, score) + sy.ScoreCounts.from_scores([0, 1, 2], np.eye(3))


def test_float32_ties_are_those_of_float32():
    near = [0.5, 0.5 + 1e-9]
    assert AUC(sy.ScoreCounts.from_scores([0, 1], np.array(near))) == 1
    assert AUC(sy.ScoreCounts.from_scores([0, 1], np.array(near, dtype=np.float32))) == 0.5


def test_text_and_wide_integer_labels():
    assert AUC(sy.ScoreCounts.from_scores([10**12, 5, 10**12], [0.1, 0.2, 0.3], positive=10**12)) == 0.5
    assert AUC(sy.ScoreCounts.from_scores([True, False, True], [0.1, 0.2, 0.3])) == 0.5
    assert AUC(sy.ScoreCounts.from_scores([1, 0, 1], [0.1, 0.2, 0.3], positive="1")) == 0.5


def test_repr_says_what_is_held():
    text = repr(sy.ScoreCounts.from_scores(["ok", "bad", "ok"], [0.1, 0.2, 0.3], positive="bad", bins=10))
    assert text == "ScoreCounts of 2 classes (bad: 1, ok: 2), scores of class 'bad', in 10 bins"


def asked_of_misaligned_rows():
    truth = pd.Series([1, 0, 1, 0], index=[3, 1, 0, 2])
    score = pd.Series([0.9, 0.2, 0.7, 0.4])
    both = {0: 1 - score, 1: score}
    return {
        "one column": lambda: sy.ScoreCounts.from_scores(truth, score),
        "a table": lambda: sy.ScoreCounts.from_scores(truth, pd.DataFrame(both)),
        "a mapping": lambda: sy.ScoreCounts.from_scores(truth, both),
        "weights": lambda: sy.ScoreCounts.from_scores(truth, score.to_numpy(), sample_weight=score),
        "a measure": lambda: sy.measure("roc_auc").score(truth, score),
        "evaluate": lambda: sy.evaluate(truth, scores=both),
        "delong": lambda: sy.delong(truth, score, 1 - score),
        "one score of another": lambda: sy.delong(truth.to_numpy(), score, score.set_axis(truth.index)),
        "class weights": lambda: sy.best_class_weights(truth, both, "gmean"),
        "priors": lambda: sy.estimate_priors(truth, score=score, unlabelled=[0.2, 0.8]),
        "a tally": lambda: sy.Tally().update(truth, truth, weight=score),
        "several labels": lambda: sy.evaluate_multilabel(
            pd.DataFrame({"a": truth, "b": 1 - truth}), pd.DataFrame({"a": truth, "b": truth}).sort_index()
        ),
    }


@pytest.mark.parametrize("asked", list(asked_of_misaligned_rows()))
def test_scores_and_weights_of_rows_named_differently_are_refused(asked):
    with pytest.raises(InputError, match="the indexes of two columns differ"):
        asked_of_misaligned_rows()[asked]()
