"""What if other examples had been drawn from the same ones? The bootstrap, on counts instead of rows.

Drawing n rows with replacement and counting them is drawing the counts from a multinomial distribution: ten
thousand test sets of a million rows cost as much as ten thousand of a hundred.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from steelyard.counts.joint import JointCounts

Array = NDArray[Any]


def resampled_cells(joint: JointCounts, stratified: bool, random: np.random.Generator, size: int) -> Array:
    """Counts (size, K) of the cells of `joint`: rows redrawn within each true class, or from all rows
    together."""
    if not stratified:
        return random.multinomial(joint.total, joint.counts / joint.total, size=size)
    weights = np.empty((size, len(joint.counts)), dtype=np.int64)
    for label in np.unique(joint.truth):
        cells = np.flatnonzero(joint.truth == label)
        inside = joint.counts[cells]
        weights[:, cells] = random.multinomial(inside.sum(), inside / inside.sum(), size=size)
    return weights


def swapped_cells(joint: JointCounts, random: np.random.Generator, size: int) -> tuple[JointCounts, Array]:
    """Two models whose predictions are exchanged, row by row, at the toss of a coin: the cells, and counts of
    them (size, cells).

    If the models are equally good in every respect, the exchanged test sets are as likely as the one seen.
    """
    first, second = joint.predictions.T
    pairs = np.stack([joint.truth, np.minimum(first, second), np.maximum(first, second)], axis=1)
    kinds, which = np.unique(pairs, axis=0, return_inverse=True)
    rows = np.bincount(which.reshape(-1), weights=joint.counts, minlength=len(kinds)).astype(np.int64)
    stayed = random.binomial(rows, 0.5, size=(size, len(kinds)))
    both = JointCounts(
        joint.labels,
        joint.models,
        np.concatenate([kinds[:, 0]] * 2),
        np.concatenate([kinds[:, 1:], kinds[:, :0:-1]]),
        np.concatenate([rows, rows]),
    )
    return both, np.concatenate([stayed, rows - stayed], axis=1)
