"""How is a function that was read written down for the checker? With trees in place of numbers.

A comparison is written down only where its outcome is plain to see: both sides are numbers, or the sign of
their difference follows from sums, products and quotients of positive variables. Any other has no
certificate."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray

from steelyard.measures.undefined import NAN
from steelyard.properties.certificates import Tree, TreeArithmetic, tree
from steelyard.properties.numbers_of_reading import COMPARISONS, FormalNumbers, refuse_infinite
from steelyard.properties.symbols import TooHardError

Array = NDArray[Any]


class TreeNumbers(FormalNumbers):
    """Expressions of a certificate."""

    def __init__(self, arithmetic: TreeArithmetic) -> None:
        self.arithmetic = arithmetic

    def is_zero(self, value: Any) -> bool:
        if isinstance(value, Tree):
            return isinstance(value.node, str) and Fraction(value.node) == 0
        return bool(value == 0)

    def quotient(self, x: Any, y: Any) -> Any:
        return tree(x) / y

    def raised(self, x: Any, exponent: Fraction) -> Any:
        return Fraction(1) if self.is_zero(x) and exponent == 0 else tree(x) ** exponent

    def logarithm(self, x: Any) -> Any:
        return Tree(["log", tree(x).node])

    def maximum(self, a: Any, b: Any) -> Any:
        def larger(x: Any, y: Any) -> Any:
            refuse_infinite(x, y)
            if _undefined(x) or _undefined(y):
                return NAN
            return Tree(["max", tree(x).node, tree(y).node])

        return self._each(larger, a, b)

    def compare(self, a: Any, b: Any, relation: str) -> Any:
        def fall(x: Any, y: Any) -> bool:
            if _undefined(x) or _undefined(y):
                return relation == "!="
            return bool(COMPARISONS[relation](_sign(tree(x - y).node), 0))

        return self._each(fall, a, b)


def _sign(node: Any) -> int:
    """The sign of an expression of positive variables, where it is plain to see."""
    if isinstance(node, str):
        number = Fraction(node)
        return (number > 0) - (number < 0)
    if node[0] == "variable":
        return 1
    first = _sign(node[1])
    if node[0] == "^":
        if first < 0:
            raise TooHardError("the sign of a power is not plain")
        return first
    second = _sign(node[2]) if node[0] != "log" else None
    if node[0] in "*/" and second is not None:
        return first * second
    if node[0] in "+-" and second is not None:
        signs = {first, second if node[0] == "+" else -second} - {0}
        if len(signs) < 2:
            return signs.pop() if signs else 0
    raise TooHardError("the outcome of a comparison is not plain")


def _undefined(value: Any) -> bool:
    return isinstance(value, (float, np.floating)) and value != value
