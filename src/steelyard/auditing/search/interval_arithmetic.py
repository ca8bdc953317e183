"""Interval arithmetic on boxes of counts, in doubles and for many boxes at once."""

# `low` and `high` have a row for each variable and a column for each box. Every bound is rounded outwards by
# more than the floating-point error of the steps that led to it, so that what is excluded is excluded for
# certain. The range of a quotient of two linear forms, and of sums of such quotients in different variables,
# is exact up to that rounding.
#
# Constraint propagation passes bounds down the expression (forward-backward contraction, also known as
# HC4-revise): what a sum leaves for one of its parts, what a quotient demands of its linear forms, and at the
# end which counts a linear inequality leaves.

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray

from steelyard.auditing.checker.expressions import Linear, Tree

Array = NDArray[np.float64]
Bounds = tuple[Array, Array]

# Twice the relative error of one rounded operation on doubles.
EPSILON = 2.0**-51


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


# HC4-revise: Benhamou, Goualard, Granvilliers and Puget 1999.
class Contractor:
    """Bounds of expressions on boxes, and boxes contracted to what can reach given bounds."""

    # Boxes lie within one large box, and are contracted to integers where the variables are `whole` numbers.
    # Forms are prepared once.
    def __init__(self, box: Sequence[tuple[int, int]], whole: bool = True) -> None:
        self.box, self.whole = box, whole
        self._forms: dict[int, tuple[Linear, Form]] = {}  # the linear form is stored to keep its id
        self._fractions: dict[int, _Fraction | None] = {}

    def form(self, linear: Linear) -> Form:
        if id(linear) not in self._forms:
            self._forms[id(linear)] = (linear, Form(linear, self.box))
        return self._forms[id(linear)][1]

    def enclose(self, tree: Tree, low: Array, high: Array, seen: Seen) -> Bounds:
        """The least and greatest value over each box, of the points at which the expression has a value."""
        if id(tree) not in seen.bounds:
            seen.bounds[id(tree)] = self._enclose(tree, low, high, seen)
        return seen.bounds[id(tree)]

    def _enclose(self, tree: Tree, low: Array, high: Array, seen: Seen) -> Bounds:
        kind = tree[0]
        if kind == "linear":
            return self.form(tree[1]).bounds(low, high)
        if kind == "sum":
            bounds = self.form(tree[1]).bounds(low, high)
            for factor, operand in tree[2]:
                bounds = add(bounds, times(float(factor), self.enclose(operand, low, high, seen)))
            return bounds
        if kind == "ratio":
            return self._quotient(tree, low, high, seen)
        if kind == "opaque":
            unbounded = np.full(low.shape[1], np.inf)
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
        return (np.maximum(a, c), np.maximum(b, d)) if kind == "greatest" else _entropy((a, b), (c, d))

    def _quotient(self, ratio: Tree, low: Array, high: Array, seen: Seen) -> Bounds:
        fraction = self.fraction(ratio)
        if fraction is None:
            least, most, touching, void = _general_quotient(
                self.enclose(ratio[1], low, high, seen), self.enclose(ratio[2], low, high, seen)
            )
        else:
            # The exact range of one quotient; numerator and denominator share their variables, and bounding
            # them apart would lose most of a precision or an F-measure.
            ends = low[fraction.places], high[fraction.places]
            bottom_least, bottom_most = fraction.bottom_form.bounds(low, high)
            touching, void = bottom_least <= 0, bottom_most <= 0
            # The bottom is an integer, so where there is a value it is at least 1.
            smallest = np.maximum(bottom_least, 1.0)
            most = _greatest_quotient(fraction, 1.0, *ends, smallest)
            least = -_greatest_quotient(fraction, -1.0, *ends, smallest)
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

    # -- constraint propagation

    def contract_row(self, row: Linear, low: Array, high: Array) -> None:
        """Contract the boxes, in place, to where the linear form can reach 0."""
        form = self.form(row)
        least = np.zeros(low.shape[1])
        self._at_least(form.places, form.coefficients[:, None], form.constant, least, low, high)

    def contract(self, tree: Tree, target: Bounds, low: Array, high: Array, seen: Seen) -> None:
        """Contract the boxes, in place, to what can give the expression a value within the target."""
        kind = tree[0]
        if kind == "linear":
            form = self.form(tree[1])
            coefficients = form.coefficients[:, None]
            self._at_least(form.places, coefficients, form.constant, target[0], low, high)
            self._at_least(form.places, -coefficients, -form.constant, -target[1], low, high)
        elif kind == "sum":
            self._contract_sum(tree, target, low, high, seen)
        elif kind == "ratio":
            self._contract_quotient(tree, target, low, high, seen)
        elif kind == "power":
            power = 1 / float(tree[2])
            a, b = np.maximum(target[0], 0.0) ** power, np.maximum(target[1], 0.0) ** power
            self.contract(tree[1], outwards(a, b, 16), low, high, seen)
        elif kind in ("product", "greatest"):
            for inner, other in ((tree[1], tree[2]), (tree[2], tree[1])):
                bounds, rest = seen.bounds[id(inner)], seen.bounds[id(other)]
                if kind == "greatest":
                    least = np.where(rest[1] < target[0], target[0], bounds[0])
                    self.contract(inner, (least, np.minimum(target[1], bounds[1])), low, high, seen)
                    continue
                positive = rest[0] > 0
                if positive.any():
                    a, b = _divided(target, rest)
                    least = np.where(positive, np.maximum(a, bounds[0]), bounds[0])
                    most = np.where(positive, np.minimum(b, bounds[1]), bounds[1])
                    self.contract(inner, (least, most), low, high, seen)

    def _contract_sum(self, tree: Tree, target: Bounds, low: Array, high: Array, seen: Seen) -> None:
        pieces = [times(float(factor), seen.bounds[id(operand)]) for factor, operand in tree[2]]
        # What all pieces but one add up to: the sum of those before it and of those after it.
        before = [self.form(tree[1]).bounds(low, high)]
        for piece in pieces:
            before.append(add(before[-1], piece))
        after = (np.zeros_like(target[0]), np.zeros_like(target[0]))
        for number in reversed(range(len(pieces))):
            factor, operand = tree[2][number]
            rest = add(before[number], after)
            a, b = outwards(target[0] - rest[1], target[1] - rest[0], 2)
            self.contract(operand, times(1 / float(factor), (a, b)), low, high, seen)
            after = add(after, pieces[number])
        if tree[1].terms:
            a, b = outwards(target[0] - after[1], target[1] - after[0], 2)
            self.contract(("linear", tree[1]), (a, b), low, high, seen)

    def _contract_quotient(self, ratio: Tree, target: Bounds, low: Array, high: Array, seen: Seen) -> None:
        fraction = self.fraction(ratio)
        if fraction is None:
            top, bottom = seen.bounds[id(ratio[1])], seen.bounds[id(ratio[2])]
            usable = (bottom[0] > 0) if ratio[3] is not None else (bottom[0] >= 0)
            if usable.any():
                a, b = product(target, bottom)
                wide = ~usable | ~np.isfinite(a) | ~np.isfinite(b)
                least, most = np.where(wide, top[0], a), np.where(wide, top[1], b)
                self.contract(ratio[1], (least, most), low, high, seen)
                positive = usable & (target[0] > 0) & (top[0] >= 0)
                if positive.any():
                    a, b = outwards(top[0] / target[1], top[1] / target[0], 2)
                    least, most = np.where(positive, a, bottom[0]), np.where(positive, b, bottom[1])
                    self.contract(ratio[2], (least, most), low, high, seen)
            return
        least, most = target
        if ratio[3] is not None:
            # Where the bottom can be 0 the value may be the fill instead, and nothing follows for the counts.
            free = fraction.bottom_form.bounds(low, high)[0] <= 0
            least, most = np.where(free, -np.inf, least), np.where(free, np.inf, most)
        for limit, sign in ((least, 1.0), (most, -1.0)):
            finite = np.isfinite(limit)
            if not finite.any():
                continue
            level = np.where(finite, limit, 0.0)
            coefficients = sign * (fraction.top[:, None] - level * fraction.bottom[:, None])
            constant = sign * (fraction.top_constant - level * fraction.bottom_constant)
            size = np.abs(fraction.top)[:, None] + np.abs(level) * np.abs(fraction.bottom)[:, None]
            extra = (size * high[fraction.places]).sum(axis=0) + abs(fraction.top_constant)
            extra = (extra + np.abs(level) * abs(fraction.bottom_constant)) * (EPSILON * (len(size) + 4))
            needed = np.where(finite, -extra, -np.inf)
            self._at_least(fraction.places, coefficients, constant, needed, low, high)

    def _at_least(
        self,
        places: NDArray[np.intp],
        coefficients: Array,
        constant: Any,
        least: Array,
        low: Array,
        high: Array,
    ) -> None:
        """Contract the boxes to where constant + sum of coefficient * variable can reach `least`."""
        if not len(places):
            return
        below, above = low[places], high[places]
        best = np.maximum(coefficients * below, coefficients * above)
        total = constant + best.sum(axis=0)
        size = np.abs(coefficients) * above
        slack = (np.abs(constant) + size.sum(axis=0) + np.where(np.isfinite(least), np.abs(least), 0.0)) * (
            EPSILON * (len(places) + 4)
        )
        # The slack is more than three times what all these steps, the division too, can err together.
        reach = (least - slack - (total - best)) / coefficients
        raised, lowered = (np.ceil(reach), np.floor(reach)) if self.whole else (reach, reach)
        rising, falling = coefficients > 0, coefficients < 0
        low[places] = np.where(rising & (raised > below), raised, below)
        high[places] = np.where(falling & (lowered < above), lowered, above)


