"""Mixture proportions: maximum likelihood of class priors, given the distribution of each class.

Labelled rows say how each class spreads over cells (predicted labels, or bins of scores); unlabelled rows say
how all classes together do. If classes look the same in both (label shift), the unlabelled cells are a
mixture of the classes', and the shares of the mixture are the class priors. With as many cells as classes
that is the inverse of the confusion matrix; with more it is the mixture that is nearest, each cell weighted
by how well both sides know it.

Draws do not fit again: which combination of cells is asked stays as it was for the estimate, so that noise of
the labelled rows is not taken for a signal, and they may leave 0..1, so that the ends of an interval are not
piled up there.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

Array = NDArray[Any]

# The prior of every distribution over cells is worth this many examples, as that of a class's rates is.
PRIOR_WORTH = 1.0
# How often the weights of the cells are found again from the shares they lead to.
ROUNDS = 6


@dataclass(frozen=True)
class Cells:
    """How often rows of each class, and rows of unknown class, fall into each cell."""

    labelled: Array
    """(C, B) counts of labelled rows, classes by cells."""
    unlabelled: Array
    """(B,) counts of unlabelled rows."""

    @property
    def rates(self) -> Array:
        """(C, B): how each class spreads over the cells."""
        return np.asarray(self.labelled / self.labelled.sum(axis=-1, keepdims=True))

    @property
    def seen(self) -> Array:
        """(B,): how the unlabelled rows spread over the cells."""
        return np.asarray(self.unlabelled / self.unlabelled.sum(axis=-1, keepdims=True))


@dataclass(frozen=True)
class Mixture:
    """The shares that fit best."""

    shares: Array
    """(..., C), each at least 0, together 1."""
    weights: Array
    """(..., B): how much each cell says."""


def nearest_mixture(labelled: Array, unlabelled: Array) -> Mixture:
    """The mixture of the classes nearest to the unlabelled cells; batches come first in both."""
    sizes = labelled.sum(axis=-1, keepdims=True)
    total = unlabelled.sum(axis=-1, keepdims=True)
    cells = unlabelled.shape[-1]
    rates, seen = labelled / sizes, unlabelled / total
    # Variances are taken at smoothed rates: a cell that holds nothing is not known exactly.
    smooth = (labelled + PRIOR_WORTH / cells) / (sizes + PRIOR_WORTH)
    shares = np.full(labelled.shape[:-1], 1 / labelled.shape[-2])
    for _ in range(ROUNDS):
        mixed = np.einsum("...k,...kb->...b", shares, smooth)
        variance = mixed / total + np.einsum("...k,...kb->...b", shares**2, smooth / sizes)
        weights = 1 / variance
        shares = _on_simplex(rates, seen, weights)
    return Mixture(shares, weights)


def _on_simplex(rates: Array, seen: Array, weights: Array) -> Array:
    """Weighted least squares with shares that sum to 1; a class whose share would be negative is left out,
    the most negative first."""
    classes = rates.shape[-2]
    weighted = rates * weights[..., None, :]
    # Scaled, so that the row that sums the shares weighs like the others.
    scale = np.trace(weighted @ rates.swapaxes(-1, -2), axis1=-2, axis2=-1)[..., None, None] / classes
    system = np.zeros((*rates.shape[:-2], classes + 1, classes + 1))
    system[..., :classes, :classes] = (weighted @ rates.swapaxes(-1, -2)) / scale
    system[..., classes, :classes] = system[..., :classes, classes] = 1
    goal = np.ones((*rates.shape[:-2], classes + 1))
    goal[..., :classes] = np.einsum("...kb,...b->...k", weighted, seen) / scale[..., 0]
    out = np.zeros(rates.shape[:-1], dtype=bool)
    for _ in range(classes):
        shares = _solved(system, goal, out)
        worst = shares.argmin(axis=-1)[..., None]
        negative = np.take_along_axis(shares, worst, -1) < -1e-12
        if not negative.any():
            break
        np.put_along_axis(out, worst, np.take_along_axis(out, worst, -1) | negative, -1)
    kept = np.where(out, 0, np.maximum(shares, 0))
    return np.asarray(kept / kept.sum(axis=-1, keepdims=True))


def _solved(system: Array, goal: Array, out: Array) -> Array:
    """The shares of the classes that are not left out."""
    classes = out.shape[-1]
    without = np.concatenate([out, np.zeros((*out.shape[:-1], 1), dtype=bool)], axis=-1)
    cut = np.where(without[..., :, None] | without[..., None, :], np.eye(classes + 1), system)
    wanted = np.where(without, 0, goal)
    # The pseudo-inverse: classes that no cell tells apart share what they have in common.
    return np.asarray(np.einsum("...ij,...j->...i", np.linalg.pinv(cut, hermitian=True), wanted))[
        ..., :classes
    ]


def instruments(cells: Cells, weights: Array) -> Array:
    """(C - 1, B): which combinations of cells tell each class from the last one."""
    return np.asarray((cells.rates[:-1] - cells.rates[-1]) * weights)


def drawn_cells(counts: Array, like: Array, random: np.random.Generator, size: int) -> Array:
    """(size, ..., B): distributions over cells that these counts allow; `like` is what the prior looks
    like."""
    drawn = random.standard_gamma(counts + PRIOR_WORTH * like, size=(size, *counts.shape))
    drawn += 1e-300  # a row of draws that all underflow is even
    return np.asarray(drawn / drawn.sum(axis=-1, keepdims=True))


def drawn_shares(asked: Array, rates: Array, seen: Array) -> Array:
    """(size, C): the shares at drawn rates (size, C, B) and drawn cells (size, B), by the combinations asked
    (C - 1, B). They sum to 1 and may lie outside 0..1."""
    last = rates[:, -1]
    system = np.einsum("kb,djb->dkj", asked, rates[:, :-1] - last[:, None])
    goal = np.einsum("kb,db->dk", asked, seen - last)
    if system.shape[-1] == 1:
        with np.errstate(divide="ignore", invalid="ignore"):
            first = goal / system[:, 0]
    else:
        first = np.einsum("dij,dj->di", np.linalg.pinv(system), goal)
    first = np.nan_to_num(first, nan=0.5, posinf=1e9, neginf=-1e9)
    return np.concatenate([first, 1 - first.sum(axis=-1, keepdims=True)], axis=-1)


def nearest_shares(shares: Array) -> Array:
    """Shares that may lie outside 0..1, moved to the nearest ones that do not."""
    ordered = -np.sort(-shares, axis=-1)
    above = (np.cumsum(ordered, axis=-1) - 1) / np.arange(1, shares.shape[-1] + 1)
    last = (ordered > above).sum(axis=-1, keepdims=True) - 1
    moved = np.maximum(shares - np.take_along_axis(above, last, -1), 0)
    return np.asarray(moved / moved.sum(axis=-1, keepdims=True))


def pooled(cells: Cells) -> Array:
    """(B,): how rows of all classes and of unknown class spread over the cells, each kind counting alike."""
    kinds = np.concatenate([cells.rates, cells.seen[None]])
    flat = np.full(kinds.shape[-1], 1 / kinds.shape[-1])
    return np.asarray((kinds.mean(axis=0) + flat) / 2)
