"""Is one measure a rising function of another, so that knowing the one is knowing the other?"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from fractions import Fraction
from typing import Any

import numpy as np

from steelyard.proofs.prover.points import matrix_names
from steelyard.proofs.prover.prove import Attempt, prove_equal, prove_positive
from steelyard.proofs.prover.refuter import CHECKED, Search
from steelyard.proofs.prover.subject import Subject
from steelyard.proofs.prover.symbols import Field, TooHardError
from steelyard.proofs.questions.bounds import declared
from steelyard.proofs.questions.deciding import SIZES, decided
from steelyard.proofs.questions.orderings import decide_affine, of_both, shared_sizes
from steelyard.proofs.verdict import Counterexample, Verdict, as_matrix


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
