"""What does a measure see of a matrix? The quantities that the papers' definitions are written in: `Classes`
speaks of classes, `TwoClass` of a positive and a negative one."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from steelyard.counts.labels import Label, Spoken, quoted, rest_of
from steelyard.measures.view import View, of_others, with_nothing_own, without_each, without_own

Array = NDArray[Any]

POSITIVE, NEGATIVE = Spoken("the positive class"), Spoken("the negative class")


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


def _of_sides(template: str, index: tuple[int, ...], pairs: Sequence[tuple[Label, Label]]) -> str:
    """A reason in words for a term of two sides: `index` says which side if the term has one, then which
    pair."""
    if "{label}" in template:  # a term of one of the two classes
        side, pair = index[0], index[1] if len(index) > 1 else 0
        return template.format(label=quoted(pairs[pair][side]))
    positive, negative = pairs[index[0] if index else 0]
    return template.format(positive=quoted(positive), negative=quoted(negative))
