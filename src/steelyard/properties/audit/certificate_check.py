"""Does a certificate show that no matrix gives the printed values?

This module shares nothing with the search that found the answer: it builds the space of all matrices of the
given sizes itself, bounds every expression in exact fractions, and walks through the tree of boxes. A box is
left out only if one requirement cannot hold anywhere in it; together the boxes must be everything.
"""

from __future__ import annotations

import itertools
from collections.abc import Mapping, Sequence
from fractions import Fraction
from typing import Any, NamedTuple

Tree = list[Any]
"""An expression as plain data: ["linear", constant, [[variable, factor], ...]], ["ratio", top, bottom, fill],
["sum", linear, [[factor, part], ...]], ["product", one, other], ["power", base, exponent], ["greatest", one,
other] or ["absolute", inner]; numbers are texts of fractions."""

MOST_CORNERS = 6
"""Variables of a quotient whose corners are all looked at; of more, top and bottom are bounded apart."""
PRECISION = 2**80
"""Roots are bounded to one part in this."""


class CertificateError(Exception):
    """Why a certificate shows nothing."""


class Linear(NamedTuple):
    """constant + sum of factor * variable."""

    constant: Fraction
    terms: tuple[tuple[int, Fraction], ...]

    def range(self, box: Box) -> tuple[Fraction, Fraction]:
        low = high = self.constant
        for variable, factor in self.terms:
            ends = factor * box[variable][0], factor * box[variable][1]
            low, high = low + min(ends), high + max(ends)
        return low, high

    def at(self, point: Mapping[int, int]) -> Fraction:
        return self.constant + sum((f * point[v] for v, f in self.terms), Fraction(0))

    def plus(self, other: Linear, factor: Fraction) -> Linear:
        terms = dict(self.terms)
        for v, f in other.terms:
            terms[v] = terms.get(v, Fraction(0)) + factor * f
        kept = tuple((v, f) for v, f in terms.items() if f)
        return Linear(self.constant + factor * other.constant, kept)


Box = Sequence[tuple[int, int]]


class Range(NamedTuple):
    """The least and greatest value over a box; None is without limit. `empty`: there is no value at all."""

    low: Fraction | None
    high: Fraction | None
    empty: bool = False


class Requirement(NamedTuple):
    """The expression must have a value from low to high."""

    tree: Tree
    low: Fraction
    high: Fraction
    low_open: bool = False
    high_open: bool = False


def linear(tree: Tree) -> Linear:
    """A linear form from its plain data."""
    if tree[0] != "linear":
        raise CertificateError(f"a linear form is expected, {tree[0]!r} found")
    if isinstance(tree[1], Linear):
        return tree[1]
    return Linear(Fraction(tree[1]), tuple((int(v), Fraction(f)) for v, f in tree[2]))


def read(tree: Tree) -> Tree:
    """The same expression with its numbers read once, for those who ask for many boxes."""
    kind = tree[0]
    if kind == "linear":
        return ["linear", linear(tree)]
    if kind == "ratio":
        return [kind, read(tree[1]), read(tree[2]), None if tree[3] is None else Fraction(tree[3])]
    if kind == "sum":
        return [kind, read(tree[1]), [[Fraction(factor), read(part)] for factor, part in tree[2]]]
    if kind == "power":
        return [kind, read(tree[1]), Fraction(tree[2])]
    if kind in ("product", "greatest", "absolute"):
        return [kind, *map(read, tree[1:])]
    raise CertificateError(f"the expression {kind!r} is not known")


def space_of(sizes: Sequence[int]) -> tuple[list[tuple[int, int]], list[Requirement]]:
    """All matrices of these sizes: the box of the variables, and what always holds of them.

    Two classes: the hits of each. More: hits and false alarms of each class in turn; a matrix with them
    exists just when there are as many false alarms as misses and no class takes part in more errors than
    there are.
    """
    everyone = sum(sizes)
    if len(sizes) == 2:
        return [(0, sizes[0]), (0, sizes[1])], []
    box = [end for size in sizes for end in ((0, size), (0, everyone - size))]
    errors = [str(everyone), [[2 * k, "-1"] for k in range(len(sizes))]]
    alarms = [[2 * k + 1, "-1"] for k in range(len(sizes))]
    balance = Requirement(["linear", errors[0], [*errors[1], *alarms]], Fraction(0), Fraction(0))
    always = [balance]
    for k, size in enumerate(sizes):
        terms = [[2 * i, "-1"] for i in range(len(sizes)) if i != k] + [[2 * k + 1, "-1"]]
        always.append(Requirement(["linear", str(everyone - size), terms], Fraction(0), Fraction(everyone)))
    return box, always


def point_of(matrix: Sequence[Sequence[int]]) -> dict[int, int]:
    """The variables of a matrix."""
    count = len(matrix)
    if count == 2:
        return {0: matrix[0][0], 1: matrix[1][1]}
    point = {}
    for k in range(count):
        point[2 * k] = matrix[k][k]
        point[2 * k + 1] = sum(matrix[i][k] for i in range(count) if i != k)
    return point


