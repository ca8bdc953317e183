"""Views: what the body of a measure is given, quantities of a matrix and the operations of definitions."""

# On nodes a view builds a graph; `evaluate` gives one that computes at once, for bodies that cannot be
# traced.

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from steelyard.measures.graph import CELLS, TWO_CELLS, WEIGHTS, Node, as_node, number_of_classes
from steelyard.measures.operations import NotTraceableError
from steelyard.measures.tracing import traced


class Engine:
    """What a view's operations do: here they make nodes; `evaluate` has one that computes at once."""

    def apply(self, op: str, operands: Sequence[Any], static: Sequence[Any] = ()) -> Any:
        return Node(op, map(as_node, operands), static)

    def number(self, value: Any) -> Any:
        return as_node(value)

    def size_of(self, matrix: Any) -> Any:
        return number_of_classes(matrix)


class Quantity:
    """A quantity of the matrix of a view (or of another quantity), computed once."""

    def __init__(self, op: str, *static: int, of: str = "matrix") -> None:
        self.op, self.static, self.of = op, static, of

    def __set_name__(self, owner: type, name: str) -> None:
        self.name = name

    def __get__(self, view: View | None, owner: type) -> Any:
        if view is None:
            return self
        # In the instance, so that the descriptor is asked once for each view.
        value = vars(view)[self.name] = view.engine.apply(self.op, (getattr(view, self.of),), self.static)
        return value


def _operation(op: str, *static: Any) -> Callable[..., Any]:
    # A method of a view that applies an operation to its arguments.
    return lambda view, *operands: view.engine.apply(op, operands, static)


class View:
    """What the body of a measure is given: quantities of a matrix and the operations of definitions."""

    def __init__(self, matrix: Any, engine: Engine | None = None, weights: Any = None) -> None:
        self.matrix, self.engine, self.weights = matrix, engine or Engine(), weights

    @property
    def n_classes(self) -> Any:
        """C, the number of classes."""
        return self.engine.size_of(self.matrix)

    #: n: all examples.
    total = Quantity("total")
    #: Examples of each true class.
    row_totals = Quantity("actual")
    #: m_ij: examples of class i predicted as class j.
    counts = Quantity("counts")

    def number(self, value: Any) -> Any:
        """A constant of a definition."""
        return self.engine.number(value)

    def ratio(self, numerator: Any, denominator: Any, because: str) -> Any:
        """A quotient; where the denominator is 0 the policy decides, and `because` is the reason."""
        return self.engine.apply("ratio", (numerator, denominator, self.matrix), (because,))

    def needed_ratio(self, numerator: Any, denominator: Any, because: str) -> Any:
        """A quotient without which the whole measure has no value: no number may stand in for it."""
        return self.engine.apply("needed_ratio", (numerator, denominator, self.matrix), (because,))

    def undefined(self, because: str) -> Any:
        """No value at all, for a reason that lies in the number of classes."""
        return self.engine.apply("undefined", (self.matrix,), (because,))

    def half_turns(self, adjacent: Any, hypotenuse: Any, because: str) -> Any:
        """arccos(adjacent / hypotenuse) / π."""
        return self.engine.apply("half_turns", (adjacent, hypotenuse, self.matrix), (because,))

    maximum = _operation("max")
    minimum = _operation("min")
    #: The greatest value over the first class axis.
    greatest = _operation("greatest", 0)

    def least(self, values: Any) -> Any:
        """The least value over the first class axis."""
        return -self.greatest(-values)

    sqrt = _operation("sqrt")
    log = _operation("log")

    def power(self, values: Any, exponent: float) -> Any:
        """Values that are not negative, to a power that is a constant of the definition."""
        return self.engine.apply("power", (values, self.number(exponent)))

    #: √(a b), never above the larger of the two.
    root_of_product = _operation("root_of_product")
    #: Of a part and the rest: -part ln(part / (part + rest)), 0 where part is 0.
    entropy_terms = _operation("entropy")
    where = _operation("where")
    is_nan = _operation("is_nan")
    #: Cells of shape (C, C) with 0 on the diagonal.
    without_own = _operation("without_own")

    def without_each(self, cells: Any, axis: int) -> Any:
        """Along an axis the sum of all entries but one, for each of them; never a difference."""
        return self.engine.apply("without_each", (cells,), (axis,))

    def mean(self, terms: Any) -> Any:
        """The mean over classes, weighted if the measure is; under "skip" over those that have a term."""
        return self.engine.apply("mean", self._weighted(terms))

    def geometric_mean(self, terms: Any) -> Any:
        """The (weighted) geometric mean over classes."""
        return self.engine.apply("geometric_mean", self._weighted(terms))

    #: The mean over classes of terms with these weights.
    weighted_mean = _operation("mean")

    def _weighted(self, terms: Any) -> tuple[Any, ...]:
        return (terms,) if self.weights is None else (terms, self.weights)


