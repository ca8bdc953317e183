"""Where would the best threshold be on other rows? Chosen again on bootstrap samples; in bins where rows
are many."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from steelyard.counts.confusion import Confusion
from steelyard.counts.score_bins import PARTS, quantile_starts
from steelyard.counts.score_counts import ScoreCounts
from steelyard.counts.ties import TwoSides
from steelyard.measures.measure import Measure
from steelyard.scores.resampling import draw_again, draw_all_again
from steelyard.scores.sweep import ThresholdSweep
from steelyard.uncertainty.draws import generator_of

Array = NDArray[Any]

CELLS_AT_ONCE = 1 << 18
"""Matrices of bootstrap samples that are weighed together."""


def resampled(
    swept: ThresholdSweep, measure: Measure, sign: float, replicates: int, seed: int, sizes_fixed: bool
) -> tuple[Array, Array]:
    """The place of the best threshold and its value in each bootstrap sample of the rows."""
    rng = generator_of(seed)
    counts = swept.matrices.counts
    reached = counts[:, :, 0]  # tp and fp at each threshold
    steps = np.diff(reached, axis=0, prepend=0)
    totals = counts[0].sum(axis=1)
    places, values = [], []
    for _ in range(replicates):
        sizes = totals if sizes_fixed else rng.multinomial(int(totals.sum()), totals / totals.sum())
        drawn = np.stack([draw_again(steps[:, side], rng, int(sizes[side])) for side in (0, 1)], axis=1)
        found = np.cumsum(drawn, axis=0)
        sample = Confusion(np.stack([found, sizes - found], axis=-1), swept.matrices.labels, copy=False)
        again = measure(sample, positive=swept.positive)
        if not np.isnan(
            again
        ).all():  # a sample of few rows may leave the measure undefined at every threshold
            places.append(first_best(sign * again))
            values.append(float(again[places[-1]]))
    return np.array(places, dtype=np.intp), np.array(values)


def offered_by_bins(swept: ThresholdSweep, pair: TwoSides) -> Array:
    """The places of the thresholds that begin a bin, and of the one that calls nothing."""
    starts = quantile_starts(pair, PARTS)
    rising = swept.thresholds[::-1]
    places = len(rising) - 1 - np.searchsorted(rising, starts.astype(np.float64))
    return np.unique(np.concatenate([[0], places]))


def error_of_bins(
    swept: ThresholdSweep, offered: Array, measure: Measure, sign: float, two: ScoreCounts
) -> float:
    """How much better could the measure be at a threshold inside a bin than at the starts of all bins?

    Inside a bin no more is found, and no more is falsely called, than at its start, and no less than at the
    start of the bin above; a measure that rises or falls with each is greatest at one of the four corners.
    """
    reached = swept.matrices.counts[offered][:, :, 0]
    totals = swept.matrices.counts[0].sum(axis=1)
    inside = (np.diff(offered) > 1) | two.holds_several(swept.thresholds[offered[1:]])
    above, own = reached[:-1][inside], reached[1:][inside]
    corners = [np.stack([above[:, 0], own[:, 1]], axis=1), np.stack([own[:, 0], above[:, 1]], axis=1)]
    cells = np.concatenate([reached, *corners])
    matrices = Confusion(np.stack([cells, totals - cells], axis=-1), swept.matrices.labels, copy=False)
    values = sign * np.asarray(measure(matrices, positive=swept.positive))
    return float(max(0.0, np.nanmax(values) - np.nanmax(values[: len(reached)])))


def resampled_in_bins(
    swept: ThresholdSweep,
    offered: Array,
    measure: Measure,
    sign: float,
    replicates: int,
    seed: int,
    sizes_fixed: bool,
) -> tuple[Array, Array]:
    """The place of the best of these thresholds and its value in each bootstrap sample of the rows, all
    samples at once."""
    rng = generator_of(seed)
    steps = np.diff(swept.matrices.counts[offered][:, :, 0], axis=0, prepend=0)
    totals = swept.matrices.counts[0].sum(axis=1)
    sizes = (
        np.tile(totals, (replicates, 1))
        if sizes_fixed
        else rng.multinomial(int(totals.sum()), totals / totals.sum(), size=replicates)
    )
    places, values = [], []
    block = max(1, CELLS_AT_ONCE // len(offered))
    for start in range(0, replicates, block):
        own = sizes[start : start + block]
        drawn = np.stack([draw_all_again(steps[:, side], own[:, side], rng) for side in (0, 1)], axis=-1)
        found = np.cumsum(drawn, axis=1)
        cells = np.stack([found, own[:, None, :] - found], axis=-1)
        again = np.asarray(
            measure(Confusion(cells, swept.matrices.labels, copy=False), positive=swept.positive)
        )
        for row in again:
            if not np.isnan(row).all():
                best = first_best(sign * row)
                places.append(offered[best])
                values.append(float(row[best]))
    return np.array(places, dtype=np.intp), np.array(values)


def to_the_next_starts(offered: Array, low: int, high: int) -> tuple[int, int]:
    """The places that the bins beside two starts reach to: that a start is the best of all starts says that
    the best threshold lies in its own bin or in the one below."""
    below, own = np.searchsorted(offered, [low, high])
    last = int(offered[min(below + 1, len(offered) - 1)])
    return max(low, last - 1), min(high, int(offered[max(own - 1, 0)]) + 1)


def first_best(values: Array) -> int:
    """The first place of the greatest defined value; differences of rounding do not count."""
    greatest = np.nanmax(values)
    return int(np.argmax(values >= greatest - 1e-12 * max(1.0, abs(float(greatest)))))
