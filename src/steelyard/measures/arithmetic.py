"""The few operations a measure is made of, for floats and for exact fractions.

A measure's body is written once over these operations. On float64 arrays it serves millions of matrices at
once; on arrays of `Fraction` it gives the exact value, which is what proofs and counterexamples need.
"""

from __future__ import annotations

import decimal
import math
from collections.abc import Callable
from fractions import Fraction
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from steelyard.measures.undefined import NAN, Policy, Reasons

Array = NDArray[Any]

DIGITS = 60
"""Roots and logarithms of fractions are irrational; exact arithmetic gives them to this many decimal
digits."""

_MANY = 1 << 18
_TINY = np.finfo(np.float64).tiny


class Arithmetic(Protocol):
    """What a body may ask for."""

    policy: Policy
    reasons: Reasons | None

    def native(self, counts: Array) -> Array: ...
    def number(self, value: Any) -> Any: ...
    def divide(self, numerator: Any, denominator: Any, fill: float) -> tuple[Array, Array]: ...
    def is_nan(self, values: Array) -> Array: ...
    def maximum(self, a: Array, b: Array) -> Array: ...
    def sqrt(self, values: Array) -> Array: ...
    def log(self, value: Any) -> Any: ...
    def half_turns(self, values: Array) -> Array: ...
    def entropy_terms(self, part: Array, rest: Array) -> Array: ...
    def exp_log_mean(self, terms: Array, weights: Array) -> Array: ...
    def choose(self, condition: Array, yes: Any, no: Array) -> Array: ...


class Floats:
    """float64, vectorised over the batch."""

    def __init__(self, policy: Policy, reasons: Reasons | None = None) -> None:
        self.policy, self.reasons = policy, reasons

    def native(self, counts: Array) -> Array:
        return counts.astype(np.float64, copy=False)

    def number(self, value: Any) -> float:
        return float(value)

    def divide(self, numerator: Any, denominator: Any, fill: float) -> tuple[Array, Array]:
        bottom = np.asarray(denominator, dtype=np.float64)
        zero = bottom == 0
        if not zero.any():
            return np.asarray(numerator / bottom), zero
        out = np.full(np.broadcast_shapes(np.shape(numerator), bottom.shape), fill)
        np.divide(numerator, bottom, out=out, where=~zero)
        return out, zero

    def is_nan(self, values: Array) -> Array:
        return np.isnan(values)

    def maximum(self, a: Array, b: Array) -> Array:
        return np.maximum(a, b)

    def sqrt(self, values: Array) -> Array:
        with np.errstate(
            invalid="ignore"
        ):  # a negative number that stands in for an undefined term has no root
            return np.asarray(np.sqrt(values))

    def log(self, value: Any) -> Any:
        return np.log(value)

    def half_turns(self, values: Array) -> Array:
        return np.asarray(np.arccos(values) / np.pi)

    def entropy_terms(self, part: Array, rest: Array) -> Array:
        """-part * ln(part / (part + rest)), 0 where part is 0; accurate also where part is nearly
        everything."""
        part, rest = np.broadcast_arrays(part, rest)
        if (
            part.size > _MANY and np.count_nonzero(part) * 4 < part.size
        ):  # thousands of classes, most cells empty
            found = np.zeros(part.shape)
            held = part != 0
            found[held] = self.entropy_terms(part[held], rest[held])
            return found
        whole = np.maximum(
            part + rest, _TINY
        )  # instead of 0, whose quotient and logarithm would not be numbers
        share = np.maximum(part / whole, _TINY)
        logs = np.log(share)
        near_all = share > 0.5
        if near_all.any():  # picked out first: measured faster than where= in every operation
            logs[near_all] = np.log1p(-rest[near_all] / whole[near_all])
        logs *= part
        return np.asarray(np.negative(logs, out=logs))

    def exp_log_mean(self, terms: Array, weights: Array) -> Array:
        with np.errstate(divide="ignore", invalid="ignore"):
            logs = np.log(terms)
        return np.asarray(np.exp((logs * weights).sum(axis=0)))

    def choose(self, condition: Array, yes: Any, no: Array) -> Array:
        return np.where(condition, yes, no)


