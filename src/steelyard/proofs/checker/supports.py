"""Strict inequalities on every support: is one expression greater whichever variables are 0?"""

# This module imports nothing of the prover. The difference (or a slope) is expanded once, for variables that
# are all positive. Setting variables to 0 takes terms away: where the terms that can be left are all positive
# and one of them is certainly left, the difference is positive. Sets of variables on which something that was
# divided by vanishes are left out, as there is no value there.

from __future__ import annotations

import itertools
from collections.abc import Callable
from fractions import Fraction
from typing import Any

import steelyard.proofs.checker.algebra as algebra
from steelyard.proofs.checker.algebra import Expansion, Falls, Polynomial, Quotient, sign_of, times
from steelyard.proofs.checker.interval_arithmetic import GivesUpError

MOST_SETS = 4_096
# Is a variable, root or logarithm positive on a set of variables? None where it depends on the point: a root
# of x - y is 0 where x = y, a logarithm where its argument is 1.
Alive = Callable[[str], bool | None]


def greater_everywhere(certificate: dict[str, Any]) -> bool:
    """Does a certificate of the relation ">" or "rises" hold?"""
    names = certificate["variables"]
    positive, groups = set(certificate["positive"]), [set(group) for group in certificate["groups"]]
    free = [name for name in names if name not in positive]
    if 2 ** len(free) > MOST_SETS:
        raise GivesUpError
    sets = [
        positive.union(chosen)
        for size in range(len(free) + 1)
        for chosen in itertools.combinations(free, size)
        if (positive.union(chosen) or not names) and all(positive.union(chosen) & group for group in groups)
    ]
    return algebra.every_case(lambda falls: _in_case(certificate, falls, sets))


def _in_case(certificate: dict[str, Any], falls: Falls, sets: list[set[str]]) -> bool:
    expansion = Expansion(falls)
    terms = expansion.terms(certificate["left"])
    slope = certificate["relation"] == "rises"
    if slope:
        direction = {str(name): Fraction(rate) for name, rate in certificate["direction"].items()}
        divided = list(expansion.divided)
        value = expansion.combined([_slope(expansion, term, direction) for term in terms])
    else:
        value = expansion.combined(expansion.sum(terms, expansion.terms(certificate["right"]), -1))
        divided = expansion.divided
    value = expansion.worked_out(value)
    below = sign_of(value.bottom)
    if not below:
        return False
    top = {m: below * c for m, c in value.top.items()}
    by_terms = (lambda alive: bool(_signs(top, alive)[0])) if sign_of(top) > 0 else None
    greater = by_terms or _by_squares(expansion, top)
    if greater is None:
        return False
    for chosen in sets:
        alive = _alive(expansion, chosen)
        if any(not _signs(polynomial, alive)[1] for polynomial in divided):
            continue
        if any(_sign(polynomial, alive) == -sign for polynomial, sign in falls.values()):
            continue
        if not greater(alive) or (slope and not all(alive(name) for name, _, _ in expansion.roots.values())):
            return False
    return True


def _alive(expansion: Expansion, chosen: set[str]) -> Alive:
    roots = {name: inside for name, _, inside in expansion.roots.values()}

    def alive(name: str) -> bool | None:
        if name.startswith("log "):
            return None
        if name not in roots:
            return name in chosen
        return bool(sign) if (sign := _sign(roots[name].top, alive)) is not None else None

    return alive


def _signs(polynomial: Polynomial, alive: Alive) -> tuple[set[int], set[int]]:
    """The signs of the terms that are certainly left, and may be left, when all that is not alive is 0."""
    state = {name: alive(name) for name in {name for monomial in polynomial for name, _ in monomial}}
    certain: set[int] = set()
    possible: set[int] = set()
    for monomial, coefficient in polynomial.items():
        states = {state[name] for name, _ in monomial}
        if False not in states:
            # A logarithm may be of either sign.
            log = any(name.startswith("log ") for name, _ in monomial)
            possible |= {1, -1} if log else {1 if coefficient > 0 else -1}
            certain |= {1 if coefficient > 0 else -1} if None not in states else set()
    return certain, possible


def _sign(polynomial: Polynomial, alive: Alive) -> int | None:
    """The sign of a polynomial on a set of variables, 0 where no term is left; None where it is not known."""
    certain, possible = _signs(polynomial, alive)
    if not possible:
        return 0
    return next(iter(certain)) if certain and certain == possible else None


def _by_squares(expansion: Expansion, top: Polynomial) -> Callable[[Alive], bool] | None:
    """U + V, U without negative terms and U² - V² too, U with another product of roots than V."""
    kinds: dict[tuple[tuple[str, int], ...], Polynomial] = {}
    for monomial, coefficient in top.items():
        kind = tuple((n, p) for n, p in monomial if n.startswith("root "))
        kinds.setdefault(kind, {})[monomial] = coefficient
    if len(kinds) != 2 or any(name.startswith("log ") for m in top for name, _ in m):
        return None
    for u, v in itertools.permutations(kinds.values()):
        if sign_of(u) <= 0:
            continue
        squares = expansion.difference_of_squares(u, v)
        if squares.top and sign_of(squares.bottom) * sign_of(squares.top) > 0:
            rest = squares.top

            def greater(alive: Alive, u: Polynomial = u, v: Polynomial = v, rest: Polynomial = rest) -> bool:
                # Where the squares are equal, U + V is 2 U if V is not negative there.
                return bool(_signs(rest, alive)[0]) or bool(
                    _signs(u, alive)[0] and -1 not in _signs(v, alive)[1]
                )

            return greater
    return None


def _slope(expansion: Expansion, value: Quotient, direction: dict[str, Fraction]) -> Quotient:
    """The rate at which a quotient rises when the variables change at these rates."""
    above, below = (_rise(expansion, p, direction) for p in (value.top, value.bottom))
    first = Quotient(times(above.top, value.bottom), above.bottom)
    second = Quotient(times(below.top, value.top), below.bottom)
    top = expansion.combined(expansion.sum([first], [second], -1))
    return Quotient(top.top, times(top.bottom, times(value.bottom, value.bottom)))


def _rise(expansion: Expansion, polynomial: Polynomial, direction: dict[str, Fraction]) -> Quotient:
    inside = {name: (power, value) for name, power, value in expansion.roots.values()}
    plain: Polynomial = {}
    rooted: list[Quotient] = []
    for monomial, coefficient in polynomial.items():
        for name, power in monomial:
            if name.startswith("log "):
                raise GivesUpError
            if name in inside:  # (v^q)' = q v^q v' / v
                exponent, radicand = inside[name]
                slope = _slope(expansion, radicand, direction)
                rooted.append(
                    Quotient(
                        times({monomial: coefficient * power * exponent}, times(slope.top, radicand.bottom)),
                        times(slope.bottom, radicand.top),
                    )
                )
            elif direction.get(name):
                lower = tuple((n, p - (n == name)) for n, p in monomial if p - (n == name))
                plain = algebra.add(plain, {lower: coefficient * power * direction[name]})
    first = [Quotient(plain)] if plain else []
    return expansion.combined(expansion.sum(first, [q for q in rooted if q.top], 1))
