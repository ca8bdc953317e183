"""The interpreter: evaluate graphs on one matrix or on millions, in any number type.

A graph is compiled once for a number of classes into a list of steps (branches on the number of classes fall
away, what several graphs share is computed once, what is no longer needed is freed). Counts of shape (..., C,
C) are cut into chunks that stay in cache, turned so that the batch is the last axis, and run through the
steps. What happens where a denominator is 0 is decided here and nowhere else: a ratio knows its reason, the
policy is the caller's.
"""

from __future__ import annotations

import functools
import operator
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from steelyard.counts.confusion import Confusion
from steelyard.counts.labels import Label, quoted
from steelyard.errors import InputError
from steelyard.measures import class_numbers
from steelyard.measures.graph import QUANTITIES, SIZE, Node, remade, topological
from steelyard.measures.matrix import (
    NEGATIVE,
    POSITIVE,
    ClassTotals,
    Matrix,
    NeedsEveryCellError,
    scaled_near_one,
    without_each,
    without_own,
)
from steelyard.measures.numbers import Floats, Fractions, Numbers, as_fraction
from steelyard.measures.sparse import SparseCells, SparseFloats, sparse_matrix
from steelyard.measures.undefined import NAN, Policy, Reasons
from steelyard.measures.views import Classes, Engine, TwoClass

Array = NDArray[Any]

_CHUNK_CELLS = 1 << 17
"""Cells per chunk: measured best between 4,096 and 16,384 matrices of 5 x 5."""
_WORTH_A_CHUNK, _MOST_CHUNK_CELLS = 48, 1 << 19
"""Of many classes a chunk holds this many matrices if they are not too large: with a dozen, NumPy is busy
with starting loops (a hundred classes: 0.20 s against 0.12 s)."""
NO_WEIGHT = "no class with a defined term has any weight"
RATES_UNKNOWN = "there are no examples of {label}, so nothing is known about it at other priors"


class Evaluation(Engine):
    """One matrix (or batch) in one number type: applies operations to values."""

    def __init__(self, matrix: Matrix, numbers: Numbers) -> None:
        self.matrix, self.numbers = matrix, numbers

    def apply(self, op: str, operands: Sequence[Any], static: Sequence[Any] = ()) -> Any:
        return _APPLY[op](self, *operands, *static)

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
                known[node] = _APPLY[node.op](self, *values, *node.static)
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
        for node, k in last.items():
            if place[node] not in self.roots:
                done.setdefault(k, []).append(place[node])
        self.steps: list[Step] = [
            (_APPLY[node.op], tuple(place[o] for o in node.operands), node.static, tuple(done.get(k, ())))
            for k, node in enumerate(order)
        ]


@functools.lru_cache(maxsize=1024)
def compiled(roots: tuple[Node, ...], n_classes: int) -> Program:
    return Program(roots, n_classes)


def _pruned(roots: Sequence[Node], n_classes: int) -> list[Node]:
    """The graphs for a known number of classes: it is a number, and branches on it are taken."""
    made: dict[Node, Node] = {}
    for node in topological(tuple(roots)):
        if node.op == SIZE:
            made[node] = Node("number", (), (n_classes,))
            continue
        operands = [made[o] for o in node.operands]
        if node.op == "branch" and (answer := _known(operands[0])) is not None:
            made[node] = operands[1 if answer else 2]
            continue
        made[node] = remade(node, operands)
    return [made[root] for root in roots]


def at_size(graph: Node, n_classes: int) -> Any:
    """The number that a graph of the number of classes comes to."""
    return constant_value(_pruned((graph,), n_classes)[0])


def _known(condition: Node) -> bool | None:
    """The answer to a question about constants; None where it depends on the counts."""
    value = constant_value(condition)
    return None if value is None else bool(value)


@functools.lru_cache(maxsize=4096)
def constant_value(node: Node) -> Any:
    """What a graph of constants comes to; None where it is made of counts."""
    if node.op == "number":
        return node.static[0]
    if not node.operands or node.op in ("array", "stack"):
        return None
    values = [constant_value(o) for o in node.operands]
    if node.op == "branch":
        return None if values[0] is None else values[1 if values[0] else 2]
    if any(v is None for v in values) or node.op not in _SCALAR:
        return None
    return _SCALAR[node.op](*values)


