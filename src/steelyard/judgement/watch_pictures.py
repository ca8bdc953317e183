"""How does a watched stream look? The rare class alone, the shares of the classes, and the measures over
time."""

from __future__ import annotations

import functools
import math
from collections.abc import Sequence
from typing import TYPE_CHECKING

from steelyard.counts.labels import Label
from steelyard.report.numbers import percent
from steelyard.report.page.drawing import Line, Path, plain_lines, plane
from steelyard.report.page.drawing.scales import log_ticks, tick_marks
from steelyard.uncertainty.binomial_intervals import clopper_pearson

if TYPE_CHECKING:
    from steelyard.judgement.watch import Watch
    from steelyard.judgement.watch_looks import Look

MOST_LINES = 8
"""Classes drawn as lines of their own: as many as there are colours and dashes."""
LEVEL = 0.95
"""The exact interval of a share holds it with a probability of 95 %."""
WIDTH = 640


def rare_class(watched: Watch) -> Label | None:
    """The positive class, or else the one with the fewest rows over all blocks; None where none is rarer than
    another."""
    rows: dict[Label, float] = {}
    for look in watched.looks:
        for label, share in look.priors.items():
            rows[label] = rows.get(label, 0.0) + share * look.rows
    if watched.positive is not None:
        return next((label for label in rows if str(label) == str(watched.positive)), None)
    seen = {label: number for label, number in rows.items() if number > 0}
    if len(seen) < 2 or max(seen.values()) == min(seen.values()):
        return None
    return min(seen, key=lambda label: seen[label])


def rare_picture(watched: Watch, label: Label) -> str:
    """The share of one class in each block with its exact interval, on a logarithmic scale."""
    looks = watched.looks
    xs = [middle(look) for look in looks]
    shares = [look.priors.get(label, 0.0) for look in looks]
    bounds = [
        _interval(round(share * look.rows), look.rows) for share, look in zip(shares, looks, strict=True)
    ]
    known = [share for share in shares if share > 0]
    reference = _reference_share(watched, label)
    known += [reference] if reference else []
    marks = log_ticks(min([*known, *(low for low, _ in bounds if low > 0)]), max(high for _, high in bounds))
    tips = [
        f"rows {look.first_row + 1:,} to {look.first_row + look.rows:,}: {percent(share)} ({percent(low)} to"
        f" {percent(high)})"
        for look, share, (low, high) in zip(looks, shares, bounds, strict=True)
    ]
    band = (xs, [low for low, _ in bounds], [high for _, high in bounds])
    paths = [Path(f"share of {label}", xs, shares, band, tips, strong=True)]
    if reference:
        paths.append(Path("in the reference", [xs[0], xs[-1]], [reference, reference]))
    alarmed = [
        (x, share, f"alarm: {look.alarms[0]}", 0)
        for x, share, look in zip(xs, shares, looks, strict=True)
        if look.alarms
    ]
    return plane(
        paths,
        ticks(looks),
        [(mark, percent(mark)) for mark in marks],
        "row",
        "",
        f"Share of {label} over time",
        marks=alarmed,
        width=WIDTH,
        log_y=True,
    )


@functools.cache
def _interval(hits: int, of: int) -> tuple[float, float]:
    # A page is drawn anew after every block, and the blocks before it have not changed.
    return clopper_pearson(hits, of, LEVEL)


def _reference_share(watched: Watch, label: Label) -> float:
    reference = watched.reference
    if reference is None or label not in reference.labels:
        return 0.0
    return float(reference.actual[reference.labels.index(label)] / reference.total)


def priors_picture(looks: Sequence[Look]) -> str:
    """The share of each class in each block."""
    most: dict[Label, float] = {}
    for look in looks:
        for label, share in look.priors.items():
            most[label] = max(most.get(label, 0.0), share)
    kept = sorted(most, key=lambda label: -most[label])[:MOST_LINES]
    xs = [middle(look) for look in looks]
    lines = [Line(str(label), xs, [look.priors.get(label, 0.0) for look in looks]) for label in kept]
    return plain_lines(lines, ticks(looks), "row", (0.0, 1.0), alarms(looks), "Class priors over time")


def measures_picture(looks: Sequence[Look], which: str, title: str) -> str:
    """One of the values of each measure (observed, at the reference's priors) in each block."""
    xs = [middle(look) for look in looks]
    names = [m.measure.name for m in looks[-1].moved]
    found = [{m.measure.name: getattr(m, which) for m in look.moved} for look in looks]
    lines = [Line(name, xs, [values.get(name, math.nan) for values in found]) for name in names[:MOST_LINES]]
    low = -1.0 if any(y < -0.05 for one in lines for y in one.ys if not math.isnan(y)) else 0.0
    return plain_lines(lines, ticks(looks), "row", (low, 1.0), alarms(looks), title)


def middle(look: Look) -> float:
    """Where a block stands among the rows."""
    return look.first_row + look.rows / 2


def ticks(looks: Sequence[Look]) -> list[tuple[float, str]]:
    """Round numbers of rows around all blocks."""
    last = looks[-1].first_row + looks[-1].rows
    return [(x, f"{x:,.0f}") for x, _ in tick_marks(looks[0].first_row, last)]


def alarms(looks: Sequence[Look]) -> list[tuple[float, str]]:
    """Where the blocks with alarms stand; the first one is named."""
    alarmed = [middle(look) for look in looks if look.alarms]
    return [(x, "" if k else "alarm") for k, x in enumerate(alarmed)]
