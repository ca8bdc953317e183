"""How often did each pair of labels occur so far, in the last rows, or lately?

A tally is fed batch by batch and never holds more than it must: the counts; with a window also the rows in
it, so that what leaves it is taken away exactly. Tallies of parts of a stream are added: in any order, to the
same counts.
"""

from __future__ import annotations

import json
import operator
from collections import deque
from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from steelyard.counts.confusion import Confusion
from steelyard.counts.labels import Label, encode, in_order, one_dimension
from steelyard.counts.pairs import WIDEST_SPAN, check_weights
from steelyard.errors import InputError

if TYPE_CHECKING:
    from steelyard import Evaluation

SCHEMA = "steelyard/tally/1"

Array = NDArray[Any]

_BUFFER = 1 << 17
"""Rows of integer labels that are collected before they are counted together: a batch of 1,000 then costs two
copies, and a full buffer is what `pairs` counts fastest."""
_BYTES = 256
_TABLE_A_ROW = 4
"""A batch is counted in a table of its own if that has at most this many cells a row."""


class Tally:
    """Counts of (truth, prediction) that grow with a stream.

    Without `window` and `decay` every row counts for ever. `window` keeps the last so many rows, exactly
    (sums of weights up to rounding). `decay` lets a row count
    `decay ** age`, its age in rows: 0.9999 halves in 6,931 rows. `labels` are the classes; without them those
    that occur.

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
        self.rows = 0
        """Rows seen, whether or not they still count."""
        self._counts = _Counts(self.labels)
        self._blocks: deque[_Block | _KnownBlock] = deque()
        self._held = 0
        self._waiting = 0
        self._truths = self._predictions = np.empty(0, dtype=np.int64)
        self._faded = np.empty(0)

    # -- feeding it

    def update(self, y_true: Any, y_pred: Any, weight: Any = None) -> Tally:
        """Count a batch of rows, the oldest first; returns the tally itself. A batch that is refused changes
        nothing."""
        y_true, y_pred = one_dimension(y_true), one_dimension(y_pred)
        if (
            self.labels is None
            and weight is None
            and self.window is None
            and self.decay is None
            and self._collect(y_true, y_pred)
        ):
            return self
        coded = None if weight is not None else self._counts.codes(y_true, y_pred)
        if coded is not None:
            return self._update_known(*coded)
        block = _Block(y_true, y_pred, weight)
        if not block.rows:
            return self
        counted = block.counted(self.labels, self.decay)  # refuses a bad batch before anything is changed
        self._flush()
        if self.decay is not None:
            self._counts.fade(self.decay**block.rows)
        if counted is not None:
            self._counts.add(counted)
        self.rows += block.rows
        if self.window is not None:
            self._blocks.append(block.kept())
            self._held += block.rows
            self._slide(self.window)
        return self

    def _update_known(self, truths: Array, predictions: Array) -> Tally:
        """Count a batch of labels that are all known, given by their places in the table."""
        rows = len(truths)
        self._flush()
        fading = None
        if self.decay is not None:
            self._counts.fade(self.decay**rows)
            fading = self._fading(self.decay, rows)
        self._counts.count(truths, predictions, fading)
        self.rows += rows
        if self.window is not None:
            self._blocks.append(_KnownBlock(truths, predictions, self._counts))
            self._held += rows
            self._slide(self.window)
        return self

    def _fading(self, decay: float, rows: int) -> Array:
        """What each row of a batch counts at the end of it; batches are often of one size."""
        if len(self._faded) != rows:
            self._faded = decay ** np.arange(rows - 1, -1, -1, dtype=np.float64)
        return self._faded

    def _collect(self, y_true: Any, y_pred: Any) -> bool:
        """Keep a batch of integers for later; False for any other batch."""
        if not (isinstance(y_true, np.ndarray) and isinstance(y_pred, np.ndarray)):
            return False
        rows = y_true.shape[0] if y_true.ndim == 1 else _BUFFER
        if (
            rows >= _BUFFER
            or y_true.shape != y_pred.shape
            or not (_fits(y_true.dtype) and _fits(y_pred.dtype))
        ):
            return False
        if not len(self._truths):
            self._truths, self._predictions = (
                np.empty(_BUFFER, dtype=np.int64),
                np.empty(_BUFFER, dtype=np.int64),
            )
        if self._waiting + rows > _BUFFER:
            # before anything of this batch is taken: what cannot be counted is refused as a whole
            self._flush()
        end = self._waiting + rows
        self._truths[self._waiting : end] = y_true
        self._predictions[self._waiting : end] = y_pred
        self._waiting = end
        self.rows += rows
        return True

    def _flush(self) -> None:
        if self._waiting:
            held = slice(0, self._waiting)
            self._counts.add(Confusion.from_labels(self._truths[held], self._predictions[held]))
            self._waiting = 0

    def _slide(self, window: int) -> None:
        while self._held > window:
            oldest = self._blocks[0]
            leaving = min(oldest.rows, self._held - window)
            part = oldest.part(0, leaving)
            if isinstance(part, _KnownBlock):
                self._counts.count(part.true_codes, part.predicted_codes, sign=-1)
            elif (gone := part.counted(self.labels, None)) is not None:
                self._counts.add(gone, -1)
            self._held -= leaving
            self._blocks.popleft()
            if leaving < oldest.rows:
                self._blocks.appendleft(oldest.part(leaving, oldest.rows))

    # -- reading it

    @property
    def confusion(self) -> Confusion:
        """The counts as they stand."""
        self._flush()
        if any(block.weights is not None for block in self._blocks):
            return self._counted_again()
        return self._counts.confusion()

    def _counted_again(self) -> Confusion:
        """The rows in a window with weights, counted afresh: sums that were taken away leave dust, and depend
        on the batches."""
        truths: list[Any] = []
        predictions: list[Any] = []
        weights: list[float] = []
        for block in self._blocks:
            truths += _listed(block.truths)
            predictions += _listed(block.predictions)
            weights += [1.0] * block.rows if block.weights is None else block.weights.tolist()
        if not any(weights):
            raise _nothing_yet()
        return Confusion.from_labels(truths, predictions, self.labels, weights)

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
        for part in (self, other):
            part._flush()
            if part._counts.table.any():
                total._counts.add(part.confusion)
        total.rows = self.rows + other.rows
        return total

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Tally) and self.to_dict() == other.to_dict()

    __hash__ = None  # type: ignore[assignment]

    def __repr__(self) -> str:
        kind = (
            f", the last {self.window:,} count"
            if self.window
            else f", fading by {self.decay:g} a row"
            if self.decay
            else ""
        )
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
            "blocks": [block.to_list() for block in self._blocks],
        }

    @classmethod
    def from_dict(cls, data: dict[str, Any]) -> Tally:
        """The tally that `to_dict` wrote."""
        if not isinstance(data, dict) or data.get("schema") != SCHEMA:
            found = data.get("schema") if isinstance(data, dict) else type(data).__name__
            raise InputError(
                "this is not a tally",
                found=repr(found),
                allowed=f"what to_dict() of a tally gives ({SCHEMA})",
            )
        tally = cls(data["labels"], data["window"], data["decay"])
        if data["classes"] and data["counts"]:
            tally._counts.add(Confusion(data["counts"], data["classes"]))
        tally.rows = data["rows"]
        tally._blocks.extend(_Block(*block) for block in data["blocks"])
        tally._held = sum(block.rows for block in tally._blocks)
        return tally

    def to_bytes(self) -> bytes:
        """`to_dict` as JSON in UTF-8."""
        try:
            return json.dumps(self.to_dict(), ensure_ascii=False, allow_nan=False).encode()
        except (ValueError, TypeError) as error:
            if isinstance(error, InputError):
                raise
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


def _fits(dtype: np.dtype[Any]) -> bool:
    return dtype.kind == "i" or (dtype.kind == "u" and dtype.itemsize < 8)


class _Block:
    """A batch of rows."""

    def __init__(self, y_true: Any, y_pred: Any, weight: Any = None) -> None:
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

    def kept(self) -> _Block:
        """The same rows, whatever becomes of the caller's columns."""
        return _Block(
            _copy(self.truths), _copy(self.predictions), None if self.weights is None else self.weights.copy()
        )

    def part(self, start: int, end: int) -> _Block:
        weights = None if self.weights is None else self.weights[start:end]
        return _Block(self.truths[start:end], self.predictions[start:end], weights)

    def to_list(self) -> list[Any]:
        columns: tuple[Any, ...] = (self.truths, self.predictions, self.weights)
        return [None if column is None else _listed(column) for column in columns]


