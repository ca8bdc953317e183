"""What could floats make of a formula, however they were rounded? Numbers that know how far rounding may have
moved them.

A value that is exact stays exact; each operation that rounds widens what is known by as much as rounding can
move it. Where a comparison, a root or a division would fall otherwise within that width, rounding decides
what the function returns, and nothing that is proved of the formula is true of the function."""

from __future__ import annotations

import math
from collections.abc import Callable
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray

from steelyard.measures.arithmetic import as_fraction
from steelyard.proofs.leaving import LeavesSubsetError
from steelyard.proofs.numbers_of_reading import COMPARISONS, OneByOne

Array = NDArray[Any]
NAN = float("nan")
OTHERS = 4
"""Functions other than the four operations may be wrong by so many steps of the last digit."""


class RoundingDecidesError(LeavesSubsetError):
    """What the function returns depends on how floats are rounded."""

    def __init__(self, what: str) -> None:
        super().__init__(0, f"{what} that rounding decides")


class Enclosed:
    """A number between two floats, or exactly one of them where both are the same."""

    __slots__ = ("high", "low")

    def __init__(self, low: float, high: float) -> None:
        if not (math.isfinite(low) and math.isfinite(high)):
            raise RoundingDecidesError("a number too large for floats")
        self.low, self.high = low, high

    @property
    def exact(self) -> bool:
        return self.low == self.high

    @property
    def middle(self) -> float:
        return self.low if self.exact else self.low / 2 + self.high / 2

    @property
    def width(self) -> float:
        return self.high - self.low

    def _with(self, other: Any, operation: Callable[[Any, Any], Any], turned: bool = False) -> Any:
        second = enclosed(other)
        if second is None:
            return NotImplemented
        pair = (second, self) if turned else (self, second)
        if isinstance(second, float):  # it is not finite, and so is the result, or there is none
            return _beyond(operation, *pair)
        return _combined(operation, *pair)

    def __add__(self, other: Any) -> Any:
        return self._with(other, lambda a, b: a + b)

    def __radd__(self, other: Any) -> Any:
        return self._with(other, lambda a, b: a + b, turned=True)

    def __sub__(self, other: Any) -> Any:
        return self._with(other, lambda a, b: a - b)

    def __rsub__(self, other: Any) -> Any:
        return self._with(other, lambda a, b: a - b, turned=True)

    def __mul__(self, other: Any) -> Any:
        return self._with(other, lambda a, b: a * b)

    def __rmul__(self, other: Any) -> Any:
        return self._with(other, lambda a, b: a * b, turned=True)

    def __truediv__(self, other: Any) -> Any:
        return NotImplemented if enclosed(other) is None else divided(self, other)

    def __rtruediv__(self, other: Any) -> Any:
        return NotImplemented if enclosed(other) is None else divided(other, self)

    def __pow__(self, exponent: Any) -> Any:
        return raised(self, as_fraction(exponent))

    def __eq__(self, other: object) -> bool:
        return fall(self, other, "==")

    def __ne__(self, other: object) -> bool:
        return fall(self, other, "!=")

    __hash__ = None  # type: ignore[assignment]

    def __lt__(self, other: Any) -> bool:
        return fall(self, other, "<")

    def __le__(self, other: Any) -> bool:
        return fall(self, other, "<=")

    def __gt__(self, other: Any) -> bool:
        return fall(self, other, ">")

    def __ge__(self, other: Any) -> bool:
        return fall(self, other, ">=")

    def __neg__(self) -> Enclosed:
        return Enclosed(-self.high, -self.low)

    def __pos__(self) -> Enclosed:
        return self

    def __abs__(self) -> Enclosed:
        if self.low >= 0:
            return self
        return -self if self.high <= 0 else Enclosed(0.0, max(-self.low, self.high))


def enclosed(value: Any) -> Enclosed | float | None:
    """A number as an enclosed one; a float where it is not finite, None where it is no number."""
    if isinstance(value, Enclosed):
        return value
    if isinstance(value, (bool, np.bool_)):
        return None
    if isinstance(value, (int, np.integer, Fraction)):
        near = float(value)
        return Enclosed(near, near) if Fraction(near) == value else _wider(near, near)
    if isinstance(value, (float, np.floating)):
        return Enclosed(float(value), float(value)) if math.isfinite(value) else float(value)
    return None


def _wider(low: float, high: float, steps: int = 1) -> Enclosed:
    """As far apart as rounding may move them, which never makes a positive number negative."""
    least, most = low, high
    for _ in range(steps):
        least, most = math.nextafter(least, -math.inf), math.nextafter(most, math.inf)
    return Enclosed(max(least, 0.0) if low >= 0 else least, min(most, 0.0) if high <= 0 else most)


def _beyond(operation: Callable[[Any, Any], Any], one: Any, other: Any) -> Any:
    with np.errstate(all="ignore"):
        plain = [np.float64(v.middle if isinstance(v, Enclosed) else v) for v in (one, other)]
        value = float(operation(*plain))
    return Enclosed(value, value) if math.isfinite(value) else value


