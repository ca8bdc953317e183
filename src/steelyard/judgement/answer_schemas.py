"""What does the JSON of the smaller answers hold: the catalogue, verdicts, claims?

Each entry stands for one command; `steelyard.judgement.schemas` joins them with those of the large results.
"""

from __future__ import annotations

from typing import Any

from steelyard.judgement.schema_parts import (
    NUMBER,
    TEXT,
    many,
    or_none,
    record,
    titled,
)

YES_OR_NO: dict[str, Any] = {"type": "boolean"}
BOUNDS: dict[str, Any] = {
    "type": "array",
    "items": {"type": ["number", "string", "null"]},
    "minItems": 2,
    "maxItems": 2,
    "description": "null is infinity; text where the bound depends on the number of classes",
}
EXACT_MATRICES = many(many(many(TEXT)))
"""Entries are fractions in words, as a counterexample is exact."""


DESCRIPTION = record(
    id=TEXT,
    name=TEXT,
    symbols=many(TEXT),
    aliases=many(TEXT),
    title=TEXT,
    question=TEXT,
    formula=TEXT,
    reads=TEXT,
    kind={"enum": ["two-class", "multi-class", "scores"]},
    range=BOUNDS,
    better={"enum": ["higher", "lower", "neither"]},
    undefined_when=TEXT,
    parameters={"type": "object"},
    relations=many(TEXT),
    sources=many(TEXT),
    notes=many(TEXT),
)
_TERM = record(
    term=TEXT,
    symbols=many(TEXT),
    title=TEXT,
    meaning=TEXT,
    reads=TEXT,
    sources=many(TEXT),
    notes=many(TEXT),
    commands=many(TEXT),
)
EXPLANATION = titled(
    "explain",
    "What is known about a measure; the second form of a symbol that is none, such as RRT or PREV",
    {"anyOf": [DESCRIPTION, _TERM]},
)
MEASURES = titled("measures", "The measures of the catalogue", many(DESCRIPTION))

VERDICT = record(
    measure=TEXT,
    property=TEXT,
    grade=TEXT,
    method=TEXT,
    classes=TEXT,
    counterexample=or_none(record(matrices=EXACT_MATRICES, values=many(TEXT), exact=YES_OR_NO)),
    at=many(record(n_classes=NUMBER, grade=TEXT, method=TEXT, cases=NUMBER, conditions=many(TEXT))),
    notes=many(TEXT),
    conditions=many(TEXT),
    certified={"type": ["boolean", "null"]},
    text=TEXT,
)

_EXAMINATION = record(measure=TEXT, title=TEXT, remarks=many(TEXT), verdicts=many(VERDICT))
PROPERTIES = titled("properties", "Measures against properties", many(_EXAMINATION))
EXAMINATIONS = titled(
    "examine",
    "What is true of measures; the second form with --against, the third with --list",
    {
        "anyOf": [
            many(_EXAMINATION),
            many(VERDICT),
            many(record(id=TEXT, name=TEXT, statement=TEXT, source=TEXT)),
        ]
    },
)
