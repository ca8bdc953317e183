"""Measures that no tool at hand has, by hand arithmetic on tp = 8, fn = 2, fp = 10, tn = 30."""

from __future__ import annotations

import math
from fractions import Fraction
from typing import Any

import pytest

import steelyard as sy

MATRIX = [[8, 2], [10, 30]]


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("relative_risk", Fraction(8, 18) / Fraction(2, 32)),
        ("p4", Fraction(4 * 240, 4 * 240 + 38 * 12)),
        ("gilbert_skill_score", (8 - Fraction(10 * 18, 50)) / (20 - Fraction(10 * 18, 50))),
        ("yule_q", Fraction(240 - 20, 240 + 20)),
        ("tversky(alpha=0.5, beta=0.5)", Fraction(16, 28)),
        ("tversky(alpha=1, beta=1)", Fraction(8, 20)),
        ("detection_prevalence", Fraction(18, 50)),
        ("overlap_coefficient", Fraction(8, 10)),
        ("braun_blanquet", Fraction(8, 18)),
        ("goodman_kruskal_lambda_b", Fraction((8 + 30) - 32, 50 - 32)),
    ],
)
def test_rational_ones(name: str, expected: Fraction) -> None:
    assert sy.measure(name).exact(MATRIX) == expected
    assert sy.measure(name)(MATRIX) == pytest.approx(float(expected), rel=1e-14)


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("yule_y", (math.sqrt(12) - 1) / (math.sqrt(12) + 1)),
        ("prevalence_threshold", (math.sqrt(0.8 * 0.25) - 0.25) / (0.8 - 0.25)),
        ("distance_index", math.hypot(0.2, 0.25)),
        # FPr = 1/4, TPr = 4/5: ln of (1/4 · 1/5) / (4/5 · 3/4) = 1/12 over ln of 1/4 · 4/5 · 3/4 · 1/5 = 3/100.
        ("sedi", math.log(1 / 12) / math.log(3 / 100)),
        ("kl_divergence", 0.2 * math.log2(10 / 18) + 0.8 * math.log2(40 / 32)),
    ],
)
def test_those_with_roots(name: str, expected: float) -> None:
    assert sy.measure(name)(MATRIX) == pytest.approx(expected, rel=1e-13)


def test_p4_is_the_harmonic_mean_of_the_four_rates() -> None:
    rates = [sy.measure(m).exact(MATRIX) for m in ("recall", "specificity", "precision", "NPV")]
    assert sy.measure("p4").exact(MATRIX) == 4 / sum(1 / Fraction(r) for r in rates)


@pytest.mark.parametrize("weights", [(-1, 1), (1, math.inf), ("1", 1), (1, None)], ids=repr)
def test_weights_of_tversky_are_checked(weights: tuple[Any, Any]) -> None:
    with pytest.raises(sy.InputError, match="must be a weight"):
        sy.measure("tversky", alpha=weights[0], beta=weights[1])


@pytest.mark.parametrize(
    ("name", "meant"),
    [
        ("heidke_skill_score", "kappa"),
        ("peirce_skill_score", "informedness"),
        ("otsuka_ochiai", "fowlkes_mallows"),
        ("symmetric_balanced_accuracy", "aurpc_ova"),
        ("gain_capture", "gini"),
        ("uncertainty_coefficient", "relative_classifier_information"),
        ("odds_ratio", "diagnostic_odds_ratio"),
    ],
)
def test_measures_that_have_another_name_here(name: str, meant: str) -> None:
    assert sy.measure(name).id == meant


def test_heidke_is_kappa_by_its_own_formula() -> None:
    """2 (tp tn - fn fp) / ((tp + fn)(fn + tn) + (tp + fp)(fp + tn))."""
    assert sy.measure("heidke_skill_score").exact(MATRIX) == Fraction(2 * 220, 10 * 32 + 18 * 40)


def test_the_order_of_the_classes_is_that_of_the_labels() -> None:
    """One step off against two steps off: the weighted kappas tell them apart, kappa does not."""
    near, far = [[4, 1, 0], [0, 5, 0], [0, 0, 5]], [[4, 0, 1], [0, 5, 0], [0, 0, 5]]
    for name in ("linear_weighted_kappa", "quadratic_weighted_kappa"):
        assert sy.measure(name)(near) > sy.measure(name)(far)
    assert sy.measure("macro_mae").exact(near) == Fraction(1, 15)
    assert sy.measure("macro_mae").exact(far) == Fraction(2, 15)


def test_what_depends_on_the_number_of_examples_keeps_it() -> None:
    """chi-squared of [[8, 2], [10, 30]] is n phi² = 50 * 220² / (10 * 40 * 18 * 32)."""
    chi = sy.measure("chi_squared")
    assert chi.exact(MATRIX) == Fraction(50 * 220**2, 10 * 40 * 18 * 32)
    assert chi([[8e150, 2e150], [10e150, 30e150]]) == pytest.approx(
        float(chi.exact(MATRIX)) * 1e150, rel=1e-12
    )
    together = sy.weigh(["chi_squared", "phi_squared"], [[8e150, 2e150], [10e150, 30e150]])
    assert together["phi_squared"] == pytest.approx(220**2 / (10 * 40 * 18 * 32), rel=1e-12)
