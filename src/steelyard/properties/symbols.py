"""Exact rational functions with roots and logarithms, by FLINT.

A value is a sum of fractions of polynomials over the rationals, kept apart by denominator so that equal terms cancel at once.
A root of a polynomial is a formal generator g with g^D = f, pulled apart into irreducible factors that are positive; a
logarithm is a formal generator without a relation. If a difference reduces to 0 it is 0; the converse is not claimed.

This is the only module that imports FLINT.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any

import numpy as np

from steelyard.errors import MissingExtraError
from steelyard.measures.undefined import NAN

MOST_TERMS = 30_000
"""Polynomials beyond this size are given up: a reproducible limit, unlike a time."""
SPARE = 40
"""Generators kept for roots and logarithms."""


class TooHardError(Exception):
    """The algebra cannot decide this within its limits, or the body does something that has no symbolic meaning."""


def _flint() -> Any:
    try:
        import flint
    except ImportError as error:
        raise MissingExtraError("python-flint", "proofs", "proving an identity") from error
    return flint


def available() -> bool:
    """Is FLINT installed?"""
    try:
        _flint()
    except MissingExtraError:
        return False
    return True


@dataclass
class Decisions:
    """How the comparisons fall in the region at hand, and which came up."""

    preset: dict[str, int]
    made: list[tuple[str, int, Any]] = field(default_factory=list)

    def sign_of(self, key: str, polynomial: Any) -> int:
        for known, sign, _ in self.made:
            if known == key:
                return sign
        sign = self.preset.get(key, 1)
        self.made.append((key, sign, polynomial))
        return sign


class Field:
    """Variables, and the generators that roots and logarithms of them add."""

    def __init__(self, names: Sequence[str], decisions: Decisions | None = None) -> None:
        flint = _flint()
        self.names = list(names)
        all_names = [*self.names, *(f"_g{i}" for i in range(SPARE))]
        self.context = flint.fmpq_mpoly_ctx.get(all_names, flint.Ordering.degrevlex)
        self.generators = self.context.gens()
        self.rational = flint.fmpq
        self.one = self.context.constant(1)
        self.roots: dict[tuple[str, int], tuple[int, Any]] = {}
        self.logs: dict[str, int] = {}
        self.degrees: dict[int, tuple[int, Any]] = {}
        self.used = 0
        self.decisions = decisions or Decisions({})
        self.compared_freely = False
        """Did the body branch on an order in a way that need not be continuous?"""
        self.tested_for_zero: set[frozenset[str]] = set()
        """Sets of variables that are 0 together where something the body asks about is 0."""

    def variable(self, name: str) -> Symbol:
        return Symbol(self, {"1": (self.generators[self.names.index(name)], self.one)})

    def constant(self, value: Fraction | int) -> Symbol:
        number = Fraction(value)
        return Symbol(
            self,
            {"1": (self.context.constant(self.rational(number.numerator, number.denominator)), self.one)}
            if number
            else {},
        )

    def new_generator(self) -> int:
        if self.used == SPARE:
            raise TooHardError("too many different roots or logarithms")
        self.used += 1
        return len(self.names) + self.used - 1

    def root_generator(self, polynomial: Any, degree: int) -> Any:
        """g with g^degree = polynomial."""
        key = (str(polynomial), degree)
        if key not in self.roots:
            index = self.new_generator()
            self.roots[key] = (index, polynomial)
            self.degrees[index] = (degree, polynomial)
        return self.generators[self.roots[key][0]]

    def log_generator(self, key: str) -> Any:
        if key not in self.logs:
            self.logs[key] = self.new_generator()
        return self.generators[self.logs[key]]

    def reduced(self, polynomial: Any) -> Any:
        """Powers of roots brought below their degree: g^D becomes f."""
        if not self.degrees or polynomial.is_zero():
            return polynomial
        while True:
            high = polynomial.degrees()
            over = [(i, d, f) for i, (d, f) in self.degrees.items() if high[i] >= d]
            if not over:
                return polynomial
            index, degree, base = over[0]
            lower: dict[int, dict[tuple[int, ...], Any]] = {}
            for exponents, coefficient in polynomial.to_dict().items():
                whole, rest = divmod(exponents[index], degree)
                lower.setdefault(whole, {})[(*exponents[:index], rest, *exponents[index + 1 :])] = coefficient
            polynomial = sum(
                (self.checked(self.context.from_dict(part) * base**whole) for whole, part in lower.items()),
                start=self.context.constant(0),
            )

    def checked(self, polynomial: Any) -> Any:
        if len(polynomial) > MOST_TERMS:
            raise TooHardError(f"a polynomial of more than {MOST_TERMS:,} terms")
        return polynomial

    def times(self, a: Any, b: Any) -> Any:
        if len(a) * len(b) > 40 * MOST_TERMS:
            raise TooHardError("a product of long polynomials")
        return self.reduced(self.checked(a * b))

    def fraction(self, top: Any, bottom: Any) -> tuple[Any, Any]:
        """In lowest terms, with a denominator that starts with 1 and holds no lonely root."""
        for index, (degree, _) in self.degrees.items():
            lowest = min(e[index] for e in bottom.monoms()) if bottom.degrees()[index] else 0
            if lowest:  # 1/g^k = g^(D-k)/f
                bottom = self.times(bottom, self.generators[index] ** (degree - lowest))
                top = self.times(top, self.generators[index] ** (degree - lowest))
        if bottom.is_constant():
            return top / bottom.leading_coefficient(), self.one
        if max(len(top), len(bottom)) > MOST_TERMS // 4:
            raise TooHardError("a fraction of long polynomials")
        common = top.gcd(bottom)
        if not common.is_one():
            top, bottom = top / common, bottom / common
        lead = bottom.leading_coefficient()
        return top / lead, bottom / lead

    def is_positive(self, polynomial: Any) -> bool:
        """Positive wherever the variables are, as all its coefficients are (roots of positive things are positive, logs are not)."""
        degrees = polynomial.degrees()
        return all(c > 0 for c in polynomial.coeffs()) and not any(degrees[i] for i in self.logs.values())

    def sign(self, value: Symbol) -> int:
        """The sign of a value: known from its coefficients, or as the region at hand says."""
        top, bottom = value.combined()
        if top.is_zero():
            return 0
        if not self.is_positive(bottom):
            top = -top if self.is_positive(-bottom) else self.times(top, bottom)
        for factor, power in _factors(top)[1]:
            if self.is_positive(factor):
                top = top / factor**power
            elif self.is_positive(-factor):
                top = top / (-factor) ** power
        if self.is_positive(top):
            return 1
        if self.is_positive(-top):
            return -1
        lead = top.leading_coefficient()
        flip = 1 if lead > 0 else -1
        canonical = top / lead
        return flip * self.decisions.sign_of(str(canonical), canonical)


def _factors(polynomial: Any) -> tuple[Fraction, list[tuple[Any, int]]]:
    content, factors = polynomial.factor()
    return Fraction(int(content.p), int(content.q)), [(f, int(e)) for f, e in factors]


class Symbol:
    """An element of the field: a sum of fractions, by denominator."""

    __slots__ = ("field", "parts")

    def __init__(self, owner: Field, parts: dict[str, tuple[Any, Any]]) -> None:
        self.field = owner
        self.parts = parts

    # -- the four operations

    def _other(self, other: Any) -> Symbol | None:
        if isinstance(other, Symbol):
            return other
        if isinstance(other, (bool, np.bool_)):
            return self.field.constant(int(other))
        if isinstance(other, (int, Fraction, np.integer)):
            return self.field.constant(Fraction(int(other)) if not isinstance(other, Fraction) else other)
        if isinstance(other, (float, np.floating)) and math.isfinite(other):
            return self.field.constant(Fraction(repr(float(other))))  # as written: 0.05 is one twentieth
        return None

    def __add__(self, other: Any) -> Any:
        second = self._other(other)
        if second is None:
            return NAN if isinstance(other, float) else NotImplemented
        parts = dict(self.parts)
        for key, (top, bottom) in second.parts.items():
            if key in parts:
                total = self.field.checked(parts[key][0] + top)
                if total.is_zero():
                    del parts[key]
                    continue
                if key == "1":
                    parts[key] = (total, bottom)
                    continue
                del parts[key]
                reduced_top, reduced_bottom = self.field.fraction(total, bottom)
                _put(self.field, parts, reduced_top, reduced_bottom)
            else:
                parts[key] = (top, bottom)
        return Symbol(self.field, parts)

    __radd__ = __add__

    def __neg__(self) -> Symbol:
        return Symbol(self.field, {key: (-top, bottom) for key, (top, bottom) in self.parts.items()})

    def __pos__(self) -> Symbol:
        return self

    def __sub__(self, other: Any) -> Any:
        second = self._other(other)
        return (NAN if isinstance(other, float) else NotImplemented) if second is None else self + (-second)

    def __rsub__(self, other: Any) -> Any:
        second = self._other(other)
        return (NAN if isinstance(other, float) else NotImplemented) if second is None else second + (-self)

    def __mul__(self, other: Any) -> Any:
        second = self._other(other)
        if second is None:
            return NAN if isinstance(other, float) else NotImplemented
        if len(self.parts) * len(second.parts) > 64:
            raise TooHardError("a product of long sums")
        parts: dict[str, tuple[Any, Any]] = {}
        for top, bottom in self.parts.values():
            for other_top, other_bottom in second.parts.values():
                product = self.field.fraction(
                    self.field.times(top, other_top), self.field.times(bottom, other_bottom)
                )
                _put(self.field, parts, *product)
        return Symbol(self.field, parts)

    __rmul__ = __mul__

    def inverse(self) -> Symbol:
        top, bottom = self.combined()
        if top.is_zero():
            raise ZeroDivisionError("division by an expression that is 0 on every matrix")
        parts: dict[str, tuple[Any, Any]] = {}
        _put(self.field, parts, *self.field.fraction(bottom, top))
        return Symbol(self.field, parts)

    def __truediv__(self, other: Any) -> Any:
        second = self._other(other)
        if second is None:
            return NAN if isinstance(other, float) else NotImplemented
        return self * second.inverse()

    def __rtruediv__(self, other: Any) -> Any:
        second = self._other(other)
        return (
            (NAN if isinstance(other, float) else NotImplemented)
            if second is None
            else second * self.inverse()
        )

    def __pow__(self, power: Any) -> Any:
        exponent = Fraction(repr(float(power))) if isinstance(power, float) else Fraction(power)
        if exponent.denominator == 1:
            base = self if exponent >= 0 else self.inverse()
            return math.prod([base] * abs(int(exponent)), start=self.field.constant(1))
        return power_of(self, exponent)

    def sqrt(self) -> Symbol:
        """What np.sqrt asks of the entries of an object array."""
        return power_of(self, Fraction(1, 2))

    def log(self) -> Symbol:
        """What np.log asks of the entries of an object array."""
        return log_of(self)

    def __abs__(self) -> Symbol:
        return -self if self.field.sign(self) < 0 else self

    # -- comparisons: of the generic matrix of the region at hand

    def __eq__(self, other: object) -> bool:
        second = self._other(other)
        if second is None:
            return False
        top, _ = (self - second).combined()
        if top.is_zero():
            return True
        for factor, _ in _factors(top)[1]:
            if not self.field.is_positive(factor) and not self.field.is_positive(-factor):
                raise TooHardError("the body asks whether two expressions are equal")
            # A sum of products of positive variables is 0 only where some variables of each product are; only plain sums are followed.
            if any(sum(exponents) > 1 for exponents in factor.monoms()):
                raise TooHardError("the body asks whether a product is 0")
            names = [
                self.field.names[i] for i, d in enumerate(factor.degrees()) if d and i < len(self.field.names)
            ]
            if all(any(exponents) for exponents in factor.monoms()):
                self.field.tested_for_zero.add(frozenset(names))
        return False

    __hash__ = None  # type: ignore[assignment]

    def __ne__(self, other: object) -> bool:
        return not self == other

    def _free_sign(self, other: Any) -> int:
        self.field.compared_freely = True
        return self.field.sign(self - other)

    def __lt__(self, other: Any) -> bool:
        return self._free_sign(other) < 0

    def __le__(self, other: Any) -> bool:
        return self._free_sign(other) <= 0

    def __gt__(self, other: Any) -> bool:
        return self._free_sign(other) > 0

    def __ge__(self, other: Any) -> bool:
        return self._free_sign(other) >= 0

    def __bool__(self) -> bool:
        return self != 0

    def __float__(self) -> float:
        raise TooHardError("the body turns its input into floats")

    # -- what it is

    def combined(self) -> tuple[Any, Any]:
        """One fraction."""
        top, bottom = self.field.context.constant(0), self.field.one
        for part_top, part_bottom in self.parts.values():
            if bottom.is_one() or part_bottom.is_one():
                top = self.field.checked(
                    self.field.times(top, part_bottom) + self.field.times(part_top, bottom)
                )
                bottom = part_bottom if bottom.is_one() else bottom
                continue
            common = bottom.gcd(part_bottom)
            mine, theirs = bottom / common, part_bottom / common
            top = self.field.checked(self.field.times(top, theirs) + self.field.times(part_top, mine))
            bottom = self.field.times(bottom, theirs)
        return top, bottom

    @property
    def is_zero(self) -> bool:
        """Certainly 0 on every matrix of the region (False may also mean that the algebra does not see it)."""
        return not self.parts or bool(self.combined()[0].is_zero())

    def __repr__(self) -> str:
        return " + ".join(f"({top})/({bottom})" for top, bottom in self.parts.values()) or "0"


def _put(owner: Field, parts: dict[str, tuple[Any, Any]], top: Any, bottom: Any) -> None:
    if top.is_zero():
        return
    key = "1" if bottom.is_one() else str(bottom)
    if key not in parts:
        parts[key] = (top, bottom)
        return
    total = owner.checked(parts.pop(key)[0] + top)
    if not total.is_zero():
        if key == "1":
            parts[key] = (total, bottom)
        else:
            _put(owner, parts, *owner.fraction(total, bottom))


def power_of(value: Symbol, exponent: Fraction) -> Symbol:
    """value^(p/q): every irreducible factor, taken positive as the region says, gets a root of its own."""
    owner, degree = value.field, exponent.denominator
    top, bottom = value.combined()
    if top.is_zero():
        return owner.constant(0)
    result = owner.constant(1)
    content = Fraction(1)
    for polynomial, side in ((top, 1), (bottom, -1)):
        constant, factors = _factors(polynomial)
        content *= constant**side
        for factor, power in factors:
            base = factor
            if owner.sign(Symbol(owner, {"1": (factor, owner.one)})) < 0:
                base, content = -factor, content * (-1) ** power
            result = result * _rootpower_of(owner, base, Fraction(power * side) * exponent, degree)
    if content < 0:
        raise TooHardError("a root of something negative")
    for prime, power in _prime_powers(content):
        result = result * _rootpower_of(owner, owner.context.constant(prime), power * exponent, degree)
    return result


def _rootpower_of(owner: Field, base: Any, power: Fraction, degree: int) -> Symbol:
    whole = math.floor(power)
    rest = power - whole
    symbol = Symbol(owner, {"1": (base, owner.one)})
    result: Symbol = symbol**whole
    if rest:
        steps = rest * degree
        generator = owner.root_generator(base, degree)
        result = result * Symbol(owner, {"1": (generator ** int(steps), owner.one)})
    return result


def _prime_powers(value: Fraction) -> Iterator[tuple[int, int]]:
    for number, side in ((value.numerator, 1), (value.denominator, -1)):
        rest, prime = number, 2
        while prime * prime <= rest:
            count = 0
            while rest % prime == 0:
                rest, count = rest // prime, count + 1
            if count:
                yield prime, side * count
            prime += 1
        if rest > 1:
            yield rest, side


def log_of(value: Symbol) -> Symbol:
    owner = value.field
    top, bottom = value.combined()
    result = owner.constant(0)
    content = Fraction(1)
    for polynomial, side in ((top, 1), (bottom, -1)):
        constant, factors = _factors(polynomial)
        content *= constant**side
        for factor, power in factors:
            if not owner.is_positive(factor):
                raise TooHardError("the logarithm of something that need not be positive")
            result = result + Symbol(
                owner, {"1": (owner.log_generator(str(factor)) * (power * side), owner.one)}
            )
    for prime, power in _prime_powers(content):
        result = result + Symbol(owner, {"1": (owner.log_generator(str(prime)) * power, owner.one)})
    return result


def limit_at_zero(value: Any) -> Any:
    """The limit of a value as the first variable of its field goes to 0 from above; a fraction where nothing else is left in it."""
    if not isinstance(value, Symbol):
        return value
    owner = value.field
    if owner.roots or owner.logs:
        raise TooHardError("the limit holds roots or logarithms")
    top, bottom = value.combined()
    if top.is_zero():
        return Fraction(0)
    (high, first), (low, second) = _lowest(owner, top), _lowest(owner, bottom)
    if high < low:
        raise TooHardError("the limit is not finite")
    if high > low:
        return Fraction(0)
    if first.is_constant() and second.is_constant():
        ratio = first.leading_coefficient() / second.leading_coefficient()
        return Fraction(int(ratio.p), int(ratio.q))
    parts: dict[str, tuple[Any, Any]] = {}
    _put(owner, parts, *owner.fraction(first, second))
    return Symbol(owner, parts)


def _lowest(owner: Field, polynomial: Any) -> tuple[int, Any]:
    """The lowest power of the first variable in a polynomial, and what stands before it."""
    terms = polynomial.to_dict()
    power = min(exponents[0] for exponents in terms)
    return int(power), owner.context.from_dict({(0, *e[1:]): c for e, c in terms.items() if e[0] == power})
