"""Operations: what each node of a graph is, described in one table."""

# `OPERATIONS` says of each operation what it does to the values of its operands, the axes that its value
# has, what it is of plain numbers, and its name in operations.js. `ev` is the evaluation that applies
# them: its matrix and its numbers, with the caller's policy; what quotients and means do under it stands
# in `undefined`.

from __future__ import annotations

import functools
import operator
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, Final

import numpy as np

from steelyard.counts.labels import Array, Label
from steelyard.measures import class_numbers, undefined
from steelyard.measures.matrix import Matrix, NeedsEveryCellError, without_each, without_own
from steelyard.measures.sparse import SparseCells
from steelyard.measures.undefined import NAN

# A length: a number, "C" for the classes or "P" for ordered pairs of them.
Dimension = int | str
Dimensions = tuple[Dimension, ...]
SIZE: Final = "size"
# A node of `graph`, which imports this module.
Shaped = Any


class NotTraceableError(Exception):
    """A function does something that is no operation of a graph."""


def broadcast(operands: Sequence[Shaped]) -> Dimensions:
    """The dimensions of operands taken together; axes are added in front, as NumPy does."""
    rank = max((len(o.dims) for o in operands), default=0)
    lengths: list[Dimension] = [1] * rank
    for operand in operands:
        for k, length in enumerate(operand.dims, start=rank - len(operand.dims)):
            if length != 1:
                if lengths[k] not in (1, length) and isinstance(lengths[k], int) and isinstance(length, int):
                    raise NotTraceableError(f"arrays of {lengths[k]} and {length} entries taken together")
                lengths[k] = length
    return tuple(lengths)


def _entrywise(node: Shaped) -> Dimensions:
    return broadcast(node.operands)


def _without(axis_at: int) -> Callable[[Shaped], Dimensions]:
    def dims(node: Shaped) -> Dimensions:
        axes, lengths = node.static[axis_at], node.operands[0].dims
        gone = axes if isinstance(axes, tuple) else (axes,)
        return tuple(length for k, length in enumerate(lengths) if k not in gone)

    return dims


def _of_all(node: Shaped) -> Dimensions:
    # Of cells, of which there are two class axes.
    named: dict[Any, Dimension] = {"classes": "C", "two": 2}
    size = named.get(node.static[0], node.static[0])
    return (size, size)


def _of_first(axes: Callable[[Dimensions], Dimensions]) -> Callable[[Shaped], Dimensions]:
    # Dimensions that follow from those of the first operand.
    return lambda node: axes(node.operands[0].dims)


_same = _of_first(lambda dims: dims)
_of_classes = _of_first(lambda dims: (dims[0], *dims[2:]))
_whole = _of_first(lambda dims: dims[2:])
_by_cell = _of_first(lambda dims: (*dims[:2], *([1] * (len(dims) - 2))))
_first_less = _of_first(lambda dims: dims[1:])


def _quotient_dims(node: Shaped) -> Dimensions:
    # The third is the matrix that the reason speaks of.
    return broadcast(node.operands[:2])


def _pairs(length: Dimension) -> Dimension:
    return length * (length - 1) if isinstance(length, int) else "P"


def _class_numbers(ev: Any, matrix: Matrix, what: str, spec: tuple[Any, ...]) -> Any:
    # Priors or relevance, matched to the classes of the matrix.
    values, unknown = class_numbers.of_classes(matrix.labels, matrix.everyone, what, spec)
    numbers = np.array([ev.number(v) for v in values])
    return numbers if what != "prior" else (numbers, unknown)


def _steps(ev: Any, matrix: Matrix, exponent: int) -> Array:
    # The distances of all pairs are as many as the dense matrix has cells.
    if isinstance(matrix.raw, SparseCells):
        raise NeedsEveryCellError
    places = np.arange(matrix.n_classes)
    distances = abs(places[:, None] - places[None]) ** exponent
    return np.asarray(distances.reshape(*distances.shape, *([1] * (matrix.raw.ndim - 2))))


