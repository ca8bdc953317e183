"""Which table of counts do two coded columns make, and which label does each of its rows and columns stand
for?"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from steelyard.counts.labels import Encoded, Label
from steelyard.counts.pairs import WIDEST_SPAN, count_pairs, span
from steelyard.errors import InputError

Array = NDArray[Any]

MOST_CLASSES = 10_000
"""A dense matrix of more classes than this would not fit into memory."""


def tabulate(
    truth: Encoded, predicted: Encoded, weights: Array | None
) -> tuple[Array, Sequence[Label], Sequence[Label]]:
    """Count the pairs of codes, then say which label each row and column of the table stands for."""
    # The first rows nearly always show every label, which saves a pass over the columns; the count itself
    # finds out if not.
    low, high = _reach(truth, predicted, slice(0, 65_536))
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
        column = Encoded(codes.reshape(-1), tuple(values.tolist()))
    assert column.labels is not None
    refuse_too_many(len(column.labels))
    return column


def _labels_of(column: Encoded, low: int, high: int) -> Sequence[Label]:
    return range(low, high + 1) if column.labels is None else column.labels


def _part(column: Encoded, low: int) -> slice:
    """Which rows (or columns) of a table that starts at code `low` belong to this column's labels?"""
    return slice(None) if column.labels is None else slice(-low, len(column.labels) - low)


def refuse_too_many(classes: int) -> None:
    if classes > MOST_CLASSES:
        raise InputError(
            "too many different labels for a confusion matrix",
            found=f"{classes:,} classes",
            allowed=f"at most {MOST_CLASSES:,}",
            do="check that a column of scores or ids was not taken for labels",
        )
