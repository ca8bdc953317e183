"""Is there a matrix on which it fails? The smallest one found, verified in exact fractions.

Floats look through thousands of small matrices at once; whatever they suspect is checked in fractions before it is believed.
Differences too small for floats are looked for with random fractions.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray

from steelyard.properties.small_matrices import small_matrices
from steelyard.properties.subject import Subject, is_nan
from steelyard.properties.transformations import Transformation
from steelyard.properties.verdict import Counterexample, Matrix, as_matrix

Array = NDArray[Any]

SUSPICIOUS = 1e-13
"""Float differences above this are checked exactly; gaps below are rounding noise."""
CHECKED = 60
"""So many suspects are checked in fractions before the search goes on."""


@dataclass(frozen=True)
class Search:
    """What a search found, and how much it tried."""

    found: Counterexample | None
    cases: int


def refute_invariance(subject: Subject, change: Transformation, n_classes: int) -> Search:
    """Two matrices that the transformation joins and that have different values."""
    search = refute_pairs(subject, change.numeric_pairs(small_matrices(n_classes)))
    if search.found is None and subject.exact:
        cases = search.cases
        for one, other in _random_pairs(change, n_classes):
            cases += 1
            found = _different(subject, as_matrix(one.tolist()), as_matrix(other.tolist()))
            if found is not None:
                return Search(found, cases)
        return Search(None, cases)
    return search


def refute_pairs(subject: Subject, pairs: Iterable[tuple[Array, Array]], *, one_sided: bool = True) -> Search:
    """The smallest pair of matrices whose values differ; one of them undefined counts only if `one_sided` says so."""
    cases = 0
    suspects: list[tuple[int, Array, Array]] = []
    for before, after in pairs:
        values, changed = subject.floats(before), subject.floats(after)
        cases += len(before)
        missing = (np.isnan(values) != np.isnan(changed)) & one_sided
        with np.errstate(invalid="ignore"):
            apart = np.abs(values - changed) > SUSPICIOUS * np.maximum(1, np.abs(values))
        totals = before.sum(axis=(1, 2)) + after.sum(axis=(1, 2))
        # A difference of two values says more than a value that is missing on one side.
        places = np.flatnonzero(apart)[:CHECKED].tolist() + np.flatnonzero(missing)[:5].tolist()
        suspects += [(int(totals[k]) + (10**6 if missing[k] else 0), before[k], after[k]) for k in places]
    suspects.sort(key=lambda item: item[0])
    for _, one, other in suspects[: 4 * CHECKED]:
        found = _different(subject, as_matrix(one.tolist()), as_matrix(other.tolist()))
        if found is not None:
            return Search(found, cases)
    return Search(None, cases)


def _different(subject: Subject, one: Matrix, other: Matrix) -> Counterexample | None:
    first, second = subject.value(one), subject.value(other)
    return Counterexample((one, other), (first, second), subject.exact) if subject.differ(first, second) else None


def _random_pairs(change: Transformation, n_classes: int, count: int = 12) -> Iterator[tuple[Array, Array]]:
    draws = random.Random(1000 + n_classes)

    def draw() -> Fraction:
        return Fraction(draws.randint(1, 10**6), draws.randint(1, 10**6))

    for _ in range(count):
        matrix = np.array([[draw() for _ in range(n_classes)] for _ in range(n_classes)], dtype=object)
        yield change.random_pair(matrix, draw)


def refute_inequality(
    smaller: Callable[[Array], Array],
    larger: Callable[[Array], Array],
    exact_smaller: Callable[[Matrix], Fraction | float],
    exact_larger: Callable[[Matrix], Fraction | float],
    n_classes: int,
    *,
    slack: Fraction = Fraction(1, 10**40),
    steps: int = 60,
    exact: bool = True,
) -> Search:
    """A matrix on which the smaller exceeds the larger: by enumeration, then by climbing towards it."""
    matrices = small_matrices(n_classes)
    cases = len(matrices)
    gap = _gap(smaller, larger, matrices)
    for k in np.flatnonzero(gap > SUSPICIOUS)[:CHECKED]:
        found = _exceeding(matrices[k], exact_smaller, exact_larger, slack, exact)
        if found is not None:
            return Search(found, cases)
    climbed, tried = climb(smaller, larger, matrices, gap, steps)
    cases += tried
    for matrix in climbed[:4]:
        found = _exceeding(matrix, exact_smaller, exact_larger, slack, exact)
        if found is not None:
            return Search(_shrunk(found, exact_smaller, exact_larger, slack), cases)
    return Search(None, cases)


def _gap(smaller: Callable[[Array], Array], larger: Callable[[Array], Array], matrices: Array) -> Array:
    with np.errstate(invalid="ignore"):
        gap = smaller(matrices) - larger(matrices)
    return np.where(np.isfinite(gap), gap, -np.inf)


def climb(
    smaller: Callable[[Array], Array], larger: Callable[[Array], Array], matrices: Array, gap: Array, steps: int
) -> tuple[list[Array], int]:
    """Hill climbing from the most promising matrices, over single cells grown, doubled, lowered, halved or emptied."""
    n_classes = matrices.shape[-1]
    cells = n_classes * n_classes
    moves = np.eye(cells, dtype=np.int64).reshape(cells, n_classes, n_classes)
    spread = np.unique(np.concatenate([np.argsort(-gap, kind="stable")[:16], np.linspace(0, len(matrices) - 1, 8).astype(int)]))
    best = matrices[spread].copy()
    scores = _gap(smaller, larger, best)
    tried = 0
    for _ in range(steps):
        here = best[:, None]
        near = np.concatenate([here + moves, here + moves * (here + 1), np.maximum(here - moves, 0), here // (1 + moves), here * (1 - moves)], axis=1)
        values = _gap(smaller, larger, near.reshape(-1, n_classes, n_classes)).reshape(near.shape[:2])
        values[(near.sum(axis=(2, 3)) == 0) | (near.sum(axis=(2, 3)) > 10**7)] = -np.inf
        tried += values.size
        top = values.argmax(axis=1)
        rows = np.arange(len(best))
        better = values[rows, top] > scores + 1e-12
        best[better], scores[better] = near[rows, top][better], values[rows, top][better]
        if not better.any():
            break
    order = np.argsort(-scores, kind="stable")
    return [best[k] for k in order], tried


def _exceeding(
    matrix: Array,
    exact_smaller: Callable[[Matrix], Fraction | float],
    exact_larger: Callable[[Matrix], Fraction | float],
    slack: Fraction,
    exact: bool = True,
) -> Counterexample | None:
    rows = as_matrix(matrix.tolist() if isinstance(matrix, np.ndarray) else matrix)
    low, high = exact_smaller(rows), exact_larger(rows)
    if is_nan(low) or is_nan(high):
        return None
    margin = slack if exact else Fraction(1, 10**10)
    return Counterexample((rows,), (low, high), exact) if low - high > margin else None


def _shrunk(
    found: Counterexample, exact_smaller: Callable[[Matrix], Fraction | float], exact_larger: Callable[[Matrix], Fraction | float], slack: Fraction
) -> Counterexample:
    """The same failure on a smaller matrix: cells halved or decremented as long as it still fails."""
    current = [list(row) for row in found.matrices[0]]
    best = found
    improved = True
    while improved:
        improved = False
        for i in range(len(current)):
            for j in range(len(current)):
                for smaller_value in (Fraction(0), current[i][j] // 2, current[i][j] - 1):
                    if not 0 <= smaller_value < current[i][j]:
                        continue
                    trial = [row[:] for row in current]
                    trial[i][j] = Fraction(smaller_value)
                    again = _exceeding(trial, exact_smaller, exact_larger, slack, found.exact)  # type: ignore[arg-type]
                    if again is not None:
                        current, best, improved = trial, again, True
                        break
    return best
