"""Cluster bootstrap: intervals where rows are not independent, from groups of rows drawn with replacement."""
# Several rows of one patient, user, document or day stand or fall together, and so do rows of a series that
# follow each other, so groups of rows are resampled, not rows. With few groups such a bootstrap is too
# narrow: a model that errs in three groups of twenty errs in few of every sample. So one model's interval is
# Wilson's, of as many examples as a rate would need for the spread of the samples and no more than there are
# groups with the rarest class, with Student's quantile for n groups, n being how many equally large groups
# the rarest class is worth. The ends of a difference between models are stretched by sqrt(n / (n - 1)) t / z.

from __future__ import annotations

import math
import warnings
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np

from steelyard.counts.confusion import Confusion
from steelyard.counts.joint import JointCounts
from steelyard.counts.labels import Array, Label
from steelyard.measures.measure import Measure, weigh
from steelyard.uncertainty.binomial_intervals import stretch_of_few, wilson_by_spread
from steelyard.uncertainty.intervals import Interval, left_out
from steelyard.uncertainty.resampling import Simulation, stream_of

_CELLS_AT_ONCE = 1 << 20
# Groups are drawn one by one, which costs more than drawing counts.
MOST_DRAWS = 2_000
# Blocks of a series that are left when they are made longer: fewer say too little of their own spread.
FEWEST_BLOCKS = 10


@dataclass(frozen=True, eq=False)
class Units:
    """The units that are resampled: groups of rows."""

    labels: tuple[Label, ...]
    # Shape (U, C, C): what each unit adds to the confusion matrix, blocks in their order.
    matrices: Array
    # "groups", or "blocks" of rows that follow each other.
    what: str

    @classmethod
    def of_groups(cls, matrices: Sequence[Confusion], what: str = "groups") -> Units:
        """Each matrix is a group of its own."""
        return cls(matrices[0].labels, np.stack([m.counts for m in matrices]).astype(np.float64), what)

    def drawn(self, draws: int, random: np.random.Generator) -> Array:
        """Matrices (draws, C, C) of as many units as there are, drawn with replacement."""
        units = len(self.matrices)
        flat = self.matrices.reshape(units, -1)
        # What is drawn must not depend on how the units are called, or in which order they come.
        flat = flat[np.lexsort(flat.T)]
        drawn = [times @ flat for _, times in _times_drawn(units, draws, random, units)]
        return np.concatenate(drawn).reshape(draws, len(self.labels), len(self.labels))

    def effective(self) -> float:
        """How many equal units the rarest class is worth: the fewest over classes."""
        actual = self.matrices.sum(axis=2)
        total, squares = actual.sum(axis=0), (actual**2).sum(axis=0)
        return float(min(t * t / s for t, s in zip(total, squares, strict=True) if s > 0))

    def fewest(self) -> int:
        """In how many units the rarest class occurs: the fewest over classes."""
        units_with_class = (self.matrices.sum(axis=2) > 0).sum(axis=0)
        return int(units_with_class[units_with_class > 0].min())

    def joined(self, number: int) -> Units:
        """Units of so many of these that follow each other."""
        starts = np.arange(0, len(self.matrices), number)
        return replace(self, matrices=np.add.reduceat(self.matrices, starts, axis=0))

    def neighbour_correlation(self) -> float:
        """Correlation of hits between units that follow each other."""
        # Of the hits beyond those that the recalls of all rows would give: classes that come in runs are no
        # dependence of the errors.
        actual, hits = self.matrices.sum(axis=2), np.diagonal(self.matrices, axis1=1, axis2=2)
        recalls = hits.sum(axis=0) / np.maximum(actual.sum(axis=0), 1)
        excess = (hits - actual * recalls).sum(axis=1)
        squares = float(excess @ excess)
        return float(excess[:-1] @ excess[1:]) / squares if squares > 0 else 0.0

    def correlated(self) -> bool:
        """Are units that follow each other significantly correlated?"""
        # Independent ones have a standard error of 1 / sqrt(U) (Bartlett 1946).
        return self.neighbour_correlation() > 2 / math.sqrt(len(self.matrices))

    def long_enough(self) -> Units:
        """Blocks joined until neighbours are not significantly correlated, and once more."""
        # What is not significant may remain. At least FEWEST_BLOCKS are left.
        blocks = self
        while blocks.correlated() and len(blocks.matrices) >= 2 * FEWEST_BLOCKS:
            blocks = blocks.joined(2)
        once_more = blocks is not self and len(blocks.matrices) >= 2 * FEWEST_BLOCKS
        return blocks.joined(2) if once_more else blocks


