"""Symbols evaluated at a point, with roots and logarithms to sixty digits: an independent check of the algebra."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

from steelyard.measures.numbers import exact_log, exact_root
from steelyard.proofs.prover.symbols import Field, Symbol


def generators(owner: Field, point: dict[str, Fraction]) -> list[Any] | None:
    """Values of the variables and of the roots and logarithms of them; None where one has none."""
    rational = owner.rational
    values = [rational(point[name].numerator, point[name].denominator) for name in owner.names]
    values += [rational(0)] * (len(owner.generators) - len(values))
    for index in range(len(owner.names), len(owner.names) + owner.used):
        degree, base = owner.degrees.get(index, (0, owner.log_bases.get(index)))
        inside = _of_polynomial(base, values)
        if inside < 0 or (inside == 0 and not degree):
            return None
        found = exact_root(inside, degree) if degree else exact_log(inside)
        values[index] = rational(found.numerator, found.denominator)
    return values


def _of_polynomial(polynomial: Any, values: list[Any]) -> Fraction:
    found = polynomial(*values)
    return Fraction(int(found.p), int(found.q))


def value_at(value: Any, values: list[Any]) -> Any:
    if not isinstance(value, Symbol):
        return value
    total = Fraction(0)
    for pole in value.poles:
        if _of_polynomial(value.field.divided_by[pole], values) == 0:
            return float("nan")
    for top, bottom in value.parts.values():  # whatever was divided by is among the poles
        total += _of_polynomial(top, values) / _of_polynomial(bottom, values)
    return total
