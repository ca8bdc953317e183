"""Class terms: a measure that is a mean of one term per class, so that what is proved of one term holds for
every number of classes.

The graph is matched: a mean over classes of something made of one class alone (its hits, misses, false alarms
and the rest) by operations that treat every class by itself. A graph that looks at anything else (single
cells, sums over classes, the number of classes) is no such mean, and nothing is claimed.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np

from steelyard.measures.evaluate import value_given
from steelyard.measures.graph import CELLS as MATRIX
from steelyard.measures.graph import Node, is_equal_weights, topological
from steelyard.measures.measure import MatrixMeasure, Measure
from steelyard.measures.numbers import Numbers
from steelyard.measures.operations import ELEMENTWISE
from steelyard.proofs.prover import certificates, symbols
from steelyard.proofs.prover.expression_trees import TreeField, Trees
from steelyard.proofs.prover.regions import Point
from steelyard.proofs.prover.subject import Subject

CELLS = ("d", "fn", "fp", "tn")
# The quantities of one class against the rest.
_ONE_CLASS: dict[str, Callable[[Any, Any, Any, Any], Any]] = {
    "hits": lambda d, fn, fp, tn: d,
    "missed": lambda d, fn, fp, tn: fn,
    "false_alarms": lambda d, fn, fp, tn: fp,
    "rejected": lambda d, fn, fp, tn: tn,
    "actual": lambda d, fn, fp, tn: d + fn,
    "predicted": lambda d, fn, fp, tn: d + fp,
    "other_actual": lambda d, fn, fp, tn: fp + tn,
    "other_predicted": lambda d, fn, fp, tn: fn + tn,
    "total": lambda d, fn, fp, tn: d + fn + fp + tn,
}
# Operations that treat every class by itself.
_OF_EACH = {*ELEMENTWISE, "number", "power", "ratio", "needed_ratio", "half_turns"} - {"mod"}


@dataclass(frozen=True)
class ClassTerm:
    """The term a measure is the mean of."""

    measure: Measure
    kind: Literal["arithmetic", "geometric"]
    term: Node

    def on(self, point: Point, *empty: str) -> Any:
        """The term of a class whose cells are the counts of a point, these of them empty."""
        return self.at(point.without(empty).counts(CELLS), point.numbers)

    def at(self, cells: Iterable[Any], numbers: Numbers) -> Any:
        """The term on [[d, fn], [fp, tn]]."""
        given: dict[Node, Any] = {}
        for node in topological((self.term,)):
            # The total of one class against the rest is that of all classes.
            if node.op in _ONE_CLASS and (node.operands[0] is MATRIX or node.op == "total"):
                given[node] = _boxed(_ONE_CLASS[node.op](*cells))
        value = value_given(self.term, given, numbers)
        return np.ravel(np.asarray(value, dtype=object))[0]


def _boxed(value: Any) -> Any:
    """An array of one entry: trees and symbols meet in arrays, which know how to combine them."""
    held = np.empty(1, dtype=object)
    held[0] = value
    return held


def class_term(measure: Measure) -> ClassTerm | None:
    """The term this measure is the mean of, or None if it is not such a mean."""
    if not isinstance(measure, MatrixMeasure) or measure.kind != "multi-class" or not symbols.available():
        return None
    root = measure.graph
    weighted = len(root.operands) > 1 and not is_equal_weights(root.operands[1])
    if root.op not in ("mean", "geometric_mean") or weighted or root.operands[0].dims != ("C",):
        return None
    term = root.operands[0]
    if not all(map(_of_one_class, topological((term,)))):
        return None
    return ClassTerm(measure, "arithmetic" if root.op == "mean" else "geometric", term)


def _of_one_class(node: Node) -> bool:
    if node.op in ("cells", "against_rest"):
        return True
    if node.op in _ONE_CLASS:
        matrix = node.operands[0]
        against_rest = matrix.op == "against_rest" and matrix.operands[0] is MATRIX
        return matrix is MATRIX or (against_rest and node.op == "total")
    return node.op in _OF_EACH and node.dims in ((), ("C",))


# Matrices on which a measure must be the mean of its terms.
INSTANCES = (
    ((3, 1), (2, 5)),
    ((3, 1, 2), (1, 4, 1), (2, 2, 5)),
    ((6, 1, 2, 1), (1, 4, 1, 3), (2, 2, 5, 1), (1, 1, 1, 7)),
)


def note(term: ClassTerm) -> None:
    """File that the measure is the mean of this term, for the checker to work out on some matrices."""
    if not certificates.wanted():
        return
    owner = TreeField(CELLS)
    written = term.on(Point(owner, Trees(owner)))
    values = [Subject(term.measure).value(rows) for rows in INSTANCES]
    certificates.note_mean(written, term.kind, list(zip(INSTANCES, values, strict=True)))