def _combined(operation: Callable[[Any, Any], Any], one: Enclosed, other: Enclosed) -> Any:
    if one.exact and other.exact:
        value = operation(one.low, other.low)
        if not math.isfinite(value):
            raise RoundingDecidesError("a number too large for floats")
        if operation(Fraction(one.low), Fraction(other.low)) == Fraction(value):
            return Enclosed(value, value)
        return _wider(value, value)
    ends = [operation(a, b) for a in (one.low, one.high) for b in (other.low, other.high)]
    return _wider(min(ends), max(ends))


def number(value: Any) -> Enclosed | float:
    """The same for something that must be a number."""
    found = enclosed(value)
    if found is None:
        raise TypeError("not a number")
    return found


def divided(x: Any, y: Any) -> Any:
    """x over y; an error where rounding decides whether y is 0."""
    one, other = number(x), number(y)
    if isinstance(one, float) or isinstance(other, float):
        return _beyond(lambda p, q: p / q, one, other)
    if other.low <= 0 <= other.high:
        if not other.exact or (one.low <= 0 <= one.high and not one.exact):
            raise RoundingDecidesError("a division")
        return NAN if one.low == 0 else math.copysign(math.inf, one.low)
    return _combined(lambda p, q: p / q, one, other)


def raised(x: Any, exponent: Fraction) -> Any:
    """x to a power; an error where rounding decides whether there is one."""
    base = number(x)
    if isinstance(base, float):
        value = float(np.float64(base) ** float(exponent))
        return Enclosed(value, value) if math.isfinite(value) else value
    if exponent == 0:
        return Enclosed(1.0, 1.0)
    if base.low <= 0 <= base.high and exponent < 0:
        if not base.exact:
            raise RoundingDecidesError("a power")
        return math.inf
    if base.low < 0 and exponent.denominator > 1:
        if base.high >= 0:
            raise RoundingDecidesError("a root")
        return NAN
    ends = [float(np.float64(v) ** float(exponent)) for v in (base.low, base.high)]
    if base.low < 0 < base.high:
        ends.append(0.0)
    low, high = min(ends), max(ends)
    if not (math.isfinite(low) and math.isfinite(high)):
        raise RoundingDecidesError("a number too large for floats")
    if base.exact and Fraction(low) ** exponent.denominator == Fraction(base.low) ** exponent.numerator:
        return Enclosed(low, low)
    return _wider(low, high, OTHERS)


def logarithm(x: Any) -> Any:
    """The logarithm of x; an error where rounding decides whether there is one."""
    value = number(x)
    if isinstance(value, float):
        return float(np.log(value))
    if value.low <= 0:
        if value.high >= 0 and not value.exact:
            raise RoundingDecidesError("a logarithm")
        return -math.inf if value.high == 0 else NAN
    if value.exact and value.low == 1:
        return Enclosed(0.0, 0.0)
    return _wider(math.log(value.low), math.log(value.high), OTHERS)


def larger(x: Any, y: Any) -> Any:
    """The larger of two."""
    one, other = number(x), number(y)
    if isinstance(one, float) or isinstance(other, float):
        return _beyond(np.maximum, one, other)
    return Enclosed(max(one.low, other.low), max(one.high, other.high))


def fall(x: Any, y: Any, relation: str) -> bool:
    """How a comparison falls; an error where rounding decides."""
    holds = COMPARISONS[relation]
    one, other = number(x), number(y)
    if isinstance(one, float) or isinstance(other, float):
        plain = (v.middle if isinstance(v, Enclosed) else v for v in (one, other))
        return bool(holds(*plain))
    answers = {bool(holds(p, q)) for p in (one.low, one.high) for q in (other.low, other.high)}
    overlap = one.low <= other.high and other.low <= one.high
    if len(answers) > 1 or (overlap and not (one.exact and other.exact) and relation in ("==", "!=")):
        raise RoundingDecidesError("a comparison")
    return answers.pop()


class EnclosedNumbers(OneByOne):
    """Floats with what rounding may have made of them."""

    def constant(self, value: float) -> Any:
        return Enclosed(value, value)

    def entries(self, matrix: Array) -> Array:
        found = np.frompyfunc(lambda v: Enclosed(float(v), float(v)), 1, 1)(matrix)
        return np.asarray(found, dtype=object)

    def divide(self, a: Any, b: Any) -> Any:
        return self._each(divided, a, b)

    def power(self, a: Any, exponent: Fraction) -> Any:
        return self._each(lambda x: raised(x, exponent), a)

    def log(self, a: Any) -> Any:
        return self._each(logarithm, a)

    def maximum(self, a: Any, b: Any) -> Any:
        return self._each(larger, a, b)

    def absolute(self, a: Any) -> Any:
        return self._each(abs, a)

    def compare(self, a: Any, b: Any, relation: str) -> Any:
        return self._each(lambda x, y: fall(x, y, relation), a, b)
