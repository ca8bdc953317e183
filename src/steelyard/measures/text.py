"""Graphs as text: the formula that a measure is, in one readable line and in LaTeX."""

# The line is in the grammar of `formula` as far as that has words for it, so what is printed can be given
# back: `examine "mean(hits / max(actual, predicted))"`. LaTeX is in the symbols of docs/notation.md.

from __future__ import annotations

import re
from fractions import Fraction
from typing import Any, Final

from steelyard.measures.class_numbers import number_text
from steelyard.measures.evaluate import constant_value
from steelyard.measures.graph import CELLS, WEIGHTS, Node, is_equal_weights, topological
from steelyard.measures.numbers import as_fraction

# How tightly a written expression holds together.
_SUM, _PRODUCT, _POWER, _ATOM = 1, 2, 3, 4
_SIGNS: Final = {"add": ("+", _SUM), "sub": ("-", _SUM), "mul": ("*", _PRODUCT), "div": ("/", _PRODUCT)}
_COMPARED: Final = {"eq": "==", "lt": "<", "le": "<=", "and": "and", "or": "or"}
_CALLED: Final = {
    "max": "max", "min": "min", "sqrt": "sqrt", "log": "log", "log2": "log2", "abs": "abs", "mod": "mod",
    "is_nan": "is_nan", "angle": "arccos_share", "entropy": "entropy", "product": "product",
    "greatest": "greatest", "where": "where", "branch": "where", "transpose": "transpose",
    "diagonal": "diagonal", "stack": "stack", "diagonal_matrix": "diagonal_matrix",
    "without_own": "off_diagonal", "without_each": "sum_of_others", "pair_sums": "pair_sums",
}  # fmt: skip
# Quantities that the grammar of formulas says otherwise.
_NAMED: Final = {
    "total": ("n", _ATOM), "all_hits": ("sum(hits)", _ATOM), "counts": ("m", _ATOM),
    "other_actual": ("n - actual", _SUM), "other_predicted": ("n - predicted", _SUM),
    "above_chance": ("n * sum(hits) - sum(actual * predicted)", _SUM),
}  # fmt: skip
_LEAVES: Final = {
    "cells": "m", "size": "C", "taking_part": "C", "value": "x", "table": "costs", "weights": "weights",
    "undefined": "undefined",
}  # fmt: skip
# What a quantity and the rest of the same add up to.
_WHOLE: Final = {
    ("actual", "other_actual"): "total", ("predicted", "other_predicted"): "total",
    ("counts", "of_others"): "predicted", ("counts", "elsewhere"): "actual",
}  # fmt: skip
_OF_A_CLASS: Final = re.compile(r"\b(hits|actual|predicted|missed|false_alarms|rejected)\b(?!_)")
_CELL: Final = (("tp", "fn"), ("fp", "tn"))
_SIDE: Final = ("tp + fn", "fp + tn")
Written = tuple[str, int]


def formula_text(node: Node) -> str:
    """The formula in one line: mean(hits / max(actual, predicted))."""
    return _Text().of(node)[0]


def latex_text(node: Node) -> str:
    """The formula in LaTeX, as plain text where docs/notation.md has no symbols for it."""
    # \frac1C\sum_i\frac{d_i}{\max(t_i,p_i)}, for example.
    try:
        return _Latex().of(node)[0]
    except _NoSymbolError:
        escaped = formula_text(node).replace("_", r"\_")
        return rf"\text{{{escaped}}}"


