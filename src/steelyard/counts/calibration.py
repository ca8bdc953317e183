"""Calibration curves: pool adjacent violators (isotonic regression) of outcomes over scores.

The rows of two classes by the probability they were given: in bins of equal width, or pooled so that what
happens rises with the probability (isotonic regression, which needs no bins).
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from steelyard.counts.ties import TwoSides, searched

Array = NDArray[Any]

# Distinct probabilities up to which they are kept.
MOST_KEPT = 1_000_000
_ONE_BY_ONE = 100


@dataclass(frozen=True, eq=False)
class Forecasts:
    """The distinct probabilities, rising, and the weight of positives and of all rows at each."""

    probabilities: Array
    positives: Array
    rows: Array

    @cached_property
    def rising(self) -> Array:
        """The share of positives at each probability, made to rise by pooling neighbours."""
        return _pooled(self.positives, self.rows)


def forecasts(pair: TwoSides) -> Forecasts:
    """Both classes by probability; they are kept with the two sides, as several measures ask for them, unless
    they are so many that memory is worth more."""
    given: Forecasts | None = pair.kept.get("forecasts")
    if given is None:
        given = _forecasts(pair)
        if len(given.rows) <= MOST_KEPT:
            pair.kept["forecasts"] = given
    return given


@contextmanager
def made_once(pair: TwoSides) -> Iterator[Forecasts]:
    """The forecasts, made once for everything inside however many they are."""
    pair.kept["forecasts"] = given = forecasts(pair)
    try:
        yield given
    finally:
        if len(given.rows) > MOST_KEPT:
            del pair.kept["forecasts"]


def _forecasts(pair: TwoSides) -> Forecasts:
    distinct = pair.thresholds[::-1]
    positives, rows = np.zeros(len(distinct)), np.zeros(len(distinct))
    for side in (pair.positives, pair.negatives):
        rows[searched(distinct, side.scores)] += side.counts
    positives[searched(distinct, pair.positives.scores)] = pair.positives.counts
    return Forecasts(np.asarray(distinct, dtype=np.float64), positives, rows)


class Bins(NamedTuple):
    """Bins that hold rows: where they begin, their rows, and the mean probability and share of positives."""

    starts: Array
    rows: Array
    mean_probability: Array
    share: Array


def in_bins(given: Forecasts, bins: int) -> Bins:
    """The rows in bins of equal width; a bin holds its lower end, the last one both."""
    place = np.minimum((given.probabilities * bins).astype(np.intp), bins - 1)
    rows = np.bincount(place, weights=given.rows, minlength=bins)
    occupied = rows > 0
    sums = np.bincount(place, weights=given.rows * given.probabilities, minlength=bins)[occupied]
    positives = np.bincount(place, weights=given.positives, minlength=bins)[occupied]
    return Bins(
        np.arange(bins)[occupied] / bins, rows[occupied], sums / rows[occupied], positives / rows[occupied]
    )


def rising_shares(given: Forecasts) -> Array:
    """The share of positives at each probability, made to rise by pooling neighbours (least squares)."""
    return given.rising


def _pooled(positives: Array, rows: Array) -> Array:
    """Pool adjacent violators: isotonic regression of a step curve (Barlow et al. 1972).

    Neighbours whose shares do not rise end in one block, whichever are joined first: all at once, again and
    again, until few are left or few are found, and the rest one by one."""
    lengths = np.ones(len(rows), dtype=np.intp)
    while len(rows) > _ONE_BY_ONE:
        shares = positives / rows
        rises = np.concatenate([[True], shares[:-1] < shares[1:]])
        if np.count_nonzero(~rises) < len(rows) // 20:
            break
        starts = np.flatnonzero(rises)
        positives, rows, lengths = (np.add.reduceat(each, starts) for each in (positives, rows, lengths))
    blocks: list[tuple[float, float, int]] = []
    for hits, weight, length in zip(positives.tolist(), rows.tolist(), lengths.tolist(), strict=True):
        while blocks and blocks[-1][0] / blocks[-1][1] >= hits / weight:
            before = blocks.pop()
            hits, weight, length = hits + before[0], weight + before[1], length + before[2]
        blocks.append((hits, weight, length))
    return np.repeat([hits / weight for hits, weight, _ in blocks], [length for *_, length in blocks])
