"""Expression graphs: a measure as frozen data over named quantities and a few operations.

A node is an operation on other nodes. Nodes are interned (hash consing): the same operation on the same
operands is the same object, so measures that share a subexpression share its value. What a person writes is a
builder, `c.ratio(c.tp, c.positives, NO_POSITIVES)`; it runs once, on nodes, when the measure is declared.
Everything else is a fold over the graph: `evaluate` computes it in any number type, `javascript` and `text`
write it down, the prover and the audit read it.
"""

from __future__ import annotations

import weakref
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextvars import ContextVar
from decimal import Decimal
from fractions import Fraction
from functools import lru_cache
from typing import Any, Final

import numpy as np

Axis = int | tuple[int, ...] | None
Dimension = int | str
"""A length: a number, "C" for the classes or "P" for ordered pairs of them."""

MOST_PATHS: Final = 64
"""Branches a builder may take, all in all: it is run once for each."""


class NotTraceableError(Exception):
    """A function does something that is no operation of a graph."""


class Node:
    """An operation, the nodes it is applied to, and constants that are part of it."""

    __slots__ = ("__weakref__", "dims", "op", "operands", "static")
    op: str
    operands: tuple[Node, ...]
    static: tuple[Any, ...]
    dims: tuple[Dimension, ...]
    """The axes it has beside the batch."""

    def __new__(cls, op: str, operands: Iterable[Node] = (), static: Iterable[Any] = ()) -> Node:
        parts, constants = tuple(operands), tuple(static)
        key = (op, *map(id, parts), *((type(s), repr(s)) for s in constants))
        known = _INTERNED.get(key)
        if known is None:
            known = object.__new__(cls)
            known.op, known.operands, known.static = op, parts, constants
            known.dims = _DIMS[op](known) if op in _DIMS else _broadcast(parts)
            _INTERNED[key] = known
        return known

    __hash__ = object.__hash__

    # -- data

    def to_list(self) -> list[list[Any]]:
        """The graph as plain data: [operation, operands by their place, constants], operands first."""
        order = topological((self,))
        place = {node: k for k, node in enumerate(order)}
        return [[n.op, [place[o] for o in n.operands], [_plain(s) for s in n.static]] for n in order]

    @staticmethod
    def from_list(rows: Sequence[Sequence[Any]]) -> Node:
        """The graph that `to_list` wrote."""
        nodes: list[Node] = []
        for op, operands, static in rows:
            if op not in OPERATIONS:
                raise ValueError(f"there is no operation {op!r} in a graph of this version")
            nodes.append(Node(op, [nodes[k] for k in operands], [_restored(s) for s in static]))
        return nodes[-1]

    def __reduce__(self) -> tuple[Any, ...]:
        order = topological((self,))
        place = {node: k for k, node in enumerate(order)}
        return _from_rows, ([(n.op, [place[o] for o in n.operands], n.static) for n in order],)

    def __repr__(self) -> str:
        from steelyard.measures.text import formula_text

        return f"<graph {formula_text(self)}>"

    # -- what a builder may write

    def __add__(self, other: Any) -> Node:
        return _operation("add", self, other)

    def __radd__(self, other: Any) -> Node:
        return _operation("add", other, self)

    def __sub__(self, other: Any) -> Node:
        return _operation("sub", self, other)

    def __rsub__(self, other: Any) -> Node:
        return _operation("sub", other, self)

    def __mul__(self, other: Any) -> Node:
        return _operation("mul", self, other)

    def __rmul__(self, other: Any) -> Node:
        return _operation("mul", other, self)

    def __truediv__(self, other: Any) -> Node:
        return _operation("div", self, other)

    def __rtruediv__(self, other: Any) -> Node:
        return _operation("div", other, self)

    def __pow__(self, exponent: Any) -> Node:
        return power(self, exponent)

    def __mod__(self, other: Any) -> Node:
        return _operation("mod", self, other)

    def __neg__(self) -> Node:
        return _operation("neg", self)

    def __pos__(self) -> Node:
        return self

    def __abs__(self) -> Node:
        return _operation("abs", self)

    def __invert__(self) -> Node:
        return _operation("not", self)

    def __and__(self, other: Any) -> Node:
        return _operation("and", self, other)

    def __or__(self, other: Any) -> Node:
        return _operation("or", self, other)

    __rand__, __ror__ = __and__, __or__

    def __lt__(self, other: Any) -> Node:
        return _operation("lt", self, other)

    def __le__(self, other: Any) -> Node:
        return _operation("le", self, other)

    def __gt__(self, other: Any) -> Node:
        return _operation("lt", other, self)

    def __ge__(self, other: Any) -> Node:
        return _operation("le", other, self)

    def __eq__(self, other: object) -> Node:  # type: ignore[override]
        return _operation("eq", self, other)

    def __ne__(self, other: object) -> Node:  # type: ignore[override]
        return _operation("not", _operation("eq", self, other))

    def __bool__(self) -> bool:
        return _decided(self)

    def __getitem__(self, index: Any) -> Node:
        return indexed(self, index)

    def __len__(self) -> int:
        if self.dims and isinstance(self.dims[0], int):
            return self.dims[0]
        raise NotTraceableError("len() of an axis whose length is not known")

    def __iter__(self) -> Iterator[Node]:
        return (self[k] for k in range(len(self)))

    def sum(self, axis: Axis = None, keepdims: bool = False, **_: Any) -> Node:
        """The sum over class axes."""
        return reduced("sum", self, axis, keepdims)

    def prod(self, axis: Axis = None, keepdims: bool = False, **_: Any) -> Node:
        """The product over class axes."""
        return reduced("product", self, axis, keepdims)

    def max(self, axis: Axis = None, keepdims: bool = False, **_: Any) -> Node:
        """The greatest value along class axes."""
        return reduced("greatest", self, axis, keepdims)

    def min(self, axis: Axis = None, keepdims: bool = False, **_: Any) -> Node:
        """The least value along class axes."""
        return -reduced("greatest", -self, axis, keepdims)

    def swapaxes(self, one: int, other: int) -> Node:
        """The transpose of the two class axes."""
        if {one % self.ndim, other % self.ndim} != {0, 1}:
            raise NotTraceableError(f"axes {one} and {other} of {self.ndim} exchanged")
        return Node("transpose", (self,))

    @property
    def ndim(self) -> int:
        return len(self.dims)

    def __array__(self, dtype: Any = None, copy: Any = None) -> Any:
        held = np.empty((), dtype=object)  # as_node takes the node out again
        held[()] = self
        return held

    def __array_ufunc__(self, ufunc: Any, method: str, *inputs: Any, **options: Any) -> Any:
        from steelyard.measures.numpy_tracing import traced_ufunc

        return traced_ufunc(ufunc, method, inputs, options)

    def __array_function__(self, function: Any, types: Any, args: Any, kwargs: Any) -> Any:
        from steelyard.measures.numpy_tracing import traced_function

        return traced_function(function, args, kwargs)

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        from steelyard.measures.numpy_tracing import traced_attribute

        return traced_attribute(self, name)


