"""The documentation's page of each paper: the table of contents of `steelyard paper`, with figures.

python -m steelyard_papers.paper_pages (from the root of the source tree)
"""

from __future__ import annotations

from pathlib import Path

from steelyard.report import save
from steelyard_papers.contents import called, counted, verdict
from steelyard_papers.recorded import recorded
from steelyard_papers.registry import Entry, Paper, papers

INTRODUCTION = """# Tables, figures and statements of the papers

Every equation, theorem, table, figure, experiment and recommendation of the five papers, with its number in
the paper, the verdict, what it is called here and the command that shows it. `steelyard paper NAME` prints
the same; NAME is a key, words of a title, a symbol such as `IAM`, or a DOI. A statement (`mullick-t3.1`) is a
row of [the ledger](../claims.md) too: `steelyard claims --only ID` decides it anew.
"""


def index() -> str:
    """The page that lists the papers."""
    rows = [
        f"- [{paper.key}](paper-{paper.key}.md): {paper.reference}. {counted(paper)}" for paper in papers()
    ]
    return "\n".join([INTRODUCTION, *rows, ""])


def page(paper: Paper) -> str:
    """The page of one paper."""
    lines = [f"# {paper.key}", "", f"{paper.reference}.{f' doi:{paper.doi}' if paper.doi else ''}", ""]
    lines += [counted(paper), "", "| in the paper | what | verdict | here |", "| --- | --- | --- | --- |"]
    lines += map(_row, paper.entries)
    by_study: dict[str, list[str]] = {}
    for entry in paper.entries:
        if study := entry.study or entry.drawn_by:
            by_study.setdefault(study, []).append(entry.at)
    for study, places in by_study.items():
        record = recorded(study)
        lines += ["", f"## {record['title']}", ""]
        lines.append(f"Study [{study}]({study}.md). In the paper: {'; '.join(dict.fromkeys(places))}.")
        for name, caption in record["pictures"].items():
            lines += ["", f"![{caption}](figures/{study}-{name}.svg)", "", f"*{caption}.*"]
    return "\n".join([*lines, ""])


def _row(entry: Entry) -> str:
    where = f"{entry.at} (our question)" if entry.ours else entry.at
    notes = [text for text in (entry.differs, entry.note) if text]
    what = " ".join([f"{entry.what.removesuffix('.')}.", *notes]) if notes else entry.what
    here = called(entry)
    named = f"[{here}]({here}.md)" if here == entry.study else here
    cells = (where, what, verdict(entry), f"{named}: `{entry.command}`")
    return f"| {' | '.join(map(_cell, cells))} |"


def _cell(text: str) -> str:
    """Text of a cell of a Markdown table."""
    return text.replace("|", "\\|").replace("\n", " ")


def main(docs: Path = Path("docs/studies")) -> None:
    """Write the pages."""
    save(docs / "papers.md", index())
    for paper in papers():
        save(docs / f"paper-{paper.key}.md", page(paper))


if __name__ == "__main__":
    main()
