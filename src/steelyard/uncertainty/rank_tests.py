"""Rank tests over data sets: Friedman, Iman-Davenport, Nemenyi, Wilcoxon with Holm, Bayesian signed-rank.

Values have a row for each data set and a column for each model. The tests are those of Demsar (2006),
"Statistical comparisons of classifiers over multiple data sets", and Benavoli et al. (2017), "Time for a
change". Friedman's chi-square is corrected for ties, as in SciPy and R; without ties it is Demsar's formula.
The expected difference is that of a random-effects model.
"""

from __future__ import annotations

import functools
import math
from dataclasses import dataclass

import numpy as np

from steelyard.counts.labels import Array
from steelyard.report.records import Amount, Record

# Formulas in place of `scipy.stats`: importing it takes as long as all tests of 12 models on 30 data sets.
# tests/judgement/compare/test_datasets.py compares the two.
# Dirichlet draws of the Bayesian signed-rank test: a probability is known to about 0.01. In blocks that stay
# in cache.
DRAWS, BLOCK = 5_000, 1_000
# Weight of the pseudo-observation of no difference (Benavoli et al. 2014).
PRIOR_WEIGHT = 0.5
# Differences of rounded scores are equal up to so much.
ROUNDING = 1e-12
# The exact distribution of Wilcoxon's statistic up to so many data sets without ties and with ties, as in
# SciPy; beyond, the normal approximation.
MOST_EXACT, MOST_TIED = 50, 13


@dataclass(frozen=True)
class Friedman(Record):
    """Friedman's test of equal mean ranks, and the less conservative F of Iman and Davenport."""

    chi_square: float
    p_value: float
    iman_davenport_f: Amount
    iman_davenport_p_value: float


@dataclass(frozen=True)
class SignedRank(Record):
    """Posterior of the Bayesian signed-rank test: which of three outcomes is the most probable."""

    probability_better: float
    probability_equal: float
    probability_worse: float


def _ranks_and_ties(values: Array) -> tuple[Array, float]:
    """Ranks, 1 the smallest; ties share their mean rank. Also the sum of t³ - t over ties of t values."""
    ordered = np.sort(values)
    below, at_most = (np.searchsorted(ordered, values, side) for side in ("left", "right"))
    return (below + at_most + 1) / 2, float(((at_most - below) ** 2 - 1).sum())


def ranks_of(values: Array, lower_is_better: bool = False) -> Array:
    """Ranks within each data set, 1 the best; ties share their mean rank."""
    return np.array([_ranks_and_ties(row)[0] for row in (values if lower_is_better else -values)])


def friedman(values: Array) -> Friedman | None:
    """None for fewer than three models or two data sets, or where no data set distinguishes any models."""
    from scipy.special import chdtrc, fdtrc

    datasets, models = values.shape
    if models < 3 or datasets < 2 or not np.ptp(values, axis=1).any():
        return None
    ranks, ties = zip(*map(_ranks_and_ties, values), strict=True)
    squares = float((np.sum(ranks, axis=0) ** 2).sum())
    uncorrected = 12 / (datasets * models * (models + 1)) * squares - 3 * datasets * (models + 1)
    chi_square = uncorrected / (1 - sum(ties) / (datasets * models * (models**2 - 1)))
    rest = datasets * (models - 1) - chi_square
    # All data sets rank alike: F is infinite.
    f_value = (datasets - 1) * chi_square / rest if rest > 1e-9 else math.inf
    degrees = (models - 1, (models - 1) * (datasets - 1))
    return Friedman(
        chi_square, float(chdtrc(models - 1, chi_square)), f_value, float(fdtrc(*degrees, f_value))
    )


def critical_difference(models: int, datasets: int, level: float) -> float:
    """Nemenyi's critical difference of mean ranks."""
    return _range_quantile(models, level) / math.sqrt(2) * math.sqrt(models * (models + 1) / (6 * datasets))


@functools.cache
def _range_quantile(models: int, level: float) -> float:
    low, high = 0.0, 100.0
    for _ in range(60):  # bisection
        middle = (low + high) / 2
        below = _range_tail(np.array([middle]), models)[0] > 1 - level
        low, high = (middle, high) if below else (low, middle)
    return low


def _range_tail(ranges: Array, models: int) -> Array:
    """Studentized range with infinite degrees of freedom: the probability that the range of normal numbers is
    larger. The trapezoidal rule over the least of them is exact to rounding, because the integrand is smooth
    and vanishes at both ends."""
    from scipy.special import ndtr

    least, step = np.linspace(-9, 9, 361, retstep=True)
    density = np.exp(-(least**2) / 2) / math.sqrt(2 * math.pi) * step
    others = (ndtr(least + ranges[:, None]) - ndtr(least)) ** (models - 1)
    return np.asarray(np.maximum(0.0, 1 - models * others @ density))


