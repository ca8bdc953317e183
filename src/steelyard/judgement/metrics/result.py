"""Result: every metric of one confusion matrix."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import Annotated, Any, ClassVar, Literal

from steelyard.counts.labels import PositiveChoice, plain_label
from steelyard.measures.relevance import Relevance
from steelyard.report.presented import Presented
from steelyard.report.records import Json, Record, Value, derived, document
from steelyard.scores.fields import LABEL, NUMBER, TEXT, Bounds, Matrix, OfMeasure, or_none, record

POSITIVE = Json(
    write=lambda choice: (
        None if choice is None else {"label": plain_label(choice.label), "reason": choice.reason}
    ),
    schema=or_none(record(label=LABEL, reason=TEXT)),
)
PRIORS = Json(schema={"type": ["object", "array", "number", "string", "null"]})
RELEVANCE = Json(
    write=lambda report: (
        None if report is None else {"mechanism": report.mechanism, "scores": report.to_dict()}
    ),
    schema=or_none(record(mechanism=TEXT, scores={"type": "object", "additionalProperties": NUMBER})),
)


@dataclass(frozen=True)
class Weighed(OfMeasure):
    """One measure's word on a matrix."""

    value: Value
    normalised: Value | None
    why_undefined: Annotated[str | None, Json("undefined_because")]
    at_priors: Value | None = None
    weighted: Annotated[Value | None, Json("weighted_by_relevance")] = None

    kind = derived(str, lambda self: self.measure.kind)
    range = derived(Bounds, lambda self: self.measure.range)
    better = derived(Literal["higher", "lower", "neither"], lambda self: self.measure.better)

    def plain_row(self) -> dict[str, Any]:
        """One value a column, for frames: the two ends of the range stand apart."""
        row = self.to_dict()
        lowest, highest = row.pop("range")
        return {**row, "range_low": lowest, "range_high": highest}


@dataclass(frozen=True, repr=False)
class Weighing(Record, Presented):
    """Every measure's word on a matrix, with what was assumed."""

    SCHEMA: ClassVar[str] = "steelyard/weigh/1"
    matrix: Matrix
    positive: Annotated[PositiveChoice | None, POSITIVE]
    rows: Annotated[tuple[Weighed, ...], Json("measures")]
    priors: Annotated[Any, PRIORS] = None
    relevance: Annotated[Relevance | None, RELEVANCE] = None

    def table(self) -> list[dict[str, Any]]:
        """Every measure as a row of plain data."""
        return [row.plain_row() for row in self.rows]

    def __getitem__(self, name: str) -> Weighed:
        return next(row for row in self.rows if row.measure.name == name)


json_schema = partial(document, Weighing, "What every measure says of a matrix")
