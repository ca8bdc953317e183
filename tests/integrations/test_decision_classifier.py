"""Decisions inside a real scikit-learn: its own checks, its own tuned threshold, and arithmetic by NumPy."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from sklearn.datasets import make_classification
from sklearn.linear_model import LogisticRegression, RidgeClassifier
from sklearn.metrics import confusion_matrix
from sklearn.model_selection import StratifiedKFold, cross_val_predict, cross_val_score
from sklearn.naive_bayes import GaussianNB
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.utils.estimator_checks import estimator_checks_generator

import steelyard as sy
from steelyard.errors import InputError
from steelyard.integrations.sklearn import DecisionClassifier
from tests.real_parts import needs

X, Y = make_classification(600, 6, n_informative=4, weights=[0.9], random_state=3)
NAMED = np.where(Y == 1, "fraud", "ok")
AMOUNT = np.random.default_rng(2).gamma(2.0, 30.0, len(Y))
X3, Y3 = make_classification(600, 6, n_informative=4, n_classes=3, weights=[0.8, 0.15], random_state=4)
FOLDS = StratifiedKFold(5, shuffle=True, random_state=0)
MODEL = LogisticRegression(max_iter=500)


def _failed_checks(model: DecisionClassifier) -> set[str]:
    """The checks of scikit-learn's check_estimator that fail."""
    failed = set()
    for estimator, check in estimator_checks_generator(model):
        try:
            check(estimator)
        except Exception as error:
            if type(error).__name__ not in ("SkipTest", "SkipTestWarning"):
                failed.add(check.func.__name__)
    return failed


@pytest.mark.filterwarnings("ignore")
def test_scikit_learn_finds_an_estimator() -> None:
    assert not _failed_checks(DecisionClassifier(GaussianNB()))


@pytest.mark.whole
@pytest.mark.filterwarnings("ignore")
def test_scikit_learn_finds_a_tuned_estimator() -> None:
    """Weighted probabilities of three classes have another largest one, which is what they are tuned for."""
    tuned = DecisionClassifier(LogisticRegression(), maximise="gmean", cv=2)
    assert _failed_checks(tuned) <= {"check_classifiers_train"}


def _gmean(truth: Any, said: Any) -> float:
    matrix = confusion_matrix(truth, said)
    return float(np.prod(matrix.diagonal() / matrix.sum(axis=1)) ** (1 / len(matrix)))


def test_a_threshold_is_tuned_on_out_of_fold_scores() -> None:
    tuned = DecisionClassifier(MODEL, maximise="gmean", cv=FOLDS).fit(X, NAMED)
    scores = cross_val_predict(MODEL, X, NAMED, cv=FOLDS, method="predict_proba")[:, 0]
    values = [_gmean(Y, scores >= threshold) for threshold in np.unique(scores)]
    best = _gmean(Y, scores >= tuned.threshold_)
    assert best == pytest.approx(max(values), abs=1e-12)
    assert tuned.positive_ == "fraud"
    own = MODEL.fit(X, NAMED).predict_proba(X)[:, 0]
    assert (tuned.predict(X) == np.where(own >= tuned.threshold_, "fraud", "ok")).all()
    assert len(tuned.fold_thresholds_) == 5
    assert tuned.spread_ == pytest.approx(np.std(tuned.fold_thresholds_))
    for (_, rows), threshold in zip(FOLDS.split(X, NAMED), tuned.fold_thresholds_, strict=True):
        there = [_gmean(Y[rows], scores[rows] >= one) for one in np.unique(scores[rows])]
        assert _gmean(Y[rows], scores[rows] >= threshold) == pytest.approx(max(there), abs=1e-12)
    results = tuned.cv_results_
    assert results["fold_values"].shape == (5, len(results["thresholds"]))
    place = len(results["thresholds"]) // 2
    at = results["thresholds"][place]
    assert results["values"][place] == pytest.approx(_gmean(Y, scores >= at), abs=1e-12)


