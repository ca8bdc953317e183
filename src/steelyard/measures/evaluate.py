"""The interpreter: evaluate graphs on one matrix or on millions, in any number type."""

# A graph is compiled once for a number of classes into a list of steps (branches on the number of classes
# fall away, what several graphs share is computed once, what is no longer needed is freed). Counts of
# shape (..., C, C) are cut into chunks that stay in cache, turned so that the batch is the last axis, and
# run through the steps. What an operation does stands in `operations`.

from __future__ import annotations

import functools
import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from fractions import Fraction
from typing import Any

import numpy as np

from steelyard.counts.confusion import Confusion
from steelyard.counts.labels import Array, Label
from steelyard.measures.graph import Node, remade, topological
from steelyard.measures.matrix import SIDES, ClassTotals, Matrix, NeedsEveryCellError, scaled_near_one
from steelyard.measures.numbers import Floats, Fractions, Numbers, as_fraction
from steelyard.measures.operations import OPERATIONS, SIZE
from steelyard.measures.sparse import SparseFloats, sparse_matrix
from steelyard.measures.undefined import NAN, Policy, Reasons
from steelyard.measures.views import Engine

# Cells per chunk: measured best between 4,096 and 16,384 matrices of 5 x 5.
_CHUNK_CELLS = 1 << 17
# Of many classes a chunk holds this many matrices if they are not too large: with a dozen, NumPy is busy
# with starting loops (a hundred classes: 0.20 s against 0.12 s).
_WORTH_A_CHUNK, _MOST_CHUNK_CELLS = 48, 1 << 19


# The value of a node that needs cells which are not at hand.
_UNKNOWN = object()


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

    def run(self, graphs: tuple[Node, ...]) -> list[Any]:
        """The value of each graph; None where it needs cells that are not at hand."""
        steps, roots = _compiled(graphs, self.matrix.n_classes)
        slots: list[Any] = [_UNKNOWN] * len(steps)
        for k, (apply, operands, static, done) in enumerate(steps):
            values = [slots[i] for i in operands]
            if not any(value is _UNKNOWN for value in values):
                with suppress(NeedsEveryCellError):
                    slots[k] = apply(self, *values, *static)
            for i in done:
                slots[i] = _UNKNOWN
        results = [None if slots[k] is _UNKNOWN else slots[k] for k in roots]
        if self.numbers.reasons is not None and any(value is None for value in results):
            self.numbers.reasons.clear()
        return results

    def lazily(self, node: Node, known: dict[Node, Any]) -> Any:
        """The value of a graph of one matrix, of whose branches only those taken are evaluated."""
        # A branch that is not taken may have no value in algebra.
        if node not in known:
            if node.op == "branch":
                taken = bool(np.asarray(self.lazily(node.operands[0], known)).reshape(-1)[0])
                known[node] = self.lazily(node.operands[1 if taken else 2], known)
            else:
                values = [self.lazily(o, known) for o in node.operands]
                known[node] = OPERATIONS[node.op].value(self, *values, *node.static)
        return known[node]


# What to apply, to which earlier steps, with which constants, and which steps are done with then.
Step = tuple[Callable[..., Any], tuple[int, ...], tuple[Any, ...], tuple[int, ...]]


@functools.lru_cache(maxsize=1024)
def _compiled(graphs: tuple[Node, ...], n_classes: int) -> tuple[list[Step], list[int]]:
    # The steps of several graphs, and which of them are their values.
    pruned = _pruned(graphs, n_classes)
    order = topological(pruned)
    place = {node: k for k, node in enumerate(order)}
    roots = [place[node] for node in pruned]
    last = {operand: place[node] for node in order for operand in node.operands}
    done: dict[int, list[int]] = {}
    # A value is freed after the last step that uses it: a chunk of a million matrices then stays in cache.
    for node, k in last.items():
        if place[node] not in roots:
            done.setdefault(k, []).append(place[node])
    steps = []
    for k, node in enumerate(order):
        operands, freed = tuple(place[o] for o in node.operands), tuple(done.get(k, ()))
        steps.append((OPERATIONS[node.op].value, operands, node.static, freed))
    return steps, roots


