"""Where does a value stand in a picture?"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from xml.etree.ElementTree import Element

from steelyard.report.page.drawing.element import Point, line, text

Ticks = Sequence[tuple[float, str]]
"""Places on a scale and what is written there, from the first to the last."""

UNIT: Ticks = tuple((k / 5, f"{k / 5:g}") for k in range(6))
"""A scale from 0 to 1."""


def tick_marks(low: float, high: float) -> list[tuple[float, str]]:
    """Round numbers that reach from below `low` to above `high`."""
    step = 10 ** math.floor(math.log10(max(high - low, 1e-9)))
    step = next(s for s in (step / 5, step / 2, step, 2 * step) if (high - low) / s <= 6)
    first, last = math.floor(low / step), math.ceil(high / step)
    return [(k * step, f"{k * step:.6g}") for k in range(first, last + 1)]


def log_ticks(low: float, high: float) -> list[float]:
    """Powers of ten that reach from below `low` to above `high`; between few of them also twice and five
    times each."""
    first, last = math.floor(math.log10(low)), math.ceil(math.log10(high))
    last = max(last, first + 1)
    steps = (1, 2, 5) if last - first <= 2 else (1,)
    places = [step * 10.0**power for power in range(first, last) for step in steps] + [10.0**last]
    below = max((place for place in places if place <= low), default=places[0])
    above = min((place for place in places if place >= high), default=places[-1])
    return [place for place in places if below <= place <= above]


def linear(ticks: Ticks) -> Callable[[float], float]:
    """Which part of the way from the first tick to the last a value has come; beyond them it stays at the
    edge."""
    first, last = ticks[0][0], ticks[-1][0]
    least, most = min(first, last), max(first, last)

    def along(value: float) -> float:
        return (min(max(value, least), most) - first) / (last - first) if last != first else 0.5

    return along


def logarithmic(ticks: Ticks) -> Callable[[float], float]:
    """The same on a logarithmic scale."""
    first, last = math.log(ticks[0][0]), math.log(ticks[-1][0])
    least, most = min(first, last), max(first, last)

    def along(value: float) -> float:
        place = math.log(value) if value > 0 else least
        return (min(max(place, least), most) - first) / (last - first) if last != first else 0.5

    return along


@dataclass(frozen=True)
class Field:
    """The rectangle that curves are drawn in, and the scales along its sides."""

    left: float
    top: float
    width: float
    height: float
    across: Callable[[float], float]
    upward: Callable[[float], float]

    @property
    def right(self) -> float:
        return self.left + self.width

    @property
    def bottom(self) -> float:
        return self.top + self.height

    def x(self, value: float) -> float:
        return self.left + self.width * self.across(value)

    def y(self, value: float) -> float:
        return self.bottom - self.height * self.upward(value)

    def at(self, x: float, y: float) -> Point:
        return self.x(x), self.y(y)

    def axes(self, x_ticks: Ticks, y_ticks: Ticks) -> list[Element]:
        """Lines of the grid and the words beside them."""
        body = []
        for value, words in y_ticks:
            y = self.y(value)
            body += [
                line((self.left, y), (self.right, y), "grid"),
                text(self.left - 8, y + 4, words, "end", "axis"),
            ]
        for value, words in x_ticks:
            x = self.x(value)
            body += [
                line((x, self.top), (x, self.bottom), "grid"),
                text(x, self.bottom + 18, words, "middle", "axis"),
            ]
        return body

    def upright(self, value: float) -> Element:
        """A vertical line through the field."""
        return line((self.x(value), self.top), (self.x(value), self.bottom), "here")
