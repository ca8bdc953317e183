"""Running tallies of label pairs: all rows so far, the last rows, or recent ones."""

# A tally is fed batch by batch and never holds more than it must: the counts; with a window also the rows in
# it, so that what leaves it is taken away exactly. Tallies of parts of a stream are added: in any order, to
# the same counts.
#
# A batch is looked up as a whole, both columns in one go: of a thousand rows the calls cost as much as the
# rows, of a hundred much more.

from __future__ import annotations

import itertools
import json
import operator
import sys
from collections import deque
from collections.abc import Collection, Iterable
from contextlib import suppress
from typing import TYPE_CHECKING, Any

import numpy as np

from steelyard.counts.confusion import Confusion
from steelyard.counts.encoding import WIDEST_SPAN, Encoded, encode, one_dimension
from steelyard.counts.labels import Array, Label, in_order
from steelyard.counts.libraries import refuse_unaligned
from steelyard.counts.pairs import check_weights
from steelyard.errors import InputError
from steelyard.reading.column_names import one_name

if TYPE_CHECKING:
    from steelyard import Evaluation

SCHEMA = "steelyard/tally/1"


# Rows of known labels that are collected before their cells are counted together: they stay in the cache.
_BUFFER = 1 << 15
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


class TextLookup:
    """Finds the places of text in a table that grows, by object identity where the same few words repeat."""

    # A column of text in memory is a column of addresses, and a stream of a few classes mostly repeats the
    # addresses of the same few objects. An address whose object is kept here is known for ever, so a batch of
    # addresses is looked up as numbers, in a tenth of the time of words. A batch with an address that is not
    # known is looked up by its words, and what is learned is kept; a stream in which every row has an object
    # of its own is no longer asked for addresses. Without it a tally of text takes four times as long
    # (benchmark "many": a tally with text, times that of integers).

    def __init__(self, place: dict[Label, int]) -> None:
        self._place = place
        # The objects whose addresses are known: as long as they are held, no other object has one.
        self._kept: dict[int, str] = {}
        self._address = np.full(_SLOTS, _NOBODY, dtype=np.uint64)
        self._at = np.zeros(_SLOTS, dtype=np.intp)
        self._in_vain = 0

    def __reduce__(self) -> tuple[Any, ...]:
        return TextLookup, (self._place,)  # elsewhere objects have other addresses

    def of(self, *columns: Any) -> Array | None:
        """The place of every word of columns of as many rows, one after the other."""
        # None where one is not known, or a column is none of text.
        if len(self._place) > MOST_WORDS:
            return None
        by_address = self._in_vain < _PATIENCE and _ADDRESSES and all(map(_is_of_objects, columns))
        if by_address and len(columns[0]) == len(columns[-1]):
            places = self._by_address(*columns)
            if places is not None:
                return places
        lists = [
            column.tolist()
            if isinstance(column, np.ndarray) and column.ndim == 1 and column.dtype.kind in "OU"
            else column
            for column in columns
        ]
        if any(type(column) is not list or len(column) != len(lists[0]) for column in lists):
            return None
        if len(lists[0]) < 2:
            return None
        try:
            # One call for a whole column: a step of Python for every word takes twice as long.
            codes = b"".join(bytes(operator.itemgetter(*words)(self._place)) for words in lists)
        except (KeyError, TypeError):
            return None
        places = np.frombuffer(codes, np.uint8).astype(np.intp)
        if by_address:
            learned = self._learn(list(itertools.chain(*lists)), places)
            self._in_vain = 0 if learned else self._in_vain + 1
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


class _IntegerLookup:
    """Finds the places of integers that lie near each other."""

    def __init__(self, place: dict[Any, int]) -> None:
        self._low = min(place)
        self._span = max(place) - self._low + 1
        if self._span > WIDEST_SPAN or self._low < -(2**62) or max(place) > 2**62:
            self._span = 0  # too far apart: none is found
            return
        places = np.full(self._span, -1, dtype=np.intp)
        places[np.array(list(place)) - self._low] = list(place.values())
        # Labels 0, 1, 2, ... are their own places: the lookup is left out.
        self._places = None if np.array_equal(places, np.arange(len(places))) else places

    def of(self, y_true: Any, y_pred: Any) -> Array | None:
        """The places of both columns, one after the other; None where an integer is no label."""
        if not (self._span and _holds_integers(y_true) and _holds_integers(y_pred)):
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


