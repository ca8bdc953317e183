"""Validation of score columns: type, missing values, and whether probabilities are probabilities."""

# Any column of numbers a user holds becomes a NumPy array, a table of scores becomes one array per class;
# missing scores are settled as the caller asked, and probabilities are checked to be probabilities.

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any, Literal, get_args

import numpy as np

from steelyard.counts.checks import refuse_unlisted
from steelyard.counts.encoding import Encoded, encode
from steelyard.counts.labels import DROPPED, Array, Label, in_order, meant, rest_of
from steelyard.counts.libraries import column_names, is_frame, library_of, mask_of, own_names
from steelyard.counts.ties import Ties
from steelyard.errors import InputError, UnknownNameError, parameter

Missing = Literal["error", "drop", "lowest"]

# What to do about rows without a score.
LACKING = f"{DROPPED}, or count them as the lowest score with {parameter('missing', 'lowest')}"

# How far the probabilities of a row may be from adding up to 1: files keep few digits, float32 keeps seven.
ROW_SUM_TOLERANCE = 1e-3


def score_table(score: Any) -> tuple[Sequence[Label] | None, list[Array]]:
    """The score columns, and the class each is named for (None where they carry no names)."""
    if isinstance(score, Mapping):
        return list(score), [numbers(column, f"the score of {name!r}") for name, column in score.items()]
    if is_frame(score):
        # Refuses a frame in which two columns have one name.
        column_names(score)
        names = own_names(score)
        return names, [numbers(score[name], f"the score of {name!r}") for name in names]
    array = numbers(score, "the score", most_dimensions=2)
    if array.ndim == 1 or array.shape[1] == 1:
        return None, [array.reshape(-1)]
    return None, list(array.T)


def numbers(column: Any, role: str, most_dimensions: int = 1) -> Array:
    """A column of numbers as an array that keeps its precision: float32 stays float32."""
    try:
        if (mask := mask_of(column)) is not None:
            # What is masked is missing; of whole numbers each is looked at, since doubles leave some out.
            data = np.asarray(column)
            column = np.where(mask, np.nan, data.astype(object if data.dtype.kind in "iu" else np.float64))
        array = np.asarray(_through_to_numpy(column) if hasattr(column, "to_numpy") else column)
        if array.dtype.kind == "O":
            array = _as_doubles(array, role)
    except InputError:
        raise
    except (TypeError, ValueError) as error:
        raise _no_numbers(role, _text_in(column), type(column).__name__) from error
    except OverflowError as error:
        raise InputError(
            f"{role} holds a number that is too large",
            found="one above 1.8e+308",
            allowed="numbers that are doubles",
            do="give their ranks instead",
        ) from error
    if array.dtype.kind not in "iufb":
        first = str(array.flat[0]) if array.size else None
        raise _no_numbers(role, first, f"values of type {array.dtype}")
    if not 1 <= array.ndim <= most_dimensions:
        allowed = "one column" if most_dimensions == 1 else "one column, or a table of one column per class"
        raise InputError(f"{role} has the wrong shape", found=f"shape {array.shape}", allowed=allowed)
    if array.dtype.kind == "b":
        return array.view(np.uint8)
    return array.astype(np.float32) if array.dtype == np.float16 else array


def _no_numbers(role: str, example: str | None, kind: str) -> InputError:
    return InputError(
        f"{role} is not a column of numbers",
        found=kind if example is None else f"values such as {example!r}",
        allowed="one number per row",
        do=number_advice(example),
    )


def _as_doubles(whole: Array, role: str) -> Array:
    # Numbers of any kind as doubles, unless two that differ would become one.
    doubles = whole.astype(np.float64)
    present = ~np.isnan(doubles)
    if len(set(whole[present].tolist())) > len(np.unique(doubles[present])):
        met: dict[float, Any] = {}
        for number, double in zip(whole[present].tolist(), doubles[present].tolist(), strict=True):
            # Two scores that become one tie examples that were ranked: the area would change without a word.
            if met.setdefault(double, number) != number:
                raise InputError(
                    f"{role} holds different numbers that would become one",
                    found=f"{met[double]} and {number}",
                    allowed="numbers that differ as doubles",
                    do="give their ranks instead",
                )
    return doubles


