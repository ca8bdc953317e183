"""LightGBM and XGBoost stop early on our measures: the real libraries, checked against scikit-learn's values."""

import numpy as np
import pytest
from sklearn.metrics import balanced_accuracy_score, recall_score, roc_auc_score

from steelyard.errors import InputError
from steelyard.integrations import boosting
from tests.real_parts import needs


@pytest.fixture(scope="module")
def rows():
    generator = np.random.default_rng(7)
    features = generator.normal(size=(1500, 5))
    truth = (features[:, 0] + 0.7 * generator.normal(size=1500) > 1.4).astype(int)
    return features[:1000], truth[:1000], features[1000:], truth[1000:]


def test_lightgbm_stops_early_on_the_geometric_mean(rows):
    lightgbm = needs("lightgbm")
    train, truth, held, expected = rows
    model = lightgbm.LGBMClassifier(
        n_estimators=200, learning_rate=0.2, verbosity=-1, random_state=0, n_jobs=1
    )
    stop = lightgbm.early_stopping(10, first_metric_only=True, verbose=False)
    model.set_params(metric="None").fit(
        train, truth, eval_X=held, eval_y=expected, eval_metric=boosting.lightgbm("gmean"), callbacks=[stop]
    )
    recorded = model.evals_result_["valid_0"]["gmean"]
    assert model.best_iteration_ < 200
    assert model.best_iteration_ == int(np.argmax(recorded)) + 1
    said = model.predict(held)
    sides = [recall_score(expected, said, pos_label=k) for k in (0, 1)]
    assert max(recorded) == pytest.approx(np.sqrt(np.prod(sides)), abs=1e-12)


def test_lightgbm_train_and_many_classes(rows):
    lightgbm = needs("lightgbm")
    train, _, held, _ = rows
    classes = [np.digitize(part[:, 0], [-0.5, 1.0]) for part in (train, held)]
    data = lightgbm.Dataset(train, classes[0])
    seen: dict = {}
    booster = lightgbm.train(
        {"objective": "multiclass", "num_class": 3, "metric": "None", "verbosity": -1, "num_threads": 1},
        data,
        num_boost_round=5,
        valid_sets=[lightgbm.Dataset(held, classes[1], reference=data)],
        feval=boosting.lightgbm("macro_recall"),
        callbacks=[lightgbm.record_evaluation(seen)],
    )
    said = booster.predict(held).argmax(axis=1)
    assert seen["valid_0"]["macro_recall"][-1] == pytest.approx(
        balanced_accuracy_score(classes[1], said), abs=1e-12
    )


def test_xgboost_stops_early_on_an_area(rows):
    xgboost = needs("xgboost")
    train, truth, held, expected = rows
    metric = boosting.xgboost("roc_auc")
    seen: dict = {}
    booster = xgboost.train(
        {"objective": "binary:logistic", "disable_default_eval_metric": True, "nthread": 1, "eta": 0.3},
        xgboost.DMatrix(train, truth),
        num_boost_round=150,
        evals=[(xgboost.DMatrix(held, expected), "held")],
        custom_metric=metric,
        callbacks=[xgboost.callback.EarlyStopping(rounds=8, maximize=metric.maximize, save_best=True)],
        evals_result=seen,
        verbose_eval=False,
    )
    values = seen["held"]["roc_auc"]
    assert len(values) < 150
    scores = booster.predict(xgboost.DMatrix(held))
    assert max(values) == pytest.approx(roc_auc_score(expected, scores), abs=1e-6)  # six digits are kept


def test_xgboost_classifiers_take_it_too(rows):
    xgboost = needs("xgboost")
    train, truth, held, expected = rows
    metric, weight = boosting.xgboost("gmean"), np.linspace(0.5, 2, len(expected))
    stop = xgboost.callback.EarlyStopping(rounds=8, maximize=metric.maximize, save_best=True)
    model = xgboost.XGBClassifier(n_estimators=100, n_jobs=1, eval_metric=metric, callbacks=[stop])
    model.fit(train, truth, eval_set=[(held, expected)], sample_weight_eval_set=[weight], verbose=False)
    values = model.evals_result()["validation_0"]["gmean"]
    sides = [recall_score(expected, model.predict(held), pos_label=k, sample_weight=weight) for k in (0, 1)]
    assert len(values) < 100
    assert max(values) == pytest.approx(np.sqrt(np.prod(sides)), abs=1e-6)  # six digits are kept


