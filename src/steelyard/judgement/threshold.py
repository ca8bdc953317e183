"""Where should a score become an alert, what does each choice find, miss and cost, and how sure is that?"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from steelyard.counts.confusion import Confusion
from steelyard.counts.score_counts import ScoreCounts
from steelyard.judgement.budget import Budget
from steelyard.report.presented import Presented
from steelyard.report.sections import Report
from steelyard.scores.requirements import Kept
from steelyard.scores.sweep import sweep
from steelyard.scores.thresholds import AppliedThreshold, BestThreshold, threshold_as_json

Array = NDArray[Any]
SCHEMA = "steelyard/threshold/1"

ALERT_RATES = (0.0005, 0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5)
"""Shares of the rows that are called positive, at which the trade-off is shown."""


@dataclass(frozen=True)
class Operating:
    """What one threshold gives."""

    threshold: float
    found: float
    missed: float
    false_alarms: float
    alert_rate: float
    """Share of the rows that are called positive."""
    value: float
    """Of the measure that chooses."""
    chosen: bool = False

    @property
    def alerts(self) -> float:
        return self.found + self.false_alarms

    @property
    def recall(self) -> float:
        return self.found / (self.found + self.missed) if self.found + self.missed else math.nan

    @property
    def precision(self) -> float:
        return self.found / self.alerts if self.alerts else math.nan

    def to_dict(self) -> dict[str, Any]:
        return {
            "threshold": threshold_as_json(self.threshold),
            "alerts_per_1000": 1000 * self.alert_rate,
            "found": self.found,
            "missed": self.missed,
            "false_alarms": self.false_alarms,
            "value": None if math.isnan(self.value) else self.value,
            "chosen": self.chosen,
        }


@dataclass(frozen=True, repr=False)
class Thresholding(Presented):
    """A chosen threshold among those that could have been chosen."""

    source: str
    scores: ScoreCounts
    best: BestThreshold
    trade_off: tuple[Operating, ...]
    applied: AppliedThreshold | None = None
    decides_because: str = ""
    kept: tuple[Kept, ...] = ()
    """What was required of the threshold, and how surely it is kept."""
    budget: Budget | None = None
    """How a budget for each day (or for each value of another column) is kept, where there is one."""
    budget_held_out: Budget | None = None
    """The same on held-out rows, where they have that column."""

    def to_dict(self) -> dict[str, Any]:
        """Plain data as described by `steelyard threshold --json-schema`."""
        return {
            "schema": SCHEMA,
            "scores": self.scores.to_dict(),
            "positive_because": self.scores.positive_class().reason,
            "best": self.best.to_dict(),
            "requirements": [one.to_dict() for one in self.kept],
            "budget": None if self.budget is None else self.budget.to_dict(),
            "budget_held_out": None if self.budget_held_out is None else self.budget_held_out.to_dict(),
            "held_out": None if self.applied is None else self.applied.to_dict(),
            "trade_off": [row.to_dict() for row in self.trade_off],
        }

    def table(self) -> list[dict[str, Any]]:
        """The trade-off, a row a threshold."""
        return [row.to_dict() for row in self.trade_off]

    def report(self) -> Report:
        from steelyard.judgement.threshold_sections import threshold_report

        return threshold_report(self)


def trade_off(
    scores: ScoreCounts, best: BestThreshold, values_at: Array | None = None
) -> tuple[Operating, ...]:
    """The thresholds at round shares of alerts, and the chosen one, fewest alerts first.

    `values_at` holds what chooses at every threshold, where that is no measure of a matrix.
    """
    swept = sweep(scores, best.positive)
    cells = np.asarray(swept.matrices.counts, dtype=np.float64)
    whole = cells[0].sum()
    called = (cells[:, 0, 0] + cells[:, 1, 0]) / whole
    places = {int(np.abs(called - rate).argmin()) for rate in ALERT_RATES if rate * whole >= 1}
    chosen = (
        int(np.abs(swept.thresholds - best.threshold).argmin()) if math.isfinite(best.threshold) else None
    )
    if chosen is None:
        chosen = 0 if best.threshold > 0 else len(called) - 1
    order = sorted({*places, chosen})
    values: Any = None if values_at is None else values_at[order]
    if values is None:
        values = best.measure(Confusion(cells[order], swept.matrices.labels), positive=best.positive)
    return tuple(
        Operating(
            threshold=float(swept.thresholds[k]),
            found=float(cells[k, 0, 0]),
            missed=float(cells[k, 0, 1]),
            false_alarms=float(cells[k, 1, 0]),
            alert_rate=float(called[k]),
            value=float(value),
            chosen=k == chosen,
        )
        for k, value in zip(order, np.atleast_1d(values).tolist(), strict=True)
    )
