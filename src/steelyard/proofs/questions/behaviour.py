"""Behaviour of a measure: chance level, constant predictors, and where it is defined."""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from fractions import Fraction
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from steelyard.errors import MissingExtraError
from steelyard.proofs.prover.prove import Attempt, methods_of, prove_equal
from steelyard.proofs.prover.refuter import Search, refute_pairs
from steelyard.proofs.prover.regions import Point, regions
from steelyard.proofs.prover.subject import Subject, all_present, is_nan
from steelyard.proofs.prover.symbols import TooHardError, available
from steelyard.proofs.questions.deciding import decided, first_found, not_asked
from steelyard.proofs.verdict import Counterexample, Verdict, as_matrix, named_classes

Array = NDArray[Any]


def decide_chance(subject: Subject, question: str, sizes: Sequence[int]) -> Verdict:
    """Is the value the same for all predictions that do not depend on the truth?"""
    searches = {c: refute_pairs(subject, [_independent(c)], one_sided=False) for c in sizes}
    value = subject.value(np.ones((sizes[0], sizes[0]), dtype=np.int64))
    constant = first_found(searches.values()) is None and not is_nan(value)
    notes = [f"the value is {value} at C = {sizes[0]}"] if constant else []
    return decided(subject, question, searches, partial(prove_chance, subject), notes=notes)


def _independent(n_classes: int) -> tuple[Array, Array]:
    """Pairs of matrices t_i q_j: truth and prediction independent."""
    random = np.random.default_rng(n_classes)
    sizes, rates = (
        np.concatenate([random.integers(1, top, (200, n_classes)) for top in (4, 20)]) for _ in range(2)
    )
    matrices = sizes[:, :, None] * rates[:, None, :]
    return np.ones_like(matrices), matrices[np.argsort(matrices.sum(axis=(1, 2)), kind="stable")]


def prove_chance(subject: Subject, n_classes: int) -> Attempt:
    """All matrices t_i q_j have the same value."""
    names = [[f"{letter}{i}" for i in range(n_classes)] for letter in ("t", "q", "u", "w")]

    def compute(at: Point) -> tuple[Any, Any]:
        t, q, u, w = map(at.counts, names)
        return subject.symbol(np.outer(t, q), at.numbers), subject.symbol(np.outer(u, w), at.numbers)

    return prove_equal(list(itertools.chain(*names)), compute)


def decide_constant_predictor(subject: Subject, question: str, sizes: Sequence[int]) -> Verdict:
    """Is the value the same for every classifier that always predicts one class?"""
    searches: dict[int, Search] = {}
    for c in sizes:
        class_sizes = itertools.product((1, 2, 5), repeat=c)
        columns = [_one_column(each, k) for k, each in itertools.product(range(c), class_sizes)]
        matrices = np.array(sorted(columns, key=lambda m: int(m.sum())))
        defined = matrices[np.isfinite(subject.floats(matrices))]
        if len(defined):
            pairs = [(np.broadcast_to(defined[0], defined.shape), defined)]
            searches[c] = refute_pairs(subject, pairs, one_sided=False)
    if not searches:
        return not_asked(subject, question, "it is undefined for every such classifier", sizes)
    undefined = [c for c in sizes if c not in searches]
    notes = [f"undefined for every such classifier at {named_classes(undefined)}"] if undefined else []
    return decided(subject, question, searches, partial(_prove_constant, subject), notes=notes)


def _one_column(sizes: Sequence[Any] | Array, column: int) -> Array:
    matrix = np.full((len(sizes), len(sizes)), Fraction(0) if isinstance(sizes, np.ndarray) else 0)
    matrix[:, column] = sizes
    return matrix


def _prove_constant(subject: Subject, n_classes: int) -> Attempt:
    if not available():
        return Attempt(False, "FLINT is not installed")
    defined: list[int] = []
    for column in range(n_classes):
        missing = _prove_missing(subject, n_classes, column)
        if missing is None:
            return Attempt(False, "it is not known for which of these classifiers there is a value")
        if not missing:
            defined.append(column)
    # Every class has examples: names that begin with k are never 0.
    names = [[f"k{letter}{i}" for i in range(n_classes)] for letter in ("t", "u")]
    methods = []
    for column in defined:

        def compute(at: Point, column: int = column) -> list[Any]:
            places = zip(names, (defined[0], column), strict=True)
            return [subject.symbol(_one_column(at.counts(each), k), at.numbers) for each, k in places]

        attempt = prove_equal(list(itertools.chain(*names)), compute)
        if not attempt.proved:
            return attempt
        methods.append(attempt.method)
    return Attempt(True, methods_of(methods))


def _prove_missing(subject: Subject, n_classes: int, column: int) -> bool | None:
    """Has it no value, whatever the sizes of the classes, where one class is always predicted?"""
    # None where the algebra does not say; no small matrices can say it for all.
    names = [f"t{i}" for i in range(n_classes)]

    def compute(at: Point) -> tuple[Any]:
        return (subject.symbol(_one_column(at.counts(names), column), at.numbers),)

    try:
        values = [value for region in regions(names, compute) for value in region.values]
    except (TooHardError, MissingExtraError):
        return None
    states = {isinstance(value, float) and not np.isfinite(value) for value in values}
    return states.pop() if len(states) == 1 else None


def decide_always_defined(subject: Subject, question: str, sizes: Sequence[int]) -> Verdict:
    """Has it a value on every matrix in which every class has examples?"""
    searches: dict[int, Search] = {}
    notes: list[str] = []
    for c in sizes:
        matrices = subject.small(c)
        present = matrices[all_present(matrices)]
        suspects = map(as_matrix, present[~np.isfinite(subject.floats(present))][:5])
        missing = next((m for m in suspects if is_nan(subject.value(m))), None)
        if missing is None:
            words = "a value on every small matrix with all classes present"
            searches[c] = Search(None, len(present), words)
            continue
        example = Counterexample((missing,), (float("nan"),), subject.symbolic)
        searches[c] = Search(example, len(present), "no value on a matrix with all classes present")
        if subject.symbolic:
            positive = "c1" if subject.two_class_only else None
            rows = [[float(v) for v in row] for row in missing]
            why = subject.measure.why_undefined(rows, positive=positive)
            notes += [f"because {why}"] if why else []
    return decided(subject, question, searches, notes=notes[:1])