def nemenyi_p_values(differences: Array, models: int, datasets: int) -> Array:
    """p-values of differences of mean ranks, corrected for all pairs by the studentized range."""
    scale = math.sqrt(models * (models + 1) / (6 * datasets))
    return _range_tail(np.abs(differences) / scale * math.sqrt(2), models)


def wilcoxon_p_value(differences: Array) -> float:
    """Two-sided signed-rank test; differences of 0 count half for each model (Demsar 2006, section 3.1.3)."""
    number, zero = len(differences), differences == 0
    if zero.all():
        return 1.0
    ranks, ties = _ranks_and_ties(np.abs(differences))
    positive = float(ranks[differences > 0].sum())
    if number <= (MOST_TIED if ties or zero.any() else MOST_EXACT):
        # Tied ranks are halves: doubled they are whole numbers.
        sums = _sign_flips(tuple(sorted((2 * ranks[~zero]).astype(int).tolist())))
        place = round(2 * positive)
        return min(1.0, 2 * float(min(sums[: place + 1].sum(), sums[place:].sum())))
    deviation = positive + ranks[zero].sum() / 2 - number * (number + 1) / 4
    variance = number * (number + 1) * (2 * number + 1) / 24 - ties / 48
    return math.erfc(abs(deviation) / math.sqrt(2 * variance))


@functools.lru_cache(maxsize=64)
def _sign_flips(ranks: tuple[int, ...]) -> Array:
    """The distribution of the sum of the positive ranks where every sign is a coin toss."""
    sums = np.ones(1)
    for rank in ranks:
        sums = (np.pad(sums, (0, rank)) + np.pad(sums, (rank, 0))) / 2
    return sums


def signed_rank_posteriors(differences: Array, rope: float, seed: int) -> list[SignedRank]:
    """Bayesian signed-rank test of each pair's differences (pairs, data sets; higher is better) with a region
    of practical equivalence.

    A draw weighs all pairs of data sets; an outcome's probability is the share of draws in which it has the
    largest weight.
    """
    # Weights of Dirichlet(1/2, 1, ..., 1) are exponential and one gamma variable, up to their sum, which no
    # comparison of outcomes needs. Those of the data sets are exchangeable, so a draw is assigned to the
    # sorted differences of each pair of models: all pairs share its cumulative sums.
    random = np.random.Generator(np.random.PCG64(np.random.SeedSequence(seed, spawn_key=(0, 38))))
    limits = [[_staircases(row, limit) for limit in (-2 * rope, 2 * rope)] for row in np.sort(differences)]
    chances = np.zeros((len(differences), 3))
    for _ in range(0, DRAWS, BLOCK):
        weights = random.standard_exponential((differences.shape[1], BLOCK))
        prior = random.standard_gamma(PRIOR_WEIGHT, BLOCK)
        cumulative = np.concatenate([np.zeros((1, BLOCK)), np.cumsum(weights, axis=0)])
        total = (cumulative[-1] + prior) ** 2
        for k, staircases in enumerate(limits):
            worse, not_better = (_weight_below(s, weights, cumulative, prior) for s in staircases)
            outcomes = np.stack([total - not_better, not_better - worse, worse])
            if rope == 0:
                outcomes[1] = -1
            top = outcomes >= outcomes.max(axis=0) - ROUNDING * total
            chances[k] += (top / top.sum(axis=0)).sum(axis=1)
    return [SignedRank(*row) for row in (chances / DRAWS).tolist()]


# Where the sum of two sorted differences is below a limit: rows, how many partners each of them has, how many
# rows are below it when doubled, how many when added to the pseudo-observation of 0, and whether that one is
# itself below it.
Staircase = tuple[slice, list[int], int, int, bool]


def _staircases(ordered: Array, limit: float) -> list[Staircase]:
    """The sums below the limit, and those up to it if that differs: a sum at the limit counts half."""
    staircases: list[Staircase] = []
    for bound in (limit - ROUNDING, limit + ROUNDING):
        partners = np.searchsorted(ordered, bound - ordered)
        square = int(np.count_nonzero(partners > np.arange(len(ordered))))
        # Sums are symmetric: rows before or after the corner of the largest square suffice.
        rows = slice(0, square) if 2 * square < len(ordered) else slice(square, len(ordered))
        with_zero = int(np.searchsorted(ordered, bound))
        staircases.append((rows, partners[rows].tolist(), square, with_zero, bound > 0))
    return staircases[: 1 if staircases[0] == staircases[1] else 2]


