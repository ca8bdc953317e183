"""ROC and precision-recall curves over all thresholds, and the areas under them."""

# Curves as plain arrays: ROC, precision-recall at the priors of the data or at any others (mullick2020's
# remedy taken to the whole curve), and cost curves. The areas and summaries that ranking measures are made
# of stand beside them.

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import accumulate, repeat
from typing import Any, NamedTuple

import numpy as np

from steelyard.counts.labels import Array, Label
from steelyard.counts.score_bins import MOST_SCORES
from steelyard.counts.score_counts import ScoreCounts
from steelyard.counts.ties import TwoSides
from steelyard.errors import InputError

# Of a curve on a page.
MOST_POINTS = 200


@dataclass(frozen=True, eq=False)
class RocCurve:
    """False against true positive rate, from (0, 0) to (1, 1); an example is predicted positive at scores >=
    the threshold."""

    fpr: Array
    tpr: Array
    #: Descending; the first, infinity, predicts no positives.
    thresholds: Array


@dataclass(frozen=True, eq=False)
class DetCurve:
    """False positive against false negative rate (martin1997), thresholds descending."""

    # Usually drawn on scales of normal deviates.

    fpr: Array
    fnr: Array
    #: Descending; the first, infinity, predicts no positives.
    thresholds: Array

    @property
    def deviates(self) -> tuple[Array, Array]:
        """Both rates as normal deviates, in which normal scores give a straight line; infinite at 0 and 1."""
        from scipy.special import ndtri

        return ndtri(self.fpr), ndtri(self.fnr)

    @property
    def equal_error_rate(self) -> float:
        """The rate at which false alarms and misses are equally frequent."""
        # On the line between two thresholds.
        gap = self.fnr - self.fpr
        after = int(np.argmax(gap <= 0))
        if after == 0 or gap[after] == 0:
            return float(self.fpr[after])
        fraction = gap[after - 1] / (gap[after - 1] - gap[after])
        return float(self.fpr[after - 1] + fraction * (self.fpr[after] - self.fpr[after - 1]))


@dataclass(frozen=True, eq=False)
class PrecisionRecallCurve:
    """Precision against recall at every threshold, thresholds descending."""

    precision: Array
    recall: Array
    thresholds: Array
    #: The share of positives the precision is told for.
    prior: float


@dataclass(frozen=True, eq=False)
class CostCurve:
    """The least normalised expected cost over all thresholds, against the probability-cost of the positive
    class.

    probability_cost = p c_fn / (p c_fn + (1 - p) c_fp) for a prior p and costs c_fn, c_fp of the two errors;
    the cost is normalised so that being always wrong costs 1 (drummond2006).
    """

    probability_cost: Array
    cost: Array
    #: The best threshold at each place; infinity predicts no positives, -infinity positives only.
    thresholds: Array


def roc_curve(
    scores: ScoreCounts | TwoSides, positive: Label | None = None, *, corners_only: bool = False
) -> RocCurve:
    """Which false positive rate buys which true positive rate?

    `corners_only` leaves out points on a straight line between their neighbours; the curve is the same.
    """
    pair = both_classes(scores, positive)
    tp, fp = pair.cumulative
    thresholds = pair.thresholds
    if corners_only and len(tp) > 2:
        bends = (np.diff(fp, 2) != 0) | (np.diff(tp, 2) != 0)
        corners = np.concatenate([[True], bends, [True]])
        tp, fp, thresholds = tp[corners], fp[corners], thresholds[corners]
    return RocCurve(
        np.concatenate([[0.0], fp / pair.negatives.total]),
        np.concatenate([[0.0], tp / pair.positives.total]),
        np.concatenate([[np.inf], thresholds.astype(np.float64, copy=False)]),
    )


def det_curve(scores: ScoreCounts | TwoSides, positive: Label | None = None) -> DetCurve:
    """Which share of false alarms buys which share of misses?"""
    pair = both_classes(scores, positive)
    roc = roc_curve(pair)
    hits, _ = pair.cumulative
    missed = np.concatenate([[pair.positives.total], pair.positives.total - hits])
    return DetCurve(roc.fpr, missed / pair.positives.total, roc.thresholds)


def outline(pair: TwoSides, most: int = MOST_SCORES) -> RocCurve:
    """The ROC curve for what is read off it as a whole: of many scores only those between which it bends."""
    # Rates do not depend on what an example of a class weighs, so the curve is remembered for all priors.
    beside = (pair.negatives.remembered, most)
    last = pair.positives.remembered.get("outline")
    if last is None or last[0][0] is not beside[0] or last[0][1] != most:
        counted = pair
        if pair.positives.unit is not None or pair.negatives.unit is not None:
            counted = TwoSides(pair.positives.unscaled, pair.negatives.unscaled)
        few = len(pair.positives.scores) + len(pair.negatives.scores) <= most
        curve = roc_curve(counted) if few else _bends(both_classes(counted, None))
        last = pair.positives.remembered["outline"] = (beside, curve)
    outlined: RocCurve = last[1]
    return outlined


