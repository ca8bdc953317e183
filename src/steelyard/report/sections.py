"""Reports as plain data: sentences, tables, charts and findings.

A result says what is to be said of it as sections; the terminal, the page, Markdown and notebooks render the
same sections. Nothing here knows a kind of result, and no result knows how a table is drawn.
"""

from __future__ import annotations

import shlex
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Literal, TypeAlias, TypeVar

from steelyard.report.records import Record

if TYPE_CHECKING:
    from steelyard.report.chart import Chart


# How text is meant (colour and weight say nothing that the words do not say); `code` can be pasted.
Tone = Literal["plain", "strong", "soft", "good", "bad", "open", "code"]

# How much a reader asked for: the first screen, everything in words, or what only a page has room for.
Depth = Literal["brief", "full", "page"]

_DEPTHS: tuple[Depth, ...] = ("brief", "full", "page")


@dataclass(frozen=True)
class Sentence:
    """A sentence or a short paragraph."""

    words: str
    tone: Tone = "plain"


@dataclass(frozen=True)
class SmallMatrix:
    """A matrix of a few numbers, as it would be written by hand, with what is said below it."""

    rows: tuple[tuple[str, ...], ...]
    caption: str = ""
    name: str = ""
    """The name by which the words beside it speak of it, such as M1."""

    @classmethod
    def of(cls, rows: Sequence[Sequence[object]], caption: str = "", name: str = "") -> SmallMatrix:
        return cls(tuple(tuple(str(value) for value in row) for row in rows), caption, name)

    def __str__(self) -> str:
        inner = ", ".join(f"[{', '.join(row)}]" for row in self.rows)
        if self.name:
            return f"{self.name} = [{inner}]" + (f" {self.caption}" if self.caption else "")
        return f"{self.caption} on [{inner}]" if self.caption else f"[{inner}]"


@dataclass(frozen=True)
class Strip:
    """A plot in a row of a table: marks on a scale that the column's head shows.

    A mark is its kind, its place and, for an interval, the two ends: "value", "b" (the second model), "n"
    (no clear difference), "base" (no skill), "balanced", "ghost".
    """

    marks: tuple[tuple[str, float, float, float], ...]
    low: float = 0.0
    high: float = 1.0

    def place(self, value: float) -> float:
        """How far along the scale a value lies, in percent."""
        return round(100 * min(max((value - self.low) / (self.high - self.low), 0.0), 1.0), 2)


@dataclass(frozen=True)
class Cell:
    """A cell of a table that says more than its words."""

    words: str
    tone: Tone = "plain"
    tip: str = ""
    """What a pointer over the cell is told."""
    aside: str = ""
    """A softer remark after the words: an interval, a symbol, a statement in full."""
    matrices: tuple[SmallMatrix, ...] = ()
    anchor: str = ""
    """The name by which a link finds this cell."""
    link: str = ""
    """The anchor on the same page that the words lead to."""
    strip: Strip | None = None
    """The plot of the row; its cell has no words."""
    bar: float | None = None
    """A bar of this part of the column's width."""
    note: str = ""
    """A second line in the accent colour, such as "primary metric"."""
    second: str = ""
    """The value of the second of two models, below that of the first."""


@dataclass(frozen=True)
class Column:
    """A column: numbers stand right, words left."""

    name: str
    kind: Literal["number", "words", "plot"] = "number"
    whole: bool = False
    """Never broken over lines, so that it can be searched for and copied."""
    depth: Depth = "brief"
    """From which depth on it is shown; a terminal has less room than a page."""


@dataclass(frozen=True)
class Table:
    """Rows of cells under named columns."""

    columns: tuple[Column, ...]
    rows: tuple[tuple[Cell | str, ...], ...]
    identity: str = ""
    """The name by which scripts, links and tests find it."""
    title: str = ""
    stacked: bool = False
    """On a phone the cells of a row stand below each other."""
    most_printed: int = 25
    """Rows on a terminal."""
    most_on_page: int = 100
    """Rows on a page."""
    rest: str = "all are in the JSON output"
    """Where the rows that are left out can be found."""
    kinds: tuple[str, ...] = ()
    """Of what kind each row is, for a filter."""
    style: Literal["", "forest", "classes", "capacity"] = ""
    groups: tuple[tuple[int, str], ...] = ()
    """Headings between rows: before which row each stands."""
    search: tuple[str, ...] = ()
    """Of a table that can be searched: the words by which each row is found."""
    models: tuple[str, ...] = ()
    """Of two models: their names, for the legend of the plots."""
    axis: tuple[str, ...] = ("0", ".25", ".5", ".75", "1")
    """What stands above the plots of rows."""

    def __post_init__(self) -> None:
        for row in self.rows:
            if len(row) != len(self.columns):
                raise ValueError(f"a row of {len(row)} cells under {len(self.columns)} columns: {row}")

    def at(self, depth: Depth) -> Table:
        """The columns that are shown at this depth."""
        visible = [k for k, column in enumerate(self.columns) if reaches(depth, column.depth)]
        if len(visible) == len(self.columns):
            return self
        return replace(
            self,
            columns=tuple(self.columns[k] for k in visible),
            rows=tuple(tuple(row[k] for k in visible) for row in self.rows),
        )

    def left_out(self, most: int) -> str:
        """A sentence on the rows beyond `most`; empty where there are none."""
        return f"{most:,} of {len(self.rows):,} rows; {self.rest}." if len(self.rows) > most else ""


