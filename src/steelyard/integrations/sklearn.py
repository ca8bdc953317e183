"""scikit-learn scorers of Steelyard's metrics."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from steelyard.counts.confusion import Confusion
from steelyard.counts.labels import Label
from steelyard.errors import InputError, MissingExtraError, warn
from steelyard.judgement.rules import HEADLINE_MULTI_CLASS, HEADLINE_TWO_CLASS
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
        positive = pos_label if self.positive is None else self.positive
        if self.measure.kind == "scores" and positive is None and getattr(y_pred, "ndim", 2) == 1:
            raise InputError(
                f"{self.measure.name} needs to know whose scores it is given",
                do="name the class with positive=...",
            )
        alone = self.labels is None or len(self.labels) < 2
        if alone and self.measure.kind != "scores" and _one_class(y_true, y_pred):
            return _undefined(self.measure, "only one class was seen, and no other is known")
        value = self.measure.score(
            y_true,
            y_pred,
            labels=self.labels,
            sample_weight=sample_weight,
            undefined=self.undefined,
            positive=positive,
        )
        return _undefined(self.measure, self._why(y_true, y_pred, positive)) if math.isnan(value) else value

    def _why(self, y_true: Any, y_pred: Any, positive: Label | None) -> str:
        if self.measure.kind == "scores":
            return "a class it needs has no examples"
        counted = Confusion.from_labels(y_true, y_pred, self.labels)
        return str(self.measure.why_undefined(counted, positive=positive))


class Scorer:
    """A scorer that knows the classes of the estimator it scores, so that a class without examples is not
    forgotten.

    Everything else that scikit-learn needs of a scorer comes from `make_scorer`.
    """

    def __init__(self, score: _Score, sklearn_scorer: Any = None) -> None:
        self._score_of = score
        self._scorer = _sklearn_scorer(score) if sklearn_scorer is None else sklearn_scorer

    def __call__(self, estimator: Any, X: Any, y_true: Any, **metadata: Any) -> float:  # noqa: N803
        classes = _classes(estimator, y_true)
        if classes is None:
            return float(self._scorer(estimator, X, y_true, **metadata))
        score = self._score_of
        if score.measure.kind == "scores":
            if score.positive is None and len(classes) == 2:
                score = replace(score, positive=_conventional(score.measure, classes))
        elif score.labels is None:
            score = replace(score, labels=classes)
        return float(_sklearn_scorer(score)(estimator, X, y_true, **metadata))

    def set_score_request(self, **request: Any) -> Scorer:
        """Ask for metadata such as sample_weight, as scikit-learn's metadata routing has it."""
        return Scorer(self._score_of, self._scorer.set_score_request(**request))

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__") or "_scorer" not in self.__dict__:
            raise AttributeError(name)
        return getattr(self._scorer, name)

    def __repr__(self) -> str:
        return f"steelyard.scorer({self._score_of.measure.name!r})"


def scorer(
    name: str | Measure,
    *,
    labels: Iterable[Label] | None = None,
    undefined: Undefined = "nan",
    positive: Label | None = None,
    **parameters: Any,
) -> Any:
    """A scikit-learn scorer of this measure, for cross_val_score, GridSearchCV and the like.

    Lower-is-better metrics are negated, as scikit-learn expects. The classes are those the
    estimator was fitted on, or `labels`. Where a fold lacks one of them and the measure is undefined for
    that, the score is NaN with a warning, or what `undefined` says. A measure of scores asks for
    probabilities, or for decision values where there are none; of two classes other than 0 and 1, -1 and 1 or
    False and True the `positive` one must be named.

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
    return Scorer(_Score(chosen, None if labels is None else tuple(labels), undefined, positive))


def scorers(
    which: str | Iterable[str | Measure] = "headline",
    *,
    labels: Iterable[Label] | None = None,
    undefined: Undefined = "nan",
    positive: Label | None = None,
) -> dict[str, Any]:
    """Several scorers by id, for the `scoring` of cross_validate and GridSearchCV.

    "headline" are the measures that `evaluate` puts first: of two classes if `positive` is named, of any
    number otherwise.

    >>> import steelyard as sy
    >>> sorted(sy.scorers(["gmean", "CBA"]))
    ['class_balance_accuracy', 'gmean']
    """
    if isinstance(which, str):
        if which != "headline":
            raise InputError(
                "these scorers are not known", found=repr(which), allowed='"headline", or names of measures'
            )
        which = HEADLINE_MULTI_CLASS if positive is None else HEADLINE_TWO_CLASS
    listed = None if labels is None else tuple(labels)
    chosen = [measure(name) for name in which]
    return {m.name: scorer(m, labels=listed, undefined=undefined, positive=positive) for m in chosen}


def _sklearn_scorer(score: _Score) -> Any:
    """scikit-learn's own scorer of this score function."""
    try:
        from sklearn.metrics import make_scorer
    except ImportError as error:
        raise MissingExtraError("scikit-learn", "sklearn", "a scikit-learn scorer") from error
    higher = score.measure.better == "higher"
    named = {} if score.positive is None else {"pos_label": score.positive}
    if score.measure.kind != "scores":
        return make_scorer(score, response_method="predict", greater_is_better=higher, **named)
    return make_scorer(
        score, response_method=("predict_proba", "decision_function"), greater_is_better=higher, **named
    )


def _classes(estimator: Any, y_true: Any) -> tuple[Label, ...] | None:
    """The classes that the estimator was fitted on, then those it never saw; None if it does not say."""
    fitted = getattr(estimator, "classes_", None)
    if fitted is None or np.ndim(fitted) != 1:
        return None
    classes = np.asarray(fitted).tolist()
    seen = np.unique(np.asarray(y_true)).tolist()
    return (*classes, *(label for label in seen if label not in classes))


def _conventional(chosen: Measure, classes: tuple[Label, ...]) -> Label:
    choice = Confusion(np.zeros((2, 2), dtype=np.int64), classes).positive_class(None)
    if choice.guessed:
        raise InputError(
            f"{chosen.name} needs to know whose scores it is given",
            found=f"the classes {classes[0]!r} and {classes[1]!r}",
            do="name the class with positive=...",
        )
    return choice.label


def _one_class(y_true: Any, y_pred: Any) -> bool:
    truths, predictions = np.unique(np.asarray(y_true)), np.unique(np.asarray(y_pred))
    return len(truths) == len(predictions) == 1 and bool(truths[0] == predictions[0])


def _undefined(chosen: Measure, why: str) -> float:
    from sklearn.exceptions import UndefinedMetricWarning

    warn(
        f"{chosen.name} is undefined on this fold: {why}; the score is NaN. Stratified folds lack no class, "
        'and undefined="skip" or a number decides what such a fold counts.',
        UndefinedMetricWarning,
    )
    return math.nan
