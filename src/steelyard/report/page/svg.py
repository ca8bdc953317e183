"""Pictures as inline SVG: readable in print, on a dark page and without seeing colours.

Colours come from the page's CSS variables, lines differ in dash as well as in colour and are labelled where they end, and every mark
has a tooltip (`<title>`). All text is escaped here.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from html import escape

FONT = 12
MOST_NUMBERED = 14
"""Classes up to which the cells of a matrix have room for numbers."""
DARK_FROM = 0.7
"""The value from which a cell is dark enough for light words: there both inks are equally far from it."""
DASHES = ("", "6 3", "2 3", "8 3 2 3", "10 4", "4 2", "1 3", "12 3 3 3")


def short(text: object, most: int = 16) -> str:
    """A name that fits; the whole one is in the tooltip."""
    name = " ".join(str(text).split()) or "(blank)"
    return name if len(name) <= most else name[: most - 1] + "…"


def svg(width: float, height: float, body: Sequence[str], title: str) -> str:
    """A picture that scales down with the page; a wide one only as far as its words can be read, then it scrolls."""
    wide = " wide" if width > 600 else ""
    return (
        f'<svg class="picture{wide}" viewBox="0 0 {width:.0f} {height:.0f}" style="max-width:{width:.0f}px" role="img" aria-label="{escape(title)}" '
        f'font-size="{FONT}">' + "".join(body) + "</svg>"
    )


def text(
    x: float,
    y: float,
    words: object,
    anchor: str = "start",
    css: str = "",
    turn: float = 0,
    tip: str | None = None,
) -> str:
    turned = f' transform="rotate({turn:g} {x:.1f} {y:.1f})"' if turn else ""
    hint = f"<title>{escape(tip)}</title>" if tip is not None else ""
    # Each label is isolated, so that right-to-left names do not reorder their neighbours.
    return f'<text x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}" class="{css}" style="unicode-bidi:isolate"{turned}>{escape(str(words))}{hint}</text>'


def heat_map(
    rows: Sequence[str],
    columns: Sequence[str],
    values: Sequence[Sequence[float]],
    shown: Sequence[Sequence[str]],
    tips: Sequence[Sequence[str]],
    title: str,
) -> str:
    """A matrix of cells, darker where the value (0 to 1) is larger; numbers are written while they fit."""
    cell = 46 if len(rows) <= 8 else 34 if len(rows) <= MOST_NUMBERED else 14
    numbers = len(rows) <= MOST_NUMBERED
    left, top = 118, 104
    body = [
        text(left + cell * len(columns) / 2, 14, "prediction", "middle", "axis"),
        text(12, top + cell * len(rows) / 2, "truth", "middle", "axis", turn=-90),
    ]
    for j, name in enumerate(columns):
        x = left + cell * (j + 0.5) + 4
        body.append(text(x, top - 8, short(name, 12), "start", "label", turn=-55, tip=name))
    for i, name in enumerate(rows):
        y = top + cell * (i + 0.5)
        body.append(text(left - 8, y + 4, short(name, 13), "end", "label", tip=name))
        for j in range(len(columns)):
            v = min(max(values[i][j], 0.0), 1.0)
            body.append(
                f'<g><title>{escape(tips[i][j])}</title><rect x="{left + cell * j + 1:.0f}" y="{top + cell * i + 1:.0f}" width="{cell - 2}" height="{cell - 2}" rx="2" '
                f'class="cell{" diagonal" if i == j else ""}" style="fill-opacity:{0.04 + 0.96 * v:.3f}"/>'
                + (
                    text(
                        left + cell * (j + 0.5),
                        y + 4,
                        shown[i][j],
                        "middle",
                        "on-dark" if v > DARK_FROM else "on-light",
                    )
                    if numbers
                    else ""
                )
                + "</g>"
            )
    return svg(left + cell * len(columns) + 40, top + cell * len(rows) + 10, body, title)


@dataclass(frozen=True)
class Dot:
    """A mark on a common scale, with the interval around it if there is one."""

    value: float
    css: str
    tip: str
    low: float = math.nan
    high: float = math.nan


MARKS = ("first", "second", "third", "fourth", "fifth", "sixth")


def dot_rows(
    names: Sequence[str],
    dots: Sequence[Sequence[Dot]],
    title: str,
    ticks: Sequence[tuple[float, str]] = ((0, "0"), (0.25, ""), (0.5, "0.5"), (0.75, ""), (1, "1")),
    keys: Sequence[tuple[str, str]] = (),
) -> str:
    """Rows of dots on one scale, with a key of what the marks mean. Dots with intervals stand beside each other, others on one line."""
    low, high = ticks[0][0], ticks[-1][0]
    spread = 9 if any(not math.isnan(d.low) for row in dots for d in row) else 0
    left, width, top = 236, 420, 46
    row = 22 + spread * max(0, max((len(marks) for marks in dots), default=1) - 1)
    height = top + row * len(names) + 12

    def px(value: float) -> float:
        return left + width * (min(max(value, low), high) - low) / (high - low)

    body = [
        f'<line x1="{px(t):.1f}" y1="{top - 8}" x2="{px(t):.1f}" y2="{height - 8}" class="grid{" zero" if t == 0 and low < 0 else ""}"/>'
        for t, _ in ticks
    ]
    body += [text(px(t), top - 14, words, "middle", "axis") for t, words in ticks]
    x = 4.0
    for css, words in keys:
        body += [_mark(x + 5, 8, css), text(x + 14, 12, short(words, 26), "start", "axis", tip=words)]
        x += 30 + 7 * len(short(words, 26))
    for i, name in enumerate(names):
        centre = top + row * (i + 0.5)
        body.append(text(left - 12, centre + 4, short(name, 34), "end", "label", tip=name))
        placed = [d for d in dots[i] if not math.isnan(d.value)]
        if len(placed) > 1 and not spread:
            xs = [px(d.value) for d in placed]
            body.append(
                f'<line x1="{min(xs):.1f}" y1="{centre:.1f}" x2="{max(xs):.1f}" y2="{centre:.1f}" class="between"/>'
            )
        if not placed:
            body.append(text(left + 6, centre + 4, "undefined", "start", "axis"))
        for k, d in enumerate(placed):
            y = centre + spread * (k - (len(placed) - 1) / 2)
            whisker = (
                ""
                if math.isnan(d.low)
                else f'<line x1="{px(d.low):.1f}" y1="{y:.1f}" x2="{px(d.high):.1f}" y2="{y:.1f}" class="between"/>'
            )
            body.append(f"<g><title>{escape(d.tip)}</title>{whisker}{_mark(px(d.value), y, d.css)}</g>")
    return svg(left + width + 30, height, body, title)


def _mark(x: float, y: float, css: str) -> str:
    """Marks differ in shape as well as in colour."""
    if css in ("second", "fifth"):
        return f'<rect x="{x - 4:.1f}" y="{y - 4:.1f}" width="8" height="8" class="mark {css}" transform="rotate(45 {x:.1f} {y:.1f})"/>'
    if css in ("third", "sixth"):
        return f'<rect x="{x - 4:.1f}" y="{y - 4:.1f}" width="8" height="8" class="mark {css}"/>'
    return f'<circle cx="{x:.1f}" cy="{y:.1f}" r="4.5" class="mark {css}"/>'


def tick_marks(low: float, high: float) -> list[tuple[float, str]]:
    """Round numbers that reach from below `low` to above `high`."""
    step = 10 ** math.floor(math.log10(max(high - low, 1e-9)))
    step = next(s for s in (step / 5, step / 2, step, 2 * step) if (high - low) / s <= 6)
    first, last = math.floor(low / step), math.ceil(high / step)
    return [(k * step, f"{k * step:.6g}") for k in range(first, last + 1)]


@dataclass(frozen=True)
class Line:
    """A named curve."""

    name: str
    xs: Sequence[float]
    ys: Sequence[float]
    strong: bool = False


def log_lines(
    lines: Sequence[Line],
    x_ticks: Sequence[tuple[float, str]],
    x_title: str,
    y_range: tuple[float, float],
    marker: tuple[float, str] | None,
    title: str,
) -> str:
    """Curves over a falling logarithmic x-axis."""
    least, most = x_ticks[-1][0], x_ticks[0][0]

    def along(x: float) -> float:
        return (math.log(most) - math.log(x)) / (math.log(most) - math.log(least))

    markers = [marker] if marker is not None and least <= marker[0] <= most else []
    return _curves(lines, along, x_ticks, x_title, y_range, markers, title)


def plain_lines(
    lines: Sequence[Line],
    x_ticks: Sequence[tuple[float, str]],
    x_title: str,
    y_range: tuple[float, float],
    markers: Sequence[tuple[float, str]],
    title: str,
) -> str:
    """Curves over a plain x-axis from its first tick to its last."""
    first, last = x_ticks[0][0], x_ticks[-1][0]

    def along(x: float) -> float:
        return (x - first) / (last - first) if last > first else 0.5

    return _curves(lines, along, x_ticks, x_title, y_range, markers, title)


def _curves(
    lines: Sequence[Line],
    along: Callable[[float], float],
    x_ticks: Sequence[tuple[float, str]],
    x_title: str,
    y_range: tuple[float, float],
    markers: Sequence[tuple[float, str]],
    title: str,
) -> str:
    """Curves, each labelled at its end; labels are moved apart until they can be read."""
    left, top, width, height, room = 46, 20, 470, 330, 210
    low, high = y_range

    def px(x: float) -> float:
        return left + width * along(x)

    def py(y: float) -> float:
        return top + height * (high - y) / (high - low)

    body = []
    steps = 4 if low < 0 else 5  # with 4 a scale from -1 to 1 has its 0
    for step in range(steps + 1):
        y = low + (high - low) * step / steps
        body += [
            f'<line x1="{left}" y1="{py(y):.1f}" x2="{left + width}" y2="{py(y):.1f}" class="grid"/>',
            text(left - 8, py(y) + 4, f"{y:.1f}", "end", "axis"),
        ]
    for x, words in x_ticks:
        body += [
            f'<line x1="{px(x):.1f}" y1="{top}" x2="{px(x):.1f}" y2="{top + height}" class="grid"/>',
            text(px(x), top + height + 18, words, "middle", "axis"),
        ]
    body.append(text(left + width / 2, top + height + 38, x_title, "middle", "axis"))
    for marker in markers:
        body += [
            f'<line x1="{px(marker[0]):.1f}" y1="{top}" x2="{px(marker[0]):.1f}" y2="{top + height}" class="here"/>',
            text(px(marker[0]) + 4, top + 12, marker[1], "start", "axis"),
        ]
    ends: list[tuple[float, int]] = []
    for k, line in enumerate(lines):
        points = [(px(x), py(y)) for x, y in zip(line.xs, line.ys, strict=True) if not math.isnan(y)]
        if not points:
            continue
        path = " ".join(f"{'M' if i == 0 else 'L'}{x:.1f} {y:.1f}" for i, (x, y) in enumerate(points))
        values = [y for y in line.ys if not math.isnan(y)]
        tip = f"{line.name}: {values[0]:.3f} at {x_ticks[0][1]}, {values[-1]:.3f} at {x_ticks[-1][1]}"
        dash = DASHES[k % len(DASHES)]
        body.append(
            f'<g><title>{escape(tip)}</title><path d="{path}" class="line c{k % 8}{" strong" if line.strong else ""}" stroke-dasharray="{dash}"/></g>'
        )
        ends.append((points[-1][1], k))
    for y, (wanted, k) in zip(
        _apart([y for y, _ in sorted(ends)], 15, top, top + height), sorted(ends), strict=True
    ):
        body.append(
            f'<line x1="{left + width + 2}" y1="{wanted:.1f}" x2="{left + width + 14}" y2="{y:.1f}" class="line c{k % 8}" style="stroke-width:1"/>'
        )
        body.append(text(left + width + 18, y + 4, lines[k].name, "start", f"label t{k % 8}"))
    return svg(left + width + room, top + height + 46, body, title)


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
    upright: tuple[float, str] | None = None,
    diagonal: bool = False,
) -> str:
    """Curves between two linear axes under a key of their names.

    `marks` are points (x, y, tooltip, number of their curve), `upright` is a named vertical line.
    """
    left, width, height = 50, 370, 300
    left_x, right_x, low, high = x_ticks[0][0], x_ticks[-1][0], y_ticks[0][0], y_ticks[-1][0]
    keys, x, row = [], 4.0, 0
    for k, path in enumerate(paths):
        words = short(path.name, 34)
        room = 50 + 6.7 * len(words)
        if x > 4 and x + room > left + width + 16:
            x, row = 4.0, row + 1
        at = 10 + 18 * row
        keys += [
            _stroke(f"M{x:.1f} {at}L{x + 26:.1f} {at}", k, path.strong),
            text(x + 32, at + 4, words, "start", "label", tip=path.name),
        ]
        x += room
    top = 18 * (row + 1) + 20

    def px(value: float) -> float:
        return left + width * (min(max(value, left_x), right_x) - left_x) / (right_x - left_x)

    def py(value: float) -> float:
        return top + height * (high - min(max(value, low), high)) / (high - low)

    body = [*keys]
    for value, words in y_ticks:
        body += [
            f'<line x1="{left}" y1="{py(value):.1f}" x2="{left + width}" y2="{py(value):.1f}" class="grid"/>',
            text(left - 8, py(value) + 4, words, "end", "axis"),
        ]
    for value, words in x_ticks:
        body += [
            f'<line x1="{px(value):.1f}" y1="{top}" x2="{px(value):.1f}" y2="{top + height}" class="grid"/>',
            text(px(value), top + height + 18, words, "middle", "axis"),
        ]
    body.append(text(left + width / 2, top + height + 38, short(x_title, 56), "middle", "axis", tip=x_title))
    body.append(text(12, top + height / 2, y_title, "middle", "axis", turn=-90))
    if diagonal:
        body.append(f'<line x1="{left}" y1="{top + height}" x2="{left + width}" y2="{top}" class="here"/>')
    if upright is not None and left_x <= upright[0] <= right_x:
        body += [
            f'<line x1="{px(upright[0]):.1f}" y1="{top}" x2="{px(upright[0]):.1f}" y2="{top + height}" class="here"/>',
            text(
                min(max(px(upright[0]), left + 40), left + width - 40), top - 4, upright[1], "middle", "axis"
            ),
        ]
    for k, path in enumerate(paths):
        if path.band is not None:
            along, lower, upper = path.band
            edge = [f"{px(a):.1f} {py(b):.1f}" for a, b in zip(along, upper, strict=True)]
            edge += [f"{px(a):.1f} {py(b):.1f}" for a, b in reversed(list(zip(along, lower, strict=True)))]
            body.append(f'<path d="M{"L".join(edge)}Z" class="band t{k % 8}"/>')
    for k, path in enumerate(paths):
        points = [
            (px(a), py(b), i)
            for i, (a, b) in enumerate(zip(path.xs, path.ys, strict=True))
            if not math.isnan(b)
        ]
        if not points:
            continue
        drawn = "L".join(f"{a:.1f} {b:.1f}" for a, b, _ in points)
        body.append(f"<g><title>{escape(path.name)}</title>{_stroke('M' + drawn, k, path.strong)}</g>")
        if path.tips:
            for a, b, i in points[:: max(1, len(points) // 40)]:
                body.append(
                    f'<circle cx="{a:.1f}" cy="{b:.1f}" r="6" class="hover"><title>{escape(path.tips[i])}</title></circle>'
                )
    for a, b, tip, k in marks:
        body.append(
            f'<g><title>{escape(tip)}</title><circle cx="{px(a):.1f}" cy="{py(b):.1f}" r="6" class="point t{k % 8}"/></g>'
        )
    return svg(left + width + 20, top + height + 46, body, title)


def _stroke(path: str, k: int, strong: bool) -> str:
    return f'<path d="{path}" class="line c{k % 8}{" strong" if strong else ""}" stroke-dasharray="{DASHES[k % len(DASHES)]}"/>'


def _apart(wanted: Sequence[float], gap: float, low: float, high: float) -> list[float]:
    """Positions at least `gap` apart, in order, as near to the wanted ones as going down and then up allows."""
    placed: list[float] = []
    for y in wanted:
        placed.append(max(y, placed[-1] + gap) if placed else max(y, low))
    over = placed[-1] - high if placed else 0
    if over > 0:
        placed[-1] = high
        for i in range(len(placed) - 2, -1, -1):
            placed[i] = min(placed[i], placed[i + 1] - gap)
    return placed
