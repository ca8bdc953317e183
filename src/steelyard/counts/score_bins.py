"""Bins of scores: a few thousand in place of millions of distinct scores, with bounded error."""

# The bins lie close where examples are: none that holds several scores holds more than a small share of
# either class, and a score that many examples share has a bin of its own. Every curve is exact at the
# starts of the bins, so what the bins leave open lies between two neighbours, and is bounded.

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from steelyard.counts.labels import Array
from steelyard.counts.score_columns import binned
from steelyard.counts.ties import Ties, TwoSides

# Distinct scores up to which each is drawn by itself.
MOST_SCORES = 20_000
# A bin of several scores holds less than this part of the examples of either class.
PARTS = 1_000


class Binned(NamedTuple):
    """Scores taken together in bins."""

    #: Each bin is named by its lowest score.
    pair: TwoSides
    starts: Array
    #: How far the area under the ROC curve is off at most: half the share of pairs that only the bins tie.
    area_error: float

    @property
    def bins(self) -> int:
        return len(self.starts)


def in_bins(pair: TwoSides, parts: int = PARTS) -> Binned:
    """The same examples, in some two to four times as many bins as there are `parts` of a class."""
    starts = quantile_starts(pair, parts)
    coarse = TwoSides(*(_gathered(side, starts) for side in pair.sides))
    # The share of pairs of a positive and a negative that stand apart as given and together in the bins.
    pairs = float(pair.positives.total) * float(pair.negatives.total)
    newly_tied = max(0.0, (_tied(coarse) - _tied(pair)) / pairs) if pairs else 0.0
    return Binned(coarse, starts, newly_tied / 2)


def few_enough(pair: TwoSides, most: int = MOST_SCORES) -> bool:
    """Are there so few distinct scores that each can be drawn by itself?"""
    sizes = len(pair.positives.scores), len(pair.negatives.scores)
    return sum(sizes) <= most or (max(sizes) <= most and len(pair.thresholds) <= most)


def quantile_starts(pair: TwoSides, parts: int) -> Array:
    """Where bins begin, ascending: at the scores that part each class evenly, and above crowded ones."""
    sides = [side for side in pair.sides if len(side.scores)]
    if not sides:
        return np.empty(0)
    # The scores at which each further part of the examples begins; none with a whole part is missing.
    # Quantiles of each class, as a sketch would keep them, but exact: the rare class is cut as finely as the
    # common one, so that the bound holds for both. A little finer: whole examples do not part evenly.
    parting, finer = [], parts * 1024 // 1000
    for side in sides:
        places = side.places_of(np.arange(finer) * (float(side.total) / finer))
        places[0] = 0
        parting.append(side.scores[np.unique(places)])
    cuts = np.unique(np.concatenate(parting))
    # Where the bin that a cut begins holds a whole part of a class, the score of the cut has its own bin: the
    # next score above it, of either class, begins another one.
    crowded = np.zeros(len(cuts), dtype=bool)
    for side in sides:
        crowded |= -np.diff(side.cut(cuts)[0], append=0) >= side.total / parts
    shared = cuts[crowded]
    following = np.full(len(shared), np.inf)
    exists = np.zeros(len(shared), dtype=bool)
    for side in sides:
        place = np.searchsorted(side.scores, shared, side="right")
        reached = place < len(side.scores)
        following[reached] = np.minimum(following[reached], side.scores[place[reached]])
        exists |= reached
    return np.unique(np.concatenate([cuts, following[exists].astype(cuts.dtype)]))


def _gathered(side: Ties, starts: Array) -> Ties:
    if not len(side.scores):
        return Ties(starts[:0], np.empty(0, dtype=np.int64))
    if side.is_weighted:
        return binned(side.scores, side.counts, starts)
    reached = side.cut(starts)[0]
    counts = np.asarray(reached - np.append(reached[1:], 0))
    occupied = np.flatnonzero(counts)
    return Ties(starts[occupied], counts[occupied])


def _tied(pair: TwoSides) -> float:
    return float(np.asarray(pair.negatives_reaching[1], dtype=np.float64) @ pair.positives.counts)
