"""How does a report look on a terminal? Sentences broken between words, tables of columns that have room."""

# Written by hand: importing Rich takes as long as evaluating a small file.

from __future__ import annotations

import os
import re
import shlex
import shutil
import sys
import unicodedata
from collections.abc import Iterator, Sequence
from itertools import accumulate, takewhile
from typing import Literal, TextIO

from steelyard.report.sections import Cell, Column, Depth, Report, Sentence, Table, Tone, as_cell, text_blocks

# Characters a line where nobody says how many there are: a pipe, a file.
USUAL_WIDTH = 100
# Characters of a word from which on it may be broken for the sake of others.
LONGEST_WORD = 16
# Codes of a terminal (ECMA-48): bold, dim, green, yellow.
_COLOURS = {"strong": 1, "title": 1, "soft": 2, "good": 32, "bad": 33, "open": 33}


def show(report: Report, depth: Depth = "full") -> None:
    """The report on standard output, in colours where it is a terminal."""
    text = rendered(report, depth, width(), colours=sys.stdout.isatty() and "NO_COLOR" not in os.environ)
    written(text)


def written(text: str, stream: TextIO | None = None) -> None:
    """Text on standard output; what its encoding does not know is replaced, not refused."""
    stream = stream or sys.stdout
    encoding = getattr(stream, "encoding", None) or "utf-8"
    print(text.encode(encoding, "replace").decode(encoding), file=stream)


def note(text: str) -> None:
    """One line on standard error, so that a pipe stays clean."""
    written(text, sys.stderr)


def plain_text(report: Report, depth: Depth = "brief") -> str:
    """The report as text without colours, for `repr` and logs."""
    return rendered(report, depth, width(), colours=False)


def width() -> int:
    """Characters a line: COLUMNS, the terminal's own, or the usual number."""
    return shutil.get_terminal_size((USUAL_WIDTH, 24)).columns


def rendered(report: Report, depth: Depth, columns: int, colours: bool) -> str:
    """The report as text of so many columns."""
    out = _Text(columns, colours)
    out.line(report.title, "title")
    for section in report.at(depth):
        blocks = list(text_blocks(section.blocks, depth))
        if not blocks:
            continue
        out.line()
        if section.title:
            out.line(section.title, "title")
        if section.note:
            out.line(section.note, "soft")
        for block in blocks:
            match block:
                case Sentence(text, "code"):
                    out.lines += map(visible, _shell_lines(text, columns))
                case Sentence(text, tone):
                    out.line(text, tone)
                case Table():
                    out.table(block.at(depth))
    if report.footer and depth != "brief":
        out.line()
        out.line(report.footer, "soft")
    return "\n".join(line.rstrip() for line in out.lines)


