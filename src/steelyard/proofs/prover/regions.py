"""The same measure bodies on symbols, in every way their comparisons can fall.

A comparison (a maximum, an absolute value) cuts the matrices into regions. Each way the comparisons can fall
is worked through in turn, so that a proof covers them all. Maxima and absolute values are continuous, so the
edges of the regions, and the matrices with zeros at which no denominator vanishes, are covered as limits.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray

from steelyard.measures.arithmetic import as_fraction, exact_half_turns
from steelyard.measures.undefined import NAN, Policy, Reasons
from steelyard.proofs.prover.angles import Angle
from steelyard.proofs.prover.roots import log_of, power_of
from steelyard.proofs.prover.symbols import Decisions, Field, Symbol, TooHardError

Array = NDArray[Any]

MOST_REGIONS = 600
"""More ways than this are given up: a reproducible limit, unlike a time."""


class Symbols:
    """The arithmetic of the measures, on symbols."""

    def __init__(self, owner: Field) -> None:
        self.field = owner
        self.policy = Policy()
        self.reasons: Reasons | None = None

    def native(self, counts: Array) -> Array:
        return counts

    def number(self, value: Any) -> Fraction:
        return Fraction(repr(float(value))) if isinstance(value, (float, np.floating)) else Fraction(value)

    def divide(self, numerator: Any, denominator: Any, fill: float) -> tuple[Array, Array]:
        top, bottom = np.broadcast_arrays(
            np.asarray(numerator, dtype=object), np.asarray(denominator, dtype=object)
        )

        def quotient(a: Any, b: Any) -> Any:
            if _undefined(a) or _undefined(b):
                return NAN
            zero = b.is_zero if isinstance(b, Symbol) else b == 0
            if zero:
                return NAN
            return (
                a / b if isinstance(a, Symbol) or isinstance(b, Symbol) else as_fraction(a) / as_fraction(b)
            )

        values = _each(quotient, top, bottom)
        zero = np.asarray(
            _each(lambda b: bool(b.is_zero if isinstance(b, Symbol) else b == 0), bottom), dtype=bool
        )
        return values, zero

    def is_nan(self, values: Array) -> Array:
        def missing(value: Any) -> bool:
            if isinstance(value, Symbol):
                self.field.poles_of(value)  # refused where the answer differs on matrices without zeros
            return _undefined(value)

        return np.asarray(_each(missing, np.asarray(values, dtype=object)), dtype=bool)

    def maximum(self, a: Array, b: Array) -> Array:
        def larger(x: Any, y: Any) -> Any:
            if _undefined(x) or _undefined(y):
                return NAN
            difference = x - y
            if not isinstance(difference, Symbol):
                return max(x, y)
            chosen = x if self.field.sign(difference) >= 0 else y
            # Where either side has no number the larger of both has none.
            return self._symbol(chosen).with_poles(difference.poles) if difference.poles else chosen

        return _each(larger, a, b)

    def sqrt(self, values: Array) -> Array:
        return _each(lambda v: NAN if _undefined(v) else power_of(self._symbol(v), Fraction(1, 2)), values)

    def log(self, value: Any) -> Any:
        return log_of(self._symbol(value))

    def half_turns(self, values: Array) -> Array:
        def angle(v: Any) -> Any:
            if _undefined(v):
                return NAN
            return Angle(v) if isinstance(v, Symbol) else exact_half_turns(Fraction(v))

        return _each(angle, values)

    def entropy_terms(self, part: Array, rest: Array) -> Array:
        def term(a: Any, b: Any) -> Any:
            if _undefined(a) or _undefined(b):
                return NAN
            x = self._symbol(a)
            return Fraction(0) if x.is_zero else -x * log_of(x / (x + b), at_zero=True)

        return _each(term, *np.broadcast_arrays(part, rest))

    def exp_log_mean(self, terms: Array, weights: Array) -> Array:
        def mean(*values: Any) -> Any:
            numbers, powers = values[: len(values) // 2], values[len(values) // 2 :]
            if any(map(_undefined, values)) or any(isinstance(p, Symbol) for p in powers):
                return NAN
            return math.prod(
                (self._symbol(n) ** as_fraction(p) for n, p in zip(numbers, powers, strict=True)),
                start=self.field.constant(1),
            )

        terms, weights = np.broadcast_arrays(terms, weights)
        return _each(mean, *terms, *weights)

    def choose(self, condition: Array, yes: Any, no: Array) -> Array:
        return _each(lambda c, n: yes if c else n, condition, no)

    def _symbol(self, value: Any) -> Symbol:
        return value if isinstance(value, Symbol) else self.field.constant(as_fraction(value))


def _undefined(value: Any) -> bool:
    """No value at all; a finite float is a number like any other."""
    return isinstance(value, (float, np.floating)) and not math.isfinite(value)


def _each(function: Callable[..., Any], *arrays: Any) -> Array:
    out = np.frompyfunc(function, len(arrays), 1)(*(np.asarray(a, dtype=object) for a in arrays))
    return np.asarray(out, dtype=object)


@dataclass(frozen=True)
class Region:
    """One way the comparisons can fall: a field whose decisions are made, and what was computed in it."""

    field: Field
    values: tuple[Any, ...]

    @property
    def comparisons(self) -> list[tuple[Any, int]]:
        return [(polynomial, sign) for _, sign, polynomial in self.field.decisions.made]


def regions(names: Sequence[str], compute: Callable[[Field, Symbols], Sequence[Any]]) -> Iterator[Region]:
    """Compute the same values in every region, the comparisons falling in every combination that comes up."""
    waiting: list[dict[str, int]] = [{}]
    seen = 0
    while waiting:
        seen += 1
        if seen > MOST_REGIONS:
            raise TooHardError(f"more than {MOST_REGIONS} ways the comparisons can fall")
        preset = waiting.pop()
        owner = Field(names, Decisions(preset))
        values = compute(owner, Symbols(owner))
        prefix: dict[str, int] = {}
        for key, sign, _ in owner.decisions.made:
            if key not in preset:
                waiting.append({**prefix, key: -sign})
            prefix[key] = sign
        yield Region(owner, tuple(values))
