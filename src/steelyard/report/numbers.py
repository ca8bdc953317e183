"""How numbers are written, on every surface alike."""

from __future__ import annotations

import math


def shown(value: float | None) -> str:
    """A value with enough digits to compare and no more."""
    if value is None:
        return ""
    if math.isnan(value):
        return "undefined"
    return f"{value:.3f}" if abs(value) < 1000 else f"{value:,.0f}"


def count(value: float) -> str:
    """A count of examples, or a sum of weights."""
    return f"{value:,.6g}" if isinstance(value, float) else f"{value:,}"


def percent(share: float) -> str:
    """A share in per cent, rare ones with the digits they need."""
    value = 100 * share
    return f"{value:.1f} %" if value >= 0.1 or value == 0 else f"{value:.2g} %"


def p_value(value: float | None) -> str:
    return "" if value is None or math.isnan(value) else f"{value:.3f}" if value >= 0.001 else "< 0.001"


def p_relation(value: float | None) -> str:
    """A p-value in a sentence: '= 0.012' or '< 0.001'."""
    written = p_value(value)
    return written if written.startswith("<") else f"= {written}"
