"""Values for JSON: finite numbers, and labels that are text, numbers or booleans."""

from __future__ import annotations

import math
from dataclasses import fields
from typing import Any

import numpy as np

from steelyard.counts.labels import Label, Spoken


def number_or_none(value: float | None) -> float | None:
    """A number that JSON can hold; None where there is none."""
    return None if value is None or not math.isfinite(value) else float(value)


def plain_fields(record: Any) -> dict[str, Any]:
    """The fields of a flat dataclass by name, numbers as JSON can hold them."""
    values = {field.name: getattr(record, field.name) for field in fields(record)}
    return {
        name: number_or_none(value) if isinstance(value, float) else value for name, value in values.items()
    }


def plain_label(label: Label) -> Any:
    """A label as JSON can hold it: numbers, booleans and text stay, NumPy scalars unwrap, all else becomes
    its text."""
    if type(label) is str or type(label) is int:  # nearly all are
        return label
    if isinstance(label, np.generic):
        label = label.item()
    if isinstance(label, float) and not math.isfinite(label):
        return str(label)  # JSON has no infinity
    return str(label) if isinstance(label, Spoken) or not isinstance(label, (str, int, float)) else label
