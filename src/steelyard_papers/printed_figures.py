"""Printed figures of a paper, and agreement with ours to the digits printed."""

from __future__ import annotations

import json
from fractions import Fraction
from importlib import resources
from typing import Any

# For figures that stand exactly between two printed ones, which float64 may put on either side.
SLACK = Fraction(1, 10**9)


def printed(paper: str, file: str = "printed") -> dict[str, Any]:
    """The figures of a paper, as texts where digits matter: a JSON file of its folder."""
    text = (resources.files("steelyard_papers") / paper / f"{file}.json").read_text(encoding="utf-8")
    figures: dict[str, Any] = json.loads(text)
    return figures


def half_unit(figure: str) -> Fraction:
    """Half a unit of the last digit printed: how far rounding may have moved the figure."""
    return Fraction(1, 2 * 10 ** len(figure.partition(".")[2]))


def agrees(figure: str | None, ours: Fraction | float | None) -> bool:
    """Is ours within half a unit of the last printed digit?

    What is undefined agrees with what is undefined.
    """
    undefined = ours is None or ours != ours
    if not figure or undefined:
        return not figure and undefined
    assert ours is not None
    return abs(Fraction(ours) - Fraction(figure)) <= half_unit(figure) + SLACK


def agrees_when_cut(figure: str | None, ours: Fraction | float | None) -> bool:
    """Does ours give the printed figure when its further digits are cut off instead of rounded?"""
    if not figure or ours is None or ours != ours:
        return False
    unit = 2 * half_unit(figure)
    return unit * int(Fraction(ours) / unit) == Fraction(
        figure
    )  # int() cuts towards 0, as leaving digits out does


def shown(value: float | None, digits: int = 3) -> str:
    """A figure as the pages show it."""
    return "not defined" if value is None else f"{value:.{digits}f}"
