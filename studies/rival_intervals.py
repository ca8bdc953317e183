"""Rival intervals: published methods, written without the library, beside which the widths of its intervals are judged."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import special

Array = NDArray[Any]
Z = 1.959963984540054
# Samples of a bootstrap: the 10th and the 390th of 399 leave out a fortieth at each side.
SAMPLES, ENDS = 399, (9 / 398, 389 / 398)


def _mcc(tp: Array, fn: Array, fp: Array, tn: Array) -> Array:
    margins = (tp + fp) * (tp + fn) * (tn + fp) * (tn + fn)
    return np.asarray((tp * tn - fp * fn) / np.sqrt(margins))


# Metrics of two classes: function of counts, and bounds of the values.
METRICS: dict[str, tuple[Callable[[Array, Array, Array, Array], Array], float]] = {
    "recall": (lambda tp, fn, fp, tn: tp / (tp + fn), 0.0),
    "precision": (lambda tp, fn, fp, tn: tp / (tp + fp), 0.0),
    "accuracy": (lambda tp, fn, fp, tn: (tp + tn) / (tp + fn + fp + tn), 0.0),
    "balanced_accuracy": (lambda tp, fn, fp, tn: (tp / (tp + fn) + tn / (tn + fp)) / 2, 0.0),
    "gmean": (lambda tp, fn, fp, tn: np.sqrt(tp / (tp + fn) * tn / (tn + fp)), 0.0),
    "f1": (lambda tp, fn, fp, tn: 2 * tp / (2 * tp + fn + fp), 0.0),
    "mcc": (_mcc, -1.0),
}


def wald_mean_recall(counts: Array) -> tuple[float, float]:
    """Balanced accuracy of a matrix (C, C): Wald's interval, the variance of each class with n - 1."""
    sizes, hits = counts.sum(axis=1), np.diagonal(counts)
    rates = hits / sizes
    error = np.sqrt((rates * (1 - rates) / np.maximum(sizes - 1, 1)).sum()) / len(counts)
    return float(rates.mean() - Z * error), float(rates.mean() + Z * error)


def log_gmean(counts: Array) -> tuple[float, float]:
    """G-mean of a matrix (C, C): the delta method on the log scale, half an example added to hits and errors."""
    sizes, hits = counts.sum(axis=1) + 1.0, np.diagonal(counts) + 0.5
    logs = np.log(hits / sizes).mean()
    error = np.sqrt((1 / hits - 1 / sizes).sum()) / len(counts)
    return float(np.exp(logs - Z * error)), float(min(1.0, np.exp(logs + Z * error)))


def jackknife_t(units: Array, name: str) -> tuple[float, float]:
    """A metric of groups (G, 2, 2): delete-one-group jackknife on the logit scale, Student with G - 1."""
    metric, least = METRICS[name]
    flat = units.reshape(len(units), 4).astype(float)
    whole = flat.sum(axis=0) + 0.25

    def logit(cells: Array) -> Array:
        with np.errstate(all="ignore"):
            return np.asarray(special.logit((metric(*cells.T) - least) / (1 - least)))

    without, groups = logit(whole - flat), len(flat)
    error = np.sqrt((groups - 1) / groups * ((without - without.mean()) ** 2).sum())
    reach = special.stdtrit(groups - 1, 0.975) * error
    centre = float(logit(whole[None])[0])
    low, high = special.expit([centre - reach, centre + reach]) * (1 - least) + least
    return float(low), float(high)


def batch_means(place: Array, name: str, batches: int = 25) -> tuple[float, float]:
    """A metric of rows in order (their cells 0 to 3): the same jackknife over batches of equal length."""
    units = np.stack([np.bincount(part, minlength=4) for part in np.array_split(place, batches)])
    return jackknife_t(units, name)


def bootstrap_t(costs: Array, rows: int, random: np.random.Generator) -> tuple[float, float]:
    """The mean over all rows of costs, of which only those that are not 0 are given: studentised bootstrap."""
    values, counts = np.unique(costs, return_counts=True)
    values, counts = np.append(values, 0.0), np.append(counts, rows - len(costs))
    times = random.multinomial(rows, counts / rows, size=SAMPLES)
    means = times @ values / rows
    errors = np.sqrt(np.maximum(times @ values**2 / rows - means**2, 1e-300) / rows)
    mean = costs.sum() / rows
    error = np.sqrt((costs**2).sum() / rows - mean**2) / np.sqrt(rows)
    low, high = np.quantile((means - mean) / errors, ENDS)
    return float(mean - high * error), float(mean - low * error)


def shifted_percentiles(
    truth: Array, scores: Array, name: str, random: np.random.Generator
) -> tuple[float, float]:
    """The best value over thresholds: percentiles of bootstrap samples in which the threshold is chosen anew, less the mean optimism
    (the location-shifted interval of Noma et al. 2021)."""
    found = truth[np.argsort(-scores)]
    times = random.multinomial(len(found), np.full(len(found), 1 / len(found)), size=SAMPLES)
    times[0] = 1  # the rows themselves
    tp, fp = np.cumsum(times * found, axis=1), np.cumsum(times * ~found, axis=1)
    with np.errstate(all="ignore"):
        values = METRICS[name][0](
            tp.astype(float), tp[:, -1:] - tp, fp.astype(float), fp[:, -1:] - fp.astype(float)
        )
    values = np.where(np.isfinite(values), values, -1.0)
    best = values[1:].argmax(axis=1)
    apparent = values[np.arange(1, SAMPLES), best]
    low, high = np.quantile(apparent, ENDS) - (apparent - values[0][best]).mean()
    return float(low), float(high)


def debiased_percentiles(
    said: Array, happened: Array, bins: int, random: np.random.Generator
) -> tuple[float, float]:
    """The root mean square calibration error in equal bins: percentiles of a bootstrap of the bins, from whose squares the noise of
    the test set and that of the sample are taken."""
    place = np.minimum((said * bins).astype(int), bins - 1)
    held = np.bincount(place, minlength=bins)
    used = held > 0
    held, gaps = held[used], np.bincount(place, happened - said, bins)[used] / held[used]
    means = np.bincount(place, happened, bins)[used] / held
    noise = means * (1 - means) / held
    drawn = gaps + np.sqrt(noise) * random.normal(size=(SAMPLES, len(held)))
    squares = ((drawn**2 - 2 * noise) * held).sum(axis=1) / held.sum()
    low, high = np.sqrt(np.maximum(np.quantile(squares, ENDS), 0.0))
    return float(low), float(high)


def wilson(hits: float, total: float, z: float = Z) -> tuple[float, float]:
    """Wilson's interval of a rate."""
    share, reach = hits / total, z * z / total
    half = np.sqrt(reach * (share * (1 - share) + reach / 4)) / (1 + reach)
    centre = (share + reach / 2) / (1 + reach)
    return float(centre - half), float(centre + half)


def sidak_logit(counts: Array, slices: int) -> tuple[float, float]:
    """G-mean of one of several slices (2, 2): delta method on the logit scale at Sidak's level for all of them."""
    sizes, hits = counts.sum(axis=1) + 1.0, np.diagonal(counts) + 0.5
    value = np.sqrt((hits / sizes).prod())
    error = np.sqrt((1 / hits - 1 / sizes).sum()) / 2 / (1 - value)
    reach = special.ndtri((1 + 0.95 ** (1 / slices)) / 2) * error
    low, high = special.expit([special.logit(value) - reach, special.logit(value) + reach])
    return float(low), float(high)
