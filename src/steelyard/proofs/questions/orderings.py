"""How do two measures stand to each other: equal, an affine function, never greater, able to rank two models
oppositely?"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from fractions import Fraction
from typing import Any

import numpy as np

from steelyard.proofs.prover.prove import Attempt, prove_equal, prove_not_less, prove_positive
from steelyard.proofs.prover.refuter import CHECKED, SUSPICIOUS, Search, refute_inequality
from steelyard.proofs.prover.regions import Compute, matrix_names
from steelyard.proofs.prover.subject import Subject, is_nan
from steelyard.proofs.prover.symbols import Field, TooHardError
from steelyard.proofs.questions import every_c
from steelyard.proofs.questions.bounds import declared
from steelyard.proofs.questions.deciding import (
    SIZES,
    Argument,
    at_one_size,
    bound_effort,
    decided,
    for_every_c,
)
from steelyard.proofs.verdict import AtC, Counterexample, Verdict, as_matrix, joined, shown_number


def shared_sizes(one: Subject, other: Subject, sizes: Sequence[int] = SIZES) -> tuple[int, ...]:
    return (2,) if one.two_class_only or other.two_class_only else tuple(sizes)


def decide_not_greater(smaller: Subject, larger: Subject, sizes: Sequence[int] = SIZES) -> Verdict:
    """Is `smaller` <= `larger` on every matrix?"""
    used = shared_sizes(smaller, larger, sizes)
    question = f"{smaller.name} <= {larger.name}"
    searches = {c: refute_inequality(smaller, larger, c) for c in used}
    return decided(
        smaller,
        question,
        searches,
        lambda c: prove_not_less(matrix_names(c), of_both(larger, smaller, c), bound_effort(c)),
        (lambda: every_c.not_less(larger.measure, smaller.measure)) if len(used) > 1 else None,
        symbolic=smaller.symbolic and larger.symbolic,
    )


def of_both(
    one: Subject, other: Subject, n_classes: int, function: Callable[[Any], Any] = lambda value: value
) -> Compute:
    """The value of one measure, and a function of the value of another, on the same matrix."""
    return lambda at: (
        one.symbol(at.matrix(n_classes), at.numbers),
        function(other.symbol(at.matrix(n_classes), at.numbers)),
    )


def decide_affine(one: Subject, other: Subject, sizes: Sequence[int] = SIZES) -> Verdict:
    """Is `one` = a * `other` + b on every matrix of C classes, with a and b that may depend on C?"""
    used = shared_sizes(one, other, sizes)
    question = f"{one.name} is an affine function of {other.name}"
    parts: list[AtC] = []
    found: list[Counterexample] = []
    forms: list[str] = []
    coefficients = {c: affine_coefficients(one, other, c) for c in used}
    for c in used:
        ab = coefficients[c]
        if ab is None:
            parts.append(AtC(c, "not refuted", "fewer than two different values to fit"))
            continue
        slope, offset = ab
        search = _off_the_line(one, other, c, slope, offset)
        if search.found is not None:
            found.append(search.found)
            parts.append(AtC(c, "refuted", "three matrices that lie on no line", search.cases))
            continue
        forms.append(f"C = {c}: {slope} * {other.name} + {offset}")
        attempt = prove_affine(one, other, c, slope, offset) if one.symbolic and other.symbolic else None
        parts.append(at_one_size(c, search, attempt))
    if (
        not found
        and len(used) > 1
        and len(set(coefficients.values())) == 1
        and coefficients[used[0]] is not None
        and one.symbolic
        and other.symbolic
    ):
        slope, offset = coefficients[used[0]]  # type: ignore[misc]
        argument = every_c.affine(one.measure, other.measure, slope, offset)
        if argument is not None:
            note = f"{one.name} = {slope} * {other.name} + {offset}"
            verdict = for_every_c(one.name, question, argument, {})
            return replace(verdict, at=tuple(parts), notes=(note,))
    return joined(one.name, question, parts, found[0] if found else None, forms)


def prove_affine(one: Subject, other: Subject, n_classes: int, slope: Fraction, offset: Fraction) -> Attempt:
    """one = slope * other + offset as expressions."""
    line = of_both(one, other, n_classes, lambda value: slope * value + offset)
    return prove_equal(matrix_names(n_classes), line)


def affine_coefficients(one: Subject, other: Subject, n_classes: int) -> tuple[Fraction, Fraction] | None:
    """The line through two small matrices with different values."""
    points: list[tuple[Fraction, Fraction]] = []
    for matrix in one.small(n_classes)[:400]:
        rows = as_matrix(matrix.tolist())
        x, y = other.value(rows), one.value(rows)
        if is_nan(x) or is_nan(y):
            continue
        points.append((Fraction(x), Fraction(y)))
        if points[-1][0] != points[0][0]:
            slope = (points[-1][1] - points[0][1]) / (points[-1][0] - points[0][0])
            return slope, points[0][1] - slope * points[0][0]
    return None


def _off_the_line(one: Subject, other: Subject, n_classes: int, slope: Fraction, offset: Fraction) -> Search:
    matrices = one.small(n_classes)
    values, expected = one.floats(matrices), float(slope) * other.floats(matrices) + float(offset)
    with np.errstate(invalid="ignore"):
        apart = np.flatnonzero(np.abs(values - expected) > SUSPICIOUS * 100)
    for k in apart[:CHECKED]:
        rows = as_matrix(matrices[k].tolist())
        x, y = other.value(rows), one.value(rows)
        if not is_nan(x) and not is_nan(y) and one.differ(y, slope * Fraction(x) + offset):
            return Search(
                Counterexample((rows,), (y, slope * Fraction(x) + offset), one.exact and other.exact),
                len(matrices),
            )
    return Search(None, len(matrices))


def decide_equal(one: Subject, other: Subject, sizes: Sequence[int] = SIZES) -> Verdict:
    """Are the two the same on every matrix on which both are defined?"""
    used = shared_sizes(one, other, sizes)
    question = f"{one.name} = {other.name}"
    same = Fraction(1), Fraction(0)
    searches = {c: _off_the_line(one, other, c, *same) for c in used}

    def argument() -> Argument | None:
        if len(used) == 1:
            return None
        found = every_c.affine(one.measure, other.measure, *same)
        return found or every_c.equal_sums(one.measure, other.measure)

    def prove(c: int) -> Attempt:
        return prove_affine(one, other, c, *same)

    symbolic = one.symbolic and other.symbolic
    return decided(one, question, searches, prove, argument, symbolic=symbolic)


def decide_same_ranking(one: Subject, other: Subject, sizes: Sequence[int] = SIZES) -> Verdict:
    """Do the two never rank two models (matrices with the same class sizes) oppositely?"""
    used = shared_sizes(one, other, sizes)
    question = f"{one.name} and {other.name} never rank two models oppositely"
    affine = decide_affine(one, other, sizes)
    if affine.grade == "proved":
        rising = all(v is not None and v[0] > 0 for v in (affine_coefficients(one, other, c) for c in used))
        if rising:
            how = f"one is a rising affine function of the other: {affine.method}"
            return replace(affine, question=question, method=how, conditions=())
    parts: list[AtC] = []
    found: list[Counterexample] = []
    for c in used:
        pair, cases = _opposite(one, other, c)
        if pair is not None:
            found.append(pair)
        how = (
            "two matrices ranked oppositely"
            if pair is not None
            else "no pair of small matrices is ranked oppositely"
        )
        parts.append(AtC(c, "refuted" if pair is not None else "not refuted", how, cases))
    notes = []
    if found:
        shown = [shown_number(value) for value in found[0].values]
        notes.append(f"{one.name}: {shown[0]} and {shown[1]}, {other.name}: {shown[2]} and {shown[3]}")
    return joined(one.name, question, parts, found[0] if found else None, notes)


def _opposite(one: Subject, other: Subject, n_classes: int) -> tuple[Counterexample | None, int]:
    """Two small matrices with the same class sizes that the measures order oppositely; better is taken from
    each measure."""
    matrices = one.small(n_classes)
    first, second = (s.orientation * s.floats(matrices) for s in (one, other))
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
                    rows = as_matrix(matrices[i].tolist()), as_matrix(matrices[j].tolist())
                    values = [subject.value(m) for subject in (one, other) for m in rows]
                    if _reversed(one, other, values):
                        return Counterexample(rows, tuple(values), one.exact and other.exact), cases
    return None, cases


def _reversed(one: Subject, other: Subject, values: list[Fraction | float]) -> bool:
    a, b, c, d = values
    up = one.exceeds(*_ordered(one, a, b)), one.exceeds(*_ordered(one, b, a))
    down = other.exceeds(*_ordered(other, c, d)), other.exceeds(*_ordered(other, d, c))
    return (up[0] and down[1]) or (up[1] and down[0])


def _ordered(subject: Subject, a: Any, b: Any) -> tuple[Any, Any]:
    return (a, b)[:: subject.orientation]


def decide_rising_function(one: Subject, other: Subject, sizes: Sequence[int] = SIZES) -> Verdict:
    """Is `one` the same rising function of `other` on all matrices of C classes?"""
    used = shared_sizes(one, other, sizes)
    question = f"{one.name} is a rising function of {other.name}"
    searches = {c: _not_a_function(one, other, c) for c in used}
    if not any(s.found for s in searches.values()):
        affine = decide_affine(one, other, sizes)
        if affine.grade == "proved":
            how = f"it is a rising affine function of it: {affine.method}"
            return replace(affine, question=question, method=how, conditions=())
    relation = next((r for r in one.measure.relations if r.other == other.measure.id), None)
    function = None if relation is None else relation.function
    notes = () if relation is None else (relation.text,)
    return decided(
        one,
        question,
        searches,
        lambda c: None if function is None else _prove(one, other, c, function),
        notes=notes,
        symbolic=True,
    )


def _not_a_function(one: Subject, other: Subject, n_classes: int) -> Search:
    """Two matrices with the same value of `other` and different ones of `one`, or with values in opposite
    order."""
    matrices = one.small(n_classes)
    first, second = one.floats(matrices), other.floats(matrices)
    kept = np.flatnonzero(np.isfinite(first) & np.isfinite(second))
    order = kept[np.lexsort((first[kept], np.round(second[kept], 12)))]
    for other_first, sign in ((order[:-1], 1), (order[1:], -1)):
        following = order[1:] if sign > 0 else order[:-1]
        same = np.abs(second[other_first] - second[following]) < 1e-12
        apart = np.abs(first[other_first] - first[following]) > 1e-9
        falls = (second[following] - second[other_first] > 1e-9) & (
            first[following] - first[other_first] < -1e-9
        )
        suspects = np.flatnonzero((same & apart) | falls)
        by_size = sorted(
            suspects, key=lambda k: int(matrices[other_first[k]].sum() + matrices[following[k]].sum())
        )
        for k in by_size[:CHECKED]:
            rows = as_matrix(matrices[other_first[k]].tolist()), as_matrix(matrices[following[k]].tolist())
            values = [subject.value(m) for subject in (one, other) for m in rows]
            if _contradicts(one, other, values):
                return Search(Counterexample(rows, tuple(values), one.exact and other.exact), len(kept))
    return Search(None, len(kept))


def _contradicts(one: Subject, other: Subject, values: Sequence[Any]) -> bool:
    a, b, c, d = values
    if not other.differ(c, d):
        return one.differ(a, b)
    return (other.exceeds(d, c) and one.exceeds(a, b)) or (other.exceeds(c, d) and one.exceeds(b, a))


def _prove(one: Subject, other: Subject, n_classes: int, function: Callable[[Any, int], Any]) -> Attempt:
    """The relation the record states is an identity, and its function rises over the range of the other
    measure."""
    if not (one.symbolic and other.symbolic):
        return Attempt(False, "it cannot be examined in symbols")

    def of_other(value: Any) -> Any:
        return function(value, n_classes)

    identity = prove_equal(matrix_names(n_classes), of_both(one, other, n_classes, of_other))
    if not identity.proved:
        return identity
    low, high = declared(other, n_classes)
    if low is None or high is None:
        return Attempt(False, "the range of the other measure is not finite")
    owner = Field(("a", "b", "c"))
    a, b, c = (owner.variable(name) for name in owner.names)
    # Two points low < x < y < high in any position.
    x, y = (Fraction(low) + (Fraction(high) - Fraction(low)) * part / (a + b + c) for part in (a, a + b))
    try:
        rises = prove_positive(function(y, n_classes) - function(x, n_classes))
    except (TooHardError, ZeroDivisionError) as error:
        return Attempt(False, f"the algebra gave up: {error}")
    return (
        Attempt(True, f"{identity.method}; the function rises")
        if rises.proved
        else Attempt(False, "the function is not seen to rise")
    )
