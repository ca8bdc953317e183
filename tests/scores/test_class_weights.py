"""Do weights of the classes' scores make a measure better, and are they what they say?"""

from __future__ import annotations

import itertools

import numpy as np
import pytest

import steelyard as sy
from steelyard.errors import InputError
from steelyard.scores.class_weights import best_class_weights
from tests.scores.cases import MANY_CLASS, drawn


def labelled(case, weights):
    predicted = np.argmax(case.array * np.array(weights), axis=1)
    return sy.Confusion.from_labels(case.truth, predicted, labels=case.labels)


@pytest.mark.parametrize("name", ["macro_recall", "gmean", "IAM", "mcc", "error_rate"])
@pytest.mark.parametrize("case", ["three classes", "four classes, many ties"])
def test_the_value_is_that_of_the_weights_and_never_worse_than_without(name, case):
    chosen, measure = MANY_CLASS[case], sy.measure(name)
    found = best_class_weights(chosen.truth, chosen.array, name)
    assert found.value == pytest.approx(measure(labelled(chosen, found.weights)))
    assert found.unweighted == pytest.approx(measure(labelled(chosen, [1] * len(chosen.labels))))
    assert found.value <= found.unweighted if measure.better == "lower" else found.value >= found.unweighted
    assert found.applied_to(chosen.truth, chosen.array) == pytest.approx(found.value)


def test_no_single_weight_can_be_bettered():
    case, measure = MANY_CLASS["three classes"], sy.measure("macro_recall")
    found = best_class_weights(case.truth, case.array, "macro_recall")
    for k, factor in itertools.product(range(3), np.geomspace(0.05, 20, 400)):
        other = list(found.weights)
        other[k] *= factor
        assert measure(labelled(case, other)) <= found.value + 1e-12


def test_two_classes_find_the_best_threshold():
    truth, score = drawn(200, 40, 5, 31, 12)
    score = np.clip(score, 0.01, 0.99)
    table = np.column_stack([1 - score, score])
    found = best_class_weights(truth, table, "macro_recall")
    from steelyard.scores.threshold_selection import best_threshold

    assert found.value == pytest.approx(
        best_threshold(sy.ScoreCounts.from_scores(truth, score), "macro_recall", replicates=0).value
    )


def test_one_turning_point_is_passed():
    """Both rows turn to class 1 where it weighs 0.6 / 0.4 or more."""
    found = best_class_weights([1, 1], [[0.6, 0.4], [0.6, 0.4]], "accuracy", labels=[0, 1])
    assert (found.unweighted, found.value) == (0, 1)
    assert found.weights[1] * 0.4 > found.weights[0] * 0.6
    with pytest.raises(InputError, match="do not fit the classes; found 3 columns for 2 classes"):
        best_class_weights([0, 1], np.eye(3)[:2], "accuracy", labels=[0, 1])


def test_names_weights_priors_and_relevance():
    case = MANY_CLASS["three classes"]
    names = ["c", "a", "b"]
    truth = [names[k] for k in case.truth]
    table = {name: case.array[:, k] for k, name in enumerate(names)}
    found = best_class_weights(truth, table, "accuracy", priors={"a": 0.9, "b": 0.05, "c": 0.05})
    assert found.labels == ("c", "a", "b")
    assert found.predicted(table).count("a") > truth.count("a")
    assert best_class_weights(truth, table, "macro_recall", relevance={"a": 1, "b": 0, "c": 0}).value == 1
    doubled = best_class_weights(truth, table, "gmean", sample_weight=[2.0] * len(truth))
    assert doubled.value == pytest.approx(best_class_weights(truth, table, "gmean").value)
    assert found.to_dict()["weights"].keys() == {"a", "b", "c"}


def test_columns_without_names_are_those_of_the_classes_in_sorted_order():
    """As scikit-learn's predict_proba has them, whichever class comes first in the rows."""
    truth = ["c", "a", "b", "c", "b"]
    table = np.array([["abc".index(label) == k for k in range(3)] for label in truth], dtype=float)
    found = best_class_weights(truth, table, "macro_recall")
    assert (found.labels, found.unweighted, found.value) == (("a", "b", "c"), 1, 1)


@pytest.mark.parametrize(
    ("truth", "table", "measure", "words"),
    [
        ([0, 1], [[0.1, 0.9], [-0.5, 0.5]], "accuracy", "not negative"),
        ([0, 1], [0.1, 0.9], "accuracy", "do not fit the classes"),
        ([0, 1], np.eye(2), "precision", "cannot be maximised over classes"),
        ([0, 1, 0], np.eye(2), "accuracy", "differ in length"),
        ([0, 7], {0: [0.1, 0.2], 1: [0.9, 0.8]}, "accuracy", "no score column for class 7"),
        ([0, 1], [[np.nan, 0.9], [0.5, 0.5]], "accuracy", "scores are missing"),
    ],
)
def test_bad_input(truth, table, measure, words):
    with pytest.raises(InputError, match=words):
        best_class_weights(truth, table, measure)


def test_a_gap_that_rounding_makes_hides_no_better_weight():
    """Two turning points of class c are both 40.5, one of them but for rounding: what lies between them seems best
    and is nothing. The weight 81 of c turns rows 5 and 10 too: kappa 3/19 by hand, from 9 right of 16 (8 c and 1 a)
    where chance gives (1 * 3 + 0 * 5 + 15 * 8) / 16^2."""
    truth = [0, 2, 2, 2, 1, 2, 1, 0, 2, 1, 1, 2, 2, 0, 1, 2]
    table = np.array(
        [
            *([0.2, 0.6, 0.6], [0.05, 0.6, 0.9], [0.6, 0.2, 0.9], [0.2, 0.2, 0.9]),
            *([0.1, 0.3, 0.9], [0.6, 0.3, 0.2], [0.05, 0.9, 0.1], [0.1, 0.6, 0.6]),
            *([0.1, 0.6, 0.1], [0.2, 0.3, 0.9], [0.9, 0.9, 0.3], [0.2, 0.6, 0.6]),
            *([0.3, 0.3, 0.2], [0.9, 0.05, 0.1], [0.3, 0.1, 0.3], [0.1, 0.6, 0.2]),
        ]
    )
    found = sy.best_class_weights(truth, table, "kappa", labels=[0, 1, 2])
    assert found.value >= 3 / 19


def test_a_measure_without_a_value_is_refused_and_none_is_not_infinite():
    table = {"a": [0.5, 0.4], "b": [0.2, 0.3], "c": [0.3, 0.3]}
    with pytest.raises(
        sy.InputError,
        match="undefined with every weight that was tried; found there are no examples of class 'c'",
    ):
        sy.best_class_weights(["a", "b"], table, "macro_recall")
    found = sy.best_class_weights(["a", "b"], {"a": [0.5, 0.4], "b": [0.2, 0.3]}, "mcc")
    assert found.value == pytest.approx(1)
    assert np.isnan(found.unweighted)
