"""What Rich draws on a terminal: text in colours, wide letters, wide tables, and progress bars."""

from __future__ import annotations

import io
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Literal

from rich.cells import cell_len
from rich.console import Console
from rich.progress import (
    BarColumn,
    Progress,
    SpinnerColumn,
    TextColumn,
    TimeElapsedColumn,
    TimeRemainingColumn,
)
from rich.table import Table as RichTable
from rich.text import Text

from steelyard.report.plain_text import cell_text, visible
from steelyard.report.sections import Cell, Table, Tone

_STYLES: dict[str, str] = {
    "plain": "",
    "strong": "bold",
    "soft": "dim",
    "good": "green",
    "bad": "yellow",
    "open": "yellow",
    "code": "",
    "title": "bold",
}
# Characters of a word from which on it may be broken for the sake of others.
LONGEST_WORD = 16


class RichWriter:
    """Lines of a report as Rich breaks and colours them."""

    def __init__(self, width: int, colours: bool) -> None:
        self.width = width
        self._buffer = io.StringIO()
        # Rich would talk to Jupyter by itself, beside the text that is returned here.
        self._console = Console(
            file=self._buffer,
            width=width,
            highlight=False,
            force_jupyter=False,
            force_terminal=colours,
            color_system="standard" if colours else None,
            legacy_windows=False,
        )

    def line(self, *texts: tuple[str, Tone | Literal["title"]]) -> None:
        self._console.print(*(_styled(text, tone) for text, tone in texts))

    def unbroken(self, line: str) -> None:
        self._console.print(_styled(line), no_wrap=True, overflow="ignore", crop=False)

    def text(self) -> str:
        return self._buffer.getvalue()

    def table(self, table: Table) -> None:
        rich = RichTable(
            title=_styled(table.title) if table.title else None,
            title_justify="left",
            title_style="bold",
            box=None,
            pad_edge=False,
            header_style="dim",
            collapse_padding=True,
            show_header=any(column.name for column in table.columns),
        )
        # Else digits would be cut off; broken lines lose nothing.
        fits = _natural_width(table) <= self.width
        words_fit = _longest_words(table)
        unbroken = sum(words_fit) + len(words_fit) - 1 <= self.width
        for place, column in enumerate(table.columns):
            right = column.kind == "number"
            rich.add_column(
                _styled(column.name),
                justify="right" if right else "left",
                no_wrap=column.whole or (right and fits),
                overflow="fold",
                min_width=words_fit[place] if unbroken else None,
            )
        for row in table.rows[: table.most_printed]:
            rich.add_row(*map(_cell, row))
        self._console.print(rich)


def _styled(text: str, tone: str = "plain") -> Text:
    return Text(visible(text), style=_STYLES[tone])


def _longest_words(table: Table) -> list[int]:
    """The characters of each column's longest number or word: narrower, it would be broken inside."""
    rows = table.rows[: table.most_printed]
    widths = []
    for place, column in enumerate(table.columns):
        texts = [column.name, *(visible(cell_text(row[place])) for row in rows)]
        widths.append(
            max((min(cell_len(word), LONGEST_WORD) for text in texts for word in text.split()), default=1)
        )
    return widths


def _natural_width(table: Table) -> int:
    """Characters that the columns need which are not to be broken, and six for each of the others."""
    rows = table.rows[: table.most_printed]
    need = 0
    for place, column in enumerate(table.columns):
        longest = max([cell_len(column.name), *(cell_len(visible(cell_text(row[place]))) for row in rows)])
        need += longest if column.kind == "number" or column.whole else min(longest, 6)
    return need + len(table.columns) - 1


def _cell(cell: Cell | str) -> Text:
    if isinstance(cell, str):
        return _styled(cell)
    text = _styled(cell.words, cell.tone)
    for more in (cell.aside, "; ".join(map(str, cell.matrices))):
        if more:
            text.append(" " if text.plain else "")
            text.append(_styled(more, "soft"))
    return text


# Call what it gives with the part done, 0 to 1.
@contextmanager
def bar(words: str) -> Iterator[Callable[[float], None]]:
    """A bar on standard error that is gone when the work is done."""
    columns = (TextColumn("{task.description}", markup=False), BarColumn(), TimeRemainingColumn())
    with Progress(*columns, console=Console(stderr=True), transient=True) as progress:
        task = progress.add_task(words, total=1.0)
        yield lambda done: progress.update(task, completed=done)


# Gone when it is done.
@contextmanager
def waiting(words: str) -> Iterator[None]:
    """What is worked at and for how long, on standard error, where nobody knows how much is left."""
    columns = (SpinnerColumn(), TextColumn("{task.description}", markup=False), TimeElapsedColumn())
    with Progress(*columns, console=Console(stderr=True), transient=True) as progress:
        progress.add_task(words, total=None)
        yield