@functools.lru_cache(maxsize=1024)
def _pruned(roots: tuple[Node, ...], n_classes: int) -> tuple[Node, ...]:
    # The graphs for a known number of classes: it is a number, and branches on it are taken.
    pruned: dict[Node, Node] = {}
    for node in topological(roots):
        if node.op == SIZE:
            pruned[node] = Node("number", (), (n_classes,))
            continue
        operands = [pruned[o] for o in node.operands]
        if node.op == "branch" and (answer := constant_value(operands[0])) is not None:
            pruned[node] = operands[1 if answer else 2]
            continue
        pruned[node] = remade(node, operands)
    return tuple(pruned[root] for root in roots)


def at_size(graph: Node, n_classes: int, known: Mapping[Node, Any] | None = None) -> Any:
    """The number that a graph of the number of classes, and of nodes with known values, comes to."""
    # While a bound is traced the number is a node, and every branch on it must be asked for again.
    pruned = _pruned.__wrapped__ if isinstance(n_classes, Node) else _pruned
    root = pruned((graph,), n_classes)[0]
    values = dict(known or {})
    for node in topological((root,)):
        if node not in values:
            values[node] = _scalar(node, [values[o] for o in node.operands])
    return values[root]


@functools.lru_cache(maxsize=4096)
def constant_value(node: Node) -> Any:
    """What a graph of constants comes to; None where it is made of counts."""
    return _scalar(node, [constant_value(o) for o in node.operands])


def _scalar(node: Node, values: Sequence[Any]) -> Any:
    # The plain number that a node is, given those of its operands; None where it is none.
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
    """The value of each graph on each matrix, every array in the shape of the batch."""
    # With `positive`, the graphs are of two classes and see [[tp, fn], [fp, tn]]; without, all classes.
    # With `unit` they depend on the unit in which examples are weighed, so weights cannot be scaled to
    # stay numbers.
    _keep_freed_memory()
    out = np.empty((len(graphs), math.prod(matrices.batch_shape)))
    for places, results in _runs(tuple(graphs), matrices, positive, Floats(policy), unit):
        for row, value in zip(out, results, strict=True):
            row[places] = value
    # What even the terms' fill could not give a value to, such as priors for an absent class.
    if policy.fills:
        out[np.isnan(out)] = policy.fill
    return [row.reshape(matrices.batch_shape) for row in out]


def reasons(graph: Node, matrices: Confusion, positive: int | None, unit: bool = False) -> list[str | None]:
    """Why the value is undefined: for each matrix of the batch, words, or None where it is defined."""
    recorder = Reasons()
    words: list[str | None] = [None] * math.prod(matrices.batch_shape)
    for places, (value,) in _runs((graph,), matrices, positive, Floats(Policy(), recorder), unit):
        positions = np.arange(len(words))[places]
        missing = np.flatnonzero(np.isnan(np.broadcast_to(value, positions.shape)))
        for position, text in zip(positions[missing].tolist(), recorder.at_each(missing), strict=True):
            words[position] = text
        recorder.clear()
    return words


def _runs(
    graphs: tuple[Node, ...], matrices: Confusion, positive: int | None, numbers: Floats, unit: bool
) -> Iterator[tuple[Any, list[Any]]]:
    # The values of graphs part by part: the places of some matrices, and a value of each graph there.
    # Of thousands of classes most graphs need the occupied cells only; those that need all are left for the
    # dense matrix.
    sparse = sparse_matrix(matrices, unit) if positive is None else None
    known: dict[Node, Any] = {}
    if sparse is not None:
        evaluation = Evaluation(sparse, SparseFloats(numbers.policy, numbers.reasons))
        known = dict(zip(graphs, evaluation.run(graphs), strict=True))
    left = tuple(graph for graph in graphs if known.get(graph) is None)
    if not left:
        yield slice(None), list(known.values())
        return
    for places, matrix in _matrices(matrices, positive, unit):
        values = [NAN] * len(left) if matrix is None else Evaluation(matrix, numbers).run(left)
        known |= zip(left, values, strict=True)
        yield places, [known[graph] for graph in graphs]


