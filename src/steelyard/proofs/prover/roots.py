"""Logarithms and limits of symbols: a product has the sum of the logarithms of its irreducible factors."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

from steelyard.proofs.prover.symbols import Field, Symbol, TooHardError, factors_of, prime_powers, put


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
    for prime, power in prime_powers(content):
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
