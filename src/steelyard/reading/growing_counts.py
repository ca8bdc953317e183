"""A table of counts that grows with the labels it meets, and the cells of batches whose labels it knows."""

# A batch is looked up as a whole, both columns in one go: of a thousand rows the calls cost as much as the
# rows, of a hundred much more.

from __future__ import annotations

import operator
import sys
from collections import deque
from collections.abc import Iterable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from steelyard.counts.confusion import Confusion
from steelyard.counts.labels import Label, in_order
from steelyard.counts.pairs import WIDEST_SPAN
from steelyard.errors import InputError

Array = NDArray[Any]
# A batch is counted in a table of its own if that has at most this many cells a row.
_TABLE_A_ROW = 4
# Places are kept in a byte.
MOST_WORDS = 256
_SLOTS = 1 << 12
# Objects that are known at most; with more, two would often share a slot.
_MOST_KNOWN = _SLOTS // 16
# Batches in a row without a gain until addresses are not asked for any more.
_PATIENCE = 8
_MIXED, _SHIFT, _WORD = np.uint64(0x9E3779B97F4A7C15), np.uint64(64 - 12), (1 << 64) - 1
# No object has this address.
_NOBODY = 1
_ADDRESSES = sys.implementation.name == "cpython" and np.dtype(object).itemsize == 8


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


class TextLookup:
    """Finds the places of text in a table that grows, by object identity where the same few words repeat.

    A column of text in memory is a column of addresses, and a stream of a few classes mostly repeats the
    addresses of the same few objects. An address whose object is kept here is known for ever, so a batch of
    addresses is looked up as numbers, in a tenth of the time of words. A batch with an address that is not
    known is looked up by its words, and what is learned is kept; a stream in which every row has an object of
    its own is no longer asked for addresses. Without it a tally of text takes four times as long (benchmark
    "many": a tally with text, times that of integers).
    """

    def __init__(self, place: dict[Label, int]) -> None:
        self._place = place
        self._kept: dict[int, str] = {}
        """The objects whose addresses are known: as long as they are held, no other object has one."""
        self._address = np.full(_SLOTS, _NOBODY, dtype=np.uint64)
        self._at = np.zeros(_SLOTS, dtype=np.intp)
        self._in_vain = 0

    def __reduce__(self) -> tuple[Any, ...]:
        return TextLookup, (self._place,)  # elsewhere objects have other addresses

    def of(self, column: Any) -> Array | None:
        """The place of every word; None where one is not known, or the column is none of text."""
        if len(self._place) > MOST_WORDS:
            return None
        if isinstance(column, np.ndarray):
            if column.ndim != 1 or column.dtype.kind not in "OU":
                return None
            if _is_of_objects(column):
                return self._of_objects(column)
            column = column.tolist()
        return self._of_words(column)

    def of_both(self, y_true: Any, y_pred: Any) -> Array | None:
        """The places of two columns of as many rows, one after the other; None where one is not known."""
        if self._in_vain < _PATIENCE and _is_of_objects(y_true) and _is_of_objects(y_pred):
            if len(self._place) > MOST_WORDS or len(y_true) != len(y_pred):
                return None
            pair_codes = self._by_address(y_true, y_pred)
            if pair_codes is not None:
                return pair_codes
        truths = self.of(y_true)
        predictions = None if truths is None else self.of(y_pred)
        if truths is None or predictions is None or len(truths) != len(predictions):
            return None
        return np.concatenate((truths, predictions), dtype=np.intp)

    def _of_objects(self, column: Array) -> Array | None:
        if self._in_vain >= _PATIENCE or not _ADDRESSES:
            return self._of_words(column.tolist())
        places = self._by_address(column)
        if places is not None:
            return places
        words = column.tolist()
        places = self._of_words(words)
        if places is not None:
            self._in_vain = 0 if self._learn(words, places) else self._in_vain + 1
        return places

    def _by_address(self, *columns: Array) -> Array | None:
        """The places of columns one after the other, if every object of them is known."""
        try:
            parts = [np.frombuffer(column, dtype=np.uint64) for column in columns]
        except ValueError:  # every second row of another column, say
            parts = [np.frombuffer(np.ascontiguousarray(column), dtype=np.uint64) for column in columns]
        addresses = parts[0] if len(parts) == 1 else np.concatenate(parts)
        # Fibonacci hashing (knuth1998, section 6.4): multiplication by 2^64 / phi spreads addresses, which
        # are multiples of 16.
        slots = addresses * _MIXED
        slots >>= _SHIFT
        at = slots.view(np.intp)
        # Comparing bytes stops at the first difference and makes no array of truth values.
        if self._address.take(at).tobytes() != addresses.tobytes():
            return None
        return np.asarray(self._at.take(at))

    def _of_words(self, words: Any) -> Array | None:
        """One call for a whole batch: a step of Python for every word takes twice as long."""
        if type(words) is not list or len(words) < 2:
            return None
        try:
            return np.frombuffer(bytes(operator.itemgetter(*words)(self._place)), dtype=np.uint8)
        except (KeyError, TypeError):
            return None

    def _learn(self, words: list[Any], places: Array) -> bool:
        """Keep the objects of this batch where there is room; was there?"""
        new = {id(word): (word, at) for word, at in zip(words, places.tolist(), strict=True)}
        new = {address: both for address, both in new.items() if address not in self._kept}
        if len(self._kept) + len(new) > _MOST_KNOWN:
            return False
        for address, (word, at) in new.items():
            slot = (address * int(_MIXED) & _WORD) >> int(_SHIFT)
            if type(word) is not str or self._address[slot] != _NOBODY:
                continue  # another object has the slot: this one is looked up by its word
            self._kept[address] = word
            self._address[slot], self._at[slot] = address, at
        return True


def _is_of_objects(column: Any) -> bool:
    return type(column) is np.ndarray and column.dtype.kind == "O" and column.ndim == 1 and len(column) > 1


class _IntegerPlaces:
    """Finds the places of integers that lie near each other."""

    def __init__(self, low: int, places: Array) -> None:
        self._low, self._span = low, len(places)
        # Labels 0, 1, 2, ... are their own places: the lookup is left out.
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
        start = 0
        for rows in lengths:
            batch, fading = cells[start : start + rows], self._fading(decay, rows)
            self.fade(decay**rows)
            if self.fits(rows):
                self.table += np.bincount(batch, fading, self.table.size).reshape(self.table.shape)
            else:
                np.add.at(self.table.reshape(-1), batch, fading)
            start += rows

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
        occurs: list[bool] = np.logical_or(self.table.any(axis=0), self.table.any(axis=1)).tolist()
        labels = in_order([name for name, holds in zip(names, occurs, strict=True) if holds])
        matrix = Confusion.from_table(self.table, names, names, labels)
        return Confusion(matrix.counts, labels, listed=False, copy=False)


class KnownRows:
    """Batches of rows of which the cells in a table are kept instead of the labels."""

    weights = None

    def __init__(self, cells: Array, size: int, lengths: list[int], counts: GrowingCounts) -> None:
        # A window of ten classes needs a byte a row in place of two objects.
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
        # A view keeps the whole array alive: it is copied once half of it has left.
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
