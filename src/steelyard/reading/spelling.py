"""Is one number written in two ways?

A CSV file holds text. Where every label of its columns is a plain number, "1" in one column and "1.0" in the
other (an integer and a float of the program that wrote them) are one class; "01" is a code, and with one of
those among the labels all of them stay as they are written.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from decimal import Decimal
from typing import Any

from steelyard.counts.labels import is_missing

_PLAIN_NUMBER = re.compile(r"-?(0|[1-9]\d*)(\.\d+)?")


def one_spelling(labels: Iterable[Any]) -> dict[str, str]:
    """For each label that is a number written in another way elsewhere, the shortest way."""
    texts = {label for label in set(labels) if not is_missing(label)}
    if not all(isinstance(text, str) and _PLAIN_NUMBER.fullmatch(text) for text in texts):
        return {}
    ways: dict[Decimal, list[str]] = {}
    for text in sorted(texts, key=lambda text: (len(text), text)):
        ways.setdefault(Decimal(text), []).append(text)
    return {text: written[0] for written in ways.values() for text in written[1:]}


def spelling_note(spelled: Mapping[str, str]) -> str:
    """What was taken for one class."""
    pairs = ", ".join(f'"{text}" as "{own}"' for text, own in spelled.items())
    return f"Numbers written in two ways were read as one class: {pairs}."
