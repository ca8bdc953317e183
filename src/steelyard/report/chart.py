"""Charts: one declaration that the page, files, notebooks, data frames and Matplotlib axes are made from."""

# A chart has two axes and marks. `report/drawing.py` draws it as SVG, resvg makes PNG of that.

from __future__ import annotations

import functools
import itertools
import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any, Literal, TypeAlias

import numpy as np
from numpy.typing import NDArray

from steelyard._lazy import module_named
from steelyard.errors import InputError, extra_needed
from steelyard.report.numbers import percent
from steelyard.report.numbers import rounded_up as rounded_up

_PROBE = '<svg xmlns="http://www.w3.org/2000/svg" width="20" height="20">{}</svg>'
# A token of the style sheet: blue was measured, orange is an error or the second model, purple is balanced
# prevalence, green is What if, grey is no skill.
Colour = Literal["value", "error", "balanced", "whatif", "base", "c4", "c5", "ink", "muted", "warn"]
# Colours of lines that stand for models or classes, in their order.
COLOURS: tuple[Colour, ...] = ("value", "error", "balanced", "c4", "c5", "ink")
Kind = Literal["line", "band", "dot", "err", "bar", "vrule", "hrule", "zone", "text"]
Theme = Literal["light", "dark"]
# The left end of a log axis of prevalence: one in ten thousand.
LEAST_SHARE = 1e-4
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
        return f"{100 * value:.6g}%" if self.unit == "%" else f"{value:,.6g}"


@dataclass(frozen=True)
class Mark:
    """A mark: what it is, where it stands and what it is called."""

    kind: Kind
    x: Numbers = ()
    y: Numbers = ()
    # The ends of a band or an interval; of bars the edges along x.
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
    # Of a zone: 1 to 10, how dark.
    depth: int = 10

    @property
    def is_hidden(self) -> bool:
        """Is it shown only once a reader has changed something?"""
        return self.colour == "whatif"


Places: TypeAlias = float | Sequence[float] | NDArray[Any]


def mark(
    kind: Kind,
    x: Places = (),
    y: Places = (),
    name: str = "",
    colour: Colour = "value",
    *,
    low: Places = (),
    high: Places = (),
    **more: Any,
) -> Mark:
    """A mark at these places; a single number is one place."""
    x, y, low, high = (tuple(np.atleast_1d(np.asarray(v, float)).tolist()) for v in (x, y, low, high))
    return Mark(kind, x, y, low, high, colour, name, **more)


# Through points, interrupted where a value is NaN; a point; words with their middle at a point.
line, dot, text = partial(mark, "line"), partial(mark, "dot"), partial(mark, "text")
# The area between two curves; intervals, upright at `x` or along x at the heights `y`; bars from 0 to `y`.
band, err, bars = partial(mark, "band"), partial(mark, "err"), partial(mark, "bar")
# A filled rectangle between two x and two y; lines through the whole chart.
zone, vrule = partial(mark, "zone"), partial(mark, "vrule", colour="base")
hrule = partial(mark, "hrule", (), colour="base")


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
        steps = (1, 2, 5) if high <= 50 * low else (1, 3)  # more have no room on a phone
        powers = [
            step * 10.0**k
            for k in range(math.floor(math.log10(low)), math.ceil(math.log10(high)) + 1)
            for step in steps
            if low * (1 - 1e-9) <= step * 10.0**k <= high * (1 + 1e-9)
        ]
    ends = [end for end in (low, high) if all(abs(math.log10(end / power)) > 0.45 for power in powers)]
    return sorted({*powers, *ends})


@dataclass(frozen=True)
class Chart:
    """A chart: what it shows, in words and as marks.

    In a notebook it shows itself. `svg()`, `png()` and `save("roc.png")` give files in a light or dark
    theme, `frame()` the numbers, and `on(ax)` draws it on Matplotlib axes.
    """

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

    def svg(self, theme: Theme = "light") -> str:
        """The chart as an SVG file with the colours of a theme."""
        text: str = _drawing().standalone(self, theme)
        return text

    def png(self, theme: Theme = "light", scale: float = 2.0) -> bytes:
        """The chart as PNG, `scale` pixels for each unit of its 480 units of width."""
        resvg = _resvg()
        if not _writes_text():
            raise InputError(
                "no font is installed, so a PNG would have no text",
                allowed=f"one of {_drawing().FONTS}",
                do="install one (Debian: apt install fonts-dejavu-core) or write SVG",
            )
        return bytes(resvg.svg_to_bytes(svg_string=self.svg(theme), zoom=scale))

    def save(self, path: str | Path, theme: Theme = "light") -> None:
        """Write the chart to a .svg or .png file."""
        from steelyard.report.saving import save

        kind = Path(path).suffix.lower()
        if kind not in (".svg", ".png"):
            raise InputError(
                "a chart is written as SVG or PNG",
                found=str(path),
                allowed="a name that ends in .svg or .png",
            )
        save(path, self.svg(theme) if kind == ".svg" else self.png(theme))

    savefig = save
    """The name that Matplotlib's figures have for it."""

    def rows(self) -> list[dict[str, Any]]:
        """The numbers behind the chart, a row for each point."""
        rows: list[dict[str, Any]] = []
        for mark in self.marks:
            if mark.kind != "text":
                numbers = itertools.zip_longest(mark.x, mark.y, mark.low, mark.high)
                named = {"mark": mark.kind, "name": mark.name}
                rows += [named | dict(zip(("x", "y", "low", "high"), each, strict=True)) for each in numbers]
        return rows

    def frame(self) -> Any:
        """The numbers behind the chart as a pandas DataFrame."""
        from steelyard.report.records import data_frame

        return data_frame(self.rows(), "pandas")

    def on(self, ax: Any) -> Any:
        """The chart drawn on Matplotlib axes, to be restyled there; returns the axes."""
        for mark in self.marks:
            if not mark.is_hidden:
                _ON_AXES[mark.kind](ax, mark, _drawing().token(mark.colour))
        for axis, name in ((self.x, "x"), (self.y, "y")):
            places = axis.marks()
            getattr(ax, f"set_{name}scale")(axis.scale)
            getattr(ax, f"set_{name}lim")(axis.low, axis.high)
            getattr(ax, f"set_{name}ticks")([value for value, _ in places], [words for _, words in places])
            getattr(ax, f"set_{name}label")(axis.label)
        ax.set_title(self.title)
        if any(mark.name for mark in self.marks if mark.kind == "line"):
            ax.legend(frameon=False)
        return ax

    def _repr_svg_(self) -> str:
        return self.svg()


