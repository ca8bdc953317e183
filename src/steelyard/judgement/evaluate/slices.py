"""How good is the classifier on each part of the test set, and which parts differ from the rest?"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from statistics import NormalDist
from typing import Annotated, Any

import numpy as np

from steelyard.counts.confusion import Confusion
from steelyard.counts.joint import JointCounts
from steelyard.counts.labels import Label
from steelyard.counts.plain import number_or_none, plain_label
from steelyard.judgement.fields import LABEL, NUMBER, many, record
from steelyard.measures.measure import Measure
from steelyard.measures.undefined import Undefined
from steelyard.reading.groups import ModelCounts, SliceMatrices
from steelyard.report.records import HIDDEN, Json, Record, Value
from steelyard.uncertainty.distributions import student_cdf
from steelyard.uncertainty.intervals import Interval, interval
from steelyard.uncertainty.multiple_comparisons import holm
from steelyard.uncertainty.resampling import drawn_values
from steelyard.uncertainty.sample_weights import WeightedCounts, drawn_and_central, weighted_intervals

CELLS_DRAWN = 3_000_000
"""Cells of drawn matrices of all slices together, beyond which a slice has fewer draws than an evaluation."""
MOST_DRAWS = 2_000
MOST_JUDGED = 300
"""More slices than this are listed without intervals: a reader would wait for them."""
FEW = 10
"""With fewer examples of a class a slice is too small to judge."""
WIDE = 0.5
"""So it is if its interval is this part of the measure's range."""


_CLASS_SIZES = Json(
    write=lambda sizes: [{"label": plain_label(one), "examples": size} for one, size in sizes.items()],
    schema=many(record(label=LABEL, examples=NUMBER)),
)


@dataclass(frozen=True, slots=True)
class SliceReport(Record):
    """The headline on one part of the test set."""

    name: Annotated[tuple[str, ...], Json("slice")]
    rows: float
    values: dict[str, Value]
    why_undefined: Annotated[str | None, Json("undefined_because")]
    examples: Annotated[dict[Label, float], _CLASS_SIZES]
    """Of each class."""
    low: Value | None = None
    high: Value | None = None
    """The interval of the first measure of the headline."""
    simultaneous_low: Value | None = None
    simultaneous_high: Value | None = None
    """The interval that holds for all slices at once, where there are several."""
    surprise: Annotated[float | None, HIDDEN] = None
    """By how many standard errors the slice is worse than all other rows (better, if negative)."""
    p_value: Value | None = None
    """Of the hypothesis that the slice is as good as all other rows."""
    holm_p_value: Value | None = None
    """Corrected for the number of slices."""
    too_small: bool = False


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
    reports: list[SliceReport] = []
    if judged is None:
        for names, matrices in _in_blocks(counted):
            reports += _plain_many(names, matrices, headline, positive, undefined)
    else:
        # Few slices are drawn as often as their rows alone would be: one number has one interval.
        affordable = CELLS_DRAWN // max(1, len(counted.slices) * counted.matrix.n_classes**2)
        judged = {**judged, "draws": min(max(MOST_DRAWS, affordable), judged["draws"]), "undefined": "nan"}
        for part, matrix in counted.slices.items():
            report = _plain(part, matrix, headline, positive, undefined)
            if not math.isnan(report.values[first.name]):
                label = positive if first.kind == "two-class" else None
                report = _judged(report, _Part(counted, part, matrix), first, label, judged)
            reports.append(report)
    reports = _widened(_corrected(reports), first, counted.matrix.n_classes, judged)
    sign, name = 1 if first.better == "higher" else -1, first.name
    return tuple(
        sorted(
            reports,
            key=lambda r: (
                math.isnan(r.values[name]),
                -(r.surprise or 0.0) if judged is not None else 0.0,
                sign * r.values[name],
            ),
        )
    )


