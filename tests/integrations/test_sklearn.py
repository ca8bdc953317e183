"""Our measures as scikit-learn scorers, in a real scikit-learn."""

from __future__ import annotations

import math
import pickle
import subprocess
import sys
from typing import Any

import numpy as np
import pytest
import sklearn
from sklearn.base import BaseEstimator
from sklearn.compose import ColumnTransformer
from sklearn.datasets import make_classification
from sklearn.dummy import DummyClassifier
from sklearn.exceptions import UndefinedMetricWarning
from sklearn.experimental import enable_halving_search_cv  # noqa: F401
from sklearn.inspection import permutation_importance
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import (
    average_precision_score,
    balanced_accuracy_score,
    f1_score,
    matthews_corrcoef,
    roc_auc_score,
    zero_one_loss,
)
from sklearn.model_selection import (
    GridSearchCV,
    HalvingGridSearchCV,
    KFold,
    StratifiedKFold,
    TunedThresholdClassifierCV,
    cross_val_score,
    cross_validate,
)
from sklearn.pipeline import make_pipeline

import steelyard as sy
from steelyard.errors import UnknownNameError
from tests.real_parts import needs

X, Y = make_classification(
    n_samples=300, n_classes=3, n_informative=5, weights=[0.7, 0.2, 0.1], random_state=0
)
NAMES = np.array(["often", "seldom", "rare"])[Y]
MODEL = LogisticRegression(max_iter=500)
FOLDS = StratifiedKFold(3)


@pytest.mark.parametrize(
    ("name", "theirs", "sign"),
    [
        ("macro_recall", balanced_accuracy_score, 1),
        ("mcc", matthews_corrcoef, 1),
        ("macro_f_beta", lambda t, p: f1_score(t, p, average="macro"), 1),
        ("error_rate", zero_one_loss, -1),
    ],
)
def test_cross_val_score(name: str, theirs: Any, sign: int) -> None:
    scores = cross_val_score(MODEL, X, NAMES, scoring=sy.scorer(name), cv=FOLDS)
    expected = []
    for train, test in FOLDS.split(X, NAMES):
        model = LogisticRegression(max_iter=500).fit(X[train], NAMES[train])
        expected.append(sign * theirs(NAMES[test], model.predict(X[test])))
    assert scores.tolist() == pytest.approx(expected, rel=1e-12)


def test_grid_search_in_parallel() -> None:
    search = GridSearchCV(
        MODEL, {"C": [0.001, 1.0]}, scoring=sy.scorer("CBA"), cv=FOLDS, n_jobs=2, error_score="raise"
    )
    search.fit(X, NAMES)
    assert search.best_params_ == {"C": 1.0}
    alone = GridSearchCV(
        MODEL, {"C": [0.001, 1.0]}, scoring=sy.scorer("CBA"), cv=FOLDS, error_score="raise"
    ).fit(X, NAMES)
    assert search.cv_results_["mean_test_score"].tolist() == alone.cv_results_["mean_test_score"].tolist()


def test_several_scorers_at_once() -> None:
    scoring = {"cba": sy.scorer("CBA"), "iam": sy.scorer("IAM"), "f2": sy.scorer("macro_f_beta", beta=2)}
    found = cross_validate(MODEL, X, NAMES, scoring=scoring, cv=FOLDS, error_score="raise")
    np.testing.assert_allclose(found["test_iam"], 2 * found["test_cba"] - 1, rtol=1e-12)
    assert not np.allclose(found["test_f2"], found["test_cba"])


def test_sample_weight_reaches_the_measure() -> None:
    model = MODEL.fit(X, NAMES)
    weight = np.where(NAMES == "rare", 7.0, 1.0)
    weighted = sy.scorer("accuracy")(model, X, NAMES, sample_weight=weight)
    right = model.predict(X) == NAMES
    assert weighted == pytest.approx((right * weight).sum() / weight.sum(), rel=1e-12)
    assert weighted != pytest.approx(sy.scorer("accuracy")(model, X, NAMES))


def test_lower_is_better_comes_back_negated() -> None:
    model = MODEL.fit(X, NAMES)
    assert sy.scorer("error_rate")(model, X, NAMES) == -sy.measure("error_rate").score(
        NAMES, model.predict(X)
    )
    assert sy.scorer("CEN")(model, X, NAMES) < 0


def test_two_class_scorers_name_the_positive_class() -> None:
    truth = np.where(Y == 2, "fraud", "ok")
    model = LogisticRegression(max_iter=500).fit(X, truth)
    predicted = model.predict(X)
    for positive in ("fraud", "ok"):
        expected = f1_score(truth, predicted, pos_label=positive)
        assert sy.scorer("f_beta", positive=positive)(model, X, truth) == pytest.approx(expected, rel=1e-12)