def _text_in(column: Any) -> str | None:
    if not isinstance(column, Iterable) or isinstance(column, (str, bytes)):
        return None
    return next((value for value in column if isinstance(value, str)), None)


_DECIMAL_COMMA = re.compile(r"[-+]?\d{1,3}(\.\d{3})*,\d+|[-+]?\d+,\d+")


def number_advice(example: Any) -> str:
    """What to do about "12%" or "0,12" in a column of numbers; nothing where neither stands there."""
    text = example.strip() if isinstance(example, str) else ""
    if text.endswith("%"):
        return "write 12% as 0.12"
    if _DECIMAL_COMMA.fullmatch(text):
        point = text.replace(".", "").replace(",", ".")
        return (
            f"{text!r} has a decimal comma: write {point}, or read the file with pandas.read_csv(decimal=',')"
        )
    return ""


def _through_to_numpy(column: Any) -> Any:
    library = library_of(column)
    if library == "pandas":
        if isinstance(column.dtype, np.dtype):
            return column.to_numpy()
        # An integer column with gaps becomes one of doubles in every library; the numbers themselves do not.
        kind = getattr(column.dtype, "kind", "O")
        if kind in "iu" and not column.isna().any():
            return column.to_numpy(dtype=np.int64 if kind == "i" else np.uint64)
        return column.to_numpy(dtype=object if kind in "iu" else np.float64, na_value=np.nan)
    if library == "pyarrow":
        whole = column.combine_chunks() if hasattr(column, "combine_chunks") else column
        if "int" in str(whole.type) and whole.null_count:
            return np.array(whole.to_pylist(), dtype=object)
        return whole.to_numpy(zero_copy_only=False)
    kind = str(column.dtype)
    # NumPy has no integers of 128 bits and no decimals.
    strange = "128" in kind or kind.startswith("Decimal") or ("Int" in kind and column.null_count())
    return np.array(column.to_list(), dtype=object) if library == "polars" and strange else column.to_numpy()


@contextmanager
def advising(do: str) -> Iterator[None]:
    """Rows without a score are refused with advice that this caller can follow."""
    try:
        yield
    except InputError as error:
        if error.do != LACKING:
            raise
        raise InputError(error.what, found=error.found, allowed=error.allowed, do=do) from None


def checked_missing(missing: str) -> None:
    if missing not in get_args(Missing):
        raise UnknownNameError("way to treat missing scores", missing, get_args(Missing))


def with_missing_settled(table: Sequence[Array], missing: Missing) -> tuple[Array | None, list[Array]]:
    """Which rows are kept (None: all), and the columns with missing scores settled."""
    # Rows that have no score (NaN) are refused, left out or put lowest.
    checked_missing(missing)
    gaps = [nan for column in table if column.dtype.kind == "f" and (nan := np.isnan(column)).any()]
    if not gaps:
        return None, list(table)
    absent = np.logical_or.reduce(gaps)
    if missing == "lowest":
        columns = (np.where(np.isnan(c), -np.inf, c) if c.dtype.kind == "f" else c for c in table)
        return None, list(columns)
    if missing == "drop":
        return ~absent, [column[~absent] for column in table]
    raise InputError(
        "some scores are missing",
        found=(
            f"NaN in {int(absent.sum()):,} of {len(absent):,} rows, the first at row {int(np.argmax(absent))}"
            " (counted from 0)"
        ),
        allowed="a number in every row",
        do=LACKING,
    )