class _KnownBlock:
    """A batch of rows of which the places in the table are kept instead of the labels."""

    weights = None

    def __init__(self, true_codes: Array, predicted_codes: Array, counts: _Counts) -> None:
        self.true_codes, self.predicted_codes, self._counts = true_codes, predicted_codes, counts
        self.rows = len(true_codes)

    @property
    def truths(self) -> list[Label]:
        return self._counts.labels_at(self.true_codes)

    @property
    def predictions(self) -> list[Label]:
        return self._counts.labels_at(self.predicted_codes)

    def part(self, start: int, end: int) -> _KnownBlock:
        return _KnownBlock(self.true_codes[start:end], self.predicted_codes[start:end], self._counts)

    def to_list(self) -> list[Any]:
        return [self.truths, self.predictions, None]


def _copy(column: Any) -> Any:
    return column.copy() if isinstance(column, np.ndarray) else _listed(column)


def _listed(column: Any) -> list[Any]:
    """The rows of a column as a list, with the labels that are counted for them."""
    if isinstance(column, np.ndarray) and column.dtype.kind == "M":
        coded = encode(column, "the column")
        return [(coded.labels or ())[code] for code in coded.codes.tolist()]
    for method in ("to_pylist", "tolist", "to_list"):
        if hasattr(column, method):
            listed: list[Any] = getattr(column, method)()
            return listed
    return list(column)


