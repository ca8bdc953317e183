"""Fields of results that hold values of other rooms: a matrix, a metric or a threshold in JSON."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Annotated, Any

from steelyard.counts.confusion import Confusion
from steelyard.counts.labels import Array, number_or_none, plain_label
from steelyard.counts.score_counts import ScoreCounts
from steelyard.measures.measure import Measure
from steelyard.measures.names import short_name
from steelyard.measures.record import ByClasses
from steelyard.report.records import HIDDEN, Amount, Json, Record, Schema, Value, derived, schema_of
from steelyard.report.records import Defined as Defined

NUMBER: Schema = {"type": "number"}
TEXT: Schema = {"type": "string"}
LABEL: Schema = {"type": ["string", "number", "boolean"]}


def record(**fields: Schema) -> Schema:
    """An object with exactly these fields."""
    return {"type": "object", "properties": fields, "required": list(fields), "additionalProperties": False}


def or_none(schema: Schema) -> Schema:
    """The schema, or null."""
    return {"anyOf": [schema, {"type": "null"}]}


def many(items: Schema) -> Schema:
    """A list of these."""
    return {"type": "array", "items": items}


def by_label(number: str) -> Json:
    """Numbers of classes as a list of objects, each a class and its number under this name."""
    return Json(
        write=lambda of: [{"label": plain_label(label), number: value} for label, value in dict(of).items()],
        schema=many(record(**{"label": LABEL, number: NUMBER})),
    )


_CELL: Schema = {"type": "array", "items": NUMBER, "minItems": 3, "maxItems": 3}
MATRIX: Schema = {
    "anyOf": [
        record(labels=many(LABEL), orientation=TEXT, counts=many(many(NUMBER))),
        record(labels=many(LABEL), orientation=TEXT, counts={"type": "null"}, cells=many(_CELL)),
    ],
    "description": "with more than a thousand classes, the row, column and count of each cell above 0",
}
Matrix = Annotated[Confusion, Json(schema=MATRIX)]
MeasureName = Annotated[Measure, Json(write=lambda measure: measure.name, schema=TEXT)]
Plain = Annotated[Any, Json(schema={})]

# The range of a metric.
Bounds = Annotated[
    Any,
    Json(
        write=lambda ends: [str(e) if isinstance(e, ByClasses) else number_or_none(float(e)) for e in ends],
        schema={
            "type": "array",
            "items": {"type": ["number", "string", "null"]},
            "minItems": 2,
            "maxItems": 2,
            "description": "null is infinity; text where the bound depends on the number of classes",
        },
    ),
]


@dataclass(frozen=True)
class OfMeasure(Record):
    """A record about one metric: its JSON opens with the id and the display name."""

    measure: Annotated[Measure, HIDDEN]

    id = derived(str, lambda self: self.measure.name)
    title = derived(str, lambda self: short_name(self.measure))


AMOUNT, VALUE = schema_of(Amount), schema_of(Value)
Numbers = Annotated[Array, Json(schema=many(NUMBER))]
# An array of numbers, some of which may be infinite.
Amounts = Annotated[Array, Json(schema=many(AMOUNT))]
Pair = tuple[float, float]
Scores = Annotated[
    ScoreCounts,
    Json(
        schema=record(
            labels=many(LABEL),
            positive=or_none(LABEL),
            examples=many(NUMBER),
            distinct_scores=many(NUMBER),
            bins={"type": ["number", "null"]},
            rows_without_score=NUMBER,
        )
    ),
]


@dataclass(frozen=True)
class Figure(Record):
    """A number with its interval, where there is one."""

    value: Defined
    low: Defined = math.nan
    high: Defined = math.nan
