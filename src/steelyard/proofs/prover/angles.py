"""What can be said in algebra of an angle of which only the cosine is known?

An angle between 0 and a half turn falls as its cosine rises, so two angles stand to each other as their
cosines do the other way round. That is all that is asked of a difference of two angles here: whether it is 0,
and which sign it has. No other arithmetic is allowed."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from steelyard.proofs.prover.symbols import TooHardError

# Of angles in half turns: by Niven's theorem these are all of which both are rational.
COSINES = {
    Fraction(0): Fraction(1),
    Fraction(1, 3): Fraction(1, 2),
    Fraction(1, 2): Fraction(0),
    Fraction(2, 3): Fraction(-1, 2),
    Fraction(1): Fraction(-1),
}


@dataclass(frozen=True, eq=False)
class Angle:
    """An angle in half turns, by its cosine. It is no number: nothing can be added to it or multiplied with
    it."""

    cosine: Any
    """A symbol, or a tree of a certificate."""


def difference(one: Any, other: Any) -> Any:
    """one - other, or of two angles something of the same sign."""
    if not isinstance(one, Angle) and not isinstance(other, Angle):
        return one - other
    return cosine_of(other) - cosine_of(one)


def cosine_of(value: Any) -> Any:
    """The cosine of an angle, or of a number of half turns that has a rational one."""
    if isinstance(value, Angle):
        return value.cosine
    known = COSINES.get(Fraction(value))
    if known is None:
        raise TooHardError("an angle is compared with a number whose cosine is not known")
    return known
