"""The pictures of an evaluation, as inline SVG for its page."""

from __future__ import annotations

import math
from collections.abc import Mapping
from types import MappingProxyType
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from steelyard.counts.confusion import Confusion
from steelyard.counts.labels import Label
from steelyard.judgement.evaluate.classes import ClassReport
from steelyard.judgement.live import by_share, here, of_class
from steelyard.judgement.metrics.result import Weighed
from steelyard.measures.catalogue import measure
from steelyard.measures.short_names import short_name
from steelyard.report.numbers import count, percent, shown
from steelyard.report.page.drawing import (
    MOST_NUMBERED,
    Dot,
    Line,
    cell_side,
    dot_rows,
    heat_map,
    log_lines,
)

if TYPE_CHECKING:
    from steelyard.judgement.evaluate.result import Evaluation

MOST_DRAWN = 30
"""Classes drawn one by one; further ones are folded into one row and column."""

SHARE_TICKS = ((0.5, "50%"), (0.1, "10%"), (0.01, "1%"), (0.001, "0.1%"), (0.0001, "0.01%"))


def folded_matrix(matrix: Confusion, most: int = MOST_DRAWN) -> Confusion:
    """The most frequent classes, largest first where there are many, and all others together."""
    if is_whole(matrix):
        return matrix
    order = np.argsort(-(matrix.actual + matrix.predicted), kind="stable")
    if matrix.n_classes <= most:
        return matrix.select([matrix.labels[i] for i in order])
    kept, rest = order[: most - 1], order[most - 1 :]
    labels = [matrix.labels[i] for i in kept] + [f"{len(rest)} other classes"]
    of_rest = (
        matrix.predicted - matrix.counts[kept].sum(axis=0)
        if matrix.counts.dtype.kind == "i"  # exact, and no copy of nearly all cells
        else matrix.counts[rest].sum(axis=0)
    )
    rows = np.vstack([matrix.counts[kept], of_rest])
    return Confusion(np.column_stack([rows[:, kept], rows[:, rest].sum(axis=1)]), labels)


def is_whole(matrix: Confusion) -> bool:
    """Are the cells drawn those of the matrix, in its order?"""
    return matrix.n_classes <= 12


def row_shares(matrix: Confusion) -> NDArray[np.float64]:
    """Each count as a share of its true class; 0 where the class has no examples."""
    actual = matrix.actual[:, None]
    return np.divide(matrix.counts, actual, out=np.zeros(matrix.counts.shape), where=actual > 0)


def matrix_pictures(matrix: Confusion) -> list[str]:
    """The counts, and the shares of each true class, side by side; one picture where cells are too small for
    numbers."""
    drawn = folded_matrix(matrix)
    names = [str(label) for label in drawn.labels]
    values = row_shares(drawn).tolist()
    counts = drawn.counts.tolist()
    tips = [
        [
            f"{count(c)} of class {t} predicted as {p}: {percent(s)} of the class"
            for p, c, s in zip(names, cs, ss, strict=True)
        ]
        for t, cs, ss in zip(names, counts, values, strict=True)
    ]
    room = cell_side(len(names)) - 8
    as_counts = [[_exact(c, room) for c in row] for row in counts]
    whole = is_whole(matrix)
    as_shares = [
        [f"{100 * s:.0f}%" if s >= 0.005 else "" if s == 0 else "<1%" for s in row] for row in values
    ]
    pictures = [
        heat_map(names, names, values, as_counts, tips, "Confusion matrix, counts", "cell:0" if whole else "")
    ]
    if len(names) <= MOST_NUMBERED:
        pictures.append(
            heat_map(
                names,
                names,
                values,
                as_shares,
                tips,
                "Confusion matrix, share of each true class",
                "share-of:0" if whole else "",
            )
        )
    return pictures


def class_picture(
    classes: tuple[ClassReport, ...], place: Mapping[Label, int] = MappingProxyType({})
) -> tuple[str, int]:
    """Recall, precision and balanced precision of each class; of many classes the worst told ones. Also: how
    many are left out."""
    ordered = (
        sorted(classes, key=lambda c: (math.isnan(c.recall), c.recall))
        if len(classes) > MOST_DRAWN
        else list(classes)
    )
    drawn = ordered[:MOST_DRAWN]
    dots = [
        [
            _class_dot(c, c.recall, "first", "recall", place),
            _class_dot(c, c.precision, "second", "precision", place),
            _class_dot(c, c.balanced_precision, "third", "balanced", place),
        ]
        for c in drawn
    ]
    names = [f"{c.label} ({_compact(c.support)})" for c in drawn]
    keys = (("first", "recall"), ("second", "precision"), ("third", "balanced precision"))
    return dot_rows(names, dots, "Recall and precision of each class", keys=keys), len(classes) - len(drawn)


