"""Matrices as an interpreter sees them: counts of shape (C, C, batch...) and the sums that have names."""

# Sums are taken in the numbers given, so that integers beyond 2^53 lose nothing before they are
# subtracted. What is left of a sum without one of its parts is subtracted only where that is exact
# (integers, fractions): a difference of floats leaves 1e-17 where nothing is left, and an undefined ratio
# would become a number. Floats are added up without the part instead. The class axes come first and the
# batch last: measured 4 to 5 times faster.

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cached_property
from typing import Any

import numpy as np

from steelyard.counts.labels import Array, Label, Spoken, quoted, rest_of

SIDES = (Spoken("the positive class"), Spoken("the negative class"))
POOLED = (Spoken("the positive side"), Spoken("the negative side"))
# From this many matrices on, a loop over classes costs less than the work inside it.
_LONG_BATCH = 8
# The class that a place speaks of: its row first, then which of the matrices side by side.
Names = Callable[[tuple[int, ...]], Label]


class NeedsEveryCellError(Exception):
    """An operation needs cells that are not at hand."""


class Matrix:
    """Counts with the names of their classes."""

    def __init__(
        self, counts: Array, names: Names, labels: Sequence[Label] = (), everyone: Sequence[Label] = ()
    ) -> None:
        self.raw: Array = counts
        self.name_at = names
        # The classes by name, where there is one matrix (and not one for each class or pair).
        self.labels = labels
        # Together with those that were left out because they hold nothing.
        self.everyone = everyone or labels

    @classmethod
    def of_classes(cls, counts: Any, labels: Sequence[Label], everyone: Sequence[Label] = ()) -> Matrix:
        # The axis of a single class may have been taken for one that stands for all rows.
        return cls(counts, lambda at: labels[min(at[0], len(labels) - 1)], labels, everyone)

    @property
    def n_classes(self) -> int:
        return int(self.raw.shape[0])

    def describe(self, template: str, index: tuple[int, ...]) -> str:
        """A reason in words, for the class (or for the pair of sides) that the index speaks of."""
        if "{label}" in template:
            return template.format(label=quoted(self.name_at(index or (0,))))
        if "{positive}" in template or "{negative}" in template:
            positive, negative = (quoted(self.name_at((side, *index))) for side in (0, 1))
            return template.format(positive=positive, negative=negative)
        return template

    # -- sums

    @cached_property
    def actual(self) -> Array:
        return np.asarray(self.raw.sum(axis=1))

    @cached_property
    def predicted(self) -> Array:
        return np.asarray(self.raw.sum(axis=0))

    @cached_property
    def total(self) -> Array:
        return np.asarray(self.actual.sum(axis=0))

    @cached_property
    def hits(self) -> Array:
        return np.moveaxis(np.diagonal(self.raw), -1, 0)

    @cached_property
    def all_hits(self) -> Array:
        return np.asarray(self.hits.sum(axis=0))

    @property
    def subtracts(self) -> bool:
        """Is a difference of sums exact?"""
        return bool(self.hits.dtype.kind != "f")

    @cached_property
    def _errors(self) -> Array:
        return without_own(self.raw)

    @cached_property
    def missed(self) -> Array:
        return self.actual - self.hits if self.subtracts else self._errors.sum(axis=1)

    @cached_property
    def false_alarms(self) -> Array:
        return self.predicted - self.hits if self.subtracts else self._errors.sum(axis=0)

    @cached_property
    def rejected(self) -> Array:
        if self.subtracts:
            return np.asarray(self.total - self.actual - self.predicted + self.hits)
        # Each row without one of its cells, added up over the other rows: every cell outside row and column
        # i, once.
        return np.asarray(_emptied_diagonal(without_each(self.raw, axis=1)).sum(axis=0))

    @cached_property
    def other_actual(self) -> Array:
        return self.total - self.actual if self.subtracts else self._others(self.actual)

    @cached_property
    def other_predicted(self) -> Array:
        return self.total - self.predicted if self.subtracts else self._others(self.predicted)

    @staticmethod
    def _others(sizes: Array) -> Array:
        # For each class the sum over all others.
        # In the order in which `rejected` adds: equal sums stay equal.
        return np.asarray(_emptied_diagonal(np.repeat(sizes[:, None], len(sizes), axis=1)).sum(axis=0))

    @cached_property
    def elsewhere(self) -> Array:
        return self.actual[:, None] - self.raw if self.subtracts else without_each(self.raw, axis=1)

    @cached_property
    def of_others(self) -> Array:
        return self.predicted[None] - self.raw if self.subtracts else without_each(self.raw, axis=0)

    @cached_property
    def occupied(self) -> Array:
        """Which classes hold anything, as truth or as prediction."""
        # Their sum could overflow.
        return np.asarray((self.actual > 0) | (self.predicted > 0))

    # -- other matrices made of this one

    def with_rows_scaled(self, factors: Array, native: Callable[[Array], Array]) -> Matrix:
        """Each true class scaled by its own factor, in the numbers that counts are made into."""
        return type(self)(native(self.raw) * factors[:, None], self.name_at, self.labels, self.everyone)

    @cached_property
    def against_rest(self) -> Matrix:
        """Each class against all others: shape (2, 2, C, batch...)."""
        # The class axis comes third, so that a body of [[tp, fn], [fp, tn]] sees all classes at once.
        cells = np.array([[self.hits, self.missed], [self.false_alarms, self.rejected]])
        outer = self.name_at

        def names(at: tuple[int, ...]) -> Label:
            side, *rest = at
            name = outer(tuple(rest) or (0,))
            return rest_of(name) if side else name

        return Matrix(cells, names)

    @cached_property
    def in_pairs(self) -> Matrix:
        """Each class against each other one, third classes left out: shape (2, 2, C (C - 1), batch...)."""
        # Ordered pairs: a two-class measure need not treat its classes alike, so (i, j) and (j, i) differ.
        i, j = np.nonzero(~np.eye(self.n_classes, dtype=bool))
        cells = np.array([[self.raw[i, i], self.raw[i, j]], [self.raw[j, i], self.raw[j, j]]])
        outer = self.name_at

        def names(at: tuple[int, ...]) -> Label:
            side, pair, *rest = (*at, 0, 0)[: max(len(at), 2)]
            return outer((int((i, j)[side][pair]), *rest))

        return Matrix(cells, names)

    @cached_property
    def pooled(self) -> Matrix:
        """The matrices side by side added up."""
        return Matrix(self.raw.sum(axis=2), lambda at: POOLED[at[0]], POOLED)


