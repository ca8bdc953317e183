"""Invariance of a measure under a change of the matrix."""

# Each transformation gives pairs of matrices: small ones in numbers and random ones in fractions for the
# refuter, and generic ones in symbols for the prover.

from __future__ import annotations

import itertools
import random
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cache
from typing import Any

import numpy as np

from steelyard.counts.labels import Array
from steelyard.measures.measure import Measure
from steelyard.proofs.prover import certificates
from steelyard.proofs.prover.prove import Attempt, prove_equal
from steelyard.proofs.prover.refuter import Search, first_difference, refute_pairs
from steelyard.proofs.prover.regions import Compute, Point, matrix_names
from steelyard.proofs.prover.subject import Subject
from steelyard.proofs.prover.symbols import Field, TooHardError, factors_of
from steelyard.proofs.questions import every_c
from steelyard.proofs.questions.deciding import CELLS, SIZES, Argument, class_term, decided, sizes_for
from steelyard.proofs.verdict import Verdict

Pair = tuple[Array, Array]
BY_CONSTRUCTION = "by construction: the rows are scaled to fixed priors before anything else is computed"
BY_SYMMETRY = "a mean over classes does not depend on their order"
# Arguments that are no algebra, under the names the checker knows them by.
LEMMAS = {BY_SYMMETRY: "order", BY_CONSTRUCTION: "priors"}
# Pairs with random fractions that are compared after the small ones.
RANDOM_PAIRS = 12


@dataclass(frozen=True)
class Transformation:
    """A change of the matrix, with parameters that range over a few values or over symbols."""

    id: str
    # The parameter values tried in numbers, for C classes.
    parameters: Callable[[int], Sequence[Any]]
    # The changed matrix; works on (..., C, C) arrays of numbers and on (C, C) arrays of symbols.
    apply: Callable[[Array, Any], Array]
    # Names of the parameters in symbols.
    symbols: Callable[[int], Sequence[str]]
    # The parameter values in symbols: the prover must succeed for each of them.
    symbolic: Callable[[int, Callable[[str], Any]], Sequence[Any]]

    def numeric_pairs(self, matrices: Array) -> Iterator[Pair]:
        """Batches (before, after) of shape (B, C, C)."""
        for parameter in self.parameters(matrices.shape[-1]):
            yield matrices, self.apply(matrices, parameter)

    def decide(self, subject: Subject, question: str, sizes: Sequence[int] = SIZES) -> Verdict:
        """Is the value the same before and after the change?"""
        searches = {c: refute_invariance(subject, self, c) for c in sizes_for(subject, sizes)}

        def argument() -> Argument | None:
            for_all = _for_every_c(subject.measure, self)
            if for_all is not None and for_all.words in LEMMAS:
                # Exact values before and after the change on a few matrices.
                matrices = subject.small(max(searches))
                chosen = matrices[(matrices > 0).all(axis=(1, 2))][-5:]
                pairs = [zip(*pair, strict=True) for pair in self.numeric_pairs(chosen)]
                instances = [(subject.value(a), subject.value(b)) for pair in pairs for a, b in pair]
                certificates.note_lemma(LEMMAS[for_all.words], instances)
            cases = sum(search.cases for search in searches.values())
            return None if for_all is None else replace(for_all, notes=(f"{cases:,} cases agree",))

        return decided(subject, question, searches, lambda c: prove_invariance(subject, self, c), argument)


def _factor_choices(n_classes: int) -> list[tuple[int, ...]]:
    doubled = [tuple(2 if i == k else 1 for i in range(n_classes)) for k in range(n_classes)]
    return [*doubled, tuple(10 if i == 0 else 1 for i in range(n_classes)), tuple(range(1, n_classes + 1))]


rows_scaled = Transformation(
    "rows scaled",
    _factor_choices,
    lambda m, factors: np.asarray(m * np.asarray(factors, dtype=m.dtype)[:, None]),
    lambda n: [f"b{i}" for i in range(n)],
    lambda n, variable: [np.array([variable(f"b{i}") for i in range(n)], dtype=object)],
)

