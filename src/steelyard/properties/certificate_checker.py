"""Is a certificate right? Worked out from nothing, with Python's integers and fractions alone.

This module imports nothing of the prover. A certificate says of two expressions over positive variables that
they are equal, or that the first is never less. They are expanded into quotients of polynomials; where a
maximum depends on the matrix, both ways it can fall are taken in turn; equal means that the difference
expands to 0, never less that it is a quotient of polynomials without a negative coefficient. Roots and
logarithms of the same expression are the same unknown quantity, roots are positive, and a power of a root
that is whole is worked out. The answers: "holds", "fails" (a point at which it is wrong), or "not certified".
"""

from __future__ import annotations

import json
import random
from collections.abc import Callable
from fractions import Fraction
from typing import Any, Literal

Answer = Literal["holds", "fails", "not certified"]
Monomial = tuple[tuple[str, int], ...]
Polynomial = dict[Monomial, Fraction]
MOST_TERMS = 4_000
MOST_CASES = 200
MOST_PRODUCTS = 1_500_000
"""So many products of terms are worked out for one certificate: a reproducible limit, unlike a time."""
LEMMAS = {
    "order": "a mean over classes of one and the same term does not depend on the order of the classes",
    "priors": (
        "what is computed after every row is divided by its sum does not change when rows are multiplied"
    ),
}
"""What is taken for granted, each with values on both sides of instances, which must be equal."""


class GivesUpError(Exception):
    """The certificate is beyond what is expanded here."""


class _Split(Exception):  # noqa: N818 - a question, no error
    """Is this polynomial positive or negative?"""

    def __init__(self, polynomial: Polynomial) -> None:
        self.polynomial = polynomial


def check(certificate: dict[str, Any]) -> Answer:
    """Does what the certificate says hold?"""
    if certificate.get("relation") == "lemma":
        pairs = certificate.get("instances", [])
        return (
            "holds"
            if certificate.get("name") in LEMMAS and pairs and all(a == b for a, b in pairs)
            else "fails"
        )
    if certificate.get("relation") == "differ":
        return _differ(certificate.get("left"), certificate.get("right"))
    try:
        relation, left, right = certificate["relation"], certificate["left"], certificate["right"]
        names = [str(name) for name in certificate["variables"]]
    except (KeyError, TypeError):
        return "holds" if certificate == {"relation": "undefined"} else "fails"
    if relation not in ("=", ">="):
        return "fails"
    if not _holds_at_points(left, right, relation, names):
        return "fails"
    try:
        return "holds" if _proved(left, right, relation) else "not certified"
    except (GivesUpError, RecursionError, ZeroDivisionError):
        return "not certified"


# -- at points


def _differ(left: Any, right: Any) -> Answer:
    """A counterexample: two expressions of numbers that are not equal."""
    try:
        one, other = evaluated(left, {}), evaluated(right, {})
    except (ArithmeticError, KeyError, TypeError, ValueError, IndexError):
        return "fails"
    exact = isinstance(one, Fraction) and isinstance(other, Fraction)
    return "holds" if (one != other if exact else abs(float(one) - float(other)) > 1e-9) else "fails"


def _holds_at_points(left: Any, right: Any, relation: str, names: list[str]) -> bool:
    draws = random.Random(11)
    for top in (3, 3, 50, 50, 1000, 10**6):
        point = {name: Fraction(draws.randint(1, top)) for name in names}
        try:
            one, other = evaluated(left, point), evaluated(right, point)
        except (ZeroDivisionError, OverflowError):
            continue
        if isinstance(one, Fraction) and isinstance(other, Fraction):
            if one < other or (relation == "=" and one != other):
                return False
        else:
            slack = 1e-9 * max(1.0, abs(float(one)))
            if float(one) < float(other) - slack or (
                relation == "=" and abs(float(one) - float(other)) > slack
            ):
                return False
    return True


