"""How do values stand to each other on one scale? Rows of dots, with intervals where there are any."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from xml.etree.ElementTree import Element

from steelyard.report.class_names import short
from steelyard.report.page.drawing.element import circle, following, line, rectangle, svg, text, told
from steelyard.report.page.drawing.scales import linear

MARKS = ("first", "second", "third", "fourth", "fifth", "sixth")
LEFT, WIDTH, TOP = 158, 290, 46
MOST_OF_NAME = 22
"""Characters of a name beside its row."""
MOST_OF_KEY = 26
"""Characters of a name in the key."""
APART = 9
"""Pixels between marks with intervals on one row."""


@dataclass(frozen=True)
class Dot:
    """A mark on a common scale, with the interval around it if there is one."""

    value: float
    css: str
    tip: str
    low: float = math.nan
    high: float = math.nan
    follows: str = ""
    """Which number of a live part it shows."""
    scale: tuple[float, float] | None = None
    """The numbers at the first and the last tick, where these are not the ticks' own."""


def dot_rows(
    names: Sequence[str],
    dots: Sequence[Sequence[Dot]],
    title: str,
    ticks: Sequence[tuple[float, str]] = ((0, "0"), (0.25, ""), (0.5, "0.5"), (0.75, ""), (1, "1")),
    keys: Sequence[tuple[str, str]] = (),
) -> str:
    """Rows of dots on one scale, with a key of what the marks mean. Dots with intervals stand beside each
    other, others on one line."""
    along = linear(ticks)
    spread = APART if any(not math.isnan(d.low) for row in dots for d in row) else 0
    step = 22 + spread * max(0, max((len(marks) for marks in dots), default=1) - 1)
    height = TOP + step * len(names) + 12

    def px(value: float) -> float:
        return LEFT + WIDTH * along(value)

    body = []
    for value, _ in ticks:
        css = "grid zero" if value == 0 and ticks[0][0] < 0 else "grid"
        body.append(line((px(value), TOP - 8), (px(value), height - 8), css))
    body += [text(px(value), TOP - 14, words, "middle", "axis") for value, words in ticks]
    body += _key(keys)
    for i, name in enumerate(names):
        centre = TOP + step * (i + 0.5)
        body.append(text(LEFT - 12, centre + 4, short(name, MOST_OF_NAME), "end", "label", tip=name))
        body += _row(dots[i], centre, spread, px, (ticks[0][0], ticks[-1][0]))
    return svg(LEFT + WIDTH + 30, height, body, title)


def _key(keys: Sequence[tuple[str, str]]) -> list[Element]:
    body, x = [], 4.0
    for css, words in keys:
        shown = short(words, MOST_OF_KEY)
        body += [_mark(x + 5, 8, css), text(x + 14, 12, shown, "start", "axis", tip=words)]
        x += 30 + 7 * len(shown)
    return body


def _row(
    dots: Sequence[Dot],
    centre: float,
    spread: float,
    px: Callable[[float], float],
    ends: tuple[float, float],
) -> list[Element]:
    placed = [d for d in dots if not math.isnan(d.value)]
    if not placed:
        return [text(LEFT + 6, centre + 4, "undefined", "start", "axis")]
    body = []
    if len(placed) > 1 and not spread:
        xs = [px(d.value) for d in placed]
        body.append(line((min(xs), centre), (max(xs), centre), "between"))
    for k, d in enumerate(placed):
        y = centre + spread * (k - (len(placed) - 1) / 2)
        whisker = [] if math.isnan(d.low) else [line((px(d.low), y), (px(d.high), y), "between")]
        along = (px(ends[0]), px(ends[1]), *(d.scale or ends))
        facts = following(d.follows, x=along, at=(px(d.value), y))
        body.append(told(d.tip, *whisker, _mark(px(d.value), y, d.css), **facts))
    return body


def _mark(x: float, y: float, css: str) -> Element:
    """Marks differ in shape as well as in colour."""
    if css in ("second", "fifth"):
        turned = f"rotate(45 {x:.1f} {y:.1f})"
        return rectangle((x - 4, y - 4), 8, 8, f"mark {css}", transform=turned)
    if css in ("third", "sixth"):
        return rectangle((x - 4, y - 4), 8, 8, f"mark {css}")
    return circle((x, y), 4.5, f"mark {css}")