_INTERNED: weakref.WeakValueDictionary[tuple[Any, ...], Node] = weakref.WeakValueDictionary()


def _from_rows(rows: Sequence[tuple[str, Sequence[int], tuple[Any, ...]]]) -> Node:
    nodes: list[Node] = []
    for op, operands, static in rows:
        nodes.append(Node(op, [nodes[k] for k in operands], static))
    return nodes[-1]


def _plain(value: Any) -> Any:
    if isinstance(value, Fraction):
        return {"fraction": str(value)}
    if isinstance(value, float) and not np.isfinite(value):
        return {"float": str(value)}
    if isinstance(value, tuple):
        return [_plain(part) for part in value]
    if value is None or isinstance(value, (bool, int, float, str)):
        return value
    if isinstance(value, np.generic):
        return _plain(value.item())
    return {"label": str(value)}


def _restored(value: Any) -> Any:
    if isinstance(value, dict):
        kind, text = next(iter(value.items()))
        return Fraction(text) if kind == "fraction" else float(text) if kind == "float" else text
    return tuple(map(_restored, value)) if isinstance(value, list) else value


@lru_cache(maxsize=4096)
def topological(roots: tuple[Node, ...]) -> tuple[Node, ...]:
    """Every node that the roots are made of, operands before what is made of them."""
    order: dict[Node, None] = {}
    waiting: list[tuple[Node, bool]] = [(root, False) for root in reversed(roots)]
    while waiting:
        node, ready = waiting.pop()
        if node in order:
            continue
        if ready:
            order[node] = None
            continue
        waiting.append((node, True))
        waiting.extend((operand, False) for operand in reversed(node.operands) if operand not in order)
    return tuple(order)


