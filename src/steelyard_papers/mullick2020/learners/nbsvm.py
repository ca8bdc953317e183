"""Near-Bayesian support vector machine (Datta and Das 2015): an SVM whose margins and costs follow the
class proportions.

With class proportions p_c = n_c / n, the constraint is y_i f(x_i) >= p_(y_i) - xi_i with cost (C / p_(y_i))
xi_i. Since p_+ + p_- = 1 and the multipliers of both classes have the same sum, the solution is that of an
ordinary SVM with C' = 2 C and class weights n / n_c, whose decision is moved by p_+ - p_-. More than two
classes: one against all, the largest value wins (inferred; the paper does not say).
"""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.svm import SVC
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import check_is_fitted, validate_data


class NBSVM(ClassifierMixin, BaseEstimator):  # type: ignore[misc]
    """An SVM with kernel exp(-|u - v|² / (2 sigma²)), costs C n / n_c and margins p_c.

    sigma=None takes the width that scikit-learn's gamma="scale" stands for: sqrt(features * variance / 2).
    """

    # C is the name every SVM gives it.
    def __init__(self, C: float = 1.0, sigma: float | None = None) -> None:  # noqa: N803
        self.C = C
        self.sigma = sigma

    def fit(self, X: Any, y: Any) -> NBSVM:  # noqa: N803 as scikit-learn names it
        X, y = validate_data(self, X, y)  # noqa: N806
        check_classification_targets(y)
        self.classes_, codes = np.unique(y, return_inverse=True)
        if len(self.classes_) < 2:
            raise ValueError(
                f"NBSVM needs two classes at least, but the data hold 1 class: {self.classes_[0]}"
            )
        spread = X.var() or 1.0
        gamma = 1 / (X.shape[1] * spread) if self.sigma is None else 1 / (2 * self.sigma**2)
        n = len(codes)
        positives = [1] if len(self.classes_) == 2 else range(len(self.classes_))
        self.machines_, self.shifts_ = [], []
        for positive in positives:
            members = codes == positive
            count = int(members.sum())
            weights = {True: n / count, False: n / (n - count)}
            self.machines_.append(
                SVC(C=2 * self.C, gamma=gamma, class_weight=weights, cache_size=200).fit(X, members)
            )
            self.shifts_.append((2 * count - n) / n)  # p_+ - p_-
        return self

    def decision_function(self, X: Any) -> Any:  # noqa: N803
        """How far on the positive side of the Bayes boundary?

        One column for each class, or one value for two classes.
        """
        check_is_fitted(self)
        X = validate_data(self, X, reset=False)  # noqa: N806
        values = np.column_stack(
            [m.decision_function(X) + shift for m, shift in zip(self.machines_, self.shifts_, strict=True)]
        )
        return values[:, 0] if len(self.classes_) == 2 else values

    def predict(self, X: Any) -> Any:  # noqa: N803
        values = self.decision_function(X)
        return self.classes_[(values > 0).astype(int) if values.ndim == 1 else values.argmax(axis=1)]
