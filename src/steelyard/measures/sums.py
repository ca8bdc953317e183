"""What is left of a sum without one of its parts? Added anew: a difference of floats would leave dust."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

Array = NDArray[Any]

_LONG_BATCH = 8
"""From this many matrices on, a loop over classes costs less than the work inside it."""


def without_own(cells: Array) -> Array:
    """Cells of shape (C, C, batch...) with 0 on the diagonal."""
    if not isinstance(cells, np.ndarray):  # a quantity that notes what is done with it
        return cells.without_own()
    return with_nothing_own(cells.copy())


def with_nothing_own(cells: Array) -> Array:
    """These very cells, their diagonal set to 0."""
    if not isinstance(cells, np.ndarray):
        return cells.without_own()
    own = np.arange(len(cells))
    cells[own, own] = 0
    return cells


def without_each(cells: Array, axis: int) -> Array:
    """Along an axis, the sum of all entries but one, for each of them: what stands before it and what stands
    after it."""
    if not isinstance(cells, np.ndarray):
        return cells.without_each(axis)
    if cells.shape[axis] == 2:
        return np.flip(cells, axis).copy()
    sums = np.zeros_like(cells)
    left, parts = np.moveaxis(sums, axis, 0), np.moveaxis(cells, axis, 0)
    if cells[0, 0].size < _LONG_BATCH:
        left[1:] = np.cumsum(parts[:-1], axis=0)
        left[:-1] += np.cumsum(parts[:0:-1], axis=0)[::-1]
        return sums
    # The same sums in the same order, one row of the batch after the other: accumulating along an axis that
    # is not the last takes three times as long.
    for k in range(1, len(parts)):
        np.add(left[k - 1], parts[k - 1], out=left[k])
    after = parts[-1].copy()
    for k in range(len(parts) - 2, -1, -1):
        left[k] += after
        if k:
            after += parts[k]
    return sums


def of_others(sizes: Array) -> Array:
    """For each class the sum over all others; added in the order of `_rejected`, so that equal sums are equal
    to the last bit."""
    return np.asarray(with_nothing_own(np.repeat(sizes[:, None], len(sizes), axis=1)).sum(axis=0))