def _bends(pair: TwoSides) -> RocCurve:
    """The points between which a ROC curve may bend."""
    thresholds, tp, fp = pair.corners
    fpr = np.concatenate([[0.0], fp / pair.negatives.total, [1.0]])
    tpr = np.concatenate([[0.0], tp / pair.positives.total, [1.0]])
    ends = np.concatenate([[np.inf], thresholds, [-np.inf]])
    # No point stands there twice.
    new = np.append(True, (fpr[1:] != fpr[:-1]) | (tpr[1:] != tpr[:-1]))
    return RocCurve(fpr, tpr, ends) if new.all() else RocCurve(fpr[new], tpr[new], ends[new])


def spread(along: Array) -> Array:
    """The places of `MOST_POINTS` that lie evenly along rising values, both ends among them."""
    if len(along) <= MOST_POINTS:
        return np.arange(len(along))
    wanted = np.linspace(along[0], along[-1], MOST_POINTS)
    return np.unique(np.concatenate([[0], np.searchsorted(along, wanted[1:-1]), [len(along) - 1]]))


def thinned_roc(scores: ScoreCounts, positive: Label | None = None) -> RocCurve:
    """The corners of a ROC curve, at as many places of it as a page shows."""
    whole = roc_curve(scores, positive, corners_only=True)
    shown = spread(whole.fpr + whole.tpr)
    return RocCurve(whole.fpr[shown], whole.tpr[shown], whole.thresholds[shown])


def precision_recall_curve(
    scores: ScoreCounts | TwoSides, positive: Label | None = None, *, prior: float | None = None
) -> PrecisionRecallCurve:
    """What precision comes with which recall, at the data's share of positives or at another `prior`?

    Only thresholds up to the first with full recall are of interest, but all are given; there is no point at
    recall 0, because the precision of calling nothing positive is undefined.
    """
    pair = both_classes(scores, positive) if prior is not None else ranked_sides(scores, positive)
    if not pair.positives.total:
        what, lacking = "there is no precision-recall curve", "no examples of the positive class"
        raise InputError(what, found=lacking, allowed="at least one")
    tp, fp = (side.astype(np.float64) for side in pair.cumulative)
    recall, thresholds = tp / pair.positives.total, pair.thresholds.astype(np.float64, copy=False)
    if prior is None:
        share = pair.positives.total / (pair.positives.total + pair.negatives.total)
        return PrecisionRecallCurve(tp / (tp + fp), recall, thresholds, share)
    if not 0 < prior < 1:
        raise InputError(
            "the prior of the positive class must be a proportion",
            found=f"{prior:g}",
            allowed="more than 0 and less than 1",
        )
    # Bayes: precision at another prior needs the two rates alone (mullick2020), not the counts.
    right, wrong = prior * recall, (1 - prior) * (fp / pair.negatives.total)
    return PrecisionRecallCurve(right / (right + wrong), recall, thresholds, float(prior))


def cost_curve(
    scores: ScoreCounts | TwoSides, positive: Label | None = None, *, points: int = 201
) -> CostCurve:
    """What is the least expected cost, for every balance of priors and costs?"""
    if points < 2:
        raise InputError("a curve needs points", found=f"{points}", allowed="2 or more")
    pair = both_classes(scores, positive)
    hull = convex_hull(outline(pair))
    weight = np.linspace(0, 1, points)
    # Along the hull the slope falls, so the best corner moves one way as the weight of the positive class
    # grows.
    # drummond2006: normalised cost = PC * FNR + (1 - PC) * FPR; its lower envelope over thresholds is reached
    # at corners of the convex hull.
    costs = weight[:, None] * (1 - hull.tpr) + (1 - weight[:, None]) * hull.fpr
    best = np.argmin(costs, axis=1)
    # The lowest threshold calls every row.
    lowest = min(float(side.scores[0]) for side in pair.sides)
    return CostCurve(weight, costs[np.arange(points), best], np.maximum(hull.thresholds[best], lowest))


def convex_hull(curve: RocCurve) -> RocCurve:
    """The part of a ROC curve that is best for some balance of priors and costs."""
    corners = upper_hull(curve.fpr, curve.tpr)
    return RocCurve(curve.fpr[corners], curve.tpr[corners], curve.thresholds[corners])


