"""Charts of a comparison: what each shows, as data."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from steelyard.counts.confusion import Confusion
from steelyard.counts.labels import Label
from steelyard.measures.measure import Measure, weigh
from steelyard.measures.names import short_name
from steelyard.measures.operators import balanced
from steelyard.report import chart
from steelyard.report.chart import COLOURS, Axis, Chart, Colour, Mark, rounded_up, unit_axis
from steelyard.report.class_names import short, short_names
from steelyard.report.numbers import percent, shown, signed
from steelyard.report.pages import Columns, PageBlock, Panel
from steelyard.report.sections import Cell, Figure, Sentence, Strip, Table, number_columns, words_column
from steelyard.scores.area_comparison import AreaComparison

if TYPE_CHECKING:
    from steelyard.judgement.compare.result import Comparison, MetricValue

# A value and the ends of its interval.
Ends = tuple[float, float, float]
# Prevalences at which the models are compared.
SHARES = np.geomspace(1e-4, 0.5, 60)
# Costs of a miss in false alerts.
RATIOS = np.geomspace(1, 1000, 40)
# From card fraud (0.1%) to common diagnoses (10%); the prevalence of the test set is added.
PREVALENCES = (0.001, 0.005, 0.01, 0.05, 0.1)
# Costs per row have many zeros after the point; people budget for thousands of cases.
ROWS = 10_000


def charts(result: Comparison) -> Mapping[str, Callable[[], Chart]]:
    """Every chart of a comparison, by name."""
    drawn = {"ranking": ranking_chart, "values": values_chart, "differences": differences_chart}
    return {name: partial(draw, result) for name, draw in drawn.items()}


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
        value = result.values[ranked.model][result.by.name]
        rows.append((ranked.model, [((value.value, value.low, value.high), COLOURS[0])]))
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
            estimate = result.values[model][m.name]
            ends = [m.normalise(x, len(result.labels)) for x in (estimate.value, estimate.low, estimate.high)]
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
        difference = pair.differences[m.name]
        colour: Colour = "value" if difference.is_clear else "muted"
        rows.append((short_name(m), [((difference.value, difference.low, difference.high), colour)]))
    known = [abs(end) for _, marks in rows for end in marks[0][0] if not math.isnan(end)]
    most = rounded_up(max(known, default=1.0))
    title = f"Difference {short(pair.first)} − {short(pair.second)}"
    drawn = rows_chart(
        "differences", title, Axis("Difference; grey: the interval contains 0", -most, most), rows
    )
    best = pair.differences[result.by.name]
    words = f"{short_name(result.by)} {signed(best.value)} ({shown(best.low)} to {shown(best.high)})"
    return Chart(
        drawn.id, title, words, drawn.x, drawn.y, (*drawn.marks, chart.vrule(0, "equal")), height=drawn.height
    )


def moves(result: Comparison, m: Measure) -> bool:
    """Does a metric of these models depend on prevalence?"""
    label = result.class_of_metrics if m.kind == "two-class" else None
    both = [weigh([m, balanced(m)], matrix, positive=label) for matrix in result.matrices.values()]
    return any(abs(first - second) > 1e-9 for first, second in (row.values() for row in both))


def along_prevalence(result: Comparison, m: Measure, model: str) -> NDArray[np.float64]:
    """A metric of a model at each prevalence; the recall of each class stays as it is."""
    label = result.positive_label
    matrix = result.matrices[model]
    place = matrix.index(label)
    rates = matrix.counts / np.maximum(matrix.actual[:, None], 1)
    shares = np.where(np.arange(2)[None] == place, SHARES[:, None], 1 - SHARES[:, None])
    values = weigh([m], Confusion(rates[None] * shares[:, :, None], matrix.labels), positive=label)
    return np.asarray(values[m.name], dtype=np.float64)


def flip_of(result: Comparison, m: Measure) -> tuple[float, str, str] | None:
    """The prevalence at which the better of the two best models changes, and who is better below and above
    it."""
    first, second = (row.model for row in result.ranking[:2])
    gap = along_prevalence(result, m, first) - along_prevalence(result, m, second)
    signs = np.sign(np.where(np.isfinite(gap), gap, 0.0)) * (-1 if m.better == "lower" else 1)
    turns = np.flatnonzero(signs[:-1] * signs[1:] < 0)
    if len(turns) != 1:
        return None
    k = int(turns[0])
    # Interpolated on the logarithmic scale of the chart, so that the rule stands where the lines cross.
    fraction = gap[k] / (gap[k] - gap[k + 1])
    share = float(SHARES[k] * (SHARES[k + 1] / SHARES[k]) ** fraction)
    return (share, first, second) if signs[k] > 0 else (share, second, first)


def prevalence_chart(result: Comparison, m: Measure) -> Chart:
    """A metric of the best models against prevalence."""
    label = short(result.positive_label or "")
    models = [row.model for row in result.ranking[: len(COLOURS)]]
    marks: list[Mark] = [
        chart.line(SHARES.tolist(), along_prevalence(result, m, model).tolist(), short(model, 18), colour)
        for model, colour in zip(models, COLOURS, strict=False)
    ]
    share = result.actual[result.labels.index(result.positive_label)] / sum(result.actual)
    if SHARES[0] <= share <= SHARES[-1]:
        marks.append(chart.vrule(share, "test set", "muted"))
    marks.append(chart.vrule(min(max(share, 1e-4), 0.5), live="at", colour="whatif"))
    flip = flip_of(result, m)
    caption = ""
    if flip is not None:
        caption = f"{short(flip[1])} is better below {percent(flip[0])}, {short(flip[2])} above."
        marks.append(chart.vrule(flip[0], f"equal at {percent(flip[0])}", "ink"))
    low = -1 if any(value < -0.05 for mark in marks[: len(models)] for value in mark.y) else 0
    return Chart(
        f"prevalence-{m.id}",
        short_name(m)[:1].upper() + short_name(m)[1:],
        f"{m.title} of the models at prevalences from 0.01% to 50%.",
        Axis(f"Prevalence of {label} (log scale)", float(SHARES[0]), 0.5, "log", unit="%"),
        Axis("", low, 1),
        tuple(marks),
        "x",
        caption or "The order of the two best models is the same at every prevalence.",
        height=250,
    )


def break_even(result: Comparison, prevalence: float | None = None) -> tuple[float, str, str] | None:
    """How many false alerts a miss must cost for the two best models to cost the same; who is cheaper above
    and below. None where one is never dearer, or there are several classes."""
    label = result.positive_label
    if label is None:
        return None
    models = [row.model for row in result.ranking[:2]]
    rates = []
    for model in models:
        matrix = result.matrices[model]
        place = matrix.index(label)
        missed = float(matrix.counts[place, 1 - place] / matrix.actual[place])
        false = float(matrix.counts[1 - place, place] / matrix.actual[1 - place])
        share = float(matrix.actual[place] / matrix.total) if prevalence is None else prevalence
        rates.append((missed * share, false * (1 - share)))
    (miss_a, false_a), (miss_b, false_b) = rates
    # A model that makes fewer errors of both kinds is cheaper at every ratio.
    if (miss_b - miss_a) * (false_a - false_b) <= 0:
        return None
    # ratio * miss_a + false_a = ratio * miss_b + false_b, in false alerts for each row.
    ratio = (false_a - false_b) / (miss_b - miss_a)
    return (ratio, models[0], models[1]) if miss_a < miss_b else (ratio, models[1], models[0])


def cost_blocks(result: Comparison) -> Iterator[PageBlock]:
    """Expected cost by the ratio of the two costs, and the break-even ratio by prevalence."""
    label, at = result.positive_label, break_even(result)
    if label is None:
        return
    chosen = [row.model for row in result.ranking[: len(COLOURS)]]
    figure = Figure(lambda: cost_chart(result, label, chosen))
    if at is None:
        yield figure
        return
    rows: list[tuple[Cell | str, ...]] = []
    share = result.actual[result.labels.index(label)] / sum(result.actual)
    for prevalence in sorted({*PREVALENCES, share}):
        there = break_even(result, prevalence)
        name = f"{percent(prevalence)}{' (test set)' if prevalence == share else ''}"
        rows.append((name, "" if there is None else f"{there[0]:,.3g}"))
    words = f"{short(at[1], 24)} is cheaper if a miss costs more false alerts than that."
    table = Table(
        (words_column("Prevalence"), *number_columns("Break-even ratio")), tuple(rows), identity="break-even"
    )
    yield Columns((figure, Panel("Break-even ratio by prevalence", (table, Sentence(words, "soft")))), "7:5")


def cost_chart(result: Comparison, label: Label, models: Sequence[str]) -> Chart:
    """Expected cost of each model in false alerts, by what a miss costs."""
    marks: list[Mark] = []
    for model, colour in zip(models, COLOURS, strict=False):
        matrix = result.matrices[model]
        place = matrix.index(label)
        missed, false = matrix.counts[place, 1 - place], matrix.counts[1 - place, place]
        cost = ROWS * (missed * RATIOS + false) / matrix.total
        marks.append(chart.line(RATIOS.tolist(), cost.tolist(), short(model, 18), colour))
    at = break_even(result)
    if at is not None and RATIOS[0] < at[0] < RATIOS[-1]:
        marks.append(chart.vrule(at[0], f"equal at {at[0]:.3g}", "ink"))
    marks.append(chart.vrule(10, live="at", colour="whatif"))
    top = rounded_up(max(max(mark.y) for mark in marks if mark.kind == "line"))
    return Chart(
        "costs",
        "Cost by cost ratio",
        f"Expected cost per {ROWS:,} rows in units of one false alert, at the prevalence of the test set.",
        Axis("Cost of a miss / cost of a false alert (log scale)", 1, 1000, "log"),
        Axis(f"Cost per {ROWS:,} rows", 0, top),
        tuple(marks),
        "x",
        "In units of one false alert, at the prevalence of this test set; point values.",
    )


def strip_of(result: Comparison, value: MetricValue) -> Strip:
    """A model's value on the scale of the ranking."""
    low, high = _reach(
        [(v.value, v.low, v.high) for row in result.values.values() for v in [row[result.by.name]]]
    )
    return Strip((("value", value.value, value.low, value.high),), low, high)


