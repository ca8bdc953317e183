"""How does a report look as Markdown?"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from steelyard.report.class_names import visible
from steelyard.report.sections import Cell, Report, Sentence, SmallMatrix, Table, as_cell, text_blocks

_SPECIAL = str.maketrans({character: f"\\{character}" for character in "\\`*_[]<>|#"})


def markdown(report: Report) -> str:
    """Headings, sentences and tables in GitHub's dialect; figures are left to the page."""
    lines = [f"# {escaped(report.title)}", ""]
    for section in report.at("full"):
        body = list(_blocks(text_blocks(section.blocks)))
        if not body:
            continue
        lines += [f"## {escaped(section.title)}", ""] if section.title else []
        lines += [escaped(section.note), ""] if section.note else []
        lines += body
    if report.footer:
        lines += [escaped(report.footer), ""]
    return "\n".join(lines).rstrip() + "\n"


def escaped(words: str) -> str:
    """Words that Markdown takes as words, on one line; what would be obeyed is shown."""
    return " ".join(visible(words).translate(_SPECIAL).split())


def _blocks(blocks: Iterable[Sentence | Table]) -> Iterator[str]:
    for block in blocks:
        match block:
            case Sentence(""):
                continue
            case Sentence(words, "code"):
                yield f"    {' '.join(visible(words).split())}"
                yield ""
            case Sentence(words, tone):
                text = escaped(words)
                yield f"**{text}**" if tone == "strong" else text
                yield ""
            case Table():
                yield from _table(block.at("full"))


def _table(table: Table) -> Iterator[str]:
    if table.title:
        yield f"**{escaped(table.title)}**"
        yield ""
    yield "| " + " | ".join(escaped(column.name) or " " for column in table.columns) + " |"
    yield "| " + " | ".join("---" if c.kind == "words" else "---:" for c in table.columns) + " |"
    for row in table.rows[: table.most_on_page]:
        yield "| " + " | ".join(_cell(as_cell(cell)) for cell in row) + " |"
    yield ""
    if more := table.left_out(table.most_on_page):
        yield escaped(more)
        yield ""


def _cell(cell: Cell) -> str:
    words = escaped(cell.words)
    if words and cell.tone == "strong":
        words = f"**{words}**"
    parts = [words, escaped(cell.aside), "; ".join(f"`{_quoted(matrix)}`" for matrix in cell.matrices)]
    return " ".join(piece for piece in parts if piece)


# Nothing is taken as markup there but the backquote itself and the end of the cell.
def _quoted(matrix: SmallMatrix) -> str:
    """A matrix between backquotes."""
    return " ".join(visible(str(matrix)).replace("`", "'").replace("|", "\\|").split())
