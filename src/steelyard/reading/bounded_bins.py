"""Into which bin does a score fall, in a table too large to fetch, and which bins leave too much open?

A bin is found by arithmetic that cannot put a higher score into a lower bin: every step is one rounded
operation, and none of them turns the order round. It needs no knowledge of the other scores, so one pass
counts them; and a bin says the lowest and the highest score that fell into it.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from steelyard.counts.ties import Ties
from steelyard.errors import InputError

Array = NDArray[Any]

BINS = 16_384
"""Bins from 0 to 1 (a multiple of 256), as many for all that lies beyond, and the same below 0."""
FINER = 32
"""Times as fine (a power of 2) are bins next to 0 and 1, where most probabilities of rare classes are."""
NEXT_TO = 1 / 256
FEW_SCORES = 50_000
"""Distinct scores up to which they come back as they are."""
MOST_PASSES = 4
"""Passes that divide bins."""
MOST_DIVIDED = 2_000
"""Bins that are divided in one pass, those that leave most open."""
PARTS_AT_ONCE = 50_000
"""Bins that come of dividing, in one pass."""
TOLERANCE = 1e-4
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


def written(number: float) -> str:
    """A number as Spark reads it back to the last digit."""
    return f"double('{number!r}')".replace("'inf'", "'Infinity'").replace("'-inf'", "'-Infinity'")


def _more() -> int:
    """Bins that the finer ones next to an end are more than others would be."""
    return round(BINS * NEXT_TO) * (FINER - 1)


def highest_bin() -> int:
    """The greatest number of a bin; the least is as far below 0."""
    return 2 * BINS + 2 * _more() + 2


def bin_of(score: str, written: Callable[[float], str] = written) -> str:
    """The number of a score's bin, in SQL that writes numbers so; infinite scores have bins of their own,
    those that are no number the lowest."""
    far, more = round(BINS * (1 - NEXT_TO)), _more()
    # Numbers go on without gaps: Spark's quick map of groups puts those with gaps into the same places.
    shift = far * (FINER - 1) - more
    end = BINS + 2 * more
    one = written(1.0)
    fine, coarse = (f"floor({score} * {written(float(size))})" for size in (BINS * FINER, BINS))
    beyond = f"floor(({written(0.5)} - {one} / ({one} + abs({score}))) * {written(2.0 * BINS)})"
    return (
        f"CASE WHEN abs({score}) <= {written(1 - NEXT_TO)} THEN CASE WHEN abs({score}) < {written(NEXT_TO)}"
        f" THEN {fine} WHEN {score} > 0 THEN {coarse} + {more} ELSE {coarse} - {more} END"
        f" WHEN abs({score}) <= {one} THEN CASE WHEN {score} > 0 THEN {fine} - {shift}"
        f" ELSE {fine} + {shift} END"
        f" WHEN isnan({score}) OR {score} = {written(-math.inf)} THEN {-highest_bin()}"
        f" WHEN {score} = {written(math.inf)} THEN {highest_bin()}"
        f" WHEN {score} > 0 THEN {end + 1} + {beyond} ELSE {-end - 1} - {beyond} END"
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


def checked_tolerance(tolerance: float) -> float:
    """Refuse bins that may leave nothing open."""
    if not tolerance > 0:
        raise InputError(
            "the tolerance must be positive", found=f"{tolerance:g}", do="say exact=True for exact values"
        )
    return tolerance


def divided_into(chosen: int) -> int:
    """Into how many parts is each of so many bins divided?"""
    return max(16, min(BINS, PARTS_AT_ONCE // chosen))


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


def together(starts: Iterable[Array | None]) -> Array | None:
    """The starts of the bins of several columns, where one has bins."""
    binned = [own for own in starts if own is not None]
    return np.unique(np.concatenate(binned)) if binned else None


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
