"""mortaz2020: Tables 2, 3, 5, 6 and 9, from the confusion matrices CM1 to CM4 of its examples 1 and 2."""

from __future__ import annotations

from fractions import Fraction

import pytest

import steelyard as sy
from tests.papers.printed import rounds_to

CM1 = [[4900, 90, 10, 0], [255, 245, 0, 0], [45, 5, 45, 5], [11, 3, 1, 10]]
CM2 = [[4900, 90, 10, 0], [250, 250, 0, 0], [50, 10, 35, 5], [9, 4, 2, 10]]
CM3 = [[100, 102, 99], [105, 100, 10], [102, 10, 90]]
CM4 = [[114, 86, 101], [100, 100, 15], [110, 10, 82]]

COLUMNS = ("ACC", "MAP", "MAR", "macro_f_beta", "CBA")
TABLES = {
    "Table 2": (CM1, ("0.92", "0.78", "0.58", "0.65", "0.57")),
    "Table 3": (CM2, ("0.92", "0.76", "0.56", "0.63", "0.55")),
    "Table 5": (CM3, ("0.40", "0.42", "0.41", "0.41", "0.41")),
    "Table 6": (CM4, ("0.41", "0.42", "0.42", "0.42", "0.40")),
}
TABLE_9 = {
    "Example 1a": (CM1, "0.14"),
    "Example 1b": (CM2, "0.10"),
    "Example 2a": (CM3, "-0.175"),
    "Example 2b": (CM4, "-0.185"),
}

CUT_OFF = {
    # Figures whose next digit was dropped instead of rounded, with the exact values in fractions typed from the matrices.
    ("Table 5", "macro_f_beta"): Fraction(1, 3)
    * (Fraction(200, 608) + Fraction(200, 427) + Fraction(180, 401)),  # 0.4154, printed 0.41
    ("Table 6", "MAP"): Fraction(1, 3)
    * (Fraction(114, 324) + Fraction(100, 196) + Fraction(82, 198)),  # 0.4254, printed 0.42
    ("Table 6", "CBA"): Fraction(1, 3)
    * (Fraction(114, 324) + Fraction(100, 215) + Fraction(82, 202)),  # 0.4076, printed 0.40
    ("Table 9", "Example 2a"): Fraction(1, 3)
    * (Fraction(100 - 207, 307) + Fraction(100 - 115, 215) + Fraction(90 - 112, 202)),  # -0.1757
}


def is_cut_off_as(value: float, figure: str) -> bool:
    """Is the figure the value with its further digits dropped (towards 0), and not the rounded value?"""
    places = len(figure.partition(".")[2])
    return int(value * 10**places) == round(float(figure) * 10**places) and not rounds_to(value, figure)


@pytest.mark.parametrize(("table", "name"), [(table, name) for table in TABLES for name in COLUMNS])
def test_tables_2_3_5_6(table: str, name: str) -> None:
    matrix, figures = TABLES[table]
    figure, measure = figures[COLUMNS.index(name)], sy.measure(name)
    if (table, name) in CUT_OFF:
        assert measure.exact(matrix) == CUT_OFF[table, name]
        assert is_cut_off_as(measure(matrix), figure)
    else:
        assert rounds_to(measure(matrix), figure)


@pytest.mark.parametrize("example", list(TABLE_9))
def test_table_9(example: str) -> None:
    matrix, figure = TABLE_9[example]
    measure = sy.measure("IAM")
    if ("Table 9", example) in CUT_OFF:
        assert measure.exact(matrix) == CUT_OFF["Table 9", example]
        assert is_cut_off_as(measure(matrix), figure)
    else:
        assert rounds_to(measure(matrix), figure)


def test_class_sizes_are_those_of_tables_1_and_4() -> None:
    """The rows of the matrices are truth: their sums are the printed class frequencies."""
    assert sy.Confusion(CM1).actual.tolist() == sy.Confusion(CM2).actual.tolist() == [5000, 500, 100, 25]
    assert sy.Confusion(CM3).actual.tolist() == sy.Confusion(CM4).actual.tolist() == [301, 215, 202]
