"""How good is the classifier on each part of the test set?"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from steelyard.counts.labels import Label
from steelyard.counts.plain import number_or_none
from steelyard.measures.measure import Measure
from steelyard.measures.undefined import Undefined
from steelyard.reading.groups import ModelCounts


@dataclass(frozen=True)
class SliceReport:
    """The headline on one part of the test set."""

    name: tuple[str, ...]
    rows: float
    values: dict[str, float]
    why_undefined: str | None

    def to_dict(self) -> dict[str, Any]:
        values = {name: number_or_none(value) for name, value in self.values.items()}
        return {
            "slice": list(self.name),
            "rows": self.rows,
            "values": values,
            "undefined_because": self.why_undefined,
        }


def slice_reports(
    counted: ModelCounts, headline: Sequence[Measure], positive: Label | None, undefined: Undefined
) -> tuple[SliceReport, ...]:
    """The headline of each slice, worst first; slices where it is undefined stand last, with the reason."""
    reports = []
    for name, matrix in counted.slices.items():
        values = {
            m.name: m(matrix, undefined=undefined, positive=positive if m.kind == "two-class" else None)
            for m in headline
        }
        undefined_ones = [m for m in headline if math.isnan(values[m.name])]
        why = "; ".join(
            dict.fromkeys(
                m.why_undefined(matrix, positive=positive if m.kind == "two-class" else None) or "undefined"
                for m in undefined_ones
            )
        )
        reports.append(SliceReport(name, matrix.total.item(), values, why or None))
    first = headline[0]
    sign = 1 if first.better == "higher" else -1
    return tuple(
        sorted(reports, key=lambda r: (math.isnan(r.values[first.name]), sign * r.values[first.name]))
    )
