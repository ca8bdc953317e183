"""The registry: what the papers contain and state, declared once in one TOML file a paper.

An entry is an equation, theorem, table, figure, experiment, statement or recommendation with its number in
the paper. An entry with an id is a statement that is decided: by properties that hold or fail, by a function
of the paper's claims, or by the recorded run of a study. Everything that names a statement (the ledger, the
studies, `steelyard paper`, the documentation) reads it here.
"""

from __future__ import annotations

import importlib
import re
import tomllib
import unicodedata
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache, partial
from importlib import resources
from typing import Any

from steelyard import measure
from steelyard.errors import InputError, UnknownNameError
from steelyard.measures import REFERENCES
from steelyard_papers.claim import Claim, Finding, all_of, fails, holds, studied
from steelyard_papers.experiment import Study

FIVE = ("mullick2020", "branco2017", "garcia2012", "skrabanek2017", "mortaz2020")
# Work that the five papers lead to, of which only some statements are decided.
RELATIVES = ("gosgens2021", "kovacs2022")


@dataclass(frozen=True)
class Entry:
    """A row of a paper's table of contents."""

    paper: str
    at: str
    """Its number or place in the paper."""
    kind: str
    what: str
    """What it is, or what is stated."""
    id: str = ""
    here: str = ""
    """What it is called here: a measure, a property, a function, a study."""
    note: str = ""
    """For a statement that does not hold, the likely reason; for others, what to know."""
    differs: str = ""
    """How this implementation differs from the paper."""
    ours: bool = False
    """Is it a question of ours about the paper, and not its own statement?"""
    study: str = ""
    """The study whose recorded run decides it."""
    drawn_by: str = ""
    """The study that draws or repeats it, where another argument decides."""
    decide: str = ""
    """A function of the paper's claims, or module:function; `arguments` are handed to it."""
    arguments: tuple[Any, ...] = ()
    holds: tuple[str, ...] = ()
    fails: tuple[str, ...] = ()
    shown_by: str = ""

    @property
    def command(self) -> str:
        """The command that shows it."""
        if self.shown_by:
            return self.shown_by
        if self.id:
            return f"steelyard claims --only {self.id}"
        return f"steelyard explain {self.here}"

    def finding(self) -> Finding:
        """The statement, decided."""
        if self.study:
            return studied(self.id, self.study)
        if self.decide:
            module, _, name = self.decide.rpartition(":")
            claims_module = importlib.import_module(module or f"steelyard_papers.{self.paper}.claims")
            decided: Finding = getattr(claims_module, name)(*self.arguments)
            return decided
        parts = [holds(*_pair(text)) for text in self.holds] + [fails(*_pair(text)) for text in self.fails]
        return parts[0] if len(parts) == 1 else all_of(*parts)

    @property
    def claim(self) -> Claim:
        return Claim(
            id=self.id,
            paper=self.paper,
            where=self.at,
            statement=self.what,
            decide=partial(Entry.finding, self),
            explanation=self.note,
            study=self.study,
            ours=self.ours,
        )


def _pair(text: str) -> tuple[str, str]:
    """ "gmean: prior-invariance" as a measure and a property."""
    name, _, property_id = text.rpartition(": ")
    return name, property_id


@dataclass(frozen=True)
class Paper:
    """A paper and what it contains, in its order."""

    key: str
    reference: str
    doi: str
    proposes: tuple[str, ...]
    """The symbols and names that it introduces."""
    entries: tuple[Entry, ...]

    @property
    def statements(self) -> tuple[Entry, ...]:
        """The entries that are decided."""
        return tuple(entry for entry in self.entries if entry.id)


@cache
def paper_with_key(key: str) -> Paper:
    """Read a paper's file."""
    text = (resources.files("steelyard_papers") / key / "paper.toml").read_text(encoding="utf-8")
    declared = tomllib.loads(text)
    known = REFERENCES.get(key)
    return Paper(
        key,
        declared["reference"] if known is None else known.text,
        declared["doi"] if known is None else known.doi,
        tuple(declared["proposes"]),
        tuple(_entry(key, plain) for plain in declared["entry"]),
    )


def _entry(paper: str, plain: Mapping[str, Any]) -> Entry:
    renamed = {"with": "arguments", "command": "shown_by"}
    fields: dict[str, Any] = {
        renamed.get(key, key): tuple(value) if isinstance(value, list) else value
        for key, value in plain.items()
    }
    return Entry(paper=paper, **fields)


def papers() -> tuple[Paper, ...]:
    """The five papers, then their relatives."""
    return tuple(paper_with_key(key) for key in (*FIVE, *RELATIVES))


@cache
def statements() -> Mapping[str, Entry]:
    """Every statement by its id."""
    return {entry.id: entry for paper in papers() for entry in paper.statements}


def statement_of(claim_id: str, otherwise: str = "") -> str:
    """The words of a statement, as every page has them."""
    known = statements().get(claim_id)
    return otherwise if known is None else known.what


def find_papers(name: str) -> tuple[Paper, ...]:
    """The papers with this key, DOI, symbol ("IAM") or these words of title or authors.

    A symbol that a paper introduces leads to that paper, one that several papers define to all of them.
    """
    wanted = _plain(name)
    for paper in papers():
        named = {paper.key, _plain(paper.doi), *map(_plain, paper.proposes)}
        if wanted.removeprefix("https://doi.org/") in named:
            return (paper,)
    words = wanted.split()
    by_symbol = tuple(paper for paper in papers() if places_of(name, paper))
    by_title = tuple(
        paper
        for paper in papers()
        if words
        and all(f" {word}" in re.sub(r"[^\w-]", " ", f" {_plain(paper.reference)}") for word in words)
    )
    if not (by_symbol or by_title):
        raise UnknownNameError("paper", name, [paper.key for paper in papers()])
    return by_symbol or by_title


def places_of(symbol: str, paper: Paper) -> tuple[str, ...]:
    """Where a paper defines the measure with this symbol."""
    try:
        sources = measure(symbol).sources
    except InputError:  # not a symbol, or one with several meanings
        return ()
    return tuple(source.where for source in sources if source.key == paper.key)


def _plain(text: str) -> str:
    """Lower case without accents."""
    folded = unicodedata.normalize("NFKD", text.casefold().strip())
    return "".join(ch for ch in folded if not unicodedata.combining(ch))


# Each study's module below steelyard_papers, which holds it as STUDY.
WHERE = {
    "branco2017-cases": "branco2017.cases",
    "branco2017-discrimination": "branco2017.discrimination",
    "branco2017-real": "branco2017.real",
    "garcia2012-correlation": "garcia2012.correlation",
    "skrabanek2017-gradients": "skrabanek2017.gradients",
    "mortaz2020-sweeps": "mortaz2020.sweeps",
    "mortaz2020-selection": "mortaz2020.selection",
    "mortaz2020-shuffles": "mortaz2020.shuffles",
    "mullick2020-illustration": "mullick2020.illustration",
    "mullick2020-conditions": "mullick2020.conditions",
    "mullick2020-two-class": "mullick2020.two_class",
    "mullick2020-multi-class": "mullick2020.multi_class",
    "mullick2020-harder": "mullick2020.harder",
    "mullick2020-lexiboost": "mullick2020.boosting",
    "kovacs2022-bundles": "kovacs2022.bundles",
}


def study(name: str) -> Study:
    """The study of this name."""
    if name not in WHERE:
        raise UnknownNameError("study", name, WHERE)
    declared: Study = importlib.import_module(f"steelyard_papers.{WHERE[name]}").STUDY
    return declared


def studies() -> list[Study]:
    return [study(name) for name in WHERE]
