"""Of which version of the method is a simulated cell, and what do all test sets of a cell say together?

A version is a short hash of the modules that a part of the study tries, without their comments and docstrings: a cell that was
simulated before one of them changed is simulated again by the next run, and said to be of an earlier version until then. A change after
which every cell has the same draws is no other version: `_ALIKE` lists such changes.
"""

from __future__ import annotations

import ast
import hashlib
from collections.abc import Iterable, Mapping
from functools import cache
from pathlib import Path
from typing import Any

PACKAGE = Path(__file__).resolve().parent.parent / "src" / "steelyard"
_RATES = (
    "uncertainty/dirichlet_posterior.py",
    "uncertainty/confidence_limits.py",
    "uncertainty/many_model_posterior.py",
)
_TRIED = {
    "cells": (*_RATES, "uncertainty/differences.py", "uncertainty/resampling.py"),
    "tests": (*_RATES, "uncertainty/differences.py"),
    "alarms": ("uncertainty/sequential_test.py",),
    "slices": (*_RATES, "judgement/evaluate/slices.py"),
    "weights": (*_RATES, "uncertainty/sample_weights.py"),
    "thresholds": ("scores/threshold_selection.py", "scores/score_bootstrap.py"),
    "areas": ("scores/score_bootstrap.py", "uncertainty/binomial_intervals.py"),
}
_ALIKE = {"782a6258": "4c434ff6", "9939419e": "b81bfc3d", "7cf69c9f": "424fa44b", "39dd3e40": "080fa49e"}
"""Versions that draw in every cell of the study what an earlier one draws, to the last bit: what differs is how quickly, or what the study
does not try (4,096 joint cells or more, more than 63 classes). Both were run on every cell before a line was written here.
"""
PARTS = tuple(_TRIED)
Entry = dict[str, Any]
_COUNTED = ("coverage", "below", "above", "width", "rejected", "upwards", "discordant")
"""Means over test sets."""


@cache
def version_of(part: str) -> str:
    """The version of the method that a part of the study tries now."""
    text = "".join(_code(PACKAGE / name) for name in _TRIED[part])
    found = hashlib.sha256(text.encode()).hexdigest()[:8]
    return _ALIKE.get(found, found)


def _code(path: Path) -> str:
    """What a module does: its syntax without comments and docstrings."""
    tree = ast.parse(path.read_text(encoding="utf-8"))
    for node in ast.walk(tree):
        body = getattr(node, "body", None)
        if isinstance(body, list):
            node.body = [one for one in body if not _is_text(one)]  # type: ignore[attr-defined]
    return ast.dump(tree)


def _is_text(node: ast.AST) -> bool:
    return (
        isinstance(node, ast.Expr)
        and isinstance(node.value, ast.Constant)
        and isinstance(node.value.value, str)
    )


def joined(entries: Iterable[Entry], now: Mapping[str, str]) -> dict[tuple[str, int], list[Entry]]:
    """The rows of each cell, all test sets of its version together: of the present version, or of the one that was simulated last.

    Rows of an earlier version say so (`earlier`).
    """
    by_cell: dict[tuple[str, int], dict[tuple[str, int], list[Entry]]] = {}
    for entry in entries:
        of_cell = by_cell.setdefault((entry["part"], entry["cell"]), {})
        of_cell[entry["version"], entry["sets"]] = entry["rows"]
    found = {}
    for (part, cell), runs in by_cell.items():
        versions = [version for version, _ in runs]
        chosen = now[part] if now[part] in versions else versions[-1]
        rows: dict[tuple[Any, ...], Entry] = {}
        for (version, _), several in runs.items():
            for row in several if version == chosen else ():
                key = (row["method"], row.get("measure"))
                rows[key] = _together(rows[key], row) if key in rows else row
        late = {} if chosen == now[part] else {"earlier": chosen}
        found[part, cell] = [{**row, **late} for row in rows.values()]
    return found


def _together(one: Entry, other: Entry) -> Entry:
    """Two rows of one cell as one: means weighed by their test sets, whose number is added up."""
    if "sets" not in one:
        return other
    sets = one["sets"] + other["sets"]
    means = {
        name: round((one[name] * one["sets"] + other[name] * other["sets"]) / sets, 4)
        for name in _COUNTED
        if name in one and name in other
    }
    identical = {"identical": one["identical"] + other["identical"]} if "identical" in one else {}
    return {**one, **means, **identical, "sets": sets}
