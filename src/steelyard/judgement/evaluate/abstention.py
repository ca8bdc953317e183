"""Abstention: rows without an answer, the reportable rate, and the risk-coverage curve."""

# A classifier that may abstain is judged by two numbers: the share of rows it answers (coverage, or
# reportable rate) and how often the answers are wrong (selective risk; El-Yaniv and Wiener 2010). Rows
# without an answer are left out of the metrics and counted here, by class: abstaining on the hard positives
# alone would look like skill.

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import TYPE_CHECKING, Any

import numpy as np

from steelyard.counts.calibration import forecasts
from steelyard.counts.confusion import Confusion
from steelyard.counts.labels import ABSTAIN, Array, Label, meant
from steelyard.counts.score_counts import ScoreCounts
from steelyard.errors import InputError, parameter
from steelyard.reading.groups import ModelCounts
from steelyard.report.numbers import count, percent, shown
from steelyard.report.records import AnyLabel, Record, Value, derived
from steelyard.report.sections import Section, Sentence, table_of, words_column
from steelyard.uncertainty.binomial_intervals import wilson

if TYPE_CHECKING:
    from steelyard.report.chart import Chart

# Coverages that a reader compares; the curve on the page has all.
SHOWN_COVERAGES = (1.0, 0.95, 0.9, 0.8, 0.5)
# Points of a curve that are kept; the area is that of all.
MOST_POINTS = 2_000
# Rows that are sorted together.
PIECE = 1 << 19


@dataclass(frozen=True)
class AbstainedClass(Record):
    """How many rows of a class have no answer."""

    label: AnyLabel
    rows: float
    abstained: float


@dataclass(frozen=True)
class Abstention(Record):
    """Rows that the classifier did not answer."""

    # The prediction that stands for no answer.
    label: AnyLabel
    rows: float
    answered: float
    # The confidence interval of the reportable rate (Wilson).
    low: Value
    high: Value
    # The error rate of the answers.
    risk: Value
    classes: tuple[AbstainedClass, ...]

    # Coverage: the share of the rows that have an answer.
    reportable_rate = derived(float, lambda self: self.answered / self.rows)
    error_rate_if_abstained_are_wrong = derived(
        float, lambda self: (self.rows - self.answered + self.risk * self.answered) / self.rows
    )

    @property
    def sentences(self) -> tuple[str, ...]:
        """What is said before the figures: all of them are of the rows with an answer."""
        missed = ", ".join(
            f'{count(row.abstained)} of {count(row.rows)} of class "{row.label}"'
            for row in sorted(self.classes, key=lambda row: -row.abstained / max(row.rows, 1))[:4]
            if row.abstained
        )
        rate = f"{percent(self.reportable_rate)} (95% CI {percent(self.low)} to {percent(self.high)})"
        lost = f"{count(self.rows - self.answered)} of {count(self.rows)} rows have no answer ({missed})"
        if_wrong = percent(self.error_rate_if_abstained_are_wrong)
        return (
            f"Reportable rate {rate}: {lost}. The metrics are of the answered rows.",
            f"Error rate {percent(self.risk)} of the answers, {if_wrong} if no answer counts as an error.",
        )


# Without a label, "abstain" is taken for no answer where no row has that truth.
def without_abstained(counted: ModelCounts, label: Label | None) -> tuple[ModelCounts, Abstention | None]:
    """The counts of the answered rows, and what was left out."""
    matrix = counted.matrix
    (name,) = meant([ABSTAIN if label is None else label], matrix.labels)
    if name is None:
        raise InputError(
            "no prediction is the one that means no answer",
            found=f"{parameter('abstain', label)} beside {', '.join(map(str, matrix.labels[:6]))}",
            do="leave it out",
        )
    place = matrix.labels.index(name)
    if matrix.actual[place]:
        if label is None:
            return counted, None  # a class of that name
        raise InputError(
            "a class of the truth cannot mean no answer",
            found=f"{count(float(matrix.actual[place]))} rows whose truth is {name!r}",
        )
    rest = [each for each in matrix.labels if each != name]
    answers, total = matrix.select(rest), float(matrix.total)
    answered = float(answers.total)
    if not answered:
        raise InputError("no row has an answer", found=f"{count(total)} rows predicted {name!r}")
    low, high = wilson(answered, total, 0.95)
    lost = zip(matrix.labels, matrix.actual.tolist(), matrix.counts[:, place].tolist(), strict=True)
    classes = tuple(AbstainedClass(each, float(n), float(k)) for each, n, k in lost if each != name)
    risk = 1 - float(answers.hits.sum()) / answered
    abstention = Abstention(name, total, answered, float(low), float(high), risk, classes)

    def selected(matrices: Mapping[tuple[str, ...], Confusion]) -> dict[tuple[str, ...], Confusion]:
        without = {key: counts.select(rest) for key, counts in matrices.items()}
        return {key: counts for key, counts in without.items() if counts.total}

    changes: dict[str, Any] = {"matrix": answers}
    for each in ("squares", "row_counts"):
        whole = getattr(counted, each)
        changes[each] = None if whole is None else whole.select(rest)
    for each in ("slices", "slice_squares", "slice_row_counts"):
        changes[each] = selected(getattr(counted, each))
    return replace(counted, **changes), abstention


