"""Top-k figures of a ranking: precision, recall and lift at review capacity; cost curves."""
# Precision, recall and lift among the first k rows; the greatest recall at a false positive rate; the
# greatest precision at a recall; the gain curve and the cost curve (drummond2006). Rows are resampled as for
# every other measure of scores.

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Annotated

import numpy as np

from steelyard.counts import curves
from steelyard.counts.labels import Array
from steelyard.counts.score_counts import ScoreCounts
from steelyard.report.records import Json, Record, schema_of
from steelyard.scores.fields import NUMBER, Amounts, Figure, Numbers, many, record
from steelyard.scores.score_bootstrap import ends_by_spread
from steelyard.uncertainty.binomial_intervals import wilson

SHARES = (0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.2)
RATES = (0.001, 0.01, 0.05, 0.1)
RECALLS = (0.5, 0.8, 0.9, 0.95)
# Balances of priors and costs at which the cost curve has a band.
COST_GRID = np.linspace(0, 1, 51)


@dataclass(frozen=True)
class AtK(Record):
    """What is found among the first k rows."""

    k: int
    share: float
    found: float
    recall: Figure
    precision: Figure
    lift: Figure


@dataclass(frozen=True, eq=False)
class CostBand(Record):
    """The least cost at every balance, normalised so that always being wrong costs 1, with its band."""

    probability_cost: Numbers
    cost: Numbers
    thresholds: Amounts
    low: Numbers | None
    high: Numbers | None


@dataclass(frozen=True)
class GainCurve(Record):
    """Shares of the rows, and of the positives found in them."""

    share: Numbers
    gain: Numbers


def _beside(name: str) -> Json:
    """Pairs of a number, which has this name, and a figure."""
    return Json(
        write=lambda pairs: [{name: number, **figure.to_dict()} for number, figure in pairs],
        schema=many(record(**{name: NUMBER}, **schema_of(Figure)["properties"])),
    )


@dataclass(frozen=True, eq=False)
class CapacityReport(Record):
    """What one class's scores give within a capacity."""

    at_k: tuple[AtK, ...]
    recall_at_fpr: Annotated[tuple[tuple[float, Figure], ...], _beside("fpr")]
    precision_at_recall: Annotated[tuple[tuple[float, Figure], ...], _beside("recall")]
    gain_curve: GainCurve
    costs: Annotated[CostBand, Json("cost_curve")]


class Capacities:
    """What is asked of scores: the same numbers of the data and of every sample, in one array."""

    def __init__(self, two: ScoreCounts, with_costs: bool) -> None:
        pair = two.ranked()
        self.two, self.with_costs = two, with_costs
        self.whole = float(pair.positives.total + pair.negatives.total)
        self.positives = float(pair.positives.total)
        rows = {round(share * self.whole) for share in SHARES if share * self.whole >= 1}
        self.k = np.array(sorted(rows), dtype=np.float64)
        self.rates = np.array([rate for rate in RATES if rate * float(pair.negatives.total) >= 1])
        self.recalls = np.array(RECALLS)

    def figures(self, sample: ScoreCounts) -> Array:
        """Recall and precision at each k, then recalls, precisions and (if asked for) costs."""
        # A sample has positives of its own number.
        pair = sample.ranked()
        known = curves.bends(pair)
        detected = curves.found_within(pair, self.k, known)
        parts = [
            detected / max(float(pair.positives.total), 1.0),
            detected / self.k,
            curves.recall_within_false_alarms(pair, self.rates, known),
            curves.precision_from_recall(pair, self.recalls, known),
        ]
        if self.with_costs:
            parts.append(curves.cost_curve(pair, points=len(COST_GRID)).cost)
        return np.concatenate(parts)

    def report(self, shown: ScoreCounts, drawn: Array | None, level: float) -> CapacityReport:
        """The figures of the data, with intervals from what the samples told."""
        # `shown` are scores, or bins of them, that curves are drawn from.
        here = self.figures(self.two)
        low = high = np.full(len(here), np.nan)
        if drawn is not None and len(drawn):
            low, high = self._intervals(here, drawn, level)
        figures = [Figure(*ends) for ends in zip(here.tolist(), low.tolist(), high.tolist(), strict=True)]
        number, rates, recalls = len(self.k), len(self.rates), len(self.recalls)
        many = 2 * number
        gained = curves.gain_curve(shown)
        shown_points = curves.spread(gained.share + gained.gain)
        costs = curves.cost_curve(self.two, points=len(COST_GRID))
        points = len(COST_GRID)
        # The least of many is too low on the data, and lower still on samples of them: turned round, the band
        # allows for that.
        band = None
        if self.with_costs and drawn is not None:
            roof = np.minimum(costs.probability_cost, 1 - costs.probability_cost)
            band = (
                np.maximum(0.0, 2 * costs.cost - high[-points:]),
                np.maximum(costs.cost, np.minimum(2 * costs.cost - low[-points:], roof)),
            )
        return CapacityReport(
            tuple(self._at(int(k), *figures[place:many:number]) for place, k in enumerate(self.k.tolist())),
            tuple(zip(self.rates.tolist(), figures[many : many + rates], strict=True)),
            tuple(zip(self.recalls.tolist(), figures[many + rates : many + rates + recalls], strict=True)),
            GainCurve(gained.share[shown_points], gained.gain[shown_points]),
            CostBand(costs.probability_cost, costs.cost, costs.thresholds, *(band or (None, None))),
        )

    def _intervals(self, here: Array, drawn: Array, level: float) -> tuple[Array, Array]:
        """Wilson's intervals by the spread of the samples; percentiles of costs."""
        # A precision among the first k rows rests on k rows, one at a recall on the positives found; a recall
        # rests on all positives. The precision at a recall is the greatest of all thresholds that reach it.
        low, high = np.quantile(drawn, [(1 - level) / 2, (1 + level) / 2], axis=0)
        rests_on = [
            *(self.positives for _ in self.k),
            *self.k.tolist(),
            *(self.positives for _ in self.rates),
            *(self.recalls * self.positives).tolist(),
        ]
        for place, rows in enumerate(rests_on):
            greatest = place >= len(rests_on) - len(self.recalls)
            low[place], high[place] = ends_by_spread(
                here[place], drawn[:, place], rows, level, maximum=greatest
            )
        # The first k rows hold k positives at most. On other rows that bounds the recall where positives are
        # as rare as these allow: with the prevalence seen, the bound lay below the true recall in every fifth
        # test set.
        number, rarest = len(self.k), wilson(self.positives, self.whole, level)[0]
        high[:number] = np.minimum(high[:number], self.k / (self.whole * rarest))
        return low, high

    def _at(self, k: int, recall: Figure, precision: Figure) -> AtK:
        share = k / self.whole
        lift = Figure(*(number / share for number in (recall.value, recall.low, recall.high)))
        return AtK(k, share, precision.value * k, recall, precision, lift)


def operating_line(tpr: float, fpr: float, balances: Sequence[float]) -> list[float]:
    """What labels with these rates cost at every balance: a straight line."""
    return [balance * (1 - tpr) + (1 - balance) * fpr for balance in balances]
