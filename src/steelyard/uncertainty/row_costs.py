"""How sure are we of a cost, when what an error costs differs from row to row?

Three sums a cell are enough: rows, amounts and squared amounts. The rates of the classes are drawn as for
every other measure; the mean amount of a cell is drawn from an inverse Gamma distribution, which reaches
further up than down as amounts do, around the mean of its rows and one more that has the mean amount of the
true class, with the variance that a mean of so many amounts has, and what Student's distribution adds to it.
A cell with few rows borrows the spread of its true class, too.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from steelyard.counts.confusion import Confusion
from steelyard.counts.joint import JointCounts
from steelyard.uncertainty.draws import Design, blocks, design_in_use
from steelyard.uncertainty.limits import unbiased_percentiles
from steelyard.uncertainty.posterior import posterior_centres

Array = NDArray[Any]
BORROWED = 20.0
"""Rows' worth of its true class in what is taken for the spread of a cell's amounts."""
_OF_FEW = 4.0
"""The squares of Student's quantiles exceed those of the normal distribution by about 4 / (k + 1) of them, as
of weights (`weighted`)."""


@dataclass(frozen=True, eq=False)
class Spent:
    """What the decisions cost for each row, and what each answer would if it were always given."""

    cost: Array
    """Shape (...)."""
    constants: Array
    """Shape (..., C)."""

    @property
    def saved(self) -> Array:
        return np.asarray(self.constants.min(axis=-1) - self.cost)

    @property
    def savings(self) -> Array:
        """Undefined where some answer that is always the same costs nothing."""
        least = self.constants.min(axis=-1)
        return np.asarray(np.divide(self.saved, least, out=np.full(np.shape(least), np.nan), where=least > 0))


def spent(matrices: Array, amounts: Array, fixed: Array, times: Array) -> Spent:
    """The costs on matrices (..., C, C), when the rows of a cell have these amounts on average."""
    rows = matrices.sum(axis=(-1, -2))
    in_cells = matrices * amounts
    cost = (matrices * fixed + in_cells * times).sum(axis=(-1, -2)) / rows
    constants = (matrices.sum(axis=-1) @ fixed + in_cells.sum(axis=-1) @ times) / rows[..., None]
    return Spent(np.asarray(cost), np.asarray(constants))


def mean_amounts(counts: Array, sums: Array) -> Array:
    """The mean amount of each cell; of an empty one that of its true class, or of all rows."""
    return np.where(counts > 0, ratio(sums, counts, 0.0), _of_class(counts, sums)[:, None])


def _of_class(counts: Array, sums: Array) -> Array:
    """The mean amount of each true class, shape (C,); of an empty one that of all rows."""
    whole = float(sums.sum() / max(float(counts.sum()), 1.0))
    return ratio(sums.sum(axis=1), counts.sum(axis=1), whole)


def drawn_costs(
    matrix: Confusion,
    sums: Array,
    squares: Array,
    fixed: Array,
    times: Array,
    *,
    design: Design,
    draws: int,
    seed: int,
    factors: Array | None = None,
) -> tuple[Spent, Spent]:
    """The costs on drawn test sets (draws,), and at the mean of what is drawn; `factors` scale the true
    classes."""
    counts = np.asarray(matrix.counts, dtype=np.float64)
    amounts = (sums + _of_class(counts, sums)[:, None]) / (counts + 1)
    spread = _relative_variance(counts, sums, squares) * (1 + _OF_FEW / (counts + 1)) / (counts + 1)
    joint = JointCounts.from_confusion(matrix)
    random = np.random.Generator(np.random.PCG64(np.random.SeedSequence(seed, spawn_key=(0, 7))))
    scale = np.ones((len(counts), 1)) if factors is None else np.asarray(factors).reshape(-1, 1)
    cost, constants = np.empty(draws), np.empty((draws, len(counts)))
    for where, drawn in blocks(joint, "posterior", design, "shared", draws, seed):
        moved = around(amounts, spread, random, len(drawn[0]))
        found = spent(drawn[0] * scale, moved, fixed, times)
        cost[where], constants[where] = found.cost, found.constants
    centre = posterior_centres(joint, design_in_use(design) == "fixed", "shared")[0]
    return Spent(cost, constants), spent(centre * scale, amounts, fixed, times)


def ends(value: float, drawn: Array, centre: float, level: float) -> tuple[float, float]:
    """The interval of one of the costs, its value inside it."""
    known = drawn[~np.isnan(drawn)]
    if not len(known) or np.isnan(value):
        return float("nan"), float("nan")
    low, high = unbiased_percentiles(known, centre, level)
    return min(low, value), max(high, value)


def _relative_variance(counts: Array, sums: Array, squares: Array) -> Array:
    """The squared coefficient of variation of the amounts in each cell, mixed with that of its class."""
    rows, whole, second = (part.sum(axis=1) for part in (counts, sums, squares))
    return mixed_spread(counts, sums, squares, (ratio(second * rows, whole**2, 1.0) - 1)[:, None])


def mixed_spread(counts: Array, sums: Array, squares: Array, of_class: Array) -> Array:
    """The squared coefficients of variation of cells, each mixed with that of its class."""
    own = ratio(squares * counts, sums**2, 1.0) - 1
    borrowed = BORROWED * np.maximum(of_class, 0)
    together = (np.maximum(own, 0) * counts + borrowed) / (counts + BORROWED)
    return np.asarray(np.where(counts > 1, together * counts / np.maximum(counts - 1, 1), together))


def around(means: Array, variance: Array, random: np.random.Generator, size: int) -> Array:
    """Inverse Gamma numbers (size, ...) with these means and squared coefficients of variation."""
    moves = (variance > 1e-12) & (means > 0)
    shape = np.where(moves, 1 / np.where(moves, variance, 1.0) + 2, 3.0)
    drawn = (shape - 1) / random.standard_gamma(np.broadcast_to(shape, (size, *means.shape)))
    return np.where(moves, drawn * means, means)


def ratio(part: Array, whole: Array, otherwise: float) -> Array:
    out = np.full(np.broadcast_shapes(np.shape(part), np.shape(whole)), otherwise)
    np.divide(part, whole, out=out, where=np.asarray(whole) > 0)
    return out
