"""How many examples of each true class were predicted as each class?

A `Confusion` is counts of shape (..., C, C) with the labels that belong to them: rows are truth, columns are
predictions. Counts of examples stay integers; sums of weights are floats.
"""

from __future__ import annotations

import math
from collections.abc import Hashable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from steelyard.counts.labels import Label, encode, in_order, is_missing, meant
from steelyard.counts.libraries import is_frame, library_of, refuse_unaligned
from steelyard.counts.pairs import check_weights
from steelyard.counts.tabulation import refuse_too_many, tabulate
from steelyard.errors import InputError, UnknownNameError

Array = NDArray[Any]

ORIENTATION = "rows are truth, columns are predictions"


class Spoken(str):
    """Words of our own where a class name could stand, told from a class of that very name."""

    __slots__ = ()

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Spoken) and str.__eq__(self, other)

    def __ne__(self, other: object) -> bool:
        return not self == other

    def __hash__(self) -> int:
        return hash((Spoken, str(self)))


REST = Spoken("the other classes")


class PositiveChoice(NamedTuple):
    """Which class is called positive, where it stands, and why; `guessed` when no convention or caller
    decided it."""

    place: int
    label: Label
    reason: str
    guessed: bool


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
    listed: bool
    """Did the caller name the classes? Unnamed ones that hold nothing are left out of measures."""

    def __init__(
        self,
        counts: ArrayLike | Confusion,
        labels: Iterable[Label] | None = None,
        *,
        listed: bool | None = None,
        copy: bool = True,
    ) -> None:
        """Rows of `counts` are truth. A pandas table with names is aligned by them. Labels count as listed by
        the caller unless
        `listed` says that they were found in the data. Without a copy, the caller must not change an array
        that was given.
        """
        if isinstance(counts, Confusion):
            labels = counts.labels if labels is None and counts.listed else labels
            counts = counts.counts
        elif (named := _named_table(counts)) is not None:
            cells, rows, columns = named
            if (
                labels is None
            ):  # whoever made the table named its classes, in the order of its rows where that holds them all
                both = list(dict.fromkeys([*rows, *columns]))
                labels = both if set(columns) <= set(rows) else in_order(both)
            aligned = self.from_table(cells, rows, columns, labels)
            counts, labels = aligned.counts, aligned.labels
        array = _checked_counts(counts, copy)
        size = array.shape[-1]
        names = tuple(f"c{i + 1}" for i in range(size)) if labels is None else _checked_labels(labels)
        if len(names) != size:
            raise InputError(
                "the labels do not fit the matrix",
                found=f"{len(names)} labels for {size} classes",
                allowed="one label per class",
            )
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

        Without `labels` the classes are those that occur, in sorted order; with `labels` they are exactly
        those, in that order.
        """
        refuse_unaligned(y_true, y_pred, sample_weight)
        truth, predicted = encode(y_true, "y_true"), encode(y_pred, "y_pred")
        rows, columns = len(truth.codes), len(predicted.codes)
        if rows != columns:
            raise InputError(
                "y_true and y_pred differ in length",
                found=f"{rows} and {columns} rows",
                allowed="one prediction per truth",
            )
        if rows == 0:
            raise InputError("there is nothing to count", found="0 rows", allowed="at least one row")
        weights = None if sample_weight is None else check_weights(sample_weight, rows)
        if weights is not None and not weights.any():
            raise InputError(
                "there is nothing to count",
                found="weights that are all 0",
                allowed="at least one weight above 0",
            )
        table, row_labels, column_labels = tabulate(truth, predicted, weights)
        return cls.from_table(table, row_labels, column_labels, labels)

    @classmethod
    def from_table(
        cls,
        table: ArrayLike,
        row_labels: Sequence[Label],
        column_labels: Sequence[Label],
        labels: Iterable[Label] | None = None,
    ) -> Confusion:
        """Bring a table with its own row and column labels onto one common list of classes; rows of one label
        are added up."""
        counted = np.asarray(table)
        if counted.shape != (len(row_labels), len(column_labels)):
            raise InputError(
                "the labels do not fit the table",
                found=(
                    f"{len(row_labels)} row and {len(column_labels)} column labels for shape {counted.shape}"
                ),
                allowed="a label for each row and each column",
            )
        kept_rows = np.asarray(counted.any(axis=1))
        kept_columns = np.asarray(counted.any(axis=0))
        occurring = dict.fromkeys([r for r, k in zip(row_labels, kept_rows, strict=True) if k])
        if labels is None:
            predicted = dict.fromkeys([c for c, k in zip(column_labels, kept_columns, strict=True) if k])
            refuse_unlike_kinds(list(occurring), list(predicted))
            names = tuple(in_order(list(occurring | predicted)))
        else:
            names = _checked_labels(labels)
        refuse_too_many(len(names))
        place = {label: i for i, label in enumerate(names)}
        matrix = np.zeros((len(names), len(names)), dtype=counted.dtype)
        rows = [place.get(r, -1) for r in row_labels]
        columns = [place.get(c, -1) for c in column_labels]
        for kept, at, found, role in (
            (kept_rows, rows, row_labels, "truth"),
            (kept_columns, columns, column_labels, "prediction"),
        ):
            strange = [name for name, k, i in zip(found, kept, at, strict=True) if k and i < 0]
            if strange:
                raise UnknownNameError(
                    f"class in labels= for the {role}",
                    strange[0],
                    map(str, names),
                    do="list every class that occurs",
                )
        row_places = [i for i in range(len(rows)) if rows[i] >= 0]
        column_places = [j for j in range(len(columns)) if columns[j] >= 0]
        places = np.ix_([rows[i] for i in row_places], [columns[j] for j in column_places])
        np.add.at(matrix, places, counted[np.ix_(row_places, column_places)])
        return cls(matrix, names, listed=labels is not None)

    # -- what it holds

    @property
    def n_classes(self) -> int:
        return int(self.counts.shape[-1])

    @property
    def n_classes_held(self) -> int:
        """How many classes measures see: all that were named, otherwise those that hold anything in some
        matrix."""
        if self.listed:
            return self.n_classes
        held = (self.actual > 0) | (self.predicted > 0)
        return int(held.reshape(-1, self.n_classes).any(axis=0).sum())

    @property
    def batch_shape(self) -> tuple[int, ...]:
        return self.counts.shape[:-2]

    @property
    def actual(self) -> Array:
        """Examples of each class, shape (..., C)."""
        return np.asarray(self.counts.sum(axis=-1))

    @property
    def predicted(self) -> Array:
        """Predictions of each class, shape (..., C)."""
        return np.asarray(self.counts.sum(axis=-2))

    @property
    def hits(self) -> Array:
        """Examples of each class that were predicted right, shape (..., C)."""
        return np.diagonal(self.counts, axis1=-2, axis2=-1)

    @property
    def total(self) -> Array:
        """All examples, shape (...)."""
        return np.asarray(self.counts.sum(axis=(-2, -1)))

    def index(self, label: Label) -> int:
        """Where does this class stand?"""
        if label in self.labels:
            return self.labels.index(label)
        (own,) = meant([label], self.labels)  # "1" typed on a command line means the class 1
        if own is None:
            raise UnknownNameError("class", label, map(str, self.labels))
        return self.labels.index(own)

    def positive_class(self, positive: Label | None = None) -> PositiveChoice:
        """Which class is the positive one: the caller's, the conventional one, or the rarer one, and why?"""
        if positive is not None:
            place = self.index(positive)
            return PositiveChoice(place, self.labels[place], "as asked", False)
        if self.n_classes != 2:
            raise InputError(
                "a positive class must be named",
                found=f"{self.n_classes} classes",
                allowed=", ".join(map(str, self.labels)),
                do="say positive=...",
            )
        if not self.listed and self.labels == ("c1", "c2"):
            return PositiveChoice(
                0, self.labels[0], "a matrix without labels is read as [[TP, FN], [FP, TN]]", False
            )
        for i in (0, 1):
            if _is_conventional(self.labels[i], self.labels[1 - i]):
                return PositiveChoice(i, self.labels[i], "by convention", False)
        first, second = self.actual.reshape(-1, 2).sum(axis=0).tolist()
        if first == second:
            return PositiveChoice(1, self.labels[1], "neither class is rarer and it comes last", True)
        index = 0 if first < second else 1
        return PositiveChoice(index, self.labels[index], "it is the rarer class", True)

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
        else:  # a difference of floats would leave dust, even below 0, where nothing is left
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
            raise InputError(
                "these matrices cannot be merged",
                found=f"batches of shape {self.batch_shape} and {other.batch_shape}",
                allowed="equal shapes",
            )
        union = tuple(in_order(list(dict.fromkeys(self.labels + other.labels))))
        names = self.labels if set(self.labels) == set(other.labels) else union
        merged = _placed(self, names) + _placed(other, names)
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
        """Plain data, ready for JSON."""
        return {
            "labels": [plain_label(label) for label in self.labels],
            "orientation": ORIENTATION,
            "counts": self.counts.tolist(),
        }

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
        from xml.etree.ElementTree import Element, tostring

        shown = Element("pre")
        shown.text = repr(self)
        return tostring(shown, encoding="unicode")


