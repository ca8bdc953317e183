"""On which matrices is a function compared with what was read of it, and how near must the values be?"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from steelyard.proofs.prover.small_matrices import small_matrices

Array = NDArray[Any]
ROUNDED = 1e-6
"""So far may floats be from the exact value."""
LOPSIDED = 1e-3
"""So far where counts of very different size stand side by side, as honest differences then lose digits
too."""
SCALES = (1, 10, 10**3, 10**5, 10**7, 10**9, 10**11, 10**13, 10**15, 2**53, 10**18, 1e-6, 1e-12)


def emptied(n_classes: int) -> Array:
    """Every set of empty cells of two and three classes, and many of more: a branch may wait in one."""
    cells = n_classes * n_classes
    draws = np.random.default_rng(17 + n_classes)
    if cells <= 9:
        full = (np.arange(1, 2**cells)[:, None] >> np.arange(cells)) & 1
    else:
        full = np.concatenate([draws.random((250, cells)) < share for share in (0.2, 0.5, 0.8)])
    counts = np.where(full, draws.integers(1, 100, full.shape), 0).astype(np.float64)
    counts = counts[counts.sum(axis=1) > 0]
    return np.asarray(counts.reshape(-1, n_classes, n_classes))


def plain(n_classes: int) -> Array:
    """Small ones with and without zeros, every scale, scales mixed, and fractions."""
    small = small_matrices(n_classes).astype(np.float64)
    draws = np.random.default_rng(7 + n_classes)
    shape = (6, n_classes, n_classes)
    scaled = [
        draws.integers(1, 10, shape) * float(scale) + draws.integers(0, 10, shape) * min(1.0, scale)
        for scale in SCALES
    ]
    mixed = draws.integers(1, 10, (60, *shape[1:])) * 10.0 ** draws.integers(0, 13, (60, *shape[1:]))
    sparse = mixed * (draws.random(mixed.shape) < 0.7)
    quotients = draws.integers(1, 1000, (20, *shape[1:])) / draws.integers(1, 1000, (20, *shape[1:]))
    every = np.concatenate([small[:150], small[-40:], *scaled, mixed, sparse, quotients])
    return np.asarray(every[every.sum(axis=(1, 2)) > 0])


def near(one: float, other: float, within: float) -> bool:
    """Are two values the same, as far as floats can say? Two that are missing are."""
    if np.isnan(one) or np.isnan(other):
        return bool(np.isnan(one) and np.isnan(other))
    return abs(one - other) <= within * max(1.0, abs(one), abs(other))


def allowed(matrix: Array) -> float:
    """So far may floats be from the exact value on a matrix."""
    counts = matrix[matrix > 0]
    return ROUNDED if counts.max() < 1e4 * counts.min() else LOPSIDED


def shown_rows(matrix: Array) -> str:
    """A matrix in a message."""
    return str([[int(v) if float(v).is_integer() else float(v) for v in row] for row in matrix])
