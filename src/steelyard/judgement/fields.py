"""Fields of results that hold values of other rooms: how a matrix, a metric or a threshold appears in
JSON."""

from __future__ import annotations

from typing import Annotated, Any

from steelyard.counts.confusion import Confusion
from steelyard.measures.measure import Measure
from steelyard.report.records import Amount, Json, Schema, Value, schema_of

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
AMOUNT, VALUE = schema_of(Amount), schema_of(Value)
_ENDS: Schema = {"type": "array", "items": AMOUNT, "minItems": 2, "maxItems": 2}
BEST_THRESHOLD = record(
    measure=TEXT,
    better={"enum": ["higher", "lower", "neither"]},
    positive=LABEL,
    threshold=AMOUNT,
    next_lower_score=or_none(AMOUNT),
    value=NUMBER,
    matrix=MATRIX,
    interval=or_none(
        record(
            level=NUMBER,
            threshold=_ENDS,
            value=_ENDS,
            replicates=NUMBER,
            optimism=NUMBER,
            design={"type": ["string", "null"]},
            assumed={"type": ["string", "null"]},
            bins={"type": ["number", "null"]},
            bin_error=VALUE,
        )
    ),
    note=TEXT,
)
SCORES = record(
    labels=many(LABEL),
    positive=or_none(LABEL),
    examples=many(NUMBER),
    distinct_scores=many(NUMBER),
    bins={"type": ["number", "null"]},
    rows_without_score=NUMBER,
)
