"""How does a report look on a terminal? Tables with Rich, without colours when piped."""

from __future__ import annotations

import io
import os
import shlex
import shutil
import sys
from collections.abc import Iterator, Sequence

from rich.cells import cell_len
from rich.console import Console
from rich.table import Table as RichTable
from rich.text import Text

from steelyard.report.sections import (
    Block,
    Cards,
    Cell,
    Choice,
    Depth,
    Figure,
    Filter,
    Folded,
    Report,
    Sentence,
    SideBySide,
    Table,
    Tone,
)

_STYLES: dict[Tone, str] = {
    "plain": "",
    "strong": "bold",
    "soft": "dim",
    "good": "green",
    "bad": "yellow",
    "open": "yellow",
    "code": "",
}
# Characters of a word from which on it may be broken for the sake of others.
LONGEST_WORD = 16
# Characters a line where nobody says how many there are: a pipe, a file.
USUAL_WIDTH = 100


def words(text: str, style: str = "") -> Text:
    """Text for a terminal; control characters, which a class name may hold, are shown instead of obeyed."""
    safe = "".join(ch if ch == "\n" or ch.isprintable() else f"\\x{ord(ch):02x}" for ch in text)
    return Text(safe, style=style)


def show(report: Report, depth: Depth = "full") -> None:
    """The report on standard output, in colours where it is a terminal."""
    text = rendered(report, depth, width(), colours=sys.stdout.isatty() and "NO_COLOR" not in os.environ)
    written(text)


def written(text: str) -> None:
    """Text on standard output; what its encoding does not know is replaced, not refused."""
    encoding = getattr(sys.stdout, "encoding", None) or "utf-8"
    print(text.encode(encoding, "replace").decode(encoding))


def note(text: str) -> None:
    """One line on standard error, so that a pipe stays clean."""
    encoding = getattr(sys.stderr, "encoding", None) or "utf-8"
    print(text.encode(encoding, "replace").decode(encoding), file=sys.stderr)


def plain_text(report: Report, depth: Depth = "brief") -> str:
    """The report as text without colours, for `repr` and logs."""
    return rendered(report, depth, width(), colours=False)


def width() -> int:
    """Characters a line: COLUMNS, the terminal's own, or the usual number."""
    return shutil.get_terminal_size((USUAL_WIDTH, 24)).columns


def rendered(report: Report, depth: Depth, columns: int, colours: bool) -> str:
    """The report as text of so many columns."""
    buffer = io.StringIO()
    # Rich would talk to Jupyter by itself, beside the text that is returned here.
    out = Console(
        file=buffer,
        width=columns,
        highlight=False,
        force_jupyter=False,
        force_terminal=colours,
        color_system="standard" if colours else None,
        legacy_windows=False,
    )
    out.print(words(report.title, style="bold"))
    for section in report.at(depth):
        blocks = [block for block in section.blocks if not isinstance(block, (Figure, Filter))]
        if not blocks:
            continue
        out.print()
        if section.title:
            out.print(words(section.title, style="bold"))
        _print(out, blocks, depth)
    if report.footer and depth != "brief":
        out.print()
        out.print(words(report.footer, style="dim"))
    return "\n".join(line.rstrip() for line in buffer.getvalue().splitlines())


def _print(out: Console, blocks: Sequence[Block], depth: Depth) -> None:
    for block in blocks:
        match block:
            case Sentence(text, "code"):
                for line in _shell_lines(text, out.width):
                    out.print(words(line), no_wrap=True, overflow="ignore", crop=False)
            case Sentence(text, tone):
                out.print(words(text, style=_STYLES[tone]))
            case Table():
                _print_table(out, block.at(depth))
            case Cards(cards):
                for card in cards:
                    out.print(
                        words(card.name), words(card.value, style="bold"), words(card.words, style="dim")
                    )
            case SideBySide(inner):
                for place, each in enumerate(inner):
                    if place and isinstance(each, Table):
                        out.print()  # below each other they need what stands between sections
                    _print(out, [each], depth)
            case Folded(summary, inner):
                if depth == "brief":
                    continue
                out.print(words(summary, style="dim"))
                _print(out, inner, depth)
            case Choice(_, _, options):
                for option in options:
                    shown = [inner for inner in option.blocks if not isinstance(inner, (Figure, SideBySide))]
                    if shown:
                        out.print(words(option.label, style="dim"))
                        _print(out, shown, depth)
            case Figure() | Filter():
                pass


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


def _print_table(out: Console, table: Table) -> None:
    rich = RichTable(
        title=words(table.title) if table.title else None,
        title_justify="left",
        title_style="bold",
        box=None,
        pad_edge=False,
        header_style="dim",
        collapse_padding=True,
        show_header=any(column.name for column in table.columns),
    )
    fits = _natural_width(table) <= out.width  # else digits would be cut off; broken lines lose nothing
    words_fit = _longest_words(table)
    unbroken = sum(words_fit) + len(words_fit) - 1 <= out.width
    for place, column in enumerate(table.columns):
        right = column.kind == "number"
        rich.add_column(
            words(column.name),
            justify="right" if right else "left",
            no_wrap=column.whole or (right and fits),
            overflow="fold",
            min_width=words_fit[place] if unbroken else None,
        )
    for row in table.rows[: table.most_printed]:
        rich.add_row(*(_cell(cell) for cell in row))
    out.print(rich)
    if more := table.left_out(table.most_printed):
        out.print(words(more, style="dim"))


def _longest_words(table: Table) -> list[int]:
    """The characters of each column's longest number or word: narrower, it would be broken inside."""
    rows = table.rows[: table.most_printed]
    widths = []
    for place, column in enumerate(table.columns):
        texts = [column.name, *(_cell(row[place]).plain for row in rows)]
        widths.append(
            max((min(cell_len(word), LONGEST_WORD) for text in texts for word in text.split()), default=1)
        )
    return widths


def _natural_width(table: Table) -> int:
    """Characters that the columns need which are not to be broken, and six for each of the others."""
    rows = table.rows[: table.most_printed]
    need = 0
    for place, column in enumerate(table.columns):
        longest = max([cell_len(column.name), *(_cell(row[place]).cell_len for row in rows)])
        need += longest if column.kind == "number" or column.whole else min(longest, 6)
    return need + len(table.columns) - 1


def _cell(cell: Cell | str) -> Text:
    if isinstance(cell, str):
        return words(cell)
    text = words(cell.words, style=_STYLES[cell.tone])
    for more in (cell.aside, "; ".join(map(str, cell.matrices))):
        if more:
            text.append(" " if text.plain else "")
            text.append(words(more, style="dim"))
    return text
