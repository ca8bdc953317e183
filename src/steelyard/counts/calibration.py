"""How often does what was given a probability happen?

The rows of two classes by the probability they were given: in bins of equal width, or pooled so that what
happens rises with the probability (isotonic regression, which needs no bins).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from steelyard.counts.ties import TwoSides

Array = NDArray[Any]

MOST_KEPT = 1_000_000
"""Distinct probabilities up to which they are kept."""


@dataclass(frozen=True, eq=False)
class Forecasts:
    """The distinct probabilities, rising, and the weight of positives and of all rows at each."""

    probabilities: Array
    positives: Array
    rows: Array

    @cached_property
    def rising(self) -> Array:
        """The share of positives at each probability, made to rise by pooling neighbours."""
        return _pooled((self.positives / self.rows).tolist(), self.rows.tolist())


def forecasts(pair: TwoSides) -> Forecasts:
    """Both classes by probability; they are kept with the two sides, as several measures ask for them, unless
    they are so many that memory is worth more."""
    given: Forecasts | None = pair.kept.get("forecasts")
    if given is None:
        given = _forecasts(pair)
        if len(given.rows) <= MOST_KEPT:
            pair.kept["forecasts"] = given
    return given


def _forecasts(pair: TwoSides) -> Forecasts:
    values = np.concatenate([pair.positives.scores, pair.negatives.scores]).astype(np.float64)
    found = np.concatenate([pair.positives.counts, np.zeros(len(pair.negatives.scores))]).astype(np.float64)
    rows = np.concatenate([pair.positives.counts, pair.negatives.counts]).astype(np.float64)
    order = np.argsort(values, kind="stable")
    values, found, rows = values[order], found[order], rows[order]
    first = np.flatnonzero(np.diff(values, prepend=-np.inf))
    return Forecasts(values[first], np.add.reduceat(found, first), np.add.reduceat(rows, first))


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
    held = rows > 0
    sums = np.bincount(place, weights=given.rows * given.probabilities, minlength=bins)[held]
    found = np.bincount(place, weights=given.positives, minlength=bins)[held]
    return Bins(np.arange(bins)[held] / bins, rows[held], sums / rows[held], found / rows[held])


def rising_shares(given: Forecasts) -> Array:
    """The share of positives at each probability, made to rise by pooling neighbours (least squares)."""
    return given.rising


def _pooled(shares: Sequence[float], rows: Sequence[float]) -> Array:
    means: list[float] = []
    weights: list[float] = []
    lengths: list[int] = []
    for share, weight in zip(shares, rows, strict=True):
        length = 1
        while means and means[-1] >= share:
            other, its_weight = means.pop(), weights.pop()
            share = (share * weight + other * its_weight) / (weight + its_weight)
            weight += its_weight
            length += lengths.pop()
        means.append(share)
        weights.append(weight)
        lengths.append(length)
    return np.repeat(means, lengths)