def _exact_or_float_quotient(a: Any, b: Any) -> Any:
    if b == 0:
        return NAN
    return Fraction(a, b) if isinstance(a, (int, Fraction)) and isinstance(b, (int, Fraction)) else a / b


_SCALAR: Final[dict[str, Callable[..., Any]]] = {
    "add": operator.add, "sub": operator.sub, "mul": operator.mul, "mod": operator.mod, "neg": operator.neg,
    "abs": abs, "eq": operator.eq, "lt": operator.lt, "le": operator.le, "not": operator.not_,
    "and": lambda a, b: a and b, "or": lambda a, b: a or b, "div": _exact_or_float_quotient, "max": max,
    "min": min,
    "sqrt": lambda a: float(np.sqrt(float(a))), "log": lambda a: float(np.log(float(a))),
    "angle": lambda a: float(np.arccos(np.clip(float(a), -1, 1)) / np.pi),
    "log2": lambda a: float(np.log2(float(a))), "power": lambda a,
    b: a ** (int(b) if b == int(b) else float(b)),
}  # fmt: skip
"""Operations on plain numbers: constants are folded, bounds and relations are worked out."""


# -- operations


def _quotient(
    ev: Evaluation, numerator: Any, denominator: Any, about: Matrix, because: str, fill: float
) -> Any:
    values, zero = ev.numbers.divide(numerator, denominator, fill)
    reasons = ev.numbers.reasons
    if reasons is not None and zero.any():
        reasons.record(np.atleast_1d(zero), lambda index: about.describe(because, index))
    return values


def _ratio(ev: Evaluation, numerator: Any, denominator: Any, about: Matrix, because: str) -> Any:
    return _quotient(ev, numerator, denominator, about, because, ev.numbers.policy.fill)


def _needed_ratio(ev: Evaluation, numerator: Any, denominator: Any, about: Matrix, because: str) -> Any:
    return _quotient(ev, numerator, denominator, about, because, NAN)


def _half_turns(ev: Evaluation, adjacent: Any, hypotenuse: Any, about: Matrix, because: str) -> Any:
    """The angle; where there is none the policy decides on the angle, not on its cosine."""
    angle = ev.numbers.half_turns(_needed_ratio(ev, adjacent, hypotenuse, about, because))
    fill = ev.numbers.policy.fill
    _, missing = ev.numbers.divide(adjacent, hypotenuse, fill)
    return ev.numbers.choose(missing, fill if fill != fill else ev.number(fill), angle)


def _undefined(ev: Evaluation, about: Matrix, because: str) -> Any:
    nothing = ev.numbers.native(about.total * 0)
    return _ratio(ev, nothing, nothing, about, because)


def _mean(ev: Evaluation, terms: Any, weights: Any = None) -> Any:
    """The mean over the first axis, weighted if weights are given; under "skip" over the defined terms."""
    if weights is None and not ev.numbers.policy.skips:
        return np.asarray(terms.sum(axis=0) / terms.shape[0])
    shares, kept = _shares(ev, terms, weights)
    return np.asarray((ev.numbers.choose(~kept, ev.number(0), terms) * shares).sum(axis=0))


def _geometric_mean(ev: Evaluation, terms: Any, weights: Any = None) -> Any:
    """The geometric mean over the first axis; a 0 stays exactly 0."""
    shares, kept = _shares(ev, terms, weights)
    return ev.numbers.weighted_geometric_mean(ev.numbers.choose(~kept, ev.number(1), terms), shares)


def _shares(ev: Evaluation, terms: Any, weights: Any) -> tuple[Array, Array]:
    """The share of each class in a mean, and which classes take part: not those of weight 0, nor undefined
    ones under "skip"."""
    if weights is None:
        weights = np.full((terms.shape[0],) + (1,) * (terms.ndim - 1), ev.number(1))
    elif weights.ndim < terms.ndim:
        weights = weights.reshape(*weights.shape, *([1] * (terms.ndim - weights.ndim)))
    kept = np.broadcast_to(weights != 0, terms.shape)
    if ev.numbers.policy.skips:
        kept = kept & ~ev.numbers.is_nan(terms)
        weights = weights * kept
    total = np.asarray(weights.sum(axis=0))
    shares, zero = ev.numbers.divide(weights, total, NAN)
    if ev.numbers.reasons is not None and zero.any():
        ev.numbers.reasons.record(zero, lambda index: NO_WEIGHT)
    return shares, kept


