"""Validation of score columns: type, missing values, and whether probabilities are probabilities."""

# Any column of numbers a user holds becomes a NumPy array, a table of scores becomes one array per class;
# missing scores are settled as the caller asked, and probabilities are checked to be probabilities.

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any, Literal, get_args

import numpy as np

from steelyard.counts.labels import Array, Label
from steelyard.counts.libraries import column_names, is_frame, library_of, mask_of, own_names
from steelyard.counts.ties import Ties
from steelyard.errors import InputError, UnknownNameError, parameter

Missing = Literal["error", "drop", "lowest"]

# What to do about rows without a score.
LACKING = (
    f"leave those rows out with {parameter('missing', 'drop')}, or count them as the lowest score with"
    f" {parameter('missing', 'lowest')}"
)
# The same where no score is taken for the lowest one.
DROPPED = LACKING.partition(",")[0]

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
            # What is masked is missing.
            data = np.asarray(column)
            column = np.where(mask, np.nan, data.astype(object if _beyond_doubles(data) else np.float64))
        array = np.asarray(_through_to_numpy(column) if hasattr(column, "to_numpy") else column)
        if array.dtype.kind == "O":
            array = _as_doubles(array, role)
    except InputError:
        raise
    except (TypeError, ValueError) as error:
        raise InputError(
            f"{role} is not a column of numbers",
            found=type(column).__name__ if (text := _text_in(column)) is None else f"values such as {text!r}",
            allowed="one number per row",
            do=number_advice(text),
        ) from error
    except OverflowError as error:
        raise InputError(
            f"{role} holds a number that is too large",
            found="one above 1.8e+308",
            allowed="numbers that are doubles",
            do="give their ranks instead",
        ) from error
    if array.dtype.kind not in "iufb":
        first = array.flat[0] if array.size else ""
        raise InputError(
            f"{role} must be numbers",
            found=f"values such as {str(first)!r}" if array.size else f"values of type {array.dtype}",
            allowed="one number per row",
            do=number_advice(first),
        )
    if not 1 <= array.ndim <= most_dimensions:
        allowed = "one column" if most_dimensions == 1 else "one column, or a table of one column per class"
        raise InputError(f"{role} has the wrong shape", found=f"shape {array.shape}", allowed=allowed)
    if array.dtype.kind == "b":
        return array.view(np.uint8)
    return array.astype(np.float32) if array.dtype == np.float16 else array


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


def _beyond_doubles(column: Array) -> bool:
    # Are there whole numbers so large that doubles leave some of their kind out?
    whole = column.dtype.kind in "iu" and column.size
    return bool(whole and max(-int(column.min()), int(column.max())) > 2**53)


def _through_to_numpy(column: Any) -> Any:
    library = library_of(column)
    if library == "pandas":
        if isinstance(column.dtype, np.dtype):
            return column.to_numpy()
        # An integer column with gaps becomes one of doubles in every library; the numbers themselves do not.
        kind = getattr(column.dtype, "kind", "O")
        if kind in "iu" and not column.isna().any():
            return column.to_numpy(dtype=np.int64 if kind == "i" else np.uint64)
        large = kind in "iu" and _beyond_doubles(column.dropna().to_numpy(dtype=f"{kind}8"))
        return column.to_numpy(dtype=object if large else np.float64, na_value=np.nan)
    if library == "pyarrow":
        whole = column.combine_chunks() if hasattr(column, "combine_chunks") else column
        gaps = "int" in str(whole.type) and whole.null_count
        if gaps and _beyond_doubles(whole.drop_null().to_numpy(zero_copy_only=False)):
            return np.array(whole.to_pylist(), dtype=object)
        return whole.to_numpy(zero_copy_only=False)
    kind = str(column.dtype)
    # NumPy has no integers of 128 bits and no decimals.
    if library == "polars" and ("128" in kind or kind.startswith("Decimal")):
        return np.array(column.to_list(), dtype=object)
    gaps = library == "polars" and "Int" in kind and column.null_count()
    if gaps and _beyond_doubles(column.drop_nulls().to_numpy()):
        return np.array(column.to_list(), dtype=object)
    return column.to_numpy()


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
