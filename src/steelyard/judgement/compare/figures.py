"""Charts of a comparison: what each shows, as data."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from typing import TYPE_CHECKING

import numpy as np

from steelyard.counts.labels import Label
from steelyard.judgement.compare.notes import SHARES, along_prevalence, break_even, flip_of
from steelyard.judgement.compare.sections import pair_table, ranking_table
from steelyard.measures.measure import Measure
from steelyard.measures.names import short_name
from steelyard.report import chart
from steelyard.report.chart import COLOURS, Axis, Chart, Colour, Mark, rounded_up, unit_axis
from steelyard.report.class_names import short, short_names
from steelyard.report.numbers import percent, shown
from steelyard.report.sections import Block, Cell, Figure, Table
from steelyard.scores.area_comparison import AreaComparison

if TYPE_CHECKING:
    from steelyard.judgement.compare.result import Comparison

# Costs of a miss in false alarms.
RATIOS = np.geomspace(1, 1000, 40)
# Lines that have room for their names beside them.
MOST_NAMED = 4
# Costs per row have many zeros after the point; people budget for thousands of cases.
ROWS = 10_000


def charts(result: Comparison) -> Mapping[str, Callable[[], Chart]]:
    """Every chart of a comparison, by name."""
    first, second = (row.model for row in result.ranking[:2])
    level, primary = f"{100 * result.level:g}% CI", f"{short_name(result.by)} of each model"
    drawn = {
        "ranking": lambda: _of_table("ranking", primary, f"Value with {level}", ranking_table(result)),
        "differences": lambda: _of_table(
            "differences",
            f"Difference {short(first)} − {short(second)}",
            "Difference; grey: not significant",
            pair_table(result, first, second),
            (chart.vrule(0, name="equal"),),
        ),
    }
    if (areas := result.areas) is not None:
        drawn |= {name: partial(area_chart, areas, name) for name in ("roc", "pr")}
    return drawn


def _of_table(identity: str, title: str, x: str, table: Table, more: tuple[Mark, ...] = ()) -> Chart:
    """The plots of a table's rows as one chart."""
    cells = [[cell if isinstance(cell, Cell) else Cell(cell) for cell in row[:2]] for row in table.rows]
    rows = [(name.words, plot.strip) for name, plot in cells if plot.strip is not None]
    names = short_names([name for name, _ in rows], 20)
    low, high = (rows[0][1].low, rows[0][1].high) if rows else (0.0, 1.0)
    marks = [(name, strip.marks) for name, (_, strip) in zip(names, rows, strict=True)]
    return chart.forest(identity, title, title, marks, x=Axis(x, low, high), more=more)


def prevalence_chart(result: Comparison, m: Measure) -> Chart:
    """A metric of the best models against prevalence."""
    label = short(result.positive_label or "")
    models = [row.model for row in result.ranking[: len(COLOURS)]]
    marks: list[Mark] = [
        chart.line(SHARES, along_prevalence(result, m, model), short(model, 18), colour)
        for model, colour in zip(models, COLOURS, strict=False)
    ]
    share = result.actual[result.labels.index(result.positive_label)] / sum(result.actual)
    if SHARES[0] <= share <= SHARES[-1]:
        marks.append(chart.vrule(share, name="test set", colour="muted"))
    marks.append(chart.vrule(min(max(share, 1e-4), 0.5), live="at", colour="whatif"))
    flip = flip_of(result, m)
    caption = ""
    if flip is not None:
        caption = f"{short(flip[1])} is better below {percent(flip[0])}, {short(flip[2])} above."
        marks.append(chart.vrule(flip[0], name=f"equal at {percent(flip[0])}", colour="ink"))
    values = [value for mark in marks[: len(models)] for value in mark.y if not math.isnan(value)]
    low, high = -1 if min(values, default=0) < -0.05 else 0, max(values, default=1)
    return Chart(
        f"prevalence-{m.id}",
        short_name(m)[:1].upper() + short_name(m)[1:],
        f"{short_name(m)} of the models at prevalences from 0.01% to 50%.",
        Axis(f"Prevalence of {label} (log scale)", float(SHARES[0]), 0.5, "log", unit="%"),
        Axis("", low, 1 if high <= 1 else rounded_up(high)),
        tuple(marks),
        "x",
        caption or "The order of the two best models is the same at every prevalence.",
        height=250,
        legend=_legend(marks),
    )


def cost_blocks(result: Comparison) -> Iterator[Block]:
    """Expected cost by the ratio of the two costs."""
    if (label := result.positive_label) is not None:
        chosen = [row.model for row in result.ranking[: len(COLOURS)]]
        yield Figure(lambda: cost_chart(result, label, chosen))


def cost_chart(result: Comparison, label: Label, models: Sequence[str]) -> Chart:
    """Expected cost of each model in false alarms, by what a miss costs."""
    marks: list[Mark] = []
    for model, colour in zip(models, COLOURS, strict=False):
        matrix = result.matrices[model]
        place = matrix.index(label)
        missed, false = matrix.counts[place, 1 - place], matrix.counts[1 - place, place]
        cost = ROWS * (missed * RATIOS + false) / matrix.total
        marks.append(chart.line(RATIOS, cost, short(model, 18), colour))
    at = break_even(result)
    if at is not None and RATIOS[0] < at[0] < RATIOS[-1]:
        marks.append(chart.vrule(at[0], name=f"equal at {at[0]:.3g}", colour="ink"))
    marks.append(chart.vrule(10, live="at", colour="whatif"))
    top = rounded_up(max(max(mark.y) for mark in marks if mark.kind == "line"))
    return Chart(
        "costs",
        "Cost by cost ratio",
        f"Expected cost per {ROWS:,} rows in units of one false alarm, at the prevalence of the test set.",
        Axis("Cost of a miss / cost of a false alarm (log scale)", 1, 1000, "log"),
        Axis(f"Cost per {ROWS:,} rows", 0, top),
        tuple(marks),
        "x",
        "In units of one false alarm, at the prevalence of this test set; point values.",
        legend=_legend(marks),
    )


def area_chart(areas: AreaComparison, name: str) -> Chart:
    """ROC or precision-recall curves of the models on the same rows."""
    marks = []
    for (model, curve), colour in zip(areas.curves.items(), COLOURS, strict=False):
        if name == "roc":
            words = f"{short(model, 16)} {shown(areas.areas[model])}"
            marks.append(chart.line(curve.fpr, curve.tpr, words, colour))
            continue
        hits, false = areas.share * curve.tpr, (1 - areas.share) * curve.fpr
        called = hits + false > 0
        precision = hits[called] / (hits + false)[called]
        marks.append(chart.line(curve.tpr[called], precision, short(model, 16), colour))
    if name == "roc":
        title, x, y = "ROC curves", "False positive rate", "Recall (true positive rate)"
        marks.append(chart.line([0, 1], [0, 1], "no skill", "base"))
    else:
        title, x, y = "Precision-recall curves", "Recall", "Precision"
        marks.append(chart.hrule(areas.share, f"no skill {percent(areas.share)}"))
    words, legend = "The models on the same rows.", _legend(marks)
    return Chart(name, title, words, unit_axis(x), unit_axis(y), tuple(marks), "point", legend=legend)


def _legend(marks: Sequence[Mark]) -> tuple[tuple[str, Colour], ...]:
    """The names of the lines below the chart, where there are too many to stand beside them."""
    lines = [mark for mark in marks if mark.kind == "line"]
    return tuple((line.name, line.colour) for line in lines) if len(lines) > MOST_NAMED else ()
