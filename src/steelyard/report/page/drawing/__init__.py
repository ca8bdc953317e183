"""Pictures as inline SVG: readable in print, on a dark page and without seeing colours.

Colours come from the page's style, lines differ in dash as well as in colour and are labelled where they end,
and every mark has a tooltip.
"""

from steelyard.report.page.drawing.dot_rows import MARKS, Dot, dot_rows
from steelyard.report.page.drawing.element import FONT, svg, text
from steelyard.report.page.drawing.heat_map import DARK_FROM, MOST_NUMBERED, cell_side, heat_map
from steelyard.report.page.drawing.lines import DASHES, Line, log_lines, plain_lines
from steelyard.report.page.drawing.plane import Path, plane
from steelyard.report.page.drawing.scales import UNIT, tick_marks

__all__ = [
    "DARK_FROM",
    "DASHES",
    "FONT",
    "MARKS",
    "MOST_NUMBERED",
    "UNIT",
    "Dot",
    "Line",
    "Path",
    "cell_side",
    "dot_rows",
    "heat_map",
    "log_lines",
    "plain_lines",
    "plane",
    "svg",
    "text",
    "tick_marks",
]
