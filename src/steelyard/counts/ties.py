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

    @classmethod
    def of(cls, scores: Array, weights: Array | None = None) -> Ties:
        """Sort scores and gather equal ones; examples of weight 0 are no examples."""
        if weights is None:
            ordered = np.sort(scores)
            first = _starts(ordered)
            if first is None:
                return cls(ordered)
            return cls(ordered[first], np.diff(first, append=len(ordered)))
        kept = weights > 0
        if not kept.all():
            scores, weights = scores[kept], weights[kept]
        order = np.argsort(scores, kind="stable")
        ordered, weights = scores[order], weights[order]
        first = _starts(ordered)
        return (
            cls(ordered, weights) if first is None else cls(ordered[first], np.add.reduceat(weights, first))
        )

    @cached_property
    def counts(self) -> Array:
        return np.ones(len(self.scores), dtype=np.int64) if self.given_counts is None else self.given_counts

    @cached_property
    def total(self) -> int | float:
        """All examples (an integer) or their weight (a float)."""
        if self.given_counts is None:
            return len(self.scores)
        total: int | float = self.given_counts.sum().item()
        return total

    @cached_property
    def from_top(self) -> Array:
        """from_top[k]: examples at score k and above; one longer than the scores.

        Added up from the top, where a few weighted examples must not drown in the rounding of all those
        below.
        """
        return np.concatenate([np.cumsum(self.counts[::-1])[::-1], np.zeros(1, dtype=self.counts.dtype)])

    @cached_property
    def from_bottom(self) -> Array:
        """from_bottom[k]: examples below score k; one longer than the scores.

        Added up, not taken from the total: the difference of two sums of weights leaves dust where nothing is
        left.
        """
        return np.concatenate([np.zeros(1, dtype=self.counts.dtype), np.cumsum(self.counts)])

    def cut(self, values: Array) -> tuple[Array, Array]:
        """How many examples stand at or above, and how many below, each of these (ascending) values?"""
        if not len(self.scores):
            nothing = np.zeros(len(values), dtype=np.int64)
            return nothing, nothing
        place = _places(self.scores, values)
        if self.given_counts is None:
            return len(self.scores) - place, place
        return self.from_top[place], self.from_bottom[place]

    @property
    def is_weighted(self) -> bool:
        return self.given_counts is not None and self.given_counts.dtype.kind == "f"

    def reaching(self, values: Array) -> tuple[Array, Array]:
        """How many examples stand at or above, and how many exactly at, each of these (ascending) values?"""
        if not len(self.scores):
            nothing = np.zeros(len(values), dtype=np.int64)
            return nothing, nothing
        place = _places(self.scores, values)
        here = self.scores[np.minimum(place, len(self.scores) - 1)] == values
        if self.given_counts is None:
            return len(self.scores) - place, here
        return self.from_top[place], np.where(here, self.counts[np.minimum(place, len(self.scores) - 1)], 0)

    def scaled(self, factor: float) -> Ties:
        """The same scores with every count multiplied."""
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
    if all(part.given_counts is None for part in filled):
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

    def weighed_alike(self) -> TwoSides:
        """Both sides in units of about their own weight: for what depends on neither side's weight, and would
        overflow."""
        return TwoSides(*(_in_own_unit(side) for side in (self.positives, self.negatives)))


def _in_own_unit(ties: Ties) -> Ties:
    """Huge or tiny weights brought near 1 by a power of two, which changes no digit."""
    if not ties.is_weighted or not len(ties.scores):
        return ties
    exponent = int(np.frexp(ties.counts.max())[1])
    return ties if abs(exponent) < 200 else Ties(ties.scores, np.ldexp(ties.counts, -exponent))


def _starts(ordered: Array) -> Array | None:
    """Where each run of equal scores begins, or None where no two are equal."""
    differs = ordered[1:] != ordered[:-1]
    if differs.all():
        return None
    return np.asarray(np.concatenate([np.zeros(1, dtype=np.intp), np.flatnonzero(differs) + 1]))


def _places(among: Array, values: Array) -> Array:
    """np.searchsorted(among, values) for ascending values, searched from the side that has fewer."""
    if len(values) <= 8 * len(among):
        return np.searchsorted(among, values)
    # place[k] = how many of `among` are below values[k] = how many of them find their place at or before k
    after = np.searchsorted(values, among, side="right")
    return np.cumsum(np.bincount(after, minlength=len(values) + 1))[: len(values)]
