"""Stratified samples of a finite pool: inverse-probability estimates and intervals of any metric."""
# Of every stratum some rows are labelled at random, so a labelled row stands for (rows / labelled rows) rows.
# The interval generalises the gamma interval of a weighted sum of rare counts (Fay and Feuer 1997,
# doi:10.1002/(SICI)1097-0258(19970415)16:7<791::AID-SIM500>3.0.CO;2-#, with the mean weight of Tiwari, Clegg
# and Zou 2006 and the mid-p version of Fay and Kim 2017) to metrics of a confusion matrix:
#
# - The unlabelled rows of a stratum are drawn from the Polya posterior, a Dirichlet distribution without a
#   prior, which has the variance of a finite population. It knows nothing of what no label has shown.
# - One more labelled row is therefore imagined in that cell of the matrix where it lowers the metric most
#   (for the lower limit) or raises it most (for the upper one), spread over the strata like the labels of
#   rows with this prediction. For one stratum and a share this is the Clopper-Pearson interval. A difference
#   of two models depends on two kinds of rows, those that only the first and those that only the second
#   predicts positive: each prediction has such a row, unless it moves the metric less than half as far.
# - Each limit is the percentile of both posteriors together, half with and half without the additional row.

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from steelyard.counts.confusion import Confusion
from steelyard.counts.labels import Array, Label
from steelyard.measures.measure import Measure
from steelyard.uncertainty.confidence_limits import quantiles
from steelyard.uncertainty.intervals import Interval
from steelyard.uncertainty.resampling import Simulation

# The values of metrics by name for numbers of rows in each category, shape (..., categories).
Compute = Callable[[Array], Mapping[str, Array]]

ASSUMED = (
    "Confidence intervals treat the labelled rows of each stratum as a random sample of it; what is estimated"
    " is the pool."
)
ASSUMED_OF_GOLD = (
    "Metrics are against the checked labels, corrected with the recorded labels of all rows; the checked rows"
    " are treated as a random sample of the rows, and the rows as one of a population."
)
# Of each posterior; a limit is the percentile of two of them.
MOST_DRAWS = 2_000
_CELLS_AT_ONCE = 1 << 21
# Labelled rows of a class below which one label decides.
_FEW = 3


