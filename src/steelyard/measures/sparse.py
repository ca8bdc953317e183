"""Sparse matrices: one matrix of thousands of classes, by the cells that are not empty."""

# A graph that adds up cells adds up those; one that needs the empty ones too (a maximum over a row, say)
# raises `NeedsEveryCellError`, and is given the dense matrix. Sums over a row or column without one of
# its cells are never differences in which a large number cancels: 0 stays 0.

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, Never

import numpy as np

from steelyard.counts.confusion import Confusion, Places
from steelyard.counts.labels import Array, Label
from steelyard.measures.matrix import Matrix, NeedsEveryCellError, scaled_near_one, without_each
from steelyard.measures.numbers import Floats

# From this many classes on, one matrix is looked at by the cells that are not empty.
FROM_CLASSES = 1024
# Where more than this part of the cells hold something, going through all of them is as quick.
_AT_MOST_ONE_IN = 4
_NEARLY_ALL = 0.999
_OF_CELLS_ALONE = (np.add, np.subtract, np.multiply, np.negative, np.true_divide)


@dataclass(frozen=True, eq=False)
class SparseCells(np.lib.mixins.NDArrayOperatorsMixin):
    """An array of shape (C, C, 1), of which the values at some cells are known."""

    places: Places
    values: Array
    # Are the other cells 0? Otherwise nothing is known of them.
    empty: bool = True
    # The rows that are NaN throughout, but for the diagonal if `own_known`.
    undefined_rows: Array | None = None
    own_known: bool = False

    ndim = 3

    @property
    def shape(self) -> tuple[int, int, int]:
        return (self.places.size, self.places.size, 1)

    @property
    def dtype(self) -> Any:
        return self.values.dtype

    def astype(self, kind: Any, copy: bool = True) -> SparseCells:
        return replace(self, values=self.values.astype(kind, copy=copy))

    def at(self, other: Any) -> Array:
        """What another array of this shape, or one that is broadcast to it, has at these cells."""
        wide = np.broadcast_to(np.asarray(other), self.shape)
        return np.asarray(wide[self.places.rows, self.places.columns, 0])

    def sum(self, axis: Any) -> Array:
        """The sums of each column, of each row, or of everything."""
        if not self.empty:
            raise NeedsEveryCellError
        lacking = self.undefined_rows
        if axis == (0, 1):
            return np.array([self.values.sum() if lacking is None else np.nan])
        sums = self.places.sums(self.values, axis)
        if lacking is not None and axis == 1:
            sums[lacking] = np.nan
        elif lacking is not None:
            # A column has a NaN wherever a row is undefined, but for its own row where the diagonal is known
            # to be 0.
            own_row_sum = sums[lacking] if self.own_known and len(lacking) == 1 else np.nan
            sums[:] = np.nan
            sums[lacking] = own_row_sum
        return sums[:, None]

    def without_own(self) -> SparseCells:
        """The same with 0 on the diagonal."""
        values = self.values.copy()
        values[self.places.diagonal] = 0
        return replace(self, values=values, own_known=self.empty)

    def without_each(self, axis: int) -> SparseCells:
        """At each cell the sum of the others of its row (axis 1) or column (axis 0)."""
        if not self.empty:
            raise NeedsEveryCellError
        left = sums_without(self.places, self.values, axis)
        if self.undefined_rows is not None and axis == 0:
            left[:] = np.nan
        return SparseCells(self.places, left, empty=False, undefined_rows=self.undefined_rows)

    # -- what NumPy does with an array, as far as it is done to the cells alone

    def __array_ufunc__(self, ufunc: Any, method: str, *operands: Any, **how: Any) -> SparseCells:
        if method != "__call__" or how or ufunc not in _OF_CELLS_ALONE:
            raise NeedsEveryCellError
        cells = [operand for operand in operands if isinstance(operand, SparseCells)]
        lacking = [operand.undefined_rows for operand in cells if operand.undefined_rows is not None]
        empty = all(operand.empty for operand in cells)
        for other in (np.asarray(operand) for operand in operands if not isinstance(operand, SparseCells)):
            unknown = ~np.isfinite(other)
            if ufunc is np.true_divide:
                unknown |= other == 0
            # A sum, or a number divided by cells, is no longer 0 in the empty ones.
            if ufunc in (np.add, np.subtract) or (ufunc is np.true_divide and cells[0] is not operands[0]):
                empty = False
            elif unknown.any():
                # The rows that nothing is known of then, if these are whole rows without anything.
                rows = np.flatnonzero(unknown)
                whole = other.shape == (self.places.size, 1, 1) and np.isnan(other[rows]).all()
                if not whole or np.isin(self.places.rows, rows).any():
                    raise NeedsEveryCellError
                lacking.append(rows)
        values = ufunc(*(o.values if isinstance(o, SparseCells) else self.at(o) for o in operands))
        undefined_rows = np.unique(np.concatenate(lacking)) if lacking else None
        return SparseCells(self.places, values, empty, undefined_rows)

    def _every_cell(self, *_: Any, **__: Any) -> Never:
        raise NeedsEveryCellError

    __array__ = __array_function__ = __getitem__ = __iter__ = __len__ = __bool__ = _every_cell

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        raise NeedsEveryCellError


