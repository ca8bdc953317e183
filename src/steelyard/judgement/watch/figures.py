"""Figures of a watched stream: prevalence of the rare class, the alarmed rate, class priors and metrics over
time."""

from __future__ import annotations

import functools
import math
from collections.abc import Sequence
from typing import TYPE_CHECKING

from steelyard.counts.labels import Label
from steelyard.judgement.watch.result import when
from steelyard.report.class_names import quoted
from steelyard.report.numbers import percent
from steelyard.report.page.drawing import Line, Path, plain_lines, plane
from steelyard.report.page.drawing.scales import log_ticks, tick_marks
from steelyard.uncertainty.binomial_intervals import clopper_pearson

if TYPE_CHECKING:
    from steelyard.judgement.watch.monitor import Watch
    from steelyard.judgement.watch.result import Alarm, LabelledBlock

MOST_LINES = 8
"""Classes drawn as lines of their own: as many as there are colours and dashes."""
MOST_DATES = 6
"""Dates on an axis."""
LEVEL = 0.95
WIDTH = 640


def prevalence_figure(watched: Watch, label: Label) -> str:
    """The prevalence of one class in each block with its exact interval, on a logarithmic scale."""
    counts = [(round(block.priors.get(label, 0.0) * block.rows), block.rows) for block in watched.blocks]
    reference = watched.reference
    share = 0.0
    if reference is not None and label in reference.labels:
        share = float(reference.actual[reference.labels.index(label)] / reference.total)
    name = f"prevalence of {quoted(label)}"
    marked = [bool(block.prior_changes) for block in watched.blocks]
    return _proportions(watched.blocks, counts, share, name, marked, log=True)


def alarmed_rate_figure(watched: Watch, alarm: Alarm) -> str:
    """The rate that raised an alarm, in each block with its exact interval."""
    counts = []
    for block in watched.blocks:
        labels = block.matrix.labels
        known = alarm.truth in labels and alarm.prediction in labels
        row = labels.index(alarm.truth) if known else 0
        column = labels.index(alarm.prediction) if known else 0
        hits, of = block.matrix.counts[row, column], block.matrix.actual[row]
        counts.append((int(hits), int(of)) if known else (0, 0))
    same = (alarm.truth, alarm.prediction)
    marked = [any((a.truth, a.prediction) == same for a in block.alarms) for block in watched.blocks]
    return _proportions(watched.blocks, counts, alarm.reference, alarm.name, marked, log=False)


def _proportions(
    blocks: Sequence[LabelledBlock],
    counts: Sequence[tuple[int, int]],
    reference: float,
    name: str,
    marked: Sequence[bool],
    log: bool,
) -> str:
    """A proportion in each block with its interval, the reference beside it, and marks where it changed."""
    every = places(blocks)
    present = [k for k, (_, of) in enumerate(counts) if of]
    xs = [every[k] for k in present]
    values = [counts[k][0] / counts[k][1] for k in present]
    bounds = [_interval(*counts[k]) for k in present]
    tips = [
        f"{when(blocks[k])}: {percent(value)} ({percent(low)} to {percent(high)})"
        for k, value, (low, high) in zip(present, values, bounds, strict=True)
    ]
    band = (xs, [low for low, _ in bounds], [high for _, high in bounds])
    paths = [Path(name, xs, values, band, tips, strong=True)]
    if reference:
        paths.append(Path("in the reference", [xs[0], xs[-1]], [reference, reference]))
    if log:
        positive = [v for v in (*values, reference, *(low for low, _ in bounds)) if v > 0]
        y_ticks = [(y, percent(y)) for y in log_ticks(min(positive), max(high for _, high in bounds))]
    else:
        y_ticks = [(y, percent(y)) for y, _ in tick_marks(0.0, 1.0)]
    marks = [(x, y, "changed", 0) for k, x, y in zip(present, xs, values, strict=True) if marked[k]]
    title = f"{name[0].upper()}{name[1:]} over time"
    return plane(paths, ticks(blocks), y_ticks, axis(blocks), "", title, marks=marks, width=WIDTH, log_y=log)


@functools.cache
def _interval(hits: int, of: int) -> tuple[float, float]:
    # A page is drawn anew after every block, and the blocks before it have not changed.
    return clopper_pearson(hits, of, LEVEL)


def priors_figure(blocks: Sequence[LabelledBlock]) -> str:
    """The prevalence of each class in each block."""
    most: dict[Label, float] = {}
    for block in blocks:
        for label, share in block.priors.items():
            most[label] = max(most.get(label, 0.0), share)
    drawn = sorted(most, key=lambda label: -most[label])[:MOST_LINES]
    xs = places(blocks)
    lines = [Line(str(label), xs, [block.priors.get(label, 0.0) for block in blocks]) for label in drawn]
    return plain_lines(
        lines, ticks(blocks), axis(blocks), (0.0, 1.0), alarms(blocks), "Class priors over time"
    )


def metrics_figure(blocks: Sequence[LabelledBlock], which: str, title: str) -> str:
    """One of the values of each metric (observed, at the reference's priors) in each block."""
    xs = places(blocks)
    names = [m.measure.name for m in blocks[-1].moved]
    values = [{m.measure.name: getattr(m, which) for m in block.moved} for block in blocks]
    lines = [Line(name, xs, [at.get(name, math.nan) for at in values]) for name in names[:MOST_LINES]]
    low = -1.0 if any(y < -0.05 for line in lines for y in line.ys if not math.isnan(y)) else 0.0
    return plain_lines(lines, ticks(blocks), axis(blocks), (low, 1.0), alarms(blocks), title)


def places(blocks: Sequence[LabelledBlock]) -> list[float]:
    """Where blocks stand on the axis: the middle of their rows, or their number where they have dates."""
    if blocks[0].start is not None:
        return [float(k) for k in range(len(blocks))]
    return [block.first_row + block.rows / 2 for block in blocks]


def axis(blocks: Sequence[LabelledBlock]) -> str:
    return "row" if blocks[0].start is None else "time"


def ticks(blocks: Sequence[LabelledBlock]) -> list[tuple[float, str]]:
    """Round numbers of rows around all blocks, or dates."""
    if blocks[0].start is not None:
        step = max(1, math.ceil(len(blocks) / MOST_DATES))
        dates = [(float(k), str(blocks[k].start)[:10]) for k in range(0, len(blocks), step)]
        return dates if len(dates) > 1 else [dates[0], (1.0, "")]
    last = blocks[-1].first_row + blocks[-1].rows
    return [(x, f"{x:,.0f}") for x, _ in tick_marks(blocks[0].first_row, last)]


def alarms(blocks: Sequence[LabelledBlock]) -> list[tuple[float, str]]:
    """Where the blocks with alarms stand; the first one is named."""
    alarmed = [x for x, block in zip(places(blocks), blocks, strict=True) if block.alarm]
    return [(x, "" if k else "alarm") for k, x in enumerate(alarmed)]
