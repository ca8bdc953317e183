"""Do the measures of scores follow their definitions, and the rules of all measures?"""

from __future__ import annotations

import pickle

import numpy as np
import pytest

import steelyard as sy
from steelyard.counts import curves
from steelyard.errors import AmbiguousNameError, InputError, UndefinedError, UnknownNameError
from tests.real_parts import needs
from tests.scores.cases import MANY_CLASS, TWO_CLASS, drawn

RANKINGS = sy.catalogue("scores")

# ROC (0, 0), (.2, .6), (1, 1): three of five positives and one of five negatives get the high score.
WORKED = sy.ScoreCounts.from_scores([1] * 5 + [0] * 5, [1, 1, 1, 0, 0, 1, 0, 0, 0, 0])


def test_weighted_auc_worked_by_hand():
    # Strip by strip, FPR = t / 3 up to TPR .6 and .2 + 2 (t - .6) above:
    areas = [
        0.25 - 0.25**2 / 6,
        0.25 - (0.25 - 0.0625) / 6,
        0.1 - 0.11 / 6 + 0.8 * 0.15 - 0.15**2,
        0.2 - (0.4**2 - 0.15**2),
    ]
    np.testing.assert_allclose(curves.strip_areas(curves.roc_curve(WORKED), 4), areas, rtol=1e-14)
    assert curves.strip_weights(0.5, 4).tolist() == [0.5, 0.75, 0.875, 1.875]
    assert sy.measure("roc_auc")(WORKED) == pytest.approx(0.7)
    assert sy.measure("weighted_auc", rho=0.5, strips=4)(WORKED) == pytest.approx(0.5578125)


@pytest.mark.parametrize("rho", [0, 0.1, 0.5, 0.9])
@pytest.mark.parametrize("strips", [1, 2, 7, 100])
def test_strip_weights_add_up_to_the_number_of_strips(rho, strips):
    assert curves.strip_weights(rho, strips).sum() == pytest.approx(strips)


@pytest.mark.parametrize("strips", [1, 3, 100])
@pytest.mark.parametrize("name", TWO_CLASS)
def test_weighted_auc_without_weight_moved_is_the_auc(name, strips):
    case = TWO_CLASS[name]
    scores = sy.ScoreCounts.from_scores(case.truth, case.array, positive=1, sample_weight=case.weights)
    assert sy.measure("weighted_auc", rho=0, strips=strips)(scores) == pytest.approx(
        sy.measure("roc_auc")(scores), abs=1e-12
    )


def test_h_measure_by_hand():
    # Positives at 3 and 1, negatives at 2: the hull is (0, 0), (0, 1/2), (1, 1) and equal priors. From c = 1/3 on, "all positive"
    # costs more than the corner: L = 1/2 I(1/3) + 1/4 I(2/3) = 1/36 + 2/27 = 11/108, L_constant = I(1/2) = 5/32.
    scores = sy.ScoreCounts.from_scores([1, 0, 0, 1], [3, 2, 2, 1])
    assert sy.measure("h_measure")(scores) == pytest.approx(47 / 135)


@pytest.mark.parametrize(
    "name", ["ties", "weights", "rare positives", "constant scores", "perfect", "reversed", "infinite"]
)
def test_h_measure_is_its_integral(name):
    case = TWO_CLASS[name]
    scores = sy.ScoreCounts.from_scores(case.truth, case.array, positive=1, sample_weight=case.weights)
    curve = curves.roc_curve(scores)
    prior = scores.ranked().positives.total / scores.totals.sum()
    c = (np.arange(20_000) + 0.5) / 20_000
    density = 6 * c * (1 - c)
    losses = c[:, None] * (1 - prior) * curve.fpr + (1 - c)[:, None] * prior * (1 - curve.tpr)
    constant = np.minimum(c * (1 - prior), (1 - c) * prior)
    expected = 1 - (losses.min(axis=1) @ density) / (constant @ density)
    assert sy.measure("h_measure")(scores) == pytest.approx(expected, abs=1e-6)


