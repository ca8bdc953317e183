"""Maximal and minimal agreement (gosgens2021): the best value exactly when all is right."""

# gosgens2021 calls these maximal and minimal agreement. Matrices on which the measure has no value are left
# out.

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from fractions import Fraction
from functools import partial
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from steelyard.proofs.prover.prove import Attempt, methods_of, prove_equal, prove_not_less
from steelyard.proofs.prover.refuter import CHECKED, SUSPICIOUS, Search
from steelyard.proofs.prover.regions import Point, matrix_names
from steelyard.proofs.prover.strict_inequalities import prove_greater
from steelyard.proofs.prover.subject import Subject, all_occur, all_present, is_nan
from steelyard.proofs.questions.deciding import CELLS, Argument, class_term, decided, not_asked
from steelyard.proofs.questions.every_c import never_negative_if_geometric
from steelyard.proofs.verdict import Counterexample, Verdict, as_matrix, shown_number

Array = NDArray[Any]
Side = Literal["best", "worst"]


def decide_maximal_agreement(subject: Subject, question: str, sizes: Sequence[int]) -> Verdict:
    """Is the value the best one exactly when every example is classified correctly?"""
    return _decide(subject, question, "best", sizes)


def decide_minimal_agreement(subject: Subject, question: str, sizes: Sequence[int]) -> Verdict:
    """Is the value the worst one exactly when no example is classified correctly?"""
    return _decide(subject, question, "worst", sizes)


def _decide(subject: Subject, question: str, side: Side, sizes: Sequence[int]) -> Verdict:
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
    """The value on the smallest matrix on which everything, or nothing, is right; None where there is
    none."""
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