class Fractions:
    """Exact rational numbers, one Python object per entry; NaN marks undefined entries."""

    def __init__(self, policy: Policy, reasons: Reasons | None = None) -> None:
        self.policy, self.reasons = policy, reasons

    def native(self, counts: Array) -> Array:
        return counts

    def number(self, value: Any) -> Fraction:
        return as_fraction(value)

    def divide(self, numerator: Any, denominator: Any, fill: float) -> tuple[Array, Array]:
        filled = fill if math.isnan(fill) else as_fraction(fill)
        top, bottom = np.broadcast_arrays(
            np.asarray(numerator, dtype=object), np.asarray(denominator, dtype=object)
        )
        zero = np.asarray(_each(lambda b: b == 0, bottom), dtype=bool)
        return (
            _each(
                lambda a, b: filled if b == 0 else NAN if _nan(a) or _nan(b) else Fraction(a) / b, top, bottom
            ),
            zero,
        )

    def is_nan(self, values: Array) -> Array:
        return np.asarray(_each(_nan, np.asarray(values, dtype=object)), dtype=bool)

    def maximum(self, a: Array, b: Array) -> Array:
        return _each(lambda x, y: NAN if _nan(x) or _nan(y) else max(x, y), a, b)

    def sqrt(self, values: Array) -> Array:
        return _each(lambda v: NAN if _nan(v) or v < 0 else exact_root(Fraction(v), 2), values)

    def log(self, value: Any) -> Any:
        return exact_log(Fraction(value))

    def half_turns(self, values: Array) -> Array:
        return _each(lambda v: NAN if _nan(v) else exact_half_turns(Fraction(v)), values)

    def entropy_terms(self, part: Array, rest: Array) -> Array:
        def term(a: Any, b: Any) -> Any:
            if _nan(a) or _nan(b):
                return NAN
            return Fraction(0) if a == 0 else -a * exact_log(Fraction(a) / (a + b))

        return _each(term, *np.broadcast_arrays(part, rest))

    def exp_log_mean(self, terms: Array, weights: Array) -> Array:
        def mean(*values: Any) -> Any:
            numbers, powers = values[: len(values) // 2], values[len(values) // 2 :]
            return (
                NAN
                if any(map(_nan, values)) or any(n < 0 for n in numbers)
                else exact_power_product(numbers, powers)
            )

        terms, weights = np.broadcast_arrays(terms, weights)
        return _each(mean, *terms, *weights)

    def choose(self, condition: Array, yes: Any, no: Array) -> Array:
        return _each(lambda c, n: yes if c else n, condition, no)


def as_fraction(value: Any) -> Fraction:
    """A number as it is written: 0.05 is one twentieth, not the binary fraction nearest to it."""
    return Fraction(repr(float(value))) if isinstance(value, (float, np.floating)) else Fraction(value)


def _nan(value: Any) -> bool:
    return isinstance(value, float) and math.isnan(value)


def _each(function: Callable[..., Any], *arrays: Any) -> Array:
    out = np.frompyfunc(function, len(arrays), 1)(*(np.asarray(a, dtype=object) for a in arrays))
    return np.asarray(out, dtype=object)


def exact_root(value: Fraction, degree: int) -> Fraction:
    """The root where it is rational, otherwise to DIGITS digits."""
    top, bottom = _integer_root(value.numerator, degree), _integer_root(value.denominator, degree)
    if top**degree == value.numerator and bottom**degree == value.denominator:
        return Fraction(top, bottom)
    scale = 10**DIGITS
    return Fraction(
        _integer_root(value.numerator * value.denominator ** (degree - 1) * scale**degree, degree),
        value.denominator * scale,
    )


def _integer_root(value: int, degree: int) -> int:
    """The greatest integer whose power does not exceed value (Newton's method on integers)."""
    if value < 2:
        return value
    if degree == 2:
        return math.isqrt(value)
    guess = 1 << -(-value.bit_length() // degree)
    while True:
        better = ((degree - 1) * guess + value // guess ** (degree - 1)) // degree
        if better >= guess:
            return guess
        guess = better


def exact_log(value: Fraction) -> Fraction:
    """The natural logarithm to DIGITS digits; exactly 0 at 1."""
    if value == 1:
        return Fraction(0)
    with decimal.localcontext(prec=DIGITS + 10):
        return Fraction((decimal.Decimal(value.numerator) / decimal.Decimal(value.denominator)).ln())


def exact_half_turns(cosine: Fraction) -> Fraction:
    """arccos / π to DIGITS digits; exact where it is rational (by Niven's theorem nowhere else)."""
    thirds = {Fraction(1): 0, Fraction(1, 2): 2, Fraction(0): 3, Fraction(-1, 2): 4, Fraction(-1): 6}
    if cosine in thirds:
        return Fraction(thirds[cosine], 6)
    ratio = (1 - cosine) / (1 + cosine)  # before it is rounded: -1 + 1e-200 is not -1
    with decimal.localcontext(prec=DIGITS + 20):
        square = decimal.Decimal(ratio.numerator) / ratio.denominator
        return Fraction(2 * _arctangent(square.sqrt()) / (4 * _arctangent(decimal.Decimal(1))))


def _arctangent(y: decimal.Decimal) -> decimal.Decimal:
    """In the precision at hand: halved until it is small, then the series."""
    halved = 0
    while y > decimal.Decimal("0.05"):
        y = y / (1 + (1 + y * y).sqrt())
        halved += 1
    total, power, k = decimal.Decimal(0), y, 1
    while abs(power) > decimal.Decimal(10) ** -(DIGITS + 18):
        total += power / k if k % 4 == 1 else -power / k
        power, k = power * y * y, k + 2
    return total * decimal.Decimal(2**halved)


def exact_power_product(numbers: tuple[Any, ...], powers: tuple[Any, ...]) -> Fraction:
    """The product of numbers to rational powers: a root where the powers are equal unit fractions, else to
    DIGITS digits."""
    pairs = [(Fraction(n), Fraction(p)) for n, p in zip(numbers, powers, strict=True) if p != 0]
    if any(n == 0 for n, _ in pairs):
        return Fraction(0)
    if len({p for _, p in pairs}) == 1 and pairs[0][1].numerator == 1:
        return exact_root(math.prod((n for n, _ in pairs), start=Fraction(1)), pairs[0][1].denominator)
    with decimal.localcontext(prec=DIGITS + 10):
        total = sum(
            (decimal.Decimal(p.numerator) / p.denominator)
            * (decimal.Decimal(n.numerator) / n.denominator).ln()
            for n, p in pairs
        )
        return Fraction(decimal.Decimal(total).exp())
