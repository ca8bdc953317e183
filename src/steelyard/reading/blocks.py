"""Which rows came together, and which part of them is still in the window?"""

from __future__ import annotations

from collections import deque
from typing import Any

import numpy as np
from numpy.typing import NDArray

from steelyard.counts.confusion import Confusion
from steelyard.counts.encoding import encode
from steelyard.counts.labels import Label
from steelyard.counts.libraries import library_of, refuse_unaligned
from steelyard.counts.pairs import check_weights
from steelyard.reading.growing_counts import GrowingCounts

Array = NDArray[Any]


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
        coded = encode(column, "the column")
        codes: list[Any] = coded.codes.tolist()
        return codes if coded.labels is None else [coded.labels[code] for code in codes]
    return column.tolist() if isinstance(column, np.ndarray) else list(column)
