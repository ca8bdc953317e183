"""Validation of counts, weights and labels of a confusion matrix."""

# What is masked, ragged, negative, infinite or too large for its type is refused here, so that nothing
# behind this door has to ask.

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Hashable, Iterable, Sequence
from typing import Any

import numpy as np

from steelyard.counts.labels import Array, Label, is_missing
from steelyard.counts.libraries import is_frame, library_of, mask_of
from steelyard.errors import InputError, UnknownNameError, parameter

# A dense matrix of more classes than this would not fit into memory.
MOST_CLASSES = 10_000


# What the sums of a table are called.
SUMS = ("all", "total", "sum")


def named_table(
    counts: Any, labels: Iterable[Label] | None = None
) -> tuple[Array, list[Label], list[Label]] | None:
    """The cells, row names and column names of a pandas table that has names; None for anything else."""
    # Classes that are named by `labels` are believed.
    if library_of(counts) != "pandas" or not is_frame(counts):
        return None
    rows, columns = counts.index.tolist(), counts.columns.tolist()
    # pandas numbers what has no name.
    if rows == list(range(len(rows))) and columns == list(range(len(columns))):
        return None
    for twice in (name for names in (rows, columns) for name, times in Counter(names).items() if times > 1):
        raise InputError("a class is named twice", found=repr(twice), allowed="different labels")
    known = {label for label in (() if labels is None else labels) if isinstance(label, Hashable)}
    if rows and columns and not (set(rows) & set(columns) or known) and max(len(rows), len(columns)) > 1:
        raise InputError(
            "the rows and columns of the table have no class in common",
            found=f"{rows[0]!r}, ... and {columns[0]!r}, ...",
            allowed="rows and columns that are named for the classes",
            do="name its index like its columns",
        )
    cells = np.asarray(counts)
    if cells.dtype.kind == "f" and np.isnan(cells).any():
        raise InputError(
            "the table has empty cells",
            found="missing values",
            allowed="a count in every cell",
            do="fill them with 0",
        )
    if cells.dtype.kind == "O" and not all(isinstance(v, (int, float, np.number)) for v in cells.flat):
        raise _no_numbers(cells)
    sums = _named_for_sums(cells, rows, columns) - known
    if sums:
        raise InputError(
            "the last row or column of the table holds sums, not a class",
            found=repr(sums.pop()),
            allowed="a row and a column for each class",
            do="leave them out: margins=False",
        )
    return cells, rows, columns


def _no_numbers(array: Array) -> InputError:
    allowed = "counts or weights >= 0"
    return InputError("the matrix must hold numbers", found=f"values of type {array.dtype}", allowed=allowed)


def _too_large(what: str, value: str, allowed: str = "integer counts below 2^63") -> InputError:
    return InputError(what, found=value, allowed=allowed, do="use float counts")


def _named_for_sums(cells: Array, rows: list[Label], columns: list[Label]) -> set[Label]:
    # The name of a last row and column that hold sums, by name and numbers.
    # Or of one that the other side lacks (shares of rows or of columns are written so).
    last = {name for name in (*rows[-1:], *columns[-1:]) if str(name).casefold() in SUMS}
    if rows[-1:] != columns[-1:]:
        return {name for name in last if name not in rows or name not in columns}
    whole = np.asarray(cells, dtype=np.float64)
    inner = whole[:-1, :-1]
    sums = np.concatenate([inner.sum(axis=0), inner.sum(axis=1), [inner.sum()]])
    written = np.concatenate([whole[-1, :-1], whole[:-1, -1], [whole[-1, -1]]])
    return last if inner.any() and np.allclose(written, sums, rtol=1e-9, atol=0) else set()


def checked_counts(counts: Any, copy: bool) -> Array:
    if (mask := mask_of(counts)) is not None:
        raise InputError(
            "the matrix has masked cells",
            found=f"{int(mask.sum())} without a value",
            allowed="a count in every cell",
            do="fill them, with 0 if nothing was counted there",
        )
    try:
        array = np.array(counts) if copy else np.asarray(counts).view()
    except ValueError as error:
        raise InputError(
            "the matrix is ragged", found="rows of different lengths", allowed="C rows of C counts"
        ) from error
    if array.ndim < 2 or array.shape[-1] != array.shape[-2]:
        raise InputError(
            "the matrix is not square",
            found=f"shape {array.shape}",
            allowed="(..., C, C), truth in rows and predictions in columns",
            do="count columns of labels first: sy.Confusion.from_labels(y_true, y_pred)"
            if array.ndim == 1 and array.size
            else "",
        )
    if array.shape[-1] == 0:
        raise InputError("the matrix is empty", found="no classes", allowed="at least one class")
    if array.dtype.kind == "O" or (array.dtype.kind == "f" and array.size and array.max() >= 2.0**63):
        array = _whole_numbers(counts, array)
    if array.dtype.kind not in "iufb":
        raise _no_numbers(array)
    if array.dtype.kind in "iub":
        if array.dtype == np.uint64 and array.size and array.max() > np.iinfo(np.int64).max:
            raise _too_large("a count is too large", f"{array.max()}")
        array = array.astype(np.int64, copy=False)
    else:
        array = array.astype(np.float64, copy=False)
        # NaN comes through both, so that no third pass over the cells is needed
        if array.size and not np.isfinite([array.min(), array.max()]).all():
            raise InputError(
                "the matrix holds values that are not counts",
                found="NaN or infinity",
                allowed="finite numbers >= 0",
            )
    if array.size and array.min() < 0:
        raise InputError("the matrix holds a negative count", found=f"{array.min()}", allowed="numbers >= 0")
    if array.dtype.kind == "i" and array.size and float(array.max()) * array.shape[-1] ** 2 >= 2.0**63:
        # int64 wraps without a word: 2^63 - 1 in two cells would be a total of -2. The upper and lower 32
        # bits of the counts are added separately, so that no sum runs over and none is rounded.
        upper, lower = (array >> 32).sum(axis=(-2, -1)), (array & 0xFFFFFFFF).sum(axis=(-2, -1))
        if ((upper + (lower >> 32)) >= 1 << 31).any():
            allowed = "integer totals below 2^63"
            raise _too_large("the counts are too large together", "a total of 2^63 or more", allowed)
    return array


