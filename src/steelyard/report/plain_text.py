"""Text without colours: sentences broken between words, tables of columns that have room."""

from __future__ import annotations

import re
from typing import Literal

from steelyard.report.sections import Cell, Table, Tone


class NeedsRichError(Exception):
    """The text has colours, letters of several cells, or a table that is wider than the terminal."""


class PlainWriter:
    """Text without colours: importing Rich takes as long as evaluating a small file."""

    def __init__(self, width: int) -> None:
        self.width = width
        self._lines: list[str] = []

    def line(self, *texts: tuple[str, Tone | Literal["title"]]) -> None:
        """Texts side by side, broken between words."""
        for paragraph in " ".join(visible(text) for text, _ in texts).split("\n"):
            line = ""
            for word in re.findall(r"\s*\S+\s*", paragraph):
                if _cells(word.rstrip()) > self.width:
                    raise NeedsRichError
                if line and len(line) + len(word.rstrip()) > self.width:
                    self._lines.append(line)
                    line = ""
                line += word
            self._lines.append(line)

    def unbroken(self, line: str) -> None:
        """A line that is copied, however long it is."""
        self._lines.append(visible(line))

    def table(self, table: Table) -> None:
        """A table without the sentence on rows left out."""
        rows = [[visible(cell_text(cell)) for cell in row] for row in table.rows[: table.most_printed]]
        if any(column.name for column in table.columns):
            rows.insert(0, [visible(column.name) for column in table.columns])
        widths = [max(map(_cells, cells)) for cells in zip(*rows, strict=True)]
        whole = sum(widths) + len(widths) - 1
        if whole > self.width or len(table.title) > whole:
            raise NeedsRichError
        self._lines += [visible(table.title)] if table.title else []
        right = [column.kind == "number" for column in table.columns]
        for row in rows:
            cells = zip(row, widths, right, strict=True)
            self._lines.append(" ".join(c.rjust(width) if r else c.ljust(width) for c, width, r in cells))

    def text(self) -> str:
        return "\n".join(self._lines)


def visible(text: str) -> str:
    """Text for a terminal; control characters, which a class name may hold, are shown instead of obeyed."""
    return "".join(ch if ch == "\n" or ch.isprintable() else f"\\x{ord(ch):02x}" for ch in text)


def cell_text(cell: Cell | str) -> str:
    """The text of a cell with what stands beside it."""
    if isinstance(cell, str):
        return cell
    return " ".join(filter(None, (cell.words, cell.aside, "; ".join(map(str, cell.matrices)))))


def _cells(text: str) -> int:
    """The places that a text of one line takes."""
    # East Asian letters take two places, combining marks none: Rich knows which. Below U+0300 each takes one.
    if "\n" in text or (not text.isascii() and any(ch >= "\u0300" and ch not in _NARROW for ch in text)):
        raise NeedsRichError
    return len(text)


# Signs of our own sentences that take one place.
_NARROW = "–—’“”•…→↑↓−≤≥≈×·"
