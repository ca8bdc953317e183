"""Strict inequalities on every matrix, those with empty cells included."""

# The difference is worked out once, for cells that are all positive, as a quotient of polynomials without
# negative coefficients. Which cells are empty then only decides which terms are left: the difference is
# greater than 0 wherever a term of its numerator is left and no denominator that was divided by has vanished.
# Where a denominator has vanished a value is missing, and nothing is asked.

from __future__ import annotations

import itertools
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from typing import Any

from steelyard.proofs.prover import certificates, symbols
from steelyard.proofs.prover.prove import Attempt, exact_value
from steelyard.proofs.prover.regions import Compute, Point, Region, regions
from steelyard.proofs.prover.symbols import Angle, Field, Symbol, TooHardError, difference

BY_TERMS = "every term of the difference is positive, and one is left whichever cells are empty (FLINT)"
BY_SLOPE = (
    "its slope is a quotient of polynomials without negative terms, and one is left whichever cells are empty"
    " (FLINT)"
)
BY_SQUARES = "a difference of squares without a negative term (FLINT)"
MOST_SUPPORTS = 4096
# Sets of variables that are not all 0 at once.
Groups = Sequence[Collection[str]]


def prove_greater(
    names: Sequence[str],
    compute: Compute,
    positive: Collection[str] = (),
    groups: Groups = (),
) -> Attempt:
    """Is the first value that `compute` gives greater than the second wherever both are defined?"""
    # The variables named in `positive` are never 0; of each group at least one is not.

    def of_region(region: Region) -> str:
        left, right = map(exact_value, region.values)
        if left is None or right is None:
            return "it has no value on matrices without empty cells"
        return _positive(region, difference(left, right), supports(names, positive, groups))

    attempt = _in_every_region(names, positive, compute, of_region)
    if attempt.proved:
        certificates.note_strict(names, compute, positive, groups)
    return attempt


def prove_rising(
    names: Sequence[str],
    value: Callable[[Point], Any],
    direction: dict[str, int],
    positive: Collection[str],
    groups: Groups = (),
    *,
    falls: bool = False,
) -> Attempt:
    """Does a value rise (or fall) when the named cells change at these rates, wherever it is defined?"""

    def of_region(region: Region) -> str:
        owner, value_there = region.field, exact_value(region.values[0])
        if value_there is None:
            return "it has no value on matrices without empty cells"
        turned = isinstance(value_there, Angle)  # it falls as its cosine rises
        value_there = getattr(value_there, "cosine", value_there)
        if not isinstance(value_there, Symbol):
            return "it does not change"
        divided = dict(owner.denominators)
        slope = derivative(value_there, direction)
        slope = -slope if falls != turned else slope
        # What the rule for quotients and roots divides by is no denominator of the value itself.
        owner.denominators = divided
        return _positive(region, slope, supports(names, positive, groups), smooth=True)

    attempt = _in_every_region(names, positive, lambda at: (value(at),), of_region)
    if attempt.proved:
        rates = {name: -rate if falls else rate for name, rate in direction.items()}
        certificates.note_rising(names, value, rates, positive, groups)
        return Attempt(True, BY_SLOPE)
    return attempt


def _in_every_region(
    names: Sequence[str], positive: Collection[str], compute: Compute, decide: Callable[[Region], str]
) -> Attempt:
    if not symbols.available():
        return Attempt(False, "FLINT is not installed")
    if 2 ** (len(names) - len(positive)) > MOST_SUPPORTS:
        return Attempt(False, "too many sets of empty cells")
    methods = []
    try:
        for region in regions(names, compute):
            if region.field.tested_for_zero:
                return Attempt(False, "the formula branches, so that empty cells are cases of their own")
            methods.append(decide(region))
            if methods[-1] not in (BY_TERMS, BY_SQUARES):
                return Attempt(False, methods[-1])
    except TooHardError as error:
        return Attempt(False, f"the algebra gave up: {error}")
    except (ZeroDivisionError, TypeError, AttributeError, ValueError) as error:
        return Attempt(False, f"the algebra does not follow the formula: {error}")
    return Attempt(True, BY_SQUARES if BY_SQUARES in methods else BY_TERMS)


def supports(names: Sequence[str], positive: Collection[str], groups: Groups) -> Iterator[frozenset[str]]:
    """Every set of variables that can be the ones that are not 0."""
    free = [name for name in names if name not in positive]
    for size in range(len(free) + 1):
        for chosen in itertools.combinations(free, size):
            support = frozenset((*chosen, *positive))
            if support and not any(support.isdisjoint(group) for group in groups):
                yield support


