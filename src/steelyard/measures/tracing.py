"""Tracing: run a function on nodes and take the graph that it builds, as JAX does."""

# A builder is run once for each way its branches can go. NumPy's ufuncs, functions and indexing arrive
# here through its protocols; what has no meaning as an operation of a graph is refused with the name of
# what was called.

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextvars import ContextVar
from fractions import Fraction
from typing import Any, Final

import numpy as np

from steelyard.measures.graph import NUMPY, Node, as_node, maximum, minimum, operation, power
from steelyard.measures.operations import NotTraceableError

Axis = int | tuple[int, ...] | None
# Branches a builder may take, all in all: it is run once for each.
MOST_PATHS: Final = 64


# One run of a builder: the answers to its first branches, and each question with the answer it got.
Decided = list[tuple[Node, bool]]
_RUN: ContextVar[tuple[Sequence[bool], Decided] | None] = ContextVar("run", default=None)


def _decided(question: Node) -> bool:
    run = _RUN.get()
    if run is None:
        raise TypeError("a node has no truth value outside a builder")
    if question.dims:
        raise NotTraceableError("a branch on an array; write np.where")
    planned, decided = run
    # The same question has the same answer within one run: nodes are interned, so it is the same object.
    for known, answer in decided:
        if known is question:
            return answer
    answer = planned[len(decided)] if len(decided) < len(planned) else True
    decided.append((question, answer))
    return answer


def traced(builder: Callable[[], Any]) -> Node:
    """The graph that a builder makes."""
    # It is run once for each way its branches can go, joined by branch nodes.
    runs: list[tuple[Decided, Node]] = []
    planned: list[bool] = []
    for _ in range(MOST_PATHS):
        decided: Decided = []
        # A context variable, since threads and async tasks may declare measures at the same time.
        token = _RUN.set((planned, decided))
        try:
            result = as_node(builder())
        finally:
            _RUN.reset(token)
        runs.append((decided, result))
        answers = [answer for _, answer in decided]
        # Depth first through all answers: the last yes becomes a no, and what followed it is asked anew.
        while answers and not answers[-1]:
            answers.pop()
        if not answers:
            return _joined(runs, 0)
        planned = [*answers[:-1], False]
    raise NotTraceableError(f"more than {MOST_PATHS} ways through its branches")


def _joined(runs: Sequence[tuple[Decided, Node]], depth: int) -> Node:
    decided, result = runs[0]
    if len(decided) <= depth:
        return result
    answers = ([run for run in runs if run[0][depth][1] is answer] for answer in (True, False))
    return Node("branch", (decided[depth][0], *(_joined(each, depth + 1) for each in answers)))


# -- axes


def new_axis(value: Node, axis: int) -> Node:
    return Node("new_axis", (value,), (axis,))


def reduced(op: str, value: Node, axis: Axis, keepdims: bool = False) -> Node:
    """A sum, a product or a maximum over class axes."""
    listed = () if axis is None else axis if isinstance(axis, tuple) else (axis,)
    if not value.ndim or any(not -value.ndim <= a < value.ndim for a in listed):
        raise NotTraceableError(f"a {op} over axis {axis} of {value.ndim}")
    axes = tuple(sorted(a % value.ndim for a in listed)) or tuple(range(value.ndim))
    quantity = _named_sum(value, axes) if op == "sum" else None
    if quantity is not None:
        value = quantity
    elif op == "sum" and len(axes) > 1:
        value = Node(op, (value,), (axes,))
    else:
        for each in reversed(axes):
            value = Node(op, (value,), (each,))
    for each in axes if keepdims else ():
        value = new_axis(value, each)
    return value


