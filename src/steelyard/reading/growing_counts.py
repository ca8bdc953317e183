"""How is a table of counts kept whose labels are not known beforehand? It grows with those it meets."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from steelyard.counts.confusion import Confusion
from steelyard.counts.labels import Label
from steelyard.counts.pairs import WIDEST_SPAN
from steelyard.errors import InputError
from steelyard.reading.text_places import TextPlaces

Array = NDArray[Any]
_TABLE_A_ROW = 4
"""A batch is counted in a table of its own if that has at most this many cells a row."""


def holds_integers(dtype: np.dtype[Any]) -> bool:
    """Are these integers that 64 signed bits hold?"""
    return dtype.kind == "i" or (dtype.kind == "u" and dtype.itemsize < 8)


def nothing_yet() -> InputError:
    """What is said where a value is asked for before any row came."""
    return InputError("nothing was counted yet", found="an empty tally", do="update it with rows first")


def _one_kind(labels: Iterable[Label]) -> type | None:
    """The kind of all these labels, if it is int or str."""
    kinds = set(map(type, labels))
    return kinds.pop() if kinds in ({int}, {str}) else None


def _integer_codes(place: dict[Any, int]) -> tuple[int, Array] | None:
    """The least label, and the place of each integer from there on, -1 where it is no label; None where they
    lie too far apart."""
    low, high = min(place), max(place)
    if high - low >= WIDEST_SPAN:
        return None
    places = np.full(high - low + 1, -1, dtype=np.intp)
    places[np.array(list(place)) - low] = list(place.values())
    return low, places


class GrowingCounts:
    """A table of counts that grows with the labels it meets."""

    def __init__(self, labels: tuple[Label, ...] | None) -> None:
        self.listed = labels
        self.place: dict[Label, int] = {label: i for i, label in enumerate(labels or ())}
        self.table: Array = np.zeros((len(self.place), len(self.place)), dtype=np.int64)
        self._kinds_of = 0
        self._kind: type | None = None
        self._integers: tuple[int, Array] | None = None
        self._text = TextPlaces(self.place)

    @property
    def size(self) -> int:
        return len(self.place)

    def labels_at(self, codes: Array) -> list[Label]:
        names = list(self.place)
        return [names[code] for code in codes.tolist()]

    def codes(self, y_true: Any, y_pred: Any) -> tuple[Array, Array] | None:
        """Where labels stand in the table, if every one of both columns is known and they are of one kind:
        all integers or all text."""
        if self._kinds_of != len(self.place):
            self._kinds_of, self._kind = len(self.place), _one_kind(self.place)
            self._integers = _integer_codes(self.place) if self._kind is int else None
        if self._kind is None:
            return None
        find = self._integer_places if self._kind is int else self._text.of
        truths = find(y_true)
        predictions = None if truths is None else find(y_pred)
        if truths is None or predictions is None or len(truths) != len(predictions):
            return None
        return truths, predictions

    def _integer_places(self, column: Any) -> Array | None:
        if not (
            isinstance(column, np.ndarray)
            and column.ndim == 1
            and len(column)
            and holds_integers(column.dtype)
        ):
            return None
        if self._integers is None or isinstance(column, np.ma.MaskedArray):
            return None
        low, places = self._integers
        if column.min() < low or column.max() >= low + len(places):
            return None
        found = places[column.astype(np.intp) - low]
        return None if found.min() < 0 else found

    def count(self, truths: Array, predictions: Array, weights: Array | None = None, sign: int = 1) -> None:
        """Add rows given by places, or take them away."""
        size = len(self.table)
        if weights is not None and self.table.dtype.kind != "f":
            self.table = self.table.astype(np.float64)
        cells = truths.astype(np.intp) * size + predictions
        if size * size <= _TABLE_A_ROW * len(cells):
            self.table += sign * np.bincount(cells, weights, size * size).reshape(size, size)
        else:
            np.add.at(self.table.reshape(-1), cells, sign if weights is None else sign * weights)
        if sign < 0 and self.table.dtype.kind == "f":  # what rounding leaves below zero is nothing
            np.maximum(self.table, 0, out=self.table)

    def add(self, counted: Confusion, sign: int = 1) -> None:
        for label in counted.labels:
            self.place.setdefault(label, len(self.place))
        if len(self.place) > len(self.table):
            wider = np.zeros((len(self.place), len(self.place)), dtype=self.table.dtype)
            wider[: len(self.table), : len(self.table)] = self.table
            self.table = wider
        if counted.counts.dtype.kind == "f" and self.table.dtype.kind != "f":
            self.table = self.table.astype(np.float64)
        at = [self.place[label] for label in counted.labels]
        if sign > 0:
            self.table[np.ix_(at, at)] += counted.counts
        else:  # what rounding leaves below zero is nothing
            self.table[np.ix_(at, at)] = np.maximum(self.table[np.ix_(at, at)] - counted.counts, 0)

    def fade(self, factor: float) -> None:
        self.table = self.table * factor

    def confusion(self) -> Confusion:
        if not self.size or not self.table.any():
            raise nothing_yet()
        names = list(self.place)
        return Confusion.from_table(self.table, names, names, self.listed)
