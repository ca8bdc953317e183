"""Labels of classes: order, identity, which one of two is positive, and how they are written."""

# One rule for numbers written as text holds wherever labels are read: they are ordered by value, a number
# that two columns write in two ways is one class, and a typed name means the class that is the same number.

from __future__ import annotations

import math
import re
from collections.abc import Hashable, Iterable, Mapping, Sequence
from decimal import Decimal
from operator import or_
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from steelyard.errors import InputError, parameter

Label = Hashable
# An array, of numbers or of anything else.
Array = NDArray[Any]
# The prediction that means no answer.
ABSTAIN = "abstain"


def is_missing(label: Any) -> bool:
    """Is this what some library writes where there is no label: None, NaN, NaT or pandas' NA?"""
    if label is None or type(label).__name__ in ("NAType", "NaTType"):
        return True
    try:
        return bool(label != label)
    except (TypeError, ValueError):
        return False


def check_missing(missing: str) -> None:
    """Rows that lack a label are an error, or left out."""
    if missing not in ("error", "drop"):
        raise InputError(
            f"{parameter('missing')} is not understood", found=repr(missing), allowed='"error" or "drop"'
        )


# What to do about rows that lack a value.
DROPPED = f"leave those rows out with {parameter('missing', 'drop')}"


def missing_values(what: str, lost: int, rows: int, each: str, do: str = DROPPED) -> InputError:
    """The refusal of rows that lack a value."""
    return InputError(what, found=f"none in {lost:,} of {rows:,} rows", allowed=f"{each} in every row", do=do)


# How programs write numbers; "01" is a code, and "1e3" or "+1" may be one.
_PLAIN_NUMBER = re.compile(r"-?(0|[1-9]\d*)(\.\d+)?")
_WHOLE_NUMBER = re.compile(r"-?(0|[1-9]\d*)(\.0)?")
# How a program writes booleans as text, and the numbers that another program writes for them.
_TRUTH_VALUES = {"true": "1", "false": "0"}


def number_in(label: Label) -> Decimal | None:
    """The number a label is, or is the plain text of; None for codes, names and truth values."""
    if isinstance(label, str):
        return Decimal(label) if _PLAIN_NUMBER.fullmatch(label) else None
    if isinstance(label, (int, float)) and not isinstance(label, bool) and math.isfinite(label):
        return Decimal(str(label))
    return None


def one_spelling(*columns: Iterable[Label]) -> dict[Label, str]:
    """For each number that these text columns write in several ways ("1" and "1.0"), the shortest one."""
    # An integer column beside a float column of the same program, both written as text. Nothing is joined
    # where a label is no plain number, nor where one column alone writes a number in two ways: no number
    # type does that, codes do (ICD-9 has 250.0 and 250.00). Whole numbers alone may be mixed in one column:
    # files of integers and of floats that were put together. "True" and "False" in one column are 1 and 0
    # where another column has these numbers, as they are in Python.
    occurring = [{label for label in set(column) if not is_missing(label)} for column in columns]
    if not all(isinstance(label, str) for column in occurring for label in column):
        return {}
    if booleans := _booleans_beside_numbers(occurring):
        return booleans
    numbers = [[number_in(label) for label in column] for column in occurring]
    whole = all(_WHOLE_NUMBER.fullmatch(str(label)) for column in occurring for label in column)
    if any(None in column or (len(set(column)) < len(column) and not whole) for column in numbers):
        return {}
    # Decimal and not float: to a float 0.1 and 0.10000000000000001 are one number, to whoever wrote them not.
    spellings: dict[Decimal | None, list[str]] = {}
    for text in sorted(set().union(*occurring), key=lambda text: (len(str(text)), str(text))):
        spellings.setdefault(number_in(text), []).append(str(text))
    return {text: first for first, *others in spellings.values() for text in others}


def _booleans_beside_numbers(columns: Sequence[set[Label]]) -> dict[Label, str]:
    # What "True" and "False" are read as where another column holds 1 and 0.
    # 1.0 and 0.0 too; nothing where a column holds both kinds or another label.
    named = [column for column in columns if column]
    boolean = [all(str(label).casefold() in _TRUTH_VALUES for label in column) for column in named]
    numbers = [all(number_in(label) in (0, 1) for label in column) for column in named]
    if not (any(boolean) and any(numbers) and all(map(or_, boolean, numbers))):
        return {}
    texts = sorted(str(label) for label in set().union(*named))
    return {text: _TRUTH_VALUES.get(text.casefold(), text[:1]) for text in texts if text not in ("0", "1")}


