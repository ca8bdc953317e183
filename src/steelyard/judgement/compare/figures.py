"""Charts of a comparison: what each shows, as data."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import TYPE_CHECKING

import numpy as np

from steelyard.counts.labels import Label
from steelyard.judgement.compare.notes import SHARES, along_prevalence, break_even, flip_of
from steelyard.judgement.compare.sections import pair_table, ranking_table
from steelyard.judgement.page.tables import chart_of_plots
from steelyard.measures.measure import Measure
from steelyard.measures.names import short_name
from steelyard.report import chart
from steelyard.report.chart import COLOURS, Axis, Chart, Colour, Mark, rounded_up
from steelyard.report.class_names import short
from steelyard.report.numbers import percent, shown
from steelyard.scores.delong import AreaComparison

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
    gap, grey = f"Difference {short(first)} − {short(second)}", "Difference; grey: not significant"
    equal = (chart.vrule(0, name="equal"),)
    drawn = {
        "ranking": lambda: chart_of_plots(
            "ranking", primary, primary, ranking_table(result), f"Value with {level}"
        ),
        "differences": lambda: chart_of_plots(
            "differences", gap, gap, pair_table(result, first, second), grey, more=equal
        ),
    }
    if (areas := result.areas) is not None:
        drawn |= {name: partial(area_chart, areas, name) for name in ("roc", "pr")}
    return drawn


def prevalence_chart(result: Comparison, m: Measure) -> Chart:
    """A metric of the best models against prevalence."""
    label = short(result.positive_label or "")
    models = [row.model for row in result.ranking[: len(COLOURS)]]
    marks: list[Mark] = [
        chart.line(SHARES, along_prevalence(result, m, model), short(model, 18), colour)
        for model, colour in zip(models, COLOURS, strict=False)
    ]
    share = result.actual[result.labels.index(result.positive_label)] / sum(result.actual)
    name, caption = short_name(m), "The order of the two best models is the same at every prevalence."
    equal = []
    if (flip := flip_of(result, m)) is not None:
        caption = f"{short(flip[1])} is better below {percent(flip[0])}, {short(flip[2])} above."
        equal.append(chart.vrule(flip[0], name=f"equal at {percent(flip[0])}", colour="ink"))
    words = {"caption": caption, "height": 250, "legend": _legend(marks)}
    desc, title = f"{name} of the models at prevalences from 0.01% to 50%.", f"{name[:1].upper()}{name[1:]}"
    return chart.by_prevalence(f"prevalence-{m.id}", title, desc, label, share, marks, *equal, **words)


def cost_chart(result: Comparison, label: Label) -> Chart:
    """Expected cost of each model in false alarms, by what a miss costs."""
    marks: list[Mark] = []
    for model, colour in zip([row.model for row in result.ranking], COLOURS, strict=False):
        matrix = result.matrices[model]
        ((_, missed), (false, _)) = matrix.one_vs_rest(label).counts.tolist()
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
    return Chart(name, title, words, Axis(x), Axis(y), tuple(marks), "point", legend=legend)


def _legend(marks: Sequence[Mark]) -> tuple[tuple[str, Colour], ...]:
    """The names of the lines below the chart, where there are too many to stand beside them."""
    lines = [mark for mark in marks if mark.kind == "line"]
    return tuple((line.name, line.colour) for line in lines) if len(lines) > MOST_NAMED else ()
