"""Tracing users' functions: what a plain function computes, as a graph."""

# The function is run once on graph-building values, first with an unknown number of classes and, where it
# needs to know it (a loop over classes), once for each number. The measure that is examined is the graph it
# built, which is printed. `disagreement` compares the graph with the function itself on thousands of
# matrices.

from __future__ import annotations

import inspect
import math
import traceback
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import reduce
from operator import mul
from types import FunctionType, ModuleType
from typing import Any

import numpy as np

from steelyard.counts.labels import Array
from steelyard.measures import graph
from steelyard.measures.evaluate import values_on
from steelyard.measures.graph import CELLS, TWO_CELLS, Node, as_node
from steelyard.measures.operations import NotTraceableError
from steelyard.measures.tracing import FUNCTIONS, traced
from steelyard.measures.views import TwoClass
from steelyard.proofs.prover.subject import small_matrices

CELL_NAMES = ("tp", "fn", "fp", "tn")
# Floats of a function may be so far from those of its graph, relative to the value: they add in another
# order.
NEAR = 1e-6
SCALES = (1, 10, 10**3, 10**5, 10**7, 10**9, 10**12, 10**15, 2**53, 10**18, 1e-6, 1e-12)


@dataclass(frozen=True)
class Traced:
    """The graphs of a function: one for every number of classes (under 0), or one for each number."""

    graphs: dict[int, Node]
    # On which line it does something that is no operation of a graph; empty where it was traced.
    why_not: str = ""

    def at(self, n_classes: int) -> Node | None:
        return self.graphs.get(0, self.graphs.get(n_classes))


def trace(function: Callable[..., Any], sizes: Sequence[int]) -> Traced:
    """The graph that a function of tp, fn, fp, tn or of a matrix builds."""
    parameters = needed_parameters(function)
    if len(parameters) == 4:
        cells = TwoClass(TWO_CELLS)
        values = [getattr(cells, name) for name in order_of_cells(parameters)]
        return _attempted(function, {0: values})
    # A matrix of counts as a plain function is given it.
    whole = _attempted(function, {0: [Node("counts", (CELLS,))]})
    if not whole.why_not:
        return whole
    return _attempted(function, {c: [Node("counts", (Node("cells", (), (c,)),))] for c in sizes})


def _attempted(function: Callable[..., Any], arguments: dict[int, list[Node]]) -> Traced:
    graphs: dict[int, Node] = {}
    with _tracing_names(function):
        for size, values in arguments.items():
            try:
                graphs[size] = traced(lambda values=values: function(*values))  # type: ignore[misc]
                if graphs[size].dims:
                    raise NotTraceableError("a value that is not one number")
            except Exception as error:  # a user's function may do anything with nodes
                # Where and why tracing stopped.
                file = getattr(getattr(inspect.unwrap(function), "__code__", None), "co_filename", "")
                frames = traceback.extract_tb(error.__traceback__)
                lines = [frame.lineno for frame in frames if frame.filename == file]
                kind = [] if isinstance(error, NotTraceableError) and str(error) else [type(error).__name__]
                why = ": ".join([*kind, *([str(error)] if str(error) else [])])
                return Traced({}, f"line {lines[-1]}, {why}" if lines else why)
    return Traced(graphs)


def _log(x: Any, base: Any = None) -> Node:
    value = Node("log", (as_node(x),))
    return value if base is None else value / Node("log", (as_node(base),))


# What the math module is for nodes.
_MATH: dict[str, Callable[..., Any]] = {
    "sqrt": lambda x: Node("sqrt", (as_node(x),)),
    "log": _log,
    "log2": lambda x: Node("log2", (as_node(x),)),
    "pow": graph.power,
    "fabs": abs,
    "fsum": sum,
    "prod": lambda values: reduce(mul, values),
    "isnan": lambda x: Node("is_nan", (as_node(x),)),
    "hypot": lambda *v: Node("sqrt", (as_node(sum(x * x for x in v)),)),
}


def _chosen(pick: Callable[[Any, Any], Node], real: Callable[..., Any]) -> Callable[..., Any]:
    def apply(*values: Any, **options: Any) -> Any:
        numbers = list(values[0]) if len(values) == 1 else list(values)
        return reduce(pick, numbers) if _has_nodes(numbers) and not options else real(*values, **options)

    return apply


def _float(*values: Any) -> Any:
    return values[0] if len(values) == 1 and isinstance(values[0], Node) else float(*values)


