"""Matrices to try every measure on: drawn by Hypothesis, and the extreme ones."""

from __future__ import annotations

import functools
from typing import Any

import numpy as np
from hypothesis import strategies as st
from numpy.typing import NDArray

from steelyard.measures.measure import Measure

Array = NDArray[Any]


def sizes_for(measure: Measure) -> tuple[int, ...]:
    """The numbers of classes a measure is tried with."""
    return (2,) if measure.kind == "two-class" else (2, 3, 5)


HALF_ARE_0 = np.array([0] * 128 + [byte % 61 for byte in range(128)], dtype=np.int64)
ROWS_APART = np.array([1, 1, 10, 1000], dtype=np.int64)
"""What a drawn byte stands for: Hypothesis draws a string of bytes much faster than a list of numbers."""


@st.composite
def counts(draw: st.DrawFn, sizes: tuple[int, ...]) -> Array:
    """One matrix; small counts and many a 0, so that undefined terms occur; rows may be scaled apart."""
    size = draw(st.sampled_from(sizes))
    return _matrices(draw, 1, size)[0]


@st.composite
def batches(draw: st.DrawFn, sizes: tuple[int, ...]) -> Array:
    """A few matrices of one size."""
    size = draw(st.sampled_from(sizes))
    return _matrices(draw, draw(st.integers(1, 5)), size)


def _matrices(draw: st.DrawFn, number: int, size: int) -> Array:
    cells = np.frombuffer(draw(_bytes(number * size * size)), dtype=np.uint8)
    factors = np.frombuffer(draw(_bytes(number * size)), dtype=np.uint8)
    return HALF_ARE_0[cells].reshape(number, size, size) * ROWS_APART[factors % 4].reshape(number, size, 1)


@functools.cache
def _bytes(number: int) -> st.SearchStrategy[bytes]:
    return st.binary(min_size=number, max_size=number)


def extreme(size: int) -> list[Array]:
    """Where the ends of a range are reached or approached: right, wrong in every way, hardly ever right, one class huge."""
    right = np.eye(size, dtype=np.int64)
    found: list[Array] = []
    for factors in (
        [1] * size,
        [1] + [10**6] * (size - 1),
        [10**6] + [1] * (size - 1),
        [1] * (size - 1) + [10**12],
    ):
        scale = np.array(factors, dtype=np.int64)[:, None]
        found.append(right * scale)
        found += [np.roll(right, shift, axis=1) * scale for shift in range(1, size)]
        found.append(np.ones((size, size), dtype=np.int64) * scale)
        found.append((1 - right) * scale)
        found.append((1 - right) * scale * 10**3 + right)
        found.append(right * scale * 10**3 + 1)
    rare = np.ones((size, size), dtype=np.int64)
    rare[0, 0] = 10**12
    found.append(rare)
    found.append(rare.T[::-1, ::-1].copy())
    # Off-diagonal cells that are 1/e of t_j + p_j: where the confusion entropy of two classes is greatest.
    found.append(np.where(right == 1, 10**6 * (np.e - 2) / 2, 10**6).astype(np.int64))
    # One class huge; it is taken for the second, and all others are taken for it: the floor of the AUROC-OVA indices.
    swallowed = np.zeros((size, size), dtype=np.int64)
    swallowed[0, 1], swallowed[1:, 0] = 10**9, 1
    found.append(swallowed)
    # Each class taken for the one farthest from it in their order.
    found.append(
        np.array([[int(j == (size - 1 if 2 * i < size else 0)) for j in range(size)] for i in range(size)])
    )
    swapped = np.ones((size, size), dtype=np.int64)
    swapped[0, 1] = swapped[1, 0] = 10**9
    found.append(swapped)
    # Constant predictors: the dominance TPr - TNr is 1 or -1.
    for predicted in (0, size - 1):
        constant = np.zeros((size, size), dtype=np.int64)
        constant[:, predicted] = 1
        found.append(constant)
    return found


def all_small(size: int) -> Array:
    """Every 2 x 2 matrix of 0, 1 and 3, or every 3 x 3 matrix of 0 and 2: all ways in which terms can be undefined."""
    values = np.array([0, 1, 3] if size == 2 else [0, 2], dtype=np.int64)
    digits = np.array(
        np.unravel_index(np.arange(len(values) ** (size * size)), (len(values),) * (size * size))
    ).T
    return values[digits].reshape(-1, size, size)