def _table(ev: Any, matrix: Matrix, labels: tuple[Label, ...], rows: tuple[tuple[float, ...], ...]) -> Any:
    # A number for each cell, given by class: costs.
    order = class_numbers.places_in(labels, matrix.labels)
    cells = np.array([[ev.number(rows[i][j]) for j in order] for i in order])
    return cells.reshape(*cells.shape, *([1] * (matrix.raw.ndim - 2)))


def _pair_sums(ev: Any, values: Any) -> Any:
    i, j = np.nonzero(~np.eye(len(values), dtype=bool))
    return np.asarray(values[i] + values[j])


def _pair_weights(ev: Any, weights: Any, matrix: Matrix) -> Any:
    return _pair_sums(ev, np.full(matrix.n_classes, ev.number(1)) if weights is None else weights)


def _above_chance(ev: Any, matrix: Matrix) -> Any:
    hits, missed, false_alarms, rejected = (
        ev.numbers.native(q) for q in (matrix.hits, matrix.missed, matrix.false_alarms, matrix.rejected)
    )
    # S n - Σ t_i p_i is the sum of tp tn - fn fp over the classes; that way chance agreement gives exactly 0.
    return np.asarray((hits * rejected - missed * false_alarms).sum(axis=0))


def _sum(ev: Any, values: Any, axis: Any) -> Any:
    return values.sum(axis=axis) if isinstance(values, SparseCells) else np.asarray(values.sum(axis=axis))


def _diagonal_matrix(ev: Any, values: Any) -> Any:
    cells = np.full((len(values), *values.shape), ev.number(0))
    diagonal = np.arange(len(values))
    cells[diagonal, diagonal] = values
    return cells


def _stack(ev: Any, *parts: Any) -> Any:
    *values, shape = parts
    # A constant among them has no batch axis yet.
    wide = np.broadcast_arrays(*(np.asarray(v) for v in values))
    return np.array(wide).reshape(*shape, *wide[0].shape)


def _array(ev: Any, rows: Any, shape: tuple[int, ...]) -> Any:
    flat = np.array(rows, dtype=object).reshape(-1)
    return np.array([ev.number(v) for v in flat]).reshape(*shape, 1)


def _power(ev: Any, base: Any, exponent: Any) -> Any:
    value = np.asarray(exponent).item()
    whole = int(value) if value == int(value) else 0
    # Products lose less than a power that goes by logarithms.
    if 1 <= whole <= 4:
        return functools.reduce(np.multiply, [base] * whole)
    return ev.numbers.power(base, value)


def _plain_quotient(a: Any, b: Any) -> Any:
    if b == 0:
        return NAN
    return Fraction(a, b) if isinstance(a, (int, Fraction)) and isinstance(b, (int, Fraction)) else a / b


def _in_advance(ev: Any, *_: Any) -> Any:
    raise AssertionError("known before a graph is evaluated")


@dataclass(frozen=True)
class Operation:
    """An operation: its value on an evaluation, operands and constants; its axes; and how else it is said."""

    value: Callable[..., Any]
    dims: Callable[[Any], Dimensions] = _entrywise
    # The function of operations.js, or an expression with the places of operands and constants.
    javascript: str = ""
    # Of plain numbers: constants are folded, bounds and relations are worked out.
    plain: Callable[..., Any] | None = None


def _plainly(function: Callable[..., Any], javascript: str) -> Operation:
    # What arrays and numbers do by themselves.
    return Operation(lambda ev, *operands: function(*operands), javascript=javascript, plain=function)


def _numeric(name: str, javascript: str, plain: Callable[..., Any] | None = None) -> Operation:
    # What a number type decides.
    return Operation(
        lambda ev, *operands: getattr(ev.numbers, name)(*operands), javascript=javascript, plain=plain
    )


def _compared(relation: str, javascript: str) -> Operation:
    return Operation(
        lambda ev, a, b: ev.numbers.compare(a, b, relation),
        javascript=javascript,
        plain=getattr(operator, relation),
    )


def _quantity(name: str, dims: Callable[[Any], Dimensions], javascript: str = "") -> Operation:
    # A sum of counts that a matrix names.
    return Operation(lambda ev, matrix: ev.numbers.native(getattr(matrix, name)), dims, javascript)


