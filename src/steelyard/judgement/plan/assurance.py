"""Assurance: the size of a test set whose interval is narrow enough with a given probability."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from steelyard.counts.confusion import Confusion
from steelyard.counts.labels import Label
from steelyard.judgement.plan.options import Options
from steelyard.measures.measure import Measure

# Test sets of the planned size whose widths give the assurance, and the cells of their derivatives.
MOST_SIMULATED, FEWEST_SIMULATED, _CELLS_SIMULATED = 4000, 60, 10_000_000


def assured_size(
    chosen: Measure,
    expected: Confusion,
    ends: tuple[float, float],
    weights: Any,
    rates: Any,
    positive: Label | None,
    options: Options,
) -> float:
    """The size whose simulated test sets have narrow enough intervals as often as the assurance says.

    The width of an interval is taken for a multiple of the standard error; the multiple is that of the
    expected matrix, whose interval is known.
    """
    classes = len(rates)
    number = int(min(MOST_SIMULATED, max(FEWEST_SIMULATED, _CELLS_SIMULATED // classes**4)))
    of_expected = float(_standard_errors(chosen, expected.counts[None], expected.labels, positive)[0])
    multiple = (ends[1] - ends[0]) / of_expected if of_expected > 0 else math.nan
    if not 0 < multiple < math.inf:
        return float(expected.total)
    equal = np.allclose(weights, 1 / classes)

    def narrow_enough(size: int) -> bool:
        random = np.random.default_rng(options.seed)
        # Equal class sizes are chosen, not drawn.
        sizes = np.full((number, classes), round(size / classes))
        if not equal:
            sizes = random.multinomial(size, weights, size=number)
        counts = np.stack([random.multinomial(sizes[:, k], rates[k]) for k in range(classes)], axis=1)
        errors = _standard_errors(chosen, counts, expected.labels, positive)
        known = errors[~np.isnan(errors)]
        return bool(np.mean(known * multiple <= options.width) >= options.assurance) if len(known) else True

    short, enough = int(expected.total) // 2, int(expected.total)
    while not narrow_enough(enough):
        short, enough = enough, math.ceil(enough * 1.25)
    while enough - short > max(1, enough // 200):
        middle = (short + enough) // 2
        short, enough = (short, middle) if narrow_enough(middle) else (middle, enough)
    return float(enough)


def _standard_errors(chosen: Measure, counts: Any, labels: tuple[Label, ...], positive: Label | None) -> Any:
    """Delta method: standard errors (S,) of a metric of multinomial counts (S, C, C), from numerical
    derivatives. One example is added to each class: with no error seen the standard error would be 0, the
    interval is not."""
    sets, classes = counts.shape[:2]
    counts = counts + 1 / classes
    totals = counts.sum(axis=(1, 2))
    # One more row in each cell at a time: C^2 matrices of every set in one batch give all derivatives.
    steps = totals * 1e-6
    moved = np.repeat(counts[:, None], classes**2, axis=1).reshape(sets, classes**2, -1)
    moved[:, np.arange(classes**2), np.arange(classes**2)] += steps[:, None]
    how: dict[str, Any] = {"positive": positive if chosen.kind == "two-class" else None}
    here = np.asarray(chosen(Confusion(counts, labels), **how))
    there = np.asarray(chosen(Confusion(moved.reshape(-1, classes, classes), labels), **how))
    slopes = (there.reshape(sets, -1) - here[:, None]) / steps[:, None] * totals[:, None]
    shares = counts.reshape(sets, -1) / totals[:, None]
    # The variance of the slope at a random row: that of multinomial shares, to first order.
    variance = np.nansum(shares * slopes**2, axis=1) - np.nansum(shares * slopes, axis=1) ** 2
    return np.where(np.isnan(here), np.nan, np.sqrt(np.maximum(variance, 0.0) / totals))
