"""Confusion matrices: examples of each true class by predicted class, alone or in batches."""

# A `Confusion` is counts of shape (..., C, C) with the labels that belong to them: rows are truth, columns
# are predictions. Counts of examples stay integers; sums of weights are floats.

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from steelyard.counts import checks
from steelyard.counts.encoding import encode, order_of_categories
from steelyard.counts.labels import (
    Array,
    Label,
    PositiveChoice,
    in_order,
    in_order_of,
    meant,
    plain_label,
    rest_of,
)
from steelyard.counts.libraries import refuse_unaligned
from steelyard.counts.pairs import check_weights, counted_cells
from steelyard.errors import InputError, UnknownNameError, parameter

# From this many classes on, sums over the cells of one matrix are kept.
LARGE = 512

# Of more classes than this, plain data holds the cells that hold something: 25 million numbers, nearly all
# of them 0, are read by nobody.
MOST_ROWS_WRITTEN = 1_000

ORIENTATION = "rows are truth, columns are predictions"


# -- the cells that hold something of a matrix of thousands of classes
#
# Of the 25 million cells of 5,000 classes a million rows fill two hundred thousand at most. Whoever needs the
# others no more than as nothing asks here, and is done in a hundredth of the time.


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


@dataclass(frozen=True, init=False, eq=False, repr=False)
class Confusion:
    """Counts of (true class, predicted class), one matrix or a batch of them, with labels.

    >>> import steelyard as sy
    >>> cm = sy.Confusion([[90, 10], [30, 870]], labels=["fraud", "ok"])
    >>> cm
    Confusion of 2 classes (rows are truth, columns are predictions)
           fraud   ok
    fraud     90   10
       ok     30  870
    >>> sy.Confusion.from_labels(["a", "b", "b"], ["a", "b", "a"]).counts.tolist()
    [[1, 0], [1, 1]]
    """

    counts: Array
    labels: tuple[Label, ...]
    #: Did the caller name the classes? Unnamed ones that hold nothing are left out of measures.
    listed: bool

    def __init__(
        self,
        counts: ArrayLike | Confusion,
        labels: Iterable[Label] | None = None,
        *,
        listed: bool | None = None,
        copy: bool = True,
    ) -> None:
        """Rows of `counts` are truth. A pandas table with names is aligned by them. Labels count as listed by
        the caller unless `listed` says that they were found in the data. Without a copy, the caller must not
        change an array that was given.
        """
        if isinstance(counts, Confusion):
            if labels is None:
                labels, listed = counts.labels, counts.listed if listed is None else listed
            counts = counts.counts
        labels = list(labels) if isinstance(labels, Iterator) else labels
        if not isinstance(counts, np.ndarray) and (named := checks.named_table(counts, labels)) is not None:
            cells, rows, columns = named
            # Whoever made the table named its classes, in the order of its rows where that holds them all.
            if labels is None:
                both = list(dict.fromkeys([*rows, *columns]))
                labels = both if set(columns) <= set(rows) else in_order(both)
            aligned = self.from_table(cells, rows, columns, labels)
            counts, labels = aligned.counts, aligned.labels
        array = checks.checked_counts(counts, copy)
        size = array.shape[-1]
        names = tuple(f"c{i + 1}" for i in range(size)) if labels is None else checks.checked_labels(labels)
        if len(names) != size:
            numbers = f"{len(names)} labels for {size} classes"
            raise InputError("the labels do not fit the matrix", found=numbers, allowed="one label per class")
        # Sums of large matrices are kept, and results share matrices: a change would go unnoticed by both.
        array.flags.writeable = False
        object.__setattr__(self, "counts", array)
        object.__setattr__(self, "labels", names)
        object.__setattr__(self, "listed", labels is not None if listed is None else listed)

    def __reduce__(self) -> tuple[Any, ...]:
        return _rebuilt, (self.counts, self.labels, self.listed)

    @classmethod
    def from_labels(
        cls, y_true: Any, y_pred: Any, labels: Iterable[Label] | None = None, sample_weight: Any = None
    ) -> Confusion:
        """Count a column of true labels against a column of predicted ones.

        Without `labels` the classes are those that occur, in sorted order or, of ordered categories, in
        theirs; with `labels` they are exactly those, in that order.
        """
        refuse_unaligned(y_true, y_pred, sample_weight)
        truth, predicted = encode(y_true, "y_true"), encode(y_pred, "y_pred")
        rows, columns = len(truth.codes), len(predicted.codes)
        if rows != columns:
            what, lengths = "y_true and y_pred differ in length", f"{rows} and {columns} rows"
            raise InputError(what, found=lengths, allowed="one prediction per truth")
        if rows == 0:
            raise InputError("there is nothing to count", found="0 rows", allowed="at least one row")
        weights = None if sample_weight is None else check_weights(sample_weight, rows)
        if weights is not None and not weights.any():
            allowed = "at least one weight above 0"
            raise InputError("there is nothing to count", found="weights that are all 0", allowed=allowed)
        order = order_of_categories(y_true, y_pred) if labels is None else None
        matrix = cls.from_cells(*counted_cells(truth, predicted, weights), labels)
        return matrix if order is None else matrix.select(in_order_of(order, matrix.labels))

    @classmethod
    def from_table(
        cls,
        table: ArrayLike,
        row_labels: Sequence[Label],
        column_labels: Sequence[Label],
        labels: Iterable[Label] | None = None,
    ) -> Confusion:
        """Bring a table with its own row and column labels onto one common list of classes."""
        # Rows of one label are added up.
        counted = np.asarray(table)
        if counted.shape != (len(row_labels), len(column_labels)):
            raise InputError(
                "the labels do not fit the table",
                found=(
                    f"{len(row_labels)} row and {len(column_labels)} column labels for shape {counted.shape}"
                ),
                allowed="a label for each row and each column",
            )
        # Of thousands of classes nearly every cell is empty.
        rows, columns = np.nonzero(counted)
        return cls.from_cells((rows, columns), counted[rows, columns], row_labels, column_labels, labels)

    @classmethod
    def from_cells(
        cls,
        cells: tuple[Array, Array],
        amounts: Array,
        row_labels: Sequence[Label],
        column_labels: Sequence[Label],
        labels: Iterable[Label] | None,
    ) -> Confusion:
        """The same of those cells of such a table that hold something, by row and column."""
        # A cell that is given twice holds both.
        with np.errstate(over="ignore"):
            if amounts.dtype.kind == "f" and np.isposinf(amounts.sum()):
                raise InputError(
                    "the weights are too large together",
                    found=f"a sum above {np.finfo(np.float64).max:.1e}",
                    do="divide them all by the largest",
                )
        truth, predicted = (
            dict.fromkeys(side[k] for k in np.flatnonzero(np.bincount(at, minlength=len(side))).tolist())
            for at, side in zip(cells, (row_labels, column_labels), strict=True)
        )
        if labels is None:
            checks.refuse_unlike_kinds(list(truth), list(predicted))
            names = tuple(in_order(list(truth | predicted)))
        else:
            names = checks.checked_labels(labels)
        checks.refuse_too_many(len(names))
        place = {label: i for i, label in enumerate(names)}
        # Filled, and not asked for as zeros: for those NumPy does not ask the kernel for large pages.
        matrix = np.full((len(names), len(names)), 0, dtype=amounts.dtype)
        checks.refuse_unlisted(truth, place, " for the truth")
        checks.refuse_unlisted(predicted, place, " for the prediction")
        at_rows, at_columns = (
            np.array([place.get(name, -1) for name in side], dtype=np.intp)
            for side in (row_labels, column_labels)
        )
        places = at_rows[cells[0]] * len(names) + at_columns[cells[1]]
        np.add.at(matrix.reshape(-1), places, amounts)
        return cls(matrix, names, listed=labels is not None, copy=False)

    # -- what it holds

    @property
    def n_classes(self) -> int:
        return int(self.counts.shape[-1])

    @property
    def n_classes_held(self) -> int:
        """How many classes measures see: those named, otherwise those that hold anything."""
        if self.listed:
            return self.n_classes
        occurs = (self.actual > 0) | (self.predicted > 0)
        return int(occurs.reshape(-1, self.n_classes).any(axis=0).sum())

    @property
    def batch_shape(self) -> tuple[int, ...]:
        return self.counts.shape[:-2]

    @property
    def actual(self) -> Array:
        """Examples of each class, shape (..., C)."""
        return self._sums(-1)

    @property
    def predicted(self) -> Array:
        """Predictions of each class, shape (..., C)."""
        return self._sums(-2)

    @property
    def hits(self) -> Array:
        """Examples of each class that were predicted right, shape (..., C)."""
        return np.diagonal(self.counts, axis1=-2, axis2=-1)

    @property
    def total(self) -> Array:
        """All examples, shape (...)."""
        return self._sums((-2, -1))

    def _sums(self, axis: int | tuple[int, int]) -> Array:
        if axis in self._cached_sums:
            return self._cached_sums[axis]
        # Infinite where they are more than a float holds; measures scale the weights before they add.
        with np.errstate(over="ignore"):
            sums = np.asarray(self.counts.sum(axis=axis))
        # Of a large matrix they are kept: they are asked for again and again.
        if self.is_large:
            sums.flags.writeable = False
            self._cached_sums[axis] = sums
        return sums

    @cached_property
    def _cached_sums(self) -> dict[Any, Array]:
        return {}

    @property
    def is_large(self) -> bool:
        """Is this one matrix of so many classes that going through its cells takes time?"""
        return not self.batch_shape and self.n_classes >= LARGE

    @cached_property
    def held(self) -> SparseCells:
        """The cells of one matrix that hold anything."""
        flat = self.counts.reshape(-1)
        occupied = np.flatnonzero(flat)
        return SparseCells(Places(self.n_classes, *np.divmod(occupied, self.n_classes)), flat[occupied])

    def index(self, label: Label) -> int:
        """Where does this class stand?"""
        if label in self.labels:
            return self.labels.index(label)
        # "1" typed on a command line means the class 1.
        (known,) = meant([label], self.labels)
        if known is None:
            raise UnknownNameError("class", label, map(str, self.labels))
        return self.labels.index(known)

    def positive_class(self, positive: Label | None = None) -> PositiveChoice:
        """Which class is the positive one: the caller's, the conventional one, or the rarer one, and why?"""
        if positive is not None:
            place = self.index(positive)
            return PositiveChoice(place, self.labels[place], "as given", False)
        if self.n_classes != 2:
            raise InputError(
                "a positive class must be named",
                found=f"{self.n_classes} classes",
                allowed=", ".join(map(str, self.labels)),
                do=f"say {parameter('positive', '...')}",
            )
        if not self.listed and self.labels == ("c1", "c2"):
            return PositiveChoice(
                0, self.labels[0], "a matrix without labels is read as [[TP, FN], [FP, TN]]", False
            )
        return PositiveChoice.of_two(self.labels, self.actual.reshape(-1, 2).sum(axis=0).tolist())

    # -- what can be made of it

    def select(self, labels: Sequence[Label]) -> Confusion:
        """The same counts over these classes, in this order; counts of other classes are not kept."""
        order = [self.index(label) for label in labels]
        counts = self.counts[..., order, :][..., :, order]
        return Confusion(counts, [self.labels[i] for i in order], listed=self.listed)

    def one_vs_rest(self, label: Label) -> Confusion:
        """One class against all others together: a two-class matrix with `label` first."""
        i = self.index(label)
        counts = self.counts
        tp = counts[..., i, i]
        if counts.dtype.kind == "i":
            fn, fp = self.actual[..., i] - tp, self.predicted[..., i] - tp
            tn = self.total - tp - fn - fp
        else:
            # A difference of floats would leave dust, even below 0, where nothing is left. Sums of what is
            # there cost more than a difference, and are exactly 0 where nothing is.
            others = np.arange(self.n_classes) != i
            fn, fp = counts[..., i, others].sum(axis=-1), counts[..., others, i].sum(axis=-1)
            tn = counts[..., others, :][..., others].sum(axis=(-2, -1))
        cells = np.stack([tp, fn, fp, tn], axis=-1)
        return Confusion(cells.reshape(*self.batch_shape, 2, 2), [self.labels[i], rest_of(self.labels[i])])

    def __add__(self, other: Confusion) -> Confusion:
        """The counts of both, with classes matched by label."""
        if not isinstance(other, Confusion):
            return NotImplemented
        if self.batch_shape != other.batch_shape:
            shapes = f"batches of shape {self.batch_shape} and {other.batch_shape}"
            raise InputError("these matrices cannot be merged", found=shapes, allowed="equal shapes")
        union = tuple(in_order(list(dict.fromkeys(self.labels + other.labels))))
        names = self.labels if set(self.labels) == set(other.labels) else union
        merged = placed(self, names) + placed(other, names)
        if merged.dtype.kind == "i" and (merged < 0).any():
            raise InputError(
                "the merged counts are too large",
                found="a count beyond 2^63",
                allowed="counts below 2^63",
                do="use float counts",
            )
        return Confusion(merged, names, listed=self.listed or other.listed)

    def __eq__(self, other: object) -> bool:
        return (
            isinstance(other, Confusion)
            and self.labels == other.labels
            and np.array_equal(self.counts, other.counts)
        )

    __hash__ = None  # type: ignore[assignment]

    def to_dict(self) -> dict[str, Any]:
        """Plain data, ready for JSON: the rows of counts, or of more than a thousand classes the cells that
        hold something, each as its row, its column and its count."""
        record = {"labels": [plain_label(label) for label in self.labels], "orientation": ORIENTATION}
        if self.batch_shape or self.n_classes <= MOST_ROWS_WRITTEN:
            return {**record, "counts": self.counts.tolist()}
        places, values = self.held.places, self.held.values
        cells = zip(places.rows.tolist(), places.columns.tolist(), values.tolist(), strict=True)
        return {**record, "counts": None, "cells": [list(cell) for cell in cells]}

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> Confusion:
        """The matrix that `to_dict` made this of.

        >>> import steelyard as sy
        >>> kept = sy.Confusion([[90, 10], [30, 870]], labels=["fraud", "ok"]).to_dict()
        >>> sy.Confusion.from_dict(kept).labels
        ('fraud', 'ok')
        """
        if data.get("cells") is None:
            return cls(data["counts"], data["labels"])
        labels = list(data["labels"])
        try:
            cells = np.array(data["cells"]).reshape(-1, 3)
            rows, columns = cells[:, :2].astype(np.intp).T
            return cls.from_cells((rows, columns), cells[:, 2], labels, labels, labels)
        except (ValueError, IndexError, TypeError) as error:
            raise InputError(
                "the cells do not make a matrix",
                found=str(error),
                allowed="[row, column, count] of each cell that holds something",
            ) from error

    # -- how it is shown

    def __repr__(self) -> str:
        head = f"Confusion of {self.n_classes} classes ({ORIENTATION})"
        if self.batch_shape:
            return f"{head}, batch of shape {self.batch_shape}, labels {list(self.labels)!r}"
        if self.n_classes > 20:
            return f"{head}, {self.total.item():,} examples"
        cells = [[str(label) for label in ("", *self.labels)]]
        cells += [
            [str(label), *(f"{v:,.6g}" if self.counts.dtype.kind == "f" else f"{v:,}" for v in row)]
            for label, row in zip(self.labels, self.counts.tolist(), strict=True)
        ]
        widths = [max(len(row[j]) for row in cells) for j in range(len(cells[0]))]
        return "\n".join(
            [head, *("  ".join(cell.rjust(w) for cell, w in zip(row, widths, strict=True)) for row in cells)]
        )

    def _repr_html_(self) -> str:
        from html import escape

        return f"<pre>{escape(repr(self), quote=False)}</pre>"


def _rebuilt(counts: Array, labels: tuple[Label, ...], listed: bool) -> Confusion:
    # A Confusion read back from a pickle: checked and read-only like any other.
    return Confusion(counts, labels, listed=listed)


def placed(confusion: Confusion, names: Sequence[Label]) -> Array:
    """The counts of a matrix on these classes, which hold its own."""
    place = {label: i for i, label in enumerate(names)}
    at = [place[label] for label in confusion.labels]
    wide = np.zeros((*confusion.batch_shape, len(names), len(names)), dtype=confusion.counts.dtype)
    wide[..., np.array(at)[:, None], np.array(at)[None, :]] = confusion.counts
    return wide


def refuse_batch(matrices: Confusion, what: str) -> None:
    """Refuse a batch where one matrix is meant."""
    if matrices.batch_shape:
        raise InputError(what, found=f"a batch of shape {matrices.batch_shape}", allowed="one matrix")
