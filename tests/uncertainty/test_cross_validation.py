"""The corrected resampled t-test by hand arithmetic."""

from __future__ import annotations

import math

import numpy as np
import pytest

import steelyard as sy
from steelyard.uncertainty.differences import corrected_t, over_folds

ACCURACY = sy.measure("accuracy")


def test_nadeau_bengio_by_hand() -> None:
    """Differences 0.1, 0.2, 0.3: mean 0.2, variance 0.01. Three folds of a cross-validation: n_test/n_train = 1/2.

    Scale² = 0.01 (1/3 + 1/2) = 1/120, t² = 0.04 * 120 = 4.8. With 2 degrees of freedom P(T < t) = 1/2 + t / (2 √(2 + t²)),
    so p = 1 - √(4.8 / 6.8), and the 97.5% quantile is 0.95 √(2 / (4 · 0.975 · 0.025)) = 4.302653.
    """
    found = corrected_t(np.array([0.1, 0.2, 0.3]), 0.5, 0.95)
    assert found.value == pytest.approx(0.2, abs=1e-12)
    assert found.p_value == pytest.approx(1 - math.sqrt(4.8 / 6.8), abs=1e-10)
    half = 0.95 * math.sqrt(2 / (4 * 0.975 * 0.025)) * math.sqrt(1 / 120)
    assert (found.low, found.high) == (
        pytest.approx(0.2 - half, abs=1e-9),
        pytest.approx(0.2 + half, abs=1e-9),
    )
    assert found.probability_better == pytest.approx(0.5 + math.sqrt(4.8 / 6.8) / 2, abs=1e-10)


def test_without_the_correction_it_is_the_ordinary_t_test() -> None:
    """n_test/n_train = 0: t² = 0.04 / (0.01 / 3) = 12."""
    assert corrected_t(np.array([0.1, 0.2, 0.3]), 0.0, 0.95).p_value == pytest.approx(
        1 - math.sqrt(12 / 14), abs=1e-10
    )


def test_rope_by_hand() -> None:
    """P(|difference| <= 0.2) = P(T <= 0) - P(T <= -0.4/scale) with scale² = 1/120: 1/2 - P(T < -√19.2)."""
    found = corrected_t(np.array([0.1, 0.2, 0.3]), 0.5, 0.95, rope=0.2)
    assert found.probability_equivalent == pytest.approx(math.sqrt(19.2 / 21.2) / 2, abs=1e-10)


def test_lower_is_better() -> None:
    up = corrected_t(np.array([0.1, 0.2, 0.3]), 0.5, 0.95)
    assert corrected_t(
        np.array([0.1, 0.2, 0.3]), 0.5, 0.95, lower_is_better=True
    ).probability_better == pytest.approx(1 - up.probability_better)


def test_the_same_difference_everywhere() -> None:
    same = corrected_t(np.zeros(4), 0.1, 0.95, rope=0.01)
    assert (same.low, same.high, same.probability_better, same.p_value, same.probability_equivalent) == (
        0,
        0,
        0.5,
        1,
        1,
    )


def test_folds_by_measure() -> None:
    first, second = np.array([0.9, 0.8, np.nan, 0.9]), np.array([0.8, 0.6, 0.5, 0.6])
    found = over_folds(ACCURACY, first, second, None, 0.95, None, 1.0)
    plain = corrected_t(np.array([0.1, 0.2, 0.3]), 1 / 3, 0.95)
    assert found.value == pytest.approx(plain.value)
    assert found.p_value == pytest.approx(plain.p_value)
    assert "undefined in 1 of 4 folds" in found.note
    assert found.high <= 1.0
    assert "1 of 2 folds only" in over_folds(ACCURACY, first[1:3], second[1:3], None, 0.95, None, 1.0).note


def test_refusals() -> None:
    with pytest.raises(sy.InputError, match="needs folds"):
        corrected_t(np.array([0.1]), 0.5, 0.95)
    with pytest.raises(sy.InputError, match="ratio of test to training"):
        corrected_t(np.array([0.1, 0.2]), -1.0, 0.95)


def test_two_folds_are_enough() -> None:
    """Differences 0.1 and 0.3: mean 0.2, variance 0.02, of two folds n_test/n_train = 1, so scale² = 0.02 (1/2 + 1) = 0.03. With one
    degree of freedom (Cauchy) p = 1 - 2/π atan(0.2 / √0.03)."""
    found = over_folds(ACCURACY, np.array([0.8, 0.9]), np.array([0.7, 0.6]), None, 0.95, None, 1.0)
    assert found.value == pytest.approx(0.2)
    assert found.p_value == pytest.approx(1 - 2 / math.pi * math.atan(0.2 / math.sqrt(0.03)))
    assert (found.low, found.high) == (-1, 1)  # 12.7 scales away, beyond what the measure's range allows