class _Text:
    """Writes a graph; of a matrix that is not the measure's own it says which."""

    def __init__(self) -> None:
        self.known: dict[Node, Written] = {}

    def of(self, node: Node) -> Written:
        if node not in self.known:
            self.known[node] = self._written(node)
        return self.known[node]

    def inside(self, node: Node, tightness: int) -> str:
        text, binding = self.of(node)
        return text if binding >= tightness else f"({text})"

    def _written(self, node: Node) -> Written:
        op, operands = node.op, node.operands
        # Constants are folded, so that 1 - 0.3 reads 0.7; roots and logarithms are written out.
        if (value := _rational(node)) is not None:
            return _number(value)
        if op in ("ratio", "needed_ratio"):
            return self._binary("/", operands[0], operands[1], _PRODUCT)
        if op in _SIGNS:
            sign, tightness = _SIGNS[op]
            return self._binary(sign, operands[0], operands[1], tightness)
        if op == "and" and operands[1].op == "not" and operands[1].operands[0].op == "is_nan":
            # What is undefined stays undefined.
            return self.of(operands[0])
        if op in _COMPARED:
            return f"{self.inside(operands[0], _SUM)} {_COMPARED[op]} {self.inside(operands[1], _SUM)}", 0
        if op == "neg":
            # Minima are greatest values of what is negated.
            inner = operands[0]
            if inner.op in ("max", "greatest") and all(o.op == "neg" for o in inner.operands):
                least = ", ".join(self.of(o.operands[0])[0] for o in inner.operands)
                return f"{'min' if inner.op == 'max' else 'least'}({least})", _ATOM
            return f"-{self.inside(inner, _PRODUCT)}", _SUM
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
        if op == "branch" and len({self.of(o) for o in operands[1:] if _is_defined(o)}) == 1:
            # The other only has another reason.
            return self.of(next(filter(_is_defined, operands[1:])))
        if op == "entropy":
            count, rest = operands
            # The sum of a count and the rest may have a name.
            if name := _WHOLE.get((count.op, rest.op)):
                text = self.of(Node(name, count.operands))[0]
                whole = _placed(text, "j" if name == "predicted" else "i")
            else:
                whole = f"({self.inside(count, _SUM)} + {self.inside(rest, _SUM)})"
            return f"{self.inside(count, _PRODUCT)} * log({whole} / {self.inside(count, _POWER)})", _PRODUCT
        if op in _CALLED:
            return f"{_CALLED[op]}({', '.join(self.of(o)[0] for o in operands)})", _ATOM
        return self._named(node)

    def _binary(self, sign: str, a: Node, b: Node, tightness: int) -> Written:
        # With beta = 1 a formula has factors 1 that nobody would write.
        if sign == "*" and constant_value(a) == 1:
            return self.of(b)
        left = self.inside(a, tightness)
        right = self.inside(b, tightness + (sign in "-/"))
        # Beside cells m_ij, values of classes are those of columns.
        if a.ndim == 1 and b.ndim == 2:
            left = _placed(left, "j")
        if a.ndim == 2 and b.ndim == 1:
            right = _placed(right, "j")
        return f"{left} {sign} {right}", tightness

    def _reduced(self, node: Node) -> str:
        inner = self.of(node.operands[0])[0]
        if node.op == "sum" and node.operands[0].ndim > 1:
            axes = node.static[0]
            return f"sum({inner})" if isinstance(axes, tuple) else f"sum({inner}, axis={axes})"
        for weights in node.operands[1:]:
            if not is_equal_weights(weights) and weights is not Node("pair_weights", (WEIGHTS, CELLS)):
                return f"{node.op}({inner}, weights={self.of(weights)[0]})"
        return f"{node.op}({inner})"

    def _named(self, node: Node) -> Written:
        op, operands, static = node.op, node.operands, node.static
        if op in _NAMED:
            return self._of_matrix(*_NAMED[op], operands[0])
        if op in _LEAVES:
            return _LEAVES[op], _ATOM
        match op:
            case "cell":
                i, j = static
                two = _is_of_two(operands[0])
                return self._of_matrix(_CELL[i][j] if two else f"m_{i + 1}{j + 1}", _ATOM, operands[0])
            case "take" if operands[0].op == "actual" and _is_of_two(operands[0].operands[0]):
                return self._of_matrix(_SIDE[static[0]], _SUM, operands[0].operands[0])
            case "take":
                return f"{self.inside(operands[0], _ATOM)}[{static[0] + 1}]", _ATOM
            case "new_axis":
                text, tightness = self.of(operands[0])
                return (_placed(text, "ji"[static[0]]) if operands[0].ndim == 1 else text), tightness
            case "opaque":
                return "a function that could not be traced", 0
            case "class_numbers":
                return ("priors" if static[0] == "prior" else "relevance"), _ATOM
            case "array" | "number":
                return str(static[0]), _ATOM
            case "steps":
                return f"abs(i - j)^{static[0]}" if static[0] != 1 else "abs(i - j)", _POWER
        return self._of_matrix(op, _ATOM, operands[0]) if operands else (op, _ATOM)

    def _of_matrix(self, quantity: str, tightness: int, matrix: Node) -> Written:
        # A quantity, with the matrix it is of where that is not the measure's own.
        if matrix.op == "cells" or (matrix.op == "against_rest" and quantity == "n"):
            return quantity, tightness
        which = matrix.op.replace("_", " ")
        if matrix.op == "at_priors":
            priors = matrix.operands[1]
            known = constant_value(priors) is not None or priors.op == "div"
            which = "uniform priors" if known else "given priors"
        return f"{quantity if tightness == _ATOM else f'({quantity})'}[{which}]", _ATOM


