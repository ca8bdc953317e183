"""How sure are we of a plain rate, k out of n, and do two of them differ?

Fisher's test and the Clopper-Pearson interval are exact: both hold for small counts, where approximations cry
wolf.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from statistics import NormalDist
from typing import Any

import numpy as np
from numpy.typing import NDArray

from steelyard.counts.confusion import Confusion
from steelyard.counts.labels import Label
from steelyard.measures.measure import MatrixMeasure, Measure
from steelyard.uncertainty.distributions import beta_quantile

ROUNDING = 1e-7
"""Outcomes whose probability exceeds that of the observed one by less than this part count as equally
likely."""

_OF_TWO_CLASSES: dict[str, Callable[[float, float, float, float], tuple[float, float]]] = {
    "recall": lambda tp, fn, fp, tn: (tp, tp + fn),
    "fnr": lambda tp, fn, fp, tn: (fn, tp + fn),
    "specificity": lambda tp, fn, fp, tn: (tn, tn + fp),
    "fpr": lambda tp, fn, fp, tn: (fp, tn + fp),
    "precision": lambda tp, fn, fp, tn: (tp, tp + fp),
    "false_discovery_rate": lambda tp, fn, fp, tn: (fp, tp + fp),
    "negative_predictive_value": lambda tp, fn, fp, tn: (tn, tn + fn),
    "false_omission_rate": lambda tp, fn, fp, tn: (fn, tn + fn),
    "prevalence": lambda tp, fn, fp, tn: (tp + fn, tp + fn + fp + tn),
}
RATES = frozenset(_OF_TWO_CLASSES) | {"accuracy", "error_rate"}
"""The measures that are k out of n examples."""


def rate_of(measure: Measure, matrix: Confusion, positive: Label | None) -> tuple[float, float] | None:
    """k and n, if the measure is a plain rate."""
    if measure.id in ("accuracy", "error_rate"):
        hits, total = float(matrix.hits.sum()), float(matrix.total)
        return (hits if measure.id == "accuracy" else total - hits), total
    if measure.id not in _OF_TWO_CLASSES or not isinstance(measure, MatrixMeasure):
        return None
    seen, place = measure.seen(matrix, positive)
    at: Any = seen.counts if not place else seen.counts[::-1, ::-1]
    return _OF_TWO_CLASSES[measure.id](*map(float, at.reshape(-1)))


def wilson(hits: float, total: float, level: float) -> tuple[float, float]:
    """Wilson's score interval of a rate (Wilson 1927)."""
    z = NormalDist().inv_cdf(0.5 + level / 2)
    share = hits / total
    centre = (share + z * z / (2 * total)) / (1 + z * z / total)
    half = z / (1 + z * z / total) * math.sqrt(share * (1 - share) / total + z * z / (4 * total * total))
    return (0.0 if hits == 0 else centre - half), (1.0 if hits == total else centre + half)


def clopper_pearson(hits: float, total: float, level: float) -> tuple[float, float]:
    """The exact interval of a rate, which covers at least the level whatever the rate is (Clopper and Pearson
    1934)."""
    if not total:
        return 0.0, 1.0
    tail = (1 - level) / 2
    low = 0.0 if hits == 0 else beta_quantile(tail, hits, total - hits + 1)
    high = 1.0 if hits == total else 1 - beta_quantile(tail, total - hits, hits + 1)
    return low, high


def fisher(hits: int, of: int, other_hits: int, other_of: int) -> float:
    """The probability, if both rates were equal, of a division of the hits at least as unlikely as this one
    (two-sided)."""
    together, total = hits + other_hits, of + other_of
    if not of or not other_of or together in (0, total):
        return 1.0
    least, most = max(0, together - other_of), min(of, together)
    # Further from the mean than this lies nothing that a p-value could show.
    mean = of * together / total
    reach = 15 * math.sqrt(mean * (1 - together / total) * other_of / max(total - 1, 1)) + 50
    least, most = (
        max(least, min(hits, math.floor(mean - reach))),
        min(most, max(hits, math.ceil(mean + reach))),
    )
    k = np.arange(least, most, dtype=np.float64)
    # log P(k + 1) - log P(k) of the hypergeometric distribution; summing ratios needs no gamma function.
    steps = np.log(together - k) + np.log(of - k) - np.log(k + 1) - np.log(other_of - together + k + 1)
    logs: NDArray[np.float64] = np.concatenate([[0.0], np.cumsum(steps)])
    chances = np.exp(logs - logs.max())
    seen = chances[hits - least]
    return min(1.0, float(chances[chances <= seen * (1 + ROUNDING)].sum() / chances.sum()))
