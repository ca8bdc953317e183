"""Expansion of the expressions of a certificate into quotients of polynomials over positive variables."""

# This module imports nothing of the prover. Roots and logarithms of the same expression are the same unknown
# quantity, roots are positive, and a power of a root that is whole is worked out. Where a maximum depends on
# the point, the expansion asks which way it falls.

from __future__ import annotations

import json
from collections.abc import Callable
from fractions import Fraction
from typing import Any

from steelyard.proofs.checker.interval_arithmetic import MOST_BITS, GivesUpError

Monomial = tuple[tuple[str, int], ...]
Polynomial = dict[Monomial, Fraction]
# The signs that were chosen for polynomials, by their keys.
Falls = dict[str, tuple[Polynomial, int]]
MOST_TERMS = 4_000
# So many products of terms are worked out for one certificate: a reproducible limit, unlike a time. A
# product of long numbers counts for several.
MOST_PRODUCTS = 1_500_000
MOST_CASES = 200


class Split(Exception):  # noqa: N818 - a question, no error
    """The sign of this polynomial is to be chosen."""

    def __init__(self, polynomial: Polynomial) -> None:
        self.polynomial = polynomial


# Products of terms since the certificate at hand was opened.
WORK = [0]


def add(a: Polynomial, b: Polynomial, sign: int = 1) -> Polynomial:
    out = dict(a)
    for monomial, coefficient in b.items():
        out[monomial] = out.get(monomial, Fraction(0)) + sign * coefficient
    return {monomial: coefficient for monomial, coefficient in out.items() if coefficient}