def _named_sum(value: Node, axes: tuple[int, ...]) -> Node | None:
    # Row sums, column sums and the total of a matrix have names.
    # Named quantities have forms without cancellation, and measures that share one compute it once.
    if value.op == "counts" and value.ndim == 2:
        named = {(1,): "actual", (0,): "predicted", (0, 1): "total"}[axes]
        return Node(named, value.operands)
    if value.op in ("actual", "predicted") and axes == (0,) and value.ndim == 1:
        return Node("total", value.operands)
    if value.op == "take" and value.operands[0].op == "counts" and value.operands[0].ndim == 2:
        place, axis = value.static
        sums = Node("predicted" if axis else "actual", value.operands[0].operands)
        return Node("take", (sums,), (place, 0))
    return None


def indexed(value: Node, index: Any) -> Node:
    """NumPy's indexing, as far as it picks or adds axes."""
    parts = list(index) if isinstance(index, tuple) else [index]
    for at in [k for k, item in enumerate(parts) if item is Ellipsis][:1]:
        consumed = sum(p is not None and p is not Ellipsis for p in parts)
        parts[at : at + 1] = [slice(None)] * (value.ndim - consumed)
    axis = 0
    for item in parts:
        if item is None:
            value, axis = new_axis(value, axis), axis + 1
        elif isinstance(item, slice) and item == slice(None):
            axis += 1
        elif isinstance(item, (int, np.integer)) and not isinstance(item, bool):
            length = value.dims[axis] if axis < value.ndim else 0
            place = int(item)
            if isinstance(length, int):
                if not -length <= place < length:
                    raise IndexError(f"index {place} is out of bounds for axis {axis} with size {length}")
                place %= length
            row = value.op == "take" and value.static[1] == 0 and value.ndim == 1
            # m[i][j] is a cell, as m[i, j] is.
            if row and value.operands[0].op == "counts":
                value = Node("cell", value.operands[0].operands, (value.static[0], place))
            else:
                value = Node("take", (value,), (place, axis))
        else:
            raise NotTraceableError(f"the index {item!r}")
    return value


# -- NumPy's functions


def _op(name: str) -> Callable[..., Node]:
    return lambda *values: operation(name, *values)


_UFUNCS: Final[dict[Any, Callable[..., Any]]] = {
    np.add: _op("add"), np.subtract: _op("sub"), np.multiply: _op("mul"), np.true_divide: _op("div"),
    np.power: power, np.float_power: power, np.remainder: _op("mod"), np.maximum: maximum,
    np.minimum: minimum,
    np.fmax: maximum, np.fmin: minimum, np.negative: _op("neg"), np.positive: as_node,
    np.absolute: _op("abs"),
    np.sqrt: _op("sqrt"), np.log: _op("log"), np.log2: _op("log2"), np.square: lambda a: as_node(a) * a,
    np.cbrt: lambda a: power(a, Fraction(1, 3)), np.log10: lambda a: Node("log", (as_node(a),)) / Node("log",
    (as_node(10),)),
    np.log1p: lambda a: Node("log", (as_node(a) + 1,)), np.reciprocal: lambda a: 1 / as_node(a),
    np.equal: _op("eq"), np.not_equal: lambda a, b: ~Node("eq", (as_node(a), as_node(b))),
    np.less: _op("lt"), np.less_equal: _op("le"), np.greater: lambda a, b: as_node(b) < a,
    np.greater_equal: lambda a, b: as_node(b) <= a, np.logical_and: _op("and"), np.bitwise_and: _op("and"),
    np.logical_or: _op("or"), np.bitwise_or: _op("or"), np.logical_not: _op("not"), np.invert: _op("not"),
    np.isnan: _op("is_nan"), np.matmul: lambda a, b: _matmul(as_node(a), as_node(b)),
    np.isfinite: lambda a: ~Node("is_nan", (as_node(a) - a,)),
}  # fmt: skip


