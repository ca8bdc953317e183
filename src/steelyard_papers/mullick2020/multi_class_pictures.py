"""Figures 4 and 5 of mullick2020 on the sets used here."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from steelyard_papers.experiment import ResultTable
from steelyard_papers.outputs import COLOURS, MARKERS, new_figure


def draw_spread(tables: Mapping[str, ResultTable]) -> Any:
    figure, axes = new_figure(12, 4.2, 1, 2)
    for ax, name, indices, words in (
        (axes[0][0], "spread", tables["spread"].columns[2:], "standard deviation over RRT"),
        (axes[0][1], "stability", ("ACSA", "nAUROC-OVA"), "standard deviation / least over the sets"),
    ):
        _lines(ax, tables[name], indices, words)
        ax.set(title="Fig. 4a" if name == "spread" else "Fig. 4b")
    return figure


def draw_least(tables: Mapping[str, ResultTable]) -> Any:
    figure, axes = new_figure(8, 4.2)
    _lines(axes[0][0], tables["least"], tables["least"].columns[2:], "least value")
    axes[0][0].set(title="Fig. 5")
    # Outside the axes: seven lines leave no room inside.
    axes[0][0].legend(frameon=False, fontsize=8, loc="center left", bbox_to_anchor=(1, 0.5))
    return figure


def _lines(ax: Any, table: ResultTable, indices: Sequence[str], words: str) -> None:
    for k, index in enumerate(indices):
        column = table.columns.index(index)
        ax.plot(
            range(len(table.rows)),
            [row[column] for row in table.rows],
            MARKERS[k] + "-",
            color=COLOURS[k],
            label=index,
            markersize=5,
            linewidth=1,
        )
    ax.set_xticks(range(len(table.rows)), [row[0] for row in table.rows], rotation=45, ha="right", fontsize=8)
    ax.set(ylabel=words)
    ax.grid(alpha=0.3)
    ax.legend(frameon=False, fontsize=8)
