"""How far long work has come, on the terminal."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager

from rich.console import Console
from rich.progress import (
    BarColumn,
    Progress,
    SpinnerColumn,
    TextColumn,
    TimeElapsedColumn,
    TimeRemainingColumn,
)


@contextmanager
def bar(words: str) -> Iterator[Callable[[float], None]]:
    """A bar on standard error that is gone when the work is done; call what it gives with the part done, 0 to
    1."""
    columns = (TextColumn("{task.description}", markup=False), BarColumn(), TimeRemainingColumn())
    with Progress(*columns, console=Console(stderr=True), transient=True) as progress:
        task = progress.add_task(words, total=1.0)
        yield lambda done: progress.update(task, completed=done)


@contextmanager
def waiting(words: str) -> Iterator[None]:
    """What is worked at and for how long, on standard error, where nobody knows how much is left; gone when
    it is done."""
    columns = (SpinnerColumn(), TextColumn("{task.description}", markup=False), TimeElapsedColumn())
    with Progress(*columns, console=Console(stderr=True), transient=True) as progress:
        progress.add_task(words, total=None)
        yield
