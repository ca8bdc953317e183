"""Class priors of unlabelled data (quantification under label shift), by several methods, with intervals."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from statistics import NormalDist

import numpy as np

from steelyard.counts.labels import Array
from steelyard.counts.score_counts import ScoreCounts
from steelyard.counts.ties import Ties
from steelyard.scores import prior_shift
from steelyard.scores.prior_shift import Cells, Reading, drawn_cells, drawn_shares, pooled

COUNTING = "adjusted counting"
EM = "EM"
MATCHING = "distribution matching"
WORDS = {
    COUNTING: "the share of {counted}, corrected by the error rates",
    EM: "the priors that agree with the mean of the recalibrated probabilities (saerens2002)",
    MATCHING: "the mixture of the labelled classes' scores that is nearest to all unlabelled scores",
}

# An even number of bins has an edge in the middle, where two well separated classes meet.
FEWEST_BINS, MOST_BINS = 4, 20
# Bins of what EM asks of a row: the same for labelled and unlabelled rows, so that a step is no error.
FINE_BINS = 20
NEGLIGIBLE = 1e-6
# Distinct scores beyond which EM is found on groups of them.
MOST_SCORES = 20_000
# EM's own equation weights a row by up to 1 / share; the one that intervals ask stops here, or single rows
# would decide.
LEAST_SHARE_ASKED = 0.05
# Draws are spread by this factor where the combination of cells was chosen by the same rows: without it
# intervals cover 92 to 94% (docs/coverage-priors.md). All draws are spread by `_of_few` besides.
SPREAD = 1.05


@dataclass(frozen=True)
class Estimate:
    """The class distribution of unlabelled rows, estimated by one method."""

    method: str
    shares: Array
    low: Array
    high: Array
    # Ends of intervals that hold the shares of all classes at once (Bonferroni).
    low_of_all: Array
    high_of_all: Array


@dataclass(frozen=True)
class Production:
    """What each draw says of the unlabelled rows."""

    # The class distribution and the rates at which classes are called each class, drawn together.

    # (C,), as estimated.
    shares: Array
    # (draws, C), each at least 0.
    drawn_shares: Array
    # (draws, C, cells).
    drawn_rates: Array


def by_counting(
    cells: Cells, level: float, draws: int, random: np.random.Generator
) -> tuple[Estimate, Production]:
    """Adjusted counting, or (with more cells than classes) distribution matching."""
    estimated, weights = prior_shift.nearest_mixture(cells.labelled, cells.unlabelled)
    classes, bins = cells.labelled.shape
    combinations = prior_shift.instruments(cells, weights)
    rates = drawn_cells(cells.labelled, pooled(cells), random, draws)
    seen = drawn_cells(cells.unlabelled, pooled(cells), random, draws)
    shares = drawn_shares(combinations, rates, seen)
    method = COUNTING if bins == classes else MATCHING
    estimate = _estimate(method, estimated, shares, level, float(cells.labelled.sum(axis=1).min()))
    return estimate, Production(estimated, prior_shift.nearest_shares(shares), rates)


def by_em(
    scores: ScoreCounts,
    unlabelled: Ties,
    level: float,
    draws: int,
    random: np.random.Generator,
    readings: tuple[Reading, ...] | None = None,
) -> Estimate:
    """EM on the scores of two classes, the positive one first."""
    # `readings` are those of the labelled rows, where they are known already.
    sides = scores.ranked().sides
    parts = [_grouped(ties) for ties in (*sides, unlabelled)]
    if readings is None:
        extremes = [ties.scores[[0, -1]] for ties in (*sides, unlabelled)]
        is_probability = bool(np.min(extremes) >= 0 and np.max(extremes) <= 1)
        readings = prior_shift.readings_of_scores(parts[0], parts[1], is_probability)
    readings = tuple(reading for reading in readings if reading.weight > NEGLIGIBLE)
    share = 0.0
    for reading in readings:
        ratio = np.exp(reading.log_ratio(parts[2][0]))
        share += reading.weight * prior_shift.most_likely_share(
            np.stack([ratio, np.ones_like(ratio)], axis=1), parts[2][1]
        )
    share /= sum(reading.weight for reading in readings)
    at = min(max(share, LEAST_SHARE_ASKED), 1 - LEAST_SHARE_ASKED)
    # The slope of the likelihood in the share, row by row; asked of the labelled rows too, it is the
    # combination of scores whose mean tells the shares, whatever the readings got wrong.
    slopes = [np.zeros(len(values)) for values, _ in parts]
    for slope, (values, _) in zip(slopes, parts, strict=True):
        for reading in readings:
            beyond = np.exp(reading.log_ratio(values)) - 1
            slope += reading.weight * (beyond / (1 + at * beyond))
    low, high = min(slopes_of.min() for slopes_of in slopes), max(slopes_of.max() for slopes_of in slopes)
    width = (high - low) / FINE_BINS or 1.0
    counts = np.zeros((3, FINE_BINS))
    for kind, (slope, (_, amount)) in enumerate(zip(slopes, parts, strict=True)):
        np.add.at(counts[kind], np.minimum(((slope - low) / width).astype(np.intp), FINE_BINS - 1), amount)
    middle = low + (np.arange(FINE_BINS) + 0.5) * width
    filled = counts.any(axis=0)
    cells = Cells(counts[:2, filled], counts[2, filled])
    like = cells.rates.mean(axis=0)
    rates = drawn_cells(cells.labelled, like, random, draws)
    seen = drawn_cells(cells.unlabelled, like, random, draws)
    shares = drawn_shares(middle[None, filled], rates, seen)
    fewest = float(min(ties.total for ties in sides))
    return _estimate(EM, np.array([share, 1 - share]), shares, level, fewest)


def cells_of_scores(
    scores: ScoreCounts, unlabelled: Ties, bins: int | None = None, edge: float | Array | None = None
) -> tuple[Cells, Array]:
    """Scores of two classes in bins that hold equal parts of both labelled classes, and where bins begin."""
    # Both classes count alike. `edge` are further beginnings of bins, such as a threshold.
    sides = scores.ranked().sides
    if bins is None:
        fewest = float(min(ties.total for ties in sides))
        bins = min(MOST_BINS, max(FEWEST_BINS, 2 * round(np.sqrt(fewest) / 3)))
    # A bin ends with the score that fills it, so that rows with one score are never parted.
    wanted = _next_scores(sides, _quantiles(sides, np.arange(1, bins) / bins - 1e-9))
    starts = np.unique(np.append(wanted, [] if edge is None else edge))
    # How many rows lie from each start on to the next, and first those below all of them.
    cuts = [ties.cut(starts) for ties in (*sides, unlabelled)]
    rows = [np.concatenate([below[:1], np.diff(below), above[-1:]]) for above, below in cuts]
    table = np.stack(rows).astype(np.float64)
    filled = table.any(axis=0)
    return Cells(table[:2, filled], table[2, filled]), np.concatenate([[-np.inf], starts])[filled]


# Sorted scores are searched: merging two classes of a million scores takes a hundred times as long.
def _quantiles(sides: Sequence[Ties], shares: Array) -> Array:
    """The lowest score up to which such a share of the rows lies, both classes counting alike."""
    lowest = np.full(len(shares), np.inf)
    for ties in sides:
        place = np.zeros(len(shares), dtype=np.intp)
        for bit in reversed(range(len(ties.scores).bit_length())):
            tried = np.minimum(place + (1 << bit), len(ties.scores))
            score = ties.scores[tried - 1]
            above = [t.from_place(np.searchsorted(t.scores, score, side="right")) / t.total for t in sides]
            place = np.where(1 - np.mean(above, axis=0) < shares, tried, place)
        lowest = np.minimum(lowest, _score_at(ties, place))
    return lowest


def _next_scores(sides: Sequence[Ties], scores: Array) -> Array:
    """The next higher score of either class, or the highest."""
    after = [_score_at(ties, np.searchsorted(ties.scores, scores, side="right")) for ties in sides]
    return np.asarray(np.minimum(np.min(after, axis=0), max(ties.scores[-1] for ties in sides)))


def _score_at(ties: Ties, place: Array) -> Array:
    return np.where(place < len(ties.scores), ties.scores.take(place, mode="clip"), np.inf)


def _grouped(ties: Ties) -> tuple[Array, Array]:
    """The scores and their counts, in at most so many groups of neighbours."""
    if len(ties.scores) <= MOST_SCORES:
        return np.asarray(ties.scores, dtype=np.float64), np.asarray(ties.counts, dtype=np.float64)
    starts = np.linspace(0, len(ties.scores), MOST_SCORES, endpoint=False).astype(np.intp)
    counts = np.add.reduceat(ties.counts.astype(np.float64), starts)
    sums = np.add.reduceat(ties.scores.astype(np.float64) * ties.counts, starts)
    return sums / counts, counts


def _of_few(examples: float, level: float) -> float:
    """Student's quantile over the normal one: how much wider an interval of so few examples is."""
    # To second order in 1 / examples.
    z, degrees = NormalDist().inv_cdf((1 + level) / 2), max(examples - 1, 1.0)
    first, second = (z**2 + 1) / 4, (5 * z**4 + 16 * z**2 + 3) / 96
    return 1 + first / degrees + second / degrees**2


def _estimate(method: str, shares: Array, drawn: Array, level: float, fewest: float) -> Estimate:
    """`fewest` is the number of labelled examples of the rarest class."""
    middle = np.median(drawn, axis=0)
    factor = (1.0 if method == COUNTING else SPREAD) * _of_few(fewest, level)
    drawn = middle + factor * (drawn - middle)
    tail = (1 - level) / 2
    tails: Sequence[float] = (tail, 1 - tail, tail / len(shares), 1 - tail / len(shares))
    if len(shares) == 2:  # the shares of two classes are one number
        tails = (tail, 1 - tail, tail, 1 - tail)
    ends = np.clip(np.quantile(drawn, tails, axis=0), 0, 1)
    low, low_of_all = np.minimum(ends[[0, 2]], shares)
    high, high_of_all = np.maximum(ends[[1, 3]], shares)
    return Estimate(method, shares, low, high, low_of_all, high_of_all)
