"""How is an expression written down for the checker? As a tree of numbers, variables and operations.

The same bodies run on trees instead of numbers or symbols; a comparison is followed only where its outcome is
plain to see."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray

from steelyard.measures.arithmetic import as_fraction
from steelyard.measures.undefined import NAN, Policy, Reasons
from steelyard.proofs.prover.angles import Angle

Array = NDArray[Any]


class Tree:
    """A node: a number, a variable, or an operation on nodes."""

    __slots__ = ("node",)

    def __init__(self, node: Any) -> None:
        self.node = node

    def _with(self, operation: str, other: Any, turned: bool = False) -> Any:
        if isinstance(other, (float, np.floating)) and not np.isfinite(other):
            return NAN
        second = tree(other)
        pair = (second, self) if turned else (self, second)
        return Tree([operation, pair[0].node, pair[1].node])

    def __add__(self, other: Any) -> Any:
        return self._with("+", other)

    def __radd__(self, other: Any) -> Any:
        return self._with("+", other, True)

    def __sub__(self, other: Any) -> Any:
        return self._with("-", other)

    def __rsub__(self, other: Any) -> Any:
        return self._with("-", other, True)

    def __mul__(self, other: Any) -> Any:
        return self._with("*", other)

    def __rmul__(self, other: Any) -> Any:
        return self._with("*", other, True)

    def __truediv__(self, other: Any) -> Any:
        return self._with("/", other)

    def __rtruediv__(self, other: Any) -> Any:
        return self._with("/", other, True)

    def __pow__(self, power: Any) -> Tree:
        return Tree(["^", self.node, str(as_fraction(power))])

    def __neg__(self) -> Any:
        return tree(0) - self

    def __pos__(self) -> Tree:
        return self

    def __abs__(self) -> Tree:
        return Tree(["max", self.node, (-self).node])

    def __bool__(self) -> bool:
        raise TypeError("a tree has no truth")

    def __eq__(self, other: object) -> bool:
        """Only where it is plain to see, as all variables are positive; a TypeError otherwise."""
        return plain_sign(tree(self - other).node) == 0

    __hash__ = None  # type: ignore[assignment]


def tree(value: Any) -> Tree:
    return value if isinstance(value, Tree) else Tree(str(as_fraction(value)))


def plain_sign(node: Any) -> int:
    """The sign of an expression of positive variables, where it is plain to see."""
    if isinstance(node, str):
        number = Fraction(node)
        return (number > 0) - (number < 0)
    if node[0] == "variable":
        return 1
    first = plain_sign(node[1])
    if node[0] == "^":
        if first < 0:
            raise TypeError("the sign of a power is not plain")
        return first
    second = plain_sign(node[2]) if node[0] != "log" else None
    if node[0] in "*/" and second is not None:
        return first * second
    if node[0] in "+-" and second is not None:
        signs = {first, second if node[0] == "+" else -second} - {0}
        if len(signs) < 2:
            return signs.pop() if signs else 0
    raise TypeError("the outcome of a comparison is not plain")


def plain_node(value: Any) -> Any:
    if isinstance(value, (float, np.floating)) and not np.isfinite(value):
        return "undefined"
    return tree(value).node


class TreeField:
    """Variables as trees; it looks like a field of symbols to those who compute in one."""

    def __init__(self, names: Sequence[str]) -> None:
        self.names = list(names)
        self.denominators: dict[str, Any] = {}

    def variable(self, name: str) -> Tree:
        return Tree(["variable", name])

    def constant(self, value: Any) -> Tree:
        return tree(value)

    def leave(self, how: str) -> Exception:
        raise TypeError(how)


class TreeArithmetic:
    """The arithmetic of the measures, on trees."""

    def __init__(self, owner: TreeField) -> None:
        self.field = owner
        self.policy = Policy()
        self.reasons: Reasons | None = None

    def native(self, counts: Array) -> Array:
        return counts

    def number(self, value: Any) -> Fraction:
        return as_fraction(value)

    def divide(self, numerator: Any, denominator: Any, fill: float) -> tuple[Array, Array]:
        top, bottom = np.broadcast_arrays(
            np.asarray(numerator, dtype=object), np.asarray(denominator, dtype=object)
        )

        def quotient(a: Any, b: Any) -> Any:
            if _undefined(a) or _undefined(b) or _zero(b):
                return NAN
            return tree(a) / b

        return _each(quotient, top, bottom), np.asarray(_each(_zero, bottom), dtype=bool)

    def is_nan(self, values: Array) -> Array:
        return np.asarray(_each(_undefined, values), dtype=bool)

    def maximum(self, a: Array, b: Array) -> Array:
        return _each(
            lambda x, y: NAN if _undefined(x) or _undefined(y) else Tree(["max", tree(x).node, tree(y).node]),
            a,
            b,
        )

    def sqrt(self, values: Array) -> Array:
        return _each(lambda v: NAN if _undefined(v) else Tree(["^", tree(v).node, "1/2"]), values)

    def log(self, value: Any) -> Any:
        return Tree(["log", tree(value).node])

    def half_turns(self, values: Array) -> Array:
        return _each(lambda v: NAN if _undefined(v) else Angle(tree(v)), values)

    def entropy_terms(self, part: Array, rest: Array) -> Array:
        def term(a: Any, b: Any) -> Any:
            if _undefined(a) or _undefined(b):
                return NAN
            return Fraction(0) if _zero(a) else -(tree(a) * Tree(["log", (tree(a) / (tree(a) + b)).node]))

        return _each(term, *np.broadcast_arrays(part, rest))

    def exp_log_mean(self, terms: Array, weights: Array) -> Array:
        def mean(*values: Any) -> Any:
            if any(map(_undefined, values)):
                return NAN
            numbers, powers = values[: len(values) // 2], [_share(v) for v in values[len(values) // 2 :]]
            # One root of the product, so that factors common to two terms meet under it.
            if len(set(powers)) == 1:
                product = tree(1)
                for number in numbers:
                    product = product * number
                return product ** powers[0]
            result = tree(1)
            for number, power in zip(numbers, powers, strict=True):
                result = result * tree(number) ** power
            return result

        terms, weights = np.broadcast_arrays(terms, weights)
        return _each(mean, *terms, *weights)

    def choose(self, condition: Array, yes: Any, no: Array) -> Array:
        return _each(lambda c, n: yes if c else n, condition, no)


def _each(function: Callable[..., Any], *arrays: Any) -> Array:
    out = np.frompyfunc(function, len(arrays), 1)(*(np.asarray(a, dtype=object) for a in arrays))
    return np.asarray(out, dtype=object)


def _share(value: Any) -> Any:
    """A weight as a number: a power of a tree is one, so a quotient of two numbers is worked out."""
    if isinstance(value, Tree) and isinstance(value.node, list) and value.node[0] == "/":
        return Fraction(value.node[1]) / Fraction(value.node[2])
    return value


def _undefined(value: Any) -> bool:
    return isinstance(value, (float, np.floating)) and not np.isfinite(value)


def _zero(value: Any) -> bool:
    return not isinstance(value, Tree) and bool(value == 0)