def _times_drawn(
    units: int, draws: int, random: np.random.Generator, numbers: int
) -> Iterator[tuple[slice, Array]]:
    """How often each unit is drawn (some draws, units), in blocks; a draw takes so many numbers."""
    step = max(1, _CELLS_AT_ONCE // numbers)
    for start in range(0, draws, step):
        some = slice(start, min(start + step, draws))
        yield some, random.multinomial(units, np.full(units, 1 / units), size=some.stop - start)


def unit_intervals(units: Units, measures: Sequence[Measure], how: Simulation) -> dict[str, Interval]:
    """The interval of each measure from resampled units."""
    whole = Confusion(units.matrices.sum(axis=0), units.labels)
    estimates = weigh(measures, whole, positive=how.positive, undefined=how.undefined)
    drawn = how.values(measures, Confusion(units.drawn(how.draws, stream_of(how.seed, 0, 3)), units.labels))
    return {m.name: _interval(m, float(estimates[m.name]), drawn[m.name], units, how.level) for m in measures}


def drawn_in_groups(joint: JointCounts, measures: Sequence[Measure], how: Simulation) -> dict[str, Array]:
    """The values (M, draws) of several models when the groups of their rows are resampled together."""
    # Groups are given by `joint.folds`. Values are less their bias, and stretched as the ends of an interval
    # are.
    by_group = _by_group(joint)
    number = Units(joint.labels, by_group[0], "groups").effective()
    stretch = 1.0 if number < 2 else stretch_of_few(number, 0.95)
    groups, models = by_group.shape[1], len(joint.models)
    by_measure = {m.name: np.empty((models, how.draws)) for m in measures}
    numbers = max(groups, models * joint.n_classes**2)
    for some, times in _times_drawn(groups, how.draws, stream_of(how.seed, 0, 3), numbers):
        sets = Confusion(np.tensordot(times, by_group, axes=(1, 1)).swapaxes(0, 1), joint.labels)
        for name, of_sets in how.values(measures, sets).items():
            by_measure[name][:, some] = of_sets
    whole = Confusion(by_group.sum(axis=1), joint.labels)
    seen = weigh(measures, whole, positive=how.positive, undefined=how.undefined)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", RuntimeWarning)  # a model whose measure is undefined in every draw
        means = {name: np.nanmean(values, axis=1, keepdims=True) for name, values in by_measure.items()}
    return {
        name: 2 * np.asarray(seen[name])[:, None] - means[name] + stretch * (values - means[name])
        for name, values in by_measure.items()
    }


def intervals_of_one(
    joint: JointCounts, place: int, measures: Sequence[Measure], how: Simulation
) -> dict[str, Interval]:
    """The intervals of one of several models, as `unit_intervals` finds them of it alone."""
    return unit_intervals(Units(joint.labels, _by_group(joint.only([place]))[0], "groups"), measures, how)


def _by_group(joint: JointCounts) -> Array:
    """Confusion matrices (M, groups, C, C), groups in an order that does not depend on their names."""
    matrices = joint.by_fold().astype(np.float64)
    order = np.lexsort(np.concatenate(matrices.reshape(*matrices.shape[:2], -1), axis=1).T)
    return np.asarray(matrices[:, order])


def _interval(measure: Measure, estimate: float, drawn: Array, units: Units, level: float) -> Interval:
    values = drawn[~np.isnan(drawn)]
    undefined = len(drawn) - len(values)
    low = high = math.nan
    if math.isnan(estimate) or not len(values):
        notes = ["undefined" if math.isnan(estimate) else "undefined in every draw"]
    else:
        spread, bias, number = float(values.std()), float(values.mean()) - estimate, units.effective()
        bounds = measure.range.at(2 if measure.kind == "two-class" else len(units.labels))
        few, degrees = units.fewest(), max(number - 1, 1.0)
        actual = units.matrices.sum(axis=(0, 2))
        # A group is many rows: one error among groups squared would be as much as all that ten groups show
        # (98 to 100% coverage). Blocks of a series stay correlated with their neighbours: 90 to 92% without.
        pairs = few * float(actual[actual > 0].min()) if units.what == "groups" else None
        low, high = wilson_by_spread(estimate, spread, bias, few, level, bounds, degrees, pairs=pairs)
        notes = left_out(undefined, len(drawn))
        if not np.ptp(values) > 0:
            notes.insert(0, f"it did not move in any draw of {units.what}")
        if number < 20:
            rough = f"the rarest class is worth {number:.3g} {units.what} only, so the interval is rough"
            notes.insert(0, rough)
    how = f"bootstrap of {units.what}", "sample", len(drawn), undefined, "; ".join(notes)
    return Interval(measure.name, estimate, float(low), float(high), level, *how)
