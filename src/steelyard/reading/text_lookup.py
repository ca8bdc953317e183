"""Lookup of text labels by object identity, for streams that repeat the same few words.

A column of text in memory is a column of addresses, and a stream of a few classes mostly repeats the
addresses of the same few objects. An address whose object is kept here is known for ever, so a batch of
addresses is looked up as numbers, in a tenth of the time of words. A batch with an address that is not known
is looked up by its words, and what is learned is kept; a stream in which every row has an object of its own
is no longer asked for addresses. Without it a tally of text takes four times as long (benchmark "many": a
tally with text, times that of integers).
"""

from __future__ import annotations

import operator
import sys
from typing import Any

import numpy as np
from numpy.typing import NDArray

from steelyard.counts.labels import Label

Array = NDArray[Any]

# Places are kept in a byte.
MOST_WORDS = 256
_SLOTS = 1 << 12
# Objects that are known at most; with more, two would often share a slot.
_MOST_KNOWN = _SLOTS // 16
# Batches in a row without a gain until addresses are not asked for any more.
_PATIENCE = 8
_MIXED, _SHIFT, _WORD = np.uint64(0x9E3779B97F4A7C15), np.uint64(64 - 12), (1 << 64) - 1
# No object has this address.
_NOBODY = 1
_ADDRESSES = sys.implementation.name == "cpython" and np.dtype(object).itemsize == 8


class TextLookup:
    """Finds the places of text in a table that grows."""

    def __init__(self, place: dict[Label, int]) -> None:
        self._place = place
        self._kept: dict[int, str] = {}
        """The objects whose addresses are known: as long as they are held, no other object has one."""
        self._address = np.full(_SLOTS, _NOBODY, dtype=np.uint64)
        self._at = np.zeros(_SLOTS, dtype=np.intp)
        self._in_vain = 0

    def __reduce__(self) -> tuple[Any, ...]:
        return TextLookup, (self._place,)  # elsewhere objects have other addresses

    def of(self, column: Any) -> Array | None:
        """The place of every word; None where one is not known, or the column is none of text."""
        if len(self._place) > MOST_WORDS:
            return None
        if isinstance(column, np.ndarray):
            if column.ndim != 1 or column.dtype.kind not in "OU":
                return None
            if _is_of_objects(column):
                return self._of_objects(column)
            column = column.tolist()
        return self._of_words(column)

    def of_both(self, y_true: Any, y_pred: Any) -> Array | None:
        """The places of two columns of as many rows, one after the other; None where one is not known."""
        if self._in_vain < _PATIENCE and _is_of_objects(y_true) and _is_of_objects(y_pred):
            if len(self._place) > MOST_WORDS or len(y_true) != len(y_pred):
                return None
            found = self._by_address(y_true, y_pred)
            if found is not None:
                return found
        truths = self.of(y_true)
        predictions = None if truths is None else self.of(y_pred)
        if truths is None or predictions is None or len(truths) != len(predictions):
            return None
        return np.concatenate((truths, predictions), dtype=np.intp)

    def _of_objects(self, column: Array) -> Array | None:
        if self._in_vain >= _PATIENCE or not _ADDRESSES:
            return self._of_words(column.tolist())
        found = self._by_address(column)
        if found is not None:
            return found
        words = column.tolist()
        found = self._of_words(words)
        if found is not None:
            self._in_vain = 0 if self._learn(words, found) else self._in_vain + 1
        return found

    def _by_address(self, *columns: Array) -> Array | None:
        """The places of columns one after the other, if every object of them is known."""
        try:
            parts = [np.frombuffer(column, dtype=np.uint64) for column in columns]
        except ValueError:  # every second row of another column, say
            parts = [np.frombuffer(np.ascontiguousarray(column), dtype=np.uint64) for column in columns]
        addresses = parts[0] if len(parts) == 1 else np.concatenate(parts)
        slots = addresses * _MIXED
        slots >>= _SHIFT
        at = slots.view(np.intp)
        if self._address.take(at).tobytes() != addresses.tobytes():
            return None
        return np.asarray(self._at.take(at))

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
            slot = (address * int(_MIXED) & _WORD) >> int(_SHIFT)
            if type(word) is not str or self._address[slot] != _NOBODY:
                continue  # another object has the slot: this one is looked up by its word
            self._kept[address] = word
            self._address[slot], self._at[slot] = address, at
        return True


def _is_of_objects(column: Any) -> bool:
    return type(column) is np.ndarray and column.dtype.kind == "O" and column.ndim == 1 and len(column) > 1