all_scaled = Transformation(
    "all counts scaled",
    lambda n: (2, 3),
    lambda m, k: np.asarray(m * k),
    lambda n: ["k"],
    lambda n, variable: [variable("k")],
)

classes_reordered = Transformation(
    "classes reordered",
    lambda n: [p for p in itertools.permutations(range(n)) if p != tuple(range(n))][:23],
    lambda m, order: m[..., list(order), :][..., list(order)],
    lambda n: [],
    # The exchange of the first two and the turn of all: together they make every order.
    lambda n, variable: [(1, 0, *range(2, n)), *([(*range(1, n), 0)] if n > 2 else [])],
)

transposed = Transformation(
    "truth and prediction exchanged",
    lambda n: (None,),
    lambda m, _: np.swapaxes(m, -1, -2),
    lambda n: [],
    lambda n, variable: [None],
)


def cell_changed(name: str, cell: tuple[int, int]) -> Transformation:
    """One cell of a two-class matrix changes, the others stay."""

    def apply(matrix: Array, amount: Any) -> Array:
        out = matrix.copy()
        out[..., cell[0], cell[1]] = out[..., cell[0], cell[1]] + amount
        return out

    return Transformation(
        f"{name} changed",
        lambda n: (1, 2, 7),
        apply,
        lambda n: ["k"],
        lambda n, variable: [variable("k")],
    )


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


def _for_every_c(measure: Measure, change: Transformation) -> Argument | None:
    """An argument that the measure does not change, for every C; None if none is known."""
    if measure.kind != "multi-class":
        return None
    if change is rows_scaled and every_c.made_at_fixed_priors(measure) is not None:
        return Argument(BY_CONSTRUCTION)
    term = class_term(measure)
    if term is None:
        return None
    if change is classes_reordered:
        return Argument.of(BY_SYMMETRY, term)
    # Under scaled rows nothing is known of the false alarms and of the rest: they may become anything.
    extra = {rows_scaled.id: ("b", "fp2", "tn2"), all_scaled.id: ("k",), transposed.id: ()}.get(change.id)
    if extra is None:
        return None

    def compute(at: Point) -> tuple[Any, Any]:
        d, fn, fp, tn = at.counts(CELLS)
        if change is rows_scaled:
            after = at["b"] * d, at["b"] * fn, at["fp2"], at["tn2"]
        else:
            after = (d, fp, fn, tn) if change is transposed else tuple(at["k"] * v for v in (d, fn, fp, tn))
        return term.on(at), term.at(after, at.numbers)

    attempt = prove_equal([*CELLS, *extra], compute)
    mean = "mean" if term.kind == "arithmetic" else "geometric mean"
    words = f"it is the {mean} of one term per class, and the term does not change: {attempt.method}"
    return Argument.of(words, term, attempt) if attempt.proved else None


def refute_invariance(subject: Subject, change: Transformation, n_classes: int) -> Search:
    """Two matrices that the transformation joins and that have different values."""
    search = refute_pairs(subject, change.numeric_pairs(subject.small(n_classes)))
    if search.counterexample is not None or not subject.symbolic:
        return search
    draws = random.Random(1000 + n_classes)

    def draw(_: object) -> Fraction:
        return Fraction(draws.randint(1, 10**6), draws.randint(1, 10**6))

    for count in range(1, RANDOM_PAIRS + 1):
        matrix = np.array([[draw(j) for j in range(n_classes)] for _ in range(n_classes)], dtype=object)
        after = change.apply(matrix, change.symbolic(n_classes, cache(draw))[0])
        if (example := first_difference(subject, [(matrix, after)])) is not None:
            return Search(example, search.cases + count)
    return Search(None, search.cases + RANDOM_PAIRS)
