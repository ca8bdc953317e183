"""How do the tables of a report look in a paper? With booktabs, in LaTeX."""

from __future__ import annotations

import re
from collections.abc import Iterator

from steelyard.report.sections import Cell, Depth, Report, Table, text_blocks

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
    blocks = [block for section in report.at(depth) for block in text_blocks(section.blocks)]
    tables = [block.at(depth) for block in blocks if isinstance(block, Table)]
    return "\n\n".join("\n".join(_tabular(table)) for table in tables) + "\n"


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
