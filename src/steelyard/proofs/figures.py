"""The portrait of a measure as inline SVG for its page."""

from __future__ import annotations

import math
from collections.abc import Sequence
from itertools import pairwise
from typing import Any
from xml.etree.ElementTree import Element

import numpy as np
from numpy.typing import NDArray

from steelyard.proofs.portrait import (
    NUMBERS,
    RATES,
    SHARES,
    SLOPE_RATES,
    Portrait,
    leaves_plane,
    shortened,
    usual_length,
)
from steelyard.report.page.drawing.contours import level_curves
from steelyard.report.page.drawing.element import (
    FONT,
    Point,
    circle,
    curve,
    rectangle,
    svg,
    text,
    through,
    told,
)
from steelyard.report.page.drawing.lines import Line, plain_lines
from steelyard.report.page.drawing.scales import tick_marks

Array = NDArray[Any]

LEFT, TOP, SIDE, ROOM = 60, 32, 300, 34
"""The square of the two-class pictures, in pixels, and the room that arrows have to leave it."""
AXIS = (0.0, 0.25, 0.5, 0.75, 1.0)
PATCHES = np.round(np.linspace(0, 1, 21), 3)
"""Where the value can be read off by pointing at it."""
FEW = 3
"""A picture with fewer level curves than this gets some of its own."""


def common_levels(portrait: Portrait) -> list[float]:
    """Round values for the level curves, the same at every prior so that the pictures can be compared."""
    seen = np.concatenate([_regular(grid).ravel() for grid in portrait.values.values()])
    seen = seen[np.isfinite(seen)]
    if not seen.size or seen.max() - seen.min() < 1e-9:
        return []
    low, high = np.quantile(seen, (0.02, 0.98))
    if high - low < 0.3 * (seen.max() - seen.min()):  # a few huge values would leave all curves in a corner
        return _rounded(np.quantile(seen, np.linspace(0.1, 0.9, 9)))
    low, high = float(seen.min()), float(seen.max())
    ticks = [t for t, _ in tick_marks(low, high)]
    halves = sorted({*ticks, *((a + b) / 2 for a, b in pairwise(ticks))})
    return [float(f"{t:.6g}") for t in halves if low + 1e-9 < t < high - 1e-9]


def levels_at(portrait: Portrait, prior: float, common: Sequence[float]) -> list[float]:
    """The common levels, and where hardly any of them crosses the picture some that do."""
    seen = _regular(portrait.values[prior])
    seen = seen[np.isfinite(seen)]
    if not seen.size or seen.max() - seen.min() < 1e-9:
        return []
    low, high = np.quantile(seen, (0.05, 0.95))
    crossing = [level for level in common if low < level < high]
    own = _rounded(np.quantile(seen, (0.1, 0.3, 0.5, 0.7, 0.9))) if len(crossing) < FEW else []
    return sorted({*common, *(level for level in own if seen.min() < level < seen.max())})


def levels_picture(portrait: Portrait, name: str, prior: float, common: Sequence[float]) -> str:
    """Level curves over (TNr, TPr) at one prior.

    The deeper the colour the greater the value, and pointing anywhere tells the value there.
    """
    grid = portrait.values[prior]
    body = [*_patches(portrait, prior, common), *_axes()]
    labels: list[Element] = []
    taken: list[tuple[float, float, float]] = []
    for level in levels_at(portrait, prior, common):
        curves = level_curves(RATES, RATES, np.round(grid, 12), level)
        for found in curves:
            course = through([_at(x, y) for x, y in found])
            tip = f"{name} = {level:g} along this curve, at v_P = {prior:g}"
            body.append(told(tip, curve(course, "reach"), curve(course, "level")))
        place = _free_place(max(curves, key=_length, default=[]), f"{level:g}", taken)
        if place is not None:
            labels.append(text(place[0], place[1] + 4, f"{level:g}", "middle", "label halo"))
    return svg(
        LEFT + SIDE + ROOM, TOP + SIDE + 48, [*body, *labels], f"Level curves of {name} at v_P = {prior:g}"
    )


