"""A page as plain data: opening, sections, findings."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from itertools import groupby
from typing import TypeAlias

from steelyard.report.sections import (
    MOST_ON_FIRST_SCREEN,
    Block,
    Figure,
    Finding,
    KeyFigure,
    Report,
    Section,
    Sentence,
    SideBySide,
    WhatIf,
)

# Findings on the page that is printed.
MOST_IN_SUMMARY = 3


class Strong(str):
    """Words in bold within a sentence."""

    __slots__ = ()


class Soft(str):
    """Muted words within a title."""

    __slots__ = ()


# A sentence in parts, some of them strong or soft.
Runs: TypeAlias = tuple[str, ...]


@dataclass(frozen=True)
class Opening:
    """The first lines of a page: title, facts, verdict and key figure."""

    title: Runs
    facts: tuple[Runs, ...] = ()
    # The first paragraph is the judgement, the second, muted, what misleads on this data.
    verdict: tuple[Runs, ...] = ()
    key: KeyFigure | None = None


@dataclass(frozen=True)
class Page:
    """A whole page."""

    # What stands in the top bar: "Evaluation report".
    kind: str
    title: str
    opening: Opening
    # What stands below the opening, before any section.
    first: tuple[Block, ...]
    sections: tuple[Section, ...]
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


# The first section of which a finding uses a word is its place; the last takes all that is left.
def page_with_findings(
    kind: str,
    opening: Opening,
    first: tuple[Block, ...],
    sections: Iterable[Section],
    findings: Iterable[Finding],
    words_of_section: Mapping[str, tuple[str, ...]],
) -> Page:
    """A page whose sections open with the findings that belong there; those without blocks are left out."""
    shown = [section for section in sections if section.blocks]
    known = {section.identity for section in shown}

    def place(finding: Finding) -> str:
        text = f"{finding.what} {finding.next}".lower()
        *matching, last = words_of_section.items()
        places = (name for name, words in matching if name in known and any(word in text for word in words))
        return next(places, last[0])

    placed = tuple((place(finding), finding) for finding in findings)
    opened = (
        replace(section, blocks=(*(f for where, f in placed if where == section.identity), *section.blocks))
        for section in shown
    )
    return Page(kind, "".join(opening.title), opening, first, tuple(opened), placed)


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
    # The verdict may be good or bad; what follows it is muted and must not hide a warning.
    for tones in (("strong", "plain", "good", "bad", "open"), ("strong", "plain")):
        sentence = blocks[0] if blocks else None
        if not isinstance(sentence, Sentence) or sentence.tone not in tones:
            break
        verdict.append((sentence.words,) if verdict else _with_judgement(sentence.words))
        del blocks[0]
    sections: list[Section] = []
    used: set[str] = set()
    for section in parts:
        inside = tuple(_in_pairs(section.blocks))
        if not section.title:
            sections[-1] = replace(sections[-1], blocks=(*sections[-1].blocks, *inside))
            continue
        identity = _slug(section.identity or f"part {section.title}", used)
        sections.append(replace(section, blocks=inside, identity=identity))
    opening = Opening((name,), tuple((fact,) for fact in facts), tuple(verdict), report.key)
    return Page(kind, report.title, opening, tuple(blocks), tuple(sections), footer=report.footer)


def _in_pairs(blocks: Iterable[Block]) -> Iterator[Block]:
    """The blocks; charts that follow each other stand side by side, as a chart fills half of a wide page."""
    for is_chart, group in groupby(blocks, lambda block: isinstance(block, Figure)):
        run = tuple(group)
        if not is_chart or len(run) == 1:
            yield from run
        else:
            yield from (SideBySide(run[k : k + 2]) for k in range(0, len(run), 2))


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
