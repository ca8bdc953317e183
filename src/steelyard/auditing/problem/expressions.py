"""Formulas of metrics: expressions over the counts of a matrix, derived from their definitions.

A formula speaks of the sizes of the classes, their hits and their false alarms; where that is not enough, of
single cells (`checker.integer_space.counts_of` has the order). A quotient of two linear forms stays one, so
that a printed value of it becomes two linear inequalities.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from fractions import Fraction
from functools import lru_cache
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from steelyard.auditing.checker.expressions import Terms, Tree, number, variable
from steelyard.measures.arithmetic import as_fraction, exact_log
from steelyard.measures.measure import Measure
from steelyard.measures.undefined import Policy, Reasons, Undefined
from steelyard.measures.views import Classes, TwoClass

Array = NDArray[Any]
OPAQUE: Tree = ("opaque", ())
"""A metric that has no formula: its value is known at single matrices only."""
_MANY = 2**60


class NoFormulaError(Exception):
    """A definition compares counts, or uses a function that has no bounds here."""


class NeedsCellsError(Exception):
    """A definition looks at single cells, not only at sizes, hits and false alarms of the classes."""


class Formula(NamedTuple):
    """An expression over counts, and whether these are single cells."""

    tree: Tree
    by_cells: bool


@lru_cache(maxsize=512)
def formula_of(
    measure: Measure, classes: int, place: int | None, undefined: Undefined, present: bool = True
) -> Formula:
    """The formula of a metric for this many classes; of class `place` against the rest if it is of one
    class. `present`: every class has an example."""
    for by_cells in (False, True) if classes > 2 else (False,):
        try:
            return Formula(_formula(measure, classes, place, undefined, present, by_cells), by_cells)
        except NeedsCellsError:
            continue
        except NoFormulaError:
            break
    return Formula(OPAQUE, classes > 2)


@lru_cache(maxsize=512)
def in_cells(
    measure: Measure, classes: int, place: int | None, undefined: Undefined, present: bool = True
) -> Formula:
    """The formula over single cells; for two classes hits and sizes say the same."""
    try:
        return Formula(_formula(measure, classes, place, undefined, present, classes > 2), classes > 2)
    except NoFormulaError:
        return Formula(OPAQUE, classes > 2)


def _formula(
    measure: Measure, classes: int, place: int | None, undefined: Undefined, present: bool, by_cells: bool
) -> Tree:
    counts = classes + classes * classes if by_cells else 3 * classes
    box = [(int(present), _MANY)] * classes + [(0, _MANY)] * (counts - classes)
    terms = Terms()
    symbols = [_Symbol(terms.linear(variable(v)), terms, box) for v in range(counts)]
    view = _view(
        symbols, classes, measure.kind, place, _TreeArithmetic(terms, box, Policy.of(undefined)), by_cells
    )
    value = np.broadcast_to(np.asarray(measure.body(view), dtype=object), (1,))[0]
    return value.tree if isinstance(value, _Symbol) else terms.linear(number(as_fraction(value)))


def _view(
    symbols: Sequence[_Symbol], classes: int, kind: str, place: int | None, arithmetic: Any, by_cells: bool
) -> Any:
    sizes, rest = symbols[:classes], symbols[classes:]
    labels = [f"c{at + 1}" for at in range(classes)]
    if by_cells:
        cells = np.empty((classes, classes, 1), dtype=object)
        for i in range(classes):
            others: Any = sum((rest[i * classes + j] for j in range(classes) if j != i), 0)
            cells[i, :, 0] = rest[i * classes : (i + 1) * classes]
            cells[i, i, 0] = sizes[i] - others
        view = Classes(cells, labels, arithmetic)
    elif classes == 2:
        cells = np.empty((2, 2, 1), dtype=object)
        cells[:, :, 0] = [[rest[0], sizes[0] - rest[0]], [sizes[1] - rest[1], rest[1]]]
        if kind == "two-class":
            order = [place or 0, 1 - (place or 0)]
            return TwoClass(cells[order][:, order], [tuple(labels)], arithmetic)
        return Classes(cells, labels, arithmetic)
    else:
        predicted = [hits + alarms for hits, alarms in zip(rest[:classes], rest[classes:], strict=True)]
        view = _ClassTotals(_column(rest[:classes]), _column(sizes), _column(predicted), labels, arithmetic)
    if kind != "two-class":
        return view
    against_rest = view.against_rest()
    return TwoClass(against_rest.raw[:, :, place or 0], [against_rest.labels[place or 0]], arithmetic)


def _column(values: Sequence[Any]) -> Array:
    column = np.empty((len(values), 1), dtype=object)
    column[:, 0] = values
    return column


class _ClassTotals(Classes):
    """Classes of which only hits, examples and predictions are known."""

    def __init__(
        self,
        hits: Array,
        actual: Array,
        predicted: Array | None,
        labels: Any,
        arithmetic: Any,
        weights: Any = None,
    ) -> None:
        self.labels, self.arithmetic, self.weights, self._everyone = labels, arithmetic, weights, None
        self._totals = (hits, actual, predicted)
        self.__dict__.update(_hits=hits, _actual=actual)
        if predicted is not None:
            self.__dict__["_predicted"] = predicted

    def __getattr__(self, name: str) -> Any:
        if name == "raw":
            raise NeedsCellsError
        raise AttributeError(name)

    @property
    def n_classes(self) -> int:
        return len(self.labels)

    def like(self, counts: Array | None = None, weights: Any = None) -> Any:
        if counts is not None:
            raise NeedsCellsError
        return _ClassTotals(
            *self._totals, self.labels, self.arithmetic, self.weights if weights is None else weights
        )

    def with_rows_scaled(self, factors: Array) -> Any:
        hits, actual, _ = self._totals
        # Predictions mix rows that are scaled differently.
        return _ClassTotals(
            hits * factors, actual * factors, None, self.labels, self.arithmetic, self.weights
        )


class _Symbol:
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

    def _sum(self, other: Any, factor: int, own: int = 1) -> _Symbol:
        return self._new(self.terms.sum([(Fraction(own), self.tree), (Fraction(factor), self._of(other))]))

    def _new(self, tree: Tree) -> _Symbol:
        return _Symbol(tree, self.terms, self.box)

    def __add__(self, other: Any) -> _Symbol:
        return self._sum(other, 1)

    __radd__ = __add__

    def __sub__(self, other: Any) -> _Symbol:
        return self._sum(other, -1)

    def __rsub__(self, other: Any) -> _Symbol:
        return self._sum(other, 1, -1)

    def __neg__(self) -> _Symbol:
        return self._sum(0, 1, -1)

    def __mul__(self, other: Any) -> _Symbol:
        return self._new(self.terms.product(self.tree, self._of(other)))

    __rmul__ = __mul__

    def __truediv__(self, other: Any) -> _Symbol:
        return self._new(self.terms.ratio(self.tree, self._of(other), None))

    def __rtruediv__(self, other: Any) -> _Symbol:
        return self._new(self.terms.ratio(self._of(other), self.tree, None))

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


class _TreeArithmetic:
    """The arithmetic of the measures that builds expressions."""

    def __init__(self, terms: Terms, box: Sequence[tuple[int, int]], policy: Policy) -> None:
        self.policy = policy
        self.reasons: Reasons | None = None
        self.terms = terms
        self.one = _Symbol(terms.linear(number(1)), terms, box)
        if policy.skips:
            raise NoFormulaError("terms without a value are skipped")

    def native(self, counts: Array) -> Array:
        return counts

    def number(self, value: Any) -> Fraction:
        return as_fraction(value)

    def _each(self, build: Any, *arrays: Any) -> Array:
        def combined(*values: Any) -> _Symbol:
            return self.one._new(build(*(self.one._of(value) for value in values)))

        out = np.frompyfunc(combined, len(arrays), 1)(*(np.asarray(a, dtype=object) for a in arrays))
        return np.asarray(out, dtype=object)

    def divide(self, numerator: Any, denominator: Any, fill: float) -> tuple[Array, Array]:
        filled = None if math.isnan(fill) else as_fraction(fill)
        values = self._each(lambda top, bottom: self.terms.ratio(top, bottom, filled), numerator, denominator)
        return values, np.zeros(values.shape, dtype=bool)

    def is_nan(self, values: Array) -> Array:
        return np.zeros(np.shape(values), dtype=bool)

    def maximum(self, a: Array, b: Array) -> Array:
        return self._each(self.terms.greatest, a, b)

    def sqrt(self, values: Array) -> Array:
        return self._each(lambda base: self.terms.power(base, Fraction(1, 2)), values)

    def log(self, value: Any) -> Any:
        return exact_log(Fraction(value))

    def half_turns(self, values: Array) -> Array:
        raise NoFormulaError("an angle has no bounds")

    def entropy_terms(self, part: Array, rest: Array) -> Array:
        return self._each(self.terms.entropy, part, rest)

    def exp_log_mean(self, terms: Array, weights: Array) -> Array:
        terms, weights = np.broadcast_arrays(terms, weights)

        def mean(*values: Tree) -> Tree:
            half = len(values) // 2
            result = self.terms.linear(number(1))
            for base, weight in zip(values[:half], values[half:], strict=True):
                if weight[0] != "linear" or weight[1].terms:
                    raise NoFormulaError("a power depends on the counts")
                if weight[1].constant:
                    result = self.terms.product(result, self.terms.power(base, weight[1].constant))
            return result

        return self._each(mean, *terms, *weights)

    def choose(self, condition: Array, yes: Any, no: Array) -> Array:
        choice = np.frompyfunc(lambda c, n: yes if c else n, 2, 1)(condition, np.asarray(no, dtype=object))
        return np.asarray(choice, dtype=object)