def _at_priors(ev: Evaluation, matrix: Matrix, priors: Any) -> Matrix:
    """Each row scaled so that its class has its prior; the rates of a class without examples are not
    known."""
    shares, unknown = priors if isinstance(priors, tuple) else (priors, None)
    skips = ev.numbers.policy.skips
    rates = _needed_ratio(ev, ev.number(1), ev.numbers.native(matrix.actual), matrix, RATES_UNKNOWN)
    if skips:
        rates = ev.numbers.choose(ev.numbers.is_nan(rates), ev.number(0), rates)
    elif unknown is not None:
        rates = rates * NAN
        if ev.numbers.reasons is not None:
            ev.numbers.reasons.record(
                np.ones((1,), dtype=bool), lambda index: RATES_UNKNOWN.format(label=quoted(unknown))
            )
    if np.ndim(shares):
        shares = np.asarray(shares).reshape(-1, *([1] * (rates.ndim - 1)))
    factors = shares * rates
    return matrix.with_rows_scaled(factors, ev.numbers.native)


def _class_numbers(ev: Evaluation, matrix: Matrix, what: str, given: tuple[Any, ...]) -> Any:
    """Priors or relevance, matched to the classes of the matrix."""
    values, unknown = class_numbers.of_classes(matrix.labels, matrix.everyone, what, given)
    numbers = np.array([ev.number(v) for v in values])
    return numbers if what != "prior" else (numbers, unknown)


def _branch(ev: Evaluation, condition: Any, yes: Any, no: Any) -> Any:
    return ev.numbers.choose(condition, yes, no)


def _taking_part(ev: Evaluation, matrix: Matrix) -> Any:
    """The number of classes that take part: under "skip" those that have examples, of which two at least."""
    if not ev.numbers.policy.skips:
        return ev.number(matrix.n_classes)
    present = np.asarray((matrix.actual > 0).sum(axis=0))
    return ev.numbers.native(np.maximum(present, 2))


def _steps(ev: Evaluation, matrix: Matrix, exponent: int) -> Array:
    if isinstance(matrix.raw, SparseCells):
        raise NeedsEveryCellError
    places = np.arange(matrix.n_classes)
    apart = abs(places[:, None] - places[None]) ** exponent
    return np.asarray(apart.reshape(*apart.shape, *([1] * (matrix.raw.ndim - 2))))


def _table(
    ev: Evaluation, matrix: Matrix, labels: tuple[Label, ...], rows: tuple[tuple[float, ...], ...]
) -> Any:
    """A number for each cell, given by class: costs."""
    place = {str(label): k for k, label in enumerate(labels)}
    missing = [str(label) for label in matrix.labels if str(label) not in place]
    if missing:
        raise InputError(
            "the costs do not know a class",
            found=", ".join(missing[:5]),
            allowed=", ".join(map(str, labels[:12])),
        )
    order = [place[str(label)] for label in matrix.labels]
    cells = np.array([[ev.number(rows[i][j]) for j in order] for i in order])
    return cells.reshape(*cells.shape, *([1] * (matrix.raw.ndim - 2)))


def _pair_sums(ev: Evaluation, values: Any) -> Any:
    i, j = np.nonzero(~np.eye(len(values), dtype=bool))
    return np.asarray(values[i] + values[j])


def _pair_weights(ev: Evaluation, weights: Any, matrix: Matrix) -> Any:
    given = np.full(matrix.n_classes, ev.number(1)) if weights is None else weights
    return _pair_sums(ev, given)


def _above_chance(ev: Evaluation, matrix: Matrix) -> Any:
    hits, missed, false_alarms, rejected = (
        ev.numbers.native(q) for q in (matrix.hits, matrix.missed, matrix.false_alarms, matrix.rejected)
    )
    return np.asarray((hits * rejected - missed * false_alarms).sum(axis=0))