def slopes_picture(portrait: Portrait, name: str, prior: float) -> str:
    """The slopes over (TNr, TPr) at one prior: arrows by the rates, circles by the prior itself."""
    slopes = portrait.slopes[prior]
    tpr, tnr = (axis.ravel() for axis in np.meshgrid(SLOPE_RATES, SLOPE_RATES, indexing="ij"))
    kept = np.isfinite(slopes).all(axis=1)
    slopes, tpr, tnr = slopes[kept], tpr[kept], tnr[kept]
    arrows = shortened(slopes[:, :2], 0.1)
    slopes[:, 2] *= leaves_plane(slopes)
    usual = usual_length(np.abs(slopes[:, 2]))
    body = _axes()
    for (by_tnr, by_tpr, by_prior), (dx, dy), x, y in zip(
        slopes.tolist(), arrows.tolist(), tnr.tolist(), tpr.tolist(), strict=True
    ):
        tip = (
            f"TNr {x:g}, TPr {y:g}, v_P {prior:g}: slope {by_tnr:.3g} by TNr, {by_tpr:.3g} by TPr,"
            f" {by_prior:.3g} by v_P"
        )
        at, to = _at(x, y), _at(x + dx, y + dy)
        radius = 7 * math.sqrt(min(abs(by_prior), usual) / usual) if usual else 0
        marks = [circle(at, 12, "hover")]
        if radius:
            marks.append(circle(at, radius, "full" if by_prior > 0 else "ring", fill_opacity=".55"))
        body.append(told(tip, *marks, *_arrow(at, to, "c0")))
    return svg(LEFT + SIDE + ROOM, TOP + SIDE + 48, body, f"Slopes of {name} at v_P = {prior:g}")


def depends_on_prior(portrait: Portrait, prior: float) -> bool:
    """Does the value change with the prior anywhere at this prior, class rates unchanged?"""
    slopes = portrait.slopes[prior]
    return bool(leaves_plane(slopes[np.isfinite(slopes).all(axis=1)]).any())


def prior_picture(portrait: Portrait, name: str) -> str | None:
    """The value of fixed classifiers as the share of one class changes; None where there is no value."""
    ticks = [(0.01, "0.01"), (0.25, "0.25"), (0.5, "0.5"), (0.75, "0.75"), (0.99, "0.99")]
    words = (
        "prior of the positive class"
        if portrait.classes_of_shares == 2
        else "share of the first of three classes"
    )
    return _fixed(portrait.against_prior, SHARES.tolist(), ticks, words, f"{name} against the prior")


def classes_picture(portrait: Portrait, name: str) -> str | None:
    """The value of fixed classifiers as the number of classes changes; None where there are not two numbers
    with a value."""
    lines = portrait.against_classes
    used = [k for k in range(len(NUMBERS)) if any(math.isfinite(values[k]) for values in lines.values())]
    if len(used) < 2:
        return None
    known = {rate: values[used] for rate, values in lines.items()}
    ticks = [(float(NUMBERS[k]), str(NUMBERS[k])) for k in used]
    return _fixed(
        known, [t for t, _ in ticks], ticks, "number of classes", f"{name} against the number of classes"
    )


def _fixed(
    values: Any, xs: Sequence[float], ticks: Sequence[tuple[float, str]], x_title: str, title: str
) -> str | None:
    lines = [Line(f"right on {rate:.0%} of each class", xs, ys.tolist()) for rate, ys in values.items()]
    finite = [y for line in lines for y in line.ys if math.isfinite(y)]
    if not finite:
        return None
    return plain_lines(lines, ticks, x_title, _reach(min(finite), max(finite)), [], title)


def _reach(low: float, high: float) -> tuple[float, float]:
    """The scale: that of most measures where the values lie in it, otherwise round numbers around them."""
    for usual in ((0.0, 1.0), (-1.0, 1.0)):
        if usual[0] - 1e-9 <= low and high <= usual[1] + 1e-9:
            return usual
    ticks = tick_marks(low, max(high, low + 1e-6))
    return ticks[0][0], ticks[-1][0]


