"""Reports as plain data: sentences, tables, charts and findings."""

# A result says what is to be said of it as sections; the terminal, the page, Markdown and notebooks render
# the same sections. Nothing here knows a kind of result, and no result knows how a table is drawn.

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Literal, TypeAlias, TypeVar

from steelyard.report.numbers import rounded_up
from steelyard.report.records import Record

if TYPE_CHECKING:
    from steelyard.report.chart import Chart


# How text is meant (colour and weight say nothing that the words do not say); `code` can be pasted.
Tone = Literal["plain", "strong", "soft", "good", "bad", "open", "code"]

# How much a reader asked for: the first screen, everything in words, or what only a page has room for.
Depth = Literal["brief", "full", "page"]

_DEPTHS: tuple[Depth, ...] = ("brief", "full", "page")
# Pixels of a letter above a column of a matrix of many classes, and of all its columns at 1280 px.
LETTER, MATRIX_WIDTH = 6.4, 346
# Classes whose matrix has room on the first screen of a terminal.
MOST_CLASSES_IN_TEXT = 3


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
    #: The name by which the words beside it speak of it, such as M1.
    name: str = ""

    @classmethod
    def of(cls, rows: Sequence[Sequence[object]], caption: str = "", name: str = "") -> SmallMatrix:
        return cls(tuple(tuple(str(value) for value in row) for row in rows), caption, name)

    def __str__(self) -> str:
        inner = ", ".join(f"[{', '.join(row)}]" for row in self.rows)
        if self.name:
            return f"{self.name} = [{inner}]" + (f" {self.caption}" if self.caption else "")
        return f"{self.caption} on [{inner}]" if self.caption else f"[{inner}]"


# A mark is its kind, its place and, for an interval, the two ends: "value", "b" (the second model), "n" (no
# clear difference), "base" (no skill), "balanced", "ghost".
@dataclass(frozen=True)
class Strip:
    """A plot in a row of a table: marks on a scale that the column's head shows."""

    marks: tuple[tuple[str, float, float, float], ...]
    low: float = 0.0
    high: float = 1.0

    def place(self, value: float) -> float:
        """How far along the scale a value lies, in percent."""
        return round(100 * min(max((value - self.low) / (self.high - self.low), 0.0), 1.0), 2)

    @property
    def axis(self) -> tuple[str, ...]:
        """What stands above a column of plots on this scale."""
        places = (self.low + fraction * (self.high - self.low) for fraction in (0, 0.25, 0.5, 0.75, 1))
        return tuple(f"{place:.2g}".replace("0.", ".").replace("-", "−") for place in places)


def around_zero(values: Iterable[float]) -> float:
    """How far a scale of differences reaches: equally on both sides of 0, so that equal ones look equal."""
    widest = max((abs(value) for value in values if not math.isnan(value)), default=0.0) or 1.0
    return math.ceil(10 * widest) / 10 if widest > 0.1 else rounded_up(widest)


@dataclass(frozen=True)
class Cell:
    """A cell of a table that says more than its words."""

    words: str
    tone: Tone = "plain"
    #: What a pointer over the cell is told.
    tip: str = ""
    #: A softer remark after the words: an interval, a symbol, a statement in full.
    aside: str = ""
    matrices: tuple[SmallMatrix, ...] = ()
    #: The name by which a link finds this cell.
    anchor: str = ""
    #: The anchor on the same page that the words lead to.
    link: str = ""
    #: The plot of the row; its cell has no words.
    strip: Strip | None = None
    #: A bar of this part of the column's width.
    bar: float | None = None
    #: A second line in the accent colour, such as "primary metric".
    note: str = ""
    #: The value of the second of two models, below that of the first.
    second: str = ""


def as_cell(cell: Cell | str) -> Cell:
    """A cell, also of words alone."""
    return cell if isinstance(cell, Cell) else Cell(cell)


