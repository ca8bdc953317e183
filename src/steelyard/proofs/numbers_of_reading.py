"""What do the operations of a formula mean on floats, on exact fractions and on symbols?

The three modes give one meaning: that of NumPy on float64, without its rounding. Where floats become infinite
the algebra stops, as an infinite value has none of the laws that a proof uses.
"""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Callable
from fractions import Fraction
from typing import Any, Never

import numpy as np
from numpy.typing import NDArray

from steelyard.measures.arithmetic import as_fraction
from steelyard.proofs.exact_number import Exact
from steelyard.proofs.prover.regions import Symbols
from steelyard.proofs.prover.roots import log_of, power_of
from steelyard.proofs.prover.symbols import Symbol, TooHardError
from steelyard.proofs.whole_numbers import Whole

Array = NDArray[Any]
NAN = float("nan")


class FloatNumbers:
    """float64, as NumPy computes."""

    def constant(self, value: float) -> Any:
        return value

    def entries(self, matrix: Array) -> Array:
        return np.asarray(matrix, dtype=np.float64)

    def divide(self, a: Any, b: Any) -> Any:
        return np.divide(a, b)

    def power(self, a: Any, exponent: Fraction) -> Any:
        return np.asarray(a, dtype=np.float64)[()] ** float(exponent)

    def maximum(self, a: Any, b: Any) -> Any:
        return np.maximum(a, b)

    def log(self, a: Any) -> Any:
        return np.log(a)

    def absolute(self, a: Any) -> Any:
        return np.abs(a)

    def compare(self, a: Any, b: Any, relation: str) -> Any:
        return COMPARISONS[relation](a, b)

    def choose(self, condition: Any, a: Any, b: Any) -> Any:
        return np.where(condition, a, b)[()]


class OneByOne:
    """Numbers that are Python objects: every operation entry by entry."""

    def _each(self, function: Callable[..., Any], *arrays: Any) -> Any:
        given = [_objects(a) for a in arrays]
        with np.errstate(all="ignore"):  # NumPy warns of entries that are NaN
            found = np.frompyfunc(function, len(given), 1)(*given)
        return np.asarray(found, dtype=object)[()]

    def choose(self, condition: Any, a: Any, b: Any) -> Any:
        return self._each(lambda c, x, y: x if c else y, condition, a, b)


class ExactNumbers(OneByOne):
    """Fractions; a constant counts as it is written, roots and logarithms are given to 60 digits."""

    def constant(self, value: float) -> Any:
        return Exact(as_fraction(value))

    def entries(self, matrix: Array) -> Array:
        return np.asarray(np.frompyfunc(lambda v: Exact(Fraction(v)), 1, 1)(matrix), dtype=object)

    def divide(self, a: Any, b: Any) -> Any:
        return self._each(lambda x, y: _exact(x) / _exact(y), a, b)

    def power(self, a: Any, exponent: Fraction) -> Any:
        return self._each(
            lambda x: x.raised(int(exponent)) if _is_whole(x, exponent) else _exact(x) ** exponent, a
        )

    def maximum(self, a: Any, b: Any) -> Any:
        return self._each(lambda x, y: NAN if x != x or y != y else max(x, y), a, b)

    def log(self, a: Any) -> Any:
        return self._each(lambda x: np.log(x) if isinstance(x, float) else _exact(x).log(), a)

    def absolute(self, a: Any) -> Any:
        return self._each(abs, a)

    def compare(self, a: Any, b: Any, relation: str) -> Any:
        return self._each(lambda x, y: bool(COMPARISONS[relation](x, y)), a, b)


class Infinite:
    """What floats call infinite: it may be left aside by np.where, but nothing is computed with it."""

    def _refuse(self, *_: Any) -> Never:
        raise TooHardError("an infinite value is computed with")

    __add__ = __radd__ = __sub__ = __rsub__ = __mul__ = __rmul__ = __truediv__ = __rtruediv__ = _refuse
    __neg__ = __pow__ = __abs__ = __lt__ = __le__ = __gt__ = __ge__ = _refuse


