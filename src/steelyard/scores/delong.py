"""DeLong test: compare the areas under the ROC curve of two classifiers on the same rows."""
# The spread of each example's part in the area tells how far the difference of two areas may be chance
# (delong1988). The pairing is kept: scores of the same rows go up and down together, and treating them as
# independent would hide real differences. What belongs to one column is worked out once, however many it is
# compared with.

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from statistics import NormalDist
from typing import Annotated, Any

import numpy as np
from numpy.typing import NDArray

from steelyard.counts.curves import RocCurve, roc_curve, spread
from steelyard.counts.labels import Label
from steelyard.counts.libraries import refuse_unaligned
from steelyard.counts.score_columns import advising, numbers, rows_of_positive, with_missing_settled
from steelyard.counts.score_counts import ScoreCounts
from steelyard.errors import InputError
from steelyard.report.records import Json, Record
from steelyard.scores.fields import TEXT
from steelyard.uncertainty.binomial_intervals import student_cdf, student_quantile, wilson
from steelyard.uncertainty.resampling import check_level

Array = NDArray[Any]


@dataclass(frozen=True)
class AucComparison(Record):
    """Two areas under the ROC curve on the same rows, and how far apart they are."""

    auc_a: float
    auc_b: float
    difference: float
    """a - b."""
    standard_error: float
    interval: tuple[float, float]
    level: float
    p_value: float
    """The chance of a difference at least this large if the two ranked equally well."""
    method: str
    positive: Annotated[Label, Json(write=str, schema=TEXT)]


def delong(
    y_true: Any, score_a: Any, score_b: Any, positive: Label | None = None, *, level: float = 0.95
) -> AucComparison:
    """Is the area under one ROC curve greater than under another, by delong1988's test?

    The part of a positive in the area is the share of negatives it stands above, that of a negative the share
    of positives above it, ties half; the covariance of these parts over positives and over negatives gives
    that of the areas.

    >>> import steelyard as sy
    >>> test = sy.delong([0, 0, 1, 1], [0.1, 0.4, 0.35, 0.8], [0.1, 0.2, 0.35, 0.8])
    >>> test.auc_a, test.auc_b, round(test.p_value, 2)
    (0.75, 1.0, 0.55)
    """
    rows = ScoredRows({"a": score_a, "b": score_b}, y_true, positive)
    return rows.delong("a", "b", check_level(level))


class ScoredRows:
    """The scores that several models gave the same rows, by class."""

    def __init__(self, scores: Mapping[str, Any], y_true: Any, positive: Label | None = None) -> None:
        refuse_unaligned(y_true, scores)
        columns = [numbers(column, f"score {name}") for name, column in scores.items()]
        lengths = list(dict.fromkeys(map(len, columns)))
        if len(lengths) > 1:
            raise InputError(
                "the two scores are not of the same rows",
                found=f"{lengths[0]} and {lengths[1]} rows",
                allowed="one score of each per row",
            )
        with advising("leave those rows out"):
            with_missing_settled(columns, "error")
        self.label = ScoreCounts.from_scores(y_true, columns[0], positive).positive_class().label
        mine = rows_of_positive(y_true, self.label)
        self.positives, self.negatives = int(np.count_nonzero(mine)), int(np.count_nonzero(~mine))
        if self.positives < 2 or self.negatives < 2:
            raise InputError(
                "too few examples to tell a difference from chance",
                found=f"{self.positives} positive and {self.negatives} negative ones",
                allowed="two or more of each",
            )
        self._of = {name: (column[mine], column[~mine]) for name, column in zip(scores, columns, strict=True)}
        # The part of each positive, and of each negative, in a model's area.
        self._parts = {
            name: (_positive_parts(p, n), 1 - _positive_parts(n, p)) for name, (p, n) in self._of.items()
        }
        self.areas = {name: float(parts[0].mean()) for name, parts in self._parts.items()}

    def curve(self, name: str, most: int) -> RocCurve:
        """A model's ROC curve, at so many places of it at most."""
        column = np.concatenate(self._of[name])
        mine = np.arange(len(column)) < self.positives
        return thinned_roc(ScoreCounts.from_scores(mine, column, positive=True), None, most)

    def delong(self, first: str, second: str, level: float) -> AucComparison:
        """Two of the areas by delong1988's test."""
        both = self._parts[first], self._parts[second]
        by_positive, by_negative = np.array([p for p, _ in both]), np.array([n for _, n in both])
        areas, covariance = _covariance(by_positive, by_negative)
        degrees = _degrees(by_positive[0] - by_positive[1], by_negative[0] - by_negative[1])
        return delong_of(float(areas[0]), float(areas[1]), covariance, level, self.label, degrees=degrees)


