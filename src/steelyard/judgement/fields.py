"""Fields of results that hold values of other rooms: how a matrix, a metric or a threshold appears in
JSON."""

from __future__ import annotations

from typing import Annotated, Any

from steelyard.counts.confusion import Confusion
from steelyard.counts.plain import number_or_none
from steelyard.measures.measure import Measure
from steelyard.measures.record import ByClasses
from steelyard.report.records import HIDDEN, Amount, Json, Record, Schema, Value, in_json, schema_of

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


def _bound(bound: Any) -> float | str | None:
    return str(bound) if isinstance(bound, ByClasses) else number_or_none(float(bound))


Bounds = Annotated[
    Any,
    Json(
        write=lambda ends: [_bound(end) for end in ends],
        schema={
            "type": "array",
            "items": {"type": ["number", "string", "null"]},
            "minItems": 2,
            "maxItems": 2,
            "description": "null is infinity; text where the bound depends on the number of classes",
        },
    ),
]
"""The range of a metric."""


class OfMeasure(Record):
    """A record about one metric: its JSON opens with the id and the title."""

    measure: Annotated[Measure, HIDDEN]

    @property
    @in_json()
    def id(self) -> str:
        return self.measure.name

    @property
    @in_json()
    def title(self) -> str:
        return self.measure.title


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
_TEXT_OR_NONE: Schema = {"type": ["string", "null"]}
_PAIR: Schema = {"type": "array", "items": NUMBER, "minItems": 2, "maxItems": 2}

_RANKING_MEASURE = record(
    id=TEXT,
    title=TEXT,
    value=VALUE,
    low=VALUE,
    high=VALUE,
    balanced=VALUE,
    at_priors=VALUE,
    undefined_because=_TEXT_OR_NONE,
    bounds=or_none(_PAIR),
)


def _curve(x: str, y: str) -> Schema:
    """A curve with its band, which stands on a grid of its own."""
    numbers = many(NUMBER)
    band = or_none(record(at=numbers, low=numbers, high=numbers))
    return record(
        **{
            "name": TEXT,
            "prior": {"type": ["number", "null"]},
            x: numbers,
            y: numbers,
            "thresholds": many(AMOUNT),
            "band": band,
        }
    )


_PROBABILITIES = record(
    log_loss=AMOUNT,
    brier=NUMBER,
    brier_skill=NUMBER,
    miscalibration={"type": ["number", "null"]},
    miscalibration_by_chance={"type": ["number", "null"]},
    discrimination={"type": ["number", "null"]},
    uncertainty=NUMBER,
    expected_calibration_error=NUMBER,
    calibration_error=record(value=NUMBER, low=NUMBER, high=NUMBER),
    level=NUMBER,
    reliability=many(
        record(start=NUMBER, rows=NUMBER, mean_probability=NUMBER, share=NUMBER, low=NUMBER, high=NUMBER)
    ),
)

_SURE = {"value": VALUE, "low": VALUE, "high": VALUE}

_CAPACITY = record(
    at_k=many(
        record(
            k=NUMBER,
            share=NUMBER,
            found=NUMBER,
            recall=record(**_SURE),
            precision=record(**_SURE),
            lift=record(**_SURE),
        )
    ),
    recall_at_fpr=many(record(fpr=NUMBER, **_SURE)),
    precision_at_recall=many(record(recall=NUMBER, **_SURE)),
    gain_curve=record(share=many(NUMBER), gain=many(NUMBER)),
    cost_curve=record(
        probability_cost=many(NUMBER),
        cost=many(NUMBER),
        thresholds=many(AMOUNT),
        low=or_none(many(NUMBER)),
        high=or_none(many(NUMBER)),
    ),
)

RANKING = record(
    scores=SCORES,
    threshold=or_none(
        record(
            threshold=AMOUNT,
            how=TEXT,
            words=TEXT,
            best=or_none(BEST_THRESHOLD),
            fitted_on=_TEXT_OR_NONE,
            optimistic={"type": "boolean"},
        )
    ),
    measures=many(_RANKING_MEASURE),
    classes=many(
        record(
            label=LABEL,
            examples=NUMBER,
            measures=many(_RANKING_MEASURE),
            roc=or_none(_curve("fpr", "tpr")),
            precision_recall=many(_curve("recall", "precision")),
            operating_point=or_none(
                record(tpr=VALUE, fpr=VALUE, threshold=or_none(AMOUNT), implied_threshold=or_none(NUMBER))
            ),
            sweep=or_none(
                record(
                    thresholds=many(NUMBER),
                    lines={"type": "object", "additionalProperties": many(VALUE)},
                    chosen_by=_TEXT_OR_NONE,
                )
            ),
            capacity=or_none(_CAPACITY),
        )
    ),
    level={"type": ["number", "null"]},
    replicates=NUMBER,
    bins={"type": ["number", "null"]},
    area_error=VALUE,
    probabilities=or_none(_PROBABILITIES),
    class_probabilities=many(
        {
            **_PROBABILITIES,
            "properties": {"label": LABEL, **_PROBABILITIES["properties"]},
            "required": ["label", *_PROBABILITIES["required"]],
        }
    ),
)