def _class_dot(c: ClassReport, value: float, css: str, what: str, place: Mapping[Label, int]) -> Dot:
    words = "precision on balanced classes" if what == "balanced" else what
    follows = of_class(place[c.label], what) if c.label in place else ""
    return Dot(value, css, f"{c.label}: {words} {shown(value)}", follows=follows)


def scale_picture(result: Evaluation) -> str:
    """The headline and what others report, normalised so that 0 is the worst and 1 the best value."""
    names, dots = [], []
    for group, css in ((result.headline, "first"), (result.others_report, "second")):
        for name in group:
            row = result.weighing[name]
            names.append(short_name(row.measure))
            dots.append([_scaled_dot(result, row, css)])
    ticks = ((0, "worst"), (0.25, ""), (0.5, ""), (0.75, ""), (1, "best"))
    return dot_rows(
        names,
        dots,
        "Measures on one scale",
        ticks,
        (("first", "shown first"), ("second", "others report")),
    )


def _scaled_dot(result: Evaluation, row: Weighed, css: str) -> Dot:
    if row.normalised is None or math.isnan(row.normalised):
        return Dot(math.nan, css, f"{row.measure.title} is undefined")
    tip, ends = (
        f"{row.measure.title}: {shown(row.value)}, normalised {percent(row.normalised)}",
        (math.nan, math.nan),
    )
    found = result.interval_of(row.measure.name)
    classes = 2 if row.measure.kind == "two-class" else result.matrix.n_classes
    if found is not None:
        ends = (row.measure.normalise(found.low, classes), row.measure.normalise(found.high, classes))
        tip += f", {100 * found.level:g}% CI {shown(found.low)} to {shown(found.high)}"
    worst_and_best = row.measure.worst_and_best(classes)
    if worst_and_best is None:
        return Dot(row.normalised, css, tip, *ends)
    scale = float(worst_and_best[0]), float(worst_and_best[1])
    return Dot(row.normalised, css, tip, *ends, here(row.measure), scale)


def name_of_line(name: str) -> str:
    """What a measure is called beside its curve: its title where that is short."""
    found = measure(name)
    return found.title if len(found.title) < 30 or not found.symbols else found.symbols[0]


def share_here(result: Evaluation) -> float:
    """The share of the classes that are swept, in this test set."""
    minority = () if result.sweep is None else result.sweep.minority
    return sum(c.share for c in result.test_set.classes if c.label in minority)


def prior_picture(result: Evaluation) -> str | None:
    """Measures against the share of the minority, class rates unchanged."""
    sweep = result.sweep
    if sweep is None:
        return None
    # The flat lines first: they are the frame of reference.
    order = sorted(sweep.lines, key=lambda name: name not in sweep.flat)
    swept = [result.matrix.labels.index(label) for label in sweep.minority]
    lines = [
        Line(
            name_of_line(name),
            sweep.shares,
            sweep.lines[name],
            name in sweep.flat,
            by_share(measure(name), swept),
        )
        for name in order
    ]
    finite = [y for line in lines for y in line.ys if not math.isnan(y)]
    low = -1.0 if min(finite, default=0) < -0.05 else 0.0
    share = share_here(result)
    marker = (share, "this test set") if 0.0001 <= share <= 0.5 else None
    who = (
        f"share of {sweep.minority[0]}"
        if len(sweep.minority) == 1
        else f"share of the {len(sweep.minority)} rare classes together"
    )
    follows = ""
    if len(sweep.minority) == 1:
        follows = f"share:{swept[0]}"
    return log_lines(lines, SHARE_TICKS, who, (low, 1.0), marker, "Measures against class prior", follows)


def _exact(value: float, room: float) -> str:
    """A count to its last digit, where there are so many pixels for it."""
    exact = count(value)
    return exact if 7 * len(exact) <= room else _compact(value)


def _compact(value: float) -> str:
    """A count in at most five characters."""
    for limit, unit in ((1e9, "G"), (1e6, "M"), (1e4, "k")):
        if value >= limit:
            scaled = value / (1e3 if unit == "k" else limit)
            return f"{scaled:.0f}{unit}" if scaled >= 100 else f"{scaled:.3g}{unit}"
    return f"{value:.4g}" if isinstance(value, float) else str(value)
