"""Bounds of a measure: whether they hold, are reached, depend on C, and whether one class can reach them."""

from __future__ import annotations

import itertools
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import partial
from typing import Any, Literal

import numpy as np

from steelyard.counts.labels import Array
from steelyard.measures.numbers import as_fraction
from steelyard.proofs import verdict
from steelyard.proofs.prover import symbols
from steelyard.proofs.prover.prove import BY_COEFFICIENTS, Attempt, prove_not_less, together
from steelyard.proofs.prover.refuter import SUSPICIOUS, Search, climb, verified
from steelyard.proofs.prover.regions import Point, Symbols, matrix_names
from steelyard.proofs.prover.subject import Subject, all_present, is_nan
from steelyard.proofs.prover.symbols import Field, TooHardError, limit_at_zero
from steelyard.proofs.questions import every_c
from steelyard.proofs.questions.deciding import SIZES, Argument, bound_effort, decided, for_every_c, not_asked
from steelyard.proofs.questions.invariance import classes_reordered, prove_invariance
from steelyard.proofs.verdict import AtC, Counterexample, Matrix, Verdict, shown_number

# Bounds nearer than this count as equal: roots are only known to 60 digits, and an end may be a limit.
NEAR = Fraction(1, 10**9)
# Counts beyond this came from climbing towards a limit.
LARGE = 1000
Side = Literal["low", "high"]
SIDES: tuple[Side, Side] = ("low", "high")


@dataclass(frozen=True)
class End:
    """The least or the greatest value found."""

    value: Fraction | float
    matrix: Matrix

    def __str__(self) -> str:
        return f"{shown_number(self.value)} on {verdict.shown_matrix(self.matrix)}"


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

        def score(batch: Array, sign: int = sign) -> Array:
            return np.where(all_present(batch), sign * subject.floats(batch), np.nan)

        # The smallest matrix of the most extreme value, unless one climbs further from the best of them.
        scores = np.where(defined, sign * values, -np.inf)
        best = present[int(np.argmax(scores >= scores.max() - SUSPICIOUS))]
        steps = 40 if subject.most > 1000 else 4
        climbed, tried = climb(score, lambda batch: np.zeros(len(batch)), present, scores, steps)
        if len(climbed) and score(climbed[0][None])[0] > scores.max() + 1e-9:
            best = climbed[0]
        cases += tried
        ends.append(End(subject.value(best), verdict.as_matrix(best)))
    return Extremes(n_classes, ends[0], ends[1], cases)


def declared(subject: Subject, n_classes: int) -> tuple[Fraction | None, Fraction | None]:
    """The declared ends; None where there is none or it is infinite."""
    if not subject.bounds_known:
        return None, None
    low, high = (
        None if isinstance(end, float) and not math.isfinite(end) else as_fraction(end)
        for end in subject.measure.range.exactly_at(n_classes)
    )
    return low, high


def decide_bounded(subject: Subject, question: str, sizes: Sequence[int]) -> Verdict:
    """Does the measure stay within its declared range, and reach it? If it declares none, is it bounded?"""
    ends = {c: f for c in sizes if (f := extremes(subject, c)) is not None}
    if not ends:
        return not_asked(subject, question, "it has no value on any small matrix", sizes)
    notes = [_ends_note(subject, f) for f in ends.values()]
    if not subject.bounds_known or None in declared(subject, sizes[0]):
        return _bounded_without_range(subject, question, ends, notes)

    def argument() -> Argument | None:
        ranges = {declared(subject, c) for c in sizes}
        return every_c.bounds(subject.measure, *map(as_fraction, ranges.pop())) if len(ranges) == 1 else None

    searches = {c: Search(_outside(subject, f), f.cases) for c, f in ends.items()}
    return decided(subject, question, searches, lambda c: _prove_range(subject, c), argument, notes)


def _prove_bound(subject: Subject, n_classes: int, side: Side, bound: Fraction) -> Attempt:
    """bound <= value, or value <= bound, on every matrix of C classes."""

    def compute(at: Point) -> tuple[Any, Any]:
        value = subject.symbol(at.matrix(n_classes), at.numbers)
        return (value, bound) if side == "low" else (bound, value)

    return prove_not_less(matrix_names(n_classes), compute, bound_effort(n_classes))


def _prove_range(subject: Subject, n_classes: int) -> Attempt:
    ends = zip(SIDES, declared(subject, n_classes), strict=True)
    return together([_prove_bound(subject, n_classes, side, end) for side, end in ends if end is not None])


