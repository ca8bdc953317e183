"""Is one expression greater than another whichever variables are 0? Worked out from nothing, as the checker
does.

This module imports nothing of the prover. The difference (or a slope) is expanded once, for variables that
are all positive. Setting variables to 0 takes terms away: where the terms that can be left are all positive
and one of them is left, the difference is positive. Sets of variables on which something that was divided by
vanishes are left out, as there is no value there."""

from __future__ import annotations

import itertools
from collections.abc import Callable
from fractions import Fraction
from typing import Any

from steelyard.proofs.checker.algebra import (
    WORK,
    Expansion,
    GivesUpError,
    Polynomial,
    Quotient,
    Split,
    add,
    key_of,
    sign_of,
    times,
)

MOST_CASES = 200
MOST_SETS = 4_096
Alive = Callable[[str], bool]


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
        if positive.union(chosen) and all(positive.union(chosen) & group for group in groups)
    ]
    waiting: list[dict[str, int]] = [{}]
    known: dict[str, Polynomial] = {}
    WORK[0] = seen = 0
    while waiting:
        seen += 1
        if seen > MOST_CASES:
            raise GivesUpError
        falls = waiting.pop()
        try:
            if not _in_case(certificate, falls, known, sets):
                return False
        except Split as split:
            known[key_of(split.polynomial)] = split.polynomial
            waiting += [{**falls, key_of(split.polynomial): sign} for sign in (1, -1)]
    return True


def _in_case(
    certificate: dict[str, Any], falls: dict[str, int], known: dict[str, Polynomial], sets: list[set[str]]
) -> bool:
    expansion = Expansion(falls)
    terms = expansion.terms(certificate["left"])
    slope = certificate["relation"] == "rises"
    if slope:
        direction = {str(name): Fraction(rate) for name, rate in certificate["direction"].items()}
        divided = list(expansion.divided)
        value = expansion.one([_slope(expansion, term, direction) for term in terms])
    else:
        value = expansion.one(expansion.sum(terms, expansion.terms(certificate["right"]), -1))
        divided = expansion.divided
    value = expansion.worked_out(value)
    below = sign_of(value.bottom)
    if not below:
        return False
    top = {m: below * c for m, c in value.top.items()}
    seen = _by_terms(top) or _by_squares(expansion, top)
    if seen is None:
        return False
    for chosen in sets:
        alive = _alive(expansion, chosen)
        if any(not _left(polynomial, alive) for polynomial in divided):
            continue
        if any(
            {_sign(c) for c in _left(known[key], alive).values()} == {-sign} for key, sign in falls.items()
        ):
            continue
        if not seen(alive) or (slope and not all(alive(name) for name, _, _ in expansion.roots.values())):
            return False
    return True


def _sign(number: Fraction) -> int:
    return 1 if number > 0 else -1


def _alive(expansion: Expansion, chosen: set[str]) -> Alive:
    roots = {name: inside for name, _, inside in expansion.roots.values()}

    def alive(name: str) -> bool:
        return bool(_left(roots[name].top, alive)) if name in roots else name in chosen

    return alive


def _left(polynomial: Polynomial, alive: Alive) -> Polynomial:
    """The terms that are left when everything that is not alive is 0."""
    state: dict[str, bool] = {}
    out: Polynomial = {}
    for monomial, coefficient in polynomial.items():
        for name, _ in monomial:
            if name not in state:
                state[name] = alive(name)
        if all(state[name] for name, _ in monomial):
            out[monomial] = coefficient
    return out


def _by_terms(top: Polynomial) -> Callable[[Alive], bool] | None:
    return (lambda alive: bool(_left(top, alive))) if sign_of(top) > 0 else None


def _by_squares(expansion: Expansion, top: Polynomial) -> Callable[[Alive], bool] | None:
    """U + V, U without negative terms and U² - V² too, the one with another product of roots than the
    other."""
    kinds: dict[tuple[tuple[str, int], ...], Polynomial] = {}
    for monomial, coefficient in top.items():
        kind = tuple((n, p) for n, p in monomial if n.startswith("root "))
        kinds.setdefault(kind, {})[monomial] = coefficient
    if len(kinds) != 2 or any("log " in name for m in top for name, _ in m):
        return None
    for u, v in itertools.permutations(kinds.values()):
        if sign_of(u) <= 0:
            continue
        one, other = (expansion.worked_out(Quotient(times(p, p), {(): Fraction(1)})) for p in (u, v))
        squares = expansion.one([one, Quotient({m: -c for m, c in other.top.items()}, other.bottom)])
        if squares.top and sign_of(squares.bottom) * sign_of(squares.top) > 0:
            told = squares.top

            def seen(alive: Alive, u: Polynomial = u, v: Polynomial = v, told: Polynomial = told) -> bool:
                return bool(_left(told, alive)) or bool(
                    _left(u, alive) and all(c > 0 for c in _left(v, alive).values())
                )

            return seen
    return None


def _slope(expansion: Expansion, value: Quotient, direction: dict[str, Fraction]) -> Quotient:
    """How fast a quotient rises when the variables change at these rates."""
    above, below = (_rise(expansion, p, direction) for p in (value.top, value.bottom))
    first = Quotient(times(above.top, value.bottom), above.bottom)
    second = Quotient(times(below.top, value.top), below.bottom)
    top = expansion.one(expansion.sum([first], [second], -1))
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
                plain = add(plain, {lower: coefficient * power * direction[name]})
    first = [Quotient(plain, {(): Fraction(1)})] if plain else []
    return expansion.one(expansion.sum(first, [q for q in rooted if q.top], 1))
