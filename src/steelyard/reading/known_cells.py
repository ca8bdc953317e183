"""Which cell of a table does each row of a batch fall into, if all its labels are known already?

A batch is looked up as a whole, both columns in one go: of a thousand rows the calls cost as much as the
rows, of a hundred much more.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from steelyard.counts.labels import Label
from steelyard.counts.pairs import WIDEST_SPAN
from steelyard.reading.text_places import TextPlaces

Array = NDArray[Any]


def holds_integers(column: Any) -> bool:
    """Is this a column of integers that 64 signed bits hold, a label in every row?"""
    if not isinstance(column, np.ndarray) or column.ndim != 1 or isinstance(column, np.ma.MaskedArray):
        return False
    dtype: np.dtype[Any] = column.dtype
    return bool(dtype.kind == "i" or (dtype.kind == "u" and dtype.itemsize < 8))


class KnownCells:
    """Finds the cells of a table that grows."""

    def __init__(self, place: dict[Label, int]) -> None:
        self._place = place
        self._text = TextPlaces(place)
        self._kinds_of = 0
        self._kind: type | None = None
        self._integers: _IntegerPlaces | None = None

    def of(self, y_true: Any, y_pred: Any) -> Array | None:
        """The cells, counted row by row of the table; None if a label of either column is not known, or they
        are not of one kind: all integers or all text."""
        if self._kinds_of != len(self._place):
            self._kinds_of, self._kind = len(self._place), _one_kind(self._place)
            self._integers = _IntegerPlaces.of(self._place) if self._kind is int else None
        if self._kind is str:
            places = self._text.of_both(y_true, y_pred)
        elif self._integers is not None:
            places = self._integers.of_both(y_true, y_pred)
        else:
            return None
        if places is None:
            return None
        rows = len(places) // 2
        cells = places[:rows]
        cells *= len(self._place)
        cells += places[rows:]
        return cells


class _IntegerPlaces:
    """Finds the places of integers that lie near each other."""

    def __init__(self, low: int, places: Array) -> None:
        self._low, self._span = low, len(places)
        in_order = np.array_equal(places, np.arange(len(places)))
        self._places = None if in_order else places

    @classmethod
    def of(cls, place: dict[Any, int]) -> _IntegerPlaces | None:
        """None where the labels lie too far apart."""
        low, high = min(place), max(place)
        if high - low >= WIDEST_SPAN or low < -(2**62) or high > 2**62:
            return None
        places = np.full(high - low + 1, -1, dtype=np.intp)
        places[np.array(list(place)) - low] = list(place.values())
        return cls(low, places)

    def of_both(self, y_true: Any, y_pred: Any) -> Array | None:
        """The places of both columns, one after the other; None where an integer is no label."""
        if not (holds_integers(y_true) and holds_integers(y_pred)):
            return None
        rows = len(y_true)
        if not rows or rows != len(y_pred):
            return None
        places = np.empty(2 * rows, dtype=np.intp)
        np.subtract(y_true, self._low, out=places[:rows], dtype=np.intp)
        np.subtract(y_pred, self._low, out=places[rows:], dtype=np.intp)
        # Below the least label is far above the greatest without a sign: one look tells both.
        unsigned = places.view(np.uintp)
        if unsigned[unsigned.argmax()] >= self._span:  # half of the time of max() of a hundred rows
            return None
        if self._places is not None:
            places = self._places.take(places)
            if places.min() < 0:
                return None
        return places


def _one_kind(labels: Iterable[Label]) -> type | None:
    """The kind of all these labels, if it is int or str."""
    kinds = set(map(type, labels))
    return kinds.pop() if kinds in ({int}, {str}) else None