def test_a_fold_that_lacks_a_class() -> None:
    """The estimator knows the class, so its recall is undefined, or what undefined= says."""
    model = DummyClassifier(strategy="constant", constant="often").fit(X, NAMES)
    part = NAMES != "rare"
    listed = ["often", "seldom", "rare"]
    for labels in (None, listed):
        with pytest.warns(UndefinedMetricWarning, match="there are no examples of class 'rare'"):
            assert math.isnan(sy.scorer("macro_recall", labels=labels)(model, X[part], NAMES[part]))
    assert sy.scorer("macro_recall", undefined="skip")(model, X[part], NAMES[part]) == 0.5
    assert sy.scorer("macro_recall", labels=listed, undefined="skip")(model, X[part], NAMES[part]) == 0.5
    assert sy.scorer("macro_recall", labels=listed, undefined=0)(
        model, X[part], NAMES[part]
    ) == pytest.approx(1 / 3)
    with pytest.raises(sy.UndefinedError, match="class 'rare'"):
        sy.scorer("macro_recall", labels=listed, undefined="raise")(model, X[part], NAMES[part])


@pytest.mark.parametrize(
    "scorer",
    [
        sy.scorer("CBA"),
        sy.scorer("f_beta", beta=2, positive="rare"),
        sy.scorer(sy.balanced(sy.measure("kappa"))),
        sy.scorer(sy.measure("macro_recall").weighted_by({"often": 0.1, "seldom": 0.5, "rare": 1})),
        sy.scorer(
            sy.measure("macro_recall").weighted_by(sy.relevance.total_order(["often", "seldom", "rare"]))
        ),
        sy.scorer(sy.iba(sy.measure("gmean"), 0.1), positive="rare"),
    ],
    ids=["plain", "with parameter", "balanced", "weighted", "by order", "iba"],
)
def test_scorers_pickle(scorer: Any) -> None:
    model = MODEL.fit(X, NAMES)
    back = pickle.loads(pickle.dumps(scorer))
    assert back(model, X, NAMES) == scorer(model, X, NAMES)


def test_bad_scorers_are_refused_before_anything_is_fitted() -> None:
    with pytest.raises(UnknownNameError, match="CBA"):
        sy.scorer("CBAA")
    with pytest.raises(sy.InputError, match="neither higher nor lower"):
        sy.scorer("prevalence")
    with pytest.raises(sy.InputError, match="policy"):
        sy.scorer("CBA", undefined="zero")
    with pytest.raises(sy.InputError, match="no parameters"):
        sy.scorer("CBA", beta=2)


def test_without_scikit_learn_the_extra_is_named() -> None:
    code = (
        "import sys; sys.modules['sklearn'] = sys.modules['sklearn.metrics'] = None\n"
        "import steelyard as sy\n"
        "try: sy.scorer('CBA')\n"
        "except ImportError as error: print(type(error).__name__, error)"
    )
    told = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout
    assert told.startswith("MissingExtraError")
    assert "steelyard[sklearn]" in told


TWO = (Y == 2).astype(int)


def test_a_dummy_classifier_is_never_perfect() -> None:
    """Folds without positives: scikit-learn's own recall is 0 there with a warning; a score of 1 would win every search."""
    y = np.array([0] * 20 + [1] * 5)
    with pytest.warns(UndefinedMetricWarning, match="gmean is undefined on this fold: there are no examples"):
        scores = cross_val_score(
            DummyClassifier(), np.zeros((25, 1)), y, scoring=sy.scorer("gmean"), cv=KFold(5)
        )
    assert not (scores > 0).any()
    assert np.isnan(scores[:4]).all()


@pytest.mark.parametrize("name", ["gmean", "macro_recall", "accuracy"])
def test_data_of_one_class_give_a_dummy_no_perfect_score(name: str) -> None:
    rows, y = [[i] for i in range(20)], [0] * 20
    with pytest.warns(UndefinedMetricWarning, match="only one class was seen"):
        found = cross_val_score(DummyClassifier(), rows, y, scoring=sy.scorer(name), cv=2)
    assert np.isnan(found).all()


def test_one_class_without_an_estimator_that_knows_more_is_undefined() -> None:
    class Constant(BaseEstimator):
        def fit(self, X: Any, y: Any) -> Constant:  # noqa: N803
            return self

        def predict(self, X: Any) -> Any:  # noqa: N803
            return np.zeros(len(X), dtype=int)

    with pytest.warns(UndefinedMetricWarning, match="only one class was seen"):
        assert math.isnan(sy.scorer("gmean")(Constant(), np.zeros((3, 1)), np.zeros(3, dtype=int)))