def evaluated(node: Any, point: dict[str, Fraction]) -> Fraction | float:
    """The value of an expression at a point: exact unless it holds roots or logarithms."""
    import math

    if isinstance(node, str):
        return Fraction(node)
    if node[0] == "variable":
        return point[node[1]]
    first = evaluated(node[1], point)
    if node[0] == "log":
        return math.log(first)
    if node[0] == "^":
        power = Fraction(node[2])
        return first ** int(power) if power.denominator == 1 else float(first) ** float(power)
    second = evaluated(node[2], point)
    operations: dict[str, Callable[[Any, Any], Any]] = {
        "+": lambda a, b: a + b, "-": lambda a, b: a - b, "*": lambda a, b: a * b, "/": lambda a, b: a / b,
        "max": max,
    }  # fmt: skip
    value: Fraction | float = operations[node[0]](first, second)
    return value


# -- polynomials

_WORK = [0]
"""Products of terms since the certificate at hand was opened."""


def _add(a: Polynomial, b: Polynomial, sign: int = 1) -> Polynomial:
    out = dict(a)
    for monomial, coefficient in b.items():
        total = out.get(monomial, Fraction(0)) + sign * coefficient
        if total:
            out[monomial] = total
        else:
            out.pop(monomial, None)
    return out


def _times(a: Polynomial, b: Polynomial) -> Polynomial:
    _WORK[0] += len(a) * len(b)
    if _WORK[0] > MOST_PRODUCTS:
        raise GivesUpError
    out: Polynomial = {}
    for one, c in a.items():
        for other, d in b.items():
            powers = dict(one)
            for name, power in other:
                powers[name] = powers.get(name, 0) + power
            key = tuple(sorted((n, p) for n, p in powers.items() if p))
            total = out.get(key, Fraction(0)) + c * d
            if total:
                out[key] = total
            else:
                out.pop(key, None)
    if len(out) > MOST_TERMS:
        raise GivesUpError
    return out


def _key(p: Polynomial) -> str:
    return json.dumps(sorted((list(map(list, m)), str(c)) for m, c in p.items()))


class Quotient:
    """Top over bottom, without common powers of variables and with a bottom that begins with 1."""

    def __init__(self, top: Polynomial, bottom: Polynomial) -> None:
        if not bottom:
            raise ZeroDivisionError
        shared = _common(top, bottom) if top else {}
        if shared:
            top, bottom = _without(top, shared), _without(bottom, shared)
        lead = bottom[max(bottom)]
        self.top: Polynomial = {m: c / lead for m, c in top.items()}
        self.bottom: Polynomial = {m: c / lead for m, c in bottom.items()} if top else {(): Fraction(1)}

    @property
    def key(self) -> str:
        return f"{_key(self.top)}/{_key(self.bottom)}"


def _common(*polynomials: Polynomial) -> dict[str, int]:
    least: dict[str, int] | None = None
    for polynomial in polynomials:
        for monomial in polynomial:
            powers = dict(monomial)
            least = (
                powers if least is None else {n: min(p, powers[n]) for n, p in least.items() if n in powers}
            )
    return least or {}


def _without(polynomial: Polynomial, shared: dict[str, int]) -> Polynomial:
    return {
        tuple((n, p - shared.get(n, 0)) for n, p in monomial if p - shared.get(n, 0)): c
        for monomial, c in polynomial.items()
    }


