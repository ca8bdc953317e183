"""Charts of a watched stream: prevalence, the alarmed rate, class priors and metrics over time."""

from __future__ import annotations

import functools
import math
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Any

from steelyard.counts.labels import Label
from steelyard.judgement.watch.monitor import Watch
from steelyard.judgement.watch.result import Alarm, UnlabelledBlock, Watched, when
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
EXACT = f"In each block with its exact {100 * LEVEL:g}% confidence interval"
# A page is drawn anew after every block, and the blocks before it have not changed.
_interval = functools.cache(partial(clopper_pearson, level=LEVEL))
# A proportion and the ends of its interval.
Point = tuple[float, float, float]


def charts(watched: Watched) -> Mapping[str, Callable[[], Chart]]:
    """The charts by name."""
    known: dict[str, Callable[[], Chart]] = {}
    if not watched.blocks:
        return known
    latest = watched.blocks[-1]
    if isinstance(latest, UnlabelledBlock):
        return {f"prevalence-{k}": partial(_estimated_prevalence, watched.blocks, k) for k in latest.main}
    assert isinstance(watched, Watch)
    alarms = [alarm for block in watched.blocks for alarm in block.alarms]
    if alarms:
        known["alarm"] = partial(_alarmed_rate, watched, alarms[0])
    if watched.rare_class is not None:
        known["prevalence"] = partial(_prevalence, watched, watched.rare_class)
    if len(latest.priors) > 2:
        known["priors"] = partial(_class_priors, watched.blocks)
    if latest.moved:
        observed = ("Metrics as observed", "Class prevalence and class rates of each block.")
        at_reference = ("Metrics at the reference's prevalence", "What changes here is due to class rates.")
        known["value"] = partial(_metrics, watched.blocks, "value", *observed)
        known["at-priors"] = partial(_metrics, watched.blocks, "at_reference_priors", *at_reference)
    return known


def _prevalence(watched: Watch, label: Label) -> Chart:
    """The prevalence of one class in each block with its exact interval, on a logarithmic scale."""
    counts = [(round(block.priors.get(label, 0.0) * block.rows), block.rows) for block in watched.blocks]
    reference = watched.reference
    share = 0.0
    if reference is not None and label in reference.labels:
        share = float(reference.actual[reference.labels.index(label)] / reference.total)
    marked = [bool(block.prior_changes) for block in watched.blocks]
    name = f"prevalence of {quoted(label)}"
    return _proportions("prevalence", watched.blocks, _exact(counts), share, name, marked, log=True)


def _estimated_prevalence(blocks: Sequence[UnlabelledBlock], k: int) -> Chart:
    """The estimated prevalence of one class in each block without labels."""
    shares = [block.shares[k] if block.shares else None for block in blocks]
    points = [None if of is None else (of.share, of.low, of.high) for of in shares]
    name, marked = f"estimated prevalence of {quoted(blocks[0].labels[k])}", [block.alarm for block in blocks]
    how = "In each block with its confidence interval"
    return _proportions(f"prevalence-{k}", blocks, points, 0.0, name, marked, log=True, caption=how)


def _alarmed_rate(watched: Watch, alarm: Alarm) -> Chart:
    """The rate that raised an alarm, in each block with its exact interval."""
    counts, same = [], (alarm.truth, alarm.prediction)
    for matrix in (block.matrix for block in watched.blocks):
        known = all(label in matrix.labels for label in same)
        row, column = (matrix.labels.index(label) if known else 0 for label in same)
        counts.append((int(matrix.counts[row, column]), int(matrix.actual[row])) if known else (0, 0))
    marked = [any((a.truth, a.prediction) == same for a in block.alarms) for block in watched.blocks]
    return _proportions("alarm", watched.blocks, _exact(counts), alarm.reference, alarm.name, marked)


def _exact(counts: Sequence[tuple[int, int]]) -> list[Point | None]:
    return [(hits / of, *_interval(hits, of)) if of else None for hits, of in counts]


