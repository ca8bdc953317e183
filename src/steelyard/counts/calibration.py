"""Calibration curves: pool adjacent violators (isotonic regression) of outcomes over scores."""

# The rows of two classes by the probability they were given: in bins of equal width, or pooled so that what
# happens rises with the probability (isotonic regression, which needs no bins).

from __future__ import annotations

from bisect import bisect_left
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import numpy as np

from steelyard.counts.curves import upper_hull
from steelyard.counts.labels import Array
from steelyard.counts.ties import TwoSides

# Distinct probabilities up to which they are kept.
MOST_KEPT = 1_000_000


@dataclass(frozen=True, eq=False)
class Forecasts:
    """The distinct probabilities, rising, and the weight of positives and of all rows at each."""

    probabilities: Array
    positives: Array
    rows: Array

    @cached_property
    def rising(self) -> Array:
        """The share of positives at each probability, made to rise by pooling neighbours (least squares)."""
        # Isotonic regression is the slope of the hull of the cumulative sums (Barlow et al. 1972), here from
        # the highest probability down: adjacent violators lie below it, and are pooled.
        rows, positives = self.rows[::-1], self.positives[::-1]
        corners = upper_hull(np.append(0.0, np.cumsum(rows)), np.append(0.0, np.cumsum(positives)))
        shares = np.add.reduceat(positives, corners[:-1]) / np.add.reduceat(rows, corners[:-1])
        return np.repeat(shares, np.diff(corners))[::-1]


def forecasts(pair: TwoSides) -> Forecasts:
    """Both classes by probability."""
    # They are kept with the two sides, as several measures ask for them, unless they are so many that
    # memory is worth more.
    if "forecasts" in pair.cache:
        cached: Forecasts = pair.cache["forecasts"]
        return cached
    distinct, *places = pair.merged()
    rows = np.zeros((2, len(distinct)))
    for side, (place, ties) in enumerate(zip(places, pair.sides, strict=True)):
        rows[side, np.diff(place, append=len(ties.scores)) > 0] = ties.counts
    together = Forecasts(np.asarray(distinct, dtype=np.float64), rows[0], rows.sum(axis=0))
    if len(distinct) <= MOST_KEPT:
        pair.cache["forecasts"] = together
    return together


class Bins(NamedTuple):
    """Bins that hold rows: where they begin, their rows, and the mean probability and share of positives."""

    starts: Array
    rows: Array
    mean_probability: Array
    share: Array


def in_bins(pair: TwoSides, bins: int) -> Bins:
    """The rows in bins of equal width; a bin holds its lower end, the last one both."""
    # Several metrics ask for the same bins.
    key = f"{bins} bins"
    if key not in pair.cache:
        rows, sums = np.zeros((2, 2, bins))
        for side, ties in enumerate(pair.sides):
            scores = ties.scores
            # Probabilities rise, so that a bin is a slice: bisection finds where it begins, whatever rounding
            # does to the product, and no array as long as the data is made.
            places = range(len(scores))
            starts = [
                bisect_left(places, k, key=lambda row: min(int(scores[row] * bins), bins - 1))
                for k in range(bins)
            ]
            rows[side], sums[side] = ties.added([*starts, len(scores)])
        filled = np.flatnonzero(rows.any(axis=0))
        both, positives = rows.sum(axis=0)[filled], rows[0, filled]
        pair.cache[key] = Bins(filled / bins, both, sums.sum(axis=0)[filled] / both, positives / both)
    cached: Bins = pair.cache[key]
    return cached