def _weight_below(staircases: list[Staircase], weights: Array, cumulative: Array, prior: Array) -> Array:
    """The weight of the pairs of data sets whose sum is below the limit."""
    below = np.zeros(len(prior))
    for rows, partners, square, with_zero, zero in staircases:
        beyond = 2 * np.einsum("ij,ij->j", weights[rows], cumulative[partners])
        corner = (1 if rows.start else -1) * cumulative[square] ** 2
        below += beyond + corner + 2 * prior * cumulative[with_zero] + zero * prior**2
    return below / len(staircases)


# Grid points of the standard deviation between data sets.
POINTS = 400


@dataclass(frozen=True)
class ExpectedDifference(Record):
    """The difference on a new data set: its expectation with interval, and what a new data set may show."""

    mean: float
    low: float
    high: float
    p_value: float
    """Twice the smaller posterior tail of the expected difference beyond 0."""
    between: float
    """Posterior mean of the standard deviation between data sets."""
    probability_better: float
    """That the true difference on a new data set is above the region of practical equivalence."""
    probability_equal: float
    probability_worse: float


def expected_difference(
    differences: Array, errors: Array, rope: float, level: float
) -> ExpectedDifference | None:
    """From differences (higher is better) and their standard errors; None for fewer than two data sets."""
    from scipy.special import beta, chdtri, ndtr, stdtr, stdtrit

    if len(differences) < 2:
        return None
    largest = max(4 * float(np.std(differences)), 4 * float(np.median(errors)), 1e-9)
    # Squared spacing puts points near 0, where the likelihood changes most.
    spread = largest * (np.arange(POINTS) + 0.5) ** 2 / POINTS**2
    precision = 1 / (errors[None] ** 2 + spread[:, None] ** 2)
    total = precision.sum(axis=1)
    means = (precision * differences).sum(axis=1) / total
    squares = (precision * (differences - means[:, None]) ** 2).sum(axis=1)
    log_likelihood = 0.5 * (np.log(precision).sum(axis=1) - np.log(total) - squares)
    # Jeffreys' prior (Bodnar et al. 2017) is 0 where data sets do not differ. Priors that are not (uniform
    # shrinkage, DuMouchel's) covered 90% where 10 data sets differ by 0.06, this one 93% (500 simulated
    # tables, standard errors 0.01 to 0.06).
    jeffreys = spread * np.sqrt((precision**2).sum(axis=1))
    mass = np.exp(log_likelihood - log_likelihood.max()) * jeffreys * np.sqrt(spread)  # the grid's spacing
    mass /= mass.sum()
    # Hartung and Knapp (2001): the scatter of the differences says how uncertain their mean is, with
    # Student's t. With 1 / total instead, intervals covered 97 to 100% where data sets hardly differ.
    # Less scatter than one in a thousand tables has is not believed.
    degrees = len(differences) - 1
    lacking = max(float(chdtri(degrees, 0.999)) - squares[0], 0.0)
    scale = np.sqrt((squares + lacking) / degrees / total)
    new = np.sqrt(1 / total + spread**2)

    def new_below(value: float) -> float:
        return float(mass @ ndtr((value - means) / new))

    # Newton's method for both limits, bisection where it leaves their bracket.
    tails = np.array([(1 - level) / 2, (1 + level) / 2])
    reach = 1.01 * float(np.max(np.abs(means) + stdtrit(degrees, tails[1]) * scale))
    low, high, limits = np.full(2, -reach), np.full(2, reach), np.full(2, mass @ means)
    for _ in range(60):
        distances = (limits[:, None] - means) / scale
        excess = stdtr(degrees, distances) @ mass - tails
        low, high = np.where(excess < 0, limits, low), np.where(excess < 0, high, limits)
        if np.abs(excess).max() < 1e-14:
            break
        slope = (1 + distances**2 / degrees) ** (-(degrees + 1) / 2) @ (mass / scale)
        slope /= math.sqrt(degrees) * beta(0.5, degrees / 2)
        limits = limits - excess / np.maximum(slope, 1e-300)
        limits = np.where((low < limits) & (limits < high), limits, (low + high) / 2)
    at_most = float(mass @ stdtr(degrees, -means / scale))
    worse, better = new_below(-rope), 1 - new_below(rope)
    return ExpectedDifference(
        float(mass @ means),
        float(limits[0]),
        float(limits[1]),
        min(1.0, 2 * min(at_most, 1 - at_most)),
        float(mass @ spread),
        better,
        max(0.0, 1 - better - worse),
        worse,
    )