def test_extremes():
    perfect = sy.ScoreCounts.from_scores([0, 0, 1], [1, 2, 3])
    worst = sy.ScoreCounts.from_scores([0, 0, 1], [1, 2, 0])
    constant = sy.ScoreCounts.from_scores([0, 0, 1], [1, 1, 1])
    for name, values in {
        "roc_auc": (1, 0, 0.5),
        "gini": (1, -1, 0),
        "average_precision": (1, 1 / 3, 1 / 3),
        "partial_auc": (1, 0.9 / 1.9, 0.5),
        "h_measure": (1, 0, 0),
        "hand_till": (1, 0, 0.5),
        "ova_auc": (1, 0, 0.5),
    }.items():
        found = [sy.measure(name)(scores) for scores in (perfect, worst, constant)]
        assert found == pytest.approx(values), name
        if name != "average_precision":  # whose least value depends on the share of positives
            assert sy.measure(name).range.at(2) == pytest.approx((values[1], values[0])), name


def test_auc_of_a_labelled_prediction_is_that_of_its_point():
    truth, score = drawn(100, 2, 3, 9, 1)
    hard = [float(s >= 0.5) for s in score]
    counts = sy.Confusion.from_labels(truth, [int(h) for h in hard])
    assert sy.measure("roc_auc").score(truth, hard) == pytest.approx(
        sy.measure("auc_point")(counts, positive=1)
    )


def test_hand_till_by_hand():
    # Three classes, one or two rows each. A(i|j): how often class i has the higher score i.
    truth = [0, 0, 1, 2]
    table = [[0.6, 0.3, 0.1], [0.2, 0.2, 0.6], [0.2, 0.5, 0.3], [0.5, 0.1, 0.4]]
    a01, a02 = (1 + 0.5) / 2, (1 + 0) / 2
    a10, a12 = 1.0, 1.0
    a20, a21 = (1 + 0) / 2, 1.0
    scores = sy.ScoreCounts.from_scores(truth, table)
    assert sy.measure("M")(scores) == pytest.approx((a01 + a02 + a10 + a12 + a20 + a21) / 6)
    # Relevance weights a pair by the sum of its two classes.
    weighted = sy.measure("M").weighted_by({0: 1, 1: 0, 2: 0.5})(scores)
    assert weighted == pytest.approx((1 * (a01 + a10) + 1.5 * (a02 + a20) + 0.5 * (a12 + a21)) / 6)


def test_relevance_weights_the_classes_of_ova_auc():
    case = MANY_CLASS["three classes"]
    scores = sy.ScoreCounts.from_scores(case.truth, case.array)
    each = [sy.measure("roc_auc")(scores, positive=k) for k in range(3)]
    assert sy.measure("ova_auc").weighted_by({0: 0.2, 1: 1, 2: 0})(scores) == pytest.approx(
        (0.2 * each[0] + each[1]) / 1.2
    )


def test_priors_do_not_move_what_does_not_depend_on_them():
    case = TWO_CLASS["ties"]
    scores = sy.ScoreCounts.from_scores(case.truth, case.array)
    for name in ("roc_auc", "gini", "partial_auc", "weighted_auc"):
        measure = sy.measure(name)
        assert measure.at_priors(0.001)(scores) == pytest.approx(measure(scores), abs=1e-12)
    assert sy.measure("average_precision").at_priors(0.001)(scores) < sy.measure("average_precision")(scores)
    many = sy.ScoreCounts.from_scores(MANY_CLASS["three classes"].truth, MANY_CLASS["three classes"].array)
    assert sy.measure("hand_till").at_priors("uniform")(many) == pytest.approx(
        sy.measure("hand_till")(many), abs=1e-12
    )


