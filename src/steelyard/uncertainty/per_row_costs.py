"""Per-row costs: intervals of a cost, and of differences between models, when each row has its own amount."""
# Three sums a cell are enough: rows, amounts and squared amounts. The rates of the classes are drawn as for
# every other measure; the mean amount of a cell is drawn from an inverse Gamma distribution, which reaches
# further up than down as amounts do, around the mean of its rows and one more that has the mean amount of the
# true class, with the variance that a mean of so many amounts has, and what Student's distribution adds to
# it. A cell with few rows borrows the spread of its true class, too.

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from steelyard.counts.confusion import Confusion
from steelyard.counts.joint import JointCounts
from steelyard.counts.labels import Array
from steelyard.uncertainty.confidence_limits import unbiased_percentiles
from steelyard.uncertainty.dirichlet_posterior import posterior_centres, ratio
from steelyard.uncertainty.resampling import Simulation, blocks, stream_of

# Rows' worth of its true class in what is taken for the spread of a cell's amounts.
BORROWED = 20.0
# The squares of Student's quantiles exceed those of the normal distribution by about 4 / (k + 1) of them, as
# of weights. The variance of skewed amounts is as little known as from a third of the equal amounts that
# they are worth: with lognormal amounts of log-sd 1.2 that covers 94%, degrees of freedom by rows 90%.
_OF_FEW = 12.0
# Fewer decisions, or equal ones that they are worth, hardly show the spread of amounts; nor do amounts so
# uneven that they are worth less than this part of their number (lognormal with a log-sd of 1.2 or more),
# unless that is many.
FEW_AMOUNTS, UNEVEN, MANY = 30, 1 / 3, 1_000


@dataclass(frozen=True, eq=False)
class Spent:
    """What the decisions cost for each row, and what each answer would if it were always given."""

    # Shape (...).
    cost: Array
    # Shape (..., C).
    constants: Array

    @property
    def saved(self) -> Array:
        return np.asarray(self.constants.min(axis=-1) - self.cost)

    @property
    def savings(self) -> Array:
        """Undefined where some answer that is always the same costs nothing."""
        return ratio(self.saved, self.constants.min(axis=-1), np.nan)


def spent(matrices: Array, amounts: Array, fixed: Array, times: Array) -> Spent:
    """The costs on matrices (..., C, C), when the rows of a cell have these amounts on average."""
    rows = matrices.sum(axis=(-1, -2))
    in_cells = matrices * amounts
    cost = (matrices * fixed + in_cells * times).sum(axis=(-1, -2)) / rows
    constants = (matrices.sum(axis=-1) @ fixed + in_cells.sum(axis=-1) @ times) / rows[..., None]
    return Spent(np.asarray(cost), np.asarray(constants))


def mean_amounts(counts: Array, sums: Array) -> Array:
    """The mean amount of each cell; of an empty one that of its true class, or of all rows."""
    return np.where(counts > 0, ratio(sums, counts, 0.0), _of_class(counts, sums)[:, None])


def _of_class(counts: Array, sums: Array) -> Array:
    """The mean amount of each true class, shape (C,); of an empty one that of all rows."""
    whole = float(sums.sum() / max(float(counts.sum()), 1.0))
    return ratio(sums.sum(axis=1), counts.sum(axis=1), whole)


def drawn_costs(
    matrix: Confusion,
    sums: Array,
    squares: Array,
    fixed: Array,
    times: Array,
    how: Simulation,
    factors: Array | None = None,
) -> tuple[Spent, Spent]:
    """The costs on drawn test sets (draws,), and at the mean of what is drawn."""
    # `factors` scale the true classes.
    counts = np.asarray(matrix.counts, dtype=np.float64)
    amounts = (sums + _of_class(counts, sums)[:, None]) / (counts + 1)
    of_class = _variation(*(moment.sum(axis=1) for moment in (counts, sums, squares)))
    spread = mixed_spread(counts, sums, squares, of_class[:, None])
    worth = counts / (1 + spread)
    spread *= (1 + _OF_FEW / (worth + 1)) / (counts + 1)
    joint = JointCounts.from_confusion(matrix)
    random = stream_of(how.seed, 0, 7)
    scale = np.ones((len(counts), 1)) if factors is None else np.asarray(factors).reshape(-1, 1)
    cost, constants = np.empty(how.draws), np.empty((how.draws, len(counts)))
    for where, drawn in blocks(joint, replace(how, prior="observed")):
        moved = around(amounts, spread, random, len(drawn[0]))
        costs = spent(drawn[0] * scale, moved, fixed, times)
        cost[where], constants[where] = costs.cost, costs.constants
    centre = posterior_centres(joint, how.sizes_fixed, "observed")[0]
    return Spent(cost, constants), spent(centre * scale, amounts, fixed, times)


def ends(value: float, drawn: Array, centre: float, level: float) -> tuple[float, float]:
    """The interval of one of the costs, its value inside it."""
    known = drawn[~np.isnan(drawn)]
    if not len(known) or np.isnan(value):
        return float("nan"), float("nan")
    low, high = unbiased_percentiles(known, centre, level)
    return min(low, value), max(high, value)