# -- the square


def _at(tnr: float, tpr: float) -> Point:
    return LEFT + SIDE * tnr, TOP + SIDE * (1 - tpr)


def _axes() -> list[Element]:
    body = [rectangle((LEFT, TOP), SIDE, SIDE, "frame")]
    for t in AXIS:
        (x, low), (left, y) = _at(t, 0), _at(0, t)
        body += [
            text(x, low + 22, f"{t:g}", "middle", "axis"),
            text(left - 12, y + 4, f"{t:g}", "end", "axis"),
        ]
    body.append(text(LEFT + SIDE / 2, TOP + SIDE + 42, "TNr, specificity", "middle", "axis"))
    body.append(text(14, TOP + SIDE / 2, "TPr, recall", "middle", "axis", turn=-90))
    return body


def _patches(portrait: Portrait, prior: float, common: Sequence[float]) -> list[Element]:
    # Between one level and the next the colour deepens evenly, so that a few huge values do not leave the
    # rest pale.
    seen = np.concatenate([grid[np.isfinite(grid)] for grid in portrait.values.values()])
    steps = [float(seen.min()), *common, float(seen.max())]
    grid = portrait.values[prior]
    at = np.searchsorted(RATES, PATCHES - 1e-9)
    half = PATCHES[1] / 2
    body = []
    for i, tpr in zip(at, PATCHES.tolist(), strict=True):
        for j, tnr in zip(at, PATCHES.tolist(), strict=True):
            value = float(grid[i, j])
            shade = (
                0.0
                if math.isnan(value) or not common
                else 0.32 * float(np.interp(value, steps, np.linspace(0, 1, len(steps))))
            )
            (x, bottom), (right, y) = (
                _at(max(tnr - half, 0), max(tpr - half, 0)),
                _at(min(tnr + half, 1), min(tpr + half, 1)),
            )
            tip = (
                f"TNr {tnr:g}, TPr {tpr:g}, v_P {prior:g}:"
                f" {'undefined' if math.isnan(value) else f'{value:.4g}'}"
            )
            size = (right - x, bottom - y)
            body.append(rectangle((x, y), *size, "shade", tip=tip, fill_opacity=f"{shade:.2f}"))
    return body


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


def _free_place(curve: Sequence[Point], words: str, taken: list[tuple[float, float, float]]) -> Point | None:
    """A place on the curve for its label, clear of the frame and of other labels; it is then taken."""
    half = 0.3 * FONT * len(words) + 3
    for part in (0.5, 0.4, 0.6, 0.3, 0.7, 0.2, 0.8):
        if not curve:
            return None
        x, y = _at(*_along(curve, part))
        inside = LEFT + half < x < LEFT + SIDE - half and TOP + 8 < y < TOP + SIDE - 8
        if inside and all(
            abs(x - other) > half + width or abs(y - level) > FONT + 2 for other, level, width in taken
        ):
            taken.append((x, y, half))
            return x, y
    return None


def _along(curve: Sequence[Point], part: float) -> Point:
    """The point after this part of the curve's length."""
    left = part * _length(curve)
    for a, b in pairwise(curve):
        step = math.dist(a, b)
        if step >= left > 0:
            return a[0] + (b[0] - a[0]) * left / step, a[1] + (b[1] - a[1]) * left / step
        left -= step
    return curve[-1]


def _arrow(at: Point, to: Point, css: str) -> list[Element]:
    length = math.dist(at, to)
    if length < 1:
        return []
    ux, uy = (to[0] - at[0]) / length, (to[1] - at[1]) / length
    back = min(6.0, 0.45 * length)
    wings = [
        (to[0] - back * (ux + side * 0.5 * uy), to[1] - back * (uy - side * 0.5 * ux)) for side in (1, -1)
    ]
    return [curve(through([at, to]) + through([wings[0], to, wings[1]]), f"arrow {css}")]
