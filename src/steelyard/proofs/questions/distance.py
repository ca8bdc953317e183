"""Distance (gosgens2021): is the gap to the best value a metric on labelings?"""

# Three labelings of the same examples make a table of C x C x C counts; any two of them make a confusion
# matrix. The gap is a distance if it is the same both ways, 0 exactly between equal labelings, and never
# longer than the way over a third labeling. Labelings between which the measure has no value are left out.

from __future__ import annotations

import itertools
from collections.abc import Sequence
from fractions import Fraction
from functools import lru_cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from steelyard.proofs.prover.prove import Attempt, methods_of, prove_equal, prove_not_less, together
from steelyard.proofs.prover.refuter import CHECKED, SUSPICIOUS, Search, verified
from steelyard.proofs.prover.regions import Point, matrix_names
from steelyard.proofs.prover.subject import Subject
from steelyard.proofs.prover.symbols import Angle, TooHardError
from steelyard.proofs.questions.deciding import bound_effort, decided, not_asked
from steelyard.proofs.questions.extremal_agreement import decide_maximal_agreement, end_value
from steelyard.proofs.questions.invariance import decide_invariance, transposed
from steelyard.proofs.verdict import Verdict, shown_number

Array = NDArray[Any]
BY_ANGLES = (
    "it is the angle between the centred labelings, and the determinant of the covariances of three labelings"
    " is never negative"
)
# The axis that is summed over for the labelings first and second, second and third, first and third.
PAIRS = (2, 0, 1)


def decide_distance(subject: Subject, question: str, sizes: Sequence[int]) -> Verdict:
    """Is the best value less the value a distance between labelings?"""
    searches: dict[int, Search] = {}
    conditions: dict[int, tuple[Verdict, Verdict]] = {}
    notes: list[str] = []
    ends = {c: best for c in sizes if (best := end_value(subject, c, "best")) is not None}
    for c, best in ends.items():
        symmetric = decide_invariance(subject, question, transposed, (c,))
        at_best = decide_maximal_agreement(subject, question, (c,))
        conditions[c] = symmetric, at_best
        failed = next((v for v in conditions[c] if v.counterexample is not None), None)
        if failed is not None:
            searches[c] = Search(failed.counterexample, sum(decision.cases for decision in failed.at))
            both_ways = "0 between labelings that differ, or not between equal ones"
            notes.append(f"C = {c}: {'not the same both ways' if failed is symmetric else both_ways}")
            continue
        searches[c] = _longer_than_the_way_round(subject, c, best)
        if (example := searches[c].counterexample) is not None:
            gaps = [shown_number(subject.orientation * (best - v)) for v in example.values]
            notes.append(
                f"C = {c}: of three labelings the first and the third are {gaps[2]} apart, over the second"
                f" only {gaps[0]} + {gaps[1]}"
            )

    def prove(c: int) -> Attempt:
        if any(v.grade != "proved" for v in conditions[c]):
            return Attempt(False, "symmetry or the best value is open")
        attempt = _prove(subject, c, Fraction(ends[c]))
        if not attempt.proved:
            return attempt
        return Attempt(True, methods_of([*(v.method for v in conditions[c]), attempt.method]))

    if not searches:
        return not_asked(subject, question, "it has no value on matrices on which everything is right", sizes)
    return decided(subject, question, searches, prove, notes=notes)


@lru_cache(maxsize=4)
def labelings(n_classes: int) -> Array:
    """Tables of three labelings: of two classes all counts up to 2, then sparse and full random ones."""
    cells = n_classes**3
    random = np.random.default_rng(n_classes)
    parts = []
    if n_classes == 2:
        codes = np.arange(3**cells)
        parts.append(np.stack([(codes // 3**k) % 3 for k in range(cells)], axis=-1))
    drawn = random.integers(1, 5, size=(12_000, cells))
    density = random.choice([2 / cells, 4 / cells, 0.3, 1.0], size=(len(drawn), 1))
    parts.append(drawn * (random.random(drawn.shape) < density))
    tables = np.unique(np.concatenate(parts), axis=0)
    tables = tables[tables.sum(axis=1) > 0]
    tables = tables[np.argsort(tables.sum(axis=1), kind="stable")]
    return np.asarray(tables.reshape(-1, n_classes, n_classes, n_classes))


def _longer_than_the_way_round(subject: Subject, n_classes: int, best: Fraction | float) -> Search:
    tables = labelings(n_classes)[: 2 * subject.most]
    pairs = [tables.sum(axis=1 + axis) for axis in PAIRS]
    sign = subject.orientation
    gaps = [sign * (float(best) - subject.floats(pair)) for pair in pairs]
    with np.errstate(invalid="ignore"):
        longer = np.flatnonzero(gaps[2] - gaps[0] - gaps[1] > SUSPICIOUS)

    def fails(*values: Fraction | float) -> bool:
        first, second, third = (sign * (best - v) for v in values)
        return subject.exceeds(third, first + second)

    suspects = ([pair[k] for pair in pairs] for k in longer[:CHECKED])
    return Search(verified([subject], suspects, fails), len(tables))


def _prove(subject: Subject, n_classes: int, best: Fraction) -> Attempt:
    names = [f"m{i}_{j}_{k}" for i, j, k in itertools.product(range(n_classes), repeat=3)]
    sign = subject.orientation

    def compute(at: Point) -> tuple[Any, Any]:
        table = at.counts(names).reshape((n_classes,) * 3)
        first, second, third = (
            sign * (best - subject.symbol(table.sum(axis=axis), at.numbers)) for axis in PAIRS
        )
        return first + second, third

    if sign < 0 and best == 0 and n_classes == 2:
        attempt = _prove_angle(subject, names)
        if attempt.proved:
            return attempt
    return prove_not_less(names, compute, bound_effort(n_classes))


def _prove_angle(subject: Subject, names: Sequence[str]) -> Attempt:
    """The angle between the centred indicator vectors of two labelings is a distance."""
    # Angles with cosines a, b, c satisfy the triangle inequality where 1 + 2abc - a² - b² - c² is not
    # negative; for the covariances of three vectors that is their determinant, which is a polynomial of the
    # counts.

    def covariance(table: Array, first: int, second: int) -> Any:
        rest = tuple(axis for axis in range(table.ndim) if axis not in (first, second))
        counts = table.sum(axis=rest) if rest else table
        if first == second:
            return counts[0] * counts[1]
        return counts[0, 0] * counts[1, 1] - counts[0, 1] * counts[1, 0]

    def correlation(at: Point) -> tuple[Any, Any]:
        matrix = at.matrix(2)
        angle = subject.symbol(matrix, at.numbers)
        if not isinstance(angle, Angle):
            raise TooHardError("it is no angle")
        spread = covariance(matrix, 0, 0) * covariance(matrix, 1, 1)
        return angle.cosine, covariance(matrix, 0, 1) * spread ** Fraction(-1, 2)

    def determinant(at: Point) -> tuple[Any, Any]:
        table = at.counts(names).reshape(2, 2, 2)
        x, y, z = (covariance(table, k, k) for k in range(3))
        a, b, c = covariance(table, 0, 1), covariance(table, 1, 2), covariance(table, 0, 2)
        return x * y * z + 2 * a * b * c, a * a * z + b * b * x + c * c * y

    parts = [prove_equal(matrix_names(2), correlation), prove_not_less(names, determinant, bound_effort(2))]
    attempt = together(parts)
    return Attempt(True, f"{BY_ANGLES}: {attempt.method}") if attempt.proved else attempt
