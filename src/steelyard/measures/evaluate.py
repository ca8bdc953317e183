"""The interpreter: evaluate graphs on one matrix or on millions, in any number type.

A graph is compiled once for a number of classes into a list of steps (branches on the number of classes fall
away, what several graphs share is computed once, what is no longer needed is freed). Counts of shape (..., C,
C) are cut into chunks that stay in cache, turned so that the batch is the last axis, and run through the
steps. What an operation does stands in `operations`.
"""

from __future__ import annotations

import functools
import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray

from steelyard.counts.confusion import Confusion
from steelyard.counts.labels import Label
from steelyard.measures.graph import Node, remade, topological
from steelyard.measures.matrix import (
    NEGATIVE,
    POSITIVE,
    ClassTotals,
    Matrix,
    NeedsEveryCellError,
    scaled_near_one,
)
from steelyard.measures.numbers import Floats, Fractions, Numbers, as_fraction
from steelyard.measures.operations import OPERATIONS, SIZE
from steelyard.measures.sparse import SparseFloats, sparse_matrix
from steelyard.measures.undefined import NAN, Policy, Reasons
from steelyard.measures.views import Engine

Array = NDArray[Any]

# Cells per chunk: measured best between 4,096 and 16,384 matrices of 5 x 5.
_CHUNK_CELLS = 1 << 17
# Of many classes a chunk holds this many matrices if they are not too large: with a dozen, NumPy is busy
# with starting loops (a hundred classes: 0.20 s against 0.12 s).
_WORTH_A_CHUNK, _MOST_CHUNK_CELLS = 48, 1 << 19


class Evaluation(Engine):
    """One matrix (or batch) in one number type: applies operations to values."""

    def __init__(self, matrix: Matrix, numbers: Numbers) -> None:
        self.matrix, self.numbers = matrix, numbers

    def apply(self, op: str, operands: Sequence[Any], static: Sequence[Any] = ()) -> Any:
        return OPERATIONS[op].value(self, *operands, *static)

    def number(self, value: Any) -> Any:
        return self.numbers.number(value)

    def size_of(self, matrix: Any) -> Any:
        return matrix.n_classes

    def run(self, program: Program) -> list[Any]:
        """The values of the program's roots."""
        slots: list[Any] = [None] * len(program.steps)
        for k, (apply, operands, static, done) in enumerate(program.steps):
            slots[k] = apply(self, *[slots[i] for i in operands], *static)
            for i in done:
                slots[i] = None
        return [slots[k] for k in program.roots]

    def lazily(self, node: Node, known: dict[Node, Any]) -> Any:
        """The value of a graph of one matrix, of which only the branches that are taken are evaluated: a
        branch that is not taken may have no value in algebra."""
        if node not in known:
            if node.op == "branch":
                taken = bool(np.asarray(self.lazily(node.operands[0], known)).reshape(-1)[0])
                known[node] = self.lazily(node.operands[1 if taken else 2], known)
            else:
                values = [self.lazily(o, known) for o in node.operands]
                known[node] = OPERATIONS[node.op].value(self, *values, *node.static)
        return known[node]


Step = tuple[Callable[..., Any], tuple[int, ...], tuple[Any, ...], tuple[int, ...]]


class Program:
    """The steps of several graphs: what to apply, to which earlier steps, and which of them are done with
    then."""

    def __init__(self, roots: Sequence[Node], n_classes: int) -> None:
        pruned = _pruned(roots, n_classes)
        order = topological(tuple(pruned))
        place = {node: k for k, node in enumerate(order)}
        self.roots = [place[node] for node in pruned]
        last = {operand: place[node] for node in order for operand in node.operands}
        done: dict[int, list[int]] = {}
        # A value is freed after the last step that uses it: a chunk of a million matrices then stays in
        # cache.
        for node, k in last.items():
            if place[node] not in self.roots:
                done.setdefault(k, []).append(place[node])
        self.steps: list[Step] = [
            (
                OPERATIONS[node.op].value,
                tuple(place[o] for o in node.operands),
                node.static,
                tuple(done.get(k, ())),
            )
            for k, node in enumerate(order)
        ]


@functools.lru_cache(maxsize=1024)
def compiled(roots: tuple[Node, ...], n_classes: int) -> Program:
    return Program(roots, n_classes)


def _pruned(roots: Sequence[Node], n_classes: int) -> list[Node]:
    """The graphs for a known number of classes: it is a number, and branches on it are taken."""
    pruned: dict[Node, Node] = {}
    for node in topological(tuple(roots)):
        if node.op == SIZE:
            pruned[node] = Node("number", (), (n_classes,))
            continue
        operands = [pruned[o] for o in node.operands]
        if node.op == "branch" and (answer := constant_value(operands[0])) is not None:
            pruned[node] = operands[1 if answer else 2]
            continue
        pruned[node] = remade(node, operands)
    return [pruned[root] for root in roots]


