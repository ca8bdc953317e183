"""Hierarchical model of a difference over data sets: a Bayesian random-effects meta-analysis.

Each data set's difference is measured with the standard error of its own test set; the true differences are
normal around the expected difference on a new data set. The posterior is a mixture over the standard
deviation between data sets, integrated on a grid with the Jeffreys prior (Bodnar et al. 2017), so nothing is
simulated. A small test set weighs less than a large one, and no data set weighs more than the spread between
data sets allows.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

Array = NDArray[Any]
POINTS = 400
"""Grid points of the standard deviation between data sets."""


@dataclass(frozen=True)
class ExpectedDifference:
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
    from scipy.optimize import brentq
    from scipy.special import ndtr

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
    jeffreys = spread * np.sqrt((precision**2).sum(axis=1))
    mass = np.exp(log_likelihood - log_likelihood.max()) * jeffreys * np.sqrt(spread)  # the grid's spacing
    mass /= mass.sum()
    scale = np.sqrt(1 / total)
    new = np.sqrt(1 / total + spread**2)

    def below(value: float, spreads: Array) -> float:
        return float(mass @ ndtr((value - means) / spreads))

    reach = float(np.max(np.abs(means) + 10 * scale))
    low, high = (
        float(brentq(lambda value, p=p: below(value, scale) - p, -reach, reach))
        for p in ((1 - level) / 2, (1 + level) / 2)
    )
    at_most = below(0.0, scale)
    worse, better = below(-rope, new), 1 - below(rope, new)
    return ExpectedDifference(
        float(mass @ means),
        low,
        high,
        min(1.0, 2 * min(at_most, 1 - at_most)),
        float(mass @ spread),
        better,
        max(0.0, 1 - better - worse),
        worse,
    )