def plain_label(label: Label) -> Any:
    """A label as JSON can hold it: numbers, booleans and text stay, NumPy scalars unwrap, all else becomes
    its text."""
    if isinstance(label, np.generic):
        label = label.item()
    if isinstance(label, float) and not math.isfinite(label):
        return str(label)  # JSON has no infinity
    return str(label) if isinstance(label, Spoken) or not isinstance(label, (str, int, float)) else label


def rest_of(label: Label) -> Spoken:
    """What all other classes together are called beside this one, in other words where it has that very name
    itself."""
    return REST if str(label) != str(REST) else Spoken("all the other classes")


def _rebuilt(counts: Array, labels: tuple[Label, ...], listed: bool) -> Confusion:
    """A Confusion read back from a pickle: checked and read-only like any other."""
    return Confusion(counts, labels, listed=listed)


def _named_table(counts: Any) -> tuple[Array, list[Label], list[Label]] | None:
    """The cells, row names and column names of a pandas table that has names; None for anything else."""
    if library_of(counts) != "pandas" or not is_frame(counts):
        return None
    rows, columns = counts.index.tolist(), counts.columns.tolist()
    if rows == list(range(len(rows))) and columns == list(range(len(columns))):
        return None  # pandas numbers what has no name
    cells = np.asarray(counts)
    if cells.dtype.kind == "f" and np.isnan(cells).any():
        raise InputError(
            "the table has empty cells",
            found="missing values",
            allowed="a count in every cell",
            do="fill them with 0",
        )
    if cells.dtype.kind == "O" and not all(isinstance(v, (int, float, np.number)) for v in cells.flat):
        raise InputError(
            "the matrix must hold numbers",
            found=f"values of type {cells.dtype}",
            allowed="counts or weights >= 0",
        )
    return cells, rows, columns


