"""From groups (truth, prediction, slice) with their sizes to confusion matrices, and what was seen on the
way."""

# Every engine that counts ends here, so that missing labels, weights and score columns taken for labels are
# treated alike.

from __future__ import annotations

import math
from collections.abc import Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from operator import itemgetter
from typing import Any, NamedTuple

import numpy as np

from steelyard.counts.checks import refuse_other_capitals, refuse_scores_for_labels
from steelyard.counts.confusion import Confusion
from steelyard.counts.encoding import encode, no_labels
from steelyard.counts.labels import Array, Label, in_order_of, is_missing, meant
from steelyard.errors import InputError, parameter
from steelyard.reading.table import unusable_weights

# Of a slice: the values of the columns that the rows are cut by.
Name = tuple[str, ...]

_CELLS_AT_ONCE = 1 << 20

# A column with a label of its own in more than this part of the rows holds scores or ids, not classes.
ALMOST_ALL_DIFFERENT = 0.5


# The slice of the rows that have no value in the column the test set is cut by.
MISSING_SLICE = "(missing)"


def slice_text(value: Any) -> str:
    """A slice's name."""
    # Rows without a value are a slice of their own, and a value that is written like it stands in quotes.
    if is_missing(value):
        return MISSING_SLICE
    name = str(value)
    return f"'{name}'" if name.strip("'") == MISSING_SLICE else name


class Group(NamedTuple):
    """Rows that share truth, prediction and slice: how many, their weight, how many weights are unusable, and
    the sum of their squares."""

    truth: Any
    prediction: Any
    slice: tuple[str, ...]
    rows: int
    weight: float
    bad_weights: int
    squares: float = 0.0


# Of hundreds of thousands of groups, columns are taken in C.
_TRUTH, _PREDICTION, _ROWS, _WEIGHT, _BAD = map(
    itemgetter, map(Group._fields.index, ("truth", "prediction", "rows", "weight", "bad_weights"))
)


@dataclass(frozen=True)
class ModelCounts:
    """What one model was counted to predict, and what was seen on the way."""

    matrix: Confusion
    slices: Mapping[tuple[str, ...], Confusion]
    slice_columns: tuple[str, ...]
    rows: int
    #: Rows left out because the truth or the prediction was missing.
    missing: int
    truth: str
    pred: str
    #: Columns that were not read.
    unused: tuple[str, ...]
    #: Numbers that were written in two ways: what was read as what.
    spelled: Mapping[Label, str] = field(default_factory=dict)
    #: Sums of squared weights beside the sums of weights: they say how many examples those are worth. None
    #: without weights, or where a square is too large or too small for a number.
    squares: Confusion | None = None
    slice_squares: Mapping[tuple[str, ...], Confusion] = field(default_factory=dict)
    #: How many rows have those weights; None where `squares` is.
    row_counts: Confusion | None = None
    slice_row_counts: Mapping[tuple[str, ...], Confusion] = field(default_factory=dict)

    @classmethod
    def of_matrix(cls, matrix: Confusion, **about: Any) -> ModelCounts:
        """A matrix alone: no slices, and no row that was left out; `about` are names and unused columns."""
        total = matrix.total.sum().item()
        rows = int(total) if math.isfinite(total) else 0  # whoever judges the matrix refuses it
        about = {"truth": "truth", "pred": "prediction", "unused": (), **about}
        return cls(matrix=matrix, slices={}, slice_columns=(), rows=rows, missing=0, **about)


