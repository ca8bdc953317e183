"""How many examples of each class have a score in each bin, in files whose scores are too many to fetch?

The same bins as on a cluster, counted inside DuckDB: what comes back is as long as there are bins, and says
the lowest and the highest score of each, so that what a bin leaves open is bounded.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from typing import Any

from steelyard.reading.bounded_bins import (
    FEW_SCORES,
    MOST_DIVIDED,
    MOST_PASSES,
    SKETCH,
    Bin,
    bin_of,
    different_scores,
    divided_into,
    too_wide,
)

Ask = Callable[[str], Mapping[str, Any]]
"""The columns of an answer, by name."""


def bins_of_source(ask: Ask, source: str, weighted: bool, tolerance: float) -> list[Bin] | None:
    """The bins of the scores of a source (number of the class, score s, weight w), divided until they leave
    less than `tolerance` open; None where there are so few different scores that each can be counted."""
    counted = _Counted(ask, source, weighted)
    bins = counted.first()
    if any(own.high > own.low for own in bins):
        if counted.has_few(bins):
            return None
        for _ in range(MOST_PASSES):
            chosen = too_wide(bins, tolerance)[:MOST_DIVIDED]
            if not chosen:
                break
            bins = counted.divided(bins, chosen)
    return sorted(bins, key=lambda own: own.low)


class _Counted:
    """The questions asked of DuckDB."""

    def __init__(self, ask: Ask, source: str, weighted: bool) -> None:
        self.ask = ask
        self.amount = "sum(w)" if weighted else "count(*)"
        kept = " WHERE w > 0" if weighted else ""  # what weighs nothing is no example
        self.rows = f"(SELECT number, s, w, CAST({bin_of('s', written)} AS BIGINT) AS b FROM {source}{kept})"

    def first(self) -> list[Bin]:
        """All rows in bins."""
        sketch = f"CAST(1 AS UBIGINT) << (hash(s) & {SKETCH - 1})"
        return self._bins(
            f"SELECT number, b AS first, b AS part, {self.amount} AS amount, min(s) AS low, max(s) AS high,"
            f" bit_or({sketch}) AS met FROM {self.rows} GROUP BY number, b"
        )

    def has_few(self, bins: list[Bin]) -> bool:
        """Are there so few different scores that each can be counted?"""
        least, about = different_scores(bins)
        if least > FEW_SCORES:
            return False
        if not math.isfinite(about):
            (about,) = self.ask(f"SELECT approx_count_distinct(s) AS n FROM {self.rows}")["n"]
        return bool(about <= FEW_SCORES)

    def divided(self, bins: list[Bin], chosen: list[Bin]) -> list[Bin]:
        """The bins, with the chosen ones counted again in parts of them."""
        parts = divided_into(len(chosen))
        values = ", ".join(
            f"({own.first}, {which}, {written(own.low)}, {written(own.high)},"
            f" {written(parts / (own.high / 4 - own.low / 4))})"
            for which, own in enumerate(chosen)
        )
        part = f"CAST(least(floor((s / 4 - vlow / 4) * vscale), {parts - 1}) AS BIGINT)"
        made = self._bins(
            f"SELECT number, vb AS first, which * {parts} + {part} AS part, {self.amount} AS amount,"
            f" min(s) AS low, max(s) AS high, CAST(0 AS UBIGINT) AS met FROM {self.rows} JOIN (VALUES"
            f" {values}) AS v(vb, which, vlow, vhigh, vscale) ON b = vb AND s BETWEEN vlow AND vhigh"
            " GROUP BY 1, 2, 3"
        )
        gone = {id(own) for own in chosen}
        return [own for own in bins if id(own) not in gone] + made

    def _bins(self, query: str) -> list[Bin]:
        """The bins of an answer, a row of which tells of one class in one bin."""
        found = self.ask(query)
        made: dict[int, Bin] = {}
        columns = ("number", "first", "part", "amount", "low", "high", "met")
        for place, first, part, amount, low, high, met in zip(
            *(found[name].tolist() for name in columns), strict=True
        ):
            own = made.get(part)
            if own is None:
                own = made[part] = Bin(first, low, high, {})
            own.low, own.high, own.met = min(own.low, low), max(own.high, high), own.met | met
            own.amounts[place] = own.amounts.get(place, 0) + amount
        return list(made.values())


def written(number: float) -> str:
    """A number as DuckDB reads it back to the last digit."""
    return f"CAST('{number!r}' AS DOUBLE)"
