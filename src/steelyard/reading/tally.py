"""Running tallies of label pairs: all rows so far, the last rows, or recent ones."""

# A tally is fed batch by batch and never holds more than it must: the counts; with a window also the rows in
# it, so that what leaves it is taken away exactly. Tallies of parts of a stream are added: in any order, to
# the same counts.

from __future__ import annotations

import json
from collections import deque
from collections.abc import Iterable
from contextlib import suppress
from typing import TYPE_CHECKING, Any

import numpy as np

from steelyard.counts.confusion import Confusion
from steelyard.counts.encoding import Encoded, encode, one_dimension
from steelyard.counts.labels import Array, Label, in_order
from steelyard.counts.libraries import refuse_unaligned
from steelyard.counts.pairs import check_weights
from steelyard.errors import InputError
from steelyard.reading.column_names import one_name
from steelyard.reading.growing_counts import GrowingCounts, WindowRows

if TYPE_CHECKING:
    from steelyard import Evaluation

SCHEMA = "steelyard/tally/1"


# Rows of known labels that are collected before their cells are counted together: they stay in the cache.
_BUFFER = 1 << 15


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
