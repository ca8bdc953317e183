"""Can rounding alone change what a measure of somebody else returns?

What is proved of a body or of a formula is proved in exact numbers. A measure of the catalogue is tested
against independent ones; of others it is asked here, on matrices of every size, whether floats stay near the
exact value however they are rounded. Where they do not, what is true of the formula is not true of its
values."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from functools import lru_cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from steelyard.measures.arithmetic import Floats, Fractions, as_fraction
from steelyard.measures.measure import Measure
from steelyard.measures.undefined import NAN, Policy, Reasons
from steelyard.measures.views import NEGATIVE, POSITIVE, Classes, TwoClass
from steelyard.proofs.enclosed_numbers import (
    Enclosed,
    RoundingDecidesError,
    divided,
    enclosed,
    larger,
    logarithm,
    raised,
)
from steelyard.proofs.tried_matrices import allowed, near, plain, shown_rows

Array = NDArray[Any]
EVERY = 9
"""One of so many matrices is asked about."""


class EnclosedArithmetic:
    """The arithmetic of the measures, on numbers that know how far rounding may have moved them."""

    def __init__(self) -> None:
        self.policy = Policy()
        self.reasons: Reasons | None = None

    def native(self, counts: Array) -> Array:
        return counts

    def number(self, value: Any) -> Any:
        return Enclosed(float(value), float(value))

    def divide(self, numerator: Any, denominator: Any, fill: float) -> tuple[Array, Array]:
        top, bottom = np.broadcast_arrays(
            np.asarray(numerator, dtype=object), np.asarray(denominator, dtype=object)
        )
        zero = np.asarray(_each(lambda b: not _missing(b) and bool(b == 0), bottom), dtype=bool)
        values = _each(
            lambda a, b, z: NAN if z or _missing(a) or _missing(b) else divided(a, b), top, bottom, zero
        )
        return values, zero

    def is_nan(self, values: Array) -> Array:
        return np.asarray(_each(_missing, values), dtype=bool)

    def maximum(self, a: Array, b: Array) -> Array:
        return _each(lambda x, y: NAN if _missing(x) or _missing(y) else larger(x, y), a, b)

    def sqrt(self, values: Array) -> Array:
        return _each(lambda v: NAN if _missing(v) else raised(v, Fraction(1, 2)), values)

    def log(self, value: Any) -> Any:
        return logarithm(value)

    def half_turns(self, values: Array) -> Array:
        def angle(v: Any) -> Any:
            found = enclosed(v)
            if not isinstance(found, Enclosed):
                return NAN
            if found.low < -1 or found.high > 1:
                raise RoundingDecidesError("an angle")
            return Enclosed(*(float(np.arccos(end) / np.pi) for end in (found.high, found.low)))

        return _each(angle, values)

    def entropy_terms(self, part: Array, rest: Array) -> Array:
        def term(a: Any, b: Any) -> Any:
            if _missing(a) or _missing(b):
                return NAN
            return a * 0 if a == 0 else -(a * logarithm(divided(a, a + b)))

        return _each(term, *np.broadcast_arrays(part, rest))

    def exp_log_mean(self, terms: Array, weights: Array) -> Array:
        def mean(*values: Any) -> Any:
            if any(map(_missing, values)):
                return NAN
            result: Any = Enclosed(1.0, 1.0)
            for number, power in zip(values[: len(values) // 2], values[len(values) // 2 :], strict=True):
                result = result * raised(number, _share(power))
            return result

        terms, weights = np.broadcast_arrays(terms, weights)
        return _each(mean, *terms, *weights)

    def choose(self, condition: Array, yes: Any, no: Array) -> Array:
        return _each(lambda c, n: yes if c else n, condition, no)


def _share(weight: Any) -> Fraction:
    value = weight.middle if isinstance(weight, Enclosed) else weight
    return as_fraction(value).limit_denominator(1000)


def _missing(value: Any) -> bool:
    return isinstance(value, float) and value != value


def _each(function: Any, *arrays: Any) -> Array:
    out = np.frompyfunc(function, len(arrays), 1)(*(np.asarray(a, dtype=object) for a in arrays))
    return np.asarray(out, dtype=object)


@lru_cache(maxsize=256)
def moved_by_rounding(measure: Measure) -> str:
    """A matrix on which rounding moves the value, or could, in words; empty if none was found."""
    for n_classes in (2,) if measure.kind == "two-class" else (2, 3):
        for matrix in plain(n_classes)[::EVERY]:
            with np.errstate(all="ignore"):  # NumPy warns of entries that are NaN
                words = _at(measure, matrix)
            if words:
                return words
    return ""


def _at(measure: Measure, matrix: Array) -> str:
    where = shown_rows(matrix)
    try:
        value = _value(measure, matrix, EnclosedArithmetic(), lambda v: Enclosed(v, v))
        if isinstance(value, Enclosed) and not near(value.low, value.high, allowed(matrix)):
            return f"rounding alone can move it by {value.width:.3g} on {where}"
        exact = _value(measure, matrix, Fractions(Policy()), Fraction)
        rounded = _value(measure, matrix, Floats(Policy()), float)
    except RoundingDecidesError as error:
        return f"{error} on {where}"
    except ZeroDivisionError:  # a plain division by 0, which floats take for infinite
        return ""
    except (ArithmeticError, TypeError, ValueError, AttributeError) as error:
        return f"its body does not take exact numbers ({type(error).__name__})"
    if np.isfinite(rounded) and not near(float(exact), float(rounded), allowed(matrix)):
        return f"on {where} it returns {float(rounded):.9g}, while its formula gives {float(exact):.9g}"
    return ""


def _value(measure: Measure, matrix: Array, arithmetic: Any, convert: Callable[[float], Any]) -> Any:
    plain_numbers = convert is float
    counts = np.empty((*matrix.shape, 1), dtype=np.float64 if plain_numbers else object)
    counts[:, :, 0] = [[convert(float(v)) for v in row] for row in matrix]
    view = (
        TwoClass(counts, [(POSITIVE, NEGATIVE)], arithmetic)
        if measure.kind == "two-class"
        else Classes(counts, [f"c{i + 1}" for i in range(len(counts))], arithmetic)
    )
    value = np.asarray(measure.body(view), dtype=np.float64 if plain_numbers else object)
    return np.broadcast_to(value, (1,))[0]