def substituted(root: Node, replacements: Mapping[Node, Node]) -> Node:
    """The graph with some nodes replaced: what is made of them is made anew."""
    made: dict[Node, Node] = dict(replacements)
    for node in topological((root,)):
        if node not in made:
            made[node] = remade(node, [made[o] for o in node.operands])
    return made[root]


def remade(node: Node, operands: Sequence[Node]) -> Node:
    """The same operation on other operands."""
    if all(a is b for a, b in zip(operands, node.operands, strict=True)):
        return node
    if node.op == SIZE:
        return as_node(number_of_classes(operands[0]))
    if node.op == "class_numbers" and operands[0].dims[0] == 2 and node.static[1][0] == "single":
        return with_the_rest(node.static[1][1])
    if (
        node.op == "cell" and operands[0].op == "against_rest"
    ):  # one class against the rest has names for its cells
        return Node(_AGAINST_REST[node.static], operands[0].operands)
    if node.op == "all_hits" and operands[0].op == "against_rest":
        return Node("hits", operands[0].operands) + Node("rejected", operands[0].operands)
    if node.op == "take" and operands[0].op == "actual" and operands[0].operands[0].op == "against_rest":
        return Node(("actual", "other_actual")[node.static[0]], operands[0].operands[0].operands)
    return Node(node.op, operands, node.static)


_AGAINST_REST: Final = {(0, 0): "hits", (0, 1): "missed", (1, 0): "false_alarms", (1, 1): "rejected"}


def with_the_rest(prior: Any) -> Node:
    """The prior of a positive class, and what is left for the negative one."""
    first = constant(prior)
    return Node("stack", (first, 1 - first), ((2,),))


# -- leaves and constants

CELLS_OF_CLASSES = "classes"
CELLS_OF_TWO = "two"


def constant(value: Any) -> Node:
    """A number of a definition, kept as it is written."""
    if isinstance(value, np.generic):
        value = value.item()
    return Node("number", (), (value,))


def as_node(value: Any) -> Node:
    """A node as it is, a number or an array as a constant, an array of nodes as a stack of them."""
    if isinstance(value, Node):
        return value
    if isinstance(value, (bool, int, float, Fraction, np.number, np.bool_)):
        return constant(value)
    if isinstance(value, Decimal):
        return constant(Fraction(value))
    if isinstance(value, (list, tuple)) and value:
        value = np.array(value, dtype=object)
    if isinstance(value, np.ndarray):
        if value.ndim == 0:
            return as_node(value.item())
        if value.dtype != object:
            return Node("array", (), (_nested(value.tolist()), value.shape))
        return Node("stack", [as_node(part) for part in value.reshape(-1).tolist()], (value.shape,))
    raise NotTraceableError(f"a value of type {type(value).__name__}")


def _nested(value: Any) -> Any:
    return tuple(map(_nested, value)) if isinstance(value, list) else value


SIZE: Final = "size"


def number_of_classes(cells: Node) -> Any:
    """C: an int where it is known."""
    while cells.op == "at_priors":  # scaled rows are rows of the same classes
        cells = cells.operands[0]
    length = cells.dims[0]
    return length if isinstance(length, int) else Node(SIZE, (cells,))


# -- operations that need more than their operands


def _operation(op: str, *values: Any) -> Node:
    operands = [as_node(value) for value in values]
    if op == "div" and operands[0].op == "sum" and operands[1].op == SIZE:
        (terms,) = operands[0].operands
        if terms.dims == ("C",):  # the sum over classes divided by their number
            return Node("mean", (terms,))
    return Node(op, operands)


def maximum(a: Any, b: Any) -> Node:
    return _operation("max", a, b)


def minimum(a: Any, b: Any) -> Node:
    return _operation("min", a, b)


def power(base: Any, exponent: Any) -> Node:
    """A power whose exponent is a number of the definition, or depends on the number of classes only."""
    one, other = as_node(base), as_node(exponent)
    if other.op != "number" and not is_about_size(other):
        raise NotTraceableError("an exponent that depends on the counts")
    if (
        one.op == "product"
        and other is 1 / Node(SIZE, (CELLS,))
        and one.operands[0].dims == ("C",)
        and one.static == (0,)
    ):
        return Node("geometric_mean", one.operands)  # the C-th root of a product over classes
    return Node("power", (one, other))


def new_axis(value: Node, axis: int) -> Node:
    return Node("new_axis", (value,), (axis,))


