"""Formulas of metrics: expressions over the counts of a matrix, derived from their definitions."""

# A formula speaks of the sizes of the classes, their hits and their false alarms; where that is not enough,
# of single cells (`checker.integer_space.counts_of` has the order). A quotient of two linear forms stays one,
# so that a printed value of it becomes two linear inequalities.

from __future__ import annotations

import math
from collections.abc import Sequence
from fractions import Fraction
from functools import lru_cache, partial
from typing import Any, NamedTuple

import numpy as np

from steelyard.auditing.checker.expressions import Terms, Tree, number, variable
from steelyard.counts.labels import Array
from steelyard.measures.evaluate import value_of
from steelyard.measures.matrix import ClassTotals, Matrix, NeedsEveryCellError
from steelyard.measures.measure import MatrixMeasure, Measure
from steelyard.measures.numbers import COMPARED, Elementwise, Operators, Relation, as_fraction, exact_log
from steelyard.measures.undefined import Policy, Undefined

# A metric that has no formula: its value is known at single matrices only.
OPAQUE: Tree = ("opaque", ())
_MANY = 2**60


class NoFormulaError(Exception):
    """A definition compares counts, or uses a function that has no bounds here."""


class Formula(NamedTuple):
    """An expression over counts, and whether these are single cells."""

    tree: Tree
    by_cells: bool


@lru_cache(maxsize=512)
def formula_of(
    measure: Measure,
    classes: int,
    place: int | None,
    undefined: Undefined,
    present: bool = True,
    in_cells: bool = False,
) -> Formula:
    """The formula of a metric for this many classes."""
    # Of class `place` against the rest if it is of one class. `present`: every class has an example.
    # `in_cells`: over single cells also where totals would do.
    # Of two classes the hits and sizes determine all four cells.
    by_cells = in_cells and classes > 2
    try:
        return Formula(_formula(measure, classes, place, undefined, present, by_cells), by_cells)
    except NeedsEveryCellError:
        return formula_of(measure, classes, place, undefined, present, in_cells=True)
    except NoFormulaError:
        return Formula(OPAQUE, classes > 2)


def _formula(
    measure: Measure, classes: int, place: int | None, undefined: Undefined, present: bool, by_cells: bool
) -> Tree:
    counts = classes + classes * classes if by_cells else 3 * classes
    box = [(int(present), _MANY)] * classes + [(0, _MANY)] * (counts - classes)
    terms = Terms()
    # The definition is run on symbols instead of counts: what is certified is what the catalogue computes.
    symbols = [_Symbol(terms.linear(variable(v)), terms, box) for v in range(counts)]
    matrix = _matrix(symbols, classes, measure.kind, place, by_cells)
    if not isinstance(measure, MatrixMeasure) or measure.opaque:
        raise NoFormulaError("its body could not be traced")
    value = value_of(measure.graph, matrix, _Expressions(terms, box, Policy.of(undefined)))
    return value.tree if isinstance(value, _Symbol) else terms.linear(number(as_fraction(value)))


def _matrix(symbols: Sequence[_Symbol], classes: int, kind: str, place: int | None, by_cells: bool) -> Matrix:
    """A matrix of symbols, as a metric of this kind sees it."""
    sizes, rest = symbols[:classes], symbols[classes:]
    labels = [f"c{at + 1}" for at in range(classes)]
    if by_cells:
        cells = np.empty((classes, classes, 1), dtype=object)
        for i in range(classes):
            others: Any = sum((rest[i * classes + j] for j in range(classes) if j != i), 0)
            cells[i, :, 0] = rest[i * classes : (i + 1) * classes]
            cells[i, i, 0] = sizes[i] - others
        matrix = Matrix.of_classes(cells, labels)
    elif classes == 2:
        cells = np.empty((2, 2, 1), dtype=object)
        cells[:, :, 0] = [[rest[0], sizes[0] - rest[0]], [sizes[1] - rest[1], rest[1]]]
        order = [place or 0, 1 - (place or 0)] if kind == "two-class" else [0, 1]
        return Matrix.of_classes(cells[order][:, order], labels)
    else:
        predicted = [hits + alarms for hits, alarms in zip(rest[:classes], rest[classes:], strict=True)]
        matrix = ClassTotals(_column(rest[:classes]), _column(sizes), _column(predicted), labels)
    if kind != "two-class":
        return matrix
    return Matrix.of_classes(matrix.against_rest.raw[:, :, place or 0], labels[:2])


