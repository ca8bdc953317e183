"""How do two quantities go together? Curves with bands between two axes, under a key of their names."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from xml.etree.ElementTree import Element

from steelyard.report.class_names import short
from steelyard.report.page.drawing.element import circle, curve, following, line, svg, text, through, told
from steelyard.report.page.drawing.lines import COLOURS, stroke
from steelyard.report.page.drawing.scales import Field, linear, logarithmic

LEFT, WIDTH, HEIGHT = 50, 370, 300
KEY_ROW = 18
MOST_TIPS = 24
"""Points of a curve that tell their numbers."""


@dataclass(frozen=True)
class Path:
    """A curve in a plane, with its band and points that tell their numbers."""

    name: str
    xs: Sequence[float]
    ys: Sequence[float]
    band: tuple[Sequence[float], Sequence[float], Sequence[float]] | None = None
    """Where the band stands, its lower and its upper edge."""
    tips: Sequence[str] = ()
    """What to say of each point; none for a curve without tooltips of its own."""
    strong: bool = False


def plane(
    paths: Sequence[Path],
    x_ticks: Sequence[tuple[float, str]],
    y_ticks: Sequence[tuple[float, str]],
    x_title: str,
    y_title: str,
    title: str,
    *,
    marks: Sequence[tuple[float, float, str, int]] = (),
    follows: Sequence[str] = (),
    upright: tuple[float, str] | None = None,
    diagonal: bool = False,
    width: float = WIDTH,
    log_y: bool = False,
) -> str:
    """Curves between two axes under a key of their names; the upright axis is logarithmic with `log_y`.

    `marks` are points (x, y, tooltip, number of their curve), `follows` what of a live part each of them
    shows, `upright` is a named vertical line.
    """
    keys, top = _key(paths, width)
    upward = logarithmic(y_ticks) if log_y else linear(y_ticks)
    field = Field(LEFT, top, width, HEIGHT, linear(x_ticks), upward)
    body = [*keys, *field.axes(x_ticks, y_ticks)]
    body.append(text(LEFT + width / 2, field.bottom + 38, short(x_title, 56), "middle", "axis", tip=x_title))
    body.append(text(12, top + HEIGHT / 2, y_title, "middle", "axis", turn=-90))
    if diagonal:
        body.append(line((field.left, field.bottom), (field.right, field.top), "here"))
    if upright is not None and x_ticks[0][0] <= upright[0] <= x_ticks[-1][0]:
        x = min(max(field.x(upright[0]), LEFT + 40), field.right - 40)
        body += [field.upright(upright[0]), text(x, top - 4, upright[1], "middle", "axis")]
    for k, path in enumerate(paths):
        body += _band(path, k, field)
    for k, path in enumerate(paths):
        body += _course(path, k, field)
    x_ends, y_ends = (x_ticks[0][0], x_ticks[-1][0]), (y_ticks[0][0], y_ticks[-1][0])
    along = (field.left, field.right, *x_ends)
    up = (field.bottom, field.top, *(map(math.log10, y_ends) if log_y else y_ends))
    for (x, y, tip, k), key in zip(marks, [*follows, *[""] * len(marks)], strict=False):
        facts = following(key, x=along, **{"logy" if log_y else "y": up}, at=field.at(x, y))
        body.append(told(tip, circle(field.at(x, y), 6, f"point t{k % COLOURS}"), **facts))
    return svg(LEFT + width + 20, field.bottom + 46, body, title)


def _key(paths: Sequence[Path], width: float) -> tuple[list[Element], float]:
    """The names of the curves in as many rows as they need, and where the field below them begins."""
    body, x, row = [], 4.0, 0
    for k, path in enumerate(paths):
        words = short(path.name, 34)
        room = 50 + 6.7 * len(words)
        if x > 4 and x + room > LEFT + width + 16:
            x, row = 4.0, row + 1
        y = 10 + KEY_ROW * row
        body += [
            stroke(through([(x, y), (x + 26, y)]), k, path.strong),
            text(x + 32, y + 4, words, "start", "label", tip=path.name),
        ]
        x += room
    return body, KEY_ROW * (row + 1) + 20


def _band(path: Path, k: int, field: Field) -> list[Element]:
    if path.band is None:
        return []
    along, lower, upper = path.band
    edge = [field.at(x, y) for x, y in zip(along, upper, strict=True)]
    edge += [field.at(x, y) for x, y in reversed(list(zip(along, lower, strict=True)))]
    return [curve(through(edge) + "Z", f"band t{k % COLOURS}")]


def _course(path: Path, k: int, field: Field) -> list[Element]:
    known = [
        (field.at(x, y), i)
        for i, (x, y) in enumerate(zip(path.xs, path.ys, strict=True))
        if not math.isnan(y)
    ]
    if not known:
        return []
    body = [told(path.name, stroke(through([point for point, _ in known]), k, path.strong))]
    if path.tips:
        some = known[:: max(1, len(known) // MOST_TIPS)]
        body += [circle(point, 6, "hover", tip=path.tips[i]) for point, i in some]
    return body
