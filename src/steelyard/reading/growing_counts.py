"""A table of counts that grows with the labels it meets, and the cells of batches whose labels it knows.

A batch is looked up as a whole, both columns in one go: of a thousand rows the calls cost as much as the
rows, of a hundred much more.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from steelyard.counts.confusion import Confusion
from steelyard.counts.encoding import encode
from steelyard.counts.labels import Label, in_order
from steelyard.counts.libraries import library_of, refuse_unaligned
from steelyard.counts.pairs import WIDEST_SPAN, check_weights
from steelyard.errors import InputError
from steelyard.reading.text_lookup import TextLookup

Array = NDArray[Any]
# A batch is counted in a table of its own if that has at most this many cells a row.
_TABLE_A_ROW = 4
# Batches that fade are counted together in this many cells, a table for each.
_CELLS_AT_ONCE = 1 << 17


def nothing_yet() -> InputError:
    """What is said where a value is asked for before any row came."""
    return InputError("nothing was counted yet", found="an empty tally", do="update it with rows first")


def holds_integers(column: Any) -> bool:
    """Is this a column of integers that 64 signed bits hold, a label in every row?"""
    if not isinstance(column, np.ndarray) or column.ndim != 1 or hasattr(column, "mask"):
        return False
    dtype: np.dtype[Any] = column.dtype
    return bool(dtype.kind == "i" or (dtype.kind == "u" and dtype.itemsize < 8))


class KnownCells:
    """Finds the cells of a table that grows."""

    def __init__(self, place: dict[Label, int]) -> None:
        self._place = place
        self._text = TextLookup(place)
        self._kinds_of = 0
        self._kind: type | None = None
        self._integers: _IntegerPlaces | None = None

    def of(self, y_true: Any, y_pred: Any) -> Array | None:
        """The cells, counted row by row of the table; None if a label of either column is not known, or they
        are not of one kind: all integers or all text."""
        if self._kinds_of != len(self._place):
            self._kinds_of, self._kind = len(self._place), _one_kind(self._place)
            self._integers = _IntegerPlaces.of(self._place) if self._kind is int else None
        if self._kind is str:
            places = self._text.of_both(y_true, y_pred)
        elif self._integers is not None:
            places = self._integers.of_both(y_true, y_pred)
        else:
            return None
        if places is None:
            return None
        rows = len(places) // 2
        cells = places[:rows]
        cells *= len(self._place)
        cells += places[rows:]
        return cells


class _IntegerPlaces:
    """Finds the places of integers that lie near each other."""

    def __init__(self, low: int, places: Array) -> None:
        self._low, self._span = low, len(places)
        in_order = np.array_equal(places, np.arange(len(places)))
        self._places = None if in_order else places

    @classmethod
    def of(cls, place: dict[Any, int]) -> _IntegerPlaces | None:
        """None where the labels lie too far apart."""
        low, high = min(place), max(place)
        if high - low >= WIDEST_SPAN or low < -(2**62) or high > 2**62:
            return None
        places = np.full(high - low + 1, -1, dtype=np.intp)
        places[np.array(list(place)) - low] = list(place.values())
        return cls(low, places)

    def of_both(self, y_true: Any, y_pred: Any) -> Array | None:
        """The places of both columns, one after the other; None where an integer is no label."""
        if not (holds_integers(y_true) and holds_integers(y_pred)):
            return None
        rows = len(y_true)
        if not rows or rows != len(y_pred):
            return None
        places = np.empty(2 * rows, dtype=np.intp)
        np.subtract(y_true, self._low, out=places[:rows], dtype=np.intp)
        np.subtract(y_pred, self._low, out=places[rows:], dtype=np.intp)
        # Below the least label is far above the greatest without a sign: one look tells both.
        unsigned = places.view(np.uintp)
        if unsigned[unsigned.argmax()] >= self._span:  # half of the time of max() of a hundred rows
            return None
        if self._places is not None:
            places = self._places.take(places)
            if places.min() < 0:
                return None
        return places


def _one_kind(labels: Iterable[Label]) -> type | None:
    """The kind of all these labels, if it is int or str."""
    kinds = set(map(type, labels))
    return kinds.pop() if kinds in ({int}, {str}) else None


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


# -- batches, and the part of them that is still in a window


class Block:
    """A batch of rows."""

    def __init__(self, y_true: Any, y_pred: Any, weight: Any = None) -> None:
        refuse_unaligned(y_true, y_pred, weight)
        self.truths, self.predictions = y_true, y_pred
        self.rows = (
            len(y_true)
            if hasattr(y_true, "__len__") and not isinstance(y_true, (str, bytes))
            else len(encode(y_true, "y_true").codes)
        )
        self.weights = None if weight is None else check_weights(weight, self.rows)

    def counted(self, labels: tuple[Label, ...] | None, decay: float | None) -> Confusion | None:
        """The counts of the rows; None where every weight is 0, so that nothing is to be added or taken
        away."""
        weights = self.weights
        if weights is not None and not weights.any():
            # What is no column of labels is refused; a class that only rows without weight have need not be
            # listed.
            rows = [
                len(encode(column, role).codes)
                for column, role in ((self.truths, "y_true"), (self.predictions, "y_pred"))
            ]
            if rows[0] != rows[1]:
                Confusion.from_labels(self.truths, self.predictions)  # says so
            return None
        if decay is not None:
            fading = decay ** np.arange(self.rows - 1, -1, -1, dtype=np.float64)
            weights = fading if weights is None else weights * fading
        return Confusion.from_labels(self.truths, self.predictions, labels, weights)

    def labels(self) -> list[Label]:
        """The labels of the rows that have a weight."""
        rows = zip(listed(self.truths), listed(self.predictions), strict=False)
        weights = [1.0] * self.rows if self.weights is None else self.weights.tolist()
        return list(
            dict.fromkeys(
                label for row, weight in zip(rows, weights, strict=False) if weight for label in row
            )
        )

    def kept(self) -> Block:
        """The same rows, whatever becomes of the caller's columns."""
        return Block(
            _copy(self.truths), _copy(self.predictions), None if self.weights is None else self.weights.copy()
        )

    def part(self, start: int, end: int) -> Block:
        weights = None if self.weights is None else self.weights[start:end]
        return Block(self.truths[start:end], self.predictions[start:end], weights)

    def to_lists(self) -> list[list[Any]]:
        columns: tuple[Any, ...] = (self.truths, self.predictions, self.weights)
        return [[None if column is None else listed(column) for column in columns]]


