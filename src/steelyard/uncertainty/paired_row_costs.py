"""How sure are we that one model's decisions cost less than another's, when each row has its own cost?

The rates of all models are drawn together, as in every comparison. The mean amount of every combination of
truth and predictions is drawn as for one model (see `row_costs`), and models that give the same answer to the
same rows share it: what they have in common does not blur how they differ.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from steelyard.counts.joint import JointCounts
from steelyard.uncertainty.draws import Design, blocks, design_in_use
from steelyard.uncertainty.posterior import Prior, posterior_centres
from steelyard.uncertainty.row_costs import around, mixed_spread, ratio

Array = NDArray[Any]


def class_amounts(joint: JointCounts, sums: Array) -> Array:
    """(C,): the mean amount of each true class; of one without rows, that of all rows."""
    of_class = np.bincount(joint.truth, weights=sums, minlength=joint.n_classes)
    return ratio(of_class, joint.actual.astype(np.float64), float(sums.sum() / joint.total))


def costs_seen(joint: JointCounts, sums: Array, fixed: Array, times: Array) -> Array:
    """(M,): what a row costs on the rows themselves."""
    found = []
    for predicted in joint.predictions.T:
        at = (joint.truth, predicted)
        found.append(float((joint.counts * fixed[at] + sums * times[at]).sum() / joint.total))
    return np.array(found)


def drawn_row_costs(
    joint: JointCounts,
    sums: Array,
    squares: Array,
    fixed: Array,
    times: Array,
    *,
    design: Design,
    prior: Prior,
    draws: int,
    seed: int,
) -> tuple[Array, Array]:
    """What a row costs with each model on drawn test sets (M, draws), and at their centre (M,)."""
    counts = joint.counts.astype(np.float64)
    means = ratio(sums, counts, 0.0)
    spread = _spread(joint, counts, sums, squares)
    random = np.random.Generator(np.random.PCG64(np.random.SeedSequence(seed, spawn_key=(0, 11))))
    values = np.empty((len(joint.models), draws))
    for where, matrices in blocks(joint, "posterior", design, prior, draws, seed):
        moved = around(means, spread / counts, random, matrices.shape[1])
        values[:, where] = _costs(joint, matrices, moved, fixed, times)
    centre = posterior_centres(joint, design_in_use(design) == "fixed", prior)[:, None]
    return values, _costs(joint, centre, means[None], fixed, times)[:, 0]


def _costs(joint: JointCounts, matrices: Array, amounts: Array, fixed: Array, times: Array) -> Array:
    """(M, B) from matrices (M, B, C, C) and mean amounts of the joint cells (B, K)."""
    size = joint.n_classes
    counts = joint.counts.astype(np.float64)
    own_class = np.zeros((len(counts), size))
    own_class[np.arange(len(counts)), joint.truth] = counts
    of_class = (amounts @ own_class) / np.maximum(joint.actual, 1)
    found = np.empty(matrices.shape[:2])
    for m, predicted in enumerate(joint.predictions.T):
        places = np.zeros((len(counts), size * size))
        places[np.arange(len(counts)), joint.truth * size + predicted] = counts
        rows = places.sum(axis=0)
        # Where a model has no such row, its rows would be like others of the true class.
        mean = np.where(rows > 0, (amounts @ places) / np.maximum(rows, 1), np.repeat(of_class, size, axis=1))
        each = fixed + times * mean.reshape(-1, size, size)
        found[m] = (matrices[m] * each).sum(axis=(-1, -2)) / matrices[m].sum(axis=(-1, -2))
    return found


def _spread(joint: JointCounts, counts: Array, sums: Array, squares: Array) -> Array:
    """The squared coefficient of variation of each cell's amounts, mixed with that of its true class."""
    rows, whole, second = (
        np.bincount(joint.truth, weights=part, minlength=joint.n_classes)[joint.truth]
        for part in (counts, sums, squares)
    )
    return mixed_spread(counts, sums, squares, ratio(second * rows, whole**2, 1.0) - 1)
