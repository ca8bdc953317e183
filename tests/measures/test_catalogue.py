"""Which measure is meant by a name?"""

from __future__ import annotations

import pytest

import steelyard as sy
from steelyard.errors import AmbiguousNameError, UnknownNameError


@pytest.mark.parametrize(
    ("written", "meant"),
    [
        ("LR-", "negative_likelihood_ratio"),
        ("lr-", "negative_likelihood_ratio"),
        ("LR+", "positive_likelihood_ratio"),
    ],
)
def test_a_sign_at_the_end_is_part_of_the_name(written: str, meant: str) -> None:
    assert sy.measure(written).id == meant


def test_without_its_sign_a_likelihood_ratio_is_ambiguous() -> None:
    with pytest.raises(AmbiguousNameError, match=r"positive_likelihood_ratio.*negative_likelihood_ratio"):
        sy.measure("LR")


def test_an_id_is_found_in_any_case_though_its_words_are_ambiguous() -> None:
    assert sy.measure("average_accuracy").id == sy.measure("Average_Accuracy").id == "average_accuracy"
    for words in ("average accuracy", "Average Accuracy", "average-accuracy"):
        with pytest.raises(AmbiguousNameError, match="mean_binary_accuracy"):
            sy.measure(words)


@pytest.mark.parametrize(
    ("typed", "meant"),
    [
        ("youdn", "'informedness' (youden)"),
        ("index_of_balanced_acuracy", "'iba' (index_of_balanced_accuracy)"),
        ("jaccrd", "'threat_score' (jaccard)"),
    ],
)
def test_a_misspelt_other_name_is_answered_with_the_measure(typed: str, meant: str) -> None:
    with pytest.raises(UnknownNameError) as told:
        sy.measure(typed)
    assert f"did you mean {meant}?" in str(told.value)


FOUND_BY_NAME = frozenset(
    """
    dominance mutual_information normalised_mutual_information completeness kl_divergence modified_confusion_entropy
    kolmogorov_smirnov log_loss brier brier_miscalibration brier_discrimination brier_uncertainty spherical_score
    expected_calibration_error debiased_calibration_error calibration_distance brier_skill log_loss_skill top_k_accuracy
    classwise_calibration_error scott_pi gwet_ac1 bennett_s krippendorff_alpha linear_weighted_kappa
    quadratic_weighted_kappa macro_mae bangdiwala_b phi_squared chi_squared cramer_v pearson_c goodman_kruskal_lambda
    goodman_kruskal_lambda_b no_information_rate yule_q yule_y relative_risk overlap_coefficient braun_blanquet tversky
    p4 gilbert_skill_score sedi adjusted_f distance_index similarity_index prevalence_threshold detection_prevalence
    correlation_distance generalised_means
""".split()  # noqa: SIM905
)
"""See the decision on what the catalogue lists."""


def test_what_is_found_by_name_only_is_not_in_every_report() -> None:
    """Each measure that slips into the usual ones costs a line and an interval in every evaluation."""
    usual, every = ([m.id for m in sy.catalogue("all", wide=wide)] for wide in (False, True))
    assert sorted(set(every) - set(usual)) == sorted(FOUND_BY_NAME)
    for name in FOUND_BY_NAME:
        assert sy.measure(name).id == name
