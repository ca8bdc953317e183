"""A scikit-learn classifier that applies a decision: threshold, class weights, costs, priors, abstention."""

# scikit-learn's TunedThresholdClassifierCV tunes one threshold of two classes. Here the decision may also be
# a weight for each of many classes, the cheapest label under costs by class or by row (elkan2001), and no
# label at all where the classifier is not confident enough (Chow's rule).

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from steelyard.counts.confusion import Confusion
from steelyard.counts.labels import ABSTAIN, Array, Label, meant
from steelyard.counts.libraries import column_names, column_of, is_frame
from steelyard.counts.score_counts import ScoreCounts
from steelyard.errors import InputError, UnknownNameError, extra_needed
from steelyard.measures.catalogue import measure as look_up
from steelyard.measures.class_numbers import checked_priors, priors_of, priors_of_two
from steelyard.measures.costs import costs_for, expected_cost_of, measure_of_two
from steelyard.measures.measure import Measure
from steelyard.scores.class_weights import best_class_weights
from steelyard.scores.prior_shift import correct_probabilities
from steelyard.scores.row_cost_threshold import cheapest_by_row, checked_amounts, named_column, row_costs
from steelyard.scores.threshold_selection import best_threshold
from steelyard.scores.threshold_sweep import sweep

with extra_needed("scikit-learn", "sklearn", "the decision as a classifier"):
    from sklearn.base import BaseEstimator, ClassifierMixin, MetaEstimatorMixin, clone
    from sklearn.model_selection import check_cv, cross_val_predict
    from sklearn.utils import get_tags, indexable
    from sklearn.utils.metaestimators import available_if
    from sklearn.utils.multiclass import check_classification_targets
    from sklearn.utils.validation import check_is_fitted, column_or_1d

COST = "cost"
# Thresholds at which the curve over the folds is kept.
MOST_THRESHOLDS = 500


def _has(method: str) -> Any:
    return lambda self: hasattr(getattr(self, "estimator_", self.estimator), method)


