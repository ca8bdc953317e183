"""Where do the words of a column stand in a table, when the same few words come again and again?

A column of text in memory is a column of addresses, and a stream of a few classes mostly repeats the
addresses of the same few objects. An address whose object is kept here is known for ever, so a batch of
addresses is looked up as numbers, in a tenth of the time of words. A batch with an address that is not known
is looked up by its words, and what is learned is kept; a stream in which every row has an object of its own
is no longer asked for addresses.
"""

from __future__ import annotations

import ctypes
import operator
import sys
from typing import Any

import numpy as np
from numpy.typing import NDArray

from steelyard.counts.labels import Label

Array = NDArray[Any]

MOST_WORDS = 256
"""Places are kept in a byte."""
_SLOTS = 1 << 12
_MOST_KNOWN = _SLOTS // 16
"""Objects that are known at most; with more, two would often share a slot."""
_PATIENCE = 8
"""Batches in a row without a gain until addresses are not asked for any more."""
_MIXED, _SHIFT, _WORD = 0x9E3779B97F4A7C15, 64 - 12, (1 << 64) - 1
_NOBODY = 1
"""No object has this address."""
_ADDRESSES = sys.implementation.name == "cpython" and ctypes.sizeof(ctypes.c_void_p) == 8


class TextPlaces:
    """Finds the places of text in a table that grows."""

    def __init__(self, place: dict[Label, int]) -> None:
        self._place = place
        self._kept: dict[int, str] = {}
        """The objects whose addresses are known: as long as they are held, no other object has one."""
        self._address = np.full(_SLOTS, _NOBODY, dtype=np.uint64)
        self._at = np.zeros(_SLOTS, dtype=np.uint8)
        self._in_vain = 0

    def __reduce__(self) -> tuple[Any, ...]:
        return TextPlaces, (self._place,)  # elsewhere objects have other addresses

    def of(self, column: Any) -> Array | None:
        """The place of every word; None where one is not known, or the column is none of text."""
        if len(self._place) > MOST_WORDS:
            return None
        if isinstance(column, np.ndarray):
            if column.ndim != 1 or column.dtype.kind not in "OU":
                return None
            if column.dtype.kind == "O" and type(column) is np.ndarray and len(column) > 1:
                return self._of_objects(column)
            column = column.tolist()
        return self._of_words(column)

    def _of_objects(self, column: Array) -> Array | None:
        if self._in_vain >= _PATIENCE or not _ADDRESSES:
            return self._of_words(column.tolist())
        column = np.ascontiguousarray(column)
        held: Any = (ctypes.c_uint64 * len(column)).from_address(column.ctypes.data)
        addresses: Array = np.frombuffer(held, dtype=np.uint64)
        slots = ((addresses * np.uint64(_MIXED)) >> np.uint64(_SHIFT)).view(np.int64)
        if (self._address.take(slots) == addresses).all():
            return np.asarray(self._at.take(slots))
        words = column.tolist()
        found = self._of_words(words)
        if found is not None:
            self._in_vain = 0 if self._learn(words, found) else self._in_vain + 1
        return found

    def _of_words(self, words: Any) -> Array | None:
        """One call for a whole batch: a step of Python for every word takes twice as long."""
        if type(words) is not list or len(words) < 2:
            return None
        try:
            return np.frombuffer(bytes(operator.itemgetter(*words)(self._place)), dtype=np.uint8)
        except (KeyError, TypeError):
            return None

    def _learn(self, words: list[Any], places: Array) -> bool:
        """Keep the objects of this batch where there is room; was there?"""
        new = {id(word): (word, at) for word, at in zip(words, places.tolist(), strict=True)}
        new = {address: both for address, both in new.items() if address not in self._kept}
        if len(self._kept) + len(new) > _MOST_KNOWN:
            return False
        for address, (word, at) in new.items():
            slot = (address * _MIXED & _WORD) >> _SHIFT
            if type(word) is not str or self._address[slot] != _NOBODY:
                continue  # another object has the slot: this one is looked up by its word
            self._kept[address] = word
            self._address[slot], self._at[slot] = address, at
        return True
