"""Our measures as scikit-learn scorers, in a real scikit-learn."""

from __future__ import annotations

import math
import pickle
import subprocess
import sys
from typing import Any

import numpy as np
import pytest
from sklearn.datasets import make_classification
from sklearn.dummy import DummyClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import balanced_accuracy_score, f1_score, matthews_corrcoef, zero_one_loss
from sklearn.model_selection import GridSearchCV, StratifiedKFold, cross_val_score, cross_validate

import steelyard as sy
from steelyard.errors import UnknownNameError

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
    """Without labels the class is not there; with labels it is undefined, or what undefined= says."""
    model = DummyClassifier(strategy="constant", constant="often").fit(X, NAMES)
    part = NAMES != "rare"
    assert sy.scorer("macro_recall")(model, X[part], NAMES[part]) == 0.5
    listed = ["often", "seldom", "rare"]
    assert math.isnan(sy.scorer("macro_recall", labels=listed)(model, X[part], NAMES[part]))
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
