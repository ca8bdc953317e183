"""What does every measure say of this matrix?"""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from steelyard.counts.confusion import Confusion
from steelyard.counts.labels import Label
from steelyard.counts.plain import number_or_none, plain_label
from steelyard.counts.positive import PositiveChoice
from steelyard.errors import InputError
from steelyard.measures.catalogue import catalogue
from steelyard.measures.measure import Measure
from steelyard.measures.operators import at_priors, weighted_by
from steelyard.measures.record import ByClasses
from steelyard.measures.relevance import Relevance
from steelyard.measures.undefined import Undefined
from steelyard.report.presented import Presented
from steelyard.report.sections import Report


@dataclass(frozen=True)
class Weighed:
    """One measure's word on a matrix."""

    measure: Measure
    value: float
    normalised: float | None
    why_undefined: str | None
    at_priors: float | None = None
    weighted: float | None = None

    def to_dict(self) -> dict[str, Any]:
        """Plain data: NaN becomes None, with the reason beside it."""
        m = self.measure
        return {
            "id": m.name,
            "title": m.title,
            "kind": m.kind,
            "value": number_or_none(self.value),
            "normalised": number_or_none(self.normalised),
            "undefined_because": self.why_undefined,
            "at_priors": number_or_none(self.at_priors),
            "weighted_by_relevance": number_or_none(self.weighted),
            "range": [_bound(bound) for bound in m.range],
            "better": m.better,
        }

    def plain_row(self) -> dict[str, Any]:
        """One value a column, for frames: the two ends of the range stand apart."""
        row = self.to_dict()
        lowest, highest = row.pop("range")
        return {**row, "range_low": lowest, "range_high": highest}


@dataclass(frozen=True, repr=False)
class Weighing(Presented):
    """Every measure's word on a matrix, with what was assumed."""

    matrix: Confusion
    positive: PositiveChoice | None
    rows: tuple[Weighed, ...]
    priors: Any = None
    relevance: Relevance | None = None

    def report(self) -> Report:
        from steelyard.judgement.weighing_sections import weighing_report

        return weighing_report(self)

    def table(self) -> list[dict[str, Any]]:
        """Every measure as a row of plain data."""
        return [row.plain_row() for row in self.rows]

    def __getitem__(self, name: str) -> Weighed:
        return next(row for row in self.rows if row.measure.name == name)

    def to_dict(self) -> dict[str, Any]:
        return {
            "schema": "steelyard/weigh/1",
            "matrix": self.matrix.to_dict(),
            "positive": (
                None
                if self.positive is None
                else {"label": plain_label(self.positive.label), "reason": self.positive.reason}
            ),
            "priors": (
                {str(k): v for k, v in self.priors.items()} if isinstance(self.priors, dict) else self.priors
            ),
            "relevance": (
                None
                if self.relevance is None
                else {"mechanism": self.relevance.mechanism, "scores": self.relevance.to_dict()}
            ),
            "measures": [row.to_dict() for row in self.rows],
        }


def weigh_all(
    counts: Any,
    *,
    positive: Label | None = None,
    priors: Any = None,
    relevance: Relevance | None = None,
    undefined: Undefined = "nan",
    measures: Iterable[Measure] | None = None,
) -> Weighing:
    """Every measure that applies to this matrix: those of two classes only where there are two (or a positive
    one is named)."""
    matrix = counts if isinstance(counts, Confusion) else Confusion(counts)
    if matrix.batch_shape:
        raise InputError(
            "one matrix is weighed at a time",
            found=f"a batch of shape {matrix.batch_shape}",
            allowed="one matrix",
        )
    choice = matrix.positive_class(positive) if positive is not None or matrix.n_classes == 2 else None
    chosen = [
        m
        for m in (catalogue() if measures is None else measures)
        if m.kind == "multi-class" or choice is not None
    ]
    label = None if choice is None else choice.label
    if isinstance(priors, float) and choice is not None and matrix.n_classes == 2:
        priors = {choice.label: priors, matrix.labels[1 - choice.place]: 1 - priors}
    rows = tuple(_weighed(m, matrix, label, priors, relevance, undefined) for m in chosen)
    return Weighing(matrix, choice, rows, priors, relevance)


def _weighed(
    m: Measure,
    matrix: Confusion,
    positive: Label | None,
    priors: Any,
    relevance: Relevance | None,
    undefined: Undefined,
) -> Weighed:
    value = m(matrix, undefined=undefined, positive=positive)
    why = m.why_undefined(matrix, positive=positive) if math.isnan(value) else None
    classes = 2 if m.kind == "two-class" else max(1, matrix.n_classes_held)
    shifted = None
    if priors is not None and not (m.kind == "two-class" and matrix.n_classes > 2):
        shifted = at_priors(m, priors)(matrix, undefined=undefined, positive=positive)
    weighted = (
        weighted_by(m, relevance)(matrix, undefined=undefined)
        if relevance is not None and m.over_classes
        else None
    )
    return Weighed(m, value, m.normalise(value, classes), why, shifted, weighted)


def _bound(bound: Any) -> float | str | None:
    return str(bound) if isinstance(bound, ByClasses) else number_or_none(float(bound))
