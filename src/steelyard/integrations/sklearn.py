"""Steelyard's measures as scikit-learn scorers, through scikit-learn's public API only."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from steelyard.counts.labels import Label
from steelyard.errors import InputError, MissingExtraError
from steelyard.measures.catalogue import measure
from steelyard.measures.measure import Measure
from steelyard.measures.undefined import Policy, Undefined


@dataclass(frozen=True)
class _Score:
    """A score function of labels that can be pickled, as parallel cross-validation needs."""

    measure: Measure
    labels: tuple[Label, ...] | None
    undefined: Undefined
    positive: Label | None

    @property
    def __name__(self) -> str:
        return self.measure.name

    def __call__(self, y_true: Any, y_pred: Any, sample_weight: Any = None, pos_label: Any = None) -> float:
        # scikit-learn reads pos_label to pick the column of scores, and hands it on.
        if self.measure.kind == "scores" and self.positive is None and getattr(y_pred, "ndim", 2) == 1:
            raise InputError(
                f"{self.measure.name} needs to know whose scores it is given",
                do="name the class with positive=...",
            )
        return self.measure.score(
            y_true,
            y_pred,
            labels=self.labels,
            sample_weight=sample_weight,
            undefined=self.undefined,
            positive=self.positive,
        )


def scorer(
    name: str | Measure,
    *,
    labels: Iterable[Label] | None = None,
    undefined: Undefined = "nan",
    positive: Label | None = None,
    **parameters: Any,
) -> Any:
    """A scikit-learn scorer of this measure, for cross_val_score, GridSearchCV and the like.

    Measures for which lower is better come back negated, as scikit-learn expects. Name the classes with `labels` if a fold may
    lack one, and say with `undefined` what its value is then. A measure of scores asks for probabilities, or for decision values
    where there are none, and for two classes `positive` must be named.

    >>> import steelyard as sy
    >>> from sklearn.dummy import DummyClassifier
    >>> from sklearn.model_selection import cross_val_score
    >>> X, y = [[i] for i in range(20)], [0] * 15 + [1] * 5
    >>> cross_val_score(DummyClassifier(), X, y, scoring=sy.scorer("macro_recall")).tolist()
    [0.5, 0.5, 0.5, 0.5, 0.5]
    """
    chosen = measure(name, **parameters)
    Policy.of(undefined)
    if chosen.better == "neither":
        raise InputError(
            f"{chosen.name} is no score: neither higher nor lower is better", do="choose another measure"
        )
    try:
        from sklearn.metrics import make_scorer
    except ImportError as error:
        raise MissingExtraError("scikit-learn", "sklearn", "a scikit-learn scorer") from error
    score = _Score(chosen, None if labels is None else tuple(labels), undefined, positive)
    if chosen.kind != "scores":
        return make_scorer(score, response_method="predict", greater_is_better=chosen.better == "higher")
    named = {} if positive is None else {"pos_label": positive}
    return make_scorer(
        score,
        response_method=("predict_proba", "decision_function"),
        greater_is_better=chosen.better == "higher",
        **named,
    )
