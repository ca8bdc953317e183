"""Numbers for a user's function: exact fractions that behave like floats where it matters.

A constant next to them counts as it is written (0.05 is one twentieth), a division by 0 gives NaN or infinity
as NumPy's does, and roots and logarithms, which np.sqrt and np.log ask for, are given to 60 digits.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from fractions import Fraction
from typing import Any

import numpy as np

from steelyard.measures.arithmetic import as_fraction, exact_log, exact_power_product, exact_root

NAN = float("nan")


def _operand(value: Any) -> Fraction | float | None:
    """An exact number where it is finite, else the float; None for what is no number."""
    if isinstance(value, Fraction):
        return value
    if isinstance(value, (bool, int, np.integer, np.bool_)):
        return Fraction(int(value))
    if isinstance(value, (float, np.floating)):
        return as_fraction(value) if math.isfinite(value) else float(value)
    return None


def _both(
    operation: Callable[[Any, Any], Any],
) -> tuple[Callable[[Any, Any], Any], Callable[[Any, Any], Any]]:
    """The method and its reflection."""

    def forward(self: Any, other: Any) -> Any:
        second = _operand(other)
        return NotImplemented if second is None else _result(operation, self, second)

    def backward(self: Any, other: Any) -> Any:
        first = _operand(other)
        return NotImplemented if first is None else _result(operation, first, self)

    return forward, backward


def _result(operation: Callable[[Any, Any], Any], one: Fraction | float, other: Fraction | float) -> Any:
    if isinstance(one, float) or isinstance(other, float):  # one of them is NaN or infinite
        with np.errstate(all="ignore"):
            return float(operation(np.float64(float(one)), np.float64(float(other))))
    value = operation(Fraction(one), Fraction(other))
    return Exact(value) if isinstance(value, Fraction) else value


def _divide(one: Any, other: Any) -> Any:
    if isinstance(one, Fraction) and other == 0:
        return NAN if one == 0 else math.copysign(math.inf, one)
    return one / other


class Exact(Fraction):
    """A fraction that stays exact next to floats and knows roots and logarithms."""

    __slots__ = ()

    __add__, __radd__ = _both(lambda a, b: a + b)
    __sub__, __rsub__ = _both(lambda a, b: a - b)
    __mul__, __rmul__ = _both(lambda a, b: a * b)
    __truediv__, __rtruediv__ = _both(_divide)

    def __neg__(self) -> Exact:
        return Exact(-Fraction(self))

    def __pos__(self) -> Exact:
        return self

    def __abs__(self) -> Exact:
        return Exact(abs(Fraction(self)))

    def __pow__(self, power: Any) -> Any:
        exponent = _operand(power)
        if exponent is None:
            return NotImplemented
        if isinstance(exponent, float):
            return float(self) ** exponent
        if self == 0 and exponent < 0:
            return math.inf
        if exponent.denominator == 1:
            return Exact(Fraction(self) ** int(exponent))
        return NAN if self < 0 else Exact(exact_power_product((Fraction(self),), (exponent,)))

    def __hash__(self) -> int:  # type: ignore[override]
        return hash(Fraction(self))

    def sqrt(self) -> Any:
        return NAN if self < 0 else Exact(exact_root(Fraction(self), 2))

    def log(self) -> Any:
        if self <= 0:
            return -math.inf if self == 0 else NAN
        return Exact(exact_log(Fraction(self)))

    def log2(self) -> Any:
        return self.log() / exact_log(Fraction(2))
