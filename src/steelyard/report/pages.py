"""A page as plain data: opening, sections, and the blocks that only a page has."""

# Blocks of a report (`report/sections.py`) can stand in any section beside these.

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import groupby
from typing import Any, Literal, TypeAlias

from steelyard.report.sections import (
    MOST_ON_FIRST_SCREEN,
    Block,
    Cell,
    Figure,
    Finding,
    Report,
    Section,
    Sentence,
    Table,
)

# Findings on the page that is printed.
MOST_IN_SUMMARY = 3
# Pixels of a letter above a column of a matrix of many classes, and of all its columns at 1280 px.
LETTER, MATRIX_WIDTH = 6.4, 346


class Strong(str):
    """Words in bold within a sentence."""

    __slots__ = ()


class Soft(str):
    """Muted words within a title."""

    __slots__ = ()


# A sentence in parts, some of them strong or soft.
Runs: TypeAlias = tuple[str, ...]


@dataclass(frozen=True)
class KeyFigure:
    """The one number of a page, with what stands below it."""

    name: str
    value: str
    lines: tuple[str, ...] = ()
    before: str = "Primary metric:"


@dataclass(frozen=True)
class Opening:
    """The first lines of a page: title, facts, verdict and key figure."""

    title: Runs
    facts: tuple[Runs, ...] = ()
    # The first paragraph is the judgement, the second, muted, what misleads on this data.
    verdict: tuple[Runs, ...] = ()
    key: KeyFigure | None = None


@dataclass(frozen=True)
class Panel:
    """Blocks in a frame, under a heading."""

    title: str
    blocks: tuple[PageBlock, ...]
    note: str = ""
    # The level of the heading: 2 on the first screen.
    level: int = 3


@dataclass(frozen=True)
class Columns:
    """Blocks side by side on wide screens; `split` names the widths."""

    blocks: tuple[PageBlock, ...]
    split: Literal["", "5:7", "7:5", "11:9"] = ""


@dataclass(frozen=True)
class Stat:
    """A number with its interval."""

    name: str
    value: str
    interval: str = ""
    tip: str = ""


@dataclass(frozen=True)
class Stats:
    """A few numbers in a row."""

    stats: tuple[Stat, ...]


@dataclass(frozen=True)
class Facts:
    """Short facts in a grid: term and text."""

    facts: tuple[tuple[str, str], ...]


@dataclass(frozen=True)
class Empty:
    """What is missing, and the command that brings it."""

    words: str
    command: str = ""


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


PageBlock: TypeAlias = (
    Block | Panel | Columns | Stats | Facts | Empty | MatrixTable | Segments | WhatIf | Finding
)


@dataclass(frozen=True)
class PageSection:
    """A section of a page; the name in the list of sections may be shorter than its title."""

    id: str
    title: str
    blocks: tuple[PageBlock, ...]
    short: str = ""
    note: str = ""
    # Of what kind it is, for a filter.
    kind: str = ""
    # Does a notebook show it?
    is_first: bool = False


@dataclass(frozen=True)
class Page:
    """A whole page."""

    # What stands in the top bar: "Evaluation report".
    kind: str
    title: str
    opening: Opening
    # What stands below the opening, before any section.
    first: tuple[PageBlock, ...]
    sections: tuple[PageSection, ...]
    # Each with the section that its link on the first screen leads to.
    findings: tuple[tuple[str, Finding], ...] = ()
    footer: str = ""

    def titled(self, title: str) -> Page:
        """The same page under another title."""
        return replace(self, title=title, opening=replace(self.opening, title=(title,)))

    def as_summary(self) -> Page:
        """The first screen and the three most harmful findings."""
        findings = tuple(finding for _, finding in self.findings[:MOST_IN_SUMMARY])
        return replace(self, first=(*self.first, *findings), sections=(), findings=())

    @property
    def links(self) -> tuple[tuple[str, Finding], ...]:
        return self.findings[:MOST_ON_FIRST_SCREEN]

    @property
    def what_if(self) -> WhatIf | None:
        blocks = (block for section in self.sections for block in section.blocks)
        return next((block for block in blocks if isinstance(block, WhatIf)), None)


def with_findings(
    sections: Iterable[PageSection], placed: Sequence[tuple[str, Finding]]
) -> tuple[PageSection, ...]:
    """Sections that have blocks, each opening with the findings that belong there."""
    return tuple(
        replace(section, blocks=(*(f for place, f in placed if place == section.id), *section.blocks))
        for section in sections
        if section.blocks
    )


# The title's parts become facts, opening sentences the verdict, and sections without a title stand first.
def page_of(report: Report, kind: str = "Report") -> Page:
    """The page of a report that says nothing of its own about it."""
    name, *facts = report.title.split(" · ")
    parts = list(report.at("page"))
    leading: list[Section] = []
    while parts and not parts[0].title:
        leading.append(parts.pop(0))
    blocks = [block for section in leading for block in section.blocks]
    verdict: list[Runs] = []
    while blocks and isinstance(sentence := blocks[0], Sentence) and len(verdict) < 2:
        # The verdict may be good or bad; what follows it is muted and must not hide a warning.
        if sentence.tone not in (
            ("strong", "plain") if verdict else ("strong", "plain", "good", "bad", "open")
        ):
            break
        verdict.append((sentence.words,) if verdict else _with_judgement(sentence.words))
        del blocks[0]
    sections: list[PageSection] = []
    pending: list[PageBlock] = []
    used: set[str] = set()
    for section in parts:
        if not section.title:
            if sections:
                last = sections[-1]
                sections[-1] = replace(last, blocks=(*last.blocks, *_in_pairs(section.blocks)))
            else:
                pending += _in_pairs(section.blocks)
            continue
        identity = _slug(section.identity or f"part {section.title}", used)
        is_first = section.depth == "brief"
        inside = tuple(_in_pairs(section.blocks))
        sections.append(PageSection(identity, section.title, inside, kind=section.kind, is_first=is_first))
    opening = Opening((name,), tuple((fact,) for fact in facts), tuple(verdict))
    return Page(kind, report.title, opening, (*blocks, *pending), tuple(sections), footer=report.footer)


def _in_pairs(blocks: Iterable[Block]) -> Iterator[PageBlock]:
    """The blocks; charts that follow each other stand side by side, as a chart fills half of a wide page."""
    for is_chart, group in groupby(blocks, lambda block: isinstance(block, Figure)):
        run = tuple(group)
        if not is_chart or len(run) == 1:
            yield from run
        else:
            yield from (Columns(run[k : k + 2]) for k in range(0, len(run), 2))


def _with_judgement(words: str) -> Runs:
    """A verdict whose first words, if they are a judgement of at most five words, are bold."""
    judgement = re.match(r"(?:[^\s.:]+ ){0,4}[^\s.:]+[.:](?=\s)", words)
    return (words,) if judgement is None else (Strong(judgement[0]), words[judgement.end() :])


def _slug(words: str, used: set[str]) -> str:
    plain = re.sub(r"[^a-z0-9]+", "-", words.lower()).strip("-")[:40] or "part"
    slug, k = plain, 2
    while slug in used:
        slug, k = f"{plain}-{k}", k + 1
    used.add(slug)
    return slug


def forest(rows: tuple[tuple[Cell | str, ...], ...], columns: tuple[Any, ...], **more: Any) -> Table:
    """A table with a plot in each row."""
    return Table(columns, rows, style="forest", **more)