def at_size(graph: Node, n_classes: int, known: Mapping[Node, Any] | None = None) -> Any:
    """The number that a graph of the number of classes, and of nodes with known values, comes to."""
    # While a bound is traced the number is a node, and every branch on it must be asked for again.
    root = _pruned((graph,), n_classes)[0] if isinstance(n_classes, Node) else _at_size(graph, n_classes)
    values = dict(known or {})
    for node in topological((root,)):
        if node not in values:
            values[node] = _scalar(node, [values[o] for o in node.operands])
    return values[root]


@functools.lru_cache(maxsize=1024)
def _at_size(graph: Node, n_classes: int) -> Node:
    return _pruned((graph,), n_classes)[0]


@functools.lru_cache(maxsize=4096)
def constant_value(node: Node) -> Any:
    """What a graph of constants comes to; None where it is made of counts."""
    return _scalar(node, [constant_value(o) for o in node.operands])


def _scalar(node: Node, values: Sequence[Any]) -> Any:
    """The plain number that a node is, given those of its operands; None where it is none."""
    if node.op == "number":
        return node.static[0]
    if not node.operands or node.op in ("array", "stack"):
        return None
    if node.op == "branch":
        return None if values[0] is None else values[1 if values[0] else 2]
    plain = OPERATIONS[node.op].plain
    return None if plain is None or any(v is None for v in values) else plain(*values)


# -- one matrix or millions


def values(
    graphs: Sequence[Node], matrices: Confusion, positive: int | None, policy: Policy, unit: bool = False
) -> list[Array]:
    """The value of each graph on each matrix, every array in the shape of the batch.

    With `positive`, the graphs are of two classes and see [[tp, fn], [fp, tn]]; without, all classes. With
    `unit` they depend on the unit in which examples are weighed, so weights cannot be scaled to stay numbers.
    """
    roots = tuple(graphs)
    _keep_freed_memory()
    out = np.empty((len(roots), math.prod(matrices.batch_shape)))
    numbers = Floats(policy)
    # Of thousands of classes most graphs need the occupied cells only; those that need all are left for the
    # dense matrix.
    left = list(range(len(roots)))
    sparse = sparse_matrix(matrices, unit) if positive is None else None
    if sparse is not None:
        left = [k for k in left if not _sparse_value(roots[k], sparse, numbers, out[k])]
    dense = tuple(roots[k] for k in left)
    for chunk, where, results in _runs(dense, matrices, positive, numbers, unit) if left else ():
        for k, value in zip(left, results, strict=True):
            out[k, chunk][where] = value
    # What even the terms' fill could not give a value to, such as priors for an absent class.
    if policy.fills:
        out[np.isnan(out)] = policy.fill
    return [row.reshape(matrices.batch_shape) for row in out]


def reasons(graph: Node, matrices: Confusion, positive: int | None, unit: bool = False) -> list[str | None]:
    """Why the value is undefined: for each matrix of the batch, words, or None where it is defined."""
    recorder, value = Reasons(), np.empty(1)
    numbers = Floats(Policy(), recorder)
    sparse = sparse_matrix(matrices, unit) if positive is None else None
    if sparse is not None and _sparse_value(graph, sparse, numbers, value):
        return [recorder.at(0) if np.isnan(value[0]) else None]
    recorder.clear()
    words: list[str | None] = [None] * math.prod(matrices.batch_shape)
    for chunk, where, (results,) in _runs((graph,), matrices, positive, numbers, unit):
        positions = np.arange(chunk.start, chunk.stop)[where]
        missing = np.flatnonzero(np.isnan(np.broadcast_to(results, positions.shape)))
        for position, text in zip(positions[missing].tolist(), recorder.at_each(missing), strict=True):
            words[position] = text
        recorder.clear()
    return words


def _runs(
    graphs: tuple[Node, ...], matrices: Confusion, positive: int | None, numbers: Floats, unit: bool
) -> Iterator[tuple[slice, Any, list[Any]]]:
    """The values of graphs chunk by chunk: which matrices of which chunk they are of, and one each."""
    for chunk, block in _chunks(matrices, unit):
        for where, matrix in _matrices(block, matrices, positive):
            if matrix is None:
                yield chunk, where, [NAN] * len(graphs)
            else:
                yield chunk, where, Evaluation(matrix, numbers).run(compiled(graphs, matrix.n_classes))


def exact_value(graph: Node, counts: Array, matrix: Confusion, positive: int | None, policy: Policy) -> Any:
    """The value on one matrix of fractions (C, C) in rational arithmetic; NaN where it is undefined."""
    block = counts.reshape(*counts.shape[-2:], 1)
    for _, seen in _matrices(block, matrix, positive):
        value: Any = NAN if seen is None else value_of(graph, seen, Fractions(policy))
        if isinstance(value, float) and policy.fills:
            return as_fraction(policy.fill)
        return value if isinstance(value, float) else Fraction(value)
    raise AssertionError("a block has at least one matrix")


def value_of(graph: Node, matrix: Matrix, numbers: Numbers) -> Any:
    """The value on one matrix of numbers that are Python objects."""
    # Not compiled: of objects one matrix is evaluated at a time, and untaken branches must not be.
    (root,) = _pruned((graph,), matrix.n_classes)
    return np.broadcast_to(np.asarray(Evaluation(matrix, numbers).lazily(root, {}), dtype=object), (1,))[0]


