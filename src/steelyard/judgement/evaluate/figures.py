"""Charts of an evaluation: what each shows, as data."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from steelyard.counts.confusion import Confusion
from steelyard.counts.labels import Label
from steelyard.judgement.evaluate.abstention import risk_coverage_chart
from steelyard.judgement.evaluate.first_screen import headline_table
from steelyard.judgement.page.tables import chart_of_plots, matrix_table
from steelyard.measures.catalogue import measure
from steelyard.measures.names import AtPriors, read, short_name
from steelyard.report import chart
from steelyard.report.chart import COLOURS, LEAST_SHARE, Axis, Chart, Colour, Mark
from steelyard.report.class_names import short, short_names
from steelyard.report.numbers import count, percent, shown, threshold_shown
from steelyard.scores.calibration_evaluation import ProbabilityReport
from steelyard.scores.ranking_result import ClassRanking, Curve, RankingReport
from steelyard.scores.top_k import operating_line

if TYPE_CHECKING:
    from steelyard.judgement.evaluate.result import Evaluation

FloatArray: TypeAlias = NDArray[np.float64]
# Lines of a chart: more cannot be distinguished.
MOST_LINES = 5
# Colours in the order of the headline: the first is the primary metric.
MOVING: tuple[Colour, ...] = ("value", "error", "ink", "c5", "c4")
SWEPT: tuple[Colour, ...] = ("ink", "value", "error", "c5", "c4")
# A false positive rate below this lies on the edge of a linear axis, so the axis is logarithmic.
LOW_RATE = 0.02
# Points of a curve: more would hardly be seen at the width of a chart and make the page larger.
MOST_POINTS = 160
# Bars of a histogram of scores.
BINS = 25


def charts(result: Evaluation) -> Mapping[str, Callable[[], Chart]]:
    """Every chart that can be drawn of this evaluation, by name."""
    by_name: dict[str, Callable[[], Chart]] = {
        "matrix": lambda: matrix_chart(result.matrix),
        "metrics": lambda: metrics_chart(result),
    }
    if result.sweep is not None:
        by_name["priors"] = lambda: prevalence_chart(result)
    by_name |= {} if result.ranking is None else score_charts(result.ranking)
    curve = result.risk_coverage
    return by_name if curve is None else {**by_name, "risk_coverage": lambda: risk_coverage_chart(curve)}


def score_charts(report: RankingReport) -> dict[str, Callable[[], Chart]]:
    """The charts of scores."""
    by_name: dict[str, Callable[[], Chart]] = {}
    if any(c.roc is not None for c in report.classes):
        by_name["roc"] = lambda: roc_chart(report)
        by_name["precision_recall"] = lambda: precision_recall_chart(report)
    alone = report.classes[0] if len(report.classes) == 1 else None
    if alone is not None and alone.sweep is not None:
        by_name["threshold"] = lambda: threshold_chart(alone)
    if alone is not None and alone.capacity is not None:
        by_name["cost"] = lambda: cost_chart(alone)
    if report.probabilities is not None:
        label = "" if report.scores.positive is None else report.scores.positive.label
        by_name["calibration"] = lambda: calibration_chart([(label, report.probabilities)])  # type: ignore[list-item]
    elif report.class_probabilities:
        by_name["calibration"] = lambda: calibration_chart(report.class_probabilities)
    return by_name


def matrix_chart(matrix: Confusion) -> Chart:
    """The confusion matrix: counts, darker where the share of the class is larger."""
    table = matrix_table({"": matrix}, None)
    size = len(table.labels)
    marks: list[Mark] = []
    for i, row in enumerate(table.cells[0]):
        for j, cell in enumerate(row):
            colour: Colour = "value" if i == j else "error"
            marks.append(chart.zone((j, j + 1), (size - i - 1, size - i), colour=colour, depth=cell.depth))
            marks.append(chart.text(j + 0.5, size - i - 0.5, cell.count, "ink"))
    names = list(enumerate(short_names(table.labels, 12)))
    return Chart(
        "matrix",
        "Confusion matrix",
        f"Rows are actual classes, columns predictions; {count(float(matrix.hits.sum()))} of"
        f" {count(float(matrix.total))} rows are correct.",
        Axis("predicted", 0, size, ticks=tuple((k + 0.5, name) for k, name in names)),
        Axis("actual", 0, size, ticks=tuple((size - k - 0.5, name) for k, name in names)),
        tuple(marks),
        height=max(220, min(46 + 22 + 44 * size, 480)),
    )


def metrics_chart(result: Evaluation) -> Chart:
    """The forest plot of the first screen: values with intervals, no skill and balanced prevalence."""
    title = "Metrics with confidence intervals"
    values = "; ".join(f"{short_name(row.measure)} {shown(row.observed)}" for row in result.first)
    legend = ("value with CI", "value"), ("no skill", "base"), ("balanced prevalence", "balanced")
    return chart_of_plots("metrics", title, values, headline_table(result), "value", legend=legend)


def name_of(name: str) -> str:
    """The short name of a metric; at the user's priors it says so."""
    written = read(name)
    if isinstance(written, AtPriors):
        return f"{name_of(written.of.text)} at your priors"
    return short_name(measure(name))