# Drawing imports the marks of this module.
def _drawing() -> Any:
    return module_named("steelyard.report.drawing")


def _resvg() -> Any:
    with extra_needed("resvg-py", "plots", "a PNG file"):
        import resvg_py
    return resvg_py


@functools.cache
def _writes_text() -> bool:
    """resvg leaves text out where it finds no font, without an error."""
    letter = f'<text y="15" font-family="{_drawing().FONTS}">H</text>'
    empty, written = (_PROBE.format(body) for body in ("", letter))
    resvg = _resvg()
    return bool(resvg.svg_to_bytes(svg_string=empty) != resvg.svg_to_bytes(svg_string=written))


def new_axes() -> Any:
    """Axes on a figure of their own, without pyplot (no global state, no window, safe in threads)."""
    with extra_needed("matplotlib", "matplotlib", "a Matplotlib figure"):
        from matplotlib.figure import Figure
    return Figure(figsize=(6.4, 4.6), layout="constrained").subplots()


# How Matplotlib draws each kind of mark.
_ON_AXES: dict[Kind, Callable[[Any, Mark, str], Any]] = {
    "line": lambda ax, m, c: ax.plot(m.x, m.y, "--" if m.dashed else "-", color=c, label=m.name or None),
    "band": lambda ax, m, c: ax.fill_between(m.x, m.low, m.high, color=c, alpha=0.16, linewidth=0),
    "dot": lambda ax, m, c: ax.plot(m.x, m.y, "o", color=c),
    "err": lambda ax, m, c: (ax.vlines if m.x else ax.hlines)(m.x or m.y, m.low, m.high, color=c),
    "bar": lambda ax, m, c: ax.bar(m.low, m.y, np.subtract(m.high, m.low), align="edge", color=c),
    "vrule": lambda ax, m, c: ax.axvline(m.x[0], color=c, linestyle=":"),
    "hrule": lambda ax, m, c: ax.axhline(m.y[0], color=c, linestyle=":"),
    "zone": lambda ax, m, c: ax.fill_between(m.x, *m.y, color=c, alpha=0.05 * m.depth, linewidth=0),
    "text": lambda ax, m, c: ax.text(m.x[0], m.y[0], m.name, ha="center", va="center", color=c),
}


def metric_axis(lines: Iterable[Mark]) -> Axis:
    """The axis of metrics: 0 to 1, further where they reach further; a little below 0 is chance."""
    values = [y for each in lines for y in each.y if not math.isnan(y)]
    low, high = min(values, default=0.0), max(values, default=1.0)
    return Axis("", -1 if low < -0.05 else 0, 1 if high <= 1 else rounded_up(high))


def by_prevalence(
    identity: str,
    title: str,
    desc: str,
    who: str,
    share: float,
    lines: Sequence[Mark],
    *more: Mark,
    **words: Any,
) -> Chart:
    """Lines against the prevalence of a class, with the share that it has on the test set."""
    marks = [*lines, vrule(min(max(share, LEAST_SHARE), 0.5), live="at", colour="whatif"), *more]
    if LEAST_SHARE <= share <= 0.5:
        marks.append(vrule(share, name=f"test set {percent(share)}", colour="muted"))
    x = Axis(f"Prevalence of {who} (log scale)", LEAST_SHARE, 0.5, "log", unit="%")
    return Chart(identity, title, desc, x, metric_axis(lines), tuple(marks), "x", **words)


# The second of two models, no significant difference, and balanced prevalence; other marks have the colour of
# values.
_COLOUR_OF_MARK: Mapping[str, Colour] = {"b": "error", "n": "muted", "balanced": "balanced"}


def forest(
    identity: str,
    title: str,
    desc: str,
    rows: Sequence[tuple[str, Sequence[tuple[str, float, float, float]]]],
    x: Axis,
    more: tuple[Mark, ...] = (),
    **words: Any,
) -> Chart:
    """A forest plot: a row for each name, with marks as those of a table's plots."""
    marks: list[Mark] = []
    for number, (_, of_row) in enumerate(rows, start=1):
        y = -float(number)
        for kind, at, low, high in of_row:
            if kind == "base":
                marks.append(err(at, low=y - 0.25, high=y + 0.25, colour="base"))
            elif kind != "ghost" and not math.isnan(at):
                colour = _COLOUR_OF_MARK.get(kind, "value")
                marks += [err(y=y, low=low, high=high, colour=colour)] if low < high else []
                marks.append(dot(at, y, colour=colour))
    ticks = tuple((-k, name) for k, (name, _) in enumerate(rows, start=1))
    y_axis = Axis("", -max(len(rows), 1) - 0.5, -0.5, ticks=ticks)
    height = 68 + 31 * max(len(rows), 1)
    return Chart(identity, title, desc, x, y_axis, (*marks, *more), height=height, **words)