def enclose(tree: Tree, box: Box) -> Range:
    """The range of an expression over a box, in exact fractions (roots a little wider)."""
    kind = tree[0]
    if kind == "linear":
        return Range(*linear(tree).range(box))
    if kind == "ratio":
        return _ratio(tree, box)
    if kind == "sum":
        total = Range(*linear(tree[1]).range(box))
        for factor, part in tree[2]:
            total = _add(total, _times(Fraction(factor), enclose(part, box)))
        return total
    if kind == "product":
        return _product(enclose(tree[1], box), enclose(tree[2], box))
    if kind == "power":
        return _power(enclose(tree[1], box), Fraction(tree[2]))
    if kind == "greatest":
        one, other = enclose(tree[1], box), enclose(tree[2], box)
        low = (
            None
            if one.low is None and other.low is None
            else max(e for e in (one.low, other.low) if e is not None)
        )
        high = None if one.high is None or other.high is None else max(one.high, other.high)
        return Range(low, high, one.empty or other.empty)
    if kind == "absolute":
        inner = enclose(tree[1], box)
        if inner.low is None or inner.high is None:
            return Range(Fraction(0), None, inner.empty)
        return Range(max(inner.low, -inner.high, Fraction(0)), max(-inner.low, inner.high), inner.empty)
    raise CertificateError(f"the expression {kind!r} is not known")


def excludes(requirement: Requirement, box: Box) -> bool:
    """Can the requirement hold nowhere in the box?"""
    tree, low, high = requirement.tree, requirement.low, requirement.high
    if tree[0] == "ratio" and tree[3] is None and _are_linear(tree):
        top, bottom = linear(tree[1]), linear(tree[2])
        least, most = bottom.range(box)
        if least >= 0:
            if most == 0:
                return True
            below = top.plus(bottom, -low).range(box)[1]
            above = top.plus(bottom, -high).range(box)[0]
            # Where the bottom is 0 there is no value; elsewhere the signs decide.
            return (
                below < 0
                or above > 0
                or (
                    least > 0
                    and ((requirement.low_open and below <= 0) or (requirement.high_open and above >= 0))
                )
            )
    found = enclose(tree, box)
    if found.empty:
        return True
    if found.high is not None and (found.high < low or (requirement.low_open and found.high <= low)):
        return True
    return found.low is not None and (found.low > high or (requirement.high_open and found.low >= high))


def boxes_of(
    nodes: Sequence[Sequence[Any]], box: Sequence[tuple[int, int]], requirements: Sequence[Requirement]
) -> int:
    """Walk through the tree, each node before its two halves; the number of boxes that are left out."""
    requirements = [r._replace(tree=read(r.tree)) for r in requirements]
    waiting, counted = [list(box)], 0
    for node in nodes:
        if not waiting:
            raise CertificateError("there are more nodes than boxes")
        here = waiting.pop()
        if node[0] == "out":
            if not excludes(requirements[int(node[1])], here):
                raise CertificateError(f"requirement {node[1]} can hold in the box {here}")
            counted += 1
        elif node[0] == "split":
            variable, at = int(node[1]), int(node[2])
            low, high = here[variable]
            if not low <= at < high:
                raise CertificateError(f"the box {here} cannot be parted at {at}")
            for ends in ((at + 1, high), (low, at)):
                half = list(here)
                half[variable] = ends
                waiting.append(half)
        else:
            raise CertificateError(f"the node {node[0]!r} is not known")
    if waiting:
        raise CertificateError(f"{len(waiting)} boxes are not looked at")
    return counted


def value_at(tree: Tree, point: Mapping[int, int]) -> Fraction | None:
    """The value of an expression at a point, where it is a fraction; None where it has none."""
    found = enclose(tree, [(point[v], point[v]) for v in range(len(point))])
    return None if found.empty or found.low is None or found.high is None else (found.low + found.high) / 2


def _are_linear(ratio: Tree) -> bool:
    return bool(ratio[1][0] == "linear" and ratio[2][0] == "linear")


def _ratio(tree: Tree, box: Box) -> Range:
    fill = None if tree[3] is None else Fraction(tree[3])
    found = _linear_ratio(linear(tree[1]), linear(tree[2]), box) if _are_linear(tree) else None
    touches = False
    if found is None:
        top, bottom = enclose(tree[1], box), enclose(tree[2], box)
        found, touches = _divided(top, bottom)
    else:
        touches = linear(tree[2]).range(box)[0] <= 0
    if fill is None or not (touches or found.empty):
        return found
    if found.empty:
        return Range(fill, fill)
    return Range(
        None if found.low is None else min(found.low, fill),
        None if found.high is None else max(found.high, fill),
    )


def _linear_ratio(top: Linear, bottom: Linear, box: Box) -> Range | None:
    """A quotient of linear forms is least and greatest at a corner of a box, if its bottom is positive."""
    least, most = bottom.range(box)
    if least == most == 0:
        return Range(None, None, True)
    variables = sorted({v for v, _ in (*top.terms, *bottom.terms)})
    if least <= 0 or len(variables) > MOST_CORNERS:
        return None
    corners = itertools.product(*(sorted(set(box[v])) for v in variables))
    values = []
    for corner in corners:
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


def _power(base: Range, exponent: Fraction) -> Range:
    if exponent <= 0:
        raise CertificateError("a power is expected to be positive")
    low = Fraction(0) if base.low is None else max(base.low, Fraction(0))
    high = None if base.high is None else _root(max(base.high, Fraction(0)), exponent, 1)
    return Range(_root(low, exponent, 0), high, base.empty)


def _root(value: Fraction, exponent: Fraction, upwards: int) -> Fraction:
    """value to a positive power, rounded down or up: the largest k with (k / precision)^q <= value^p."""
    raised = value**exponent.numerator
    degree = exponent.denominator
    if degree == 1:
        return raised
    scaled = raised.numerator * PRECISION**degree // raised.denominator
    low, high = 0, 1 << (scaled.bit_length() // degree + 1)
    while low < high:
        middle = (low + high + 1) // 2
        if middle**degree <= scaled:
            low = middle
        else:
            high = middle - 1
    exact = Fraction(low, PRECISION) ** degree == raised
    return Fraction(low if exact else low + upwards, PRECISION)