class DecisionClassifier(ClassifierMixin, MetaEstimatorMixin, BaseEstimator):  # type: ignore[misc]
    """A classifier with a decision on top of its probabilities.

    The decision is one of: `threshold` (of the `positive` class, of two), `class_weights` (a mapping, or a
    sequence in the order of `classes_`, that multiplies the probabilities), `cost` alone (the label with the
    lowest expected cost; a column in the costs, as in "fraud>ok=amount", is a column of X or a keyword of
    `predict`), or `maximise` (a metric, or "cost"): a threshold, or with more classes class weights, chosen
    by cross-validation (`cv`, as in scikit-learn; "prefit" for a fitted estimator). Without any of them the
    most probable class is predicted. `priors` are those of production: probabilities are corrected from the
    shares in y. Rows whose predicted class has a probability below `abstain_below` are predicted "abstain".

    `threshold_` or `class_weights_` is the choice on all out-of-fold scores; `fold_thresholds_` and
    `fold_class_weights_` are those of each fold, `spread_` their standard deviation; `cv_results_` has the
    metric at the thresholds, pooled and for each fold.

    >>> import numpy as np
    >>> from sklearn.linear_model import LogisticRegression
    >>> from steelyard.integrations.sklearn import DecisionClassifier
    >>> x = np.arange(200.0)[:, None] / 100
    >>> y = np.where((x[:, 0] > 1.7) ^ (np.arange(200) % 9 == 0), "fraud", "ok")
    >>> model = DecisionClassifier(LogisticRegression(), cost="fraud>ok=20, ok>fraud=1").fit(x, y)
    >>> model.predict([[0.1], [1.9]]).tolist()
    ['fraud', 'fraud']
    """

    def __init__(
        self,
        estimator: Any,
        *,
        maximise: str | Measure | None = None,
        threshold: float | None = None,
        class_weights: Any = None,
        cost: Any = None,
        priors: Any = None,
        abstain_below: float | None = None,
        positive: Any = None,
        cv: Any = None,
        n_jobs: int | None = None,
    ) -> None:
        self.estimator, self.maximise, self.threshold = estimator, maximise, threshold
        self.class_weights, self.cost, self.priors = class_weights, cost, priors
        self.abstain_below, self.positive, self.cv, self.n_jobs = abstain_below, positive, cv, n_jobs

    def fit(self, X: Any, y: Any, **params: Any) -> DecisionClassifier:  # noqa: N803
        """Fit the classifier on all rows, and the decision on out-of-fold scores where one is to be tuned.
        `params` go to the classifier, apart from the column that costs name."""
        X, y = indexable(X, y)  # noqa: N806
        y = column_or_1d(y, warn=True)
        check_classification_targets(y)
        tuned = self._settings()
        amounts_given = params.pop(str(named_column(self.cost)), None)
        if self.cv == "prefit":
            check_is_fitted(self.estimator)
            self.estimator_ = self.estimator
        else:
            self.estimator_ = clone(self.estimator).fit(X, y, **params)
        truth = np.asarray(y).reshape(-1)
        counts = [int(np.count_nonzero(truth == label)) for label in self.estimator_.classes_]
        self.adopt(self.estimator_, np.array(counts) / max(1, sum(counts)))
        if not tuned:
            return self
        if self.cv == "prefit":
            splits, scores = [(None, np.arange(len(truth)))], self._scores_of(self.estimator_, X)
        else:
            splits = list(check_cv(self.cv, truth, classifier=True).split(X, truth))
            # Out-of-fold scores: a threshold tuned on scores of training rows is too optimistic.
            how = {"cv": splits, "method": self._method(self.estimator_), "n_jobs": self.n_jobs}
            scores = self._corrected(cross_val_predict(self.estimator, X, y, params=params or None, **how))
        tests = [test for _, test in splits]
        weight = None if params.get("sample_weight") is None else np.asarray(params["sample_weight"], float)
        if len(_classes_with_weight(truth, weight, np.arange(len(truth)))) < len(self.classes_):
            raise InputError(
                "a decision is tuned on rows of every class",
                found=f"{len(self.classes_)} classes, of which one has no weight in sample_weight",
            )
        if len(self.classes_) == 2:
            amounts = self._amounts(X, {str(named_column(self.cost)): amounts_given}, len(truth))
            self._tune_threshold(truth, scores, tests, amounts, weight)
        else:
            self._tune_weights(truth, scores, tests, weight)
        return self

    def adopt(self, estimator: Any, shares: Any = None) -> DecisionClassifier:
        """Take a fitted classifier as it is, with a decision that needs no rows; `shares` are those of the
        classes in its training data, which a correction to other priors needs."""
        self.estimator_ = estimator
        self.classes_ = np.asarray(estimator.classes_)
        for name in ("n_features_in_", "feature_names_in_"):
            if hasattr(estimator, name):
                setattr(self, name, getattr(estimator, name))
        labels = tuple(self.classes_.tolist())
        self.threshold_, self.class_weights_, self.costs_ = None, None, None
        if self.cost is not None:
            self.costs_ = costs_for(self.cost, labels)
        if len(labels) == 2:
            weights = [1.0, 1.0] if shares is None else np.asarray(shares, dtype=float).tolist()
            table = [[weights[0], 0.0], [weights[1], 0.0]]
            self.positive_ = Confusion(np.array(table), labels).positive_class(self.positive).label
        self.trained_at_ = shares
        self.priors_ = self._priors_in_order(labels)
        if self.threshold is not None:
            if len(labels) != 2:
                raise InputError(
                    "a threshold is for two classes",
                    found=f"{len(labels)} classes",
                    do="use class_weights=, or leave it out to tune them",
                )
            self.threshold_ = float(self.threshold)
        if self.class_weights is not None:
            self.class_weights_ = _weights_in_order(self.class_weights, labels)
        return self

    def predict(self, X: Any, **params: Any) -> Array:  # noqa: N803
        """The label that the decision gives each row; "abstain" where its probability is too low. A column
        that costs name may be given by keyword: `predict(X, amount=...)`."""
        check_is_fitted(self)
        strange = set(params) - {named_column(self.cost)}
        if strange:
            raise TypeError(f"predict() got an unexpected keyword argument {sorted(map(str, strange))[0]!r}")
        scores = self._scores_of(self.estimator_, X)
        places = self._decided(scores, X, params)
        labels = self.classes_[places]
        if self.abstain_below is None:
            return np.asarray(labels)
        # chow1970: rejecting where the posterior of the decided class is low is optimal for equal costs.
        confidence = scores[np.arange(len(places)), places]
        answered = labels.astype(object)
        answered[confidence < self.abstain_below] = ABSTAIN
        return np.asarray(answered)

    def _decided(self, scores: Array, X: Any, params: Mapping[str, Any]) -> Array:  # noqa: N803
        """The place of the class that each row is given."""
        if self.threshold_ is not None:
            column = scores if scores.ndim == 1 else scores[:, self._place]
            return np.asarray(np.where(column >= self.threshold_, self._place, 1 - self._place))
        if self.costs_ is not None and self.class_weights_ is None:
            # elkan2001, Eq. 1: the expected cost of each label, sum over true classes of probability times
            # cost.
            expected = scores @ self.costs_.fixed
            if self.costs_.by_row:
                amounts = self._amounts(X, params, len(scores))
                expected = expected + amounts[:, None] * (scores @ self.costs_.times)
            return np.asarray(np.argmin(expected, axis=1))
        if scores.ndim == 1:
            return np.asarray(np.where(scores > 0, self._place, 1 - self._place))
        weights = 1.0 if self.class_weights_ is None else self.class_weights_
        return np.asarray(np.argmax(scores * weights, axis=1))

    @available_if(_has("predict_proba"))  # type: ignore[untyped-decorator]
    def predict_proba(self, X: Any) -> Array:  # noqa: N803
        """The probabilities of the classifier, at the priors of production where they are given."""
        check_is_fitted(self)
        return self._corrected(self.estimator_.predict_proba(X))

    @available_if(_has("decision_function"))  # type: ignore[untyped-decorator]
    def decision_function(self, X: Any) -> Array:  # noqa: N803
        """The decision function of the classifier."""
        check_is_fitted(self)
        return np.asarray(self.estimator_.decision_function(X))

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        inner = get_tags(self.estimator)
        tags.input_tags.sparse = inner.input_tags.sparse
        if inner.classifier_tags is not None:
            tags.classifier_tags.multi_class = inner.classifier_tags.multi_class
        return tags

    # -- what was asked for

    def _settings(self) -> bool:
        """Is a threshold, or are class weights, to be tuned? Refuses settings that contradict each other."""
        rules = [
            name for name in ("threshold", "class_weights", "maximise") if getattr(self, name) is not None
        ]
        if len(rules) > 1 or (rules and rules != ["maximise"] and self.cost is not None):
            both = " and ".join([*rules, *(["cost"] if self.cost is not None else [])])
            raise InputError("a decision has one rule", found=both, do="leave one of them out")
        if (self.maximise == COST) != (self.maximise is not None and self.cost is not None):
            raise InputError(
                "costs and a metric are two aims" if self.cost is not None else "there are no costs",
                found=f"maximise={self.maximise!r} {'with' if self.cost is not None else 'without'} cost=",
                do='leave maximise out for the cheapest label, or say maximise="cost" for a tuned threshold',
            )
        if self.abstain_below is not None and not 0 < self.abstain_below <= 1:
            raise InputError(
                "abstain_below is a probability", found=repr(self.abstain_below), allowed="above 0, at most 1"
            )
        return self.maximise is not None

    @property
    def _place(self) -> int:
        """The place of the positive class."""
        return int(self.classes_.tolist().index(self.positive_))

    def _method(self, estimator: Any) -> str:
        if hasattr(estimator, "predict_proba"):
            return "predict_proba"
        settings = (self.priors, self.abstain_below, self.class_weights)
        cheapest = self.cost is not None and self.maximise is None
        if cheapest or any(value is not None for value in settings) or len(estimator.classes_) != 2:
            raise InputError(
                "this decision needs probabilities",
                found=f"{type(estimator).__name__} without predict_proba",
                do="wrap it in CalibratedClassifierCV",
            )
        return "decision_function"

    def _scores_of(self, estimator: Any, X: Any) -> Array:  # noqa: N803
        """Probabilities with a column for each class, or decision values of the positive of two classes."""
        return self._corrected(getattr(estimator, self._method(estimator))(X))

    def _corrected(self, scores: Any) -> Array:
        table = np.asarray(scores, dtype=np.float64)
        if table.ndim == 1:
            return -table if self._place == 0 else table
        if self.priors_ is None:
            return table
        return np.asarray(correct_probabilities(table, trained_at=self.trained_at_, priors=self.priors_))

    def _priors_in_order(self, labels: tuple[Label, ...]) -> Array | None:
        if self.priors is None:
            return None
        if self.trained_at_ is None:
            raise InputError(
                "the shares of the training data are not known",
                found="priors= with a classifier that was fitted elsewhere",
                do="fit the DecisionClassifier, with cv='prefit' to keep the classifier",
            )
        priors = self.priors
        if len(labels) == 2:
            other = labels[1 - labels.index(self.positive_)]
            priors = priors_of_two(priors, self.positive_, other)
        return np.array(priors_of(labels, False, checked_priors(priors)))

    def _amounts(self, X: Any, params: Mapping[str, Any], rows: int) -> Array:  # noqa: N803
        """The costs of the rows, by keyword or from a column of X."""
        column = named_column(self.cost)
        if column is None:
            return np.ones(rows)
        amounts = params.get(column)
        if amounts is None and is_frame(X) and column in column_names(X):
            amounts = column_of(X, column)
        return np.asarray(checked_amounts(amounts, column, rows, f"give it by keyword, {column}=..."))

    # -- tuning

    def _priors_by_class(self) -> dict[Label, float] | None:
        if self.priors_ is None:
            return None
        return dict(zip(self.classes_.tolist(), self.priors_.tolist(), strict=True))

    def _tune_threshold(
        self, truth: Array, scores: Array, tests: list[Array], amounts: Array, weight: Array | None
    ) -> None:
        column = scores if scores.ndim == 1 else scores[:, self._place]
        labels, priors, costs = tuple(self.classes_.tolist()), self._priors_by_class(), self.costs_
        aim = look_up(self.maximise or "gmean") if costs is None else measure_of_two(costs, self.positive_)

        def counts(rows: Array, weights: Array | None) -> ScoreCounts:
            sizes = None if weights is None else weights[rows]
            return ScoreCounts.from_scores(truth[rows], column[rows], self.positive_, labels, sizes)

        def chosen(rows: Array) -> float:
            if costs is None or not costs.by_row:
                return best_threshold(counts(rows, weight), aim, priors=priors, replicates=0).threshold
            amounts_of = amounts if weight is None else amounts * weight
            spent = row_costs(counts(rows, weight), counts(rows, amounts_of), costs, priors)
            return cheapest_by_row(spent, replicates=0).threshold

        self.threshold_ = chosen(np.arange(len(truth)))
        tests = [rows for rows in tests if len(_classes_with_weight(truth, weight, rows)) == 2]
        self.fold_thresholds_ = np.array([chosen(rows) for rows in tests])
        self.spread_: Any = float(np.std(self.fold_thresholds_)) if tests else float("nan")
        if costs is not None and costs.by_row:
            return
        # Quantiles and not every score: the curve is for looking at, the choice above used them all.
        tried = np.unique(np.quantile(column, np.linspace(0, 1, MOST_THRESHOLDS), method="nearest"))
        aim = aim if priors is None else aim.at_priors(priors)

        def curve(rows: Array) -> Array:
            values = sweep(counts(rows, weight), self.positive_, tried).values(aim)
            return values[::-1][: len(tried)]  # without that of the threshold that nothing reaches

        self.cv_results_ = {
            "thresholds": tried,
            "values": curve(np.arange(len(truth))),
            "fold_values": np.array([curve(rows) for rows in tests]).reshape(-1, len(tried)),
        }

    def _tune_weights(self, truth: Array, scores: Array, tests: list[Array], weight: Array | None) -> None:
        labels, priors = tuple(self.classes_.tolist()), self._priors_by_class()
        aim: Any = self.maximise if self.costs_ is None else expected_cost_of(self.costs_)

        def chosen(rows: Array) -> Array:
            table = {label: scores[rows, k] for k, label in enumerate(labels)}
            sizes = None if weight is None else weight[rows]
            weights = best_class_weights(
                truth[rows].tolist(), table, aim, labels=labels, priors=priors, sample_weight=sizes
            ).weights
            return np.asarray(np.asarray(weights) / np.sum(weights))

        self.class_weights_ = chosen(np.arange(len(truth)))
        whole = [rows for rows in tests if len(_classes_with_weight(truth, weight, rows)) == len(labels)]
        self.fold_class_weights_ = np.array([chosen(rows) for rows in whole]).reshape(-1, len(labels))
        self.spread_ = self.fold_class_weights_.std(axis=0) if len(whole) else np.full(len(labels), np.nan)


def _classes_with_weight(truth: Array, weight: Array | None, rows: Array) -> Array:
    """The classes of these rows, of those that have any weight."""
    return np.unique(truth[rows] if weight is None else truth[rows][weight[rows] > 0])


def _weights_in_order(class_weights: Any, labels: tuple[Label, ...]) -> Array:
    """Class weights in the order of the classes."""
    if isinstance(class_weights, Mapping):
        names = meant(labels, class_weights)
        if None in names:
            raise UnknownNameError("weight of class", labels[names.index(None)], map(str, class_weights))
        class_weights = [class_weights[name] for name in names]
    weights = np.asarray(class_weights, dtype=np.float64)
    if weights.shape != (len(labels),) or not (np.isfinite(weights) & (weights > 0)).all():
        raise InputError(
            "the class weights cannot be used",
            found=f"{class_weights!r} for {len(labels)} classes",
            allowed="a positive number for each class",
        )
    return weights
