"""What a command is working at, on a terminal; nothing at all when standard error is piped."""

from __future__ import annotations

import sys
from contextlib import contextmanager
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator


@contextmanager
def progress_bar(words: str) -> Iterator[Callable[[float], None] | None]:
    """How far it has come: call what this gives with the part done, 0 to 1."""
    if not sys.stderr.isatty():
        yield None
        return
    from steelyard.report.progress import bar

    with bar(words) as report:
        yield report


@contextmanager
def shown_waiting(words: str) -> Iterator[None]:
    """That it is being worked at, where nobody knows how much is left."""
    if not sys.stderr.isatty():
        yield
        return
    from steelyard.report.progress import waiting

    with waiting(words):
        yield