class _Text:
    """Lines of text, in colours where a terminal shows them."""

    def __init__(self, width: int, colours: bool) -> None:
        self.width, self._colours = width, colours
        self.lines: list[str] = []

    def line(self, text: str = "", tone: Tone | Literal["title"] = "plain") -> None:
        """A paragraph, broken between words."""
        self.lines += [self._styled(line.rstrip(), tone) for line in _wrapped(visible(text), self.width)]

    def table(self, table: Table) -> None:
        """A table, and a sentence on the rows that are left out."""
        if table.title:
            self.line(table.title, "title")
        rows = [list(map(as_cell, row)) for row in table.rows[: table.most_printed]]
        has_head = any(column.name for column in table.columns)
        if has_head:
            rows.insert(0, [Cell(column.name, "soft") for column in table.columns])
        texts = [[_cell_text(cell) for cell in row] for row in rows]
        widths = self._widths(table.columns, texts, int(has_head))
        for place, row in enumerate(rows):
            cells = [list(self._cell(*of)) for of in zip(row, table.columns, widths, strict=True)]
            height = max(map(len, cells))
            for lines, width in zip(cells, widths, strict=True):
                # Names of columns stand right above their cells.
                blank = [" " * width] * (height - len(lines))
                lines[:] = [*blank, *lines] if has_head and not place else [*lines, *blank]
            self.lines += map(" ".join, zip(*cells, strict=True))
        if more := table.left_out(table.most_printed):
            self.line(more, "soft")

    def _widths(self, columns: Sequence[Column], rows: Sequence[Sequence[str]], heads: int) -> list[int]:
        """Characters of each column: what it needs; where that is too much, the widest are narrowed."""
        texts = list(zip(*rows, strict=True))

        def widest(column: Sequence[str]) -> int:
            return max((_width(line) for text in column for line in text.split("\n")), default=0)

        widths = list(map(widest, texts))
        words = [
            max((min(_width(word), LONGEST_WORD) for text in column for word in text.split()), default=1)
            for column in texts
        ]
        # Numbers and what is to be copied stay whole as long as others, and heads, can be broken between
        # words; a word is broken inside only where nothing else helps.
        unbroken = [
            max(word, widest(text[heads:]) if column.whole or column.kind == "number" else 0)
            for column, text, word in zip(columns, texts, words, strict=True)
        ]
        for least in (unbroken, words, [1] * len(words)):
            while sum(widths) + len(widths) - 1 > self.width:
                wide = [k for k, width in enumerate(widths) if width > least[k]]
                if not wide:
                    break
                widths[max(wide, key=widths.__getitem__)] -= 1
        return widths

    def _cell(self, cell: Cell, column: Column, width: int) -> Iterator[str]:
        """The lines of a cell, in its tone up to where softer words stand beside it."""
        left = len(visible(cell.words))
        for line in _wrapped(_cell_text(cell), width):
            text = line.rstrip()
            space = " " * (width - _width(text))
            styled = self._styled(text[:left], cell.tone) + self._styled(text[left:], "soft")
            yield space + styled if column.kind == "number" else styled + space
            left = max(0, left - len(line))

    def _styled(self, text: str, tone: Tone | Literal["title"]) -> str:
        coloured = self._colours and tone in _COLOURS and text.strip()
        return f"\x1b[{_COLOURS[tone]}m{text}\x1b[0m" if coloured else text


def visible(text: str) -> str:
    """Text for a terminal; control characters, which a class name may hold, are shown instead of obeyed."""
    return "".join(ch if ch == "\n" or ch.isprintable() else f"\\x{ord(ch):02x}" for ch in text)


def _cell_text(cell: Cell) -> str:
    """The text of a cell with what stands beside it."""
    return visible(" ".join(filter(None, (cell.words, cell.aside, "; ".join(map(str, cell.matrices))))))


def _width(text: str) -> int:
    """The places that a text of one line takes: East Asian letters take two, combining marks none."""
    if text.isascii():
        return len(text)
    return sum(
        0 if unicodedata.combining(ch) else 1 + (unicodedata.east_asian_width(ch) in "WF") for ch in text
    )


def _wrapped(text: str, width: int) -> list[str]:
    """The lines of a text, broken between words, and inside of a word that no line can hold."""
    lines = []
    for paragraph in text.split("\n"):
        line = ""
        for word in re.findall(r"\s*\S+\s*", paragraph):
            if line and _width(line) + _width(word.rstrip()) > width:
                lines.append(line)
                line = ""
            line += word
            while _width(line.rstrip()) > width and len(line) > 1:
                places = accumulate(map(_width, line))
                fits = max(1, sum(1 for _ in takewhile(lambda used: used <= width, places)))
                lines.append(line[:fits])
                line = line[fits:]
        lines.append(line)
    return lines


def _shell_lines(text: str, columns: int) -> Iterator[str]:
    """A command to paste: lines end between words, with a backslash; a call of Python stands as it is."""
    if text.startswith("sy."):
        yield f"  {text}"
        return
    line = " "
    for word in map(shlex.quote, shlex.split(text)):
        if len(line) + len(word) + 3 > columns and line.strip():
            yield f"{line} \\"
            line = "   "
        line = f"{line} {word}"
    yield line
