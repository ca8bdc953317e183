"""Expression trees: how an expression is written down for the checker."""

# Graphs are evaluated on trees of numbers, variables and operations instead of numbers or symbols.

from __future__ import annotations

import math
from collections.abc import Sequence
from fractions import Fraction
from typing import Any

from steelyard.measures.numbers import COMPARED, Elementwise, Operators, Relation, as_fraction, undefined
from steelyard.measures.undefined import NAN, Policy
from steelyard.proofs.prover.symbols import Angle


class Tree(Operators):
    """A node: a number, a variable, or an operation on nodes."""

    __slots__ = ("node",)

    def __init__(self, node: Any) -> None:
        self.node = node

    def operate(self, sign: str, left: Any, right: Any) -> Any:
        if undefined(left) or undefined(right):
            return NAN
        return Tree([sign, tree(left).node, tree(right).node])

    def __pow__(self, power: Any) -> Tree:
        return Tree(["^", self.node, str(as_fraction(power))])

    def __abs__(self) -> Tree:
        return Tree(["max", self.node, (-self).node])


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
    return "undefined" if undefined(value) else tree(value).node


class TreeField:
    """Variables as trees; it looks like a field of symbols to those who compute in one."""

    def __init__(self, names: Sequence[str]) -> None:
        self.names = list(names)
        self.denominators: dict[str, Any] = {}

    def variable(self, name: str) -> Tree:
        return Tree(["variable", name])

    def constant(self, value: Any) -> Tree:
        return tree(value)


class Trees(Elementwise):
    """Expression trees as a number type of the interpreter."""

    def __init__(self, owner: TreeField) -> None:
        super().__init__(Policy())
        self.field = owner

    def is_zero(self, value: Any) -> bool:
        return _vanishes(value.node) if isinstance(value, Tree) else bool(value == 0)

    def quotient(self, a: Any, b: Any) -> Any:
        return tree(a) / b

    def larger(self, a: Any, b: Any) -> Any:
        return Tree(["max", tree(a).node, tree(b).node])

    def raised(self, value: Any, exponent: Fraction) -> Any:
        return tree(value) ** exponent

    def logarithm(self, value: Any) -> Any:
        return Tree(["log", tree(value).node])

    def angle(self, cosine: Any) -> Any:
        return Angle(tree(cosine))

    def entropy_term(self, count: Any, rest: Any) -> Any:
        if self.is_zero(count):
            return Fraction(0)
        return -(tree(count) * Tree(["log", (tree(count) / (tree(count) + rest)).node]))

    def power_product(self, numbers: Sequence[Any], powers: Sequence[Any]) -> Any:
        # A weight that is a quotient of two numbers is worked out: a power of a tree is a number.
        shares = [
            Fraction(p.node[1]) / Fraction(p.node[2])
            if isinstance(p, Tree) and isinstance(p.node, list) and p.node[0] == "/"
            else p
            for p in powers
        ]
        # One root of the product, so that factors common to two terms meet under it.
        if len(set(shares)) == 1:
            return math.prod(numbers, start=tree(1)) ** shares[0]
        powers = [tree(number) ** share for number, share in zip(numbers, shares, strict=True)]
        return math.prod(powers, start=tree(1))

    def falls(self, a: Any, b: Any, relation: Relation) -> bool:
        """A comparison is followed only where its outcome is plain to see, as all variables are positive."""
        return bool(COMPARED[relation](plain_sign(tree(tree(a) - b).node), 0))


def _vanishes(node: Any) -> bool:
    """Is an expression 0 because of the zeros in it: a product with one, a sum of nothing else?"""
    if isinstance(node, str):
        return Fraction(node) == 0
    if node[0] in ("*", "/"):
        return _vanishes(node[1]) or (node[0] == "*" and _vanishes(node[2]))
    return node[0] in ("+", "-", "max") and _vanishes(node[1]) and _vanishes(node[2])