def test_an_absent_class_gives_a_reason_or_is_skipped():
    case = MANY_CLASS["three classes"]
    kept = [k for k, y in enumerate(case.truth) if y != 2]
    scores = sy.ScoreCounts.from_scores([case.truth[k] for k in kept], case.array[kept], labels=[0, 1, 2])
    for name in ("hand_till", "ova_auc", "ova_average_precision"):
        measure = sy.measure(name)
        assert np.isnan(measure(scores))
        assert "no examples of class '2'" in measure.why_undefined(scores)
        assert 0 < measure(scores, undefined="skip") < 1
        with pytest.raises(UndefinedError, match="no examples of class '2'"):
            measure(scores, undefined="raise")
    pair = (sy.measure("roc_auc")(scores, positive=0) + sy.measure("roc_auc")(scores, positive=1)) / 2
    assert sy.measure("ova_auc")(scores, undefined="skip") == pytest.approx(pair)
    assert sy.measure("ova_auc")(scores, undefined=0.5) == pytest.approx((2 * pair + 0.5) / 3)
    assert sy.measure("hand_till")(scores, undefined="skip") == pytest.approx(pair)
    assert sy.measure("roc_auc")(scores, positive=2, undefined=0.5) == 0.5


def test_two_columns_and_one_column_rank_alike():
    truth, score = drawn(60, 7, 3, 4, 2)
    both = sy.ScoreCounts.from_scores(truth, {0: [1 - s for s in score], 1: score})
    one = sy.ScoreCounts.from_scores(truth, score)
    for name in ("roc_auc", "hand_till", "ova_auc", "average_precision"):
        assert sy.measure(name)(both) == pytest.approx(sy.measure(name)(one))


@pytest.mark.parametrize("measure", RANKINGS, ids=lambda m: m.id)
def test_records(measure):
    again = pickle.loads(pickle.dumps(measure))
    assert (again.name, again.kind) == (measure.name, "scores")
    assert sy.measure(measure.id).id == measure.id
    assert measure.question.endswith("?")
    assert measure.sources
    low, high = measure.range.at(2)
    for case in TWO_CLASS.values():
        both = {0: -case.array.astype(float), 1: case.array}
        scores = sy.ScoreCounts.from_scores(case.truth, both, sample_weight=case.weights)
        assert low - 1e-12 <= measure(scores, positive=1) <= high + 1e-12
    with pytest.raises(InputError, match=r"is a metric of scores; found a confusion matrix"):
        measure(sy.Confusion([[1, 2], [3, 4]]))
    with pytest.raises(InputError, match="is a metric of scores; found list"):
        measure.why_undefined([[1, 2], [3, 4]])
    with pytest.raises(InputError, match="has no exact value"):
        measure.exact([[1, 2], [3, 4]])


@pytest.mark.parametrize("name", ["accuracy", "gmean", "precision", "IAM"])
def test_a_measure_of_matrices_refuses_scores(name):
    with pytest.raises(InputError, match="this is a metric of a confusion matrix; found scores"):
        sy.measure(name)(WORKED)


def test_names():
    assert sy.measure("AP").id == "average_precision"
    assert sy.measure("wAUC").id == "weighted_auc"
    assert sy.measure("M").id == "hand_till"
    for name in ("AUC", "AUROC"):
        with pytest.raises(AmbiguousNameError, match="roc_auc"):
            sy.measure(name)
    assert (*sy.catalogue(), *RANKINGS) == sy.catalogue("all")
    assert not any(m.kind == "scores" for m in sy.catalogue())
    with pytest.raises(UnknownNameError, match="kind of metric"):
        sy.catalogue("ranking")


@pytest.mark.parametrize(
    ("make", "words"),
    [
        (lambda: sy.measure("partial_auc", max_fpr=0), "max_fpr must be"),
        (lambda: sy.measure("weighted_auc", rho=1), "rho must be"),
        (lambda: sy.measure("weighted_auc", strips=0), "strips must be"),
        (lambda: sy.measure("ova_auc", average="micro"), "no average 'micro'"),
        (lambda: sy.one_versus_all(sy.measure("roc_auc")), "made of metrics of a confusion matrix"),
        (lambda: sy.iba(sy.measure("roc_auc"), 0.05), "made of metrics of a confusion matrix"),
        (lambda: sy.measure("ova_average_precision")(WORKED), "needs a column of scores for each class"),
        (
            lambda: sy.measure("roc_auc")(sy.ScoreCounts.from_scores([0, 1, 2], np.eye(3))),
            "positive class must be named",
        ),
    ],
)
def test_bad_parameters(make, words):
    with pytest.raises(InputError, match=words):
        make()


