"""Is a matrix that gives the values near a matrix that almost does? Examples are moved from cell to cell
while that brings the values nearer.

Halving boxes proves; climbing only finds. Where many matrices fit but boxes must become small before that
shows (five classes, thousands of examples), it is the quicker way to a witness, which is then checked in
exact fractions like any other.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from steelyard.auditing.demands import Demand
from steelyard.auditing.search import Budget
from steelyard.auditing.spaces import Matrix, Sizes
from steelyard.counts.confusion import Confusion
from steelyard.measures.undefined import Undefined

Array = NDArray[Any]

INNER = 0.6
"""The part of an interval that is aimed at."""


def climb(demands: Sequence[Demand], sizes: Sizes, undefined: Undefined, budget: Budget) -> Matrix | None:
    """A matrix of these (known) sizes on which every demand holds, or None if none was found."""
    known = [size for size in sizes.known if size is not None]
    random = np.random.default_rng(len(known))
    while not budget.spent(0):
        matrix = _start(known, random)
        cost = np.inf
        while not budget.spent(0):
            near = _neighbours(matrix, random)
            costs, fits = _cost(near, demands, sizes, undefined)
            for number in np.flatnonzero(fits)[:5]:
                found = tuple(tuple(int(v) for v in row) for row in near[number])
                if all(d.holds(d.value(found, sizes.labels, undefined)) for d in demands):
                    return found
            best = int(np.argmin(costs))
            if not costs[best] < cost:
                break
            matrix, cost = near[best], costs[best]
    return None


def _start(sizes: Sequence[int], random: np.random.Generator) -> Array:
    """A random matrix, its classes told right more or less often."""
    count = len(sizes)
    rows = []
    for place, size in enumerate(sizes):
        shares = random.dirichlet(np.ones(count))
        shares[place] += random.random() * 2
        rows.append(random.multinomial(size, shares / shares.sum()))
    return np.array(rows)


def _neighbours(matrix: Array, random: np.random.Generator) -> Array:
    """The matrices in which some examples of one class, few or many, are predicted as another class than
    before."""
    count = len(matrix)
    row, source, target = (index.ravel() for index in np.meshgrid(*[np.arange(count)] * 3, indexing="ij"))
    steps = [1 << power for power in range(int(matrix.sum(axis=1).max()).bit_length())]
    found = []
    for step in steps:
        movable = (source != target) & (matrix[row, source] >= step)
        for r, s, t in zip(row[movable], source[movable], target[movable], strict=True):
            found.append((r, s, t, step))
    moves = np.array(found)
    if len(moves) > 2000:
        moves = moves[random.choice(len(moves), 2000, replace=False)]
    near = np.repeat(matrix[None], len(moves), axis=0)
    at = np.arange(len(moves))
    near[at, moves[:, 0], moves[:, 1]] -= moves[:, 3]
    near[at, moves[:, 0], moves[:, 2]] += moves[:, 3]
    return near


def _cost(
    matrices: Array, demands: Sequence[Demand], sizes: Sizes, undefined: Undefined
) -> tuple[Array, NDArray[np.bool_]]:
    """How far are the values from the inner part of their intervals, squared and in units of the intervals;
    and do all seem to fit?"""
    total, fits = np.zeros(len(matrices)), np.ones(len(matrices), dtype=bool)
    for demand in demands:
        seen = np.swapaxes(matrices, 1, 2) if demand.transposed else matrices
        positive = None if demand.place is None else sizes.labels[demand.place]
        value = demand.measure(
            Confusion(seen, sizes.labels, copy=False), undefined=undefined, positive=positive
        )
        low, high = float(demand.interval.low), float(demand.interval.high)
        width = max(high - low, 1e-9)
        # The inner part is the aim: nearing an end from outside, steps would become ever smaller.
        away = np.maximum(np.abs(value - (low + high) / 2) / width - INNER / 2, 0.0)
        total += np.where(np.isnan(away), 1e6, away) ** 2
        fits &= (value >= low - 1e-12) & (value <= high + 1e-12)
    return total, fits
