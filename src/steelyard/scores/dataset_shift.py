"""Dataset shift of unlabelled scores: test of label shift, and performance under covariate shift."""
# Label shift says that the unlabelled scores are a mixture of the labelled classes' scores. Then the means of
# any functions of the score are the same mixture of the classes' means: with more functions than free shares
# these equations overdetermine the shares, and hansen1982's J, the squared distance of the nearest mixture in
# the metric of both samples' covariance, has a chi-squared distribution. The functions are the first Legendre
# polynomials of the rank (neyman1937's smooth components): departures that move a metric are smooth.
#
# Under covariate shift P(positive | score) stays, and is learnt on the labelled rows: logistic regression on
# a linear spline of the score (platt1999, with slopes that may change at three knots, a ridge penalty against
# it), with a step at the threshold, so that the rows above it have their own mean. Each unlabelled row then
# counts as P(positive | score) of a positive one, which gives an expected confusion matrix and every metric
# of it (confidence-based performance estimation). Draws resample both sets, calibration included.

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from steelyard.counts.labels import Array
from steelyard.counts.score_counts import ScoreCounts
from steelyard.counts.ties import Ties
from steelyard.scores.prior_shift import Cells, log_odds, nearest_mixture
from steelyard.scores.unlabelled_priors import cells_of_scores

# Legendre polynomials whose means are compared (docs/coverage-production.md has size and power).
POLYNOMIALS = 5
# Fewer unlabelled rows do not say how uncertain their means are, and reject nothing.
FEWEST_ROWS = 30
# Below this p-value label shift is rejected.
REJECTED = 0.05
# Prevalences at which the distance of a mixture of two classes is computed.
_SHARES = np.linspace(0, 1, 401)


def label_shift_p_value(cells: Cells, ordered: bool) -> float:
    """The p-value of label shift; `ordered` cells are bins of scores of two classes, else labels."""
    # Predicted labels determine the shares exactly: only shares below 0 speak against label shift, and the
    # p-value, that of as many degrees of freedom as free shares, is conservative.
    from scipy.special import chdtrc

    classes, bins = cells.labelled.shape
    if cells.unlabelled.sum() < FEWEST_ROWS:
        return 1.0
    if ordered:
        functions = min(POLYNOMIALS, bins - 1)
        if functions < classes:
            return 1.0
        mass = (cells.rates.sum(axis=0) + cells.seen) / (classes + 1)
        rank = 2 * (np.cumsum(mass) - mass / 2) - 1
        features = np.polynomial.legendre.legvander(rank, functions)[:, 1:]
        shares = np.stack([_SHARES, 1 - _SHARES], axis=1)
        degrees = functions - (classes - 1)
    else:
        features = np.eye(bins)[:, :-1]
        shares = nearest_mixture(cells.labelled, cells.unlabelled)[0][None]
        degrees = classes - 1
    distance = float(_distances(cells, features, shares).min())
    return float(chdtrc(degrees, distance)) if distance > 1e-9 else 1.0


def _distances(cells: Cells, features: Array, shares: Array) -> Array:
    """(S,): the distance between the features' means in the unlabelled rows and in each mixture (S, C)."""
    means = cells.rates @ features
    missed = cells.seen @ features - shares @ means
    spread = np.stack([_covariance(rates, features) for rates in cells.rates])
    sizes = cells.labelled.sum(axis=1)
    covariance = _covariance(cells.seen, features) / cells.unlabelled.sum() + np.einsum(
        "sk,kij->sij", shares**2, spread / sizes[:, None, None]
    )
    covariance = covariance + 1e-12 * np.eye(features.shape[1])
    return np.asarray(np.einsum("si,si->s", missed, np.linalg.solve(covariance, missed[..., None])[..., 0]))


def _covariance(distribution: Array, features: Array) -> Array:
    mean = distribution @ features
    return np.asarray((features * distribution[:, None]).T @ features - np.outer(mean, mean))


FINE_BINS = 200
# Where the slope of the calibration curve may change: quantiles of both labelled classes counting alike.
KNOTS = (0.2, 0.5, 0.8)
# Penalty on a change of slope, in squared standard deviations of the score per unit of log-likelihood.
RIDGE = 3.0
# Penalty on the step at the threshold. Without it a curve that misses the labelled precision a little is
# trusted as if it did not: 93% of the intervals held under covariate shift, with it 96%.
STEP_RIDGE = 0.1
NEWTON_STEPS = 25
# The largest share of unlabelled scores outside the labelled range at which calibration is carried over.
OUTSIDE = 0.01
# The same for the share of unlabelled rows among whose neighbours there are few labelled ones.
UNSUPPORTED = 0.05
FEWEST_NEIGHBOURS = 5
NEIGHBOURHOODS = 20


