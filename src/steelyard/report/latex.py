"""How do the tables of a report look in a paper? With booktabs, in LaTeX."""

from __future__ import annotations

import re
from collections.abc import Iterator

from steelyard.report.sections import Cell, Depth, Report, Table, as_cell, text_blocks

# Columns of numbers whose names have room side by side.
FEW_COLUMNS = 6
_SPECIAL = str.maketrans(
    {
        **{character: f"\\{character}" for character in "{}$&#%_"},
        "\\": r"\textbackslash{}",
        "~": r"\textasciitilde{}",
        "^": r"\textasciicircum{}",
        "<": r"\textless{}",
        ">": r"\textgreater{}",
        "|": r"\textbar{}",
        "…": r"\ldots{}",
        "↑": r"$\uparrow$",
        "↓": r"$\downarrow$",
        "·": r"$\cdot$",
        "∞": r"$\infty$",
        "−": r"$-$",
    }
)


def latex(report: Report, depth: Depth = "brief") -> str:
    """The tables, one tabular each; a document needs \\usepackage{booktabs}."""
    blocks = [block for section in report.at(depth) for block in text_blocks(section.blocks)]
    tables = [block.at(depth) for block in blocks if isinstance(block, Table)]
    return "\n\n".join("\n".join(_tabular(table)) for table in tables) + "\n"


def table_float(table: Table, caption: str, label: str) -> str:
    """A table float: a small one where it has many columns, whose names are turned by 90 degrees."""
    plain = "".join(ch if ch.isalnum() else "-" for ch in label)
    lines = ["\\begin{table}", "\\centering", f"\\caption{{{escaped(caption)}}}", f"\\label{{tab:{plain}}}"]
    # Twelve columns of numbers fit into the width of an article's column.
    small = ["\\scriptsize", "\\setlength{\\tabcolsep}{3pt}"] if _is_wide(table) else []
    return "\n".join([*lines, *small, *_tabular(table, ranked=True), "\\end{table}", ""])


def _is_wide(table: Table) -> bool:
    return sum(column.kind == "number" for column in table.columns) > FEW_COLUMNS


def _tabular(table: Table, ranked: bool = False) -> Iterator[str]:
    # Of models that are ranked, ties for the best of a row are underlined, and the last row has mean ranks.
    sides = "".join("l" if column.kind == "words" else "r" for column in table.columns)
    turned = "\\rotatebox{{90}}{{{}}}" if _is_wide(table) else "{}"
    yield f"\\begin{{tabular}}{{{sides}}}"
    yield "\\toprule"
    heads = ((column.kind, escaped(column.name)) for column in table.columns)
    yield " & ".join(turned.format(name) if kind == "number" else name for kind, name in heads) + " \\\\"
    yield "\\midrule"
    for place, row in enumerate(table.rows):
        cells = [as_cell(cell) for cell in row]
        tied = ranked and sum(cell.tone == "strong" for cell in cells) > 1
        if ranked and place == len(table.rows) - 1:
            yield "\\midrule"
        yield " & ".join(_cell(cell, tied) for cell in cells) + " \\\\"
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


def _cell(cell: Cell, underlined: bool) -> str:
    words = _written(cell.words)
    if words and cell.tone == "strong":
        words = f"\\textbf{{\\underline{{{words}}}}}" if underlined else f"\\textbf{{{words}}}"
    return f"{words} {_written(cell.aside)}".strip()
