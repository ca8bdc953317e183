"""Result of choosing a threshold: the choice, its alternatives, and how certain it is."""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import partial
from typing import Annotated, Any, ClassVar

from steelyard._lazy import lazily
from steelyard.judgement.threshold.budget import Budget
from steelyard.judgement.threshold.options import Options
from steelyard.report.presented import Presented
from steelyard.report.records import HIDDEN, Amount, Json, Record, Schema, Value, derived, document, schema_of
from steelyard.scores.fields import NUMBER, TEXT, Scores, many, or_none, record
from steelyard.scores.requirements import JudgedRequirement
from steelyard.scores.threshold_selection import AppliedThreshold, BestThreshold

_VALUE = schema_of(Value)
_REQUIREMENT: Schema = {
    **record(
        measure=TEXT,
        at_least=NUMBER,
        at_most=NUMBER,
        value=_VALUE,
        probability=NUMBER,
        held_out=or_none(record(value=_VALUE, kept={"type": "boolean"})),
    ),
    "required": ["measure", "value", "probability", "held_out"],
}


@dataclass(frozen=True)
class Operating(Record):
    """Operating point: what one threshold gives."""

    threshold: Amount
    found: float
    missed: float
    false_alarms: float
    #: Share of the rows that are predicted positive.
    alert_rate: Annotated[float, HIDDEN]
    #: Of the metric that is optimised.
    value: Value
    chosen: bool = False
    #: Of the positive class, where precision and the share of alerts are those at given priors.
    prior: Annotated[float | None, HIDDEN] = None

    alerts_per_1000 = derived(float, lambda self: 1000 * self.alert_rate)

    @property
    def alerts(self) -> float:
        return self.found + self.false_alarms

    @property
    def recall(self) -> float:
        return self.found / (self.found + self.missed) if self.found + self.missed else math.nan

    @property
    def precision(self) -> float:
        if self.prior is not None:
            return self.prior * self.recall / self.alert_rate if self.alert_rate else math.nan
        return self.found / self.alerts if self.alerts else math.nan


@dataclass(frozen=True, repr=False)
class Threshold(Record, Presented):
    """The chosen threshold among those that could have been chosen."""

    SCHEMA: ClassVar[str] = "steelyard/threshold/1"
    ROWS: ClassVar[str] = "trade_off"
    scores: Scores
    best: BestThreshold
    #: What was required of the threshold, and with which probability new data meet it.
    requirements: Annotated[tuple[JudgedRequirement, ...], Json(schema=many(_REQUIREMENT))]
    #: How a review capacity for each day (or each value of another column) is kept, where there is one.
    budget: Budget | None
    budget_held_out: Budget | None
    #: The threshold on rows it was not chosen on.
    held_out: AppliedThreshold | None
    trade_off: tuple[Operating, ...]
    source: Annotated[str, HIDDEN]
    #: Why the primary metric was optimised; empty where the caller said what the threshold is for.
    decides_because: Annotated[str, HIDDEN]
    #: How many false alarms a miss weighs as much as, where the primary metric stands in for costs.
    false_alarms_per_miss: Value
    options: Annotated[Options, HIDDEN]

    positive_because = derived(str, lambda self: self.scores.positive_class().reason)

    @property
    def chosen(self) -> Operating:
        """The operating point of the chosen threshold."""
        return next(row for row in self.trade_off if row.chosen)

    def to_estimator(self, classifier: Any) -> Any:
        """A scikit-learn classifier (DecisionClassifier) that predicts with this threshold: fitted where
        `classifier` is, otherwise to be fitted."""
        # Integrations build on judgements, so a result reaches one by name (decision 5).
        integration = lazily("steelyard.integrations", {"DecisionClassifier": "decision_classifier"})
        how = {"threshold": self.best.threshold, "positive": self.best.positive}
        estimator = integration("DecisionClassifier")(classifier, **how)
        return estimator.adopt(classifier) if hasattr(classifier, "classes_") else estimator


json_schema = partial(document, Threshold, "The threshold that makes a measure best")
