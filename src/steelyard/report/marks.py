"""Marks and axes: what a chart is made of, as plain data."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal, TypeAlias

# A token of the style sheet: blue was measured, orange is an error or the second model, purple is balanced
# prevalence, green is What if, grey is no skill.
Colour = Literal["value", "error", "balanced", "whatif", "base", "c4", "c5", "ink", "muted", "warn"]
# Colours of lines that stand for models or classes, in their order.
COLOURS: tuple[Colour, ...] = ("value", "error", "balanced", "c4", "c5", "ink")
Kind = Literal["line", "band", "dot", "err", "bar", "vrule", "hrule", "zone", "text"]
Theme = Literal["light", "dark"]
Numbers: TypeAlias = tuple[float, ...]


@dataclass(frozen=True)
class Axis:
    """An axis: its label, ends, scale and ticks."""

    label: str
    low: float = 0.0
    high: float = 1.0
    scale: Literal["linear", "log"] = "linear"
    # Where there is a tick and what is written there; found where none are given.
    ticks: tuple[tuple[float, str], ...] = ()
    # `%`: values are shares and are written as percentages.
    unit: Literal["", "%"] = ""

    def place(self, value: float) -> float:
        """How far along the axis a value lies, from 0 to 1; values beyond an end stay at it."""
        value = min(max(value, min(self.low, self.high)), max(self.low, self.high))
        if self.scale == "log":
            low, high, value = math.log(self.low), math.log(self.high), math.log(value)
        else:
            low, high = self.low, self.high
        return (value - low) / (high - low) if high != low else 0.5

    def marks(self) -> tuple[tuple[float, str], ...]:
        """The ticks: those given, powers of ten on a log scale, else round numbers."""
        if self.ticks:
            return self.ticks
        places = _log_ticks(self.low, self.high) if self.scale == "log" else _round(self.low, self.high)
        return tuple((place, self.written(place)) for place in places)

    def written(self, value: float) -> str:
        """A tick's number."""
        return f"{100 * value:.6g}%" if self.unit == "%" else f"{value:.6g}"


UNIT_TICKS = tuple((k / 5, f"{k / 5:g}") for k in range(6))


def unit_axis(label: str) -> Axis:
    """An axis from 0 to 1."""
    return Axis(label, ticks=UNIT_TICKS)


@dataclass(frozen=True)
class Mark:
    """A mark: what it is, where it stands and what it is called."""

    kind: Kind
    x: Numbers = ()
    y: Numbers = ()
    # Lower ends: of a band or an interval; of bars and zones their first edge along x.
    low: Numbers = ()
    high: Numbers = ()
    colour: Colour = "value"
    # Written beside a line or rule and in the tooltip; the text of a text.
    name: str = ""
    # What the tooltip adds at each point, such as the threshold there; of a zone or dot what it says.
    notes: tuple[str, ...] = ()
    # The name by which What if moves it.
    live: str = ""
    dashed: bool = False
    # Intervals run along x, at height y.
    across: bool = False
    # Of a zone: 1 to 10, how dark.
    depth: int = 10

    @property
    def is_hidden(self) -> bool:
        """Is it shown only once a reader has changed something?"""
        return self.colour == "whatif"


def line(
    x: Sequence[float], y: Sequence[float], name: str = "", colour: Colour = "value", **more: Any
) -> Mark:
    """A line through points; it is interrupted where a value is NaN."""
    return Mark("line", _numbers(x), _numbers(y), name=name, colour=colour, **more)


def band(x: Sequence[float], low: Sequence[float], high: Sequence[float], colour: Colour = "value") -> Mark:
    """The area between two curves."""
    return Mark("band", _numbers(x), low=_numbers(low), high=_numbers(high), colour=colour)


def dot(x: float, y: float, colour: Colour = "value", name: str = "", **more: Any) -> Mark:
    """A point."""
    return Mark("dot", (float(x),), (float(y),), colour=colour, name=name, **more)


def err(
    at: Sequence[float],
    low: Sequence[float],
    high: Sequence[float],
    colour: Colour = "value",
    across: bool = False,
) -> Mark:
    """Intervals: upright at these x, or along x at these heights."""
    places = _numbers(at)
    x, y = ((), places) if across else (places, ())
    return Mark("err", x, y, _numbers(low), _numbers(high), colour, across=across)


def bars(
    left: Sequence[float],
    right: Sequence[float],
    height: Sequence[float],
    colour: Colour = "value",
    name: str = "",
) -> Mark:
    """Upright bars from 0 to a height."""
    return Mark("bar", y=_numbers(height), low=_numbers(left), high=_numbers(right), colour=colour, name=name)


def vrule(x: float, name: str = "", colour: Colour = "base", live: str = "") -> Mark:
    """An upright line through the whole chart."""
    return Mark("vrule", (float(x),), colour=colour, name=name, live=live)


def hrule(y: float, name: str = "", colour: Colour = "base") -> Mark:
    """A level line through the whole chart."""
    return Mark("hrule", y=(float(y),), colour=colour, name=name)


def zone(
    x: tuple[float, float], y: tuple[float, float], colour: Colour = "base", depth: int = 10, **more: Any
) -> Mark:
    """A filled rectangle."""
    low, high = (float(x[0]),), (float(x[1]),)
    return Mark("zone", y=_numbers(y), low=low, high=high, colour=colour, depth=depth, **more)


def text(x: float, y: float, words: str, colour: Colour = "ink") -> Mark:
    """Words with their middle at a point."""
    return Mark("text", (float(x),), (float(y),), colour=colour, name=words)


@dataclass(frozen=True)
class Drawing:
    """What a chart shows, in words and as marks."""

    id: str
    title: str
    # What there is to see, for a reader who does not see it.
    desc: str
    x: Axis
    y: Axis
    marks: tuple[Mark, ...]
    # What a pointer reads: every line at one x, or the nearest point.
    hover: Literal["", "x", "point"] = ""
    caption: str = ""
    height: int = 296
    # Names of colours, where marks cannot be named directly.
    legend: tuple[tuple[str, Colour], ...] = ()


def _numbers(values: Sequence[float]) -> Numbers:
    return tuple(float(value) for value in values)


def _round(low: float, high: float) -> list[float]:
    """Round numbers from `low` to `high`."""
    step = 10 ** math.floor(math.log10(max(abs(high - low), 1e-9)))
    step = next(s for s in (step / 5, step / 2, step, 2 * step) if abs(high - low) / s <= 6)
    first, last = math.ceil(min(low, high) / step - 1e-9), math.floor(max(low, high) / step + 1e-9)
    return [k * step for k in range(first, last + 1)]


def _log_ticks(low: float, high: float) -> list[float]:
    """Powers of ten, and the ends where they lie far enough from one."""
    powers = [
        10.0**k for k in range(math.ceil(math.log10(low) - 1e-9), math.floor(math.log10(high) + 1e-9) + 1)
    ]
    if len(powers) < 3:
        powers = [
            step * 10.0**k
            for k in range(math.floor(math.log10(low)), math.ceil(math.log10(high)) + 1)
            for step in (1, 2, 5)
            if low * (1 - 1e-9) <= step * 10.0**k <= high * (1 + 1e-9)
        ]
    ends = [end for end in (low, high) if all(abs(math.log10(end / power)) > 0.45 for power in powers)]
    return sorted({*powers, *ends})


def rounded_up(value: float) -> float:
    """The least round number (1, 2 or 5 times a power of ten) that is not below a value."""
    power = 10.0 ** math.floor(math.log10(value)) if value > 0 else 1.0
    return next(step * power for step in (1, 2, 5, 10) if step * power >= value * (1 - 1e-9))
