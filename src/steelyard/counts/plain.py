"""What can JSON hold? Numbers, neither NaN nor infinity."""

from __future__ import annotations

import math
from dataclasses import fields
from typing import Any


def number_or_none(value: float | None) -> float | None:
    """A number that JSON can hold; None where there is none."""
    return None if value is None or not math.isfinite(value) else float(value)


def plain_fields(record: Any) -> dict[str, Any]:
    """The fields of a flat dataclass by name, numbers as JSON can hold them."""
    values = {field.name: getattr(record, field.name) for field in fields(record)}
    return {
        name: number_or_none(value) if isinstance(value, float) else value for name, value in values.items()
    }
