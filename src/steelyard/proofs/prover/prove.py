"""Proofs by exact algebra of identities and inequalities on every matrix of C classes."""

# An identity is proved when the difference of both sides reduces to 0 in every region. An inequality is
# proved when, in every region, the difference is a fraction of polynomials without a negative coefficient, or
# when z3 finds its negation impossible.
# Both are proofs for matrices of positive entries; as the operations are continuous, they carry over to
# matrices with zeros wherever no denominator vanishes. Where a body asks whether an entry is 0, the matrices
# with that entry 0 are proved apart.

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from steelyard.measures.numbers import as_fraction, undefined
from steelyard.proofs.prover import certificates, smt, symbols
from steelyard.proofs.prover.regions import Compute, Region, regions
from steelyard.proofs.prover.symbols import Field, Symbol, TooHardError
from steelyard.proofs.verdict import BY_Z3

# So many sums may be asked whether they are 0: every set of them is a case of its own.
MOST_CORNERS = 8
BY_FLINT = "exact identity of rational functions (FLINT)"
BY_COEFFICIENTS = "a fraction of polynomials without negative coefficients (FLINT)"


# Names of variables that are never 0 begin like this: factors. All others are counts.
POSITIVE = ("k", "b")


@dataclass(frozen=True)
class Attempt:
    """How a proof went."""

    proved: bool
    method: str
    timed_out: bool = False
    # What must not be 0: the denominators.
    where: tuple[str, ...] = ()


def prove_equal(names: Sequence[str], compute: Compute) -> Attempt:
    """Are the two values that `compute` gives the same on every matrix?"""
    return _on_every_face(names, compute, _equal, "=")


def prove_not_less(names: Sequence[str], compute: Compute, effort: int = smt.USUAL_EFFORT) -> Attempt:
    """Is the first value that `compute` gives never less than the second?"""
    return _on_every_face(names, compute, lambda region: _not_less(region, effort), ">=")


def prove_positive(value: Any) -> Attempt:
    """Is an expression greater than 0 wherever its variables are?"""
    if not isinstance(value, Symbol):
        return Attempt(value > 0, "arithmetic")
    return _not_less(Region(value.field, (value, Fraction(0))), smt.USUAL_EFFORT, strict=True)


def _on_every_face(
    names: Sequence[str], compute: Compute, decide: Callable[[Region], Attempt], relation: str
) -> Attempt:
    if not symbols.available():
        return Attempt(False, "FLINT is not installed")
    methods: list[str] = []
    tested: set[frozenset[str]] = set()
    where: dict[str, None] = {}
    done: set[frozenset[str]] = set()
    try:
        faces: list[frozenset[str]] = [frozenset()]
        while faces:
            face = faces.pop()
            if face in done:
                continue
            done.add(face)
            for region in regions(names, compute, face):
                attempt = decide(region)
                if not attempt.proved:
                    return attempt
                methods.append(attempt.method)
                tested |= region.field.tested_for_zero
                if not face:
                    where |= dict.fromkeys(denominators_of(region.field))
            # A sum with a factor in it is never 0, the others are where all their counts are.
            counts = (sums for sums in tested if not any(name.startswith(POSITIVE) for name in sums))
            corners = sorted(counts, key=sorted)
            if len(corners) > MOST_CORNERS:
                raise TooHardError(f"more than {MOST_CORNERS} sums are asked whether they are 0")
            faces += [
                frozenset().union(*chosen)
                for size in range(1, len(corners) + 1)
                for chosen in itertools.combinations(corners, size)
            ]
    except TooHardError as error:
        return Attempt(False, f"the algebra gave up: {error}")
    except (ZeroDivisionError, TypeError, AttributeError, ValueError) as error:
        return Attempt(False, f"the algebra does not follow the formula: {error}")
    certificates.note(names, compute, relation, sorted(done, key=sorted))
    return Attempt(True, methods_of(methods), where=tuple(where))


def together(attempts: Sequence[Attempt]) -> Attempt:
    """Several proofs as one, which speaks where all of them do; the first that failed, if one did."""
    failed = [attempt for attempt in attempts if not attempt.proved]
    if failed:
        return failed[0]
    where = dict.fromkeys(text for attempt in attempts for text in attempt.where)
    return Attempt(True, methods_of(a.method for a in attempts), where=tuple(where))


