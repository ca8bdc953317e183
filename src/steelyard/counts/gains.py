"""Cumulative gains and lift (precision and recall at review capacity), and decision curves."""

# Rows are looked at from the highest score down. Where the capacity ends among rows of equal score, those
# are taken in no order: what is found is then what is found on average.

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from steelyard.counts.curves import both_classes
from steelyard.counts.labels import Array, Label
from steelyard.counts.score_counts import ScoreCounts
from steelyard.counts.ties import TwoSides
from steelyard.errors import InputError

Bends = tuple[Array, Array]

# Scores up to which every one is gone through: four numbers for each of more need more room than they.
MOST_THRESHOLDS = 1_000_000


@dataclass(frozen=True, eq=False)
class GainCurve:
    """The share of the positives that is found (the gain) against the share of the rows that is looked at."""

    share: Array
    gain: Array
    thresholds: Array

    @property
    def lift(self) -> Array:
        """How many times as many are found as by looking at rows at random; NaN where none is looked at."""
        out = np.full(len(self.share), np.nan)
        return np.asarray(np.divide(self.gain, self.share, out=out, where=self.share > 0))


def gain_curve(scores: ScoreCounts | TwoSides, positive: Label | None = None) -> GainCurve:
    """Which share of the positives is found in which share of the rows?

    >>> import steelyard as sy
    >>> sc = sy.ScoreCounts.from_scores([0, 0, 1, 1], [0.1, 0.4, 0.35, 0.8])
    >>> gains = sy.curves.gain_curve(sc)
    >>> gains.share.tolist(), gains.gain.tolist()
    ([0.0, 0.25, 0.5, 0.75, 1.0], [0.0, 0.5, 0.5, 1.0, 1.0])
    """
    pair = both_classes(scores, positive)
    tp, fp = (np.asarray(side, dtype=np.float64) for side in pair.cumulative)
    whole = float(pair.positives.total + pair.negatives.total)
    return GainCurve(
        np.concatenate([[0.0], (tp + fp) / whole]),
        np.concatenate([[0.0], tp / float(pair.positives.total)]),
        np.concatenate([[np.inf], pair.thresholds]),
    )


def found_within(pair: TwoSides, rows: Array, known: Bends | None = None) -> Array:
    """How many positives are among so many rows of the highest scores; among equal ones, on average."""
    tp, fp = known or bends(pair)
    looked_at, hits = np.concatenate([[0.0], tp + fp]), np.concatenate([[0.0], tp])
    return np.asarray(np.interp(rows, looked_at, hits))


def recall_within_false_alarms(pair: TwoSides, rates: Array, known: Bends | None = None) -> Array:
    """The greatest recall of a threshold whose false positive rate is at most this."""
    tp, fp = known or bends(pair)
    # A rate that was asked for as 0.1 and one that was counted as 1/10 differ in the last bit.
    reached = np.searchsorted(fp / float(pair.negatives.total), np.asarray(rates) * (1 + 1e-12), side="right")
    return np.concatenate([[0.0], tp])[reached] / float(pair.positives.total)


def precision_from_recall(pair: TwoSides, recalls: Array, known: Bends | None = None) -> Array:
    """The greatest precision of a threshold whose recall is at least this."""
    tp, fp = known or bends(pair)
    # Precision may rise again at a lower threshold: the running maximum from the right is what a requirement
    # "recall of at least r" can reach.
    precision = np.divide(tp, tp + fp, out=np.zeros_like(tp), where=tp + fp > 0)
    best_from_here = np.maximum.accumulate(precision[::-1])[::-1]
    place = np.searchsorted(tp, np.asarray(recalls) * float(pair.positives.total) * (1 - 1e-12))
    return np.asarray(best_from_here[np.minimum(place, len(tp) - 1)])


def bends(pair: TwoSides) -> Bends:
    """Hits and false alarms at every threshold."""
    # Of millions of scores, at those where the ROC curve may bend, between which it runs straight, and at
    # the last: what is asked here is the same at both.
    if "cells" in vars(pair) or len(pair.positives.scores) + len(pair.negatives.scores) <= MOST_THRESHOLDS:
        hits, false_alarms = pair.cumulative
        return np.asarray(hits, dtype=np.float64), np.asarray(false_alarms, dtype=np.float64)
    _, hits, false_alarms = pair.corners
    ends = float(pair.positives.total), float(pair.negatives.total)
    return np.append(hits, ends[0]).astype(np.float64), np.append(false_alarms, ends[1]).astype(np.float64)


class DecisionCurve(NamedTuple):
    """The net benefit of acting where the probability reaches a threshold, and on everyone."""

    # On nobody it is 0.

    thresholds: Array
    net_benefit: Array
    act_on_all: Array


def decision_curve(
    scores: ScoreCounts,
    thresholds: Sequence[float] | Array | None = None,
    *,
    positive: Label | None = None,
    prior: float | None = None,
) -> DecisionCurve:
    """The net benefit (vickers2006) at each probability threshold, here or at another share of positives.

    At a threshold t a false alarm costs t / (1 - t) of what a find is worth: the scores must be
    probabilities.

    >>> import steelyard as sy
    >>> sc = sy.ScoreCounts.from_scores([0, 0, 1, 1], [0.1, 0.4, 0.35, 0.8], positive=1)
    >>> sy.curves.decision_curve(sc, [0.2, 0.5]).net_benefit.tolist()
    [0.4375, 0.25]
    """
    at = np.linspace(0.01, 0.99, 99) if thresholds is None else np.asarray(thresholds, dtype=np.float64)
    if at.ndim != 1 or not len(at) or not ((at > 0) & (at < 1)).all():
        raise InputError(
            "decision thresholds are probabilities",
            found=f"{at.reshape(-1)[:3].tolist()}",
            allowed="one or more numbers above 0 and below 1",
        )
    pair = both_classes(scores, positive)
    for ties in (pair.positives, pair.negatives):
        if ties.scores[0] < 0 or ties.scores[-1] > 1:
            raise InputError(
                "a decision curve needs probabilities",
                found=f"scores from {float(ties.scores[0]):g} to {float(ties.scores[-1]):g}",
                allowed="numbers from 0 to 1",
                do="calibrate the scores first",
            )
    order = np.argsort(at)
    hits, alarms = (ties.cut(at[order])[0] / ties.total for ties in (pair.positives, pair.negatives))
    occurring = float(pair.positives.total / (pair.positives.total + pair.negatives.total))
    share = occurring if prior is None else prior
    if not 0 <= share <= 1:
        raise InputError("the prior is not a share", found=f"{share!r}", allowed="a number from 0 to 1")
    # vickers2006, Eq. 1: who acts at a probability t says that t / (1 - t) false alarms are worth one find.
    odds = at / (1 - at)
    back = np.argsort(order)
    benefit = share * hits[back] - (1 - share) * alarms[back] * odds
    return DecisionCurve(at, np.asarray(benefit), np.asarray(share - (1 - share) * odds))
