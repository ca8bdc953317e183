"""Maximal and minimal agreement, and distance between labelings (gosgens2021)."""

# gosgens2021 calls these maximal and minimal agreement. Matrices on which the measure has no value are left
# out.

from __future__ import annotations

import itertools
from collections.abc import Mapping, Sequence
from dataclasses import replace
from fractions import Fraction
from functools import lru_cache, partial
from typing import Any, Literal

import numpy as np

from steelyard.counts.labels import Array
from steelyard.proofs.prover.prove import Attempt, methods_of, prove_equal, prove_not_less, together
from steelyard.proofs.prover.refuter import CHECKED, SUSPICIOUS, Search, verified
from steelyard.proofs.prover.regions import Point, matrix_names
from steelyard.proofs.prover.strict_inequalities import prove_greater
from steelyard.proofs.prover.subject import Subject, all_occur, all_present, is_nan
from steelyard.proofs.prover.symbols import Angle, TooHardError
from steelyard.proofs.questions.deciding import CELLS, Argument, bound_effort, class_term, decided, not_asked
from steelyard.proofs.questions.every_c import never_negative_if_geometric
from steelyard.proofs.questions.invariance import transposed
from steelyard.proofs.verdict import Counterexample, Verdict, as_matrix, shown_number

Side = Literal["best", "worst"]


def decide_agreement(subject: Subject, question: str, sizes: Sequence[int], side: Side) -> Verdict:
    """Is the value the best one exactly when all is classified correctly, or the worst when nothing is?"""
    ends = {c: end for c in sizes if (end := end_value(subject, c, side)) is not None}
    if not ends:
        right = "everything" if side == "best" else "nothing"
        return not_asked(subject, question, f"it has no value on matrices on which {right} is right", sizes)
    searches = {c: _refuted(subject, c, side, end) for c, end in ends.items()}
    note = "; ".join(f"{side} at C = {c}: {shown_number(end)}" for c, end in ends.items())

    def argument() -> Argument | None:
        values = set(ends.values())
        for_all = _every_c(subject, side, Fraction(values.pop())) if len(values) == 1 else None
        return None if for_all is None else replace(for_all, notes=(note,))

    prove = partial(_prove, subject, side, ends)
    return decided(subject, question, searches, prove, argument, (note,))


def is_end(matrices: Array, side: Side) -> Array:
    """Which matrices are diagonal, or have nothing on the diagonal?"""
    right = np.diagonal(matrices, axis1=-2, axis2=-1).sum(axis=-1)
    return np.asarray(right == matrices.sum(axis=(-2, -1)) if side == "best" else right == 0)


def end_value(subject: Subject, n_classes: int, side: Side) -> Fraction | float | None:
    """The value on the smallest matrix on which everything, or nothing, is right."""
    # None where there is none.
    matrices = subject.small(n_classes)
    chosen = matrices[is_end(matrices, side)]
    telling = all_occur(chosen)
    for matrix in [*chosen[telling][:100], *chosen[~telling][:100]]:
        value = subject.value(matrix)
        if not is_nan(value):
            # Roots are only known to many digits; where a short fraction is that near it is meant.
            short = Fraction(value).limit_denominator(1000)
            return value if subject.differ(value, short) else short
    return None


def _refuted(subject: Subject, n_classes: int, side: Side, end: Fraction | float) -> Search:
    """A matrix at the end with another value, or one elsewhere with a value as good (or as bad)."""
    matrices = subject.small(n_classes)
    values = subject.floats(matrices)
    there = is_end(matrices, side)
    sign = subject.orientation * (1 if side == "best" else -1)
    with np.errstate(invalid="ignore"):
        beyond = sign * (values - float(end))
        wrong = np.where(there, np.abs(beyond) > SUSPICIOUS, beyond >= -SUSPICIOUS) & np.isfinite(values)
    # A matrix in which every class has examples tells more than one with an empty class.
    telling = np.flatnonzero(wrong & all_present(matrices))
    for k in [*telling[:CHECKED], *np.flatnonzero(wrong)[:CHECKED]]:
        value = subject.value(matrices[k])
        if is_nan(value):
            continue
        worse = subject.exceeds(*_ordered(subject, side, end, value))
        if subject.differ(value, end) if there[k] else not worse:
            anchor = next(m for m in matrices[there] if not subject.differ(subject.value(m), end))
            pair = as_matrix(anchor), as_matrix(matrices[k])
            return Search(Counterexample(pair, (end, value), subject.symbolic), len(matrices))
    return Search(None, len(matrices))


def _ordered(subject: Subject, side: Side, end: Any, value: Any) -> tuple[Any, Any]:
    """The greater of the two first, as the statement has it."""
    return (end, value) if (subject.orientation > 0) == (side == "best") else (value, end)


def _prove(subject: Subject, side: Side, ends: Mapping[int, Fraction | float], n_classes: int) -> Attempt:
    names, end = matrix_names(n_classes), Fraction(ends[n_classes])
    diagonal = [f"m{i}_{i}" for i in range(n_classes)]
    errors = [name for name in names if name not in diagonal]
    left, elsewhere = (diagonal, errors) if side == "best" else (errors, diagonal)

    def at_the_end(at: Point) -> tuple[Any, Any]:
        return subject.symbol(at.without(elsewhere).matrix(n_classes), at.numbers), end

    def beyond(at: Point) -> tuple[Any, Any]:
        return _ordered(subject, side, end, subject.symbol(at.matrix(n_classes), at.numbers))

    there = prove_equal(left, at_the_end)
    if not there.proved:
        return there
    strictly = prove_greater(names, beyond, groups=(elsewhere,))
    if not strictly.proved:
        return strictly
    return Attempt(True, methods_of([there.method, strictly.method]), where=there.where)


def _every_c(subject: Subject, side: Side, end: Fraction) -> Argument | None:
    """A mean of class terms that are all at the end exactly where no class has an error (or a hit)."""
    term = class_term(subject.measure)
    if term is None or (term.kind == "geometric" and (side == "worst" or end <= 0)):
        return None

    if not never_negative_if_geometric(term):
        return None

    def off(at: Point) -> tuple[Any, Any]:
        return _ordered(subject, side, end, term.on(at))

    empty = ("fn", "fp") if side == "best" else ("d",)
    # Where a matrix is not at the end, some class has an error that it made and some class one that it
    # received.
    for telling in empty:
        names = [name for name in CELLS if name not in empty]
        there = prove_equal(names, lambda at: (term.on(at, *empty), end))
        strictly = prove_greater(CELLS, off, positive=(telling,))
        never = prove_not_less(CELLS, off)
        if there.proved and strictly.proved and never.proved:
            words = (
                f"no class term is {'better' if side == 'best' else 'worse'} than {end}, and it is {end}"
                f" exactly where the class has no {'error' if side == 'best' else 'hit'}:"
                f" {methods_of([there.method, strictly.method])}"
            )
            return Argument.of(words, term, strictly, never)
    return None


# Three labelings of the same examples make a table of C x C x C counts; any two of them make a confusion
# matrix. The gap is a distance if it is the same both ways, 0 exactly between equal labelings, and never
# longer than the way over a third labeling. Labelings between which the measure has no value are left out.
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
        symmetric = transposed.decide(subject, question, (c,))
        at_best = decide_agreement(subject, question, (c,), "best")
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
        attempt = _prove_distance(subject, c, Fraction(ends[c]))
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


def _prove_distance(subject: Subject, n_classes: int, best: Fraction) -> Attempt:
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
