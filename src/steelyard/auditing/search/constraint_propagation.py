"""Constraint propagation: contract boxes of counts to what can give an expression a value in an interval.

Bounds are passed down the expression (forward-backward contraction, also known as HC4-revise): what a sum
leaves for one of its parts, what a quotient demands of its linear forms, and at the end which counts a linear
inequality leaves. Everything is rounded outwards, as in `interval_arithmetic`.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from steelyard.auditing.checker.expressions import Linear, Tree
from steelyard.auditing.search.interval_arithmetic import (
    EPSILON,
    Array,
    Bounds,
    Encloser,
    Seen,
    add,
    outwards,
    product,
    times,
)

_INFINITY = np.inf


class Contractor(Encloser):
    """Bounds of expressions on boxes, and boxes contracted to what can reach given bounds; to integers where
    the variables are whole numbers."""

    def __init__(self, box: Sequence[tuple[int, int]], whole: bool = True) -> None:
        super().__init__(box)
        self.whole = whole

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
                own, rest = seen.bounds[id(inner)], seen.bounds[id(other)]
                if kind == "greatest":
                    least = np.where(rest[1] < target[0], target[0], own[0])
                    self.contract(inner, (least, np.minimum(target[1], own[1])), low, high, seen)
                    continue
                positive = rest[0] > 0
                if positive.any():
                    a, b = _divided(target, rest)
                    least = np.where(positive, np.maximum(a, own[0]), own[0])
                    most = np.where(positive, np.minimum(b, own[1]), own[1])
                    self.contract(inner, (least, most), low, high, seen)

    def _contract_sum(self, tree: Tree, target: Bounds, low: Array, high: Array, seen: Seen) -> None:
        pieces = [times(float(factor), seen.bounds[id(part)]) for factor, part in tree[2]]
        # What all pieces but one add up to: the sum of those before it and of those after it.
        before = [self.form(tree[1]).bounds(low, high)]
        for piece in pieces:
            before.append(add(before[-1], piece))
        after = (np.zeros_like(target[0]), np.zeros_like(target[0]))
        for number in reversed(range(len(pieces))):
            factor, part = tree[2][number]
            rest = add(before[number], after)
            a, b = outwards(target[0] - rest[1], target[1] - rest[0], 2)
            self.contract(part, times(1 / float(factor), (a, b)), low, high, seen)
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
            least, most = np.where(free, -_INFINITY, least), np.where(free, _INFINITY, most)
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
            needed = np.where(finite, -extra, -_INFINITY)
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


def _divided(target: Bounds, by: Bounds) -> Bounds:
    """target / by, where by is positive."""
    corners = np.array([target[0] / by[0], target[0] / by[1], target[1] / by[0], target[1] / by[1]])
    corners = np.where(np.isnan(corners), _INFINITY, corners)
    return outwards(corners.min(axis=0), corners.max(axis=0), 2)