def test_roc_auc_of_0_and_1_needs_no_positive_class() -> None:
    model = LogisticRegression(max_iter=500).fit(X, TWO)
    expected = roc_auc_score(TWO, model.predict_proba(X)[:, 1])
    assert sy.scorer("roc_auc")(model, X, TWO) == pytest.approx(expected, rel=1e-12)
    assert sy.scorer("roc_auc", positive=0)(model, X, TWO) == pytest.approx(expected, rel=1e-12)


def test_ranking_scorers_of_named_classes() -> None:
    named = np.where(TWO == 1, "fraud", "ok")
    model = LogisticRegression(max_iter=500).fit(X, named)
    scores = model.predict_proba(X)[:, 0]
    assert sy.scorer("roc_auc")(model, X, named) == pytest.approx(roc_auc_score(TWO, scores), rel=1e-12)
    precision = average_precision_score(TWO, scores)
    with pytest.warns(UserWarning, match="takes 'fraud' for the positive class because it is rarer"):
        assert sy.scorer("average_precision")(model, X, named) == pytest.approx(precision, rel=1e-12)
    fraud = sy.scorer("average_precision", positive="fraud")
    assert fraud(model, X, named) == pytest.approx(precision, rel=1e-12)
    values = cross_val_score(MODEL, X, named, scoring=sy.scorer("roc_auc"), cv=FOLDS, error_score="raise")
    assert np.isfinite(values).all()


def test_keys_are_the_names_that_were_asked() -> None:
    search = GridSearchCV(MODEL, {"C": [0.1, 1.0]}, scoring=sy.scorers(["gmean", "f1"]), refit="f1", cv=FOLDS)
    search.fit(X, TWO)
    assert "mean_test_f1" in search.cv_results_
    assert set(sy.scorers(["CBA", sy.measure("mcc")])) == {"CBA", "mcc"}


COST = "1>0=amount, 0>1=5"
AMOUNT = np.random.default_rng(2).gamma(2.0, 30.0, len(TWO))


def _costs_of_folds() -> list[float]:
    """The cost of a row in each fold, by NumPy alone."""
    spent = []
    for train, test in FOLDS.split(X, TWO):
        said = LogisticRegression(max_iter=500).fit(X[train], TWO[train]).predict(X[test])
        missed, alarm = (TWO[test] == 1) & (said == 0), (TWO[test] == 0) & (said == 1)
        spent.append((AMOUNT[test][missed].sum() + 5 * alarm.sum()) / len(test))
    return spent


def test_costs_of_rows_are_routed() -> None:
    with sklearn.config_context(enable_metadata_routing=True):
        scores = cross_val_score(
            LogisticRegression(max_iter=500),
            X,
            TWO,
            scoring=sy.scorer("expected_cost", cost=COST),
            cv=FOLDS,
            params={"amount": AMOUNT},
            error_score="raise",
        )
    assert scores == pytest.approx(np.negative(_costs_of_folds()), rel=1e-12)


def test_costs_of_rows_in_a_column_of_x() -> None:
    pandas = needs("pandas")
    frame = pandas.DataFrame(X, columns=[f"x{k}" for k in range(X.shape[1])]).assign(amount=AMOUNT)
    model = make_pipeline(
        ColumnTransformer([("x", "passthrough", list(frame.columns[:-1]))]), LogisticRegression(max_iter=500)
    )
    scores = cross_val_score(
        model, frame, TWO, scoring=sy.scorer("expected_cost", cost=COST), cv=FOLDS, error_score="raise"
    )
    assert scores == pytest.approx(np.negative(_costs_of_folds()), rel=1e-12)


def test_fixed_costs_choose_a_threshold() -> None:
    cost = sy.scorer("expected_cost", cost={("1", "0"): 50, ("0", "1"): 1})
    tuned = TunedThresholdClassifierCV(MODEL, scoring=cost, cv=FOLDS).fit(X, TWO)
    assert tuned.best_threshold_ < 0.3
    dummy = DummyClassifier(strategy="constant", constant=0).fit(X, TWO)
    assert cost(dummy, X, TWO) == pytest.approx(-50 * TWO.mean(), rel=1e-12)


@pytest.mark.parametrize(
    ("words", "how", "message"),
    [
        ("expected_cost", {}, "go together"),
        ("gmean", {"cost": COST}, "go together"),
        ("expected_cost", {"cost": {("1", "0"): AMOUNT, ("0", "1"): 5}}, "named by their column"),
    ],
)
def test_costs_that_a_scorer_cannot_use(words: str, how: dict[str, Any], message: str) -> None:
    with pytest.raises(sy.InputError, match=message):
        sy.scorer(words, **how)


