"""Do rankings and curves have the values that scikit-learn gives them (recorded, see record.py)?"""

from __future__ import annotations

import json

import numpy as np
import pytest

import steelyard as sy
from steelyard.counts import curves
from tests.scores.cases import MANY_CLASS, TWO_CLASS
from tests.scores.record import RECORDED, STAND_IN

RECORD = json.loads(RECORDED.read_text(encoding="utf-8"))
CLOSE = {"rel": 1e-12, "abs": 1e-12}


def counted(name):
    case = TWO_CLASS[name]
    return sy.ScoreCounts.from_scores(case.truth, case.array, positive=1, sample_weight=case.weights)


def test_every_case_is_recorded_and_by_which_version():
    assert RECORD["tool"].startswith("scikit-learn ")
    assert set(RECORD["two-class"]) == set(TWO_CLASS)
    assert set(RECORD["many classes"]) == set(MANY_CLASS)


@pytest.mark.parametrize("name", TWO_CLASS)
@pytest.mark.parametrize(
    ("measure", "recorded"),
    [
        (sy.measure("roc_auc"), "roc_auc_score"),
        (sy.measure("partial_auc", max_fpr=0.3), "roc_auc_score(max_fpr=0.3)"),
        (sy.measure("average_precision"), "average_precision_score"),
        (sy.measure("average_precision").at_priors(0.01), "average_precision_score at prior 0.01"),
        (
            sy.measure("average_precision").at_priors({1: 0.01, 0: 0.99}),
            "average_precision_score at prior 0.01",
        ),
    ],
    ids=lambda value: getattr(value, "name", None),
)
def test_value(name, measure, recorded):
    assert measure(counted(name)) == pytest.approx(RECORD["two-class"][name][recorded], **CLOSE)


@pytest.mark.parametrize("name", TWO_CLASS)
def test_roc_curve(name):
    curve, expected = curves.roc_curve(counted(name)), RECORD["two-class"][name]["roc_curve"]
    np.testing.assert_allclose(curve.fpr, expected["fpr"], rtol=1e-12, atol=1e-12)
    np.testing.assert_allclose(curve.tpr, expected["tpr"], rtol=1e-12, atol=1e-12)
    np.testing.assert_array_equal(
        np.clip(curve.thresholds[1:], -STAND_IN, STAND_IN), expected["thresholds"][1:]
    )
    assert curve.thresholds[0] == np.inf


@pytest.mark.parametrize("name", [name for name, case in TWO_CLASS.items() if case.weights is None])
def test_roc_curve_corners(name):
    curve, expected = (
        curves.roc_curve(counted(name), corners_only=True),
        RECORD["two-class"][name]["roc_curve, corners"],
    )
    np.testing.assert_allclose(curve.fpr, expected["fpr"], rtol=1e-12)
    np.testing.assert_allclose(curve.tpr, expected["tpr"], rtol=1e-12)


@pytest.mark.parametrize("name", TWO_CLASS)
def test_det_curve(name):
    """The same false alarms, and what is missed instead of what is found."""
    curve, expected = curves.det_curve(counted(name)), RECORD["two-class"][name]["roc_curve"]
    np.testing.assert_allclose(curve.fpr, expected["fpr"], rtol=1e-12, atol=1e-12)
    np.testing.assert_allclose(curve.fnr, 1 - np.array(expected["tpr"]), rtol=1e-9, atol=1e-12)


def test_where_both_errors_are_equally_frequent():
    """Scores 1 2 3 (negative), 2.5 4 (positive): (1/3, 1/2) and, at a threshold of 2.5, (1/3, 0); they meet at 1/3."""
    curve = curves.det_curve(sy.ScoreCounts.from_scores([0, 0, 0, 1, 1], [1, 2, 3, 2.5, 4], 1))
    assert curve.fpr.tolist() == pytest.approx([0, 0, 1 / 3, 1 / 3, 2 / 3, 1])
    assert curve.fnr.tolist() == pytest.approx([1, 0.5, 0.5, 0, 0, 0])
    assert curve.equal_error_rate == pytest.approx(1 / 3)
    across, up = curve.deviates
    assert across[0] == -np.inf
    assert up[1] == 0  # half of the positives are missed
    assert curves.det_curve(sy.ScoreCounts.from_scores([0, 1], [1, 1], 1)).equal_error_rate == 0.5


@pytest.mark.parametrize("name", TWO_CLASS)
def test_precision_recall_curve(name):
    # scikit-learn lets thresholds rise and adds a last point (recall 0, precision 1) that no threshold gives.
    curve, expected = (
        curves.precision_recall_curve(counted(name)),
        RECORD["two-class"][name]["precision_recall_curve"],
    )
    np.testing.assert_allclose(curve.precision[::-1], expected["precision"][:-1], rtol=1e-12, atol=1e-12)
    np.testing.assert_allclose(curve.recall[::-1], expected["recall"][:-1], rtol=1e-12, atol=1e-12)
    np.testing.assert_array_equal(
        np.clip(curve.thresholds[::-1], -STAND_IN, STAND_IN), expected["thresholds"]
    )


def test_average_precision_at_a_prior_is_the_area_of_the_curve_at_that_prior():
    curve = curves.precision_recall_curve(counted("ties"), prior=0.01)
    steps = np.diff(curve.recall, prepend=0) @ curve.precision
    assert steps == pytest.approx(
        RECORD["two-class"]["ties"]["average_precision_score at prior 0.01"], **CLOSE
    )


@pytest.mark.parametrize("name", MANY_CLASS)
@pytest.mark.parametrize(
    ("measure", "recorded"),
    [
        (sy.measure("hand_till"), "ovo macro"),
        (sy.measure("ova_auc"), "ovr macro"),
        (sy.measure("ova_auc", average="prevalence"), "ovr weighted"),
        (sy.measure("ova_average_precision"), "average precision macro"),
    ],
    ids=lambda value: getattr(value, "name", None),
)
def test_many_classes(name, measure, recorded):
    case = MANY_CLASS[name]
    if recorded not in RECORD["many classes"][name]:
        assert case.weights is not None
        return
    scores = sy.ScoreCounts.from_scores(
        case.truth, case.array, sample_weight=case.weights, probabilities=True
    )
    assert measure(scores) == pytest.approx(RECORD["many classes"][name][recorded], **CLOSE)
