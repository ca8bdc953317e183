"""The portrait of a measure as static pictures: its charts side by side, drawn with Matplotlib."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from steelyard.errors import InputError
from steelyard.proofs import figures
from steelyard.proofs.portrait import Portrait
from steelyard.report.chart import Chart, new_figure

# The priors that are drawn: a row of three fits a page.
PRIORS = (0.5, 0.1, 0.01)
SUFFIXES = (".png", ".svg", ".pdf")


def draw_measure(portrait: Portrait, name: str, path: str) -> None:
    """All pictures of a measure into files: level curves under the name given, and beside it -gradient
    (slopes) and -behaviour (a fixed classifier as the classes change)."""
    target = Path(path)
    if target.suffix.lower() not in SUFFIXES:
        raise InputError("the picture has no known format", found=target.name, allowed=", ".join(SUFFIXES))
    common = figures.common_levels(portrait)
    pictures: dict[str, Sequence[Chart | None]] = {
        "": [figures.levels_chart(portrait, name, prior, common) for prior in PRIORS],
        "-gradient": [figures.slopes_chart(portrait, name, prior) for prior in PRIORS],
        "-behaviour": [figures.prior_chart(portrait, name, ""), figures.classes_chart(portrait, name, "")],
    }
    for which, charts in pictures.items():
        drawn = [chart for chart in charts if chart is not None]
        figure = new_figure(4.2 * max(len(drawn), 1), 4.2, "drawing a measure")
        for axes, chart in zip(figure.subplots(1, max(len(drawn), 1), squeeze=False)[0], drawn, strict=False):
            chart.on(axes)
            if not which:
                _label_curves(axes, chart)
        try:
            figure.savefig(target.with_name(f"{target.stem}{which}{target.suffix}"), dpi=150)
        except OSError as error:
            raise InputError(
                f"the picture cannot be written: {error.strerror}",
                found=str(target),
                allowed="a path that can be written",
            ) from error


def _label_curves(axes: Any, chart: Chart) -> None:
    """Write the value of every level curve on it: curves of one colour have no use for a legend."""
    legend = axes.get_legend()
    if legend is not None:
        legend.remove()
    for number, mark in enumerate(mark for mark in chart.marks if mark.kind == "line" and mark.name):
        at = len(mark.x) * (1 + number % 3) // 4  # not all at the same place: curves may meet in a corner
        box = {"facecolor": "white", "edgecolor": "none", "pad": 1}
        axes.text(mark.x[at], mark.y[at], mark.name, fontsize=7, ha="center", va="center", bbox=box)