def checked_probabilities(table: Sequence[Array]) -> None:
    """Are these probabilities: in 0..1, and of all classes together 1?"""
    for column in table:
        outside = (column < 0) | (column > 1)
        if outside.any():
            worst = int(np.argmax(np.where(outside, np.abs(column - 0.5), 0)))
            raise InputError(
                "probabilities were asked for",
                found=(
                    f"{int(outside.sum()):,} scores outside 0..1, the farthest {column[worst]:g} at row"
                    f" {worst} (counted from 0)"
                ),
                allowed="numbers from 0 to 1",
                do="give probabilities, or do without what needs them",
            )
    if len(table) > 1:
        sums = np.sum([column.astype(np.float64, copy=False) for column in table], axis=0)
        off = np.abs(sums - 1)
        worst = int(np.argmax(off))
        if off[worst] > ROW_SUM_TOLERANCE:
            raise InputError(
                "the probabilities of a row must add up to 1",
                found=(
                    f"{int((off > ROW_SUM_TOLERANCE).sum()):,} rows that do not, the worst row {worst}"
                    f" (counted from 0) with a sum of {sums[worst]:g}"
                ),
                allowed="a sum of 1 in every row",
                do="normalise the scores, or do without what needs probabilities",
            )


def bin_starts(bins: int | Sequence[float], table: Sequence[Array]) -> Array:
    """The lowest score of each bin; a bin below all others reaches down, and the last one up, without end."""
    # A score s is in the last bin that starts at or below it, so "s is at least the start of bin k" stays
    # exactly decidable: every curve is exact at the bins' starts.
    if isinstance(bins, (int, np.integer)) and not isinstance(bins, bool):
        if bins < 1:
            raise InputError("there must be bins", found=f"{bins}", allowed="1 or more")
        for column in table:
            if len(column) and (column.min() < 0 or column.max() > 1):
                raise InputError(
                    "a number of bins divides 0..1",
                    found=f"scores from {column.min():g} to {column.max():g}",
                    do="give the edges of the bins, e.g. bins=np.linspace(low, high, 1001)",
                )
        edges = np.arange(int(bins) + 1) / int(bins)
    else:
        edges = np.asarray(bins, dtype=np.float64)
    if edges.ndim != 1 or len(edges) < 2 or not np.isfinite(edges).all() or not (np.diff(edges) > 0).all():
        raise InputError(
            "the edges of the bins are not usable",
            found=f"{len(edges.reshape(-1))} edges",
            allowed="two or more finite, rising numbers",
        )
    return np.concatenate([[-np.inf], edges[:-1]])


def binned(column: Array, weights: Array | None, starts: Array) -> Ties:
    """The scores counted by bin; each bin is named by where it starts."""
    # The comparison of doubles itself, not floor(score * bins), which rounds 0.29 * 100 to 28.99...
    place = np.searchsorted(starts, column, side="right") - 1
    counts = np.bincount(place, weights=weights, minlength=len(starts))
    occupied = np.flatnonzero(counts)
    return Ties(
        starts[occupied], counts[occupied] if weights is not None else counts[occupied].astype(np.int64)
    )


# -- classes of scored rows, matched with the score columns


def rows_of_positive(y_true: Any, positive: Label) -> Array:
    """Which rows are of this class?"""
    truth = encode(y_true, "y_true")
    return np.isin(truth.codes, [code for label, code in codes_of_labels(truth).items() if label == positive])


def codes_of_labels(truth: Encoded) -> dict[Label, Any]:
    """The labels that occur and their codes, in order."""
    codes, labels = truth.numbered()
    present = np.flatnonzero(np.bincount(codes)).tolist()
    code_of = {labels[code]: labels[code] if truth.labels is None else code for code in present}
    return {label: code_of[label] for label in in_order(list(code_of))}


