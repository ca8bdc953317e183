"""What is a picture made of? Elements of SVG, built as elements, so that a name can never become markup.

Colours, widths of lines and fonts come from the page's style: no element carries a style of its own, because
pages forbid them.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from xml.etree.ElementTree import Element, tostring

from steelyard.report.visible import visible

Point = tuple[float, float]

FONT = 12
SMALL, WIDE = 360, 600
"""Up to the first width a picture does not fill its column: its words would shout. From the second on it
scrolls on a phone instead of shrinking until its words cannot be read."""


def element(
    tag: str, *children: Element, words: str = "", tip: str | None = None, **attributes: object
) -> Element:
    """An element with its children; `tip` is what a pointer over it is told.

    Attributes are named as Python allows: `class_`, `text_anchor`; one that is empty is left out.
    """
    named = {name.rstrip("_").replace("_", "-"): _written(value) for name, value in attributes.items()}
    made = Element(tag, {name: value for name, value in named.items() if value})
    made.text = visible(words) or None
    if tip is not None:
        made.append(element("title", words=tip))
    made.extend(children)
    return made


def _written(value: object) -> str:
    return f"{value:.1f}" if isinstance(value, float) else visible(str(value))


def svg(width: float, height: float, body: Iterable[Element], title: str) -> str:
    """A picture that scales down with the page; a wide one only as far as its words can be read, then it
    scrolls."""
    picture = element(
        "svg",
        *body,
        class_="picture wide" if width > WIDE else "picture small" if width < SMALL else "picture",
        viewBox=f"0 0 {width:.0f} {height:.0f}",
        width=f"{width:.0f}",
        height=f"{height:.0f}",
        role="img",
        aria_label=title,
        font_size=FONT,
    )
    return tostring(picture, encoding="unicode")


def text(
    x: float,
    y: float,
    words: object,
    anchor: str = "start",
    css: str = "",
    turn: float = 0,
    tip: str | None = None,
) -> Element:
    """Words that start, end or have their middle at a point."""
    return element(
        "text",
        words=str(words),
        tip=tip,
        x=float(x),
        y=float(y),
        text_anchor=anchor,
        class_=css,
        transform=f"rotate({turn:g} {x:.1f} {y:.1f})" if turn else "",
    )


def following(key: str, as_: str = "follows", /, **places: Sequence[float]) -> dict[str, str]:
    """Attributes by which a script moves what shows this number (or draws a line of them again): along each
    axis two places and the numbers there, and where it stands at first."""
    if not key:
        return {}
    facts = {f"data_{name}": " ".join(f"{number:.6g}" for number in found) for name, found in places.items()}
    return {f"data_{as_}": key, **facts}


def line(start: Point, end: Point, css: str) -> Element:
    """A straight line."""
    return element(
        "line", x1=float(start[0]), y1=float(start[1]), x2=float(end[0]), y2=float(end[1]), class_=css
    )


def rectangle(
    corner: Point, width: float, height: float, css: str, tip: str | None = None, **more: str
) -> Element:
    """A rectangle from its upper left corner."""
    return element(
        "rect",
        tip=tip,
        x=float(corner[0]),
        y=float(corner[1]),
        width=float(width),
        height=float(height),
        class_=css,
        **more,
    )


def circle(middle: Point, radius: float, css: str, tip: str | None = None, **more: str) -> Element:
    """A circle around its middle."""
    return element(
        "circle", tip=tip, cx=float(middle[0]), cy=float(middle[1]), r=float(radius), class_=css, **more
    )


def curve(course: str, css: str, dash: str = "") -> Element:
    """A path along a course, such as that of `through`."""
    return element("path", d=course, class_=css, stroke_dasharray=dash)


def through(points: Sequence[Point]) -> str:
    """The course of a path from point to point."""
    return "".join(f"{'L' if k else 'M'}{x:.1f} {y:.1f}" for k, (x, y) in enumerate(points))


def told(tip: str, *children: Element, **more: str) -> Element:
    """Elements that tell the same when pointed at."""
    return element("g", *children, tip=tip, **more)