def _holds_integers(column: Any) -> bool:
    """Is this a column of integers that 64 signed bits hold, a label in every row?"""
    if not isinstance(column, np.ndarray) or column.ndim != 1 or hasattr(column, "mask"):
        return False
    dtype: np.dtype[Any] = column.dtype
    return bool(dtype.kind == "i" or (dtype.kind == "u" and dtype.itemsize < 8))


class GrowingCounts:
    """A table of counts that grows with the labels it meets."""

    def __init__(self, labels: tuple[Label, ...] | None) -> None:
        self.listed = labels
        self.place: dict[Label, int] = {label: i for i, label in enumerate(labels or ())}
        self.table: Array = np.zeros((len(self.place), len(self.place)), dtype=np.int64)
        self._text = TextLookup(self.place)
        self._lookup: TextLookup | _IntegerLookup | None = None
        # The labels that the lookup knows.
        self._looked_up = 0
        self._faded = np.empty(0)

    def cells(self, y_true: Any, y_pred: Any) -> Array | None:
        """The cells of rows, counted row by row of the table."""
        # None if a label of either column is not known, or they are not of one kind: all integers or all
        # text.
        if self._looked_up != len(self.place):
            self._looked_up, kinds = len(self.place), set(map(type, self.place))
            integers = kinds == {int}
            self._lookup = self._text if kinds == {str} else _IntegerLookup(self.place) if integers else None
        places = None if self._lookup is None else self._lookup.of(y_true, y_pred)
        if places is None:
            return None
        rows = len(places) // 2
        cells = places[:rows]
        cells *= len(self.place)
        cells += places[rows:]
        return cells

    def cells_of_any(self, truth: Encoded, predicted: Encoded) -> Array:
        """The same of any rows, whose labels are known from now on."""
        columns = []
        for column in (truth, predicted):
            labels, at = column.distinct()
            if self.listed is None:
                self._grow(labels)
            # What is not listed has no weight, and may stand in any cell.
            columns.append(np.array([self.place.get(label, 0) for label in labels], dtype=np.intp)[at])
        return columns[0] * len(self.place) + columns[1]

    def _grow(self, labels: Iterable[Label]) -> None:
        for label in labels:
            self.place.setdefault(label, len(self.place))
        more = len(self.place) - len(self.table)
        self.table = np.pad(self.table, (0, more)) if more else self.table

    def _add_cells(self, cells: Array, amounts: Array | None = None, sign: int = 1) -> None:
        if self.table.size <= _TABLE_A_ROW * len(cells):
            counted = np.bincount(cells, amounts, self.table.size).reshape(self.table.shape)
            self.table += counted if sign > 0 else -counted
        else:
            np.add.at(self.table.reshape(-1), cells, sign if amounts is None else sign * amounts)

    def _in_table(self, cells: Array, size: int) -> Array:
        """Cells of a table of `size` classes, the first of those here, in the table of all."""
        if size == len(self.table):
            return cells
        truths, predictions = np.divmod(cells.astype(np.intp), size)
        return np.asarray(truths * len(self.table) + predictions)

    def count(self, cells: Array, size: int, weights: Array | None = None, sign: int = 1) -> None:
        """Add rows given by their cells in a table of `size` classes, or take them away."""
        self._add_cells(self._in_table(cells, size), weights, sign)
        if sign < 0 and self.table.dtype.kind == "f":  # what rounding leaves below zero is nothing
            np.maximum(self.table, 0, out=self.table)

    def fade_and_count(self, cells: Array, lengths: list[int], decay: float) -> None:
        """Batch by batch, let what is there fade and add the rows of the batch, which fade too."""
        start = 0
        for rows in lengths:
            if len(self._faded) < rows:  # what each row counts at the end; batches are often of one size
                self._faded = decay ** np.arange(rows - 1, -1, -1, dtype=np.float64)
            self.fade(decay**rows)
            self._add_cells(cells[start : start + rows], self._faded[len(self._faded) - rows :])
            start += rows

    def add(self, counted: Confusion) -> None:
        self._grow(counted.labels)
        if counted.counts.dtype.kind == "f" and self.table.dtype.kind != "f":
            self.table = self.table.astype(np.float64)
        at = [self.place[label] for label in counted.labels]
        self.table[np.ix_(at, at)] += counted.counts

    def fade(self, factor: float) -> None:
        self.table = self.table * factor

    def table_of(self, window: Collection[WindowRows]) -> Array:
        """The rows of a window with weights, added up one by one."""
        cells = np.concatenate([self._in_table(rows.cells, rows.size) for rows in window])
        weights = [np.ones(rows.rows) if rows.weights is None else rows.weights for rows in window]
        return np.bincount(cells, np.concatenate(weights), self.table.size).reshape(self.table.shape)

    def confusion(self, table: Array | None = None) -> Confusion:
        """The counts of the table, or of another one of the same classes."""
        table = self.table if table is None else table
        if not table.any():
            raise InputError(
                "nothing was counted yet", found="an empty tally", do="update it with rows first"
            )
        names = list(self.place)
        if self.listed is not None:
            return Confusion.from_table(table, names, names, self.listed)
        # They were labels when they came, whatever those that are left look like by themselves.
        occurs: list[bool] = np.logical_or(table.any(axis=0), table.any(axis=1)).tolist()
        labels = in_order([name for name, holds in zip(names, occurs, strict=True) if holds])
        matrix = Confusion.from_table(table, names, names, labels)
        return Confusion(matrix.counts, labels, listed=False, copy=False)