def traced_ufunc(ufunc: Any, method: str, inputs: Sequence[Any], options: dict[str, Any]) -> Any:
    """A ufunc applied to nodes; `where=` with `out=` picks between the two."""
    where, out = options.get("where"), options.get("out")
    if ufunc not in _UFUNCS or set(options) - {"where", "out", "dtype", "casting"}:
        raise NotTraceableError(f"np.{ufunc.__name__}{'.' + method if method != '__call__' else ''}")
    if method == "reduce":
        raise NotTraceableError(f"np.{ufunc.__name__}.reduce; write .sum or .prod")
    if method == "outer":
        first, second = (as_node(v) for v in inputs)
        return _UFUNCS[ufunc](new_axis(first, first.ndim), new_axis(second, 0))
    value = _UFUNCS[ufunc](*inputs)
    if where is None or where is True:
        return value
    if out is None:
        raise NotTraceableError(f"np.{ufunc.__name__} with where= and without out=")
    return Node("where", (as_node(where), as_node(value), as_node(out[0] if isinstance(out, tuple) else out)))


def _reduction(op: str) -> Callable[..., Node]:
    def apply(
        value: Any, axis: Any = None, dtype: Any = None, out: Any = None, keepdims: bool = False
    ) -> Node:
        node = as_node(value)
        if op == "least":
            return as_node(-reduced("greatest", -node, axis, keepdims))
        return reduced(op, node, axis, keepdims)

    return apply


def _mean(value: Any, axis: Any = None, dtype: Any = None, out: Any = None, keepdims: bool = False) -> Node:
    node = as_node(value)
    # The mean over classes is an operation: policies and weights apply to it.
    whole = axis is None or (node.ndim == 1 and axis in (0, -1))
    if node.dims == ("C",) and whole and not keepdims:
        return Node("mean", (node,))
    total = _reduction("sum")(node, axis, keepdims=keepdims)
    axes = range(node.ndim) if axis is None else axis if isinstance(axis, tuple) else (axis,)
    for reduced_axis in axes:
        total = total / _shape(node)[reduced_axis]
    return total


def _shape(node: Node) -> tuple[Any, ...]:
    # Lengths that are not known are the number of classes.
    cells = node
    while cells.op != "cells" and not all(isinstance(length, int) for length in node.dims):
        if not cells.operands:
            raise NotTraceableError("a length that is not that of the classes")
        cells = cells.operands[0]
    return tuple(length if isinstance(length, int) else Node("size", (cells,)) for length in node.dims)


def _diagonal(value: Any, offset: int = 0, axis1: int = 0, axis2: int = 1) -> Node:
    node = as_node(value)
    if offset or {axis1 % node.ndim, axis2 % node.ndim} != {0, 1} or node.ndim != 2:
        raise NotTraceableError("a diagonal beside the main one")
    return Node("hits", node.operands) if node.op == "counts" else Node("diagonal", (node,))


def _diag(value: Any, k: int = 0) -> Node:
    node = as_node(value)
    if node.ndim == 2:
        return _diagonal(node, k)
    if k or node.ndim != 1:
        raise NotTraceableError("np.diag beside the main diagonal")
    return Node("diagonal_matrix", (node,))


def _trace(value: Any, offset: int = 0, axis1: int = 0, axis2: int = 1) -> Node:
    diagonal = _diagonal(value, offset, axis1, axis2)
    return Node("all_hits", diagonal.operands) if diagonal.op == "hits" else reduced("sum", diagonal, 0)


def _matmul(a: Node, b: Node) -> Node:
    if not (1 <= a.ndim <= 2 and 1 <= b.ndim <= 2):
        raise NotTraceableError("a product of matrices of this rank")
    # The last axis of the first beside the first axis of the second.
    left = new_axis(a, a.ndim) if b.ndim == 2 else a
    right = new_axis(b, 0) if a.ndim == 2 else b
    return reduced("sum", left * right, a.ndim - 1)


def _transposed(value: Any, axes: Any = None) -> Node:
    node = as_node(value)
    return node if node.ndim < 2 else _swapped(node, 0, 1)


def _swapped(value: Any, first: int, second: int) -> Node:
    node = as_node(value)
    if {first % node.ndim, second % node.ndim} != {0, 1}:
        raise NotTraceableError(f"axes {first} and {second} of {node.ndim} exchanged")
    return Node("transpose", (node,))


