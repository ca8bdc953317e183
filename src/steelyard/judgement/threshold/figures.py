"""Figures of a threshold choice: the trade-off between recall and precision by the share of alerts."""

from __future__ import annotations

from typing import TYPE_CHECKING

from steelyard.report.sections import Picture
from steelyard.scores.threshold_sweep import sweep

if TYPE_CHECKING:
    from steelyard.judgement.threshold.result import Threshold

RATE_TICKS = ((1.0, "100%"), (0.1, "10%"), (0.01, "1%"), (0.001, "0.1%"), (0.0001, "0.01%"))
MOST_POINTS = 400
"""Points of a curve: more would not be seen."""


def trade_off_figure(result: Threshold, metric: str) -> Picture:
    """Recall, precision and the metric that is optimised, by the share of rows that are predicted
    positive."""
    return Picture(
        lambda: _trade_off(result, metric),
        "From left to right fewer rows are predicted positive: recall falls, precision rises. The"
        " horizontal axis"
        " is logarithmic, so that rare events are visible.",
        "shares",
    )


def _trade_off(result: Threshold, metric: str) -> str:
    from steelyard.report.page.drawing import Line, log_lines

    swept = sweep(result.scores, result.best.positive)
    cells = swept.matrices.counts.astype(float)
    alert_rate = (cells[:, 0, 0] + cells[:, 1, 0]) / cells[0].sum()
    places = [k for k, rate in enumerate(alert_rate) if rate >= RATE_TICKS[-1][0]]
    places = places[:: max(1, len(places) // MOST_POINTS)][
        ::-1
    ]  # a curve is labelled where it ends, at the right
    xs = [float(alert_rate[k]) for k in places]
    lines = [
        Line("recall", xs, [float(cells[k, 0, 0] / cells[k, 0].sum()) for k in places]),
        Line("precision", xs, [float(cells[k, 0, 0] / (cells[k, 0, 0] + cells[k, 1, 0])) for k in places]),
    ]
    measure = result.best.measure
    if tuple(measure.range.at(2)) == (0, 1) and measure.id not in ("recall", "precision"):
        values = swept.values(measure)
        lines.append(Line(metric, xs, [float(values[k]) for k in places], strong=True))
    chosen = result.chosen
    marker = (max(chosen.alert_rate, RATE_TICKS[-1][0]), "chosen") if chosen.alert_rate else None
    return log_lines(
        lines, RATE_TICKS, "share of rows predicted positive", (0.0, 1.0), marker, "Trade-off", "alerts"
    )