class Seen:
    """Bounds on one batch of boxes, and where an expression has no value at all, or not everywhere."""

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
    above, below = (
        np.array([float(dict(form.terms).get(v, 0)) for v in variables]) for form in (top, bottom)
    )
    constants, places = (float(top.constant), float(bottom.constant)), np.array(variables, dtype=np.intp)
    return _Fraction(places, above, below, *constants, Form(bottom, box))


def _greatest_quotient(
    fraction: _Fraction, sign: float, below: Array, above: Array, smallest: Array
) -> Array:
    """An upper bound of sign * top / bottom over each box."""
    # Dinkelbach's iteration; any level gives a bound, a good one the best.
    # Dinkelbach 1967: the greatest top / bottom is the level at which the greatest top - level * bottom is 0.
    # Four steps nearly always reach it; the excess that is left is added, so that the bound holds regardless.
    top, constant = sign * fraction.top[:, None], sign * fraction.top_constant
    bottom = fraction.bottom[:, None]
    point = np.where(top > 0, above, below)
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
    greatest = np.maximum(weights * below, weights * above).sum(axis=0)
    excess = constant - level * fraction.bottom_constant + greatest
    size = ((np.abs(top) + np.abs(level) * np.abs(bottom)) * above).sum(axis=0) + abs(constant)
    size = size + np.abs(level) * abs(fraction.bottom_constant)
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
    open_least = np.where(a < 0, -np.inf, a / d)
    open_most = np.where(b > 0, np.inf, b / d)
    least = np.where(from_above, open_least, np.where(touching, -np.inf, least))
    most = np.where(from_above, open_most, np.where(touching, np.inf, most))
    least, most = np.where(np.isnan(least), -np.inf, least), np.where(np.isnan(most), np.inf, most)
    least, most = outwards(least, most, 2)
    return least, most, touching, void


