"""Names in text: class names that fit a sentence or a narrow column, control characters made visible."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from os.path import commonprefix

LONGEST_NAME = 24


def short(name: object, most: int = LONGEST_NAME) -> str:
    """A class name that fits: its middle is left out, because names differ at their ends."""
    text = " ".join(str(name).split()) or "(blank)"
    if len(text) <= most:
        return text
    head = (most - 1) // 2
    return f"{text[:head]}…{text[-(most - 1 - head) :]}"


# Where leaving out the middle makes them so, what they differ in is kept; where that is too long, their place
# tells them apart.
def short_names(names: Sequence[object], most: int = LONGEST_NAME) -> list[str]:
    """The names of all classes, each short and no two alike that were not."""
    shortened = [short(name, most) for name in names]
    times = Counter(shortened)
    alike = [name for name, shown in zip(names, shortened, strict=True) if times[shown] > 1]
    if not alike:
        return shortened
    texts = [" ".join(str(name).split()) for name in alike]
    behind = len(commonprefix([text[::-1] for text in texts]))  # noqa: RUF071 - letters are meant, not folders
    windows = {
        name: "…" + (text[: len(text) - behind] if behind else text)[2 - most :] + ("…" if behind else "")
        for name, text in zip(alike, texts, strict=True)
    }
    distinct = len(set(windows.values())) == len(windows)
    return [
        shown if name not in windows else windows[name] if distinct else f"{shown[: most - 6]}… {place}"
        for place, (name, shown) in enumerate(zip(names, shortened, strict=True), start=1)
    ]


def quoted(label: object) -> str:
    """A class inside a sentence: "fraud", "1"."""
    return f'"{short(label)}"'


# They would hide or turn around what stands beside them.
_COMMANDS = re.compile("[\x00-\x08\x0e-\x1b\x7f-\x84\x86-\x9f\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]")


def visible(words: str) -> str:
    """The words, with what would be obeyed shown by its number."""
    return _COMMANDS.sub(lambda match: f"\\x{ord(match.group()):02x}", words)