def _column(values: Sequence[Any]) -> Array:
    column = np.empty((len(values), 1), dtype=object)
    column[:, 0] = values
    return column


class _Symbol(Operators):
    """A number that depends on counts; + - * / build its expression."""

    __slots__ = ("box", "terms", "tree")

    def __init__(self, tree: Tree, terms: Terms, box: Sequence[tuple[int, int]]) -> None:
        self.tree, self.terms, self.box = tree, terms, box

    def _of(self, value: Any) -> Tree:
        if isinstance(value, _Symbol):
            return value.tree
        if isinstance(value, float) and math.isnan(value):
            raise NoFormulaError("a term has no value")
        return self.terms.linear(number(as_fraction(value)))

    def operate(self, sign: str, left: Any, right: Any) -> _Symbol:
        first, second = self._of(left), self._of(right)
        if sign == "*":
            return self._new(self.terms.product(first, second))
        if sign == "/":
            return self._new(self.terms.ratio(first, second, None))
        return self._new(self.terms.sum([(Fraction(1), first), (Fraction(1 if sign == "+" else -1), second)]))

    def _new(self, tree: Tree) -> _Symbol:
        return _Symbol(tree, self.terms, self.box)

    def __abs__(self) -> _Symbol:
        return self._new(self.terms.absolute(self.tree))

    def _sign(self, other: Any) -> int:
        """The sign of the difference to `other`, if it is the same wherever the counts may be."""
        difference = (self - other).tree
        if difference[0] == "linear":
            low, high = difference[1].range(self.box)
            if low > 0 or high < 0 or low == high == 0:
                return int(low > 0) - int(high < 0)
        raise NoFormulaError("counts are compared")


class _Expressions(Elementwise):
    """Expressions over counts as a number type of the interpreter."""

    def __init__(self, terms: Terms, box: Sequence[tuple[int, int]], policy: Policy) -> None:
        super().__init__(policy)
        self.terms = terms
        unit = _Symbol(terms.linear(number(1)), terms, box)
        self._tree, self._symbol = unit._of, unit._new
        if policy.skips:
            raise NoFormulaError("terms without a value are skipped")

    def divide(self, numerator: Any, denominator: Any, fill: float) -> tuple[Array, Array]:
        filled = None if math.isnan(fill) else as_fraction(fill)
        values = self._of_each(partial(self.quotient, filled=filled), numerator, denominator)
        return values, np.zeros(values.shape, dtype=bool)

    def is_nan(self, values: Any) -> Array:
        return np.zeros(np.shape(values), dtype=bool)

    def quotient(self, a: Any, b: Any, filled: Fraction | None = None) -> Any:
        return self._symbol(self.terms.ratio(self._tree(a), self._tree(b), filled))

    def larger(self, a: Any, b: Any) -> Any:
        return self._symbol(self.terms.greatest(self._tree(a), self._tree(b)))

    def raised(self, value: Any, exponent: Fraction) -> Any:
        return self._symbol(self.terms.power(self._tree(value), exponent))

    def logarithm(self, value: Any) -> Any:
        return exact_log(Fraction(value))

    def angle(self, cosine: Any) -> Any:
        raise NoFormulaError("an angle has no bounds")

    def entropy_term(self, share: Any, rest: Any) -> Any:
        return self._symbol(self.terms.entropy(self._tree(share), self._tree(rest)))

    def power_product(self, numbers: Sequence[Any], powers: Sequence[Any]) -> Any:
        result = self.terms.linear(number(1))
        for base, power in zip(numbers, powers, strict=True):
            weight = self._tree(power)
            if weight[0] != "linear" or weight[1].terms:
                raise NoFormulaError("a power depends on the counts")
            if weight[1].constant:
                raised = self.terms.power(self._tree(base), weight[1].constant)
                result = self.terms.product(result, raised)
        return self._symbol(result)

    def falls(self, a: Any, b: Any, relation: Relation) -> bool:
        return bool(COMPARED[relation](self._symbol(self._tree(a))._sign(b), 0))
