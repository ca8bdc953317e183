"""Charts of a threshold choice: the trade-off between recall and precision by the share of alerts."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial

import numpy as np

from steelyard.judgement.threshold.result import Threshold
from steelyard.judgement.threshold.sections import SHOWN_ANYWAY, brief
from steelyard.report import chart
from steelyard.report.chart import Axis, Chart, Mark
from steelyard.scores.threshold_sweep import sweep

# The left end of the log axis: one alert in ten thousand rows.
LEAST_RATE = 0.0001
# Points of a curve: more would not be seen.
MOST_POINTS = 160


def charts(result: Threshold) -> Mapping[str, Callable[[], Chart]]:
    """The charts by name."""
    return {"threshold": partial(trade_off_chart, result)}


def trade_off_chart(result: Threshold) -> Chart:
    """Recall, precision and the metric that is optimised, by the share of rows that are predicted
    positive."""
    swept = sweep(result.scores, result.best.positive)
    cells = swept.matrices.counts.astype(float)
    rates = (cells[:, 0, 0] + cells[:, 1, 0]) / cells[0].sum()
    # Below the left end of a logarithmic axis nothing can be drawn.
    places = np.flatnonzero(rates >= LEAST_RATE)
    places = places[
        np.unique(np.linspace(0, len(places) - 1, min(len(places), MOST_POINTS)).round().astype(int))
    ]
    xs, tp, called = rates[places], cells[places, 0, 0], cells[places, :, 0].sum(axis=1)
    notes = tuple(f"threshold {swept.thresholds[k]:.4g}" for k in places)
    marks: list[Mark] = [
        chart.line(xs, tp / cells[places, 0].sum(axis=1), "Recall", "value", notes=notes),
        chart.line(xs, tp / called, "Precision", "error", notes=notes),
    ]
    measure, metric = result.best.measure, brief(result.best.measure)
    if tuple(measure.range.at(2)) == (0, 1) and measure.name not in SHOWN_ANYWAY:
        marks.append(chart.line(xs, np.asarray(swept.values(measure))[places], metric, "ink", notes=notes))
    at = min(max(result.chosen.alert_rate, LEAST_RATE), 1.0)
    if result.chosen.alert_rate:
        name = "best " + metric if result.decides_because else "chosen"
        marks.append(chart.vrule(at, name, "muted"))
    marks.append(chart.vrule(at, live="at", colour="whatif"))
    return Chart(
        "threshold",
        "Recall and precision by rows flagged",
        "Lowering the threshold flags more rows: recall rises, precision falls.",
        Axis("Share of rows flagged (log scale)", LEAST_RATE, 1, "log", unit="%"),
        Axis("", 0, 1),
        tuple(marks),
        "x",
        "From left to right more rows are flagged. The axis is logarithmic, so that rare events are visible.",
    )