@pytest.mark.parametrize("name", ["gmean", "error_rate"])
def test_xgboost_keeps_the_best_round_without_being_told(rows, name):
    """XGBoost minimises what it does not know: 0.482 in round 0 was kept as the best G-mean."""
    xgboost = needs("xgboost")
    train, truth, held, expected = rows
    metric, seen = boosting.xgboost(name), {}
    booster = xgboost.train(
        {"objective": "binary:logistic", "disable_default_eval_metric": True, "nthread": 1, "eta": 0.1},
        xgboost.DMatrix(train, truth),
        num_boost_round=60,
        evals=[(xgboost.DMatrix(held, expected), "held")],
        custom_metric=metric,
        early_stopping_rounds=5,
        evals_result=seen,
        verbose_eval=False,
    )
    values = seen["held"][name]
    assert booster.best_score == (max if name == "gmean" else min)(values)
    model = xgboost.XGBClassifier(
        n_estimators=60,
        n_jobs=1,
        learning_rate=0.1,
        eval_metric=boosting.xgboost(name),
        early_stopping_rounds=5,
    )
    model.fit(train, truth, eval_set=[(held, expected)], verbose=False)
    assert model.best_score == (max if name == "gmean" else min)(model.evals_result()["validation_0"][name])
    minimised = xgboost.callback.EarlyStopping(rounds=2, maximize=False)  # who says so is believed
    model = xgboost.XGBClassifier(
        n_estimators=9, n_jobs=1, eval_metric=boosting.xgboost(name), callbacks=[minimised]
    )
    model.fit(train, truth, eval_set=[(held, expected)], verbose=False)
    assert minimised.maximize is False


@pytest.mark.parametrize(
    ("measure", "truth", "scores", "words"),
    [
        ("gmean", [0, 1], [-2.0, 3.0], "threshold=0 for log odds"),
        ("gmean", [0, 1], [0.1, np.nan], "it may have diverged"),
        ("gmean", [0, 0.5], [0.1, 0.2], "numbered from 0"),
        ("gmean", [0, -1], [0.1, 0.2], "numbered from 0"),
        ("macro_recall", [[1, 1], [0, 1]], [[0.1, 0.9], [0.5, 0.5]], "a single 1 in every row"),
        ("recall", [0, 1, 2], np.eye(3), "positive="),
    ],
)
def test_what_a_learner_may_not_say(measure, truth, scores, words):
    with pytest.raises(InputError, match=words):
        boosting.lightgbm(measure)(truth, np.asarray(scores))


def test_log_odds_thresholds_and_one_class_among_many_by_hand():
    assert boosting.lightgbm("recall", threshold=0.0)([1, 1, 0], [-1.0, 2.0, 3.0])[1] == 0.5
    two = np.array([[0.6, 0.4], [0.9, 0.1]])
    assert boosting.lightgbm("recall")([1, 1], two)[1] == 0
    assert boosting.lightgbm("recall", threshold=0.3)([1, 1], two)[1] == 0.5
    of_one = boosting.lightgbm("recall", positive=2)
    assert of_one([2, 2, 0], [[0, 0, 1], [1, 0, 0], [1, 0, 0]])[1] == 0.5
    with pytest.raises(InputError, match="a threshold parts two classes"):
        boosting.lightgbm("macro_recall", threshold=0.3)([0, 1, 2], np.eye(3))


def test_catboost_form_by_hand():
    """Before the probabilities stand log odds: 0 is one half."""
    metric = boosting.catboost("recall")
    assert metric.is_max_optimal()
    error, weight = metric.evaluate([[-1.0, 0.5, 2.0, -3.0]], [1, 1, 1, 0], None)
    assert metric.get_final_error(error, weight) == pytest.approx(2 / 3)
    many = boosting.catboost("accuracy").evaluate(
        [[2, 0, 0], [0, 1, 0], [0, 0, 3]], [0, 1, 1], [1.0, 1.0, 2.0]
    )
    assert many == (0.5, 1.0)


def test_what_cannot_say_better_is_refused_and_undefined_is_said():
    with pytest.raises(InputError, match="which model is better"):
        boosting.lightgbm("prevalence")
    with pytest.warns(UserWarning, match="precision is undefined"):
        assert np.isnan(boosting.lightgbm("precision")([0, 1], [0.1, 0.2])[1])
