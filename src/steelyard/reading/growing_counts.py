"""How is a table of counts kept whose labels are not known beforehand? It grows with those it meets."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from steelyard.counts.confusion import Confusion
from steelyard.counts.labels import Label, in_order
from steelyard.errors import InputError
from steelyard.reading.known_cells import KnownCells

Array = NDArray[Any]
_TABLE_A_ROW = 4
"""A batch is counted in a table of its own if that has at most this many cells a row."""
_CELLS_AT_ONCE = 1 << 17
"""Batches that fade are counted together in this many cells, a table for each."""


def nothing_yet() -> InputError:
    """What is said where a value is asked for before any row came."""
    return InputError("nothing was counted yet", found="an empty tally", do="update it with rows first")


class GrowingCounts:
    """A table of counts that grows with the labels it meets."""

    def __init__(self, labels: tuple[Label, ...] | None) -> None:
        self.listed = labels
        self.place: dict[Label, int] = {label: i for i, label in enumerate(labels or ())}
        self.table: Array = np.zeros((len(self.place), len(self.place)), dtype=np.int64)
        self.known = KnownCells(self.place)
        self._faded = np.empty(0)

    @property
    def size(self) -> int:
        return len(self.place)

    def labels_at(self, codes: Array) -> list[Label]:
        names = list(self.place)
        return [names[code] for code in codes.tolist()]

    def fits(self, rows: int) -> bool:
        """Are these rows many enough to be counted in a table of their own?"""
        return self.table.size <= _TABLE_A_ROW * rows

    def count(self, cells: Array, size: int, sign: int = 1) -> None:
        """Add rows given by their cells in a table of `size` classes, the first of those here, or take them
        away."""
        now = len(self.table)
        if size != now:
            truths, predictions = np.divmod(cells.astype(np.intp), size)
            cells = truths * now + predictions
        if self.fits(len(cells)):
            self.table += sign * np.bincount(cells, minlength=now * now).reshape(now, now)
        else:
            np.add.at(self.table.reshape(-1), cells, sign)
        if sign < 0 and self.table.dtype.kind == "f":  # what rounding leaves below zero is nothing
            np.maximum(self.table, 0, out=self.table)

    def fade_and_count(self, cells: Array, lengths: list[int], decay: float) -> None:
        """Batch by batch, let what is there fade and add the rows of the batch, which fade too."""
        start, every = 0, len(self.table) ** 2
        if self.table.dtype.kind != "f":
            self.table = self.table.astype(np.float64)
        at_once = max(1, _CELLS_AT_ONCE // every)
        for first in range(0, len(lengths), at_once):
            some = lengths[first : first + at_once]
            end = start + sum(some)
            self._fade_and_count(cells[start:end], some, decay)
            start = end

    def _fade_and_count(self, cells: Array, lengths: list[int], decay: float) -> None:
        fading = self._fading(decay, max(lengths))
        every = self.table.size
        if len(lengths) == 1 and not self.fits(len(cells)):
            self.fade(decay ** len(cells))
            np.add.at(self.table.reshape(-1), cells, fading)
            return
        # Every batch is counted in a table of its own, so that sums are rounded as they are batch by batch.
        weights = fading
        if len(lengths) > 1:
            weights = np.concatenate([fading[len(fading) - rows :] for rows in lengths])
            cells = cells + np.repeat(np.arange(0, every * len(lengths), every), lengths)
        found = np.bincount(cells, weights, every * len(lengths))
        table = self.table.reshape(-1)
        for rows, counted in zip(lengths, found.reshape(len(lengths), every), strict=True):
            np.multiply(table, decay**rows, out=table)
            np.add(table, counted, out=table)

    def _fading(self, decay: float, rows: int) -> Array:
        """What each row of a batch counts at the end of it; batches are often of one size."""
        if len(self._faded) < rows:
            self._faded = decay ** np.arange(rows - 1, -1, -1, dtype=np.float64)
        return self._faded[len(self._faded) - rows :]

    def add(self, counted: Confusion, sign: int = 1) -> None:
        for label in counted.labels:
            self.place.setdefault(label, len(self.place))
        if len(self.place) > len(self.table):
            wider = np.zeros((len(self.place), len(self.place)), dtype=self.table.dtype)
            wider[: len(self.table), : len(self.table)] = self.table
            self.table = wider
        if counted.counts.dtype.kind == "f" and self.table.dtype.kind != "f":
            self.table = self.table.astype(np.float64)
        at = [self.place[label] for label in counted.labels]
        if sign > 0:
            self.table[np.ix_(at, at)] += counted.counts
        else:  # what rounding leaves below zero is nothing
            self.table[np.ix_(at, at)] = np.maximum(self.table[np.ix_(at, at)] - counted.counts, 0)

    def fade(self, factor: float) -> None:
        self.table = self.table * factor

    def confusion(self) -> Confusion:
        if not self.size or not self.table.any():
            raise nothing_yet()
        names = list(self.place)
        if self.listed is not None:
            return Confusion.from_table(self.table, names, names, self.listed)
        # They were labels when they came, whatever those that are left look like by themselves.
        held: list[bool] = np.logical_or(self.table.any(axis=0), self.table.any(axis=1)).tolist()
        labels = in_order([name for name, holds in zip(names, held, strict=True) if holds])
        found = Confusion.from_table(self.table, names, names, labels)
        return Confusion(found.counts, labels, listed=False, copy=False)