def _matrix(name: str, dims: Callable[[Any], Dimensions], javascript: str) -> Operation:
    # A matrix made of another one.
    return Operation(lambda ev, matrix: getattr(matrix, name), dims, javascript)


OPERATIONS: Final[dict[str, Operation]] = {
    # Leaves
    "cells": Operation(lambda ev, kind: ev.matrix, _of_all),
    "weights": Operation(lambda ev, *equal: None, lambda node: ("C",)),
    SIZE: Operation(_in_advance, lambda node: (), "{0}.length"),
    "value": Operation(_in_advance, lambda node: ()),
    "number": Operation(lambda ev, v: v if isinstance(v, bool) else ev.number(v), lambda node: ()),
    "array": Operation(_array, lambda node: tuple(node.static[1])),
    "stack": Operation(_stack, lambda node: (*node.static[0], *broadcast(node.operands))),
    "class_numbers": Operation(_class_numbers, _of_first(lambda dims: dims[:1])),
    "opaque": Operation(lambda ev, matrix, weights, body: body.on(ev, matrix, weights), _whole),
    # Matrices made of a matrix
    "at_priors": Operation(undefined.at_priors, _same, "atPriors"),
    "against_rest": _matrix(
        "against_rest", _of_first(lambda dims: (2, 2, dims[0], *dims[2:])), "againstRest"
    ),
    "in_pairs": _matrix("in_pairs", _of_first(lambda dims: (2, 2, _pairs(dims[0]), *dims[2:])), "ofPairs"),
    "pooled": _matrix("pooled", _of_first(lambda dims: (2, 2, *dims[3:])), "pooled"),
    # What a matrix shows: one value a class, one in all, one a cell
    "hits": _quantity("hits", _of_classes, "diagonal"),
    "actual": _quantity("actual", _of_classes, "rowSums"),
    "predicted": _quantity("predicted", _of_classes, "total"),
    "missed": _quantity("missed", _of_classes, "missed"),
    "false_alarms": _quantity("false_alarms", _of_classes, "falseAlarms"),
    "rejected": _quantity("rejected", _of_classes, "rejected"),
    "other_actual": _quantity("other_actual", _of_classes, "ofOthers(rowSums({0}))"),
    "other_predicted": _quantity("other_predicted", _of_classes, "ofOthers(total({0}))"),
    "total": _quantity("total", _whole, "total(rowSums({0}))"),
    "all_hits": _quantity("all_hits", _whole, "total(diagonal({0}))"),
    "above_chance": Operation(_above_chance, _whole, "aboveChance"),
    "counts": _quantity("raw", _same, "{0}"),
    "elsewhere": _quantity("elsewhere", _same, "elsewhere"),
    "of_others": _quantity("of_others", _same, "withoutEach"),
    "cell": Operation(
        lambda ev, matrix, i, j: ev.numbers.native(np.asarray(matrix.raw[i, j])), _whole, "{0}[{1}][{2}]"
    ),
    "taking_part": Operation(undefined.classes_taking_part, _whole, "{0}.length"),
    "steps": Operation(_steps, _by_cell, "steps({0}.length, {1})"),
    "table": Operation(_table, _by_cell),
    # Quotients, and what has no value at all: their first constant is the reason
    "ratio": Operation(undefined.ratio, _quotient_dims, "over"),
    "needed_ratio": Operation(undefined.needed_ratio, _quotient_dims, "over"),
    "half_turns": Operation(undefined.half_turns, _quotient_dims, "each(halfTurns, zip(over, {0}, {1}))"),
    "undefined": Operation(undefined.no_value, _whole),
    # Axes
    "mean": Operation(undefined.mean, _first_less),
    "geometric_mean": Operation(undefined.geometric_mean, _first_less),
    "sum": Operation(_sum, _without(0), "sumAxis({0}, {1})"),
    "product": Operation(lambda ev, v, axis: np.asarray(v.prod(axis=axis)), _without(0), "product"),
    # One after the other: not every number type has an order that np.max knows.
    "greatest": Operation(
        lambda ev, v, axis: functools.reduce(ev.numbers.maximum, list(np.moveaxis(v, axis, 0))),
        _without(0),
        "greatest",
    ),
    "take": Operation(
        lambda ev, v, place, axis: np.take(v, place, axis) if axis else np.asarray(v[place]),
        _without(1),
        "takeAxis({0}, {1}, {2})",
    ),
    "new_axis": Operation(
        lambda ev, v, axis: v[(slice(None),) * axis + (None,)],
        lambda node: (*_same(node)[: node.static[0]], 1, *_same(node)[node.static[0] :]),
        "newAxis({0}, {1})",
    ),
    "transpose": Operation(
        lambda ev, v: v.swapaxes(0, 1), _of_first(lambda dims: (*dims[1::-1], *dims[2:])), "turned"
    ),
    "diagonal": Operation(lambda ev, v: np.moveaxis(np.diagonal(v), -1, 0), _of_classes, "diagonal"),
    "diagonal_matrix": Operation(
        _diagonal_matrix, _of_first(lambda dims: (dims[0], *dims)), "diagonalMatrix"
    ),
    "without_own": Operation(
        lambda ev, v: v.without_own() if isinstance(v, SparseCells) else without_own(v), _same, "withoutOwn"
    ),
    "without_each": Operation(
        lambda ev, v, axis: v.without_each(axis) if isinstance(v, SparseCells) else without_each(v, axis),
        _same,
    ),
    "pair_sums": Operation(_pair_sums, _of_first(lambda dims: (_pairs(dims[0]), *dims[1:])), "pairSums"),
    "pair_weights": Operation(
        _pair_weights, lambda node: (_pairs(node.operands[-1].dims[0]),), "pairWeights"
    ),
    # Entries
    "add": _plainly(operator.add, "add"),
    "sub": _plainly(operator.sub, "sub"),
    "mul": _plainly(operator.mul, "mul"),
    "mod": _plainly(operator.mod, "remainder"),
    "neg": _plainly(operator.neg, "minus"),
    "abs": _plainly(abs, "Math.abs"),
    "and": _plainly(operator.and_, "both"),
    "or": _plainly(operator.or_, "either"),
    "not": Operation(lambda ev, a: np.logical_not(a), javascript="not", plain=operator.not_),
    "eq": _compared("eq", "equal"),
    "lt": _compared("lt", "less"),
    "le": _compared("le", "atMost"),
    "div": _numeric("plain_quotient", "div", _plain_quotient),
    "max": _numeric("maximum", "Math.max", max),
    "min": Operation(lambda ev, a, b: -ev.numbers.maximum(-a, -b), javascript="Math.min", plain=min),
    "sqrt": _numeric("sqrt", "Math.sqrt", lambda a: float(np.sqrt(float(a)))),
    "log": _numeric("log", "logarithm", lambda a: float(np.log(float(a)))),
    "log2": _numeric("log2", "Math.log2", lambda a: float(np.log2(float(a)))),
    "angle": _numeric(
        "half_turns", "halfTurns", lambda a: float(np.arccos(np.clip(float(a), -1, 1)) / np.pi)
    ),
    "power": Operation(_power, _same, "raise", lambda a, b: a ** (int(b) if b == int(b) else float(b))),
    "is_nan": _numeric("is_nan", "Number.isNaN"),
    "entropy": _numeric("entropy_terms", "entropy"),
    "root_of_product": _numeric("root_of_product", "rootOfProduct"),
    "where": _numeric("choose", ""),
    "branch": Operation(
        lambda ev, condition, yes, no: ev.numbers.choose(condition, yes, no),
        lambda node: broadcast(node.operands[1:]),
    ),
}
ELEMENTWISE: Final = frozenset(name for name, each in OPERATIONS.items() if each.dims is _entrywise)
# Their third operand is the matrix that the reason for an undefined value speaks of.
QUOTIENTS: Final = ("ratio", "needed_ratio", "half_turns")
# Operations whose first constant is that reason.
REASONED: Final = (*QUOTIENTS, "undefined")
