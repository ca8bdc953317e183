"""Draw a chart as SVG: the one drawing that pages, files, notebooks and the docs show."""

# Elements carry classes and no styles (pages forbid them); a file gets the same rules with the tokens of its
# theme written out. Elements are built as elements, so that a class name can never become markup.

from __future__ import annotations

import functools
import math
import re
from collections.abc import Iterable, Sequence
from importlib.resources import files
from itertools import pairwise
from xml.etree.ElementTree import Element, SubElement, tostring

from steelyard.report.chart import Axis, Chart, Mark, Theme
from steelyard.report.class_names import visible

# Units of every chart: its width, the right and upper end of the frame, the room below it.
WIDTH, RIGHT, TOP, BELOW = 480, 464, 22, 46
# Units that a letter and a line of a name need: those of a phone, where text is largest.
LETTER, LINE = 11.0, 20
# Fonts of files: resvg takes the first that is installed and knows no generic family.
FONTS = (
    "Inter, 'Segoe UI', 'Helvetica Neue', Helvetica, Arial, 'Liberation Sans', 'DejaVu Sans', 'Noto Sans',"
    " sans-serif"
)
Box = tuple[float, float, float, float]


def drawn(chart: Chart) -> str:
    """The chart for a page, which has its style."""
    return tostring(_svg(chart), encoding="unicode")


def standalone(chart: Chart, theme: Theme = "light") -> str:
    """The chart as a file of its own: with a ground, its title, and the style of a theme."""
    svg = _svg(chart, title=True)
    svg.set("xmlns", "http://www.w3.org/2000/svg")
    svg.set("width", str(WIDTH))
    svg.set("height", svg.get("viewBox", "").split()[3])
    # Marks that only a reader's changes show have no place in a file.
    for element in list(svg):
        if "whatif" in element.get("class", "").split():
            svg.remove(element)
    style = Element("style")
    style.text = _style(theme)
    x, y, width, height = svg.get("viewBox", "").split()
    ground = Element(
        "rect", {"x": x, "y": y, "width": width, "height": height, "fill": _tokens(theme)["--panel"]}
    )
    svg[:0] = [style, ground]
    return tostring(svg, encoding="unicode")


def token(name: str, theme: Theme = "light") -> str:
    """The colour of a token."""
    return _tokens(theme)[f"--{name}"]


def page_css(name: str) -> str:
    """A style sheet of the pages."""
    return files("steelyard.report.page").joinpath(f"{name}.css").read_text(encoding="utf-8")


@functools.cache
def _tokens(theme: Theme) -> dict[str, str]:
    pairs = re.findall(r"(--[\w-]+):\s*light-dark\(([^,]+),\s*([^)]+)\)", page_css("tokens"))
    return {name: light if theme == "light" else dark for name, light, dark in pairs}


@functools.cache
def _style(theme: Theme) -> str:
    """The rules of charts with the theme's colours in place of tokens."""
    rules = page_css("chart").replace("var(--font)", FONTS)
    return re.sub(r"var\((--[\w-]+)\)", lambda match: _tokens(theme)[match.group(1)], rules)


class _Frame:
    """The rectangle that marks are drawn in."""

    def __init__(self, chart: Chart) -> None:
        self.x_axis, self.y_axis = chart.x, chart.y
        longest = max((len(words) for _, words in chart.y.marks()), default=1)
        # Beside the axis label numbers have the room that a phone's larger letters need.
        self.left = min(max(28.0, 12 + 7.2 * longest), 190.0) + (18 + 1.5 * longest if chart.y.label else 0)
        self.bottom = float(chart.height - BELOW)

    def x(self, value: float) -> float:
        return round(self.left + self.x_axis.place(value) * (RIGHT - self.left), 2)

    def y(self, value: float) -> float:
        return round(self.bottom - self.y_axis.place(value) * (self.bottom - TOP), 2)

    def points(self, mark: Mark) -> list[tuple[float, float]]:
        """Where the points of a line stand; NaN breaks it."""
        return [
            (math.nan, math.nan) if math.isnan(x) or math.isnan(y) else (self.x(x), self.y(y))
            for x, y in zip(mark.x, mark.y, strict=True)
        ]


