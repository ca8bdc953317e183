"""What a measure sees of a matrix.

A view holds counts of shape (C, C, batch...) and offers the quantities and the operations that the papers'
definitions are
written in. `Classes` speaks of classes, `TwoClass` of a positive and a negative one. The class axis comes
first, the batch last:
measured 4 to 5 times faster than the other way round.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cached_property
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from steelyard.counts.labels import Label, Spoken, rest_of
from steelyard.measures.arithmetic import Arithmetic, Fractions

Array = NDArray[Any]

POSITIVE, NEGATIVE = Spoken("the positive class"), Spoken("the negative class")

_LEAST_PRODUCT = 1e-290
"""Below this a product of floats has lost digits."""
_LONG_BATCH = 8
"""From this many matrices on, a loop over classes costs less than the work inside it."""


class View:
    """Counts with labels, weights of the classes (None: all equal) and an arithmetic."""

    def __init__(
        self,
        counts: Array,
        labels: Sequence[Any],
        arithmetic: Arithmetic,
        weights: Sequence[Any] | Array | None = None,
        everyone: Sequence[Any] | None = None,
    ) -> None:
        self.raw = counts
        """Counts as given: int64, float64 or fractions, shape (C, C, batch...)."""
        self.labels = labels
        self.arithmetic = arithmetic
        self.weights = weights
        self._everyone = everyone
        self._scaled: tuple[Array, Self] | None = None

    def like(self, counts: Array | None = None, weights: Sequence[Any] | Array | None = None) -> Self:
        """The same view of other counts or with other weights."""
        return type(self)(
            self.raw if counts is None else counts,
            self.labels,
            self.arithmetic,
            self.weights if weights is None else weights,
            self._everyone,
        )

    @property
    def n_classes(self) -> int:
        return int(self.raw.shape[0])

    numbers_of_classes: Callable[[Any, str], tuple[Any, Any]] | None = None
    """How priors and relevance are matched to classes that are not known yet."""

    has_positive = False
    """Is the first class the positive one of two?"""

    @property
    def names(self) -> list[Label]:
        """The label of each class."""
        return list(self.labels)

    @property
    def everyone(self) -> list[Label]:
        """The label of each class, together with those of classes that were left out because they hold
        nothing."""
        return self.names if self._everyone is None else list(self._everyone)

    @cached_property
    def counts(self) -> Array:
        return self.arithmetic.native(self.raw)

    # -- operations

    def number(self, value: Any) -> Any:
        """A constant of a definition, in the arithmetic at hand."""
        return self.arithmetic.number(value)

    def ratio(self, numerator: Any, denominator: Any, because: str) -> Array:
        """numerator / denominator; where the denominator is 0 the policy decides and `because` is the
        reason."""
        return self._ratio(numerator, denominator, because, self.arithmetic.policy.fill)

    def needed_ratio(self, numerator: Any, denominator: Any, because: str) -> Array:
        """A ratio without which the whole measure has no value, so that no number may stand in for it."""
        return self._ratio(numerator, denominator, because, float("nan"))

    def _ratio(self, numerator: Any, denominator: Any, because: str, fill: float) -> Array:
        values, zero = self.arithmetic.divide(numerator, denominator, fill)
        if self.arithmetic.reasons is not None and zero.any():
            self.arithmetic.reasons.record(zero, lambda index: self.describe(because, index))
        return values

    def undefined(self, because: str) -> Array:
        """No value at all, for a reason that lies in the number of classes."""
        nothing = self.total * 0
        return self.ratio(nothing, nothing, because)

    def describe(self, template: str, index: tuple[int, ...]) -> str:
        """A reason in words; `index` says which class or pair of classes it speaks of."""
        raise AssertionError(f"{type(self).__name__} must say how {template!r} reads at {index}")

    def maximum(self, a: Array, b: Array) -> Array:
        return self.arithmetic.maximum(a, b)

    def sqrt(self, values: Array) -> Array:
        return self.arithmetic.sqrt(values)

    def entropy_terms(self, part: Array, rest: Array) -> Array:
        return self.arithmetic.entropy_terms(part, rest)

    def log(self, value: Any) -> Any:
        return self.arithmetic.log(value)

    def half_turns(self, adjacent: Array, hypotenuse: Array, because: str) -> Array:
        """The angle with this cosine as a share of a half turn; where there is none the policy decides, on
        the angle."""
        angle = self.arithmetic.half_turns(self.needed_ratio(adjacent, hypotenuse, because))
        fill = self.arithmetic.policy.fill
        _, missing = self.arithmetic.divide(adjacent, hypotenuse, fill)
        return self.arithmetic.choose(missing, fill if fill != fill else self.number(fill), angle)

    def power(self, values: Array, exponent: float) -> Array:
        """Values that are not negative, to a power that is a constant of the definition."""
        weight = np.full((1,) * (values.ndim + 1), self.number(exponent))
        return self.arithmetic.exp_log_mean(values[None], weight)

    def root_of_product(self, a: Array, b: Array) -> Array:
        """√(a b), never above the larger of the two: √a √b rounds twice, which made a perfect correlation
        exceed 1."""
        if isinstance(self.arithmetic, Fractions):  # one root, so that that of a square is exact
            return self.sqrt(np.asarray(a * b))
        with np.errstate(over="ignore", under="ignore"):
            product = np.asarray(a * b)
        if product.dtype.kind != "f":
            return np.asarray(self.sqrt(a) * self.sqrt(b))
        together = (product > _LEAST_PRODUCT) & (product < np.inf)
        if together.all():
            return np.asarray(np.sqrt(product))
        apart = np.asarray(self.sqrt(a) * self.sqrt(b))
        return np.where(together, np.sqrt(np.where(together, product, 1.0)), apart)

    def mean(self, terms: Array) -> Array:
        """The mean over classes, weighted if weights were given; under "skip" over the classes whose term is
        defined."""
        if self.weights is None and not self.arithmetic.policy.skips:
            return np.asarray(terms.sum(axis=0) / terms.shape[0])
        shares, kept = self._shares(terms)
        return np.asarray((self.arithmetic.choose(~kept, self.number(0), terms) * shares).sum(axis=0))

    def geometric_mean(self, terms: Array) -> Array:
        """The (weighted) geometric mean over classes; a 0 stays exactly 0."""
        shares, kept = self._shares(terms)
        return self.arithmetic.exp_log_mean(self.arithmetic.choose(~kept, self.number(1), terms), shares)

    def _shares(self, terms: Array) -> tuple[Array, Array]:
        """The share of each class in a mean, and which classes take part: not those of weight 0, nor
        undefined ones under "skip"."""
        weights = self._weight_column(terms)
        kept = np.broadcast_to(weights != 0, terms.shape)
        if self.arithmetic.policy.skips:
            kept = kept & ~self.arithmetic.is_nan(terms)
            weights = weights * kept
        return (
            self.needed_ratio(
                weights, np.asarray(weights.sum(axis=0)), "no class with a defined term has any weight"
            ),
            kept,
        )

    def _weight_column(self, terms: Array) -> Array:
        if self.weights is None:
            return np.full((terms.shape[0],) + (1,) * (terms.ndim - 1), self.number(1))
        if isinstance(self.weights, np.ndarray) and self.weights.ndim > 1:
            return self.weights
        column = np.array([self.number(w) for w in self.weights])
        return column.reshape(-1, *([1] * (terms.ndim - 1)))

    # -- quantities: sums in the numbers given, so that integers beyond 2^53 lose nothing before they are
    # subtracted

    @cached_property
    def total(self) -> Array:
        return self.arithmetic.native(self._total)

    @cached_property
    def row_totals(self) -> Array:
        """Examples of each true class, shape (C, batch...)."""
        return self.arithmetic.native(self._actual)

    @cached_property
    def _total(self) -> Array:
        return np.asarray(self._actual.sum(axis=0))

    @cached_property
    def _actual(self) -> Array:
        return np.asarray(self.raw.sum(axis=1))

    @cached_property
    def occupied(self) -> Array:
        """Which classes hold anything, as truth or as prediction: shape (C, batch...)."""
        return np.asarray((self._actual > 0) | (self.raw.sum(axis=0) > 0))  # their sum could overflow

    def with_rows_scaled(self, factors: Array) -> Self:
        """Each true class scaled by its own factor, shape (C, batch...); several measures at the same priors
        share the view, and so its sums."""
        plain = isinstance(factors, np.ndarray) and factors.dtype.kind == "f"
        if plain and self._scaled is not None and np.array_equal(factors, self._scaled[0]):
            return self._scaled[1]
        scaled = self.like(counts=self.counts * factors[:, None])
        self._scaled = (factors, scaled) if plain else None
        return scaled


class Classes(View):
    """The classes of a matrix; every quantity has shape (C, batch...) unless it says otherwise."""

    @property
    def class_names(self) -> Sequence[Label]:
        """What the classes are called."""
        return self.labels

    @cached_property
    def hits(self) -> Array:
        """d_i: examples of class i predicted right."""
        return self.arithmetic.native(self._hits)

    @property
    def actual(self) -> Array:
        """t_i: examples of class i."""
        return self.row_totals

    @cached_property
    def predicted(self) -> Array:
        """p_i: predictions of class i."""
        return self.arithmetic.native(self._predicted)

    @cached_property
    def missed(self) -> Array:
        """t_i - d_i: examples of class i predicted as another."""
        return self.arithmetic.native(self._missed)

    @cached_property
    def false_alarms(self) -> Array:
        """p_i - d_i: predictions of class i that belong to another."""
        return self.arithmetic.native(self._false_alarms)

    @cached_property
    def elsewhere(self) -> Array:
        """t_i - m_ij: examples of class i not predicted as class j, shape (C, C, batch...)."""
        exactly = self._subtracts
        return self.arithmetic.native(
            self._actual[:, None] - self.raw if exactly else without_each(self.raw, axis=1)
        )

    @cached_property
    def of_others(self) -> Array:
        """p_j - m_ij: predictions of class j that are not of class i, shape (C, C, batch...)."""
        exactly = self._subtracts
        return self.arithmetic.native(
            self._predicted[None] - self.raw if exactly else without_each(self.raw, axis=0)
        )

    @cached_property
    def rejected(self) -> Array:
        """n - t_i - p_i + d_i: examples of other classes not predicted as i."""
        return self.arithmetic.native(self._rejected)

    @cached_property
    def other_actual(self) -> Array:
        """n - t_i: examples of the other classes."""
        exactly = self._subtracts
        return self.arithmetic.native(self._total - self._actual if exactly else of_others(self._actual))

    @cached_property
    def other_predicted(self) -> Array:
        """n - p_i: predictions of the other classes."""
        exactly = self._subtracts
        return self.arithmetic.native(
            self._total - self._predicted if exactly else of_others(self._predicted)
        )

    @cached_property
    def all_hits(self) -> Array:
        """S: all examples predicted right, shape (batch...)."""
        return self.arithmetic.native(np.asarray(self._hits.sum(axis=0)))

    @cached_property
    def above_chance(self) -> Array:
        """S n - sum t_i p_i, written as sum (tp tn - fn fp) so that nothing large cancels; shape
        (batch...)."""
        return np.asarray((self.hits * self.rejected - self.missed * self.false_alarms).sum(axis=0))

    @cached_property
    def _hits(self) -> Array:
        return np.moveaxis(np.diagonal(self.raw), -1, 0)

    @cached_property
    def _predicted(self) -> Array:
        return np.asarray(self.raw.sum(axis=0))

    # What is left of a sum: integers and fractions subtract exactly; a difference of floats would leave dust
    # where nothing is
    # left, so that an empty cell becomes 1e-17 and an undefined ratio a number. Floats are added up without
    # the part instead.

    @property
    def _subtracts(self) -> bool:
        return bool(self._hits.dtype.kind != "f")

    @cached_property
    def _errors(self) -> Array:
        """The cells beside the diagonal, which holds 0."""
        return without_own(self.raw)

    @cached_property
    def _missed(self) -> Array:
        return self._actual - self._hits if self._subtracts else self._errors.sum(axis=1)

    @cached_property
    def _false_alarms(self) -> Array:
        return self._predicted - self._hits if self._subtracts else self._errors.sum(axis=0)

    @cached_property
    def _rejected(self) -> Array:
        if self._subtracts:
            return np.asarray(self._total - self._actual - self._predicted + self._hits)
        return np.asarray(with_nothing_own(without_each(self.raw, axis=1)).sum(axis=0))

    def steps(self, power: int) -> Array:
        """|i - j|^power, how far apart classes in order are: shape (C, C, 1...)."""
        places = np.arange(self.n_classes)
        apart = abs(places[:, None] - places[None]) ** power
        return apart.reshape(*apart.shape, *([1] * (self.raw.ndim - 2)))

    def pair_sums(self, per_class: Array) -> Array:
        """For each ordered pair of classes the sum of what the two have."""
        i, j = np.nonzero(~np.eye(len(per_class), dtype=bool))
        return np.asarray(per_class[i] + per_class[j])

    def pair_weights(self) -> Array:
        """For each ordered pair of classes the sum of their weights."""
        given = [1] * self.n_classes if self.weights is None else self.weights
        return self.pair_sums(np.array([self.number(weight) for weight in given]))

    def against_rest(self) -> TwoClass:
        """Each class against all others: the two-class view of every class at once, shape (2, 2, C,
        batch...)."""
        cells = np.array([[self._hits, self._missed], [self._false_alarms, self._rejected]])
        return TwoClass(cells, [(name, rest_of(name)) for name in self.class_names], self.arithmetic)

    def in_pairs(self) -> TwoClass:
        """Each class against each other one, examples and predictions of third classes left out: (2, 2,
        C(C-1), batch...)."""
        i, j = np.nonzero(~np.eye(self.n_classes, dtype=bool))
        cells = np.array([[self.raw[i, i], self.raw[i, j]], [self.raw[j, i], self.raw[j, j]]])
        names = self.class_names
        return TwoClass(
            cells,
            [(names[a], names[b]) for a, b in zip(i.tolist(), j.tolist(), strict=True)],
            self.arithmetic,
        )

    def describe(self, template: str, index: tuple[int, ...]) -> str:
        return template.format(label=quoted(self.labels[index[0]])) if index else template


class TwoClass(View):
    """A positive and a negative class: counts [[tp, fn], [fp, tn]], each cell of shape (batch...).

    The labels are pairs (positive, negative): one, or one for each class or pair of classes that is viewed at
    once.
    """

    has_positive = True

    @property
    def names(self) -> list[Label]:
        return list(self.labels[0])

    @cached_property
    def tp(self) -> Array:
        return np.asarray(self.counts[0, 0])

    @cached_property
    def fn(self) -> Array:
        return np.asarray(self.counts[0, 1])

    @cached_property
    def fp(self) -> Array:
        return np.asarray(self.counts[1, 0])

    @cached_property
    def tn(self) -> Array:
        return np.asarray(self.counts[1, 1])

    @cached_property
    def positives(self) -> Array:
        """tp + fn: examples of the positive class."""
        return np.asarray(self.row_totals[0])

    @cached_property
    def negatives(self) -> Array:
        """fp + tn: examples of the negative class."""
        return np.asarray(self.row_totals[1])

    @cached_property
    def as_classes(self) -> Classes:
        """The same matrix as two classes, for measures that are defined for any number of them."""
        return Sides(self.raw, self.labels, self.arithmetic, self.weights)

    def pooled(self) -> TwoClass:
        """All the two-class views of this one (one per class or pair) added up: micro averaging."""
        return TwoClass(
            self.raw.sum(axis=2),
            [(Spoken("the positive side"), Spoken("the negative side"))],
            self.arithmetic,
        )

    def describe(self, template: str, index: tuple[int, ...]) -> str:
        return _of_sides(template, index, self.labels)


class Sides(Classes):
    """The positive and the negative class of a two-class view, seen as two classes; the labels are its
    pairs."""

    @property
    def class_names(self) -> Sequence[Label]:
        return (POSITIVE, NEGATIVE)

    def describe(self, template: str, index: tuple[int, ...]) -> str:
        return _of_sides(template, index, self.labels)


def without_own(cells: Array) -> Array:
    """Cells of shape (C, C, batch...) with 0 on the diagonal."""
    if not isinstance(cells, np.ndarray):  # a quantity that notes what is done with it
        return cells.without_own()
    return with_nothing_own(cells.copy())


def with_nothing_own(cells: Array) -> Array:
    """These very cells, their diagonal set to 0."""
    if not isinstance(cells, np.ndarray):
        return cells.without_own()
    own = np.arange(len(cells))
    cells[own, own] = 0
    return cells


def without_each(cells: Array, axis: int) -> Array:
    """Along an axis, the sum of all entries but one, for each of them: what stands before it and what stands
    after it."""
    if not isinstance(cells, np.ndarray):
        return cells.without_each(axis)
    if cells.shape[axis] == 2:
        return np.flip(cells, axis).copy()
    sums = np.zeros_like(cells)
    left, parts = np.moveaxis(sums, axis, 0), np.moveaxis(cells, axis, 0)
    if cells[0, 0].size < _LONG_BATCH:
        left[1:] = np.cumsum(parts[:-1], axis=0)
        left[:-1] += np.cumsum(parts[:0:-1], axis=0)[::-1]
        return sums
    # The same sums in the same order, one row of the batch after the other: accumulating along an axis that
    # is not the last takes three times as long.
    for k in range(1, len(parts)):
        np.add(left[k - 1], parts[k - 1], out=left[k])
    after = parts[-1].copy()
    for k in range(len(parts) - 2, -1, -1):
        left[k] += after
        if k:
            after += parts[k]
    return sums


def of_others(sizes: Array) -> Array:
    """For each class the sum over all others; added in the order of `_rejected`, so that equal sums are equal
    to the last bit."""
    return np.asarray(with_nothing_own(np.repeat(sizes[:, None], len(sizes), axis=1)).sum(axis=0))


def _of_sides(template: str, index: tuple[int, ...], pairs: Sequence[tuple[Label, Label]]) -> str:
    """A reason in words for a term of two sides: `index` says which side if the term has one, then which
    pair."""
    if "{label}" in template:  # a term of one of the two classes
        side, pair = index[0], index[1] if len(index) > 1 else 0
        return template.format(label=quoted(pairs[pair][side]))
    positive, negative = pairs[index[0] if index else 0]
    return template.format(positive=quoted(positive), negative=quoted(negative))


def quoted(label: Label) -> str:
    """A class name in a sentence: quoted, except for words of our own such as "the other classes"."""
    return str(label) if isinstance(label, Spoken) else f"class '{label}'"
