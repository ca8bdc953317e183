"""Operations: what each node of a graph does to the values of its operands.

`ev` is the evaluation that applies them: its matrix and its numbers, with the caller's policy. What happens
where a denominator is 0 is decided here and nowhere else: a ratio knows its reason, the policy is the
caller's.
"""

from __future__ import annotations

import functools
import operator
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from steelyard.counts.labels import Label, quoted
from steelyard.errors import InputError
from steelyard.measures import class_numbers
from steelyard.measures.matrix import Matrix, NeedsEveryCellError, without_each, without_own
from steelyard.measures.shapes import QUANTITIES
from steelyard.measures.sparse import SparseCells
from steelyard.measures.undefined import NAN
from steelyard.measures.views import Classes, TwoClass

Array = NDArray[Any]
NO_WEIGHT = "no class with a defined term has any weight"
RATES_UNKNOWN = "there are no examples of {label}, so nothing is known about it at other priors"


def _quotient(ev: Any, numerator: Any, denominator: Any, about: Matrix, because: str, fill: float) -> Any:
    values, zero = ev.numbers.divide(numerator, denominator, fill)
    reasons = ev.numbers.reasons
    if reasons is not None and zero.any():
        reasons.record(np.atleast_1d(zero), lambda index: about.describe(because, index))
    return values


def _ratio(ev: Any, numerator: Any, denominator: Any, about: Matrix, because: str) -> Any:
    return _quotient(ev, numerator, denominator, about, because, ev.numbers.policy.fill)


def _needed_ratio(ev: Any, numerator: Any, denominator: Any, about: Matrix, because: str) -> Any:
    return _quotient(ev, numerator, denominator, about, because, NAN)


def _half_turns(ev: Any, adjacent: Any, hypotenuse: Any, about: Matrix, because: str) -> Any:
    """The angle; where there is none the policy decides on the angle, not on its cosine."""
    angle = ev.numbers.half_turns(_needed_ratio(ev, adjacent, hypotenuse, about, because))
    fill = ev.numbers.policy.fill
    _, missing = ev.numbers.divide(adjacent, hypotenuse, fill)
    return ev.numbers.choose(missing, fill if fill != fill else ev.number(fill), angle)


def _undefined(ev: Any, about: Matrix, because: str) -> Any:
    nothing = ev.numbers.native(about.total * 0)
    return _ratio(ev, nothing, nothing, about, because)


def _mean(ev: Any, terms: Any, weights: Any = None) -> Any:
    """The mean over the first axis, weighted if weights are given; under "skip" over the defined terms."""
    if weights is None and not ev.numbers.policy.skips:
        return np.asarray(terms.sum(axis=0) / terms.shape[0])
    shares, kept = _shares(ev, terms, weights)
    return np.asarray((ev.numbers.choose(~kept, ev.number(0), terms) * shares).sum(axis=0))


def _geometric_mean(ev: Any, terms: Any, weights: Any = None) -> Any:
    """The geometric mean over the first axis; a 0 stays exactly 0."""
    shares, kept = _shares(ev, terms, weights)
    return ev.numbers.weighted_geometric_mean(ev.numbers.choose(~kept, ev.number(1), terms), shares)


def _shares(ev: Any, terms: Any, weights: Any) -> tuple[Array, Array]:
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


def _at_priors(ev: Any, matrix: Matrix, priors: Any) -> Matrix:
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


def _class_numbers(ev: Any, matrix: Matrix, what: str, given: tuple[Any, ...]) -> Any:
    """Priors or relevance, matched to the classes of the matrix."""
    values, unknown = class_numbers.of_classes(matrix.labels, matrix.everyone, what, given)
    numbers = np.array([ev.number(v) for v in values])
    return numbers if what != "prior" else (numbers, unknown)


def _branch(ev: Any, condition: Any, yes: Any, no: Any) -> Any:
    return ev.numbers.choose(condition, yes, no)


