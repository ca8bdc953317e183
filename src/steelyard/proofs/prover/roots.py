"""Roots, logarithms and limits of symbols.

A root of a product is the product of the roots of its irreducible factors, each taken positive as the region
says; a logarithm is the sum of theirs.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from fractions import Fraction
from typing import Any

from steelyard.proofs.prover.symbols import Field, Symbol, TooHardError, factors_of, put

LARGEST_FACTOR = 10**5
LARGEST_DEGREE = 100
"""Exponents are taken as they are written: 0.333333333333333 is no third, and its degree is out of reach."""


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
            if owner.sign(Symbol(owner, {"1": (factor, owner.one)})) < 0:
                base, content = -factor, content * (-1) ** power
            result = result * _rootpower_of(owner, base, Fraction(power * side) * exponent, degree)
    if content < 0:
        raise TooHardError("a root of something negative")
    for prime, power in _prime_powers(content):
        result = result * _rootpower_of(owner, owner.context.constant(prime), power * exponent, degree)
    return Symbol(owner, result.parts, result.poles | value.poles)


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
    """The factors of a number; what has none below 10^5 counts as one, as a root or logarithm of it is a
    quantity like any other."""
    for number, side in ((value.numerator, 1), (value.denominator, -1)):
        rest, prime = number, 2
        while prime * prime <= rest and prime < LARGEST_FACTOR:
            count = 0
            while rest % prime == 0:
                rest, count = rest // prime, count + 1
            if count:
                yield prime, side * count
            prime += 1
        if rest > 1:
            yield rest, side


def log_of(value: Symbol, *, at_zero: bool = False) -> Symbol:
    """The logarithm of something positive; where that is 0 there is no number, unless `at_zero` says that
    what it is multiplied with makes up for it."""
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
            generator = owner.log_generator(str(factor), factor)
            result = result + Symbol(owner, {"1": (generator * (power * side), owner.one)})
            if not at_zero:
                poles |= {owner.missing_at(factor)}
    if content <= 0:
        raise TooHardError("the logarithm of something that is not positive")
    for prime, power in _prime_powers(content):
        generator = owner.log_generator(str(prime), owner.context.constant(prime))
        result = result + Symbol(owner, {"1": (generator * power, owner.one)})
    return Symbol(owner, result.parts, poles)


def limit_at_zero(value: Any) -> Any:
    """The limit of a value as the first variable of its field goes to 0 from above; a fraction where nothing
    else is left in it."""
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
    put(owner, parts, *owner.fraction(first, second))
    return Symbol(owner, parts)


def _lowest(owner: Field, polynomial: Any) -> tuple[int, Any]:
    """The lowest power of the first variable in a polynomial, and what stands before it."""
    terms = polynomial.to_dict()
    power = min(exponents[0] for exponents in terms)
    return int(power), owner.context.from_dict({(0, *e[1:]): c for e, c in terms.items() if e[0] == power})
