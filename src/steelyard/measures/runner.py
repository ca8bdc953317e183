"""How is a measure computed on one matrix or on millions?

Counts of shape (..., C, C) are cut into chunks that stay in cache, turned so that the batch is the last axis,
and given to the measures' bodies; several measures share the sums of a chunk. One matrix is a batch of one.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterator, Sequence
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray

from steelyard.counts.confusion import Confusion
from steelyard.counts.labels import Label
from steelyard.measures.arithmetic import Floats, Fractions, as_fraction
from steelyard.measures.many_classes import FROM_CLASSES, NeedsEveryCellError, held_view
from steelyard.measures.undefined import Policy, Reasons
from steelyard.measures.view import View
from steelyard.measures.views import NEGATIVE, POSITIVE, Classes, TwoClass

Array = NDArray[Any]
Body = Callable[[Any], Array]

_CHUNK_CELLS = 1 << 17
"""Cells per chunk: measured best between 4,096 and 16,384 matrices of 5 x 5."""

_WORTH_A_CHUNK, _MOST_CHUNK_CELLS = 48, 1 << 19
"""Of many classes a chunk holds this many matrices if they are not too large: with a dozen, NumPy is busy
with starting loops (a hundred classes: 0.20 s against 0.12 s)."""

_LARGE, _SMALL = 2.0**120, 2.0**-60
_NEAR = 100
"""Weights are scaled to about 2^100: products of four stay finite, and cells up to 2^1174 times smaller stay
above 0."""


def evaluate(
    bodies: Sequence[Body], matrices: Confusion, positive: int | None, policy: Policy, unit: bool = False
) -> list[Array]:
    """The value of each body on each matrix, every array in the shape of the batch.

    With `positive`, the bodies are of two classes and see [[tp, fn], [fp, tn]]; without, they see all
    classes. With `unit`, they depend on the unit in which examples are weighed, so that weights cannot be
    scaled to stay numbers.
    """
    flat = _flat(matrices)
    _keep_freed_memory()
    values = np.empty((len(bodies), len(flat)))
    arithmetic = Floats(policy)
    left = list(range(len(bodies)))
    held = _held(matrices, positive, arithmetic, unit)
    if held is not None:
        left = [k for k in left if not _held_are_enough(bodies[k], held, values[k])]
    for chunk, block in _chunks(flat, unit) if left else ():
        for where, view in _views(block, matrices, positive, arithmetic):
            for k in left:
                values[k, chunk][where] = bodies[k](view) if view is not None else np.nan
    if (
        policy.fills
    ):  # what even the terms' fill could not give a value to, such as priors for a class without examples
        values[np.isnan(values)] = policy.fill
    return [row.reshape(matrices.batch_shape) for row in values]


def reasons(body: Body, matrices: Confusion, positive: int | None, unit: bool = False) -> list[str | None]:
    """Why is the value undefined: for each matrix of the batch, words, or None where it is defined."""
    words: list[str | None] = []
    recorder, value = Reasons(), np.empty(1)
    held = _held(matrices, positive, Floats(Policy(), recorder), unit)
    if held is not None and _held_are_enough(body, held, value):
        return [recorder.at(0) if np.isnan(value[0]) else None]
    for _, block in _chunks(_flat(matrices), unit):
        found: list[str | None] = [None] * block.shape[-1]
        recorder = Reasons()
        for where, view in _views(block, matrices, positive, Floats(Policy(), recorder)):
            recorder.clear()
            positions = np.arange(block.shape[-1])[where]
            values = np.full(len(positions), np.nan)
            if view is not None:
                values[:] = body(view)
            missing = np.flatnonzero(np.isnan(values))
            for position, said in zip(positions[missing].tolist(), recorder.at_each(missing), strict=True):
                found[position] = said
        words.extend(found)
    return words


def _held(matrices: Confusion, positive: int | None, arithmetic: Floats, unit: bool) -> View | None:
    """The view of thousands of classes by the cells that hold something, where there is one."""
    if positive is not None or matrices.n_classes < FROM_CLASSES:
        return None
    return held_view(matrices, arithmetic, unit)


def _held_are_enough(body: Body, view: View, value: Array) -> bool:
    """Could the body be run on the cells that hold something? Then this is its value."""
    try:
        value[:] = body(view)
    except NeedsEveryCellError:
        return False
    return True


def exact(body: Body, matrix: Confusion, positive: int | None, policy: Policy) -> Fraction | float:
    """The value on one matrix in rational arithmetic; NaN where it is undefined."""
    counts = np.array([as_fraction(v) for v in matrix.counts.reshape(-1).tolist()], dtype=object)
    block = counts.reshape(*matrix.counts.shape[-2:], 1)
    for _, view in _views(block, matrix, positive, Fractions(policy)):
        value = np.broadcast_to(body(view), (1,))[0] if view is not None else float("nan")
        if isinstance(value, float) and policy.fills:
            return as_fraction(policy.fill)
        return value if isinstance(value, float) else Fraction(value)
    raise AssertionError("a block has at least one view")


@functools.cache
def _keep_freed_memory() -> None:
    """Let the C library keep the memory of one chunk for the next, instead of giving it back and asking for
    it again.

    glibc takes the largest block that was freed (up to 32 MB) for the size of blocks worth keeping. Without
    this, a million matrices through nine measures ask the kernel for a million pages and take 3.5 times as
    long. The block is never written to.
    """
    np.empty(1 << 24, dtype=np.uint8)


def _flat(matrices: Confusion) -> Array:
    return matrices.counts.reshape(-1, matrices.n_classes, matrices.n_classes)


def _chunks(flat: Array, unit: bool) -> Iterator[tuple[slice, Array]]:
    cells = flat.shape[-1] ** 2
    size = max(1, _CHUNK_CELLS // cells, min(_WORTH_A_CHUNK, _MOST_CHUNK_CELLS // cells))
    for start in range(0, len(flat), size):
        chunk = slice(start, min(start + size, len(flat)))
        block = np.ascontiguousarray(np.moveaxis(flat[chunk], 0, -1))
        yield chunk, block if unit else _brought_near(block)


def _brought_near(block: Array) -> Array:
    """The same matrices, those of huge or tiny weights scaled by a power of two, so that sums and products
    stay numbers.

    A measure does not depend on the unit in which examples are weighed; a power of two changes no digit.
    """
    if block.dtype.kind != "f":
        return block
    largest = block.max(axis=(0, 1))
    far = (largest > _LARGE) | ((largest < _SMALL) & (largest > 0))
    if not far.any():
        return block
    return np.asarray(np.ldexp(block, np.where(far, _NEAR - np.frexp(largest)[1], 0)))


def _views(
    block: Array, matrices: Confusion, positive: int | None, arithmetic: Any
) -> Iterator[tuple[Any, View | None]]:
    """What the bodies see, with the part of the block it stands for; None for a matrix that holds nothing."""
    if positive is not None:
        order = [positive, 1 - positive]
        # Classes that were found in the data have names of their own, with which priors are given; only c1
        # and c2 say nothing.
        nameless = not matrices.listed and matrices.labels == ("c1", "c2")
        labels = [POSITIVE, NEGATIVE] if nameless else [matrices.labels[i] for i in order]
        yield (
            slice(None),
            TwoClass(block[order][:, order] if positive else block, [tuple(labels)], arithmetic),
        )
        return
    view = Classes(block, matrices.labels, arithmetic)
    if matrices.listed or view.occupied.all():
        yield slice(None), view
        return
    # A class that the caller did not name and that holds nothing is left out, matrix by matrix.
    patterns, which = np.unique(view.occupied, axis=1, return_inverse=True)
    for number, pattern in enumerate(patterns.T):
        where = which.reshape(-1) == number
        kept = np.flatnonzero(pattern)
        names: list[Label] = [matrices.labels[i] for i in kept]
        part = block[np.ix_(kept, kept, np.flatnonzero(where))]
        yield where, Classes(part, names, arithmetic, everyone=matrices.labels) if len(kept) else None
