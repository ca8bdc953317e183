"""Results of studies, and the list of studies."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from steelyard import __version__
from steelyard.proofs import verdict_cell
from steelyard.report import (
    Block,
    Column,
    Presented,
    Report,
    Section,
    Sentence,
    Table,
    words_column,
)
from steelyard_papers.decided import stated, study_tally, verdict_on_finding
from steelyard_papers.experiment import ResultTable, Study
from steelyard_papers.page import MOST_ROWS, page, shown_value
from steelyard_papers.runner import load

QUICK = "A quick run, not the paper's size: its findings show only that the study runs."


def study_report(record: Mapping[str, Any]) -> Report:
    """One run of a study."""
    run = record["run"]
    versions = ", ".join(f"{name} {version}" for name, version in run["versions"].items())
    sections = [
        Section("", tuple(_opening(record)), "brief"),
        Section("The paper's findings beside ours", (_findings(record),), "brief", "findings"),
        Section("In words", tuple(_words(record)), "page"),
        Section("How it was done", tuple(map(Sentence, record["method"])), "page"),
    ]
    if record.get("choices"):
        notes = tuple(
            Sentence(f"{choice['when'].capitalize()}: {choice['what']}") for choice in record["choices"]
        )
        sections.append(Section("What was settled here, and when", notes, "page"))
    if record["notes"]:
        sections.append(Section("What else was seen", tuple(map(Sentence, record["notes"])), "page"))
    tables = [ResultTable.from_dict(plain) for plain in record["tables"] if plain["shown"]]
    if tables:
        sections.append(Section("Tables", tuple(map(_table, tables)), "page"))
    sections.append(Section("", (Sentence(_run(record), "soft"),), "brief"))
    return Report(
        f"{record['study']}: {record['title']}",
        tuple(sections),
        footer=f"Steelyard {__version__}. The run was made with {versions}.",
    )


def _opening(record: Mapping[str, Any]) -> Iterator[Block]:
    yield Sentence(f"{study_tally(record['findings'])}.", "strong")
    yield Sentence(f"Paper: {record['paper']}. {record['reproduces']}")
    if record["quick"]:
        yield Sentence(QUICK, "bad")
    if record["differs"]:
        tally = "; ".join(
            f"{name} = {shown_value(record['parameters'][name])} instead of {shown_value(paper)}"
            for name, paper in record["differs"].items()
        )
        yield Sentence(f"Not the paper's size: {tally}.", "bad")


def _findings(record: Mapping[str, Any]) -> Table:
    columns = (
        words_column("claim", whole=True),
        words_column("statement"),
        words_column("paper"),
        words_column("ours"),
        words_column("verdict", whole=True),
    )
    rows = tuple(
        (
            finding["claim_id"],
            stated(finding),
            str(finding["paper_figure"]),
            str(finding["our_figure"]),
            verdict_cell(verdict_on_finding(finding)),
        )
        for finding in record["findings"]
    )
    return Table(columns, rows, stacked=True, most_printed=1000)


def _words(record: Mapping[str, Any]) -> Iterator[Block]:
    for finding in record["findings"]:
        yield Sentence(f"{finding['claim_id']}: {verdict_on_finding(finding)}. {finding['words']}")


def _table(table: ResultTable) -> Table:
    columns = tuple(
        Column(name, "words" if any(isinstance(row[k], str) for row in table.rows) else "number")
        for k, name in enumerate(table.columns)
    )
    rows = tuple(tuple(shown_value(value) for value in row) for row in table.rows)
    rest = f"all are in {table.name}.csv"
    return Table(columns, rows, identity=table.name, title=table.title, most_on_page=MOST_ROWS, rest=rest)


def _run(record: Mapping[str, Any]) -> str:
    run = record["run"]
    return f"seed {record['seed']}, {run['steps']} steps, {run['seconds']:,.1f} s of work, {run['started']}"


def list_report(studies: Sequence[tuple[Study, Mapping[str, Any] | None]]) -> Report:
    """Every study on a line."""
    rows = tuple((study.name, study.title, _recorded(record)) for study, record in studies)
    columns = (
        words_column("study", whole=True),
        words_column("what it does again"),
        words_column("recorded run"),
    )
    table = Table(columns, rows, identity="studies", stacked=True, most_printed=1000)
    return Report(
        "The papers' experiments", (Section("", (table,), "brief"),), footer=f"Steelyard {__version__}."
    )


def _recorded(record: Mapping[str, Any] | None) -> str:
    if record is None:
        return "none"
    return study_tally(record["findings"])


@dataclass(frozen=True, repr=False)
class StudyResult(Presented):
    """A run of a study: the paper's findings beside ours, and how they came about."""

    record: Mapping[str, Any]
    """The run as its file holds it."""

    def report(self) -> Report:
        return study_report(self.record)

    def to_dict(self) -> dict[str, Any]:
        return dict(self.record)

    def to_markdown(self) -> str:
        """The page of the documentation."""
        return page(self.record)

    def table(self) -> list[dict[str, Any]]:
        """Every statement of the paper as a row of plain data."""
        return [dict(finding) for finding in self.record["findings"]]


def study(result: str | Path) -> StudyResult:
    """What a run of a study found: a result.json, the folder that holds it, or a recorded study's name."""
    return StudyResult(load(result))


@dataclass(frozen=True, repr=False)
class StudyList(Presented):
    """The studies, each with the recorded run if there is one."""

    studies: tuple[tuple[Study, Mapping[str, Any] | None], ...]

    def report(self) -> Report:
        return list_report(self.studies)

    def to_dict(self) -> dict[str, Any]:
        return {"studies": self.plain()}

    def plain(self) -> list[dict[str, Any]]:
        return [_listed(study, record) for study, record in self.studies]

    def table(self) -> list[dict[str, Any]]:
        """Every study as a row of plain data."""
        columns = ("study", "paper", "title", "reproduces")
        return [{name: row[name] for name in columns} for row in self.plain()]


def _listed(study: Study, record: Mapping[str, Any] | None) -> dict[str, Any]:
    known = None if record is None else {name: record[name] for name in ("seed", "run", "findings")}
    return {
        "study": study.name,
        "paper": study.paper,
        "title": study.title,
        "reproduces": study.reproduces,
        "recorded": known,
    }