def strip_axis(result: Comparison) -> tuple[str, ...]:
    scale = strip_of(result, result.values[result.models[0]][result.by.name])
    places = (scale.low + fraction * (scale.high - scale.low) for fraction in (0, 0.25, 0.5, 0.75, 1))
    return tuple(f"{value:.2g}".replace("0.", ".").replace("-", "−") for value in places)


def area_charts(areas: AreaComparison) -> tuple[Chart, Chart]:
    """ROC and precision-recall curves of the models on the same rows."""
    roc, pr = [], []
    for (name, curve), colour in zip(areas.curves.items(), COLOURS, strict=False):
        hits, false = areas.share * curve.tpr, (1 - areas.share) * curve.fpr
        called = hits + false > 0
        precision = hits[called] / (hits + false)[called]
        named = f"{short(name, 16)} {shown(areas.areas[name])}"
        roc.append(chart.line(curve.fpr.tolist(), curve.tpr.tolist(), named, colour))
        pr.append(chart.line(curve.tpr[called].tolist(), precision.tolist(), short(name, 16), colour))
    roc.append(chart.line([0, 1], [0, 1], "no skill", "base"))
    pr.append(chart.hrule(areas.share, f"no skill {percent(areas.share)}"))

    def curves(identity: str, title: str, x: str, y: str, marks: list[Mark]) -> Chart:
        words = "The models on the same rows."
        return Chart(identity, title, words, unit_axis(x), unit_axis(y), tuple(marks), "point")

    return (
        curves("roc", "ROC curves", "False positive rate", "Recall (true positive rate)", roc),
        curves("pr", "Precision-recall curves", "Recall", "Precision", pr),
    )


def area_differences_chart(areas: AreaComparison) -> Chart:
    """Differences of areas with their intervals: DeLong's test, and the paired bootstrap."""
    rows = []
    for pair in areas.pairs:
        tests = zip((pair.delong, pair.bootstrap), COLOURS, strict=False)
        marks = [((test.difference, *test.interval), colour) for test, colour in tests if test is not None]
        rows.append((f"{pair.first} − {pair.second}", marks))
    most = rounded_up(max(abs(end) for _, marks in rows for ends, _ in marks for end in ends) or 1.0)
    legend: tuple[tuple[str, Colour], ...] = (("DeLong", COLOURS[0]), ("paired bootstrap", COLOURS[1]))
    title = "Differences of areas under the ROC curve"
    return rows_chart("area-differences", title, Axis("Difference", -most, most), rows, legend=legend)
