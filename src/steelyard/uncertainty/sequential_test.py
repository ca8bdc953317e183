"""Sequential test for a changed rate: alpha spending over interim analyses, however many there are."""
# After every block the latest 1, 2, 3, 4, 6, 8, 12, ... blocks are held against all rows before them with
# Fisher's exact test, so that small changes are found once enough blocks show them. Interim analysis k may
# spend alpha (k + 4)^-1.5 / zeta(1.5, 5), shared equally by its windows and unequally by the rates: most of
# it goes to classes with few examples (`shares_of`). Each test is exact given the counts, and the shares add
# up to alpha: the probability of ever raising a false alarm is at most alpha, over any number of analyses,
# for any size of block, and however the class distribution moves.
#
# That holds for independent rows. Where rates vary between blocks by themselves (weekends, campaigns),
# Fisher's test alarms in nearly every stream. `with_variation` allows for it: rates of blocks are normal on
# the probit scale, their standard deviation has a half-normal prior and is learnt from the blocks themselves
# (restricted likelihood), and the p-value is averaged over it, never below Fisher's.

from __future__ import annotations

import math
from bisect import bisect_left
from dataclasses import dataclass

import numpy as np

from steelyard.counts.labels import Array
from steelyard.uncertainty.binomial_intervals import fisher
from steelyard.uncertainty.dirichlet_posterior import ratio

# Early looks have few rows: so many looks' part of alpha is kept for later ones.
LATER = 4
# Of (k + 4)^-1.5 over k = 1, 2, ...: Hurwitz's zeta(1.5, 5).
SUM_OF_PARTS = 0.9413718683623391
# Examples of a class from which on more of them need less of alpha.
_FEW = 100
# A difference of fewer standard errors than this part of those that the level asks for is not tested:
# nothing is lost.
_NOT_WORTH_A_TEST = 0.6
# Of all windows of a rate, those that differ most are tested; to leave out the others cannot raise an
# alarm.
_WINDOWS_TESTED = 3


def windows(looks: int) -> list[int]:
    """Numbers of latest blocks held against the rows before: 1, 2, 3, 4, 6, 8, 12, ... and all."""
    sizes = {size for power in range(looks.bit_length()) for size in (2**power, 3 * 2**power)}
    return sorted({size for size in sizes if size < looks} | {looks})


def level_of(look: int, alpha: float) -> float:
    """What the p-values of all rates together may spend in one window of this look (1, 2, ...)."""
    return float(alpha * (look + LATER) ** -1.5 / SUM_OF_PARTS / len(windows(look)))


def shares_of(totals: Array, columns: int) -> Array:
    """Shares (R, columns) of the level of a look by the examples of each class; the sum is 1.

    >>> shares_of(np.array([200, 99_800]), 1).round(3).tolist()
    [[0.937], [0.063]]
    """
    # A class of n examples gets a part in proportion to sqrt(n) / (n + 100): a thousand times as many
    # examples show a change at a thirtieth of the level just as well, and a handful show none at any. Half of
    # it is for the recall, where there are more rates of a class than that.
    parts = np.sqrt(totals) / (totals + _FEW)
    rows = parts / parts.sum() if parts.any() else np.full(len(totals), 1 / len(totals))
    shares = np.repeat(rows[:, None] / columns, columns, axis=1)
    if columns > 1:
        shares = np.repeat(rows[:, None] / (2 * (columns - 1)), columns, axis=1)
        np.fill_diagonal(shares, rows / 2)
    return np.asarray(shares)


# Standard deviations of a rate between blocks, on the probit scale, over which p-values are averaged.
VARIATIONS = np.array([0, 0.025, 0.05, 0.075, 0.1, 0.15, 0.2, 0.25, 0.3, 0.4, 0.5, 0.7, 1.0])
# Scale of their half-normal prior, chosen on simulated streams; docs/coverage.md has the false alarms.
USUAL_VARIATION = 0.2


def with_variation(p: float, before: tuple[Array, Array], after: tuple[Array, Array]) -> float:
    """The p-value of a change where rates vary between blocks.

    >>> steady = np.array([90.0, 91, 89, 90, 90, 92, 88, 90]), np.full(8, 100.0)
    >>> changed = np.array([50.0]), np.array([100.0])
    >>> with_variation(1e-12, steady, changed) < 1e-3
    True
    """
    from scipy.special import ndtr

    # `before` and `after` are hits and totals of each block, `p` is Fisher's for their sums.
    edges = np.concatenate([[0.0], (VARIATIONS[1:] + VARIATIONS[:-1]) / 2, [np.inf]])
    prior = np.diff(2 * ndtr(edges / USUAL_VARIATION) - 1)
    (mean, variance, likelihood), (other, other_variance, other_likelihood) = (
        _random_effects(*side) for side in (before, after)
    )
    evidence = likelihood + other_likelihood
    weights = prior * np.exp(evidence - evidence.max())
    distance = np.abs(mean - other) / np.sqrt(variance + other_variance)
    return float(weights @ np.maximum(p, 2 * ndtr(-distance)) / weights.sum())


