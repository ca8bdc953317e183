"""How does a report look on a terminal? In colours with Rich; text that needs none is written without it."""

from __future__ import annotations

import os
import shlex
import shutil
import sys
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, TextIO

from steelyard.report.plain_text import NeedsRichError, PlainWriter
from steelyard.report.sections import (
    Block,
    Cards,
    Choice,
    Depth,
    Folded,
    Report,
    Sentence,
    SideBySide,
    Table,
    text_blocks,
)

if TYPE_CHECKING:
    from steelyard.report.rich_text import RichWriter

# Characters a line where nobody says how many there are: a pipe, a file.
USUAL_WIDTH = 100


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
    try:
        if colours:
            raise NeedsRichError
        return _lines_of(report, depth, PlainWriter(columns))
    except NeedsRichError:
        from steelyard.report.rich_text import RichWriter

        return _lines_of(report, depth, RichWriter(columns, colours))


def _lines_of(report: Report, depth: Depth, out: PlainWriter | RichWriter) -> str:
    out.line((report.title, "title"))
    for section in report.at(depth):
        blocks = list(text_blocks(section.blocks))
        if not blocks:
            continue
        out.line()
        if section.title:
            out.line((section.title, "title"))
        if section.note:
            out.line((section.note, "soft"))
        _write(out, blocks, depth)
    if report.footer and depth != "brief":
        out.line()
        out.line((report.footer, "soft"))
    return "\n".join(line.rstrip() for line in out.text().splitlines())


def _write(out: PlainWriter | RichWriter, blocks: Sequence[Block], depth: Depth) -> None:
    for block in blocks:
        match block:
            case Sentence(text, "code"):
                for line in _shell_lines(text, out.width):
                    out.unbroken(line)
            case Sentence(text, tone):
                out.line((text, tone))
            case Table():
                visible = block.at(depth)
                out.table(visible)
                if more := visible.left_out(visible.most_printed):
                    out.line((more, "soft"))
            case Cards(cards):
                for card in cards:
                    out.line((card.name, "plain"), (card.value, "strong"), (card.words, "soft"))
            case SideBySide(inner):
                for place, each in enumerate(inner):
                    if place and isinstance(each, Table):
                        out.line()  # below each other they need what stands between sections
                    _write(out, [each], depth)
            case Folded(summary, inner):
                if depth == "brief":
                    continue
                out.line((summary, "soft"))
                _write(out, inner, depth)
            case Choice(_, _, options):
                for option in options:
                    out.line((option.label, "soft"))
                    _write(out, option.blocks, depth)


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
