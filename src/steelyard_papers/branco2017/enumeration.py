"""Enumeration of all confusion matrices with given class sizes, merged by the sums that measures depend on.

A class of t examples can be predicted in C(t + C - 1, C - 1) ways, and a matrix is one way for each class.
Most measures see only the hits d_i and the predictions p_i, so rows are added one after the other and states
with equal sums are merged; millions of matrices need not be evaluated one by one.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from functools import cache
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

Array = NDArray[Any]

# Bits for one count in a packed state: class sizes and totals here stay below 64.
FIELD = 6


@cache
def compositions(total: int, parts: int) -> Array:
    """All ways to write total as a sum of so many counts, one per line."""
    if parts == 1:
        return np.array([[total]])
    blocks = []
    for first in range(total + 1):
        rest = compositions(total - first, parts - 1)
        blocks.append(np.hstack([np.full((len(rest), 1), first), rest]))
    return np.vstack(blocks)


def number_of_matrices(sizes: Sequence[int]) -> int:
    return math.prod(math.comb(size + len(sizes) - 1, len(sizes) - 1) for size in sizes)


class States(NamedTuple):
    """The different (hits, predictions) of all matrices of a problem, each with the number of one matrix
    that has them."""

    hits: Array
    predicted: Array
    representative: Array


def states(sizes: Sequence[int]) -> States:
    """Add the rows one by one, merging equal states."""
    count = len(sizes)
    keys, numbers = np.zeros(1, dtype=np.int64), np.zeros(1, dtype=np.int64)
    for i, size in enumerate(sizes):
        rows = compositions(size, count)
        packed = rows[:, i] << (FIELD * i)
        for j in range(count):
            packed = packed + (rows[:, j] << (FIELD * (count + j)))
        keys, first = np.unique((keys[:, None] + packed[None, :]).reshape(-1), return_index=True)
        numbers = (numbers[:, None] * len(rows) + np.arange(len(rows))[None, :]).reshape(-1)[first]
    mask = (1 << FIELD) - 1
    fields = np.array([(keys >> (FIELD * i)) & mask for i in range(2 * count)])
    return States(fields[:count], fields[count:], numbers)


def matrices(sizes: Sequence[int], numbers: Array) -> Array:
    """The matrices of these numbers, shape (..., C, C)."""
    count = len(sizes)
    batch = np.empty((len(numbers), count, count), dtype=np.int64)
    rest = np.asarray(numbers)
    for i in reversed(range(count)):
        rows = compositions(sizes[i], count)
        rest, which = np.divmod(rest, len(rows))
        batch[:, i] = rows[which]
    return batch


def all_matrices(sizes: Sequence[int], chunk: int) -> Iterator[Array]:
    """Every matrix of the problem, in blocks."""
    total = number_of_matrices(sizes)
    for start in range(0, total, chunk):
        yield matrices(sizes, np.arange(start, min(start + chunk, total)))