def _random_effects(hits: Array, totals: Array) -> tuple[Array, Array, Array]:
    """Mean of blocks' rates (probit scale), its variance and the restricted log-likelihood."""
    # At each standard deviation between blocks.
    from scipy.special import ndtri

    present = totals > 0
    hits, totals = hits[present], totals[present]
    rates = ndtri((hits + 0.5) / (totals + 1))
    pooled = (hits.sum() + 0.5) / (totals.sum() + 1)
    # sampling variance by the delta method: p (1 - p) / n over the squared normal density at the probit of p
    sampling = pooled * (1 - pooled) / totals * 2 * np.pi * np.exp(float(ndtri(pooled)) ** 2)
    variances = sampling + VARIATIONS[:, None] ** 2
    precision = (1 / variances).sum(axis=1)
    mean = (rates / variances).sum(axis=1) / precision
    squares = ((rates - mean[:, None]) ** 2 / variances).sum(axis=1)
    likelihood = -(np.log(variances).sum(axis=1) + np.log(precision) + squares) / 2
    return mean, 1 / precision, likelihood if len(rates) > 1 else np.zeros(len(VARIATIONS))


@dataclass(frozen=True)
class Change:
    """A rate that differs in the latest blocks from what it was before."""

    row: int
    column: int
    # How many of the latest blocks show it.
    blocks: int
    hits: int
    of: int
    hits_before: int
    of_before: int
    p: float
    # The number of blocks before the change, where it is most likely to have happened.
    since: int


def find_changes(
    hits: Array,
    totals: Array,
    level: float | Array,
    varies: bool = False,
    reference: tuple[Array, Array] | None = None,
) -> list[Change]:
    """Which rates changed? For every rate the window with the smallest p-value, if below the level."""
    # `hits` (blocks + 1, R, K) and `totals` (blocks + 1, R) are cumulative, the first entry the reference;
    # the level is one for all rates or one for each (R, K). `varies` allows for variation between blocks;
    # `reference` are the hits and totals of the blocks that the reference consists of.
    from scipy.special import ndtri

    levels = np.broadcast_to(np.asarray(level, dtype=np.float64), hits.shape[1:])
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
    # How far from 0 a normal number lies that is as rare as each level says; a class without examples has no
    # level, and no p-value lies below 0.
    least = -_NOT_WORTH_A_TEST * ndtri(levels / 2)
    if len(sizes) > _WINDOWS_TESTED:
        least = np.maximum(least, np.partition(far, -_WINDOWS_TESTED, axis=0)[-_WINDOWS_TESTED])
    best: dict[tuple[int, int], Change] = {}
    for place, row, column in np.argwhere(far >= least).tolist():
        at = place, row, column
        rows_after, rows_before = int(of_after[place, row, 0]), int(of_before[place, row, 0])
        cells = int(after[at]), rows_after, int(before[at]), rows_before
        p = fisher(*cells)
        if varies and p < levels[row, column]:
            known_hits, known_totals = (hits[:1], totals[:1]) if reference is None else reference
            first = (known_hits[:, row, column], known_totals[:, row])
            each = [
                np.concatenate([known, np.diff(every)]).astype(np.float64)
                for known, every in zip(first, (hits[:, row, column], totals[:, row]), strict=True)
            ]
            cut = len(each[0]) - sizes[place]
            p = with_variation(p, (each[0][:cut], each[1][:cut]), (each[0][cut:], each[1][cut:]))
        known = best.get((row, column))
        if p < levels[row, column] and (known is None or p < known.p):
            since = _most_likely_change(hits[:, row, column], totals[:, row])
            best[row, column] = Change(row, column, sizes[place], *cells, p, since)
    return list(best.values())


def _most_likely_change(hits: Array, totals: Array) -> int:
    """After how many blocks the rate most likely changed: where two rates explain the counts best."""
    from scipy.special import xlog1py, xlogy

    before = np.stack([hits[:-1], totals[:-1]]).astype(np.float64)
    sides = np.stack([before, np.array([[hits[-1]], [totals[-1]]]) - before], axis=1)
    share = ratio(*sides)
    return int(np.argmax((xlogy(sides[0], share) + xlog1py(sides[1] - sides[0], -share)).sum(axis=0)))


def detectable_rate(
    hits: float,
    of: float,
    each_block: float,
    looks: int,
    blocks: int,
    alpha: float,
    share: float,
    before: tuple[Array, Array] | None = None,
) -> float | None:
    """The rate to which the next blocks have to fall to be noticed about every second time."""
    # After this many of them; None if not even a rate of 0 would be. `hits` of `of` examples are known, and a
    # block brings `each_block` of them; `share` is the rate's part of the level; `before` the hits and totals
    # of the blocks so far, where rates vary between blocks.
    more = round(each_block * blocks)
    level = share * level_of(looks + blocks, alpha)

    def p_value(low_hits: int) -> float:
        p = fisher(low_hits, more, round(hits), round(of))
        if before is None or p >= level:
            return p
        return with_variation(p, before, (np.full(blocks, low_hits / blocks), np.full(blocks, more / blocks)))

    if not of or not more or not hits or p_value(0) >= level:
        return None
    usual = math.floor(more * hits / of)  # so many hits are not noticed
    return bisect_left(range(1, usual), True, key=lambda low_hits: p_value(low_hits) >= level) / more
