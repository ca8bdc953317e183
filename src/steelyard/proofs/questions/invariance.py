"""Invariance: does a measure stay the same under a change of the matrix?"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from steelyard.proofs.prover import certificates
from steelyard.proofs.prover.points import Compute, Point, matrix_names
from steelyard.proofs.prover.prove import Attempt, prove_equal
from steelyard.proofs.prover.refuter import refute_invariance
from steelyard.proofs.prover.subject import Subject
from steelyard.proofs.prover.symbols import Field, TooHardError, factors_of
from steelyard.proofs.prover.transformations import Transformation
from steelyard.proofs.questions import every_c
from steelyard.proofs.questions.deciding import SIZES, Argument, decided, sizes_for
from steelyard.proofs.verdict import Verdict

# Arguments that are no algebra, under the names the checker knows them by.
LEMMAS = {every_c.BY_SYMMETRY: "order", every_c.BY_CONSTRUCTION: "priors"}


def decide_invariance(
    subject: Subject, question: str, change: Transformation, sizes: Sequence[int] = SIZES
) -> Verdict:
    """Is the value the same before and after the change?"""
    searches = {c: refute_invariance(subject, change, c) for c in sizes_for(subject, sizes)}

    def argument() -> Argument | None:
        found = every_c.invariance(subject.measure, change)
        if found is not None and found.words in LEMMAS:
            certificates.note_lemma(LEMMAS[found.words], _instances(subject, change, max(searches)))
        cases = sum(search.cases for search in searches.values())
        return None if found is None else replace(found, notes=(f"{cases:,} cases agree",))

    return decided(subject, question, searches, lambda c: prove_invariance(subject, change, c), argument)


def _instances(subject: Subject, change: Transformation, n_classes: int) -> list[tuple[object, object]]:
    """Exact values before and after the change on a few matrices."""
    matrices = subject.small(n_classes)
    chosen = matrices[(matrices > 0).all(axis=(1, 2))][-5:]
    return [
        (subject.value(one.tolist()), subject.value(other.tolist()))
        for before, after in change.numeric_pairs(chosen)
        for one, other in zip(before, after, strict=True)
    ]


def prove_invariance(subject: Subject, change: Transformation, n_classes: int) -> Attempt:
    """The same expression before and after, for a matrix of symbols."""
    names = [*matrix_names(n_classes), *change.symbols(n_classes)]
    attempt = Attempt(True, "there is nothing to change")
    for number in range(len(change.symbolic(n_classes, lambda _: 1))):
        attempt = prove_equal(names, _before_and_after(subject, change, n_classes, number))
        if not attempt.proved:
            break
    return attempt


def _before_and_after(subject: Subject, change: Transformation, n_classes: int, number: int) -> Compute:
    def compute(at: Point) -> tuple[Any, Any]:
        matrix, owner = at.matrix(n_classes), at.field
        parameter = change.symbolic(n_classes, owner.variable)[number]
        before = subject.symbol(matrix, at.numbers)
        poles, owner.denominators = owner.denominators, {}
        after = subject.symbol(change.apply(matrix, parameter), at.numbers)
        # A value on one side and none on the other is a difference too: both must be undefined on the same
        # matrices without zeros.
        if inner_poles(owner, poles) != inner_poles(owner, owner.denominators):
            raise TooHardError("the change moves matrices without zeros to where the measure is undefined")
        owner.denominators = poles
        return before, after

    return compute


def inner_poles(owner: Field, denominators: dict[str, Any]) -> frozenset[str]:
    """The factors of denominators that can be 0 on matrices without zeros."""
    return frozenset(
        str(factor / factor.leading_coefficient())
        for polynomial in denominators.values()
        for factor, _ in factors_of(polynomial)[1]
        if not owner.is_positive(factor) and not owner.is_positive(-factor)
    )
