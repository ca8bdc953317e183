"""Prior correction of predicted probabilities as a scikit-learn transformer."""

from __future__ import annotations

from typing import Any

import numpy as np

from steelyard.errors import InputError, extra_needed
from steelyard.scores.prior_shift import correct_probabilities

with extra_needed("scikit-learn", "sklearn", "the correction as a transformer"):
    from sklearn.base import BaseEstimator, TransformerMixin


class PriorCorrection(TransformerMixin, BaseEstimator):  # type: ignore[misc]
    """Probabilities (rows by classes) of a classifier trained at one mix of classes, corrected to another.

    `priors` are the shares in production, in the order of the columns; `trained_at` those of the training
    data, without which `fit` takes them from y (classes in sorted order, as `predict_proba` has them).

    >>> import numpy as np
    >>> import steelyard as sy
    >>> correction = sy.PriorCorrection(priors=[0.9, 0.1], trained_at=[0.5, 0.5])
    >>> correction.fit_transform(np.array([[0.5, 0.5]])).round(3).tolist()
    [[0.9, 0.1]]
    """

    def __init__(self, priors: Any, trained_at: Any = None) -> None:
        self.priors = priors
        self.trained_at = trained_at

    def fit(self, X: Any, y: Any = None) -> PriorCorrection:  # noqa: N803  scikit-learn's name
        """Take the shares of the training data from y, unless they were given."""
        table = _table(X)
        if self.trained_at is None:
            if y is None:
                raise InputError(
                    "it is not known at which shares the classifier was trained",
                    found="neither trained_at= nor y",
                    do="give one of them",
                )
            _, counts = np.unique(np.asarray(y), return_counts=True)
            old = counts / counts.sum()
        else:
            old = np.asarray(self.trained_at, dtype=np.float64)
        self.trained_at_, self.priors_ = old, np.asarray(self.priors, dtype=np.float64)
        self.n_features_in_ = table.shape[1]
        self.transform(table[:1])  # refuses priors that do not go with the columns
        return self

    def transform(self, X: Any) -> Any:  # noqa: N803
        """The probabilities at the priors of production."""
        return correct_probabilities(_table(X), trained_at=self.trained_at_, priors=self.priors_)


def _table(probabilities: Any) -> Any:
    table = np.asarray(probabilities, dtype=np.float64)
    if table.ndim != 2 or table.shape[1] < 2:
        raise InputError(
            "probabilities have a column for each class",
            found=f"an array of shape {table.shape}",
            allowed="two columns or more, as predict_proba gives them",
        )
    return table