class WindowRows:
    """Batches of rows in a window, of which the cells in a table are kept instead of the labels."""

    def __init__(self, cells: Array, size: int, lengths: list[int], weights: Array | None = None) -> None:
        # A window of ten classes needs a byte a row in place of two objects.
        self.cells = cells.astype(np.min_scalar_type(size * size - 1))
        self.weights = None if weights is None else weights.copy()
        self.size, self._lengths = size, deque(lengths)

    @property
    def rows(self) -> int:
        return len(self.cells)

    def leave(self, rows: int) -> tuple[Array, Array | None]:
        """The cells and weights of the oldest rows, which are no longer kept here."""
        cells, staying = self.cells[:rows], self.cells[rows:]
        # A view keeps the whole array alive: it is copied once half of it has left.
        self.cells = staying if 2 * len(staying) > len(self.cells) else staying.copy()
        weights = None if self.weights is None else self.weights[:rows]
        self.weights = None if self.weights is None else self.weights[rows:]
        while rows:
            if self._lengths[0] > rows:
                self._lengths[0] -= rows
                break
            rows -= self._lengths.popleft()
        return cells, weights

    def to_lists(self, names: list[Label]) -> list[list[Any]]:
        """Truths, predictions and weights of each batch, by the names of the classes."""
        truths, predictions = np.divmod(self.cells.astype(np.intp), self.size)
        columns = [[names[k] for k in truths.tolist()], [names[k] for k in predictions.tolist()]]
        columns += [] if self.weights is None else [self.weights.tolist()]
        ends = np.cumsum(self._lengths).tolist()
        batches = [[c[start:end] for c in columns] for start, end in zip([0, *ends], ends, strict=False)]
        return batches if self.weights is not None else [[*batch, None] for batch in batches]