class _NoSymbolError(Exception):
    """The notation has no symbols for an operation."""


Terms = dict[str, Fraction]
# The quantities of a class as sums of d, t, p and n.
_TERMS: Final[dict[str, dict[str, int]]] = {
    "hits": {"d": 1}, "actual": {"t": 1}, "predicted": {"p": 1}, "missed": {"t": 1, "d": -1},
    "false_alarms": {"p": 1, "d": -1}, "rejected": {"n": 1, "t": -1, "p": -1, "d": 1},
    "other_actual": {"n": 1, "t": -1}, "other_predicted": {"n": 1, "p": -1}, "total": {"n": 1},
}  # fmt: skip
_LATEX_CALLED: Final = {
    "max": r"\max({},{})", "min": r"\min({},{})", "sqrt": r"\sqrt{{{}}}", "abs": "|{}|",
    "root_of_product": r"\sqrt{{{}\,{}}}",
}  # fmt: skip


class _Latex(_Text):
    """Writes a graph in LaTeX."""

    # Sums are collected, so that `rejected` is n - t_i - p_i + d_i; an index is a letter further inside a
    # sum.

    def __init__(self) -> None:
        self.index = ""

    def of(self, node: Node) -> Written:
        op, operands = node.op, node.operands
        if _rational(node) is not None or op in ("add", "sub", "neg", "take", "cell", *_TERMS):
            return self._sum_of(self._terms(node))
        if op in ("ratio", "needed_ratio", "div"):
            return rf"\frac{{{self.of(operands[0])[0]}}}{{{self.of(operands[1])[0]}}}", _ATOM
        if op == "mul":
            if operands[0] is operands[1]:
                base, tightness = self.of(operands[0])
                simple = tightness == _ATOM and not base.startswith("\\")
                return (f"{base}^2" if simple else rf"\Bigl({base}\Bigr)^2"), _POWER
            return rf"{self.inside(operands[0], _PRODUCT)}\,{self.inside(operands[1], _PRODUCT)}", _PRODUCT
        if op in ("size", "taking_part"):
            return "C", _ATOM
        # What is undefined for few classes.
        if op == "branch" and operands[1].op != "branch":
            texts = [self.of(o)[0] for o in operands[1:] if _is_defined(o)]
            if len(set(texts)) == 1:
                return self.of(next(filter(_is_defined, operands[1:])))
        if op in _LATEX_CALLED:
            tight = _PRODUCT if op == "root_of_product" else _SUM
            return _LATEX_CALLED[op].format(*(self.inside(o, tight) for o in operands)), _ATOM
        if op == "greatest" and operands[0].dims == ("C",):
            return rf"\max_{_further(self.index)} {self._inside_a_sum(operands[0])}", _PRODUCT
        if op in ("sum", "mean", "geometric_mean", "all_hits", "above_chance"):
            return self._over_classes(node)
        raise _NoSymbolError

    def _over_classes(self, node: Node) -> Written:
        if node.op in ("all_hits", "above_chance"):
            if node.operands[0].op != "cells":
                raise _NoSymbolError
            at = _further(self.index)
            hits = rf"\sum_{at} d_{at}"
            chance = rf"n{hits}-\sum_{at} t_{at}\,p_{at}"
            return (hits, _PRODUCT) if node.op == "all_hits" else (chance, _SUM)
        terms, *weights = node.operands
        if terms.dims != ("C",):
            raise _NoSymbolError
        at, inner = _further(self.index), self._inside_a_sum(terms)
        weighted = weights[0] if weights and not is_equal_weights(weights[0]) else None
        if node.op == "sum":
            return rf"\sum_{at} {inner}", _PRODUCT
        if node.op == "geometric_mean" and weighted is None:
            return rf"\Bigl(\prod_{at} {inner}\Bigr)^{{1/C}}", _POWER
        if weighted is None:
            return rf"\frac1C\sum_{at} {inner}", _PRODUCT
        if node.op == "mean" and weighted.op == "actual":
            return rf"\sum_{at}\frac{{t_{at}}}{{n}}{inner}", _PRODUCT
        raise _NoSymbolError

    def _inside_a_sum(self, terms: Node) -> str:
        # Each sum inside a sum has an index of its own.
        outer, self.index = self.index, _further(self.index)
        text = self.inside(terms, _PRODUCT)
        self.index = outer
        return text

    def _terms(self, node: Node) -> Terms:
        # What an expression is a sum of, each with its coefficient; the empty text stands for 1.
        op, operands = node.op, node.operands
        value = _rational(node)
        if value is not None:
            return {"": as_fraction(value)}
        if op in ("add", "sub"):
            return _added(self._terms(operands[0]), self._terms(operands[1]), 1 if op == "add" else -1)
        if op == "neg" and operands[0].op == "max" and all(o.op == "neg" for o in operands[0].operands):
            a, b = (self.of(o.operands[0])[0] for o in operands[0].operands)
            return {rf"\min({a},{b})": Fraction(1)}
        if op == "neg":
            return _added({}, self._terms(operands[0]), -1)
        factor = _rational(operands[0]) if op == "mul" else None
        if factor is not None:
            return _added({}, self._terms(operands[1]), as_fraction(factor))
        matrix = operands[0].operands[0] if op == "take" and operands[0].op == "actual" else operands[0]
        # Each class against the rest: all examples.
        pooled = op == "total" and matrix.op == "against_rest"
        if op in ("take", "cell", *_TERMS) and matrix.op != "cells" and not pooled:
            raise _NoSymbolError
        if op in _TERMS:
            at = f"_{self.index}"
            return {name + at * (name != "n"): Fraction(k) for name, k in _TERMS[op].items()}
        if op in ("take", "cell"):
            return {name: Fraction(1) for name in _Text().of(node)[0].split(" + ")}
        return {self.inside(node, _PRODUCT): Fraction(1)}

    def _sum_of(self, terms: Terms) -> Written:
        # A positive term first: n - t_i, not -t_i + n.
        nonzero = sorted(((name, k) for name, k in terms.items() if k), key=lambda term: term[1] < 0)
        text = ""
        for name, k in nonzero:
            top, bottom = abs(k).numerator, k.denominator
            number = str(top) if bottom == 1 else rf"\frac{{{top}}}{{{bottom}}}"
            term = number if not name else name if abs(k) == 1 else rf"{number}\,{name}"
            text += ("-" if k < 0 else "+" if text else "") + term
        if len(nonzero) > 1 or text.startswith("-"):
            return text, _SUM
        return text or "0", _ATOM if not nonzero or nonzero[0][1] == 1 or not nonzero[0][0] else _PRODUCT


