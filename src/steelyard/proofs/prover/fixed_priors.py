"""Fixed priors: measures that see a matrix only after its rows are scaled to constants."""

from __future__ import annotations

from steelyard.measures.graph import CELLS, TWO_CELLS, Node, topological
from steelyard.measures.measure import MatrixMeasure, Measure


def made_at_fixed_priors(measure: Measure) -> Measure | None:
    """The measure that this one evaluates at fixed priors, if its graph says so."""
    inner = measure.at_fixed_priors_of
    if inner is None or not isinstance(measure, MatrixMeasure) or not _only_at_priors(measure.graph):
        return None
    return inner


def _only_at_priors(root: Node) -> bool:
    """Does everything that reads the counts read them with rows scaled to priors that are constants?"""
    readers = [node for node in topological((root,)) if any(map(_is_own_matrix, node.operands))]
    return bool(readers) and all(
        node.op in ("at_priors", "size", "class_numbers") or _only_named(node) for node in readers
    )


def _is_own_matrix(node: Node) -> bool:
    return node is CELLS or node is TWO_CELLS


def _only_named(node: Node) -> bool:
    """Is the matrix only what a reason speaks of?"""
    return node.op in ("ratio", "needed_ratio", "half_turns") and not any(
        map(_is_own_matrix, node.operands[:2])
    )
