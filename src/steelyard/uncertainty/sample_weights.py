"""Intervals with sample weights: cells of a confusion matrix as rows times their mean weight."""
# A cell of k rows with the weights w_1, w_2, ... is a number of rows times their mean weight. The rows are
# drawn from the posterior that rows without weights have, with its prior, its bias and its designs. The mean
# weight is drawn in two parts (`mean_weights`):
#
# - around that of the cell and one row more, which weighs what errors and hits of the class do elsewhere, as
#   a Gamma number with the variance that the mean of so many weights has. Cells of few rows hardly show how
#   unlike weights are, so that no cell's weights are taken to be less unlike than those of all cells;
# - what errors weigh more than hits is known from the errors alone, and badly from few of them. So the mean
#   weights of all errors have a factor in common, lognormal around 1, which matters where errors are few and
#   is gone where they are many.
#
# That needs two sums and a number a cell, however many rows there are. With equal weights it is the interval
# of rows without weights.

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from steelyard.counts.confusion import Confusion
from steelyard.counts.joint import JointCounts
from steelyard.counts.labels import Array, Label
from steelyard.measures.measure import Measure, weigh
from steelyard.uncertainty import confidence_limits
from steelyard.uncertainty.dirichlet_posterior import Prior, posterior_centres, posterior_matrices, ratio
from steelyard.uncertainty.intervals import Interval, left_out, within_range
from steelyard.uncertainty.resampling import Simulation, design_in_use, groups_of, stream_of

ASSUMED = (
    "Rows have weights: a class is worth (sum of weights)² / (sum of squared weights) examples, and the"
    " intervals allow for that."
)
# Of 36 simulated cells those with more covered 91% and more. With fewer it was 95% on average, but as
# little as 81% where the rarest class is worth three or four.
_FEW = 20
# Here one row decides.
_TOO_FEW = 3
_CELLS_AT_ONCE = 1 << 18
# Weights that vary less are equal but for rounding.
_EQUAL = 1e-12
# The squares of Student's quantiles exceed those of the normal distribution by about 4 / (k + 1) of them
# for k degrees of freedom, from 5 to 20: the mean weight of k errors is as much less sure than its variance
# says.
_OF_FEW_ERRORS = 4.0
# Fits of class scales and the errors' factor to each other; a table is fitted to 1e-6 after a few.
_ROUNDS = 12


@dataclass(frozen=True, eq=False)
class WeightedCounts:
    """Sums of weights and of squared weights, and numbers of rows, cell by cell."""

    weights: Confusion
    squares: Confusion
    rows: Confusion

    @property
    def n_classes(self) -> int:
        return self.weights.n_classes

    @property
    def arrays(self) -> tuple[Array, Array, Array]:
        """The three as numbers (C, C); rows that weigh nothing are none."""
        weights, squares, rows = (
            np.asarray(m.counts, dtype=np.float64) for m in (self.weights, self.squares, self.rows)
        )
        return weights, squares, np.where(weights > 0, rows, 0)

    @property
    def effective(self) -> Array:
        """How many equal examples each class is worth, shape (C,)."""
        return ratio(self.weights.actual**2, self.squares.actual)

    def one_vs_rest(self, label: Label) -> WeightedCounts:
        """The same rows as one class, which stands first, against all others."""
        return WeightedCounts(
            *(matrix.one_vs_rest(label) for matrix in (self.weights, self.squares, self.rows))
        )

    def less(self, subset: WeightedCounts) -> WeightedCounts:
        """All rows but those of a subset."""
        weights = np.maximum(self.weights.counts - subset.weights.counts, 0)
        squares = np.maximum(self.squares.counts - subset.squares.counts, 0)
        # What rounding leaves of an empty cell is nothing.
        nothing = (weights <= 1e-12 * self.weights.counts) | (squares <= 1e-12 * self.squares.counts)
        rows = self.rows.counts - subset.rows.counts
        left = (np.where(nothing, 0, matrix) for matrix in (weights, squares, rows))
        return WeightedCounts(*(Confusion(matrix, self.weights.labels) for matrix in left))


@dataclass(frozen=True, eq=False)
class MeanWeights:
    """What the rows of each cell weigh on average, and with what uncertainty."""

    # Shape (C, C): the weight of a row by its class and whether it is an error.
    expected: Array
    # Shape (C, C): the mean of the cell's own rows and one as expected.
    means: Array
    # Shape (C, C): squared coefficients of variation of single weights.
    spread: Array
    # Shape (C, C): the variance of the means, in squares of them.
    variance: Array
    # The variance of the factor that all errors have in common.
    of_errors: float


def mean_weights(weights: Array, squares: Array, rows: Array) -> MeanWeights:
    """What is known of the weights in cells of so many rows, their sums and the sums of their squares."""
    expected = expected_weights(weights, rows)
    of_cells = np.maximum(ratio(squares * rows, weights**2) - 1, 0)
    # That of all cells: by the rows that are more than one in each; where no cell has two, that of all rows
    # around what is expected of them.
    beyond = np.maximum(rows - 1, 0)
    if beyond.any():
        of_all = float((rows * of_cells * (rows > 1)).sum() / beyond.sum())
    else:
        sums, seconds = ratio(weights, expected).sum(), ratio(squares, expected**2).sum()
        of_all = max(0.0, float(ratio(seconds * rows.sum(), sums**2)) - 1)
    # Few rows show it too small.
    spread = np.maximum(of_cells, of_all)
    errors = float(rows.sum() - np.trace(rows))
    means, of_errors = (weights + expected) / (rows + 1), _OF_FEW_ERRORS * of_all / (errors + 1) ** 2
    return MeanWeights(expected, means, spread, spread / (rows + 1), of_errors)


