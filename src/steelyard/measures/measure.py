"""What is a measure of a confusion matrix, and what is it to call one?

A body sees the matrix through a view: `two-class` measures [[tp, fn], [fp, tn]], `multi-class` ones all
classes. Calling a measure chooses the view, runs the body on one matrix or on millions, and says why where
there is no value.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from steelyard.counts.confusion import Confusion
from steelyard.counts.labels import Label
from steelyard.counts.score_counts import ScoreCounts
from steelyard.errors import InputError, UndefinedError
from steelyard.measures import runner
from steelyard.measures.names import as_measure
from steelyard.measures.record import (
    Array,
    ByClasses,
    Measure,
    PositiveClassWarning,
    Range,
    Relation,
    declared,
    warn_if_guessed,
)
from steelyard.measures.undefined import Policy, Undefined
from steelyard.measures.views import Classes, TwoClass

__all__ = [
    "ByClasses",
    "MatrixMeasure",
    "Measure",
    "PositiveClassWarning",
    "Range",
    "Relation",
    "as_confusion",
    "class_mean",
    "multi_class",
    "two_class",
    "weigh",
]

Counts = Confusion | ArrayLike
_ROUNDING = 1e-12
"""How far past its range rounding may carry a value."""


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class MatrixMeasure(Measure):
    """A measure of a confusion matrix."""

    def __call__(
        self,
        counts: Any,
        predicted: Any = None,
        /,
        *,
        labels: Iterable[Label] | None = None,
        sample_weight: Any = None,
        undefined: Undefined = "nan",
        positive: Label | None = None,
    ) -> Any:
        """The value on counts of shape (..., C, C), rows truth: a float, or an array in the shape of the
        batch.

        Given two columns, of true and of predicted labels, it counts them first; `labels` and `sample_weight`
        are about columns.
        """
        if predicted is not None:
            counts = Confusion.from_labels(counts, predicted, labels, sample_weight)
        elif labels is not None or sample_weight is not None:
            raise InputError(
                f"{self.name} was given labels= or sample_weight= without columns",
                do="give two columns, y_true and y_pred, or count them with Confusion.from_labels",
            )
        matrices = as_confusion(counts)
        self._warn(matrices, positive)
        policy = Policy.of(undefined)
        seen, index = self.seen(matrices, positive)
        (values,) = runner.evaluate([self.body], seen, index, policy, self.depends_on_size)
        if policy.raises and np.isnan(values).any():
            raise self.undefined_error(values, seen, index)
        _keep_in_range(values, self.range, seen.n_classes)
        return float(values) if not seen.batch_shape else values

    def exact(
        self, counts: Any, *, undefined: Undefined = "nan", positive: Label | None = None
    ) -> Fraction | float:
        """The value on one matrix as an exact fraction (roots and logarithms to 60 digits); NaN where
        undefined."""
        matrix = as_confusion(counts)
        if matrix.batch_shape:
            raise InputError(
                "exact values are computed one matrix at a time",
                found=f"a batch of shape {matrix.batch_shape}",
                allowed="one matrix",
            )
        self._warn(matrix, positive)
        policy = Policy.of(undefined)
        seen, index = self.seen(matrix, positive)
        value = runner.exact(self.body, seen, index, policy)
        if policy.raises and value != value:
            raise self.undefined_error(np.array(np.nan), seen, index)
        return value

    def why_undefined(self, counts: Any, *, positive: Label | None = None) -> Any:
        """Why has it no value here: words, or None where it has one; for a batch an array of them."""
        seen, index = self.seen(as_confusion(counts), positive)
        words = runner.reasons(self.body, seen, index, self.depends_on_size)
        if not seen.batch_shape:
            return words[0]
        out = np.empty(len(words), dtype=object)
        out[:] = words
        return out.reshape(seen.batch_shape)

    def to_javascript(
        self, *, labels: Sequence[Label] | None = None, positive: Label | None = None, words: bool = False
    ) -> str:
        """The measure as the text of one JavaScript function; see `Measure.to_javascript`."""
        from steelyard.measures.script.compiled import function_text  # read only by those who write pages

        return function_text(self, labels, positive, words)

    def seen(self, matrices: Confusion, positive: Label | None) -> tuple[Confusion, int | None]:
        """The matrices as this measure sees them, and where the positive class stands if it needs one."""
        if self.kind == "multi-class":
            return matrices, None
        if matrices.n_classes == 2:
            return matrices, matrices.positive_class(positive).place
        if positive is None:
            raise InputError(
                f"{self.id} is a measure of two classes",
                found=f"{matrices.n_classes} classes",
                do=(
                    "name one with positive=... to weigh it against the others, or use"
                    f" one_versus_all({self.id!r})"
                ),
            )
        return matrices.one_vs_rest(positive), 0

    def _warn(self, matrices: Confusion, positive: Label | None) -> None:
        if self.kind == "two-class" and positive is None and matrices.n_classes == 2:
            warn_if_guessed(self, matrices.positive_class())

    def undefined_error(self, values: Array, seen: Confusion, index: int | None) -> UndefinedError:
        """The error that says where it is undefined, and why at the first such place."""
        first = int(np.flatnonzero(np.isnan(values).reshape(-1))[0])
        one = Confusion(seen)
        if seen.batch_shape:
            one = Confusion(
                seen.counts.reshape(-1, *seen.counts.shape[-2:])[first], seen.labels if seen.listed else None
            )
        why = runner.reasons(self.body, one, index, self.depends_on_size)[0]
        where = (
            f" on {int(np.isnan(values).sum())} of {values.size} matrices, the first being number {first}"
            if seen.batch_shape
            else ""
        )
        return UndefinedError(f"{self.name} is undefined{where}: {why}.")


def _keep_in_range(values: Array, range_: Range, n_classes: int) -> None:
    """Values that rounding carried past an end of the range are that end; what lies further out stays, to be
    seen."""
    for end, beyond in zip(map(float, range_.at(n_classes)), (np.less, np.greater), strict=True):
        past = beyond(values, end)
        if past.any():
            values[past & (np.abs(values - end) <= _ROUNDING * max(1.0, abs(end)))] = end


def as_confusion(counts: Any) -> Confusion:
    """Counts as a Confusion for the time of one call; a bare matrix gets labels c1, c2, ..."""
    if isinstance(counts, ScoreCounts):
        raise InputError(
            "this is a measure of a confusion matrix",
            found="scores",
            allowed="a matrix, which scores give once there is a threshold",
            do="see steelyard.scores.threshold_selection, or choose a measure of scores",
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
    return declared(MatrixMeasure, kind="two-class", body=body, **facts)


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
    return declared(MatrixMeasure, kind="multi-class", body=OnClasses(body), **facts)


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
    return multi_class(body=MeanOf(per_class), per_class=per_class, over_classes=True, **facts)


@dataclass(frozen=True)
class OnClasses:
    """A body of any number of classes, given the two classes where the view is of a positive and a negative
    one."""

    body: Callable[[Classes], Array]

    def __call__(self, c: Any) -> Array:
        return self.body(c.as_classes if isinstance(c, TwoClass) else c)


@dataclass(frozen=True)
class MeanOf:
    """The mean of one term per class, as a body."""

    per_class: Callable[[Classes], Array]

    def __call__(self, c: Classes) -> Array:
        return c.mean(self.per_class(c))


def weigh(
    measures: str | Measure | Iterable[str | Measure],
    counts: Counts | ScoreCounts,
    *,
    undefined: Undefined = "nan",
    positive: Label | None = None,
) -> dict[str, Any]:
    """The values of many measures on the same counts, by name, sharing the work they have in common.

    >>> import steelyard as sy
    >>> values = sy.weigh(["gmean", "CBA"], [[90, 10], [30, 870]])
    >>> {name: round(value, 3) for name, value in values.items()}
    {'gmean': 0.933, 'class_balance_accuracy': 0.858}
    """
    each = measures if isinstance(measures, Iterable) and not isinstance(measures, str) else [measures]
    chosen = [as_measure(m) for m in each]
    of_matrices = [m for m in chosen if isinstance(m, MatrixMeasure)]
    if isinstance(counts, ScoreCounts) or len(of_matrices) < len(chosen):
        return {m.name: m(counts, undefined=undefined, positive=positive) for m in chosen}
    matrices, policy = as_confusion(counts), Policy.of(undefined)
    values: dict[str, Any] = {m.name: None for m in chosen}
    for kind, unit in itertools.product(("two-class", "multi-class"), (False, True)):
        group = [m for m in of_matrices if (m.kind, m.depends_on_size) == (kind, unit)]
        if not group:
            continue
        group[0]._warn(matrices, positive)
        seen, index = group[0].seen(matrices, positive)
        rows = runner.evaluate([m.body for m in group], seen, index, policy, unit)
        for m, row in zip(group, rows, strict=True):
            if policy.raises and np.isnan(row).any():
                raise m.undefined_error(row, seen, index)
            _keep_in_range(row, m.range, seen.n_classes)
            values[m.name] = row if seen.batch_shape else float(row)
    return values