def _checked_counts(counts: Any, copy: bool) -> Array:
    if np.ma.is_masked(counts):
        raise InputError(
            "the matrix has masked cells",
            found=f"{int(np.ma.getmaskarray(counts).sum())} without a value",
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
        )
    if array.shape[-1] == 0:
        raise InputError("the matrix is empty", found="no classes", allowed="at least one class")
    if array.dtype.kind == "O" or (array.dtype.kind == "f" and array.size and array.max() >= 2.0**63):
        array = _whole_numbers(counts, array)
    if array.dtype.kind not in "iufb":
        raise InputError(
            "the matrix must hold numbers",
            found=f"values of type {array.dtype}",
            allowed="counts or weights >= 0",
        )
    if array.dtype.kind in "iub":
        if array.dtype == np.uint64 and array.size and array.max() > np.iinfo(np.int64).max:
            raise InputError(
                "a count is too large",
                found=f"{array.max()}",
                allowed="integer counts below 2^63",
                do="use float counts",
            )
        array = array.astype(np.int64, copy=False)
    else:
        array = array.astype(np.float64, copy=False)
        if not np.isfinite(array).all():
            raise InputError(
                "the matrix holds values that are not counts",
                found="NaN or infinity",
                allowed="finite numbers >= 0",
            )
    if array.size and array.min() < 0:
        raise InputError("the matrix holds a negative count", found=f"{array.min()}", allowed="numbers >= 0")
    if (
        array.dtype.kind == "i"
        and array.size
        and float(array.max()) * array.shape[-1] ** 2 >= 2.0**63
        and (array.sum(axis=(-2, -1), dtype=np.float64) >= 2.0**63).any()
    ):
        raise InputError(
            "the counts are too large together",
            found="a total of 2^63 or more",
            allowed="integer totals below 2^63",
            do="use float counts",
        )
    return array


