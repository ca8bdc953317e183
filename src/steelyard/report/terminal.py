"""Results on a terminal: tables with Rich, without colours when piped."""

from __future__ import annotations

from collections.abc import Iterable

from rich.console import Console
from rich.table import Table
from rich.text import Text

from steelyard.counts.confusion import ORIENTATION, Confusion
from steelyard.report.numbers import count

ARROWS = {"higher": "↑", "lower": "↓", "neither": "·"}


def words(text: str, style: str = "") -> Text:
    """Text for a terminal; control characters, which a class name may hold, are shown instead of obeyed."""
    return Text(
        "".join(ch if ch == "\n" or ch.isprintable() else f"\\x{ord(ch):02x}" for ch in text), style=style
    )


def console() -> Console:
    """Standard output; a pipe gets plain text wide enough not to be folded."""
    out = Console(highlight=False)
    if not out.is_terminal:
        out.width = 160
    return out


def plain_table(*columns: str, title: str | None = None, right: Iterable[str] = ()) -> Table:
    """A table without boxes, in the one look all tables here share."""
    table = Table(
        title=title,
        title_justify="left",
        title_style="bold",
        box=None,
        pad_edge=False,
        header_style="dim",
        collapse_padding=True,
    )
    aligned = set(right)
    for name in columns:
        table.add_column(
            name, justify="right" if name in aligned else "left", no_wrap=name in aligned, overflow="fold"
        )
    return table


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
