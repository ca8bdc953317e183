"""Does a measure take its best value exactly when everything is right, and its worst exactly when nothing is?

gosgens2021 calls these maximal and minimal agreement. Matrices on which the measure has no value are left
out."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from steelyard.proofs.prover.class_terms import CELLS, ClassTerm, cells_of, class_term
from steelyard.proofs.prover.prove import (
    Attempt,
    Compute,
    counts_named,
    generic_matrix,
    matrix_names,
    methods_of,
    prove_equal,
    prove_not_less,
)
from steelyard.proofs.prover.refuter import CHECKED, SUSPICIOUS, Search
from steelyard.proofs.prover.regions import Symbols
from steelyard.proofs.prover.strict_inequalities import prove_greater
from steelyard.proofs.prover.subject import Subject, is_nan
from steelyard.proofs.prover.symbols import Field
from steelyard.proofs.questions.every_c import Argument
from steelyard.proofs.questions.invariance import at_one_size, first_found, for_every_c, sizes_for
from steelyard.proofs.verdict import (
    Counterexample,
    Verdict,
    as_matrix,
    joined,
    named_classes,
    shown_number,
)

Array = NDArray[Any]
Side = Literal["best", "worst"]


def decide_maximal_agreement(subject: Subject, question: str, sizes: Sequence[int] = (2, 3)) -> Verdict:
    """Is the value the best one exactly when every example is classified correctly?"""
    return _decide(subject, question, "best", sizes)


def decide_minimal_agreement(subject: Subject, question: str, sizes: Sequence[int] = (2, 3)) -> Verdict:
    """Is the value the worst one exactly when no example is classified correctly?"""
    return _decide(subject, question, "worst", sizes)


def no_better_end(subject: Subject, question: str, used: Sequence[int]) -> Verdict | None:
    """The verdict on a measure of which neither end is better; None for any other."""
    if subject.measure.better != "neither":
        return None
    return Verdict(
        subject.name,
        question,
        "not applicable",
        "neither end of its scale is better",
        named_classes(used),
    )


def orientation(subject: Subject) -> int:
    """1 where higher is better, else -1."""
    return -1 if subject.measure.better == "lower" else 1


def _decide(subject: Subject, question: str, side: Side, sizes: Sequence[int]) -> Verdict:
    used = sizes_for(subject, sizes)
    not_asked = no_better_end(subject, question, used)
    if not_asked is not None:
        return not_asked
    ends = {c: end_value(subject, c, side) for c in used}
    if all(end is None for end in ends.values()):
        said = "on which everything is right" if side == "best" else "on which nothing is right"
        return Verdict(
            subject.name,
            question,
            "not applicable",
            f"it has no value on matrices {said}",
            named_classes(used),
        )
    known = {c: end for c, end in ends.items() if end is not None}
    searches = {c: _refuted(subject, c, side, end) for c, end in known.items()}
    note = "; ".join(f"{side} at C = {c}: {shown_number(end)}" for c, end in known.items())
    values = set(known.values())
    if subject.symbolic and not any(s.found for s in searches.values()) and len(values) == 1:
        argument = _every_c(subject, side, Fraction(next(iter(values))))
        if argument is not None:
            tried = {c: s.cases for c, s in searches.items()}
            return for_every_c(subject.name, question, argument, tried, (note,))
    parts = tuple(
        at_one_size(
            c,
            s,
            _prove(subject, c, side, Fraction(known[c])) if subject.symbolic and s.found is None else None,
        )
        for c, s in searches.items()
    )
    return joined(subject.name, question, parts, first_found(searches.values()), (note,))


def is_end(matrices: Array, side: Side) -> Array:
    """Which matrices are diagonal, or have nothing on the diagonal?"""
    right = np.diagonal(matrices, axis1=-2, axis2=-1).sum(axis=-1)
    return np.asarray(right == matrices.sum(axis=(-2, -1)) if side == "best" else right == 0)


def end_value(subject: Subject, n_classes: int, side: Side) -> Fraction | float | None:
    """The value on the smallest matrix on which everything, or nothing, is right; None where there is
    none."""
    matrices = subject.small(n_classes)
    chosen = matrices[is_end(matrices, side)]
    all_occur = (chosen.sum(axis=1) > 0).all(axis=1) & (chosen.sum(axis=2) > 0).all(axis=1)
    for matrix in [*chosen[all_occur][:100], *chosen[~all_occur][:100]]:
        value = subject.value(matrix.tolist())
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
    sign = orientation(subject) * (1 if side == "best" else -1)
    with np.errstate(invalid="ignore"):
        beyond = sign * (values - float(end))
        wrong = np.where(there, np.abs(beyond) > SUSPICIOUS, beyond >= -SUSPICIOUS) & np.isfinite(values)
    anchor = next(
        as_matrix(m.tolist()) for m in matrices[there] if not subject.differ(subject.value(m.tolist()), end)
    )
    present = (matrices.sum(axis=2) > 0).all(axis=1)
    # A matrix in which every class has examples tells more than one with an empty class.
    for k in [*np.flatnonzero(wrong & present)[:CHECKED], *np.flatnonzero(wrong)[:CHECKED]]:
        rows = as_matrix(matrices[k].tolist())
        value = subject.value(rows)
        if is_nan(value):
            continue
        worse = subject.exceeds(end, value) if sign > 0 else subject.exceeds(value, end)
        if subject.differ(value, end) if there[k] else not worse:
            return Search(Counterexample((anchor, rows), (end, value), subject.exact), len(matrices))
    return Search(None, len(matrices))


def _ordered(subject: Subject, side: Side, end: Any, value: Any) -> tuple[Any, Any]:
    """The greater of the two first, as the statement has it."""
    return (end, value) if (orientation(subject) > 0) == (side == "best") else (value, end)


def _prove(subject: Subject, n_classes: int, side: Side, end: Fraction) -> Attempt:
    names = matrix_names(n_classes)
    diagonal = [f"m{i}_{i}" for i in range(n_classes)]
    errors = [name for name in names if name not in diagonal]
    left, elsewhere = (diagonal, errors) if side == "best" else (errors, diagonal)

    def at_the_end(owner: Field, arithmetic: Symbols, zeros: frozenset[str]) -> tuple[Any, Any]:
        cells = counts_named(owner, names, zeros | frozenset(elsewhere))
        return subject.symbol(cells.reshape(n_classes, n_classes), arithmetic), end

    def beyond(owner: Field, arithmetic: Symbols, zeros: frozenset[str]) -> tuple[Any, Any]:
        value = subject.symbol(generic_matrix(owner, n_classes, zeros), arithmetic)
        return _ordered(subject, side, end, value)

    there = prove_equal(left, at_the_end)
    if not there.proved:
        return there
    strictly = prove_greater(names, beyond, groups=(elsewhere,))
    return (
        Attempt(True, methods_of([there.method, strictly.method]), where=there.where)
        if strictly.proved
        else strictly
    )


def _every_c(subject: Subject, side: Side, end: Fraction) -> Argument | None:
    """A mean of class terms that are all at the end exactly where no class has an error (or a hit)."""
    term = class_term(subject.measure)
    if term is None or (term.kind == "geometric" and (side == "worst" or end <= 0)):
        return None
    if term.kind == "geometric" and not prove_not_less(CELLS, _against(term, Fraction(0))).proved:
        return None
    # Where a matrix is not at the end, some class has an error that it made and some class one that it
    # received.
    for telling in (("fn",), ("fp",)) if side == "best" else (("d",),):
        empty = frozenset(("fn", "fp")) if side == "best" else frozenset(("d",))
        there = prove_equal([name for name in CELLS if name not in empty], _with_empty(term, empty, end))
        strictly = prove_greater(CELLS, _off(subject, term, side, end), positive=telling)
        never = prove_not_less(CELLS, _off(subject, term, side, end))
        if there.proved and strictly.proved and never.proved:
            words = (
                f"no class term is {'better' if side == 'best' else 'worse'} than {end}, and it is {end}"
                f" exactly where the class has no {'error' if side == 'best' else 'hit'}:"
                f" {methods_of([there.method, strictly.method])}"
            )
            return Argument.of(words, term, strictly, never)
    return None


def _against(term: ClassTerm, low: Fraction) -> Compute:
    return lambda owner, arithmetic, zeros: (term.at(cells_of(owner, zeros), arithmetic), low)


def _with_empty(term: ClassTerm, empty: frozenset[str], end: Fraction) -> Compute:
    return lambda owner, arithmetic, zeros: (term.at(cells_of(owner, zeros | empty), arithmetic), end)


def _off(subject: Subject, term: ClassTerm, side: Side, end: Fraction) -> Compute:
    return lambda owner, arithmetic, zeros: _ordered(
        subject, side, end, term.at(cells_of(owner, zeros), arithmetic)
    )
