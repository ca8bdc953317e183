"""Expressions over integers, and exact interval arithmetic on them."""

# An expression is a tree of tuples: ("linear", form), ("ratio", top, bottom, fill), ("sum", form, ((factor,
# operand), ...)), ("product", left, right), ("power", base, exponent), ("greatest", left, right) or
# ("absolute", inner). Equal trees are one and the same object (`Terms`), so that what is known of one is
# known of all. Everything is a fraction; only the bounds of roots are a little wider than they could be. A
# search may use further kinds ("entropy", "opaque"); they have no exact bounds, and so no certificate.

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from fractions import Fraction
from typing import Any, NamedTuple

Tree = tuple[Any, ...]
Box = Sequence[tuple[int, int]]
ZERO = Fraction(0)

# Up to this many variables a quotient is evaluated at all corners of the box; beyond, numerator and
# denominator are bounded separately.
MOST_CORNERS = 6
# Roots are bounded to one part in this.
PRECISION = 2**80
# Exponents in a certificate have numerators and denominators up to this.
LARGEST_DEGREE = 10_000


class NoExactBoundsError(ValueError):
    """An expression without exact bounds: it holds a logarithm or an opaque function."""


class Linear(NamedTuple):
    """constant + sum of factor * variable."""

    constant: Fraction
    terms: tuple[tuple[int, Fraction], ...] = ()

    def range(self, box: Sequence[tuple[Any, Any]]) -> tuple[Fraction, Fraction]:
        # In integers over a common denominator: adding fractions took most of the time of large questions.
        bottom = self.common_denominator()
        low = high = self.constant.numerator * (bottom // self.constant.denominator)
        for variable, factor in self.terms:
            least, most = box[variable]
            times = factor.numerator * (bottom // factor.denominator)
            if times > 0:
                low, high = low + times * least, high + times * most
            else:
                low, high = low + times * most, high + times * least
        return Fraction(low, bottom), Fraction(high, bottom)

    def at(self, point: Mapping[int, int] | Sequence[int]) -> Fraction:
        return self.constant + sum((f * point[v] for v, f in self.terms), ZERO)

    def plus(self, other: Linear, factor: Fraction | int = 1) -> Linear:
        if not other.terms:
            return Linear(self.constant + factor * other.constant, self.terms)
        terms = dict(self.terms)
        for v, f in other.terms:
            more = f if factor == 1 else factor * f
            terms[v] = terms[v] + more if v in terms else more
        return Linear(self.constant + factor * other.constant, tuple((v, f) for v, f in terms.items() if f))

    def times(self, factor: Fraction | int) -> Linear:
        if not factor:
            return Linear(ZERO)
        return Linear(self.constant * factor, tuple((v, f * factor) for v, f in self.terms))

    def common_denominator(self) -> int:
        """The least factor that makes the constant and every coefficient an integer."""
        return math.lcm(self.constant.denominator, *(f.denominator for _, f in self.terms))

    # The greatest common divisor of the coefficients: the form takes no value between two multiples of it.
    def step(self) -> Fraction:
        """At integers the form, but for its constant, is a multiple of this; 0 if it has no terms."""
        if not self.terms:
            return ZERO
        bottom = self.common_denominator()
        return Fraction(math.gcd(*(f.numerator * (bottom // f.denominator) for _, f in self.terms)), bottom)


def number(value: Fraction | int) -> Linear:
    """A form without variables."""
    return Linear(Fraction(value))


def variable(place: int) -> Linear:
    """A form that is one variable."""
    return Linear(ZERO, ((place, Fraction(1)),))


def total(forms: Iterable[Linear], factors: Iterable[Fraction | int] = itertools.repeat(1)) -> Linear:
    """The sum of linear forms, or of multiples of them."""
    result = number(0)
    for form, factor in zip(forms, factors, strict=False):
        result = result.plus(form, factor)
    return result


class Terms:
    """Builds simplified trees, equal ones only once."""

    def __init__(self) -> None:
        self._known: dict[tuple[Any, ...], Tree] = {}

    def linear(self, form: Linear) -> Tree:
        return self._known.setdefault(("linear", form.constant, tuple(sorted(form.terms))), ("linear", form))

    def ratio(self, top: Tree, bottom: Tree, fill: Fraction | None) -> Tree:
        """top / bottom, a multiple of top where bottom is a number other than 0; `fill` where it is 0."""
        if bottom[0] == "linear" and not bottom[1].terms:
            if bottom[1].constant:
                return self.sum([(1 / bottom[1].constant, top)])
            if fill is not None:
                return self.linear(number(fill))
        return self._intern("ratio", top, bottom, fill)

    def product(self, left: Tree, right: Tree) -> Tree:
        for factor, rest in ((left, right), (right, left)):
            if factor[0] == "linear" and not factor[1].terms:
                return self.sum([(factor[1].constant, rest)])
        return self._intern("product", left, right)

    def power(self, base: Tree, exponent: Fraction) -> Tree:
        return base if exponent == 1 else self._intern("power", base, exponent)

    def greatest(self, left: Tree, right: Tree) -> Tree:
        return left if left is right else self._intern("greatest", left, right)

    def absolute(self, inner: Tree) -> Tree:
        if inner[0] == "linear" and not inner[1].terms:
            return self.linear(number(abs(inner[1].constant)))
        return self._intern("absolute", inner)

    def entropy(self, share: Tree, rest: Tree) -> Tree:
        """-share ln(share / (share + rest)), 0 where share is 0."""
        return self._intern("entropy", share, rest)

    def sum(self, pieces: Sequence[tuple[Fraction, Tree]]) -> Tree:
        """A sum of multiples; sums within it are flattened."""
        form = Linear(ZERO)
        operands: dict[int, tuple[Fraction, Tree]] = {}
        for factor, tree in pieces:
            if tree[0] in ("linear", "sum"):
                form = form.plus(tree[1], factor)
            if tree[0] == "linear":
                continue
            for times, operand in tree[2] if tree[0] == "sum" else ((Fraction(1), tree),):
                before = operands.get(id(operand), (ZERO, operand))[0]
                operands[id(operand)] = (before + factor * times, operand)
        nonzero = tuple((factor, operand) for factor, operand in operands.values() if factor)
        if not nonzero:
            return self.linear(form)
        if len(nonzero) == 1 and nonzero[0][0] == 1 and form == number(0):
            return nonzero[0][1]
        named = tuple((factor, id(operand)) for factor, operand in nonzero)
        key = ("sum", form.constant, tuple(sorted(form.terms)), named)
        return self._known.setdefault(key, ("sum", form, nonzero))

    def _intern(self, *tree: Any) -> Tree:
        key = tuple(id(inner) if isinstance(inner, tuple) else inner for inner in tree)
        return self._known.setdefault(key, tree)

    def substituted(self, tree: Tree, forms: Sequence[Linear], box: Box) -> Tree:
        """The tree with a linear form in place of each variable, simplified over the box of new variables."""
        known: dict[int, Tree] = {}

        def linear(form: Linear) -> Tree:
            inner = total((forms[v] for v, _ in form.terms), (factor for _, factor in form.terms))
            return self.linear(number(form.constant).plus(inner))

        def of(tree: Tree) -> Tree:
            if id(tree) not in known:
                known[id(tree)] = new(tree)
            return known[id(tree)]

        def new(tree: Tree) -> Tree:
            kind = tree[0]
            if kind == "linear":
                return linear(tree[1])
            if kind == "sum":
                return self.sum([(Fraction(1), linear(tree[1])), *((factor, of(t)) for factor, t in tree[2])])
            if kind == "opaque":
                places = tuple(sorted({v for form in forms for v, _ in form.terms}))
                return self._known.setdefault(("opaque", places), ("opaque", places))
            parts = [of(inner) if isinstance(inner, tuple) else inner for inner in tree[1:]]
            if kind == "greatest":
                difference = self.sum([(Fraction(1), parts[0]), (Fraction(-1), parts[1])])
                low, high = difference[1].range(box) if difference[0] == "linear" else (-1, 1)
                if low >= 0 or high <= 0:
                    return parts[0] if low >= 0 else parts[1]
            # A kind is named like the method that builds it.
            build: Callable[..., Tree] = getattr(self, kind)
            return build(*parts)

        return of(tree)


def operands(tree: Tree) -> list[Tree]:
    """The expressions that an expression is made of."""
    if tree[0] in ("linear", "opaque"):
        return []
    return [t for _, t in tree[2]] if tree[0] == "sum" else [t for t in tree[1:] if isinstance(t, tuple)]


def to_json(tree: Tree) -> list[Any]:
    """A tree as nested lists with fractions as text."""
    kind = tree[0]
    if kind in ("linear", "sum"):
        form = ["linear", str(tree[1].constant), [[v, str(f)] for v, f in sorted(tree[1].terms)]]
        return form if kind == "linear" else ["sum", form, [[str(f), to_json(t)] for f, t in tree[2]]]
    if kind not in _OPERANDS:
        raise NoExactBoundsError(f"{kind} has no exact bounds")
    numbers = [None if value is None else str(value) for value in tree[1 + _OPERANDS[kind] :]]
    return [kind, *map(to_json, operands(tree)), *numbers]


# The kinds that a certificate may hold beside sums and linear forms, and how many operands each has.
_OPERANDS = {"ratio": 2, "product": 2, "greatest": 2, "power": 1, "absolute": 1}


def from_json(plain: Any, variables: int, terms: Terms) -> Tree:
    """The tree of nested lists; ValueError or TypeError where they are none."""
    kind, *rest = plain
    if kind == "linear":
        constant, factors = rest
        if not all(type(v) is int and 0 <= v < variables for v, _ in factors):
            raise ValueError(f"a formula names a count that does not exist: {factors!r}")
        form = total((variable(v) for v, _ in factors), (fraction(factor) for _, factor in factors))
        return terms.linear(number(fraction(constant)).plus(form))
    if kind == "sum":
        pieces = [(fraction(factor), from_json(operand, variables, terms)) for factor, operand in rest[1]]
        return terms.sum([(Fraction(1), from_json(rest[0], variables, terms)), *pieces])
    if kind not in _OPERANDS:
        raise ValueError(f"the operation {kind!r} is not known")
    count = _OPERANDS[kind]
    numbers = [None if kind == "ratio" and text is None else fraction(text) for text in rest[count:]]
    if kind == "power":
        exponent = fraction(rest[1])
        if not 0 < exponent.numerator <= LARGEST_DEGREE or exponent.denominator > LARGEST_DEGREE:
            raise ValueError(f"the exponent {exponent} is not allowed")
    build: Callable[..., Tree] = getattr(terms, kind)
    return build(*(from_json(operand, variables, terms) for operand in rest[:count]), *numbers)


def fraction(text: Any) -> Fraction:
    """A fraction from text; text only, because a float would not be what was written."""
    # The length bounds the work: a hostile certificate could otherwise hold numbers of a million digits, or a
    # power of ten that means as many.
    if not isinstance(text, str) or len(text) > 400 or "e" in text.lower():
        raise ValueError(f"a fraction is expected as text without a power of ten, found {text!r}")
    return Fraction(text)


# A fraction, or infinity where there is no limit.
End = Fraction | float


class Range(NamedTuple):
    """The least and greatest value over a box. `empty`: there is no value at all."""

    low: End = -math.inf
    high: End = math.inf
    empty: bool = False

    @property
    def bounded(self) -> bool:
        return -math.inf < self.low and self.high < math.inf


class Ranges:
    """Exact interval arithmetic: the ranges of expressions over one box, each computed once."""

    def __init__(self, box: Box) -> None:
        self.box = box
        self._known: dict[int, Range] = {}

    def of(self, tree: Tree) -> Range:
        """The range of an expression, in exact fractions (roots a little wider)."""
        if id(tree) not in self._known:
            self._known[id(tree)] = self._of(tree)
        return self._known[id(tree)]

    def _of(self, tree: Tree) -> Range:
        kind = tree[0]
        if kind == "linear":
            return Range(*tree[1].range(self.box))
        if kind == "ratio":
            return self._ratio(tree)
        if kind == "sum":
            low, high = tree[1].range(self.box)
            spans = [(factor, self.of(operand)) for factor, operand in tree[2]]
            for factor, span in spans:
                least, most = sorted((factor * span.low, factor * span.high))
                low, high = low + least, high + most
            return Range(low, high, any(span.empty for _, span in spans))
        if kind not in _OPERANDS:
            raise NoExactBoundsError(f"{kind} has no exact bounds")
        inner = [self.of(operand) for operand in operands(tree)]
        (low, high, _), other, empty = inner[0], inner[-1], any(span.empty for span in inner)
        if kind == "power":
            greatest = math.inf if high == math.inf else _root(max(high, ZERO), tree[2], 1)
            return Range(_root(max(low, ZERO), tree[2], 0), greatest, empty)
        if kind == "absolute":
            return Range(max(low, -high, ZERO), max(-low, high), empty)
        if kind == "greatest":
            return Range(max(low, other.low), max(high, other.high), empty)
        square = tree[1] is tree[2]
        if not (inner[0].bounded and other.bounded):
            return Range(ZERO if square else -math.inf, math.inf, empty)
        ends = [a * b for a in (low, high) for b in (other.low, other.high)]
        return Range(max(low, -high, ZERO) ** 2 if square else min(ends), max(ends), empty)

    def _ratio(self, tree: Tree) -> Range:
        _, top, bottom, fill = tree
        # Interval arithmetic (Moore 1966) takes top and bottom for independent; of two linear forms the exact
        # range is had at the corners of the box, which is what makes printed precisions exclude large boxes.
        quotient = None
        if top[0] == bottom[0] == "linear":
            quotient = _linear_ratio(top[1], bottom[1], self.box)
            touches = bottom[1].range(self.box)[0] <= 0
        if quotient is None:
            quotient, touches = _divided(self.of(top), self.of(bottom))
            if self.of(top).empty or self.of(bottom).empty:
                return quotient
        if fill is None or not (touches or quotient.empty):
            return quotient
        return (
            Range(fill, fill) if quotient.empty else Range(min(quotient.low, fill), max(quotient.high, fill))
        )


def degree(tree: Tree) -> Fraction | None:
    """The degree of a homogeneous expression; None if it is not homogeneous."""
    # Its value at c times all variables is c**degree times that at the variables.
    kind = tree[0]
    if kind == "linear":
        return Fraction(1) if not tree[1].constant else ZERO if not tree[1].terms else None
    degrees = [degree(operand) for operand in operands(tree)]
    if kind == "sum" and tree[1] != number(0):
        degrees.append(degree(("linear", tree[1])))
    known = [value for value in degrees if value is not None]
    if kind == "opaque" or len(known) < len(degrees):
        return None
    if kind == "power":
        return known[0] * Fraction(tree[2])
    if kind == "product":
        return known[0] + known[1]
    if kind == "ratio" and tree[3] is None:
        return known[0] - known[1]
    alike = len(set(known)) == 1
    return (ZERO if kind == "ratio" else known[0]) if alike else None


def variables_of(tree: Tree) -> set[int]:
    """The variables that an expression depends on."""
    if tree[0] == "opaque":
        return set(tree[1])
    of_form = {v for v, _ in tree[1].terms} if tree[0] in ("linear", "sum") else set()
    return of_form.union(*map(variables_of, operands(tree)))


def _linear_ratio(top: Linear, bottom: Linear, box: Box) -> Range | None:
    """A quotient of linear forms is least and greatest at a corner of a box, if its bottom is positive."""
    least, most = bottom.range(box)
    if least == most == 0:
        return Range(empty=True)
    variables = sorted({v for v, _ in (*top.terms, *bottom.terms)})
    if least <= 0 or sum(box[v][0] < box[v][1] for v in variables) > MOST_CORNERS:
        return None
    # A linear fractional function is monotone in each variable where its bottom keeps its sign.
    values = []
    for corner in itertools.product(*(sorted(set(box[v])) for v in variables)):
        point = dict(zip(variables, corner, strict=True))
        values.append(top.at(point) / bottom.at(point))
    return Range(min(values), max(values))


def _divided(top: Range, bottom: Range) -> tuple[Range, bool]:
    """top / bottom, and whether the bottom reaches 0."""
    empty = top.empty or bottom.empty or (bottom.low == 0 and bottom.high == 0)
    if not (top.bounded and bottom.bounded):
        return Range(empty=empty), True
    if not bottom.low <= 0 <= bottom.high:
        ends = [t / b for t in (top.low, top.high) for b in (bottom.low, bottom.high)]
        return Range(min(ends), max(ends), empty), False
    from_above = bottom.low == 0 and bottom.high > 0
    low = top.low / bottom.high if from_above and top.low >= 0 else -math.inf
    return Range(low, top.high / bottom.high if from_above and top.high <= 0 else math.inf, empty), True


def _root(value: Any, exponent: Fraction, upwards: int) -> Fraction:
    """value to a positive power, rounded down or up: the largest k with (k / precision)^q <= value^p."""
    raised: Fraction = value**exponent.numerator
    degree = exponent.denominator
    if degree == 1:
        return raised
    scaled = raised.numerator * PRECISION**degree // raised.denominator
    if degree == 2:
        low = math.isqrt(scaled)
    else:
        # Bisection on integers: floats would need a proof of their rounding, and roots of degree above 2 are
        # rare.
        low, high = 0, 1 << (scaled.bit_length() // degree + 1)
        while low < high:
            middle = (low + high + 1) // 2
            if middle**degree <= scaled:
                low = middle
            else:
                high = middle - 1
    exact = Fraction(low, PRECISION) ** degree == raised
    return Fraction(low if exact else low + upwards, PRECISION)