def sums_without(places: Places, values: Array, axis: int) -> Array:
    """At each cell the sum of the other cells of its row or column."""
    # A difference loses at most one bit where less than half of the sum is taken away; of the one cell of
    # a line that can hold more, the others are added up instead.
    lines = places.rows if axis else places.columns
    sums = places.sums(values, axis)
    left = sums[lines] - values
    # A difference of integers is exact.
    if values.dtype.kind != "f":
        return np.asarray(left)
    large = np.flatnonzero(2 * values > sums[lines])
    others = values.copy()
    others[large] = 0
    left[large] = places.sums(others, axis)[lines[large]]
    return np.asarray(left)


class SparseFloats(Floats):
    """float64 where an operand may be the cells that hold something."""

    def divide(self, numerator: Any, denominator: Any, fill: float) -> tuple[Any, Array]:
        if not isinstance(numerator, SparseCells):
            return super().divide(numerator, denominator, fill)
        bottom = np.asarray(denominator, dtype=np.float64)
        zero = bottom == 0
        if not zero.any():
            return numerator / bottom, zero
        # 0 / 0 is the fill, and nothing but 0 is divided by 0 in such a row.
        if fill == 0 or fill != fill:
            return numerator * np.where(zero, fill, 1.0) / np.where(zero, 1.0, bottom), zero
        raise NeedsEveryCellError

    def entropy_terms(self, count: Any, rest: Any) -> Any:
        if not isinstance(count, SparseCells):
            return super().entropy_terms(count, rest)
        if not isinstance(rest, SparseCells) or not count.empty:
            raise NeedsEveryCellError
        # An error that was taken out is nothing.
        occupied = count.values != 0
        terms = np.zeros(len(count.values))
        terms[occupied] = super().entropy_terms(count.values[occupied], rest.values[occupied])
        lacking = [operand.undefined_rows for operand in (count, rest) if operand.undefined_rows is not None]
        return SparseCells(count.places, terms, undefined_rows=np.concatenate(lacking) if lacking else None)


class SparseMatrix(Matrix):
    """One matrix, by the cells that are not empty."""

    raw: Any

    @cached_property
    def hits(self) -> Array:
        places = self.raw.places
        hits = np.zeros((places.size, 1), dtype=self.raw.dtype)
        hits[places.rows[places.diagonal], 0] = self.raw.values[places.diagonal]
        if self.raw.undefined_rows is not None and not self.raw.own_known:
            hits[self.raw.undefined_rows] = np.nan
        return hits

    @cached_property
    def rejected(self) -> Array:
        if self.subtracts:
            return np.asarray(self.total - self.actual - self.predicted + self.hits)
        others, wrong = self.other_actual, self.false_alarms
        left = np.asarray(others - wrong)
        places, values = self.raw.places, self.raw.values
        # Where nearly all examples of other classes are taken for this one, which is so of one class at most
        # (or two), a difference would leave dust.
        for k in np.flatnonzero(wrong > _NEARLY_ALL * others).tolist():
            left[k] = values[(places.rows != k) & (places.columns != k)].sum()
        return left

    @staticmethod
    def _others(sizes: Array) -> Array:
        # Two running sums instead of C sums of C - 1 terms.
        return without_each(sizes[:, None], axis=0)[:, 0]

    @cached_property
    def _errors(self) -> Any:
        return self.raw.without_own()

    @cached_property
    def elsewhere(self) -> Any:
        return self.raw.without_each(axis=1)

    @cached_property
    def of_others(self) -> Any:
        return self.raw.without_each(axis=0)

    @property
    def in_pairs(self) -> Never:
        raise NeedsEveryCellError


def sparse_matrix(matrices: Confusion, unit: bool) -> SparseMatrix | None:
    """One large matrix by the cells that are not empty; None where all are gone through."""
    size = matrices.n_classes
    if size < FROM_CLASSES or matrices.batch_shape:
        return None
    filled = matrices.held
    if len(filled.values) * _AT_MOST_ONE_IN > size * size or not len(filled.values):
        return None
    places, values = filled.places, filled.values if unit else scaled_near_one(filled.values, (0,))
    labels, everyone = list(matrices.labels), list[Label]()
    if not matrices.listed:
        present = np.zeros(size, dtype=bool)
        present[places.rows] = present[places.columns] = True
        if not present.all():
            everyone, labels = labels, [labels[k] for k in np.flatnonzero(present).tolist()]
            places = places.only(present)
    cells: Any = SparseCells(places, values)
    return SparseMatrix(cells, lambda at: labels[at[0]], labels, everyone)
