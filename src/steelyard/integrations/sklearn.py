"""scikit-learn: scorers of Steelyard's metrics, and cross-validation that keeps the matrix of every fold."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from functools import partial
from inspect import signature
from typing import Any

import numpy as np

from steelyard._lazy import lazily
from steelyard.counts.confusion import Confusion
from steelyard.counts.labels import Label, PositiveChoice
from steelyard.counts.libraries import column_names, column_of, is_frame
from steelyard.errors import InputError, extra_needed, refuse_strange, warn
from steelyard.judgement.evaluate.judge import evaluate
from steelyard.judgement.rules import HEADLINE_MULTI_CLASS, HEADLINE_TWO_CLASS
from steelyard.measures.catalogue import measure
from steelyard.measures.costs import costs_for
from steelyard.measures.measure import Measure
from steelyard.measures.undefined import Policy, Undefined
from steelyard.reading.cost_input import CostRules, parse_costs
from steelyard.scores.row_cost_threshold import checked_amounts, named_column

EXPECTED_COST = "expected_cost"


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
        if not math.isnan(value):
            return value
        why = "a class it needs has no examples"
        if self.measure.kind != "scores":
            counted = Confusion.from_labels(y_true, y_pred, self.labels)
            why = str(self.measure.why_undefined(counted, positive=positive))
        return _undefined(self.measure, why)


@dataclass(frozen=True)
class _CostScore:
    """The expected cost of labels as a score function."""

    parsed: CostRules
    labels: tuple[Label, ...] | None = None
    # The column of row costs, where the scorer has it; scikit-learn may hand it over as a keyword too.
    amounts: Any = None
    __name__ = EXPECTED_COST

    def __call__(self, y_true: Any, y_pred: Any, sample_weight: Any = None, **columns: Any) -> float:
        truth, predicted = np.asarray(y_true), np.asarray(y_pred)
        classes = self.labels or tuple(np.unique(np.concatenate([truth, predicted])).tolist())
        costs = costs_for(self.parsed, classes)
        place = {label: k for k, label in enumerate(classes)}
        cells = tuple(np.array([place[label] for label in column.tolist()]) for column in (truth, predicted))
        spent = costs.fixed[cells]
        if self.parsed.column is not None:
            amounts = columns.get(self.parsed.column, self.amounts)
            spent = spent + costs.times[cells] * checked_amounts(
                amounts, self.parsed.column, len(truth), _ROUTING
            )
        return float(np.average(spent, weights=sample_weight))


_ROUTING = "call sklearn.set_config(enable_metadata_routing=True) before the scorer is made, and pass params="


# `DecisionClassifier` is loaded with scikit-learn, which the scorers import when they are made.
__getattr__ = lazily("steelyard.integrations", {"DecisionClassifier": "decision_classifier"})


class Scorer:
    """A scorer that knows the classes of its estimator, so that one without examples is not forgotten."""

    # Everything else that scikit-learn needs of a scorer comes from `make_scorer`.
    def __init__(self, score: _Score | _CostScore, sklearn_scorer: Any = None) -> None:
        self._score_of = score
        self._scorer = _sklearn_scorer(score) if sklearn_scorer is None else sklearn_scorer

    def __call__(self, estimator: Any, X: Any, y_true: Any, **metadata: Any) -> float:  # noqa: N803
        classes, score = _classes(estimator, y_true), self._score_of
        if isinstance(score, _CostScore):
            amounts = metadata.pop(score.parsed.column, None) if score.parsed.column is not None else None
            if amounts is None and is_frame(X) and score.parsed.column in column_names(X):
                amounts = column_of(X, score.parsed.column)
            score = replace(score, labels=score.labels or classes, amounts=amounts)
        elif classes is not None and score.measure.kind == "scores":
            if score.positive is None and len(classes) == 2:
                score = replace(score, positive=_positive(score.measure, classes, y_true))
        elif classes is not None and score.labels is None:
            score = replace(score, labels=classes)
        # scikit-learn clones scorers and sends them to workers: what is learned of this estimator stays in a
        # copy.
        scored = self._scorer if score is self._score_of else _sklearn_scorer(score)
        return float(scored(estimator, X, y_true, **metadata))

    def set_score_request(self, **request: Any) -> Scorer:
        """Ask for metadata such as sample_weight, as scikit-learn's metadata routing has it."""
        return Scorer(self._score_of, self._scorer.set_score_request(**request))

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__") or "_scorer" not in self.__dict__:
            raise AttributeError(name)
        return getattr(self._scorer, name)

    def __repr__(self) -> str:
        return f"steelyard.scorer({self._score_of.__name__!r})"


