"""Does a cross-evaluation keep what every fold counted?"""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.datasets import make_classification
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import confusion_matrix
from sklearn.model_selection import RepeatedStratifiedKFold, StratifiedKFold, cross_val_predict

import steelyard as sy

X, Y = make_classification(n_samples=200, weights=[0.8], random_state=0)
NAMES = np.where(Y == 1, "fraud", "ok")
MODEL = LogisticRegression(max_iter=500)
FOLDS = StratifiedKFold(4)


def test_folds_and_their_sum_are_scikit_learns() -> None:
    result = sy.cross_evaluate(MODEL, X, NAMES, cv=FOLDS, positive="fraud")
    predicted = cross_val_predict(MODEL, X, NAMES, cv=FOLDS)
    assert result.evaluation.matrix.counts.tolist() == confusion_matrix(NAMES, predicted).tolist()
    for fold, (_, test) in zip(result, FOLDS.split(X, NAMES), strict=True):
        assert fold.counts.tolist() == confusion_matrix(NAMES[test], predicted[test]).tolist()
        assert fold.labels == ("fraud", "ok")
    recalls = [fold.counts[0, 0] / fold.counts[0].sum() for fold in result.folds]
    assert result.values("recall", positive="fraud").tolist() == pytest.approx(recalls)
    assert result.tested_once


def test_repeated_folds_have_no_intervals() -> None:
    """Each example is tested twice: twice the counts are not twice the knowledge."""
    result = sy.cross_evaluate(
        MODEL, X, NAMES, cv=RepeatedStratifiedKFold(n_splits=3, n_repeats=2, random_state=0), positive="fraud"
    )
    assert len(result.folds) == 6
    assert not result.tested_once
    assert result.evaluation.matrix.total == 400
    assert result.evaluation.intervals is None


def test_what_fails_in_a_fold_is_not_swallowed() -> None:
    with pytest.raises(ValueError, match="n_splits"):
        sy.cross_evaluate(MODEL, X[:6], NAMES[:6], cv=StratifiedKFold(50))


def test_a_misspelt_keyword_is_refused_in_its_own_name_before_anything_is_fitted() -> None:
    said = r"^cross_evaluate\(\) got an unexpected keyword argument 'intervl'; did you mean 'interval'\?$"
    with pytest.raises(TypeError, match=said):
        sy.cross_evaluate(None, None, None, intervl=None)