class KnownRows:
    """Batches of rows of which the cells in a table are kept instead of the labels."""

    weights = None

    def __init__(self, cells: Array, size: int, lengths: list[int], counts: GrowingCounts) -> None:
        self._cells = cells.astype(np.min_scalar_type(size * size - 1))
        self.size = size
        self._lengths = deque(lengths)
        self._counts = counts

    @property
    def rows(self) -> int:
        return len(self._cells)

    @property
    def truths(self) -> list[Label]:
        return self._counts.labels_at(self._cells // self.size)

    @property
    def predictions(self) -> list[Label]:
        return self._counts.labels_at(self._cells % self.size)

    def leave(self, rows: int) -> Array:
        """The cells of the oldest rows, which are no longer kept here."""
        leaving, staying = self._cells[:rows], self._cells[rows:]
        self._cells = staying if 2 * len(staying) > len(self._cells) else staying.copy()
        while rows:
            if self._lengths[0] > rows:
                self._lengths[0] -= rows
                break
            rows -= self._lengths.popleft()
        return leaving

    def to_lists(self) -> list[list[Any]]:
        ends = np.cumsum(self._lengths).tolist()
        truths, predictions = self.truths, self.predictions
        return [
            [truths[start:end], predictions[start:end], None]
            for start, end in zip([0, *ends], ends, strict=False)
        ]


def _copy(column: Any) -> Any:
    return column.copy() if isinstance(column, np.ndarray) else listed(column)


def listed(column: Any) -> list[Any]:
    """The rows of a column as a list, with the labels that are counted for them."""
    of_times = isinstance(column, np.ndarray) and column.dtype.kind in "mM"
    if of_times or library_of(column) in ("pandas", "polars", "pyarrow"):
        labels, places = encode(column, "the column").distinct()
        return [labels[place] for place in places.tolist()]
    return column.tolist() if isinstance(column, np.ndarray) else list(column)
