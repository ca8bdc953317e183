"""The pictures of a comparison with Matplotlib, for files and notebooks: the same as those of its page."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

from steelyard.errors import UnknownNameError
from steelyard.measures.short_names import short_name
from steelyard.report.class_names import short
from steelyard.report.figures import new_figure

if TYPE_CHECKING:
    from steelyard.judgement.compare.result import Comparison

COLOURS = ("#0072b2", "#d55e00", "#009e73", "#cc79a7", "#8a6d00", "#666666")
"""Okabe and Ito's, which colour-blind readers can tell apart; marks differ in shape as well."""
SHAPES = ("o", "D", "s", "^", "v", "P")


def plot(result: Comparison, kind: str) -> Any:
    """A Matplotlib figure: "ranking", "values" or "differences"."""
    if kind not in KINDS:
        raise UnknownNameError("picture", kind, KINDS)
    return KINDS[kind](result)


def _rows(height: int) -> tuple[Any, Any]:
    figure = new_figure(7, 1.3 + 0.34 * height)
    return figure, figure.subplots()


def _named(ax: Any, names: Sequence[str]) -> None:
    ax.set_yticks(range(len(names)), names)
    ax.invert_yaxis()
    ax.grid(axis="x", alpha=0.3)


def _ranking(result: Comparison) -> Any:
    figure, ax = _rows(len(result.ranking))
    for place, ranked in enumerate(result.ranking):
        found = result.values[ranked.model][result.by.name]
        _mark(ax, place, (found.value, found.low, found.high), 0)
    _named(ax, [short(ranked.model) for ranked in result.ranking])
    ax.set(xlabel=f"{result.by.title}, {100 * result.settings['level']:g} % interval")
    return figure


def _values(result: Comparison) -> Any:
    figure, ax = _rows(2 * len(result.measures))
    for k, model in enumerate(result.models):
        for place, m in enumerate(result.measures):
            found = result.values[model][m.name]
            ends = [m.normalise(x, len(result.labels)) for x in (found.value, found.low, found.high)]
            if None in ends:
                continue
            shift = 0.5 * (k - (len(result.models) - 1) / 2) / max(1, len(result.models))
            _mark(ax, place + shift, (ends[0], ends[1], ends[2]), k, short(model) if not place else "")
    _named(ax, [short_name(m) for m in result.measures])
    ax.set(xlim=(-0.02, 1.02))
    ax.set_xticks([0, 0.5, 1], ["worst", "", "best"])
    ax.legend(loc="upper center", bbox_to_anchor=(0.5, -0.04), ncols=3, frameon=False)
    return figure


def _differences(result: Comparison) -> Any:
    first, second = result.ranking[0].model, result.ranking[1].model
    pair = result.pair(first, second)
    figure, ax = _rows(len(result.measures))
    for place, m in enumerate(result.measures):
        found = pair.differences[m.name]
        _mark(ax, place, (found.value, found.low, found.high), 0 if found.is_clear else 5)
    ax.axvline(0, color="black", linewidth=0.8)
    _named(ax, [short_name(m) for m in result.measures])
    ax.set(xlabel=f"{short(pair.first)} minus {short(pair.second)}; grey: zero is inside the interval")
    return figure


def _mark(ax: Any, place: float, ends: tuple[float, float, float], k: int, label: str = "") -> None:
    value, low, high = ends
    if math.isnan(value):
        return
    colour, shape = COLOURS[k % len(COLOURS)], SHAPES[k % len(SHAPES)]
    if not math.isnan(low):
        ax.plot([low, high], [place, place], color=colour, linewidth=1.5)
    ax.plot([value], [place], shape, color=colour, label=label or "_")


KINDS: dict[str, Callable[[Comparison], Any]] = {
    "ranking": _ranking,
    "values": _values,
    "differences": _differences,
}