def test_class_weights_of_three_classes_are_tuned() -> None:
    plain = cross_val_score(MODEL, X3, Y3, cv=FOLDS, scoring=sy.scorer("gmean", undefined=0)).mean()
    tuned = DecisionClassifier(MODEL, maximise="gmean", cv=3)
    assert cross_val_score(tuned, X3, Y3, cv=FOLDS, scoring=sy.scorer("gmean", undefined=0)).mean() > plain
    tuned.fit(X3, Y3)
    assert tuned.fold_class_weights_.shape == (3, 3)
    assert tuned.spread_.shape == (3,)
    expected = np.argmax(MODEL.fit(X3, Y3).predict_proba(X3) * tuned.class_weights_, axis=1)
    assert (tuned.predict(X3) == expected).all()
    given = DecisionClassifier(MODEL, class_weights={0: 1.0, 1: 2.0, 2: 5.0}).fit(X3, Y3)
    expected = np.argmax(MODEL.predict_proba(X3) * [1, 2, 5], axis=1)
    assert (given.predict(X3) == expected).all()


def test_the_cheapest_label_by_class_and_by_row() -> None:
    fixed = DecisionClassifier(MODEL, cost="fraud>ok=50, ok>fraud=2").fit(X, NAMED)
    p = MODEL.fit(X, NAMED).predict_proba(X)[:, 0]
    assert (fixed.predict(X) == np.where(p * 50 >= (1 - p) * 2, "fraud", "ok")).all()
    by_row = DecisionClassifier(MODEL, cost="fraud>ok=amount, ok>fraud=5").fit(X, NAMED)
    expected = np.where(p * AMOUNT >= (1 - p) * 5, "fraud", "ok")
    assert (by_row.predict(X, amount=AMOUNT) == expected).all()
    pandas = needs("pandas")
    frame = pandas.DataFrame(X, columns=list("abcdef")).assign(amount=AMOUNT)
    inner = make_pipeline(StandardScaler(), LogisticRegression())
    of_column = DecisionClassifier(inner, cost="fraud>ok=amount, ok>fraud=5").fit(frame, NAMED)
    p = inner.fit(frame, NAMED).predict_proba(frame)[:, 0]
    assert (of_column.predict(frame) == np.where(p * AMOUNT >= (1 - p) * 5, "fraud", "ok")).all()
    with pytest.raises(InputError, match="no column 'amount'"):
        by_row.predict(X)


def test_a_threshold_by_the_costs_of_rows_is_tuned() -> None:
    tuned = DecisionClassifier(MODEL, maximise="cost", cost="fraud>ok=amount, ok>fraud=5", cv=FOLDS)
    tuned.fit(X, NAMED, amount=AMOUNT)
    p = cross_val_predict(MODEL, X, NAMED, cv=FOLDS, method="predict_proba")[:, 0]

    def cost(threshold: float) -> float:
        called = p >= threshold
        return float((AMOUNT * (Y == 1) * ~called + 5 * (Y == 0) * called).mean())

    assert cost(tuned.threshold_) == pytest.approx(min(map(cost, [*np.unique(p), 2.0])), rel=1e-12)


def test_priors_of_production_change_the_decision() -> None:
    model = DecisionClassifier(MODEL, threshold=0.5, priors={"fraud": 0.5}, positive="fraud").fit(X, NAMED)
    p = MODEL.fit(X, NAMED).predict_proba(X)[:, 0]
    share = Y.mean()
    odds = p / (1 - p) * ((1 - share) / share)  # Bayes' rule: from the shares of y to one half
    assert model.predict_proba(X)[:, 0] == pytest.approx(odds / (1 + odds), rel=1e-9)
    assert (model.predict(X) == np.where(odds >= 1, "fraud", "ok")).all()