def denominators_of(owner: Field) -> list[str]:
    """What must not be 0, in factors; factors that are never 0 are left out."""
    conditions: dict[str, None] = {}
    for polynomial in owner.denominators.values():
        for factor, _ in symbols.factors_of(polynomial)[1]:
            base = owner.base_of(factor)
            used = [name.startswith(POSITIVE) for name in owner.variables_of(base)]
            never = owner.is_positive(base) and (any(used) or any(not any(e) for e in base.monoms()))
            # Without variables it is a constant.
            if not base.is_constant() and not never and not all(used):
                conditions[owner.written(base)] = None
    return list(conditions)


def methods_of(methods: Iterable[str]) -> str:
    """Each method once, the trivial ones only if there is nothing else."""
    each = dict.fromkeys(method for joined in methods for method in joined.split(" and "))
    telling = [method for method in each if "undefined" not in method]
    return " and ".join(telling or each)


def _equal(region: Region) -> Attempt:
    left, right = map(exact_value, region.values)
    if left is None or right is None:
        both = left is None and right is None
        return Attempt(both, "both sides are undefined" if both else "one side is undefined")
    difference = symbols.difference(left, right)
    if not isinstance(difference, Symbol):
        return Attempt(difference == 0, BY_FLINT)
    if difference.is_zero:
        return Attempt(True, BY_FLINT)
    if region.comparisons and _satisfiable(region) == "no":  # no matrix lies in this region
        return Attempt(True, BY_Z3)
    return Attempt(False, "the two sides are not the same expression")


def _not_less(region: Region, effort: int, strict: bool = False) -> Attempt:
    left, right = map(exact_value, region.values)
    if left is None or right is None:
        return Attempt(True, "undefined on the whole region")
    difference = symbols.difference(left, right)
    if not isinstance(difference, Symbol):
        return Attempt(difference >= 0, BY_COEFFICIENTS)
    if difference.is_zero:
        return Attempt(not strict, BY_FLINT)
    top, bottom = difference.combined()
    if not region.field.is_positive(bottom):
        if not region.field.is_positive(-bottom):
            top, bottom = region.field.times(top, bottom), region.field.one
        else:
            top = -top
    logs = [i for i in region.field.logs.values() if top.degrees()[i]]
    if not logs and all(c >= 0 for c in top.coeffs()):
        return Attempt(True, BY_COEFFICIENTS)
    if logs:
        return Attempt(False, "logarithms are out of reach of the provers")
    if len(top) > 1500:
        return Attempt(False, f"a polynomial of {len(top):,} terms is out of reach of z3")
    if not smt.available():
        return Attempt(False, "z3 is not installed")
    answer = _satisfiable(region, (top, "<=" if strict else "<"), effort=effort)
    if answer == "no":
        return Attempt(True, BY_Z3)
    gave_up = answer == "unknown"
    return Attempt(False, "z3 gave up" if gave_up else "z3 found the negation possible", timed_out=gave_up)


def exact_value(value: Any) -> Any:
    """A value as the algebra takes it: a finite float as it is written, None for an undefined one."""
    if undefined(value):
        return None
    return value if isinstance(value, (Symbol, symbols.Angle)) else as_fraction(value)


def _satisfiable(region: Region, *more: tuple[Any, str], effort: int = smt.USUAL_EFFORT) -> smt.Answer:
    """Is there a point of the region at which these polynomials stand in these relations to 0?"""
    owner = region.field
    constraints = [(polynomial, ">" if sign > 0 else "<") for polynomial, sign in region.comparisons]
    constraints += [
        (owner.generators[i] ** degree - base, "=") for i, (degree, base) in owner.degrees.items()
    ]
    written = [
        (
            {
                tuple(int(e) for e in exponents): Fraction(int(c.p), int(c.q))
                for exponents, c in polynomial.to_dict().items()
            },
            relation,
        )
        for polynomial, relation in (*constraints, *more)
    ]
    positive = [*range(len(owner.names)), *owner.degrees]
    return smt.satisfiable(len(owner.generators), positive, written, effort)