def _clip(value: Any, low: Any = None, high: Any = None, **_: Any) -> Node:
    clipped = as_node(value) if low is None else maximum(value, low)
    return clipped if high is None else minimum(clipped, high)


def _without_nan(value: Any, nan: Any = 0.0, **_: Any) -> Node:
    node = as_node(value)
    return Node("where", (Node("is_nan", (node,)), as_node(nan), node))


def _nanmean(value: Any, axis: Any = None, **_: Any) -> Node:
    node = as_node(value)
    there = Node("where", (Node("is_nan", (node,)), as_node(0), as_node(1)))
    return _average(_without_nan(node), axis, there)


def _full_like(value: Any, fill_value: Any, **_: Any) -> Node:
    return as_node(as_node(value) * 0 + fill_value)


def _same(value: Any, *_: Any, **__: Any) -> Node:
    return as_node(value)


FUNCTIONS: Final[dict[str, Callable[..., Any]]] = {
    "sum": _reduction("sum"), "nansum": lambda v, axis=None, **k: reduced("sum", _without_nan(v), axis),
    "mean": _mean, "average": lambda v, axis=None, weights=None, **k: _average(v, axis, weights),
    "nanmean": _nanmean,
    "prod": _reduction("product"), "max": _reduction("greatest"), "amax": _reduction("greatest"),
    "min": _reduction("least"), "amin": _reduction("least"), "diagonal": _diagonal, "diag": _diag,
    "trace": _trace,
    "transpose": _transposed, "dot": lambda a, b: _matmul(as_node(a), as_node(b)),
    "outer": lambda a, b: new_axis(as_node(a), 1) * new_axis(as_node(b), 0),
    "where": lambda c, a, b: Node("where", (as_node(c), as_node(a), as_node(b))), "clip": _clip,
    "nan_to_num": _without_nan, "zeros_like": lambda v, **k: _full_like(v, 0.0),
    "ones_like": lambda v, **k: _full_like(v, 1.0), "full_like": _full_like,
    "copy": _same, "asarray": _same, "array": _same, "asanyarray": _same,
    "atleast_1d": _same, "squeeze": _same, "float64": _same, "float32": _same, "ascontiguousarray": _same,
    "expand_dims": lambda v, axis: new_axis(as_node(v), axis % (as_node(v).ndim + 1)),
    "shape": lambda v: _shape(as_node(v)), "ndim": lambda v: as_node(v).ndim,
    "swapaxes": _swapped,
}  # fmt: skip


def _average(value: Any, axis: Any, weights: Any) -> Node:
    if weights is None:
        return _mean(value, axis)
    node, weight_node = as_node(value), as_node(weights)
    return operation("div", reduced("sum", node * weight_node, axis), reduced("sum", weight_node, axis))


def traced_function(function: Any, args: Sequence[Any], kwargs: dict[str, Any]) -> Any:
    """A NumPy function applied to nodes."""
    name = getattr(function, "__name__", str(function))
    if name not in FUNCTIONS:
        raise NotTraceableError(f"np.{name}")
    return FUNCTIONS[name](*args, **kwargs)


_METHODS: Final = (
    "sum", "prod", "max", "min", "mean", "nansum", "swapaxes", "transpose", "diagonal", "trace", "dot",
    "clip", "copy", "squeeze",
)  # fmt: skip


def traced_attribute(node: Node, name: str) -> Any:
    """An attribute or a method of an array."""
    if name in ("T", "shape", "dtype"):
        return _transposed(node) if name == "T" else _shape(node) if name == "shape" else np.dtype(np.float64)
    if name == "astype":
        return lambda *_, **__: node
    if name in _METHODS:
        return lambda *args, **kwargs: FUNCTIONS[name](node, *args, **kwargs)
    raise NotTraceableError(f"`.{name}` of an array")


NUMPY |= {
    "ufunc": traced_ufunc, "function": traced_function, "attribute": traced_attribute, "index": indexed,
    "branch": _decided,
}  # fmt: skip
