"""What is said of a ranking: measures at other priors against scikit-learn, curves and points by hand."""

from __future__ import annotations

import math

import numpy as np
import pytest
from sklearn.metrics import average_precision_score

import steelyard as sy
from steelyard.scores.predicted_labels import ThresholdChoice
from steelyard.scores.ranking_evaluation import report_ranking
from steelyard.scores.ranking_result import OperatingPoint

TRUTH = ["ill"] * 3 + ["well"] * 4
SCORE = [0.9, 0.8, 0.4, 0.7, 0.3, 0.2, 0.1]


def reported(sample_weight=None, interval=None, priors=None):
    scores = sy.ScoreCounts.from_scores(TRUTH, SCORE, "ill", sample_weight=sample_weight)
    called = ["ill" if one >= 0.4 else "well" for one in SCORE]
    matrix = sy.Confusion.from_labels(TRUTH, called, labels=["ill", "well"])
    return report_ranking(scores, matrix, interval=interval, priors=priors)


def test_curves_and_lines_by_hand():
    (only,) = reported().classes
    assert [curve.name for curve in only.precision_recall] == ["this test set", "balanced classes"]
    observed, even = only.precision_recall
    assert observed.x.tolist() == pytest.approx([1 / 3, 2 / 3, 2 / 3, 1])
    assert observed.y.tolist() == pytest.approx([1, 1, 2 / 3, 3 / 4])
    assert even.y.tolist() == pytest.approx([1, 1, (2 / 3) / (2 / 3 + 1 / 4), 1 / (1 + 1 / 4)])
    assert only.sweep.thresholds.tolist() == sorted(SCORE, reverse=True)
    assert only.sweep.alerts.tolist() == pytest.approx(np.arange(1, 8) / 7)
    assert only.sweep.lines["recall"].tolist() == pytest.approx([1 / 3, 2 / 3, 2 / 3, 1, 1, 1, 1])
    assert (only.operating_point.tpr, only.operating_point.fpr) == (1, 0.25)
    said = only.to_dict()
    assert (said["roc"]["fpr"], said["roc"]["tpr"]) == (
        [0, 0, 0, 0.25, 0.25, 1],
        [0, 1 / 3, 2 / 3, 2 / 3, 1, 1],
    )
    assert said["sweep"]["chosen_by"] is None


def test_what_a_prior_adds():
    (only,) = reported(priors=0.01).classes
    assert [(curve.name, curve.prior) for curve in only.precision_recall][2:] == [("your priors", 0.01)]
    of = {row.measure.name: row for row in only.measures}
    assert of["average_precision"].at_priors == pytest.approx((1 + 1 + 0.01 / (0.01 + 0.99 / 4)) / 3)
    assert of["roc_auc"].at_priors == pytest.approx(11 / 12)


def test_a_class_that_never_occurs_has_no_curves():
    scores = sy.ScoreCounts.from_scores(["well"] * 7, SCORE, "ill", labels=["ill", "well"])
    (only,) = report_ranking(scores, sy.Confusion([[0, 0], [4, 3]], ["ill", "well"]), interval=None).classes
    said = only.to_dict()
    assert (said["roc"], said["precision_recall"], said["sweep"]) == (None, [], None)


def test_all_classes_at_other_priors_are_rows_that_weigh_more():
    """The mean over classes of average precision, each row with its class's prior over the class's share (scikit-learn)."""
    rng = np.random.default_rng(2)
    names, priors = ["a", "b", "c"], {"a": 0.7, "b": 0.2, "c": 0.1}
    place = rng.choice(3, 300, p=[0.2, 0.5, 0.3])
    table = (rng.dirichlet([1, 1, 1], 300) + 0.4 * np.eye(3)[place]).round(2)
    scores = sy.ScoreCounts.from_scores([names[i] for i in place], table, labels=names)
    matrix = sy.Confusion.from_labels(place, table.argmax(axis=1), labels=[0, 1, 2])
    found = report_ranking(scores, matrix, interval=None, priors=priors)
    weight = np.array([priors[names[i]] / (place == i).mean() for i in place])
    expected = [average_precision_score(place == i, table[:, i], sample_weight=weight) for i in range(3)]
    assert found.notes == ()
    of_all = {row.measure.name: row for row in found.measures}
    assert of_all["ova_average_precision"].at_priors == pytest.approx(np.mean(expected))
    assert of_all["hand_till"].at_priors == pytest.approx(of_all["hand_till"].value)  # no prior enters it
    for own, prior in zip(found.classes, priors.values(), strict=True):
        assert [curve.prior for curve in own.precision_recall][1:] == [0.5, prior]
        share = (place == names.index(own.label)).mean()
        weight = np.where(place == names.index(own.label), prior / share, (1 - prior) / (1 - share))
        row = next(row for row in own.measures if row.measure.name == "average_precision")
        at = names.index(own.label)
        expected_of_class = average_precision_score(place == at, table[:, at], sample_weight=weight)
        assert row.at_priors == pytest.approx(expected_of_class)


