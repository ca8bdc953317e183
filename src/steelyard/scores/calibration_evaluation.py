"""Calibration of probabilities: reliability diagram, calibration error, Brier decomposition, intervals."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Annotated, Any

import numpy as np

from steelyard.counts import calibration
from steelyard.counts.labels import Label
from steelyard.counts.score_bins import few_enough
from steelyard.counts.score_columns import ROW_SUM_TOLERANCE
from steelyard.counts.score_counts import ScoreCounts
from steelyard.measures.catalogue import measure
from steelyard.report.records import HIDDEN, Json, Record, derived
from steelyard.scores.fields import AMOUNT, Figure
from steelyard.uncertainty.binomial_intervals import clopper_pearson
from steelyard.uncertainty.resampling import generator_of

BINS = 10
# Draws for every distance of shares from probabilities that is tried, steps of the bisection, and how many
# times as far as the shares seen it looks.
DRAWS, BISECTIONS, FARTHEST = 1000, 9, 64
ROUNDING = 1e-15
# Test sets drawn to say what chance alone makes of the miscalibration, and up to how many distinct
# probabilities.
REDRAWN, MOST_REDRAWN = 20, 20_000
# Distinct probabilities beyond which the parts of the Brier score are left out: pooling takes them one by
# one.
MOST_POOLED = 500_000


@dataclass(frozen=True)
class ReliabilityBin(Record):
    """The rows that were given about the same probability."""

    start: float
    rows: float
    mean_probability: float
    # How often the class occurs among them.
    share: float
    low: float
    high: float

    @property
    def fits(self) -> bool:
        """Is the mean probability within the interval of the share?"""
        return self.low <= self.mean_probability <= self.high

    @property
    def is_far_off(self) -> bool:
        """Is the mean probability outside an interval that is half as wide again?"""
        # So wide is the interval of the worst of some ten bins.
        below, above = self.share - self.low, self.high - self.share
        return not self.share - 1.5 * below <= self.mean_probability <= self.share + 1.5 * above


@dataclass(frozen=True)
class ProbabilityReport(Record):
    """Two classes: what is said of the probabilities of the positive one."""

    bins: Annotated[tuple[ReliabilityBin, ...], Json("reliability")]
    log_loss: Annotated[float, Json(write=lambda v: v if math.isfinite(v) else "Infinity", schema=AMOUNT)]
    brier: float
    # The parts of the Brier score; None where there are too many distinct probabilities.
    miscalibration: float | None
    discrimination: float | None
    uncertainty: float
    # The miscalibration that chance alone would make of probabilities that are right.
    by_chance: Annotated[float | None, Json("miscalibration_by_chance")]
    # Expected calibration error (ECE): the mean distance, in ten bins of equal width.
    expected_error: Annotated[float, Json("expected_calibration_error")]
    # The debiased calibration error: the root mean square of the distances.
    error: Annotated[float, HIDDEN]
    error_low: Annotated[float, HIDDEN]
    error_high: Annotated[float, HIDDEN]
    level: float

    # How much better than always predicting the prevalence, by the Brier score.
    skill = derived(float, lambda self: 1 - self.brier / self.uncertainty, "brier_skill")
    calibration_error = derived(Figure, lambda self: Figure(self.error, self.error_low, self.error_high))


def are_probabilities(scores: ScoreCounts) -> bool:
    """Could the scores be probabilities: numbers from 0 to 1, and not only 0 and 1?"""
    ends = [ties.scores[[0, -1]] for column in scores.columns for ties in column if len(ties.scores)]
    inside = bool(ends) and float(np.min(ends)) >= 0 and float(np.max(ends)) <= 1
    # Scores of a class differ, so of three one lies between 0 and 1.
    return inside and any(
        set(ties.scores[:3].tolist()) - {0, 1} for column in scores.columns for ties in column
    )


def report_probabilities(scores: ScoreCounts, level: float = 0.95, seed: int = 0) -> ProbabilityReport | None:
    """What is said of the probabilities of one class."""
    # None where there are none, or where rows have weights.
    two = scores.positive_first()
    pair = two.ranked()
    if scores.is_weighted or not are_probabilities(two) or not all(ties.total for ties in pair.sides):
        return None

    def value(name: str) -> Any:
        return measure(name)(two, positive=two.labels[0])

    pooled = few_enough(pair, MOST_POOLED)
    bins, error = calibration.in_bins(pair, BINS), value("debiased_calibration_error")
    low, high = error_interval(bins, level, seed)
    return ProbabilityReport(
        bins=tuple(
            ReliabilityBin(start, rows, mean, share, *clopper_pearson(share * rows, rows, level))
            for start, rows, mean, share in zip(*(column.tolist() for column in bins), strict=True)
        ),
        log_loss=value("log_loss"),
        brier=value("brier"),
        miscalibration=value("brier_miscalibration") if pooled else None,
        discrimination=value("brier_discrimination") if pooled else None,
        by_chance=miscalibration_by_chance(calibration.forecasts(pair), seed)
        if few_enough(pair, MOST_REDRAWN)
        else None,
        expected_error=value("expected_calibration_error"),
        uncertainty=value("brier_uncertainty"),
        error=error,
        error_low=min(low, error),
        error_high=max(high, error),
        level=level,
    )


def miscalibration_by_chance(forecasts: calibration.Forecasts, seed: int) -> float:
    """The mean miscalibration (Brier score) of test sets like this one if every probability were right."""
    # Isotonic regression follows the sample: the part is positive where nothing is wrong (0.0049 where 0.0003
    # was true), so what is beyond this number is evidence.
    random, rows, probabilities = generator_of(seed), forecasts.rows, forecasts.probabilities
    falls_per_row = []
    for _ in range(REDRAWN):
        positives = random.binomial(rows.astype(np.int64), probabilities).astype(np.float64)
        rising = calibration.Forecasts(probabilities, positives, rows).rising
        # By how much the Brier score falls if the probabilities are replaced by the isotonic shares.
        falls = positives * ((1 - probabilities) ** 2 - (1 - rising) ** 2) + (rows - positives) * (
            probabilities**2 - rising**2
        )
        falls_per_row.append(float(falls.sum() / rows.sum()))
    return float(np.mean(falls_per_row))


def report_class_probabilities(
    scores: ScoreCounts, labels: Sequence[Label], level: float = 0.95, seed: int = 0
) -> tuple[tuple[Label, ProbabilityReport], ...]:
    """The same for each of several classes against the rest."""
    # Empty where the scores of a row are no probabilities.
    total = float(scores.totals.sum())
    sums = sum(float((ties.scores * ties.counts).sum()) for column in scores.columns for ties in column)
    if not are_probabilities(scores) or not total or abs(sums / total - 1) > ROW_SUM_TOLERANCE:
        return ()
    reports = [(label, report_probabilities(scores.one_vs_rest(label), level, seed)) for label in labels]
    return tuple((label, report) for label, report in reports if report is not None)


def error_interval(bins: calibration.Bins, level: float, seed: int) -> tuple[float, float]:
    """Interval of the debiased calibration error: the values at which the one seen is no surprise."""
    # What happens in each bin is simulated at shares that lie so many times as far from the probabilities as
    # those seen, and each limit is where no more than a tail of the simulated errors lies beyond the one
    # seen. Draws around the shares seen would spread the error of a rare class on both sides of a value that
    # chance can only raise: near a prevalence of 1% their interval lay above the truth in 8 to 10% of test
    # sets.
    rows, probabilities = bins.rows, bins.mean_probability
    trials, gaps = rows.astype(np.int64), bins.share - probabilities
    weights, tail = rows / rows.sum(), (1 - level) / 2

    def square(shares: Any) -> Any:
        noise = shares * (1 - shares) / np.maximum(rows - 1, 1)
        return (weights * ((shares - probabilities) ** 2 - noise)).sum(axis=-1)

    seen = max(float(square(bins.share)), 0.0)

    def beyond(times: float, sign: int) -> float:
        """The part of simulated squared errors that are at least (sign 1) or at most (-1) the one seen."""
        # The same random numbers at every distance, so that the part rises or falls with it.
        drawn = generator_of(seed).binomial(
            trials, np.clip(probabilities + times * gaps, 0, 1), size=(DRAWS, len(rows))
        )
        return float(np.mean(sign * (square(drawn / rows) - seen) >= -ROUNDING))

    def limit(sign: int) -> float:
        least, most = 0.0, 1.0
        while sign < 0 and most < FARTHEST and beyond(most, sign) > tail:
            least, most = most, 2 * most
        for _ in range(BISECTIONS):
            middle = (least + most) / 2
            if (beyond(middle, sign) < tail) == (sign > 0):
                least = middle
            else:
                most = middle
        return float(
            np.sqrt((weights * (np.clip(probabilities + most * gaps, 0, 1) - probabilities) ** 2).sum())
        )

    return 0.0 if beyond(0.0, 1) >= tail else limit(1), limit(-1)
