"""Between which exact bounds does an expression lie, wherever in a box of integers it is taken?

An expression is a tree of tuples: ("linear", form), ("ratio", top, bottom, fill), ("sum", form, ((factor,
part), ...)), ("product", one, other), ("power", base, exponent), ("greatest", one, other) or ("absolute",
inner). Equal trees are one and the same object (`Terms`), so that what is known of one is known of all.
Everything is a fraction; only roots are a little wider than they are.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Mapping, Sequence
from fractions import Fraction
from typing import Any, NamedTuple

Tree = tuple[Any, ...]
Box = Sequence[tuple[int, int]]
NOTHING = Fraction(0)

MOST_CORNERS = 6
"""Variables of a quotient whose corners are all looked at; of more, top and bottom are bounded apart."""
PRECISION = 2**80
"""Roots are bounded to one part in this."""


class Linear(NamedTuple):
    """constant + sum of factor * variable."""

    constant: Fraction
    terms: tuple[tuple[int, Fraction], ...] = ()

    def range(self, box: Sequence[tuple[Any, Any]]) -> tuple[Fraction, Fraction]:
        low = high = self.constant
        for variable, factor in self.terms:
            least, most = box[variable]
            if factor > 0:
                low, high = low + factor * least, high + factor * most
            else:
                low, high = low + factor * most, high + factor * least
        return low, high

    def at(self, point: Mapping[int, int]) -> Fraction:
        return self.constant + sum((f * point[v] for v, f in self.terms), NOTHING)

    def plus(self, other: Linear, factor: Fraction | int = 1) -> Linear:
        terms = dict(self.terms)
        for v, f in other.terms:
            terms[v] = terms.get(v, NOTHING) + factor * f
        return Linear(self.constant + factor * other.constant, tuple((v, f) for v, f in terms.items() if f))

    def times(self, factor: Fraction | int) -> Linear:
        if not factor:
            return Linear(NOTHING)
        return Linear(self.constant * factor, tuple((v, f * factor) for v, f in self.terms))

    def step(self) -> Fraction:
        """At integers the form, but for its constant, is a multiple of this; 0 if it has no terms."""
        if not self.terms:
            return NOTHING
        bottom = math.lcm(*(f.denominator for _, f in self.terms))
        return Fraction(math.gcd(*(int(f * bottom) for _, f in self.terms)), bottom)


def number(value: Fraction | int) -> Linear:
    """A form without variables."""
    return Linear(Fraction(value))


def variable(place: int) -> Linear:
    """A form that is one variable."""
    return Linear(NOTHING, ((place, Fraction(1)),))


class Terms:
    """Makes trees; equal ones only once."""

    def __init__(self) -> None:
        self._known: dict[tuple[Any, ...], Tree] = {}

    def linear(self, form: Linear) -> Tree:
        return self._one(("linear", form.constant, tuple(sorted(form.terms))), ("linear", form))

    def ratio(self, top: Tree, bottom: Tree, fill: Fraction | None) -> Tree:
        return self._one(("ratio", id(top), id(bottom), fill), ("ratio", top, bottom, fill))

    def product(self, one: Tree, other: Tree) -> Tree:
        return self._one(("product", id(one), id(other)), ("product", one, other))

    def power(self, base: Tree, exponent: Fraction) -> Tree:
        return self._one(("power", id(base), exponent), ("power", base, exponent))

    def greatest(self, one: Tree, other: Tree) -> Tree:
        return self._one(("greatest", id(one), id(other)), ("greatest", one, other))

    def absolute(self, inner: Tree) -> Tree:
        return self._one(("absolute", id(inner)), ("absolute", inner))

    def sum(self, pieces: Sequence[tuple[Fraction, Tree]]) -> Tree:
        """A sum of multiples; sums within it are taken apart."""
        form = Linear(NOTHING)
        parts: dict[int, tuple[Fraction, Tree]] = {}
        for factor, tree in pieces:
            if tree[0] == "linear":
                form = form.plus(tree[1], factor)
                continue
            if tree[0] == "sum":
                form = form.plus(tree[1], factor)
            inner = tree[2] if tree[0] == "sum" else ((Fraction(1), tree),)
            for times, part in inner:
                before = parts.get(id(part), (NOTHING, part))[0]
                parts[id(part)] = (before + factor * times, part)
        kept = tuple((factor, part) for factor, part in parts.values() if factor)
        if not kept:
            return self.linear(form)
        key = ("sum", form.constant, tuple(sorted(form.terms)), tuple((f, id(part)) for f, part in kept))
        return self._one(key, ("sum", form, kept))

    def _one(self, key: tuple[Any, ...], tree: Tree) -> Tree:
        return self._known.setdefault(key, tree)


class Range(NamedTuple):
    """The least and greatest value over a box; None is without limit. `empty`: there is no value at all."""

    low: Fraction | None
    high: Fraction | None
    empty: bool = False


class Ranges:
    """The ranges of expressions over one box, each found once."""

    def __init__(self, box: Box) -> None:
        self.box = box
        self._known: dict[int, Range] = {}

    def of(self, tree: Tree) -> Range:
        """The range of an expression, in exact fractions (roots a little wider)."""
        known = self._known.get(id(tree))
        if known is None:
            known = self._known[id(tree)] = self._of(tree)
        return known

    def _of(self, tree: Tree) -> Range:
        kind = tree[0]
        if kind == "linear":
            return Range(*tree[1].range(self.box))
        if kind == "ratio":
            return self._ratio(tree)
        if kind == "sum":
            total = Range(*tree[1].range(self.box))
            for factor, part in tree[2]:
                total = _add(total, _times(factor, self.of(part)))
            return total
        if kind == "product":
            one, other = self.of(tree[1]), self.of(tree[2])
            return _square(one) if tree[1] is tree[2] else _product(one, other)
        if kind == "power":
            return _power(self.of(tree[1]), tree[2])
        if kind == "greatest":
            one, other = self.of(tree[1]), self.of(tree[2])
            lows = [end for end in (one.low, other.low) if end is not None]
            high = None if one.high is None or other.high is None else max(one.high, other.high)
            return Range(max(lows, default=None), high, one.empty or other.empty)
        if kind == "absolute":
            inner = self.of(tree[1])
            if inner.low is None or inner.high is None:
                return Range(NOTHING, None, inner.empty)
            return Range(max(inner.low, -inner.high, NOTHING), max(-inner.low, inner.high), inner.empty)
        raise AssertionError(f"the expression {kind!r} is not known")

    def _ratio(self, tree: Tree) -> Range:
        _, top, bottom, fill = tree
        found = None
        if top[0] == bottom[0] == "linear":
            found = _linear_ratio(top[1], bottom[1], self.box)
            touches = bottom[1].range(self.box)[0] <= 0
        if found is None:
            found, touches = _divided(self.of(top), self.of(bottom))
        if fill is None or not (touches or found.empty):
            return found
        if found.empty:
            return Range(fill, fill)
        return Range(
            None if found.low is None else min(found.low, fill),
            None if found.high is None else max(found.high, fill),
        )


def integers_of(tree: Tree) -> set[int]:
    """The integers that an expression depends on."""
    if tree[0] == "linear":
        return {v for v, _ in tree[1].terms}
    if tree[0] == "sum":
        return {v for v, _ in tree[1].terms}.union(*(integers_of(part) for _, part in tree[2]))
    return set().union(*(integers_of(part) for part in tree[1:] if isinstance(part, tuple)))


def value_at(tree: Tree, point: Sequence[int]) -> Fraction | None:
    """The value of an expression at a point, where it is a fraction; None where it has none."""
    found = Ranges([(value, value) for value in point]).of(tree)
    return None if found.empty or found.low is None or found.high is None else (found.low + found.high) / 2


def _linear_ratio(top: Linear, bottom: Linear, box: Box) -> Range | None:
    """A quotient of linear forms is least and greatest at a corner of a box, if its bottom is positive."""
    least, most = bottom.range(box)
    if least == most == 0:
        return Range(None, None, True)
    variables = sorted({v for v, _ in (*top.terms, *bottom.terms)})
    if least <= 0 or sum(box[v][0] < box[v][1] for v in variables) > MOST_CORNERS:
        return None
    values = []
    for corner in itertools.product(*(sorted(set(box[v])) for v in variables)):
        point = dict(zip(variables, corner, strict=True))
        values.append(top.at(point) / bottom.at(point))
    return Range(min(values), max(values))


def _divided(top: Range, bottom: Range) -> tuple[Range, bool]:
    """top / bottom, and whether the bottom reaches 0."""
    empty = top.empty or bottom.empty or (bottom.low == 0 and bottom.high == 0)
    if bottom.low is None or bottom.high is None or top.low is None or top.high is None:
        return Range(None, None, empty), True
    touches = bottom.low <= 0 <= bottom.high
    if not touches:
        ends = [t / b for t in (top.low, top.high) for b in (bottom.low, bottom.high)]
        return Range(min(ends), max(ends), empty), False
    if bottom.low == 0 and bottom.high > 0:
        low = top.low / bottom.high if top.low >= 0 else None
        high = top.high / bottom.high if top.high <= 0 else None
        return Range(low, high, empty), True
    return Range(None, None, empty), True


def _add(one: Range, other: Range) -> Range:
    low = None if one.low is None or other.low is None else one.low + other.low
    high = None if one.high is None or other.high is None else one.high + other.high
    return Range(low, high, one.empty or other.empty)


def _times(factor: Fraction, one: Range) -> Range:
    low = None if one.low is None else factor * one.low
    high = None if one.high is None else factor * one.high
    return Range(low, high, one.empty) if factor >= 0 else Range(high, low, one.empty)


def _product(one: Range, other: Range) -> Range:
    empty = one.empty or other.empty
    if one.low is None or one.high is None or other.low is None or other.high is None:
        return Range(None, None, empty)
    ends = [a * b for a in (one.low, one.high) for b in (other.low, other.high)]
    return Range(min(ends), max(ends), empty)


def _square(one: Range) -> Range:
    if one.low is None or one.high is None:
        return Range(NOTHING, None, one.empty)
    nearest = max(one.low, -one.high, NOTHING)
    return Range(nearest * nearest, max(one.low * one.low, one.high * one.high), one.empty)


def _power(base: Range, exponent: Fraction) -> Range:
    if exponent <= 0:
        raise AssertionError("a power is expected to be positive")
    low = NOTHING if base.low is None else max(base.low, NOTHING)
    high = None if base.high is None else _root(max(base.high, NOTHING), exponent, 1)
    return Range(_root(low, exponent, 0), high, base.empty)


def _root(value: Fraction, exponent: Fraction, upwards: int) -> Fraction:
    """value to a positive power, rounded down or up: the largest k with (k / precision)^q <= value^p."""
    raised = value**exponent.numerator
    degree = exponent.denominator
    if degree == 1:
        return raised
    scaled = raised.numerator * PRECISION**degree // raised.denominator
    if degree == 2:
        low = math.isqrt(scaled)
    else:
        low, high = 0, 1 << (scaled.bit_length() // degree + 1)
        while low < high:
            middle = (low + high + 1) // 2
            if middle**degree <= scaled:
                low = middle
            else:
                high = middle - 1
    exact = Fraction(low, PRECISION) ** degree == raised
    return Fraction(low if exact else low + upwards, PRECISION)
