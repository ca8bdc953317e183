"""Between which bounds does an expression lie on a box of counts?

Many boxes are treated at once: `low` and `high` have a row for each variable and a column for each box. Every
bound is rounded outwards by more than the floating-point error of the steps that led to it, so that what is
excluded is excluded for certain. The range of a quotient of two linear forms, and of sums of such quotients
in different variables, is found exactly up to that rounding.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from steelyard.auditing.expressions import (
    Absolute,
    EntropyTerm,
    Expression,
    Greatest,
    Linear,
    Opaque,
    Power,
    Product,
    Ratio,
    Sum,
)

Array = NDArray[np.float64]
Bounds = tuple[Array, Array]

EPSILON = 2.0**-51
"""Twice the relative error of one rounded operation on doubles."""

_INFINITY = np.inf


class Form:
    """A linear form as arrays: which variables, which coefficients, and whether doubles hold it without
    error."""

    def __init__(self, linear: Linear) -> None:
        self.places = np.array([v.place for v in linear.terms], dtype=np.intp)
        self.coefficients = np.array([float(c) for c in linear.terms.values()])
        self.constant = float(linear.constant)
        self._up = np.maximum(self.coefficients, 0.0)
        self._down = np.minimum(self.coefficients, 0.0)
        largest = abs(linear.constant) + sum(
            (abs(c) * max(abs(v.least), abs(v.most)) for v, c in linear.terms.items()), Fraction(0)
        )
        self.exact = linear.common_denominator == 1 and largest < 2**53

    def bounds(self, low: Array, high: Array) -> Bounds:
        below, above = low[self.places], high[self.places]
        least = self.constant + self._up @ below + self._down @ above
        most = self.constant + self._up @ above + self._down @ below
        if self.exact:
            return least, most
        # Counts are never negative, so the sum of the sizes of the terms bounds the error.
        step = EPSILON * (len(self.places) + 3)
        small = abs(self.constant) + self._up @ below - self._down @ above
        large = abs(self.constant) + self._up @ above - self._down @ below
        return least - small * step, most + large * step


@dataclass
class _Fraction:
    """Two linear forms over one list of variables, the bottom one in integers and nowhere negative."""

    places: NDArray[np.intp]
    top: Array
    bottom: Array
    top_constant: float
    bottom_constant: float
    top_form: Form
    bottom_form: Form
    bottom_positive: bool


class Encloser:
    """Bounds of expressions on boxes; forms are prepared once."""

    def __init__(self) -> None:
        self._forms: dict[int, tuple[Linear, Form]] = {}
        self._fractions: dict[int, tuple[Ratio, _Fraction | None]] = {}

    def form(self, linear: Linear) -> Form:
        if id(linear) not in self._forms:
            self._forms[id(linear)] = (linear, Form(linear))
        return self._forms[id(linear)][1]

    # -- forward

    def enclose(self, expression: Expression, low: Array, high: Array, seen: Seen) -> Bounds:
        """The least and greatest value over each box, of the points at which the expression has a value."""
        known = seen.bounds.get(id(expression))
        if known is None:
            known = self._enclose(expression, low, high, seen)
            seen.bounds[id(expression)] = known
            seen.kept.append(expression)
        return known

    def _enclose(self, expression: Expression, low: Array, high: Array, seen: Seen) -> Bounds:
        match expression:
            case Linear():
                return self.form(expression).bounds(low, high)
            case Sum():
                least, most = self.form(expression.linear).bounds(low, high)
                for factor, part in expression.parts:
                    least, most = add(
                        (least, most), times(float(factor), self.enclose(part, low, high, seen))
                    )
                return least, most
            case Ratio():
                return self._quotient(expression, low, high, seen)
            case Product() if expression.one is expression.other:
                a, b = self.enclose(expression.one, low, high, seen)
                nearest = np.maximum(np.maximum(a, -b), 0.0)
                return outwards(nearest * nearest, np.maximum(a * a, b * b), 2)
            case Product():
                return product(
                    self.enclose(expression.one, low, high, seen),
                    self.enclose(expression.other, low, high, seen),
                )
            case Power():
                a, b = self.enclose(expression.base, low, high, seen)
                power = float(expression.exponent)
                return outwards(np.maximum(a, 0.0) ** power, np.maximum(b, 0.0) ** power, 16)
            case Greatest():
                a, b = self.enclose(expression.one, low, high, seen)
                c, d = self.enclose(expression.other, low, high, seen)
                return np.maximum(a, c), np.maximum(b, d)
            case Absolute():
                a, b = self.enclose(expression.inner, low, high, seen)
                return np.maximum(np.maximum(a, -b), 0.0), np.maximum(-a, b)
            case EntropyTerm():
                return _entropy(
                    self.enclose(expression.part, low, high, seen),
                    self.enclose(expression.rest, low, high, seen),
                )
            case Opaque():
                nothing = np.full(low.shape[1], _INFINITY)
                return -nothing, nothing
        raise AssertionError(f"{type(expression).__name__} has no bounds")

    def _quotient(self, ratio: Ratio, low: Array, high: Array, seen: Seen) -> Bounds:
        fraction = self.fraction(ratio)
        if fraction is not None:
            least, most, touching, void = self._linear_quotient(fraction, low, high)
        else:
            least, most, touching, void = _general_quotient(
                self.enclose(ratio.top, low, high, seen), self.enclose(ratio.bottom, low, high, seen)
            )
        if ratio.fill is None:
            seen.void |= void
            seen.touching |= touching
            return least, most
        fill = float(ratio.fill)
        return (
            np.where(void, fill, np.where(touching, np.minimum(least, fill), least)),
            np.where(void, fill, np.where(touching, np.maximum(most, fill), most)),
        )

    def fraction(self, ratio: Ratio) -> _Fraction | None:
        """The ratio as two linear forms, where it is one and its bottom is never negative."""
        if id(ratio) not in self._fractions:
            self._fractions[id(ratio)] = (ratio, _as_fraction(ratio))
        return self._fractions[id(ratio)][1]

    def _linear_quotient(
        self, fraction: _Fraction, low: Array, high: Array
    ) -> tuple[Array, Array, NDArray[np.bool_], NDArray[np.bool_]]:
        below, above = low[fraction.places], high[fraction.places]
        bottom_least, bottom_most = fraction.bottom_form.bounds(low, high)
        touching, void = bottom_least <= 0, bottom_most <= 0
        # The bottom is an integer, so where there is a value it is at least 1.
        smallest = np.maximum(bottom_least, 1.0)
        most = _greatest_quotient(fraction, 1.0, below, above, smallest)
        least = -_greatest_quotient(fraction, -1.0, below, above, smallest)
        return least, most, touching, void


class Seen:
    """Bounds found on one batch of boxes, and the boxes on which the expression has no value at all, or not
    everywhere."""

    def __init__(self, boxes: int) -> None:
        self.bounds: dict[int, Bounds] = {}
        self.kept: list[Expression] = []
        self.void = np.zeros(boxes, dtype=bool)
        self.touching = np.zeros(boxes, dtype=bool)


def _as_fraction(ratio: Ratio) -> _Fraction | None:
    top, bottom = ratio.top, ratio.bottom
    if not (isinstance(top, Linear) and isinstance(bottom, Linear)):
        return None
    least, most = bottom.span()
    if most <= 0:
        top, bottom, least = top.times(-1), bottom.times(-1), -most
    if least < 0:
        return None
    factor = bottom.common_denominator
    top, bottom = top.times(factor), bottom.times(factor)
    variables = list(dict.fromkeys([*top.terms, *bottom.terms]))
    zero = Fraction(0)

    def column(form: Linear) -> Array:
        return np.array([float(form.terms.get(v, zero)) for v in variables])

    places = np.array([v.place for v in variables], dtype=np.intp)
    return _Fraction(
        places=places,
        top=column(top),
        bottom=column(bottom),
        top_constant=float(top.constant),
        bottom_constant=float(bottom.constant),
        top_form=Form(top),
        bottom_form=Form(bottom),
        bottom_positive=least > 0,
    )


def _greatest_quotient(
    fraction: _Fraction, sign: float, below: Array, above: Array, smallest: Array
) -> Array:
    """An upper bound of sign * top / bottom over each box (Dinkelbach's iteration; any level gives a bound, a
    good one the best)."""
    top, constant = sign * fraction.top[:, None], sign * fraction.top_constant
    bottom = fraction.bottom[:, None]
    point = np.where(top > 0, above, below)
    level = np.zeros(below.shape[1])
    for _ in range(4):
        reached = constant + (top * point).sum(axis=0)
        below_it = np.maximum(fraction.bottom_constant + (bottom * point).sum(axis=0), 1.0)
        level = reached / below_it
        weights = top - level * bottom
        moved = np.where(weights > 0, above, below)
        if np.array_equal(moved, point):
            break
        point = moved
    weights = top - level * bottom
    excess = (
        constant - level * fraction.bottom_constant + np.maximum(weights * below, weights * above).sum(axis=0)
    )
    size = (
        ((np.abs(top) + np.abs(level) * np.abs(bottom)) * above).sum(axis=0)
        + abs(constant)
        + np.abs(level) * abs(fraction.bottom_constant)
    )
    error = size * (EPSILON * (len(fraction.places) + 4))
    return np.asarray(level + np.maximum(excess, 0.0) / smallest + error / smallest + np.abs(level) * EPSILON)


def _general_quotient(
    top: Bounds, bottom: Bounds
) -> tuple[Array, Array, NDArray[np.bool_], NDArray[np.bool_]]:
    a, b = top
    c, d = bottom
    touching = (c <= 0) & (d >= 0)
    void = (c == 0) & (d == 0)
    corners = np.array([a / c, a / d, b / c, b / d])
    least, most = corners.min(axis=0), corners.max(axis=0)
    # A bottom that reaches 0 from above leaves one side open; one with both signs leaves both.
    from_above = (c == 0) & (d > 0)
    open_least = np.where(a < 0, -_INFINITY, a / d)
    open_most = np.where(b > 0, _INFINITY, b / d)
    least = np.where(from_above, open_least, np.where(touching, -_INFINITY, least))
    most = np.where(from_above, open_most, np.where(touching, _INFINITY, most))
    least, most = np.where(np.isnan(least), -_INFINITY, least), np.where(np.isnan(most), _INFINITY, most)
    least, most = outwards(least, most, 2)
    return least, most, touching, void


def product(one: Bounds, other: Bounds) -> Bounds:
    corners = np.array([one[0] * other[0], one[0] * other[1], one[1] * other[0], one[1] * other[1]])
    corners = np.where(np.isnan(corners), 0.0, corners)  # 0 times infinity: the 0 is an end that is reached
    return outwards(corners.min(axis=0), corners.max(axis=0), 2)


def times(factor: float, bounds: Bounds) -> Bounds:
    a, b = bounds if factor >= 0 else (bounds[1], bounds[0])
    return outwards(factor * a, factor * b, 3)


def add(one: Bounds, other: Bounds) -> Bounds:
    return outwards(one[0] + other[0], one[1] + other[1], 2)


def outwards(least: Array, most: Array, steps: int) -> Bounds:
    """The bounds widened by more than the relative error of `steps` operations; infinite ones stay."""
    step = EPSILON * steps
    return least - np.abs(least) * step, most + np.abs(most) * step


def _entropy(part: Bounds, rest: Bounds) -> Bounds:
    """-x ln(x / (x + y)) grows with y; in x it is bounded by the product of both factors' bounds."""
    a, b = np.maximum(part[0], 0.0), np.maximum(part[1], 0.0)
    c, d = np.maximum(rest[0], 0.0), np.maximum(rest[1], 0.0)

    def term(x: Array, y: Array) -> Array:
        return np.where(x <= 0, 0.0, x * np.log1p(np.where(x > 0, y / x, 0.0)))

    # x ln(1 + y / x) grows with x as well as with y.
    return outwards(term(a, c), term(b, d), 32)
