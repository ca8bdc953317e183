"""Symbols: exact rational functions with roots and logarithms."""

# A value is a sum of fractions of polynomials over the rationals, kept apart by denominator so that equal
# terms cancel at once. A root of a polynomial is a formal generator g with g^D = f, pulled apart into
# irreducible factors that are positive; a logarithm is a formal generator without a relation. If a difference
# reduces to 0 it is 0; the converse is not claimed.

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any

import numpy as np

from steelyard.measures.numbers import Operators, as_fraction
from steelyard.measures.undefined import NAN
from steelyard.proofs.prover.polynomials import Polynomials, TooHardError, available, factors_of, prime_powers

__all__ = ["Decisions", "Field", "Symbol", "TooHardError", "available", "factors_of", "power_of"]

# Exponents are taken as they are written: 0.333333333333333 is no third, and its degree is out of reach.
LARGEST_DEGREE = 100


@dataclass
class Decisions:
    """How the comparisons fall in the region at hand, and which came up."""

    preset: dict[str, int]
    chosen: list[tuple[str, int, Any]] = field(default_factory=list)

    def sign_of(self, key: str, polynomial: Any) -> int:
        for known, sign, _ in self.chosen:
            if known == key:
                return sign
        sign = self.preset.get(key, 1)
        self.chosen.append((key, sign, polynomial))
        return sign


class Field(Polynomials):
    """Where symbols are computed with: how comparisons fall in it, and what was divided by."""

    def __init__(self, names: Sequence[str], decisions: Decisions | None = None) -> None:
        super().__init__(names)
        self.decisions = decisions or Decisions({})
        # Every polynomial that was divided by: where one is 0, nothing is proved.
        self.denominators: dict[str, Any] = {}
        # The same for the poles of symbols; nobody takes any of them away.
        self.divided_by: dict[str, Any] = {}
        # Sets of variables that are 0 together where something the body asks about is 0.
        self.tested_for_zero: set[frozenset[str]] = set()

    def plain_sign(self, polynomial: Any) -> int:
        """The sign of a polynomial where all its coefficients say so; 0 otherwise."""
        return 1 if self.is_positive(polynomial) else -1 if self.is_positive(-polynomial) else 0

    def is_zero(self, value: Symbol) -> bool:
        """Is it 0 on the generic matrix? The matrices on which it is 0 beside that are cases of their own."""
        self.poles_of(value)  # where it has no value the answer is another one
        top, _ = value.combined()
        if top.is_zero():
            return True
        for factor, _ in factors_of(top)[1]:
            if not self.plain_sign(factor):
                raise TooHardError("the formula asks whether two expressions are equal")
            names = self.zero_together(factor)
            if names is None:
                raise TooHardError("the formula asks whether a product is 0")
            if names:
                self.tested_for_zero.add(names)
        return False

    def poles_of(self, value: Symbol) -> set[frozenset[str]]:
        """The cells that are empty where a value is not there."""
        # Refused where it may be missing on a matrix without zeros, as a body that asks for it then hides
        # what it does there.
        poles: set[frozenset[str]] = set()
        for key in value.poles:
            for factor, _ in factors_of(self.divided_by[key])[1]:
                base = self.base_of(factor)
                names = self.zero_together(base) if self.plain_sign(base) else None
                if names is None:
                    raise TooHardError("the formula asks about a value that some matrices without zeros lack")
                if names:
                    poles.add(names)
        return poles

    def missing_at(self, polynomial: Any) -> str:
        """Remember that nothing is proved where a polynomial is 0, as floats have no number; its key."""
        key = str(polynomial)
        self.denominators.setdefault(key, polynomial)
        self.divided_by[key] = polynomial
        return key

    def of(self, top: Any, bottom: Any = None, poles: frozenset[str] = frozenset()) -> Symbol:
        """A polynomial, or a quotient of two."""
        parts: dict[str, tuple[Any, Any]] = {}
        _put(self, parts, *((top, self.one) if bottom is None else self.fraction(top, bottom)))
        return Symbol(self, parts, poles)

    def variable(self, name: str) -> Symbol:
        return self.of(self.generators[self.names.index(name)])

    def constant(self, value: Fraction | int) -> Symbol:
        number = Fraction(value)
        return self.of(self.context.constant(self.rational(number.numerator, number.denominator)))

    def sign(self, value: Symbol) -> int:
        """The sign of a value: known from its coefficients, or as the region at hand says."""
        top, bottom = value.combined()
        if top.is_zero():
            return 0
        below = self.plain_sign(bottom)
        top = top * below if below else self.times(top, bottom)
        for factor, power in factors_of(top)[1]:
            if plain := self.plain_sign(factor):
                top = top / (factor * plain) ** power
        if plain := self.plain_sign(top):
            return plain
        lead = top.leading_coefficient()
        flip = 1 if lead > 0 else -1
        canonical = top / lead
        return flip * self.decisions.sign_of(str(canonical), canonical)