@contextmanager
def _tracing_names(function: Callable[..., Any]) -> Iterator[None]:
    """While a function is traced its module sees NumPy, math, max, min and float that take nodes."""
    inner = inspect.unwrap(function)
    names: dict[str, Any] = inner.__globals__ if isinstance(inner, FunctionType) else {}
    replaced: dict[str, Any] = {}
    for name, value in names.items():
        for module, tracing in ((np, _Tracing(np, FUNCTIONS)), (math, _Tracing(math, _MATH))):
            its_name = str(getattr(value, "__name__", ""))
            if value is module:
                replaced[name] = tracing
            elif callable(value) and getattr(module, its_name, None) is value:
                replaced.setdefault(name, getattr(tracing, its_name))
    builtin = {"max": _chosen(graph.maximum, max), "min": _chosen(graph.minimum, min), "float": _float}
    added = {name: value for name, value in builtin.items() if name not in names}
    before = {name: names[name] for name in replaced}
    names.update(replaced | added)
    try:
        yield
    finally:
        for name in added:
            names.pop(name, None)
        names.update(before)


def needed_parameters(function: Callable[..., Any]) -> list[str]:
    """The arguments that a function needs."""
    try:
        return [
            p.name
            for p in inspect.signature(function).parameters.values()
            if p.default is p.empty and p.kind in (p.POSITIONAL_ONLY, p.POSITIONAL_OR_KEYWORD)
        ]
    except (TypeError, ValueError):
        return ["matrix"]


def order_of_cells(parameters: Sequence[str]) -> tuple[str, ...]:
    """Which cell each of four arguments is: by name where they are tp, fn, fp and tn, else by place."""
    return tuple(parameters) if sorted(parameters) == sorted(CELL_NAMES) else CELL_NAMES


# -- is the graph what the function computes?


def compared_matrices(n_classes: int) -> Array:
    """Small matrices, every set of empty cells, every scale, scales mixed, and fractions: shape (B, C, C)."""
    small = small_matrices(n_classes).astype(np.float64)
    draws = np.random.default_rng(7 + n_classes)
    shape = (n_classes, n_classes)
    cells = n_classes * n_classes
    if cells <= 9:
        full = (np.arange(1, 2**cells)[:, None] >> np.arange(cells)) & 1
    else:
        full = np.concatenate([draws.random((250, cells)) < share for share in (0.2, 0.5, 0.8)])
    emptied = np.where(full, draws.integers(1, 100, full.shape), 0).astype(np.float64).reshape(-1, *shape)
    scaled = []
    for scale in SCALES:
        near = draws.integers(1, 10, (6, *shape)) * float(scale)
        scaled.append(near + draws.integers(0, 10, (6, *shape)) * min(1.0, scale))
    mixed = draws.integers(1, 10, (60, *shape)) * 10.0 ** draws.integers(0, 13, (60, *shape))
    quotients = draws.integers(1, 1000, (300, *shape)) / draws.integers(1, 1000, (300, *shape))
    random = draws.integers(0, 10_000, (500, *shape)).astype(np.float64)
    every = np.concatenate([small[:400], small[-100:], emptied, *scaled, mixed, quotients, random])
    return np.asarray(every[every.sum(axis=(1, 2)) > 0])


def disagreement(
    formula: Node, two_classes: bool, n_classes: int, ask: Callable[[Array], Array]
) -> tuple[Array, float, float] | None:
    """A matrix on which the function is not its graph, with both values; None if none was found."""
    matrices = compared_matrices(n_classes)
    block = np.ascontiguousarray(np.moveaxis(matrices, 0, -1))
    with np.errstate(all="ignore"):
        expected = values_on(formula, block, two_classes)
    expected = np.where(np.isfinite(expected), expected, np.nan)
    values = ask(matrices)
    lopsided = matrices.max(axis=(1, 2)) > 1e4 * np.where(matrices > 0, matrices, np.inf).min(axis=(1, 2))
    # Where counts of very different size stand side by side, honest differences lose digits.
    within = np.where(lopsided, 1e3 * NEAR, NEAR) * np.maximum(1.0, np.abs(expected))
    with np.errstate(invalid="ignore"):
        same = (np.abs(values - expected) <= within) | (np.isnan(values) & np.isnan(expected))
    if same.all():
        return None
    k = int(np.argmin(same))
    return matrices[k], float(values[k]), float(expected[k])


@dataclass(frozen=True)
class _Tracing:
    """A module as a traced function sees it: its functions let nodes pass."""

    module: ModuleType
    functions: Mapping[str, Callable[..., Any]]

    def __getattr__(self, name: str) -> Any:
        real, apply = getattr(self.module, name), self.functions.get(name)
        if self.module is np and name in ("zeros", "ones", "empty", "full"):
            return lambda *args, **kwargs: real(*args, **{**kwargs, "dtype": object})
        if apply is None or not callable(real):
            return real
        return lambda *args, **kwargs: (apply if _has_nodes(args) else real)(*args, **kwargs)


def _has_nodes(values: Any) -> bool:
    if isinstance(values, np.ndarray):
        return bool(values.dtype == object)
    return isinstance(values, Node) or (isinstance(values, (list, tuple)) and any(map(_has_nodes, values)))