def _proportions(
    identity: str,
    blocks: Sequence[Any],
    points: Sequence[Point | None],
    reference: float,
    name: str,
    marked: Sequence[bool],
    log: bool = False,
    caption: str = EXACT,
) -> Chart:
    """A proportion in each block with its interval, the reference beside it, and dots where it changed."""
    present = [(k, x, *of) for k, (x, of) in enumerate(zip(_places(blocks), points, strict=True)) if of]
    notes = tuple(
        f"{when(blocks[k])}: {percent(value)} ({percent(low)} to {percent(high)})"
        for k, _, value, low, high in present
    )
    # A logarithmic axis has no 0: it begins at the power of ten below the least positive value.
    positive = [v for v in (reference, *(v for _, _, *of in present for v in of)) if v > 0]
    least = 10.0 ** math.floor(math.log10(min(positive, default=0.01))) if log else 0.0
    highest = rounded_up(max([reference, *(high for *_, high in present)])) if log else 1.0
    xs = [x for _, x, *_ in present]
    values, lows, highs = ([max(of[place], least) for of in present] for place in (2, 3, 4))
    marks: list[Mark] = [
        chart.band(xs, low=lows, high=highs),
        chart.line(xs, values, "observed", notes=notes),
    ]
    if reference:
        marks.append(chart.hrule(reference, "reference"))
    marks += [chart.dot(x, max(value, least), colour="error") for k, x, value, *_ in present if marked[k]]
    y_axis = Axis("", least, highest, "log" if log else "linear", unit="%")
    caption += (
        f"{', on a logarithmic scale' if log else ''}. Orange: blocks after which a change was detected."
    )
    title = f"{name[0].upper()}{name[1:]}"
    return Chart(identity, title, caption, _axis(blocks), y_axis, tuple(marks), "point", caption)


def _class_priors(blocks: Sequence[Any]) -> Chart:
    """The prevalence of each class in each block; of many classes the most frequent ones."""
    most: dict[Label, float] = {}
    for block in blocks:
        for label, share in block.priors.items():
            most[label] = max(most.get(label, 0.0), share)
    names = sorted(most, key=lambda label: -most[label])[: len(COLOURS)]
    lines = {short(label, 18): [block.priors.get(label, 0.0) for block in blocks] for label in names}
    return _lines("priors", "Class prevalence", blocks, lines, "Prevalence of each class in each block.")


def _metrics(blocks: Sequence[Any], which: str, title: str, caption: str) -> Chart:
    """One of the values of each metric (observed, at the reference's priors) in each block."""
    values = [{m.measure.name: getattr(m, which) for m in block.moved} for block in blocks]
    lines = {
        short_name(m.measure): [at.get(m.measure.name, math.nan) for at in values]
        for m in blocks[-1].moved[: len(COLOURS)]
    }
    return _lines(which.replace("_", "-"), title, blocks, lines, caption)


def _lines(
    identity: str, title: str, blocks: Sequence[Any], lines: dict[str, list[float]], caption: str
) -> Chart:
    """Lines over the blocks, with a rule at each alarm; the first one is named."""
    xs = _places(blocks)
    marks = [
        chart.line(xs, ys, name, colour) for (name, ys), colour in zip(lines.items(), COLOURS, strict=False)
    ]
    y_axis = chart.metric_axis(marks)
    alarmed = [x for x, block in zip(xs, blocks, strict=True) if block.alarm]
    marks += [chart.vrule(x, name="" if k else "alarm", colour="warn") for k, x in enumerate(alarmed)]
    return Chart(identity, title, caption, _axis(blocks), y_axis, tuple(marks), "x", caption)


def _places(blocks: Sequence[Any]) -> list[float]:
    """Where blocks stand on the axis: the middle of their rows, or their number where they have dates."""
    if blocks[0].start is not None:
        return [float(k) for k in range(len(blocks))]
    return [block.first_row + block.rows / 2 for block in blocks]


def _axis(blocks: Sequence[Any]) -> Axis:
    """Rows, or dates."""
    if blocks[0].start is None:
        low, high = float(blocks[0].first_row), float(blocks[-1].first_row + blocks[-1].rows)
        ticks = tuple((tick, f"{tick:,.0f}") for tick, _ in Axis("", low, high).marks())
        return Axis("Row", low, high, ticks=ticks)
    step = max(1, math.ceil(len(blocks) / MOST_DATES))
    dates = tuple((float(k), str(blocks[k].start)[:10]) for k in range(0, len(blocks), step))
    return Axis("Time", 0, max(len(blocks) - 1, 1), ticks=dates)