def _variation(counts: Array, sums: Array, squares: Array) -> Array:
    """The squared coefficient of variation of amounts; 0 where there are none."""
    return np.asarray(np.maximum(ratio(squares * counts, sums**2, 1.0) - 1, 0))


def mixed_spread(counts: Array, sums: Array, squares: Array, of_class: Array) -> Array:
    """The squared coefficients of variation of cells, each mixed with that of its class."""
    borrowed = BORROWED * np.maximum(of_class, 0)
    together = (_variation(counts, sums, squares) * counts + borrowed) / (counts + BORROWED)
    return np.asarray(np.where(counts > 1, together * counts / np.maximum(counts - 1, 1), together))


def around(means: Array, variance: Array, random: np.random.Generator, size: int) -> Array:
    """Inverse Gamma numbers (size, ...) with these means and squared coefficients of variation."""
    moves = (variance > 1e-12) & (means > 0)
    shape = np.where(moves, 1 / np.where(moves, variance, 1.0) + 2, 3.0)
    drawn = (shape - 1) / random.standard_gamma(np.broadcast_to(shape, (size, *means.shape)))
    return np.where(moves, drawn * means, means)


def class_amounts(joint: JointCounts, sums: Array) -> Array:
    """(C,): the mean amount of each true class; of one without rows, that of all rows."""
    of_class = np.bincount(joint.truth, weights=sums, minlength=joint.n_classes)
    return ratio(of_class, joint.actual.astype(np.float64), float(sums.sum() / joint.total))


def costs_seen(joint: JointCounts, sums: Array, fixed: Array, times: Array) -> Array:
    """(M,): what a row costs on the rows themselves."""
    cells = [(joint.truth, predicted) for predicted in joint.predictions.T]
    spent_by = [float((joint.counts * fixed[at] + sums * times[at]).sum()) for at in cells]
    return np.array(spent_by) / joint.total


def drawn_row_costs(
    joint: JointCounts, sums: Array, squares: Array, fixed: Array, times: Array, how: Simulation
) -> tuple[Array, Array]:
    """What a row costs with each model on drawn test sets (M, draws), and at their centre (M,)."""
    how = replace(how, prior="observed") if how.prior == "shared" else how
    counts = joint.counts.astype(np.float64)
    means = ratio(sums, counts, 0.0)
    moments = (np.bincount(joint.truth, moment, joint.n_classes) for moment in (counts, sums, squares))
    spread = mixed_spread(counts, sums, squares, _variation(*moments)[joint.truth])
    random = stream_of(how.seed, 0, 11)
    values = np.empty((len(joint.models), how.draws))
    for where, matrices in blocks(joint, how):
        moved = around(means, spread / counts, random, matrices.shape[1])
        values[:, where] = _costs(joint, matrices, moved, fixed, times)
    centre = posterior_centres(joint, how.sizes_fixed, how.prior)[:, None]
    return values, _costs(joint, centre, means[None], fixed, times)[:, 0]


def _costs(joint: JointCounts, matrices: Array, amounts: Array, fixed: Array, times: Array) -> Array:
    """(M, B) from matrices (M, B, C, C) and mean amounts of the joint cells (B, K)."""
    size = joint.n_classes
    counts = joint.counts.astype(np.float64)
    own_class = np.zeros((len(counts), size))
    own_class[np.arange(len(counts)), joint.truth] = counts
    of_class = (amounts @ own_class) / np.maximum(joint.actual, 1)
    means = np.empty(matrices.shape[:2])
    for m, predicted in enumerate(joint.predictions.T):
        places = np.zeros((len(counts), size * size))
        places[np.arange(len(counts)), joint.truth * size + predicted] = counts
        rows = places.sum(axis=0)
        # Where a model has no such row, its rows would be like others of the true class.
        mean = np.where(rows > 0, (amounts @ places) / np.maximum(rows, 1), np.repeat(of_class, size, axis=1))
        each = fixed + times * mean.reshape(-1, size, size)
        means[m] = (matrices[m] * each).sum(axis=(-1, -2)) / matrices[m].sum(axis=(-1, -2))
    return means


# Simulated intervals of 95% then cover less often (docs/coverage.md).
def uncertain_amounts(decisions: float, total: float, squares: float) -> str:
    """A warning where few decisions, or a few large amounts, say what an error costs."""
    # (sum)² / (sum of squares): how many equal amounts are as uncertain together (Kish 1965)
    worth = total**2 / squares if squares > 0 else decisions
    if decisions < FEW_AMOUNTS:
        return f"The cost rests on few amounts ({decisions:.0f}): its interval is rough."
    if worth < FEW_AMOUNTS or worth < min(UNEVEN * decisions, MANY):
        return (
            f"The {decisions:,.0f} amounts vary so much that the cost is as uncertain as with {worth:.0f}"
            " equal ones: its interval is too narrow where larger amounts than these can occur (95% intervals"
            " covered 87 to 94% in simulations of such amounts)."
        )
    return ""
