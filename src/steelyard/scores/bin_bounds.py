"""Bounds of ranking metrics when scores were counted in bins.

Inside a bin nothing is known of the order. A measure that rises with the ROC curve is greatest if the
positives of every bin stand above its negatives, and least if they stand below. Those are bounds, not
intervals: they hold whatever the order, and say nothing of chance.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from steelyard.counts.labels import Label
from steelyard.counts.score_counts import ScoreCounts
from steelyard.counts.ties import Ties, TwoSides
from steelyard.measures.measure import Measure
from steelyard.scores.score_bootstrap import with_sides

Array = NDArray[Any]

# Measures that cannot fall when a positive is put above a negative, whatever their parameters.
RISES_WITH_THE_CURVE = frozenset(
    {"roc_auc", "gini", "partial_auc", "weighted_auc", "h_measure", "kolmogorov_smirnov"}
)
_EULER = 0.5772156649015329
_TABLE = np.concatenate([[0.0], np.cumsum(1 / np.arange(1, 4096))])


class Bounds(NamedTuple):
    """The least and the greatest value that the counts allow."""

    least: float
    most: float


def bounds(measure: Measure, scores: ScoreCounts, positive: Label | None = None) -> Bounds | None:
    """What the bins leave open of a measure; None where scores are exact, or no bound is known."""
    if scores.starts is None:
        return None
    two = scores.one_vs_rest(scores.positive_class(positive).label).positive_first()
    pair = two.ranked()
    if not pair.positives.total or not pair.negatives.total:
        return None
    several = two.holds_several(pair.thresholds[::-1])
    label = two.labels[0]
    if measure.id in RISES_WITH_THE_CURVE:
        worst, best = (_arranged(pair, several, positives_first) for positives_first in (False, True))
        return Bounds(*(measure(with_sides(two, side), positive=label) for side in (worst, best)))
    if measure.name == "average_precision":
        # Positives that stand together have the precision of the last of them, which none of them exceeds.
        best = _arranged(pair, several, True)
        least = _least_precision_sum(pair, several) / pair.positives.total
        return Bounds(least, measure(with_sides(two, best), positive=label))
    return None


def _arranged(pair: TwoSides, several: Array, positives_first: bool) -> TwoSides:
    """The bins of several scores taken apart, one class above the other; places stand for scores."""
    rising = pair.thresholds[::-1]
    sides = []
    for side, is_first in ((pair.positives, positives_first), (pair.negatives, not positives_first)):
        place = np.searchsorted(rising, side.scores)
        sides.append(Ties((2 * place + (several[place] & is_first)).astype(np.float64), side.counts))
    return TwoSides(*sides)


def _least_precision_sum(pair: TwoSides, several: Array) -> float:
    """The precision at each positive added up, where in bins of several scores the negatives stand first and
    the positives one by one."""
    rising = pair.thresholds[::-1]
    inside = several[np.searchsorted(rising, pair.positives.scores)]
    own = np.asarray(pair.positives.counts, dtype=np.float64)
    above = pair.positives.from_top[1:].astype(np.float64)
    called = np.asarray(pair.negatives_reaching[0], dtype=np.float64)
    together = own * (above + own) / (above + own + called)
    if pair.positives.is_weighted:  # weights have no smallest step: the first may weigh next to nothing
        one_by_one = np.divide(own * above, above + called, out=np.zeros_like(own), where=above + called > 0)
    else:
        one_by_one = own - called * (_harmonic(above + own + called) - _harmonic(above + called))
    return float(np.where(inside, one_by_one, together).sum())


def _harmonic(n: Array) -> Array:
    """1 + 1/2 + ... + 1/n; beyond the table by its asymptotic series, exact to the last digit there."""
    large = np.maximum(n, len(_TABLE))
    series = np.log(large) + _EULER + 1 / (2 * large) - 1 / (12 * large**2)
    return np.where(n < len(_TABLE), _TABLE[np.minimum(n, len(_TABLE) - 1).astype(np.int64)], series)