def value_on(graph: Node, cells: Array, numbers: Numbers, two_classes: bool) -> Any:
    """The value on one matrix (C, C) of any number type; classes are called c1, c2, ..."""
    block = np.empty((*cells.shape, 1), dtype=object)
    block[..., 0] = cells
    return value_of(graph, Matrix.of_classes(block, _nameless(len(cells), two_classes)), numbers)


def values_on(graph: Node, block: Array, two_classes: bool) -> Array:
    """The values on floats of shape (C, C, batch); classes are called c1, c2, ..."""
    matrix = Matrix.of_classes(block, _nameless(len(block), two_classes))
    value = Evaluation(matrix, Floats(Policy())).run(compiled((graph,), len(block)))[0]
    return np.broadcast_to(np.asarray(value, dtype=np.float64), block.shape[2:])


def _nameless(size: int, two_classes: bool) -> Sequence[Label]:
    return (POSITIVE, NEGATIVE) if two_classes else [f"c{i + 1}" for i in range(size)]


def value_given(graph: Node, known: Mapping[Node, Any], numbers: Numbers) -> Any:
    """The value of a graph, the value of some of whose nodes is known, in any number type."""
    # No cell is asked for: every leaf is among the nodes whose value is given.
    nothing = Matrix.of_classes(np.zeros((1, 1, 1)), ["c1"])
    return Evaluation(nothing, numbers).lazily(graph, dict(known))


def values_of_totals(graph: Node, totals: ClassTotals, policy: Policy) -> Array | None:
    """The values on a batch of which only the totals of the classes are known; None if the graph needs
    cells."""
    try:
        program = compiled((graph,), totals.n_classes)
        computed = Evaluation(totals, Floats(policy)).run(program)[0]
    except NeedsEveryCellError:
        return None
    values = np.array(np.broadcast_to(computed, totals.hits.shape[1:]), dtype=np.float64)
    if policy.fills:
        values[np.isnan(values)] = policy.fill
    return values


def _sparse_value(graph: Node, matrix: Matrix, numbers: Floats, value: Array) -> bool:
    """Could the graph be evaluated on the cells that are not empty? Then this is its value."""
    try:
        program = compiled((graph,), matrix.n_classes)
        value[:] = Evaluation(matrix, SparseFloats(numbers.policy, numbers.reasons)).run(program)[0]
    except NeedsEveryCellError:
        return False
    return True


@functools.cache
def _keep_freed_memory() -> None:
    """Let the C library keep the memory of one chunk for the next, instead of giving it back and asking for
    it again.

    glibc takes the largest block that was freed (up to 32 MB) for the size of blocks worth keeping. Without
    this, a million matrices through nine measures ask the kernel for a million pages and take 3.5 times as
    long. The block is never written to.
    """
    np.empty(1 << 24, dtype=np.uint8)


def _chunks(matrices: Confusion, unit: bool) -> Iterator[tuple[slice, Array]]:
    flat = matrices.counts.reshape(-1, matrices.n_classes, matrices.n_classes)
    cells = matrices.n_classes**2
    size = max(1, _CHUNK_CELLS // cells, min(_WORTH_A_CHUNK, _MOST_CHUNK_CELLS // cells))
    for start in range(0, len(flat), size):
        chunk = slice(start, min(start + size, len(flat)))
        # With the batch as last axis every operation runs over contiguous memory.
        block = np.ascontiguousarray(np.moveaxis(flat[chunk], 0, -1))
        yield chunk, block if unit else scaled_near_one(block, (0, 1))


def _matrices(block: Array, matrices: Confusion, positive: int | None) -> Iterator[tuple[Any, Matrix | None]]:
    """What the graphs see, with the part of the block it stands for; None for a matrix that holds nothing."""
    if positive is not None:
        order = [positive, 1 - positive]
        labels = [matrices.labels[i] for i in order]
        # c1 and c2 are what classes are called that nobody named; priors may be given by these names all the
        # same.
        nameless = not matrices.listed and matrices.labels == ("c1", "c2")
        names = [POSITIVE, NEGATIVE] if nameless else labels
        # With the positive class first the block serves as it is.
        cells = block[order][:, order] if positive else block
        yield slice(None), Matrix(cells, lambda at: names[at[0]], labels)
        return
    matrix = Matrix.of_classes(block, matrices.labels)
    if matrices.listed or matrix.occupied.all():
        yield slice(None), matrix
        return
    # A class that the caller did not name and that holds nothing is left out, matrix by matrix.
    patterns, which = np.unique(matrix.occupied, axis=1, return_inverse=True)
    for number, pattern in enumerate(patterns.T):
        where = which.reshape(-1) == number
        indices = np.flatnonzero(pattern)
        present: list[Label] = [matrices.labels[i] for i in indices]
        occupied = block[np.ix_(indices, indices, np.flatnonzero(where))]
        yield where, Matrix.of_classes(occupied, present, matrices.labels) if len(indices) else None
