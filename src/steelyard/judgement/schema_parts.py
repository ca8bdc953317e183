"""Of which parts is the JSON of comparisons and smaller answers made?"""

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
PAIR: dict[str, Any] = {"type": "array", "items": NUMBER, "minItems": 2, "maxItems": 2}


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