def notes_on_slices(reports: Sequence[SliceReport], level: float) -> tuple[str, ...]:
    """Which slices differ from the rest, and how many cannot be judged."""
    if len(reports) > MOST_JUDGED:
        return (f"{len(reports):,} slices have no intervals: up to {MOST_JUDGED:,} are judged.",)
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
        notes.append(f"Significantly worse than the other rows: {names}{more}.")
    else:
        notes.append("No slice is significantly worse than the other rows.")
    small = sum(r.too_small or r.why_undefined is not None for r in reports)
    if small:
        notes.append(
            f"{small:,} of {len(reports):,} slices {'are' if small > 1 else 'is'} too small to judge: "
            f"fewer than {FEW} rows of a class, or an interval as wide as half the range."
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


@dataclass(frozen=True)
class _Part:
    """One slice of what was counted, and all other rows."""

    counted: ModelCounts
    name: tuple[str, ...]
    matrix: Confusion

    @property
    def weighted(self) -> WeightedCounts | None:
        squares = self.counted.slice_squares.get(self.name)
        rows = self.counted.slice_row_counts.get(self.name)
        return None if squares is None or rows is None else WeightedCounts(self.matrix, squares, rows)

    @property
    def rest(self) -> Confusion | WeightedCounts | None:
        """All other rows; None where there are none."""
        whole = self.counted.matrix
        if whole.labels != self.matrix.labels or (whole.counts - self.matrix.counts).sum() <= 0:
            return None
        squares, rows = self.counted.squares, self.counted.row_counts
        if self.weighted is not None and squares is not None and rows is not None:
            return WeightedCounts(whole, squares, rows).less(self.weighted)
        return Confusion(whole.counts - self.matrix.counts, whole.labels)

    def interval(self, measure: Measure, label: Label | None, drawing: Mapping[str, Any]) -> Interval:
        if self.weighted is not None:
            return weighted_intervals(self.weighted, [measure], positive=label, **drawing)[measure.name]
        return interval(self.matrix, measure, positive=label, **drawing)[measure.name]


def _in_blocks(counted: ModelCounts) -> Iterator[tuple[list[tuple[str, ...]], Confusion]]:
    """The slices, many at a time."""
    if isinstance(counted.slices, SliceMatrices):
        yield from counted.slices.in_blocks()
        return
    for name, matrix in counted.slices.items():
        yield [name], Confusion(matrix.counts[None], matrix.labels)


def _plain_many(
    names: Sequence[tuple[str, ...]],
    matrices: Confusion,
    headline: Sequence[Measure],
    positive: Label | None,
    undefined: Undefined,
) -> Iterator[SliceReport]:
    """What `_plain` says of one slice, of a batch of them."""
    columns: list[list[float]] = []
    why: list[dict[str, None]] = [{} for _ in names]
    for m in headline:
        label = positive if m.kind == "two-class" else None
        values = m(matrices, undefined=undefined, positive=label)
        columns.append(values.tolist())
        missing = np.flatnonzero(np.isnan(values))
        if not len(missing):
            continue
        some = Confusion(matrices.counts[missing], matrices.labels)
        words = m.why_undefined(some, positive=label).tolist()
        for k, said in zip(missing.tolist(), words, strict=True):
            why[k][said or "undefined"] = None
    rows, actual = matrices.total.tolist(), matrices.actual.tolist()
    measures = [m.name for m in headline]
    for k, name in enumerate(names):
        yield SliceReport(
            name,
            rows[k],
            dict(zip(measures, (column[k] for column in columns), strict=True)),
            "; ".join(why[k]) or None,
            dict(zip(matrices.labels, actual[k], strict=True)),
            too_small=min(actual[k]) < FEW,
        )


def _judged(
    report: SliceReport, part: _Part, measure: Measure, label: Label | None, drawing: Mapping[str, Any]
) -> SliceReport:
    """The report with its interval, and with the evidence that the slice differs from all other rows."""
    found = part.interval(measure, label, drawing)
    low, high = measure.range.at(2 if measure.kind == "two-class" else part.matrix.n_classes)
    wide = found.high - found.low >= WIDE * (high - low)
    report = replace(
        report,
        low=number_or_none(found.low),
        high=number_or_none(found.high),
        too_small=report.too_small or bool(wide),
    )
    rest = part.rest
    if rest is None or math.isnan(measure(_matrix(rest), positive=label)):
        return report
    means, variances = [], []
    for place, rows in enumerate((part.weighted or part.matrix, rest)):
        values = _drawn(rows, measure, label, {**drawing, "seed": drawing["seed"] + place})
        means.append(float(np.nanmean(values)))
        variances.append(float(np.nanvar(values)))
    error = math.sqrt(sum(variances))
    if not error:
        return report
    worse = (means[1] - means[0]) / error * (-1 if measure.better == "lower" else 1)
    actual = part.matrix.actual if part.weighted is None else part.weighted.effective
    p_value = 2 * student_cdf(-abs(worse), _degrees(actual))
    return replace(report, surprise=worse, p_value=p_value)


def _degrees(actual: Any) -> float:
    """Degrees of freedom of a mean over classes of so many examples (Welch and Satterthwaite).

    The spread of a small slice is hardly known: a normal distribution would raise false alarms three times as
    often as said (16% of test sets of eight slices with 20 rare examples each).
    """
    sizes = np.asarray(actual, dtype=np.float64)
    sizes = np.maximum(sizes[sizes > 0], 2)
    parts = 1 / sizes
    return float(parts.sum() ** 2 / (parts**2 / (sizes - 1)).sum())


def _matrix(rows: Confusion | WeightedCounts) -> Confusion:
    return rows.weights if isinstance(rows, WeightedCounts) else rows


def _drawn(
    rows: Confusion | WeightedCounts, measure: Measure, label: Label | None, drawing: Mapping[str, Any]
) -> Any:
    """The measure on test sets drawn from some rows."""
    how = {key: drawing[key] for key in ("draws", "seed", "design", "undefined")}
    if isinstance(rows, WeightedCounts):
        return drawn_and_central(rows, [measure], positive=label, **how)[0][measure.name]
    joint = JointCounts.from_confusion(rows)
    return drawn_values(joint, [measure], source="posterior", positive=label, **how)[measure.name][0]


def _widened(
    reports: list[SliceReport], measure: Measure, classes: int, drawing: Mapping[str, Any] | None
) -> list[SliceReport]:
    """The reports with intervals that hold for all slices at once (Sidak: slices have no row in common).

    Each side is stretched as a normal distribution would be: draws are too few to see so far into the tails.
    """
    judged = sum(r.low is not None for r in reports)
    if drawing is None or judged < 2:
        return reports
    level, normal = drawing["level"], NormalDist()
    stretch = normal.inv_cdf((1 + level ** (1 / judged)) / 2) / normal.inv_cdf((1 + level) / 2)
    least, greatest = measure.range.at(2 if measure.kind == "two-class" else classes)
    return [
        r
        if r.low is None or r.high is None
        else replace(
            r,
            simultaneous_low=max(least, value - stretch * (value - r.low)),
            simultaneous_high=min(greatest, value + stretch * (r.high - value)),
        )
        for r in reports
        for value in [r.values[measure.name]]
    ]


def _corrected(reports: list[SliceReport]) -> list[SliceReport]:
    known = [k for k, r in enumerate(reports) if r.p_value is not None]
    for k, p in zip(known, holm([reports[k].p_value or 0.0 for k in known]), strict=True):
        reports[k] = replace(reports[k], holm_p_value=p)
    return reports
