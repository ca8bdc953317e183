"""Which labels do scores stand for: the largest score, a threshold, or what costs least where that was asked for?"""

from __future__ import annotations

import pytest

import steelyard as sy
from steelyard.reading.said_costs import said_costs
from steelyard.reading.score_groups import ClusterReading
from steelyard.scores.asked import CHEAPEST, AskedScores
from steelyard.scores.labels import count_labels

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
    asked = AskedScores("p_*", True, CHEAPEST, None, ClusterReading(engine="spark"), said_costs(COST))
    scores = sy.ScoreCounts.from_scores(TRUTH, TABLE, labels=list("abc"))
    with pytest.raises(sy.InputError, match="the cheapest label of many classes is found on this machine"):
        count_labels(asked, scores, None, "rows.csv", truth="y", weight=None, slices=(), missing="error")


def test_predictions_beside_scores_in_memory():
    result = sy.evaluate([0, 1, 1, 0], [0, 1, 0, 0], score=[0.1, 0.9, 0.4, 0.2], positive=1, interval=None)
    assert result.matrix.select([1, 0]).counts.tolist() == [[1, 1], [0, 2]]
    assert result.to_dict()["source"]["unused_columns"] == []
