"""Dual numbers: forward-mode automatic differentiation of rational expressions.

Numbers that carry their partial derivatives.

The derivatives are exact where the expression is rational and its variables are fractions.
"""

from __future__ import annotations

import math
from fractions import Fraction
from typing import Any

Number = Fraction | float


class Dual:
    """A value with its partial derivatives."""

    __slots__ = ("partials", "value")

    def __init__(self, value: Number, partials: tuple[Number, ...]) -> None:
        self.value, self.partials = value, partials

    def _of(self, other: Any) -> Dual:
        return (
            other if isinstance(other, Dual) else Dual(Fraction(other), (Fraction(0),) * len(self.partials))
        )

    def __add__(self, other: Any) -> Dual:
        o = self._of(other)
        return Dual(
            self.value + o.value, tuple(a + b for a, b in zip(self.partials, o.partials, strict=True))
        )

    __radd__ = __add__

    def __neg__(self) -> Dual:
        return Dual(-self.value, tuple(-a for a in self.partials))

    def __sub__(self, other: Any) -> Dual:
        return self + (-self._of(other))

    def __rsub__(self, other: Any) -> Dual:
        return self._of(other) - self

    def __mul__(self, other: Any) -> Dual:
        o = self._of(other)
        return Dual(
            self.value * o.value,
            tuple(a * o.value + self.value * b for a, b in zip(self.partials, o.partials, strict=True)),
        )

    __rmul__ = __mul__

    def __truediv__(self, other: Any) -> Dual:
        o = self._of(other)
        if o.value == 0:
            raise ZeroDivisionError
        value = self.value / o.value
        return Dual(
            value, tuple((a - value * b) / o.value for a, b in zip(self.partials, o.partials, strict=True))
        )

    def sqrt(self) -> Dual:
        if self.value == 0:
            raise ZeroDivisionError  # the root has no derivative there
        root = math.sqrt(self.value)
        return Dual(root, tuple(float(a) / (2 * root) for a in self.partials))


def variables(*values: Fraction) -> tuple[Dual, ...]:
    """Independent variables with these values."""
    return tuple(
        Dual(value, tuple(Fraction(int(i == j)) for j in range(len(values))))
        for i, value in enumerate(values)
    )
