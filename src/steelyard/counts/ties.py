"""Tied scores: examples of each class at each distinct score, in ascending order."""

# Everything a ranking measure needs of one class: its distinct scores in ascending order and how many
# examples (or how much weight) stand at each. Sorting the classes apart and searching one in the other is
# what makes exact AUC cost hardly more than one sort.

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from typing import Any

import numpy as np

from steelyard.counts.labels import Array

# Scores that are moved at once.
_PIECE = 1 << 20
# Scores that are searched for at once.
_SEARCHED = 1 << 12


@dataclass(frozen=True, eq=False)
class Ties:
    """The distinct scores of one class, ascending, and the examples at each."""

    scores: Array
    #: Examples or weight at each score; None where every score occurs once, which saves an array as long as
    #: the data.
    given_counts: Array | None = None
    #: What one example weighs, where all of a class weigh the same; None where they are counted. Multiplying
    #: rounds once, where adding up rounds as often as there are examples.
    unit: float | None = None

    @classmethod
    def of(cls, scores: Array, weights: Array | None = None) -> Ties:
        """Sort scores and gather equal ones; examples of weight 0 are no examples."""
        if weights is None:
            return cls.of_sorted(np.sort(scores))
        positive = weights > 0
        if not positive.all():
            scores, weights = scores[positive], weights[positive]
        order = np.argsort(scores, kind="stable")
        # One after the other: each is as long as the data.
        scores = scores[order]
        weights = weights[order]
        del order
        differs = scores[1:] != scores[:-1]
        if not differs.all():
            first = np.append(0, np.flatnonzero(differs) + 1)
            scores, weights = scores[first], np.add.reduceat(weights, first)
        return cls(scores, weights)

    @classmethod
    def of_sorted(cls, ordered: Array) -> Ties:
        """Gather equal ones of scores that ascend; the array is used up, so that no second one is needed."""
        if len(ordered) < 2:
            return cls(ordered)
        begins = np.empty(len(ordered), dtype=bool)
        begins[0] = True
        np.not_equal(ordered[1:], ordered[:-1], out=begins[1:])
        # Examples that repeat the score before them.
        again = np.flatnonzero(~begins)
        if not len(again):
            return cls(ordered)
        # Where a repetition stands, less the repetitions before it, is its score's place among the distinct.
        # np.unique would sort a second time and make an index as long as the data; of ten million scores, of
        # which few repeat, only the repetitions are looked at here.
        counts = np.bincount(again - np.arange(1, len(again) + 1), minlength=len(ordered) - len(again))
        counts += 1
        total = 0
        # Moved piece by piece in place: a mask of the whole array would make a second one of the same size,
        # and memory is what bounds exact areas.
        for start in range(0, len(ordered), _PIECE):
            piece = ordered[start : start + _PIECE][begins[start : start + _PIECE]]
            ordered[total : total + len(piece)] = piece
            total += len(piece)
        return cls(ordered[:total] if total > len(ordered) // 2 else ordered[:total].copy(), counts)

    @cached_property
    def counts(self) -> Array:
        if self.given_counts is not None:
            return self._weighed(self.given_counts)
        return self._weighed(np.ones(len(self.scores), dtype=np.int64 if self.unit is None else np.float64))

    @cached_property
    def total(self) -> int | float:
        """All examples (an integer) or their weight (a float)."""
        return self._examples if self.unit is None else self._examples * self.unit

    @cached_property
    def _examples(self) -> int | float:
        if self.given_counts is None:
            return len(self.scores)
        total: int | float = self.given_counts.sum().item()
        return total

    @cached_property
    def from_top(self) -> Array:
        """from_top[k]: examples at score k and above; one longer than the scores."""
        # Weights are added up from the top, where a few weighted examples must not drown in the rounding of
        # all those below.
        if self._has_weights:
            counts = self.counts
            added = np.zeros(len(counts) + 1, dtype=counts.dtype)
            np.cumsum(counts[::-1], out=added[-2::-1])
            return added
        return self.from_place(np.arange(len(self.scores) + 1))

    @cached_property
    def _below(self) -> Array:
        # The examples below each score, counted; with weights of their own, weighed.
        assert self.given_counts is not None
        kind = np.float64 if self._has_weights else count_kind(self._examples)
        added = np.zeros(len(self.scores) + 1, dtype=kind)
        np.cumsum(self.given_counts, dtype=kind, out=added[1:])
        return added

    @property
    def _has_weights(self) -> bool:
        # Has every score a weight of its own?
        return self.given_counts is not None and self.given_counts.dtype.kind == "f"

    def _weighed(self, examples: Array) -> Array:
        return examples if self.unit is None else examples * self.unit

    def from_place(self, place: Array) -> Array:
        """The examples at these places of the scores and above."""
        if self._has_weights:
            return self.from_top[place]
        return self._weighed(np.asarray(self._examples - self._before(place)))

    def _before(self, place: Array) -> Array:
        # The examples below these places, counted.
        if self.given_counts is None:
            return place
        below = self._below[place]
        return below if self._has_weights else below.astype(np.int64, copy=False)

    def places_of(self, examples: Array) -> Array:
        """The place of the score at which more than so many examples are reached from below."""
        # Or so much weight; the last one where that never is.
        if self.given_counts is None:
            places = np.floor(examples if self.unit is None else examples / self.unit).astype(np.int64)
        elif self._has_weights:
            places = np.searchsorted(self._below[1:], examples, side="right")
        else:
            # Whole sums are searched for whole numbers of their kind, or all of them would be copied.
            whole = np.floor(examples if self.unit is None else examples / self.unit)
            places = np.searchsorted(self._below[1:], whole.astype(self._below.dtype), side="right")
        return np.minimum(places, len(self.scores) - 1)

    def cut(self, values: Array) -> tuple[Array, Array]:
        """How many examples stand at or above, and how many below, each of these (ascending) values?"""
        return self.cut_at(searched(self.scores, values))

    def cut_at(self, place: Array) -> tuple[Array, Array]:
        """How many examples stand at these places and above, and how many below?"""
        return self.from_place(place), self._weighed(self._before(place))

    def pieces(self) -> Iterator[Ties]:
        """The same scores a piece at a time: what is made of all of them at once needs room for all."""
        for start in range(0, len(self.scores), _PIECE):
            piece = slice(start, start + _PIECE)
            counts = None if self.given_counts is None else self.given_counts[piece]
            yield Ties(self.scores[piece], counts, self.unit)

    def added(self, places: Sequence[int]) -> tuple[Array, Array]:
        """The examples between one of these places and the next, and their scores added up."""
        pieces = [slice(*ends) for ends in pairwise(places)]
        counts, scores = np.diff(places).tolist(), [self.scores[piece] for piece in pieces]
        if self.given_counts is not None:
            counts = [self.given_counts[piece].sum() for piece in pieces]
            scores = [self.scores[piece] * self.given_counts[piece] for piece in pieces]
        sums = [each.sum() for each in scores]
        return self._weighed(np.array(counts, dtype=np.float64)), self._weighed(np.array(sums))

    @property
    def is_weighted(self) -> bool:
        return self.unit is not None or self._has_weights

    def places_among(self, values: Array) -> Array:
        """The places of these (ascending) values among the scores."""
        # They are remembered for the last ones: the scores of the other side are asked for by every
        # measure.
        last = self.remembered.get("places")
        if last is None or last[0] is not values:
            last = self.remembered["places"] = (values, searched(self.scores, values))
        places: Array = last[1]
        return places

    @cached_property
    def remembered(self) -> dict[str, tuple[Any, Any]]:
        """What was worked out beside other examples, with what these were; whatever an example weighs."""
        return {}

    def reaching(self, values: Array) -> tuple[Array, Array]:
        """How many examples stand at or above, and how many exactly at, each of these (ascending) values?"""
        if not len(self.scores):
            nothing = np.zeros(len(values), dtype=np.int64)
            return nothing, nothing
        place = self.places_among(values)
        here = self.scores.take(place, mode="clip") == values  # the last score stands for places beyond it
        at = here
        if self.given_counts is not None:
            at = np.where(here, self.given_counts.take(place, mode="clip"), 0)
        return self.from_place(place), self._weighed(at)

    def scaled(self, factor: float) -> Ties:
        """The same scores with every count multiplied."""
        if self._has_weights:
            return Ties(self.scores, self.counts * float(factor))
        return self._in_units_of((1.0 if self.unit is None else self.unit) * float(factor))

    @property
    def unscaled(self) -> Ties:
        """The same examples, counted."""
        return self if self.unit is None else self._in_units_of(None)

    def _in_units_of(self, unit: float | None) -> Ties:
        changed = Ties(self.scores, self.given_counts, unit)
        changed.__dict__["remembered"] = self.remembered
        # The same examples, counted once.
        if self.given_counts is not None:
            changed.__dict__["_below"] = self._below
        return changed

    def __eq__(self, other: object) -> bool:
        return (
            isinstance(other, Ties)
            and np.array_equal(self.scores, other.scores)
            and np.array_equal(self.counts, other.counts)
        )

    __hash__ = None  # type: ignore[assignment]


def merged(parts: Sequence[Ties]) -> Ties:
    """The ties of several sets of examples together."""
    filled = [ties for ties in parts if len(ties.scores)]
    if len(filled) <= 1:
        return filled[0] if filled else parts[0]
    scores = np.concatenate([ties.scores for ties in filled])
    if all(ties.given_counts is None and ties.unit is None for ties in filled):
        return Ties.of(scores)
    # The parts are sorted runs, which a stable sort only merges.
    return Ties.of(scores, np.concatenate([ties.counts for ties in filled]))


@dataclass(frozen=True, eq=False)
class TwoSides:
    """The scores of positive and negative examples: all that a two-class ranking measure sees."""

    positives: Ties
    negatives: Ties

    @property
    def sides(self) -> tuple[Ties, Ties]:
        return self.positives, self.negatives

    @classmethod
    def on_grid(cls, scores: Array, positives: Array, negatives: Array) -> TwoSides:
        """Counts of both sides at the same ascending scores, so that no order is to be found any more."""
        occupied = np.flatnonzero(positives + negatives)
        sides = []
        falling = []
        for counts in (positives, negatives):
            sides.append(Ties(scores[counts != 0], counts[counts != 0]))
            above = np.cumsum(counts[occupied][::-1])
            falling += [above, (above[-1] if len(above) else 0) - above]
        pair = cls(*sides)
        of_positives = np.flatnonzero(positives)
        reaching = np.cumsum(negatives[::-1])[::-1][of_positives]
        # What cached properties would work out by searching is known on a grid: it is put in their place.
        pair.__dict__["negatives_reaching"] = (reaching, negatives[of_positives])
        pair.__dict__["thresholds"] = scores[occupied][::-1]
        pair.__dict__["cells"] = tuple(falling)
        return pair

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

    def merged(self) -> tuple[Array, Array, Array]:
        """Every distinct score, ascending, with its places among the positives and among the negatives."""
        # The side with fewer scores is inserted into what is in order already: of twenty million scores in a
        # third of the time of sorting both together and searching either.
        fewer, other = sorted(self.sides, key=lambda side: len(side.scores))
        place = other.places_among(fewer.scores)
        alone = np.ones(len(place), dtype=bool)
        if len(other.scores):
            alone = other.scores.take(place, mode="clip") != fewer.scores
        scores = other.scores.astype(np.result_type(other.scores, fewer.scores), copy=False)
        new, at = place[alone], place + np.cumsum(alone) - alone
        together = np.insert(scores, new, fewer.scores[alone])
        places, kind = [], count_kind(len(together))
        for inserted in (at, new + np.arange(len(new))):
            here = np.zeros(len(together) + 1, dtype=kind)
            here[inserted + 1] = 1
            places.append(np.cumsum(here, dtype=kind, out=here)[:-1])
        of_fewer, of_other = places[0], np.arange(len(together), dtype=kind)
        of_other -= places[1]
        if fewer is self.positives:
            return together, of_fewer, of_other
        return together, of_other, of_fewer

    @cached_property
    def thresholds(self) -> Array:
        """Every distinct score, descending."""
        return self.merged()[0][::-1]

    @cached_property
    def cumulative(self) -> tuple[Array, Array]:
        """At each threshold: positives and negatives whose score is at least that (tp and fp)."""
        return self.cells[0], self.cells[2]

    @cached_property
    def cells(self) -> tuple[Array, Array, Array, Array]:
        """At each threshold: tp, fn, fp and tn."""
        rising = self.thresholds[::-1]
        tp, fn, fp, tn = (cell[::-1] for ties in self.sides for cell in ties.cut(rising))
        return tp, fn, fp, tn

    @property
    def corners(self) -> tuple[Array, Array, Array]:
        """Thresholds, descending, with tp and fp at each: those between which the ROC curve may bend."""
        # Between two neighbouring scores of one class nothing but scores of the other lies, and the curve
        # runs straight; so the class with fewer distinct scores says where all bends are: at each of them
        # and just above.
        # fawcett2006 (algorithm 1) walks down all scores; with imbalanced classes nearly all of those steps
        # go straight, so that the rare class alone is walked.
        few_positives = len(self.positives.scores) <= len(self.negatives.scores)
        fewer, other = self.sides if few_positives else self.sides[::-1]
        at = fewer.scores
        place = other.places_among(at)
        here = other.scores[np.minimum(place, len(other.scores) - 1)] == at
        size = 2 * len(at)
        thresholds = np.empty(size)
        thresholds[::2], thresholds[1::2] = at, _nearest(at[1:], other.scores, place + here)
        mine, others = np.empty(size, fewer.from_top.dtype), np.empty(size, other.from_place(place[:0]).dtype)
        mine[::2], mine[1::2] = fewer.from_top[:-1], fewer.from_top[1:]
        others[::2], others[1::2] = other.from_place(place), other.from_place(place + here)
        tp, fp = (mine, others) if few_positives else (others, mine)
        return thresholds[::-1], tp[::-1], fp[::-1]

    @cached_property
    def cache(self) -> dict[str, Any]:
        """Results computed from these sides before, by name."""
        return {}

    def weighed_alike(self) -> TwoSides:
        """Both sides in units of about their own weight."""
        # For what depends on neither side's weight, and would overflow.
        positives, negatives = _in_own_unit(self.positives), _in_own_unit(self.negatives)
        # The same object keeps what was already counted in it.
        same = positives is self.positives and negatives is self.negatives
        return self if same else TwoSides(positives, negatives)


def _in_own_unit(ties: Ties) -> Ties:
    # Huge or tiny weights brought near 1 by a power of two, which changes no digit.
    if not ties.is_weighted or not len(ties.scores):
        return ties
    # A power of two changes the exponent of a double and none of its digits: ratios of sums stay the same to
    # the last bit.
    exponent = int(np.frexp(ties.counts.max() if ties.unit is None else ties.unit)[1])
    if abs(exponent) < 200:
        return ties
    if ties.unit is not None:
        return ties.scaled(float(np.ldexp(1.0, -exponent)))
    return Ties(ties.scores, np.ldexp(ties.counts, -exponent))


def count_kind(most: float) -> type[np.signedinteger[Any]]:
    """The type of counts up to this one: half the memory where they are small."""
    return np.int32 if most < 2**31 else np.int64


def _nearest(scores: Array, other: Array, place: Array) -> Array:
    # The next higher score after each of a side's: among its own, and at these places of the other's.
    nearest = np.append(scores.astype(np.float64), np.inf)
    reached = place < len(other)
    nearest[reached] = np.minimum(nearest[reached], other[place[reached]])
    return nearest


def searched(among: Array, values: Array) -> Array:
    """np.searchsorted(among, values) for ascending values, searched from the side that has fewer."""
    # Binary searches cost about log2(len(among)) steps each; a cumulated histogram costs one pass over both.
    if len(values) > 8 * len(among):
        # place[k] = how many of `among` are below values[k] = how many of them find their place at or before
        # k
        after = np.searchsorted(values, among, side="right")
        return np.cumsum(np.bincount(after, minlength=len(values) + 1))[: len(values)]
    if len(values) <= _SEARCHED:
        return np.searchsorted(among, values)
    # Piece by piece: what a piece can lie between fits into the cache.
    places = np.empty(len(values), dtype=np.intp)
    ends = [*np.searchsorted(among, values[::_SEARCHED]).tolist(), len(among)]
    for k, start in enumerate(range(0, len(values), _SEARCHED)):
        piece = slice(start, start + _SEARCHED)
        places[piece] = np.searchsorted(among[ends[k] : ends[k + 1]], values[piece])
        places[piece] += ends[k]
    return places