class _Expansion:
    """Expressions as sums of quotients, with the comparisons falling as told."""

    def __init__(self, falls: dict[str, int]) -> None:
        self.falls = falls
        self.roots: dict[str, tuple[str, int, Quotient]] = {}
        self.logs: dict[str, str] = {}
        self.memo: dict[str, list[Quotient]] = {}

    def terms(self, node: Any) -> list[Quotient]:
        """The quotients whose sum an expression is, one for each bottom."""
        if isinstance(node, str):
            number = Fraction(node)
            return [Quotient({(): number}, {(): Fraction(1)})] if number else []
        if node[0] == "variable":
            return [Quotient({((node[1], 1),): Fraction(1)}, {(): Fraction(1)})]
        memo = json.dumps(node)
        if memo not in self.memo:
            self.memo[memo] = self._worked_out(node)
        return self.memo[memo]

    def _worked_out(self, node: Any) -> list[Quotient]:
        operation, first = node[0], self.terms(node[1])
        if operation == "log":
            return [self._log(self.one(first))]
        if operation == "^":
            return [self._power(self.one(first), Fraction(node[2]))]
        second = self.terms(node[2])
        if operation in "+-":
            return self._sum(first, second, 1 if operation == "+" else -1)
        if operation == "*":
            products = [
                Quotient(_times(a.top, b.top), _times(a.bottom, b.bottom)) for a in first for b in second
            ]
            return self._sum([], products, 1)
        if operation == "/":
            below = self.one(second)
            return self._sum(
                [], [Quotient(_times(a.top, below.bottom), _times(a.bottom, below.top)) for a in first], 1
            )
        if operation == "max":
            return first if self.sign(self._sum(first, second, -1)) >= 0 else second
        raise GivesUpError

    def _sum(self, first: list[Quotient], second: list[Quotient], sign: int) -> list[Quotient]:
        by_bottom = {_key(q.bottom): q for q in first}
        for q in second:
            key = _key(q.bottom)
            known = by_bottom.get(key)
            top = _add(known.top if known else {}, q.top, sign)
            if top:
                total = Quotient(top, q.bottom)
                by_bottom.pop(key, None)
                other = by_bottom.pop(_key(total.bottom), None)
                if other is not None:
                    joined = _add(total.top, other.top)
                    if not joined:
                        continue
                    total = Quotient(joined, total.bottom)
                by_bottom[_key(total.bottom)] = total
            else:
                by_bottom.pop(key, None)
        return list(by_bottom.values())

    def one(self, terms: list[Quotient]) -> Quotient:
        """A sum as one quotient."""
        top: Polynomial = {}
        bottom: Polynomial = {(): Fraction(1)}
        for q in terms:
            top = _add(_times(top, q.bottom), _times(q.top, bottom))
            bottom = _times(bottom, q.bottom)
        return Quotient(top, bottom)

    def sign(self, terms: list[Quotient]) -> int:
        """The sign of a sum: seen from its coefficients, or as the case at hand says."""
        value = self.one(terms)
        if not value.top:
            return 0
        below = _sign_of(value.bottom)
        above = _sign_of(value.top)
        if above and below:
            return above * below
        asked = value.top if below else _times(value.top, value.bottom)
        # Powers of positive variables do not matter, nor does the size; a logarithm may be of either sign.
        positive = {name: power for name, power in _common(asked).items() if not name.startswith("log ")}
        asked = _without(asked, positive)
        lead = asked[max(asked)]
        flip = (1 if lead > 0 else -1) * (below or 1)
        asked = {m: c / lead for m, c in asked.items()}
        if _key(asked) in self.falls:
            return flip * self.falls[_key(asked)]
        raise _Split(asked)

    def _power(self, value: Quotient, power: Fraction) -> Quotient:
        if power < 0:
            return self._power(Quotient(value.bottom, value.top), -power)
        whole, rest = divmod(power, 1)
        result = Quotient({(): Fraction(1)}, {(): Fraction(1)})
        for _ in range(int(whole)):
            result = Quotient(_times(result.top, value.top), _times(result.bottom, value.bottom))
        if rest:
            for side, out in ((value.top, 1), (value.bottom, -1)):
                for variable, power_of_it in _common(side).items():
                    if (power_of_it * rest).denominator == 1:  # an even power leaves a square root
                        factor: Polynomial = {((variable, int(power_of_it * rest)),): Fraction(1)}
                        one: Polynomial = {(): Fraction(1)}
                        top, bottom = (factor, one) if out > 0 else (one, factor)
                        result = Quotient(_times(result.top, top), _times(result.bottom, bottom))
                        gone = {variable: power_of_it}
                        value = (
                            Quotient(_without(value.top, gone), value.bottom)
                            if out > 0
                            else Quotient(value.top, _without(value.bottom, gone))
                        )
            name = self.roots.setdefault(f"{value.key}^{rest}", (f"root {len(self.roots)}", 0, value))[0]
            result = Quotient(_times(result.top, {((name, 1),): Fraction(1)}), result.bottom)
        return result

    def _log(self, value: Quotient) -> Quotient:
        name = self.logs.setdefault(value.key, f"log {len(self.logs)}")
        return Quotient({((name, 1),): Fraction(1)}, {(): Fraction(1)})