def _outside(subject: Subject, extremes_found: Extremes) -> Counterexample | None:
    low, high = declared(subject, extremes_found.n_classes)
    # Ends that are no fractions are declared as floats, so a value may pass them by a rounding error.
    slack = Fraction(1, 10**12)
    for end, bound, sign in ((extremes_found.low, low, -1), (extremes_found.high, high, 1)):
        if bound is not None and not is_nan(end.value) and sign * (Fraction(end.value) - bound) > slack:
            return Counterexample((end.matrix,), (end.value, bound), subject.symbolic)
    return None


def _ends_note(subject: Subject, extremes_found: Extremes) -> str:
    words, n_classes = [], extremes_found.n_classes
    ends = extremes_found.low, extremes_found.high
    for end, bound in zip(ends, declared(subject, n_classes), strict=True):
        state = "found"
        if bound is not None:
            state = _state(subject, end, bound) or f"the nearest to {shown_number(bound)} found"
        words.append(f"{shown_number(end.value) if n_classes > 3 else end} {state}")
    return f"C = {n_classes}: " + ", ".join(words)


def _state(subject: Subject, end: End, bound: Fraction) -> str:
    """Is a bound reached on the matrix found, or approached as its large counts grow? Empty if unknown."""
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
    """No finite range is declared: a value beyond a million shows that there is none."""
    for c, f in ends.items():
        for end in (f.low, f.high):
            if not is_nan(end.value) and abs(float(end.value)) > 10**6:
                example = Counterexample((end.matrix,), (end.value,), subject.symbolic)
                return decided(subject, question, {c: Search(example, f.cases, "values beyond a million")})
    searches = {c: Search(None, f.cases, "no value beyond a million found") for c, f in ends.items()}
    return decided(subject, question, searches, notes=notes)


def decide_same_bounds(subject: Subject, question: str, sizes: Sequence[int]) -> Verdict:
    """Condition 2: are the lower and upper bound the same for every C?"""
    extremes_at = {c: f for c in sizes if (f := extremes(subject, c)) is not None}
    if not extremes_at:
        return not_asked(subject, question, "it has no value on any small matrix", sizes)
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
            note = f"found for {verdict.named_classes(extremes_at)}: {low} to {high}"
            tried = {c: f.cases for c, f in extremes_at.items()}
            return for_every_c(subject, question, replace(argument, notes=(note,)), tried)
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
    return verdict.joined(subject.name, question, parts, None, notes)


def _different_bounds(
    subject: Subject, question: str, extremes_at: dict[int, Extremes], notes: tuple[str, ...]
) -> Verdict | None:
    """A value that is taken at one C and, provably, cannot be taken at another."""
    for place, side in enumerate(SIDES):
        sign = 1 if side == "low" else -1
        for c in (c for c in extremes_at if c <= 4):
            # The bound to prove: the end that was found where it is a plain fraction inside what is declared,
            # else what is declared.
            bound, end = declared(subject, c)[place], getattr(extremes_at[c], side).value
            if isinstance(end, Fraction) and end.denominator < 1000:
                bound = end if bound is None or sign * (end - bound) > 0 else bound
            for other, f in extremes_at.items():
                here: End = getattr(f, side)
                if other == c or bound is None or is_nan(here.value):
                    continue
                if sign * (bound - Fraction(here.value)) <= NEAR:
                    continue
                attempt = _prove_bound(subject, c, side, bound)
                if attempt.proved:
                    text = (
                        f"at C = {other} the value {here} is taken, but at C = {c} none"
                        f" {'below' if side == 'low' else 'above'} {bound} ({attempt.method})"
                    )
                    parts = [AtC(k, "refuted", text, extremes_at[k].cases) for k in (other, c)]
                    example = Counterexample((here.matrix,), (here.value,), subject.symbolic)
                    return verdict.joined(subject.name, question, parts, example, (text, *notes))
    return None


# One class i is found with a rate e that goes to 0, every other class with a rate of at least 1 - e. The
# value in the limit must stay better than the worst value the measure can take. The limit is taken in
# symbols: class i sends its examples to the others in any proportion, and what leaks into column i is of the
# order of e.
def decide_one_class_failing(subject: Subject, question: str, sizes: Sequence[int]) -> Verdict:
    """Condition 3."""
    higher = subject.measure.better == "higher"
    worst: dict[int, Fraction | None] = {}
    for c in sizes:
        worst[c] = declared(subject, c)[0 if higher else 1]
        if not subject.bounds_known:
            ends = extremes(subject, c)
            worst[c] = None if ends is None or is_nan(ends.low.value) else Fraction(ends.low.value)

    def argument() -> Argument | None:
        lows = {declared(subject, c)[0] for c in SIZES}
        low = lows.pop() if subject.symbolic and higher else None
        return every_c.one_class_failing(subject.measure, low) if not lows and low is not None else None

    searches = {c: _collapsed(subject, c, value) for c, value in worst.items()}
    prove = partial(_prove_limit, subject, worst)
    return decided(subject, question, searches, prove, argument, symbolic=True)


