"""Measures of a confusion matrix: a record with a graph, and what it is to call one."""

# `two-class` measures see [[tp, fn], [fp, tn]], `multi-class` ones all classes. Calling a measure
# evaluates its graph on one matrix or on millions; `exact`, `why_undefined`, `to_javascript` and
# `to_dict` are other folds of it.

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, fields
from decimal import Decimal
from fractions import Fraction
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from steelyard._lazy import module_named
from steelyard.counts.confusion import Confusion, refuse_batch
from steelyard.counts.labels import Array, Label
from steelyard.counts.score_counts import ScoreCounts
from steelyard.errors import InputError, UndefinedError, parameter
from steelyard.measures import evaluate, record
from steelyard.measures import graph as graphs
from steelyard.measures.graph import CELLS, EQUAL_WEIGHTS, TWO_CELLS, WEIGHTS, Node, substituted, topological
from steelyard.measures.matrix import Matrix
from steelyard.measures.names import as_measure
from steelyard.measures.numbers import as_fraction
from steelyard.measures.operations import REASONED
from steelyard.measures.record import ByClasses, Measure, Needs, PositiveClassWarning, Range, Relation
from steelyard.measures.undefined import Policy, Undefined, every_class_lacks, undefined_when
from steelyard.measures.views import Classes, OpaqueBody, TwoClass, graph_of

__all__ = [
    "ByClasses", "MatrixMeasure", "Measure", "PositiveClassWarning", "Range", "Relation", "as_confusion",
    "class_mean", "multi_class", "two_class", "weigh",
]  # fmt: skip

