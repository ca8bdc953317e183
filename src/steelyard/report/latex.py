"""How do the tables of a report look in a paper? With booktabs, in LaTeX."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from steelyard.report.sections import Block, Cell, Depth, Folded, Report, SideBySide, Table, text_blocks

_SPECIAL = str.maketrans(
    {
        "\\": r"\textbackslash{}",
        "{": r"\{",
        "}": r"\}",
        "$": r"\$",
        "&": r"\&",
        "#": r"\#",
        "%": r"\%",
        "_": r"\_",
        "~": r"\textasciitilde{}",
        "^": r"\textasciicircum{}",
        "<": r"\textless{}",
        ">": r"\textgreater{}",
        "|": r"\textbar{}",
        "↑": r"$\uparrow$",
        "↓": r"$\downarrow$",
        "·": r"$\cdot$",
        "∞": r"$\infty$",
        "…": r"\ldots{}",
        "−": r"$-$",
    }
)


def latex(report: Report, depth: Depth = "brief") -> str:
    """The tables, one tabular each; a document needs \\usepackage{booktabs}."""
    tables = [table for section in report.at(depth) for table in _tables(text_blocks(section.blocks))]
    return "\n\n".join("\n".join(_tabular(table.at(depth))) for table in tables) + "\n"


def _tables(blocks: Iterable[Block]) -> Iterator[Table]:
    for block in blocks:
        match block:
            case Table():
                yield block
            case SideBySide(inner) | Folded(_, inner):
                yield from _tables(inner)


def _tabular(table: Table) -> Iterator[str]:
    sides = "".join("l" if column.kind == "words" else "r" for column in table.columns)
    yield f"\\begin{{tabular}}{{{sides}}}"
    yield "\\toprule"
    yield " & ".join(escaped(column.name) for column in table.columns) + " \\\\"
    yield "\\midrule"
    for row in table.rows:
        yield " & ".join(_cell(cell) for cell in row) + " \\\\"
    yield "\\bottomrule"
    yield "\\end{tabular}"


def escaped(words: str) -> str:
    """Words that LaTeX takes as words, on one line; characters that are obeyed by readers are left out."""
    return "".join(ch for ch in " ".join(words.split()) if ch.isprintable()).translate(_SPECIAL)


_INTERVAL = re.compile(r"([-−+]?[\d.,]+) to ([-−+]?[\d.,]+)")


def _written(words: str) -> str:
    """Words of a cell; an interval as [0.61, 0.98]."""
    ends = _INTERVAL.fullmatch(words)
    return escaped(words if ends is None else f"[{ends[1]}, {ends[2]}]")


def _cell(cell: Cell | str) -> str:
    if isinstance(cell, str):
        return _written(cell)
    words = _written(cell.words)
    words = f"\\textbf{{{words}}}" if words and cell.tone == "strong" else words
    return f"{words} {_written(cell.aside)}".strip()
