"""What is a measure?

A frozen record: what it asks, how it is defined, in which range it lies, where it comes from, and one body that computes it on
floats, exact fractions or symbols. Calling it gives its values.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field, replace
from fractions import Fraction
from typing import Any, Literal, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from steelyard.counts.confusion import Confusion, PositiveChoice
from steelyard.counts.labels import Label
from steelyard.counts.score_counts import ScoreCounts
from steelyard.errors import InputError, UndefinedError
from steelyard.measures import runner
from steelyard.measures import score_views as scored
from steelyard.measures.references import Citation
from steelyard.measures.undefined import Policy, Undefined
from steelyard.measures.views import Classes, TwoClass

Array = NDArray[Any]
Counts = Confusion | ArrayLike
Kind = Literal["two-class", "multi-class", "scores"]
Better = Literal["higher", "lower", "neither"]


class PositiveClassWarning(UserWarning):
    """No positive class was named and no convention applies: the rarer class was taken."""


@dataclass(frozen=True)
class ByClasses:
    """A bound that depends on the number of classes C."""

    text: str
    at: Callable[[int], float | Fraction]

    def __str__(self) -> str:
        return self.text


Bound = float | ByClasses


class Range(NamedTuple):
    """The least and the greatest value (or the limits they approach) over all matrices."""

    low: Bound
    high: Bound

    def at(self, n_classes: int) -> tuple[float, float]:
        low, high = self.exactly_at(n_classes)
        return float(low), float(high)

    def exactly_at(self, n_classes: int) -> tuple[float | Fraction, float | Fraction]:
        low, high = (bound.at(n_classes) if isinstance(bound, ByClasses) else bound for bound in self)
        return low, high

    def __str__(self) -> str:
        low, high = (
            str(b)
            if isinstance(b, ByClasses)
            else "∞"
            if b == np.inf
            else "-∞"
            if b == -np.inf
            else f"{b:.3g}"
            for b in self
        )
        return f"{low} to {high}"


UNIT = Range(0, 1)


@dataclass(frozen=True)
class Relation:
    """This measure is a function of another one (and of the number of classes) on every matrix."""

    text: str
    other: str
    function: Callable[[Any, int], Any]


@dataclass(frozen=True, eq=False, repr=False)
class Measure:
    """A performance measure of a confusion matrix, or (kind "scores") of the scores behind it.

    >>> import steelyard as sy
    >>> gmean = sy.measure("gmean")
    >>> gmean
    <measure gmean: Geometric mean of the class recalls>
    >>> round(gmean([[90, 10], [30, 870]]), 3)
    0.933
    >>> gmean.why_undefined([[0, 0], [30, 870]])
    "there are no examples of class 'c1'"
    >>> sy.measure("IAM").exact([[90, 10], [30, 870]])
    Fraction(43, 60)
    >>> isinstance(gmean, sy.Measure)
    True
    """

    id: str
    title: str
    question: str
    formula: str
    """LaTeX, in the notation of docs/notation.md."""
    reads: str
    """The formula in one line of plain text."""
    kind: Kind
    body: Callable[[Any], Array]
    range: Range = UNIT
    better: Better = "higher"
    symbols: tuple[str, ...] = ()
    """How the papers write it."""
    aliases: tuple[str, ...] = ()
    sources: tuple[Citation, ...] = ()
    undefined_when: str = "never, unless the matrix is empty"
    over_classes: bool = False
    """Is it made of means over classes, so that classes can be weighted by relevance?"""
    per_class: Callable[[Any], Array] | None = None
    """The terms whose mean it is, where it is the mean of one term per class."""
    scale: Range | None = None
    """The (worst, best) values of the normalised value, where they are not the ends of the range."""
    relations: tuple[Relation, ...] = ()
    notes: tuple[str, ...] = ()
    parameters: Mapping[str, Any] = field(default_factory=dict)
    two_sided: bool = False
    """Of a measure of scores: does it set one positive class against the rest?"""
    remake: Callable[..., Measure] | None = None
    """Makes this measure with other parameters."""
    recipe: tuple[Callable[..., Measure], tuple[Any, ...]] | None = None
    """How an operator made it, so that it can be pickled."""
    at_fixed_priors_of: Measure | None = None
    """The measure that this one evaluates after scaling the rows to fixed priors, kept under every name: it then cannot depend on them."""

    # -- values

    def __call__(
        self, counts: Counts | ScoreCounts, *, undefined: Undefined = "nan", positive: Label | None = None
    ) -> Any:
        """The value on counts of shape (..., C, C), rows truth: a float, or an array in the shape of the batch.

        A measure of scores takes a `ScoreCounts` and gives a float.
        """
        if self.kind == "scores":
            return self._value_of_scores(self._seen_scores(counts, positive), Policy.of(undefined))
        return self._value(as_confusion(counts), undefined, positive)

    def _value_of_scores(self, seen: ScoreCounts, policy: Policy) -> float:
        value = scored.evaluate(self.body, seen, self.two_sided, policy)
        if policy.raises and np.isnan(value):
            raise UndefinedError(
                f"{self.name} is undefined: {scored.reason(self.body, seen, self.two_sided)}."
            )
        return value

    def _seen_scores(self, counts: Any, positive: Label | None) -> ScoreCounts:
        """The scores as this measure sees them: of one class against the rest, if it needs that."""
        if not isinstance(counts, ScoreCounts):
            raise InputError(
                f"{self.name} is a measure of scores",
                found="a confusion matrix" if isinstance(counts, Confusion) else type(counts).__name__,
                allowed="ScoreCounts.from_scores(y_true, score, positive=...)",
            )
        if not self.two_sided:
            return counts
        choice = counts.positive_class(positive)
        self._warn_if_guessed(choice, stacklevel=4)
        return counts.one_vs_rest(choice.label)

    def _value(self, matrices: Confusion, undefined: Undefined, positive: Label | None) -> Any:
        policy = Policy.of(undefined)
        seen, index = self.seen(matrices, positive)
        (values,) = runner.evaluate([self.body], seen, index, policy)
        if policy.raises and np.isnan(values).any():
            raise self._undefined_error(values, seen, index)
        return float(values) if not seen.batch_shape else values

    def exact(
        self, counts: Counts, *, undefined: Undefined = "nan", positive: Label | None = None
    ) -> Fraction | float:
        """The value on one matrix as an exact fraction (roots and logarithms to 60 digits); NaN where undefined."""
        if self.kind == "scores":
            raise InputError(
                f"{self.name} has no exact value",
                found="a measure of scores",
                allowed="measures of a confusion matrix",
            )
        matrix = as_confusion(counts)
        if matrix.batch_shape:
            raise InputError(
                "exact values are computed one matrix at a time",
                found=f"a batch of shape {matrix.batch_shape}",
                allowed="one matrix",
            )
        policy = Policy.of(undefined)
        seen, index = self.seen(matrix, positive)
        value = runner.exact(self.body, seen, index, policy)
        if policy.raises and value != value:
            raise self._undefined_error(np.array(np.nan), seen, index)
        return value

    def score(
        self,
        y_true: Any,
        y_pred: Any,
        *,
        labels: Iterable[Label] | None = None,
        sample_weight: Any = None,
        undefined: Undefined = "nan",
        positive: Label | None = None,
    ) -> float:
        """The value straight from columns: of labels, or for a measure of scores of labels and scores."""
        if self.kind == "scores":
            own = positive if np.ndim(y_pred) == 1 else None  # a table has a column for every class
            counted = ScoreCounts.from_scores(y_true, y_pred, own, labels, sample_weight)
            return float(self(counted, undefined=undefined, positive=positive))
        return float(
            self(
                Confusion.from_labels(y_true, y_pred, labels, sample_weight),
                undefined=undefined,
                positive=positive,
            )
        )

    def why_undefined(self, counts: Counts | ScoreCounts, *, positive: Label | None = None) -> Any:
        """Why has it no value here: words, or None where it has one; for a batch an array of them."""
        if self.kind == "scores":
            return scored.reason(self.body, self._seen_scores(counts, positive), self.two_sided)
        matrices = as_confusion(counts)
        seen, index = self.seen(matrices, positive)
        words = runner.reasons(self.body, seen, index)
        if not seen.batch_shape:
            return words[0]
        out = np.empty(len(words), dtype=object)
        out[:] = words
        return out.reshape(seen.batch_shape)

    def seen(self, matrices: Confusion, positive: Label | None) -> tuple[Confusion, int | None]:
        """The matrices as this measure sees them, and where the positive class stands if it needs one."""
        if self.kind == "multi-class":
            return matrices, None
        if matrices.n_classes == 2:
            choice = matrices.positive_class(positive)
            self._warn_if_guessed(choice, stacklevel=5)
            return matrices, choice.place
        if positive is None:
            raise InputError(
                f"{self.id} is a measure of two classes",
                found=f"{matrices.n_classes} classes",
                do=f"name one with positive=... to weigh it against the others, or use one_versus_all(measure({self.id!r}))",
            )
        return matrices.one_vs_rest(positive), 0

    def _warn_if_guessed(self, choice: PositiveChoice, stacklevel: int) -> None:
        if choice.guessed:
            warnings.warn(
                f"{self.name}: {choice.label!r} is taken for the positive class because {choice.reason}; say positive=... to decide it",
                PositiveClassWarning,
                stacklevel=stacklevel,
            )

    def _undefined_error(self, values: Array, seen: Confusion, index: int | None) -> UndefinedError:
        first = int(np.flatnonzero(np.isnan(values).reshape(-1))[0])
        one = Confusion(seen)
        if seen.batch_shape:
            one = Confusion(
                seen.counts.reshape(-1, *seen.counts.shape[-2:])[first], seen.labels if seen.listed else None
            )
        why = runner.reasons(self.body, one, index)[0]
        where = (
            f" on {int(np.isnan(values).sum())} of {values.size} matrices, the first being number {first}"
            if seen.batch_shape
            else ""
        )
        return UndefinedError(f"{self.name} is undefined{where}: {why}.")

    # -- other measures made of this one

    def at_priors(self, priors: Any) -> Measure:
        """This measure on a test set with these class priors, class rates unchanged. See `operators.at_priors`."""
        from steelyard.measures import operators

        return operators.at_priors(self, priors)

    def weighted_by(self, relevance: Any) -> Measure:
        """This mean over classes, weighted by relevance. See `operators.weighted_by`."""
        from steelyard.measures import operators

        return operators.weighted_by(self, relevance)

    def named(self, **facts: Any) -> Measure:
        """The same measure under a name (and with symbols, a question, ...) of its own."""
        return replace(self, **facts)

    # -- what is said of it

    @property
    def name(self) -> str:
        """The id with its parameters."""
        given = ", ".join(
            value if isinstance(value, str) else f"{key}={value:g}" for key, value in self.parameters.items()
        )
        return f"{self.id}({given})" if given else self.id

    def worst_and_best(self, n_classes: int) -> tuple[float | Fraction, float | Fraction] | None:
        """The two ends of the normalised value, or None where the range is unbounded or no end is better."""
        worst, best = (self.scale or self.range).exactly_at(n_classes)
        if self.scale is None and self.better == "lower":
            worst, best = best, worst
        if self.better == "neither" or not np.isfinite([float(worst), float(best)]).all() or worst == best:
            return None
        return worst, best

    def normalise(self, value: Any, n_classes: int) -> Any:
        """The value between 0 (worst) and 1 (best), or None where there is no such scale."""
        ends = self.worst_and_best(n_classes)
        return None if ends is None else (value - float(ends[0])) / float(ends[1] - ends[0])

    def __repr__(self) -> str:
        return f"<measure {self.name}: {self.title}>"

    def __reduce__(self) -> tuple[Any, ...]:
        if self.recipe is not None:
            return self.recipe
        from steelyard.measures import (
            catalogue,  # the catalogue knows every measure; no measure needs it to work
        )

        return catalogue.remade, (self.id, dict(self.parameters))


def as_confusion(counts: Any) -> Confusion:
    """Counts as a Confusion for the time of one call; a bare matrix gets labels c1, c2, ..."""
    if isinstance(counts, ScoreCounts):
        raise InputError(
            "this is a measure of a confusion matrix",
            found="scores",
            allowed="a matrix, which scores give once there is a threshold",
            do="see steelyard.scores.thresholds, or choose a measure of scores",
        )
    # A batch can be as large as the memory that is left, so it is not copied.
    return counts if isinstance(counts, Confusion) else Confusion(counts, copy=False)


def two_class(*, body: Callable[[TwoClass], Array], **facts: Any) -> Measure:
    r"""Declare a measure of [[tp, fn], [fp, tn]].

    >>> import steelyard as sy
    >>> mine = sy.two_class(
    ...     id="alarms_per_catch",
    ...     title="Alarms per catch",
    ...     question="How many alarms are raised for every positive that is caught?",
    ...     formula=r"\frac{tp+fp}{tp}",
    ...     reads="(tp + fp) / tp",
    ...     body=lambda c: c.ratio(c.tp + c.fp, c.tp, "no positive was caught"),
    ...     range=(1, float("inf")),
    ...     better="lower",
    ... )
    >>> round(mine([[90, 10], [30, 870]]), 3)
    1.333
    """
    return Measure(kind="two-class", body=body, **facts)


def multi_class(*, body: Callable[[Classes], Array], **facts: Any) -> Measure:
    """Declare a measure of any number of classes.

    >>> import steelyard as sy
    >>> mine = sy.multi_class(
    ...     id="my_accuracy",
    ...     title="My accuracy",
    ...     question="How much is told right?",
    ...     formula=r"S/n",
    ...     reads="S / n",
    ...     body=lambda c: c.ratio(c.all_hits, c.total, "there are no examples"),
    ... )
    >>> mine([[90, 10], [30, 870]])
    0.96
    """
    return Measure(
        kind="multi-class", body=lambda c: body(c.as_classes if isinstance(c, TwoClass) else c), **facts
    )


def class_mean(*, per_class: Callable[[Classes], Array], **facts: Any) -> Measure:
    r"""Declare a measure that is the mean of one term per class.

    >>> import steelyard as sy
    >>> mine = sy.class_mean(
    ...     id="my_recall",
    ...     title="My recall",
    ...     question="How much of each class is found, on average over classes?",
    ...     formula=r"\frac1C\sum_i r_i",
    ...     reads="mean of d_i / t_i",
    ...     per_class=lambda c: c.ratio(c.hits, c.actual, "a class has no examples"),
    ... )
    >>> round(mine([[90, 10], [30, 870]]), 3)
    0.933
    """
    return multi_class(body=lambda c: c.mean(per_class(c)), per_class=per_class, over_classes=True, **facts)


def ranking(*, body: Callable[[scored.TwoSided], Array], **facts: Any) -> Measure:
    """Declare a measure of the scores of a positive class."""
    return Measure(kind="scores", body=body, two_sided=True, **facts)


def ranking_of_classes(*, body: Callable[[scored.Scored], Array], **facts: Any) -> Measure:
    """Declare a measure of the scores of any number of classes."""
    return Measure(kind="scores", body=body, **facts)


def weigh(
    measures: Iterable[Measure],
    counts: Counts | ScoreCounts,
    *,
    undefined: Undefined = "nan",
    positive: Label | None = None,
) -> dict[str, Any]:
    """The values of many measures on the same counts, by name, sharing the work they have in common.

    >>> import steelyard as sy
    >>> values = sy.weigh([sy.measure("gmean"), sy.measure("CBA")], [[90, 10], [30, 870]])
    >>> {name: round(value, 3) for name, value in values.items()}
    {'gmean': 0.933, 'class_balance_accuracy': 0.858}
    """
    chosen = list(measures)
    if isinstance(counts, ScoreCounts) or any(measure.kind == "scores" for measure in chosen):
        return {measure.name: measure(counts, undefined=undefined, positive=positive) for measure in chosen}
    matrices, policy = as_confusion(counts), Policy.of(undefined)
    values: dict[str, Any] = {measure.name: None for measure in chosen}
    for kind in ("two-class", "multi-class"):
        group = [measure for measure in chosen if measure.kind == kind]
        if not group:
            continue
        seen, index = group[0].seen(matrices, positive)
        for measure, row in zip(
            group, runner.evaluate([m.body for m in group], seen, index, policy), strict=True
        ):
            if policy.raises and np.isnan(row).any():
                raise measure._undefined_error(row, seen, index)
            values[measure.name] = row if seen.batch_shape else float(row)
    return values