@dataclass(frozen=True)
class Figure:
    """A chart with its title and caption; made only where it is shown."""

    make: Callable[[], Chart]


@dataclass(frozen=True)
class SideBySide:
    """Blocks beside each other where there is room, below each other where there is none."""

    blocks: tuple[Block, ...]


@dataclass(frozen=True)
class Card:
    """One big number with its name and what it means."""

    name: str
    value: str
    words: str


@dataclass(frozen=True)
class Cards:
    """A few big numbers."""

    cards: tuple[Card, ...]


@dataclass(frozen=True)
class Option:
    """One of several things of which a page shows one at a time."""

    label: str
    blocks: tuple[Block, ...]


@dataclass(frozen=True)
class Choice:
    """Buttons of which each shows its own blocks, without a script; in print all are shown."""

    name: str
    question: str
    options: tuple[Option, ...]


@dataclass(frozen=True)
class Folded:
    """Blocks that a page opens when asked."""

    summary: str
    blocks: tuple[Block, ...]


@dataclass(frozen=True)
class Filter:
    """Buttons by which a page shows rows and sections of one kind only, without a script; in print all are
    shown."""

    name: str
    question: str
    kinds: tuple[tuple[str, str], ...]
    """Each kind, and what its button says."""


Item = TypeVar("Item")
# A column, and its cell for an item of the table.
ColumnOf: TypeAlias = tuple[Column, Callable[[Item], Cell | str]]
Block: TypeAlias = Sentence | Table | Figure | SideBySide | Cards | Choice | Folded | Filter


@dataclass(frozen=True)
class Section:
    """What is said under one heading."""

    title: str
    blocks: tuple[Block, ...]
    depth: Depth = "full"
    identity: str = ""
    kind: str = ""
    """Of what kind it is, for a filter."""


@dataclass(frozen=True)
class Report:
    """A title, what stands below it, and the sections in the order in which they are read."""

    title: str
    sections: tuple[Section, ...]
    footer: str = ""

    def at(self, depth: Depth) -> Iterator[Section]:
        """The sections that are shown at this depth."""
        return (section for section in self.sections if reaches(depth, section.depth))

    @property
    def filters(self) -> list[Filter]:
        """The filters, in the order in which they stand."""
        return [block for section in self.sections for block in section.blocks if isinstance(block, Filter)]


def reaches(depth: Depth, needed: Depth) -> bool:
    """Is a reader who asked for this much shown what needs that much?"""
    return _DEPTHS.index(depth) >= _DEPTHS.index(needed)


def table_of(items: Iterable[Item], *columns: ColumnOf[Item] | None, **more: Any) -> Table:
    """A table from its columns: each with what its cell says of an item, those that are None left out."""
    shown = [column for column in columns if column is not None]
    rows = tuple(tuple(cell(item) for _, cell in shown) for item in items)
    return Table(tuple(column for column, _ in shown), rows, **more)


def words_column(name: str, whole: bool = False, depth: Depth = "brief") -> Column:
    """A column of words."""
    return Column(name, "words", whole, depth)


def number_columns(*names: str, depth: Depth = "brief") -> tuple[Column, ...]:
    """Columns of numbers."""
    return tuple(Column(name, depth=depth) for name in names)


# Findings that a first screen has room for.
MOST_ON_FIRST_SCREEN = 4


@dataclass(frozen=True)
class Finding(Record):
    """One finding; a list of them is ordered by harm, the most harmful first."""

    kind: Literal["warning", "note"]
    what: str
    """The fact, in at most 40 words."""
    why: str
    """What it means for a decision."""
    next: str
    """One imperative sentence."""
    command: str = ""
    """The command that does it, as it can be pasted into a shell; empty where there is none."""


def command_line(command: str, *arguments: object, **options: object) -> str:
    """A command of Steelyard that can be pasted into a shell; options that are None are left out.

    >>> command_line("threshold", "my file.csv", truth="y", score="p", positive=None)
    "steelyard threshold 'my file.csv' --truth y --score p"
    """
    parts = ["steelyard", command, *(shlex.quote(str(argument)) for argument in arguments)]
    for name, value in options.items():
        if value is not None:
            parts += [f"--{name.replace('_', '-')}", shlex.quote(str(value))]
    return " ".join(parts)