def prevalence_chart(result: Evaluation) -> Chart:
    """Metrics against the prevalence of the rare side; the recall of each class stays as it is."""
    sweep = result.sweep
    assert sweep is not None
    moving = [name for name in sweep.lines if name not in sweep.flat]
    names = [*sweep.flat[:1], *moving][:MOST_LINES]
    who = short(sweep.minority[0]) if len(sweep.minority) == 1 else f"{len(sweep.minority)} rare classes"
    lines = [
        chart.line(sweep.shares[::-1], sweep.lines[name][::-1], name_of(name), colour, live=name)
        for name, colour in zip(names, MOVING, strict=False)
    ]
    share = sum(c.share for c in result.test_set.classes if c.label in sweep.minority)
    fixed = [name_of(name) for name in sweep.flat]
    stays = f" {', '.join(fixed[:2])} {'stays' if len(fixed) == 1 else 'stay'} the same." if fixed else ""
    title, desc = "Metrics by prevalence", f"Values as {who} become rarer.{stays}"
    caption = "Recall of each class stays as measured; only prevalence changes."
    return chart.by_prevalence("prevalence", title, desc, who, share, lines, caption=caption)


def _points(curve: Curve) -> tuple[list[float], list[float], list[str]]:
    """Points of a curve, evenly and at most so many, with their thresholds."""
    number = len(curve.x)
    keep = np.unique(np.linspace(0, number - 1, min(number, MOST_POINTS)).round().astype(np.intp))
    notes = [f"threshold {threshold_shown(float(curve.thresholds[k]))}" for k in keep]
    return curve.x[keep].tolist(), curve.y[keep].tolist(), notes


def _curve(curve: Curve, name: str, colour: Colour, with_band: bool, dashed: bool = False) -> Iterator[Mark]:
    x, y, notes = _points(curve)
    if with_band and curve.band is not None:
        yield chart.band(curve.band.at, low=curve.band.low, high=curve.band.high)
    yield chart.line(x, y, name, colour, notes=tuple(notes), dashed=dashed)


def _standing(c: ClassRanking) -> str:
    at = None if c.operating_point is None else c.operating_point.in_use
    return "predictions" if at is None else f"threshold {at:.3g}"


def _shaded(report: RankingReport) -> str:
    if not report.level or len(report.classes) > 1:
        return ""
    return f" Shaded: {100 * report.level:g}% band from {report.replicates} bootstrap samples."


def roc_chart(report: RankingReport) -> Chart:
    """ROC curves with their bands and operating points."""
    drawn = [c for c in report.classes if c.roc is not None]
    alone = len(drawn) == 1
    marks: list[Mark] = []
    points: list[Mark] = []
    for c, colour in zip(drawn[:MOST_LINES], COLOURS, strict=False):
        assert c.roc is not None
        name = f"ROC AUC {shown(c.measures[0].value)}" if alone else short(c.label, 16)
        marks += _curve(c.roc, name, colour, alone)
        if (point := c.operating_point) is not None:
            tone: Colour = "ink" if alone else colour
            points.append(chart.dot(point.fpr, point.tpr, _standing(c) if alone else "", tone))
            points += [chart.dot(point.fpr, point.tpr, colour="whatif", live="op")] if alone else []
    rates = [c.operating_point.fpr for c in drawn if c.operating_point is not None]
    least = min((rate for rate in rates if rate > 0), default=1.0)
    # A false positive rate of 0.005 is the edge of a linear axis, and it is where rare classes are detected.
    log = alone and least < LOW_RATE
    low = 10.0 ** math.floor(math.log10(least / 2)) if log else 0.0
    chance = np.geomspace(low, 1, 40).tolist() if log else [0.0, 1.0]
    marks += [chart.line(chance, chance, "no skill", "base"), *points]
    x_axis = Axis("False positive rate")
    if log:
        x_axis = Axis("False positive rate (log scale)", low, 1, "log")
    more = f" {len(drawn) - MOST_LINES} further classes are not drawn." if len(drawn) > MOST_LINES else ""
    return Chart(
        "roc",
        "ROC curve",
        f"Recall against false positive rate.{more}",
        x_axis,
        Axis("Recall (true positive rate)"),
        tuple(marks),
        "point",
        f"The dot is the operating point of the labels.{_shaded(report)}{more}",
    )


