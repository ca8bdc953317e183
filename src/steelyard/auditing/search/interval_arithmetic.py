"""Interval arithmetic on boxes of counts, in doubles and for many boxes at once.

`low` and `high` have a row for each variable and a column for each box. Every bound is rounded outwards by
more than the floating-point error of the steps that led to it, so that what is excluded is excluded for
certain. The range of a quotient of two linear forms, and of sums of such quotients in different variables,
is exact up to that rounding.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from steelyard.auditing.checker.expressions import Linear, Tree

Array = NDArray[np.float64]
Bounds = tuple[Array, Array]

# Twice the relative error of one rounded operation on doubles.
EPSILON = 2.0**-51

_INFINITY = np.inf


class Form:
    """A linear form as arrays: its variables, its coefficients, and whether doubles hold it without error."""

    def __init__(self, linear: Linear, box: Sequence[tuple[int, int]]) -> None:
        self.places = np.array([v for v, _ in linear.terms], dtype=np.intp)
        self.coefficients = np.array([float(factor) for _, factor in linear.terms])
        self.constant = float(linear.constant)
        self._up = np.maximum(self.coefficients, 0.0)
        self._down = np.minimum(self.coefficients, 0.0)
        largest = abs(linear.constant) + sum(
            (abs(factor) * max(map(abs, box[v])) for v, factor in linear.terms), Fraction(0)
        )
        self.exact = linear.common_denominator() == 1 and largest < 2**53

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
    bottom_form: Form


class Encloser:
    """Bounds of expressions on boxes within one large box; forms are prepared once."""

    def __init__(self, box: Sequence[tuple[int, int]]) -> None:
        self.box = box
        self._forms: dict[int, tuple[Linear, Form]] = {}  # the linear form is stored to keep its id
        self._fractions: dict[int, _Fraction | None] = {}

    def form(self, linear: Linear) -> Form:
        if id(linear) not in self._forms:
            self._forms[id(linear)] = (linear, Form(linear, self.box))
        return self._forms[id(linear)][1]

    def enclose(self, tree: Tree, low: Array, high: Array, seen: Seen) -> Bounds:
        """The least and greatest value over each box, of the points at which the expression has a value."""
        known = seen.bounds.get(id(tree))
        if known is None:
            known = seen.bounds[id(tree)] = self._enclose(tree, low, high, seen)
        return known

    def _enclose(self, tree: Tree, low: Array, high: Array, seen: Seen) -> Bounds:
        kind = tree[0]
        if kind == "linear":
            return self.form(tree[1]).bounds(low, high)
        if kind == "sum":
            bounds = self.form(tree[1]).bounds(low, high)
            for factor, part in tree[2]:
                bounds = add(bounds, times(float(factor), self.enclose(part, low, high, seen)))
            return bounds
        if kind == "ratio":
            return self._quotient(tree, low, high, seen)
        if kind == "opaque":
            unbounded = np.full(low.shape[1], _INFINITY)
            return -unbounded, unbounded
        a, b = self.enclose(tree[1], low, high, seen)
        if kind == "power":
            power = float(tree[2])
            return outwards(np.maximum(a, 0.0) ** power, np.maximum(b, 0.0) ** power, 16)
        if kind == "absolute":
            return np.maximum(np.maximum(a, -b), 0.0), np.maximum(-a, b)
        if kind == "product" and tree[1] is tree[2]:
            nearest = np.maximum(np.maximum(a, -b), 0.0)
            return outwards(nearest * nearest, np.maximum(a * a, b * b), 2)
        c, d = self.enclose(tree[2], low, high, seen)
        if kind == "product":
            return product((a, b), (c, d))
        if kind == "greatest":
            return np.maximum(a, c), np.maximum(b, d)
        if kind == "entropy":
            return _entropy((a, b), (c, d))
        raise AssertionError(f"the expression {kind!r} has no bounds")

    def _quotient(self, ratio: Tree, low: Array, high: Array, seen: Seen) -> Bounds:
        fraction = self.fraction(ratio)
        if fraction is not None:
            least, most, touching, void = self._linear_quotient(fraction, low, high)
        else:
            least, most, touching, void = _general_quotient(
                self.enclose(ratio[1], low, high, seen), self.enclose(ratio[2], low, high, seen)
            )
        if ratio[3] is None:
            seen.void |= void
            seen.touching |= touching
            return least, most
        fill = float(ratio[3])
        return (
            np.where(void, fill, np.where(touching, np.minimum(least, fill), least)),
            np.where(void, fill, np.where(touching, np.maximum(most, fill), most)),
        )

    def fraction(self, ratio: Tree) -> _Fraction | None:
        """The ratio as two linear forms, where it is one and its denominator is never negative."""
        if id(ratio) not in self._fractions:
            self._fractions[id(ratio)] = _as_fraction(ratio, self.box)
        return self._fractions[id(ratio)]

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
    """Bounds on one batch of boxes, and the boxes on which an expression has no value at all, or not
    everywhere."""

    def __init__(self, boxes: int) -> None:
        self.bounds: dict[int, Bounds] = {}
        self.void = np.zeros(boxes, dtype=bool)
        self.touching = np.zeros(boxes, dtype=bool)


def _as_fraction(ratio: Tree, box: Sequence[tuple[int, int]]) -> _Fraction | None:
    if not ratio[1][0] == ratio[2][0] == "linear":
        return None
    top, bottom = ratio[1][1], ratio[2][1]
    least, most = bottom.range(box)
    if most <= 0:
        top, bottom, least = top.times(-1), bottom.times(-1), -most
    if least < 0:
        return None
    factor = bottom.common_denominator()
    top, bottom = top.times(factor), bottom.times(factor)
    variables = list(dict.fromkeys(v for v, _ in (*top.terms, *bottom.terms)))

    def column(form: Linear) -> Array:
        factors = dict(form.terms)
        return np.array([float(factors.get(v, 0)) for v in variables])

    return _Fraction(
        places=np.array(variables, dtype=np.intp),
        top=column(top),
        bottom=column(bottom),
        top_constant=float(top.constant),
        bottom_constant=float(bottom.constant),
        bottom_form=Form(bottom, box),
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
