"""Charts of a measure's portrait: level curves (marching squares), slopes, and fixed classifiers."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from itertools import pairwise, product
from typing import Any

import numpy as np

from steelyard.counts.labels import Array
from steelyard.proofs.portrait import NUMBERS, RATES, SHARES, SLOPE_RATES, Portrait, leaves_plane, shortened
from steelyard.report import chart
from steelyard.report.chart import COLOURS, Axis, Chart, Mark

Point = tuple[float, float]


def level_curves(xs: Array, ys: Array, values: Array, level: float) -> list[list[Point]]:
    """Marching squares: the curves on which `values`, a row for each y, equals the level."""
    # Each is a chain of points; there is none where a value is NaN.
    from contourpy import LineType, contour_generator

    masked, chains = np.ma.masked_invalid(values), LineType.Separate
    contours: Any = contour_generator(xs, ys, masked, corner_mask=False, line_type=chains)
    return [[(float(x), float(y)) for x, y in curve] for curve in contours.lines(level)]


HEIGHT = 400
# Where the value can be read off by pointing at it.
PATCHES = np.round(np.linspace(0, 1, 21), 3)
# A chart with fewer level curves than this gets some of its own.
FEW = 3
X, Y = Axis("TNr, specificity"), Axis("TPr, recall")


def common_levels(portrait: Portrait) -> list[float]:
    """Round values for the level curves, the same at every prior so that the figures can be compared."""
    seen = np.concatenate([_regular(grid).ravel() for grid in portrait.values.values()])
    seen = seen[np.isfinite(seen)]
    if not seen.size or seen.max() - seen.min() < 1e-9:
        return []
    low, high = np.quantile(seen, (0.02, 0.98))
    if high - low < 0.3 * (seen.max() - seen.min()):  # a few huge values would leave all curves in a corner
        return _rounded(np.quantile(seen, np.linspace(0.1, 0.9, 9)))
    low, high = float(seen.min()), float(seen.max())
    ticks = [t for t, _ in Axis("", low, high).marks()]
    halves = sorted({*ticks, *((a + b) / 2 for a, b in pairwise(ticks))})
    return [float(f"{t:.6g}") for t in halves if low + 1e-9 < t < high - 1e-9]


def levels_at(portrait: Portrait, prior: float, common: Sequence[float]) -> list[float]:
    """The common levels, and where hardly any of them crosses the figure some that do."""
    seen = _regular(portrait.values[prior])
    seen = seen[np.isfinite(seen)]
    if not seen.size or seen.max() - seen.min() < 1e-9:
        return []
    low, high = np.quantile(seen, (0.05, 0.95))
    crossing = [level for level in common if low < level < high]
    more = _rounded(np.quantile(seen, (0.1, 0.3, 0.5, 0.7, 0.9))) if len(crossing) < FEW else []
    return sorted({*common, *(level for level in more if seen.min() < level < seen.max())})


def levels_chart(portrait: Portrait, name: str, prior: float, common: Sequence[float]) -> Chart:
    """Level curves over (TNr, TPr) at one prior: the deeper the colour, the greater the value."""
    grid = portrait.values[prior]
    marks: list[Mark] = list(_shades(portrait, prior, common))
    for level in levels_at(portrait, prior, common):
        curves = sorted(level_curves(RATES, RATES, np.round(grid, 12), level), key=_length, reverse=True)
        for k, curve in enumerate(curves):
            xs, ys = zip(*curve, strict=True)
            marks.append(chart.line(xs, ys, "" if k else f"{level:g}", "ink"))
    says = "Classifiers on one curve have the same value"
    caption = f"{says}; the deeper the colour, the greater."
    return _over_rates("levels", f"Level curves of {name}", prior, f"{says}.", marks, caption)


def _over_rates(kind: str, title: str, prior: float, says: str, marks: list[Mark], caption: str) -> Chart:
    identity, at = f"{kind}-{prior:g}".replace(".", "_"), f"{title} at v_P = {prior:g}"
    return Chart(identity, at, says, X, Y, tuple(marks), caption=caption, height=HEIGHT)


def _shades(portrait: Portrait, prior: float, common: Sequence[float]) -> list[Mark]:
    # Between one level and the next the colour deepens evenly, so that a few huge values do not leave the
    # rest pale.
    seen = np.concatenate([grid[np.isfinite(grid)] for grid in portrait.values.values()])
    steps = [float(seen.min()), *common, float(seen.max())]
    at = np.searchsorted(RATES, PATCHES - 1e-9)
    values = portrait.values[prior][np.ix_(at, at)]
    depths = np.ceil(6 * np.interp(values, steps, np.linspace(0, 1, len(steps))))
    half = PATCHES[1] / 2
    edges = [(max(rate - half, 0.0), min(rate + half, 1.0)) for rate in PATCHES.tolist()]
    marks = []
    for (i, tpr), (j, tnr) in product(enumerate(PATCHES), enumerate(PATCHES)):
        value = "undefined" if math.isnan(values[i, j]) else f"{values[i, j]:.4g}"
        depth = 0 if math.isnan(values[i, j]) or not common else int(depths[i, j])
        note = f"TNr {tnr:g}, TPr {tpr:g}, v_P {prior:g}: {value}"
        marks.append(chart.zone(edges[j], edges[i], depth=depth, notes=(note,)))
    return marks


def slopes_chart(portrait: Portrait, name: str, prior: float) -> Chart:
    """The slopes over (TNr, TPr) at one prior; the colour says what the prior itself does."""
    slopes = portrait.slopes[prior]
    tpr, tnr = (axis.ravel() for axis in np.meshgrid(SLOPE_RATES, SLOPE_RATES, indexing="ij"))
    known = np.isfinite(slopes).all(axis=1)
    slopes, tpr, tnr = slopes[known], tpr[known], tnr[known]
    by_prior = np.sign(slopes[:, 2] * leaves_plane(slopes))
    marks: list[Mark] = []
    arrows = shortened(slopes[:, :2], 0.1)
    for slope, sign, (dx, dy), x, y in zip(slopes, by_prior, arrows, tnr, tpr, strict=True):
        colour = COLOURS[0] if not sign else COLOURS[1] if sign > 0 else COLOURS[2]
        by_tnr, by_tpr, by_v = (f"{slope_by:.3g}" for slope_by in slope)
        note = f"TNr {x:g}, TPr {y:g}: slope {by_tnr} by TNr, {by_tpr} by TPr, {by_v} by v_P"
        marks.append(chart.line([x, x + dx], [y, y + dy], "", colour))
        marks.append(chart.dot(x, y, colour=colour, notes=(note,)))
    words = (
        "Orange: the value grows with the prior, class rates unchanged; purple: it falls."
        if depends_on_prior(portrait, prior)
        else "The value does not change with the prior."
    )
    says = "A line leads from a classifier to where the value grows fastest."
    caption = f"{says.replace('classifier', 'dot')} {words}"
    return _over_rates("slopes", f"Slopes of {name}", prior, says, marks, caption)


def depends_on_prior(portrait: Portrait, prior: float) -> bool:
    """Does the value change with the prior anywhere at this prior, class rates unchanged?"""
    slopes = portrait.slopes[prior]
    return bool(leaves_plane(slopes[np.isfinite(slopes).all(axis=1)]).any())


def fixed_charts(portrait: Portrait, name: str) -> dict[str, Chart]:
    """The value of fixed classifiers as the share of one class, and as the number of classes changes; what
    has no values to draw is left out."""
    two = portrait.classes_of_shares == 2
    errs = "" if two else " Where it errs it takes every class for the first, and the first for the second."
    who = "two classes" if two else "three classes, the other two equally frequent"
    label = "Prior of the positive class" if two else "Share of the first of three classes"
    by_prior = _fixed(
        "prior",
        portrait.against_prior,
        SHARES,
        Axis(label, 0.01, 0.99, ticks=tuple((t, f"{t:g}") for t in (0.01, 0.25, 0.5, 0.75, 0.99))),
        f"{name} against the prior",
        f"With {who}. The classifier stays the same, only how frequent the classes are changes; a line"
        f" that is not level is the distortion of mullick2020, Fig. 2c.{errs}",
    )
    lines = portrait.against_classes
    used = [k for k in range(len(NUMBERS)) if any(math.isfinite(values[k]) for values in lines.values())]
    numbers = np.array(NUMBERS, dtype=np.float64)[used]
    by_classes = len(used) > 1 and _fixed(
        "classes",
        {rate: values[used] for rate, values in lines.items()},
        numbers,
        Axis("Number of classes", numbers[0], numbers[-1], ticks=tuple((n, f"{n:g}") for n in numbers)),
        f"{name} against the number of classes",
        "With classes of equal size. The classifier is correct on the same share of every class, however many"
        f" there are; a line that is not level is the distortion of mullick2020, Fig. 2f.{errs}",
    )
    return {chart.id: chart for chart in (by_prior, by_classes) if chart}


def _fixed(
    identity: str, values: Mapping[float, Array], xs: Array, x_axis: Axis, title: str, caption: str
) -> Chart | None:
    finite = [float(y) for ys in values.values() for y in ys if math.isfinite(y)]
    if not finite:
        return None
    marks = tuple(
        chart.line(xs, ys, f"{rate:.0%} of each class correct", colour)
        for (rate, ys), colour in zip(values.items(), COLOURS, strict=False)
    )
    low, high = min(finite), max(finite)
    room = 0.05 * max(high - low, 1e-6)
    # The scale is that of most measures where the values lie in it.
    usual = [(a, b) for a, b in ((0.0, 1.0), (-1.0, 1.0)) if a - 1e-9 <= low and high <= b + 1e-9]
    y_axis = Axis("", *(usual[0] if usual else (low - room, high + room)))
    return Chart(identity, title, caption, x_axis, y_axis, marks, "x", caption)


def _regular(grid: Array) -> Array:
    """The values on evenly spaced rates, without the narrow ones near 0 and 1."""
    at = np.searchsorted(RATES, np.round(np.linspace(0, 1, 41), 3) - 1e-9)
    return np.asarray(grid[np.ix_(at, at)])


def _rounded(values: Array) -> list[float]:
    """Values with one digit, rounding errors around 0 left out."""
    size = float(np.abs(values).max())
    return sorted({float(f"{v:.1g}") if abs(v) > 1e-9 * size else 0.0 for v in values})


def _length(curve: Sequence[Point]) -> float:
    return math.fsum(math.dist(a, b) for a, b in pairwise(curve))


# The priors that are drawn in files.
DRAWN_PRIORS = (0.5, 0.1, 0.01)


def portrait_charts(portrait: Portrait, name: str) -> dict[str, Chart]:
    """All figures of a measure, by the name of their file."""
    common = common_levels(portrait)
    over_rates = [levels_chart(portrait, name, prior, common) for prior in DRAWN_PRIORS]
    over_rates += [slopes_chart(portrait, name, prior) for prior in DRAWN_PRIORS]
    return {drawn.id: drawn for drawn in over_rates} | fixed_charts(portrait, name)