def test_weigh_takes_scores():
    found = sy.weigh(RANKINGS[:3], WORKED)
    assert found["roc_auc"] == pytest.approx(0.7)
    assert list(found) == ["roc_auc", "gini", "average_precision"]


def test_normalised_gini_is_the_auc():
    assert sy.normalised(sy.measure("gini"))(WORKED) == pytest.approx(0.7)


def test_cost_curve_is_the_least_cost_over_thresholds():
    case = TWO_CLASS["ties"]
    scores = sy.ScoreCounts.from_scores(case.truth, case.array)
    roc, cost = curves.roc_curve(scores), curves.cost_curve(scores, points=11)
    for k, weight in enumerate(cost.probability_cost):
        assert cost.cost[k] == pytest.approx(min(weight * (1 - roc.tpr) + (1 - weight) * roc.fpr))
    assert cost.thresholds[0] == np.inf
    assert (cost.cost[0], cost.cost[-1]) == (0, 0)


def test_curves_need_both_classes():
    only = sy.ScoreCounts.from_scores([0, 0], [1, 2], positive=1)
    for draw in (curves.roc_curve, curves.cost_curve, curves.precision_recall_curve):
        with pytest.raises(InputError, match=r"examples of"):
            draw(only)
    with pytest.raises(InputError, match="must be a proportion"):
        curves.precision_recall_curve(WORKED, prior=1.5)


def test_scikit_learn_scorer():
    needs("sklearn")
    from sklearn.linear_model import LogisticRegression

    features = np.array([[0.1], [0.4], [0.35], [0.8], [0.2], [0.9]])
    truth = np.array(["ok", "ok", "bad", "bad", "ok", "bad"])
    model = LogisticRegression().fit(features, truth)
    # "bad" grows with the feature: of 9 pairs only (0.35, 0.4) is the wrong way round.
    assert sy.scorer("roc_auc", positive="bad")(model, features, truth) == pytest.approx(8 / 9)
    # Without a name the last class is positive, as in scikit-learn; the area of "ok" is the same.
    assert sy.scorer("roc_auc")(model, features, truth) == pytest.approx(8 / 9)


# -- found by name only


def test_pairs_of_classes_weighted_by_their_examples() -> None:
    """scikit-learn 1.9.1: roc_auc_score(y, p, multi_class="ovo", average="weighted") is 0.8239583333333333."""
    truth = [0, 0, 0, 0, 1, 1, 1, 2, 2, 2]
    table = [
        [0.7, 0.2, 0.1], [0.4, 0.5, 0.1], [0.5, 0.2, 0.3], [0.3, 0.3, 0.4], [0.2, 0.6, 0.2],
        [0.5, 0.3, 0.2], [0.1, 0.5, 0.4], [0.2, 0.3, 0.5], [0.4, 0.1, 0.5], [0.1, 0.6, 0.3],
    ]  # fmt: skip
    scores = sy.ScoreCounts.from_scores(truth, table)
    assert sy.measure("hand_till(prevalence)")(scores) == pytest.approx(0.8239583333333333, rel=1e-14)
    assert sy.measure("hand_till")(scores) == pytest.approx(0.8217592592592592, rel=1e-14)


def test_the_widest_gap_of_the_two_rates() -> None:
    """At 0.8 half of the positives and no negative, at 0.35 all positives and half of the negatives."""
    assert sy.measure("KS")([0, 0, 1, 1], [0.1, 0.4, 0.35, 0.8], positive=1) == 0.5
    assert sy.measure("kolmogorov_smirnov")([0, 0, 1, 1], [0.8, 0.9, 0.1, 0.2], positive=1) == 0
