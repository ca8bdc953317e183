"""Interval arithmetic: the value of an expression at a point, between two fractions."""

# Roots and logarithms come from the decimal module, whose exp and ln are correctly rounded; everything else
# is exact. Floating point will not do: √2 √2 - 2 is not 0 in it, so that two equal numbers would be seen to
# differ. This module imports nothing of the prover.

from __future__ import annotations

import decimal
from fractions import Fraction
from typing import Any

Interval = tuple[Fraction, Fraction]
# Numbers with more bits than this are given up.
MOST_BITS = 100_000
# The logarithm of the largest root that is worked out.
LARGEST_LOG = 10_000
DIGITS = 100
# Each of the few operations errs by less than a unit in the last of 100 digits, and arguments are below 10^7.
MARGIN = Fraction(1, 10**80)
_EXACTLY = decimal.Context(DIGITS, Emin=decimal.MIN_EMIN, Emax=decimal.MAX_EMAX)


class GivesUpError(Exception):
    """The certificate is beyond what is worked out here."""


def enclosed(node: Any, point: dict[str, Fraction]) -> Interval:
    """Two numbers between which the value lies, the same number twice where it is exact."""
    # An ArithmeticError or ValueError where there is no value.
    if isinstance(node, str):
        return (Fraction(node),) * 2
    if node[0] == "variable":
        return (point[node[1]],) * 2
    first = enclosed(node[1], point)
    if node[0] == "log":
        return _logarithm(first[0])[0], _logarithm(first[1])[1]
    if node[0] == "^":
        return _bounded(_power(first, Fraction(node[2])))
    second = enclosed(node[2], point)
    if node[0] == "max":
        return max(first[0], second[0]), max(first[1], second[1])
    if node[0] == "+":
        return _bounded((first[0] + second[0], first[1] + second[1]))
    if node[0] == "-":
        return _bounded((first[0] - second[1], first[1] - second[0]))
    return _bounded(_product(first, second if node[0] == "*" else _inverse(second)))


def _bounded(interval: Interval) -> Interval:
    if any(max(end.numerator.bit_length(), end.denominator.bit_length()) > MOST_BITS for end in interval):
        raise GivesUpError
    return interval


def _product(first: Interval, second: Interval) -> Interval:
    products = [a * b for a in first for b in second]
    return min(products), max(products)


def _inverse(interval: Interval) -> Interval:
    low, high = interval
    if low <= 0 <= high:
        raise ZeroDivisionError
    return 1 / high, 1 / low


def _power(base: Interval, exponent: Fraction) -> Interval:
    if exponent < 0:
        return _inverse(_power(base, -exponent))
    whole, rest = divmod(exponent, 1)
    if max(end.numerator.bit_length() + end.denominator.bit_length() for end in base) * whole > MOST_BITS:
        raise GivesUpError
    if not rest:
        ends = [end ** int(whole) for end in base]
        return (Fraction(0) if base[0] < 0 < base[1] and whole % 2 == 0 else min(ends)), max(ends)
    if base[1] < 0:
        raise ValueError("a root of something negative")
    return _root(max(base[0], Fraction(0)), exponent)[0], _root(base[1], exponent)[1]


def _root(value: Fraction, exponent: Fraction) -> Interval:
    if not value:
        return value, value
    low, high = (exponent * end for end in _logarithm(value))
    if max(abs(low), abs(high)) > LARGEST_LOG:
        raise GivesUpError
    return Fraction(_EXACTLY.exp(_decimal(low))) * (1 - MARGIN), Fraction(_EXACTLY.exp(_decimal(high))) * (
        1 + MARGIN
    )


def _logarithm(value: Fraction) -> Interval:
    if value <= 0:
        raise ValueError("the logarithm of something that is not positive")
    logarithm = Fraction(_EXACTLY.ln(_decimal(value)))
    margin = MARGIN * (1 + abs(logarithm))
    return logarithm - margin, logarithm + margin


def _decimal(value: Fraction) -> decimal.Decimal:
    return _EXACTLY.divide(decimal.Decimal(value.numerator), decimal.Decimal(value.denominator))