class FormalNumbers(OneByOne, ABC):
    """Numbers that are expressions of a kind: what floats call infinite may be there, but is not computed
    with."""

    @abstractmethod
    def is_zero(self, value: Any) -> bool:
        """Is it 0 on every matrix?"""

    @abstractmethod
    def quotient(self, x: Any, y: Any) -> Any:
        """x over y, which is not 0."""

    @abstractmethod
    def raised(self, x: Any, exponent: Fraction) -> Any:
        """x to a power, which is 1 for the exponent 0."""

    @abstractmethod
    def logarithm(self, x: Any) -> Any:
        """The logarithm of x, which is not 0."""

    def constant(self, value: float) -> Any:
        return as_fraction(value)

    def entries(self, matrix: Array) -> Array:
        return matrix

    def divide(self, a: Any, b: Any) -> Any:
        def over(x: Any, y: Any) -> Any:
            if _undefined(x) or _undefined(y):
                return NAN
            refuse_infinite(x, y)
            if self.is_zero(y):
                return NAN if self.is_zero(x) else Infinite()
            return self.quotient(x, y)

        return self._each(over, a, b)

    def power(self, a: Any, exponent: Fraction) -> Any:
        def to_the_power(x: Any) -> Any:
            if _undefined(x):
                return NAN if exponent else Fraction(1)  # whatever is missing, floats give 1 for its power 0
            refuse_infinite(x)
            if _is_whole(x, exponent):
                return x.raised(int(exponent))
            if self.is_zero(x) and exponent < 0:
                return Infinite()
            return self.raised(x, exponent)

        return self._each(to_the_power, a)

    def log(self, a: Any) -> Any:
        def of(x: Any) -> Any:
            if _undefined(x):
                return NAN
            return Infinite() if isinstance(x, Infinite) or self.is_zero(x) else self.logarithm(x)

        return self._each(of, a)

    def absolute(self, a: Any) -> Any:
        return self._each(abs, a)


class SymbolicNumbers(FormalNumbers):
    """Symbols of exact algebra."""

    def __init__(self, arithmetic: Symbols) -> None:
        self.arithmetic = arithmetic
        self.field = arithmetic.field

    def is_zero(self, value: Any) -> bool:
        return value.is_zero if isinstance(value, Symbol) else bool(value == 0)

    def quotient(self, x: Any, y: Any) -> Any:
        if not isinstance(x, Symbol) and not isinstance(y, Symbol):
            return as_fraction(x) / as_fraction(y)
        return self._symbol(x) / self._symbol(y)

    def raised(self, x: Any, exponent: Fraction) -> Any:
        value = self._symbol(x)
        return value**exponent if exponent.denominator == 1 else power_of(value, exponent)

    def logarithm(self, x: Any) -> Any:
        return log_of(self._symbol(x))

    def maximum(self, a: Any, b: Any) -> Any:
        for value in (a, b):
            refuse_infinite(*np.ravel(_objects(value)).tolist())
        return self.arithmetic.maximum(_objects(a), _objects(b))[()]

    def compare(self, a: Any, b: Any, relation: str) -> Any:
        """How it falls on the generic matrix; the matrices on which both sides are equal are remembered and
        looked at apart."""

        def fall(x: Any, y: Any) -> bool:
            if _undefined(x) or _undefined(y):
                return relation == "!="
            difference = x - y
            if not isinstance(difference, Symbol):
                return bool(COMPARISONS[relation](difference, 0))
            self.field.ask_at_poles(difference)
            if (
                difference.is_zero or difference == 0
            ):  # the question itself files the edge as a case of its own
                return relation in ("==", "<=", ">=")
            top, bottom = difference.combined()
            positive = [self.field.is_positive(part) for part in (top, bottom)]
            negative = [self.field.is_positive(-part) for part in (top, bottom)]
            if not all(p or n for p, n in zip(positive, negative, strict=True)):
                raise TooHardError("the function branches on a comparison")
            above = positive[0] == positive[1]
            return relation == "!=" or (relation in (">", ">=") if above else relation in ("<", "<="))

        return self._each(fall, a, b)

    def _symbol(self, value: Any) -> Symbol:
        return value if isinstance(value, Symbol) else self.field.constant(as_fraction(value))


Numbers = FloatNumbers | ExactNumbers | SymbolicNumbers

COMPARISONS: dict[str, Callable[[Any, Any], Any]] = {
    "==": lambda a, b: a == b,
    "!=": lambda a, b: a != b,
    "<": lambda a, b: a < b,
    "<=": lambda a, b: a <= b,
    ">": lambda a, b: a > b,
    ">=": lambda a, b: a >= b,
}


def _objects(value: Any) -> Array:
    if isinstance(value, np.ndarray):
        return value.astype(object)
    out = np.empty((), dtype=object)
    out[()] = value
    return out


def _exact(value: Any) -> Any:
    return (
        value if isinstance(value, (Exact, float)) and not _finite_float(value) else Exact(as_fraction(value))
    )


def _is_whole(value: Any, exponent: Fraction) -> bool:
    return isinstance(value, Whole) and exponent.denominator == 1


def _finite_float(value: Any) -> bool:
    return isinstance(value, float) and math.isfinite(value)


def _undefined(value: Any) -> bool:
    return isinstance(value, (float, np.floating)) and value != value


def refuse_infinite(*values: Any) -> None:
    """Nothing is computed with what floats call infinite."""
    if any(isinstance(value, Infinite) for value in values):
        raise TooHardError("an infinite value is computed with")