def scorer(
    name: str | Measure,
    *,
    labels: Iterable[Label] | None = None,
    undefined: Undefined = "nan",
    positive: Label | None = None,
    cost: Any = None,
    **parameters: Any,
) -> Any:
    """A scikit-learn scorer of this measure, for cross_val_score, GridSearchCV and the like.

    Lower-is-better metrics are negated, as scikit-learn expects. The classes are those the
    estimator was fitted on, or `labels`. Where a fold lacks one of them and the measure is undefined for
    that, the score is NaN with a warning, or what `undefined` says. A measure of scores asks for
    probabilities, or for decision values where there are none; of two classes other than 0 and 1, -1 and 1 or
    False and True the rarer one is positive, with a warning where that matters and `positive` is not named.

    `scorer("expected_cost", cost="fraud>ok=200, ok>fraud=4")` scores the cost of a row. A column in the costs
    ("fraud>ok=amount") is a column of X, or metadata of that name: with scikit-learn's metadata routing
    enabled, the scorer requests it.

    >>> import steelyard as sy
    >>> from sklearn.dummy import DummyClassifier
    >>> from sklearn.model_selection import cross_val_score
    >>> X, y = [[i] for i in range(20)], [0] * 15 + [1] * 5
    >>> cross_val_score(DummyClassifier(), X, y, scoring=sy.scorer("macro_recall")).tolist()
    [0.5, 0.5, 0.5, 0.5, 0.5]
    """
    listed = None if labels is None else tuple(labels)
    if name == EXPECTED_COST or cost is not None:
        return _cost_scorer(name, cost, listed)
    chosen = measure(name, **parameters)
    Policy.of(undefined)
    if chosen.better == "neither":
        raise InputError(
            f"{chosen.name} is no score: neither higher nor lower is better", do="choose another metric"
        )
    return Scorer(_Score(chosen, listed, undefined, positive))


def _cost_scorer(name: str | Measure, cost: Any, labels: tuple[Label, ...] | None) -> Scorer:
    if name != EXPECTED_COST or cost is None:
        raise InputError(
            "costs and the expected cost go together",
            found=f"{name!r} {'without' if cost is None else 'with'} cost=",
            do='say scorer("expected_cost", cost="fraud>ok=200, ok>fraud=4")',
        )
    column = named_column(cost)
    cost_scorer = Scorer(_CostScore(parse_costs(cost), labels))
    from sklearn import get_config

    if column is not None and get_config()["enable_metadata_routing"]:
        return cost_scorer.set_score_request(**{column: True})
    return cost_scorer


def scorers(
    which: str | Iterable[str | Measure] = "headline",
    *,
    labels: Iterable[Label] | None = None,
    undefined: Undefined = "nan",
    positive: Label | None = None,
    cost: Any = None,
) -> dict[str, Any]:
    """Several scorers by the names that were asked, for the `scoring` of cross_validate and GridSearchCV.

    "headline" are the measures that `evaluate` puts first: of two classes if `positive` is named, of any
    number otherwise.

    >>> import steelyard as sy
    >>> sorted(sy.scorers(["gmean", "f1"]))
    ['f1', 'gmean']
    """
    if isinstance(which, str):
        if which != "headline":
            raise InputError(
                "these scorers are not known", found=repr(which), allowed='"headline", or names of metrics'
            )
        which = HEADLINE_MULTI_CLASS if positive is None else HEADLINE_TWO_CLASS
    listed = None if labels is None else tuple(labels)
    how: dict[str, Any] = {"labels": listed, "undefined": undefined, "positive": positive}
    named = {name if isinstance(name, str) else name.name: name for name in which}
    return {
        key: scorer(name, cost=cost, **how) if name == EXPECTED_COST else scorer(name, **how)
        for key, name in named.items()
    }


