"""Bootstrap of scores: intervals of ranking metrics and bands of curves."""
# The bootstrap on counts: as many examples are resampled, with replacement, as there were, within each class
# if the class sizes are fixed. A ranking measure gets an interval from the spread of the draws
# (`wilson_by_spread`), a curve a band of their percentiles, all of them from the same draws. Where there are
# many distinct scores they are drawn in some thousands of bins: that costs the same for any number of rows,
# and how far it moves the area under the ROC curve is known. Weights are not examples, so weighted counts
# cannot be resampled; neither can a table with a column for each class, whose columns belong together row by
# row.

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np

from steelyard.counts import curves
from steelyard.counts.labels import Array, Label
from steelyard.counts.score_bins import Binned, few_enough, in_bins
from steelyard.counts.score_counts import ScoreCounts
from steelyard.counts.ties import Ties, TwoSides
from steelyard.errors import InputError
from steelyard.measures.catalogue import measure as look_up
from steelyard.measures.measure import Measure
from steelyard.measures.score_measure import ScoreMeasure, score_values
from steelyard.report.records import Record
from steelyard.scores.fields import Numbers
from steelyard.uncertainty.binomial_intervals import area_trials, wilson_by_spread
from steelyard.uncertainty.resampling import Design, check_level, design_in_use, generator_of

# Metrics of the best threshold, whatever it is: the best on these rows is lucky on them.
MAXIMA = frozenset({"h_measure", "kolmogorov_smirnov"})
# A number, or an array of always the same shape, told of one sample of scores.
Statistic = Callable[[ScoreCounts], Any]


class RankingInterval(NamedTuple):
    """A ranking measure with its interval."""

    value: float
    low: float
    high: float


@dataclass(frozen=True, eq=False)
class Band(Record):
    """A curve on a fixed grid with its pointwise band."""

    at: Numbers
    low: Numbers
    high: Numbers


class BootstrapSamples:
    """The scores of one class against the rest, resampled once for all statistics."""

    def __init__(
        self,
        scores: ScoreCounts,
        positive: Label | None = None,
        *,
        replicates: int = 500,
        level: float = 0.95,
        seed: int = 0,
        design: Design = "sample",
    ) -> None:
        check_level(level)
        if replicates < 1:
            raise InputError("there must be replicates", found=f"{replicates}", allowed="1 or more")
        if scores.is_weighted:
            raise InputError(
                "weighted scores cannot be resampled",
                found="weights",
                allowed="counts of examples",
                do="leave the weights out",
            )
        self.replicates, self.level, self.seed = replicates, level, seed
        self.sizes_fixed = design_in_use(design) == "fixed"
        # The scores themselves, the positive class first.
        self.two = scores.positive_first(positive)
        pair = self.two.ranked()
        self.fewest = min(int(side.total) for side in pair.sides)
        # The bins that are drawn, where there are too many scores to draw each.
        self.binned: Binned | None = None if few_enough(pair) else in_bins(pair)

    @cached_property
    def drawn_from(self) -> ScoreCounts:
        """What is resampled: the scores, or their bins."""
        return self.two if self.binned is None else self.two.with_sides(self.binned.pair)

    def statistics_of(self, statistics: Sequence[Statistic]) -> list[Array]:
        """Each of these on every sample, all on the same ones: arrays that begin with the replicate."""
        values_of: list[list[Any]] = [[] for _ in statistics]
        for pair in self._samples():
            sample = self.two.with_sides(pair)
            for values, statistic in zip(values_of, statistics, strict=True):
                values.append(statistic(sample))
        return [np.array(values) for values in values_of]

    def intervals(self, measures: Sequence[Measure], values: Array) -> list[RankingInterval]:
        """The intervals of measures from their values (R, M) on the samples."""
        label, pair = self.two.labels[0], self.two.ranked()
        intervals = []
        for m, drawn in zip(measures, values.T, strict=True):
            value = m(self.two, positive=label)
            # What bins move in the data they move in the samples too: their spread and bias stay.
            around = value if self.binned is None else m(self.drawn_from, positive=label)
            trials = None
            if m.id == "roc_auc":
                trials = area_trials(value, float(pair.positives.total), float(pair.negatives.total))
            low, high = ends_by_spread(
                value, drawn, self.fewest, self.level, m.range.at(2), around, trials, m.id in MAXIMA
            )
            intervals.append(RankingInterval(value, float(low), float(high)))
        return intervals

    def band(self, at: Array, value: Array, drawn: Array) -> Band:
        """The pointwise band of a curve on a grid, from the curves (R, points) of the samples."""
        # Its ends are intervals as those of measures.
        return Band(at, *ends_by_spread(value, drawn, self.fewest, self.level))

    def _samples(self) -> Iterator[TwoSides]:
        rng = generator_of(self.seed)
        pair = self.two.ranked() if self.binned is None else self.binned.pair
        positives, negatives = (int(side.total) for side in pair.sides)
        of_positives, of_negatives = [positives] * self.replicates, [negatives] * self.replicates
        if not self.sizes_fixed and positives and negatives:
            # A sample without positives or negatives has no ranking, so it gets one.
            total = positives + negatives
            sizes = np.clip(rng.binomial(total, positives / total, self.replicates), 1, total - 1)
            of_positives, of_negatives = sizes.tolist(), (total - sizes).tolist()
        sides = pair.sides
        # All samples stand on the same scores, so that none has to be sorted or searched.
        scores = pair.thresholds[::-1] if self.binned is None else self.binned.starts
        places = [np.searchsorted(scores, side.scores) for side in sides]
        draws: Iterator[Iterable[Array]]
        if self.binned is None:
            draws = (
                (resample(side.counts, rng, size) for side, size in zip(sides, both, strict=True))
                for both in zip(of_positives, of_negatives, strict=True)
            )
        else:
            sizes_of = zip(sides, (of_positives, of_negatives), strict=True)
            draws = zip(*[resample_all(side.counts, sizes, rng) for side, sizes in sizes_of], strict=True)
        for both in draws:
            grid = np.zeros((2, len(scores)), dtype=np.int64)
            for row, place, counts in zip(grid, places, both, strict=True):
                row[place] = counts
            yield TwoSides.on_grid(scores, *grid)


