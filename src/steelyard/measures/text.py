"""Graphs as text: the formula that a measure is, in one readable line and in LaTeX."""

from __future__ import annotations

from fractions import Fraction
from typing import Any, Final

from steelyard.measures.evaluate import constant_value
from steelyard.measures.graph import EQUAL_WEIGHTS, WEIGHTS, Node

_SUM, _PRODUCT, _POWER, _ATOM = 1, 2, 3, 4
"""How tightly a written expression holds together."""
_SIGNS: Final = {"add": ("+", _SUM), "sub": ("-", _SUM), "mul": ("*", _PRODUCT), "div": ("/", _PRODUCT)}
_COMPARED: Final = {"eq": "==", "lt": "<", "le": "<=", "and": "and", "or": "or"}
_CALLED: Final = {
    "max": "max", "min": "min", "sqrt": "sqrt", "log": "log", "log2": "log2", "abs": "abs", "mod": "mod",
    "is_nan": "is_nan", "angle": "arccos_share", "entropy": "entropy", "product": "product",
    "greatest": "greatest",
    "where": "where", "branch": "where", "transpose": "transpose", "diagonal": "diagonal", "stack": "stack",
    "diagonal_matrix": "diagonal_matrix", "without_own": "off_diagonal", "without_each": "sum_of_others",
    "pair_sums": "pair_sums",
}  # fmt: skip
_TWO: Final = (("tp", "fn"), ("fp", "tn"))


def formula_text(node: Node) -> str:
    """The formula in one line: mean(hits / max(actual, predicted))."""
    return _Text().of(node)[0]


class _Text:
    """Writes a graph; of a matrix that is not the measure's own it says which."""

    def __init__(self) -> None:
        self.known: dict[Node, tuple[str, int]] = {}

    def of(self, node: Node) -> tuple[str, int]:
        if node not in self.known:
            self.known[node] = self._written(node)
        return self.known[node]

    def inside(self, node: Node, tightness: int) -> str:
        text, own = self.of(node)
        return text if own >= tightness else f"({text})"

    def _written(self, node: Node) -> tuple[str, int]:
        op, operands = node.op, node.operands
        if (value := constant_value(node)) is not None and not isinstance(value, bool):
            return _number(value)
        if op in ("ratio", "needed_ratio"):
            return self._binary("/", operands[0], operands[1], _PRODUCT)
        if op in _SIGNS:
            sign, tightness = _SIGNS[op]
            return self._binary(sign, operands[0], operands[1], tightness)
        if op in _COMPARED:
            return f"{self.inside(operands[0], _SUM)} {_COMPARED[op]} {self.inside(operands[1], _SUM)}", 0
        if op == "neg":
            return f"-{self.inside(operands[0], _PRODUCT)}", _SUM
        if op == "not":
            return f"not {self.inside(operands[0], _ATOM)}", 0
        if op == "power":
            return f"{self.inside(operands[0], _ATOM)}^{self.inside(operands[1], _ATOM)}", _POWER
        if op == "root_of_product":
            return f"sqrt({self._binary('*', operands[0], operands[1], _PRODUCT)[0]})", _ATOM
        if op == "half_turns":
            return f"arccos({self._binary('/', operands[0], operands[1], _PRODUCT)[0]}) / pi", _PRODUCT
        if op in ("mean", "geometric_mean", "sum"):
            return self._reduced(node), _ATOM
        if op in _CALLED:
            return f"{_CALLED[op]}({', '.join(self.of(o)[0] for o in operands)})", _ATOM
        return self._named(node), _ATOM

    def _binary(self, sign: str, a: Node, b: Node, tightness: int) -> tuple[str, int]:
        left = self.inside(a, tightness)
        right = self.inside(b, tightness + (sign in "-/"))
        return f"{left} {sign} {right}", tightness

    def _reduced(self, node: Node) -> str:
        inner = self.of(node.operands[0])[0]
        if node.op == "sum" and node.operands[0].ndim > 1:
            axes = node.static[0]
            return f"sum({inner})" if isinstance(axes, tuple) else f"sum({inner}, axis={axes})"
        weights = node.operands[1:]
        if weights and weights[0] is not WEIGHTS and weights[0] is not EQUAL_WEIGHTS:
            return f"{node.op}({inner}, weights={self.of(weights[0])[0]})"
        return f"{node.op}({inner})"

    def _named(self, node: Node) -> str:
        op, operands, static = node.op, node.operands, node.static
        match op:
            case "cells":
                return "m"
            case "size" | "taking_part":
                return "C"
            case "value":
                return "x"
            case "weights":
                return "weights"
            case "total":
                return self._of_matrix("n", operands[0])
            case "all_hits":
                return self._of_matrix("sum(hits)", operands[0])
            case "counts":
                return self._of_matrix("m", operands[0])
            case "above_chance":
                return self._of_matrix("(n * sum(hits) - sum(actual * predicted))", operands[0])
            case "cell":
                i, j = static
                two = _is_of_two(operands[0])
                return self._of_matrix(_TWO[i][j] if two else f"m_{i + 1}{j + 1}", operands[0])
            case "take" if operands[0].op == "actual" and _is_of_two(operands[0].operands[0]):
                return self._of_matrix(("(tp + fn)", "(fp + tn)")[static[0]], operands[0].operands[0])
            case "take":
                return f"{self.of(operands[0])[0]}[{static[0] + 1}]"
            case "new_axis":
                return self.of(operands[0])[0]
            case "undefined":
                return "undefined"
            case "opaque":
                return "a function that could not be traced"
            case "class_numbers":
                return "priors" if static[0] == "prior" else "relevance"
            case "array":
                return str(static[0])
            case "steps":
                return f"abs(i - j)^{static[0]}" if static[0] != 1 else "abs(i - j)"
            case "table":
                return "costs"
        return self._of_matrix(op, operands[0]) if operands else op

    def _of_matrix(self, quantity: str, matrix: Node) -> str:
        """A quantity, with the matrix it is of where that is not the measure's own."""
        if matrix.op in ("cells", "against_rest", "in_pairs"):
            return quantity
        if matrix.op == "at_priors":
            priors = matrix.operands[1]
            known = (
                "uniform priors"
                if constant_value(priors) is not None or priors.op == "div"
                else "given priors"
            )
            return f"{quantity}[{known}]"
        return f"{quantity}[{matrix.op}]"


def _is_of_two(matrix: Node) -> bool:
    """Is it a matrix of a positive and a negative class, and not one of two classes by their places?"""
    return matrix.dims[0] == 2 and matrix.static != (2,)


def _number(value: Any) -> tuple[str, int]:
    if isinstance(value, Fraction):
        return str(value), _ATOM if value.denominator == 1 and value >= 0 else _PRODUCT
    text = f"{value:.12g}" if isinstance(value, float) else str(value)
    return text, _SUM if text.startswith("-") else _ATOM