def precision_recall_chart(report: RankingReport) -> Chart:
    """Precision against recall: of one class at each prevalence, of several at balanced prevalence."""
    drawn = [c for c in report.classes if c.precision_recall]
    alone = len(drawn) == 1
    marks: list[Mark] = []
    for c, colour in zip(drawn[:MOST_LINES], COLOURS, strict=False):
        curves = c.precision_recall if alone else [p for p in c.precision_recall if p.prior == 0.5][:1]
        for k, curve in enumerate(curves):
            balanced = bool(alone and k and curve.prior == 0.5)
            name = f"at {percent(curve.prior or 0)}" if alone else short(c.label, 16)
            name = "at balanced prevalence" if balanced else name
            tone: Colour = "balanced" if balanced else "c5" if alone and k else colour
            marks += _curve(curve, name, tone, alone and not k, balanced)
        point, prior = c.operating_point, curves[0].prior if curves else None
        if alone and prior is not None:
            x, _, _ = _points(curves[0])
            marks.append(chart.line(x, x, "what if", "whatif", live="curve"))
            marks.append(chart.hrule(prior, f"no skill {percent(prior)}"))
        if point is not None and prior is not None and not math.isnan(value := point.precision(prior)):
            tone, name = ("ink", _standing(c)) if alone else (colour, "")
            marks.append(chart.dot(point.tpr, value, name, tone))
            marks += [chart.dot(point.tpr, value, colour="whatif", live="op")] if alone else []
    where = "" if alone else " At balanced prevalence."
    return Chart(
        "pr",
        "Precision-recall curve",
        f"Precision against recall.{where}",
        Axis("Recall"),
        Axis("Precision"),
        tuple(marks),
        "point",
        f"The dot is the operating point of the labels.{where}{_shaded(report)}",
    )


def threshold_chart(c: ClassRanking) -> Chart:
    """Metrics of scores against the share of rows that a threshold flags."""
    swept, point = c.sweep, c.operating_point
    assert swept is not None
    names = [name for name in swept.lines if not name.startswith("expected_cost")]
    names.sort(key=lambda name: name != swept.chosen_by)
    share = c.precision_recall[0].prior if c.precision_recall else None
    rate = None if point is None or share is None else share * point.tpr + (1 - share) * point.fpr

    def lines(places: Any) -> dict[str, FloatArray]:
        return {name_of(name): swept.lines[name][places] for name in names}

    return flagged_chart(swept.alerts, swept.thresholds, lines, rate, _standing(c))


def flagged_chart(
    rates: FloatArray,
    thresholds: FloatArray,
    lines: Callable[[Any], Mapping[str, FloatArray]],
    at: float | None,
    name: str,
) -> Chart:
    """Metrics by name against the share of rows that a threshold flags: `lines` gives their values at some of
    the thresholds, `at` is the share in use."""
    least = min(max(float(rates[rates > 0].min(initial=1.0)), LEAST_SHARE), 0.5)
    order = np.argsort(rates, kind="stable")
    order = order[rates[order] >= least]
    # Evenly on the axis, which is logarithmic.
    places = np.searchsorted(rates[order], np.geomspace(least, 1, MOST_POINTS))
    order = order[np.unique(places.clip(max=len(order) - 1))]
    notes = tuple(f"threshold {threshold_shown(float(thresholds[k]))}" for k in order)
    marks = [
        chart.line(rates[order], values, metric, colour, notes=notes)
        for (metric, values), colour in zip(lines(order).items(), SWEPT, strict=False)
    ]
    y_axis = chart.metric_axis(marks)
    if at is not None:
        marks.append(chart.vrule(max(at, least), live="at", colour="whatif"))
        marks += [chart.vrule(at, name=name, colour="muted")] if at >= least else []
    return Chart(
        "threshold",
        "Metrics by share of rows flagged",
        "From left to right the threshold falls and more rows are flagged.",
        Axis("Share of rows flagged (log scale)", least, 1, "log", unit="%"),
        y_axis,
        tuple(marks),
        "x",
        "To the right the threshold falls and more rows are flagged.",
    )