def _taking_part(ev: Any, matrix: Matrix) -> Any:
    """The number of classes that take part: under "skip" those that have examples, of which two at least."""
    if not ev.numbers.policy.skips:
        return ev.number(matrix.n_classes)
    present = np.asarray((matrix.actual > 0).sum(axis=0))
    return ev.numbers.native(np.maximum(present, 2))


def _steps(ev: Any, matrix: Matrix, exponent: int) -> Array:
    if isinstance(matrix.raw, SparseCells):
        raise NeedsEveryCellError
    places = np.arange(matrix.n_classes)
    apart = abs(places[:, None] - places[None]) ** exponent
    return np.asarray(apart.reshape(*apart.shape, *([1] * (matrix.raw.ndim - 2))))


def _table(ev: Any, matrix: Matrix, labels: tuple[Label, ...], rows: tuple[tuple[float, ...], ...]) -> Any:
    """A number for each cell, given by class: costs."""
    order = places_in(labels, matrix.labels)
    cells = np.array([[ev.number(rows[i][j]) for j in order] for i in order])
    return cells.reshape(*cells.shape, *([1] * (matrix.raw.ndim - 2)))


def places_in(known: Sequence[Label], wanted: Sequence[Label]) -> list[int]:
    """Where the costs of these classes stand."""
    places = {str(label): k for k, label in enumerate(known)}
    missing = [str(label) for label in wanted if str(label) not in places]
    if missing:
        raise InputError(
            "the costs do not know a class",
            found=", ".join(missing[:5]),
            allowed=", ".join(map(str, known[:12])),
        )
    return [places[str(label)] for label in wanted]


def _pair_sums(ev: Any, values: Any) -> Any:
    i, j = np.nonzero(~np.eye(len(values), dtype=bool))
    return np.asarray(values[i] + values[j])


def _pair_weights(ev: Any, weights: Any, matrix: Matrix) -> Any:
    given = np.full(matrix.n_classes, ev.number(1)) if weights is None else weights
    return _pair_sums(ev, given)


def _above_chance(ev: Any, matrix: Matrix) -> Any:
    hits, missed, false_alarms, rejected = (
        ev.numbers.native(q) for q in (matrix.hits, matrix.missed, matrix.false_alarms, matrix.rejected)
    )
    return np.asarray((hits * rejected - missed * false_alarms).sum(axis=0))


def _opaque(ev: Any, matrix: Matrix, weights: Any, body: OpaqueBody) -> Any:
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


def _quantity(name: str) -> Callable[[Any, Matrix], Any]:
    get = operator.attrgetter(name)
    return lambda ev, matrix: ev.numbers.native(get(matrix))


def _diagonal_matrix(ev: Any, values: Any) -> Any:
    cells = np.full((len(values), *values.shape), ev.number(0))
    own = np.arange(len(values))
    cells[own, own] = values
    return cells


def _stack(ev: Any, *parts: Any) -> Any:
    *values, shape = parts
    wide = np.broadcast_arrays(*(np.asarray(v) for v in values))
    return np.array(wide).reshape(*shape, *wide[0].shape)


def _array(ev: Any, rows: Any, shape: tuple[int, ...]) -> Any:
    flat = np.array(rows, dtype=object).reshape(-1)
    return np.array([ev.number(v) for v in flat]).reshape(*shape, 1)


def _greatest(ev: Any, values: Any, axis: int) -> Any:
    return functools.reduce(ev.numbers.maximum, list(np.moveaxis(values, axis, 0)))


def _power(ev: Any, base: Any, exponent: Any) -> Any:
    value = np.asarray(exponent).item()
    whole = int(value) if value == int(value) else 0
    if 1 <= whole <= 4:  # products lose less than a power that goes by logarithms
        return functools.reduce(np.multiply, [base] * whole)
    return ev.numbers.power(base, value)


def _as_number(ev: Any, value: Any) -> Any:
    return value if isinstance(value, bool) else ev.number(value)


APPLY: Final[dict[str, Callable[..., Any]]] = {
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
