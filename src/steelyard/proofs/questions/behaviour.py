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
from steelyard.proofs.questions.deciding import decided, not_asked, sizes_for
from steelyard.proofs.verdict import AtC, Counterexample, Verdict, as_matrix, joined, named_classes

Array = NDArray[Any]


# -- guessing


def decide_chance(subject: Subject, question: str, sizes: Sequence[int] = (2, 3)) -> Verdict:
    """Is the value the same for all predictions that do not depend on the truth?"""
    used = sizes_for(subject, sizes)
    searches = {c: refute_pairs(subject, [_independent(c)], one_sided=False) for c in used}
    value = subject.value(_independent(used[0])[0][0].tolist())
    constant = not any(s.counterexample for s in searches.values()) and not is_nan(value)
    notes = [f"the value is {value} at C = {used[0]}"] if constant else []
    return decided(subject, question, searches, partial(prove_chance, subject), notes=notes)


def _independent(n_classes: int) -> tuple[Array, Array]:
    """Pairs of matrices t_i q_j: truth and prediction independent."""
    random = np.random.default_rng(n_classes)
    sizes, rates = (
        np.concatenate([random.integers(1, top, (200, n_classes)) for top in (4, 20)]) for _ in range(2)
    )
    matrices = sizes[:, :, None] * rates[:, None, :]
    ones = np.ones((len(matrices), n_classes, n_classes), dtype=np.int64)
    order = np.argsort(matrices.sum(axis=(1, 2)), kind="stable")
    return ones, matrices[order]


def prove_chance(subject: Subject, n_classes: int) -> Attempt:
    """All matrices t_i q_j have the same value."""
    names = [[f"{letter}{i}" for i in range(n_classes)] for letter in ("t", "q", "u", "w")]

    def compute(at: Point) -> tuple[Any, Any]:
        t, q, u, w = map(at.counts, names)
        return subject.symbol(np.outer(t, q), at.numbers), subject.symbol(np.outer(u, w), at.numbers)

    return prove_equal(list(itertools.chain(*names)), compute)


def decide_constant_predictor(subject: Subject, question: str, sizes: Sequence[int] = (2, 3)) -> Verdict:
    """Is the value the same for every classifier that always predicts one class?"""
    used = sizes_for(subject, sizes)
    searches: dict[int, Search] = {}
    undefined: list[int] = []
    for c in used:
        matrices = _one_column(c)
        defined = matrices[np.isfinite(subject.floats(matrices))]
        if not len(defined):
            undefined.append(c)
            continue
        searches[c] = refute_pairs(
            subject, [(np.broadcast_to(defined[0], defined.shape), defined)], one_sided=False
        )
    if not searches:
        return not_asked(subject, question, "it is undefined for every such classifier", used)
    notes = [f"undefined for every such classifier at {named_classes(undefined)}"] if undefined else []
    return decided(subject, question, searches, partial(_prove_constant, subject), notes=notes)


def _one_column(n_classes: int) -> Array:
    matrices = []
    for column, sizes in itertools.product(range(n_classes), itertools.product((1, 2, 5), repeat=n_classes)):
        matrix = np.zeros((n_classes, n_classes), dtype=np.int64)
        matrix[:, column] = sizes
        matrices.append(matrix)
    return np.array(sorted(matrices, key=lambda m: int(m.sum())))


def _prove_constant(subject: Subject, n_classes: int) -> Attempt:
    if not available():
        return Attempt(False, "FLINT is not installed")
    # Every class has examples: names that begin with k are never 0.
    names = [f"k{letter}{i}" for letter in ("t", "u") for i in range(n_classes)]
    defined: list[int] = []
    for column in range(n_classes):
        missing = _prove_missing(subject, n_classes, column)
        if missing is None:
            return Attempt(False, "it is not known for which of these classifiers there is a value")
        if not missing:
            defined.append(column)
    methods = []
    for column in defined:

        def compute(at: Point, column: int = column) -> list[Any]:
            values = []
            for letter, place in (("t", defined[0]), ("u", column)):
                matrix = np.full((n_classes, n_classes), Fraction(0), dtype=object)
                matrix[:, place] = at.counts([f"k{letter}{i}" for i in range(n_classes)])
                values.append(subject.symbol(matrix, at.numbers))
            return values

        attempt = prove_equal(names, compute)
        if not attempt.proved:
            return attempt
        methods.append(attempt.method)
    return Attempt(True, methods_of(methods))


def _prove_missing(subject: Subject, n_classes: int, column: int) -> bool | None:
    """Has it no value, whatever the sizes of the classes, where one class is always predicted? None where the
    algebra does not say; no small matrices can say it for all."""
    names = [f"t{i}" for i in range(n_classes)]

    def compute(at: Point) -> tuple[Any]:
        matrix = np.full((n_classes, n_classes), Fraction(0), dtype=object)
        matrix[:, column] = at.counts(names)
        return (subject.symbol(matrix, at.numbers),)

    try:
        values = [value for region in regions(names, compute) for value in region.values]
    except (TooHardError, MissingExtraError):
        return None
    states = {isinstance(value, float) and not np.isfinite(value) for value in values}
    return states.pop() if len(states) == 1 else None


# -- defined


def decide_always_defined(subject: Subject, question: str, sizes: Sequence[int] = (2, 3)) -> Verdict:
    """Has it a value on every matrix in which every class has examples?"""
    parts: list[AtC] = []
    examples: list[Counterexample] = []
    notes: list[str] = []
    for c in sizes_for(subject, sizes):
        matrices = subject.small(c)
        present = matrices[all_present(matrices)]
        missing = np.flatnonzero(~np.isfinite(subject.floats(present)))
        verified = next(
            (as_matrix(present[k].tolist()) for k in missing[:5] if is_nan(_value(subject, present[k]))), None
        )
        if verified is None:
            parts.append(
                AtC(c, "not refuted", "a value on every small matrix with all classes present", len(present))
            )
            continue
        parts.append(AtC(c, "refuted", "no value on a matrix with all classes present", len(present)))
        examples.append(Counterexample((verified,), (float("nan"),), subject.exact))
        notes += [f"because {reason}" for reason in [_why(subject, verified)] if reason]
    return joined(subject.name, question, parts, examples[0] if examples else None, notes[:1])


def _value(subject: Subject, matrix: Array) -> Fraction | float:
    try:
        return subject.value(matrix.tolist())
    except ArithmeticError:
        return float("nan")


def _why(subject: Subject, matrix: Any) -> str:
    if not subject.symbolic:
        return ""
    positive = "c1" if subject.two_class_only else None
    why = subject.measure.why_undefined([[float(v) for v in row] for row in matrix], positive=positive)
    return why or ""