Counts = Confusion | ArrayLike
# How far past its range rounding may carry a value.
_ROUNDING = 1e-12


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class MatrixMeasure(Measure):
    """A measure of a confusion matrix."""

    #: What it computes, as data.
    graph: Node

    @property
    def over_classes(self) -> bool:
        return any(node is WEIGHTS for node in topological((self.graph,)))

    @cached_property
    def opaque(self) -> str:
        """Why its graph says nothing of what it computes; empty for a measure that was traced."""
        bodies = [n.static[0] for n in topological((self.graph,)) if n.op == "opaque"]
        return bodies[0].why if bodies else ""

    def _derived(self, name: str) -> str:
        if name == "undefined_when":
            return undefined_when(reasons_in(self.graph), self.kind == "two-class")
        # A declaration is written out when somebody reads it.
        from steelyard.measures import text

        return (text.latex_text if name == "formula" else text.formula_text)(self.graph)

    def __hash__(self) -> int:
        return hash((self.id, self.graph))

    def _compared(self) -> Any:
        # The graph by identity: nodes are interned, and == of two would build a third.
        return self._facts() | {"graph": id(self.graph)}

    def on(self, cells: Node) -> Node:
        """The graph with another matrix in place of the measure's own."""
        # A matrix of two classes may stand in for one of any number.
        if self.kind == "two-class":
            return substituted(self.graph, {TWO_CELLS: cells})
        inner = {CELLS: cells} if cells.dims[0] == "C" else {CELLS: cells, WEIGHTS: EQUAL_WEIGHTS}
        return substituted(self.graph, inner)

    _TO_COUNT = "give two columns, y_true and y_pred, or count them with Confusion.from_labels"

    def _counted(
        self, y_true: Any, y_pred: Any, labels: Any, sample_weight: Any, positive: Label | None
    ) -> Confusion:
        return Confusion.from_labels(y_true, y_pred, labels, sample_weight)

    def _value(self, counts: Any, policy: Policy, positive: Label | None) -> Any:
        matrices = as_confusion(counts)
        self._warn(matrices, positive)
        seen, index = self.seen(matrices, positive)
        (values,) = evaluate.values([self.graph], seen, index, policy, self.depends_on_size)
        return self._checked(values, seen, index, policy)

    def _checked(self, values: Array, seen: Confusion, index: int | None, policy: Policy) -> Any:
        # The values as they are given out: kept in the range, refused where the policy says so.
        if policy.raises and np.isnan(values).any():
            raise self.undefined_error(values, seen, index)
        # Values that rounding carried past an end of the range are that end: a correlation of
        # 1.0000000000000002 is 1; 1.1 would be a mistake of the definition, and stays.
        for end, beyond in zip(self.range.at(seen.n_classes), (np.less, np.greater), strict=True):
            past = beyond(values, end)
            if past.any():
                values[past & (np.abs(values - end) <= _ROUNDING * max(1.0, abs(end)))] = end
        return values if seen.batch_shape else float(values)

    def exact(
        self, counts: Any, *, undefined: Undefined = "nan", positive: Label | None = None
    ) -> Fraction | float:
        matrix, cells = _exact_counts(counts)
        self._warn(matrix, positive)
        policy = Policy.of(undefined)
        seen, index = self.seen(matrix, positive)
        if seen.n_classes < matrix.n_classes:
            sides = Matrix.of_classes(cells, matrix.labels).against_rest
            cells = sides.raw[:, :, matrix.index(positive)]
        value: Fraction | float = evaluate.exact_value(self.graph, cells, seen, index, policy)
        if policy.raises and value != value:
            raise self.undefined_error(np.array(np.nan), seen, index)
        return value

    def why_undefined(self, counts: Any, *, positive: Label | None = None) -> Any:
        """Why has it no value here: words, or None where it has one; for a batch an array of them."""
        seen, index = self.seen(as_confusion(counts), positive)
        words = evaluate.reasons(self.graph, seen, index, self.depends_on_size)
        return np.array(words, dtype=object).reshape(seen.batch_shape) if seen.batch_shape else words[0]

    def to_javascript(
        self, *, labels: Sequence[Label] | None = None, positive: Label | None = None, words: bool = False
    ) -> str:
        text: str = module_named("steelyard.measures.javascript").function_text(self, labels, positive, words)
        return text

    def to_dict(self) -> dict[str, Any]:
        """The measure as plain data, ready for JSON, which `Measure.from_dict` reads back."""
        # An opaque measure has no graph, and says why.
        facts = {f.name: getattr(self, f.name) for f in fields(self) if f.name not in _NOT_DATA}
        facts |= {
            "graph": None if self.opaque else self.graph.to_list(),
            "range": list(map(_plain_bound, self.range)),
            "scale": None if self.scale is None else list(map(_plain_bound, self.scale)),
            "sources": [[source.key, source.where] for source in self.sources],
            "needs": sorted(need.name for need in self.needs),
            "relations": [[r.text, r.other, r.graph.to_list()] for r in self.relations],
            "parameters": {k: graphs.plain(v) for k, v in self.parameters.items()},
        }
        if self.at_fixed_priors_of is not None:
            facts["at_fixed_priors_of"] = self.at_fixed_priors_of.to_dict()
        return facts | ({"opaque": self.opaque} if self.opaque else {})

    def seen(self, matrices: Confusion, positive: Label | None) -> tuple[Confusion, int | None]:
        """The matrices as this measure sees them, and where the positive class stands if it needs one."""
        if self.kind == "multi-class":
            return matrices, None
        if matrices.n_classes == 2:
            return matrices, matrices.positive_class(positive).place
        if positive is None:
            raise InputError(
                f"{self.id} is a metric of two classes",
                found=f"{matrices.n_classes} classes",
                do=(
                    f"name one with {parameter('positive', '...')} to weigh it against the others, or use"
                    f" one_versus_all({self.id!r})"
                ),
            )
        return matrices.one_vs_rest(positive), 0

    def _warn(self, matrices: Confusion, positive: Label | None) -> None:
        if self.kind == "two-class" and positive is None and matrices.n_classes == 2:
            record.warn_if_guessed(self, matrices.positive_class())

    def undefined_error(self, values: Array, seen: Confusion, index: int | None) -> UndefinedError:
        """The error that says where it is undefined, and why at the first such place."""
        first = int(np.flatnonzero(np.isnan(values).reshape(-1))[0])
        # The reason is worked out again for the first matrix alone: words are not made while a batch is
        # evaluated.
        matrix, where = seen, ""
        if seen.batch_shape:
            lacking = f"{int(np.isnan(values).sum())} of {values.size} matrices"
            where = f" on {lacking}, the first being number {first}"
            counts = seen.counts.reshape(-1, *seen.counts.shape[-2:])[first]
            matrix = Confusion(counts, seen.labels if seen.listed else None)
        why = evaluate.reasons(self.graph, matrix, index, self.depends_on_size)[0]
        return UndefinedError(f"{self.name} is undefined{where}: {why}.")


