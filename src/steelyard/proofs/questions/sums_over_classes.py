"""Sums over classes: formulas made of them that are the same for every number of classes.

Whatever the number of classes C, the sums of the class quantities are related: the rows and the columns of
a matrix have the same total n, and what is missed by one class is a false alarm of another. With S the hits
and E the errors of all classes together, sum(actual) = sum(predicted) = S + E, sum(missed) =
sum(false_alarms) = E and sum(rejected) = (C - 2) (S + E) + S. So a formula of such sums is a rational
function of S, E and C, and an identity of those is an identity for every C.
"""

from __future__ import annotations

from typing import Any

from steelyard.measures.evaluate import constant_value
from steelyard.measures.graph import CELLS, Node, is_equal_weights
from steelyard.measures.measure import MatrixMeasure, Measure
from steelyard.measures.operations import SIZE
from steelyard.proofs.prover.points import Point
from steelyard.proofs.prover.prove import prove_equal
from steelyard.proofs.questions.deciding import Argument

BECAUSE = "sums over all classes, which are related for every number of classes"


class _NotOfSumsError(Exception):
    """The graph holds something else than sums of class quantities."""


def equal(one: Measure, other: Measure) -> Argument | None:
    """An argument that two measures are the same for every number of classes; None if none is known."""
    if not (isinstance(one, MatrixMeasure) and isinstance(other, MatrixMeasure)):
        return None
    graphs = one.graph, other.graph

    def compute(at: Point) -> tuple[Any, Any]:
        # K = C - 2 classes beyond two; it may be 0, and a difference of polynomials that vanishes does so
        # there too.
        s, e, k = at.counts(("S", "E", "K"))
        sums = {
            "hits": s, "actual": s + e, "predicted": s + e, "missed": e, "false_alarms": e,
            "rejected": k * (s + e) + s, "other_actual": (k + 1) * (s + e),
            "other_predicted": (k + 1) * (s + e),
        }  # fmt: skip
        known = {"total": s + e, "all_hits": s, SIZE: k + 2}
        first, second = (_value(graph, known, sums) for graph in graphs)
        return first, second

    try:
        attempt = prove_equal(("S", "E", "K"), compute)
    except _NotOfSumsError:
        return None
    return Argument(f"{BECAUSE}: {attempt.method}", attempt.where) if attempt.proved else None


def _value(node: Node, known: dict[str, Any], sums: dict[str, Any]) -> Any:
    if node.op == "number":
        return node.static[0]
    if node.op in known and node.operands[0] is CELLS:
        return known[node.op]
    if node.op == "neg":
        return -_value(node.operands[0], known, sums)
    if node.op in ("add", "sub", "mul", "div", "ratio", "needed_ratio"):
        a, b = (_value(o, known, sums) for o in node.operands[:2])
        return {"add": lambda: a + b, "sub": lambda: a - b, "mul": lambda: a * b}.get(
            node.op, lambda: a / b
        )()
    if node.op == "power":
        exponent = constant_value(node.operands[1])
        if exponent is not None and exponent == int(exponent):
            return _value(node.operands[0], known, sums) ** int(exponent)
    if node.op == "sum" and node.static == (0,):
        return _sum(node.operands[0], known, sums)
    if node.op == "mean" and (len(node.operands) == 1 or is_equal_weights(node.operands[1])):
        return _sum(node.operands[0], known, sums) / known[SIZE]
    raise _NotOfSumsError


def _sum(node: Node, known: dict[str, Any], sums: dict[str, Any]) -> Any:
    """The sum over classes of something linear in the class quantities."""
    if node.op in sums and node.operands[0] is CELLS:
        return sums[node.op]
    if node.op == "neg":
        return -_sum(node.operands[0], known, sums)
    if node.op in ("add", "sub"):
        a, b = (_sum(o, known, sums) for o in node.operands)
        return a + b if node.op == "add" else a - b
    if node.op == "mul" and not node.operands[0].dims:
        return _value(node.operands[0], known, sums) * _sum(node.operands[1], known, sums)
    if node.op in ("div", "ratio", "needed_ratio") and not node.operands[1].dims:
        return _sum(node.operands[0], known, sums) / _value(node.operands[1], known, sums)
    raise _NotOfSumsError