def cost_chart(c: ClassRanking) -> Chart:
    """The cost curve (drummond2006): the least cost at every balance of priors and costs."""
    assert c.capacity is not None
    costs, point = c.capacity.costs, c.operating_point
    at = costs.probability_cost.tolist()
    marks: list[Mark] = []
    if costs.low is not None and costs.high is not None:
        marks.append(chart.band(at, low=costs.low, high=costs.high))
    marks += [
        chart.line(at, [min(x, 1 - x) for x in at], "best constant prediction", "base"),
        chart.line(at, costs.cost, "best threshold"),
    ]
    if point is not None and not math.isnan(point.tpr + point.fpr):
        marks.append(chart.line(at, operating_line(point.tpr, point.fpr, at), _standing(c), "error"))
    top = max(0.5, *(y for mark in marks for y in mark.y))
    return Chart(
        "cost",
        "Cost curve",
        "Normalised cost against the weight of missed positives.",
        Axis("Weight of misses: prior times cost, as a share"),
        Axis("Normalised cost", 0, chart.rounded_up(top)),
        tuple(marks),
        "x",
    )


def calibration_chart(reports: Sequence[tuple[Label, ProbabilityReport]]) -> Chart:
    """The reliability diagram: observed frequency against mean score in each bin."""
    alone = len(reports) == 1
    marks: list[Mark] = [chart.line([0, 1], [0, 1], "calibrated", "base")]
    for (label, report), colour in zip(reports[:MOST_LINES], COLOURS, strict=False):
        at = [score_bin.mean_probability for score_bin in report.bins]
        notes = tuple(f"{count(score_bin.rows)} rows" for score_bin in report.bins)
        low, high, shares = ([getattr(b, end) for b in report.bins] for end in ("low", "high", "share"))
        if alone:
            marks.append(chart.err(at, low=low, high=high))
        name = "observed" if alone else short(label, 16)
        marks.append(chart.line(at, shares, name, colour, notes=notes))
        marks += [chart.dot(x, y, colour=colour) for x, y in zip(at, shares, strict=True)]
    level = f"{100 * reports[0][1].level:g}% CI"
    who = f" of {short(reports[0][0], 16)}" if alone else ""
    return Chart(
        "calibration",
        "Calibration curve",
        "Observed frequency against mean score; on the dashed line they agree.",
        Axis("Mean score in the bin"),
        Axis(f"Observed frequency{who}"),
        tuple(marks),
        "point",
        f"Below the dashed line scores are too high.{f' Bars: {level} of each bin.' if alone else ''}",
    )


def score_range(report: RankingReport) -> tuple[float, float] | None:
    """The ends of an axis of scores; None where they are of many classes, endless or all the same."""
    if report.scores.positive is None or len(report.classes) != 1:
        return None
    columns = report.scores.one_vs_rest(report.scores.positive.label).columns[0]
    ends = [float(ties.scores[k]) for ties in columns if len(ties.scores) for k in (0, -1)]
    if len(ends) < 4 or not all(map(math.isfinite, ends)) or min(ends) == max(ends):
        return None
    return (0.0, 1.0) if report.probabilities is not None else (min(ends), max(ends))


def score_histogram(report: RankingReport, place: int) -> Chart:
    """How scores are distributed in the positive class (0) or in the other (1)."""
    ends, positive = score_range(report), report.scores.positive
    assert ends is not None
    assert positive is not None
    two = report.scores.positive_first(positive.label)
    ties = two.columns[0][place]
    rows, edges = np.histogram(ties.scores, BINS, ends, weights=ties.counts)
    marks: list[Mark] = [chart.bars(y=rows, low=edges[:-1], high=edges[1:])]
    point = report.classes[0].operating_point
    if point is not None and (at := point.in_use) is not None and math.isfinite(at):
        marks.append(chart.vrule(at, name=f"threshold {at:.3g}", colour="muted"))
        marks.append(chart.vrule(at, live="thr", colour="whatif"))
    return Chart(
        f"scores-{place}",
        f"Scores of {short(two.labels[place])}",
        f"{count(float(rows.sum()))} rows by score.",
        Axis("Score", *ends),
        Axis("Rows", 0, chart.rounded_up(float(rows.max(initial=1)))),
        tuple(marks),
        height=176,
    )
