"""How far could a ranking have come out differently on other rows like these?

The bootstrap on counts: within each class as many examples are drawn again, with replacement, as there were.
A ranking measure gets an interval, a curve a band. Weights are not examples, so weighted counts cannot be
drawn again; neither can a table with a column for each class, whose columns belong together row by row.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from steelyard.counts import curves
from steelyard.counts.labels import Label
from steelyard.counts.score_counts import ScoreCounts
from steelyard.counts.ties import Ties, TwoSides
from steelyard.errors import InputError
from steelyard.measures.catalogue import measure as look_up
from steelyard.measures.measure import Measure

Array = NDArray[Any]


@dataclass(frozen=True)
class RankingInterval:
    """A ranking measure with its percentile interval."""

    measure: Measure
    value: float
    low: float
    high: float
    level: float
    replicates: int

    def to_dict(self) -> dict[str, Any]:
        """Plain data, ready for JSON; a value that is undefined is None."""
        numbers = {"value": self.value, "low": self.low, "high": self.high}
        defined = {key: None if np.isnan(number) else number for key, number in numbers.items()}
        return {"measure": self.measure.name, **defined, "level": self.level, "replicates": self.replicates}


@dataclass(frozen=True, eq=False)
class Band:
    """A curve on a fixed grid with its pointwise percentile band."""

    at: Array
    value: Array
    low: Array
    high: Array
    level: float
    replicates: int


def ranking_interval(
    measure: Measure | str,
    scores: ScoreCounts,
    positive: Label | None = None,
    *,
    replicates: int = 500,
    level: float = 0.95,
    seed: int = 0,
) -> RankingInterval:
    """Between which values does a ranking measure lie, on rows drawn again within each class?"""
    return ranking_intervals([measure], scores, positive, replicates=replicates, level=level, seed=seed)[0]


def ranking_intervals(
    measures: Sequence[Measure | str],
    scores: ScoreCounts,
    positive: Label | None = None,
    *,
    replicates: int = 500,
    level: float = 0.95,
    seed: int = 0,
) -> list[RankingInterval]:
    """Between which values do ranking measures lie, all on the same rows drawn again within each class?"""
    chosen = [look_up(measure) for measure in measures]
    two, pairs = _replicates(scores, positive, replicates, level, seed)
    label = two.labels[0]
    values = np.array(
        [[m(sample, positive=label) for m in chosen] for sample in (_with(two, pair) for pair in pairs)]
    )
    ends = np.quantile(values, [(1 - level) / 2, (1 + level) / 2], axis=0)
    return [
        RankingInterval(m, m(two, positive=label), float(low), float(high), level, replicates)
        for m, low, high in zip(chosen, *ends, strict=True)
    ]


def roc_band(
    scores: ScoreCounts,
    positive: Label | None = None,
    *,
    points: int = 101,
    replicates: int = 500,
    level: float = 0.95,
    seed: int = 0,
) -> Band:
    """The true positive rate at evenly spaced false positive rates, with a band."""
    at = np.linspace(0, 1, points)
    two, pairs = _replicates(scores, positive, replicates, level, seed)
    return _band(
        at,
        tpr_at(curves.roc_curve(two), at),
        np.array([tpr_at(curves.roc_curve(pair), at) for pair in pairs]),
        level,
    )


def precision_recall_band(
    scores: ScoreCounts,
    positive: Label | None = None,
    *,
    prior: float | None = None,
    points: int = 101,
    replicates: int = 500,
    level: float = 0.95,
    seed: int = 0,
) -> Band:
    """The precision at evenly spaced recalls, at the data's share of positives or at another prior, with a
    band."""
    at = np.linspace(0, 1, points)[1:]
    two, pairs = _replicates(scores, positive, replicates, level, seed)

    def drawn_at(pair: ScoreCounts | TwoSides) -> Array:
        curve = curves.precision_recall_curve(pair, prior=prior)
        return np.asarray(curve.precision[np.searchsorted(curve.recall, at * (1 - 1e-12))])

    return _band(at, drawn_at(two), np.array([drawn_at(pair) for pair in pairs]), level)


def tpr_at(curve: curves.RocCurve, fpr: Array) -> Array:
    """The true positive rate at these false positive rates: the top of a vertical step, a straight line
    between points."""
    last = np.concatenate([curve.fpr[1:] != curve.fpr[:-1], [True]])
    top = np.interp(fpr, curve.fpr[last], curve.tpr[last])
    # Just right of a vertical step the line starts at its top, and just left of it ends at its bottom.
    right = np.clip(np.searchsorted(curve.fpr, fpr, side="right"), 1, len(curve.fpr) - 1)
    left = right - 1
    inside = (curve.fpr[left] < fpr) & (fpr < curve.fpr[right])
    width = np.where(inside, curve.fpr[right] - curve.fpr[left], 1.0)
    line = curve.tpr[left] + (curve.tpr[right] - curve.tpr[left]) * (fpr - curve.fpr[left]) / width
    return np.asarray(np.where(inside, line, top))


def draw_again(counts: Array, rng: np.random.Generator, size: int | None = None) -> Array:
    """As many examples as there were, or as many as said, drawn with replacement, by the place they stand
    at."""
    total = int(counts.sum())
    size = total if size is None else size
    occupied = np.flatnonzero(counts)
    out = np.zeros(len(counts), dtype=np.int64)
    if not total or not size:
        return out
    if total > 64 * len(occupied):  # many examples at each place
        out[occupied] = rng.multinomial(size, counts[occupied] / total)
        return out
    examples = rng.integers(0, total, size)
    places = (
        examples
        if len(occupied) == total
        else np.searchsorted(np.cumsum(counts[occupied]), examples, side="right")
    )
    out[occupied] = np.bincount(places, minlength=len(occupied))
    return out


def _replicates(
    scores: ScoreCounts, positive: Label | None, replicates: int, level: float, seed: int
) -> tuple[ScoreCounts, Iterator[TwoSides]]:
    """The scores of a positive class (which stands first) against the rest, and as many samples of them as
    are asked for."""
    if not 0 < level < 1:
        raise InputError(
            "the level of an interval is a proportion",
            found=f"{level:g}",
            allowed="more than 0 and less than 1",
        )
    if replicates < 1:
        raise InputError("there must be replicates", found=f"{replicates}", allowed="1 or more")
    if scores.is_weighted:
        raise InputError(
            "weighted scores cannot be drawn again",
            found="weights",
            allowed="counts of examples",
            do="leave the weights out",
        )
    two = scores.one_vs_rest(scores.positive_class(positive).label).positive_first()
    pair, rng = two.ranked(), np.random.default_rng(seed)
    return two, (
        TwoSides(_drawn(pair.positives, rng), _drawn(pair.negatives, rng)) for _ in range(replicates)
    )


def _drawn(ties: Ties, rng: np.random.Generator) -> Ties:
    counts = draw_again(ties.counts, rng)
    kept = counts > 0
    return Ties(ties.scores[kept], counts[kept])


def _with(two: ScoreCounts, pair: TwoSides) -> ScoreCounts:
    return ScoreCounts(two.labels, ((pair.positives, pair.negatives),), two.positive, two.starts)


def _band(at: Array, value: Array, drawn: Array, level: float) -> Band:
    low, high = np.quantile(drawn, [(1 - level) / 2, (1 + level) / 2], axis=0)
    return Band(at, value, low, high, level, len(drawn))
