"""Printed values of mortaz2020: examples and Tables 8, 10, 16 and 18."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction

from steelyard_papers.printed_figures import half_unit, printed

FIGURES = printed("mortaz2020")
# What the rows of Tables 8 and 10, 16 and 18 hold, in this order.
COLUMNS: tuple[str, ...] = tuple(FIGURES["columns"])

Rows = dict[str, list[str]]
GLASS: Rows = FIGURES["table 16"]
SATIMAGE: Rows = FIGURES["table 18"]
TABLES = {"glass": GLASS, "satimage": SATIMAGE}
EXAMPLE_3: Rows = FIGURES["tables 8 and 10"]


def contradictions(row: Sequence[str]) -> list[str]:
    """What is impossible in a printed row, rounding allowed for?

    Means over folds keep both relations, which are linear or termwise.
    """
    figures = dict(zip(COLUMNS, row, strict=True))
    cba, mar, map_, iam = (Fraction(figures[name]) for name in ("CBA", "MAR", "MAP", "IAM"))
    half, digits = half_unit(figures["CBA"]), len(figures["CBA"].partition(".")[2])
    rows = []
    if abs(iam - (2 * cba - 1)) > 3 * half:  # half a unit in IAM and one unit in 2 CBA
        rows.append(f"IAM {figures['IAM']} is not 2 CBA - 1 = {float(2 * cba - 1):.{digits}f}")
    if cba > min(mar, map_) + 2 * half:
        least = "MAR" if mar < map_ else "MAP"
        rows.append(f"CBA {figures['CBA']} exceeds {least} {figures[least]}")
    return rows