class ClassTotals(Matrix):
    """A matrix of which only hits, examples and perhaps predictions of each class are known."""

    def __init__(self, hits: Array, actual: Array, predicted: Array | None, labels: Sequence[Label]) -> None:
        self.name_at: Names = lambda at: labels[at[0]]
        self.labels = self.everyone = labels
        # These stand in for the sums that are taken over cells otherwise.
        self.__dict__.update(hits=hits, actual=actual)
        if predicted is not None:
            self.__dict__["predicted"] = predicted

    @property
    def raw(self) -> Array:  # type: ignore[override]
        raise NeedsEveryCellError

    @property
    def n_classes(self) -> int:
        return len(self.labels)

    def with_rows_scaled(self, factors: Array, native: Callable[[Array], Array]) -> Matrix:
        # Predictions mix rows that are scaled differently.
        return ClassTotals(self.hits * factors, self.actual * factors, None, self.labels)


# Weights are scaled to about 2^100: products of four stay finite, and cells up to 2^1174 times smaller stay
# above 0.
_LARGE, _SMALL, _NEAR = 2.0**120, 2.0**-60, 100


def scaled_near_one(counts: Array, axis: tuple[int, ...]) -> Array:
    """The same matrices, huge or tiny weights scaled by a power of two so that products stay numbers."""
    # A measure does not depend on the unit of weights, and a power of two changes no digit.
    if counts.dtype.kind != "f":
        return counts
    largest = counts.max(axis=axis)
    far = (largest > _LARGE) | ((largest < _SMALL) & (largest > 0))
    if not far.any():
        return counts
    return np.asarray(np.ldexp(counts, np.where(far, _NEAR - np.frexp(largest)[1], 0)))


def without_own(cells: Array) -> Array:
    """Cells of shape (C, C, batch...) with 0 on the diagonal."""
    return _emptied_diagonal(cells.copy())


def _emptied_diagonal(cells: Array) -> Array:
    diagonal = np.arange(len(cells))
    cells[diagonal, diagonal] = 0
    return cells


def without_each(cells: Array, axis: int) -> Array:
    """Along an axis the sum of all entries but one, for each: those before it and those after it."""
    # Of two entries what is left without one is the other: no sum, and nothing to round.
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
