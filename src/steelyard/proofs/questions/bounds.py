"""Bounds of a measure: whether they hold, are reached, and depend on the number of classes."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from steelyard.measures.numbers import as_fraction
from steelyard.proofs.prover import symbols
from steelyard.proofs.prover.prove import Attempt, prove_not_less, together
from steelyard.proofs.prover.refuter import SUSPICIOUS, Search, climb
from steelyard.proofs.prover.regions import Point, Symbols, limit_at_zero, matrix_names
from steelyard.proofs.prover.subject import Subject, all_present, is_nan
from steelyard.proofs.prover.symbols import Field, TooHardError
from steelyard.proofs.questions import every_c
from steelyard.proofs.questions.deciding import (
    SIZES,
    Argument,
    bound_effort,
    decided,
    for_every_c,
    not_asked,
    sizes_for,
)
from steelyard.proofs.verdict import (
    AtC,
    Counterexample,
    Matrix,
    Verdict,
    as_matrix,
    joined,
    named_classes,
    shown_matrix,
    shown_number,
)

Array = NDArray[Any]
# Bounds nearer than this count as equal: roots are only known to 60 digits, and an end may be a limit.
NEAR = Fraction(1, 10**9)
# Counts beyond this came from climbing towards a limit.
LARGE = 1000
# The numbers of classes for which the bounds found are reported.
BOUND_SIZES = (2, 3, 4, 5, 6)


@dataclass(frozen=True)
class End:
    """The least or the greatest value found."""

    value: Fraction | float
    matrix: Matrix

    def __str__(self) -> str:
        return f"{shown_number(self.value)} on {shown_matrix(self.matrix)}"


@dataclass(frozen=True)
class Extremes:
    """The least and greatest values found for C classes, with every class present."""

    n_classes: int
    low: End
    high: End
    cases: int


def extremes(subject: Subject, n_classes: int) -> Extremes | None:
    """The ends found by enumeration and climbing; None where the measure is undefined throughout."""
    matrices = subject.small(n_classes)
    present = matrices[all_present(matrices)]
    values = subject.floats(present)
    defined = np.isfinite(values)
    if not defined.any():
        return None
    cases = len(present)
    ends: list[End] = []
    for sign in (-1, 1):
        end, tried = _furthest(subject, present, np.where(defined, sign * values, -np.inf), sign)
        cases += tried
        ends.append(end)
    return Extremes(n_classes, ends[0], ends[1], cases)


def _furthest(subject: Subject, matrices: Array, scores: Array, sign: int) -> tuple[End, int]:
    """The smallest matrix of the most extreme value, after climbing from the best of those given."""

    def score(batch: Array) -> Array:
        return np.where(all_present(batch), sign * subject.floats(batch), np.nan)

    best = matrices[int(np.argmax(scores >= scores.max() - SUSPICIOUS))]
    climbed, tried = climb(
        score, lambda batch: np.zeros(len(batch)), matrices, scores, 40 if subject.most > 1000 else 4
    )
    if len(climbed) and score(climbed[0][None])[0] > scores.max() + 1e-9:
        best = climbed[0]
    matrix = as_matrix(best.tolist())
    return End(subject.value(matrix), matrix), tried


def declared(subject: Subject, n_classes: int) -> tuple[Fraction | None, Fraction | None]:
    """The declared ends; None where there is none or it is infinite."""
    if not subject.bounds_known:
        return None, None
    low, high = (
        None if isinstance(end, float) and not math.isfinite(end) else as_fraction(end)
        for end in subject.measure.range.exactly_at(n_classes)
    )
    return low, high


def decide_bounded(subject: Subject, question: str, sizes: Sequence[int] = SIZES) -> Verdict:
    """Does the measure stay within its declared range and reach both ends? For a measure that declares none:
    is it bounded?"""
    used = sizes_for(subject, sizes)
    ends = {c: f for c in used if (f := extremes(subject, c)) is not None}
    if not ends:
        return not_asked(subject, question, "it has no value on any small matrix", used)
    notes = [_ends_note(subject, f) for f in ends.values()]
    if not subject.bounds_known or None in declared(subject, used[0]):
        return _bounded_without_range(subject, question, ends, notes)

    def argument() -> Argument | None:
        ranges = {declared(subject, c) for c in used}
        return every_c.bounds(subject.measure, *map(as_fraction, ranges.pop())) if len(ranges) == 1 else None

    searches = {c: Search(_outside(subject, f), f.cases) for c, f in ends.items()}
    return decided(subject, question, searches, lambda c: _prove_range(subject, c), argument, notes)


def prove_between(subject: Subject, n_classes: int, low: Fraction | None, high: Fraction | None) -> Attempt:
    """low <= value <= high on every matrix of C classes."""
    attempts = []
    for bound, is_low in ((low, True), (high, False)):
        if bound is None:
            continue

        def compute(at: Point, bound: Fraction = bound, is_low: bool = is_low) -> tuple[Any, Any]:
            value = subject.symbol(at.matrix(n_classes), at.numbers)
            return (value, bound) if is_low else (bound, value)

        attempts.append(prove_not_less(matrix_names(n_classes), compute, bound_effort(n_classes)))
    return together(attempts)


def _prove_range(subject: Subject, n_classes: int) -> Attempt:
    return prove_between(subject, n_classes, *declared(subject, n_classes))


def _outside(subject: Subject, extremes_found: Extremes) -> Counterexample | None:
    low, high = declared(subject, extremes_found.n_classes)
    # Ends that are no fractions are declared as floats, so a value may pass them by a rounding error.
    slack = Fraction(1, 10**12)
    for end, bound, sign in ((extremes_found.low, low, -1), (extremes_found.high, high, 1)):
        if bound is not None and not is_nan(end.value) and sign * (Fraction(end.value) - bound) > slack:
            return Counterexample((end.matrix,), (end.value, bound), subject.exact)
    return None


def _ends_note(subject: Subject, extremes_found: Extremes) -> str:
    words = []
    for end, bound in zip(
        (extremes_found.low, extremes_found.high), declared(subject, extremes_found.n_classes), strict=True
    ):
        state = (
            "found"
            if bound is None
            else _state(subject, end, bound) or f"the nearest to {shown_number(bound)} found"
        )
        words.append(
            f"{shown_number(end.value)} {state}" if extremes_found.n_classes > 3 else f"{end} {state}"
        )
    return f"C = {extremes_found.n_classes}: " + ", ".join(words)


def _state(subject: Subject, end: End, bound: Fraction) -> str:
    """Is a bound reached on the matrix found, or approached as its large counts grow? Empty if neither is
    known."""
    if not is_nan(end.value) and abs(Fraction(end.value) - bound) <= Fraction(1, 10**40):
        return "reached"
    if subject.symbolic and _approaches(subject, end.matrix, bound):
        return f"(as its large counts grow, the limit is {bound})"
    return ""


def _approaches(subject: Subject, matrix: Matrix, bound: Fraction) -> bool:
    """Is the bound the limit as the large counts of this matrix grow together?"""
    if not symbols.available() or not any(v > LARGE for row in matrix for v in row):
        return False
    owner = Field(["e"])
    growing = np.array(
        [[v / owner.variable("e") if v > LARGE else v for v in row] for row in matrix], dtype=object
    )
    try:
        value = subject.symbol(growing, Symbols(owner))
        # A comparison may fall the other way as e goes to 0.
        return not isinstance(value, float) and not owner.decisions.chosen and limit_at_zero(value) == bound
    except (TooHardError, ZeroDivisionError, TypeError, AttributeError, ValueError):
        return False


def _bounded_without_range(
    subject: Subject, question: str, ends: dict[int, Extremes], notes: list[str]
) -> Verdict:
    """No finite range is declared: a value beyond a million shows that there is none, otherwise the ends
    found are reported."""
    for c, f in ends.items():
        for end in (f.low, f.high):
            if not is_nan(end.value) and abs(float(end.value)) > 10**6:
                example = Counterexample((end.matrix,), (end.value,), subject.exact)
                decision = AtC(c, "refuted", "values beyond a million", f.cases)
                return joined(subject.name, question, [decision], example)
    parts = [AtC(c, "not refuted", "no value beyond a million found", f.cases) for c, f in ends.items()]
    return joined(subject.name, question, parts, None, notes)


def decide_same_bounds(subject: Subject, question: str, sizes: Sequence[int] = BOUND_SIZES) -> Verdict:
    """Condition 2: are the lower and upper bound the same for every C?"""
    if subject.two_class_only:
        return not_asked(subject, question, "it is a measure of two classes", (2,))
    used = sizes_for(subject, sizes)
    extremes_at = {c: f for c in used if (f := extremes(subject, c)) is not None}
    if not extremes_at:
        return not_asked(subject, question, "it has no value on any small matrix", used)
    notes = tuple(_ends_note(subject, f) for f in extremes_at.values())
    ends = [declared(subject, c) for c in extremes_at]
    if (
        subject.symbolic
        and len(set(ends)) == 1
        and None not in ends[0]
        and not any(_outside(subject, f) for f in extremes_at.values())
    ):
        low, high = (as_fraction(v) for v in ends[0])
        argument = every_c.bounds(subject.measure, low, high)
        if argument is not None:
            note = f"found for {named_classes(extremes_at)}: {low} to {high}"
            tried = {c: f.cases for c, f in extremes_at.items()}
            return for_every_c(subject.name, question, replace(argument, notes=(note,)), tried)
    refuted = _different_bounds(subject, question, extremes_at, notes)
    if refuted is not None:
        return refuted
    parts: list[AtC] = []
    for c, f in extremes_at.items():
        bounds = zip((f.low, f.high), declared(subject, c), strict=True)
        reached = all(bound is not None and _state(subject, end, bound) for end, bound in bounds)
        provable = subject.symbolic and c <= 4 and reached and declared(subject, c) == ends[0]
        if provable and (attempt := _prove_range(subject, c)).proved:
            method = f"both ends are reached or approached, and no value lies beyond: {attempt.method}"
            parts.append(AtC(c, "proved", method, f.cases))
        else:
            parts.append(AtC(c, "not refuted", "the same bounds as far as found", f.cases))
    return joined(subject.name, question, parts, None, notes)


def _tightest(stated: Fraction | None, end: End, sign: int) -> Fraction | None:
    """The bound to try to prove: the end that was found where it is a plain fraction inside what is declared,
    else what is declared."""
    if (
        isinstance(end.value, Fraction)
        and end.value.denominator < 1000
        and (stated is None or sign * (end.value - stated) > 0)
    ):
        return end.value
    return stated


def _different_bounds(
    subject: Subject, question: str, extremes_at: dict[int, Extremes], notes: tuple[str, ...]
) -> Verdict | None:
    """A value that is taken at one C and, provably, cannot be taken at another."""
    for side in ("low", "high"):
        sign = 1 if side == "low" else -1
        for c in (c for c in extremes_at if c <= 4):
            for other, f in extremes_at.items():
                here: End = getattr(f, side)
                bound = _tightest(
                    declared(subject, c)[0 if side == "low" else 1], getattr(extremes_at[c], side), sign
                )
                if (
                    other == c
                    or bound is None
                    or is_nan(here.value)
                    or sign * (bound - Fraction(here.value)) <= NEAR
                ):
                    continue
                between: tuple[Fraction | None, Fraction | None] = (
                    (bound, None) if side == "low" else (None, bound)
                )
                attempt = prove_between(subject, c, *between)
                if attempt.proved:
                    relation: Literal["below", "above"] = "below" if side == "low" else "above"
                    text = (
                        f"at C = {other} the value {here} is taken, but at C = {c} none {relation} {bound}"
                        f" ({attempt.method})"
                    )
                    parts = (
                        AtC(other, "refuted", text, f.cases),
                        AtC(c, "refuted", text, extremes_at[c].cases),
                    )
                    example = Counterexample((here.matrix,), (here.value,), subject.exact)
                    return Verdict(
                        subject=subject.name,
                        question=question,
                        grade="refuted",
                        method=text,
                        classes=named_classes(sorted((other, c))),
                        counterexample=example,
                        at=parts,
                        notes=(text, *notes),
                    )
    return None