def test_one_prior_is_that_of_the_positive_class():
    table, truth = np.column_stack([1 - np.array(SCORE), SCORE]), [1, 1, 1, 0, 0, 0, 0]
    scores = sy.ScoreCounts.from_scores(truth, table, labels=[0, 1])
    found = report_ranking(scores, sy.Confusion([[3, 1], [0, 3]], [0, 1]), interval=None, priors=0.01)
    of = {row.measure.name: row for row in found.classes[0].measures}
    assert of["average_precision"].at_priors == pytest.approx((1 + 1 + 0.01 / (0.01 + 0.99 / 4)) / 3)
    assert [row.at_priors for row in found.measures] == [None] * 3  # of both classes together nothing is said


def test_weighted_scores_have_no_intervals_and_say_why():
    found = reported(sample_weight=[2.0, 1, 1, 1, 1, 1, 0.5], interval="auto")
    assert (found.level, found.replicates) == (None, 0)
    assert found.notes == (
        "The ranking has no intervals: sums of weights do not say how many examples there are.",
    )
    assert all(math.isnan(row.low) for row in found.classes[0].measures)


def test_precision_of_an_operating_point():
    # of 1,000 rows at a share of 0.1: 80 of 100 found, 90 of 900 called wrongly
    assert OperatingPoint(0.8, 0.1, None).precision(0.1) == pytest.approx(80 / 170)
    assert OperatingPoint(0.8, 0.0, 0.5).precision(0.1) == 1
    assert math.isnan(OperatingPoint(0.0, 0.0, 0.5).precision(0.1))
    said = OperatingPoint(math.nan, 0.1, math.inf).to_dict()
    assert said == {"tpr": None, "fpr": 0.1, "threshold": "infinity", "implied_threshold": None}
    assert OperatingPoint(0.8, 0.1, None).to_dict()["threshold"] is None


@pytest.mark.parametrize("name", ["gmean", "precision"])
def test_a_measure_at_priors_is_a_line_of_its_own_where_the_priors_matter(name):
    """G-mean does not depend on them, so that one line is enough; precision does."""
    scores = sy.ScoreCounts.from_scores(TRUTH, SCORE, "ill")
    best = sy.best_threshold(scores, name, priors=0.01, replicates=0)
    choice = ThresholdChoice(best.threshold, f"best:{name}", "", best)
    matrix = sy.Confusion([[3, 0], [1, 3]], ["ill", "well"])
    report = report_ranking(scores, matrix, choice, interval=None, priors=0.01)
    assert "these values are optimistic" in " ".join(report.notes)
    swept = report.classes[0].sweep
    usual = ["recall", "precision", "balanced_precision", "f_beta", "gmean", "mcc"]
    chosen = "gmean" if name == "gmean" else best.measure.name
    assert swept.chosen_by == chosen != ("precision" if name == "precision" else "")
    assert sorted(swept.lines) == sorted({*usual, chosen})
    right, wrong = 0.01 * np.array([1, 2, 2, 3, 3, 3, 3]) / 3, 0.99 * np.array([0, 0, 1, 1, 2, 3, 4]) / 4
    if name == "precision":
        assert swept.lines[chosen] == pytest.approx(right / (right + wrong))
    said = choice.to_dict()
    assert (said["threshold"], said["how"], said["optimistic"]) == (best.threshold, f"best:{name}", True)
    assert said["best"]["threshold"] == best.threshold


def test_of_many_classes_the_rarest_are_drawn():
    truth = np.repeat(np.arange(10), np.arange(2, 12))
    scores = sy.ScoreCounts.from_scores(truth, np.eye(10)[truth], labels=list(range(10)))
    matrix = sy.Confusion.from_labels(truth, truth, labels=list(range(10)))
    found = report_ranking(scores, matrix, interval=None)
    assert [one.label for one in found.classes] == list(range(8))
    assert found.notes == ("Curves are drawn for the 8 rarest of 10 classes.",)