@dataclass(frozen=True)
class ScoredCells:
    """Scores of two labelled classes (the positive one first) and of unlabelled rows in fine bins."""

    cells: Cells
    # (B,): where the bins begin.
    starts: Array
    # (B,): the mean score of all rows in each bin.
    means: Array
    # (G,): the first bin of each coarse bin, by which prevalence is estimated.
    groups: Array
    is_probability: bool
    # The share of unlabelled rows outside the range of the labelled scores.
    outside: float
    # The share of unlabelled rows with few labelled neighbours.
    unsupported: float
    threshold: float | None

    @property
    def carries_over(self) -> bool:
        """Do the labelled rows say what unlabelled scores mean?"""
        return self.outside <= OUTSIDE and self.unsupported <= UNSUPPORTED

    @property
    def coarse(self) -> Cells:
        """The coarse bins."""
        return Cells(self.grouped(self.cells.labelled), self.grouped(self.cells.unlabelled))

    def grouped(self, values: Array) -> Array:
        """Sums over the coarse bins."""
        return np.asarray(np.add.reduceat(values, self.groups, axis=-1))


def scored_cells(scores: ScoreCounts, unlabelled: Ties, threshold: float | None = None) -> ScoredCells:
    """Both sets in fine bins, of which coarse ones and the threshold are edges."""
    _, coarse_starts = cells_of_scores(scores, unlabelled, edge=threshold)
    edges = coarse_starts[np.isfinite(coarse_starts)]
    cells, starts = cells_of_scores(scores, unlabelled, FINE_BINS, edge=edges)
    sides = (*scores.ranked().sides, unlabelled)
    sums = np.zeros(len(starts))
    for ties in sides:
        sums += ties.added([0, *np.searchsorted(ties.scores, starts[1:]).tolist(), len(ties.scores)])[1]
    rows = cells.labelled.sum(axis=0) + cells.unlabelled
    groups = np.flatnonzero(np.diff(np.searchsorted(coarse_starts, starts, side="right"), prepend=0))
    ends = np.array([ties.scores[[0, -1]] for ties in sides], dtype=np.float64)
    above = np.searchsorted(unlabelled.scores, ends[:2].max(), side="right")
    outside = unlabelled.cut(ends[:2].min(keepdims=True)[0])[1] + unlabelled.from_place(above)
    # The share of unlabelled rows in twentieths of them that hold few labelled rows.
    reached = np.cumsum(cells.seen) - cells.seen / 2
    twentieth = np.minimum((reached * NEIGHBOURHOODS).astype(np.intp), NEIGHBOURHOODS - 1)
    near = np.bincount(twentieth, cells.labelled.sum(axis=0), NEIGHBOURHOODS)
    mass = np.bincount(twentieth, cells.seen, NEIGHBOURHOODS)
    return ScoredCells(
        cells,
        starts,
        sums / rows,
        groups,
        bool(ends.min() >= 0 and ends.max() <= 1),
        float(outside.item() / unlabelled.total),
        float(mass[near < FEWEST_NEIGHBOURS].sum()),
        threshold,
    )


def calibrated(cells: ScoredCells, labelled: Array) -> Array:
    """(..., B): P(positive | bin), by labelled counts (..., 2, B)."""
    from scipy.special import expit

    features = _spline(cells)
    products = (features[:, :, None] * features[:, None, :]).reshape(len(features), -1)
    penalty = np.array([0.0, 0.01, *[RIDGE] * len(KNOTS), STEP_RIDGE])
    positives, totals = labelled[..., 0, :], labelled.sum(axis=-2)
    weights = np.zeros((*positives.shape[:-1], features.shape[1]))
    negatives = totals.sum(axis=-1) - positives.sum(axis=-1)
    weights[..., 0] = np.log((positives.sum(axis=-1) + 0.5) / (negatives + 0.5))
    for _ in range(NEWTON_STEPS):
        chance = expit(weights @ features.T)
        slope = (positives - totals * chance) @ features - penalty * weights
        curvature = (totals * chance * (1 - chance)) @ products + np.diag(penalty + 1e-6).ravel()
        step = np.linalg.solve(curvature.reshape(*weights.shape, -1), slope[..., None])[..., 0]
        largest = np.abs(step).max(axis=-1, keepdims=True)
        weights += step * np.minimum(1, 4 / np.maximum(largest, 1e-12))  # far steps are shortened
        if largest.max() < 1e-6:
            break
    return np.asarray(expit(weights @ features.T))


def _spline(cells: ScoredCells) -> Array:
    """(B, 2 + knots): the constant, the score and its part above each knot; probabilities as log-odds."""
    place = cells.means
    if cells.is_probability:
        place = log_odds(place)
    alike = cells.cells.rates.mean(axis=0)
    centre = float(place @ alike)
    spread = float(np.sqrt((place - centre) ** 2 @ alike)) or 1.0
    place = np.clip((place - centre) / spread, -6, 6)
    knots = place[np.minimum(np.searchsorted(np.cumsum(alike), KNOTS), len(place) - 1)]
    bends = (np.maximum(place - knot, 0) for knot in knots)
    step = cells.starts >= (np.inf if cells.threshold is None else cells.threshold)
    return np.stack([np.ones_like(place), place, *bends, step], axis=1)


def joint_under_covariate_shift(cells: ScoredCells, labelled: Array, seen: Array) -> Array:
    """(..., 2, B): the probability of each class and bin among unlabelled rows."""
    chance = calibrated(cells, labelled)
    return np.stack([seen * chance, seen * (1 - chance)], axis=-2)
