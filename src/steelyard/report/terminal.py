"""Results on a terminal: tables with Rich, without colours when piped."""

from __future__ import annotations

import math
from collections.abc import Iterable
from typing import Any

from rich.console import Console
from rich.table import Table
from rich.text import Text

from steelyard.confusion import ORIENTATION, Confusion
from steelyard.measures.measure import Measure, Range
from steelyard.report.numbers import count, shown
from steelyard.weighing import Weighed, Weighing

FOR = {
    "two-class": "two classes, one of them positive",
    "multi-class": "any number of classes",
    "scores": "scores, a column for each class",
}
ARROWS = {"higher": "↑", "lower": "↓", "neither": "·"}


def words(text: str, style: str = "") -> Text:
    """Text for a terminal; control characters, which a class name may hold, are shown instead of obeyed."""
    return Text("".join(ch if ch == "\n" or ch.isprintable() else f"\\x{ord(ch):02x}" for ch in text), style=style)


def console() -> Console:
    """Standard output; a pipe gets plain text wide enough not to be folded."""
    out = Console(highlight=False)
    if not out.is_terminal:
        out.width = 160
    return out


def plain_table(*columns: str, title: str | None = None, right: Iterable[str] = ()) -> Table:
    """A table without boxes, in the one look all tables here share."""
    table = Table(
        title=title, title_justify="left", title_style="bold", box=None, pad_edge=False, header_style="dim", collapse_padding=True
    )
    aligned = set(right)
    for name in columns:
        table.add_column(name, justify="right" if name in aligned else "left", no_wrap=name in aligned, overflow="fold")
    return table


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
        ("range", f"{m.range}, {m.better} is better" if m.better != "neither" else f"{m.range}, neither end is better"),
        ("for", FOR[m.kind] if not m.two_sided else "scores of a positive class"),
        ("undefined", f"when {m.undefined_when}" if not m.undefined_when.startswith("never") else m.undefined_when),
        ("relatives", "\n".join(relation.text for relation in m.relations)),
        ("also called", ", ".join((*m.symbols, *m.aliases))),
        ("notes", "\n".join(m.notes)),
        (
            "sources",
            "\n".join(
                f"{source}: {source.reference.text}" + (f", doi:{source.reference.doi}" if source.reference.doi else "")
                for source in m.sources
            ),
        ),
    ]
    for name, text in rows:
        if text:
            table.add_row(name, words(text))
    out.print(table)


def show_weighing(result: Weighing) -> None:
    """The matrix, then every measure."""
    out = console()
    show_matrix(out, result.matrix)
    if result.positive is not None:
        out.print(words(f"Positive class: {result.positive.label} ({result.positive.reason})."))
    if isinstance(result.priors, dict):
        out.print(words("At priors: " + ", ".join(f"{label} {value:g}" for label, value in result.priors.items()) + "."))
    if result.relevance is not None:
        out.print(words(f"{result.relevance}."))
    show_weighed(out, result)


def show_weighed(out: Console, result: Weighing) -> None:
    """Every measure, with its value at other priors and weighted by relevance where these were given."""
    extra = [name for name, given in (("at priors", result.priors), ("by relevance", result.relevance)) if given is not None]
    for kind, title in (("two-class", "Measures of the positive class"), ("multi-class", "Measures of all classes")):
        rows = [row for row in result.rows if row.measure.kind == kind]
        if rows:
            numbers = ("value", *extra, "normalised")
            table = plain_table("measure", *numbers, "range", "", "", title=f"\n{title}", right=numbers)
            for row in rows:
                table.add_row(*_weighed_cells(row, extra, 2 if kind == "two-class" else max(1, result.matrix.n_classes_held)))
            out.print(table)


def _weighed_cells(row: Weighed, extra: list[str], classes: int) -> list[Any]:
    m = row.measure
    values = {"at priors": row.at_priors, "by relevance": row.weighted}
    symbol = m.symbols[0] if m.symbols else ""
    label = words(m.name)
    if symbol and symbol.lower() != m.id:
        label.append(f" {symbol}", style="dim")
    cells: list[Any] = [label, shown(row.value), *(shown(values[name]) for name in extra)]
    percent = "" if row.normalised is None or math.isnan(row.normalised) else f"{100 * row.normalised:.1f} %"
    return [*cells, percent, str(Range(*m.range.at(classes))), ARROWS[m.better], words(row.why_undefined or "", style="yellow")]


def show_matrix(out: Console, matrix: Confusion, most: int = 20) -> None:
    """The counts with their labels, orientation said; a large matrix shows its first classes."""
    size = min(matrix.n_classes, most)
    names = [str(label) for label in matrix.labels[:size]]
    rest = f", the first {size} of {matrix.n_classes} classes" if size < matrix.n_classes else ""
    out.print(words(f"{count(matrix.total.item())} examples; {ORIENTATION}{rest}", style="dim"))
    table = plain_table("truth \\ prediction")
    for name in names:
        table.add_column(words(name), justify="right")
    for name, row in zip(names, matrix.counts[:size, :size].tolist(), strict=True):
        table.add_row(words(name), *map(count, row))
    out.print(table)
