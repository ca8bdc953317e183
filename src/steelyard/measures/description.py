"""What is known about a measure, as plain data."""

from __future__ import annotations

from typing import Any

from steelyard.measures.measure import Measure
from steelyard.measures.record import ByClasses


def describe(measure: Measure) -> dict[str, Any]:
    """Everything a reader could ask of a measure, ready for JSON."""
    return {
        "id": measure.id,
        "name": measure.name,
        "symbols": list(measure.symbols),
        "aliases": list(measure.aliases),
        "title": measure.title,
        "question": measure.question,
        "formula": measure.formula,
        "reads": measure.reads,
        "kind": measure.kind,
        "range": [
            str(b) if isinstance(b, ByClasses) else (b if abs(b) != float("inf") else None)
            for b in measure.range
        ],
        "better": measure.better,
        "undefined_when": measure.undefined_when,
        "parameters": dict(measure.parameters),
        "relations": [relation.text for relation in measure.relations],
        "sources": [str(source) for source in measure.sources],
        "notes": list(measure.notes),
    }