def times(a: Polynomial, b: Polynomial) -> Polynomial:
    longest = max((c.numerator.bit_length() for p in (a, b) for c in p.values()), default=0)
    WORK[0] += len(a) * len(b) * (1 + longest // 256)
    if WORK[0] > MOST_PRODUCTS:
        raise GivesUpError
    # A monomial is one number, its powers the digits: they are added, where sorting took most of the time.
    base = 4 * max((abs(power) for p in (a, b) for m in p for _, power in m), default=0) + 1
    place: dict[str, int] = {}
    code = {m: sum(k * place.setdefault(n, base ** len(place)) for n, k in m) for p in (a, b) for m in p}
    left, right = (
        [(m, code[m], c.numerator if c.denominator == 1 else c) for m, c in p.items()] for p in (a, b)
    )
    out: dict[int, int | Fraction] = {}  # integers are multiplied in a tenth of the time
    monomials: dict[int, Monomial] = {}
    for first, first_code, c in left:
        for second, second_code, d in right:
            if (key := first_code + second_code) not in monomials:
                powers = dict(first)
                for name, power in second:
                    powers[name] = powers.get(name, 0) + power
                monomials[key] = tuple(sorted(item for item in powers.items() if item[1]))
            total = out.get(key, 0) + c * d
            if total.numerator.bit_length() > MOST_BITS:
                raise GivesUpError
            if total:
                out[key] = total
            else:
                out.pop(key, None)
    if len(out) > MOST_TERMS:
        raise GivesUpError
    return {monomials[key]: Fraction(c) for key, c in out.items()}


def key_of(p: Polynomial) -> str:
    return json.dumps(sorted((list(map(list, m)), str(c)) for m, c in p.items()))


UNIT: Polynomial = {(): Fraction(1)}


class Quotient:
    """Top over bottom, without common powers of variables and with a bottom that begins with 1."""

    def __init__(self, top: Polynomial, bottom: Polynomial = UNIT) -> None:
        if not bottom:
            raise ZeroDivisionError
        shared = common(top, bottom) if top else {}
        if shared:
            top, bottom = without(top, shared), without(bottom, shared)
        lead = bottom[max(bottom)]
        self.top: Polynomial = {m: c / lead for m, c in top.items()}
        self.bottom: Polynomial = {m: c / lead for m, c in bottom.items()} if top else dict(UNIT)

    def times(self, other: Quotient) -> Quotient:
        return Quotient(times(self.top, other.top), times(self.bottom, other.bottom))

    @property
    def key(self) -> str:
        return f"{key_of(self.top)}/{key_of(self.bottom)}"


def common(*polynomials: Polynomial) -> dict[str, int]:
    every = [dict(monomial) for polynomial in polynomials for monomial in polynomial]
    shared = [name for name in every[0] if all(name in powers for powers in every)] if every else []
    return {name: min(powers[name] for powers in every) for name in shared}


def _positive_powers(polynomial: Polynomial) -> dict[str, int]:
    """The powers of variables and roots that all terms share."""
    # Logarithms may be of either sign, and the root of the square of one is its absolute value.
    return {name: power for name, power in common(polynomial).items() if not name.startswith("log ")}


def without(polynomial: Polynomial, shared: dict[str, int]) -> Polynomial:
    return {
        tuple((n, p - shared.get(n, 0)) for n, p in monomial if p - shared.get(n, 0)): c
        for monomial, c in polynomial.items()
    }


class Expansion:
    """Expressions as sums of quotients, with the comparisons falling as told."""

    def __init__(self, falls: Falls) -> None:
        self.falls = falls
        # The name of a root, its power and what it is a root of.
        self.roots: dict[str, tuple[str, Fraction, Quotient]] = {}
        self.logs: dict[str, str] = {}
        # What was divided by: where one is 0 there is no value.
        self.divided: list[Polynomial] = []
        self.memo: dict[str, list[Quotient]] = {}

    def terms(self, node: Any) -> list[Quotient]:
        """The quotients whose sum an expression is, one for each bottom."""
        if isinstance(node, str):
            number = Fraction(node)
            return [Quotient({(): number})] if number else []
        if node[0] == "variable":
            return [Quotient({((node[1], 1),): Fraction(1)})]
        memo = json.dumps(node)
        if memo not in self.memo:
            self.memo[memo] = self._worked_out(node)
        return self.memo[memo]

    def _worked_out(self, node: Any) -> list[Quotient]:
        operation, first = node[0], self.terms(node[1])
        if operation == "log":
            return [self._log(self.combined(first))]
        if operation == "^":
            return [self._power(self.combined(first), Fraction(node[2]))]
        second = self.terms(node[2])
        if operation in "+-":
            return self.sum(first, second, 1 if operation == "+" else -1)
        if operation == "*":
            return self.sum([], [a.times(b) for a in first for b in second], 1)
        if operation == "/":
            below = self.combined(second)
            self.divided.append(below.top)
            quotients = [Quotient(times(a.top, below.bottom), times(a.bottom, below.top)) for a in first]
            return self.sum([], quotients, 1)
        if operation == "max":
            return first if self.sign(self.sum(first, second, -1)) >= 0 else second
        raise GivesUpError

    def sum(self, first: list[Quotient], second: list[Quotient], sign: int) -> list[Quotient]:
        by_bottom = {key_of(q.bottom): q for q in first}
        for q in second:
            key = key_of(q.bottom)
            known = by_bottom.get(key)
            top = add(known.top if known else {}, q.top, sign)
            if top:
                total = Quotient(top, q.bottom)
                by_bottom.pop(key, None)
                other = by_bottom.pop(key_of(total.bottom), None)
                if other is not None:
                    joined = add(total.top, other.top)
                    if not joined:
                        continue
                    total = Quotient(joined, total.bottom)
                by_bottom[key_of(total.bottom)] = total
            else:
                by_bottom.pop(key, None)
        return list(by_bottom.values())

    def combined(self, terms: list[Quotient]) -> Quotient:
        """A sum as one quotient."""
        top: Polynomial = {}
        bottom = UNIT
        for q in terms:
            top = add(times(top, q.bottom), times(q.top, bottom))
            bottom = times(bottom, q.bottom)
        return Quotient(top, bottom)

    def worked_out(self, value: Quotient) -> Quotient:
        """The same with whole powers of roots worked out."""
        inside = {name: (power, radicand) for name, power, radicand in self.roots.values()}
        if not any(name in inside for side in (value.top, value.bottom) for m in side for name, _ in m):
            return value
        above, below = (self._without_whole(side, inside) for side in (value.top, value.bottom))
        return Quotient(times(above.top, below.bottom), times(above.bottom, below.top))

    def _without_whole(
        self, polynomial: Polynomial, inside: dict[str, tuple[Fraction, Quotient]]
    ) -> Quotient:
        parts = []
        for monomial, coefficient in polynomial.items():
            powers: list[tuple[str, int]] = []
            product = Quotient({(): coefficient})
            for name, power in monomial:
                exponent, radicand = inside.get(name, (Fraction(0), None))
                whole, rest = divmod(power * exponent, 1)
                if radicand is not None:
                    for _ in range(int(whole)):
                        product = product.times(radicand)
                left = power if radicand is None else int(rest / exponent)
                powers += [(name, left)] if left else []
            parts.append(Quotient(times(product.top, {tuple(powers): Fraction(1)}), product.bottom))
        return self.combined(self.sum([], parts, 1))

    def difference_of_squares(self, a: Polynomial, b: Polynomial) -> Quotient:
        first, second = (self.worked_out(Quotient(times(p, p))) for p in (a, b))
        negative = Quotient({m: -c for m, c in second.top.items()}, second.bottom)
        return self.worked_out(self.combined([first, negative]))

    def sign(self, terms: list[Quotient]) -> int:
        """The sign of a sum: seen from its coefficients, or as the case at hand says."""
        value = self.combined(terms)
        if not value.top:
            return 0
        below = sign_of(value.bottom)
        above = sign_of(value.top)
        if above and below:
            return above * below
        unknown = value.top if below else times(value.top, value.bottom)
        # Powers of positive variables do not matter, nor does the size.
        unknown = without(unknown, _positive_powers(unknown))
        lead = unknown[max(unknown)]
        flip = (1 if lead > 0 else -1) * (below or 1)
        unknown = {m: c / lead for m, c in unknown.items()}
        if key_of(unknown) in self.falls:
            return flip * self.falls[key_of(unknown)][1]
        raise Split(unknown)

    def _power(self, value: Quotient, power: Fraction) -> Quotient:
        if power < 0:
            self.divided.append(value.top)
            return self._power(Quotient(value.bottom, value.top), -power)
        whole, rest = divmod(power, 1)
        result = Quotient(UNIT)
        for _ in range(int(whole)):
            result = result.times(value)
        if rest and not value.top:
            return value  # the root of 0 is 0, not a positive number
        steps, degree = rest.numerator, rest.denominator
        if rest:
            for side, out in ((value.top, 1), (value.bottom, -1)):
                for variable, power_of_it in _positive_powers(side).items():
                    alone = len(side) == 1 and len(value.top) + len(value.bottom) == 2
                    if alone and side == {((variable, 1),): Fraction(1)} and out > 0:
                        break  # the root of one variable
                    # Roots of variables apart: √(kx) and √k √x are the same, √(x²) is x.
                    root = self._root(Quotient({((variable, 1),): Fraction(1)}), degree)
                    factor = self.worked_out(Quotient({((root, power_of_it * steps),): Fraction(1)}))
                    top, bottom = (factor.top, factor.bottom) if out > 0 else (factor.bottom, factor.top)
                    result = Quotient(times(result.top, top), times(result.bottom, bottom))
                    gone = {variable: power_of_it}
                    sides = (gone, {}) if out > 0 else ({}, gone)
                    value = Quotient(without(value.top, sides[0]), without(value.bottom, sides[1]))
            if value.top == value.bottom:
                return result
            # The root of a number apart, so that √(2x) √(2x) and 2 √x √x are seen to be the same.
            lead = value.top[max(value.top)]
            if lead > 0 and lead != 1 and len(value.top) + len(value.bottom) > 2:
                number = self._power(Quotient({(): lead}), rest)
                result = result.times(number)
                value = Quotient({m: c / lead for m, c in value.top.items()}, value.bottom)
            root = self._root(value, degree)
            result = Quotient(times(result.top, {((root, steps),): Fraction(1)}), result.bottom)
        return result

    def _root(self, value: Quotient, degree: int) -> str:
        """The name of a root."""
        named = f"root {len(self.roots)}", Fraction(1, degree), value
        return self.roots.setdefault(f"{value.key}^1/{degree}", named)[0]

    def _log(self, value: Quotient) -> Quotient:
        name = self.logs.setdefault(value.key, f"log {len(self.logs)}")
        return Quotient({((name, 1),): Fraction(1)})


def sign_of(polynomial: Polynomial) -> int:
    """1 or -1 if every coefficient says so; logarithms may be of either sign."""
    if any(name.startswith("log ") for monomial in polynomial for name, _ in monomial):
        return 0
    signs = {1 if c > 0 else -1 for c in polynomial.values()}
    return signs.pop() if len(signs) == 1 else 0


def every_case(holds: Callable[[Falls], bool]) -> bool:
    """Does something hold however the comparisons that it comes across fall?"""
    waiting: list[Falls] = [{}]
    WORK[0] = seen = 0
    while waiting:
        seen += 1
        if seen > MOST_CASES:
            raise GivesUpError
        falls = waiting.pop()
        try:
            if not holds(falls):
                return False
        except Split as split:
            chosen = split.polynomial
            waiting += [{**falls, key_of(chosen): (chosen, sign)} for sign in (1, -1)]
    return True
