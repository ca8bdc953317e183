"""Does one classifier rank better than another on the same rows?

Two ways to tell how far the difference of two areas under the ROC curve may be chance: delong1988's, from the
spread of each example's part in the area, and a bootstrap that draws the same rows for both classifiers. Both
keep the pairing: scores of the same rows go up and down together, and treating them as independent would hide
real differences.
"""

from __future__ import annotations

from dataclasses import dataclass
from statistics import NormalDist
from typing import Any

import numpy as np
from numpy.typing import NDArray

from steelyard.counts.labels import Label
from steelyard.counts.score_columns import numbers, with_missing_settled
from steelyard.counts.score_counts import ScoreCounts, rows_of_positive
from steelyard.errors import InputError

Array = NDArray[Any]


@dataclass(frozen=True)
class AucComparison:
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
    positive: Label

    def to_dict(self) -> dict[str, Any]:
        return {
            "auc_a": self.auc_a,
            "auc_b": self.auc_b,
            "difference": self.difference,
            "standard_error": self.standard_error,
            "interval": list(self.interval),
            "level": self.level,
            "p_value": self.p_value,
            "method": self.method,
            "positive": str(self.positive),
        }


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
    (0.75, 1.0, 0.48)
    """
    label, pairs = _aligned(y_true, (score_a, score_b), positive, level)
    areas, covariance = area_covariance(pairs)
    difference = float(areas[0] - areas[1])
    variance = float(covariance[0, 0] + covariance[1, 1] - 2 * covariance[0, 1])
    error = float(np.sqrt(max(variance, 0.0)))
    normal = NormalDist()
    reach = normal.inv_cdf((1 + level) / 2) * error
    without_spread = (
        1.0 if abs(difference) < 1e-12 else 0.0
    )  # two equal rankings, or two that differ everywhere alike
    p = 2 * normal.cdf(-abs(difference) / error) if error > 1e-12 else without_spread
    return AucComparison(
        float(areas[0]),
        float(areas[1]),
        difference,
        error,
        (difference - reach, difference + reach),
        level,
        p,
        "DeLong",
        label,
    )


def paired_bootstrap(
    y_true: Any,
    score_a: Any,
    score_b: Any,
    positive: Label | None = None,
    *,
    level: float = 0.95,
    replicates: int = 2000,
    seed: int = 0,
) -> AucComparison:
    """Is the area under one ROC curve greater than under another, when the same rows are drawn again for
    both?

    Rows are drawn with replacement within each class. The interval is that of percentiles; the p-value is
    twice the smaller share of replicates on one side of 0, those at 0 counting half and one more added to
    both, so that it is never 0.
    """
    label, pairs = _aligned(y_true, (score_a, score_b), positive, level)
    if replicates < 1:
        raise InputError("there must be replicates", found=f"{replicates}", allowed="1 or more")
    areas = [float(_positive_parts(p, n).mean()) for p, n in pairs]
    n_positive, n_negative = len(pairs[0][0]), len(pairs[0][1])
    sorted_sides = [_positions(p, n) for p, n in pairs]
    rng = np.random.default_rng(seed)
    drawn = np.empty(replicates)
    for r in range(replicates):
        w = np.bincount(rng.integers(0, n_positive, n_positive), minlength=n_positive)
        v = np.bincount(rng.integers(0, n_negative, n_negative), minlength=n_negative)
        a, b = (_area_of_sample(w, v, *sides) for sides in sorted_sides)
        drawn[r] = (a - b) / (2 * n_positive * n_negative)
    tail = (1 - level) / 2
    below = float(np.count_nonzero(drawn < 0)) + np.count_nonzero(drawn == 0) / 2
    p = float(min(1.0, 2 * (min(below, replicates - below) + 1) / (replicates + 1)))
    ends = np.quantile(drawn, [tail, 1 - tail])
    interval = (float(ends[0]), float(ends[1]))
    return AucComparison(
        areas[0],
        areas[1],
        areas[0] - areas[1],
        float(drawn.std()),
        interval,
        level,
        p,
        f"paired bootstrap of {replicates} replicates",
        label,
    )


def area_covariance(pairs: list[tuple[Array, Array]]) -> tuple[Array, Array]:
    """The areas of several score columns and their covariance; each pair holds the scores of the positives
    and of the negatives."""
    by_positive = np.array([_positive_parts(p, n) for p, n in pairs])
    by_negative = np.array([1 - _positive_parts(n, p) for p, n in pairs])
    covariance = np.cov(by_positive) / by_positive.shape[1] + np.cov(by_negative) / by_negative.shape[1]
    return by_positive.mean(axis=1), np.atleast_2d(covariance)


def _positive_parts(scores: Array, others: Array) -> Array:
    """For each score, the share of the others that stand below it, ties half."""
    ordered = np.sort(others)
    return (np.searchsorted(ordered, scores, "left") + np.searchsorted(ordered, scores, "right")) / (
        2 * len(others)
    )


def _positions(positives: Array, negatives: Array) -> tuple[Array, Array, Array]:
    order = np.argsort(negatives, kind="stable")
    ordered = negatives[order]
    return order, np.searchsorted(ordered, positives, "left"), np.searchsorted(ordered, positives, "right")


def _area_of_sample(w: Array, v: Array, order: Array, left: Array, right: Array) -> int:
    """Twice the wins of a sample in which positive i occurs w[i] times and negative j occurs v[j] times."""
    below = np.concatenate([[0], np.cumsum(v[order])])
    return int(w @ (below[left] + below[right]))


def _aligned(
    y_true: Any, scores: tuple[Any, Any], positive: Label | None, level: float
) -> tuple[Label, list[tuple[Array, Array]]]:
    if not 0 < level < 1:
        raise InputError(
            "the level of an interval is a proportion",
            found=f"{level:g}",
            allowed="more than 0 and less than 1",
        )
    columns = [numbers(column, f"score {name}") for name, column in zip("ab", scores, strict=True)]
    if len(columns[0]) != len(columns[1]):
        raise InputError(
            "the two scores are not of the same rows",
            found=f"{len(columns[0])} and {len(columns[1])} rows",
            allowed="one score of each per row",
        )
    with_missing_settled(columns, "error")
    choice = ScoreCounts.from_scores(y_true, columns[0], positive).positive_class()
    mine = rows_of_positive(y_true, choice.label)
    if np.count_nonzero(mine) < 2 or np.count_nonzero(~mine) < 2:
        raise InputError(
            "too few examples to tell a difference from chance",
            found=f"{np.count_nonzero(mine)} positive and {np.count_nonzero(~mine)} negative ones",
            allowed="two or more of each",
        )
    return choice.label, [(column[mine], column[~mine]) for column in columns]