def delong_of(
    first: float,
    second: float,
    covariance: Array,
    level: float,
    positive: Label,
    unknown: float = 0.0,
    degrees: float = math.inf,
) -> AucComparison:
    """The test from two areas and their covariance (2, 2)."""
    # Bins may leave so much of the difference unknown, which is taken for against it. Few examples hardly
    # tell the covariance: Student's quantiles of so many degrees of freedom allow for that.
    difference = first - second
    variance = float(covariance[0, 0] + covariance[1, 1] - 2 * covariance[0, 1])
    error = float(np.sqrt(max(variance, 0.0)))
    known = math.isinf(degrees)
    quantile = NormalDist().inv_cdf((1 + level) / 2) if known else student_quantile((1 + level) / 2, degrees)
    reach = quantile * error + unknown
    gap = max(abs(difference) - unknown, 0.0)
    if error <= 1e-12:
        p_value = 1.0 if gap < 1e-12 else 0.0  # two equal rankings, or two that differ everywhere alike
    else:  # from the tail: what is left of 1 loses digits
        errors = gap / error
        p_value = math.erfc(errors / math.sqrt(2)) if known else 2 * student_cdf(-errors, degrees)
    ends = max(-1.0, difference - reach), min(1.0, difference + reach)
    return AucComparison(first, second, difference, error, ends, level, p_value, "DeLong", positive)


def thinned_roc(counts: ScoreCounts, positive: Label | None, most: int) -> RocCurve:
    """The corners of a ROC curve, at so many places of it at most."""
    whole = roc_curve(counts, positive, corners_only=True)
    shown = spread(whole.fpr + whole.tpr, most)
    return RocCurve(whole.fpr[shown], whole.tpr[shown], whole.thresholds[shown])


def _degrees(of_positives: Array, of_negatives: Array) -> float:
    """Satterthwaite's degrees of freedom (1946) of a difference of areas."""
    # Its variance is that of the positives' parts and of the negatives' parts added up.
    both = [parts for parts in (of_positives, of_negatives) if len(parts) > 1]
    return degrees_of_freedom([(len(parts), float(np.var(parts, ddof=1)) / len(parts)) for parts in both])


def degrees_of_freedom(parts: Sequence[tuple[int, float]]) -> float:
    """Of a variance that is the sum of variances of means, each given with how many it is the mean of."""
    squares = sum(variance**2 / (size - 1) for size, variance in parts)
    return sum(variance for _, variance in parts) ** 2 / squares if squares > 0 else math.inf


def area_covariance(pairs: list[tuple[Array, Array]]) -> tuple[Array, Array]:
    """The areas of several score columns and their covariance."""
    # Each pair holds the scores of the positives and of the negatives.
    by_positive = np.array([_positive_parts(p, n) for p, n in pairs])
    by_negative = np.array([1 - _positive_parts(n, p) for p, n in pairs])
    return _covariance(by_positive, by_negative)


def _covariance(by_positive: Array, by_negative: Array) -> tuple[Array, Array]:
    covariance = np.cov(by_positive) / by_positive.shape[1] + np.cov(by_negative) / by_negative.shape[1]
    return by_positive.mean(axis=1), np.atleast_2d(covariance)


def _positive_parts(scores: Array, others: Array) -> Array:
    """For each score, the share of the others that stand below it, ties half."""
    ordered = np.sort(others)
    below, not_above = np.searchsorted(ordered, scores, "left"), np.searchsorted(ordered, scores, "right")
    return (below + not_above) / (2 * len(others))


def asked_of_backwards(label: Label, area: float) -> str:
    """What is asked where scores rank the class last that they are said to be of."""
    return (
        f"Higher scores mean less of {label} here (area under the ROC curve {area:.3f}): are they scores of"
        " the other class?"
    )


def is_surely_backwards(area: float, examples: float) -> bool:
    """Is an area below one half more than by chance?"""
    # It is known at least as well as a rate of that many examples, those of the rarer class.
    return bool(examples >= 1 and area < 0.5 and wilson(area * examples, examples, 0.95)[1] < 0.5)