def ends_by_spread(
    value: Any,
    drawn: Array,
    fewest: float,
    level: float,
    bounds: tuple[float, float] = (0.0, 1.0),
    around: Any = None,
    model_trials: float | None = None,
    maximum: bool = False,
) -> tuple[Any, Any]:
    """Wilson's interval from bootstrap samples (R, ...) of a value, or of each value of an array."""
    # `around` is what the samples lie around, where that is not the value itself.
    # Percentiles covered 9 to 54% beside a ranking that is nearly perfect (docs/coverage.md). A `maximum`
    # over thresholds is a kink, where a value's bias is 1 + sqrt(2) times that of its samples (`moves_of`).
    spread = drawn.std(axis=0)
    bias = drawn.mean(axis=0) - (value if around is None else around)
    bias = np.sign(bias) * np.maximum(np.abs(bias) - spread / math.sqrt(len(drawn)), 0.0)
    low, high = wilson_by_spread(value, spread, bias, fewest, level, bounds, model_trials=model_trials)
    if maximum:
        low = np.maximum(bounds[0], low - math.sqrt(2) * np.maximum(bias, 0))
    return low, high


def ranking_intervals(
    measures: Sequence[Measure | str], scores: ScoreCounts, positive: Label | None = None, **how: Any
) -> list[RankingInterval]:
    """Intervals of ranking measures, all from the same samples; `how` is what `BootstrapSamples` takes."""
    chosen = [look_up(measure) for measure in measures]
    again = BootstrapSamples(scores, positive, **how)
    (values,) = again.statistics_of([measured(chosen)])
    return again.intervals(chosen, values)


# -- what is told of a sample


def measured(measures: Sequence[Measure]) -> Statistic:
    """The values of measures of scores."""
    bodies = [m.body for m in measures if isinstance(m, ScoreMeasure) and m.two_sided]
    if len(bodies) < len(measures):
        return lambda sample: [m(sample, positive=sample.labels[0]) for m in measures]
    return lambda sample: score_values(bodies, sample.one_vs_rest(sample.labels[0]))


def found_at(at: Array) -> Statistic:
    """The true positive rates at these false positive rates."""
    return lambda sample: tpr_at(curves.outline(sample.ranked()), at)


def precision_at(at: Array, prior: float | None) -> Statistic:
    """The precision at these recalls."""

    def statistic(sample: ScoreCounts) -> Array:
        curve = curves.precision_recall_curve(sample, prior=prior)
        return np.asarray(curve.precision[np.searchsorted(curve.recall, at * (1 - 1e-12))])

    return statistic


