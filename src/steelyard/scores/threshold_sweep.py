"""Threshold sweep: the confusion matrix at every threshold, as one batch from one sorted pass."""

from __future__ import annotations

from dataclasses import dataclass
from numbers import Real
from typing import Any

import numpy as np

from steelyard.counts.confusion import Confusion
from steelyard.counts.curves import refuse_uncounted
from steelyard.counts.labels import Array, Label
from steelyard.counts.score_counts import ScoreCounts
from steelyard.counts.ties import count_kind, searched
from steelyard.errors import InputError
from steelyard.measures.catalogue import measure as look_up
from steelyard.measures.measure import Measure

# Thresholds at which a measure is computed together: matrices of all would take four times the scores.
AT_ONCE = 1 << 18


@dataclass(frozen=True, eq=False)
class ThresholdSweep:
    """The matrix at every distinct threshold, descending: scores at or above it are predicted positive."""

    # The two classes, the positive one first.
    labels: tuple[Label, ...]
    # The first, infinity, predicts no positives; it is left out if some score is infinite itself.
    thresholds: Array
    # Positives and negatives at or above each threshold, shape (T, 2).
    reached: Array
    # All positives and all negatives.
    totals: Array
    # Those below, where they were weighed: a difference of two sums of weights leaves dust where nothing is
    # left. None for counts.
    below: Array | None = None

    @property
    def positive(self) -> Label:
        return self.labels[0]

    @property
    def matrices(self) -> Confusion:
        """All matrices as a batch, the positive class first."""
        return self.at(slice(None))

    def at(self, places: Any) -> Confusion:
        """The matrix, or the batch of matrices, at some of the thresholds."""
        reached = self.reached[places]
        below = self.totals - reached if self.below is None else self.below[places]
        return Confusion(np.stack([reached, below], axis=-1), self.labels, copy=False)

    def values(self, measure: Measure | str, **options: Any) -> Array:
        """One measure at every threshold."""
        chosen = look_up(measure)
        values = np.empty(len(self.thresholds))
        for start in range(0, len(values), AT_ONCE):
            chunk = slice(start, start + AT_ONCE)
            values[chunk] = chosen(self.at(chunk), positive=self.positive, **options)
        return values


def sweep(scores: ScoreCounts, positive: Label | None = None, at: Array | None = None) -> ThresholdSweep:
    """The matrix at every distinct threshold, in one sorted pass; or at some scores, given in order."""
    refuse_uncounted(scores, "thresholds are found on counted scores")
    two = scores.positive_first(positive)
    pair = two.ranked()
    sides = pair.sides
    rising, *places = pair.merged() if at is None else (at, *(searched(ties.scores, at) for ties in sides))
    thresholds = _thresholds(rising)
    totals = np.array([ties.total for ties in sides])
    kind = totals.dtype if totals.dtype.kind == "f" else count_kind(totals.sum())
    # A side after the other in memory: what is asked for is mostly one of them. Nothing reaches infinity.
    reached = np.zeros((2, len(thresholds)), dtype=kind)
    below = np.empty_like(reached) if any(ties.is_weighted for ties in sides) else None
    for side, ties in enumerate(sides):
        for start in range(0, len(rising), AT_ONCE):
            chunk = slice(start, min(start + AT_ONCE, len(rising)))
            reached[side, chunk], less = ties.cut_at(places[side][chunk])
            if below is not None:
                below[side, chunk] = less
        if below is not None:
            below[side, len(rising) :] = ties.cut_at(np.array([len(ties.scores)]))[1]
    from_top = None if below is None else below.T[::-1]
    return ThresholdSweep(two.labels, thresholds[::-1], reached.T[::-1], totals, from_top)


def implied_threshold(swept: ThresholdSweep, hits: float, false_alarms: float) -> float | None:
    """The shortest number that is a threshold with these true and false positives, or None."""
    # Labels that were made of the scores by a threshold have its counts, so 0.5 is found rather than the
    # smallest score above it.
    match = np.flatnonzero((swept.reached[:, 0] == hits) & (swept.reached[:, 1] == false_alarms))
    if not len(match) or not np.isfinite(top := float(swept.thresholds[match[0]])):
        return None
    after = int(match[-1]) + 1
    below = float(swept.thresholds[after]) if after < len(swept.thresholds) else -np.inf
    size = int(np.floor(np.log10(abs(top)))) if top else 0
    for digits in range(1, 13):
        unit = 10.0 ** (size - digits + 1)
        short = float(f"{np.floor(top / unit) * unit:.12g}")
        if below < short <= top:
            return short
    return top


def matrix_at(scores: ScoreCounts, threshold: float, positive: Label | None = None) -> Confusion:
    """The matrix when scores at or above this threshold are predicted positive."""
    if not isinstance(threshold, Real) or np.isnan(threshold):
        raise InputError(
            "the threshold is not a number",
            found="NaN" if isinstance(threshold, Real) else repr(threshold),
            allowed="a number, or infinity to predict no positives",
        )
    two = scores.positive_first(positive)
    if two.starts is not None and np.isfinite(threshold) and threshold not in two.starts:
        raise InputError(
            "binned scores can be cut at the start of a bin only",
            found=f"a threshold of {threshold:g}",
            allowed=", ".join(f"{start:g}" for start in two.starts[1:6])
            + (", ..." if len(two.starts) > 6 else ""),
        )
    cuts = (ties.cut(np.array([threshold])) for ties in two.ranked().sides)
    return Confusion([(reached.item(), below.item()) for reached, below in cuts], two.labels)


def _thresholds(scores: Array) -> Array:
    """Every distinct score, ascending, and infinity."""
    thresholds = np.asarray(scores, dtype=np.float64)
    if scores.dtype.kind in "iu" and (alike := thresholds[:-1] == thresholds[1:]).any():
        lower, upper = scores[int(np.argmax(alike)) :][:2].tolist()
        raise InputError(
            "the scores hold different numbers that would be one threshold",
            found=f"{lower} and {upper}",
            allowed="numbers that differ as doubles",
            do="give their ranks instead",
        )
    return thresholds if np.inf in thresholds[-1:] else np.append(thresholds, np.inf)