def upper_hull(x: Array, y: Array) -> Array:
    """The places of the corners of the upper convex hull of points, of which neither coordinate falls."""
    # Points that can be corners: the highest of each x, and the leftmost of each y.
    possible = np.append(x[1:] != x[:-1], True) & np.append(True, y[1:] != y[:-1])
    possible[0] = possible[-1] = True
    candidates = np.flatnonzero(possible)
    # Without those that lie below the line between their neighbours: none of them is a corner. All at once,
    # again and again, until few are left or few are found.
    while len(candidates) > 100:
        width, height = np.diff(x[candidates]), np.diff(y[candidates])
        dents = width[:-1] * height[1:] > width[1:] * height[:-1]
        if np.count_nonzero(dents) < len(candidates) // 20:
            break
        candidates = candidates[np.concatenate([[True], ~dents, [True]])]
    hull: list[int] = []
    xs, ys = x[candidates].tolist(), y[candidates].tolist()
    for i in range(len(xs)):
        while len(hull) >= 2:
            a, b = hull[-2], hull[-1]
            # Monotone chain (andrew1979): the cross product says on which side the third point lies; plain
            # Python, since few candidates are left.
            if (xs[b] - xs[a]) * (ys[i] - ys[a]) < (xs[i] - xs[a]) * (ys[b] - ys[a]):
                break
            hull.pop()
        hull.append(i)
    return candidates[hull]


# -- areas


def area(pair: TwoSides) -> float:
    """The share of pairs in which the positive stands above the negative, a tie counting half."""
    near = pair.weighed_alike()
    # The Mann-Whitney form of the area (hanley1982): counted pairs, no trapezoids, so that it is exact for
    # ties and whole numbers. One division after the other: the product of two large totals may overflow.
    return wins(near) / near.positives.total / near.negatives.total


def wins(pair: TwoSides) -> float:
    """In how many pairs of a positive and a negative does the positive stand higher, a tie counting half?"""
    reaching, at = pair.negatives_reaching
    counts = pair.positives.given_counts
    unit = 1.0 if pair.positives.unit is None else pair.positives.unit
    too_many = 2.0 * float(pair.positives.total) * float(pair.negatives.total) >= 2.0**62
    if counts is None and not too_many and not pair.negatives.is_weighted:
        # Python integers: twice the number of pairs of two classes of 10^9 does not fit into 64 bits.
        below = len(reaching) * int(pair.negatives.total) - int(reaching.sum())
        # Whole numbers: the same as added up one by one.
        return (2 * below + int(at.sum())) / 2 * unit
    doubled = 2 * pair.negatives_below + at
    if doubled.dtype.kind == "i" and too_many:
        doubled = doubled.astype(np.float64)
    total = doubled.sum() if counts is None else doubled @ counts
    return float(total.item() / 2) * unit


def precision_sum(pair: TwoSides) -> float:
    """The precision at the score of each positive, added up over the positives."""
    reaching, _ = pair.negatives_reaching
    counts = pair.positives.given_counts
    unit = 1.0 if pair.positives.unit is None else pair.positives.unit
    if counts is None:
        hits = np.arange(len(pair.positives.scores), 0, -1, dtype=np.float64)
        hits *= unit
        called = hits + reaching
        return float(np.divide(hits, called, out=called).sum()) * unit
    hits = pair.positives.from_top[:-1].astype(np.float64)
    return float(counts @ (hits / (hits + reaching))) * unit


def area_up_to(curve: RocCurve, max_fpr: float) -> float:
    """The area under the ROC curve left of a false positive rate."""
    # The partial area ends on the line between two thresholds, as in scikit-learn, not at the nearest one.
    inside = int(np.searchsorted(curve.fpr, max_fpr, side="right"))
    fpr, tpr = curve.fpr[:inside], curve.tpr[:inside]
    if inside < len(curve.fpr):
        edge = np.interp(max_fpr, curve.fpr[inside - 1 : inside + 1], curve.tpr[inside - 1 : inside + 1])
        fpr, tpr = np.append(fpr, max_fpr), np.append(tpr, edge)
    return float(np.sum(np.diff(fpr) * (tpr[1:] + tpr[:-1])) / 2)


def strip_areas(curve: RocCurve, strips: int) -> Array:
    """The area under the ROC curve in horizontal strips of equal height, from the bottom up."""
    # Integrals of (1 - FPR) dTPR.
    fpr, tpr = curve.fpr, curve.tpr
    areas = np.concatenate([[0.0], np.cumsum(np.diff(tpr) * (1 - (fpr[1:] + fpr[:-1]) / 2))])
    heights = np.linspace(0, 1, strips + 1)
    # The segment that crosses a height: where the curve runs level at that height, the area below is the same
    # on both sides.
    upper = np.clip(np.searchsorted(tpr, heights, side="left"), 1, len(tpr) - 1)
    rise = tpr[upper] - tpr[upper - 1]
    fraction = np.divide(heights - tpr[upper - 1], rise, out=np.zeros_like(heights), where=rise > 0)
    width_at = 1 - (fpr[upper - 1] + fraction * (fpr[upper] - fpr[upper - 1]))
    below = areas[upper - 1] + (heights - tpr[upper - 1]) * ((1 - fpr[upper - 1]) + width_at) / 2
    return np.diff(below)


