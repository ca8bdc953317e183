"""The schemas are schemas; what fits them is tested beside each command."""

from __future__ import annotations

import jsonschema
import pytest

from steelyard.judgement import schemas

NAMES = [name for name, value in vars(schemas).items() if isinstance(value, dict) and "$schema" in value]


@pytest.mark.parametrize("name", NAMES)
def test_a_schema_is_one(name: str) -> None:
    jsonschema.Draft202012Validator.check_schema(getattr(schemas, name))


def test_each_schema_is_found() -> None:
    assert {"EVALUATION", "COMPARISON", "THRESHOLD", "PRIORS", "MULTILABEL"} <= set(NAMES)