def tpr_at(curve: curves.RocCurve, fpr: Array) -> Array:
    """True positive rates at these false positive rates: the top of a step, a line between points."""
    last = np.concatenate([curve.fpr[1:] != curve.fpr[:-1], [True]])
    top = np.interp(fpr, curve.fpr[last], curve.tpr[last])
    # Just right of a vertical step the line starts at its top, and just left of it ends at its bottom.
    right = np.clip(np.searchsorted(curve.fpr, fpr, side="right"), 1, len(curve.fpr) - 1)
    left = right - 1
    inside = (curve.fpr[left] < fpr) & (fpr < curve.fpr[right])
    width = np.where(inside, curve.fpr[right] - curve.fpr[left], 1.0)
    line = curve.tpr[left] + (curve.tpr[right] - curve.tpr[left]) * (fpr - curve.fpr[left]) / width
    return np.asarray(np.where(inside, line, top))


# -- drawing


def resample(counts: Array, rng: np.random.Generator, size: int | None = None) -> Array:
    """Draw examples with replacement: how many stand at each place, as many as there were or as said."""
    total = int(counts.sum())
    size = total if size is None else size
    occupied = np.flatnonzero(counts)
    out = np.zeros(len(counts), dtype=np.int64)
    if not total or not size:
        return out
    occupied_counts = counts[occupied]
    if total > 64 * len(occupied):  # many examples at each place
        out[occupied] = rng.multinomial(size, occupied_counts / total)
        return out
    # Every example is drawn by its number; those of one place are numbered in a row, so that adding up is
    # all there is to finding the place.
    times = np.bincount(rng.integers(0, total, size), minlength=total)
    out[occupied] = (
        times
        if len(occupied) == total
        else np.add.reduceat(times, np.cumsum(occupied_counts) - occupied_counts)
    )
    return out


def resample_all(counts: Array, sizes: Sequence[int] | Array, rng: np.random.Generator) -> Array:
    """Samples of these sizes at once, shape (R, places): what a draw costs depends on the places alone."""
    out = np.zeros((len(sizes), len(counts)), dtype=np.int64)
    occupied = np.flatnonzero(counts)  # an empty last place would get what rounding leaves over
    if len(occupied):
        occupied_counts = counts[occupied]
        out[:, occupied] = rng.multinomial(
            np.asarray(sizes, dtype=np.int64), occupied_counts / occupied_counts.sum()
        )
    return out


# Measures that cannot fall when a positive is put above a negative, whatever their parameters.
RISES_WITH_THE_CURVE = frozenset(
    {"roc_auc", "gini", "partial_auc", "weighted_auc", "h_measure", "kolmogorov_smirnov"}
)


class Bounds(NamedTuple):
    """The least and the greatest value that the counts allow."""

    least: float
    most: float


def bounds(measure: Measure, scores: ScoreCounts, positive: Label | None = None) -> Bounds | None:
    """What the bins leave open of a measure; None where scores are exact, or no bound is known."""
    if scores.starts is None:
        return None
    two = scores.positive_first(positive)
    pair = two.ranked()
    if not pair.positives.total or not pair.negatives.total:
        return None
    several = two.holds_several(pair.thresholds[::-1])
    label = two.labels[0]
    if measure.id in RISES_WITH_THE_CURVE:
        worst, best = (_arranged(pair, several, positives_first) for positives_first in (False, True))
        return Bounds(*(measure(two.with_sides(side), positive=label) for side in (worst, best)))
    if measure.name == "average_precision":
        # Positives that stand together have the precision of the last of them, which none of them exceeds.
        best = _arranged(pair, several, True)
        least = _least_precision_sum(pair, several) / pair.positives.total
        return Bounds(least, measure(two.with_sides(best), positive=label))
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
    """The least sum of the precision at each positive."""
    # In bins of several scores the negatives stand first and the positives one by one.
    rising = pair.thresholds[::-1]
    inside = several[np.searchsorted(rising, pair.positives.scores)]
    positives = np.asarray(pair.positives.counts, dtype=np.float64)
    above = pair.positives.from_top[1:].astype(np.float64)
    called = np.asarray(pair.negatives_reaching[0], dtype=np.float64)
    together = positives * (above + positives) / (above + positives + called)
    if pair.positives.is_weighted:  # weights have no smallest step: the first may weigh next to nothing
        one_by_one = np.divide(
            positives * above, above + called, out=np.zeros_like(positives), where=above + called > 0
        )
    else:
        one_by_one = positives - called * (_harmonic(above + positives + called) - _harmonic(above + called))
    return float(np.where(inside, one_by_one, together).sum())


def _harmonic(n: Array) -> Array:
    """1 + 1/2 + ... + 1/n."""
    from scipy.special import digamma

    return np.asarray(digamma(n + 1) + np.euler_gamma)
