"""Charts of a comparison over data sets: critical-difference diagram, ranks, posterior simplex, heat map."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from functools import partial
from typing import TYPE_CHECKING

import numpy as np

from steelyard.report import chart
from steelyard.report.chart import Axis, Chart, Colour, Mark
from steelyard.report.class_names import short
from steelyard.uncertainty.rank_tests import ranks_of

if TYPE_CHECKING:
    from steelyard.judgement.compare.dataset_result import DatasetComparison

# Data sets that a heat map has rows for.
MOST_DATASETS = 60
# Models whose columns have room for names.
MOST_NAMED_COLUMNS = 6
# Models whose dots have room for names.
MOST_NAMES = 5
# Models whose mean ranks have room beside their names: names that are too long lie across lines.
MOST_RANKS = 8
# Of an equilateral triangle with sides of 1.
HEIGHT = math.sqrt(3) / 2


def charts(result: DatasetComparison) -> Mapping[str, Callable[[], Chart]]:
    """Every chart, by name."""
    drawn: dict[str, Callable[[DatasetComparison], Chart]] = {
        "critical-difference": critical_difference_chart,
        "ranks": ranks_chart,
        "heatmap": heatmap_chart,
    }
    if result.primary.pairs:
        drawn["simplex"] = simplex_chart
    return {name: partial(chart, result) for name, chart in drawn.items()}


def critical_difference_chart(result: DatasetComparison) -> Chart:
    """Critical-difference diagram (Demsar 2006, figure 1): mean ranks on a line, bars join models without a
    significant difference (Nemenyi)."""
    primary = result.primary
    models, ranks = list(primary.mean_ranks), list(primary.mean_ranks.values())
    number = len(models)
    bars = primary.nemenyi_groups
    top = number + 1.5 + len(bars)
    marks: list[Mark] = []
    for k, (model, rank) in enumerate(zip(models, ranks, strict=True)):
        y = number - k - 0.5
        marks += [
            chart.line([rank, rank], [y, top], colour="muted"),
            chart.dot(rank, y, name=short(model, 22) + (f" {rank:.2f}" if number <= MOST_RANKS else "")),
        ]
    for k, group in enumerate(bars):
        ends = [primary.mean_ranks[group[0]] - 0.05, primary.mean_ranks[group[-1]] + 0.05]
        marks.append(chart.line(ends, [number + 0.6 + k] * 2, colour="ink"))
    cd = primary.critical_difference
    if not math.isnan(cd):
        marks += [
            chart.err(y=top + 0.7, low=1.0, high=min(1.0 + cd, number), colour="error"),
            chart.text((1 + min(1 + cd, number)) / 2, top + 1.3, f"CD = {cd:.2f}", "error"),
        ]
    y_axis = Axis("", 0, top + 2, ticks=((0.0, ""),))  # models are named beside their dots
    best = models[0]
    return Chart(
        "critical-difference",
        f"Critical difference diagram, {primary.title}",
        f"{best} has the best mean rank, {ranks[0]:.2f}; the critical difference is {cd:.2f}.",
        _rank_axis("mean rank (1 is best)", number),
        y_axis,
        tuple(marks),
        caption="Bars join models whose mean ranks do not differ significantly (Nemenyi).",
        height=90 + 24 * (number + len(bars)),
    )


def ranks_chart(result: DatasetComparison) -> Chart:
    """How often each model takes each rank."""
    primary = result.primary
    models = list(primary.mean_ranks)
    values = np.array([[row[model] for model in models] for row in primary.values.values()])
    values = values[~np.isnan(values).any(axis=1)]
    ranks = ranks_of(values, primary.lower_is_better)
    middle_half = np.quantile(ranks, [0.5, 0.25, 0.75], axis=0).T.tolist()
    rows = [
        (short(model, 18), [("value", median, low, high)])
        for model, (median, low, high) in zip(models, middle_half, strict=True)
    ]
    return chart.forest(
        "ranks",
        f"Ranks over data sets, {primary.title}",
        f"{models[0]} has the best mean rank.",
        rows,
        caption="Median rank with the middle half of the data sets.",
        x=_rank_axis("rank (1 is best)", len(models)),
    )


def _rank_axis(name: str, models: int) -> Axis:
    return Axis(name, 1, models, ticks=tuple((float(k), str(k)) for k in range(1, models + 1)))


def simplex_chart(result: DatasetComparison) -> Chart:
    """Posterior simplex (Benavoli et al. 2017, section 4): P(better), P(practically equal) and P(worse) of
    the best model against each other one, by the signed-rank test and by the hierarchical model."""
    primary = result.primary
    best, *others = primary.mean_ranks
    methods: tuple[tuple[str, Colour], ...] = (("signed-rank test", "value"), ("hierarchical model", "error"))
    drawn = methods if any(pair.expected is not None for pair in primary.pairs) else methods[:1]
    centre = (0.5, HEIGHT / 3)
    marks: list[Mark] = [chart.line([0, 1, 0.5, 0], [0, 0, HEIGHT, 0], colour="ink")]
    # Three lines from the centre part the simplex by its most probable corner.
    for x, y in ((0.5, 0.0), (0.25, HEIGHT / 2), (0.75, HEIGHT / 2)):
        marks.append(chart.line([centre[0], x], [centre[1], y], colour="muted", dashed=True))
    for model in others:
        pair = primary.pair(best, model)
        for method, posterior in (("signed-rank", pair.signed_rank), ("hierarchical", pair.expected)):
            if posterior is None:
                continue
            better, equal = posterior.probability_better, posterior.probability_equal
            colour: Colour = "value" if method == "signed-rank" else "error"
            # The hierarchical model's dots lie farther apart: beside them names can be read.
            named = method == "hierarchical" or pair.expected is None
            name = short(model, 18) if named and len(others) <= MOST_NAMES else ""
            shares = f"{better:.2f} better, {equal:.2f} equal, {posterior.probability_worse:.2f} worse"
            note = f"{best} against {model}, {method}: {shares}"
            marks.append(chart.dot(better + equal / 2, HEIGHT * equal, name, colour, notes=(note,)))
    marks.append(chart.text(0.5, HEIGHT + 0.04, f"practically equal (up to {result.rope:g})", "ink"))
    return Chart(
        "simplex",
        f"{short(best, 24)} against each other model, {primary.title}",
        "Posterior probabilities that the best model is better, practically equal or worse.",
        Axis("", -0.15, 1.15, ticks=((0.0, f"{short(best, 14)} worse"), (1.0, f"{short(best, 14)} better"))),
        Axis("", 0, HEIGHT + 0.08, ticks=((0.0, ""),)),
        tuple(marks),
        caption="A dot for each other model: the nearer to a corner, the more probable that outcome.",
        height=330,
        legend=drawn,
    )


def heatmap_chart(result: DatasetComparison) -> Chart:
    """Data sets by models: the darker, the better within the data set."""
    primary = result.primary
    models = list(primary.mean_ranks)
    rows = list(primary.values.items())[:MOST_DATASETS]
    marks: list[Mark] = []
    for k, (dataset, row) in enumerate(rows):
        known = [value for value in row.values() if not math.isnan(value)]
        if not known:
            continue
        low, high = min(known), max(known)
        intervals = (primary.intervals or {}).get(dataset, {})
        limits = [end for interval in intervals.values() for end in (interval.low, interval.high)]
        least, most = np.nanmin([*limits, low]), np.nanmax([*limits, high, low + 1e-9])
        for column, model in enumerate(models):
            value = row[model]
            if math.isnan(value):
                continue
            place = 0.5 if high == low else (value - low) / (high - low)
            depth = 1 + round(9 * (1 - place if primary.lower_is_better else place))
            y = len(rows) - k
            marks += [
                chart.zone((column, column + 1), (y - 1, y), depth=depth),
                # Without the 0 before the point twelve columns have room.
                chart.text(column + 0.5, y - 0.42, f"{value:.2f}".removeprefix("0"), "ink"),
            ]
            ends = intervals.get(model)
            if ends is not None and not math.isnan(ends.low):
                reach = [
                    column + 0.08 + 0.84 * (end - least) / (most - least) for end in (ends.low, ends.high)
                ]
                marks.append(chart.line(reach, [y - 0.88, y - 0.88], colour="ink"))
    more = len(primary.values) - len(rows)
    crowded = len(models) > MOST_NAMED_COLUMNS
    heads = [str(k + 1) if crowded else short(model, 10) for k, model in enumerate(models)]
    columns = ", ".join(f"{k} {short(model, 18)}" for k, model in zip(heads, models, strict=True))
    return Chart(
        "heatmap",
        f"{primary.title} on every data set",
        f"{len(rows)} data sets by {len(models)} models.",
        Axis("", 0, len(models), ticks=tuple((k + 0.5, head) for k, head in enumerate(heads))),
        Axis(
            "",
            0,
            len(rows),
            ticks=tuple((len(rows) - k - 0.5, short(d, 18)) for k, (d, _) in enumerate(rows)),
        ),
        tuple(marks),
        caption="The darker, the better within a data set."
        + (
            f" Lines: {100 * result.level:g}% confidence intervals, from the lowest to the highest limit of"
            " the data set."
            if primary.intervals
            else ""
        )
        + (f" {more} further data sets are not drawn." if more else "")
        + (f" Columns: {columns}." if crowded else ""),
        height=68 + 26 * len(rows),
    )
