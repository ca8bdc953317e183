"""Did a rate change while we watched, however long we watch?

After every block the latest 1, 2, 3, 4, 6, 8, 12, ... blocks are held against all rows before them with
Fisher's exact test, so that small changes are found once enough blocks show them. Look k may spend alpha
k^-1.5 / zeta(1.5), shared by its windows and by the rates tested. Each test is exact given the counts, and
the shares add up to alpha: the probability of ever raising a false alarm is at most alpha, over any number of
looks, for any size of block, and however the class proportions move.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from statistics import NormalDist
from typing import Any

import numpy as np
from numpy.typing import NDArray

from steelyard.uncertainty.rates import fisher

Array = NDArray[Any]
ZETA_OF_3_2 = 2.6123753486854883
_NOT_WORTH_A_TEST = 0.6
"""A difference of fewer standard errors than this part of those that the level asks for is not tested:
nothing is lost."""
_WINDOWS_TESTED = 3
"""Of all windows of a rate, those that differ most are tested; to leave out the others cannot raise an
alarm."""


def windows(looks: int) -> list[int]:
    """How many of the latest blocks are held against the rows before them: 1, 2, 3, 4, 6, 8, 12, ... and all
    of them."""
    sizes = {size for power in range(looks.bit_length()) for size in (2**power, 3 * 2**power)}
    return sorted({size for size in sizes if size < looks} | {looks})


def level_of(look: int, alpha: float, tests: int) -> float:
    """What a p-value of this look (1, 2, ...) must fall below."""
    return float(alpha * look**-1.5 / ZETA_OF_3_2 / len(windows(look)) / tests)


@dataclass(frozen=True)
class Change:
    """A rate that differs in the latest blocks from what it was before."""

    row: int
    column: int
    blocks: int
    """How many of the latest blocks show it."""
    hits: int
    of: int
    hits_before: int
    of_before: int
    p: float
    since: int
    """The number of blocks before the change, where it is most likely to have happened."""


def find_changes(hits: Array, totals: Array, level: float) -> list[Change]:
    """Which rates changed? `hits` (blocks + 1, R, K) and `totals` (blocks + 1, R) are cumulative, the first
    entry the reference.

    For every rate the window with the smallest p-value, if that is below the level.
    """
    looks = len(hits) - 1
    sizes = windows(looks)
    starts = [looks - size for size in sizes]
    before, of_before = hits[starts].astype(np.float64), totals[starts].astype(np.float64)[..., None]
    after, of_after = hits[-1] - before, totals[-1][:, None] - of_before
    pooled = (before + after) / np.maximum(of_before + of_after, 1)
    with np.errstate(divide="ignore", invalid="ignore"):
        errors = np.sqrt(pooled * (1 - pooled) * (1 / of_before + 1 / of_after))
        far = np.abs(after / of_after - before / of_before) / errors
    far = np.where(np.isfinite(far), far, 0)
    least = _NOT_WORTH_A_TEST * NormalDist().inv_cdf(1 - level / 2)
    if len(sizes) > _WINDOWS_TESTED:
        least = np.maximum(least, np.partition(far, -_WINDOWS_TESTED, axis=0)[-_WINDOWS_TESTED])
    best: dict[tuple[int, int], Change] = {}
    for place, row, column in np.argwhere(far >= least).tolist():
        cells = (
            int(after[place, row, column]),
            int(of_after[place, row, 0]),
            int(before[place, row, column]),
            int(of_before[place, row, 0]),
        )
        p = fisher(*cells)
        known = best.get((row, column))
        if p < level and (known is None or p < known.p):
            since = _most_likely_change(hits[:, row, column], totals[:, row])
            best[row, column] = Change(row, column, sizes[place], *cells, p, since)
    return list(best.values())


def _most_likely_change(hits: Array, totals: Array) -> int:
    """After how many blocks the rate most likely changed: where two rates explain the counts best."""
    before, of_before = hits[:-1].astype(np.float64), totals[:-1].astype(np.float64)
    after, of_after = hits[-1] - before, totals[-1] - of_before
    return int(np.argmax(_log_likelihood(before, of_before) + _log_likelihood(after, of_after)))


def _log_likelihood(hits: Array, of: Array) -> Array:
    share = np.divide(hits, of, out=np.zeros_like(hits), where=of > 0)
    with np.errstate(divide="ignore", invalid="ignore"):
        told = hits * np.log(share) + (of - hits) * np.log1p(-share)
    return np.where((hits > 0) & (hits < of), told, 0.0)


def detectable_rate(
    hits: float, of: float, each_block: float, looks: int, blocks: int, alpha: float, tests: int
) -> float | None:
    """To which rate would the next blocks have to fall for the change to be seen after this many of them,
    about every second time?

    None if not even a rate of 0 would be. `hits` of `of` examples are known, and a block brings `each_block`
    of them.
    """
    more = round(each_block * blocks)
    level = level_of(looks + blocks, alpha, tests)
    if not of or not more or not hits or fisher(0, more, round(hits), round(of)) >= level:
        return None
    low, high = 0, math.floor(more * hits / of)  # low is seen, high is not
    while high - low > 1:
        middle = (low + high) // 2
        if fisher(middle, more, round(hits), round(of)) < level:
            low = middle
        else:
            high = middle
    return low / more
