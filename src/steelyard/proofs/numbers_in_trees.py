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
from steelyard.proofs.numbers_of_reading import COMPARISONS, FormalNumbers, refuse_infinite
from steelyard.proofs.prover.expression_trees import Tree, TreeArithmetic, plain_sign, tree

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
            return bool(COMPARISONS[relation](plain_sign(tree(x - y).node), 0))

        return self._each(fall, a, b)


def _undefined(value: Any) -> bool:
    return isinstance(value, (float, np.floating)) and value != value
