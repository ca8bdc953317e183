"""What does a printed number say? As many digits as are printed: 0.60 is not 0.6."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction
from numbers import Real
from typing import Any, Literal, get_args

from steelyard.auditing.problem import Interval
from steelyard.errors import InputError, UnknownNameError

Rounding = Literal["nearest", "cut", "either"]
ROUNDINGS: tuple[Rounding, ...] = get_args(Rounding)

_NUMBER = re.compile(
    r"(?P<sign>[-−+]?)(?P<whole>\d*)(?:[.](?P<part>\d*))?(?:[eE](?P<ten>[-+]?\d+))?\s*(?P<percent>%?)"
)
LARGEST_POWER = 30
_PLUS_MINUS = re.compile(r"\s*(?:±|\+/?-)\s*")


@dataclass(frozen=True)
class Figure:
    """A number as it stands on paper: its value and the unit of its last digit."""

    text: str
    value: Fraction
    unit: Fraction

    def interval(self, rounding: Rounding) -> Interval:
        """Which true values are printed like this?"""
        half = self.unit / 2
        if rounding == "nearest":  # a tie may have gone either way
            return Interval(self.value - half, self.value + half)
        # Digits are cut towards 0, so the true value lies on the far side of the printed one; 0 has two far
        # sides.
        below = self.unit if self.value <= 0 else Fraction(0)
        above = self.unit if self.value >= 0 else Fraction(0)
        if rounding == "cut":
            return Interval(self.value - below, self.value + above, below > 0, above > 0)
        low, high = max(below, half), max(above, half)
        return Interval(self.value - low, self.value + high, low > half, high > half)


@dataclass(frozen=True)
class Statement:
    """name = value, or name = value ± spread, as it was given."""

    name: str
    figure: Figure
    spread: Figure | None = None

    @property
    def text(self) -> str:
        return f"{self.name} = {self.figure.text}" + (f" ± {self.spread.text}" if self.spread else "")


def checked_rounding(rounding: str) -> Rounding:
    for known in ROUNDINGS:
        if rounding == known:
            return known
    raise UnknownNameError("rounding", rounding, ROUNDINGS)


def figure(text: Any) -> Figure:
    """A number with its digits; a float counts as Python prints it."""
    if isinstance(text, Decimal):
        text = str(text)
    elif isinstance(text, Real) and not isinstance(text, bool):
        text = repr(text) if isinstance(text, (int, float)) else repr(float(text))
    if not isinstance(text, str):
        raise InputError(
            "a printed number is text or a number", found=type(text).__name__, allowed='such as "0.60"'
        )
    match = _NUMBER.fullmatch(text.strip())
    if match is None or not (match["whole"] or match["part"]):
        raise InputError(
            "this is not a printed number", found=repr(text), allowed="such as 0.60, .6, 95.2% or 0.95 ± 0.02"
        )
    digits = match["part"] or ""
    power = int(match["ten"] or 0)
    if abs(power) > LARGEST_POWER:
        raise InputError(
            "the power of ten is beyond any printed result",
            found=repr(text),
            allowed=f"powers from {-LARGEST_POWER} to {LARGEST_POWER}",
        )
    scale = Fraction(10) ** power / (100 if match["percent"] else 1)
    unit = Fraction(1, 10 ** len(digits)) * scale
    value = int((match["whole"] or "") + digits) * unit
    return Figure(text.strip(), -value if match["sign"] in ("-", "−") else value, unit)


def statements(values: str | Mapping[str, Any]) -> list[Statement]:
    """The statements of 'accuracy=0.95, recall[spam]=0.80 ± 0.02' or of a mapping from name to number."""
    if isinstance(values, str):
        pairs: list[tuple[str, Any]] = list(_pairs(values))
    elif isinstance(values, Mapping):
        pairs = list(values.items())
    else:
        raise InputError(
            "the printed values are not understood", found=type(values).__name__,
            allowed='text such as "accuracy=0.95, recall=0.80" or a mapping from name to number',
        )  # fmt: skip
    if not pairs:
        raise InputError("there is nothing to audit", found="no value", allowed="such as accuracy=0.95")
    return [_statement(str(name), value) for name, value in pairs]


def _statement(name: str, value: Any) -> Statement:
    if isinstance(value, (tuple, list)) and len(value) == 2:
        return Statement(name, figure(value[0]), _spread(value[1]))
    if isinstance(value, str):
        parts = _PLUS_MINUS.split(value.strip())
        if len(parts) == 2:
            return _with_spread(name, *parts)
    return Statement(name, figure(value))


def _with_spread(name: str, value: str, spread: str) -> Statement:
    """95 ± 2% is 95 % ± 2 %; where only one has the sign and it could mean two things, it is refused."""
    with_sign = [part.endswith("%") for part in (value, spread)]
    if with_sign == [False, True] and figure(value).value > 1:
        value += "%"
    elif with_sign[0] != with_sign[1]:
        raise InputError(
            "the percent sign stands at one of two numbers, which can mean two things",
            found=f"{name} = {value} ± {spread}",
            do="write it at both or at none, such as 95% ± 2% or 0.95 ± 0.02",
        )
    return Statement(name, figure(value), _spread(spread))


def _spread(value: Any) -> Figure:
    spread = figure(value)
    if spread.value < 0:
        raise InputError("what stands after ± must not be negative", found=spread.text)
    return spread


_SEVERAL = re.compile(r"=\s*[-+.\d]+%?\s+(\w[^=()]*)$")
"""A value and the beginning of the next one, without a comma between them."""


def _pairs(text: str) -> Iterator[tuple[str, str]]:
    for clause in split_outside_brackets(text):
        name, equals, value = clause.rpartition("=")
        if several := _SEVERAL.search(name):
            raise InputError(
                "printed values are parted by commas",
                found=repr(clause.strip()),
                do=f"write a comma before {several.group(1)!r}",
            )
        if not equals or not name.strip():
            raise InputError(
                "this printed value is not understood", found=repr(clause.strip()),
                allowed="name=value, such as accuracy=0.95",
            )  # fmt: skip
        yield name.strip(), value.strip()


def split_outside_brackets(text: str) -> list[str]:
    """The parts between commas, semicolons or lines that stand outside ( ) and [ ]."""
    parts, depth, start = [], 0, 0
    for place, character in enumerate(text):
        depth += (character in "([") - (character in ")]")
        if character in ",;\n" and depth == 0:
            parts.append(text[start:place])
            start = place + 1
    parts.append(text[start:])
    return [part for part in parts if part.strip()]
