"""Measures of the catalogue on a terminal."""

from __future__ import annotations

from collections.abc import Iterable

from rich.table import Table

from steelyard.measures.measure import Measure
from steelyard.report.terminal import ARROWS, console, plain_table, words

FOR = {
    "two-class": "two classes, one of them positive",
    "multi-class": "any number of classes",
    "scores": "scores, a column for each class",
}


def show_measures(measures: Iterable[Measure]) -> None:
    """Every measure on a line."""
    table = plain_table("id", "symbols", "question", "range", "better", "sources")
    table.columns[0].no_wrap = True  # an id can be searched for and copied
    for m in measures:
        table.add_row(
            words(m.name),
            words(", ".join(m.symbols)),
            words(m.question),
            words(str(m.range)),
            ARROWS[m.better] + " " + m.better,
            words(", ".join(dict.fromkeys(s.key for s in m.sources))),
        )
    console().print(table)


def show_measure(m: Measure) -> None:
    """All that is known about one measure."""
    out = console()
    out.print(words(m.title, style="bold"), words(f"({m.name})", style="dim"))
    out.print(words(m.question, style="italic"))
    out.print()
    table = Table(box=None, show_header=False, pad_edge=False)
    table.add_column(style="dim", no_wrap=True)
    table.add_column(overflow="fold")
    rows: list[tuple[str, str]] = [
        ("formula", m.reads),
        ("LaTeX", m.formula),
        (
            "range",
            f"{m.range}, {m.better} is better"
            if m.better != "neither"
            else f"{m.range}, neither end is better",
        ),
        ("for", FOR[m.kind] if not m.two_sided else "scores of a positive class"),
        (
            "undefined",
            f"when {m.undefined_when}" if not m.undefined_when.startswith("never") else m.undefined_when,
        ),
        ("relatives", "\n".join(relation.text for relation in m.relations)),
        ("also called", ", ".join((*m.symbols, *m.aliases))),
        ("notes", "\n".join(m.notes)),
        (
            "sources",
            "\n".join(
                f"{source}: {source.reference.text}"
                + (f", doi:{source.reference.doi}" if source.reference.doi else "")
                for source in m.sources
            ),
        ),
    ]
    for name, text in rows:
        if text:
            table.add_row(name, words(text))
    out.print(table)
