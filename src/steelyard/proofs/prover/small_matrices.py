"""Which matrices are tried, the smallest first?"""

from __future__ import annotations

from functools import lru_cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

Array = NDArray[Any]


@lru_cache(maxsize=16)
def small_matrices(n_classes: int, most: int = 4000) -> Array:
    """Every matrix of small counts as far as there are few of them, then structured and random ones; sorted
    by total.

    Two classes: all with counts up to 4. Three: all with counts 0 and 1. Beyond that and besides: corner
    cases (identity, one class failing, one predicted class, swapped classes, empty rows and columns), random
    sparse and full ones, and a few with large counts.
    """
    parts = [_structured(n_classes)]
    highest = {1: 50, 2: 4, 3: 1}.get(n_classes, 0)
    if highest:
        cells = n_classes * n_classes
        codes = np.arange((highest + 1) ** cells)
        parts.append(
            np.stack([(codes // (highest + 1) ** k) % (highest + 1) for k in range(cells)], axis=-1).reshape(
                -1, n_classes, n_classes
            )
        )
    random = np.random.default_rng(n_classes)
    wanted = max(0, most - sum(map(len, parts)))
    drawn = random.integers(0, 5, size=(wanted, n_classes, n_classes))
    density = random.choice([0.3, 0.6, 1.0], size=(wanted, 1, 1))
    parts.append(drawn * (random.random(drawn.shape) < density))
    heavy = random.integers(0, 3, size=(300, n_classes, n_classes)) * random.choice(
        [1, 1, 10, 50], size=(300, n_classes, 1)
    )
    parts.append(heavy)
    # A few large ones, tried last, for what shows only there.
    parts += [
        random.integers(1, highest_count, size=(60, n_classes, n_classes)) for highest_count in (10**4, 10**6)
    ]
    joined = np.unique(np.concatenate([p.astype(np.int64) for p in parts]), axis=0)
    joined = joined[joined.sum(axis=(1, 2)) > 0]
    order = np.lexsort(((joined != 0).sum(axis=(1, 2)), joined.sum(axis=(1, 2))))
    result = joined[order]
    result.setflags(write=False)
    return np.asarray(result)


def _structured(n_classes: int) -> Array:
    one = np.eye(n_classes, dtype=np.int64)
    turned = np.roll(one, 1, axis=1)
    found = [one, turned, one + 1, np.ones_like(one), turned + one, one * 3 + turned]
    for k in range(n_classes):
        column = np.zeros_like(one)
        column[:, k] = 1
        failed = one.copy()
        failed[k] = np.roll(one[k], 1)
        heavy = one.copy()
        heavy[k] *= 10
        wrong = turned.copy()
        wrong[k] = one[k]
        left_out = one.copy()
        left_out[k] = 0
        to_first = one.copy()
        to_first[k] = one[0]
        found += [
            column,
            column * np.arange(1, n_classes + 1)[:, None],
            failed,
            failed * 3 + one,
            heavy,
            wrong,
            left_out,
            to_first,
            to_first * 2 + one,
        ]
    return np.array(found)


def all_present(matrices: Array) -> Array:
    """In which of them has every class examples?"""
    return np.asarray((matrices.sum(axis=-1) > 0).all(axis=-1))


def all_occur(matrices: Array) -> Array:
    """In which of them has every class examples, and is predicted?"""
    return np.asarray(all_present(matrices) & (matrices.sum(axis=-2) > 0).all(axis=-1))
