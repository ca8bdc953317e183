"""Threshold selection: the threshold that maximises a metric, with its bootstrap interval and optimism."""
# A label is a score and a threshold. One sorted pass gives the matrix at every distinct threshold, as a batch
# that any measure of matrices takes; the best threshold is where the measure is best. A threshold judged on
# the rows it was chosen on looks better than it is: the bootstrap says by how much, and held-out rows say it
# without assumptions.

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from itertools import islice
from numbers import Integral
from typing import Annotated, Any, Literal, get_args

import numpy as np

from steelyard.counts.confusion import Confusion
from steelyard.counts.curves import refuse_uncounted
from steelyard.counts.labels import Array, Label, meant
from steelyard.counts.score_bins import MOST_SCORES, PARTS, few_enough, quantile_starts
from steelyard.counts.score_counts import ScoreCounts
from steelyard.counts.ties import TwoSides
from steelyard.errors import InputError
from steelyard.measures.catalogue import measure as look_up
from steelyard.measures.class_numbers import priors_of_two
from steelyard.measures.measure import Measure
from steelyard.report.records import HIDDEN, Amount, AnyLabel, Json, Record, Value, derived, in_json
from steelyard.scores.fields import Matrix, MeasureName
from steelyard.scores.score_bootstrap import resample
from steelyard.scores.threshold_sweep import ThresholdSweep, matrix_at, sweep
from steelyard.uncertainty.intervals import Interval, interval
from steelyard.uncertainty.resampling import (
    WHAT_A_DESIGN_MEANS,
    Design,
    check_level,
    check_listed,
    design_in_use,
    generator_of,
)

OPTIMISTIC = "the threshold was chosen and evaluated on the same rows, so its values are optimistic"

# A bootstrap sample holds so much of the rows it is judged on, and shows so much of the optimism (Efron
# 1983).
SEEN_BY_A_SAMPLE = 1 - math.exp(-1)
# Thresholds of bootstrap samples whose matrices are measured together.
_CELLS_AT_ONCE = 1 << 15


@dataclass(frozen=True)
class ChoiceRepeated:
    """The choice of a threshold repeated on bootstrap samples."""

    # What each sample says at the threshold that is best on it, and what the rows say there.

    samples: Confusion
    rows: Confusion

    def optimism(self, measure: Measure, positive: Label | None) -> float:
        """By how much a metric of the rows exceeds that of new rows because they chose the threshold."""
        # 0 where it is undefined in every sample.
        gains = measure(self.samples, positive=positive) - measure(self.rows, positive=positive)
        defined = gains[np.isfinite(gains)]
        return float(defined.mean()) / SEEN_BY_A_SAMPLE if len(defined) else 0.0

    def on_new_rows(self, interval_there: Interval, measure: Measure, positive: Label | None) -> Interval:
        """The interval of a metric on new rows at the chosen threshold."""
        # That of a threshold that was given, less what choosing it adds.
        # The end that optimism hides is moved by all of it, the other by what the samples saw. Quantiles of
        # the samples' best values, which are optimistic twice, covered 47 to 77% in simulations.
        if math.isnan(interval_there.low):
            return interval_there
        hidden = self.optimism(measure, positive)
        moves = (hidden, hidden * SEEN_BY_A_SAMPLE)
        at_low, at_high = moves if hidden > 0 else moves[::-1]
        low, high = interval_there.low - at_low, interval_there.high - at_high
        least, greatest = measure.range.at(2)
        low, high = min(max(least, low), greatest), max(min(greatest, high), least)
        note = "of new rows: less what choosing the threshold on these rows adds"
        return replace(
            interval_there, low=low, high=high, note="; ".join(filter(None, (interval_there.note, note)))
        )


@dataclass(frozen=True)
class ThresholdInterval(Record):
    """The intervals of a threshold and of the metric at it, and what they rest on."""

    level: float | None
    threshold: tuple[Amount, Amount]
    value: tuple[Amount, Amount]
    replicates: int
    optimism: float | None
    design: str | None
    assumed: str | None
    bins: int | None
    bin_error: Value | None