def spelling_note(spelled: Mapping[Label, Label]) -> str:
    """What was taken for one class."""
    pairs = ", ".join(f'"{text}" as "{first}"' for text, first in spelled.items())
    kind = "Numbers" if all(number_in(text) is not None for text in spelled) else "Values"
    return f"{kind} written in two ways were read as one class: {pairs}."


def meant(names: Iterable[Label], known: Iterable[Label]) -> list[Label | None]:
    """The known label that each name means: itself, else the one written alike, else the same number."""
    # Typed "1" means the class 1, and the class 1.0 where that is the only 1.
    labels = dict.fromkeys(known)
    by_text = {str(label): label for label in labels}
    by_number: dict[Decimal, list[Label]] = {}
    for label in labels:
        if (number := number_in(label)) is not None:
            by_number.setdefault(number, []).append(label)

    def known_as(name: Label) -> Label | None:
        if name in labels or str(name) in by_text:
            return name if name in labels else by_text[str(name)]
        number = number_in(name)
        same = by_number.get(number, []) if number is not None else []
        return same[0] if len(same) == 1 else None

    return [known_as(name) for name in names]


def in_order(labels: Sequence[Label]) -> list[Label]:
    """Labels sorted as a reader expects: numbers by value, also as text ("2" before "10")."""
    # Text by letters; unlike kinds by the name of their type.
    if all(isinstance(label, str) for label in labels):
        numbers = {label: number_in(label) for label in labels}
        if None not in numbers.values():
            return sorted(labels, key=lambda label: (numbers[label], len(str(label))))
    try:
        return sorted(labels)  # type: ignore[type-var]
    except TypeError:
        return sorted(labels, key=lambda label: (type(label).__name__, str(label)))


def in_order_of(order: Sequence[Label] | None, labels: Sequence[Label]) -> list[Label]:
    """Labels in the order of ordered categories that name them all, otherwise sorted."""
    known = set(labels)
    named = [label for label in order or () if label in known]
    return named if len(named) == len(known) else in_order(labels)


class Spoken(str):
    """Words of our own where a class name could stand, told from a class of that very name."""

    __slots__ = ()

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Spoken) and str.__eq__(self, other)

    def __ne__(self, other: object) -> bool:
        return not self == other

    def __hash__(self) -> int:
        return hash((Spoken, str(self)))


REST = Spoken("the other classes")


def rest_of(label: Label) -> Spoken:
    """What all other classes together are called beside this one."""
    # In other words where it has that very name itself.
    return REST if str(label) != str(REST) else Spoken("all the other classes")


def quoted(label: Label) -> str:
    """A class name in a sentence: quoted, except for words of our own such as "the other classes"."""
    return str(label) if isinstance(label, Spoken) else f"class '{label}'"


# -- values for JSON


def number_or_none(value: float | None) -> float | None:
    """A number that JSON can hold; None where there is none."""
    return None if value is None or not math.isfinite(value) else float(value)


def plain_label(label: Label) -> Any:
    """A label as JSON can hold it: numbers, booleans and text stay, NumPy scalars unwrap."""
    # All else becomes its text.
    if isinstance(label, np.generic):
        label = label.item()
    # JSON has no infinity.
    infinite = isinstance(label, float) and not math.isfinite(label)
    plain = isinstance(label, (str, int, float)) and not isinstance(label, Spoken) and not infinite
    return label if plain else str(label)


# -- the positive class of two


class PositiveChoice(NamedTuple):
    """Which class is the positive one, where it stands, and why; `guessed` where nobody decided it."""

    place: int
    label: Label
    reason: str
    guessed: bool

    @classmethod
    def of_two(cls, labels: Sequence[Label], examples: Sequence[float]) -> PositiveChoice:
        """The conventional one of two classes, or the rarer one, and why."""
        for place in (0, 1):
            pair = _convention_of(labels[place]), _convention_of(labels[1 - place])
            named = pair[0] == "positive" != pair[1]
            if named or pair in {("1", "0"), ("1", "-1"), ("true", "false")}:
                return cls(place, labels[place], "by convention", False)
        first, second = examples
        if first == second:
            return cls(1, labels[1], "neither class is rarer and it comes last", True)
        place = 0 if first < second else 1
        return cls(place, labels[place], "it is the rarer class", True)


def _convention_of(label: Label) -> str:
    # A label in lower case; a whole number as one, however it is written.
    number = number_in(label)
    if number is not None and number == number.to_integral_value():
        return str(int(number))
    return str(label).strip().casefold()
