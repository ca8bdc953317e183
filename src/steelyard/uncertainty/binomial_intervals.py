"""Binomial rates, k out of n: Wilson, Clopper-Pearson and Fisher, with the distributions they need."""
# Fisher's test and the Clopper-Pearson interval are exact: both hold for small counts, where approximations
# reject too often. `wilson_by_spread` is Wilson's interval for whatever lies between bounds and whose spread
# the bootstrap tells. SciPy is imported by the first call of a distribution: `import scipy.special` takes
# about as long as NumPy itself, and neither `import steelyard` nor a plain evaluation needs it
# (docs/decisions/0037).

from __future__ import annotations

import math
from collections.abc import Callable
from functools import lru_cache
from statistics import NormalDist
from typing import Any

import numpy as np
from numpy.typing import NDArray

from steelyard.counts.confusion import Confusion
from steelyard.counts.labels import Label
from steelyard.measures.measure import MatrixMeasure, Measure

# Degrees of freedom of a model's variance beside one rare example: 10 beside 5 of them, 1 beside 50. With
# more, scores of unlike spread would be covered too rarely (84% by the model alone, Newcombe's method 5).
BORROWED = 50.0
# Outcomes whose probability exceeds that of the observed one by less than this part count as equally
# likely.
ROUNDING = 1e-7

_OF_TWO_CLASSES: dict[str, Callable[[Any, Any, Any, Any], tuple[Any, Any]]] = {
    "recall": lambda tp, fn, fp, tn: (tp, tp + fn),
    "fnr": lambda tp, fn, fp, tn: (fn, tp + fn),
    "specificity": lambda tp, fn, fp, tn: (tn, tn + fp),
    "fpr": lambda tp, fn, fp, tn: (fp, tn + fp),
    "precision": lambda tp, fn, fp, tn: (tp, tp + fp),
    "false_discovery_rate": lambda tp, fn, fp, tn: (fp, tp + fp),
    "negative_predictive_value": lambda tp, fn, fp, tn: (tn, tn + fn),
    "false_omission_rate": lambda tp, fn, fp, tn: (fn, tn + fn),
    "prevalence": lambda tp, fn, fp, tn: (tp + fn, tp + fn + fp + tn),
    "detection_prevalence": lambda tp, fn, fp, tn: (tp + fp, tp + fn + fp + tn),
    "accuracy": lambda tp, fn, fp, tn: (tp + tn, tp + fn + fp + tn),
    "error_rate": lambda tp, fn, fp, tn: (fn + fp, tp + fn + fp + tn),
}
# The measures that are k out of n examples.
RATES = frozenset(_OF_TWO_CLASSES)


def rates_of(measure: Measure, counts: NDArray[Any]) -> tuple[NDArray[Any], NDArray[Any]] | None:
    """k and n of matrices (..., 2, 2), the positive class first, if the measure is a plain rate."""
    count = _OF_TWO_CLASSES.get(measure.id)
    cells = (counts[..., 0, 0], counts[..., 0, 1], counts[..., 1, 0], counts[..., 1, 1])
    return None if count is None else count(*cells)


def rate_of(measure: Measure, matrix: Confusion, positive: Label | None) -> tuple[float, float]:
    """k and n of one of RATES."""
    if measure.id in ("accuracy", "error_rate"):
        hits, total = float(matrix.hits.sum()), float(matrix.total)
        return (hits if measure.id == "accuracy" else total - hits), total
    assert isinstance(measure, MatrixMeasure)
    seen, place = measure.seen(matrix, positive)
    at = np.asarray(seen.counts if not place else seen.counts[::-1, ::-1], dtype=np.float64)
    return _OF_TWO_CLASSES[measure.id](*at.reshape(-1).tolist())


def wilson(hits: float, total: float, level: float) -> tuple[float, float]:
    """Wilson's score interval of a rate (Wilson 1927)."""
    z = NormalDist().inv_cdf(0.5 + level / 2)
    share = hits / total
    centre = (share + z * z / (2 * total)) / (1 + z * z / total)
    half = z / (1 + z * z / total) * math.sqrt(share * (1 - share) / total + z * z / (4 * total * total))
    return (0.0 if hits == 0 else centre - half), (1.0 if hits == total else centre + half)