def test_it_abstains_below_a_confidence_and_evaluate_says_so() -> None:
    model = DecisionClassifier(GaussianNB(), threshold=0.5, abstain_below=0.8).fit(X, Y)
    p = GaussianNB().fit(X, Y).predict_proba(X)
    said = model.predict(X)
    assert ((said == "abstain") == (p.max(axis=1) < 0.8)).all()
    assert (said[said != "abstain"] == p.argmax(axis=1)[said != "abstain"]).all()
    result = sy.evaluate(Y, said, score=p[:, 1], positive=1, interval=None)
    answered = said != "abstain"
    assert result.abstention.reportable_rate == pytest.approx(answered.mean())
    assert result.matrix.counts.tolist() == confusion_matrix(Y[answered], said[answered].astype(int)).tolist()
    by_class = {one.label: (one.rows, one.abstained) for one in result.abstention.classes}
    assert by_class == {k: ((k == Y).sum(), ((k == Y) & ~answered).sum()) for k in (0, 1)}
    confident = p.max(axis=1) >= 0.8
    errors = (p.argmax(axis=1) != Y)[confident].mean()
    curve = result.risk_coverage
    place = int(np.argmin(np.abs(np.array(curve.coverage) - confident.mean())))
    assert curve.risk[place] == pytest.approx(errors, abs=1e-12)
    assert curve.risk[-1] == pytest.approx((p.argmax(axis=1) != Y).mean(), abs=1e-12)


def test_a_chosen_threshold_becomes_a_classifier() -> None:
    fitted = LogisticRegression(max_iter=500).fit(X, Y)
    scores = fitted.predict_proba(X)[:, 1]
    chosen = sy.threshold(Y, scores, maximise="gmean", replicates=0)
    model = chosen.to_estimator(fitted)
    assert (model.predict(X) == (scores >= chosen.best.threshold)).all()
    later = chosen.to_estimator(LogisticRegression(max_iter=500)).fit(X, Y)
    assert (later.predict(X) == model.predict(X)).all()


def test_prefit_and_decision_values() -> None:
    fitted = RidgeClassifier().fit(X, NAMED)
    tuned = DecisionClassifier(fitted, maximise="gmean", cv="prefit").fit(X, NAMED)
    assert tuned.estimator_ is fitted
    values = -fitted.decision_function(X)  # of "fraud", the first class
    assert (tuned.predict(X) == np.where(values >= tuned.threshold_, "fraud", "ok")).all()
    assert not hasattr(tuned, "predict_proba")


@pytest.mark.parametrize(
    ("how", "message"),
    [
        ({"threshold": 0.5, "maximise": "gmean"}, "one rule"),
        ({"threshold": 0.5, "cost": "1>0=5, 0>1=1"}, "one rule"),
        ({"maximise": "gmean", "cost": "1>0=5, 0>1=1"}, "two aims"),
        ({"maximise": "cost"}, "there are no costs"),
        ({"abstain_below": 7}, "abstain_below is a probability"),
        ({"class_weights": [1, -1]}, "class weights cannot be used"),
        ({"class_weights": {0: 1}}, "weight of class"),
        ({"positive": "fraud"}, "fraud"),
        ({"cost": {("1", "0"): AMOUNT, ("0", "1"): 5}}, "named by their column"),
    ],
)
def test_what_cannot_be_decided(how: dict[str, Any], message: str) -> None:
    with pytest.raises(InputError, match=message):
        DecisionClassifier(MODEL, **how).fit(X, Y)


def test_what_needs_probabilities_and_two_classes() -> None:
    with pytest.raises(InputError, match="needs probabilities"):
        DecisionClassifier(RidgeClassifier(), abstain_below=0.8, threshold=0.5).fit(X, Y).predict(X)
    with pytest.raises(InputError, match="two classes"):
        DecisionClassifier(MODEL, threshold=0.5).fit(X3, Y3)
    with pytest.raises(InputError, match="fitted elsewhere"):
        DecisionClassifier(MODEL, threshold=0.5, priors=0.1).adopt(LogisticRegression().fit(X, Y))