def _svg(chart: Chart, title: bool = False) -> Element:
    frame = _Frame(chart)
    above = 26.0 if title else 0.0
    below = LINE * math.ceil(len(chart.legend) / 2) + 8 if chart.legend else 0
    svg = Element(
        "svg",
        {
            "class": "chart",
            "id": f"chart-{chart.id}",
            "viewBox": f"0 {_short(-above)} {WIDTH} {_short(chart.height + above + below)}",
            "role": "img",
            "aria-label": visible(f"{chart.title}. {chart.desc}".strip()),
            "data-x": _scale(chart.x, frame.left, RIGHT),
            "data-y": _scale(chart.y, frame.bottom, TOP),
            "data-xn": visible(chart.x.label),
            "data-yn": visible(chart.y.label),
        },
    )
    for key, value in (("data-hover", chart.hover), ("data-xu", chart.x.unit), ("data-yu", chart.y.unit)):
        if value:
            svg.set(key, value)
    if title:
        _text(svg, 8, -8, chart.title, "name f ink", "start")
    zones = [mark for mark in chart.marks if mark.kind == "zone"]
    for mark in zones:
        _draw(svg, frame, mark)
    # Lines of a grid would cross the numbers of a matrix; level curves over zones keep theirs.
    is_matrix = not (chart.x.label or chart.y.label) or not any(mark.kind == "line" for mark in chart.marks)
    _axes(svg, frame, chart, bare=bool(zones) and is_matrix)
    for mark in sorted(chart.marks, key=lambda mark: ("band", "bar", "vrule", "hrule").count(mark.kind) == 0):
        if mark.kind not in ("zone", "text"):
            _draw(svg, frame, mark)
    _names(svg, frame, chart)
    for k, (words, colour) in enumerate(chart.legend):
        x, y = 40 + 216 * (k % 2), chart.height + 12 + LINE * (k // 2)
        SubElement(svg, "circle", {"class": f"dot f {colour}", "cx": str(x), "cy": str(y - 4), "r": "5"})
        _text(svg, x + 10, y, words, "tick", "start")
    return svg


def _axes(svg: Element, frame: _Frame, chart: Chart, bare: bool) -> None:
    """Grid, ticks and labels; a bare chart (a matrix) has no grid."""
    for value, words in chart.y.marks():
        y = frame.y(value)
        if not bare:
            _line(svg, "grid", frame.left, y, RIGHT, y)
        _text(svg, frame.left - 8, y + 4, words, "tick", "end")
    for value, words in chart.x.marks():
        x = frame.x(value)
        if not bare:
            _line(svg, "grid", x, TOP, x, frame.bottom)
        _text(svg, x, frame.bottom + 18, words, "tick", "middle")
    if not bare:
        _line(svg, "axis", frame.left, frame.bottom, RIGHT, frame.bottom)
    _text(svg, (frame.left + RIGHT) / 2, chart.height - 6, chart.x.label, "label", "middle")
    if chart.y.label:
        y = (TOP + frame.bottom) / 2
        _text(svg, 11, y, chart.y.label, "label", "middle").set("transform", f"rotate(-90 11 {_short(y)})")


def _draw(svg: Element, frame: _Frame, mark: Mark) -> None:
    live = "live " if mark.is_hidden else ""
    elements: list[Element] = []
    match mark.kind:
        case "line":
            css = f"{live}line {mark.colour}" + (" dashed" if mark.dashed else "")
            path = SubElement(svg, "path", {"class": css, "d": _path(frame.points(mark))})
            if mark.name:
                path.set("data-name", visible(mark.name))
            if mark.notes:
                path.set("data-notes", visible("|".join(mark.notes)))
            elements.append(path)
        case "band":
            upper = [(frame.x(x), frame.y(y)) for x, y in zip(mark.x, mark.high, strict=True)]
            lower = [(frame.x(x), frame.y(y)) for x, y in zip(mark.x, mark.low, strict=True)]
            around = _path([*upper, *reversed(lower)]) + "Z"
            elements.append(SubElement(svg, "path", {"class": f"band f {mark.colour}", "d": around}))
        case "dot":
            at = {"cx": _short(frame.x(mark.x[0])), "cy": _short(frame.y(mark.y[0])), "r": "5"}
            elements.append(SubElement(svg, "circle", {"class": f"{live}dot f {mark.colour}", **at}))
        case "err":
            for place, low, high in zip(mark.x or mark.y, mark.low, mark.high, strict=True):
                ends = ((place, low), (place, high)) if mark.x else ((low, place), (high, place))
                (x1, y1), (x2, y2) = ((frame.x(x), frame.y(y)) for x, y in ends)
                _line(svg, f"err {mark.colour}", x1, y1, x2, y2)
        case "bar":
            for left, right, height in zip(mark.low, mark.high, mark.y, strict=True):
                _rectangle(svg, f"bar f {mark.colour}", frame, (left, right), (0, height), gap=0.5)
        case "vrule":
            x = frame.x(mark.x[0])
            elements.append(_line(svg, f"{live}rule {mark.colour}", x, TOP, x, frame.bottom))
        case "hrule":
            y = frame.y(mark.y[0])
            elements.append(_line(svg, f"{live}rule {mark.colour}", frame.left, y, RIGHT, y))
        case "zone":
            gap = 0 if mark.notes else 1
            box = _rectangle(svg, f"zone f {mark.colour}", frame, mark.x, mark.y, gap=gap)
            box.set("fill-opacity", f"{0.06 + 0.054 * mark.depth:.2f}")
            elements.append(box)
        case "text":
            pass
    if mark.live and elements:
        elements[0].set("data-live", mark.live)
    if mark.notes and mark.kind in ("zone", "dot"):
        SubElement(elements[0], "title").text = visible(mark.notes[0])


def _names(svg: Element, frame: _Frame, chart: Chart) -> None:
    """Names of rules above the frame, of lines and dots beside them where they hide least."""
    rules = sorted((m for m in chart.marks if m.kind == "vrule" and m.name), key=lambda m: frame.x(m.x[0]))
    places = [frame.x(mark.x[0]) for mark in rules]
    for k, mark in enumerate(rules):
        half = LETTER * len(mark.name) / 2
        near_left, near_right = (
            0 <= other < len(rules)
            and abs(places[other] - places[k]) < LETTER * (len(mark.name) + len(rules[other].name)) / 2
            for other in (k - 1, k + 1)
        )
        if near_left != near_right:
            anchor, x = ("start", places[k] - 3) if near_left else ("end", places[k] + 3)
        else:
            anchor, x = "middle", min(max(places[k], frame.left + half - 30), WIDTH - half)
        label = _text(svg, x, 16, mark.name, f"name f {mark.colour}", anchor)
        if mark.is_hidden:
            label.set("class", f"live {label.get('class')}")
    courses = [frame.points(mark) for mark in chart.marks if mark.kind == "line" and not mark.is_hidden]
    lines = [points[:: max(1, len(points) // 50)] for points in courses]  # enough to see where names collide
    taken: list[Box] = [
        (frame.x(m.x[0]) - 6, frame.y(m.y[0]) - 6, frame.x(m.x[0]) + 6, frame.y(m.y[0]) + 6)
        for m in chart.marks
        if m.kind == "dot" and not m.is_hidden
    ]
    taken += [
        (RIGHT - 4 - LETTER * len(m.name), frame.y(m.y[0]) - LINE, RIGHT - 4, frame.y(m.y[0]))
        for m in chart.marks
        if m.kind == "hrule"
    ]
    in_legend = {words for words, _ in chart.legend}
    for mark in chart.marks:
        css = f"name f {mark.colour}"
        if mark.kind == "text":
            _text(svg, frame.x(mark.x[0]), frame.y(mark.y[0]) + 4, mark.name, css, "middle")
        elif mark.kind == "hrule" and mark.name:
            _text(svg, RIGHT - 4, frame.y(mark.y[0]) - 5, mark.name, css, "end")
        elif mark.name in in_legend or mark.is_hidden or not mark.name:
            continue
        elif mark.kind in ("line", "dot"):
            box, anchor = _free_place(frame, mark, lines, taken)
            taken.append(box)
            # Boxes are as wide as on a phone; elsewhere text is smaller and stays on the side of its line.
            x = {"start": box[0], "middle": (box[0] + box[2]) / 2, "end": box[2]}[anchor]
            _text(svg, x, box[3] - 4, mark.name, css, anchor)


# Beside its line or dot, inside the frame, over as little as can be.
def _free_place(
    frame: _Frame, mark: Mark, lines: Sequence[Sequence[tuple[float, float]]], taken: Sequence[Box]
) -> tuple[Box, str]:
    """Where a name fits best, and how it is anchored there."""
    width = LETTER * len(visible(mark.name))
    points = [point for point in frame.points(mark) if not math.isnan(point[0])] or [(frame.left, TOP)]
    places = points if mark.kind == "dot" else [_along(points, fraction) for fraction in _ALONG]
    sides = (
        (-width / 2, -LINE - 5, "middle"),
        (-width / 2, 5, "middle"),
        (8, -LINE / 2, "start"),
        (-width - 8, -LINE / 2, "end"),
    )
    best: tuple[float, Box, str] | None = None
    for rank, (x, y) in enumerate(places):
        for side, (dx, dy, anchor) in enumerate(sides):
            left = min(max(x + dx, frame.left + 3), RIGHT - width - 1)
            top = min(max(y + dy, TOP + 1), frame.bottom - LINE - 1)
            box = (left, top, left + width, top + LINE)
            # A greedy placement is enough for at most five names; weights were chosen by eye on the charts of
            # the docs: never over another name, rather far from the preferred place than over a line.
            over = sum(_overlap(box, other) for other in taken)
            far = math.hypot(left - x - dx, top - y - dy)
            # Following lines takes most of the time: only where the rest leaves the place a chance.
            if best is not None and 3 * over + 0.4 * far + 0.3 * rank + 0.6 * side >= best[0]:
                continue
            crossed = sum(_crosses(line, box) for line in lines)
            cost = 12 * crossed + 3 * over + 0.4 * far + 0.3 * rank + 0.6 * side
            if best is None or cost < best[0]:
                best = cost, box, anchor
    assert best is not None
    return best[1:]


# Where along a line its name is tried, the most wanted place first.
_ALONG = (0.9, 0.75, 0.98, 0.6, 0.45, 0.3, 0.15, 0.02)


def _along(points: Sequence[tuple[float, float]], fraction: float) -> tuple[float, float]:
    """The point that lies this part of the way along a line, by its width."""
    # By width, not by length: a steep piece has no room for a name beside it.
    x = points[0][0] + fraction * (points[-1][0] - points[0][0])
    for (x1, y1), (x2, y2) in pairwise(points):
        if x1 != x2 and min(x1, x2) <= x <= max(x1, x2):
            return x, y1 + (y2 - y1) * (x - x1) / (x2 - x1)
    return points[int(fraction * (len(points) - 1))]


def _crosses(line: Sequence[tuple[float, float]], box: Box) -> int:
    """How much of a line lies within a box, in steps of 6 units along x."""
    left, top, right, bottom = box
    hits = 0
    for (x1, y1), (x2, y2) in pairwise(line):
        if x1 < left > x2 or x1 > right < x2 or y1 < top > y2 or y1 > bottom < y2 or math.isnan(x1 + x2):
            continue
        steps = max(1, int(max(abs(x2 - x1), abs(y2 - y1)) / 6))
        hits += any(
            left <= x1 + (x2 - x1) * k / steps <= right and top <= y1 + (y2 - y1) * k / steps <= bottom
            for k in range(steps + 1)
        )
    return min(hits, 8)


def _overlap(a: Box, b: Box) -> float:
    wide, high = min(a[2], b[2]) - max(a[0], b[0]), min(a[3], b[3]) - max(a[1], b[1])
    return wide * high if wide > 0 and high > 0 else 0.0


def _path(points: Iterable[tuple[float, float]]) -> str:
    parts, fresh = [], True
    for x, y in points:
        if math.isnan(x):
            fresh = True
            continue
        parts.append(f"{'M' if fresh else 'L'}{_short(x)} {_short(y)}")
        fresh = False
    return "".join(parts)


def _line(svg: Element, css: str, x1: float, y1: float, x2: float, y2: float) -> Element:
    ends = zip(("x1", "y1", "x2", "y2"), (x1, y1, x2, y2), strict=True)
    return SubElement(svg, "line", {"class": css, **{name: _short(value) for name, value in ends}})


def _rectangle(
    svg: Element, css: str, frame: _Frame, x: Sequence[float], y: Sequence[float], gap: float = 0
) -> Element:
    left, right = sorted(frame.x(value) for value in x)
    top, bottom = sorted(frame.y(value) for value in y)
    sizes = {"width": max(right - left - 2 * gap, 0.5), "height": max(bottom - top, 0)}
    numbers = {"x": left + gap, "y": top, **sizes}
    return SubElement(svg, "rect", {"class": css, **{name: _short(n) for name, n in numbers.items()}})


def _text(svg: Element, x: float, y: float, words: str, css: str, anchor: str) -> Element:
    element = SubElement(svg, "text", {"class": css, "x": _short(x), "y": _short(y), "text-anchor": anchor})
    element.text = visible(words)
    return element


# The script of a page reads the scales back from these attributes: it moves marks and shows a crosshair
# without knowing what a chart is about.
def _scale(axis: Axis, first: float, last: float) -> str:
    kind = "log" if axis.scale == "log" else "lin"
    return f"{kind} {axis.low:.6g} {axis.high:.6g} {_short(first)} {_short(last)}"


def _short(number: float) -> str:
    return f"{number:.1f}".removesuffix(".0")
