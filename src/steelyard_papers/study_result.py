"""Results of studies, and the list of studies."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from steelyard import __version__
from steelyard.errors import InputError
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

MOST_ROWS = 80
NOT_REPRINTED = (
    "The paper's own figures are not reprinted (publisher's copyright). Printed values stand beside ours in"
    " the figures and tables; where the paper prints only a figure, its finding is stated in words."
)
QUICK = "A quick run, not the paper's size: its findings show only that the study runs."


def study_report(record: Mapping[str, Any]) -> Report:
    """One run of a study."""
    choices = [f"{choice['when'].capitalize()}: {choice['what']}" for choice in record.get("choices", ())]
    values = [f"{key} = {shown_value(value)}" for key, value in record["parameters"].items()]
    parameters = f"Parameters: {'; '.join(values)}." if values else "No parameters."
    tables = [ResultTable.from_dict(plain) for plain in record["tables"] if plain["shown"]]
    parts: dict[str, Iterable[Block]] = {
        "In words": _words(record),
        "How it was done": map(Sentence, (*record["method"], parameters)),
        "What was settled here, and when": map(Sentence, choices),
        "What else was seen": map(Sentence, record["notes"]),
        "Tables": map(_table, tables),
    }
    sections = [
        Section("", tuple(_opening(record)), "brief"),
        Section("The paper's findings beside ours", (_findings(record),), "brief", "findings"),
        *(Section(title, tuple(blocks), "full") for title, blocks in parts.items()),
        Section("The run", tuple(_run(record)), "brief"),
    ]
    title = f"{record['study']}: {record['title']}"
    return Report(title, tuple(section for section in sections if section.blocks))


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
        known = finding.get("probability")
        verdict = verdict_on_finding(finding) + ("" if known is None else f" (probability {known:.2f})")
        yield Sentence(f"{finding['claim_id']}: {verdict}. {finding['words']}")


def _table(table: ResultTable) -> Table:
    columns = tuple(
        Column(name, "words" if any(isinstance(row[k], str) for row in table.rows) else "number")
        for k, name in enumerate(table.columns)
    )
    rows = tuple(tuple(shown_value(value) for value in row) for row in table.rows)
    rest = f"all are in {table.name}.csv"
    return Table(columns, rows, identity=table.name, title=table.title, most_on_page=MOST_ROWS, rest=rest)


def _run(record: Mapping[str, Any]) -> Iterator[Block]:
    run, quick = record["run"], " --quick" if record["quick"] else ""
    yield Sentence(f"steelyard study run {record['study']} --seed {record['seed']}{quick}", "code")
    versions = ", ".join(f"{name} {version}" for name, version in run["versions"].items())
    workers = f"{run['workers']} worker{'s' if run['workers'] > 1 else ''}"
    work = f"{run['steps']} steps, {run['seconds']:,.1f} s of work on {workers}"
    yield Sentence(f"Started {run['started']}, {work}; {versions}.")


def shown_value(value: Any) -> str:
    """A value of a table or a parameter."""
    if value is None:
        return "-"
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, float):
        return f"{value:.4g}" if abs(value) < 1000 else f"{value:,.0f}"
    if isinstance(value, int):
        return f"{value:,}"
    if isinstance(value, list | tuple):
        return ", ".join(map(shown_value, value))
    return str(value)


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

    def to_markdown(self, pictures: str = "") -> str:
        """The page of the documentation; `pictures` goes before the names of the figure files."""
        drawn = self.record["pictures"].items()
        figures = [f"![{words}]({pictures}{name}.svg)\n\n*{words}*\n" for name, words in drawn]
        more = ["## Figures\n", *figures, f"{NOT_REPRINTED}\n"] if figures else []
        return "\n".join([super().to_markdown(), *more])

    def table(self) -> list[dict[str, Any]]:
        """Every statement of the paper as a row of plain data."""
        return [dict(finding) for finding in self.record["findings"]]


def load(path: str | Path) -> dict[str, Any]:
    """Read a result: a result.json, the folder that holds one, or the name of a study with a recorded run."""
    from steelyard_papers.recorded import recorded, recorded_names

    target = Path(path)
    if str(path) in recorded_names():
        return recorded(str(path))
    if of_paper := [name for name in recorded_names() if name.startswith(f"{path}-")]:
        raise InputError(
            "a paper has several studies",
            found=str(path),
            allowed=", ".join(of_paper),
            do=f"see also: steelyard paper {path}",
        )
    if target.is_dir():
        target = target / "result.json"
    try:
        result = json.loads(target.read_text(encoding="utf-8"))
        if not isinstance(result, dict) or not {"study", "findings", "checksum"} <= set(result):
            raise ValueError("not a result")
    except (OSError, ValueError) as error:
        reason = error.strerror if isinstance(error, OSError) else "it is not the result of a study"
        raise InputError(
            f"the result cannot be read: {reason}",
            found=str(target),
            allowed=(
                "a result.json, the folder that holds one, or a recorded study:"
                f" {', '.join(recorded_names())}"
            ),
        ) from error
    return result


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
