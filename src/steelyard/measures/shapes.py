"""Shapes: the operations of a graph, and the axes that the value of each has.

An operation that is not listed in `SHAPES` works on entries and has the axes of its operands taken together.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Final, Protocol

# A length: a number, "C" for the classes or "P" for ordered pairs of them.
Dimension = int | str
SIZE: Final = "size"
CELLS_OF_CLASSES, CELLS_OF_TWO = "classes", "two"


class Shaped(Protocol):
    """A node, as far as its shape is concerned."""

    op: str
    static: tuple[Any, ...]
    dims: tuple[Dimension, ...]

    @property
    def operands(self) -> Sequence[Shaped]: ...


class NotTraceableError(Exception):
    """A function does something that is no operation of a graph."""


def broadcast(operands: Sequence[Shaped]) -> tuple[Dimension, ...]:
    """The dimensions of operands taken together; axes are added in front, as NumPy does."""
    rank = max((len(o.dims) for o in operands), default=0)
    found: list[Dimension] = [1] * rank
    for operand in operands:
        for k, length in enumerate(operand.dims, start=rank - len(operand.dims)):
            if length != 1:
                if found[k] not in (1, length) and isinstance(found[k], int) and isinstance(length, int):
                    raise NotTraceableError(f"arrays of {found[k]} and {length} entries taken together")
                found[k] = length
    return tuple(found)


def _without(axis_at: int) -> Callable[[Shaped], tuple[Dimension, ...]]:
    def dims(node: Shaped) -> tuple[Dimension, ...]:
        axes, given = node.static[axis_at], node.operands[0].dims
        gone = axes if isinstance(axes, tuple) else (axes,)
        return tuple(length for k, length in enumerate(given) if k not in gone)

    return dims


def _cells_dims(node: Shaped) -> tuple[Dimension, ...]:
    named: dict[Any, Dimension] = {CELLS_OF_CLASSES: "C", CELLS_OF_TWO: 2}
    size = named.get(node.static[0], node.static[0])
    return (size, size)


def _of_classes(node: Shaped) -> tuple[Dimension, ...]:
    given = node.operands[0].dims
    return (given[0], *given[2:])


def _whole(node: Shaped) -> tuple[Dimension, ...]:
    return node.operands[0].dims[2:]


def _same(node: Shaped) -> tuple[Dimension, ...]:
    return node.operands[0].dims


def _with_axis(given: tuple[Dimension, ...], axis: int) -> tuple[Dimension, ...]:
    return (*given[:axis], 1, *given[axis:])


def _pairs(length: Dimension) -> Dimension:
    return length * (length - 1) if isinstance(length, int) else "P"


_CLASS_QUANTITIES: Final = (
    "hits", "actual", "predicted", "missed", "false_alarms", "rejected", "other_actual", "other_predicted",
)  # fmt: skip
_WHOLE_QUANTITIES: Final = ("total", "all_hits", "above_chance")
_CELL_QUANTITIES: Final = ("counts", "elsewhere", "of_others")
# What a matrix shows: one value a class, one in all, one a cell.
QUANTITIES: Final = (*_CLASS_QUANTITIES, *_WHOLE_QUANTITIES, *_CELL_QUANTITIES)
# Operations whose value is a matrix.
MATRICES: Final = ("cells", "at_priors", "against_rest", "in_pairs", "pooled")
# Quotients: their third operand is the matrix that the reason for an undefined value speaks of.
_FIRST_TWO: Final = ("ratio", "needed_ratio", "half_turns")
# Operations whose first constant is the reason for an undefined value.
REASONED: Final = (*_FIRST_TWO, "undefined")

SHAPES: Final[dict[str, Callable[[Shaped], tuple[Dimension, ...]]]] = {
    "cells": _cells_dims,
    "weights": lambda node: ("C",),
    SIZE: lambda node: (),
    "number": lambda node: (),
    "value": lambda node: (),
    "array": lambda node: tuple(node.static[1]),
    "stack": lambda node: (*node.static[0], *broadcast(node.operands)),
    "at_priors": _same,
    "against_rest": lambda node: (2, 2, node.operands[0].dims[0], *node.operands[0].dims[2:]),
    "in_pairs": lambda node: (2, 2, _pairs(node.operands[0].dims[0]), *node.operands[0].dims[2:]),
    "pooled": lambda node: (2, 2, *node.operands[0].dims[3:]),
    "class_numbers": lambda node: (node.operands[0].dims[0],),
    "opaque": _whole,
    "cell": _whole,
    "undefined": _whole,
    "taking_part": _whole,
    "steps": lambda node: (*node.operands[0].dims[:2], *([1] * (len(node.operands[0].dims) - 2))),
    "table": lambda node: (*node.operands[0].dims[:2], *([1] * (len(node.operands[0].dims) - 2))),
    "pair_sums": lambda node: (_pairs(node.operands[0].dims[0]), *node.operands[0].dims[1:]),
    "pair_weights": lambda node: (_pairs(node.operands[-1].dims[0]),),
    "mean": lambda node: node.operands[0].dims[1:],
    "geometric_mean": lambda node: node.operands[0].dims[1:],
    "sum": _without(0),
    "product": _without(0),
    "greatest": _without(0),
    "take": _without(1),
    "new_axis": lambda node: _with_axis(node.operands[0].dims, node.static[0]),
    "transpose": lambda node: (*node.operands[0].dims[1::-1], *node.operands[0].dims[2:]),
    "diagonal": _of_classes,
    "diagonal_matrix": lambda node: (node.operands[0].dims[0], *node.operands[0].dims),
    "without_own": _same,
    "without_each": _same,
    "power": lambda node: node.operands[0].dims,
    "branch": lambda node: broadcast(node.operands[1:]),
    **dict.fromkeys(_CLASS_QUANTITIES, _of_classes),
    **dict.fromkeys(_WHOLE_QUANTITIES, _whole),
    **dict.fromkeys(_CELL_QUANTITIES, _same),
    **dict.fromkeys(_FIRST_TWO, lambda node: broadcast(node.operands[:2])),
}
ELEMENTWISE: Final = (
    "add", "sub", "mul", "div", "mod", "neg", "abs", "max", "min", "sqrt", "log", "log2", "eq", "lt", "le",
    "and",
    "or", "not", "is_nan", "where", "entropy", "root_of_product", "angle",
)  # fmt: skip
OPERATIONS: Final = frozenset([*SHAPES, *ELEMENTWISE])


def shape_of(node: Shaped) -> tuple[Dimension, ...]:
    """The axes of a node, beside the batch."""
    return SHAPES[node.op](node) if node.op in SHAPES else broadcast(node.operands)
