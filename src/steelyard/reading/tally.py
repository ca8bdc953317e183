"""Running tallies of label pairs: all rows so far, the last rows, or recent ones."""

# A tally is fed batch by batch and never holds more than it must: the counts; with a window also the rows in
# it, so that what leaves it is taken away exactly. Tallies of parts of a stream are added: in any order, to
# the same counts.

from __future__ import annotations

import json
from collections import deque
from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from steelyard.counts.confusion import Confusion
from steelyard.counts.encoding import encode, one_dimension
from steelyard.counts.labels import Label, in_order
from steelyard.counts.libraries import library_of, refuse_unaligned
from steelyard.counts.pairs import check_weights
from steelyard.errors import InputError
from steelyard.reading.column_names import one_name
from steelyard.reading.growing_counts import GrowingCounts, KnownRows, nothing_yet

if TYPE_CHECKING:
    from steelyard import Evaluation

SCHEMA = "steelyard/tally/1"

Array = NDArray[Any]

# Rows of known labels that are collected before their cells are counted together: they stay in the cache.
_BUFFER = 1 << 15


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
        """The counts of the rows."""
        # None where every weight is 0, so that nothing is to be added or taken away.
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

    def copied(self) -> Block:
        """The same rows, whatever becomes of the caller's columns."""
        truths, predictions = (
            c.copy() if isinstance(c, np.ndarray) else listed(c) for c in (self.truths, self.predictions)
        )
        return Block(truths, predictions, None if self.weights is None else self.weights.copy())

    def between(self, start: int, end: int) -> Block:
        weights = None if self.weights is None else self.weights[start:end]
        return Block(self.truths[start:end], self.predictions[start:end], weights)

    def to_lists(self) -> list[list[Any]]:
        columns: tuple[Any, ...] = (self.truths, self.predictions, self.weights)
        return [[None if column is None else listed(column) for column in columns]]


def listed(column: Any) -> list[Any]:
    """The rows of a column as a list, with the labels that are counted for them."""
    of_times = isinstance(column, np.ndarray) and column.dtype.kind in "mM"
    if of_times or library_of(column) in ("pandas", "polars", "pyarrow"):
        labels, places = encode(column, "the column").distinct()
        return [labels[place] for place in places.tolist()]
    return column.tolist() if isinstance(column, np.ndarray) else list(column)


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
        self._blocks: deque[Block | KnownRows] = deque()
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
        block = Block(y_true, y_pred, weight)
        if not block.rows:
            return self
        # From here on nothing is refused, so that no batch is half counted.
        counted = self._counted(block, self.decay)  # refuses a bad batch before anything is changed
        self._flush()
        if self.decay is not None:
            self._counts.fade(self.decay**block.rows)
        if counted is not None:
            self._counts.add(counted)
        self.rows += block.rows
        if self.window is not None:
            self._blocks.append(block.copied())
            self._held += block.rows
            self._slide(self.window)
        return self

    def _counted(self, block: Block, decay: float | None) -> Confusion | None:
        """The counts of some rows. A few rows may look like what a column of labels never is, 1.5 predicted
        for 1; where every label was met before they are none the less."""
        try:
            return block.counted(self.labels, decay)
        except InputError:
            block_labels = block.labels() if self.labels is None else []
            if not block_labels or not self._counts.place.keys() >= set(block_labels):
                raise
            return block.counted(tuple(block_labels), decay)

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
            self._blocks.append(KnownRows(cells, size, lengths, self._counts))
            self._held += len(cells)
            self._slide(self.window)

    def _flush(self) -> None:
        """Count the cells that were collected."""
        if self._known:
            lengths, known, self._lengths, self._known = self._lengths, self._known, [], 0
            self._count_known(self._cells[:known], lengths)

    def _slide(self, window: int) -> None:
        while self._held > window:
            oldest = self._blocks[0]
            leaving = min(oldest.rows, self._held - window)
            self._held -= leaving
            if isinstance(oldest, KnownRows):
                self._counts.count(oldest.leave(leaving), oldest.size, sign=-1)
                if not oldest.rows:
                    self._blocks.popleft()
                continue
            if (gone := self._counted(oldest.between(0, leaving), None)) is not None:
                self._counts.add(gone, -1)
            self._blocks.popleft()
            if leaving < oldest.rows:
                self._blocks.appendleft(oldest.between(leaving, oldest.rows))

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
        # Adding and subtracting doubles does not give back what was there: 0.1 + 0.2 - 0.2 is not 0.1.
        truths, predictions, weights = list[Any](), list[Any](), list[float]()
        for block in self._blocks:
            truths += listed(block.truths)
            predictions += listed(block.predictions)
            weights += [1.0] * block.rows if block.weights is None else block.weights.tolist()
        if not any(weights):
            raise nothing_yet()
        whole = Block(truths, predictions, weights)
        labels = in_order(whole.labels()) if self.labels is None else self.labels
        matrix = Confusion.from_labels(truths, predictions, labels, weights)
        return Confusion(matrix.counts, labels, listed=self.labels is not None)

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
            "blocks": [batch for block in self._blocks for batch in block.to_lists()],
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
        tally._blocks.extend(Block(*block) for block in data["blocks"])
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