def _opaque(ev: Evaluation, matrix: Matrix, weights: Any, body: OpaqueBody) -> Any:
    """A body that could not be traced, computed at once."""
    view = TwoClass(matrix, ev) if body.two_classes else Classes(matrix, ev, weights)
    return body.function(view)


@dataclass(frozen=True)
class OpaqueBody:
    """A body that could not be traced, and why not."""

    function: Callable[[Any], Any]
    two_classes: bool
    why: str


def _reduce(function: Callable[..., Any]) -> Callable[..., Any]:
    return lambda ev, values, axis: function(values, axis)


def _sum(values: Any, axis: Any) -> Any:
    return values.sum(axis=axis) if isinstance(values, SparseCells) else np.asarray(values.sum(axis=axis))


def _quantity(name: str) -> Callable[[Evaluation, Matrix], Any]:
    get = operator.attrgetter(name)
    return lambda ev, matrix: ev.numbers.native(get(matrix))


def _diagonal_matrix(ev: Evaluation, values: Any) -> Any:
    cells = np.full((len(values), *values.shape), ev.number(0))
    own = np.arange(len(values))
    cells[own, own] = values
    return cells


def _stack(ev: Evaluation, *parts: Any) -> Any:
    *values, shape = parts
    wide = np.broadcast_arrays(*(np.asarray(v) for v in values))
    return np.array(wide).reshape(*shape, *wide[0].shape)


def _array(ev: Evaluation, rows: Any, shape: tuple[int, ...]) -> Any:
    flat = np.array(rows, dtype=object).reshape(-1)
    return np.array([ev.number(v) for v in flat]).reshape(*shape, 1)


def _greatest(ev: Evaluation, values: Any, axis: int) -> Any:
    return functools.reduce(ev.numbers.maximum, list(np.moveaxis(values, axis, 0)))


def _power(ev: Evaluation, base: Any, exponent: Any) -> Any:
    value = np.asarray(exponent).item()
    whole = int(value) if value == int(value) else 0
    if 1 <= whole <= 4:  # products lose less than a power that goes by logarithms
        return functools.reduce(np.multiply, [base] * whole)
    return ev.numbers.power(base, value)


def _as_number(ev: Evaluation, value: Any) -> Any:
    return value if isinstance(value, bool) else ev.number(value)