def product(left: Bounds, other: Bounds) -> Bounds:
    corners = np.array([a * b for a in left for b in other])
    corners = np.where(np.isnan(corners), 0.0, corners)  # 0 times infinity: the 0 is an end that is reached
    return outwards(corners.min(axis=0), corners.max(axis=0), 2)


def times(factor: float, bounds: Bounds) -> Bounds:
    a, b = bounds if factor >= 0 else (bounds[1], bounds[0])
    return outwards(factor * a, factor * b, 3)


def add(left: Bounds, other: Bounds) -> Bounds:
    return outwards(left[0] + other[0], left[1] + other[1], 2)


def outwards(least: Array, most: Array, steps: int) -> Bounds:
    """The bounds widened by more than the relative error of `steps` operations; infinite ones stay."""
    # NumPy cannot switch the rounding direction, so every result is widened instead.
    step = EPSILON * steps
    return least - np.abs(least) * step, most + np.abs(most) * step


def _entropy(share: Bounds, rest: Bounds) -> Bounds:
    """-x ln(x / (x + y)) grows with y; in x it is bounded by the product of both factors' bounds."""
    a, b = np.maximum(share[0], 0.0), np.maximum(share[1], 0.0)
    c, d = np.maximum(rest[0], 0.0), np.maximum(rest[1], 0.0)

    def term(x: Array, y: Array) -> Array:
        return np.where(x <= 0, 0.0, x * np.log1p(np.where(x > 0, y / x, 0.0)))

    # x ln(1 + y / x) grows with x as well as with y.
    return outwards(term(a, c), term(b, d), 32)


def _divided(target: Bounds, by: Bounds) -> Bounds:
    """target / by, where by is positive."""
    corners = np.array([end / divisor for end in target for divisor in by])
    corners = np.where(np.isnan(corners), np.inf, corners)
    return outwards(corners.min(axis=0), corners.max(axis=0), 2)