@dataclass(frozen=True)
class Column:
    """A column: numbers stand right, words left."""

    name: str
    kind: Literal["number", "words", "plot"] = "number"
    #: Never broken over lines, so that it can be searched for and copied.
    whole: bool = False
    #: From which depth on it is shown; a terminal has less room than a page.
    depth: Depth = "brief"
    #: What it becomes on a page: a column, or a part of the cell before it; a plot is for pages alone.
    on_page: Literal["column", "aside", "tip", "nothing"] = "column"
    #: Left out where a page has little room, as on a phone.
    wide: bool = False


@dataclass(frozen=True)
class Table:
    """Rows of cells under named columns."""

    columns: tuple[Column, ...]
    rows: tuple[tuple[Cell | str, ...], ...]
    #: The name by which scripts, links and tests find it.
    identity: str = ""
    title: str = ""
    #: On a phone the cells of a row stand below each other.
    stacked: bool = False
    #: Rows on a terminal.
    most_printed: int = 25
    #: Rows on a page.
    most_on_page: int = 100
    #: Where the rows that are left out can be found.
    rest: str = "all are in the JSON output"
    #: Of what kind each row is, for a filter.
    kinds: tuple[str, ...] = ()
    style: Literal["", "forest", "classes", "capacity"] = ""
    #: Headings between rows: before which row each stands.
    groups: tuple[tuple[int, str], ...] = ()
    #: Of a table that can be searched: the words by which each row is found.
    search: tuple[str, ...] = ()
    #: Of two models: their names, for the legend of the plots.
    models: tuple[str, ...] = ()
    #: What stands above the plots of rows.
    axis: tuple[str, ...] = ("0", ".25", ".5", ".75", "1")

    def __post_init__(self) -> None:
        for row in self.rows:
            if len(row) != len(self.columns):
                raise ValueError(f"a row of {len(row)} cells under {len(self.columns)} columns: {row}")

    def at(self, depth: Depth) -> Table:
        """The columns that are shown at this depth."""
        page = depth == "page"
        visible = [
            (column, k)
            for k, column in enumerate(self.columns)
            if reaches(depth, column.depth) and (page or column.kind != "plot")
        ]
        if page:
            rows = tuple(_joined([(column, row[k]) for column, k in visible]) for row in self.rows)
            visible = [(column, k) for column, k in visible if column.on_page == "column"]
        else:
            rows = tuple(tuple(row[k] for _, k in visible) for row in self.rows)
        return replace(self, columns=tuple(column for column, _ in visible), rows=rows)

    def left_out(self, most: int) -> str:
        """A sentence on the rows beyond `most`; empty where there are none."""
        return f"{most:,} of {len(self.rows):,} rows; {self.rest}." if len(self.rows) > most else ""


def _joined(cells: Iterable[tuple[Column, Cell | str]]) -> tuple[Cell | str, ...]:
    """The cells of a row of a page: some stand below the one before them, or in its tip."""
    row: list[Cell | str] = []
    for column, cell in cells:
        if column.on_page == "column":
            row.append(cell)
        elif column.on_page != "nothing":
            last = as_cell(row[-1])
            words = (getattr(last, column.on_page), as_cell(cell).words)
            joined: dict[str, Any] = {column.on_page: " · ".join(filter(None, words))}
            # What has a second line below it is the value of the row.
            tone = "strong" if column.on_page == "aside" else last.tone
            row[-1] = replace(last, **{**joined, "tone": tone})
    return tuple(row)


@dataclass(frozen=True)
class Figure:
    """A chart with its title and caption; made only where it is shown."""

    make: Callable[[], Chart]


@dataclass(frozen=True)
class SideBySide:
    """Blocks beside each other where there is room, below each other where there is none; `split` names
    their widths on a page."""

    blocks: tuple[Block, ...]
    split: Literal["", "5:7", "7:5", "11:9"] = ""


@dataclass(frozen=True)
class Card:
    """One big number with its name and what it means, or its interval."""

    name: str
    value: str
    words: str = ""
    #: What a pointer over the name is told.
    tip: str = ""


