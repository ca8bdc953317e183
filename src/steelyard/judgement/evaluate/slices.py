"""Slices: metrics on each part of the test set, and tests of which parts differ from the rest (Holm)."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Annotated, Any

import numpy as np

from steelyard.counts.confusion import Confusion
from steelyard.counts.labels import Array, Label, number_or_none
from steelyard.measures.measure import Measure
from steelyard.measures.names import short_name
from steelyard.measures.undefined import Undefined
from steelyard.reading.groups import ModelCounts, SliceMatrices
from steelyard.report.records import HIDDEN, Json, Record, Value
from steelyard.scores.fields import by_label
from steelyard.uncertainty.binomial_intervals import student_cdf, student_quantile
from steelyard.uncertainty.differences import holm
from steelyard.uncertainty.intervals import interval
from steelyard.uncertainty.resampling import Simulation
from steelyard.uncertainty.sample_weights import WeightedCounts, weighted_intervals

# Cells of drawn matrices of all slices together, beyond which a slice has fewer draws than an evaluation.
CELLS_DRAWN = 3_000_000
# Thousands of slices are judged one by one; few slices get as many draws as the whole test set has.
MOST_DRAWS = 2_000
# More slices than this are listed without intervals: a reader would wait for them.
MOST_JUDGED = 300
# With fewer examples of a class a slice is too small to judge.
FEW = 10
# So it is if its interval is this part of the measure's range.
WIDE = 0.5
# Examples that every class has more than counted, spread over its predictions: a slice without an error
# would otherwise have no variance.
PRIOR = 0.5
# In larger matrices only cells that hold examples are moved to find a standard error.
MOST_CELLS = 400


@dataclass(frozen=True, slots=True)
class SliceReport(Record):
    """The headline on one part of the test set."""

    name: Annotated[tuple[str, ...], Json("slice")]
    rows: float
    values: dict[str, Value]
    why_undefined: Annotated[str | None, Json("undefined_because")]
    # Of each class.
    examples: Annotated[dict[Label, float], by_label("examples")]
    # The interval of the first measure of the headline.
    low: Value | None = None
    high: Value | None = None
    # The interval that holds for all slices at once, where there are several.
    simultaneous_low: Value | None = None
    simultaneous_high: Value | None = None
    # By how many standard errors the slice is worse than all other rows (better, if negative), in the metric
    # in which it is worst.
    surprise: Annotated[float | None, HIDDEN] = None
    # The p-value of each metric, that the slice is as good as all other rows; negative if it is better.
    evidence: Annotated[dict[str, float], HIDDEN] = field(default_factory=dict)
    # Of the hypothesis that the slice is as good as all other rows, in the metric with most evidence.
    p_value: Value | None = None
    # Corrected for the number of slices and metrics.
    holm_p_value: Value | None = None
    # The metric of these p-values.
    differs_in: str | None = None
    # Metrics in which the slice is worse than all other rows by more than chance explains.
    worse_in: tuple[str, ...] = ()
    too_small: bool = False


# Undefined ones stand last, with the reason.
#
# Whether a slice is worse is tested in each metric of the headline and in its cost, with Holm's correction
# for all slices and metrics. Without `drawing` (how intervals are found) they are ordered by their value.
def slice_reports(
    counted: ModelCounts,
    headline: Sequence[Measure],
    positive: Label | None,
    undefined: Undefined,
    drawing: Mapping[str, Any] | None,
    costs: Sequence[Measure] = (),
) -> tuple[SliceReport, ...]:
    """The headline of each slice, those first that are most surely worse than the rest."""
    # Many slices at a time, where they were counted so.
    blocks: Iterable[tuple[Sequence[tuple[str, ...]], Confusion]] = (
        counted.slices.in_blocks()
        if isinstance(counted.slices, SliceMatrices)
        else (([name], Confusion(m.counts[None], m.labels)) for name, m in counted.slices.items())
    )
    reports = [report for block in blocks for report in _reports(*block, headline, positive, undefined)]
    if drawing is not None and len(reports) <= MOST_JUDGED:
        reports = _judged(reports, counted, [*headline, *costs], positive, drawing)
    first = headline[0]
    sign = 1 if first.better == "higher" else -1

    def rank(r: SliceReport) -> tuple[bool, float, float]:
        value = r.values[first.name]
        return math.isnan(value), -(r.surprise or 0.0), sign * value

    return tuple(sorted(reports, key=rank))


def notes_on_slices(reports: Sequence[SliceReport], measures: Sequence[Measure]) -> tuple[str, ...]:
    """Which slices differ from the rest, in which of these metrics, and how many cannot be judged."""
    if len(reports) > MOST_JUDGED:
        return (f"{len(reports):,} slices have no intervals: up to {MOST_JUDGED:,} are judged.",)
    if not any(r.low is not None for r in reports):
        return ()
    notes = []
    worse = [r for r in reports if r.worse_in]
    if worse:
        short_names = {m.name: short_name(m) for m in measures}
        names = "; ".join(
            f"{', '.join(r.name)} ({', '.join(short_names.get(name, name) for name in r.worse_in)})"
            for r in worse[:5]
        )
        more = f" and {len(worse) - 5} more" if len(worse) > 5 else ""
        notes.append(f"Significantly worse than the other rows: {names}{more}.")
    small = sum(r.too_small or r.why_undefined is not None for r in reports)
    if not worse and small < len(reports):
        notes.append("No slice is significantly worse than the other rows.")
    if small:
        which = "All" if small == len(reports) else f"{small:,} of"
        notes.append(
            f"{which} {len(reports):,} slices {'are' if small > 1 else 'is'} too small to judge: "
            f"fewer than {FEW} rows of a class, or an interval as wide as half the range."
        )
    return tuple(notes)


def _reports(
    names: Sequence[tuple[str, ...]],
    matrices: Confusion,
    headline: Sequence[Measure],
    positive: Label | None,
    undefined: Undefined,
) -> Iterator[SliceReport]:
    """The headline of a batch of slices, without intervals."""
    columns: list[list[float]] = []
    why: list[dict[str, None]] = [{} for _ in names]
    for m in headline:
        values = m(matrices, undefined=undefined, positive=positive)
        columns.append(values.tolist())
        missing = np.flatnonzero(np.isnan(values))
        if not len(missing):
            continue
        some = Confusion(matrices.counts[missing], matrices.labels)
        words = m.why_undefined(some, positive=positive).tolist()
        for k, reason in zip(missing.tolist(), words, strict=True):
            why[k][reason or "undefined"] = None
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
    reports: list[SliceReport],
    counted: ModelCounts,
    measures: Sequence[Measure],
    positive: Label | None,
    drawing: Mapping[str, Any],
) -> list[SliceReport]:
    """The reports with intervals of the first metric and, in every metric, tests against all other rows."""
    first, level = measures[0], drawing["level"]
    # Few slices are drawn as often as their rows alone would be: one number has one interval.
    affordable = CELLS_DRAWN // max(1, len(reports) * counted.matrix.n_classes**2)
    draws = min(max(MOST_DRAWS, affordable), drawing["draws"])
    how: dict[str, Any] = {**drawing, "draws": draws, "undefined": "nan", "positive": positive}
    least, greatest = first.range.at(2 if first.kind == "two-class" else counted.matrix.n_classes)
    whole = _with_weights(counted.matrix, counted.squares, counted.row_counts)
    judged, spreads = [], []
    for report in reports:
        tables = (counted.slices, counted.slice_squares, counted.slice_row_counts)
        matrix, squares, rows = (table.get(report.name) for table in tables)
        assert matrix is not None
        in_slice = _with_weights(matrix, squares, rows)
        spreads.append(_Spread.of(in_slice))
        if not math.isnan(report.values[first.name]):
            ends = (
                weighted_intervals(in_slice, [first], Simulation(**how))
                if isinstance(in_slice, WeightedCounts)
                else interval(in_slice, first, **how)
            )[first.name]
            wide = bool(ends.high - ends.low >= WIDE * (greatest - least))
            low, high = number_or_none(ends.low), number_or_none(ends.high)
            report = replace(report, low=low, high=high, too_small=report.too_small or wide)
        rest = counted.matrix.counts - matrix.counts
        if rest.sum() > 0:
            others = (
                whole.less(in_slice)
                if isinstance(whole, WeightedCounts) and isinstance(in_slice, WeightedCounts)
                else Confusion(rest, counted.matrix.labels)
            )
            report = _tested(report, [spreads[-1], _Spread.of(others)], measures, positive)
        judged.append(report)
    judged = _corrected(judged, level)
    number = sum(r.low is not None for r in judged)
    for k, (r, spread) in enumerate(zip(judged, spreads, strict=True)):
        if number > 1 and r.low is not None and r.high is not None:
            # Sidak: slices have no row in common. Each side is stretched as Student's distribution would be:
            # draws are too few to see so far into the tails.
            value, degrees = r.values[first.name], spread.degrees(first, positive)
            for_all, for_one = (
                student_quantile((1 + p) / 2, degrees) for p in (level ** (1 / number), level)
            )
            stretch = for_all / for_one
            low = max(least, value - stretch * (value - r.low))
            high = min(greatest, value + stretch * (r.high - value))
            judged[k] = replace(r, simultaneous_low=low, simultaneous_high=high)
    return judged


def _with_weights(
    matrix: Confusion, squares: Confusion | None, rows: Confusion | None
) -> Confusion | WeightedCounts:
    """The matrix, with what its weights are worth where rows have weights."""
    return matrix if squares is None or rows is None else WeightedCounts(matrix, squares, rows)


def _tested(
    report: SliceReport, sides: Sequence[_Spread], measures: Sequence[Measure], positive: Label | None
) -> SliceReport:
    """The report with the evidence, metric by metric, that the slice differs from all other rows."""
    evidence, surprise = {}, []
    for measure in measures:
        if any(math.isnan(measure(side.seen, positive=positive)) for side in sides):
            continue
        values, variances, fourths = zip(*(side.of_metric(measure, positive) for side in sides), strict=True)
        if not sum(variances) > 0:
            continue
        error = math.sqrt(sum(variances))
        worse = (values[1] - values[0]) / error * (-1 if measure.better == "lower" else 1)
        # Welch-Satterthwaite for the two sides together.
        degrees = 2 * sum(variances) ** 2 / sum(fourths)
        p_value = 2 * student_cdf(-abs(worse), max(degrees, 1.0))
        evidence[measure.name] = math.copysign(p_value, worse)
        surprise.append(worse)
    return replace(report, evidence=evidence, surprise=max(surprise, default=None))


# A cell's count varies as a Poisson number. Where few examples decide, they hardly tell the variance:
# Satterthwaite's degrees of freedom are twice its square over its own variance, the sum of fourth powers.
# Normal quantiles would raise false alarms twice as often as said (10% of test sets of ten slices with 25
# rare examples each).
@dataclass(frozen=True)
class _Spread:
    """Some rows and how a metric of them varies: the delta method on their cells."""

    seen: Confusion
    # With the prior.
    counts: Array
    # The weight of an example in each cell.
    units: Array

    @classmethod
    def of(cls, rows: Confusion | WeightedCounts) -> _Spread:
        seen = rows.weights if isinstance(rows, WeightedCounts) else rows
        counts = np.asarray(seen.counts, dtype=np.float64)
        units = np.ones(counts.shape)
        if isinstance(rows, WeightedCounts):
            squares = np.asarray(rows.squares.counts, dtype=np.float64)
            mean = squares.sum() / counts.sum()
            units = np.divide(squares, counts, out=np.full(counts.shape, mean), where=counts > 0)
        return cls(seen, counts + units * PRIOR / len(counts), units)

    def of_metric(self, measure: Measure, label: Label | None) -> tuple[float, float, float]:
        """The metric, its variance, and the sum of fourth powers."""
        size = len(self.counts)
        cells = np.arange(size * size)
        if len(cells) > MOST_CELLS:
            filled = np.asarray(self.seen.counts) > 0
            cells = np.flatnonzero(filled | np.eye(size, dtype=bool))
        flat = self.counts.reshape(-1)
        # Central differences: their error is of the order of the step squared, far below what is shown.
        step = 1e-4 * self.units.reshape(-1)[cells]
        moved = np.repeat(flat[None], 2 * len(cells) + 1, axis=0)
        moved[np.arange(len(cells)), cells] += step
        moved[len(cells) + np.arange(len(cells)), cells] -= step
        values = measure(Confusion(moved.reshape(-1, size, size), self.seen.labels), positive=label)
        # What an example more in a cell adds to the metric.
        adds = (values[: len(cells)] - values[len(cells) : -1]) / (2e-4)
        examples = flat[cells] / self.units.reshape(-1)[cells]
        return float(values[-1]), float((examples * adds**2).sum()), float((examples * adds**4).sum())

    def degrees(self, measure: Measure, label: Label | None) -> float:
        """Degrees of freedom of the metric's variance."""
        _, variance, fourth = self.of_metric(measure, label)
        return max(1.0, 2 * variance**2 / fourth) if fourth > 0 else math.inf


def _corrected(reports: list[SliceReport], level: float) -> list[SliceReport]:
    """The reports with p-values corrected for all slices and metrics together."""
    tested = [(k, name, p) for k, r in enumerate(reports) for name, p in r.evidence.items()]
    corrected: dict[int, dict[str, float]] = {}
    for (k, name, _), p in zip(tested, holm([abs(p) for *_, p in tested]), strict=True):
        corrected.setdefault(k, {})[name] = p
    for k, of_metric in corrected.items():
        evidence = reports[k].evidence
        most = min(evidence, key=lambda name: abs(evidence[name]))
        is_worse = {name: math.copysign(1, p) > 0 for name, p in evidence.items()}
        worse = [name for name, p in of_metric.items() if p < 1 - level and is_worse[name]]
        report = replace(reports[k], p_value=abs(evidence[most]), holm_p_value=of_metric[most])
        reports[k] = replace(report, differs_in=most, worse_in=tuple(worse))
    return reports
