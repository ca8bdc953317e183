"""What exactly is certified to be impossible? The question as plain data, and what it demands."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from steelyard.auditing.names import named
from steelyard.auditing.printed import ROUNDINGS, Rounding, statements
from steelyard.auditing.problem import Interval
from steelyard.errors import InputError
from steelyard.measures.measure import Measure
from steelyard.measures.undefined import Undefined

DEVIATION = "deviation of "
DIVISORS: dict[str, tuple[int, ...]] = {"sample": (1,), "population": (0,), "either": (1, 0)}


class CertificateError(Exception):
    """Why a certificate shows nothing."""


@dataclass(frozen=True)
class Printed:
    """A value as it was printed, with the class it is of if the measure is of one class."""

    text: str
    label: str | None = None

    @property
    def is_deviation(self) -> bool:
        return self.text.startswith(DEVIATION)

    def demanded(self, rounding: Rounding, labels: Sequence[str]) -> tuple[Measure, int | None, Interval]:
        """The measure, where its class stands, and the values that are printed like this."""
        try:
            (statement,) = statements(self.text.removeprefix(DEVIATION))
            measure, label = named(statement.name)
        except (InputError, ValueError) as error:
            raise CertificateError(f"{self.text!r} is not a printed value: {error}") from error
        if (measure.kind == "two-class") != (self.label is not None) or label not in (None, self.label):
            raise CertificateError(f"the class of {self.text!r} is not told apart from the others")
        place = None
        if self.label is not None:
            if self.label not in labels:
                raise CertificateError(f"there is no class {self.label!r}")
            place = list(labels).index(self.label)
        if statement.spread is None:
            return measure, place, statement.figure.interval(rounding)
        value, spread = statement.figure.value, statement.spread.value
        return measure, place, Interval(value - spread, value + spread)


@dataclass(frozen=True)
class Question:
    """Everything that a reader must know to ask again: no more and no less is certified."""

    labels: tuple[str, ...]
    sizes: tuple[int | None, ...]
    printed: tuple[Printed, ...]
    rounding: Rounding = "nearest"
    undefined: Undefined = "nan"
    total: int | None = None
    up_to: int | None = None
    """Where neither all sizes nor their total are known."""
    folds: int | None = None
    """Every value is a mean over so many folds, in every repetition."""
    repeats: int = 1
    fold_sizes: str | tuple[tuple[int, ...], ...] = "stratified"
    deviation: str = "either"

    def divisors(self) -> tuple[int, ...]:
        """The readings that must all be excluded: what a deviation may have been divided by, n less this."""
        spread = any(printed.is_deviation for printed in self.printed)
        return DIVISORS[self.deviation] if spread else (1,)

    def intervals(self) -> list[tuple[Measure, int | None, Interval]]:
        return [printed.demanded(self.rounding, self.labels) for printed in self.printed]

    def to_dict(self) -> dict[str, Any]:
        plain: dict[str, Any] = {
            "labels": list(self.labels),
            "sizes": list(self.sizes),
            "total": self.total,
            "up_to": self.up_to,
            "rounding": self.rounding,
            "undefined": self.undefined,
            "printed": [{"text": p.text, "class": p.label} for p in self.printed],
        }
        if self.folds is not None:
            arranged = self.fold_sizes
            plain |= {
                "folds": self.folds,
                "repeats": self.repeats,
                "fold_sizes": arranged if isinstance(arranged, str) else [list(fold) for fold in arranged],
                "deviation": self.deviation,
            }
        return plain

    @classmethod
    def from_dict(cls, plain: Mapping[str, Any]) -> Question:
        """The question of a certificate; nothing in it is taken for granted."""
        try:
            arranged = plain.get("fold_sizes", "stratified")
            found = cls(
                labels=tuple(plain["labels"]),
                sizes=tuple(plain["sizes"]),
                printed=tuple(Printed(p["text"], p["class"]) for p in plain["printed"]),
                rounding=plain["rounding"],
                undefined=plain["undefined"],
                total=plain["total"],
                up_to=plain["up_to"],
                folds=plain.get("folds"),
                repeats=plain.get("repeats", 1),
                fold_sizes=arranged if isinstance(arranged, str) else tuple(tuple(fold) for fold in arranged),
                deviation=plain.get("deviation", "either"),
            )
        except (KeyError, TypeError, AttributeError) as error:
            raise CertificateError(f"it is not whole: {error!r}") from error
        fault = found._fault()
        if fault:
            raise CertificateError(f"it asks nothing that can be asked: {fault}")
        return found

    def _fault(self) -> str:
        """What is wrong with the question; empty if nothing is."""
        of_folds = self.folds is not None
        words = {
            "the classes": len(self.labels) >= 2
            and all(isinstance(label, str) for label in self.labels)
            and len(set(self.labels)) == len(self.labels) == len(self.sizes),
            "the sizes": all(size is None or _is_whole(size, 1) for size in self.sizes),
            "the printed values": bool(self.printed)
            and all(isinstance(p.text, str) and isinstance(p.label, str | None) for p in self.printed)
            and (of_folds or not any(p.is_deviation for p in self.printed)),
            "the rounding": self.rounding in ROUNDINGS,
            "what undefined terms count as": self.undefined == "nan" or _is_number(self.undefined),
            "the deviation": self.deviation in DIVISORS,
        }
        for what, right in words.items():
            if not right:
                return what
        return self._fault_of_sizes() or (self._fault_of_folds() if of_folds else "")

    def _fault_of_sizes(self) -> str:
        known = [1 if size is None else size for size in self.sizes]
        if None not in self.sizes:
            return "" if self.total is self.up_to is None else "sizes are known, and so is their limit"
        if self.folds is not None:
            return "folds of unknown classes"
        if (self.total is None) == (self.up_to is None):
            return "the sizes have a total or a limit"
        limit = self.up_to if self.total is None else self.total
        return "" if _is_whole(limit, sum(known)) else "the limit of the sizes"

    def _fault_of_folds(self) -> str:
        if not (_is_whole(self.folds, 2) and _is_whole(self.repeats, 1)):
            return "the number of folds"
        if isinstance(self.fold_sizes, str):
            return "" if self.fold_sizes in ("stratified", "unknown") else "the sizes of the folds"
        if len(self.fold_sizes) != self.folds or any(
            len(fold) != len(self.labels) or not all(_is_whole(size, 0) for size in fold)
            for fold in self.fold_sizes
        ):
            return "the sizes of the folds"
        together = tuple(map(sum, zip(*self.fold_sizes, strict=True)))
        return "" if together == self.sizes else "the sizes of the folds do not add up"


def _is_whole(value: Any, least: int) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and value >= least


def _is_number(value: Any) -> bool:
    if isinstance(value, bool) or not isinstance(value, int | float):
        return False
    return value == value and abs(value) < 10**9


def as_squares(interval: Interval) -> tuple[Fraction, Fraction]:
    """The squares of deviations in an interval: none is negative, so below 0 there are none."""
    if interval.high < 0:
        return Fraction(-2), Fraction(-1)
    return max(interval.low, Fraction(0)) ** 2, interval.high**2
