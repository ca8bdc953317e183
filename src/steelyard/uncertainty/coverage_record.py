"""Recorded coverage of the intervals in simulations, and the warning where it falls short."""
# The answers were measured, not assumed: `make coverage-study` simulates test sets whose truth is known and
# records how often each method's 95% interval holds it. This module reads that record (coverage.json; as a
# page: docs/coverage.md).

from __future__ import annotations

import json
from collections.abc import Iterable
from functools import cache
from pathlib import Path
from typing import Any, Literal

from steelyard.measures.kinship import kin_of
from steelyard.measures.measure import Measure

# Of what: the value of one model, or the difference between two.
Subject = Literal["single", "difference"]
PROMISED = 0.95
# A method whose mean coverage falls short of its promise by more than this carries a warning.
TOLERANCE = 0.03


@cache
def record() -> dict[str, Any]:
    """The coverage study's result."""
    study: dict[str, Any] = json.loads(Path(__file__).with_name("coverage.json").read_bytes())
    return study


def nearest(wanted: int, studied: Iterable[int]) -> int:
    """The studied number that is nearest to this one, by ratio."""
    at_least_1 = max(1, wanted)
    return min(studied, key=lambda number: max(number, at_least_1) / min(number, at_least_1))


@cache
def coverage(
    measure: Measure, method: str, classes: int, rarest: int, design: str, of: Subject = "single"
) -> tuple[float, int, int] | None:
    """The mean coverage in simulations like this one, their number of classes and their smallest class."""
    # None if there are none.
    #
    # Simulations are alike that have the nearest number of classes, then the nearest smallest class. They
    # speak of this measure or its kin, or of all measures if none of those was studied.
    # A method that was not studied on differences is judged by what it does with one model.
    rows = _alike(method, of) or _alike(method, "single")
    # A function of a studied measure is covered as often as it.
    kin = kin_of(measure, 3) if not measure.parameters and measure.recipe is None else frozenset()
    rows = [row for row in rows if row["measure"] in kin] or rows
    if not rows:
        return None
    like = nearest(classes, {row["classes"] for row in rows})
    rows = [row for row in rows if row["classes"] == like]
    size = nearest(rarest, {row["rare"] for row in rows})
    rows = [row for row in rows if row["rare"] == size]
    # The other design is no stranger than another size would be.
    rows = [row for row in rows if row["design"] == design] or rows
    covered = [(row["coverage"], row["cells"]) for row in rows]
    return sum(share * cells for share, cells in covered) / sum(cells for _, cells in covered), like, size


@cache
def _alike(method: str, of: Subject) -> list[dict[str, Any]]:
    """The rows of the record that speak of this method."""
    return [row for row in record()["rows"] if (row["method"], row["of"]) == (method, of)]


def warning_for(
    measure: Measure, method: str, classes: int, rarest: int, design: str, of: Subject = "single"
) -> str:
    """What the user should know about this method here; empty where it keeps its promise."""
    alike = coverage(measure, method, classes, rarest, design, of)
    if alike is None or alike[0] >= PROMISED - TOLERANCE:
        return ""
    shortfall = (
        f"with {rarest} examples in the smallest of {classes} classes: in simulations of {alike[1]} classes,"
        f" the smallest of {alike[2]}, 95% {method} intervals covered {100 * alike[0]:.0f}% on average"
    )
    usual = coverage(measure, "corrected", classes, rarest, design, of)
    if method == "corrected" or usual is None or usual[0] < PROMISED - TOLERANCE:
        return shortfall
    return f"{shortfall}; method='corrected' covered {100 * usual[0]:.0f}%"