def _sklearn_scorer(score: _Score | _CostScore) -> Any:
    """scikit-learn's own scorer of this score function."""
    with extra_needed("scikit-learn", "sklearn", "a scikit-learn scorer"):
        from sklearn.metrics import make_scorer
    if isinstance(score, _CostScore):
        return make_scorer(score, response_method="predict", greater_is_better=False)
    named = {} if score.positive is None else {"pos_label": score.positive}
    of_scores = score.measure.kind == "scores"
    method = ("predict_proba", "decision_function") if of_scores else "predict"
    higher = score.measure.better == "higher"
    return make_scorer(score, response_method=method, greater_is_better=higher, **named)


def _classes(estimator: Any, y_true: Any) -> tuple[Label, ...] | None:
    """The classes that the estimator was fitted on, then those it never saw; None if it does not say."""
    fitted = getattr(estimator, "classes_", None)
    if fitted is None or np.ndim(fitted) != 1:
        return None
    classes = np.asarray(fitted).tolist()
    seen = np.unique(np.asarray(y_true)).tolist()
    return (*classes, *(label for label in seen if label not in classes))


def _positive(chosen: Measure, classes: tuple[Label, ...], y_true: Any) -> Label:
    """The class whose scores are ranked: by convention, else the rarer one."""
    # The area under the ROC curve is the same for both classes; for other measures the choice matters and is
    # said.
    truth = np.asarray(y_true)
    choice = PositiveChoice.of_two(classes, [int(np.count_nonzero(truth == label)) for label in classes])
    if choice.guessed and chosen.id != "roc_auc":
        warn(
            f"{chosen.name} takes {choice.label!r} for the positive class because it is rarer; name it with"
            " positive=..."
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


# -- cross-validation


@dataclass(frozen=True, repr=False)
class CrossEvaluation:
    """The matrix of every fold, and the evaluation of all of them together."""

    folds: tuple[Confusion, ...]
    # Of the folds' counts added up: every example as the model predicted it that was not trained on it.
    evaluation: Any
    # Was every example tested at most once? If not, the examples are not independent and there are no
    # intervals.
    tested_once: bool

    def values(self, name: str | Measure, *, positive: Label | None = None, **parameters: Any) -> Any:
        """The value of a measure on every fold."""
        chosen = measure(name, **parameters)
        return np.array([chosen(fold, positive=positive) for fold in self.folds])

    def __iter__(self) -> Iterator[Confusion]:
        return iter(self.folds)

    def __repr__(self) -> str:
        return f"CrossEvaluation of {len(self.folds)} folds\n{self.evaluation!r}"


def _cells(estimator: Any, X: Any, y: Any, labels: tuple[Label, ...]) -> dict[str, float]:  # noqa: N803
    """A scorer that returns every cell of the fold's confusion matrix."""
    counts = Confusion.from_labels(y, estimator.predict(X), labels).counts
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
    # A keyword that would be handed on is refused in the name of the function that the caller wrote.
    known = [name for function in (cross_evaluate, evaluate) for name in signature(function).parameters]
    refuse_strange(cross_evaluate, options, known)
    with extra_needed("scikit-learn", "sklearn", "cross-validation"):
        from sklearn.model_selection import cross_validate
    labels = tuple(np.unique(np.asarray(y)).tolist())
    how: dict[str, Any] = {"cv": cv, "groups": groups, "n_jobs": n_jobs, "error_score": "raise"}
    scores = cross_validate(estimator, X, y, scoring=partial(_cells, labels=labels), **how)
    cells = np.array([[scores[f"test_{i},{j}"] for j in range(len(labels))] for i in range(len(labels))])
    folds = tuple(Confusion(fold, labels) for fold in np.rint(np.moveaxis(cells, -1, 0)).astype(np.int64))
    together = Confusion(sum(fold.counts for fold in folds), labels)
    # Repeated cross-validation tests a row several times: rows are not independent, and an interval would be
    # too narrow.
    once = bool((together.actual <= np.unique(np.asarray(y), return_counts=True)[1]).all())
    if not once:
        options.setdefault("interval", None)
    return CrossEvaluation(folds, evaluate(together, positive=positive, **options), once)