@dataclass(frozen=True)
class Cards:
    """A few big numbers."""

    cards: tuple[Card, ...]


@dataclass(frozen=True)
class Choice:
    """Buttons of which each shows its own blocks; without a script all are shown."""

    name: str
    question: str
    #: What each button says, and what it shows.
    options: tuple[tuple[str, tuple[Block, ...]], ...]


@dataclass(frozen=True)
class Folded:
    """Blocks that a page opens when asked."""

    summary: str
    blocks: tuple[Block, ...]


@dataclass(frozen=True)
class Filter:
    """Buttons by which a page shows rows and sections of one kind only."""

    name: str
    question: str
    #: Each kind, and what its button says.
    kinds: tuple[tuple[str, str], ...]


@dataclass(frozen=True)
class Panel:
    """Blocks in a frame, under a heading."""

    title: str
    blocks: tuple[Block, ...]
    note: str = ""
    # The level of the heading: 2 on the first screen.
    level: int = 3


@dataclass(frozen=True)
class Facts:
    """Short facts in a grid: term and text."""

    facts: tuple[tuple[str, str], ...]


@dataclass(frozen=True)
class MatrixCell:
    """A count with its share of the actual class."""

    count: str
    share: str
    # 0 to 10: how dark.
    depth: int
    tip: str
    # Of two classes: true positive and so on.
    name: str = ""


@dataclass(frozen=True)
class MatrixTable:
    """A confusion matrix: rows are actual classes, columns predictions; of one model or of two."""

    labels: tuple[str, ...]
    sizes: tuple[str, ...]
    models: tuple[str, ...]
    # By model, row and column.
    cells: tuple[tuple[tuple[MatrixCell, ...], ...], ...]
    # By class: the value and its interval; of one model only.
    recall: tuple[tuple[str, str], ...] = ()
    # By model and class, one after the other.
    precision: tuple[tuple[str, str], ...] = ()
    note: str = ""
    # What text writes above the rows.
    actual: str = "actual"

    @property
    def is_numbered(self) -> bool:
        """Do numbers stand above the columns? They do where a word of a class would not fit there."""
        columns = len(self.labels) * len(self.models)
        longest = max(len(word) for label in self.labels for word in label.split() or [""])
        return len(self.labels) > 2 and longest * LETTER > MATRIX_WIDTH / columns - 8


@dataclass(frozen=True)
class Segments:
    """One bar in parts, with a legend."""

    title: str
    # Words, share of the whole, colour.
    parts: tuple[tuple[str, float, str], ...]


@dataclass(frozen=True)
class WhatIf:
    """The part in which a reader changes prevalence, threshold and costs; not there without scripts."""

    # What the template and the script read, ready for JSON.
    data: Callable[[], Mapping[str, Any]]
    # JavaScript: the metrics as an object of functions by name.
    functions: Callable[[], str]
    # Are the counts, too, for the reader to change?
    is_studio: bool = False


# Findings that a first screen has room for.
MOST_ON_FIRST_SCREEN = 4


@dataclass(frozen=True)
class Finding(Record):
    """One finding; a list of them is ordered by harm, the most harmful first."""

    kind: Literal["warning", "note"]
    # The fact, in at most 40 words.
    what: str
    # What it means for a decision.
    why: str
    # One imperative sentence.
    next: str
    # The command that does it, as it can be pasted into a shell; empty where there is none.
    command: str = ""


Item = TypeVar("Item")
# A column (of numbers, where it is a name), and its cell for an item of the table.
ColumnOf: TypeAlias = tuple[Column | str, Callable[[Item], Cell | str]]
Block: TypeAlias = (
    Sentence
    | Table
    | Figure
    | SideBySide
    | Cards
    | Choice
    | Folded
    | Filter
    | Panel
    | Facts
    | MatrixTable
    | Segments
    | WhatIf
    | Finding
)


