"""Figures 1 and 2 of mullick2020, with computed values.

The paper's Figure 1 is a sketch without numbers: five classifiers on data that behave well, moderately and
ill. Here the same five are measured. Figures 2a, b, d and e are the data with the five boundaries.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

from steelyard_papers.experiment import ResultTable
from steelyard_papers.outputs import COLOURS, MARKERS, new_figure

QUALITIES = ("very poor", "poor", "moderate", "good", "very good")
# Figure 1's own colours, darkened where they would not show on white: magenta, red, green, blue, yellow.
QUALITY_COLOURS = ("#c2189b", "#d62728", "#2a9d2a", "#1f4fd1", "#c9a100")
# Its black lines: dotted for well behaved data, dashed for moderately, solid for ill behaved data.
BEHAVIOUR_LINES = (":", "--", "-")
BEHAVIOURS = ("well", "moderately", "ill")


def draw_figure_1(tables: Mapping[str, ResultTable]) -> Any:
    """Five classifiers, three test sets: an index without distortion would draw level lines."""
    figure, axes = new_figure(11, 4.2, 1, 2)
    titles = {
        "figure-1a": ("Fig. 1a: Precision, the class ratio of the test set changes", "RRT"),
        "figure-1b": ("Fig. 1b: AUROC-OVA, the number of classes grows", "C"),
    }
    for ax, (name, (title, words)) in zip(axes[0], titles.items(), strict=True):
        table = tables[name]
        for k, row in enumerate(table.rows):
            colour = QUALITY_COLOURS[k]
            ax.plot(range(3), row[2:5], MARKERS[k] + "-", color=colour, label=f"{row[0]} ({row[1]:.2f})")
            ax.axhline(row[5], color=colour, linestyle=(0, (1, 3)), linewidth=1)
        for place, line in enumerate(BEHAVIOUR_LINES):
            ax.axvline(place, color="#000000", linestyle=line, linewidth=0.8, zorder=0)
        ax.set_xticks(range(3), [f"{b} behaved\n{words} {c}" for b, c in _columns(table)])
        ax.set(title=title, ylim=(0, 1.02), ylabel="value of the index")
        ax.grid(axis="y", alpha=0.3)
        ax.legend(frameon=False, fontsize=8, title="classifier (recall)", title_fontsize=8)
    return figure


def _columns(table: ResultTable) -> list[tuple[str, str]]:
    return [
        (behaviour, column.rpartition(" ")[2])
        for behaviour, column in zip(BEHAVIOURS, table.columns[2:5], strict=True)
    ]


def draw_data(tables: Mapping[str, ResultTable]) -> Any:
    """Figures 2a, b, d, e: a drawn sample of the points, and the boundaries of the five classifiers."""
    figure, axes = new_figure(10, 8.6, 2, 2)
    for ax, (panel, title) in zip(
        axes.ravel(),
        {
            "2a": "Fig. 2a: two classes, RRT 1",
            "2b": "Fig. 2b: the class on the right thinned, RRT 10",
            "2d": "Fig. 2d: three classes",
            "2e": "Fig. 2e: six classes",
        }.items(),
        strict=True,
    ):
        rows = [row for row in tables["points"].rows if row[0] == panel]
        for k, name in enumerate(dict.fromkeys(row[1] for row in rows)):
            boundary = [row for row in rows if row[1] == name]
            ax.plot(
                [row[2] for row in boundary],
                [row[3] for row in boundary],
                MARKERS[k % 8],
                color=COLOURS[k % 8],
                markersize=3,
                alpha=0.6,
                label=f"class {name}",
            )
        if panel in ("2a", "2b"):
            for k, row in enumerate(tables["figure-1a"].rows):
                ax.axvline(row[6], color=QUALITY_COLOURS[k], linewidth=1.5)
        else:
            points = [(int(row[1]) - 1, row[2], row[3]) for row in rows]
            for k, row in enumerate(tables["figure-1b"].rows):
                turn = rotation_for(row[1], points)
                for angle in boundary_angles(3 if panel == "2d" else 6):
                    x, y = 1.9 * math.cos(angle + turn), 1.9 * math.sin(angle + turn)
                    ax.plot([0, x], [0, y], "-", color=QUALITY_COLOURS[k], linewidth=1.2)
            ax.set_aspect("equal")
        ax.set(title=title, xlabel="x", ylabel="y")
        if panel in ("2a", "2b"):
            ax.legend(fontsize=8, loc="upper right")
        else:
            ax.legend(frameon=False, fontsize=8, loc="center left", bbox_to_anchor=(1, 0.5))
    qualities = [
        axes[0][0].plot([], [], "-", color=colour, label=name)[0]
        for name, colour in zip(QUALITIES, QUALITY_COLOURS, strict=True)
    ]
    figure.legend(
        qualities, QUALITIES, loc="outside lower center", ncols=5, title="classifier", frameon=False
    )
    return figure


def rotation_for(recall: float, points: Sequence[tuple[int, float, float]]) -> float:
    """The smallest rotation of the boundaries, in steps of a degree, at which the mean recall of points
    (class, x, y) around the corners of the hexagon is at most this."""
    classes = 1 + max(corner for corner, _, _ in points)
    for degrees in range(61):
        turn = math.radians(degrees)
        corners = [2 * math.pi * corner / 6 + turn for corner in range(classes)]
        hits = sum(
            max(range(classes), key=lambda k: x * math.cos(corners[k]) + y * math.sin(corners[k])) == corner
            for corner, x, y in points
        )
        if hits <= recall * len(points):
            return turn
    return math.radians(60)


def boundary_angles(classes: int) -> list[float]:
    """The rays between neighbouring classes on the corners of the hexagon, where two linear scores are equal;
    the last lies between the last class and the first."""
    between = [(2 * i + 1) * math.pi / 6 for i in range(classes - 1)]
    # With six classes the circle closes; with fewer the last boundary lies opposite to the middle of all.
    return [*between, -math.pi / 6 if classes == 6 else (classes - 1) * math.pi / 6 + math.pi]


def draw_example_1(tables: Mapping[str, ResultTable]) -> Any:
    """Figures 2c and 2f: Precision over the class boundary, AUROC-OVA over the mean recall."""
    figure, axes = new_figure(11, 4.2, 1, 2)
    left, right = axes[0]
    for k, ratio in enumerate(dict.fromkeys(row[1] for row in tables["precision"].rows)):
        rows = [row for row in tables["precision"].rows if row[1] == ratio]
        left.plot(
            [row[0] for row in rows],
            [row[4] for row in rows],
            MARKERS[k % 8] + "-",
            color=COLOURS[k % 8],
            markersize=4,
            label=f"RRT {ratio:g}",
        )
    left.set(xlabel="class boundary", ylabel="Precision", title="Fig. 2c: Precision falls as RRT grows")
    for k, count in enumerate(dict.fromkeys(row[0] for row in tables["auroc-ova"].rows)):
        rows = sorted((row for row in tables["auroc-ova"].rows if row[0] == count), key=lambda row: row[2])
        right.plot(
            [row[2] for row in rows],
            [row[3] for row in rows],
            MARKERS[k % 8],
            color=COLOURS[k % 8],
            markersize=4,
            label=f"C = {count:g}",
        )
    right.set(
        xlabel="mean recall of the classes",
        ylabel="AUROC-OVA",
        title="Fig. 2f: AUROC-OVA rises with the number of classes",
    )
    for ax in (left, right):
        ax.legend(frameon=False)
        ax.grid(alpha=0.3)
    return figure