def _sign_of(polynomial: Polynomial) -> int:
    """1 or -1 if every coefficient says so; logarithms may be of either sign."""
    if any(name.startswith("log ") for monomial in polynomial for name, _ in monomial):
        return 0
    signs = {1 if c > 0 else -1 for c in polynomial.values()}
    return signs.pop() if len(signs) == 1 else 0


def _parametrised(polynomial: Polynomial, number: int) -> tuple[str, Any] | None:
    """A variable and what to put in its place so that exactly the points at which a linear polynomial is
    positive are left."""
    if any(sum(p for _, p in monomial) != 1 for monomial in polynomial):
        return None
    coefficients = {monomial[0][0]: c for monomial, c in polynomial.items()}
    if any(" " in name for name in coefficients):  # roots and logarithms are not free
        return None
    above = [n for n, c in coefficients.items() if c > 0]
    below = [n for n, c in coefficients.items() if c < 0]
    fresh = [["variable", f"{letter}~{number}"] for letter in "uvw"]
    if len(above) == 1:  # x = (sum of the others + u) / c
        total: Any = fresh[0]
        for name in below:
            total = ["+", total, ["*", str(-coefficients[name]), ["variable", name]]]
        return above[0], ["/", total, str(coefficients[above[0]])]
    if len(below) == 1:  # y = (sum of the others) / c * v / (v + w)
        total = "0"
        for name in above:
            total = ["+", total, ["*", str(coefficients[name]), ["variable", name]]]
        share = ["/", fresh[1], ["+", fresh[1], fresh[2]]]
        return below[0], ["*", ["/", total, str(-coefficients[below[0]])], share]
    return None


def _replaced(node: Any, name: str, by: Any) -> Any:
    if isinstance(node, str):
        return node
    if node[0] == "variable":
        return by if node[1] == name else node
    if node[0] == "^":
        return ["^", _replaced(node[1], name, by), node[2]]
    return [node[0], *(_replaced(part, name, by) for part in node[1:])]


def _proved(left: Any, right: Any, relation: str) -> bool:
    waiting: list[tuple[Any, Any, dict[str, int]]] = [(left, right, {})]
    seen = 0
    _WORK[0] = 0
    while waiting:
        seen += 1
        if seen > MOST_CASES:
            raise GivesUpError
        left, right, falls = waiting.pop()
        expansion = _Expansion(falls)
        try:
            difference = expansion._sum(expansion.terms(left), expansion.terms(right), -1)
            value = expansion.one(difference)
        except _Split as split:
            for sign in (1, -1):
                chosen = _parametrised({m: sign * c for m, c in split.polynomial.items()}, seen)
                if chosen is None:
                    waiting.append((left, right, {**falls, _key(split.polynomial): sign}))
                else:
                    waiting.append((_replaced(left, *chosen), _replaced(right, *chosen), falls))
            continue
        if not value.top:
            continue
        if relation == "=" or _sign_of(value.top) * _sign_of(value.bottom) <= 0:
            return False
    return True