def exact_value(graph: Node, counts: Array, matrix: Confusion, positive: int | None, policy: Policy) -> Any:
    """The value on one matrix of fractions (C, C) in rational arithmetic; NaN where it is undefined."""
    ((_, seen),) = _of_block(counts.reshape(*counts.shape[-2:], 1), matrix, positive)
    value: Any = NAN if seen is None else value_of(graph, seen, Fractions(policy))
    if isinstance(value, float):
        return as_fraction(policy.fill) if policy.fills else value
    return Fraction(value)


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
    (value,) = Evaluation(matrix, Floats(Policy())).run((graph,))
    return np.broadcast_to(np.asarray(value, dtype=np.float64), block.shape[2:])


def _nameless(size: int, two_classes: bool) -> Sequence[Label]:
    return SIDES if two_classes else [f"c{i + 1}" for i in range(size)]


def value_given(graph: Node, known: Mapping[Node, Any], numbers: Numbers) -> Any:
    """The value of a graph, the value of some of whose nodes is known, in any number type."""
    # No cell is asked for: every leaf is among the nodes whose value is given.
    nothing = Matrix.of_classes(np.zeros((1, 1, 1)), ["c1"])
    return Evaluation(nothing, numbers).lazily(graph, dict(known))


def values_of_totals(graph: Node, totals: ClassTotals, policy: Policy) -> Array | None:
    """The values where only totals of classes are known; None if the graph needs cells."""
    (computed,) = Evaluation(totals, Floats(policy)).run((graph,))
    if computed is None:
        return None
    values = np.array(np.broadcast_to(computed, totals.hits.shape[1:]), dtype=np.float64)
    values[np.isnan(values)] = policy.fill
    return values


@functools.cache
def _keep_freed_memory() -> None:
    # Let the C library keep the memory of one chunk for the next.
    # glibc takes the largest block that was freed (up to 32 MB) for the size of blocks worth keeping.
    # Without this, a million matrices through nine measures ask the kernel for a million pages and take
    # 3.5 times as long. The block is never written to.
    np.empty(1 << 24, dtype=np.uint8)


def _matrices(matrices: Confusion, positive: int | None, unit: bool) -> Iterator[tuple[Any, Matrix | None]]:
    # What the graphs see, chunk by chunk, with its places; None for a matrix that holds nothing.
    flat = matrices.counts.reshape(-1, matrices.n_classes, matrices.n_classes)
    cells = matrices.n_classes**2
    size = max(1, _CHUNK_CELLS // cells, min(_WORTH_A_CHUNK, _MOST_CHUNK_CELLS // cells))
    for start in range(0, len(flat), size):
        chunk = flat[start : start + size]
        # With the batch as last axis every operation runs over contiguous memory.
        block = np.ascontiguousarray(np.moveaxis(chunk, 0, -1))
        for where, matrix in _of_block(block if unit else scaled_near_one(block, (0, 1)), matrices, positive):
            everywhere = slice(start, start + len(chunk))
            yield everywhere if where is None else start + where, matrix


def _of_block(block: Array, matrices: Confusion, positive: int | None) -> Iterator[tuple[Any, Matrix | None]]:
    # The same of a block of shape (C, C, batch): the places in it, None for all of them.
    if positive is not None:
        order = [positive, 1 - positive]
        labels = [matrices.labels[i] for i in order]
        # c1 and c2 are what classes are called that nobody named; priors may be given by these names all the
        # same.
        nameless = not matrices.listed and matrices.labels == ("c1", "c2")
        names = SIDES if nameless else labels
        # With the positive class first the block serves as it is.
        cells = block[order][:, order] if positive else block
        yield None, Matrix(cells, lambda at: names[at[0]], labels)
        return
    matrix = Matrix.of_classes(block, matrices.labels)
    if matrices.listed or matrix.occupied.all():
        yield None, matrix
        return
    # A class that the caller did not name and that holds nothing is left out, matrix by matrix.
    patterns, which = np.unique(matrix.occupied, axis=1, return_inverse=True)
    for number, pattern in enumerate(patterns.T):
        where = np.flatnonzero(which.reshape(-1) == number)
        indices = np.flatnonzero(pattern)
        present: list[Label] = [matrices.labels[i] for i in indices]
        occupied = block[np.ix_(indices, indices, where)]
        yield where, Matrix.of_classes(occupied, present, matrices.labels) if len(indices) else None