def expected_weights(weights: Array, rows: Array) -> Array:
    """The weight (C, C) of a row of each cell, if errors of all classes weigh the same multiple."""
    # Of what is right. The scale of every class and that multiple are fitted to the sums by turns. The errors
    # have one more that weighs what is right does, so that few of them say little.
    sums, number, right = weights.sum(axis=1), rows.sum(axis=1), np.diagonal(rows)
    errors = number - right
    wrong_sums = sums - np.diagonal(weights)
    whole = float(sums.sum() / max(float(number.sum()), 1.0))
    multiple, scale = 1.0, np.where(number > 0, ratio(sums, number), whole)
    for _ in range(_ROUNDS):
        multiple = float((ratio(wrong_sums, scale).sum() + 1) / (errors.sum() + 1))
        scale = np.where(number > 0, ratio(sums, right + multiple * errors), whole)
    return np.asarray(scale[:, None] * np.where(np.eye(len(rows), dtype=bool), 1.0, multiple))


def drawn_matrices(
    counts: WeightedCounts, sizes_fixed: bool, random: np.random.Generator, size: int, prior: Prior = "shared"
) -> tuple[Array, Array]:
    """Matrices (size, C, C) at rates drawn from the posterior, and the one (C, C) that they lie around."""
    weights, squares, rows = counts.arrays
    joint = JointCounts.from_confusion(Confusion(rows, counts.weights.labels))
    drawn = posterior_matrices(joint, sizes_fixed, prior, random, size)[0]
    centre = posterior_centres(joint, sizes_fixed, prior)[0]
    known = mean_weights(weights, squares, rows)
    moves = known.variance > _EQUAL
    if moves.any():
        shape = 1 / known.variance[moves]
        drawn[:, moves] *= random.standard_gamma(shape, size=(size, len(shape))) / shape
    if known.of_errors > _EQUAL:
        wrong = ~np.eye(len(rows), dtype=bool)
        factor = np.exp(random.standard_normal(size) * math.sqrt(math.log1p(known.of_errors)))
        drawn[:, wrong] *= factor[:, None]
    return drawn * known.means, centre * known.means


def weighted_intervals(
    counts: WeightedCounts, measures: Sequence[Measure], how: Simulation
) -> dict[str, Interval]:
    """The interval of each measure of rows with weights."""
    draws, level = how.draws, how.level
    estimates = weigh(measures, counts.weights, positive=how.positive, undefined=how.undefined)
    drawn, centres = _drawn_and_central(counts, measures, how)
    # Measures of one class are drawn from two, which have nothing to borrow.
    many = [m for m in measures if m.kind != "two-class"]
    weights, squares, rows = counts.arrays
    random, known = stream_of(how.seed, 0, 11), mean_weights(weights, squares, rows)

    def with_weights(sets: Array, smoothed: Array) -> tuple[Array, Array]:
        """Each cell's rows with weights around what is expected."""
        sums, uneven = sets.astype(np.float64), (sets > 0) & (known.spread > _EQUAL)
        spread = np.broadcast_to(known.spread, sets.shape)[uneven]
        sums[uneven] = random.standard_gamma(sums[uneven] / spread) * spread
        return sums * known.expected, smoothed * known.expected

    joint = JointCounts.from_confusion(Confusion(rows, counts.weights.labels))
    biases = confidence_limits.biases_of_test_sets(joint, many, how, random, counts.weights, with_weights)
    worth = counts.effective
    fewest, rough = float(worth[worth > 0].min()), []
    if fewest < _TOO_FEW:
        rough.append(f"a class is worth {fewest:.3g} examples only: no interval can be relied on")
    elif fewest < _FEW:
        rough.append(
            f"the rarest class is worth {fewest:.3g} examples only, so the interval is rough, and too narrow"
            " if errors weigh more than what is right"
        )
    intervals = {}
    for m in measures:
        estimate, values = float(estimates[m.name]), drawn[m.name][~np.isnan(drawn[m.name])]
        low = high = math.nan
        if math.isnan(estimate) or not len(values):
            notes = ["undefined" if math.isnan(estimate) else "undefined in every draw"]
        else:
            notes = rough + left_out(draws - len(values), draws)
            if confidence_limits.is_ratio(m):
                low, high = confidence_limits.percentiles(values, level)
            else:
                bias = biases.get(m.name, 0.0)
                low, high = confidence_limits.unbiased_percentiles(values, centres[m.name], level, bias)
        low, high = within_range(m, counts.n_classes, estimate, low, high)
        missing, note = draws - len(values), "; ".join(notes)
        method = "corrected", design_in_use(how.design), draws, missing, note
        intervals[m.name] = Interval(m.name, estimate, low, high, level, *method)
    return intervals


def _drawn_and_central(
    counts: WeightedCounts, measures: Sequence[Measure], how: Simulation
) -> tuple[dict[str, Array], dict[str, float]]:
    """The values of measures on drawn test sets (draws,), and at the mean of what is drawn."""
    values = {m.name: np.empty(how.draws) for m in measures}
    centres: dict[str, float] = {}
    for group_counts, group, within in groups_of(counts, list(measures), how):
        random, labels = stream_of(how.seed, 0, 4), group_counts.weights.labels
        step = max(16, _CELLS_AT_ONCE // group_counts.n_classes**2)
        for start in range(0, how.draws, step):
            size = min(step, how.draws - start)
            matrices, centre = drawn_matrices(group_counts, how.sizes_fixed, random, size, within.prior)
            for name, some in within.values(group, Confusion(matrices, labels)).items():
                values[name][start : start + size] = some
        centres |= within.values(group, Confusion(centre, labels))
    return values, centres
