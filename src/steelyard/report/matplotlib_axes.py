"""Charts on Matplotlib axes, for users who restyle them or put them beside their own."""

from __future__ import annotations

import functools
import io
from typing import Any

from steelyard.errors import MissingExtraError
from steelyard.report.drawing import token
from steelyard.report.marks import Axis, Drawing, Mark


def new_axes() -> Any:
    """Axes on a figure of their own."""
    return new_figure(6.4, 4.6, "a Matplotlib figure").subplots()


def new_figure(width: float, height: float, what: str) -> Any:
    """A figure of so many inches without pyplot (no global state, no window, safe in threads), which a
    notebook shows with or without `%matplotlib`."""
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
