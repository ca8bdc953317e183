"""Into which bin does a score fall on a cluster, and which bins leave too much open?

A bin is found by arithmetic that cannot put a higher score into a lower bin: every step is one rounded
operation, and none of them turns the order round. It needs no knowledge of the other scores, so one pass
counts them; and a bin says the lowest and the highest score that fell into it.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from steelyard.counts.ties import Ties

Array = NDArray[Any]

BINS = 16_384
"""Bins from 0 to 1 (a multiple of 256), as many for all that lies beyond, and the same below 0."""
FINER = 32
"""Times as fine (a power of 2) are bins next to 0 and 1, where most probabilities of rare classes are."""
NEXT_TO = 1 / 256
SKETCH = 64
"""Bits by which a bin remembers which scores it met."""


@dataclass
class Bin:
    """The scores of one column from a lowest to a highest, and how much of each class has them."""

    first: int
    """The bin of the first pass that it is, or is a part of."""
    low: float
    high: float
    amounts: dict[int, float]
    met: int = 0
    """One bit for each hash of a score, of 64."""


def bin_of(score: str) -> str:
    """The number of a score's bin, in SQL; infinite scores have bins of their own, those that are no number
    the lowest."""
    near, far = round(BINS * NEXT_TO), round(BINS * (1 - NEXT_TO))
    more = near * (FINER - 1)
    """Bins that the finer ones are more than others would be; numbers go on without gaps, as Spark's quick
    map of groups puts those with gaps into the same places."""
    end = BINS + 2 * more
    fine, coarse = f"floor({score} * {BINS * FINER}D)", f"floor({score} * {BINS}D)"
    beyond = f"floor((0.5D - 1D / (1D + abs({score}))) * {2 * BINS}D)"
    return (
        f"CASE WHEN abs({score}) <= {1 - NEXT_TO}D THEN CASE WHEN abs({score}) < {NEXT_TO}D THEN {fine}"
        f" WHEN {score} > 0D THEN {coarse} + {more} ELSE {coarse} - {more} END"
        f" WHEN abs({score}) <= 1D THEN CASE WHEN {score} > 0D THEN {fine} - {far * (FINER - 1) - more}"
        f" ELSE {fine} + {far * (FINER - 1) - more} END"
        f" WHEN isnan({score}) OR {score} = double('-Infinity') THEN {-end - BINS - 2}L"
        f" WHEN {score} = double('Infinity') THEN {end + BINS + 2}L"
        f" WHEN {score} > 1D THEN {end + 1} + {beyond} ELSE {-end - 1} - {beyond} END"
    )


def even_bin_of(score: str, low: float, high: float) -> str:
    """The number of a score's bin where all finite scores lie between these. Quarters cannot overflow."""
    width = high / 4 - low / 4
    scale = BINS / width if width > 0 and math.isfinite(BINS / width) else 0.0
    inside = f"least(floor(({score} / 4 - {written(low / 4)}) * {written(scale)}), {BINS - 1})"
    return (
        f"CASE WHEN isnan({score}) OR {score} = double('-Infinity') THEN -1L WHEN {score} ="
        f" double('Infinity') THEN {BINS}L ELSE {inside} END"
    )


def sketch_of(score: str) -> str:
    """The bit that stands for a score."""
    return f"shiftleft(1L, CAST(xxhash64({score}) & {SKETCH - 1} AS INT))"


def different_scores(bins: Sequence[Bin]) -> tuple[int, float]:
    """How many different scores there are at least, and about: infinite where a bin met so many that its bits
    are all set."""
    set_bits = np.array([(own.met & (2**SKETCH - 1)).bit_count() for own in bins], dtype=np.float64)
    several = np.array([own.high > own.low for own in bins])
    free = SKETCH - set_bits
    with np.errstate(divide="ignore"):
        about = np.where(several, np.maximum(2, -SKETCH * np.log(free / SKETCH)), 1)
    return int(set_bits.sum()), float(about.sum())


def written(number: float) -> str:
    """A number as Spark reads it back to the last digit."""
    return f"double('{number!r}')".replace("'inf'", "'Infinity'").replace("'-inf'", "'-Infinity'")


def too_wide(column: Sequence[Bin], tolerance: float) -> list[Bin]:
    """The bins to be divided, those that leave most open first: what is left is below the tolerance then."""
    places = {place: k for k, place in enumerate(sorted({place for own in column for place in own.amounts}))}
    amounts = np.zeros((len(column), len(places)))
    for row, own in zip(amounts, column, strict=True):
        for place, amount in own.amounts.items():
            row[places[place]] = amount
    totals = amounts.sum(axis=0)
    inside = amounts.sum(axis=1)
    everything = totals.sum()
    low, high = (np.array([getattr(own, side) for own in column]) for side in ("low", "high"))
    with np.errstate(invalid="ignore"):
        scale = high / 4 - low / 4
    dividable = (high > low) & (scale > 0) & np.isfinite(1 / np.where(scale > 0, scale, 1))
    opened = np.zeros(len(column))
    for k in range(len(places)):
        others = everything - totals[k]
        if totals[k] and others:
            pairs = amounts[:, k] / totals[k] * ((inside - amounts[:, k]) / others)
            opened = np.maximum(opened, pairs)
    opened[~dividable] = 0
    order = np.argsort(-opened, kind="stable")
    left = opened.sum() - np.cumsum(opened[order])
    if opened.sum() <= tolerance:
        return []
    return [column[i] for i in order[: int(np.argmax(left <= tolerance / 2)) + 1].tolist()]


def named(bins: Sequence[Bin]) -> tuple[Array | None, Array | None]:
    """The starts of the bins and of those that hold several scores; None where none does."""
    several = [own.low for own in bins if own.high > own.low]
    if not several:
        return None, None
    return np.array([-np.inf, *(own.low for own in bins)]), np.array(several)


def ties_of(bins: Sequence[Bin], weighted: bool) -> dict[int, Ties]:
    """Each class, by its place, with the lowest score of every bin it occurs in."""
    found: dict[int, tuple[list[float], list[float]]] = {}
    for own in bins:
        for place, amount in own.amounts.items():
            scores, amounts = found.setdefault(place, ([], []))
            scores.append(own.low)
            amounts.append(amount)
    kind = np.float64 if weighted else np.int64
    return {
        place: Ties.of(np.array(scores), np.array(amounts, dtype=kind))
        for place, (scores, amounts) in found.items()
    }