def _whole_numbers(counts: Any, array: Array) -> Array:
    # Integers that NumPy keeps as objects, or would round, as int64.
    # Too large ones are refused.
    items = np.array(counts, dtype=object)
    if not all(isinstance(v, (int, np.integer)) and not isinstance(v, bool) for v in items.flat):
        return array
    if any(abs(int(v)) >= 2**63 for v in items.flat):
        raise _too_large("a count is too large", "a number of 2^63 or more")
    return items.astype(np.int64)


def checked_labels(labels: Iterable[Label]) -> tuple[Label, ...]:
    if isinstance(labels, (str, bytes)):
        allowed = "one label per class, e.g. ['ham', 'spam']"
        raise InputError("labels must be a list of class names", found=repr(labels), allowed=allowed)
    names = tuple(label.item() if isinstance(label, np.generic) else label for label in labels)
    if not names:
        raise InputError("the list of labels is empty", found="no labels", allowed="at least one class")
    if any(is_missing(label) for label in names):
        raise InputError(
            "a class has no name", found="a missing value among the labels", allowed="a label for every class"
        )
    for label in (label for label in names if not isinstance(label, Hashable)):
        what, allowed = (
            "a class has a name that cannot be a label",
            "strings, numbers and other hashable values",
        )
        raise InputError(what, found=repr(label), allowed=allowed)
    for label in (label for label, times in Counter(names).items() if times > 1):
        raise InputError("a class is named twice", found=repr(label), allowed="different labels")
    return names


def refuse_unlike_kinds(truth: list[Label], predicted: list[Label]) -> None:
    """Refuse numbers in one column and text in the other with nothing in common."""
    # It is a reading mistake: "0" is not 0.
    refuse_scores_for_labels(truth, predicted)
    kinds = [{isinstance(label, str) for label in labels} for labels in (truth, predicted)]
    if kinds[0] != kinds[1] and len(kinds[0]) == len(kinds[1]) == 1 and not set(truth) & set(predicted):
        raise InputError(
            "truth and prediction have no label in common and are of different types",
            found=(
                f"{truth[0]!r} ({type(truth[0]).__name__}) in y_true and {predicted[0]!r}"
                f" ({type(predicted[0]).__name__}) in y_pred"
            ),
            allowed="labels of one type",
            do="convert one of the columns",
        )
    refuse_other_capitals(truth, predicted)


def refuse_other_capitals(
    truth: Iterable[Label], predicted: Iterable[Label], where: tuple[str, str] = ("y_true", "y_pred")
) -> None:
    """Refuse a class that truth and predictions write in different ways."""
    # It would become two classes, of which one is never predicted and the other never true.
    truths, predictions = set(truth), set(predicted)
    alone = {" ".join(t.split()).casefold(): t for t in truths - predictions if isinstance(t, str)}
    for label in sorted(label for label in predictions - truths if isinstance(label, str)):
        if (other := alone.get(" ".join(label.split()).casefold())) is not None:
            raise InputError(
                "truth and prediction write a class in different ways (capitals or blanks)",
                found=f"{other!r} in {where[0]} and {label!r} in {where[1]}",
                do="write it in one way; if they are two classes, list them all with "
                + parameter("labels", "..."),
            )


def refuse_scores_for_labels(
    truth: Sequence[Label], predicted: Sequence[Label], where: str = "y_pred"
) -> None:
    """Fractions as predictions of what is none: those are scores, even where a 0.0 or a 1.0 is among them."""
    whole = not any(isinstance(label, float) and not label.is_integer() for label in truth)
    fractions = [label for label in predicted if isinstance(label, float) and not label.is_integer()]
    if truth and whole and fractions:
        raise InputError(
            f"{where} holds scores, not labels",
            found=f"{fractions[0]!r}, where the truth is {truth[0]!r}, ...",
            allowed="a label of the truth in every row",
            do=f"pass them as {parameter('score', '...')}, or apply a threshold first",
        )


def refuse_unlisted(occurring: Iterable[Label], listed: Collection[Label], where: str = "") -> None:
    """Refuse a class that occurs and is not among those that the caller listed."""
    for label in occurring:
        if label not in listed:
            kind = f"class in {parameter('labels')}{where}"
            raise UnknownNameError(kind, label, map(str, listed), do="list every class that occurs")


def refuse_too_many(classes: int) -> None:
    if classes > MOST_CLASSES:
        raise InputError(
            "too many different labels for a confusion matrix",
            found=f"{classes:,} classes",
            allowed=f"at most {MOST_CLASSES:,}",
            do="check that a column of scores or ids was not taken for labels; sy.count(...).classes() has"
            " the sums of any number of classes",
        )
