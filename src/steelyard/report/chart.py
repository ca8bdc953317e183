"""Charts: one declaration that the page, files, notebooks, data frames and Matplotlib axes are made from."""

# A chart has two axes and marks (`report/marks.py`). `report/drawing.py` draws it as SVG, resvg makes PNG of
# that.

from __future__ import annotations

import functools
import io
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from steelyard.errors import InputError, MissingExtraError
from steelyard.report.drawing import token
from steelyard.report.marks import COLOURS as COLOURS
from steelyard.report.marks import Axis as Axis
from steelyard.report.marks import Colour as Colour
from steelyard.report.marks import Drawing, Numbers, Theme
from steelyard.report.marks import Mark as Mark
from steelyard.report.marks import band as band
from steelyard.report.marks import bars as bars
from steelyard.report.marks import dot as dot
from steelyard.report.marks import err as err
from steelyard.report.marks import hrule as hrule
from steelyard.report.marks import line as line
from steelyard.report.marks import rounded_up as rounded_up
from steelyard.report.marks import text as text
from steelyard.report.marks import unit_axis as unit_axis
from steelyard.report.marks import vrule as vrule
from steelyard.report.marks import zone as zone

_PROBE = '<svg xmlns="http://www.w3.org/2000/svg" width="20" height="20">{}</svg>'


@dataclass(frozen=True)
class Chart(Drawing):
    """A chart: what it shows, in words and as marks.

    In a notebook it shows itself. `svg()`, `png()` and `save("roc.png")` give files in a light or dark
    theme, `frame()` the numbers, and `on(ax)` draws it on Matplotlib axes.
    """

    def svg(self, theme: Theme = "light") -> str:
        """The chart as an SVG file with the colours of a theme."""
        from steelyard.report.drawing import standalone

        return standalone(self, theme)

    def png(self, theme: Theme = "light", scale: float = 2.0) -> bytes:
        """The chart as PNG, `scale` pixels for each unit of its 480 units of width."""
        return _png(self.svg(theme), scale)

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
        return [
            {
                "mark": mark.kind,
                "name": mark.name,
                **{key: _at(getattr(mark, key), k) for key in ("x", "y", "low", "high")},
            }
            for mark in self.marks
            if mark.kind != "text"
            for k in range(max(len(mark.x), len(mark.y), len(mark.low)))
        ]

    def frame(self) -> Any:
        """The numbers behind the chart as a pandas DataFrame."""
        from steelyard.report.records import to_pandas

        return to_pandas(self.rows())

    def on(self, ax: Any) -> Any:
        """The chart drawn on Matplotlib axes, to be restyled there; returns the axes."""
        from steelyard.report.chart import draw

        return draw(self, ax)

    def with_id(self, prefix: str) -> Chart:
        """The same chart under another name, where a page has several of a kind."""
        return replace(self, id=f"{prefix}-{self.id}")

    def _repr_svg_(self) -> str:
        return self.svg()


def _at(values: Numbers, k: int) -> float | None:
    return values[k] if k < len(values) else None


def _png(svg: str, scale: float) -> bytes:
    """The figure as PNG, `scale` pixels for each unit."""
    from steelyard.report.drawing import FONTS

    resvg = _resvg()
    if not _writes_text():
        raise InputError(
            "no font is installed, so a PNG would have no text",
            allowed=f"one of {FONTS}",
            do="install one (Debian: apt install fonts-dejavu-core) or write SVG",
        )
    return bytes(resvg.svg_to_bytes(svg_string=svg, zoom=scale))


def _resvg() -> Any:
    try:
        import resvg_py
    except ImportError as error:
        raise MissingExtraError("resvg-py", "plots", "a PNG file") from error
    return resvg_py


@functools.cache
def _writes_text() -> bool:
    """resvg leaves text out where it finds no font, without an error."""
    from steelyard.report.drawing import FONTS

    empty, written = (_PROBE.format(body) for body in ("", f'<text y="15" font-family="{FONTS}">H</text>'))
    resvg = _resvg()
    return bool(resvg.svg_to_bytes(svg_string=empty) != resvg.svg_to_bytes(svg_string=written))


def new_axes() -> Any:
    """Axes on a figure of their own."""
    return new_figure(6.4, 4.6, "a Matplotlib figure").subplots()


# A notebook shows it with or without `%matplotlib`.
def new_figure(width: float, height: float, what: str) -> Any:
    """A figure of so many inches without pyplot (no global state, no window, safe in threads)."""
    try:
        from matplotlib.figure import Figure
    except ImportError as error:
        raise MissingExtraError("matplotlib", "matplotlib", what) from error
    figure: Any = Figure(figsize=(width, height), layout="constrained")
    figure._repr_png_ = functools.partial(_as_png, figure)
    return figure


def _as_png(figure: Any) -> bytes:
    buffer = io.BytesIO()
    figure.savefig(buffer, format="png", dpi=110)
    return buffer.getvalue()


def draw(chart: Drawing, ax: Any) -> Any:
    """Draw the chart on axes."""
    for mark in chart.marks:
        if not mark.is_hidden:
            _mark(ax, mark, token(mark.colour))
    for axis, name in ((chart.x, "x"), (chart.y, "y")):
        _axis(ax, axis, name)
    ax.set_title(chart.title)
    if any(mark.name for mark in chart.marks if mark.kind == "line"):
        ax.legend(frameon=False)
    return ax


def _mark(ax: Any, mark: Mark, colour: str) -> None:
    label = mark.name or None
    match mark.kind:
        case "line":
            ax.plot(mark.x, mark.y, "--" if mark.dashed else "-", color=colour, label=label)
        case "band":
            ax.fill_between(mark.x, mark.low, mark.high, color=colour, alpha=0.16, linewidth=0)
        case "dot":
            ax.plot(mark.x, mark.y, "o", color=colour)
        case "err" if mark.across:
            ax.hlines(mark.y, mark.low, mark.high, color=colour)
        case "err":
            ax.vlines(mark.x, mark.low, mark.high, color=colour)
        case "bar":
            widths = [high - low for low, high in zip(mark.low, mark.high, strict=True)]
            ax.bar(mark.low, mark.y, widths, align="edge", color=colour)
        case "vrule":
            ax.axvline(mark.x[0], color=colour, linestyle=":")
        case "hrule":
            ax.axhline(mark.y[0], color=colour, linestyle=":")
        case "zone":
            ax.fill_between(
                [mark.low[0], mark.high[0]], *mark.y, color=colour, alpha=0.05 * mark.depth, linewidth=0
            )
        case "text":
            ax.text(mark.x[0], mark.y[0], mark.name, ha="center", va="center", color=colour)


def _axis(ax: Any, axis: Axis, name: str) -> None:
    getattr(ax, f"set_{name}scale")(axis.scale)
    getattr(ax, f"set_{name}lim")(axis.low, axis.high)
    places = axis.marks()
    getattr(ax, f"set_{name}ticks")([value for value, _ in places], [words for _, words in places])
    getattr(ax, f"set_{name}label")(axis.label)
