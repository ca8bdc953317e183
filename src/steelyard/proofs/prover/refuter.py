"""Refutation by enumeration and hill climbing: a matrix on which a statement fails, verified in fractions."""

# Floats look through thousands of small matrices at once; whatever they suspect is checked in fractions
# before it is believed.

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray

from steelyard.proofs.prover.subject import Subject, all_present
from steelyard.proofs.verdict import Counterexample, Matrix, as_matrix

Array = NDArray[Any]

# Float differences above this are checked exactly; gaps below are rounding noise.
SUSPICIOUS = 1e-13
# So many suspects are checked in fractions before the search goes on.
CHECKED = 60


@dataclass(frozen=True)
class Search:
    """What a search found, and how much it tried."""

    counterexample: Counterexample | None
    cases: int


def refute_pairs(subject: Subject, pairs: Iterable[tuple[Array, Array]], *, one_sided: bool = True) -> Search:
    """The smallest pair of matrices whose values differ; one of them undefined counts only if `one_sided`
    says so."""
    cases = 0
    suspects: list[tuple[int, Array, Array]] = []
    for before, after in pairs:
        values, changed = subject.floats(before), subject.floats(after)
        cases += len(before)
        missing = (np.isnan(values) != np.isnan(changed)) & one_sided
        with np.errstate(invalid="ignore"):
            different_values = np.abs(values - changed) > SUSPICIOUS * np.maximum(1, np.abs(values))
        totals = before.sum(axis=(1, 2)) + after.sum(axis=(1, 2))
        # A difference of two values says more than a value that is missing on one side.
        present = all_present(before) & all_present(after)
        places = (
            np.flatnonzero(different_values & present)[:CHECKED].tolist()
            + np.flatnonzero(different_values)[:CHECKED].tolist()
            + np.flatnonzero(missing)[:5].tolist()
        )
        # Nor is a matrix with a class without examples as telling as one that has all.
        suspects += [
            (int(totals[k]) + 10**7 * int(missing[k]) + 10**6 * int(not present[k]), before[k], after[k])
            for k in places
        ]
    suspects.sort(key=lambda item: item[0])
    for _, first, second in suspects[: 4 * CHECKED]:
        example = different(subject, as_matrix(first.tolist()), as_matrix(second.tolist()))
        if example is not None:
            return Search(example, cases)
    return Search(None, cases)


def different(subject: Subject, before: Matrix, after: Matrix) -> Counterexample | None:
    first, second = subject.value(before), subject.value(after)
    return (
        Counterexample((before, after), (first, second), subject.exact)
        if subject.differ(first, second)
        else None
    )


def refute_inequality(smaller: Subject, larger: Subject, n_classes: int, steps: int = 60) -> Search:
    """A matrix on which the smaller exceeds the larger: by enumeration, then by climbing towards it."""
    # Matrices in which every class has examples come first, as they are the more telling ones.
    cases = 0
    for every_class in (True, False):
        search = _refute_inequality(smaller, larger, n_classes, steps, every_class)
        cases += search.cases
        if search.counterexample is not None:
            return Search(search.counterexample, cases)
    return Search(None, cases)


def _refute_inequality(
    smaller: Subject, larger: Subject, n_classes: int, steps: int, every_class: bool
) -> Search:
    def low(batch: Array) -> Array:
        values = smaller.floats(batch)
        return np.where(all_present(batch), values, np.nan) if every_class else values

    def fails(rows: Any) -> Counterexample | None:
        matrix = as_matrix(rows)
        if every_class and not all(any(row) for row in matrix):
            return None
        low_value, high_value = smaller.value(matrix), larger.value(matrix)
        return (
            Counterexample((matrix,), (low_value, high_value), smaller.exact and larger.exact)
            if smaller.exceeds(low_value, high_value)
            else None
        )

    matrices = smaller.small(n_classes)
    gap = _gap(low, larger.floats, matrices)
    for k in np.flatnonzero(gap > SUSPICIOUS)[:CHECKED]:
        example = fails(matrices[k].tolist())
        if example is not None:
            return Search(example, len(matrices))
    climbed, tried = climb(low, larger.floats, matrices, gap, steps)
    for matrix in climbed[:4]:
        example = fails(matrix.tolist())
        if example is not None:
            return Search(_shrunk(example, fails), len(matrices) + tried)
    return Search(None, len(matrices) + tried)


def _gap(smaller: Callable[[Array], Array], larger: Callable[[Array], Array], matrices: Array) -> Array:
    with np.errstate(invalid="ignore"):
        gap = smaller(matrices) - larger(matrices)
    return np.where(np.isfinite(gap), gap, -np.inf)


def climb(
    smaller: Callable[[Array], Array],
    larger: Callable[[Array], Array],
    matrices: Array,
    gap: Array,
    steps: int,
) -> tuple[list[Array], int]:
    """Hill climbing from the most promising matrices, over single cells grown, doubled, lowered, halved or
    emptied."""
    n_classes = matrices.shape[-1]
    cells = n_classes * n_classes
    moves = np.eye(cells, dtype=np.int64).reshape(cells, n_classes, n_classes)
    spread = np.unique(
        np.concatenate(
            [np.argsort(-gap, kind="stable")[:16], np.linspace(0, len(matrices) - 1, 8).astype(int)]
        )
    )
    best = matrices[spread].copy()
    scores = _gap(smaller, larger, best)
    tried = 0
    for _ in range(steps):
        here = best[:, None]
        near = np.concatenate(
            [
                here + moves,
                here + moves * (here + 1),
                np.maximum(here - moves, 0),
                here // (1 + moves),
                here * (1 - moves),
            ],
            axis=1,
        )
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


def _shrunk(example: Counterexample, fails: Callable[[Any], Counterexample | None]) -> Counterexample:
    """The same failure on a smaller matrix: cells emptied, halved or decremented as long as it still
    fails."""
    current = [list(row) for row in example.matrices[0]]
    improved = True
    while improved:
        improved = False
        for i in range(len(current)):
            for j in range(len(current)):
                for lower in (Fraction(0), Fraction(current[i][j] // 2), current[i][j] - 1):
                    if not 0 <= lower < current[i][j]:
                        continue
                    trial = [row[:] for row in current]
                    trial[i][j] = lower
                    again = fails(trial)
                    if again is not None:
                        current, example, improved = trial, again, True
                        break
    return example
