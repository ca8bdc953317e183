"""How many examples stand at each distinct score?

Everything a ranking measure needs of one class: its distinct scores in ascending order and how many examples
(or how much weight) stand at each. Sorting the classes apart and searching one in the other is what makes
exact AUC cost hardly more than one sort.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

Array = NDArray[Any]


@dataclass(frozen=True, eq=False)
class Ties:
    """The distinct scores of one class, ascending, and the examples at each."""

    scores: Array
    given_counts: Array | None = None
    """Examples or weight at each score; None where every score occurs once, which saves an array as long as
    the data."""
    unit: float | None = None
    """What one example weighs, where every score occurs once and all weigh the same; None where they are
    counted. Multiplying rounds once, where adding up rounds as often as there are examples."""

    @classmethod
    def of(cls, scores: Array, weights: Array | None = None) -> Ties:
        """Sort scores and gather equal ones; examples of weight 0 are no examples."""
        if weights is None:
            return cls.of_sorted(np.sort(scores))
        kept = weights > 0
        if not kept.all():
            scores, weights = scores[kept], weights[kept]
        order = np.argsort(scores, kind="stable")
        ordered, weights = scores[order], weights[order]
        first = _starts(ordered)
        return (
            cls(ordered, weights) if first is None else cls(ordered[first], np.add.reduceat(weights, first))
        )

    @classmethod
    def of_sorted(cls, ordered: Array) -> Ties:
        """Gather equal ones of scores that ascend."""
        first = _starts(ordered)
        if first is None:
            return cls(ordered)
        return cls(ordered[first], np.diff(first, append=len(ordered)))

    @cached_property
    def counts(self) -> Array:
        if self.given_counts is not None:
            return self.given_counts
        if self.unit is not None:
            return np.full(len(self.scores), self.unit)
        return np.ones(len(self.scores), dtype=np.int64)

    @cached_property
    def total(self) -> int | float:
        """All examples (an integer) or their weight (a float)."""
        if self.given_counts is None:
            return len(self.scores) if self.unit is None else len(self.scores) * self.unit
        total: int | float = self.given_counts.sum().item()
        return total

    @cached_property
    def from_top(self) -> Array:
        """from_top[k]: examples at score k and above; one longer than the scores.

        Added up from the top, where a few weighted examples must not drown in the rounding of all those
        below.
        """
        if self.given_counts is None:
            return self._weighed(np.arange(len(self.scores), -1, -1))
        return np.concatenate([np.cumsum(self.counts[::-1])[::-1], np.zeros(1, dtype=self.counts.dtype)])

    @cached_property
    def from_bottom(self) -> Array:
        """from_bottom[k]: examples below score k; one longer than the scores.

        Added up, not taken from the total: the difference of two sums of weights leaves dust where nothing is
        left.
        """
        if self.given_counts is None:
            return self._weighed(np.arange(len(self.scores) + 1))
        return np.concatenate([np.zeros(1, dtype=self.counts.dtype), np.cumsum(self.counts)])

    def _weighed(self, examples: Array) -> Array:
        """The weight of so many examples, where all weigh the same."""
        return examples if self.unit is None else examples * self.unit

    def cut(self, values: Array) -> tuple[Array, Array]:
        """How many examples stand at or above, and how many below, each of these (ascending) values?"""
        if not len(self.scores):
            nothing = np.zeros(len(values), dtype=np.int64)
            return nothing, nothing
        place = _places(self.scores, values)
        if self.given_counts is None:
            return self._weighed(len(self.scores) - place), self._weighed(place)
        return self.from_top[place], self.from_bottom[place]

    @property
    def is_weighted(self) -> bool:
        return self.unit is not None or (
            self.given_counts is not None and self.given_counts.dtype.kind == "f"
        )

    def reaching(self, values: Array) -> tuple[Array, Array]:
        """How many examples stand at or above, and how many exactly at, each of these (ascending) values?"""
        if not len(self.scores):
            nothing = np.zeros(len(values), dtype=np.int64)
            return nothing, nothing
        place = _places(self.scores, values)
        here = self.scores[np.minimum(place, len(self.scores) - 1)] == values
        if self.given_counts is None:
            return self._weighed(len(self.scores) - place), self._weighed(here)
        return self.from_top[place], np.where(here, self.counts[np.minimum(place, len(self.scores) - 1)], 0)

    def from_place(self, place: Array) -> Array:
        """The examples at these places of the scores and above."""
        if self.given_counts is None:
            return self._weighed(len(self.scores) - place)
        return self.from_top[place]

    def scaled(self, factor: float) -> Ties:
        """The same scores with every count multiplied."""
        if self.given_counts is None:
            return Ties(self.scores, None, (1.0 if self.unit is None else self.unit) * float(factor))
        return Ties(self.scores, self.counts * float(factor))

    def __eq__(self, other: object) -> bool:
        return (
            isinstance(other, Ties)
            and np.array_equal(self.scores, other.scores)
            and np.array_equal(self.counts, other.counts)
        )

    __hash__ = None  # type: ignore[assignment]


def merged(parts: Sequence[Ties]) -> Ties:
    """The ties of several sets of examples together."""
    filled = [part for part in parts if len(part.scores)]
    if len(filled) <= 1:
        return filled[0] if filled else parts[0]
    scores = np.concatenate([part.scores for part in filled])
    if all(part.given_counts is None and part.unit is None for part in filled):
        return Ties.of(scores)
    order = np.argsort(scores, kind="stable")  # the parts are sorted runs, which a stable sort only merges
    ordered, counts = scores[order], np.concatenate([part.counts for part in filled])[order]
    first = _starts(ordered)
    return Ties(ordered, counts) if first is None else Ties(ordered[first], np.add.reduceat(counts, first))


@dataclass(frozen=True, eq=False)
class TwoSides:
    """The scores of the positive examples beside those of the negative ones: all that a two-class ranking
    measure sees."""

    positives: Ties
    negatives: Ties

    @cached_property
    def negatives_reaching(self) -> tuple[Array, Array]:
        """At each distinct score of a positive: the negatives at or above it, and those tied with it."""
        return self.negatives.reaching(self.positives.scores)

    @cached_property
    def negatives_below(self) -> Array:
        """At each distinct score of a positive: the negatives below it."""
        reaching, _ = self.negatives_reaching
        if not self.negatives.is_weighted:
            return np.asarray(self.negatives.total - reaching)
        return self.negatives.cut(self.positives.scores)[1]

    @cached_property
    def thresholds(self) -> Array:
        """Every distinct score, descending."""
        both = np.concatenate([self.positives.scores, self.negatives.scores])
        both.sort(kind="stable")
        first = _starts(both)
        return np.asarray(both[::-1] if first is None else both[first][::-1])

    @cached_property
    def cumulative(self) -> tuple[Array, Array]:
        """At each threshold: positives and negatives whose score is at least that (tp and fp)."""
        return self.cells[0], self.cells[2]

    @cached_property
    def cells(self) -> tuple[Array, Array, Array, Array]:
        """At each threshold: tp, fn, fp and tn."""
        rising = self.thresholds[::-1]
        (tp, fn), (fp, tn) = (
            (above[::-1], below[::-1])
            for above, below in (ties.cut(rising) for ties in (self.positives, self.negatives))
        )
        return tp, fn, fp, tn

    @cached_property
    def corners(self) -> tuple[Array, Array, Array]:
        """Thresholds, descending, with tp and fp at each: those between which the ROC curve may bend.

        Between two neighbouring scores of one class nothing but scores of the other lies, and the curve runs
        straight; so the class with fewer distinct scores says where all bends are: at each of them and just
        above.
        """
        few_positives = len(self.positives.scores) <= len(self.negatives.scores)
        fewer, other = self.positives, self.negatives
        if not few_positives:
            fewer, other = other, fewer
        at = fewer.scores
        place = _places(other.scores, at)
        here = other.scores[np.minimum(place, len(other.scores) - 1)] == at
        size = 2 * len(at)
        thresholds = np.empty(size)
        thresholds[::2], thresholds[1::2] = at, _nearest(at[1:], other.scores, place + here)
        mine, others = np.empty(size, fewer.from_top.dtype), np.empty(size, other.from_place(place[:0]).dtype)
        mine[::2], mine[1::2] = fewer.from_top[:-1], fewer.from_top[1:]
        others[::2], others[1::2] = other.from_place(place), other.from_place(place + here)
        tp, fp = (mine, others) if few_positives else (others, mine)
        return thresholds[::-1], tp[::-1], fp[::-1]

    def weighed_alike(self) -> TwoSides:
        """Both sides in units of about their own weight: for what depends on neither side's weight, and would
        overflow."""
        return TwoSides(*(_in_own_unit(side) for side in (self.positives, self.negatives)))


def _in_own_unit(ties: Ties) -> Ties:
    """Huge or tiny weights brought near 1 by a power of two, which changes no digit."""
    if not ties.is_weighted or not len(ties.scores):
        return ties
    exponent = int(np.frexp(ties.counts.max() if ties.unit is None else ties.unit)[1])
    if abs(exponent) < 200:
        return ties
    if ties.unit is not None:
        return Ties(ties.scores, None, float(np.ldexp(ties.unit, -exponent)))
    return Ties(ties.scores, np.ldexp(ties.counts, -exponent))


def _starts(ordered: Array) -> Array | None:
    """Where each run of equal scores begins, or None where no two are equal."""
    differs = ordered[1:] != ordered[:-1]
    if differs.all():
        return None
    return np.asarray(np.concatenate([np.zeros(1, dtype=np.intp), np.flatnonzero(differs) + 1]))


def _nearest(own: Array, other: Array, place: Array) -> Array:
    """The next higher score after each of a side's: among its own, and at these places of the other's."""
    nearest = np.append(own.astype(np.float64), np.inf)
    reached = place < len(other)
    nearest[reached] = np.minimum(nearest[reached], other[place[reached]])
    return nearest


def _places(among: Array, values: Array) -> Array:
    """np.searchsorted(among, values) for ascending values, searched from the side that has fewer."""
    if len(values) <= 8 * len(among):
        return np.searchsorted(among, values)
    # place[k] = how many of `among` are below values[k] = how many of them find their place at or before k
    after = np.searchsorted(values, among, side="right")
    return np.cumsum(np.bincount(after, minlength=len(values) + 1))[: len(values)]
