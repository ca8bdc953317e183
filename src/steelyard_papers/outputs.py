"""Output files of a study: tables as CSV, figures as SVG and PNG, written atomically."""

from __future__ import annotations

import csv
import io
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from steelyard.errors import MissingExtraError
from steelyard.report import save
from steelyard_papers.experiment import ResultTable, Study
from steelyard_papers.extras import EXTRA

# Okabe and Ito's colours, which colour-blind readers can tell apart.
COLOURS = ("#0072b2", "#d55e00", "#009e73", "#cc79a7", "#8a6d00", "#56b4e9", "#666666", "#000000")
MARKERS = ("o", "s", "^", "D", "v", "P", "X", "*")


def as_csv(table: ResultTable) -> str:
    """A table as CSV text; what is undefined stays empty."""
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(table.columns)
    for row in table.rows:
        writer.writerow(["" if value is None else value for value in row])
    return text.getvalue()


def save_pictures(study: Study, tables: Sequence[ResultTable], folder: Path) -> None:
    """Draw every figure of the study."""
    by_name = {table.name: table for table in tables}
    for name, (_, draw) in study.pictures.items():
        figure = draw(by_name)
        for suffix in ("svg", "png"):
            drawn = io.BytesIO()
            # Without a date and with fixed ids, the same data give the same file.
            figure.savefig(
                drawn, format=suffix, dpi=110, metadata={"Date": None} if suffix == "svg" else None
            )
            save(folder / f"{name}.{suffix}", drawn.getvalue())


def new_figure(
    width: float, height: float, rows: int = 1, columns: int = 1, **options: Any
) -> tuple[Any, Any]:
    """A Matplotlib figure without pyplot, and its axes."""
    try:
        import matplotlib as mpl
        from matplotlib.figure import Figure
    except ImportError as error:
        raise MissingExtraError("matplotlib", EXTRA, "a figure of a study") from error
    mpl.rcParams["svg.hashsalt"] = "steelyard"
    # Fitting labels of three-dimensional axes takes many seconds and hardly moves them.
    solid = "projection" in options.get("subplot_kw", {})
    figure = Figure(figsize=(width, height), layout=None if solid else "constrained")
    return figure, figure.subplots(rows, columns, squeeze=False, **options)