def _rational(node: Node) -> Any:
    # What a graph of numbers comes to; None where it has a root or a logarithm, which are written out.
    value = constant_value(node)
    written_out = any(inner.op in ("sqrt", "log", "log2") for inner in topological((node,)))
    return None if isinstance(value, bool) or (isinstance(value, float) and written_out) else value


def _is_defined(node: Node) -> bool:
    return all(inner.op != "undefined" for inner in topological((node,)))


def _further(index: str) -> str:
    return chr(ord(index) + 1) if index else "i"


def _added(a: Terms, b: Terms, factor: Any) -> Terms:
    return a | {name: a.get(name, Fraction(0)) + factor * k for name, k in b.items()}


def _placed(text: str, index: str) -> str:
    # Values of classes beside the cells m_ij, with the index of the class.
    return _OF_A_CLASS.sub(rf"\1_{index}", text)


def _is_of_two(matrix: Node) -> bool:
    # Is it a matrix of a positive and a negative class, and not one of two classes by their places?
    return matrix.dims[0] == 2 and matrix.static != (2,)


def _number(value: Any) -> Written:
    if isinstance(value, Fraction):
        return str(value), _ATOM if value.denominator == 1 and value >= 0 else _PRODUCT
    text = number_text(value)
    return text, _SUM if text.startswith("-") else _ATOM