def test_costs_of_rows_that_did_not_arrive() -> None:
    model = LogisticRegression(max_iter=500).fit(X, TWO)
    with pytest.raises(sy.InputError, match="enable_metadata_routing"):
        sy.scorer("expected_cost", cost=COST)(model, X, TWO)
    with pytest.raises(sy.InputError, match="cannot be used"):
        sy.scorer("expected_cost", cost=COST)(model, X, TWO, amount=-AMOUNT)


def test_four_scorers_in_a_parallel_search() -> None:
    scoring = sy.scorers(["gmean", "CBA", "mcc", "roc_auc"])
    grid = {"C": [0.1, 1.0]}
    search = GridSearchCV(
        MODEL, grid, scoring=scoring, refit="gmean", cv=FOLDS, n_jobs=2, error_score="raise"
    ).fit(X, TWO)
    assert search.best_params_ == {"C": 1.0}
    for name in scoring:
        assert np.isfinite(search.cv_results_[f"mean_test_{name}"]).all()
    fold_mcc = [
        matthews_corrcoef(
            TWO[test], LogisticRegression(max_iter=500).fit(X[train], TWO[train]).predict(X[test])
        )
        for train, test in FOLDS.split(X, TWO)
    ]
    assert search.cv_results_["mean_test_mcc"][1] == pytest.approx(np.mean(fold_mcc), rel=1e-12)


def test_halving_search() -> None:
    search = HalvingGridSearchCV(
        MODEL,
        {"C": [0.01, 1.0]},
        scoring=sy.scorer("gmean", undefined=0),
        cv=FOLDS,
        min_resources=100,
        random_state=0,
    )
    assert search.fit(X, TWO).best_params_["C"] == 1.0


def test_a_tuned_threshold() -> None:
    tuned = TunedThresholdClassifierCV(MODEL, scoring=sy.scorer("gmean"), cv=FOLDS).fit(X, TWO)
    plain = LogisticRegression(max_iter=500).fit(X, TWO)
    gmean = sy.scorer("gmean")
    assert gmean(tuned, X, TWO) > gmean(plain, X, TWO)
    assert tuned.best_threshold_ < 0.5


def test_permutation_importance() -> None:
    model = LogisticRegression(max_iter=500).fit(X, TWO)
    found = permutation_importance(model, X, TWO, scoring=sy.scorer("CBA"), n_repeats=2, random_state=0)
    theirs = permutation_importance(
        model,
        X,
        TWO,
        scoring=lambda m, a, b: sy.measure("CBA").score(b, m.predict(a), labels=[0, 1]),
        n_repeats=2,
        random_state=0,
    )
    assert found.importances_mean.tolist() == theirs.importances_mean.tolist()


def test_weights_are_routed() -> None:
    weight = np.where(TWO == 1, 7.0, 1.0)
    with sklearn.config_context(enable_metadata_routing=True):
        weighted = sy.scorer("accuracy").set_score_request(sample_weight=True)
        scores = cross_validate(
            LogisticRegression(max_iter=500).set_fit_request(sample_weight=False),
            X,
            TWO,
            scoring={
                "weighted": weighted,
                "plain": sy.scorer("accuracy").set_score_request(sample_weight=False),
            },
            cv=FOLDS,
            params={"sample_weight": weight},
            error_score="raise",
        )
    for i, (train, test) in enumerate(FOLDS.split(X, TWO)):
        right = LogisticRegression(max_iter=500).fit(X[train], TWO[train]).predict(X[test]) == TWO[test]
        assert scores["test_plain"][i] == pytest.approx(right.mean(), rel=1e-12)
        assert scores["test_weighted"][i] == pytest.approx(
            (right * weight[test]).sum() / weight[test].sum(), rel=1e-12
        )


def test_scorers_by_name() -> None:
    assert set(sy.scorers("headline")) >= {"macro_recall", "gmean"}
    assert set(sy.scorers("headline", positive="fraud")) >= {"gmean", "recall"}
    with pytest.raises(sy.InputError, match='allowed: "headline", or names of metrics'):
        sy.scorers("best")


def test_imbalanced_learn_pipelines() -> None:
    over_sampling, pipeline = needs("imblearn.over_sampling"), needs("imblearn.pipeline")
    model = pipeline.make_pipeline(
        over_sampling.RandomOverSampler(random_state=0), LogisticRegression(max_iter=500)
    )
    sampled = cross_val_score(model, X, TWO, scoring=sy.scorer("gmean"), cv=FOLDS)
    plain = cross_val_score(MODEL, X, TWO, scoring=sy.scorer("gmean"), cv=FOLDS)
    assert sampled.mean() > plain.mean()
