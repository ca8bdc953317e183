"""Results of studies, and the list of studies."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from steelyard.report import Presented, Report
from steelyard_papers.experiment import Study
from steelyard_papers.page import page
from steelyard_papers.runner import load
from steelyard_papers.study_sections import list_report, study_report


@dataclass(frozen=True, repr=False)
class StudyResult(Presented):
    """A run of a study: the paper's findings beside ours, and how they came about."""

    found: Mapping[str, Any]
    """The run as its file holds it."""

    def report(self) -> Report:
        return study_report(self.found)

    def to_dict(self) -> dict[str, Any]:
        return dict(self.found)

    def to_markdown(self) -> str:
        """The page of the documentation."""
        return page(self.found)

    def table(self) -> list[dict[str, Any]]:
        """Every statement of the paper as a row of plain data."""
        return [dict(finding) for finding in self.found["findings"]]


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
        kept = ("study", "paper", "title", "reproduces")
        return [{name: row[name] for name in kept} for row in self.plain()]


def _listed(study: Study, record: Mapping[str, Any] | None) -> dict[str, Any]:
    known = None if record is None else {name: record[name] for name in ("seed", "run", "findings")}
    return {
        "study": study.name,
        "paper": study.paper,
        "title": study.title,
        "reproduces": study.reproduces,
        "recorded": known,
    }