def reduced(op: str, value: Node, axis: Axis, keepdims: bool = False) -> Node:
    """A sum, a product or a maximum over class axes."""
    found = _reduced(op, value, axis)
    if keepdims:
        for one in sorted(a % value.ndim for a in _axes(axis) or range(value.ndim)):
            found = new_axis(found, one)
    return found


def _reduced(op: str, value: Node, axis: Axis) -> Node:
    if axis is None:
        axes = tuple(range(value.ndim))
    else:
        axes = tuple(sorted(a % max(value.ndim, 1) for a in _axes(axis)))
    if not value.ndim or any(not -value.ndim <= a < value.ndim for a in _axes(axis)):
        raise NotTraceableError(f"a {op} over axis {axis} of {value.ndim}")
    quantity = _named_sum(value, axes) if op == "sum" else None
    if quantity is not None:
        return quantity
    if op == "sum" and len(axes) > 1:
        return Node(op, (value,), (axes,))
    for one in reversed(axes):
        value = Node(op, (value,), (one,))
    return value


def _axes(axis: Axis) -> tuple[int, ...]:
    return () if axis is None else axis if isinstance(axis, tuple) else (axis,)


def _named_sum(value: Node, axes: tuple[int, ...]) -> Node | None:
    """Row sums, column sums and the total of a matrix have names."""
    if value.op == "counts" and value.ndim == 2:
        named = {(1,): "actual", (0,): "predicted", (0, 1): "total"}[axes]
        return Node(named, value.operands)
    if value.op in ("actual", "predicted") and axes == (0,) and value.ndim == 1:
        return Node("total", value.operands)
    if value.op == "take" and value.operands[0].op == "counts" and value.operands[0].ndim == 2:
        place, axis = value.static
        return Node(
            "take", (Node("predicted" if axis else "actual", value.operands[0].operands),), (place, 0)
        )
    return None


def indexed(value: Node, index: Any) -> Node:
    """NumPy's indexing, as far as it picks or adds axes."""
    parts = list(index) if isinstance(index, tuple) else [index]
    if Ellipsis in [p for p in parts if p is Ellipsis]:
        at = next(k for k, p in enumerate(parts) if p is Ellipsis)
        given = sum(p is not None and p is not Ellipsis for p in parts)
        parts[at : at + 1] = [slice(None)] * (value.ndim - given)
    axis = 0
    for part in parts:
        if part is None:
            value, axis = new_axis(value, axis), axis + 1
        elif isinstance(part, slice) and part == slice(None):
            axis += 1
        elif isinstance(part, (int, np.integer)) and not isinstance(part, bool):
            length = value.dims[axis] if axis < value.ndim else 0
            place = int(part)
            if isinstance(length, int):
                if not -length <= place < length:
                    raise IndexError(f"index {place} is out of bounds for axis {axis} with size {length}")
                place %= length
            value = _taken(value, place, axis)
        else:
            raise NotTraceableError(f"the index {part!r}")
    return value


def _taken(value: Node, place: int, axis: int) -> Node:
    if value.op == "take" and value.operands[0].op == "counts" and value.static[1] == 0 and value.ndim == 1:
        return Node("cell", value.operands[0].operands, (value.static[0], place))
    return Node("take", (value,), (place, axis))


# -- dimensions


def _broadcast(operands: Sequence[Node]) -> tuple[Dimension, ...]:
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


def _without(axis_at: int) -> Callable[[Node], tuple[Dimension, ...]]:
    def dims(node: Node) -> tuple[Dimension, ...]:
        axes, given = node.static[axis_at], node.operands[0].dims
        gone = axes if isinstance(axes, tuple) else (axes,)
        return tuple(length for k, length in enumerate(given) if k not in gone)

    return dims


def _cells_dims(node: Node) -> tuple[Dimension, ...]:
    named: dict[Any, Dimension] = {CELLS_OF_CLASSES: "C", CELLS_OF_TWO: 2}
    size = named.get(node.static[0], node.static[0])
    return (size, size)


def _of_classes(node: Node) -> tuple[Dimension, ...]:
    given = node.operands[0].dims
    return (given[0], *given[2:])


def _whole(node: Node) -> tuple[Dimension, ...]:
    return node.operands[0].dims[2:]


