"""Does a value round to the figure a paper prints?"""

from __future__ import annotations


def rounds_to(value: float, figure: str, decimals: int | None = None) -> bool:
    """Is the figure within half a unit of its last printed place of the value?

    `decimals` is for tables that drop trailing zeros: '24' in a column of figures with one decimal stands for 24.0.
    """
    places = len(figure.partition(".")[2]) if decimals is None else decimals
    return abs(value - float(figure)) <= 0.5 * 10**-places + 1e-12
