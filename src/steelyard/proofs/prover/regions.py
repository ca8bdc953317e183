"""Regions: graphs evaluated on symbols, in every way their comparisons can fall."""

# A comparison (a maximum, an absolute value) cuts the matrices into regions. Each way the comparisons can
# fall is worked through in turn, so that a proof covers them all. Maxima and absolute values are continuous,
# so the edges of the regions, and the matrices with zeros at which no denominator vanishes, are covered as
# limits.

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any

import numpy as np

from steelyard.counts.labels import Array
from steelyard.measures.numbers import Elementwise, Relation, as_fraction, exact_half_turns
from steelyard.measures.undefined import NAN, Policy
from steelyard.proofs.prover import symbols
from steelyard.proofs.prover.symbols import Angle, Decisions, Field, Symbol, TooHardError


def matrix_names(n_classes: int) -> list[str]:
    return [f"m{i}_{j}" for i in range(n_classes) for j in range(n_classes)]


@dataclass(frozen=True)
class Point:
    """Independent positive variables: symbols for the algebra, or expression trees for a certificate."""

    # What makes variables: a `Field` of symbols, or a `TreeField`.
    field: Any
    # The number type in which graphs are evaluated on them.
    numbers: Any
    # The variables that are 0 here.
    zeros: frozenset[str] = frozenset()

    def __getitem__(self, name: str) -> Any:
        return Fraction(0) if name in self.zeros else self.field.variable(name)

    def counts(self, names: Sequence[str]) -> Array:
        """These variables in their order."""
        entries = np.empty(len(names), dtype=object)
        entries[:] = [self[name] for name in names]
        return entries

    def matrix(self, n_classes: int) -> Array:
        """A matrix of independent counts."""
        return self.counts(matrix_names(n_classes)).reshape(n_classes, n_classes)

    def without(self, names: Sequence[str]) -> Point:
        """The same with more variables set to 0."""
        return replace(self, zeros=self.zeros.union(names))


# The values to be compared.
Compute = Callable[[Point], Sequence[Any]]


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
        if exponent.denominator == 1 and abs(exponent) <= symbols.LARGEST_DEGREE:
            return symbol**exponent
        return symbols.power_of(symbol, exponent)

    def logarithm(self, value: Any) -> Any:
        return symbols.log_of(self._symbol(value))

    def angle(self, cosine: Any) -> Any:
        return Angle(cosine) if isinstance(cosine, Symbol) else exact_half_turns(Fraction(cosine))

    def entropy_term(self, count: Any, rest: Any) -> Any:
        x = self._symbol(count)
        return Fraction(0) if x.is_zero else -x * symbols.log_of(x / (x + rest), at_zero=True)

    def power_product(self, numbers: Sequence[Any], powers: Sequence[Any]) -> Any:
        if any(isinstance(p, Symbol) for p in powers):
            return NAN
        return math.prod(
            (self.raised(n, as_fraction(p)) for n, p in zip(numbers, powers, strict=True)),
            start=self.field.constant(1),
        )

    def falls(self, a: Any, b: Any, relation: Relation) -> bool:
        """How a comparison falls on the generic matrix; where both sides are equal is a case of its own."""
        difference = a - b
        if not isinstance(difference, Symbol):
            return super().falls(a, b, relation)
        # It falls otherwise where there is no value: those matrices are cases of their own, and refused where
        # they cannot be named by cells that are empty.
        self.field.tested_for_zero |= self.field.poles_of(difference)
        if difference.is_zero or self.field.is_zero(difference):
            return relation != "lt"
        if relation == "eq":
            return False
        top, bottom = (self.field.plain_sign(polynomial) for polynomial in difference.combined())
        if not top or not bottom:
            raise TooHardError("the formula branches on a comparison")
        return top != bottom

    def _symbol(self, value: Any) -> Symbol:
        return value if isinstance(value, Symbol) else self.field.constant(as_fraction(value))


@dataclass(frozen=True)
class Region:
    """One way the comparisons can fall: a field whose decisions are made, and what was computed in it."""

    field: Field
    values: tuple[Any, ...]

    @property
    def comparisons(self) -> list[tuple[Any, int]]:
        return [(polynomial, sign) for _, sign, polynomial in self.field.decisions.chosen]


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
        for key, sign, _ in owner.decisions.chosen:
            if key not in preset:
                waiting.append({**prefix, key: -sign})
            prefix[key] = sign
        yield Region(owner, tuple(values))
