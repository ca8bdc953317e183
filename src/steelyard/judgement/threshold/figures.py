"""Charts of a threshold choice: the trade-off between recall and precision by the share of alerts."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from typing import Any

from steelyard.judgement.evaluate.figures import flagged_chart
from steelyard.judgement.threshold.result import Threshold
from steelyard.judgement.threshold.sections import SHOWN_ANYWAY
from steelyard.measures.catalogue import measure as look_up
from steelyard.measures.measure import weigh
from steelyard.measures.names import short_name
from steelyard.report.chart import Chart
from steelyard.scores.threshold_sweep import sweep


def charts(result: Threshold) -> Mapping[str, Callable[[], Chart]]:
    """The charts by name."""
    return {"threshold": partial(trade_off_chart, result)}


def trade_off_chart(result: Threshold) -> Chart:
    """Recall, precision and the metric that is optimised, by the share of rows that are predicted
    positive."""
    swept, metric = sweep(result.scores, result.best.positive), result.best.measure
    shares = swept.reached.sum(axis=1) / swept.totals.sum()
    drawn = [look_up("recall"), look_up("precision")]
    if tuple(metric.range.at(2)) == (0, 1) and metric.name not in SHOWN_ANYWAY:
        drawn.insert(0, metric)

    def lines(places: Any) -> dict[str, Any]:
        values = weigh(drawn, swept.at(places), positive=swept.positive)
        return {short_name(m): values[m.name] for m in drawn}

    name = f"best {short_name(metric)}" if result.decides_because else "chosen"
    return flagged_chart(shares, swept.thresholds, lines, result.chosen.alert_rate, name)
