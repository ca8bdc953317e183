"""What is the studio? The live page without a report: it starts from a case, and all can be changed."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from steelyard._version import __version__
from steelyard.judgement.live import about
from steelyard.measures.catalogue import catalogue
from steelyard.measures.measure import Measure
from steelyard.measures.script.compiled import library_text
from steelyard.papers.branco2017 import printed
from steelyard.papers.counterexamples import kept
from steelyard.report.presented import Presented
from steelyard.report.sections import Live, Report, Section, Sentence

FIRST = (
    "accuracy",
    "macro_recall",
    "gmean",
    "recall",
    "precision",
    "f_beta",
    "macro_f_beta",
    "class_balance_accuracy",
    "kappa",
    "mcc",
    "relative_classifier_information",
    "confusion_entropy",
)
"""Shown first: what people know, and what the papers propose."""
MOST_CLASSES = 60
LARGEST = 12
"""Classes up to which a counterexample can be looked at cell by cell."""


@dataclass(frozen=True)
class Case:
    """A matrix to start from."""

    group: str
    name: str
    words: str
    labels: tuple[str, ...]
    rows: tuple[tuple[float, ...], ...]

    def to_dict(self) -> dict[str, Any]:
        return {
            "group": self.group,
            "name": self.name,
            "words": self.words,
            "labels": list(self.labels),
            "rows": [[int(x) if x == int(x) else x for x in row] for row in self.rows],
        }


def cases() -> tuple[Case, ...]:
    """The matrices that the papers work with, and those on which their claims were decided."""
    return (*_worked(), *_of_the_ledger())


def _worked() -> Iterator[Case]:
    yield Case(
        "A detector",
        "302 fraud among 150,000",
        "A detector that finds 96 of 302 frauds and raises 1,506 false alarms.",
        ("fraud", "ok"),
        ((96, 206), (1506, 148192)),
    )
    for number, rows in printed.CASES.items():
        yield Case(
            "branco2017",
            f"branco2017, case {number}",
            f"Case {number} of branco2017, Tables 2 to 5.",
            tuple(f"c{i + 1}" for i in range(len(rows))),
            tuple(tuple(float(x) for x in row) for row in rows),
        )


def _of_the_ledger() -> Iterator[Case]:
    for one in kept():
        for k, matrix in enumerate(one.matrices):
            if not 2 <= len(matrix) <= LARGEST or any(len(row) != len(matrix) for row in matrix):
                continue
            which = f", M{k + 1}" if len(one.matrices) > 1 else ""
            yield Case(
                f"claims of {one.paper}",
                f"{one.claim}{which}: {one.verdict}",
                f"{one.statement} ({one.verdict})",
                tuple(f"c{i + 1}" for i in range(len(matrix))),
                tuple(tuple(float(x) for x in row) for row in matrix),
            )


@dataclass(frozen=True, repr=False)
class Studio(Presented):
    """The page on which measures are tried out; it needs no data and no server."""

    measures: tuple[Measure, ...] = ()

    def _measures(self) -> tuple[Measure, ...]:
        return self.measures or tuple(catalogue(wide=True))

    def to_dict(self) -> dict[str, Any]:
        """What the page starts from."""
        return {
            "measures": [_known(m) for m in self._measures()],
            "first": list(FIRST),
            "cases": [case.to_dict() for case in cases()],
        }

    def table(self) -> list[dict[str, Any]]:
        """The cases it starts from."""
        return [case.to_dict() for case in cases()]

    def report(self) -> Report:
        words = (
            "Matrices, shares, costs and formulas to try out. Everything is computed in this page; nothing"
            " leaves it."
        )
        live = Live(
            "Try it",
            self.to_dict,
            lambda: library_text(self._measures(), open_operations=True),
            script="studio",
        )
        return Report(
            "Steelyard studio",
            (Section("", (Sentence(words), live), "page", "studio"),),
            f"Steelyard {__version__}. Tables are read by Papa Parse 5.7.0 (MIT license, Matthew Holt).",
        )


def _known(measure: Measure) -> dict[str, Any]:
    """What the page says of a measure, with its range for every number of classes."""
    ends = [measure.range.at(max(2, classes)) for classes in range(1, MOST_CLASSES + 1)]
    fixed = len(set(ends)) == 1
    finite = [[x if math.isfinite(x) else None for x in pair] for pair in (ends[:1] if fixed else ends)]
    known = about(measure, 2)
    return {
        **{k: v for k, v in known.items() if k not in ("low", "high")},
        "ends": finite,
        "two": measure.kind == "two-class",
    }