class SliceMatrices(Mapping[Name, Confusion]):
    """The confusion matrix of each slice by the slice's name."""

    # All have the same classes. The cells that hold something are kept, in the order of the slices; matrices
    # are made of them when somebody asks.

    def __init__(
        self, names: Sequence[Name], labels: Sequence[Label], which: Array, cells: Array, amounts: Array
    ) -> None:
        """`amounts` stand in `cells` (true class * C + predicted class) of slice number `which`."""
        # Those of one cell are added up. Slices are put in the order of their names.
        self.labels = tuple(labels)
        order = sorted(range(len(names)), key=names.__getitem__)
        self.names = [names[k] for k in order]
        # One key for slice and cell, so that one sort adds up all cells of all slices.
        rank = np.empty(len(names), dtype=np.intp)
        rank[order] = np.arange(len(names))
        keys = rank[which] * (len(self.labels) ** 2) + cells
        unique_keys, inverse = np.unique(keys, return_inverse=True)
        sums = np.zeros(len(unique_keys), dtype=amounts.dtype)
        np.add.at(sums, inverse.reshape(-1), amounts)
        which, self._cells = np.divmod(unique_keys, len(self.labels) ** 2)
        self._amounts = sums
        self._starts = np.searchsorted(which, np.arange(len(names) + 1))
        self._which = which
        self._places: dict[Name, int] | None = None

    def __len__(self) -> int:
        return len(self.names)

    def __iter__(self) -> Iterator[Name]:
        return iter(self.names)

    def __getitem__(self, name: Name) -> Confusion:
        if self._places is None:
            self._places = {name: k for k, name in enumerate(self.names)}
        place = self._places[name]
        return Confusion(self.counts(place, place + 1)[0], self.labels, copy=False)

    def counts(self, start: int, stop: int) -> Array:
        """The matrices of some slices: shape (slices, C, C)."""
        size = len(self.labels)
        chosen = slice(self._starts[start], self._starts[stop])
        out = np.zeros((stop - start, size * size), dtype=self._amounts.dtype)
        out[self._which[chosen] - start, self._cells[chosen]] = self._amounts[chosen]
        return out.reshape(-1, size, size)

    def in_blocks(self) -> Iterator[tuple[list[Name], Confusion]]:
        """All slices, as many at a time as stay small: their names, and a batch of their matrices."""
        # Ten thousand slices of a hundred classes would be a batch of 800 MB.
        step = max(1, _CELLS_AT_ONCE // len(self.labels) ** 2)
        for start in range(0, len(self), step):
            stop = min(start + step, len(self))
            yield self.names[start:stop], Confusion(self.counts(start, stop), self.labels, copy=False)


def checked(
    groups: Iterable[Group],
    truth: str,
    pred: str,
    missing: str,
    first_missing: int | None,
    labels: Sequence[Label] | None = None,
) -> tuple[list[Group], int, int]:
    """The groups that have both labels, all rows and the rows left out; refuses what cannot be counted."""
    every = list(groups)
    rows = sum(map(_ROWS, every))
    if not rows:
        raise InputError(
            "there are no rows to count", found="a header without rows", allowed="at least one row"
        )
    labelled = complete(every)
    lost = rows - sum(map(_ROWS, labelled))
    if lost and missing != "drop":
        where = (
            f", the first in row {first_missing} (a header is not counted)"
            if first_missing is not None
            else ""
        )
        raise InputError(
            "labels are missing",
            found=f"{lost:,} of {rows:,} rows without {truth!r} or {pred!r}{where}",
            do=f"leave them out with {parameter('missing', 'drop')}",
        )
    if not labelled:
        raise InputError(
            "every row lacks a label",
            found=f"{lost:,} rows without {truth!r} or {pred!r}",
            allowed="rows with both",
        )
    for column, value in ((truth, labelled[0].truth), (pred, labelled[0].prediction)):
        if not isinstance(value, Hashable):
            raise no_labels(f"the column {column!r}", repr(value))
    truths, predictions = labels_in(labelled)
    for column, label_of in ((truth, _TRUTH), (pred, _PREDICTION)):
        # Of the groups: in a set of labels True and 1 are one.
        kinds = set(map(type, map(label_of, labelled)))
        if bool in kinds and kinds & {int, float}:
            raise InputError(
                f"the column {column!r} holds truth values and numbers",
                found="true beside 1, which are one label",
                allowed="one kind of labels",
            )
    bad = sum(map(_BAD, labelled))
    if bad:
        raise unusable_weights(f"{bad:,} weights that are missing, negative, infinite or no numbers")
    for column, values in ((truth, truths), (pred, predictions)):
        refuse_scores(column, values, rows - lost, labels)
    weighed = [group for group in labelled if group.weight]
    if len(weighed) < len(labelled):
        truths, predictions = labels_in(weighed)
    if not weighed:
        raise InputError(
            "every weight is 0",
            found=f"{rows - lost:,} rows without weight",
            allowed="at least one weight above 0",
        )
    refuse_strangers(truth, pred, truths, predictions)
    if labels is None:
        refuse_other_capitals(truths, predictions, (repr(truth), repr(pred)))
    return labelled, rows, lost


def labels_in(groups: Iterable[Group]) -> tuple[set[Any], set[Any]]:
    """The true and the predicted labels that occur."""
    listed = list(groups)
    return set(map(_TRUTH, listed)), set(map(_PREDICTION, listed))


def complete(groups: list[Group]) -> list[Group]:
    """The groups that have both labels. There are fewer labels than groups, so each is looked at once."""
    try:
        lacking = {label for labels in labels_in(groups) for label in labels if is_missing(label)}
    except TypeError:  # values that cannot be labels, which are refused later
        return [g for g in groups if not (is_missing(g.truth) or is_missing(g.prediction))]
    # Of a NaN, which is equal to none, the very object is among them.
    return (
        [g for g in groups if g.truth not in lacking and g.prediction not in lacking] if lacking else groups
    )


class Cells(NamedTuple):
    """What stands in the cells of slices, as arrays of one length: a slice may hold a cell several times."""

    names: Sequence[Name]
    #: The place of the slice among the names.
    which: Array
    #: The place of the true label among the classes; -1 for what is none of them, which has no weight.
    truth: Array
    predicted: Array
    rows: Array
    weight: Array | None = None
    #: Squared weights; NaN where one is too large or too small for a number.
    squares: Array | None = None


def model_counts(matrix: Confusion, cells: Cells | None, sliced: bool, **about: Any) -> ModelCounts:
    """The counts of a model whose matrix is this one: its slices and, with weights, squares and rows beside
    them; `about` are the other fields."""
    if cells is None:
        return ModelCounts(matrix=matrix, slices={}, **about)
    size = len(matrix.labels)
    counted = (cells.truth >= 0) & (cells.predicted >= 0)
    places, which = (cells.truth * size + cells.predicted)[counted], cells.which[counted]

    def slices(amounts: Array) -> SliceMatrices:
        return SliceMatrices(cells.names, matrix.labels, which, places, amounts[counted])

    def whole(amounts: Array) -> Array:
        return np.bincount(places, amounts[counted], size * size).reshape(size, size)

    amounts = cells.rows if cells.weight is None else cells.weight
    counts = ModelCounts(matrix=matrix, slices=slices(amounts) if sliced else {}, **about)
    if cells.squares is None or np.isnan(cells.squares).any():
        return counts
    behind = np.where(matrix.counts > 0, whole(cells.rows), 0).astype(np.int64)
    return replace(
        counts,
        squares=Confusion(whole(cells.squares), matrix.labels),
        slice_squares=slices(cells.squares) if sliced else {},
        row_counts=Confusion(behind, matrix.labels),
        slice_row_counts=slices(cells.rows) if sliced else {},
    )


def places_of(column: Any, name: str, labels: Sequence[Label]) -> Array:
    """Where the label of each row stands among the classes; -1 for a label that is none of them."""
    distinct, places = encode(column, name).distinct()
    place = {label: i for i, label in enumerate(labels)}
    return np.array([place.get(label, -1) for label in distinct], dtype=np.intp)[places]


def usable(squares: Array, weights: Array) -> Array:
    """Squared weights; NaN where one is too large or too small for a number."""
    return np.where(np.isfinite(squares) & ((squares > 0) == (weights > 0)), squares, np.nan)


def dense(
    groups: Sequence[Group],
    *,
    slice_columns: tuple[str, ...],
    weighted: bool,
    labels: Sequence[Label] | None,
    order: Sequence[Label] | None = None,
    **about: Any,
) -> ModelCounts:
    """One matrix of all groups and one of each slice."""
    # `order` is that of categories that have one, `about` the other fields of the counts.
    matrix = matrix_of(groups, weighted, labels, order)
    about["slice_columns"] = slice_columns
    if not slice_columns and not weighted:
        return model_counts(matrix, None, False, **about)
    truth, predicted = (
        places_of(list(map(label_of, groups)), "labels", matrix.labels) for label_of in (_TRUTH, _PREDICTION)
    )
    number: dict[Name, int] = {}
    which = np.array([number.setdefault(g.slice, len(number)) for g in groups], dtype=np.intp)
    rows = np.array([g.rows for g in groups], dtype=np.int64)
    weight = squares = None
    if weighted:
        weight, squares = np.array([(g.weight, g.squares) for g in groups], dtype=np.float64).T
        rows = np.where(weight > 0, rows, 0)  # those of weight 0 may be of a class that the matrix lacks
        squares = usable(squares, weight)
    cells = Cells(list(number), which, truth, predicted, rows, weight, squares)
    return model_counts(matrix, cells, bool(slice_columns), **about)


def matrix_of(
    groups: Sequence[Group],
    weighted: bool,
    labels: Sequence[Label] | None,
    order: Sequence[Label] | None = None,
) -> Confusion:
    """The confusion matrix of some groups."""
    # Its classes are `labels`, or those that occur: in this order if it names them all.
    (truths, rows), (predictions, columns) = (
        encode(list(map(label_of, groups)), "labels").distinct() for label_of in (_TRUTH, _PREDICTION)
    )
    kind = np.float64 if weighted else np.int64
    amounts = np.fromiter(map(_WEIGHT, groups), kind, len(groups))
    nonzero = amounts != 0
    matrix = Confusion.from_cells(
        (rows[nonzero], columns[nonzero]), amounts[nonzero], truths, predictions, labels
    )
    if labels is not None or order is None:
        return matrix
    return matrix.select(in_order_of(order, matrix.labels))


def as_in_data(labels: Iterable[Label], groups: Iterable[Group], as_text: bool) -> tuple[Label, ...]:
    """Labels typed as text mean the classes that are written so: "1" the class 1, as wherever a class is
    named. In a text file a class that does not occur is text like the others (`as_text`)."""
    wanted = tuple(labels)
    matches = meant(wanted, (label for group in groups for label in (group.truth, group.prediction)))
    named = set(wanted)  # "1" beside 1 is another class, and so is "1.0" beside "1"
    as_written = {match for label, match in zip(wanted, matches, strict=True) if str(match) == str(label)}

    def class_of(label: Label, match: Label | None) -> Label:
        alike = str(match) == str(label) or match not in as_written
        if match is not None and (match == label or (match not in named and alike)):
            return match
        return str(label) if as_text else label

    return tuple(map(class_of, wanted, matches))


def refuse_scores(
    column: str,
    values: set[Any],
    rows: int,
    labels: Sequence[Label] | None,
    most_classes: float = float("inf"),
) -> None:
    """Refuse a column that holds too many different values for classes, unless the caller named them."""
    # Fractions among many values, or nearly a value for every row, are no classes. Below fifty values a small
    # test set of many classes looks the same, and is believed.
    different = len(values)
    if labels is not None and different <= most_classes:
        return
    fractions = different > 50 and any(
        isinstance(value, float) and not value.is_integer() for value in values
    )
    if different > most_classes or fractions or (different > 50 and different > ALMOST_ALL_DIFFERENT * rows):
        example = next(iter(values))
        raise InputError(
            f"the column {column!r} does not look like labels",
            found=f"{different:,} different values in {rows:,} rows, such as {example!r}",
            allowed="class labels" + (f", at most {most_classes:,}" if most_classes < float("inf") else ""),
            do="check that it is not a column of scores or ids",
        )


def refuse_strangers(truth: str, pred: str, truths: set[Any], predictions: set[Any]) -> None:
    """Columns without a label in common were not meant for each other."""
    refuse_scores_for_labels(list(truths), list(predictions), f"the column {pred!r}")
    if not truths & predictions and not (len(truths) == 1 and len(predictions) == 1):
        shown = [", ".join(repr(v) for v in sorted(values, key=str)[:3]) for values in (truths, predictions)]
        raise InputError(
            "truth and prediction have no label in common",
            found=f"{shown[0]}, ... in {truth!r} and {shown[1]}, ... in {pred!r}",
            allowed="the same labels in both columns",
            do=f"{pred!r} looks like scores: name it with {parameter('score', '...')}, and say a threshold"
            if _all_fractions(predictions)
            else "check that the right columns were taken",
        )


def _all_fractions(values: set[Any]) -> bool:
    """Are these numbers from 0 to 1 of which most are neither, though text in a file?"""
    try:
        numbers = [float(value) for value in values]
    except (TypeError, ValueError):
        return False
    between = sum(1 for number in numbers if 0 < number < 1)
    return all(0 <= number <= 1 for number in numbers) and 2 * between > len(numbers)