def _whole_numbers(counts: Any, array: Array) -> Array:
    """Integers that NumPy keeps as objects, or would round because they are too large, stay integers or are
    refused."""
    items = np.array(counts, dtype=object)
    if not all(isinstance(v, (int, np.integer)) and not isinstance(v, bool) for v in items.flat):
        return array
    if any(abs(int(v)) >= 2**63 for v in items.flat):
        raise InputError(
            "a count is too large",
            found="a number of 2^63 or more",
            allowed="integer counts below 2^63",
            do="use float counts",
        )
    return items.astype(np.int64)


def _checked_labels(labels: Iterable[Label]) -> tuple[Label, ...]:
    if isinstance(labels, (str, bytes)):
        raise InputError(
            "labels must be a list of class names",
            found=repr(labels),
            allowed="one label per class, e.g. ['ham', 'spam']",
        )
    names = tuple(label.item() if isinstance(label, np.generic) else label for label in labels)
    if not names:
        raise InputError("the list of labels is empty", found="no labels", allowed="at least one class")
    if any(is_missing(label) for label in names):
        raise InputError(
            "a class has no name", found="a missing value among the labels", allowed="a label for every class"
        )
    seen: set[Label] = set()
    for label in names:
        if not isinstance(label, Hashable):
            raise InputError(
                "a class has a name that cannot be a label",
                found=repr(label),
                allowed="strings, numbers and other hashable values",
            )
        if label in seen:
            raise InputError("a class is named twice", found=repr(label), allowed="different labels")
        seen.add(label)
    return names


def refuse_unlike_kinds(truth: list[Label], predicted: list[Label]) -> None:
    """Numbers in one column and text in the other, with nothing in common, is a reading mistake: "0" is not
    0."""
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


def _is_conventional(label: Label, other: Label) -> bool:
    pair = (_folded(label), _folded(other))
    return pair in {("1", "0"), ("1", "-1"), ("true", "false")} or (
        pair[0] == "positive" and pair[1] != "positive"
    )


def _folded(label: Label) -> str:
    if isinstance(label, float) and label.is_integer():
        label = int(label)
    return str(label).strip().casefold()


def _placed(confusion: Confusion, names: tuple[Label, ...]) -> Array:
    place = {label: i for i, label in enumerate(names)}
    at = [place[label] for label in confusion.labels]
    wide = np.zeros((*confusion.batch_shape, len(names), len(names)), dtype=confusion.counts.dtype)
    wide[..., np.array(at)[:, None], np.array(at)[None, :]] = confusion.counts
    return wide
