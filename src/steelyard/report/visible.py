"""Which characters of a name would a reader obey instead of showing them?"""

from __future__ import annotations

import re

# They would hide or turn around what stands beside them.
_COMMANDS = re.compile("[\x00-\x08\x0e-\x1b\x7f-\x84\x86-\x9f\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]")


def visible(words: str) -> str:
    """The words, with what would be obeyed shown by its number."""
    return _COMMANDS.sub(lambda found: f"\\x{ord(found.group()):02x}", words)
