"""The statement that a certificate proves impossible: printed numbers as intervals, class sizes and folds."""

# A printed number counts with the digits that are printed: 0.60 is not 0.6.

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, fields
from fractions import Fraction
from typing import Any, Literal, get_args

Rounding = Literal["nearest", "cut", "either"]
ROUNDINGS: tuple[Rounding, ...] = get_args(Rounding)

DEVIATION = "deviation of "
# A standard deviation divides by the number of folds less one of these.
DIVISORS: dict[str, tuple[int, ...]] = {"sample": (1,), "population": (0,), "either": (1, 0)}

MOST_DIGITS = 100
LARGEST_POWER = 30
_NUMBER = re.compile(
    r"(?P<sign>[-−+]?)(?P<whole>\d*)(?:[.](?P<part>\d*))?(?:[eE](?P<ten>[-+]?\d+))?\s*(?P<percent>%?)"
)


class CertificateError(Exception):
    """Why a certificate proves nothing."""


@dataclass(frozen=True)
class Interval:
    """From low to high; an open end does not belong to it."""

    low: Fraction
    high: Fraction
    low_open: bool = False
    high_open: bool = False

    def holds(self, value: Fraction) -> bool:
        above = value > self.low if self.low_open else value >= self.low
        return above and (value < self.high if self.high_open else value <= self.high)

    def distance(self, value: Fraction) -> Fraction:
        """How far outside the interval a value lies."""
        return max(self.low - value, value - self.high, Fraction(0))

    def shifted(self, factor: Fraction, constant: Fraction) -> Interval:
        """The interval of x where constant + factor * x lies in this one."""
        ends = (self.low - constant) / factor, (self.high - constant) / factor
        if factor > 0:
            return Interval(*ends, self.low_open, self.high_open)
        return Interval(ends[1], ends[0], self.high_open, self.low_open)

    def power(self, exponent: int) -> Interval:
        """The interval of x >= 0 where the root of x lies in this one."""
        # No root is negative: an interval that nothing non-negative meets stands for the empty one.
        if self.high < 0:
            return Interval(Fraction(-2), Fraction(-1))
        low, low_open = (self.low, self.low_open) if self.low >= 0 else (Fraction(0), False)
        return Interval(low**exponent, self.high**exponent, low_open, self.high_open)

    def common(self, other: Interval) -> Interval | None:
        """The intersection of two intervals; None if it is empty."""
        low, low_open = max((self.low, self.low_open), (other.low, other.low_open))
        high, closed = min((self.high, not self.high_open), (other.high, not other.high_open))
        if low > high or (low == high and (low_open or not closed)):
            return None
        return Interval(low, high, low_open, not closed)


@dataclass(frozen=True)
class Figure:
    """A printed number: its text, its value and the unit of its last digit."""

    text: str
    value: Fraction
    unit: Fraction

    def interval(self, rounding: Rounding) -> Interval:
        """The true values that are printed like this."""
        half = self.unit / 2
        # Half of the last printed unit each way; the idea of the GRIM test (Brown and Heathers 2017) for
        # means of integers, applied to every metric.
        if rounding == "nearest":  # a tie may have been rounded either way
            return Interval(self.value - half, self.value + half)
        # Digits are cut towards 0, so the true value lies on the far side of the printed one; 0 has two far
        # sides.
        below = self.unit if self.value <= 0 else Fraction(0)
        above = self.unit if self.value >= 0 else Fraction(0)
        if rounding == "cut":
            return Interval(self.value - below, self.value + above, below > 0, above > 0)
        low, high = max(below, half), max(above, half)
        return Interval(self.value - low, self.value + high, low > half, high > half)


class UnreadableNumberError(ValueError):
    """Text that is not a printed number: what is wrong, what was found and what is allowed."""

    def __init__(self, what: str, text: str, allowed: str) -> None:
        self.what, self.allowed = what, allowed
        self.found = repr(text if len(text) <= 60 else f"{text[:40]}... ({len(text):,} characters)")
        super().__init__(f"{what}: {self.found}")


def figure(text: str) -> Figure:
    """Parse a printed number such as 0.60, .6, 95.2% or 9.5e-1."""
    stripped = text.strip()
    match = _NUMBER.fullmatch(stripped)
    whole, decimals, ten = (match[name] or "" for name in ("whole", "part", "ten")) if match else ("", "", "")
    if match is None or not (whole or decimals):
        what, allowed = "this is not a printed number", "such as 0.60, .6, 95.2% or 0.95 ± 0.02"
    # Python refuses to convert more than 4,300 digits, and no paper prints a hundred.
    elif len(whole + decimals) > MOST_DIGITS:
        what = f"the printed number has {len(whole + decimals):,} digits"
        allowed = f"at most {MOST_DIGITS} digits"
    elif len(ten) > 4 or abs(int(ten or 0)) > LARGEST_POWER:
        what = "the power of ten is beyond any printed result"
        allowed = f"powers from {-LARGEST_POWER} to {LARGEST_POWER}"
    else:
        unit = Fraction(1, 10 ** len(decimals)) * Fraction(10) ** int(ten or 0)
        unit = unit / 100 if match["percent"] else unit
        value = int(whole + decimals) * unit
        return Figure(stripped, -value if match["sign"] in ("-", "−") else value, unit)
    raise UnreadableNumberError(what, stripped, allowed)