def _positive(region: Region, excess: Any, sets: Iterable[frozenset[str]], *, smooth: bool = False) -> str:
    """The method by which a difference is positive on all these sets of cells, or why it is not seen."""
    # `smooth`: the difference is a slope, so a root of 0 is no place to speak of.
    owner = region.field
    if not isinstance(excess, Symbol):
        return BY_TERMS if excess > 0 else "the difference is not positive"
    top, bottom = excess.combined()
    if owner.is_positive(-bottom):
        top, bottom = -top, -bottom
    if top.is_zero() or not owner.is_positive(bottom):
        return "the sign of a denominator is not known"
    method = BY_TERMS if owner.is_positive(top) else BY_SQUARES
    greater = (lambda alive: bool(_signs(top, alive[0]))) if method == BY_TERMS else _by_squares(owner, top)
    if greater is None:
        return "the difference has terms of either sign"
    for support in sets:
        alive = certain, possible = _alive(owner, support)
        if any(not _signs(polynomial, possible) for polynomial in owner.denominators.values()):
            continue
        # No matrix with these empty cells lies in the region where a comparison must fall the other way.
        if any(
            _signs(polynomial, certain) == _signs(polynomial, possible) == {-sign}
            for polynomial, sign in region.comparisons
        ):
            continue
        if not greater(alive) or (smooth and not all(certain >> i & 1 for i in owner.degrees)):
            return f"the difference is 0 where only {', '.join(sorted(support))} are not empty"
    return method


# Which variables and roots are certainly not 0, and which may not be, a bit for each: a root of x - y is 0
# where x = y, a logarithm where its argument is 1.
Alive = tuple[int, int]


def _by_squares(owner: Field, top: Any) -> Callable[[Alive], bool] | None:
    """The sets on which U + V √f is greater than 0, if U has no negative term and neither has U² - V² f."""
    kinds: dict[tuple[int, ...], dict[tuple[int, ...], Any]] = {}
    for exponents, coefficient in top.to_dict().items():
        kinds.setdefault(tuple(exponents[i] for i in owner.degrees), {})[exponents] = coefficient
    plain = kinds.pop((0,) * len(owner.degrees), None)
    if len(kinds) != 1 or plain is None:  # not of this form
        return None
    u, v = owner.context.from_dict(plain), owner.context.from_dict(*kinds.values())
    if not owner.is_positive(u):
        return None
    squares = owner.checked(owner.times(u, u) - owner.times(v, v))
    if squares.is_zero() or not owner.is_positive(squares):
        return None

    def greater(alive: Alive) -> bool:
        # Where the squares are equal, top is 2 U if V is positive there, else 0.
        certain, possible = alive
        return bool(_signs(squares, certain)) or bool(_signs(u, certain) and _signs(v, possible) <= {1})

    return greater


def _alive(owner: Field, support: frozenset[str]) -> Alive:
    certain = sum(1 << i for i, name in enumerate(owner.names) if name in support)
    possible = certain | sum(1 << i for i in owner.logs.values())
    for index, (_, base) in owner.degrees.items():
        signs = _signs(base, possible)
        possible |= bool(signs) << index
        certain |= (len(signs) == 1 and bool(_signs(base, certain))) << index
    return certain, possible


def _masks(polynomial: Any) -> Masks:
    """Which variables stand in each term, once for each set of them."""
    # Kept, as every set of empty cells asks again.
    known = _KNOWN.get(id(polynomial))
    if known is None or known[0] is not polynomial:
        if len(_KNOWN) > 500:
            _KNOWN.clear()
        signs_of: dict[int, set[int]] = {}
        for exponents, coefficient in polynomial.to_dict().items():
            mask = sum(1 << i for i, e in enumerate(exponents) if e)
            signs_of.setdefault(mask, set()).add(1 if coefficient > 0 else -1)
        known = (polynomial, tuple(sorted(signs_of.items(), key=lambda item: item[0].bit_count())))
        _KNOWN[id(polynomial)] = known
    return known[1]


Masks = tuple[tuple[int, set[int]], ...]
# By the identity of the polynomial, which is held so that no other can take its place.
_KNOWN: dict[int, tuple[Any, Masks]] = {}


def _signs(polynomial: Any, alive: int) -> set[int]:
    """The signs of the terms that are left when everything that is not alive is 0."""
    return {sign for mask, signs in _masks(polynomial) if not mask & ~alive for sign in signs}


def derivative(value: Symbol, direction: dict[str, int]) -> Symbol:
    """How fast a value rises when the named variables change at these rates."""
    owner = value.field
    total = owner.constant(0)
    for top, bottom in value.parts.values():
        a, b = owner.of(top), owner.of(bottom)
        rise = _rise(owner, top, direction) * b - a * _rise(owner, bottom, direction)
        total = total + rise / (b * b)
    return total


def _rise(owner: Field, polynomial: Any, direction: dict[str, int]) -> Symbol:
    total = owner.constant(0)
    for index, degree in enumerate(polynomial.degrees()):
        if not degree:
            continue
        if index in owner.logs.values():
            raise TooHardError("the slope of a logarithm is not worked out")
        slope = owner.of(polynomial.derivative(index))
        if index in owner.degrees:  # g^D = f, so g' = g f' / (D f)
            power, base = owner.degrees[index]
            inner = _rise(owner, base, direction) * owner.of(owner.generators[index])
            total = total + slope * inner / owner.of(base * power)
        else:
            total = total + slope * direction.get(owner.names[index], 0)
    return total