def strip_weights(rho: float, strips: int) -> Array:
    """The weights of weng2008's strips, bottom to top."""
    # Each passes the share rho of its weight on to the next one up: W_0 = 1 - rho, W_i = rho W_(i-1) + (1 -
    # rho), the top one divided by (1 - rho). They add up to the number of strips, and rho = 0 leaves every
    # strip its own weight of 1.
    weights = np.array(list(accumulate(repeat(1 - rho, strips), lambda below, rest: rho * below + rest)))
    weights[-1] /= 1 - rho
    return weights


def h_loss(curve: RocCurve, prior: float) -> tuple[float, float]:
    """hand2009's expected least loss of the classifier and of the better constant one."""

    # Costs are drawn from Beta(2, 2). A negative predicted positive costs c, a missed positive 1 - c.
    # Between corners of the hull the best threshold changes where both cost the same; Beta(2, 2) has
    # polynomial integrals, so no special function is needed.
    def integral(c: Any) -> Any:
        # From 0 to c of x u(x) dx for the Beta(2, 2) density u(x) = 6 x (1 - x).
        return 2 * c**3 - 1.5 * c**4

    hull = convex_hull(curve)
    fall, rise = (1 - prior) * np.diff(hull.fpr), prior * np.diff(hull.tpr)
    # c at which moving on to the next corner stops paying: (1 - c) rise = c fall. High c wants few positives
    # called.
    switch = np.concatenate([[1.0], rise / (rise + fall), [0.0]])
    high, low = switch[:-1], switch[1:]
    false_alarms = (1 - prior) * hull.fpr * (integral(high) - integral(low))
    misses = prior * (1 - hull.tpr) * (integral(1 - low) - integral(1 - high))
    constant = (1 - prior) * integral(prior) + prior * integral(1 - prior)
    return float(np.sum(false_alarms + misses)), float(constant)


def ranked_sides(scores: ScoreCounts | TwoSides, positive: Label | None) -> TwoSides:
    """The scores of the positive class and of the others, in order."""
    if isinstance(scores, TwoSides):
        return scores
    refuse_uncounted(scores, "a curve is drawn of counted scores")
    return scores.ranked(positive)


def refuse_uncounted(scores: ScoreCounts, why: str) -> None:
    """Refuse columns where scores that were counted are asked for."""
    if not isinstance(scores, ScoreCounts):
        raise InputError(
            why,
            found=type(scores).__name__,
            do="count them first: sy.ScoreCounts.from_scores(y_true, scores, positive=...)",
        )


def both_classes(scores: ScoreCounts | TwoSides, positive: Label | None) -> TwoSides:
    """The same, refused where a class has no examples."""
    pair = ranked_sides(scores, positive)
    for side, ties in (("positive", pair.positives), ("negative", pair.negatives)):
        if not ties.total:
            what, lacking = "a curve needs examples of both classes", f"none of the {side} class"
            raise InputError(what, found=lacking, allowed="at least one of each")
    return pair


# -- cumulative gains and lift (precision and recall at review capacity), and decision curves
#
# Rows are looked at from the highest score down. Where the capacity ends among rows of equal score, those
# are taken in no order: what is found is then what is found on average.

Bends = tuple[Array, Array]


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
    # Of many scores, at those where the ROC curve may bend, between which it runs straight, and at
    # the last: what is asked here is the same at both.
    if "cells" in vars(pair) or len(pair.positives.scores) + len(pair.negatives.scores) <= MOST_SCORES:
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
    for ties in pair.sides:
        if ties.scores[0] < 0 or ties.scores[-1] > 1:
            raise InputError(
                "a decision curve needs probabilities",
                found=f"scores from {float(ties.scores[0]):g} to {float(ties.scores[-1]):g}",
                allowed="numbers from 0 to 1",
                do="calibrate the scores first",
            )
    order = np.argsort(at)
    hits, alarms = (ties.cut(at[order])[0] / ties.total for ties in pair.sides)
    occurring = float(pair.positives.total / (pair.positives.total + pair.negatives.total))
    share = occurring if prior is None else prior
    if not 0 <= share <= 1:
        raise InputError("the prior is not a share", found=f"{share!r}", allowed="a number from 0 to 1")
    # vickers2006, Eq. 1: who acts at a probability t says that t / (1 - t) false alarms are worth one find.
    odds = at / (1 - at)
    back = np.argsort(order)
    benefit = share * hits[back] - (1 - share) * alarms[back] * odds
    return DecisionCurve(at, np.asarray(benefit), np.asarray(share - (1 - share) * odds))
