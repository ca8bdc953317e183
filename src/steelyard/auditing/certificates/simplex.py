"""Which multiples of inequalities add up to one that cannot hold?

A search in doubles: what it finds is made of fractions and checked in fractions elsewhere, so that it need
not be trusted.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]

MOST_STEPS = 400
_SMALL = 1e-9


def multiples(forms: Array, constants: Array) -> tuple[Array | None, Array]:
    """Numbers m >= 0, their sum at most 1, for which m @ (forms @ y + constants) is negative at every y
    from 0 to 1 (None if there are none), and a y at which the inequalities hold as nearly as they can.

    With u_j = max(0, (m @ forms)_j) the greatest value is m @ constants + sum of u: that is made as small as
    it can be, beginning with m = u = 0.
    """
    rows, width = forms.shape
    # Columns: m, u and a slack for each line; lines: (m @ forms)_j - u_j <= 0, and the sum of m <= 1.
    table = np.zeros((width + 2, rows + width + width + 2))
    table[:width, :rows] = forms.T
    table[:width, rows : rows + width] = -np.eye(width)
    table[width, :rows] = 1.0
    table[: width + 1, rows + width : -1] = np.eye(width + 1)
    table[width, -1] = 1.0
    # A little room on every line keeps the steps from going round in a circle.
    table[:width, -1] = 1e-11 * (1 + np.arange(width) % 7)
    table[-1, :rows] = constants
    table[-1, rows : rows + width] = 1.0
    basis = np.arange(rows + width, rows + width + width + 1)
    for _ in range(MOST_STEPS):
        column = int(np.argmin(table[-1, :-1]))
        if table[-1, column] > -_SMALL:
            break
        entries = table[:-1, column]
        with np.errstate(divide="ignore", invalid="ignore"):
            ratios = np.where(entries > _SMALL, table[:-1, -1] / entries, np.inf)
        line = int(np.argmin(ratios))
        if not np.isfinite(ratios[line]):
            break
        _turned(table, line, column)
        basis[line] = column
    found = np.zeros(table.shape[1] - 1)
    found[basis] = table[:-1, -1]
    where = np.clip(table[-1, rows + width : rows + 2 * width], 0.0, 1.0)
    return (found[:rows] if table[-1, -1] > 10 * _SMALL else None), where


def _turned(table: NDArray[Any], line: int, column: int) -> None:
    table[line] /= table[line, column]
    factors = table[:, column].copy()
    factors[line] = 0.0
    table -= factors[:, None] * table[line]