_NOT_DATA = frozenset(["recipe", "remake", "graph", "at_fixed_priors_of"])


def _plain_bound(bound: record.Bound) -> Any:
    if isinstance(bound, ByClasses):
        return {"text": bound.text, "graph": bound.graph.to_list()}
    return graphs.plain(bound)


def _bound(value: Any) -> Any:
    if isinstance(value, dict) and "graph" in value:
        return ByClasses(value["text"], Node.from_list(value["graph"]))
    return graphs.restored(value)


def from_dict(facts: Mapping[str, Any]) -> Measure:
    """The measure that `to_dict` wrote."""
    if facts.get("kind") == "scores":
        return as_measure(facts["name"])
    if facts.get("graph") is None:
        raise InputError(
            f"{facts.get('id', 'the measure')} cannot be read back",
            found=f"no graph: {facts.get('opaque', 'none was written')}",
            allowed="a metric that was traced, or a formula",
        )
    fields = {k: v for k, v in facts.items() if k != "opaque"}
    fields |= {
        "graph": Node.from_list(facts["graph"]),
        "range": Range(*map(_bound, facts["range"])),
        "scale": None if facts["scale"] is None else Range(*map(_bound, facts["scale"])),
        "sources": tuple(record.Citation(key, where) for key, where in facts["sources"]),
        "needs": frozenset(Needs[name] for name in facts["needs"]),
        "relations": tuple(Relation(text, other, Node.from_list(g)) for text, other, g in facts["relations"]),
        "parameters": {k: graphs.restored(v) for k, v in facts["parameters"].items()},
        **{k: tuple(facts[k]) for k in ("symbols", "aliases", "notes")},
    }
    if facts.get("at_fixed_priors_of"):
        fields["at_fixed_priors_of"] = from_dict(facts["at_fixed_priors_of"])
    return MatrixMeasure(**fields)


def _exact_counts(counts: Any) -> tuple[Confusion, Array]:
    # One matrix, and its counts as fractions.
    exact: Any = None
    if not isinstance(counts, (Confusion, ScoreCounts)):
        objects = np.array(counts, dtype=object)
        # The matrix is checked as floats; the fractions are what is computed with.
        if any(isinstance(v, (Fraction, Decimal)) for v in objects.flat):
            exact, counts = objects, objects.astype(np.float64)
    matrix = as_confusion(counts)
    refuse_batch(matrix, "exact values are computed one matrix at a time")
    numbers = (matrix.counts if exact is None else exact).reshape(-1).tolist()
    cells = np.array([as_fraction(v) for v in numbers], dtype=object)
    return matrix, cells.reshape(matrix.counts.shape)


def as_confusion(counts: Any) -> Confusion:
    """Counts as a Confusion for the time of one call; a bare matrix gets labels c1, c2, ..."""
    if isinstance(counts, ScoreCounts):
        raise InputError(
            "this is a metric of a confusion matrix",
            found="scores",
            allowed="a matrix, which scores give once there is a threshold",
            do="see steelyard.scores.threshold_selection, or choose a metric of scores",
        )
    # A batch can be as large as the memory that is left, so it is not copied.
    return counts if isinstance(counts, Confusion) else Confusion(counts, copy=False)


def reasons_in(graph: Node) -> list[str]:
    """Why terms of a graph can be undefined."""
    return [node.static[0] for node in topological((graph,)) if node.op in REASONED]


def needs_of(graph: Node, two_classes: bool) -> frozenset[Needs]:
    """What every class must have for a graph to have a value."""
    examples, predictions = every_class_lacks(set(reasons_in(graph)), two_classes)
    scaled = any(node.op == "at_priors" for node in topological((graph,)))
    none: frozenset[Needs] = frozenset()
    return (record.EXAMPLES if examples or scaled else none) | (record.PREDICTIONS if predictions else none)


