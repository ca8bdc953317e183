"""How are numbers written, on every surface alike? With the digits that say something, and no more."""

from __future__ import annotations

import math

# From here on a float does not hold every whole number: it is a sum of weights.
_NO_COUNT = 1e15


def shown(value: float | None) -> str:
    """A value with three digits that say something: 0.561, 0.0101, 0.99987."""
    if value is None:
        return ""
    if math.isnan(value):
        return "undefined"
    size = abs(value)
    if math.isinf(value):
        return "infinity" if value > 0 else "-infinity"
    if size >= 1000:
        return f"{value:,.0f}" if size < _NO_COUNT else f"{value:.3g}"
    return f"{value:.{_decimals(size)}f}" if size >= 1e-6 or not size else f"{value:.2e}"


def between(low: float | None, high: float | None) -> str:
    """The two ends of an interval, with digits enough to tell them apart."""
    if low is None or high is None or math.isnan(low) or math.isnan(high):
        return ""
    return f"{shown(low)} to {shown(high)}"


def signed(value: float) -> str:
    """A difference, its sign always written."""
    return shown(value) if math.isnan(value) or value < 0 else f"+{shown(value)}"


def count(value: float) -> str:
    """A count of examples, exactly; a sum of weights with what it needs behind the point, and in powers of
    ten where its digits say nothing.

    >>> count(12345), count(1234.56), count(4.048e202)
    ('12,345', '1,234.6', '4.05e+202')
    """
    if abs(value) >= _NO_COUNT:
        return f"{value:.3g}"
    if value == int(value) if math.isfinite(value) else False:
        return f"{int(value):,}"
    return f"{value:,.1f}" if abs(value) >= 100 else f"{value:,.2f}" if abs(value) >= 0.01 else f"{value:.2g}"


def percent(share: float) -> str:
    """A share in per cent; rare ones, and those that are rarely not, with the digits they need."""
    value = 100 * share
    if math.isnan(value):
        return "undefined"
    gap = min(abs(value), abs(100 - value))
    if gap == 0 or gap >= 10:
        return f"{value:.0f}%"
    if abs(value) < 1e-5:  # a row of zeros would have to be counted
        return f"{value:.2g}%"
    return f"{value:.{min(8, max(1, 1 - math.floor(math.log10(gap))))}f}%"


def one_decimal(share: float) -> str:
    """A share in per cent beside others: one decimal, more where a share near 0 or 1 needs them."""
    return f"{100 * share:.1f}%" if 0.001 <= share <= 0.999 else percent(share)


def percents_between(low: float, high: float) -> str:
    """The two ends of an interval of shares in per cent; beside 0 and 100% their digits say nothing.

    >>> percents_between(1e-9, 0.021), percents_between(0.68, 0.999999)
    ('below 0.01% to 2.1%', '68% to above 99.99%')
    """
    lower, upper = (
        "below 0.01%" if 0 < share < 1e-4 else "above 99.99%" if 1 - 1e-4 < share < 1 else percent(share)
        for share in (low, high)
    )
    return f"{lower} to {upper}"


def distinct_percents(first: float, second: float) -> tuple[str, str]:
    """Two shares in per cent with as many digits, enough to tell them apart where they differ."""
    places = max(len(percent(share).removesuffix("%").partition(".")[2]) for share in (first, second))
    first_text, second_text = (f"{100 * share:.{places}f}%" for share in (first, second))
    while first_text == second_text and first != second and places < 9:
        places += 1
        first_text, second_text = (f"{100 * share:.{places}f}%" for share in (first, second))
    return first_text, second_text


def distinct_from(value: float, bound: float) -> str:
    """A value as it is shown, with digits enough to tell it from a bound that it does not reach.

    >>> distinct_from(0.8996, 0.9), distinct_from(0.892, 0.9)
    ('0.8996', '0.892')
    """
    written, other, places = shown(value), shown(bound), 4
    while written == other and value != bound and places < 13:
        written, other, places = f"{value:.{places}f}", f"{bound:.{places}f}", places + 1
    return written


def threshold_shown(threshold: float) -> str:
    """A threshold with enough digits to tell it from its neighbours."""
    if math.isinf(threshold):
        return "infinity (nothing)" if threshold > 0 else "-infinity (everything)"
    return f"{threshold:.6g}"


def probability(value: float | None) -> str:
    """A probability from simulation, which is never known to be exactly 0 or 1."""
    if value is None or math.isnan(value):
        return ""
    return "> 0.999" if value > 0.999 else "< 0.001" if value < 0.001 else f"{value:.3f}"


def p_value(value: float | None, at_most: bool = False) -> str:
    """A p-value; one that is only known to be at most this, because no draw reached further, says so."""
    if value is None or math.isnan(value):
        return ""
    return f"{'≤ ' if at_most else ''}{value:.3f}" if value >= 0.001 else "< 0.001"


def p_relation(value: float | None) -> str:
    """A p-value in a sentence: '= 0.012' or '< 0.001'."""
    written = p_value(value)
    return written if written.startswith("<") else f"= {written}"


def rounded_up(value: float) -> float:
    """The least round number (1, 2 or 5 times a power of ten) that is not below a value."""
    power = 10.0 ** math.floor(math.log10(value)) if value > 0 else 1.0
    return next(step * power for step in (1, 2, 5, 10) if step * power >= value * (1 - 1e-9))


# Three, or as many as show three that are not 0 (below) or two that are not 9 (just below 1).
def _decimals(size: float) -> int:
    """Digits behind the point."""
    # Rounding comes first: 0.0996 is written 0.100, not 0.0996, and 0.9996 needs its fourth digit.
    if 0 < size < 0.0995:
        return 2 - math.floor(math.log10(size))
    if 0.9995 <= size < 1:
        return min(12, 1 - math.floor(math.log10(1 - size)))
    return 3
