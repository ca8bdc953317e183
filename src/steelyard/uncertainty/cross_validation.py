"""Corrected resampled t-test: compare models over cross-validation folds, which share training data."""
# The differences of the folds are not independent, so an ordinary t-test is far too sure. Nadeau and Bengio
# (2003) widen the variance of the mean difference from s²/k to s² (1/k + n_test/n_train). Read as a
# posterior, the same t distribution is the Bayesian correlated t-test of Corani and Benavoli (2015), which
# gives the probability that one model is better.

from __future__ import annotations

import math
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from steelyard.errors import InputError
from steelyard.measures.measure import Measure
from steelyard.uncertainty.binomial_intervals import student_cdf, student_quantile
from steelyard.uncertainty.differences import Difference, undefined_difference
from steelyard.uncertainty.resampling import stream_of

Array = NDArray[Any]


def corrected_t(
    gaps: Array, test_to_train: float, level: float, rope: float | None = None, lower_is_better: bool = False
) -> Difference:
    """The mean of the folds' differences with its interval, probability and two-sided p-value."""
    folds = len(gaps)
    if folds < 2:
        raise InputError(
            "a test over folds needs folds", found=f"{folds} with a defined difference", allowed="at least 2"
        )
    if not (math.isfinite(test_to_train) and test_to_train >= 0):
        raise InputError(
            "the ratio of test to training examples cannot be used",
            found=repr(test_to_train),
            allowed="a number >= 0",
        )
    mean = float(np.mean(gaps))
    scale = math.sqrt(float(np.var(gaps, ddof=1)) * (1 / folds + test_to_train))
    if scale == 0:
        better = 0.5 if mean == 0 else float((mean > 0) != lower_is_better)
        equivalent = None if rope is None else float(abs(mean) <= rope)
        p_value = 1.0 if mean == 0 else 0.0
        return Difference(
            mean, mean, mean, better, equivalent, p_value, note="the same difference in every fold"
        )
    degrees = folds - 1
    half = student_quantile(0.5 + level / 2, degrees) * scale
    above = student_cdf(mean / scale, degrees)
    equivalent = None
    if rope is not None:
        below = (student_cdf((end - mean) / scale, degrees) for end in (rope, -rope))
        equivalent = next(below) - next(below)
    p_value = 2 * student_cdf(-abs(mean) / scale, degrees)
    better = 1 - above if lower_is_better else above
    return Difference(mean, mean - half, mean + half, better, equivalent, p_value)


def ratio_in_use(test_to_train: float | None, folds: int) -> float:
    """The ratio of test to training examples: that of one cross-validation unless it is given."""
    # Each of its k folds is tested on 1/k.
    return 1 / (folds - 1) if test_to_train is None and folds > 1 else test_to_train or 0.0


def drawn_over_folds(by_fold: Array, test_to_train: float | None, draws: int, seed: int) -> Array:
    """Draws (M, draws) of the models' mean values over folds, from their values (M, folds)."""
    # NaN where fewer than two folds are defined.
    #
    # A multivariate t distribution with the corrected covariance: any two rows differ by the correlated t
    # distribution by which that pair is judged, so ranks and the probability of being best come from the same
    # model as the tests. Folds in which a model is undefined are left out for all of them.
    models, folds = by_fold.shape
    defined = by_fold[:, ~np.isnan(by_fold).any(axis=0)]
    count = defined.shape[1]
    if count < 2:
        return np.full((models, draws), np.nan)
    random = stream_of(seed, 0, 2)
    centre = defined.mean(axis=1, keepdims=True)
    spread = (defined - centre) / math.sqrt(count - 1)
    scale = math.sqrt(1 / count + ratio_in_use(test_to_train, folds))
    thickness = np.sqrt((count - 1) / random.chisquare(count - 1, size=draws))
    return np.asarray(centre + scale * (spread @ random.standard_normal((count, draws))) * thickness)


def value_over_folds(
    values: Array, test_to_train: float | None, level: float, least: float, greatest: float
) -> tuple[float, float, float]:
    """The mean of one model's values over folds with the ends of its interval."""
    # NaN where fewer than two folds are defined.
    defined = values[~np.isnan(values)]
    if len(defined) < 2:
        return (float(defined[0]) if len(defined) else math.nan), math.nan, math.nan
    mean = corrected_t(defined, ratio_in_use(test_to_train, len(values)), level)
    return mean.value, max(least, mean.low), min(greatest, mean.high)


def over_folds(
    measure: Measure,
    first: Array,
    second: Array,
    test_to_train: float | None,
    level: float,
    rope: float | None,
    largest: float,
) -> Difference:
    """From the value of each model on each fold."""
    # Folds where one is undefined are left out, and that is said.
    #
    # Without a ratio the folds are taken for those of one cross-validation: each is tested on 1/k and trained
    # on the rest. `largest` is the greatest difference the measure's range allows.
    gaps = first - second
    defined = gaps[~np.isnan(gaps)]
    missing = len(gaps) - len(defined)
    if len(defined) < 2:
        return undefined_difference(f"defined in {len(defined)} of {len(gaps)} folds only")
    ratio = ratio_in_use(test_to_train, len(gaps))
    mean = corrected_t(defined, ratio, level, rope, measure.better == "lower")
    missed = f"undefined in {missing} of {len(gaps)} folds, which are left out" if missing else ""
    return replace(
        mean,
        low=max(mean.low, -largest),
        high=min(mean.high, largest),
        probability_better=math.nan if measure.better == "neither" else mean.probability_better,
        note="; ".join(note for note in (mean.note, missed) if note),
    )
