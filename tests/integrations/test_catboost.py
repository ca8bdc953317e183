"""CatBoost stops early on our measures; checked against scikit-learn. Runs under `make test-integrations`."""

import numpy as np
import pytest
from sklearn.metrics import balanced_accuracy_score, recall_score, roc_auc_score

from steelyard.integrations import boosting
from tests.real_parts import needs

pytestmark = pytest.mark.integrations


@pytest.fixture
def catboost(monkeypatch, tmp_path):
    monkeypatch.chdir(tmp_path)
    return needs("catboost")


@pytest.fixture(scope="module")
def rows():
    generator = np.random.default_rng(7)
    features = generator.normal(size=(900, 5))
    truth = (features[:, 0] + 0.7 * generator.normal(size=900) > 1.4).astype(int)
    return features[:600], truth[:600], features[600:], truth[600:]


def model(catboost, measure, **settings):
    return catboost.CatBoostClassifier(
        iterations=settings.pop("iterations", 120),
        learning_rate=0.2,
        depth=3,
        eval_metric=boosting.catboost(measure),
        random_seed=0,
        thread_count=2,
        verbose=False,
        allow_writing_files=False,
        **settings,
    )


def test_it_stops_early_on_the_geometric_mean(catboost, rows):
    train, truth, held, expected = rows
    found = model(catboost, "gmean", early_stopping_rounds=10)
    found.fit(train, truth, eval_set=(held, expected))
    recorded = next(values for name, values in found.evals_result_["validation"].items() if name != "Logloss")
    assert len(recorded) < 120
    assert found.tree_count_ == int(np.argmax(recorded)) + 1
    sides = [recall_score(expected, found.predict(held), pos_label=k) for k in (0, 1)]
    assert max(recorded) == pytest.approx(np.sqrt(np.prod(sides)), abs=1e-9)


def test_areas_and_many_classes(catboost, rows):
    train, truth, held, expected = rows
    area = model(catboost, "roc_auc", iterations=15, use_best_model=False)
    area.fit(train, truth, eval_set=(held, expected))
    recorded = next(v for name, v in area.evals_result_["validation"].items() if name != "Logloss")
    assert recorded[-1] == pytest.approx(roc_auc_score(expected, area.predict_proba(held)[:, 1]), abs=1e-9)
    classes = [np.digitize(part[:, 0], [-0.5, 1.0]) for part in (train, held)]
    many = model(catboost, "macro_recall", iterations=8, loss_function="MultiClass", use_best_model=False)
    many.fit(train, classes[0], eval_set=(held, classes[1]))
    recorded = next(v for name, v in many.evals_result_["validation"].items() if name != "MultiClass")
    assert recorded[-1] == pytest.approx(
        balanced_accuracy_score(classes[1], many.predict(held)[:, 0]), abs=1e-9
    )


def test_weights_reach_the_measure(catboost, rows):
    train, truth, held, expected = rows
    weight = np.linspace(0.1, 2, len(expected))
    found = model(catboost, "error_rate", iterations=10, use_best_model=False)
    found.fit(train, truth, eval_set=catboost.Pool(held, expected, weight=weight))
    recorded = next(v for name, v in found.evals_result_["validation"].items() if name != "Logloss")
    wrong = found.predict(held) != expected
    assert recorded[-1] == pytest.approx(np.average(wrong, weights=weight), abs=1e-6)


def test_a_large_set_is_weighed_as_a_whole(catboost):
    """No mean over parts: a measure of imbalance is no sum over rows."""
    generator = np.random.default_rng(1)
    features = generator.normal(size=(60_000, 3))
    truth = (features[:, 0] + generator.normal(size=60_000) > 2.5).astype(int)
    order = np.argsort(-truth, kind="stable")  # parts would hold very different classes
    found = model(catboost, "gmean", iterations=4, use_best_model=False, scale_pos_weight=8)
    found.fit(features[:5000], truth[:5000], eval_set=(features[order], truth[order]))
    recorded = next(v for name, v in found.evals_result_["validation"].items() if name != "Logloss")
    sides = [recall_score(truth, found.predict(features), pos_label=k) for k in (0, 1)]
    assert recorded[-1] == pytest.approx(np.sqrt(np.prod(sides)), abs=1e-9)
