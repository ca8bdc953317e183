"""Does our figure agree with the one a paper prints?"""

from __future__ import annotations

from decimal import Decimal


def agrees(printed: str | None, ours: float | None) -> bool:
    """Is ours within half a unit of the last printed digit? An undefined figure agrees with an undefined one only."""
    if printed is None or ours is None:
        return printed is None and ours is None
    exponent = Decimal(printed).as_tuple().exponent
    unit = Decimal(1).scaleb(exponent if isinstance(exponent, int) else 0)
    # The slack is for figures that stand exactly between two printed ones, which float64 may put on either side.
    return abs(Decimal(repr(ours)) - Decimal(printed)) <= unit / 2 + Decimal("1e-9")


def shown(value: float | None, digits: int = 3) -> str:
    """A figure as the pages show it."""
    return "not defined" if value is None else f"{value:.{digits}f}"