def _collapsed(subject: Subject, n_classes: int, worst: Fraction | None) -> Search:
    """A limit matrix (one class wrong throughout, the others right throughout) with the worst value."""
    if worst is None:
        return Search(None, 0, "its worst value is not known")
    shares = [s for s in itertools.product((0, 1, 2), repeat=n_classes - 1) if any(s)]
    sizes = [
        (1,) * (n_classes - 1),
        (2,) * (n_classes - 1),
        tuple(range(1, n_classes)),
        (9,) * (n_classes - 1),
    ]
    matrices = []
    for share, hits in itertools.product(shares, sizes):
        matrix = np.zeros((n_classes, n_classes), dtype=np.int64)
        matrix[0, 1:] = share
        matrix[1:, 1:] = np.diag(hits)
        matrices.append(matrix)
    turned = [np.roll(m, (k, k), axis=(0, 1)) for m in matrices for k in range(n_classes)]
    batch = np.array(sorted(turned, key=lambda m: int(m.sum())))
    values = subject.floats(batch)
    suspects = ((m,) for m in batch[np.abs(values - float(worst)) < 1e-9][:10])
    example = verified([subject], suspects, lambda value: not subject.differ(value, worst))
    words = (
        "no limit matrix has the worst value" if example is None else "a limit matrix with the worst value"
    )
    return Search(example, len(batch), words)


def _prove_limit(subject: Subject, worst_at: Mapping[int, Fraction | None], n_classes: int) -> Attempt | None:
    """The limit is strictly better than the worst value, whichever classes receive the errors."""
    if (worst := worst_at[n_classes]) is None:
        return None
    if not subject.symbolic or not symbols.available():
        return Attempt(False, "it cannot be examined in symbols")
    if not prove_invariance(subject, classes_reordered, n_classes).proved:
        return Attempt(False, "it is not known that all classes are treated alike")
    for size in range(1, n_classes):
        for receivers in itertools.combinations(range(1, n_classes), size):
            try:
                value = limit_of_one_class_failing(subject, n_classes, receivers)
                if isinstance(value, float):
                    return Attempt(False, "the limit is not defined")
                beyond = (value - worst) * subject.orientation
                if isinstance(beyond, Fraction):
                    positive = beyond > 0
                else:
                    top, bottom = beyond.combined()
                    positive = value.field.is_positive(top) and value.field.is_positive(bottom)
            except TooHardError as error:
                return Attempt(False, f"the algebra gave up: {error}")
            except (ZeroDivisionError, TypeError, AttributeError, ValueError) as error:
                return Attempt(False, f"the algebra does not follow the formula: {error}")
            if not positive:
                return Attempt(False, "the limit is not visibly better")
    return Attempt(True, f"the limit less the worst value is {BY_COEFFICIENTS}")


def limit_of_one_class_failing(subject: Subject, n_classes: int, receivers: Sequence[int]) -> Any:
    """The limit as class 0 is found at a rate going to 0 and sends its examples to the receivers."""
    others = range(1, n_classes)
    names = ["e", *(f"s{j}" for j in receivers), *(f"h{j}" for j in others), *(f"a{j}" for j in others)]
    owner = Field(names)
    e = owner.variable("e")
    matrix = np.full((n_classes, n_classes), Fraction(0), dtype=object)
    matrix[0, 0] = e
    for j in receivers:
        matrix[0, j] = owner.variable(f"s{j}")
    for j in others:
        matrix[j, j] = owner.variable(f"h{j}")
        matrix[j, 0] = e * owner.variable(f"a{j}")
    value = subject.symbol(matrix, Symbols(owner))
    if owner.decisions.chosen:
        raise TooHardError("the limit depends on comparisons")
    # What leaks into the failing class may be nothing at all; everything else in the limit is positive.
    if any(all(name.startswith("a") for name in names_of_zero) for names_of_zero in owner.tested_for_zero):
        raise TooHardError("the formula asks whether a leak is 0")
    return limit_at_zero(value)
