"""What does a measure's body compute, written down once so that it can be bounded on millions of boxes of
counts?

A body runs once on counts that are linear forms of integer variables, and leaves an expression: a sum of
quotients, products and roots of linear forms. Linear forms stay exact, so that a quotient of two of them can
be bounded exactly and a printed value of such a quotient becomes two linear inequalities.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray

from steelyard.measures.arithmetic import as_fraction
from steelyard.measures.undefined import Policy, Reasons

Array = NDArray[Any]


class NotTraceableError(Exception):
    """A body asked for something (a comparison of counts) that has no expression."""


@dataclass(frozen=True, eq=False)
class Variable:
    """An integer between two bounds."""

    place: int
    name: str
    least: int
    most: int


class Expression:
    """A number that depends on the variables; it is combined with + - * / like any other."""

    __slots__ = ()

    def __add__(self, other: Any) -> Expression:
        return _sum(self, _expression(other), 1)

    def __radd__(self, other: Any) -> Expression:
        return _sum(self, _expression(other), 1)

    def __sub__(self, other: Any) -> Expression:
        return _sum(self, _expression(other), -1)

    def __rsub__(self, other: Any) -> Expression:
        return _sum(_expression(other), self, -1)

    def __neg__(self) -> Expression:
        return _scaled(self, Fraction(-1))

    def __mul__(self, other: Any) -> Expression:
        return product(self, _expression(other))

    def __rmul__(self, other: Any) -> Expression:
        return product(self, _expression(other))

    def __truediv__(self, other: Any) -> Expression:
        return quotient(self, _expression(other), None)

    def __rtruediv__(self, other: Any) -> Expression:
        return quotient(_expression(other), self, None)

    def __abs__(self) -> Expression:
        return (
            Linear({}, abs(self.constant)) if isinstance(self, Linear) and not self.terms else Absolute(self)
        )

    def _sign(self, other: Any) -> int:
        """Is the difference to `other` positive or negative or 0 wherever the variables may be?"""
        difference = self - other
        if isinstance(difference, Linear):
            least, most = difference.span()
            if least > 0 or most < 0:
                return 1 if least > 0 else -1
            if least == most == 0:
                return 0
        raise NotTraceableError("counts are compared")

    def __eq__(self, other: object) -> bool:
        return self._sign(other) == 0

    def __ne__(self, other: object) -> bool:
        return self._sign(other) != 0

    def __gt__(self, other: Any) -> bool:
        return self._sign(other) > 0

    def __lt__(self, other: Any) -> bool:
        return self._sign(other) < 0

    def __hash__(self) -> int:
        return id(self)


class Linear(Expression):
    """A constant and a multiple of each variable, all of them fractions."""

    __slots__ = ("constant", "terms")

    def __init__(self, terms: Mapping[Variable, Fraction], constant: Fraction | int = 0) -> None:
        self.terms = {v: c for v, c in terms.items() if c}
        self.constant = constant if type(constant) is Fraction else Fraction(constant)

    def span(self) -> tuple[Fraction, Fraction]:
        """The least and the greatest value within the bounds of the variables."""
        ends = [sorted((c * v.least, c * v.most)) for v, c in self.terms.items()]
        return self.constant + sum(e[0] for e in ends), self.constant + sum(e[1] for e in ends)

    def at(self, point: Mapping[Variable, int]) -> Fraction:
        return self.constant + sum((c * point[v] for v, c in self.terms.items()), Fraction(0))

    def times(self, factor: Fraction | int) -> Linear:
        return Linear({v: c * factor for v, c in self.terms.items()}, self.constant * factor)

    def plus(self, other: Linear, factor: Fraction | int = 1) -> Linear:
        terms = dict(self.terms)
        _add_to(terms, other.terms, factor)
        return Linear(terms, self.constant + _multiple(factor, other.constant))

    @property
    def common_denominator(self) -> int:
        """The least factor that makes every coefficient an integer."""
        return math.lcm(self.constant.denominator, *(c.denominator for c in self.terms.values()))


@dataclass(frozen=True, eq=False)
class Ratio(Expression):
    """top / bottom; where bottom is 0 the value is `fill`, or there is none."""

    top: Expression
    bottom: Expression
    fill: Fraction | None


@dataclass(frozen=True, eq=False)
class Sum(Expression):
    """A linear form and multiples of other expressions."""

    linear: Linear
    parts: tuple[tuple[Fraction, Expression], ...]


@dataclass(frozen=True, eq=False)
class Product(Expression):
    """Two expressions multiplied."""

    one: Expression
    other: Expression


@dataclass(frozen=True, eq=False)
class Power(Expression):
    """An expression, nowhere negative, to a positive power."""

    base: Expression
    exponent: Fraction


@dataclass(frozen=True, eq=False)
class Greatest(Expression):
    """The greater of two."""

    one: Expression
    other: Expression


@dataclass(frozen=True, eq=False)
class Absolute(Expression):
    """The absolute value."""

    inner: Expression


@dataclass(frozen=True, eq=False)
class EntropyTerm(Expression):
    """-part ln(part / (part + rest)), 0 where part is 0."""

    part: Expression
    rest: Expression


@dataclass(frozen=True, eq=False)
class Opaque(Expression):
    """A value of which nothing is known but at single points, and which variables it may depend on."""

    variables: tuple[Variable, ...]


def variables_of(expression: Expression, seen: set[int] | None = None) -> set[Variable]:
    """The variables that an expression depends on; an opaque part says so itself, of all that it may see."""
    seen = set() if seen is None else seen
    if id(expression) in seen:
        return set()
    seen.add(id(expression))
    match expression:
        case Linear():
            return set(expression.terms)
        case Sum():
            inner: tuple[Expression, ...] = (expression.linear, *(part for _, part in expression.parts))
        case Ratio():
            inner = (expression.top, expression.bottom)
        case Product() | Greatest():
            inner = (expression.one, expression.other)
        case Power():
            inner = (expression.base,)
        case Absolute():
            inner = (expression.inner,)
        case EntropyTerm():
            inner = (expression.part, expression.rest)
        case Opaque():
            return set(expression.variables)
        case _:
            inner = ()
    return set().union(*(variables_of(part, seen) for part in inner))


def constant(value: Any) -> Linear:
    """A number that depends on nothing."""
    return Linear({}, as_fraction(value))


def _expression(value: Any) -> Expression:
    if isinstance(value, Expression):
        return value
    if isinstance(value, float) and math.isnan(value):
        raise NotTraceableError("a term has no value")
    return constant(value)


def _scaled(value: Expression, factor: Fraction) -> Expression:
    if isinstance(value, Linear):
        return Linear({v: c * factor for v, c in value.terms.items()}, value.constant * factor)
    if factor == 0:
        return constant(0)
    if isinstance(value, Sum):
        linear = _scaled(value.linear, factor)
        assert isinstance(linear, Linear)
        return Sum(linear, tuple((c * factor, part) for c, part in value.parts))
    return value if factor == 1 else Sum(constant(0), ((factor, value),))


def _multiple(factor: Fraction | int, value: Fraction) -> Fraction:
    """factor * value; fractions are slow, and most factors are 1 or -1."""
    return value if factor == 1 else -value if factor == -1 else factor * value


def _add_to(
    terms: dict[Variable, Fraction], others: Mapping[Variable, Fraction], factor: Fraction | int
) -> None:
    for v, c in others.items():
        more, before = _multiple(factor, c), terms.get(v)
        terms[v] = more if before is None else before + more


def _sum(one: Expression, other: Expression, sign: int) -> Expression:
    if isinstance(one, Linear) and isinstance(other, Linear):
        return one.plus(other, sign)
    linear: dict[Variable, Fraction] = {}
    rest = Fraction(0)
    parts: dict[int, tuple[Fraction, Expression]] = {}
    for value, factor in ((one, 1), (other, sign)):
        form = value if isinstance(value, Linear) else value.linear if isinstance(value, Sum) else None
        if form is not None:
            rest += _multiple(factor, form.constant)
            _add_to(linear, form.terms, factor)
        if not isinstance(value, Linear):
            for c, part in value.parts if isinstance(value, Sum) else ((Fraction(1), value),):
                known = parts.get(id(part))
                more = _multiple(factor, c)
                parts[id(part)] = (more if known is None else known[0] + more, part)
    kept = tuple((c, part) for c, part in parts.values() if c)
    return Sum(Linear(linear, rest), kept) if kept else Linear(linear, rest)


def product(one: Expression, other: Expression) -> Expression:
    """one times other."""
    for a, b in ((one, other), (other, one)):
        if isinstance(a, Linear) and not a.terms:
            return _scaled(b, a.constant)
    return Product(one, other)


def quotient(top: Expression, bottom: Expression, fill: Fraction | None) -> Expression:
    """top / bottom, simplified where bottom is a number."""
    if isinstance(bottom, Linear) and not bottom.terms:
        if bottom.constant == 0:
            if fill is None:
                raise NotTraceableError("a denominator is 0 on every matrix")
            return constant(fill)
        return _scaled(top, 1 / bottom.constant)
    return Ratio(top, bottom, fill)


class Tracing:
    """The arithmetic of the measures that leaves expressions behind."""

    def __init__(self, policy: Policy) -> None:
        self.policy = policy
        self.reasons: Reasons | None = None
        if policy.skips:
            raise NotTraceableError("terms without a value are left out")

    def native(self, counts: Array) -> Array:
        return counts

    def number(self, value: Any) -> Fraction:
        return as_fraction(value)

    def divide(self, numerator: Any, denominator: Any, fill: float) -> tuple[Array, Array]:
        filled = None if math.isnan(fill) else as_fraction(fill)
        top, bottom = np.broadcast_arrays(
            np.asarray(numerator, dtype=object), np.asarray(denominator, dtype=object)
        )
        values = _each(lambda a, b: quotient(_expression(a), _expression(b), filled), top, bottom)
        return values, np.zeros(bottom.shape, dtype=bool)

    def is_nan(self, values: Array) -> Array:
        return np.zeros(np.shape(values), dtype=bool)

    def maximum(self, a: Array, b: Array) -> Array:
        return _each(_greatest, a, b)

    def sqrt(self, values: Array) -> Array:
        return _each(lambda v: _power(_expression(v), Fraction(1, 2)), values)

    def log(self, value: Any) -> Any:
        from steelyard.measures.arithmetic import exact_log

        return exact_log(Fraction(value))

    def half_turns(self, values: Array) -> Array:
        raise NotTraceableError("an angle is not enclosed")

    def entropy_terms(self, part: Array, rest: Array) -> Array:
        return _each(
            lambda a, b: EntropyTerm(_expression(a), _expression(b)), *np.broadcast_arrays(part, rest)
        )

    def exp_log_mean(self, terms: Array, weights: Array) -> Array:
        terms, weights = np.broadcast_arrays(terms, weights)

        def mean(*values: Any) -> Expression:
            half = len(values) // 2
            result: Expression = constant(1)
            for number, weight in zip(values[:half], values[half:], strict=True):
                share = _expression(weight)
                if not isinstance(share, Linear) or share.terms:
                    raise NotTraceableError("a power depends on the counts")
                if share.constant:
                    result = product(result, _power(_expression(number), share.constant))
            return result

        return _each(mean, *terms, *weights)

    def choose(self, condition: Array, yes: Any, no: Array) -> Array:
        return _each(lambda c, n: yes if c else n, condition, no)


def _greatest(one: Any, other: Any) -> Expression:
    a, b = _expression(one), _expression(other)
    try:
        return a if a._sign(b) >= 0 else b
    except NotTraceableError:
        return Greatest(a, b)


def _power(base: Expression, exponent: Fraction) -> Expression:
    return base if exponent == 1 else Power(base, exponent)


def _each(function: Any, *arrays: Any) -> Array:
    out = np.frompyfunc(function, len(arrays), 1)(*(np.asarray(a, dtype=object) for a in arrays))
    return np.asarray(out, dtype=object)
