"""How large is the area under a ROC curve when its upper strips count for more? (garcia2012 section 2, after Weng and Poon)"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

Array = NDArray[Any]


def strip_weights(rho: float, strips: int) -> Array:
    """The weights of the strips from bottom to top.

    W_0 = 1 - rho and W_i = rho W_(i-1) + 1 - rho, the top one divided by 1 - rho: they sum to the number of strips, and rho = 0
    gives the plain area. (Eq. 1 prints W_0 = rho, with which it does not.)
    """
    weights = np.empty(strips)
    weights[0] = 1 - rho
    for i in range(1, strips):
        weights[i] = rho * weights[i - 1] + (1 - rho)
    weights[-1] /= 1 - rho
    return weights


def roc_points(scores: Array, positive: Array) -> tuple[Array, Array]:
    """False and true positive rates from (0, 0) to (1, 1), examples of equal score taken together."""
    order = np.argsort(-scores, kind="stable")
    ranked, hit = scores[order], positive[order].astype(np.int64)
    last_of_ties = np.flatnonzero(np.append(np.diff(ranked) != 0, True))
    found = np.cumsum(hit)[last_of_ties]
    alarms = last_of_ties + 1 - found
    return np.append(0.0, alarms / alarms[-1]), np.append(0.0, found / found[-1])


def strip_areas(fpr: Array, tpr: Array, strips: int) -> Array:
    """The area right of the curve, the integral of (1 - FPR) over TPR, in each strip of TPR."""
    rises = np.diff(tpr)
    below = np.append(0.0, np.cumsum(rises * (1 - (fpr[1:] + fpr[:-1]) / 2)))
    edges = np.linspace(0, 1, strips + 1)
    at = np.clip(np.searchsorted(tpr, edges, side="right") - 1, 0, len(tpr) - 2)
    rise, height = tpr[at + 1] - tpr[at], edges - tpr[at]
    slope = np.divide(fpr[at + 1] - fpr[at], rise, out=np.zeros_like(rise), where=rise > 0)
    upto = below[at] + height * (1 - fpr[at] - slope * height / 2)
    upto[-1] = below[-1]
    return np.diff(upto)


def weighted_auc(fpr: Array, tpr: Array, rho: float, strips: int) -> float:
    """wAUC(rho, strips)."""
    return float(strip_areas(fpr, tpr, strips) @ strip_weights(rho, strips))
