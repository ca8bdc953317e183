"""Statements of a researcher's own, decided and certified: the functions behind `steelyard.proofs`."""

# Everything here takes measures, matrices and plain functions, so that whoever uses it does not depend on how
# the prover works inside.

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterable, Sequence
from contextlib import AbstractContextManager
from typing import Any, TypeVar

from steelyard.errors import MissingExtraError
from steelyard.measures.formula import measure_or_formula
from steelyard.measures.measure import Measure
from steelyard.proofs import precomputed
from steelyard.proofs.prover import certificates, prove, symbols
from steelyard.proofs.prover import subject as tried
from steelyard.proofs.prover.certificates import Checked, Summed
from steelyard.proofs.prover.subject import Subject
from steelyard.proofs.prover.symbols import TooHardError
from steelyard.proofs.questions import orderings
from steelyard.proofs.questions.conditions import property_named
from steelyard.proofs.questions.deciding import SIZES
from steelyard.proofs.verdict import Counterexample, Matrix, Verdict, as_matrix

Result = TypeVar("Result")
# Two expressions; the parameters of the function are the variables, each of which is positive.
Sides = Callable[..., tuple[Any, Any]]


def _subject(named: Measure | str) -> Subject:
    return Subject(measure_or_formula(named) if isinstance(named, str) else named)


def decide_property(measure: Measure | str, name: str) -> Verdict:
    """Does a measure have a property, such as "prior-invariance" or "Condition 1"? Nothing is cached."""
    return property_named(name).decide(_subject(measure))


def decide_equal(one: Measure | str, other: Measure | str, sizes: Sequence[int] = SIZES) -> Verdict:
    """Are two measures equal on every matrix on which both are defined?"""
    return orderings.decide_equal(_subject(one), _subject(other), sizes)


def decide_affine(one: Measure | str, other: Measure | str, sizes: Sequence[int] = SIZES) -> Verdict:
    """Is one measure an affine function of the other on every matrix of C classes?"""
    return orderings.decide_affine(_subject(one), _subject(other), sizes)


def decide_not_greater(
    smaller: Measure | str, larger: Measure | str, sizes: Sequence[int] = SIZES
) -> Verdict:
    """Is `smaller` <= `larger` on every matrix?"""
    return orderings.decide_not_greater(_subject(smaller), _subject(larger), sizes)


def decide_same_ranking(one: Measure | str, other: Measure | str, sizes: Sequence[int] = SIZES) -> Verdict:
    """Do two measures never rank two matrices with the same class sizes oppositely?"""
    return orderings.decide_same_ranking(_subject(one), _subject(other), sizes)


def prove_equal(sides: Sides) -> bool:
    """Prove that two expressions of positive variables are identical.

    >>> prove_equal(lambda x, y: ((x + y) ** 2 - (x - y) ** 2, 4 * x * y))
    True
    """
    names = _names(sides)
    return prove.prove_equal(names, lambda at: sides(*at.counts(names))).proved


def prove_not_less(sides: Sides) -> bool:
    """Prove that the first of two expressions of positive variables is never less than the second.

    >>> prove_not_less(lambda x: (1 + x, 1 / (1 + x)))
    True
    """
    names = _names(sides)
    return prove.prove_not_less(names, lambda at: sides(*at.counts(names))).proved


def _names(function: Callable[..., Any]) -> list[str]:
    return list(inspect.signature(function).parameters)


def certify_sum(step: Callable[..., Summed], of_a_class: Sequence[str]) -> None:
    """File the certificate of a bound on a sum over classes; `of_a_class` are the variables of one class."""
    # It is checked with the others by `with_certificates`, and nothing is done where nobody collects them.
    names = _names(step)
    certificates.note_summed(names, of_a_class, lambda owner: step(*(owner.variable(name) for name in names)))


def certify_values(measures: Iterable[Measure], matrix: Matrix) -> None:
    """File the values of measures on a matrix, so that the checker works them out again."""
    if not certificates.wanted():
        return
    subjects = [Subject(measure) for measure in measures]
    example = Counterexample((matrix,) * len(subjects), tuple(s.value(matrix) for s in subjects))
    bodies = iter(subject.symbol for subject in subjects)
    try:
        written = certificates.of_counterexample(
            lambda counts, arithmetic: next(bodies)(counts, arithmetic), example, values=True
        )
    except (TooHardError, TypeError, ValueError):
        written = [None]  # a measure without an expression tree has no certificate, which is said
    certificates.keep(written)


def with_certificates(
    decide: Callable[[], Result], method: Callable[[Result], str] = str
) -> tuple[Result, Checked]:
    """What was decided, and what the independent checker says of its certificates."""
    # `method` tells how it was proved, for the sentence where z3, which leaves no certificate, proved a part.
    result, collected = certificates.with_certificates(decide)
    return result, certificates.checked(collected, method(result))


def without_certificates() -> AbstractContextManager[None]:
    """Inside, nothing is filed: for those who only look verdicts up that were certified before."""
    return certificates.filing(None)


def require_provers(what: str) -> None:
    """Refuse `what` where FLINT, on which every proof rests, is not installed."""
    if not symbols.available():
        raise MissingExtraError("python-flint", "proofs", what)


def cached(
    parts: Sequence[str],
    compute: Callable[[], Result],
    write: Callable[[Result], Any],
    read: Callable[[Any], Result],
) -> Result:
    """What was computed before under these parts of a name, by this version of the prover; or compute it."""
    name = precomputed.cache_key(*parts)
    result: Result | None = precomputed.load_cached(name, read)
    if result is None:
        result = compute()
        precomputed.store_cached(name, write(result))
    return result


def small_matrices(n_classes: int) -> list[Matrix]:
    """The matrices that a search tries, smallest first, in which every class has examples."""
    matrices = tried.small_matrices(n_classes)
    return [as_matrix(rows) for rows in matrices[tried.all_present(matrices)]]
