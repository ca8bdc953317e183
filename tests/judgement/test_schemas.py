"""The schemas are schemas; what fits them is tested beside each command."""

from __future__ import annotations

import jsonschema
import pytest

from tests.schemas import BY_COMMAND


@pytest.mark.parametrize("name", BY_COMMAND)
def test_a_schema_is_one(name: str) -> None:
    jsonschema.Draft202012Validator.check_schema(BY_COMMAND[name])
