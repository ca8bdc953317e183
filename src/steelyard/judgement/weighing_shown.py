"""Every measure of a matrix on a terminal."""

from __future__ import annotations

import math
from typing import Any

from rich.console import Console

from steelyard.judgement.weighing import Weighed, Weighing
from steelyard.measures.measure import Range
from steelyard.report.numbers import shown
from steelyard.report.terminal import ARROWS, console, plain_table, show_matrix, words


def show_weighing(result: Weighing) -> None:
    """The matrix, then every measure."""
    out = console()
    show_matrix(out, result.matrix)
    if result.positive is not None:
        out.print(words(f"Positive class: {result.positive.label} ({result.positive.reason})."))
    if isinstance(result.priors, dict):
        out.print(
            words(
                "At priors: "
                + ", ".join(f"{label} {value:g}" for label, value in result.priors.items())
                + "."
            )
        )
    if result.relevance is not None:
        out.print(words(f"{result.relevance}."))
    show_weighed(out, result)


def show_weighed(out: Console, result: Weighing) -> None:
    """Every measure, with its value at other priors and weighted by relevance where these were given."""
    extra = [
        name
        for name, given in (("at priors", result.priors), ("by relevance", result.relevance))
        if given is not None
    ]
    for kind, title in (
        ("two-class", "Measures of the positive class"),
        ("multi-class", "Measures of all classes"),
    ):
        rows = [row for row in result.rows if row.measure.kind == kind]
        if rows:
            numbers = ("value", *extra, "normalised")
            table = plain_table("measure", *numbers, "range", "", "", title=f"\n{title}", right=numbers)
            for row in rows:
                table.add_row(
                    *_weighed_cells(
                        row, extra, 2 if kind == "two-class" else max(1, result.matrix.n_classes_held)
                    )
                )
            out.print(table)


def _weighed_cells(row: Weighed, extra: list[str], classes: int) -> list[Any]:
    m = row.measure
    values = {"at priors": row.at_priors, "by relevance": row.weighted}
    symbol = m.symbols[0] if m.symbols else ""
    label = words(m.name)
    if symbol and symbol.lower() != m.id:
        label.append(f" {symbol}", style="dim")
    cells: list[Any] = [label, shown(row.value), *(shown(values[name]) for name in extra)]
    percent = "" if row.normalised is None or math.isnan(row.normalised) else f"{100 * row.normalised:.1f} %"
    return [
        *cells,
        percent,
        str(Range(*m.range.at(classes))),
        ARROWS[m.better],
        words(row.why_undefined or "", style="yellow"),
    ]