@dataclass(frozen=True)
class BestThreshold(Record):
    """The threshold at which a measure is best, with its confidence interval."""

    threshold: Amount
    """Call an example positive if its score is at least this."""
    value: float
    """The measure at this threshold on the rows it was chosen on: optimistic."""
    measure: MeasureName
    matrix: Matrix
    next_lower: Annotated[Amount | None, Json("next_lower_score")]
    """The next lower score that occurs: any threshold above it, up to this one, gives the same labels."""
    positive: AnyLabel
    threshold_interval: Annotated[tuple[float, float] | None, HIDDEN] = None
    value_interval: Annotated[tuple[float, float] | None, HIDDEN] = None
    """Of the measure at this threshold on new rows; it may lie below the value seen, which is optimistic."""
    level: Annotated[float | None, HIDDEN] = None
    optimism: Annotated[float | None, HIDDEN] = None
    """How much better the chosen threshold looks on the rows that chose it than on new ones, estimated by
    repeating the choice on bootstrap samples."""
    replicates: Annotated[int, HIDDEN] = 0
    """Bootstrap samples in which the measure had a value."""
    note: str = OPTIMISTIC
    design: Annotated[str | None, HIDDEN] = None
    """Whether the bootstrap samples have other class sizes ("sample") or the same ones ("fixed")."""
    bins: Annotated[int | None, HIDDEN] = None
    """Bins of scores that were counted, or that the bootstrap drew and chose among; None without bins."""
    bin_error: Annotated[float | None, HIDDEN] = None
    """How much better than at the starts of the bins the measure could be inside one, at most (for a measure
    that only rises or only falls with the positives found, and so with the false alarms)."""
    repeated: Annotated[ChoiceRepeated | None, HIDDEN] = field(default=None, repr=False, compare=False)
    """The choice on each bootstrap sample."""

    def applied_to(
        self, scores: ScoreCounts, *, level: float = 0.95, seed: int = 0, design: Design = "sample"
    ) -> AppliedThreshold:
        """What is the measure at this threshold on other rows?"""
        held_out = scores.positive_class(None if scores.positive else self.positive).label
        if meant([self.positive], [held_out]) == [None]:
            raise InputError(
                "the held-out scores are of another class",
                found=f"scores of {scores.positive_class().label!r}",
                allowed=f"scores of {self.positive!r}, on which the threshold was chosen",
            )
        matrix = matrix_at(scores, self.threshold, self.positive)
        value = self.measure(matrix, positive=self.positive)
        why = self.measure.why_undefined(matrix, positive=self.positive) if np.isnan(value) else None
        ends = None
        if why is None and not scores.is_weighted:
            how: dict[str, Any] = {"level": level, "seed": seed, "design": design}
            there = interval(matrix, self.measure, positive=self.positive, **how)[self.measure.name]
            ends = (there.low, there.high)
        return AppliedThreshold(self, matrix, float(value), why, ends)

    better = derived(Literal["higher", "lower", "neither"], lambda self: self.measure.better)

    @property
    @in_json("interval")
    def interval_in_json(self) -> ThresholdInterval | None:
        if self.threshold_interval is None or self.value_interval is None:
            return None
        return ThresholdInterval(
            self.level,
            self.threshold_interval,
            self.value_interval,
            self.replicates,
            self.optimism,
            self.design,
            None if self.design is None else WHAT_A_DESIGN_MEANS[self.design],
            self.bins,
            self.bin_error,
        )


@dataclass(frozen=True)
class AppliedThreshold(Record):
    """A threshold chosen on some rows and judged on others."""

    chosen: Annotated[BestThreshold, HIDDEN]
    matrix: Matrix
    value: Value
    why_undefined: Annotated[str | None, Json("undefined_because")]
    interval: Annotated[tuple[float, float] | None, HIDDEN] = None
    """Of the value; None where rows have weights or costs of their own."""

    low = derived(Value | None, lambda self: None if self.interval is None else self.interval[0])
    high = derived(Value | None, lambda self: None if self.interval is None else self.interval[1])


