"""Choice of the positive class of two where none was named."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from steelyard.counts.labels import Label, number_in


class PositiveChoice(NamedTuple):
    """Which class is called positive, where it stands, and why; `guessed` when no convention or caller
    decided it."""

    place: int
    label: Label
    reason: str
    guessed: bool


def of_two(labels: Sequence[Label], examples: Sequence[float]) -> PositiveChoice:
    """The conventional one of two classes, or the rarer one, and why."""
    for place in (0, 1):
        if _is_conventional(labels[place], labels[1 - place]):
            return PositiveChoice(place, labels[place], "by convention", False)
    first, second = examples
    if first == second:
        return PositiveChoice(1, labels[1], "neither class is rarer and it comes last", True)
    place = 0 if first < second else 1
    return PositiveChoice(place, labels[place], "it is the rarer class", True)


def _is_conventional(label: Label, other: Label) -> bool:
    pair = (_folded(label), _folded(other))
    return pair in {("1", "0"), ("1", "-1"), ("true", "false")} or (
        pair[0] == "positive" and pair[1] != "positive"
    )


def _folded(label: Label) -> str:
    """A label in lower case; a whole number as one, however it is written."""
    number = number_in(label)
    if number is not None and number == number.to_integral_value():
        return str(int(number))
    return str(label).strip().casefold()
