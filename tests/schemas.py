"""Do figures have the form that a schema promises? Schemas are checked once (tests/judgement/test_schemas.py), not
again with every figure: that takes ten times as long as looking at the figures."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import jsonschema

_known: dict[int, jsonschema.Draft202012Validator] = {}


def validator(schema: Mapping[str, Any]) -> jsonschema.Draft202012Validator:
    """The validator of a schema, made once."""
    return _known.setdefault(id(schema), jsonschema.Draft202012Validator(schema))


def fits(figures: Any, schema: Mapping[str, Any]) -> None:
    """Raises jsonschema.ValidationError unless the figures have the form."""
    validator(schema).validate(figures)
