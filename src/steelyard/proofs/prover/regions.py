"""Regions: graphs evaluated on symbols, in every way their comparisons can fall.

A comparison (a maximum, an absolute value) cuts the matrices into regions. Each way the comparisons can fall
is worked through in turn, so that a proof covers them all. Maxima and absolute values are continuous, so the
edges of the regions, and the matrices with zeros at which no denominator vanishes, are covered as limits.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray

from steelyard.measures.numbers import Elementwise, Relation, as_fraction, exact_half_turns
from steelyard.measures.undefined import NAN, Policy
from steelyard.proofs.prover.angles import Angle
from steelyard.proofs.prover.points import Compute, Point
from steelyard.proofs.prover.roots import log_of
from steelyard.proofs.prover.symbols import (
    LARGEST_DEGREE,
    Decisions,
    Field,
    Symbol,
    TooHardError,
    power_of,
)

Array = NDArray[Any]

# More ways than this are given up: a reproducible limit, unlike a time.
MOST_REGIONS = 600


class Symbols(Elementwise):
    """Rational functions of a field as a number type of the interpreter."""

    def __init__(self, owner: Field) -> None:
        super().__init__(Policy())
        self.field = owner

    def is_zero(self, value: Any) -> bool:
        return value.is_zero if isinstance(value, Symbol) else bool(value == 0)

    def quotient(self, a: Any, b: Any) -> Any:
        if isinstance(a, Symbol) or isinstance(b, Symbol):
            return self._symbol(a) / self._symbol(b)
        return as_fraction(a) / as_fraction(b)

    def is_nan(self, values: Any) -> Array:
        for value in np.ravel(np.asarray(values, dtype=object)):
            if isinstance(value, Symbol):
                self.field.poles_of(value)  # refused where the answer differs on matrices without zeros
        return super().is_nan(values)

    def larger(self, a: Any, b: Any) -> Any:
        difference = a - b
        if not isinstance(difference, Symbol):
            return max(a, b)
        chosen = a if self.field.sign(difference) >= 0 else b
        # Where either side has no number the larger of both has none.
        return self._symbol(chosen).with_poles(difference.poles) if difference.poles else chosen

    def raised(self, value: Any, exponent: Fraction) -> Any:
        symbol = self._symbol(value)
        if exponent.denominator == 1 and abs(exponent) <= LARGEST_DEGREE:
            return symbol**exponent
        return power_of(symbol, exponent)

    def logarithm(self, value: Any) -> Any:
        return log_of(self._symbol(value))

    def angle(self, cosine: Any) -> Any:
        return Angle(cosine) if isinstance(cosine, Symbol) else exact_half_turns(Fraction(cosine))

    def entropy_term(self, part: Any, rest: Any) -> Any:
        x = self._symbol(part)
        return Fraction(0) if x.is_zero else -x * log_of(x / (x + rest), at_zero=True)

    def power_product(self, numbers: Sequence[Any], powers: Sequence[Any]) -> Any:
        if any(isinstance(p, Symbol) for p in powers):
            return NAN
        return math.prod(
            (self.raised(n, as_fraction(p)) for n, p in zip(numbers, powers, strict=True)),
            start=self.field.constant(1),
        )

    def falls(self, a: Any, b: Any, relation: Relation) -> bool:
        """How a comparison falls on the generic matrix; matrices on which both sides are equal are cases of
        their own."""
        difference = a - b
        if not isinstance(difference, Symbol):
            return super().falls(a, b, relation)
        self.field.ask_at_poles(difference)
        if difference.is_zero or self.field.is_zero(difference):
            return relation != "lt"
        if relation == "eq":
            return False
        top, bottom = difference.combined()
        positive = [self.field.is_positive(part) for part in (top, bottom)]
        negative = [self.field.is_positive(-part) for part in (top, bottom)]
        if not all(p or n for p, n in zip(positive, negative, strict=True)):
            raise TooHardError("the formula branches on a comparison")
        return positive[0] != positive[1]

    def _symbol(self, value: Any) -> Symbol:
        return value if isinstance(value, Symbol) else self.field.constant(as_fraction(value))


@dataclass(frozen=True)
class Region:
    """One way the comparisons can fall: a field whose decisions are made, and what was computed in it."""

    field: Field
    values: tuple[Any, ...]

    @property
    def comparisons(self) -> list[tuple[Any, int]]:
        return [(polynomial, sign) for _, sign, polynomial in self.field.decisions.made]


def regions(names: Sequence[str], compute: Compute, zeros: frozenset[str] = frozenset()) -> Iterator[Region]:
    """Compute the same values in every region, the comparisons falling in every combination that comes up."""
    waiting: list[dict[str, int]] = [{}]
    seen = 0
    while waiting:
        seen += 1
        if seen > MOST_REGIONS:
            raise TooHardError(f"more than {MOST_REGIONS} ways the comparisons can fall")
        preset = waiting.pop()
        owner = Field(names, Decisions(preset))
        values = compute(Point(owner, Symbols(owner), zeros))
        prefix: dict[str, int] = {}
        for key, sign, _ in owner.decisions.made:
            if key not in preset:
                waiting.append({**prefix, key: -sign})
            prefix[key] = sign
        yield Region(owner, tuple(values))