_APPLY: Final[dict[str, Callable[..., Any]]] = {
    "cells": lambda ev, kind: ev.matrix,
    "weights": lambda ev, *equal: None,
    "number": _as_number,
    "array": _array,
    "stack": _stack,
    "at_priors": _at_priors,
    "against_rest": lambda ev, matrix: matrix.against_rest,
    "in_pairs": lambda ev, matrix: matrix.in_pairs,
    "pooled": lambda ev, matrix: matrix.pooled,
    "class_numbers": _class_numbers,
    "opaque": _opaque,
    "cell": lambda ev, matrix, i, j: ev.numbers.native(np.asarray(matrix.raw[i, j])),
    "undefined": _undefined,
    "taking_part": _taking_part,
    "steps": _steps,
    "table": _table,
    "pair_sums": _pair_sums,
    "pair_weights": _pair_weights,
    "mean": _mean,
    "geometric_mean": _geometric_mean,
    "sum": _reduce(_sum),
    "product": _reduce(lambda values, axis: np.asarray(values.prod(axis=axis))),
    "greatest": _greatest,
    "take": lambda ev, values, place, axis: (
        np.take(values, place, axis) if axis else np.asarray(values[place])
    ),
    "new_axis": lambda ev, values, axis: values[(slice(None),) * axis + (None,)],
    "transpose": lambda ev, values: values.swapaxes(0, 1),
    "diagonal": lambda ev, values: np.moveaxis(np.diagonal(values), -1, 0),
    "diagonal_matrix": _diagonal_matrix,
    "without_own": lambda ev, v: v.without_own() if isinstance(v, SparseCells) else without_own(v),
    "without_each": lambda ev, v, axis: (
        v.without_each(axis) if isinstance(v, SparseCells) else without_each(v, axis)
    ),
    "power": _power,
    "branch": _branch,
    "ratio": _ratio,
    "needed_ratio": _needed_ratio,
    "half_turns": _half_turns,
    "add": lambda ev, a, b: a + b,
    "sub": lambda ev, a, b: a - b,
    "mul": lambda ev, a, b: a * b,
    "div": lambda ev, a, b: ev.numbers.plain_quotient(a, b),
    "mod": lambda ev, a, b: a % b,
    "neg": lambda ev, a: -a,
    "abs": lambda ev, a: abs(a),
    "max": lambda ev, a, b: ev.numbers.maximum(a, b),
    "min": lambda ev, a, b: -ev.numbers.maximum(-a, -b),
    "sqrt": lambda ev, a: ev.numbers.sqrt(a),
    "log": lambda ev, a: ev.numbers.log(a),
    "log2": lambda ev, a: ev.numbers.log2(a),
    "eq": lambda ev, a, b: ev.numbers.compare(a, b, "eq"),
    "lt": lambda ev, a, b: ev.numbers.compare(a, b, "lt"),
    "le": lambda ev, a, b: ev.numbers.compare(a, b, "le"),
    "and": lambda ev, a, b: a & b,
    "or": lambda ev, a, b: a | b,
    "not": lambda ev, a: np.logical_not(a),
    "is_nan": lambda ev, a: ev.numbers.is_nan(a),
    "where": lambda ev, c, yes, no: ev.numbers.choose(c, yes, no),
    "entropy": lambda ev, part, rest: ev.numbers.entropy_terms(part, rest),
    "root_of_product": lambda ev, a, b: ev.numbers.root_of_product(a, b),
    "angle": lambda ev, cosine: ev.numbers.half_turns(cosine),
    **{name: _quantity(name) for name in QUANTITIES},
    "above_chance": _above_chance,
}


# -- one matrix or millions


def values(
    graphs: Sequence[Node], matrices: Confusion, positive: int | None, policy: Policy, unit: bool = False
) -> list[Array]:
    """The value of each graph on each matrix, every array in the shape of the batch.

    With `positive`, the graphs are of two classes and see [[tp, fn], [fp, tn]]; without, all classes. With
    `unit` they depend on the unit in which examples are weighed, so weights cannot be scaled to stay numbers.
    """
    roots = tuple(graphs)
    flat = _flat(matrices)
    _keep_freed_memory()
    out = np.empty((len(roots), len(flat)))
    numbers = Floats(policy)
    left = list(range(len(roots)))
    sparse = sparse_matrix(matrices, unit) if positive is None else None
    if sparse is not None:
        left = [k for k in left if not _sparse_value(roots[k], sparse, numbers, out[k])]
    dense = tuple(roots[k] for k in left)
    for chunk, block in _chunks(flat, unit) if left else ():
        for where, matrix in _matrices(block, matrices, positive):
            if matrix is None:
                for k in left:
                    out[k, chunk][where] = NAN
                continue
            found = Evaluation(matrix, numbers).run(compiled(dense, matrix.n_classes))
            for k, value in zip(left, found, strict=True):
                out[k, chunk][where] = value
    if (
        policy.fills
    ):  # what even the terms' fill could not give a value to, such as priors for an absent class
        out[np.isnan(out)] = policy.fill
    return [row.reshape(matrices.batch_shape) for row in out]


def reasons(graph: Node, matrices: Confusion, positive: int | None, unit: bool = False) -> list[str | None]:
    """Why the value is undefined: for each matrix of the batch, words, or None where it is defined."""
    words: list[str | None] = []
    recorder, value = Reasons(), np.empty(1)
    sparse = sparse_matrix(matrices, unit) if positive is None else None
    if sparse is not None and _sparse_value(graph, sparse, Floats(Policy(), recorder), value):
        return [recorder.at(0) if np.isnan(value[0]) else None]
    for _, block in _chunks(_flat(matrices), unit):
        found: list[str | None] = [None] * block.shape[-1]
        recorder = Reasons()
        for where, matrix in _matrices(block, matrices, positive):
            recorder.clear()
            positions = np.arange(block.shape[-1])[where]
            here = np.full(len(positions), np.nan)
            if matrix is not None:
                numbers = Floats(Policy(), recorder)
                here[:] = Evaluation(matrix, numbers).run(compiled((graph,), matrix.n_classes))[0]
            missing = np.flatnonzero(np.isnan(here))
            for position, text in zip(positions[missing].tolist(), recorder.at_each(missing), strict=True):
                found[position] = text
        words.extend(found)
    return words


