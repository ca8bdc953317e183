"""Refutation by enumeration and hill climbing: a matrix on which a statement fails, verified in fractions."""

# Floats look through thousands of small matrices at once; whatever they suspect is checked in fractions
# before it is believed.

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np

from steelyard.counts.labels import Array
from steelyard.proofs.prover.subject import Subject, all_present, is_nan
from steelyard.proofs.verdict import Counterexample, as_matrix

# Float differences above this are checked exactly; gaps below are rounding noise.
SUSPICIOUS = 1e-13
# So many suspects are checked in fractions before the search goes on.
CHECKED = 60


@dataclass(frozen=True)
class Search:
    """What a search found, and how much it tried."""

    counterexample: Counterexample | None
    cases: int
    # How it was refuted or how far it held, where the usual words do not say it.
    words: str = ""


def verified(
    subjects: Sequence[Subject], suspects: Iterable[Sequence[Any]], fails: Callable[..., bool]
) -> Counterexample | None:
    """The first of the suspects, each a few matrices, whose exact values are all defined and fail."""
    for suspect in suspects:
        matrices = tuple(map(as_matrix, suspect))
        values = tuple(subject.value(matrix) for subject in subjects for matrix in matrices)
        if not any(map(is_nan, values)) and fails(*values):
            return Counterexample(matrices, values, all(subject.symbolic for subject in subjects))
    return None


def refute_pairs(subject: Subject, pairs: Iterable[tuple[Array, Array]], *, one_sided: bool = True) -> Search:
    """The smallest pair of matrices whose values differ."""
    # One of them undefined counts only if `one_sided` says so.
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
    pairs = ((before, after) for _, before, after in suspects[: 4 * CHECKED])
    return Search(first_difference(subject, pairs), cases)


def first_difference(subject: Subject, pairs: Iterable[tuple[Array, Array]]) -> Counterexample | None:
    """The first pair of matrices whose values differ; a value that is missing on one side is a difference."""
    for pair in pairs:
        matrices = before, after = as_matrix(pair[0]), as_matrix(pair[1])
        values = subject.value(before), subject.value(after)
        if subject.differ(*values):
            return Counterexample(matrices, values, subject.symbolic)
    return None


def refute_inequality(smaller: Subject, larger: Subject, n_classes: int) -> Search:
    """A matrix on which the smaller exceeds the larger: by enumeration, then by climbing towards it."""
    matrices, cases = smaller.small(n_classes), 0
    # Matrices in which every class has examples come first, as they are the more telling ones.
    for every_class in (True, False):

        def low(batch: Array, every_class: bool = every_class) -> Array:
            values = smaller.floats(batch)
            return np.where(all_present(batch), values, np.nan) if every_class else values

        def first_failing(suspects: Iterable[Any], every_class: bool = every_class) -> Counterexample | None:
            chosen = ((m,) for m in suspects if not every_class or all(any(row) for row in m))
            return verified((smaller, larger), chosen, smaller.exceeds)

        gap = _gap(low, larger.floats, matrices)
        cases += len(matrices)
        example = first_failing(matrices[np.flatnonzero(gap > SUSPICIOUS)[:CHECKED]])
        if example is None:
            climbed, tried = climb(low, larger.floats, matrices, gap, 60)
            cases += tried
            example = first_failing(climbed[:4])
            if example is not None:
                example = _shrunk(example, first_failing)
        if example is not None:
            return Search(example, cases)
    return Search(None, cases)


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
    """Hill climbing from the most promising matrices, over changes of single cells."""
    n_classes = matrices.shape[-1]
    cells = n_classes * n_classes
    moves = np.eye(cells, dtype=np.int64).reshape(cells, n_classes, n_classes)
    starts = np.argsort(-gap, kind="stable")[:16], np.linspace(0, len(matrices) - 1, 8).astype(int)
    spread = np.unique(np.concatenate(starts))
    best = matrices[spread].copy()
    scores = _gap(smaller, larger, best)
    tried = 0
    for _ in range(steps):
        here = best[:, None]
        raised, emptied = [here + moves, here + moves * (here + 1)], here * (1 - moves)
        lowered = [np.maximum(here - moves, 0), here // (1 + moves)]
        near = np.concatenate([*raised, *lowered, emptied], axis=1)
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


def _shrunk(
    example: Counterexample, first_failing: Callable[[Iterable[Any]], Counterexample | None]
) -> Counterexample:
    """The same failure on a smaller matrix: cells emptied, halved or decremented as long as it fails."""
    current = np.array(example.matrices[0], dtype=object)
    improved = True
    while improved:
        improved = False
        for place in np.ndindex(*current.shape):
            count: Any = current[place]
            lowered = []
            for lower in (Fraction(0), Fraction(count // 2), count - 1):
                if 0 <= lower < count:
                    lowered.append(current.copy())
                    lowered[-1][place] = lower
            if (again := first_failing(lowered)) is not None:
                current, example, improved = np.array(again.matrices[0], dtype=object), again, True
    return example