def best_threshold(
    scores: ScoreCounts,
    maximise: Measure | str,
    positive: Label | None = None,
    *,
    priors: Any = None,
    relevance: Any = None,
    replicates: int = 200,
    level: float = 0.95,
    seed: int = 0,
    design: Design = "sample",
) -> BestThreshold:
    """Which threshold makes this measure best: on these rows, at the user's priors, weighted by relevance?

    A lower-is-better measure is minimised. Among equally good thresholds the highest is taken, so that no
    example is predicted positive without need. The intervals come from `replicates` bootstrap samples of the
    tie table (0: none): of the threshold, and of its value on new rows, which is not as good as the one
    seen; with other class sizes (design "sample") or the same ones ("fixed"). Weighted counts cannot be
    resampled and get none. More than 20,000 distinct scores are drawn in some thousands of bins, whatever the
    number of rows; the result says how many and what that may cost.

    >>> import steelyard as sy
    >>> sc = sy.ScoreCounts.from_scores([0, 0, 1, 1], [0.1, 0.4, 0.35, 0.8])
    >>> best = sy.best_threshold(sc, "gmean")
    >>> best.threshold, round(best.value, 3)
    (0.8, 0.707)
    """
    refuse_uncounted(scores, "thresholds are found on counted scores")
    two = scores.positive_first(positive)
    chosen = look_up(maximise)
    if relevance is not None:
        chosen = chosen.weighted_by(relevance)
    if (at := priors_of_two(priors, *two.labels)) is not None:
        chosen = chosen.at_priors(at)
    if chosen.kind == "scores":
        raise InputError(
            f"{chosen.name} has no threshold",
            found="a metric of scores",
            allowed="metrics of a confusion matrix, such as gmean",
        )
    if chosen.better == "neither":
        raise InputError(
            f"{chosen.name} cannot be maximised: neither end is better", do="choose another metric"
        )
    check_level(level)
    check_listed("design", design, get_args(Design))
    if not isinstance(replicates, Integral) or replicates < 0:
        raise InputError(
            "the number of replicates cannot be used",
            found=repr(replicates),
            allowed="a whole number, 0 or more",
        )
    sign = -1.0 if chosen.better == "lower" else 1.0
    pair = two.ranked()
    many = not few_enough(pair, MOST_SCORES - 1)
    # Whole numbers may be equal as thresholds, which the sweep of all refuses.
    pruned = many and chosen.monotone and scores.starts is None and pair.negatives.scores.dtype.kind == "f"
    pruned &= 0 < len(pair.positives.scores) < len(pair.negatives.scores)
    swept = sweep(two, at=decisive_scores(pair) if pruned else None)
    values = swept.values(chosen)
    if np.isnan(values).all():
        why = chosen.why_undefined(swept.at(-1), positive=swept.positive)
        raise InputError(
            f"{chosen.name} is undefined at every threshold",
            found=str(why),
            do="choose another metric or more data",
        )
    best = first_best(sign * values)
    result = chosen_at(swept, best, float(values[best]), chosen)
    if pruned:
        sides = (pair.positives.scores, pair.negatives.scores)
        lower = np.concatenate([side[: np.searchsorted(side, result.threshold)][-1:] for side in sides])
        result = replace(result, next_lower=float(lower.max()) if len(lower) else None)
    if scores.starts is not None:
        error = error_of_bins(swept, np.arange(len(swept.thresholds)), chosen, sign, two)
        result = replace(result, bins=len(scores.starts) - 1, bin_error=error)
    if not replicates or scores.is_weighted:
        return result
    sizes_fixed = design_in_use(design) == "fixed"
    offered = offered_by_bins(swept, pair) if many else None
    places, samples = resampled(swept, offered, chosen, sign, replicates, seed, sizes_fixed)
    if not len(places) or np.isnan(values[places]).all():
        return result
    if offered is not None:
        error = error_of_bins(swept, offered, chosen, sign, two)
        result = replace(result, bins=len(offered) - 1, bin_error=error)
    repeated = ChoiceRepeated(Confusion(samples, swept.labels), swept.at(places))
    drawing: dict[str, Any] = {"level": level, "design": design, "seed": seed}
    there = interval(result.matrix, chosen, positive=swept.positive, **drawing)[chosen.name]
    on_new_rows = repeated.on_new_rows(there, chosen, swept.positive)
    return replace(
        result,
        threshold_interval=interval_of_places(swept, places, offered, level),
        value_interval=(on_new_rows.low, on_new_rows.high),
        level=level,
        optimism=sign * repeated.optimism(chosen, swept.positive),
        replicates=len(places),
        design=design_in_use(design),
        repeated=repeated,
    )


# -- the choice repeated on bootstrap samples