def _nothing_yet() -> InputError:
    return InputError("nothing was counted yet", found="an empty tally", do="update it with rows first")


def _one_kind(labels: Iterable[Label]) -> type | None:
    """The kind of all these labels, if it is int or str."""
    kinds = set(map(type, labels))
    return kinds.pop() if kinds in ({int}, {str}) else None


def _integer_codes(place: dict[Any, int]) -> tuple[int, Array] | None:
    """The least label, and the place of each integer from there on, -1 where it is no label; None where they
    lie too far apart."""
    low, high = min(place), max(place)
    if high - low >= WIDEST_SPAN:
        return None
    places = np.full(high - low + 1, -1, dtype=np.intp)
    places[np.array(list(place)) - low] = list(place.values())
    return low, places


class _Counts:
    """A table of counts that grows with the labels it meets."""

    def __init__(self, labels: tuple[Label, ...] | None) -> None:
        self.listed = labels
        self.place: dict[Label, int] = {label: i for i, label in enumerate(labels or ())}
        self.table: Array = np.zeros((len(self.place), len(self.place)), dtype=np.int64)
        self._kinds_of = 0
        self._kind: type | None = None
        self._integers: tuple[int, Array] | None = None

    @property
    def size(self) -> int:
        return len(self.place)

    def labels_at(self, codes: Array) -> list[Label]:
        names = list(self.place)
        return [names[code] for code in codes.tolist()]

    def codes(self, y_true: Any, y_pred: Any) -> tuple[Array, Array] | None:
        """Where labels stand in the table, if every one of both columns is known and they are of one kind:
        all integers or all text."""
        if self._kinds_of != len(self.place):
            self._kinds_of, self._kind = len(self.place), _one_kind(self.place)
            self._integers = _integer_codes(self.place) if self._kind is int else None
        if self._kind is None:
            return None
        find = self._integer_places if self._kind is int else self._text_places
        truths = find(y_true)
        predictions = None if truths is None else find(y_pred)
        if truths is None or predictions is None or len(truths) != len(predictions):
            return None
        return truths, predictions

    def _integer_places(self, column: Any) -> Array | None:
        if not (isinstance(column, np.ndarray) and column.ndim == 1 and len(column) and _fits(column.dtype)):
            return None
        if self._integers is None or isinstance(column, np.ma.MaskedArray):
            return None
        low, places = self._integers
        if column.min() < low or column.max() >= low + len(places):
            return None
        found = places[column.astype(np.intp) - low]
        return None if found.min() < 0 else found

    def _text_places(self, column: Any) -> Array | None:
        """One call for a whole batch: a step of Python for every label takes twice as long."""
        if isinstance(column, np.ndarray) and column.ndim == 1 and column.dtype.kind in "OU":
            column = column.tolist()
        if type(column) is not list or len(column) < 2 or len(self.place) > _BYTES:
            return None
        try:
            return np.frombuffer(bytes(operator.itemgetter(*column)(self.place)), dtype=np.uint8)
        except (KeyError, TypeError):
            return None

    def count(self, truths: Array, predictions: Array, weights: Array | None = None, sign: int = 1) -> None:
        """Add rows given by places, or take them away."""
        size = len(self.table)
        if weights is not None and self.table.dtype.kind != "f":
            self.table = self.table.astype(np.float64)
        cells = truths.astype(np.intp) * size + predictions
        if size * size <= _TABLE_A_ROW * len(cells):
            self.table += sign * np.bincount(cells, weights, size * size).reshape(size, size)
        else:
            np.add.at(self.table.reshape(-1), cells, sign if weights is None else sign * weights)
        if sign < 0 and self.table.dtype.kind == "f":  # what rounding leaves below zero is nothing
            np.maximum(self.table, 0, out=self.table)

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
            raise _nothing_yet()
        names = list(self.place)
        return Confusion.from_table(self.table, names, names, self.listed)
