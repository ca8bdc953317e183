"""Charts of a watched stream: prevalence, the alarmed rate, class priors and metrics over time."""

from __future__ import annotations

import functools
import math
from collections.abc import Sequence

from steelyard.counts.labels import Label
from steelyard.judgement.watch.monitor import Watch
from steelyard.judgement.watch.result import Alarm, LabelledBlock, when
from steelyard.measures.names import short_name
from steelyard.report import chart
from steelyard.report.chart import COLOURS, Axis, Chart, Mark, rounded_up
from steelyard.report.class_names import quoted, short
from steelyard.report.numbers import percent
from steelyard.uncertainty.binomial_intervals import clopper_pearson

# Dates on an axis.
MOST_DATES = 5
# Intervals in the chart are read block by block; the alarm has its own error rate (--alpha).
LEVEL = 0.95


def prevalence_chart(watched: Watch, label: Label) -> Chart:
    """The prevalence of one class in each block with its exact interval, on a logarithmic scale."""
    counts = [(round(block.priors.get(label, 0.0) * block.rows), block.rows) for block in watched.blocks]
    reference = watched.reference
    share = 0.0
    if reference is not None and label in reference.labels:
        share = float(reference.actual[reference.labels.index(label)] / reference.total)
    name = f"prevalence of {quoted(label)}"
    marked = [bool(block.prior_changes) for block in watched.blocks]
    return _proportions("prevalence", watched.blocks, counts, share, name, marked, log=True)


def alarmed_rate_chart(watched: Watch, alarm: Alarm) -> Chart:
    """The rate that raised an alarm, in each block with its exact interval."""
    counts, same = [], (alarm.truth, alarm.prediction)
    for matrix in (block.matrix for block in watched.blocks):
        known = all(label in matrix.labels for label in same)
        row, column = (matrix.labels.index(label) if known else 0 for label in same)
        counts.append((int(matrix.counts[row, column]), int(matrix.actual[row])) if known else (0, 0))
    marked = [any((a.truth, a.prediction) == same for a in block.alarms) for block in watched.blocks]
    return _proportions("alarm", watched.blocks, counts, alarm.reference, alarm.name, marked, log=False)


def _proportions(
    identity: str,
    blocks: Sequence[LabelledBlock],
    counts: Sequence[tuple[int, int]],
    reference: float,
    name: str,
    marked: Sequence[bool],
    log: bool,
) -> Chart:
    """A proportion in each block with its interval, the reference beside it, and dots where it changed."""
    every = places(blocks)
    present = [k for k, (_, of) in enumerate(counts) if of]
    xs = [every[k] for k in present]
    values = [counts[k][0] / counts[k][1] for k in present]
    bounds = [_interval(*counts[k]) for k in present]
    notes = tuple(
        f"{when(blocks[k])}: {percent(value)} ({percent(low)} to {percent(high)})"
        for k, value, (low, high) in zip(present, values, bounds, strict=True)
    )
    # A logarithmic axis has no 0: it begins at the power of ten below the least positive value.
    positive = [v for v in (*values, reference, *(low for low, _ in bounds)) if v > 0]
    highest = max([reference, *(high for _, high in bounds)])
    low = 10.0 ** math.floor(math.log10(min(positive, default=0.01))) if log else 0.0
    y_axis = Axis("", low, rounded_up(highest) if log else 1.0, "log" if log else "linear", unit="%")
    marks: list[Mark] = [
        chart.band(xs, [max(lower, low) for lower, _ in bounds], [high for _, high in bounds]),
        chart.line(xs, [max(value, low) for value in values], "observed", notes=notes),
    ]
    if reference:
        marks.append(chart.hrule(reference, "reference"))
    marks += [
        chart.dot(x, max(y, low), "error") for k, x, y in zip(present, xs, values, strict=True) if marked[k]
    ]
    title = f"{name[0].upper()}{name[1:]}"
    caption = (
        f"In each block with its exact {100 * LEVEL:g}% confidence interval"
        f"{', on a logarithmic scale' if log else ''}. Orange: blocks after which a change was detected."
    )
    return Chart(identity, title, caption, _axis(blocks), y_axis, tuple(marks), "point", caption)


@functools.cache
def _interval(hits: int, of: int) -> tuple[float, float]:
    # A page is drawn anew after every block, and the blocks before it have not changed.
    return clopper_pearson(hits, of, LEVEL)


def priors_chart(blocks: Sequence[LabelledBlock]) -> Chart:
    """The prevalence of each class in each block; of many classes the most frequent ones."""
    most: dict[Label, float] = {}
    for block in blocks:
        for label, share in block.priors.items():
            most[label] = max(most.get(label, 0.0), share)
    names = sorted(most, key=lambda label: -most[label])[: len(COLOURS)]
    lines = {short(label, 18): [block.priors.get(label, 0.0) for block in blocks] for label in names}
    return _lines("priors", "Class prevalence", blocks, lines, "Prevalence of each class in each block.")


def metrics_chart(blocks: Sequence[LabelledBlock], which: str, title: str, caption: str) -> Chart:
    """One of the values of each metric (observed, at the reference's priors) in each block."""
    values = [{m.measure.name: getattr(m, which) for m in block.moved} for block in blocks]
    lines = {
        short_name(m.measure): [at.get(m.measure.name, math.nan) for at in values]
        for m in blocks[-1].moved[: len(COLOURS)]
    }
    return _lines(which.replace("_", "-"), title, blocks, lines, caption)


def _lines(
    identity: str, title: str, blocks: Sequence[LabelledBlock], lines: dict[str, list[float]], caption: str
) -> Chart:
    """Lines over the blocks, with a rule at each alarm; the first one is named."""
    xs = places(blocks)
    marks = [
        chart.line(xs, ys, name, colour) for (name, ys), colour in zip(lines.items(), COLOURS, strict=False)
    ]
    alarmed = [x for x, block in zip(xs, blocks, strict=True) if block.alarm]
    marks += [chart.vrule(x, "" if k else "alarm", "warn") for k, x in enumerate(alarmed)]
    # Chance-corrected metrics may be slightly negative by chance; that alone does not halve the chart.
    low = -1.0 if any(y < -0.05 for ys in lines.values() for y in ys) else 0.0
    return Chart(identity, title, caption, _axis(blocks), Axis("", low, 1), tuple(marks), "x", caption)


def places(blocks: Sequence[LabelledBlock]) -> list[float]:
    """Where blocks stand on the axis: the middle of their rows, or their number where they have dates."""
    if blocks[0].start is not None:
        return [float(k) for k in range(len(blocks))]
    return [block.first_row + block.rows / 2 for block in blocks]


def _axis(blocks: Sequence[LabelledBlock]) -> Axis:
    """Rows, or dates."""
    if blocks[0].start is None:
        low, high = float(blocks[0].first_row), float(blocks[-1].first_row + blocks[-1].rows)
        ticks = tuple((tick, f"{tick:,.0f}") for tick, _ in Axis("", low, high).marks())
        return Axis("Row", low, high, ticks=ticks)
    step = max(1, math.ceil(len(blocks) / MOST_DATES))
    dates = tuple((float(k), str(blocks[k].start)[:10]) for k in range(0, len(blocks), step))
    return Axis("Time", 0, max(len(blocks) - 1, 1), ticks=dates)
