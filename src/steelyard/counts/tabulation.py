"""Cross-tabulation of two coded columns, with the labels of rows and columns."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from steelyard.counts.checks import refuse_too_many
from steelyard.counts.encoding import Encoded
from steelyard.counts.labels import Label
from steelyard.counts.pairs import WIDEST_SPAN, count_pairs, span

Array = NDArray[Any]

_SAMPLE = slice(0, 65_536)
# Where a table has more than this many cells a row of data, the pairs that occur are found by sorting.
_CELLS_A_ROW = 4


def tabulate(
    truth: Encoded, predicted: Encoded, weights: Array | None
) -> tuple[Array, Sequence[Label], Sequence[Label]]:
    """Count the pairs of codes, then say which label each row and column of the table stands for."""
    # The first rows nearly always show every label, which saves a pass over the columns; the count itself
    # finds out if not.
    low, high = _reach(truth, predicted, _SAMPLE)
    table = count_pairs(truth.codes, predicted.codes, low, high, weights) if _is_narrow(low, high) else None
    if table is None:
        low, high = _reach(truth, predicted, slice(None))
        if not _is_narrow(low, high):
            truth, predicted = _numbered(truth), _numbered(predicted)
            low, high = _reach(truth, predicted, slice(None))
        table = count_pairs(truth.codes, predicted.codes, low, high, weights)
    assert table is not None
    rows = _labels_of(truth, low, high)
    columns = _labels_of(predicted, low, high)
    return table[_part(truth, low)][:, _part(predicted, low)], rows, columns


def numbered_if_wide(truth: Encoded, predicted: Encoded) -> tuple[Encoded, Encoded, bool]:
    """Both columns, numbered where their codes lie far apart; and would a table of them have many more cells
    than there are rows?"""
    if _is_narrow(*_reach(truth, predicted, _SAMPLE)):
        return truth, predicted, False
    truth, predicted = _numbered(truth), _numbered(predicted)
    cells = len(truth.labels or ()) * len(predicted.labels or ())
    return truth, predicted, cells > max(_CELLS_A_ROW * len(truth.codes), WIDEST_SPAN**2)


def cells_that_occur(
    truth: Encoded, predicted: Encoded, weights: Array | None
) -> tuple[tuple[Array, Array], Array, Sequence[Label], Sequence[Label]]:
    """The cells that hold something by row and column, what they hold, and the labels of rows and columns."""
    assert truth.labels is not None
    assert predicted.labels is not None
    width = len(predicted.labels)
    codes = truth.codes.astype(np.int64) * width + predicted.codes
    if weights is None:
        cells, amounts = np.unique(codes, return_counts=True)
    else:
        cells, inverse = np.unique(codes, return_inverse=True)
        amounts = np.bincount(inverse.reshape(-1), weights, len(cells))
        cells, amounts = cells[amounts != 0], amounts[amounts != 0]
    rows, columns = np.divmod(cells, width)
    return (rows, columns), amounts, truth.labels, predicted.labels


def _reach(truth: Encoded, predicted: Encoded, sample: slice) -> tuple[int, int]:
    """The least and greatest code to make room for."""
    reaches = [
        span(column.codes[sample]) if column.labels is None else (0, len(column.labels) - 1)
        for column in (truth, predicted)
    ]
    return min(low for low, _ in reaches), max(high for _, high in reaches)


def _is_narrow(low: int, high: int) -> bool:
    return high - low < WIDEST_SPAN and low > -(2**31) and high < 2**31


def _numbered(column: Encoded) -> Encoded:
    """Integers that lie far apart are numbered 0, 1, 2, ... first, so that the table of pairs stays small."""
    if column.labels is None:
        values, codes = np.unique(column.codes, return_inverse=True)
        column = Encoded(codes, tuple(values.tolist()))
    assert column.labels is not None
    refuse_too_many(len(column.labels))
    return column


def _labels_of(column: Encoded, low: int, high: int) -> Sequence[Label]:
    return range(low, high + 1) if column.labels is None else column.labels


def _part(column: Encoded, low: int) -> slice:
    """Which rows (or columns) of a table that starts at code `low` belong to this column's labels?"""
    return slice(None) if column.labels is None else slice(-low, len(column.labels) - low)