class Symbol(Operators):
    """An element of the field: a sum of fractions, by denominator."""

    __slots__ = ("field", "parts", "poles")

    def __init__(
        self, owner: Field, parts: dict[str, tuple[Any, Any]], poles: frozenset[str] = frozenset()
    ) -> None:
        self.field = owner
        self.parts = parts
        # What was divided by on the way to this value, cancelled or not: floats have no number there.
        self.poles = poles

    def with_poles(self, poles: frozenset[str]) -> Symbol:
        """The same value, missing in more places."""
        return self if poles <= self.poles else Symbol(self.field, self.parts, self.poles | poles)

    # -- the four operations

    def _other(self, other: Any) -> Symbol | None:
        if isinstance(other, Symbol):
            return other
        if isinstance(other, (int, Fraction, np.integer, np.bool_)):
            return self.field.constant(other if isinstance(other, Fraction) else int(other))
        if isinstance(other, (float, np.floating)) and math.isfinite(other):
            return self.field.constant(as_fraction(other))
        return None

    def operate(self, sign: str, left: Any, right: Any) -> Any:
        first, second = self._other(left), self._other(right)
        if first is None or second is None:
            return NAN if isinstance(left, float) or isinstance(right, float) else NotImplemented
        if sign in "+-":
            return first._plus(second if sign == "+" else -second)
        return first._times(second if sign == "*" else second.inverse())

    def _plus(self, second: Symbol) -> Symbol:
        parts = dict(self.parts)
        for key, (top, bottom) in second.parts.items():
            if key in parts:
                _put(self.field, parts, top, bottom)
            else:
                parts[key] = (top, bottom)
        return Symbol(self.field, parts, self.poles | second.poles)

    def __neg__(self) -> Symbol:
        negative = {key: (-top, bottom) for key, (top, bottom) in self.parts.items()}
        return Symbol(self.field, negative, self.poles)

    def _times(self, second: Symbol) -> Symbol:
        if len(self.parts) * len(second.parts) > 64:
            raise TooHardError("a product of long sums")
        parts: dict[str, tuple[Any, Any]] = {}
        for top, bottom in self.parts.values():
            for other_top, other_bottom in second.parts.values():
                product = self.field.times(top, other_top), self.field.times(bottom, other_bottom)
                _put(self.field, parts, *self.field.fraction(*product))
        return Symbol(self.field, parts, self.poles | second.poles)

    def inverse(self) -> Symbol:
        top, bottom = self.combined()
        if top.is_zero():
            raise ZeroDivisionError("division by an expression that is 0 on every matrix")
        poles = self.poles
        if not top.is_constant():
            poles |= {self.field.missing_at(top)}
        return self.field.of(bottom, top, poles)

    def __pow__(self, power: Any) -> Any:
        exponent = as_fraction(power)
        if exponent.denominator == 1:
            base = self if exponent >= 0 else self.inverse()
            return math.prod([base] * abs(int(exponent)), start=self.field.constant(1))
        return power_of(self, exponent)

    def __abs__(self) -> Symbol:
        return -self if self.field.sign(self) < 0 else self

    def __eq__(self, other: object) -> bool:
        second = self._other(other)
        return second is not None and self.field.is_zero(self - second)

    __hash__ = None  # type: ignore[assignment]

    # -- what it is

    def combined(self) -> tuple[Any, Any]:
        """One fraction."""
        top, bottom = self.field.context.constant(0), self.field.one
        for part_top, part_bottom in self.parts.values():
            common = bottom.gcd(part_bottom)
            mine, theirs = bottom / common, part_bottom / common
            top = self.field.checked(self.field.times(top, theirs) + self.field.times(part_top, mine))
            bottom = self.field.times(bottom, theirs)
        return top, bottom

    @property
    def is_zero(self) -> bool:
        """Certainly 0 on every matrix of the region; False may also mean that the algebra does not see it."""
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
    _put(owner, parts, *((total, bottom) if key == "1" or total.is_zero() else owner.fraction(total, bottom)))


