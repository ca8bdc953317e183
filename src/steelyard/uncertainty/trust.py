"""How often do intervals keep their promise, and which method should be preferred?

The answers were measured, not assumed: `make coverage-study` simulates test sets whose truth is known and records how often each
method's 95 % interval holds it. This module reads that record (coverage.json; as a page: docs/coverage.md).
"""

from __future__ import annotations

import json
from functools import cache
from importlib.resources import files
from typing import Any, Literal

from steelyard.measures.kinship import kin_of
from steelyard.measures.measure import Measure

METHODS = ("posterior", "bca", "percentile")
"""The methods to choose from, in the order in which they are preferred when they keep their promise equally."""
UNIFORM_POSTERIOR = "posterior, uniform prior"
"""Studied too: the posterior with brodersen2010's prior, which is used when it is asked for."""
Subject = Literal["rows", "differences"]
"""Of what: the value of one model, or the difference between two."""
PROMISED = 0.95
TOLERANCE = 0.03
"""A method that covers less than this below its promise is not preferred, and its intervals carry a warning."""


@cache
def record() -> dict[str, Any]:
    """The coverage study's result."""
    found: dict[str, Any] = json.loads(
        files("steelyard.uncertainty").joinpath("coverage.json").read_text(encoding="utf-8")
    )
    return found


def studied_size(rarest: int, of: Subject = "rows") -> int:
    """The studied size of the smallest class that is nearest to this one, by ratio."""
    sizes: list[int] = sorted({row["rare"] for row in record()[of]})
    return min(sizes, key=lambda size: max(size, rarest) / min(size, rarest))


def worst_coverage(measure: Measure, method: str, rarest: int, of: Subject = "rows") -> float:
    """The least coverage over what was simulated: of this measure or its kin, or of all if none of those was studied."""
    size = studied_size(max(1, rarest), of)
    rows = [row for row in record()[of] if row["rare"] == size and row["method"] == method]
    own = [row for row in rows if row["measure"] in _kin(measure)]
    return float(min(row["coverage"] for row in own or rows))


@cache
def _kin(measure: Measure) -> frozenset[str]:
    """The names under which the record may speak of this measure: a function of a studied measure is covered as often as it."""
    return kin_of(measure, 3) if not measure.parameters and measure.recipe is None else frozenset()


def preferred(measure: Measure, rarest: int, of: Subject = "rows") -> str:
    """The first method that keeps its promise at this size, or the one that comes nearest to it."""
    studied = {row["method"] for row in record()[of]}
    coverage = {
        method: worst_coverage(measure, method, rarest, of) for method in METHODS if method in studied
    }
    keeps = [method for method in coverage if coverage[method] >= PROMISED - TOLERANCE]
    return keeps[0] if keeps else max(coverage, key=lambda method: coverage[method])


def warning_for(measure: Measure, method: str, rarest: int, of: Subject = "rows") -> str:
    """What the user should know about this method here; empty where it keeps its promise."""
    if method not in (*METHODS, UNIFORM_POSTERIOR):
        return ""
    covered = worst_coverage(measure, method, rarest, of)
    if covered >= PROMISED - TOLERANCE:
        return ""
    size = studied_size(max(1, rarest), of)
    told = f"with {rarest} examples in the smallest class: in simulations with {size}, 95 % {method} intervals covered as little as {100 * covered:.0f} %"
    better = preferred(measure, rarest, of)
    if better == method:
        return told
    return f"{told}; method={better!r} covered at least {100 * worst_coverage(measure, better, rarest, of):.0f} %"