@dataclass(frozen=True)
class RiskCoverage(Record):
    """Selective risk at every coverage (at two thousand of more), the most confident rows first."""

    coverage: tuple[float, ...]
    risk: tuple[float, ...]
    # The least probability of the predicted class among the rows that are answered.
    confidence: tuple[float, ...]
    # Under the curve (AURC): the mean risk over all coverages.
    area: float

    def at(self, coverage: float) -> tuple[float, float]:
        """Risk and confidence where at least this share of the rows is answered."""
        place = int(np.searchsorted(self.coverage, coverage - 1e-12))
        return self.risk[place], self.confidence[place]


# Rows with the same confidence are answered together.
def risk_coverage(scores: ScoreCounts, threshold: float | None) -> RiskCoverage | None:
    """The risk-coverage curve of the probabilities of two classes; None of other scores."""
    if scores.positive is None or len(scores.columns) != 1 or scores.starts is not None:
        return None
    ranked = forecasts(scores.positive_first().ranked())
    probabilities, rows, positives = ranked.probabilities, ranked.rows, ranked.positives
    if not len(rows) or probabilities[0] < 0 or probabilities[-1] > 1:
        return None
    below = int(np.searchsorted(probabilities, 0.5 if threshold is None else threshold))
    # The confidence of rows that are called, and of those that are not, each rising: both are walked down
    # together, a piece at a time, so that nothing as long as the rows is sorted or copied.
    called, others = probabilities[below:], 1 - probabilities[:below][::-1]
    cuts = np.unique(np.concatenate([[-1.0], called[::-PIECE], others[::-PIECE]]))[::-1]
    wanted = np.unique([*np.linspace(0, 1, MOST_POINTS), *SHOWN_COVERAGES]) - 1e-12
    points: list[Array] = []
    total, answered, wrong, area = float(rows.sum()), 0.0, 0.0, 0.0
    for high, low in pairwise(cuts.tolist()):
        ends = [np.searchsorted(side, [low, high], side="right").tolist() for side in (called, others)]
        a, b = (slice(*between) for between in ends)
        levels = np.concatenate([called[a], others[b]])
        order = np.argsort(-levels, kind="stable")
        levels = levels[order]
        last = np.flatnonzero(np.diff(levels, append=-np.inf))  # rows of one confidence are answered together
        rows_at_level = np.concatenate([rows[below:][a], rows[:below][::-1][b]])[order]
        missed = np.concatenate([(rows[below:][a] - positives[below:][a]), positives[:below][::-1][b]])[order]
        coverage = (answered + np.cumsum(rows_at_level)[last]) / total
        risk = (wrong + np.cumsum(missed)[last]) / (coverage * total)
        area += float(np.sum(risk * np.diff(coverage, prepend=answered / total)))
        points_shown = np.arange(len(last))
        if len(rows) > MOST_POINTS:
            inside = wanted[(wanted > answered / total - 1e-12) & (wanted <= coverage[-1])]
            points_shown = np.unique(np.searchsorted(coverage, inside))
        points.append(np.stack([coverage[points_shown], risk[points_shown], levels[last[points_shown]]]))
        answered, wrong = answered + float(rows_at_level.sum()), wrong + float(missed.sum())
    coverages, risks, confidences = (tuple(axis.tolist()) for axis in np.concatenate(points, axis=1))
    return RiskCoverage(coverages, risks, confidences, area)


def abstention_sections(abstention: Abstention | None, curve: RiskCoverage | None) -> Iterator[Section]:
    """Rows without an answer by class, and what abstaining would bring."""
    if abstention is not None:
        table = table_of(
            abstention.classes,
            (words_column("class"), lambda row: str(row.label)),
            ("rows", lambda row: count(row.rows)),
            ("without an answer", lambda row: count(row.abstained)),
            ("share", lambda row: percent(row.abstained / max(row.rows, 1))),
            identity="abstention-table",
        )
        sentences = (Sentence(text) for text in abstention.sentences)
        yield Section("Abstention", (*sentences, table), identity="abstention")
    if curve is not None:
        table = table_of(
            SHOWN_COVERAGES,
            ("rows answered", percent),
            ("error rate", lambda coverage: percent(curve.at(coverage)[0])),
            ("probability of the prediction at least", lambda coverage: shown(curve.at(coverage)[1])),
            identity="risk-coverage-table",
        )
        text = (
            "Selective risk: the error rate of the answered rows, the most confident first; area under the"
            f" risk-coverage curve {shown(curve.area)}."
        )
        yield Section("What if it may abstain?", (Sentence(text), table), identity="risk-coverage")


def risk_coverage_chart(curve: RiskCoverage, most: int = 300) -> Chart:
    """The risk-coverage curve as a chart."""
    from steelyard.report import chart
    from steelyard.report.chart import Axis, Chart

    places = np.unique(np.linspace(0, len(curve.coverage) - 1, most).astype(int))
    coverage, risk = (np.asarray(values)[places].tolist() for values in (curve.coverage, curve.risk))
    return Chart(
        "risk_coverage",
        "Risk-coverage curve",
        "The error rate of the answered rows against the share of rows answered, the most confident first.",
        Axis("Share of rows answered", unit="%"),
        Axis("Error rate of the answers", unit="%"),
        (chart.line(coverage, risk, "most confident first"),),
        "x",
    )
