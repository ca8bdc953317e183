"""JSON and schema of records follow from their annotations."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Annotated, ClassVar, Literal

import jsonschema
import numpy as np
import pytest

from steelyard.report.records import HIDDEN, Amount, Json, Record, Value, document, in_json, plain, schema_of


@dataclass(frozen=True)
class Point(Record):
    """A point."""

    at: Amount
    value: Value
    label: Annotated[str, Json("class")] = "a"
    cache: Annotated[object, HIDDEN] = None

    @property
    @in_json()
    def double(self) -> Value:
        return 2 * self.value


@dataclass(frozen=True)
class Curve(Record):
    """A curve."""

    SCHEMA: ClassVar[str] = "steelyard/curve/1"
    points: tuple[Point, ...]
    kind: Literal["roc", "pr"]
    ends: tuple[float, float]
    by_name: Mapping[str, int]
    note: str | None = None


CURVE = Curve((Point(math.inf, math.nan), Point(-math.inf, 0.5, cache=object())), "roc", (0, 1), {"n": 3})


def test_a_record_is_written_once_in_plain_data() -> None:
    assert CURVE.to_dict() == {
        "schema": "steelyard/curve/1",
        "points": [
            {"at": "infinity", "value": None, "class": "a", "double": None},
            {"at": "-infinity", "value": 0.5, "class": "a", "double": 1.0},
        ],
        "kind": "roc",
        "ends": [0, 1],
        "by_name": {"n": 3},
        "note": None,
    }


@pytest.mark.parametrize(
    "damage",
    [
        {"kind": "lift"},
        {"ends": [0]},
        {"note": 3},
        {"extra": 1},
        {"points": [{"at": 1}]},
        {"by_name": {"n": "x"}},
    ],
)
def test_the_schema_accepts_what_is_written_and_nothing_else(damage: dict[str, object]) -> None:
    schema = document(Curve)
    jsonschema.Draft202012Validator.check_schema(schema)
    jsonschema.validate(json.loads(json.dumps(CURVE.to_dict(), allow_nan=False)), schema)
    with pytest.raises(jsonschema.ValidationError):
        jsonschema.validate({**CURVE.to_dict(), **damage}, schema)


def test_a_type_without_a_schema_is_refused() -> None:
    with pytest.raises(TypeError, match="no JSON schema for"):
        schema_of(complex)


def test_numbers_of_every_numpy_type_are_numbers() -> None:
    """A long double has no type in Python; nothing is called again and again for it."""
    given = [
        np.longdouble("0.5"),
        np.float32(0.25),
        np.int8(3),
        np.bool_(True),
        np.float64("nan"),
        np.str_("a"),
    ]
    assert plain(given) == [0.5, 0.25, 3, True, None, "a"]
    assert plain(np.array([1, np.inf], dtype=np.longdouble)) == [1.0, "infinity"]
