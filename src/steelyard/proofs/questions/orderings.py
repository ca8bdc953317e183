"""Relations between two measures: equal, affine, never greater, the same ranking."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from fractions import Fraction
from functools import partial
from typing import Any

import numpy as np

from steelyard.proofs.prover.prove import Attempt, prove_equal, prove_not_less, prove_positive
from steelyard.proofs.prover.refuter import CHECKED, SUSPICIOUS, Search, refute_inequality, verified
from steelyard.proofs.prover.regions import Compute, matrix_names
from steelyard.proofs.prover.subject import Subject, is_nan
from steelyard.proofs.prover.symbols import Field, TooHardError
from steelyard.proofs.questions import deciding, every_c
from steelyard.proofs.questions.bounds import declared
from steelyard.proofs.questions.deciding import SIZES, Argument, decided, first_found
from steelyard.proofs.verdict import Verdict, shown_number


def shared_sizes(first: Subject, second: Subject, sizes: Sequence[int] = SIZES) -> tuple[int, ...]:
    return (2,) if first.two_class_only or second.two_class_only else tuple(sizes)


def decide_not_greater(smaller: Subject, larger: Subject, sizes: Sequence[int] = SIZES) -> Verdict:
    """Is `smaller` <= `larger` on every matrix?"""
    used = shared_sizes(smaller, larger, sizes)
    question = f"{smaller.name} <= {larger.name}"
    searches = {c: refute_inequality(smaller, larger, c) for c in used}
    return decided(
        smaller,
        question,
        searches,
        lambda c: prove_not_less(matrix_names(c), of_both(larger, smaller, c), deciding.bound_effort(c)),
        lambda: every_c.not_less(larger.measure, smaller.measure) if len(used) > 1 else None,
        symbolic=smaller.symbolic and larger.symbolic,
    )


def of_both(
    first: Subject, second: Subject, n_classes: int, function: Callable[[Any], Any] = lambda value: value
) -> Compute:
    """The value of one measure, and a function of the value of another, on the same matrix."""
    return lambda at: (
        first.symbol(at.matrix(n_classes), at.numbers),
        function(second.symbol(at.matrix(n_classes), at.numbers)),
    )


def decide_affine(first: Subject, second: Subject, sizes: Sequence[int] = SIZES) -> Verdict:
    """Is `one` = a * `other` + b on every matrix of C classes, with a and b that may depend on C?"""
    used = shared_sizes(first, second, sizes)
    question = f"{first.name} is an affine function of {second.name}"
    lines = {c: affine_coefficients(first, second, c) for c in used}
    searches: dict[int, Search] = {}
    for c, line in lines.items():
        searches[c] = Search(None, 0, "fewer than two different values to fit")
        if line is not None:
            searches[c] = _off_the_line(first, second, c, *line)
            if searches[c].counterexample is not None:
                searches[c] = replace(searches[c], words="three matrices that lie on no line")

    def prove(c: int) -> Attempt | None:
        return None if (line := lines[c]) is None else prove_affine(first, second, c, *line)

    symbolic = first.symbolic and second.symbolic
    forms = [
        f"C = {c}: {line[0]} * {second.name} + {line[1]}"
        for c, line in lines.items()
        if line is not None and searches[c].counterexample is None
    ]
    verdict = decided(first, question, searches, prove, notes=forms, symbolic=symbolic)
    same = lines[used[0]]
    if (
        verdict.counterexample is None
        and symbolic
        and len(used) > 1
        and set(lines.values()) == {same}
        and same
    ):
        argument = every_c.affine(first.measure, second.measure, *same)
        if argument is not None:
            note = f"{first.name} = {same[0]} * {second.name} + {same[1]}"
            for_all = deciding.for_every_c(first, question, replace(argument, notes=(note,)), {})
            return replace(for_all, at=verdict.at)
    return verdict


def prove_affine(
    first: Subject, second: Subject, n_classes: int, slope: Fraction, offset: Fraction
) -> Attempt:
    """one = slope * other + offset as expressions."""
    line = of_both(first, second, n_classes, lambda value: slope * value + offset)
    return prove_equal(matrix_names(n_classes), line)


def affine_coefficients(first: Subject, second: Subject, n_classes: int) -> tuple[Fraction, Fraction] | None:
    """The line through two small matrices with different values."""
    points: list[tuple[Fraction, Fraction]] = []
    for matrix in first.small(n_classes)[:400]:
        x, y = second.value(matrix), first.value(matrix)
        if is_nan(x) or is_nan(y):
            continue
        points.append((Fraction(x), Fraction(y)))
        if points[-1][0] != points[0][0]:
            slope = (points[-1][1] - points[0][1]) / (points[-1][0] - points[0][0])
            return slope, points[0][1] - slope * points[0][0]
    return None


def _off_the_line(
    first: Subject, second: Subject, n_classes: int, slope: Fraction, offset: Fraction
) -> Search:
    matrices = first.small(n_classes)
    values, expected = first.floats(matrices), float(slope) * second.floats(matrices) + float(offset)
    with np.errstate(invalid="ignore"):
        off = np.flatnonzero(np.abs(values - expected) > SUSPICIOUS * 100)
    suspects = ((matrices[k],) for k in off[:CHECKED])
    example = verified([first, second], suspects, lambda y, x: first.differ(y, slope * Fraction(x) + offset))
    if example is not None:
        y, x = example.values
        example = replace(example, values=(y, slope * Fraction(x) + offset))
    return Search(example, len(matrices))


def decide_equal(first: Subject, second: Subject, sizes: Sequence[int] = SIZES) -> Verdict:
    """Are the two the same on every matrix on which both are defined?"""
    used = shared_sizes(first, second, sizes)
    question = f"{first.name} = {second.name}"
    same = Fraction(1), Fraction(0)
    searches = {c: _off_the_line(first, second, c, *same) for c in used}

    def argument() -> Argument | None:
        if len(used) == 1:
            return None
        for_all = every_c.affine(first.measure, second.measure, *same)
        return for_all or every_c.equal_sums(first.measure, second.measure)

    symbolic = first.symbolic and second.symbolic
    prove = partial(prove_affine, first, second, slope=same[0], offset=same[1])
    return decided(first, question, searches, prove, argument, symbolic=symbolic)


def decide_same_ranking(first: Subject, second: Subject, sizes: Sequence[int] = SIZES) -> Verdict:
    """Do the two never rank two models (matrices with the same class sizes) oppositely?"""
    used = shared_sizes(first, second, sizes)
    question = f"{first.name} and {second.name} never rank two models oppositely"
    affine = decide_affine(first, second, sizes)
    if affine.grade == "proved":
        rising = all(
            v is not None and v[0] > 0 for v in (affine_coefficients(first, second, c) for c in used)
        )
        if rising:
            how = f"one is a rising affine function of the other: {affine.method}"
            return replace(affine, question=question, method=how, conditions=())
    searches = {c: _opposite(first, second, c) for c in used}
    notes = []
    if (example := first_found(searches.values())) is not None:
        shown = [shown_number(value) for value in example.values]
        notes.append(f"{first.name}: {shown[0]} and {shown[1]}, {second.name}: {shown[2]} and {shown[3]}")
    return decided(first, question, searches, notes=notes)


def _opposite(measure: Subject, against: Subject, n_classes: int) -> Search:
    """Two small matrices with the same class sizes that the measures order oppositely."""

    def reversed_order(a: Any, b: Any, c: Any, d: Any) -> bool:
        # Better is taken from each measure.
        up, down = (a, b)[:: measure.orientation], (c, d)[:: against.orientation]
        return any(measure.exceeds(*up[::way]) and against.exceeds(*down[::-way]) for way in (1, -1))

    matrices = measure.small(n_classes)
    first, second = (s.orientation * s.floats(matrices) for s in (measure, against))
    groups: dict[tuple[int, ...], list[int]] = {}
    for k, sizes in enumerate(map(tuple, matrices.sum(axis=2).tolist())):
        if np.isfinite(first[k]) and np.isfinite(second[k]):
            groups.setdefault(sizes, []).append(k)
    cases = 0
    for members in sorted(groups.values(), key=lambda ks: int(matrices[ks[0]].sum())):
        for a, i in enumerate(members):
            for j in members[a + 1 :]:
                cases += 1
                if (first[i] - first[j]) * (second[i] - second[j]) < -1e-18 and min(
                    abs(first[i] - first[j]), abs(second[i] - second[j])
                ) > 1e-9:
                    pair = [(matrices[i], matrices[j])]
                    if (example := verified((measure, against), pair, reversed_order)) is not None:
                        return Search(example, cases, "two matrices ranked oppositely")
    return Search(None, cases, "no pair of small matrices is ranked oppositely")


def decide_rising_function(first: Subject, second: Subject, sizes: Sequence[int] = SIZES) -> Verdict:
    """Is `one` the same rising function of `other` on all matrices of C classes?"""
    used = shared_sizes(first, second, sizes)
    question = f"{first.name} is a rising function of {second.name}"
    searches = {c: _not_a_function(first, second, c) for c in used}
    if first_found(searches.values()) is None:
        affine = decide_affine(first, second, sizes)
        if affine.grade == "proved":
            how = f"it is a rising affine function of it: {affine.method}"
            return replace(affine, question=question, method=how, conditions=())
    relation = next((r for r in first.measure.relations if r.other == second.measure.id), None)
    function = None if relation is None else relation.function
    notes = () if relation is None else (relation.text,)
    return decided(
        first,
        question,
        searches,
        lambda c: None if function is None else _prove(first, second, c, function),
        notes=notes,
        symbolic=True,
    )


def _not_a_function(measure: Subject, against: Subject, n_classes: int) -> Search:
    """Two matrices with equal values of `against` and different ones of `measure`, or in opposite order."""

    def contradicts(a: Any, b: Any, c: Any, d: Any) -> bool:
        if not against.differ(c, d):
            return measure.differ(a, b)
        return (against.exceeds(d, c) and measure.exceeds(a, b)) or (
            against.exceeds(c, d) and measure.exceeds(b, a)
        )

    matrices = measure.small(n_classes)
    first, second = measure.floats(matrices), against.floats(matrices)
    defined = np.flatnonzero(np.isfinite(first) & np.isfinite(second))
    order = defined[np.lexsort((first[defined], np.round(second[defined], 12)))]
    for other_first, sign in ((order[:-1], 1), (order[1:], -1)):
        following = order[1:] if sign > 0 else order[:-1]
        same = np.abs(second[other_first] - second[following]) < 1e-12
        unequal = np.abs(first[other_first] - first[following]) > 1e-9
        falls = (second[following] - second[other_first] > 1e-9) & (
            first[following] - first[other_first] < -1e-9
        )
        suspects = np.flatnonzero((same & unequal) | falls)
        by_size = sorted(
            suspects, key=lambda k: int(matrices[other_first[k]].sum() + matrices[following[k]].sum())
        )
        pairs = ((matrices[other_first[k]], matrices[following[k]]) for k in by_size[:CHECKED])
        if (example := verified((measure, against), pairs, contradicts)) is not None:
            return Search(example, len(defined))
    return Search(None, len(defined))


def _prove(first: Subject, second: Subject, n_classes: int, function: Callable[[Any, int], Any]) -> Attempt:
    """The relation the record states is an identity, and its function rises over the other's range."""
    if not (first.symbolic and second.symbolic):
        return Attempt(False, "it cannot be examined in symbols")
    relation = of_both(first, second, n_classes, lambda value: function(value, n_classes))
    identity = prove_equal(matrix_names(n_classes), relation)
    if not identity.proved:
        return identity
    low, high = declared(second, n_classes)
    if low is None or high is None:
        return Attempt(False, "the range of the other measure is not finite")
    owner = Field(("a", "b", "c"))
    a, b, c = (owner.variable(name) for name in owner.names)
    # Two points low < x < y < high in any position.
    x, y = (
        Fraction(low) + (Fraction(high) - Fraction(low)) * distance / (a + b + c) for distance in (a, a + b)
    )
    try:
        rises = prove_positive(function(y, n_classes) - function(x, n_classes))
    except (TooHardError, ZeroDivisionError) as error:
        return Attempt(False, f"the algebra gave up: {error}")
    if not rises.proved or owner.decisions.chosen:  # a comparison would cut the range
        return Attempt(False, "the function is not seen to rise")
    return Attempt(True, f"{identity.method}; the function rises")
