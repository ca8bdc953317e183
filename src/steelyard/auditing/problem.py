"""Which integers are looked for, and what must hold of them?

A requirement that an expression lies in an interval is taken apart as far as it stays exact: linear forms and
quotients of linear forms become inequalities in integers, for which doubles make no error; what remains
(roots, sums of quotients) is bounded.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from functools import cached_property

import numpy as np

from steelyard.auditing.expressions import (
    Expression,
    Linear,
    Power,
    Ratio,
    Sum,
    Variable,
    variables_of,
)


@dataclass(frozen=True)
class Interval:
    """From low to high; an open end does not belong to it."""

    low: Fraction
    high: Fraction
    low_open: bool = False
    high_open: bool = False

    def holds(self, value: Fraction) -> bool:
        above = value > self.low if self.low_open else value >= self.low
        return above and (value < self.high if self.high_open else value <= self.high)

    def distance(self, value: Fraction) -> Fraction:
        """How far outside is the value?"""
        return max(self.low - value, value - self.high, Fraction(0))

    def shifted(self, factor: Fraction, constant: Fraction) -> Interval:
        """The interval of x where constant + factor * x lies in this one."""
        one, other = (self.low - constant) / factor, (self.high - constant) / factor
        if factor > 0:
            return Interval(one, other, self.low_open, self.high_open)
        return Interval(other, one, self.high_open, self.low_open)

    def power(self, exponent: int) -> Interval:
        """The interval of x >= 0 where the root of x lies in this one."""
        if self.high < 0:
            return Interval(Fraction(-2), Fraction(-1))
        low, low_open = (self.low, self.low_open) if self.low >= 0 else (Fraction(0), False)
        return Interval(low**exponent, self.high**exponent, low_open, self.high_open)


@dataclass(frozen=True, eq=False)
class Row:
    """low <= form <= high, all in integers."""

    form: Linear
    least: int
    most: int

    @cached_property
    def low(self) -> float:
        """The lower end as a double; beyond 2^53 the bounds of the form are widened by more than it errs."""
        return float(self.least)

    @cached_property
    def high(self) -> float:
        return float(self.most)


@dataclass(eq=False)
class Problem:
    """Variables, inequalities in integers, and expressions that must lie in intervals."""

    variables: Sequence[Variable]
    rows: list[Row] = field(default_factory=list)
    curved: list[tuple[Expression, Interval]] = field(default_factory=list)
    check: Callable[[Sequence[int]], bool] = field(default=lambda point: True)
    """Are all printed values true at this point, in exact fractions? Asked where the bounds of the curved
    cannot tell."""

    @property
    def is_linear(self) -> bool:
        return not self.curved

    def require(self, expression: Expression, interval: Interval) -> None:
        """The expression must have a value, and it must lie in the interval."""
        if isinstance(expression, Linear):
            self._linear(expression, interval)
        elif isinstance(expression, Sum) and not expression.linear.terms and len(expression.parts) == 1:
            ((factor, part),) = expression.parts
            self.require(part, interval.shifted(factor, expression.linear.constant))
        elif (
            isinstance(expression, Power)
            and expression.exponent.numerator == 1
            and _nowhere_negative(expression.base)
        ):
            self.require(expression.base, interval.power(expression.exponent.denominator))
        elif not self._quotient(expression, interval):
            self.curved.append((expression, interval))

    def _quotient(self, expression: Expression, interval: Interval) -> bool:
        if not (isinstance(expression, Ratio) and expression.fill is None):
            return False
        top, bottom = expression.top, expression.bottom
        if not (isinstance(top, Linear) and isinstance(bottom, Linear)) or bottom.span()[0] < 0:
            return False
        nothing = Fraction(0)
        self.at_least(top.plus(bottom, -interval.low), nothing, interval.low_open)
        self.at_least(bottom.times(interval.high).plus(top, -1), nothing, interval.high_open)
        if bottom.span()[0] == 0:
            self.at_least(bottom, nothing, True)
        return True

    def at_least(self, form: Linear, low: Fraction, strictly: bool = False) -> None:
        self._linear(form, Interval(low, max(form.span()[1], low + 1), strictly, False))

    def _linear(self, form: Linear, interval: Interval) -> None:
        factor = form.common_denominator
        whole = form.times(factor)
        low, high = interval.low * factor, interval.high * factor
        least = math.floor(low) + 1 if interval.low_open else math.ceil(low)
        most = math.ceil(high) - 1 if interval.high_open else math.floor(high)
        bottom, top = whole.span()
        if least <= bottom and most >= top:
            return
        self.rows.append(Row(whole, max(least, math.floor(bottom)), min(most, math.ceil(top))))

    def used(self) -> set[Variable]:
        """The variables that a requirement speaks of."""
        found = {variable for row in self.rows for variable in row.form.terms}
        for expression, _ in self.curved:
            found |= variables_of(expression)
        return found

    def contradicts_itself(self) -> bool:
        return any(row.least > row.most for row in self.rows)

    def outward(self, interval: Interval) -> tuple[float, float]:
        """The ends as doubles, rounded so that nothing is lost."""
        return float(np.nextafter(float(interval.low), -np.inf)), float(
            np.nextafter(float(interval.high), np.inf)
        )

    def inward(self, interval: Interval) -> tuple[float, float]:
        """The ends as doubles, rounded so that nothing is gained."""
        return float(np.nextafter(float(interval.low), np.inf)), float(
            np.nextafter(float(interval.high), -np.inf)
        )


def _nowhere_negative(expression: Expression) -> bool:
    if isinstance(expression, Linear):
        return expression.span()[0] >= 0
    if isinstance(expression, Ratio):
        return _nowhere_negative(expression.top) and _nowhere_negative(expression.bottom)
    return False
