"""Test of label shift: Hansen's J test that unlabelled rows are a mixture of the labelled classes.

Label shift says that the unlabelled scores are a mixture of the labelled classes' scores. Then the means of
any functions of the score are the same mixture of the classes' means: with more functions than free shares
these equations overdetermine the shares, and hansen1982's J, the squared distance of the nearest mixture in
the metric of both samples' covariance, has a chi-squared distribution. The functions are the first Legendre
polynomials of the rank (neyman1937's smooth components): departures that move a metric are smooth.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from steelyard.scores.mixture_proportions import Cells, nearest_mixture

Array = NDArray[Any]

# Legendre polynomials whose means are compared (docs/coverage-production.md has size and power).
POLYNOMIALS = 5
# Fewer unlabelled rows do not say how uncertain their means are, and reject nothing.
FEWEST_ROWS = 30
# Below this p-value label shift is rejected.
REJECTED = 0.05
# Prevalences at which the distance of a mixture of two classes is computed.
_SHARES = np.linspace(0, 1, 401)


def label_shift_p_value(cells: Cells, ordered: bool) -> float:
    """The p-value of label shift; `ordered` cells are bins of scores of two classes, others predicted labels.

    Predicted labels determine the shares exactly: only shares below 0 speak against label shift, and the
    p-value, that of as many degrees of freedom as free shares, is conservative.
    """
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
        shares = nearest_mixture(cells.labelled, cells.unlabelled).shares[None]
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
