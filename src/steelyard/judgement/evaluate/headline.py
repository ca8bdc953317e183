"""Headline metrics: on the test set, at the given priors, on balanced classes, and without skill."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Annotated

from steelyard.counts.confusion import Confusion
from steelyard.counts.labels import Label
from steelyard.judgement.baselines import Baseline, baselines
from steelyard.judgement.metrics.result import Weighed, Weighing
from steelyard.measures.measure import Measure, weigh
from steelyard.measures.operators import at_priors, balanced
from steelyard.report.records import HIDDEN, Json, Value
from steelyard.scores.fields import OfMeasure


@dataclass(frozen=True)
class HeadlineRow(OfMeasure):
    """One metric in the populations that may be meant."""

    measure: Annotated[Measure, HIDDEN]
    observed: Value
    at_priors: Value | None
    """At the priors that were given; None where none were."""
    balanced: Value
    baseline: Baseline | None
    why_undefined: Annotated[str | None, Json("undefined_because")]

    @property
    def depends_on_shares(self) -> bool:
        """Does it move on balanced classes by more than rounding?"""
        return abs(self.observed - self.balanced) > 1e-9


def headline_rows(
    matrix: Confusion,
    names: Sequence[str],
    weighing: Weighing,
    positive: Label | None,
    decides: Measure | None,
    row_count: float | None = None,
) -> tuple[HeadlineRow, ...]:
    """The headline's measures as observed and elsewhere; what decides stands first, of the
    catalogue or not (None: it is no measure of a matrix)."""
    rows = [
        *([] if decides is None or decides.name in names else [_value_of(matrix, decides, weighing)]),
        *(weighing[name] for name in names),
    ]
    measures = [row.measure for row in rows]
    even = weigh([balanced(m) for m in measures], matrix, positive=positive)
    ignorant = baselines(matrix, measures, positive, row_count)
    return tuple(
        HeadlineRow(
            row.measure,
            row.value,
            row.at_priors,
            value,
            ignorant.get(row.measure.name),
            row.why_undefined,
        )
        for row, value in zip(rows, even.values(), strict=True)
    )


def _value_of(matrix: Confusion, made: Measure, weighing: Weighing) -> Weighed:
    """A measure that is not of the catalogue, computed like those that are."""
    at = None if weighing.priors is None else at_priors(made, weighing.priors)(matrix)
    return Weighed(made, made(matrix), None, made.why_undefined(matrix), at_priors=at)
