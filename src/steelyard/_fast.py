"""The optional compiled counter: used when numba (the `fast` extra) is installed, never required.

numba is imported on the first large count, not on `import steelyard`.
"""

from __future__ import annotations

import functools
import importlib.util
from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

Array = NDArray[Any]

WORTH_COMPILING = 2_000_000
"""Below this many rows NumPy is done before numba has been imported."""


def installed() -> bool:
    """Is the `fast` extra there?"""
    return importlib.util.find_spec("numba") is not None


def count_pairs(rows: Array, columns: Array, low: int, high: int) -> Array | None:
    """The table of pairs of codes in low..high, or None if some code lies outside."""
    size = high - low + 1
    # Four sub-tables break the chain of dependent additions when one class holds nearly every row.
    tables = np.zeros((4 if size <= 64 else 1, size * size), dtype=np.int64)
    if not _loop()(rows, columns, low, size, tables):
        return None
    return np.asarray(tables.sum(axis=0).reshape(size, size))


@functools.cache
def _loop() -> Callable[[Array, Array, int, int, Array], bool]:
    import numba

    def loop(rows: Array, columns: Array, low: int, size: int, tables: Array) -> bool:
        lane_mask = np.uint64(tables.shape[0] - 1)
        width = np.uint64(size)
        base = np.int64(low)
        for i in range(len(rows)):
            a = np.uint64(np.int64(rows[i]) - base)  # below `low` wraps to a huge number: one comparison checks both ends
            b = np.uint64(np.int64(columns[i]) - base)
            if a >= width or b >= width:
                return False
            tables[np.uint64(i) & lane_mask, a * width + b] += 1
        return True

    compiled: Callable[[Array, Array, int, int, Array], bool] = numba.njit(cache=False, nogil=True)(loop)
    return compiled
