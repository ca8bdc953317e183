"""Do figures have the form that a schema promises? Schemas are checked once (tests/judgement/test_schemas.py), figures
by the validator in Rust, which takes a thirtieth of the time."""

from __future__ import annotations

import importlib
from collections.abc import Mapping
from typing import Any

import jsonschema_rs

from steelyard.cli.capabilities import CAPABILITIES
from steelyard.judgement import catalogue
from steelyard.proofs import result as proofs

_ROOMS = {name: "auditing" if name == "audit" else f"judgement.{name}" for name in (*CAPABILITIES, "watch")}
BY_COMMAND: dict[str, dict[str, Any]] = {
    name: importlib.import_module(f"steelyard.{room}.result").json_schema() for name, room in _ROOMS.items()
} | {
    "examine": proofs.json_schema(),
    "explain": catalogue.json_schema(),
    "measures": catalogue.list_schema(),
    "properties": proofs.properties_schema(),
}
"""What each command that takes `--json` writes."""

_known: dict[int, jsonschema_rs.Draft202012Validator] = {}


def validator(schema: Mapping[str, Any]) -> jsonschema_rs.Draft202012Validator:
    """The validator of a schema, made once."""
    if id(schema) not in _known:
        _known[id(schema)] = jsonschema_rs.Draft202012Validator(dict(schema))
    return _known[id(schema)]


def fits(figures: Any, schema: Mapping[str, Any]) -> None:
    """Raises jsonschema_rs.ValidationError unless the figures have the form."""
    validator(schema).validate(figures)
