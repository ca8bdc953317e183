"""Sparse confusion matrices: the non-zero cells, for thousands of classes."""

# Of the 25 million cells of 5,000 classes a million rows fill two hundred thousand at most. Whoever needs
# the others no more than as nothing asks here, and is done in a hundredth of the time.

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import numpy as np

from steelyard.counts.labels import Array


@dataclass(frozen=True)
class Places:
    """Cells of a matrix of `size` classes, row after row, and in each row from left to right."""

    size: int
    rows: Array
    columns: Array

    @cached_property
    def by_column(self) -> Array:
        """The order in which the cells stand column after column, and in each from the top."""
        return np.argsort(self.columns, kind="stable")

    @cached_property
    def diagonal(self) -> Array:
        """Which of them lie on the diagonal."""
        return np.flatnonzero(self.rows == self.columns)

    def sums(self, values: Array, axis: int) -> Array:
        """What the cells of each column (axis 0) or row (axis 1) sum to, shape (size,)."""
        lines = self.rows if axis else self.columns[self.by_column]
        ordered = values if axis else values[self.by_column]
        out = np.zeros(self.size, dtype=values.dtype)
        if len(lines):
            starts = np.flatnonzero(np.diff(lines, prepend=-1))
            out[lines[starts]] = np.add.reduceat(ordered, starts)
        return out

    def only(self, present: Array) -> Places:
        """The same cells where only some classes are left, all that have one of them among these."""
        number = np.cumsum(present) - 1
        return Places(int(np.count_nonzero(present)), number[self.rows], number[self.columns])


class SparseCells(NamedTuple):
    """The cells of one matrix that hold anything."""

    places: Places
    values: Array
