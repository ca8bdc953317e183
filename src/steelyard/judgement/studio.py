"""What is the studio? The live page without a report: it starts from a case, and all can be changed."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from steelyard._version import __version__
from steelyard.judgement.live import about
from steelyard.measures.catalogue import catalogue
from steelyard.measures.javascript import library_text
from steelyard.measures.measure import Measure
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


DETECTOR = {
    "group": "A detector",
    "name": "302 fraud among 150,000",
    "words": "A detector that finds 96 of 302 frauds and raises 1,506 false alarms.",
    "labels": ["fraud", "ok"],
    "rows": [[96, 206], [1506, 148192]],
}
CASES = "steelyard.cases"
"""The group of entry points by which other packages add matrices to start from: functions that return a list
of mappings like the one above."""


def installed_cases() -> list[Mapping[str, Any]]:
    """The matrices that the installed packages offer."""
    from importlib.metadata import entry_points

    return [DETECTOR, *(case for point in entry_points(group=CASES) for case in point.load()())]


@dataclass(frozen=True, repr=False)
class Studio(Presented):
    """The page on which measures are tried out; it needs no data and no server."""

    measures: tuple[Measure, ...] = ()
    cases: tuple[Mapping[str, Any], ...] = ()

    def _measures(self) -> tuple[Measure, ...]:
        return self.measures or tuple(catalogue(wide=True))

    def to_dict(self) -> dict[str, Any]:
        """What the page starts from."""
        return {
            "measures": [_known(m) for m in self._measures()],
            "first": list(FIRST),
            "cases": self.table(),
        }

    def table(self) -> list[dict[str, Any]]:
        """The cases it starts from."""
        return [dict(case) for case in self.cases or installed_cases()]

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