@dataclass(frozen=True, eq=False)
class StratifiedSample:
    """Labelled rows by stratum and category; a category is a true class with what was predicted."""

    # Labelled rows, shape (strata, categories).
    counts: Array
    # Rows of each stratum, labelled or not, shape (strata,).
    sizes: Array
    # For each category a number for what was predicted, shape (categories,).
    predictions: Array
    # Parameters that the Dirichlet distributions have beside the labels, shape (strata, categories), where
    # the rows of all strata are a random sample themselves, so that their numbers are uncertain too.
    prior: Array | None = None

    @classmethod
    def of_matrices(cls, matrices: Array, sizes: Array, prior: Array | None = None) -> StratifiedSample:
        """Of confusion matrices of the labelled rows, shape (strata, C, C)."""
        classes = matrices.shape[-1]
        return cls(
            matrices.reshape(len(matrices), -1).astype(float),
            np.asarray(sizes, dtype=float),
            np.tile(np.arange(classes), classes),
            prior,
        )

    @property
    def labelled(self) -> Array:
        """Labelled rows of each stratum."""
        return np.asarray(self.counts.sum(axis=1))

    @property
    def totals(self) -> Array:
        """Inverse-probability estimate of the rows of the pool in each category (Horvitz and Thompson)."""
        return np.asarray((self.sizes / self.labelled) @ self.counts)

    def with_one_more(self, category: int) -> Array:
        """The counts with one more labelled row in a category."""
        # Spread over the strata that are not wholly labelled like the labels of rows with this prediction.
        alike = self.counts[:, self.predictions == self.predictions[category]].sum(axis=1)
        alike = np.where(self.labelled < self.sizes, alike, 0.0)
        more = self.counts.copy()
        if alike.any():
            more[:, category] += alike / alike.sum()
        return more

    def _moving_most(self, moves: Array, of_each: bool) -> tuple[int, ...]:
        """The category whose additional row moves a metric furthest; `of_each` prediction, without those that
        move it less than half as far as the best of all."""
        if not of_each:
            return (int(np.argmax(moves)),)
        of_predictions = [np.flatnonzero(self.predictions == k) for k in np.unique(self.predictions)]
        furthest = [int(each[np.argmax(moves[each])]) for each in of_predictions]
        best = max(furthest, key=lambda category: moves[category])
        return tuple(k for k in furthest if k == best or 0 < moves[best] <= 2 * moves[k])

    def drawn_totals(self, parameters: Array, random: np.random.Generator, size: int) -> Array:
        """Rows of the pool in each category, shape (size, categories)."""
        # Labelled rows as they are, the others from a Dirichlet-multinomial distribution.
        strata, categories = self.counts.shape
        if self.prior is not None:
            parameters = parameters + self.prior
        totals = np.empty((size, categories))
        step = max(1, _CELLS_AT_ONCE // (strata * categories))
        for start in range(0, size, step):
            number = min(step, size - start)
            shares = random.standard_gamma(np.broadcast_to(parameters, (number, strata, categories)))
            if self.prior is not None:
                weights = random.standard_gamma(np.broadcast_to(self.sizes, (number, strata)))
                weights *= self.sizes.sum() / weights.sum(axis=1, keepdims=True) / shares.sum(axis=2)
                totals[start : start + number] = np.einsum("nh,nhk->nk", weights, shares)
                continue
            # Shares of what is left, so that a multinomial draw is a row of binomial ones.
            remaining = shares[:, :, ::-1].cumsum(axis=2)[:, :, ::-1]
            unlabelled = np.broadcast_to((self.sizes - self.labelled).astype(np.int64), (number, strata))
            for k in range(categories):
                used = parameters[:, k] > 0
                drawn = np.zeros((number, strata), dtype=np.int64)
                share = shares[:, used, k] / remaining[:, used, k]
                drawn[:, used] = random.binomial(unlabelled[:, used], np.clip(np.nan_to_num(share), 0, 1))
                unlabelled = unlabelled - drawn
                totals[start : start + number, k] = drawn.sum(axis=1) + self.counts[:, k].sum()
        return totals

    def limits(
        self,
        compute: Compute,
        *,
        level: float,
        draws: int,
        seed: int,
        is_difference: Callable[[str], bool] = lambda name: False,
    ) -> dict[str, Limits]:
        """The confidence limits of each metric that `compute` gives, some of them differences of models."""
        random = np.random.default_rng(seed)
        estimates = compute(self.totals)
        plain = compute(self.drawn_totals(self.counts, random, draws))
        imagined = [self.with_one_more(k) for k in range(self.counts.shape[1])]
        moved = compute(np.stack([(self.sizes / more.sum(axis=1)) @ more for more in imagined]))
        tail = (1 - level) / 2
        wanted: dict[tuple[int, ...], list[tuple[str, float]]] = {}
        drawn: dict[str, dict[float, Array]] = {name: {} for name in estimates}
        undefined = dict.fromkeys(estimates, 0)
        for name, values in moved.items():
            if math.isnan(float(estimates[name])) or np.isnan(values).all():
                continue
            moves = values - float(estimates[name])
            for sign, probability in ((-1, tail), (1, 1 - tail)):
                further = np.nan_to_num(sign * moves, nan=-np.inf)
                categories = self._moving_most(further, is_difference(name))
                wanted.setdefault(categories, []).append((name, probability))
        for categories, tails in wanted.items():
            parameters = self.counts + sum(imagined[k] - self.counts for k in categories)
            more = compute(self.drawn_totals(parameters, random, draws))
            for name, probability in tails:
                both = np.concatenate([plain[name], more[name]])
                defined = both[~np.isnan(both)]
                undefined[name] = max(undefined[name], len(both) - len(defined))
                if len(defined):
                    drawn[name][probability] = defined
        limits = {}
        for name, estimate in estimates.items():
            value, ends = float(estimate), drawn[name]
            low, high = (quantiles(ends[p], p)[0] if p in ends else math.nan for p in (tail, 1 - tail))
            limits[name] = Limits(
                value, min(low, value), max(high, value), undefined[name], ends.get(tail), ends.get(1 - tail)
            )
        return limits


@dataclass(frozen=True, eq=False)
class Limits:
    """An estimate and its confidence limits."""

    estimate: float
    low: float
    high: float
    undefined_draws: int = 0
    # The draws whose percentile is the lower limit; None where the metric is undefined.
    low_draws: Array | None = None
    high_draws: Array | None = None

    @property
    def half_width(self) -> float:
        return (self.high - self.low) / 2


def stratified_intervals(
    matrices: Array,
    sizes: Array,
    labels: Sequence[Label],
    measures: Sequence[Measure],
    how: Simulation,
    prior: Array | None = None,
) -> dict[str, Interval]:
    """The interval of each metric from the labelled rows of each stratum, shape (strata, C, C)."""
    classes, draws = len(labels), min(how.draws, MOST_DRAWS)

    def compute(totals: Array) -> Mapping[str, Array]:
        return how.values(measures, Confusion(totals.reshape(*totals.shape[:-1], classes, classes), labels))

    sample = StratifiedSample.of_matrices(matrices, sizes, prior)
    fewest = int(matrices.sum(axis=(0, 2)).min())
    few = f"a class has {fewest:,} labelled rows only" if fewest < _FEW else ""
    intervals = {}
    for name, limits in sample.limits(compute, level=how.level, draws=draws, seed=how.seed).items():
        method = "stratified", "sample", 2 * draws, limits.undefined_draws
        note = "undefined" if math.isnan(limits.estimate) else few
        intervals[name] = Interval(name, limits.estimate, limits.low, limits.high, how.level, *method, note)
    return intervals