def power_of(value: Symbol, exponent: Fraction) -> Symbol:
    """value^(p/q): every irreducible factor, taken positive as the region says, gets a root of its own."""
    owner, degree = value.field, exponent.denominator
    if degree > LARGEST_DEGREE or abs(exponent) > LARGEST_DEGREE:
        raise TooHardError(f"a power of {exponent}")
    top, bottom = value.combined()
    if top.is_zero():
        return Symbol(owner, {}, value.poles)
    result = owner.constant(1)
    content = Fraction(1)
    for polynomial, side in ((top, 1), (bottom, -1)):
        constant, factors = factors_of(polynomial)
        content *= constant**side
        for factor, power in factors:
            base = factor
            if owner.sign(owner.of(factor)) < 0:
                base, content = -factor, content * (-1) ** power
            result = result * _rootpower_of(owner, base, Fraction(power * side) * exponent, degree)
    if content < 0:
        raise TooHardError("a root of something negative")
    for prime, power in prime_powers(content):
        result = result * _rootpower_of(owner, owner.context.constant(prime), power * exponent, degree)
    return Symbol(owner, result.parts, result.poles | value.poles)


def _rootpower_of(owner: Field, base: Any, power: Fraction, degree: int) -> Symbol:
    whole, rest = divmod(power, 1)
    result: Symbol = owner.of(base) ** whole
    if rest:
        result = result * owner.of(owner.root_generator(base, degree) ** int(rest * degree))
    return result


def log_of(value: Symbol, *, at_zero: bool = False) -> Symbol:
    """The logarithm of something positive."""
    # Where that is 0 there is no number, unless `at_zero` says that what it is multiplied with makes up for
    # it.
    owner = value.field
    top, bottom = value.combined()
    result = owner.constant(0)
    content = Fraction(1)
    poles = value.poles
    for polynomial, side in ((top, 1), (bottom, -1)):
        constant, factors = factors_of(polynomial)
        content *= constant**side
        for factor, power in factors:
            if not owner.is_positive(factor):
                raise TooHardError("the logarithm of something that need not be positive")
            generator = owner.log_generator(factor)
            result = result + owner.of(generator * (power * side))
            if not at_zero:
                poles |= {owner.missing_at(factor)}
    if content <= 0:
        raise TooHardError("the logarithm of something that is not positive")
    for prime, power in prime_powers(content):
        result = result + owner.of(owner.log_generator(owner.context.constant(prime)) * power)
    return Symbol(owner, result.parts, poles)


def limit_at_zero(value: Any) -> Any:
    """The limit as the first variable goes to 0 from above; a fraction where nothing else is left in it."""
    if not isinstance(value, Symbol):
        return value
    owner = value.field
    if owner.roots or owner.logs:
        raise TooHardError("the limit holds roots or logarithms")
    top, bottom = value.combined()
    if top.is_zero():
        return Fraction(0)

    def lowest(polynomial: Any) -> tuple[int, Any]:
        """The lowest power of the first variable in a polynomial, and what stands before it."""
        terms = polynomial.to_dict()
        power = min(exponents[0] for exponents in terms)
        return power, owner.context.from_dict({(0, *e[1:]): c for e, c in terms.items() if e[0] == power})

    (high, first), (low, second) = lowest(top), lowest(bottom)
    if high < low:
        raise TooHardError("the limit is not finite")
    if high > low:
        return Fraction(0)
    if first.is_constant() and second.is_constant():
        ratio = first.leading_coefficient() / second.leading_coefficient()
        return Fraction(int(ratio.p), int(ratio.q))
    return owner.of(first, second)


# Angles: one between 0 and a half turn falls as its cosine rises, so two angles stand to each other as their
# cosines do the other way round. That is all that is asked of a difference of two angles here: whether it is
# 0, and which sign it has.

# Cosines of angles in half turns: by Niven's theorem these are all of which both are rational.
COSINES = {
    Fraction(0): Fraction(1),
    Fraction(1, 3): Fraction(1, 2),
    Fraction(1, 2): Fraction(0),
    Fraction(2, 3): Fraction(-1, 2),
    Fraction(1): Fraction(-1),
}


@dataclass(frozen=True, eq=False)
class Angle:
    """An angle in half turns, by its cosine: no number, nothing can be added to it or multiplied with it."""

    # A symbol, or a tree of a certificate.
    cosine: Any


def difference(left: Any, right: Any) -> Any:
    """one - other, or of two angles something of the same sign."""
    if not isinstance(left, Angle) and not isinstance(right, Angle):
        return left - right
    return cosine_of(right) - cosine_of(left)


def cosine_of(value: Any) -> Any:
    """The cosine of an angle, or of a number of half turns that has a rational one."""
    if isinstance(value, Angle):
        return value.cosine
    known = COSINES.get(Fraction(value))
    if known is None:
        raise TooHardError("an angle is compared with a number whose cosine is not known")
    return known
