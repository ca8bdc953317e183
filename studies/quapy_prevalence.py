"""Prevalence by QuaPy, for studies/production_without_labels.py; runs in an environment of its own that has QuaPy.

    python studies/quapy_prevalence.py samples.npz estimates.npz

Of each sample: labelled scores and classes, production scores. QuaPy's quantifiers get the scores as a classifier that was
fitted elsewhere: adjusted counting (ACC), its probabilistic form (PACC) and expectation maximisation (EMQ, Saerens 2002).
"""

from __future__ import annotations

import sys
from typing import Any

import numpy as np
from quapy.method.aggregative import ACC, EMQ, PACC
from sklearn.base import BaseEstimator, ClassifierMixin


class Scores(ClassifierMixin, BaseEstimator):
    """The score as the probability of class 1."""

    classes_ = np.array([0, 1])

    def __sklearn_is_fitted__(self) -> bool:
        return True

    def fit(self, x: Any, y: Any) -> Scores:
        return self

    def predict_proba(self, x: Any) -> Any:
        p = np.clip(np.asarray(x)[:, 0], 1e-6, 1 - 1e-6)
        return np.stack([1 - p, p], axis=1)

    def predict(self, x: Any) -> Any:
        return (np.asarray(x)[:, 0] >= 0.5).astype(int)


def estimate(labelled: Any, classes: Any, production: Any) -> list[float]:
    found = []
    for method in (ACC, PACC, EMQ):
        quantifier = method(Scores(), fit_classifier=False)
        try:
            quantifier.fit(labelled[:, None], classes)
            found.append(float(quantifier.predict(production[:, None])[1]))
        except (ValueError, np.linalg.LinAlgError):
            found.append(np.nan)
    return found


if __name__ == "__main__":
    samples = np.load(sys.argv[1])
    rows = range(len(samples["labelled"]))
    shares = [estimate(samples["labelled"][k], samples["classes"][k], samples["production"][k]) for k in rows]
    np.savez(sys.argv[2], estimates=np.array(shares))
