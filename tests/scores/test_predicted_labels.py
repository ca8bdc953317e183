"""Which labels do scores stand for: the largest score, a threshold, or what costs least where that was asked for?"""

from __future__ import annotations

import pandas as pd
import pytest

import steelyard as sy
from steelyard.reading.cost_input import parse_costs
from steelyard.reading.score_counting import ScoreReading
from steelyard.scores.predicted_labels import count_labels
from steelyard.scores.score_options import CHEAPEST, AskedScores

TRUTH = ["a", "b", "c", "a"]
TABLE = [[0.5, 0.4, 0.1], [0.3, 0.6, 0.1], [0.2, 0.2, 0.6], [0.1, 0.8, 0.1]]
COST = "a>*=100, b>*=1, c>*=1"


def matrix_of(**how):
    scores = {name: [row[i] for row in TABLE] for i, name in enumerate("abc")}
    return sy.evaluate(TRUTH, scores=scores, interval=None, **how).matrix.counts.tolist()


def test_costs_choose_labels_only_if_asked():
    """Missing an a costs 100 times as much: at probabilities of 0.1 or more a is the cheapest label of every row."""
    largest = [[1, 1, 0], [0, 1, 0], [0, 0, 1]]
    assert matrix_of() == matrix_of(cost=COST) == largest
    assert matrix_of(cost=COST, threshold="cheapest") == [[2, 0, 0], [1, 0, 0], [1, 0, 0]]


@pytest.mark.parametrize("score", [[0.2, 0.9, 1.5], [-0.1, 0.9, 0.5]])
def test_the_cheapest_label_needs_probabilities(score):
    with pytest.raises(sy.InputError, match="the cheapest label needs probabilities"):
        sy.evaluate(
            [0, 1, 1], score=score, positive=1, threshold="cheapest", cost="1>0=5, 0>1=1", interval=None
        )


def test_a_cluster_is_not_asked_for_the_cheapest_of_many_classes():
    asked = AskedScores("p_*", True, CHEAPEST, None, ScoreReading(engine="spark"), parse_costs(COST))
    scores = sy.ScoreCounts.from_scores(TRUTH, TABLE, labels=list("abc"))
    with pytest.raises(sy.InputError, match="the cheapest label of many classes is found on this machine"):
        count_labels(asked, scores, None, "rows.csv", truth="y", weight=None, slices=(), missing="error")


def test_predictions_beside_scores_in_memory():
    result = sy.evaluate([0, 1, 1, 0], [0, 1, 0, 0], score=[0.1, 0.9, 0.4, 0.2], positive=1, interval=None)
    assert result.matrix.select([1, 0]).counts.tolist() == [[1, 1], [0, 2]]
    assert result.to_dict()["source"]["unused_columns"] == []


FRAME = pd.DataFrame(
    {
        "y": ["ill"] * 3 + ["well"] * 4,
        "p": [0.9, 0.8, 0.4, 0.7, 0.3, 0.2, 0.1],
        "country": list("xyxyxyx"),
        "w": [2, 1, 1, 1, 1, 1, 3],
    }
)


@pytest.mark.parametrize("kind", ["frame", "file"])
def test_rows_at_a_threshold_with_weights_slices_and_gaps(kind, tmp_path):
    """At 0.5 two of three ill and one of four well are called; the first row counts twice and the last three times; in country x
    one of two ill, in y one of one, and one of two well."""

    def matrix(frame, **how):
        source = frame if kind == "frame" else tmp_path / "rows.csv"
        if kind == "file":
            frame.to_csv(source, index=False)
        given = {"truth": "y", "score": "p", "threshold": 0.5, "positive": "ill", "interval": None}
        return sy.evaluate(source, **given, **how)

    plain = matrix(FRAME)
    assert plain.matrix.counts.tolist() == [[2, 1], [1, 3]]
    assert plain.to_dict()["source"]["unused_columns"] == ["country", "w"]
    assert matrix(FRAME, weight="w").matrix.counts.tolist() == [[3, 1], [1, 5]]
    x, y = matrix(FRAME, slices="country").to_dict()["slices"]["rows"]
    assert (x["slice"], x["values"]["recall"], x["values"]["precision"]) == (["x"], 0.5, 1)
    assert (y["slice"], y["values"]["recall"], y["values"]["precision"]) == (["y"], 1, 0.5)
    gap = FRAME.assign(p=[0.9, None, 0.4, 0.7, 0.3, 0.2, 0.1])
    assert matrix(gap, missing="drop").matrix.counts.tolist() == [[1, 1], [1, 3]]


@pytest.mark.parametrize("kind", ["frame", "file"])
def test_the_largest_of_named_columns(kind, tmp_path):
    frame = pd.DataFrame({"y": TRUTH, **{f"p_{k}": [row[i] for row in TABLE] for i, k in enumerate("cab")}})
    source = frame if kind == "frame" else tmp_path / "rows.csv"
    if kind == "file":
        frame.to_csv(source, index=False)
    result = sy.evaluate(source, truth="y", scores="p_*", interval=None)
    # the columns are those of c, a and b
    assert result.matrix.select(list("abc")).counts.tolist() == [[1, 0, 1], [1, 0, 0], [0, 1, 0]]


def test_predictions_beside_a_column_of_scores():
    frame = FRAME.assign(yhat=["ill", "well", "well", "ill", "well", "well", "well"])
    given = {"truth": "y", "pred": "yhat", "score": "p", "positive": "ill", "interval": None}
    result = sy.evaluate(frame, **given)
    assert result.matrix.counts.tolist() == [[1, 2], [1, 3]]
    assert result.to_dict()["source"]["unused_columns"] == ["country", "w"]


def test_two_columns_and_a_positive_class():
    p = FRAME.p.to_numpy()
    result = sy.evaluate(FRAME.y, scores={"ill": p, "well": 1 - p}, positive="ill", interval=None)
    assert result.matrix.select(["ill", "well"]).counts.tolist() == [[2, 1], [1, 3]]
    assert result.ranking.classes[0].label == "ill"


def test_other_rows_and_labels_only_where_they_are_meant():
    other = ([0, 1], [0.1, 0.9])
    assert AskedScores.of([0.2, 0.8], None, "best:gmean", other).fit_on == other
    for threshold in (0.5, "0.5", None):
        with pytest.raises(sy.InputError, match="there is nothing to choose on other rows"):
            AskedScores.of([0.2, 0.8], None, threshold, other)
    bare = AskedScores.of([0.2, 0.8], None, None, None)
    assert not bare.gives_labels([0, 1], [0, 1], None)
    with pytest.raises(sy.InputError, match="scores alone give no predicted labels"):
        bare.gives_labels([0, 1], None, None)
