"""What was counted in each slice, for a hundred slices or a hundred thousand?

The cells that hold something are kept, in the order of the slices; matrices are made of them when somebody
asks, one by one or many at a time.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from steelyard.counts.confusion import Confusion
from steelyard.counts.labels import Label

Array = NDArray[Any]
Name = tuple[str, ...]

_CELLS_AT_ONCE = 1 << 20


class SliceMatrices(Mapping[Name, Confusion]):
    """The confusion matrix of each slice by the slice's name; all have the same classes."""

    def __init__(
        self, names: Sequence[Name], labels: Sequence[Label], which: Array, cells: Array, amounts: Array
    ) -> None:
        """`amounts` stand in `cells` (true class * C + predicted class) of slice number `which`; those of one
        cell are added up. Slices are put in the order of their names."""
        self.labels = tuple(labels)
        order = sorted(range(len(names)), key=names.__getitem__)
        self.names = [names[k] for k in order]
        rank = np.empty(len(names), dtype=np.intp)
        rank[order] = np.arange(len(names))
        keys = rank[which] * (len(self.labels) ** 2) + cells
        found, inverse = np.unique(keys, return_inverse=True)
        sums = np.zeros(len(found), dtype=amounts.dtype)
        np.add.at(sums, inverse.reshape(-1), amounts)
        which, self._cells = np.divmod(found, len(self.labels) ** 2)
        self._amounts = sums
        self._starts = np.searchsorted(which, np.arange(len(names) + 1))
        self._which = which
        self._places: dict[Name, int] | None = None

    def __len__(self) -> int:
        return len(self.names)

    def __iter__(self) -> Iterator[Name]:
        return iter(self.names)

    def __getitem__(self, name: Name) -> Confusion:
        if self._places is None:
            self._places = {name: k for k, name in enumerate(self.names)}
        place = self._places[name]
        return Confusion(self.counts(place, place + 1)[0], self.labels, copy=False)

    def counts(self, start: int, stop: int) -> Array:
        """The matrices of some slices: shape (slices, C, C)."""
        size = len(self.labels)
        part = slice(self._starts[start], self._starts[stop])
        out = np.zeros((stop - start, size * size), dtype=self._amounts.dtype)
        out[self._which[part] - start, self._cells[part]] = self._amounts[part]
        return out.reshape(-1, size, size)

    def in_blocks(self) -> Iterator[tuple[list[Name], Confusion]]:
        """All slices, as many at a time as stay small: their names, and a batch of their matrices."""
        step = max(1, _CELLS_AT_ONCE // len(self.labels) ** 2)
        for start in range(0, len(self), step):
            stop = min(start + step, len(self))
            yield self.names[start:stop], Confusion(self.counts(start, stop), self.labels, copy=False)

    def renamed(self, labels: Sequence[Label]) -> SliceMatrices:
        """The same counts with other names for the classes."""
        which = np.repeat(np.arange(len(self)), np.diff(self._starts))
        return SliceMatrices(self.names, labels, which, self._cells, self._amounts)