@dataclass(frozen=True)
class Section:
    """What is said under one heading."""

    title: str
    blocks: tuple[Block, ...]
    depth: Depth = "full"
    identity: str = ""
    #: Of what kind it is, for a filter.
    kind: str = ""
    #: Its name in a page's list of sections, where that is shorter than the title.
    short: str = ""
    #: What it is about, beside the title.
    note: str = ""


@dataclass(frozen=True)
class KeyFigure:
    """The one number of a page, with what stands below it."""

    name: str
    value: str
    lines: tuple[str, ...] = ()
    before: str = "Primary metric:"


@dataclass(frozen=True)
class Report:
    """A title, what stands below it, and the sections in the order in which they are read."""

    title: str
    sections: tuple[Section, ...]
    footer: str = ""
    key: KeyFigure | None = None

    def at(self, depth: Depth) -> Iterator[Section]:
        """The sections that are shown at this depth."""
        return (section for section in self.sections if reaches(depth, section.depth))


def reaches(depth: Depth, needed: Depth) -> bool:
    """Is a reader who asked for this much shown what needs that much?"""
    return _DEPTHS.index(depth) >= _DEPTHS.index(needed)


def text_blocks(blocks: Iterable[Block], depth: Depth = "full") -> Iterator[Sentence | Table]:
    """The sentences and tables in which text says the same: no drawings, no frames."""
    for block in blocks:
        match block:
            case Panel(_, inner):
                yield from text_blocks(inner, depth)
            case SideBySide(inner):
                for place, each in enumerate(text_blocks(inner, depth)):
                    if place and isinstance(each, Table):
                        yield Sentence("")  # below each other they need what stands between sections
                    yield each
            case Folded(summary, inner) if depth != "brief":
                yield from _headed(summary, text_blocks(inner, depth))
            case Choice(_, question, options):
                for label, shown in options:
                    yield from _headed(f"{question} {label}", text_blocks(shown, depth))
            case Cards(cards):
                names = (words_column(""), lambda card: card.name)
                values = (words_column(""), lambda card: Cell(card.value, "strong", aside=card.words))
                yield table_of(cards, names, values)
            case Facts(facts):
                yield from (Sentence(f"{name}: {words}") for name, words in facts)
            case MatrixTable(labels, _, models, matrices) if len(labels) <= MOST_CLASSES_IN_TEXT:
                heads = (words_column(block.actual), *number_columns(*(f"predicted {n}" for n in labels)))
                for k, (model, cells) in enumerate(zip(models, matrices, strict=True)):
                    rows = ((n, *(c.count for c in row)) for n, row in zip(labels, cells, strict=True))
                    title, identity = (model, "") if len(models) > 1 else ("", "matrix-first")
                    yield from [Sentence("")] if k else []
                    yield Table(heads, tuple(rows), identity, title)
            case Segments(title, parts):
                yield Sentence(f"{title} {', '.join(words for words, _, _ in parts)}.")
            case Sentence() | Table():
                yield block


def _headed(words: str, parts: Iterable[Sentence | Table]) -> Iterator[Sentence | Table]:
    """Words above what they speak of, where that has a form in text."""
    for place, each in enumerate(parts):
        yield from () if place else (Sentence(words, "soft"),)
        yield each


def table_of(items: Iterable[Item], *columns: ColumnOf[Item] | None, **more: Any) -> Table:
    """A table from its columns: each with what its cell says of an item, those that are None left out."""
    shown = [column for column in columns if column is not None]
    heads = tuple(Column(head) if isinstance(head, str) else head for head, _ in shown)
    return Table(heads, tuple(tuple(cell(item) for _, cell in shown) for item in items), **more)


def words_column(name: str, whole: bool = False, depth: Depth = "brief") -> Column:
    """A column of words."""
    return Column(name, "words", whole, depth)


def number_columns(*names: str, depth: Depth = "brief") -> tuple[Column, ...]:
    """Columns of numbers."""
    return tuple(Column(name, depth=depth) for name in names)
