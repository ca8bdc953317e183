"""Cross-tabulation of two coded columns: a two-dimensional histogram of true and predicted labels."""

# One pass over two integer columns. The trick that halves the cost for few classes: two rows are folded
# into one code, so `bincount`, which is bound by one dependent memory access per code, runs over half as
# many codes.

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from steelyard.counts import compiled as _fast
from steelyard.counts.checks import refuse_too_many
from steelyard.counts.encoding import WIDEST_SPAN, Encoded
from steelyard.counts.labels import Array, Label
from steelyard.counts.libraries import mask_of
from steelyard.errors import InputError

_CHUNK = 1 << 17
# Where the table has more cells than a chunk has rows, rows are counted in longer chunks: adding a table
# for each would take longer than the rows.
_LONGEST_CHUNK = 1 << 22
# Two rows are folded into one code up to this many cells, so that the folded table (cells squared) stays in
# cache.
_FOLD_CELLS = 256
_SAMPLE = slice(0, 65_536)
# Where a table has more than this many cells a row of data, the pairs that occur are found by sorting.
_CELLS_A_ROW = 4


def span(*columns: Array) -> tuple[int, int]:
    """The least and the greatest code in the columns."""
    return min(int(c.min()) for c in columns), max(int(c.max()) for c in columns)


def count_pairs(
    rows: Array, columns: Array, low: int, high: int, weights: Array | None = None
) -> Array | None:
    """The table of pairs of codes in low..high, or None if some code lies outside."""
    # Without weights the counts are int64 and exact; with weights they are float64 sums.
    size = high - low + 1
    if weights is not None:
        least, greatest = span(rows, columns)
        if least < low or high < greatest:
            return None
        codes = (rows.astype(np.int64) - low) * size + (columns.astype(np.int64) - low)
        return np.bincount(codes, weights=weights, minlength=size * size).reshape(size, size)
    if len(rows) >= _fast.WORTH_COMPILING and _fast.installed():
        return _fast.count_pairs(rows, columns, low, high)
    return _count_folded(rows, columns, low, high)


def _count_folded(rows: Array, columns: Array, low: int, high: int) -> Array | None:
    size = high - low + 1
    cells = size * size
    fold = cells <= _FOLD_CELLS
    table: Array | None = None
    folded = np.zeros(cells * cells if fold else 0, dtype=np.int64)
    step = _CHUNK if cells <= _CHUNK else min(cells, _LONGEST_CHUNK)
    buffer = np.empty(min(step, len(rows)), dtype=np.int64)
    half = _CHUNK // 2
    for start in range(0, len(rows), step):
        a, b = rows[start : start + step], columns[start : start + step]
        least, greatest = span(a, b)
        if least < low or high < greatest:
            return None
        codes = buffer[: len(a)]
        np.multiply(a, size, out=codes, casting="unsafe", dtype=np.int64)
        np.add(codes, b, out=codes, casting="unsafe")
        if low:
            codes -= low * (size + 1)
        if fold and len(codes) == _CHUNK:
            first, second = codes[:half], codes[half:]
            # (a, b) of two rows as one number below cells^2: half as many dependent additions.
            first *= cells
            first += second
            folded += np.bincount(first, minlength=cells * cells)
        else:
            counts = np.bincount(codes, minlength=cells)
            table = counts if table is None else np.add(table, counts, out=table)
    if table is None:
        table = np.zeros(cells, dtype=np.int64)
    if fold:
        both = folded.reshape(cells, cells)
        table += both.sum(axis=0) + both.sum(axis=1)
    return table.reshape(size, size)


def check_weights(weights: Any, length: int) -> Array:
    """One finite, non-negative weight per row, as float64."""
    if (mask := mask_of(weights)) is not None:
        raise InputError(
            "the weights have masked values",
            found=f"{int(mask.sum())} rows without a weight",
            allowed="one finite number >= 0 per row",
            do="fill them, with 0 to leave these rows out",
        )
    try:
        array = np.asarray(weights, dtype=np.float64)
        if array.ndim == 1 and np.asarray(weights[:1]).dtype.kind in "mM":
            raise TypeError("years since 1970 are no weight")
    except (TypeError, ValueError, OverflowError) as error:
        raise InputError(
            "the weights must be numbers",
            found=f"{type(weights).__name__} with other values",
            allowed="one finite number >= 0 per row",
        ) from error
    if array.shape != (length,):
        raise InputError(
            "the weights do not match the labels",
            found=f"shape {array.shape} for {length} rows",
            allowed="one weight per row",
        )
    bad = ~(np.isfinite(array) & (array >= 0))
    if bad.any():
        first = int(np.argmax(bad))
        raise InputError(
            "the weights must be finite and not negative",
            found=f"{int(bad.sum())} bad weights, the first at row {first}: {array[first]}",
            allowed="numbers >= 0",
        )
    return array


# -- columns of labels


def counted_cells(
    truth: Encoded, predicted: Encoded, weights: Array | None
) -> tuple[tuple[Array, Array], Array, Sequence[Label], Sequence[Label]]:
    """The cells that hold something by row and column, what they hold, and the labels of rows and columns."""
    # The first rows nearly always show every label, which saves a pass over the columns; the count itself
    # finds out if not.
    for sample in (_SAMPLE, slice(None)):
        low, high = _reach(truth, predicted, sample)
        narrow = high - low < WIDEST_SPAN and low > -(2**31) and high < 2**31
        table = count_pairs(truth.codes, predicted.codes, low, high, weights) if narrow else None
        if table is not None:
            break
    else:
        truth, predicted = _numbered(truth), _numbered(predicted)
        assert truth.labels is not None
        assert predicted.labels is not None
        width = len(predicted.labels)
        # Where a table would have many more cells than there are rows, the pairs that occur are sorted.
        if len(truth.labels) * width > max(_CELLS_A_ROW * len(truth.codes), WIDEST_SPAN**2):
            codes = truth.codes.astype(np.int64) * width + predicted.codes
            cells, which = np.unique(codes, return_inverse=True)
            amounts = np.bincount(which.reshape(-1), weights, len(cells))
            occupied = amounts != 0
            return np.divmod(cells[occupied], width), amounts[occupied], truth.labels, predicted.labels
        low, high = _reach(truth, predicted, slice(None))
        table = count_pairs(truth.codes, predicted.codes, low, high, weights)
    assert table is not None
    (rows, row_labels), (columns, column_labels) = (
        # Which rows (or columns) of a table that starts at code `low` belong to this column's labels?
        (slice(None), range(low, high + 1))
        if column.labels is None
        else (slice(-low, len(column.labels) - low), column.labels)
        for column in (truth, predicted)
    )
    table = table[rows][:, columns]
    at_rows, at_columns = np.nonzero(table)
    return (at_rows, at_columns), table[at_rows, at_columns], row_labels, column_labels


def _reach(truth: Encoded, predicted: Encoded, sample: slice) -> tuple[int, int]:
    # The least and greatest code to make room for.
    reaches = [
        span(column.codes[sample]) if column.labels is None else (0, len(column.labels) - 1)
        for column in (truth, predicted)
    ]
    return min(low for low, _ in reaches), max(high for _, high in reaches)


def _numbered(column: Encoded) -> Encoded:
    # Integers that lie far apart are numbered 0, 1, 2, ... first, so that the table of pairs stays small.
    codes, labels = column.numbered()
    refuse_too_many(len(labels))
    return Encoded(codes, tuple(labels))
