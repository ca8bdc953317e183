"""Does a measure stay the same under a change? Refuter first, then arguments for every C, then algebra for
each C.

Whatever argument there is, the refuter has the first word: a proof next to a counterexample would be a fault
of ours.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from steelyard.proofs.prover import certificates
from steelyard.proofs.prover.prove import Attempt, Compute, generic_matrix, matrix_names, prove_equal
from steelyard.proofs.prover.refuter import Search, refute_invariance
from steelyard.proofs.prover.regions import Symbols
from steelyard.proofs.prover.subject import Subject
from steelyard.proofs.prover.symbols import Field, TooHardError, factors_of
from steelyard.proofs.prover.transformations import Transformation
from steelyard.proofs.questions import every_c
from steelyard.proofs.questions.every_c import Argument
from steelyard.proofs.verdict import EVERY, AtC, Counterexample, Grade, Verdict, joined

SIZES = (2, 3, 4)
"""The numbers of classes that are looked at one by one."""


def sizes_for(subject: Subject, sizes: Sequence[int]) -> tuple[int, ...]:
    """Two classes for a two-class measure, else the sizes asked for, as far as the subject allows them."""
    if subject.two_class_only:
        return (2,)
    return tuple(c for c in sizes if subject.sizes is None or c in subject.sizes) or tuple(sizes)[:1]


def decide_invariance(
    subject: Subject, question: str, change: Transformation, sizes: Sequence[int] = SIZES
) -> Verdict:
    """Is the value the same before and after the change?"""
    searches = {c: refute_invariance(subject, change, c) for c in sizes_for(subject, sizes)}
    refuted = any(search.found is not None for search in searches.values())
    if not refuted and subject.symbolic:
        argument = every_c.invariance(subject.measure, change)
        if argument is not None:
            if argument.words in LEMMAS:
                certificates.note_lemma(LEMMAS[argument.words], _instances(subject, change, max(searches)))
            cases = sum(search.cases for search in searches.values())
            return for_every_c(
                subject.name,
                question,
                argument,
                {c: search.cases for c, search in searches.items()},
                (f"{cases:,} cases agree",),
            )
    parts = tuple(
        at_one_size(
            c,
            search,
            prove_invariance(subject, change, c) if subject.symbolic and search.found is None else None,
        )
        for c, search in searches.items()
    )
    return joined(subject.name, question, parts, first_found(searches.values()))


def for_every_c(
    subject: str, question: str, argument: Argument, cases: Mapping[int, int], notes: tuple[str, ...] = ()
) -> Verdict:
    """The verdict of an argument that speaks of every number of classes, and of those that were tried."""
    parts = tuple(AtC(c, "proved", argument.words, n, argument.where) for c, n in cases.items())
    return Verdict(
        subject=subject,
        question=question,
        grade="proved",
        method=argument.words,
        classes=EVERY,
        counterexample=None,
        at=parts,
        notes=notes,
        conditions=argument.where,
    )


LEMMAS = {every_c.BY_SYMMETRY: "order", every_c.BY_CONSTRUCTION: "priors"}
"""Arguments that are no algebra, under the names the checker knows them by."""


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
    def compute(owner: Field, arithmetic: Symbols, zeros: frozenset[str]) -> tuple[object, object]:
        matrix = generic_matrix(owner, n_classes, zeros)
        parameter = change.symbolic(n_classes, owner.variable)[number]
        before = subject.symbol(matrix, arithmetic)
        poles, owner.denominators = owner.denominators, {}
        after = subject.symbol(change.apply(matrix, parameter), arithmetic)
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


def at_one_size(n_classes: int, search: Search, attempt: Attempt | None) -> AtC:
    """The grade for one number of classes."""
    if search.found is not None:
        how = (
            "a counterexample in exact fractions"
            if search.found.exact
            else "a counterexample in floating point"
        )
        return AtC(n_classes, "refuted", how, search.cases)
    if attempt is not None and attempt.proved:
        return AtC(n_classes, "proved", attempt.method, search.cases, conditions_of(attempt, n_classes))
    grade: Grade = "timed out" if attempt is not None and attempt.timed_out else "not refuted"
    why = "" if attempt is None or "same expression" in attempt.method else f", but {attempt.method}"
    return AtC(n_classes, grade, f"no counterexample among small and random matrices{why}", search.cases)


def conditions_of(attempt: Attempt, n_classes: int) -> tuple[str, ...]:
    """The denominators as a reader writes them: tp, fn, fp, tn for two classes, m_12 for the second cell of
    the first row."""
    names = {f"m{i}_{j}": f"m_{i + 1}{j + 1}" for i in range(n_classes) for j in range(n_classes)}
    if n_classes == 2:
        names = dict(zip(names, ("tp", "fn", "fp", "tn"), strict=True))
    return tuple(re.sub(r"m\d+_\d+", lambda found: names[found.group()], text) for text in attempt.where)


def first_found(searches: Iterable[Search]) -> Counterexample | None:
    """The counterexample of fewest classes, then of fewest examples."""
    found = [search.found for search in searches if search.found is not None]
    return min(found, key=lambda f: (f.n_classes, f.total)) if found else None
