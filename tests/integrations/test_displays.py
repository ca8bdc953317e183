"""Displays in scikit-learn's style, from columns and from a real estimator."""

import numpy as np
import pytest
from sklearn.linear_model import LogisticRegression

import steelyard as sy
from steelyard.errors import InputError


@pytest.fixture(scope="module")
def fitted():
    generator = np.random.default_rng(5)
    features = generator.normal(size=(400, 2))
    truth = np.where(features[:, 0] + 0.5 * generator.normal(size=400) > 1, "fraud", "ok")
    return LogisticRegression().fit(features, truth), features, truth


@pytest.mark.parametrize("kind", ["matrix", "metrics", "priors"])
def test_a_picture_of_predictions_is_the_one_of_the_evaluation(fitted, kind):
    model, features, truth = fitted
    shown = sy.EvaluationDisplay.from_estimator(model, features, truth, kind=kind, positive="fraud")
    same = sy.EvaluationDisplay.from_predictions(truth, model.predict(features), kind=kind, positive="fraud")
    assert shown.ax_ in shown.figure_.axes
    assert shown.evaluation.matrix == same.evaluation.matrix
    assert shown._repr_png_()[:4] == b"\x89PNG"


@pytest.mark.parametrize("kind", ["roc", "precision_recall", "threshold"])
def test_curves_come_from_the_probabilities(fitted, kind):
    model, features, truth = fitted
    shown = sy.EvaluationDisplay.from_estimator(model, features, truth, kind=kind)
    assert shown.evaluation.ranking is not None
    assert shown.figure_.axes[0].lines


def test_curves_of_many_classes_are_refused_in_a_sentence():
    features = np.arange(12, dtype=float).reshape(6, 2)
    model = LogisticRegression().fit(features, [0, 1, 2, 0, 1, 2])
    with pytest.raises(InputError, match="two classes"):
        sy.EvaluationDisplay.from_estimator(model, features, [0, 1, 2, 0, 1, 2], kind="roc")
    with pytest.raises(LookupError):
        sy.EvaluationDisplay.from_predictions([0, 1], [0, 1], kind="pie")
