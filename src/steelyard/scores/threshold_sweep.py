"""Threshold sweep: the confusion matrix at every threshold, as one batch from one sorted pass."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from numbers import Real
from typing import Any

import numpy as np
from numpy.typing import NDArray

from steelyard.counts.confusion import Confusion
from steelyard.counts.curves import refuse_uncounted
from steelyard.counts.labels import Label
from steelyard.counts.score_counts import ScoreCounts
from steelyard.counts.ties import Ties, TwoSides
from steelyard.errors import InputError
from steelyard.measures.catalogue import measure as look_up
from steelyard.measures.measure import Measure, weigh

Array = NDArray[Any]


@dataclass(frozen=True, eq=False)
class ThresholdSweep:
    """The matrix at every distinct threshold, descending: scores at or above it are called positive."""

    thresholds: Array
    """The first, infinity, calls nothing positive; it is left out if some score is infinite itself."""
    matrices: Confusion
    """A batch of two-class matrices, the positive class first."""

    @property
    def positive(self) -> Label:
        return self.matrices.labels[0]

    def values(self, measure: Measure | str, **options: Any) -> Array:
        """One measure at every threshold."""
        return np.asarray(look_up(measure)(self.matrices, positive=self.positive, **options))

    def all_values(self, measures: Sequence[Measure], **options: Any) -> dict[str, Array]:
        """Many measures at every threshold, sharing the work they have in common."""
        return weigh(measures, self.matrices, positive=self.positive, **options)


def sweep(scores: ScoreCounts, positive: Label | None = None) -> ThresholdSweep:
    """The matrix at every distinct threshold, in one sorted pass."""
    refuse_uncounted(scores, "thresholds are found on counted scores")
    two = scores.one_vs_rest(scores.positive_class(positive).label).positive_first()
    thresholds, cells = _cells(two.ranked())
    return ThresholdSweep(thresholds, Confusion(cells, two.labels, copy=False))


def implied_threshold(swept: ThresholdSweep, hits: float, false_alarms: float) -> float | None:
    """The shortest number that is a threshold with these true and false positives; None where there is none.

    Labels that were made of the scores by a threshold have its counts, so 0.5 is found rather than the
    smallest score above it.
    """
    counts = np.asarray(swept.matrices.counts)
    match = np.flatnonzero((counts[:, 0, 0] == hits) & (counts[:, 1, 0] == false_alarms))
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
    """The matrix when scores at or above this threshold are called positive."""
    if not isinstance(threshold, Real) or np.isnan(threshold):
        raise InputError(
            "the threshold is not a number",
            found="NaN" if isinstance(threshold, Real) else repr(threshold),
            allowed="a number, or infinity to call nothing positive",
        )
    two = scores.one_vs_rest(scores.positive_class(positive).label).positive_first()
    if two.starts is not None and np.isfinite(threshold) and threshold not in two.starts:
        raise InputError(
            "binned scores can be cut at the start of a bin only",
            found=f"a threshold of {threshold:g}",
            allowed=", ".join(f"{start:g}" for start in two.starts[1:6])
            + (", ..." if len(two.starts) > 6 else ""),
        )
    pair = two.ranked()
    return Confusion([_cut(ties, threshold) for ties in (pair.positives, pair.negatives)], two.labels)


def _cells(pair: TwoSides) -> tuple[Array, Array]:
    """Thresholds, descending, and the cells [[tp, fn], [fp, tn]] at each."""
    thresholds = np.asarray(pair.thresholds, dtype=np.float64)
    if pair.thresholds.dtype.kind in "iu" and (alike := thresholds[:-1] == thresholds[1:]).any():
        upper, lower = pair.thresholds[int(np.argmax(alike)) :][:2].tolist()
        raise InputError(
            "the scores hold different numbers that would be one threshold",
            found=f"{lower} and {upper}",
            allowed="numbers that differ as doubles",
            do="give their ranks instead",
        )
    tp, fn, fp, tn = pair.cells
    first = int(not len(thresholds) or thresholds[0] != np.inf)
    if first:
        thresholds = np.concatenate([[np.inf], thresholds])
    cells = np.empty((len(thresholds), 2, 2), dtype=np.result_type(tp, fp))
    cells[0] = [[0, pair.positives.total], [0, pair.negatives.total]]
    cells[first:, 0, 0], cells[first:, 0, 1] = tp, fn
    cells[first:, 1, 0], cells[first:, 1, 1] = fp, tn
    return thresholds, cells


def _cut(ties: Ties, threshold: float) -> tuple[float, float]:
    reached, below = ties.cut(np.array([threshold]))
    return reached.item(), below.item()
