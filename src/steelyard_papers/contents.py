"""A paper's table of contents in this product: every entry with its number in the paper, what it is called
here, the verdict and the command that shows it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from steelyard import __version__
from steelyard.proofs import verdict_cell
from steelyard.report import Block, Cell, Column, Presented, Report, Section, Sentence, Table, words_column
from steelyard_papers.decided import recorded_verdict, tally
from steelyard_papers.registry import FIVE, Entry, Paper, find_papers, papers, places_of

NAME = (
    "steelyard paper NAME shows one: NAME is its key, words of its title, a symbol such as IAM, or its DOI."
)
IMPLEMENTED = "implemented"
DIFFERS = "implemented, differs"


def verdict(entry: Entry) -> str:
    """What became of an entry: the verdict on a statement, or whether a definition is implemented."""
    if entry.id:
        return recorded_verdict(entry)
    return DIFFERS if entry.differs else IMPLEMENTED


def called(entry: Entry) -> str:
    """What an entry is called here."""
    return entry.here or entry.study or entry.id


def plain(entry: Entry) -> dict[str, Any]:
    """An entry as plain data."""
    return {
        "at": entry.at,
        "kind": entry.kind,
        "what": entry.what,
        "id": entry.id or None,
        "our_question": entry.ours,
        "here": called(entry),
        "verdict": verdict(entry),
        "differs": entry.differs or None,
        "note": entry.note or None,
        "command": entry.command,
    }


@dataclass(frozen=True, repr=False)
class Contents(Presented):
    """One paper, entry by entry."""

    paper: Paper

    def report(self) -> Report:
        return Report(
            f"{self.paper.key}: contents of the paper, with names and verdicts in Steelyard",
            (
                Section("", tuple(_opening(self.paper)), "brief"),
                Section("", (_table(self.paper.entries),), "brief", "contents"),
            ),
            footer=f"Steelyard {__version__}. Verdicts as recorded; a row's command shows what decides it.",
        )

    def to_dict(self) -> dict[str, Any]:
        return {
            "paper": self.paper.key,
            "reference": self.paper.reference,
            "doi": self.paper.doi or None,
            "proposes": list(self.paper.proposes),
            "entries": self.table(),
        }

    def table(self) -> list[dict[str, Any]]:
        """Every entry as a row of plain data."""
        return [plain(entry) for entry in self.paper.entries]


def _opening(paper: Paper) -> Iterator[Block]:
    doi = f" doi:{paper.doi}" if paper.doi else ""
    yield Sentence(f"{paper.reference}.{doi}", "soft")
    yield Sentence(counted(paper), "strong")
    yield Sentence(
        "Each row: number in the paper, definition or statement, verdict, name in Steelyard, and the command"
        " that shows it.",
        "soft",
    )


def counted(paper: Paper) -> str:
    """How many entries, and the verdicts on what is stated."""
    theirs = [verdict(entry) for entry in paper.statements if not entry.ours]
    ours = [verdict(entry) for entry in paper.statements if entry.ours]
    counts = f"{len(paper.entries)} entries. {len(theirs)} statements of the paper: {tally(theirs)}"
    questions = "question of ours" if len(ours) == 1 else "questions of ours"
    return f"{counts}; {len(ours)} {questions}: {tally(ours)}." if ours else f"{counts}."


def _table(entries: Sequence[Entry]) -> Table:
    columns = (
        words_column("in the paper"),
        words_column("what"),
        words_column("verdict", whole=True),
        words_column("here"),
    )
    return Table(columns, tuple(map(_row, entries)), stacked=True, most_printed=10_000, most_on_page=10_000)


def _row(entry: Entry) -> tuple[Cell | str, ...]:
    outcome = verdict(entry)
    disagrees = outcome in ("refuted", "not reproduced")
    aside = " ".join(filter(None, (entry.differs, entry.note if disagrees or not entry.id else "")))
    where = f"{entry.at} (our question)" if entry.ours else entry.at
    mark = verdict_cell(outcome) if entry.id else Cell(outcome)
    return (
        Cell(where, "strong", anchor=entry.id),
        Cell(f"{entry.what.removesuffix('.')}." if aside else entry.what, aside=aside),
        mark,
        entry.command if called(entry) in entry.command else f"{called(entry)}: {entry.command}",
    )


@dataclass(frozen=True, repr=False)
class PaperList(Presented):
    """The papers, each on a line."""

    papers: tuple[Paper, ...]
    symbol: str = ""
    """Symbol or words that all of them have."""

    def report(self) -> Report:
        rows = tuple(
            (
                Cell(paper.key, "strong"),
                Cell(f"{paper.reference}.", aside=self._where(paper)),
                str(len(paper.entries)),
                tally(verdict(entry) for entry in paper.statements if not entry.ours),
            )
            for paper in self.papers
        )
        columns = (
            words_column("paper", whole=True),
            words_column("reference"),
            Column("entries"),
            words_column("statements"),
        )
        return Report(
            f"The papers with {self.symbol!r}" if self.symbol else "The papers",
            (
                Section("", (Table(columns, rows, stacked=True, most_printed=100),), "brief"),
                Section(
                    "",
                    (Sentence(NAME, "soft"),),
                    "brief",
                ),
            ),
            footer=f"Steelyard {__version__}.",
        )

    def _where(self, paper: Paper) -> str:
        """The places of the symbol in a paper."""
        places = ", ".join(filter(None, places_of(self.symbol, paper))) if self.symbol else ""
        return f"{self.symbol}: {places}." if places else ""

    def to_dict(self) -> dict[str, Any]:
        return {"papers": [Contents(paper).to_dict() for paper in self.papers]}

    def plain(self) -> list[dict[str, Any]]:
        """Every paper with every entry."""
        return [Contents(paper).to_dict() for paper in self.papers]

    def table(self) -> list[dict[str, Any]]:
        """Every paper as a row of plain data."""
        return [
            {
                "paper": paper.key,
                "reference": paper.reference,
                "doi": paper.doi or None,
                "entries": len(paper.entries),
                "statements": len(paper.statements),
                "of_the_five": paper.key in FIVE,
            }
            for paper in self.papers
        ]


def paper(name: str | None = None) -> Contents | PaperList:
    """A paper's table of contents, by key, words of its title, symbol or DOI; without a name, the papers.

    A symbol or words of several papers list those.

    >>> paper("IAM").table()[1]["here"]
    'accuracy'
    """
    if name is None:
        return PaperList(papers())
    named = find_papers(name)
    return Contents(named[0]) if len(named) == 1 else PaperList(named, name)
