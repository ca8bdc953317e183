"""Of which parts is the JSON of the results made? Numbers, values that may be missing, curves, intervals."""

from __future__ import annotations

from typing import Any

NUMBER: dict[str, Any] = {"type": "number"}
TEXT: dict[str, Any] = {"type": "string"}
VALUE: dict[str, Any] = {
    "type": ["number", "null"],
    "description": "null where undefined; the reason stands beside it",
}
TEXT_OR_NONE: dict[str, Any] = {"type": ["string", "null"]}
LABEL: dict[str, Any] = {"type": ["string", "number", "boolean"]}


def titled(name: str, title: str, schema: dict[str, Any]) -> dict[str, Any]:
    """A schema that can stand alone."""
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "$id": f"steelyard/{name}/1",
        "title": title,
        **schema,
    }


def said(name: str) -> dict[str, Any]:
    """The field that says which schema a result follows."""
    return {"const": f"steelyard/{name}/1"}


def record(**fields: dict[str, Any]) -> dict[str, Any]:
    """An object that has exactly these fields."""
    return {"type": "object", "properties": fields, "required": list(fields), "additionalProperties": False}


def many(items: dict[str, Any]) -> dict[str, Any]:
    return {"type": "array", "items": items}


def by_name(values: dict[str, Any]) -> dict[str, Any]:
    return {"type": "object", "additionalProperties": values}


def or_none(schema: dict[str, Any]) -> dict[str, Any]:
    return {"anyOf": [schema, {"type": "null"}]}


_CELL: dict[str, Any] = {"type": "array", "items": NUMBER, "minItems": 3, "maxItems": 3}
MATRIX: dict[str, Any] = {
    "anyOf": [
        record(labels=many(LABEL), orientation=TEXT, counts=many(many(NUMBER))),
        record(labels=many(LABEL), orientation=TEXT, counts={"type": "null"}, cells=many(_CELL)),
    ],
    "description": "of more than a thousand classes, the row, column and count of each cell that holds any",
}

MEASURE = record(
    id=TEXT,
    title=TEXT,
    kind=TEXT,
    value=VALUE,
    normalised=VALUE,
    undefined_because=TEXT_OR_NONE,
    at_priors=VALUE,
    weighted_by_relevance=VALUE,
    range={"type": "array", "items": {"type": ["number", "string", "null"]}, "minItems": 2, "maxItems": 2},
    better={"enum": ["higher", "lower", "neither"]},
)

INTERVAL = record(low=VALUE, high=VALUE, level=NUMBER, method=TEXT, note=TEXT)
PAIR: dict[str, Any] = {"type": "array", "items": NUMBER, "minItems": 2, "maxItems": 2}

AMOUNT: dict[str, Any] = {"type": ["number", "string"], "description": "a number, or infinity by its name"}

ENDS: dict[str, Any] = {"type": "array", "items": AMOUNT, "minItems": 2, "maxItems": 2}

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
            threshold=ENDS,
            value=ENDS,
            replicates=NUMBER,
            optimism=NUMBER,
            design=TEXT_OR_NONE,
            assumed=TEXT_OR_NONE,
            bins={"type": ["number", "null"]},
            bin_error=VALUE,
        )
    ),
    note=TEXT,
)

RANKING_MEASURE = record(
    id=TEXT,
    title=TEXT,
    value=VALUE,
    low=VALUE,
    high=VALUE,
    balanced=VALUE,
    at_priors=VALUE,
    undefined_because=TEXT_OR_NONE,
    bounds=or_none(PAIR),
)


def curve(x: str, y: str) -> dict[str, Any]:
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


PROBABILITIES = record(
    log_loss=AMOUNT,
    brier=NUMBER,
    brier_skill=NUMBER,
    miscalibration={"type": ["number", "null"]},
    discrimination={"type": ["number", "null"]},
    uncertainty=NUMBER,
    calibration_error=record(value=NUMBER, low=NUMBER, high=NUMBER),
    level=NUMBER,
    reliability=many(
        record(start=NUMBER, rows=NUMBER, mean_probability=NUMBER, share=NUMBER, low=NUMBER, high=NUMBER)
    ),
)

SURE = {"value": VALUE, "low": VALUE, "high": VALUE}

CAPACITY = record(
    at_k=many(
        record(
            k=NUMBER,
            share=NUMBER,
            found=NUMBER,
            recall=record(**SURE),
            precision=record(**SURE),
            lift=record(**SURE),
        )
    ),
    recall_at_fpr=many(record(fpr=NUMBER, **SURE)),
    precision_at_recall=many(record(recall=NUMBER, **SURE)),
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
    scores=record(
        labels=many(LABEL),
        positive=or_none(LABEL),
        examples=many(NUMBER),
        distinct_scores=many(NUMBER),
        bins={"type": ["number", "null"]},
        rows_without_score=NUMBER,
    ),
    threshold=or_none(
        record(
            threshold=AMOUNT,
            how=TEXT,
            words=TEXT,
            best=or_none(BEST_THRESHOLD),
            fitted_on=TEXT_OR_NONE,
            optimistic={"type": "boolean"},
        )
    ),
    measures=many(RANKING_MEASURE),
    classes=many(
        record(
            label=LABEL,
            examples=NUMBER,
            measures=many(RANKING_MEASURE),
            roc=or_none(curve("fpr", "tpr")),
            precision_recall=many(curve("recall", "precision")),
            operating_point=or_none(record(tpr=VALUE, fpr=VALUE, threshold=or_none(AMOUNT))),
            sweep=or_none(
                record(thresholds=many(NUMBER), lines=by_name(many(VALUE)), chosen_by=TEXT_OR_NONE)
            ),
            capacity=or_none(CAPACITY),
        )
    ),
    level={"type": ["number", "null"]},
    replicates=NUMBER,
    bins={"type": ["number", "null"]},
    area_error=VALUE,
    probabilities=or_none(PROBABILITIES),
    class_probabilities=many(
        {
            **PROBABILITIES,
            "properties": {"label": LABEL, **PROBABILITIES["properties"]},
            "required": ["label", *PROBABILITIES["required"]],
        }
    ),
)