def resampled(
    swept: ThresholdSweep,
    offered: Array | None,
    measure: Measure,
    sign: float,
    replicates: int,
    seed: int,
    sizes_fixed: bool,
) -> tuple[Array, Array]:
    """The place of the best threshold in each bootstrap sample of the rows, and the sample's matrix there."""
    # Of many scores samples choose among the thresholds that begin a bin (`offered`).
    steps = np.diff(swept.reached if offered is None else swept.reached[offered], axis=0, prepend=0)
    samples = samples_of(steps, swept.totals, replicates, generator_of(seed), sizes_fixed)
    places, matrices = [], []
    while several := list(islice(samples, max(1, _CELLS_AT_ONCE // len(steps)))):
        reached = np.cumsum([drawn for drawn, _ in several], axis=1)
        sizes = np.array([size for _, size in several])[:, None]
        cells = np.stack([reached, sizes - reached], axis=-1)
        again = np.asarray(measure(Confusion(cells, swept.labels, copy=False), positive=swept.positive))
        for values, matrix in zip(sign * again, cells, strict=True):
            # A sample of few rows may leave the measure undefined at every threshold.
            if not np.isnan(values).all():
                best = first_best(values)
                places.append(best if offered is None else offered[best])
                matrices.append(matrix[best])
    return np.array(places, dtype=np.intp), np.array(matrices)


def samples_of(
    steps: Array, totals: Array, replicates: int, rng: np.random.Generator, sizes_fixed: bool
) -> Iterator[tuple[Array, Array]]:
    """Bootstrap samples in turn: examples of both sides at each place (T, 2), and their sizes."""
    for _ in range(replicates):
        sizes = totals if sizes_fixed else rng.multinomial(int(totals.sum()), totals / totals.sum())
        yield np.stack([resample(steps[:, k], rng, int(sizes[k])) for k in (0, 1)], axis=1), sizes


def decisive_scores(pair: TwoSides) -> Array:
    """The scores at which a monotone measure can be best, and those at and beside the starts of bins."""
    # At a score of negatives alone there are more false alarms than at the score above it, and no more hits:
    # it is never better. It can be the first with a value: where a ratio needs a false alarm.
    starts = quantile_starts(pair, PARTS)
    near = [starts, pair.negatives.scores[-1:]]
    for side in (pair.positives.scores, pair.negatives.scores):
        near += [side.take(np.searchsorted(side, starts) - 1, mode="clip")]
        near += [side.take(np.searchsorted(side, starts, side="right"), mode="clip")]
    return np.unique(np.concatenate([pair.positives.scores, *near]))


def offered_by_bins(swept: ThresholdSweep, pair: TwoSides) -> Array:
    """The places of the thresholds that begin a bin, and of the one that calls nothing."""
    starts = quantile_starts(pair, PARTS)
    rising = swept.thresholds[::-1]
    places = len(rising) - 1 - np.searchsorted(rising, starts.astype(np.float64))
    return np.unique(np.concatenate([[0], places]))


def error_of_bins(
    swept: ThresholdSweep, offered: Array, measure: Measure, sign: float, two: ScoreCounts
) -> float:
    """How much better could the measure be at a threshold inside a bin than at the starts of all bins?"""
    # Inside a bin no more is found, and no more is falsely called, than at its start, and no less than at the
    # start of the bin above; a measure that rises or falls with each is greatest at one of the four corners.
    reached = swept.reached[offered]
    inside = (np.diff(offered) > 1) | two.holds_several(swept.thresholds[offered[1:]])
    above, here = reached[:-1][inside], reached[1:][inside]
    corners = [np.stack([above[:, 0], here[:, 1]], axis=1), np.stack([here[:, 0], above[:, 1]], axis=1)]
    cells = np.concatenate([reached, *corners])
    matrices = Confusion(np.stack([cells, swept.totals - cells], axis=-1), swept.labels, copy=False)
    values = sign * np.asarray(measure(matrices, positive=swept.positive))
    return float(max(0.0, np.nanmax(values) - np.nanmax(values[: len(reached)])))


def interval_of_places(
    swept: ThresholdSweep, places: Array, offered: Array | None, level: float
) -> tuple[float, float]:
    """The interval of a threshold from its places in samples."""
    # Percentiles of places, not of thresholds: a threshold may be infinite, and only those that occur can be
    # chosen.
    tail = (1 - level) / 2
    low, high = np.quantile(places, [1 - tail, tail], method="nearest")
    if offered is not None:
        # That a start of a bin is the best of all starts says that the best threshold lies in its own bin or
        # in the one below.
        below, above = np.searchsorted(offered, [low, high])
        last = int(offered[min(below + 1, len(offered) - 1)])
        low, high = max(low, last - 1), min(high, int(offered[max(above - 1, 0)]) + 1)
    return float(swept.thresholds[low]), float(swept.thresholds[high])


def chosen_at(swept: ThresholdSweep, place: int, value: float, measure: Measure) -> BestThreshold:
    """The threshold at a place of the sweep as the one that was chosen."""
    lower = float(swept.thresholds[place + 1]) if place + 1 < len(swept.thresholds) else None
    at = float(swept.thresholds[place])
    return BestThreshold(at, value, measure, swept.at(place), lower, swept.positive)


def first_best(values: Array) -> int:
    """The first place of the greatest defined value; differences of rounding do not count."""
    greatest = np.nanmax(values)
    return int(np.argmax(values >= greatest - 1e-12 * max(1.0, abs(float(greatest)))))
