"""Charts on Matplotlib axes, for users who restyle them or put them beside their own."""

from __future__ import annotations

from typing import Any

from steelyard.errors import MissingExtraError
from steelyard.report.chart import Axis, Chart, Mark
from steelyard.report.drawing import token


def new_axes() -> Any:
    """Axes on a figure of their own, without pyplot: no global state, no window, safe in threads."""
    try:
        from matplotlib.figure import Figure
    except ImportError as error:
        raise MissingExtraError("matplotlib", "matplotlib", "a Matplotlib figure") from error
    return Figure(figsize=(6.4, 4.6), layout="constrained").subplots()


def draw(chart: Chart, ax: Any) -> Any:
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