class Classes(View):
    """A matrix of any number of classes; a quantity has one value a class unless it says otherwise."""

    #: d_i: examples of class i predicted as i.
    hits = Quantity("hits")

    #: t_i: examples of class i.
    actual = Quantity("actual")
    #: p_i: predictions of class i.
    predicted = Quantity("predicted")
    #: t_i - d_i: examples of class i predicted as another.
    missed = Quantity("missed")
    #: p_i - d_i: predictions of class i that belong to another.
    false_alarms = Quantity("false_alarms")
    #: n - t_i - p_i + d_i: examples of other classes not predicted as i.
    rejected = Quantity("rejected")
    #: n - t_i: examples of the other classes.
    other_actual = Quantity("other_actual")
    #: n - p_i: predictions of the other classes.
    other_predicted = Quantity("other_predicted")
    #: t_i - m_ij, one value a cell.
    elsewhere = Quantity("elsewhere")
    #: p_j - m_ij, one value a cell.
    of_others = Quantity("of_others")
    #: S: all examples predicted right.
    all_hits = Quantity("all_hits")
    #: S n - Σ t_i p_i, added up as Σ (tp tn - fn fp) so that nothing large cancels.
    above_chance = Quantity("above_chance")

    def steps(self, exponent: int) -> Any:
        """|i - j|^exponent: how far apart two classes in order are, one value a cell."""
        return self.engine.apply("steps", (self.matrix,), (exponent,))

    def against_rest(self) -> TwoClass:
        """Each class against all others, at once."""
        return TwoClass(self.engine.apply("against_rest", (self.matrix,)), self.engine)

    def in_pairs(self) -> TwoClass:
        """Each class against each other one, third classes left out, at once."""
        return TwoClass(self.engine.apply("in_pairs", (self.matrix,)), self.engine)


class TwoClass(View):
    """A positive and a negative class: [[tp, fn], [fp, tn]]."""

    tp, fn = Quantity("cell", 0, 0), Quantity("cell", 0, 1)
    fp, tn = Quantity("cell", 1, 0), Quantity("cell", 1, 1)

    #: tp + fn.
    positives = Quantity("take", 0, 0, of="row_totals")
    #: fp + tn.
    negatives = Quantity("take", 1, 0, of="row_totals")

    def pooled(self) -> TwoClass:
        """The matrices of all classes or pairs added up: micro averaging."""
        return TwoClass(self.engine.apply("pooled", (self.matrix,)), self.engine)


@dataclass(frozen=True)
class OpaqueBody:
    """A body that could not be traced, and why not."""

    function: Callable[[Any], Any]
    view: Callable[..., Any]
    why: str

    def on(self, ev: Any, matrix: Any, weights: Any) -> Any:
        """Its value, computed at once."""
        return self.function(self.view(matrix, ev, weights))


def graph_of(body: Callable[[Any], Any], two_classes: bool) -> Node:
    """The graph that the body of a measure builds."""
    result = traced(lambda: body(TwoClass(TWO_CELLS) if two_classes else Classes(CELLS, weights=WEIGHTS)))
    if result.dims:
        raise NotTraceableError("a result with one value a class; write c.mean(...)")
    return result