class Tally:
    """Counts of (truth, prediction) that grow with a stream.

    Without `window` and `decay` every row counts for ever. `window` keeps the last so many rows, exactly
    (sums of weights up to rounding). `decay` lets a row count `decay ** age`, its age in rows: 0.9999 halves
    in 6,931 rows. `labels` are the classes; without them those that occur.

    >>> import steelyard as sy
    >>> tally = sy.Tally()
    >>> tally.update(["a", "b"], ["a", "a"]).update(["b"], ["b"])
    Tally of 3 rows
    >>> tally.confusion.counts.tolist()
    [[1, 0], [1, 1]]
    """

    def __init__(
        self, labels: Iterable[Label] | None = None, window: int | None = None, decay: float | None = None
    ) -> None:
        if window is not None and decay is not None:
            raise InputError(
                "a tally either slides or fades", found="window= and decay=", allowed="one of them"
            )
        if window is not None and (isinstance(window, bool) or not isinstance(window, int) or window < 1):
            raise InputError(
                "the window must be a number of rows", found=repr(window), allowed="a whole number >= 1"
            )
        if decay is not None and not (isinstance(decay, (int, float)) and 0 < decay < 1):
            raise InputError(
                "the decay must be a factor",
                found=repr(decay),
                allowed="a number between 0 and 1, such as 0.9999",
            )
        self.labels = None if labels is None else tuple(labels)
        self.window, self.decay = window, decay
        # Rows seen, whether or not they still count.
        self.rows = 0
        self._counts = GrowingCounts(self.labels)
        self._window: deque[WindowRows] = deque()
        self._held = 0
        self._cells = np.empty(0, dtype=np.intp)
        self._lengths: list[int] = []
        self._known = 0

    # -- feeding it

    def update(self, y_true: Any, y_pred: Any, weight: Any = None, *, sample_weight: Any = None) -> Tally:
        """Count a batch of rows, the oldest first; returns the tally itself. A batch that is refused changes
        nothing. `sample_weight`, scikit-learn's name for `weight`, is accepted too."""
        if sample_weight is not None:
            weight = one_name(weight=weight, sample_weight=sample_weight)
        y_true, y_pred = one_dimension(y_true), one_dimension(y_pred)
        if weight is None and self._collect_known(y_true, y_pred):
            return self
        refuse_unaligned(y_true, y_pred, weight)
        truth, predicted = encode(y_true, "y_true"), encode(y_pred, "y_pred")
        rows = len(truth)
        weights = None if weight is None else check_weights(weight, rows)
        if not rows:
            return self
        # A batch that is refused is refused here: from here on nothing is, so that none is half counted.
        counted = self._counted(truth, predicted, weights)
        self._flush()
        if self.decay is not None:
            self._counts.fade(self.decay**rows)
        if counted is not None:
            self._counts.add(counted)
        self.rows += rows
        if self.window is not None:
            self._keep(truth, predicted, weights)
            self._slide(self.window)
        return self

    def _counted(self, truth: Encoded, predicted: Encoded, weights: Array | None) -> Confusion | None:
        """The counts of some rows; None where every weight is 0, so that nothing is to be added."""
        # A class that only rows without weight have need not be listed.
        if weights is not None and not weights.any() and len(truth) == len(predicted):
            return None
        if self.decay is not None:
            fading = self.decay ** np.arange(len(truth) - 1, -1, -1, dtype=np.float64)
            weights = fading if weights is None else weights * fading
        try:
            return Confusion.from_labels(truth, predicted, self.labels, weights)
        except InputError:
            # A few rows may look like what a column of labels never is, 1.5 predicted for 1; where every
            # label was met before they are none the less.
            known = tuple(self._counts.place)
            if self.labels is None and known:
                with suppress(InputError):
                    return Confusion.from_labels(truth, predicted, known, weights)
            raise

    def _keep(self, truth: Encoded, predicted: Encoded, weights: Array | None) -> None:
        """Keep rows in the window."""
        cells = self._counts.cells_of_any(truth, predicted)
        self._window.append(WindowRows(cells, len(self._counts.place), [len(cells)], weights))
        self._held += len(cells)

    def _collect_known(self, y_true: Any, y_pred: Any) -> bool:
        """Keep the cells of a batch of known labels for later; False for any other batch."""
        cells = self._counts.cells(y_true, y_pred)
        if cells is None:
            return False
        rows = len(cells)
        if self._known + rows > _BUFFER:
            self._flush()
        self.rows += rows
        if rows > _BUFFER:
            self._count_known(cells, [rows])
            return True
        if not len(self._cells):
            self._cells = np.empty(_BUFFER, dtype=np.intp)
        end = self._known + rows
        self._cells[self._known : end] = cells
        self._lengths.append(rows)
        self._known = end
        return True

    def _count_known(self, cells: Array, lengths: list[int]) -> None:
        """Count batches of rows given by their cells."""
        if self.decay is not None:
            self._counts.fade_and_count(cells, lengths, self.decay)
            return
        size = len(self._counts.place)
        self._counts.count(cells, size)
        if self.window is not None:
            self._window.append(WindowRows(cells, size, lengths))
            self._held += len(cells)
            self._slide(self.window)

    def _flush(self) -> None:
        """Count the cells that were collected."""
        if self._known:
            lengths, known, self._lengths, self._known = self._lengths, self._known, [], 0
            self._count_known(self._cells[:known], lengths)

    def _slide(self, window: int) -> None:
        while self._held > window:
            oldest = self._window[0]
            leaving = min(oldest.rows, self._held - window)
            self._held -= leaving
            cells, weights = oldest.leave(leaving)
            self._counts.count(cells, oldest.size, weights, sign=-1)
            if not oldest.rows:
                self._window.popleft()

    # -- reading it

    @property
    def confusion(self) -> Confusion:
        """The counts as they stand."""
        self._flush()
        # Rows in a window with weights are counted afresh: sums that were taken away leave dust, and depend
        # on the batches. Adding and subtracting doubles does not give back what was there: 0.1 + 0.2 - 0.2
        # is not 0.1.
        weighted = any(rows.weights is not None for rows in self._window)
        return self._counts.confusion(self._counts.table_of(self._window) if weighted else None)

    def evaluate(self, **options: Any) -> Evaluation:
        """`steelyard.evaluate` of this tally: of the counts as they stand."""
        # Judgement stands above reading and takes a Tally like any other source; this method only saves the
        # caller a line, so it goes
        # through the package's front door, as the caller would, and reading depends on no room above it.
        import steelyard

        return steelyard.evaluate(self, **options)

    def __add__(self, other: Tally) -> Tally:
        """What both hold now, as a tally that neither slides nor fades: parts of a stream are counted apart
        and added."""
        if not isinstance(other, Tally):
            return NotImplemented
        if self.labels != other.labels:
            raise InputError(
                "tallies of different classes cannot be added",
                found=f"labels {self.labels} and {other.labels}",
                allowed="the same labels in the same order, or none",
            )
        total = Tally(self.labels)
        for tally in (self, other):
            tally._flush()
            if tally._counts.table.any():
                total._counts.add(tally.confusion)
        total.rows = self.rows + other.rows
        return total

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Tally) and self.to_dict() == other.to_dict()

    __hash__ = None  # type: ignore[assignment]

    def __repr__(self) -> str:
        kind = f", the last {self.window:,} count" if self.window else ""
        kind = f", fading by {self.decay:g} a row" if self.decay else kind
        return f"Tally of {self.rows:,} rows{kind}"

    # -- keeping it

    def to_dict(self) -> dict[str, Any]:
        """Plain data from which `from_dict` makes the same tally."""
        self._flush()
        names = in_order(list(self._counts.place)) if self.labels is None else list(self.labels)
        for label in names:
            if not isinstance(label, (str, int, float)):
                raise InputError(
                    "this label cannot be written",
                    found=f"{label!r} ({type(label).__name__})",
                    allowed="text, numbers and booleans",
                )
        at = [self._counts.place[label] for label in names]
        return {
            "schema": SCHEMA,
            "labels": None if self.labels is None else list(self.labels),
            "window": self.window,
            "decay": self.decay,
            "rows": self.rows,
            "classes": names,
            "counts": self._counts.table[np.ix_(at, at)].tolist(),
            "blocks": [batch for rows in self._window for batch in rows.to_lists(list(self._counts.place))],
        }

    @classmethod
    def from_dict(cls, data: dict[str, Any]) -> Tally:
        """The tally that `to_dict` wrote."""
        if not isinstance(data, dict) or data.get("schema") != SCHEMA:
            schema = data.get("schema") if isinstance(data, dict) else type(data).__name__
            raise InputError(
                "this is not a tally",
                found=repr(schema),
                allowed=f"what to_dict() of a tally gives ({SCHEMA})",
            )
        tally = cls(data["labels"], data["window"], data["decay"])
        if data["classes"] and data["counts"]:
            tally._counts.add(Confusion(data["counts"], data["classes"]))
        tally.rows = data["rows"]
        for truths, predictions, weights in data["blocks"]:
            columns = encode(truths, "y_true"), encode(predictions, "y_pred")
            tally._keep(*columns, None if weights is None else np.array(weights, dtype=np.float64))
        return tally

    def to_bytes(self) -> bytes:
        """`to_dict` as JSON in UTF-8."""
        record = self.to_dict()
        try:
            return json.dumps(record, ensure_ascii=False, allow_nan=False).encode()
        except (ValueError, TypeError) as error:
            raise InputError(
                "this tally cannot be written as JSON",
                found=str(error),
                allowed="labels that are text, finite numbers and booleans",
            ) from error

    @classmethod
    def from_bytes(cls, data: bytes) -> Tally:
        """The tally that `to_bytes` wrote."""
        try:
            return cls.from_dict(json.loads(data))
        except (ValueError, KeyError, TypeError) as error:
            if isinstance(error, InputError):
                raise
            raise InputError(
                "these bytes are not a tally",
                found=f"{data[:40]!r}",
                allowed="what to_bytes() of a tally gives",
            ) from error
