"""Is the expression that was derived from a function what the function says, and do its branches fall alike?

The proofs speak of expressions, one for each way the comparisons can fall and each set of empty cells. Here
they are evaluated at matrices, with roots and logarithms to sixty digits, and held against the exact values;
and the branches that the algebra took are held against those that exact numbers and floats take."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray

from steelyard.measures.arithmetic import exact_log, exact_root
from steelyard.proofs.numbers_of_reading import SymbolicNumbers
from steelyard.proofs.prover.prove import generic_matrix, matrix_names
from steelyard.proofs.prover.regions import Region, Symbols, regions
from steelyard.proofs.prover.symbols import Field, Symbol, TooHardError
from steelyard.proofs.user_subject import Falls, ReadFunction

Array = NDArray[Any]
MOST_REGIONS = 40
"""A point whose region is not among so many is not looked up."""


@dataclass
class Derived:
    """The expressions of a function for matrices of C classes, by the cells that are empty."""

    read: ReadFunction
    n_classes: int
    known: dict[frozenset[str], list[tuple[Region, Falls]] | None] = field(default_factory=dict)

    def at(self, matrix: Array) -> tuple[Any, Falls] | None:
        """The value of the expression at a matrix of fractions, NaN where it has none, and how comparisons
        fell on the way; None where the algebra says nothing."""
        names = matrix_names(self.n_classes)
        point = dict(zip(names, (Fraction(v) for v in matrix.flat), strict=True))
        empty = frozenset(name for name, value in point.items() if not value)
        if empty not in self.known:
            try:
                self.known[empty] = list(self._regions(names, empty))
            except (TooHardError, ZeroDivisionError):
                self.known[empty] = None
        for region, falls in self.known[empty] or ():
            values = _generators(region.field, point)  # none where a root is one of another region
            if values and all(sign * _evaluated(p, values) >= 0 for p, sign in region.comparisons):
                return _value(region.values[0], values), falls
        return None

    def _regions(self, names: list[str], empty: frozenset[str]) -> Iterator[tuple[Region, Falls]]:
        falls: Falls = ()

        def compute(owner: Field, arithmetic: Symbols) -> tuple[Any]:
            nonlocal falls
            matrix = generic_matrix(owner, self.n_classes, empty)
            value, falls = self.read.traced(matrix, SymbolicNumbers(arithmetic))
            return (value,)

        for number, region in enumerate(regions(names, compute)):
            if number == MOST_REGIONS:
                return
            yield region, falls


def _generators(owner: Field, point: dict[str, Fraction]) -> list[Any] | None:
    """Values of the variables and of the roots and logarithms of them; None where one has none."""
    rational = owner.rational
    values = [rational(point[name].numerator, point[name].denominator) for name in owner.names]
    values += [rational(0)] * (len(owner.generators) - len(values))
    for index in range(len(owner.names), len(owner.names) + owner.used):
        degree, base = owner.degrees.get(index, (0, owner.log_bases.get(index)))
        inside = _evaluated(base, values)
        if inside < 0 or (inside == 0 and not degree):
            return None
        found = exact_root(inside, degree) if degree else exact_log(inside)
        values[index] = rational(found.numerator, found.denominator)
    return values


def _evaluated(polynomial: Any, values: list[Any]) -> Fraction:
    found = polynomial(*values)
    return Fraction(int(found.p), int(found.q))


def _value(value: Any, values: list[Any]) -> Any:
    if not isinstance(value, Symbol):
        return value
    total = Fraction(0)
    for pole in value.poles:
        if _evaluated(value.field.divided_by[pole], values) == 0:
            return float("nan")
    for top, bottom in value.parts.values():  # whatever was divided by is among the poles
        total += _evaluated(top, values) / _evaluated(bottom, values)
    return total


def exact_matrix(matrix: Array) -> Array:
    """The same numbers as fractions."""
    out = np.empty(matrix.shape, dtype=object)
    out[...] = [[Fraction(float(v)) for v in row] for row in matrix]
    return out
