"""Marching squares: level curves of a function on a grid."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

Array = NDArray[Any]
Point = tuple[float, float]
# A side of a square: its first corner (row, column), and whether it runs along the row.
_Edge = tuple[int, int, bool]

# The sides that a curve joins, by which corners (bottom left 1, bottom right 2, top right 4, top left 8) lie
# above the level.
# 0 bottom, 1 right, 2 top, 3 left. The two saddles, 5 and 10, are settled by the middle of the square.
_JOINED: dict[int, tuple[tuple[int, int], ...]] = {
    1: ((3, 0),),
    2: ((0, 1),),
    3: ((3, 1),),
    4: ((1, 2),),
    6: ((0, 2),),
    7: ((3, 2),),
    8: ((2, 3),),
    9: ((2, 0),),
    11: ((2, 1),),
    12: ((1, 3),),
    13: ((1, 0),),
    14: ((0, 3),),
}
_SADDLES = {
    (5, True): ((3, 2), (1, 0)),
    (5, False): ((3, 0), (1, 2)),
    (10, True): ((0, 3), (2, 1)),
    (10, False): ((0, 1), (2, 3)),
}


def level_curves(xs: Array, ys: Array, values: Array, level: float) -> list[list[Point]]:
    """The curves on which `values` (a row for each y, a column for each x) equals the level.

    Each is a chain of points; there is none where a value is NaN.
    """
    above = values >= level
    corners = above[:-1, :-1] + 2 * above[:-1, 1:] + 4 * above[1:, 1:] + 8 * above[1:, :-1]
    known = np.isfinite(values)
    whole = known[:-1, :-1] & known[:-1, 1:] & known[1:, 1:] & known[1:, :-1]
    neighbours: dict[_Edge, list[_Edge]] = {}
    for i, j in zip(
        *(place.tolist() for place in np.nonzero(whole & (corners > 0) & (corners < 15))), strict=True
    ):
        case = int(corners[i, j])
        middle = bool(values[i : i + 2, j : j + 2].mean() >= level)
        sides: tuple[_Edge, ...] = ((i, j, True), (i, j + 1, False), (i + 1, j, True), (i, j, False))
        for a, b in _JOINED.get(case) or _SADDLES[case, middle]:
            neighbours.setdefault(sides[a], []).append(sides[b])
            neighbours.setdefault(sides[b], []).append(sides[a])
    return [[_crossing(xs, ys, values, level, edge) for edge in chain] for chain in _chains(neighbours)]


def _crossing(xs: Array, ys: Array, values: Array, level: float, edge: _Edge) -> Point:
    i, j, along_row = edge
    k, m = (i, j + 1) if along_row else (i + 1, j)
    part = (level - values[i, j]) / (values[k, m] - values[i, j])
    return float(xs[j] + part * (xs[m] - xs[j])), float(ys[i] + part * (ys[k] - ys[i]))


def _chains(neighbours: dict[_Edge, list[_Edge]]) -> list[list[_Edge]]:
    """Open chains from their ends first, then the closed ones; every edge has one or two neighbours."""
    left = {edge: list(others) for edge, others in neighbours.items()}
    chains = []
    for start in [*(edge for edge, others in neighbours.items() if len(others) == 1), *neighbours]:
        chain = [start]
        while left[chain[-1]]:
            here = chain[-1]
            following = left[here].pop()
            left[following].remove(here)
            chain.append(following)
        if len(chain) > 1:
            chains.append(chain)
    return chains