def _same(node: Node) -> tuple[Dimension, ...]:
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
QUANTITIES: Final = (*_CLASS_QUANTITIES, *_WHOLE_QUANTITIES, *_CELL_QUANTITIES)
"""What a matrix shows: one value a class, one in all, one a cell."""
MATRICES: Final = ("cells", "at_priors", "against_rest", "in_pairs", "pooled")
"""Operations whose value is a matrix."""
_FIRST_TWO: Final = ("ratio", "needed_ratio", "half_turns")
"""Quotients: their third operand is the matrix that the reason for an undefined value speaks of."""

_DIMS: Final[dict[str, Callable[[Node], tuple[Dimension, ...]]]] = {
    "cells": _cells_dims,
    "weights": lambda node: ("C",),
    SIZE: lambda node: (),
    "number": lambda node: (),
    "value": lambda node: (),
    "array": lambda node: tuple(node.static[1]),
    "stack": lambda node: (*node.static[0], *_broadcast(node.operands)),
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
    "branch": lambda node: _broadcast(node.operands[1:]),
    **dict.fromkeys(_CLASS_QUANTITIES, _of_classes),
    **dict.fromkeys(_WHOLE_QUANTITIES, _whole),
    **dict.fromkeys(_CELL_QUANTITIES, _same),
    **dict.fromkeys(_FIRST_TWO, lambda node: _broadcast(node.operands[:2])),
}
_ELEMENTWISE: Final = (
    "add", "sub", "mul", "div", "mod", "neg", "abs", "max", "min", "sqrt", "log", "log2", "eq", "lt", "le",
    "and",
    "or", "not", "is_nan", "where", "entropy", "root_of_product", "angle",
)  # fmt: skip
OPERATIONS: Final = frozenset([*_DIMS, *_ELEMENTWISE])


def is_equal_weights(weights: Node) -> bool:
    """Are these the weights of a mean that nobody weighted?"""
    return weights is WEIGHTS or weights is EQUAL_WEIGHTS


def is_about_size(node: Node) -> bool:
    """Is it known from the number of classes alone?"""
    return node.op in (SIZE, "number") or (bool(node.operands) and all(map(is_about_size, node.operands)))


# -- builders


class _Run:
    """One run of a builder: the branches it is to take, and the questions that led to them."""

    def __init__(self, planned: Sequence[bool]) -> None:
        self.planned = planned
        self.decided: list[tuple[Node, bool]] = []


_RUN: ContextVar[_Run | None] = ContextVar("run", default=None)


def _decided(question: Node) -> bool:
    run = _RUN.get()
    if run is None:
        raise TypeError("a node has no truth value outside a builder")
    if question.dims:
        raise NotTraceableError("a branch on an array; write np.where")
    for known, answer in run.decided:
        if known is question:
            return answer
    taken = len(run.decided)
    answer = run.planned[taken] if taken < len(run.planned) else True
    run.decided.append((question, answer))
    return answer


def traced(builder: Callable[[], Any]) -> Node:
    """The graph that a builder makes: it is run once for each way its branches can go, joined by branch
    nodes."""
    runs: list[tuple[list[tuple[Node, bool]], Node]] = []
    planned: list[bool] = []
    for _ in range(MOST_PATHS):
        run = _Run(planned)
        token = _RUN.set(run)
        try:
            result = as_node(builder())
        finally:
            _RUN.reset(token)
        runs.append((run.decided, result))
        answers = [answer for _, answer in run.decided]
        while answers and not answers[-1]:
            answers.pop()
        if not answers:
            return _joined(runs, 0)
        planned = [*answers[:-1], False]
    raise NotTraceableError(f"more than {MOST_PATHS} ways through its branches")


def _joined(runs: Sequence[tuple[list[tuple[Node, bool]], Node]], depth: int) -> Node:
    decided, result = runs[0]
    if len(decided) <= depth:
        return result
    question = decided[depth][0]
    yes, no = (
        _joined([run for run in runs if run[0][depth][1] is answer], depth + 1) for answer in (True, False)
    )
    return Node("branch", (question, yes, no))


# -- the leaves of every measure

CELLS: Final = Node("cells", (), (CELLS_OF_CLASSES,))
TWO_CELLS: Final = Node("cells", (), (CELLS_OF_TWO,))
WEIGHTS: Final = Node("weights")
"""Equal for all classes, unless an operator puts others in their place."""
EQUAL_WEIGHTS: Final = Node("weights", (), ("equal",))
"""Equal for all classes, whatever an operator does."""


def cells_of(two_classes: bool) -> Node:
    return TWO_CELLS if two_classes else CELLS
