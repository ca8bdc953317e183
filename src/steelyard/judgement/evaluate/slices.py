"""How good is the classifier on each part of the test set, and which parts differ from the rest?"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from statistics import NormalDist
from typing import Any

import numpy as np

from steelyard.counts.confusion import Confusion
from steelyard.counts.joint import JointCounts
from steelyard.counts.labels import Label
from steelyard.counts.plain import number_or_none, plain_label
from steelyard.measures.measure import Measure
from steelyard.measures.undefined import Undefined
from steelyard.reading.groups import ModelCounts
from steelyard.uncertainty.draws import drawn_values
from steelyard.uncertainty.intervals import interval
from steelyard.uncertainty.ranking import holm

MOST_DRAWS = 2_000
MOST_JUDGED = 300
"""More slices than this are listed without intervals: a reader would wait for them."""
FEW = 10
"""With fewer examples of a class a slice is too small to judge."""
WIDE = 0.5
"""So it is if its interval is this part of the measure's range."""


@dataclass(frozen=True)
class SliceReport:
    """The headline on one part of the test set."""

    name: tuple[str, ...]
    rows: float
    values: dict[str, float]
    why_undefined: str | None
    examples: dict[Label, float]
    """Of each class."""
    low: float | None = None
    high: float | None = None
    """The interval of the first measure of the headline."""
    surprise: float | None = None
    """By how many standard errors the slice is worse than all other rows (better, if negative)."""
    p_value: float | None = None
    """Of the hypothesis that the slice is as good as all other rows."""
    holm_p_value: float | None = None
    """Corrected for the number of slices."""
    too_small: bool = False

    def to_dict(self) -> dict[str, Any]:
        values = {name: number_or_none(value) for name, value in self.values.items()}
        return {
            "slice": list(self.name),
            "rows": self.rows,
            "values": values,
            "undefined_because": self.why_undefined,
            "examples": [
                {"label": plain_label(label), "examples": number} for label, number in self.examples.items()
            ],
            "low": self.low,
            "high": self.high,
            "p_value": self.p_value,
            "holm_p_value": self.holm_p_value,
            "too_small": self.too_small,
        }


def slice_reports(
    counted: ModelCounts,
    headline: Sequence[Measure],
    positive: Label | None,
    undefined: Undefined,
    drawing: Mapping[str, Any] | None,
) -> tuple[SliceReport, ...]:
    """The headline of each slice, those first that are most surely worse than the rest; undefined ones stand
    last, with the reason.

    Without `drawing` (how intervals are found) they are ordered by their value.
    """
    first, judged = headline[0], drawing if len(counted.slices) <= MOST_JUDGED else None
    if judged is not None:
        judged = {**judged, "draws": min(MOST_DRAWS, judged["draws"]), "undefined": "nan"}
    reports = []
    for name, matrix in counted.slices.items():
        report = _plain(name, matrix, headline, positive, undefined)
        if judged is not None and not math.isnan(report.values[first.name]):
            report = _judged(report, matrix, counted.matrix, first, positive, judged)
        reports.append(report)
    reports = _corrected(reports)
    sign = 1 if first.better == "higher" else -1
    return tuple(
        sorted(
            reports,
            key=lambda r: (
                math.isnan(r.values[first.name]),
                -(r.surprise or 0.0) if judged is not None else 0.0,
                sign * r.values[first.name],
            ),
        )
    )


def notes_on_slices(reports: Sequence[SliceReport], level: float) -> tuple[str, ...]:
    """Which slices differ from the rest, and how many cannot be judged."""
    if not any(r.low is not None for r in reports):
        return ()
    notes = []
    worse = [
        r
        for r in reports
        if r.holm_p_value is not None and r.holm_p_value < 1 - level and (r.surprise or 0) > 0
    ]
    if worse:
        names = "; ".join(", ".join(r.name) for r in worse[:5])
        more = f" and {len(worse) - 5} more" if len(worse) > 5 else ""
        notes.append(f"Worse than the other rows by more than chance explains: {names}{more}.")
    else:
        notes.append("No slice is worse than the other rows by more than chance explains.")
    small = sum(r.too_small or r.why_undefined is not None for r in reports)
    if small:
        notes.append(
            f"{small:,} of {len(reports):,} slices {'are' if small > 1 else 'is'} too small to judge: "
            f"fewer than {FEW} examples of a class, or an interval as wide as half the range."
        )
    return tuple(notes)


def _plain(
    name: tuple[str, ...],
    matrix: Confusion,
    headline: Sequence[Measure],
    positive: Label | None,
    undefined: Undefined,
) -> SliceReport:
    values = {
        m.name: m(matrix, undefined=undefined, positive=positive if m.kind == "two-class" else None)
        for m in headline
    }
    why = "; ".join(
        dict.fromkeys(
            m.why_undefined(matrix, positive=positive if m.kind == "two-class" else None) or "undefined"
            for m in headline
            if math.isnan(values[m.name])
        )
    )
    examples = dict(zip(matrix.labels, matrix.actual.tolist(), strict=True))
    small = min(examples.values()) < FEW
    return SliceReport(name, matrix.total.item(), values, why or None, examples, too_small=small)


def _judged(
    report: SliceReport,
    matrix: Confusion,
    whole: Confusion,
    measure: Measure,
    positive: Label | None,
    drawing: Mapping[str, Any],
) -> SliceReport:
    """The report with its interval, and with the evidence that the slice differs from all other rows."""
    label = positive if measure.kind == "two-class" else None
    found = interval(matrix, measure, positive=label, **drawing)[measure.name]
    low, high = measure.range.at(2 if measure.kind == "two-class" else matrix.n_classes)
    wide = found.high - found.low >= WIDE * (high - low)
    report = replace(
        report,
        low=number_or_none(found.low),
        high=number_or_none(found.high),
        too_small=report.too_small or bool(wide),
    )
    if whole.labels != matrix.labels or (whole.counts - matrix.counts).sum() <= 0:
        return report
    rest = Confusion(whole.counts - matrix.counts, whole.labels)
    if math.isnan(measure(rest, positive=label)):
        return report
    means, variances = [], []
    for place, part in enumerate((matrix, rest)):
        values = drawn_values(
            JointCounts.from_confusion(part),
            [measure],
            source="posterior",
            design=drawing["design"],
            draws=drawing["draws"],
            seed=drawing["seed"] + place,
            positive=label,
        )[measure.name][0]
        means.append(float(np.nanmean(values)))
        variances.append(float(np.nanvar(values)))
    error = math.sqrt(sum(variances))
    if not error:
        return report
    worse = (means[1] - means[0]) / error * (-1 if measure.better == "lower" else 1)
    return replace(report, surprise=worse, p_value=2 * NormalDist().cdf(-abs(worse)))


def _corrected(reports: list[SliceReport]) -> list[SliceReport]:
    known = [k for k, r in enumerate(reports) if r.p_value is not None]
    for k, p in zip(known, holm([reports[k].p_value or 0.0 for k in known]), strict=True):
        reports[k] = replace(reports[k], holm_p_value=p)
    return reports
