"""Which measure is a formula? The tree of the grammar, computed on floats, exact fractions or symbols."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from functools import reduce
from typing import Any

import numpy as np
from numpy.typing import NDArray

from steelyard.measures.formula import (
    CLASS_VECTORS,
    OVER_CLASSES,
    Binary,
    Call,
    Formula,
    Name,
    Negative,
    Number,
    Power,
    Tree,
    is_formula,
    parse,
    parts,
)
from steelyard.measures.measure import MatrixMeasure
from steelyard.measures.record import Measure, Range
from steelyard.measures.view import View
from steelyard.measures.views import Classes, TwoClass

Array = NDArray[Any]
BECAUSE = "a denominator of the formula is 0"


@dataclass(frozen=True)
class FormulaBody:
    """The body of a measure that is a formula: interpreted, it can do nothing else."""

    formula: Formula

    def __call__(self, c: View) -> Array:
        view = c.as_classes if isinstance(c, TwoClass) and not self.formula.of_cells else c
        return _value(self.formula.tree, view)  # type: ignore[no-any-return]

    @property
    def classwise(self) -> bool:
        """Is it a mean over classes of something made of the class alone?"""
        tree = self.formula.tree
        return (
            isinstance(tree, Call) and tree.function in ("mean", "geometric_mean") and _own(tree.arguments[0])
        )


def _own(tree: Tree) -> bool:
    if isinstance(tree, Call) and tree.function in OVER_CLASSES:
        return False
    return tree != Name("C") and all(_own(part) for part in parts(tree))


def formula_measure(text: str) -> Measure:
    """The measure that a formula is; its range is not known."""
    formula = parse(text)
    return MatrixMeasure(
        id=text,
        title=text,
        question="What is the value of this formula?",
        formula=rf"\text{{{text}}}",
        reads=text,
        kind="two-class" if formula.of_cells else "multi-class",
        body=FormulaBody(formula),
        range=Range(-np.inf, np.inf),
        undefined_when="a denominator is 0",
        depends_on_size=True,  # it may, and nobody says that it does not
        recipe=(formula_measure, (text,)),
    )


def measure_or_formula(text: str) -> Measure:
    """The measure of the catalogue with this name, or the one that this formula is."""
    from steelyard.measures.catalogue import measure  # the catalogue knows every measure

    return formula_measure(text) if is_formula(text) else measure(text)


def _value(tree: Tree, c: View) -> Any:
    match tree:
        case Number(value):
            return c.number(value)
        case Name(name):
            return _named(name, c)
        case Negative(value):
            return -_value(value, c)
        case Binary(operator, left, right):
            return _operated(operator, _value(left, c), _value(right, c), c)
        case Power(base, exponent):
            return _power(_value(base, c), exponent, c)
        case Call(function, arguments):
            return _called(function, [_value(a, c) for a in arguments], c)


def _named(name: str, c: View) -> Any:
    if name == "n":
        return c.total
    if name == "C":
        return c.number(c.n_classes)
    assert isinstance(c, Classes if name in CLASS_VECTORS else TwoClass)
    return getattr(c, name)


def _operated(operator: str, a: Any, b: Any, c: View) -> Any:
    if operator == "/":
        return c.ratio(a, b, BECAUSE)
    return a + b if operator == "+" else a - b if operator == "-" else a * b


def _power(base: Any, exponent: Fraction, c: View) -> Any:
    if exponent < 0:
        return c.ratio(c.number(1), _power(base, -exponent, c), BECAUSE)
    if exponent.denominator == 1:
        return reduce(lambda a, b: a * b, [base] * int(exponent), base * 0 + c.number(1))
    terms = np.asarray(base)[None]
    weights = np.full(terms.shape, c.number(exponent))
    if terms.dtype == object:
        return c.arithmetic.exp_log_mean(terms, weights)
    with np.errstate(invalid="ignore"):
        return np.power(terms[0], float(exponent))


def _called(function: str, values: list[Any], c: View) -> Any:
    first = values[0]
    match function:
        case "sqrt":
            return c.sqrt(np.asarray(first))
        case "log":
            return _log(np.asarray(first), c)
        case "abs":
            return abs(first)
        case "max":
            return reduce(lambda a, b: c.maximum(*np.broadcast_arrays(a, b)), values)
        case "min":
            return -reduce(lambda a, b: c.maximum(*np.broadcast_arrays(a, b)), [-v for v in values])
        case "mean":
            return c.mean(first)
        case "geometric_mean":
            return c.geometric_mean(first)
        case "sum":
            return first.sum(axis=0)
        case _:
            return first.prod(axis=0)


def _log(values: Array, c: View) -> Array:
    """The natural logarithm; undefined of what is not above 0."""
    if values.dtype != object:
        with np.errstate(divide="ignore", invalid="ignore"):
            return np.where(values > 0, np.log(values), np.nan)

    def one(value: Any) -> Any:
        if isinstance(value, float):
            return value
        return float("nan") if isinstance(value, (Fraction, int)) and value <= 0 else c.arithmetic.log(value)

    found = np.frompyfunc(one, 1, 1)(values)
    return found if not values.ndim else np.asarray(found, dtype=object)
