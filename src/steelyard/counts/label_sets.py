"""Multi-label data: sets of true and predicted labels per row, counted."""

# Rows that carry any number of labels are kept as the distinct pairs of what is true and what is predicted,
# and how many rows show each pair. For every label that is a 2 x 2 matrix, and so it is for every row;
# whatever is said of them is said by measures of such matrices.

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from steelyard.counts.confusion import Confusion
from steelyard.counts.labels import Array, Spoken, is_missing, missing_values
from steelyard.errors import InputError

_ALLOWED = "a row for each example and a column for each label"
HAS, HAS_NOT = Spoken("the label"), Spoken("its absence")


@dataclass(frozen=True, eq=False, repr=False)
class LabelSets:
    """Distinct pairs of true and predicted labels, and the rows that show each."""

    labels: tuple[str, ...]
    #: (K, L) booleans.
    truth: Array
    #: (K, L) booleans.
    predicted: Array
    #: (K,) numbers of rows.
    rows: Array
    #: Rows left out because something was missing.
    dropped: int = 0

    @classmethod
    def from_tables(
        cls, y_true: Any, y_pred: Any, labels: Iterable[str] | None = None, *, missing: str = "error"
    ) -> LabelSets:
        """Two tables of 0 and 1 with a row for each example and a column for each label."""
        tables = [_numbers(table, role) for table, role in ((y_true, "y_true"), (y_pred, "y_pred"))]
        if tables[0].shape != tables[1].shape:
            raise InputError(
                "y_true and y_pred differ in shape",
                found=f"{tables[0].shape} and {tables[1].shape}",
                allowed=f"{_ALLOWED} in both",
            )
        columns = tables[0].shape[1]
        names = [f"label {k + 1}" for k in range(columns)] if labels is None else list(map(str, labels))
        if len(names) != columns or len(set(names)) != len(names):
            raise InputError(
                "the labels do not fit the columns",
                found=f"{len(names)} names for {columns} columns",
                allowed="a different name for each column",
            )
        both = np.concatenate(tables, axis=1)
        lost = np.isnan(both).any(axis=1)
        if lost.any() and missing == "error":
            raise lacking(int(lost.sum()), len(both))
        return cls.of_patterns(names, *distinct(both[~lost]), int(lost.sum()))

    @classmethod
    def of_patterns(cls, names: Sequence[str], patterns: Array, rows: Array, dropped: int = 0) -> LabelSets:
        """Distinct rows, truth beside predictions, and how often each occurs."""
        if not len(rows):
            raise InputError("there is nothing to count", found="0 rows", allowed="at least one row")
        other = (patterns != 0) & (patterns != 1)
        if other.any():
            where, column = (int(axis[0]) for axis in np.nonzero(other))
            raise InputError(
                f"the label {names[column % len(names)]!r} is neither there nor not",
                found=f"{patterns[where, column]:g} in the"
                f" {'truth' if column < len(names) else 'predictions'}",
                allowed="0 and 1",
                do="cut scores at a threshold first",
            )
        flags = patterns.astype(bool)
        return cls(tuple(names), flags[:, : len(names)], flags[:, len(names) :], np.asarray(rows), dropped)

    @property
    def n_rows(self) -> int:
        return int(self.rows.sum())

    @cached_property
    def by_label(self) -> Confusion:
        """A matrix [[tp, fn], [fp, tn]] for each label."""
        return self.matrices(self.rows[None])[0]

    def matrices(self, rows: Array) -> list[Confusion]:
        """The matrices of all labels for each way (B, K) of having so many rows of each kind."""
        weights = np.asarray(rows, dtype=np.float64)
        sums = (weights @ (self.truth & self.predicted), weights @ self.truth, weights @ self.predicted)
        whole = np.rint(_cells(*sums, weights.sum(axis=1, keepdims=True))).astype(np.int64)
        return [Confusion(matrix, labels=[HAS, HAS_NOT]) for matrix in whole]

    @cached_property
    def by_row(self) -> Confusion:
        """A matrix [[tp, fn], [fp, tn]] of the labels of each kind of row."""
        hits = (self.truth & self.predicted).sum(axis=1)
        cells = _cells(hits, self.truth.sum(axis=1), self.predicted.sum(axis=1), len(self.labels))
        return Confusion(cells, labels=[HAS, HAS_NOT])

    @property
    def rows_all_right(self) -> int:
        """Rows whose labels are all predicted correctly."""
        return int(self.rows[(self.truth == self.predicted).all(axis=1)].sum())

    @property
    def errors(self) -> int:
        """Labels that are told wrong, over all rows."""
        return int((self.rows * (self.truth != self.predicted).sum(axis=1)).sum())

    def __repr__(self) -> str:
        return f"LabelSets of {len(self.labels)} labels, {self.n_rows:,} rows"


def _cells(hits: Array, actual: Array, called: Array, total: Any) -> Array:
    # [[tp, fn], [fp, tn]] of labels that are there, that are predicted, and both.
    cells = np.stack([hits, actual - hits, called - hits, total - actual - called + hits], axis=-1)
    return cells.reshape(*cells.shape[:-1], 2, 2)


def distinct(table: Array) -> tuple[Array, Array]:
    """The distinct rows of a table, and how often each occurs."""
    whole = table.astype(np.int8)
    # The caller says which value is wrong.
    if not (whole == table).all():
        return table, np.ones(len(table), dtype=np.int64)
    if not len(table):
        return whole, np.zeros(0, dtype=np.int64)
    packed = np.ascontiguousarray(whole).view(np.dtype((np.void, whole.shape[1]))).reshape(-1)
    _, first, rows = np.unique(packed, return_index=True, return_counts=True)
    return whole[first], rows


def lacking(absent: int, rows: int) -> InputError:
    """What is said of rows that lack a value."""
    return missing_values("some labels are missing", absent, rows, "0 or 1 for every label")


def _numbers(table: Any, role: str) -> Array:
    # A table of 0 and 1 as floats, NaN where something is missing.
    what = f"{role} must be a table of 0 and 1"
    plain = table.toarray() if hasattr(table, "toarray") else table
    try:
        array = np.asarray(plain.to_numpy() if hasattr(plain, "to_numpy") else plain)
        if array.dtype.kind == "O":
            array = np.array([np.nan if is_missing(v) else v for v in array.flat]).reshape(array.shape)
        array = array.astype(np.float64)
    except (TypeError, ValueError) as error:
        raise InputError(what, found="values that are no numbers", allowed=_ALLOWED) from error
    if array.ndim != 2 or not array.shape[1]:
        raise InputError(what, found=f"shape {array.shape}", allowed=_ALLOWED)
    return array
