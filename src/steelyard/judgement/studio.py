"""The studio: a report whose counts, class prevalences, costs and metrics a reader can change in the page."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

from steelyard._lazy import plugins
from steelyard._version import __version__
from steelyard.judgement.evaluate.figures import prevalence_chart
from steelyard.judgement.evaluate.first_screen import first_panels
from steelyard.judgement.evaluate.judge import evaluate
from steelyard.judgement.evaluate.sections import metrics_table
from steelyard.measures.catalogue import catalogue
from steelyard.measures.javascript import library_text
from steelyard.measures.measure import Measure
from steelyard.measures.names import short_name
from steelyard.report import chart as chart_of
from steelyard.report.pages import Opening, Page
from steelyard.report.presented import Presented
from steelyard.report.sections import Figure, Panel, Report, Section, Sentence, SideBySide, WhatIf
from steelyard.uncertainty.resampling import weighs_confusions

# Shown first: what people know, and what the papers propose.
FIRST = (
    *("gmean", "recall", "precision", "f_beta", "accuracy"),
    *("macro_recall", "macro_f_beta", "mcc", "kappa", "class_balance_accuracy"),
)
# Ranges are written into the page for every number of classes that can be typed.
MOST_CLASSES = 60
HOW_TO_READ = (
    "Each line is a metric as the first class becomes rarer or more frequent. Class recalls stay the same.",
    "A level line does not depend on prevalence. Where lines cross, the metrics swap their order.",
    "The dashed rule is the prevalence of the counts, the green one that of What if.",
)
WHAT_IT_IS = (
    "Matrices, class prevalences, costs and formulas to try out. Everything is computed in this page; nothing"
    " leaves it."
)

DETECTOR = {
    "group": "A detector",
    "name": "302 fraud among 150,000",
    "words": "A detector that finds 96 of 302 frauds and raises 1,506 false alarms.",
    "labels": ["fraud", "ok"],
    "rows": [[96, 206], [1506, 148192]],
}


def installed_cases() -> list[Mapping[str, Any]]:
    """The matrices to start from: ours, and those of plugins, which return mappings like it."""
    return [DETECTOR, *(case for point in plugins("cases").values() for case in point.load()())]


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
        return Report("Steelyard studio", (Section("", (Sentence(WHAT_IT_IS),), "brief"),), _made_of())

    def page(self) -> Page:
        """The first case as a report without scripts; with them everything can be changed."""
        case = self.table()[0]
        first = evaluate(case["rows"], labels=case["labels"], positive=case["labels"][0], interval=None)
        chart = prevalence_chart(first)
        here = chart_of.vrule(first.test_set.classes[0].share, name="counts", colour="muted", live="here")
        marks = [mark for mark in chart.marks if mark.kind != "vrule" or mark.live]
        chart = replace(
            chart,
            marks=(*marks, here),
            x=replace(chart.x, label="Prevalence of the first class (log scale)"),
            desc="Values as the first class becomes rarer.",
        )
        what_if = WhatIf(self.to_dict, lambda: library_text(self._measures(), open_operations=True), True)
        note = "Change prevalence or costs. Green marks here and in the chart below follow."
        reading = Panel("How to read it", tuple(map(Sentence, HOW_TO_READ)))
        opening = Opening(("Steelyard studio",), (), ((WHAT_IT_IS,),))
        return Page(
            "Studio",
            "Steelyard studio",
            opening,
            (first_panels(first, ""),),
            (
                Section(
                    "Your own counts", (Sentence(case["words"], "soft"),), identity="start", short="Counts"
                ),
                Section("What if?", (what_if,), identity="what-if", note=note),
                Section(
                    "What depends on prevalence",
                    (SideBySide((Figure(lambda: chart), reading), "7:5"),),
                    identity="prevalence",
                    short="Prevalence",
                ),
                Section("All metrics", (metrics_table(first),), identity="metrics"),
            ),
            footer=_made_of(),
        )


def _made_of() -> str:
    return f"Steelyard {__version__}. Tables are read by Papa Parse 5.7.0 (MIT license, Matthew Holt)."


def _known(measure: Measure) -> dict[str, Any]:
    """What the page says of a measure, with its range for every number of classes."""
    ends = [measure.range.at(max(2, classes)) for classes in range(1, MOST_CLASSES + 1)]
    fixed = len(set(ends)) == 1
    finite = [[x if math.isfinite(x) else None for x in pair] for pair in (ends[:1] if fixed else ends)]
    return {
        "name": measure.name,
        "short": short_name(measure),
        "question": measure.question,
        "better": measure.better,
        "ends": finite,
        "two": measure.kind == "two-class",
        "weighs": weighs_confusions(measure),
    }
