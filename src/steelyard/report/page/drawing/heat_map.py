"""How does a confusion matrix look? Cells that are darker where the share is larger."""

from __future__ import annotations

from collections.abc import Sequence
from xml.etree.ElementTree import Element

from steelyard.report.class_names import short_names
from steelyard.report.page.drawing.element import following, rectangle, svg, text, told

MOST_NUMBERED = 14
"""Classes up to which the cells of a matrix have room for numbers."""
DARK_FROM = 0.7
"""The value from which a cell is dark enough for light words: there both inks are equally far from it."""
SIDES = ((4, 84), (8, 56), (MOST_NUMBERED, 42))
"""Up to so many classes a cell has sides of so many pixels."""
TINY = 14
LEFT, TOP = 118, 104
"""Room for the names of the classes."""


def heat_map(
    rows: Sequence[str],
    columns: Sequence[str],
    values: Sequence[Sequence[float]],
    shown: Sequence[Sequence[str]],
    tips: Sequence[Sequence[str]],
    title: str,
    follows: str = "",
) -> str:
    """A matrix of cells, darker where the value (0 to 1) is larger; numbers are written while they fit.

    `follows` says what of a live part a cell shows, before its row and column.
    """
    side = cell_side(len(rows))
    numbers = len(rows) <= MOST_NUMBERED
    body = _names(rows, columns, side)
    for i in range(len(rows)):
        for j in range(len(columns)):
            words = shown[i][j] if numbers else ""
            facts = following(f"{follows}:{i}:{j}" if follows else "")
            body.append(told(tips[i][j], *_cell(i, j, side, values[i][j], words), **facts))
    return svg(LEFT + side * len(columns) + 40, TOP + side * len(rows) + 10, body, title)


def cell_side(classes: int) -> int:
    """The side of a cell among so many classes."""
    return next((side for most, side in SIDES if classes <= most), TINY)


def _names(rows: Sequence[str], columns: Sequence[str], side: int) -> list[Element]:
    body = [
        text(LEFT + side * len(columns) / 2, 14, "prediction", "middle", "axis"),
        text(12, TOP + side * len(rows) / 2, "truth", "middle", "axis", turn=-90),
    ]
    for j, (name, shown) in enumerate(zip(columns, short_names(columns, 12), strict=True)):
        x = LEFT + side * (j + 0.5) + 4
        body.append(text(x, TOP - 8, shown, "start", "label", turn=-55, tip=name))
    for i, (name, shown) in enumerate(zip(rows, short_names(rows, 13), strict=True)):
        y = TOP + side * (i + 0.5) + 4
        body.append(text(LEFT - 8, y, shown, "end", "label", tip=name))
    return body


def _cell(i: int, j: int, side: int, value: float, words: str) -> list[Element]:
    share = min(max(value, 0.0), 1.0)
    corner = (LEFT + side * j + 1, TOP + side * i + 1)
    css = "cell diagonal" if i == j else "cell"
    body = [
        rectangle(corner, side - 2, side - 2, css, rx="2", fill_opacity=f"{0.04 + 0.96 * share:.3f}"),
    ]
    if words:
        ink = "on-dark" if share > DARK_FROM else "on-light"
        body.append(text(LEFT + side * (j + 0.5), TOP + side * (i + 0.5) + 4, words, "middle", ink))
    return body