def exact_value(graph: Node, counts: Array, matrix: Confusion, positive: int | None, policy: Policy) -> Any:
    """The value on one matrix of fractions (C, C) in rational arithmetic; NaN where it is undefined."""
    block = counts.reshape(*counts.shape[-2:], 1)
    for _, seen in _matrices(block, matrix, positive):
        if seen is None:
            value: Any = NAN
        else:
            value = value_of(graph, seen, Fractions(policy))
        if isinstance(value, float) and policy.fills:
            return as_fraction(policy.fill)
        return value if isinstance(value, float) else Fraction(value)
    raise AssertionError("a block has at least one matrix")


def value_of(graph: Node, matrix: Matrix, numbers: Numbers) -> Any:
    """The value on one matrix of numbers that are Python objects."""
    (root,) = _pruned((graph,), matrix.n_classes)
    return np.broadcast_to(np.asarray(Evaluation(matrix, numbers).lazily(root, {}), dtype=object), (1,))[0]


def value_on(graph: Node, cells: Array, numbers: Numbers, two_classes: bool) -> Any:
    """The value on one matrix (C, C) of any number type; classes are called c1, c2, ..."""
    labels: Sequence[Label] = (
        (POSITIVE, NEGATIVE) if two_classes else [f"c{i + 1}" for i in range(len(cells))]
    )
    block = np.empty((*cells.shape, 1), dtype=object)
    block[..., 0] = cells
    return value_of(graph, Matrix.of_classes(block, labels), numbers)


def values_on(graph: Node, block: Array, two_classes: bool) -> Array:
    """The values on floats of shape (C, C, batch); classes are called c1, c2, ..."""
    labels: Sequence[Label] = (
        (POSITIVE, NEGATIVE) if two_classes else [f"c{i + 1}" for i in range(len(block))]
    )
    evaluation = Evaluation(Matrix.of_classes(block, labels), Floats(Policy()))
    value = evaluation.run(compiled((graph,), len(block)))[0]
    return np.broadcast_to(np.asarray(value, dtype=np.float64), block.shape[2:])


def value_given(graph: Node, given: Mapping[Node, Any], numbers: Numbers) -> Any:
    """The value of a graph, the value of some of whose nodes is known, in any number type."""
    nothing = Matrix.of_classes(np.zeros((1, 1, 1)), ["c1"])
    return Evaluation(nothing, numbers).lazily(graph, dict(given))


def values_of_totals(graph: Node, totals: ClassTotals, policy: Policy) -> Array | None:
    """The values on a batch of which only the totals of the classes are known; None if the graph needs
    cells."""
    try:
        program = compiled((graph,), totals.n_classes)
        found = Evaluation(totals, Floats(policy)).run(program)[0]
    except NeedsEveryCellError:
        return None
    values = np.array(np.broadcast_to(found, totals.hits.shape[1:]), dtype=np.float64)
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


def _flat(matrices: Confusion) -> Array:
    return matrices.counts.reshape(-1, matrices.n_classes, matrices.n_classes)


def _chunks(flat: Array, unit: bool) -> Iterator[tuple[slice, Array]]:
    cells = flat.shape[-1] ** 2
    size = max(1, _CHUNK_CELLS // cells, min(_WORTH_A_CHUNK, _MOST_CHUNK_CELLS // cells))
    for start in range(0, len(flat), size):
        chunk = slice(start, min(start + size, len(flat)))
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
        kept = np.flatnonzero(pattern)
        present: list[Label] = [matrices.labels[i] for i in kept]
        part = block[np.ix_(kept, kept, np.flatnonzero(where))]
        yield where, Matrix.of_classes(part, present, matrices.labels) if len(kept) else None
