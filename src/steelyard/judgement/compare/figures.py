"""Charts of a comparison: what each shows, as data."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING

from steelyard.measures.short_names import short_name
from steelyard.report import chart
from steelyard.report.chart import COLOURS, Axis, Chart, Colour, Mark
from steelyard.report.class_names import short, short_names
from steelyard.report.numbers import shown, signed

if TYPE_CHECKING:
    from steelyard.judgement.compare.result import Comparison

Ends = tuple[float, float, float]
"""A value and the ends of its interval."""


def charts(result: Comparison) -> Mapping[str, Callable[[], Chart]]:
    """Every chart of a comparison, by name."""
    found: dict[str, Callable[[], Chart]] = {
        "ranking": lambda: ranking_chart(result),
        "values": lambda: values_chart(result),
    }
    if len(result.ranking) > 1:
        found["differences"] = lambda: differences_chart(result)
    return found


def rows_chart(
    identity: str,
    title: str,
    x: Axis,
    rows: Sequence[tuple[str, Sequence[tuple[Ends, Colour]]]],
    **more: object,
) -> Chart:
    """Rows of values with intervals; marks of one row stand below each other."""
    most = max((len(marks) for _, marks in rows), default=1)
    drawn: list[Mark] = []
    for k, (_, marks) in enumerate(rows):
        for place, ((value, low, high), colour) in enumerate(marks):
            y = len(rows) - k - (place + 1) / (len(marks) + 1)
            if math.isnan(value):
                continue
            if not math.isnan(low):
                drawn.append(chart.err([y], [low], [high], colour, across=True))
            drawn.append(chart.dot(value, y, colour))
    names = short_names([name for name, _ in rows], 20)
    ticks = tuple((len(rows) - k - 0.5, name) for k, name in enumerate(names))
    height = 68 + max(26, 12 * most + 10) * max(len(rows), 1)
    y_axis = Axis("", 0, max(len(rows), 1), ticks=ticks)
    return Chart(identity, title, title, x, y_axis, tuple(drawn), height=height, **more)  # type: ignore[arg-type]


def _reach(values: Sequence[Ends]) -> tuple[float, float]:
    known = [end for ends in values for end in ends if not math.isnan(end)] or [0.0, 1.0]
    low, high = min(known), max(known)
    if low >= 0 and high <= 1:
        return 0.0, 1.0
    room = 0.05 * (high - low) or 1.0
    return low - room, high + room


def ranking_chart(result: Comparison) -> Chart:
    """The models by the primary metric, the best first."""
    rows = []
    for ranked in result.ranking:
        found = result.values[ranked.model][result.by.name]
        rows.append((ranked.model, [((found.value, found.low, found.high), COLOURS[0])]))
    low, high = _reach([marks[0][0] for _, marks in rows])
    level = f"{100 * result.level:g}% CI"
    return rows_chart(
        "ranking", f"{result.by.title} of each model", Axis(f"Value with {level}", low, high), rows
    )


def values_chart(result: Comparison) -> Chart:
    """Every metric of every model, scaled so that 0 is the worst and 1 the best value."""
    colours = dict(zip(result.models, COLOURS, strict=False))
    rows = []
    for m in result.measures:
        marks = []
        for model, colour in colours.items():
            found = result.values[model][m.name]
            ends = [m.normalise(x, len(result.labels)) for x in (found.value, found.low, found.high)]
            if None not in ends:
                marks.append(((ends[0], ends[1], ends[2]), colour))
        if marks:
            rows.append((short_name(m), marks))
    x = Axis("", ticks=((0, "worst"), (0.5, ""), (1, "best")))
    more = len(result.models) - len(colours)
    caption = f"{more} further models are not drawn." if more else ""
    legend = tuple((short(model, 18), colour) for model, colour in colours.items())
    return rows_chart("values", "Metrics of each model", x, rows, legend=legend, caption=caption)


def differences_chart(result: Comparison) -> Chart:
    """Differences of the two best models; grey where the interval contains 0."""
    pair = result.pair(result.ranking[0].model, result.ranking[1].model)
    rows = []
    for m in result.measures:
        found = pair.differences[m.name]
        colour: Colour = "value" if found.is_clear else "muted"
        rows.append((short_name(m), [((found.value, found.low, found.high), colour)]))
    known = [abs(end) for _, marks in rows for end in marks[0][0] if not math.isnan(end)]
    most = chart.rounded_up(max(known, default=1.0))
    title = f"Difference {short(pair.first)} − {short(pair.second)}"
    drawn = rows_chart(
        "differences", title, Axis("Difference; grey: the interval contains 0", -most, most), rows
    )
    best = pair.differences[result.by.name]
    words = f"{short_name(result.by)} {signed(best.value)} ({shown(best.low)} to {shown(best.high)})"
    return Chart(
        drawn.id, title, words, drawn.x, drawn.y, (*drawn.marks, chart.vrule(0, "equal")), height=drawn.height
    )
