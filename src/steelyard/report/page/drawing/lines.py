"""How does a value follow another? Curves, each named where it ends."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType
from xml.etree.ElementTree import Element

from steelyard.report.class_names import short
from steelyard.report.page.drawing.element import curve, element, following, line, svg, text, through, told
from steelyard.report.page.drawing.scales import Field, Ticks, linear, logarithmic

COLOURS = 8
DASHES = ("", "6 3", "2 3", "8 3 2 3", "10 4", "4 2", "1 3", "12 3 3 3")
LEFT, TOP, WIDTH, HEIGHT, ROOM = 40, 20, 300, 230, 150
"""The field of the curves, and the room for their names beside it: together a phone's width, readable."""
MOST_OF_NAME = 18
"""Characters of a name beside its curve."""
GAP = 15
"""Pixels from one name to the next."""


@dataclass(frozen=True)
class Line:
    """A named curve."""

    name: str
    xs: Sequence[float]
    ys: Sequence[float]
    strong: bool = False
    follows: str = ""
    """What of a live part it shows: a script draws it again for another state."""


def log_lines(
    lines: Sequence[Line],
    x_ticks: Sequence[tuple[float, str]],
    x_title: str,
    y_range: tuple[float, float],
    marker: tuple[float, str] | None,
    title: str,
    follows: str = "",
) -> str:
    """Curves over a falling logarithmic x-axis; `follows` says what of a live part the marker shows."""
    least, most = x_ticks[-1][0], x_ticks[0][0]
    markers = [marker] if marker is not None and least <= marker[0] <= most else []
    ends = (LEFT, LEFT + WIDTH, math.log10(most), math.log10(least))
    facts = following(follows, logx=ends)
    return _curves(lines, logarithmic(x_ticks), x_ticks, x_title, y_range, markers, title, facts, ends)


def plain_lines(
    lines: Sequence[Line],
    x_ticks: Sequence[tuple[float, str]],
    x_title: str,
    y_range: tuple[float, float],
    markers: Sequence[tuple[float, str]],
    title: str,
) -> str:
    """Curves over a plain x-axis from its first tick to its last."""
    return _curves(lines, linear(x_ticks), x_ticks, x_title, y_range, markers, title)


def _curves(
    lines: Sequence[Line],
    along: Callable[[float], float],
    x_ticks: Ticks,
    x_title: str,
    y_range: tuple[float, float],
    markers: Sequence[tuple[float, str]],
    title: str,
    facts: Mapping[str, str] = MappingProxyType({}),
    logx: Sequence[float] = (),
) -> str:
    low, high = y_range
    steps = 4 if low < 0 else 5  # with 4 a scale from -1 to 1 has its 0
    levels = [low + (high - low) * step / steps for step in range(steps + 1)]
    y_ticks = [(level, f"{level:.1f}") for level in levels]
    field = Field(LEFT, TOP, WIDTH, HEIGHT, along, linear(y_ticks))
    body = field.axes(x_ticks, y_ticks)
    body.append(text(LEFT + WIDTH / 2, TOP + HEIGHT + 38, x_title, "middle", "axis"))
    for value, words in markers:
        upright = told(words, field.upright(value), **facts)
        inside = min(max(field.x(value), LEFT + 38), field.right - 38)
        body += [upright, text(inside, TOP - 6, words, "middle", "axis")]
    ends: list[tuple[float, int]] = []
    for k, drawn in enumerate(lines):
        points = [field.at(x, y) for x, y in zip(drawn.xs, drawn.ys, strict=True) if not math.isnan(y)]
        if points:
            tip = _tip(drawn, x_ticks)
            scales = following(drawn.follows, "line", logx=logx, y=(TOP + HEIGHT, TOP, low, high))
            body.append(told(tip, stroke(through(points), k, drawn.strong), **scales))
            ends.append((points[-1][1], k))
    body += _names(lines, sorted(ends), field)
    return svg(LEFT + WIDTH + ROOM, TOP + HEIGHT + 46, body, title)


def _tip(drawn: Line, x_ticks: Ticks) -> str:
    values = [y for y in drawn.ys if not math.isnan(y)]
    return f"{drawn.name}: {values[0]:.3f} at {x_ticks[0][1]}, {values[-1]:.3f} at {x_ticks[-1][1]}"


def _names(lines: Sequence[Line], ends: Sequence[tuple[float, int]], field: Field) -> list[Element]:
    """The names beside the ends of the curves, moved apart until they can be read."""
    body = []
    places = _apart([y for y, _ in ends], GAP, field.top, field.bottom)
    for y, (end, k) in zip(places, ends, strict=True):
        lead = line((field.right + 2, end), (field.right + 14, y), f"line lead c{k % COLOURS}")
        name = text(
            field.right + 18,
            y + 4,
            short(lines[k].name, MOST_OF_NAME),
            "start",
            f"label t{k % COLOURS}",
            tip=lines[k].name,
        )
        body.append(element("g", lead, name, data_names=lines[k].follows))
    return body


def stroke(course: str, k: int, strong: bool = False) -> Element:
    """The k-th curve of a picture: curves differ in dash as well as in colour."""
    css = f"line c{k % COLOURS}" + (" strong" if strong else "")
    return curve(course, css, DASHES[k % len(DASHES)])


def _apart(wanted: Sequence[float], gap: float, low: float, high: float) -> list[float]:
    """Positions at least `gap` apart, in order, as near to the wanted ones as going down and then up
    allows."""
    placed: list[float] = []
    for y in wanted:
        placed.append(max(y, placed[-1] + gap) if placed else max(y, low))
    over = placed[-1] - high if placed else 0
    if over > 0:
        placed[-1] = high
        for i in range(len(placed) - 2, -1, -1):
            placed[i] = min(placed[i], placed[i + 1] - gap)
    return placed