@dataclass(frozen=True)
class Printed:
    """A printed value, "recall = 0.85" or "recall = 0.85 ± 0.02", and the class that it is of, if of one."""

    text: str
    label: str | None = None

    @property
    def is_deviation(self) -> bool:
        return self.text.startswith(DEVIATION)

    @property
    def name(self) -> str:
        return self.text.removeprefix(DEVIATION).rpartition(" = ")[0]

    def interval(self, rounding: Rounding) -> Interval:
        """The values that are printed like this."""
        value, _, spread = self.text.rpartition(" = ")[2].partition(" ± ")
        if not self.name:
            raise CertificateError(f"{self.text!r} is not a printed value")
        try:
            if not spread:
                return figure(value).interval(rounding)
            middle, around = figure(value).value, figure(spread).value
        except UnreadableNumberError as error:
            raise CertificateError(f"{self.text!r} is not a printed value: {error}") from error
        return Interval(middle - around, middle + around)


@dataclass(frozen=True)
class Question:
    """Everything that a reader must know to ask again: exactly this is certified."""

    labels: tuple[str, ...]
    sizes: tuple[int | None, ...]
    printed: tuple[Printed, ...]
    rounding: Rounding = "nearest"
    # What an undefined term counts as: "nan" (no value) or a number.
    undefined: Any = "nan"
    total: int | None = None
    # Largest test set, where neither all sizes nor their total are known.
    up_to: int | None = None
    # Every value is a mean over this many folds, in every repetition.
    folds: int | None = None
    repeats: int = 1
    fold_sizes: str | tuple[tuple[int, ...], ...] = "stratified"
    deviation: str = "either"

    def divisors(self) -> tuple[int, ...]:
        """The readings that must all be excluded: a deviation divides by the number of folds less this."""
        has_deviation = any(printed.is_deviation for printed in self.printed)
        return DIVISORS[self.deviation] if has_deviation else (1,)

    def intervals(self) -> list[Interval]:
        return [printed.interval(self.rounding) for printed in self.printed]

    def to_dict(self) -> dict[str, Any]:
        names = [name for name in vars(self) if self.folds is not None or name not in _OF_FOLDS]
        plain = {name: _listed(getattr(self, name)) for name in names}
        return {**plain, "printed": [{"text": p.text, "class": p.label} for p in self.printed]}

    @classmethod
    def from_dict(cls, plain: Mapping[str, Any]) -> Question:
        """The question of a certificate; nothing in it is taken for granted."""
        # The question is the statement that is certified, so it is parsed as strictly as the proof: a field
        # that is misread would certify something else.
        try:
            values = {**_OF_FOLDS, **plain}
            values["printed"] = [Printed(p["text"], p["class"]) for p in values["printed"]]
            if not isinstance(values["fold_sizes"], str):
                values["fold_sizes"] = tuple(map(tuple, values["fold_sizes"]))
            for name in ("labels", "sizes", "printed"):
                values[name] = tuple(values[name])
            question = cls(**{field.name: values[field.name] for field in fields(cls)})
            fault = question._fault()
        except (KeyError, TypeError, AttributeError, IndexError, ValueError) as error:
            raise CertificateError(f"the question is incomplete or malformed ({error!r})") from error
        if fault:
            raise CertificateError(f"the question is malformed: {fault}")
        return question

    def _fault(self) -> str:
        """What is wrong with the question; empty if nothing is."""
        of_folds = self.folds is not None
        checks = {
            "the classes": len(self.labels) >= 2
            and all(isinstance(label, str) for label in self.labels)
            and len(set(self.labels)) == len(self.labels) == len(self.sizes),
            "the class sizes": all(size is None or _is_whole(size, 1) for size in self.sizes),
            "the printed values": bool(self.printed)
            and all(isinstance(p.text, str) and p.label in (None, *self.labels) for p in self.printed)
            and (of_folds or not any(p.is_deviation for p in self.printed)),
            "the rounding": self.rounding in ROUNDINGS,
            "what undefined terms count as": self.undefined == "nan" or _is_number(self.undefined),
            "the deviation": self.deviation in DIVISORS,
        }
        fault = next((what for what, right in checks.items() if not right), "")
        return fault or self._fault_of_sizes() or (self._fault_of_folds() if of_folds else "")

    def _fault_of_sizes(self) -> str:
        if None not in self.sizes:
            return "" if self.total is self.up_to is None else "known class sizes need no total and no limit"
        if self.folds is not None:
            return "folds need known class sizes"
        if (self.total is None) == (self.up_to is None):
            return "unknown class sizes need a total or a limit"
        limit = self.up_to if self.total is None else self.total
        least = sum(1 if size is None else size for size in self.sizes)
        return "" if _is_whole(limit, least) else "the limit of the class sizes"

    def _fault_of_folds(self) -> str:
        if not (_is_whole(self.folds, 2) and _is_whole(self.repeats, 1)):
            return "the number of folds"
        if isinstance(self.fold_sizes, str):
            return "" if self.fold_sizes in ("stratified", "unknown") else "the sizes of the folds"
        alike = {len(fold) for fold in self.fold_sizes} == {len(self.labels)}
        whole = all(_is_whole(size, 0) for fold in self.fold_sizes for size in fold)
        if len(self.fold_sizes) != self.folds or not (alike and whole):
            return "the sizes of the folds"
        together = tuple(map(sum, zip(*self.fold_sizes, strict=True)))
        return "" if together == self.sizes else "the sizes of the folds do not add up"


# The fields of a question about folds, as they are where it has none.
_OF_FOLDS: dict[str, Any] = {"folds": None, "repeats": 1, "fold_sizes": "stratified", "deviation": "either"}


def _listed(value: Any) -> Any:
    return [_listed(item) for item in value] if isinstance(value, tuple) else value


def _is_whole(value: Any, least: int) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and least <= value < 2**60


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool) and abs(value) < 10**9