def _of_matrices(kind: record.Kind, body: Callable[[Any], Any], facts: dict[str, Any]) -> Measure:
    two_classes = kind == "two-class"
    try:
        graph = graph_of(body, two_classes)
    # A user's body may do anything with what it is given. Where it cannot be traced, a node calls it.
    except Exception as error:
        why = f"{type(error).__name__}: {error}" if str(error) else type(error).__name__
        leaves, view = ((TWO_CELLS, EQUAL_WEIGHTS), TwoClass) if two_classes else ((CELLS, WEIGHTS), Classes)
        graph = Node("opaque", leaves, (OpaqueBody(body, view, why),))
    needs = {"needs": needs_of(graph, two_classes)}
    return record.declared(MatrixMeasure, kind=kind, graph=graph, **(needs | facts))


def two_class(*, body: Callable[[TwoClass], Any], **facts: Any) -> Measure:
    r"""Declare a measure of [[tp, fn], [fp, tn]].

    >>> import steelyard as sy
    >>> mine = sy.two_class(
    ...     id="alarms_per_catch",
    ...     title="Alarms per catch",
    ...     question="How many alarms are raised for every positive that is detected?",
    ...     body=lambda c: c.ratio(c.tp + c.fp, c.tp, "no positive was caught"),
    ...     range=(1, float("inf")),
    ...     better="lower",
    ... )
    >>> round(mine([[90, 10], [30, 870]]), 3)
    1.333
    >>> mine.reads
    '(tp + fp) / tp'
    """
    return _of_matrices("two-class", body, facts)


def multi_class(*, body: Callable[[Classes], Any], **facts: Any) -> Measure:
    """Declare a measure of any number of classes.

    >>> import steelyard as sy
    >>> mine = sy.multi_class(
    ...     id="my_accuracy",
    ...     title="My accuracy",
    ...     question="How often is it correct?",
    ...     body=lambda c: c.ratio(c.all_hits, c.total, "there are no examples"),
    ... )
    >>> mine([[90, 10], [30, 870]])
    0.96
    """
    return _of_matrices("multi-class", body, facts)


def class_mean(*, per_class: Callable[[Classes], Any], **facts: Any) -> Measure:
    r"""Declare a measure that is the mean of one term per class.

    >>> import steelyard as sy
    >>> mine = sy.class_mean(
    ...     id="my_recall",
    ...     title="My recall",
    ...     question="What is the recall of a class, on average over classes?",
    ...     per_class=lambda c: c.ratio(c.hits, c.actual, "a class has no examples"),
    ... )
    >>> round(mine([[90, 10], [30, 870]]), 3)
    0.933
    """
    return multi_class(body=lambda c: c.mean(per_class(c)), **facts)


def weigh(
    measures: str | Measure | Iterable[str | Measure],
    counts: Counts | ScoreCounts,
    *,
    undefined: Undefined = "nan",
    positive: Label | None = None,
) -> dict[str, Any]:
    """The values of many measures on the same counts, by name, sharing the work they have in common.

    >>> import steelyard as sy
    >>> values = sy.weigh(["gmean", "CBA"], [[90, 10], [30, 870]])
    >>> {name: round(value, 3) for name, value in values.items()}
    {'gmean': 0.933, 'class_balance_accuracy': 0.858}
    """
    each = measures if isinstance(measures, Iterable) and not isinstance(measures, str) else [measures]
    chosen = [as_measure(m) for m in each]
    of_matrices = [m for m in chosen if isinstance(m, MatrixMeasure)]
    if isinstance(counts, ScoreCounts) or len(of_matrices) < len(chosen):
        return {m.name: m(counts, undefined=undefined, positive=positive) for m in chosen}
    # Measures that see the same matrices are run as one program, so that what they share is computed once.
    matrices, policy = as_confusion(counts), Policy.of(undefined)
    values: dict[str, Any] = {m.name: None for m in chosen}
    for kind, unit in itertools.product(("two-class", "multi-class"), (False, True)):
        group = [m for m in of_matrices if (m.kind, m.depends_on_size) == (kind, unit)]
        if not group:
            continue
        group[0]._warn(matrices, positive)
        seen, index = group[0].seen(matrices, positive)
        rows = evaluate.values([m.graph for m in group], seen, index, policy, unit)
        for m, row in zip(group, rows, strict=True):
            values[m.name] = m._checked(row, seen, index, policy)
    return values