def wilson_by_spread(
    value: Any,
    spread: Any,
    bias: Any,
    fewest: float,
    level: float,
    bounds: tuple[float, float] = (0.0, 1.0),
    degrees: float | None = None,
    model_trials: float | None = None,
    pairs: float | None = None,
) -> tuple[Any, Any]:
    """Wilson's interval of a value within bounds, from the bootstrap's spread and bias; or of arrays of them.

    >>> low, high = wilson_by_spread(1.0, 0.0, 0.0, 20, 0.95)
    >>> round(float(low), 3), float(high)
    (0.82, 1.0)
    """
    # Percentiles of bootstrap samples cover too little near the bounds: a ranking that is nearly perfect on
    # these rows is nearly perfect on all samples of them, and one without an error has no spread at all.
    # Wilson's interval asks instead which true values would have let the one seen happen. It is given as many
    # trials as a plain rate would need for the spread of the samples, m (1 - m) / spread², where m is their
    # mean. One error among fewest² `pairs`, or as many as given, is added to both numbers: a value of 1 is
    # then worth as many trials as the rarest class has examples (`fewest`). Student's quantile allows for a
    # spread that few examples show (with fewest - 1 degrees of freedom, or `degrees` where they are unequal),
    # and the end that the bias hides is moved by it. Where a model of the scores says how many trials such a
    # value is worth (`model_trials`), a few examples borrow from it: as many degrees of freedom as BORROWED
    # over their number.
    least, greatest = bounds
    width = greatest - least
    few = max(fewest, 2)
    borrowed = 0.0 if model_trials is None else BORROWED / few
    t = student_quantile((1 + level) / 2, (few - 1 if degrees is None else degrees) + borrowed)
    spread = spread * math.sqrt(few / (few - 1))
    if not math.isfinite(width):
        return value - t * spread - np.maximum(bias, 0), value + t * spread - np.minimum(bias, 0)
    share = np.clip((value - least) / width, 0.0, 1.0)
    # The spread belongs to the samples' mean: a recall of 1 at the edge of a step has samples below 1 only,
    # and m (1 - m) of the value itself would be 0 trials.
    mean = np.clip(share + bias / width, 0.0, 1.0)
    pair = 1 / (few**2 if pairs is None else pairs)
    worth = (mean * (1 - mean) + pair) / ((spread / width) ** 2 + pair / few)
    if model_trials is not None:
        worth = (few - 1 + borrowed) / ((few - 1) / worth + borrowed / model_trials)
    reach = t * t / worth
    centre = (share + reach / 2) / (1 + reach)
    half = np.sqrt(reach * (share * (1 - share) + reach / 4)) / (1 + reach)
    low = least + width * (centre - half) - np.maximum(bias, 0)
    high = least + width * (centre + half) - np.minimum(bias, 0)
    return np.maximum(least, np.minimum(low, value)), np.minimum(greatest, np.maximum(high, value))


def area_trials(area: float, positives: float, negatives: float) -> float:
    """As how many trials of a rate an area under the ROC curve counts (Newcombe 2006, method 5)."""
    # In the exponential model.
    half = (positives + negatives) / 2 - 1
    return positives * negatives / (1 + half * ((1 - area) / (2 - area) + area / (1 + area)))


def clopper_pearson(hits: float, total: float, level: float) -> tuple[float, float]:
    """Exact interval of a rate, which covers at least the level (Clopper and Pearson 1934)."""
    if not total:
        return 0.0, 1.0
    tail = (1 - level) / 2
    low = 0.0 if hits == 0 else beta_quantile(tail, hits, total - hits + 1)
    high = 1.0 if hits == total else 1 - beta_quantile(tail, total - hits, hits + 1)
    return low, high


def fisher(hits: int, of: int, other_hits: int, other_of: int) -> float:
    """Fisher's exact test of two rates (two-sided): a division of the hits at least as unlikely as this."""
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


def beta_quantile(probability: float, a: float, b: float) -> float:
    """Quantile function of Beta(a, b)."""
    from scipy.special import betaincinv

    return float(betaincinv(a, b, probability))


def student_cdf(value: float, degrees: float) -> float:
    """Cumulative distribution function of Student's t."""
    from scipy.special import stdtr

    return float(stdtr(degrees, value))


@lru_cache(maxsize=256)  # every metric of a report asks for the same few
def student_quantile(probability: float, degrees: float) -> float:
    """Quantile function of Student's t."""
    from scipy.special import stdtrit

    return float(stdtrit(degrees, probability))


def stretch_of_few(number: float, level: float) -> float:
    """By how much a bootstrap of this many units is too narrow."""
    # Its variance lacks n / (n - 1), and its ends are those of a normal distribution where Student's are due.
    if number <= 1:
        return 1.0
    t, z = student_quantile(0.5 + level / 2, number - 1), NormalDist().inv_cdf(0.5 + level / 2)
    return math.sqrt(number / (number - 1)) * t / z