def two_sides(
    occurring: list[Label], positive: Label | None, labels: Iterable[Label] | None
) -> tuple[dict[Label, list[Label]], Label | None]:
    """The two classes, the labels each stands for, and the positive one if the caller named it."""
    names = occurring
    if labels is not None:
        names = list(labels)
        refuse_unlisted(occurring, names, " for the truth")
    named = None
    if positive is not None:
        (named,) = meant([positive], names)
        if named is None:
            if len(names) > 1:
                raise UnknownNameError("class", positive, map(str, names))
            named, names = positive, in_order([*names, positive])
    if len(names) > 2 and named is None:
        raise InputError(
            "one column of scores is for two classes",
            found=f"{len(names)} classes: {', '.join(map(str, names[:6]))}",
            do=f"say which one it scores with {parameter('positive', '...')}, or give a column for each"
            " class",
        )
    if len(names) == 1 and named is None:
        raise InputError(
            "only one class occurs, so it is not known whose scores these are",
            found=f"{names[0]!r} in every row",
            do=f"say {parameter('positive', '...')}",
        )
    if named is not None and len(names) != 2:
        return {named: [named], rest_of(named): [label for label in names if label != named]}, named
    return {label: [label] for label in names}, named


def classes_of_table(
    names: Sequence[Label] | None, columns: int, occurring: list[Label], labels: Iterable[Label] | None
) -> list[Label]:
    """The classes, in order, of a table of scores."""
    if labels is not None:
        classes = list(labels)
    elif names is not None:
        # the truth says what a class is called (1), a column of a data frame only how it is written ("1")
        known = zip(names, meant(names, occurring), strict=True)
        classes = in_order([name if label is None else label for name, label in known])
    else:
        classes = occurring
        # NumPy and scikit-learn sort text by letters ("10" before "2"), a reader sorts numbers by value
        if all(isinstance(label, str) for label in classes) and classes != sorted(map(str, classes)):
            raise InputError(
                "the order of the score columns is not clear",
                found=f"classes that are numbers written as text: {', '.join(map(str, classes[:6]))}",
                do=f"name the classes in the order of the columns with {parameter('labels', '...')}",
            )
    if len(classes) != columns:
        raise InputError(
            "the score columns do not fit the classes",
            found=f"{columns} columns for {len(classes)} classes ({', '.join(map(str, classes[:6]))})",
            allowed="one score column per class",
            do=f"name the classes in the order of the columns with {parameter('labels', '...')}",
        )
    strange = [label for label in occurring if label not in classes]
    if strange:
        raise UnknownNameError(
            "score column for class", strange[0], map(str, classes), do="give a score column for every class"
        )
    return classes


def column_of(names: Iterable[Label], label: Label) -> Label:
    (name,) = meant([label], names)
    if name is None:
        raise UnknownNameError("score column for class", label, map(str, names))
    return name


def own_places(classes_of_rows: Array, table: Sequence[Array], weights: Array | None) -> Array:
    """(C, C): examples (or weight) of class i whose own score is the k-th greatest of their row."""
    # `classes_of_rows` is the column of each row's class.
    mine = np.empty(len(classes_of_rows))
    for place, column in enumerate(table):
        rows = classes_of_rows == place
        mine[rows] = column[rows]
    greater, equal = (np.zeros(len(classes_of_rows), dtype=np.int64) for _ in range(2))
    for column in table:
        greater += column > mine
        equal += column == mine
    return spread_over_ties(classes_of_rows, greater, equal, weights, len(table))


def spread_over_ties(
    true_class: Array, greater: Array, equal: Array, amounts: Array | None, classes: int
) -> Array:
    """The same from how many scores of a row exceed or equal its own (itself among them)."""
    key = (true_class * classes + greater) * (classes + 1) + equal
    tied_rows = np.bincount(key, weights=amounts, minlength=classes * classes * (classes + 1))
    tied_rows = tied_rows.reshape(classes, classes, classes + 1)
    places = np.zeros((classes, classes))
    for ahead in range(classes):
        for tied in range(1, classes - ahead + 1):
            # Ties share the places they take up: the expectation over a random order, as for the area.
            places[:, ahead : ahead + tied] += tied_rows[:, ahead, tied, None] / tied
    return places
