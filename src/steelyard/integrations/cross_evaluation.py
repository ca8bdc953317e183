"""Cross-validation of an estimator: the confusion matrix of every fold and the evaluation of their sum."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from steelyard.counts.confusion import Confusion
from steelyard.counts.labels import Label
from steelyard.errors import MissingExtraError, refuse_unknown_keywords
from steelyard.judgement.evaluate.judge import evaluate
from steelyard.measures.catalogue import measure
from steelyard.measures.measure import Measure


@dataclass(frozen=True, repr=False)
class CrossEvaluation:
    """The matrix of every fold, and the evaluation of all of them together."""

    folds: tuple[Confusion, ...]
    evaluation: Any
    """Of the folds' counts added up: every example as the model predicted it that was not trained on it."""
    tested_once: bool
    """Was every example tested at most once? If not, the examples are not independent and there are no
    intervals."""

    def values(self, name: str | Measure, *, positive: Label | None = None, **parameters: Any) -> Any:
        """The value of a measure on every fold."""
        chosen = measure(name, **parameters)
        return np.array([chosen(fold, positive=positive) for fold in self.folds])

    def __iter__(self) -> Iterator[Confusion]:
        return iter(self.folds)

    def __repr__(self) -> str:
        return f"CrossEvaluation of {len(self.folds)} folds\n{self.evaluation!r}"


class _Cells:
    """A scorer that returns every cell of the fold's confusion matrix."""

    def __init__(self, labels: tuple[Label, ...]) -> None:
        self._labels = labels

    def __call__(self, estimator: Any, X: Any, y: Any) -> dict[str, float]:  # noqa: N803
        counts = Confusion.from_labels(y, estimator.predict(X), self._labels).counts
        return {f"{i},{j}": float(counts[i, j]) for i, j in np.ndindex(*counts.shape)}


def cross_evaluate(
    estimator: Any,
    X: Any,  # noqa: N803 - scikit-learn's name
    y: Any,
    *,
    cv: Any = None,
    groups: Any = None,
    n_jobs: int | None = None,
    positive: Label | None = None,
    **options: Any,
) -> CrossEvaluation:
    """Evaluate an estimator in scikit-learn's cross-validation, keeping the matrix of every fold.

    `cv`, `groups` and `n_jobs` are those of `sklearn.model_selection.cross_validate`; all else is what
    `evaluate` takes.

    >>> import steelyard as sy
    >>> from sklearn.dummy import DummyClassifier
    >>> result = sy.cross_evaluate(DummyClassifier(), [[0]] * 20, [0] * 15 + [1] * 5, cv=5, interval=None)
    >>> result.evaluation.matrix.counts.tolist(), result.values("balanced_accuracy").tolist()
    ([[15, 0], [5, 0]], [0.5, 0.5, 0.5, 0.5, 0.5])
    """
    refuse_unknown_keywords(cross_evaluate, options, evaluate)
    try:
        from sklearn.model_selection import cross_validate
    except ImportError as error:
        raise MissingExtraError("scikit-learn", "sklearn", "cross-validation") from error
    labels = tuple(np.unique(np.asarray(y)).tolist())
    scores = cross_validate(
        estimator, X, y, cv=cv, groups=groups, n_jobs=n_jobs, scoring=_Cells(labels), error_score="raise"
    )
    cells = np.array([[scores[f"test_{i},{j}"] for j in range(len(labels))] for i in range(len(labels))])
    folds = tuple(Confusion(fold, labels) for fold in np.rint(np.moveaxis(cells, -1, 0)).astype(np.int64))
    together = Confusion(sum(fold.counts for fold in folds), labels)
    once = bool((together.actual <= np.unique(np.asarray(y), return_counts=True)[1]).all())
    if not once:
        options.setdefault("interval", None)
    return CrossEvaluation(folds, evaluate(together, positive=positive, **options), once)
