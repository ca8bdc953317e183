"""Magnitudes, dust and parameters that used to give nonsense or a bare exception."""

from __future__ import annotations

import math
from fractions import Fraction
from typing import Any

import numpy as np
import pytest

import steelyard as sy
from steelyard.measures.numbers import exact_half_turns
from tests.each import each

# -- what is left of a sum of weights


def test_the_worst_classifier_does_not_get_the_best_score() -> None:
    """No example is predicted right, so TNr + TPr is 0 for each class; dust in the true negatives made it 1.0."""
    measure = sy.one_versus_all(sy.measure("optimized_precision")).at_priors([0.34, 0.66])
    assert math.isnan(measure([[0, 1], [1, 0]]))
    assert math.isnan(measure.exact([[0, 1], [1, 0]]))


def test_one_class_against_the_rest_has_no_negative_count() -> None:
    """0.1 + 0.2 + 0.3 is not 0.6 in binary; what is left of it when all three are taken away must be 0."""
    weights = sy.Confusion([[0.3, 0.1, 0.2], [0, 0, 0], [0, 0, 0]], ["a", "b", "c"])
    assert weights.one_vs_rest("a").counts.tolist() == [[0.3, 0.1 + 0.2], [0, 0]]
    rng = np.random.default_rng(5)
    many = sy.Confusion(rng.choice([0, 0.1, 0.2, 0.3, 0.7], (4000, 3, 3)), ["a", "b", "c"])
    for label, place in (("a", 0), ("b", 1), ("c", 2)):
        others = [k for k in range(3) if k != place]
        rejected = many.one_vs_rest(label).counts[:, 1, 1]
        occupied = many.counts[np.ix_(range(4000), others, others)].any(axis=(1, 2))
        assert ((rejected > 0) == occupied).all()
        assert (rejected >= 0).all()


def test_a_negative_likelihood_ratio_is_never_negative() -> None:
    rng = np.random.default_rng(11)
    cells = rng.choice([0, 0.1, 0.2, 0.3, 1.1], (5000, 3, 3))
    values = sy.one_versus_all(sy.measure("LR-")).at_priors([0.2, 0.3, 0.5])(
        sy.Confusion(cells, ["a", "b", "c"])
    )
    assert not (values < 0).any()
    assert not (values > 1e9).any()


# -- roots and powers, exactly


def test_a_root_that_is_rational_is_exact() -> None:
    """Recalls 1/8, 1 and 1; then 1/8, 1/2 and 1/4, whose product is 1/64."""
    assert sy.measure("gmean").exact([[1, 7, 0], [0, 3, 0], [0, 0, 2]]) == Fraction(1, 2)
    assert sy.measure("gmean").exact([[1, 7, 0], [3, 3, 0], [0, 3, 1]]) == Fraction(1, 4)
    unequal = sy.measure("gmean").weighted_by([1, 1 / 2, 1 / 2])  # (1/8)^(1/2) (1/2)^(1/4) (1/4)^(1/4)
    assert float(unequal.exact([[1, 7, 0], [3, 3, 0], [0, 3, 1]])) == pytest.approx(2**-2.25, rel=1e-15)


def test_the_power_0_of_a_share_is_1() -> None:
    own = sy.two_class(
        id="own",
        title="Own",
        question="Own?",
        formula="x",
        reads="x",
        body=lambda c: c.power(c.ratio(c.tp, c.positives, "none"), 0),
    )
    assert own([[8, 2], [10, 30]]) == own.exact([[8, 2], [10, 30]]) == 1


# -- magnitudes


@pytest.mark.parametrize("factor", [1e-323, 1e-300, 1e-170, 1e160, 1e290, 1e306])
@each("name", [m.id for m in sy.catalogue(wide=True) if not m.depends_on_size])
def test_the_unit_of_the_weights_does_not_matter(name: str, factor: float) -> None:
    matrix = np.array([[8.0, 2.0], [4.0, 16.0]])
    expected = sy.measure(name)(matrix)
    unit = 2.0 ** round(math.log2(factor))
    assert sy.measure(name)(matrix * unit) == expected
    assert sy.measure(name)(np.stack([matrix, matrix * unit]))[0] == expected


def test_weights_at_the_end_of_the_floats() -> None:
    """10/11, and (4 - 1) / (2 (1.1)^2 ...) by hand: kappa = MCC = 9/11 on [[10, 1], [1, 10]]."""
    assert sy.measure("gmean")([[1e308, 1e307], [1e307, 1e308]]) == pytest.approx(10 / 11, rel=1e-14)
    for name in ("kappa", "mcc"):
        assert sy.measure(name)([[1e300, 1e299], [1e299, 1e300]]) == pytest.approx(9 / 11, rel=1e-14)


@pytest.mark.parametrize("weight", [1e-300, 1e-170, 1.0, 1e160, 1e300])
def test_the_unit_of_the_weights_of_scores_does_not_matter(weight: float) -> None:
    """Of the four pairs three are ranked right."""
    for labels, positive in (([0, 0, 1, 1], 1), (["b", "b", "a", "a"], "a")):
        scores = sy.ScoreCounts.from_scores(
            labels, [0.1, 0.4, 0.35, 0.8], positive, sample_weight=[weight] * 4
        )
        for name, expected in (("roc_auc", 0.75), ("gini", 0.5), ("ova_auc", 0.75), ("hand_till", 0.75)):
            assert sy.measure(name)(scores) == pytest.approx(expected, rel=1e-14)


@pytest.mark.parametrize("size", [2, 3, 5, 8])
@pytest.mark.parametrize("weight", [1, 0.1, 1 / 3, 0.7, 7.3, 1e5 + 0.1])
def test_a_perfect_correlation_is_1_and_not_more(size: int, weight: float) -> None:
    assert sy.measure("mcc")(np.diag(np.arange(1, size + 1) * weight)) == 1.0
    assert sy.measure("kappa")(np.diag(np.arange(1, size + 1) * weight)) == 1.0


def test_a_correlation_stays_within_its_range() -> None:
    rng = np.random.default_rng(3)
    nearly = np.eye(3) * rng.choice([0.1, 0.7, 1.3], (4000, 3, 1)) + (rng.random((4000, 3, 3)) < 0.1) * 1e-13
    values = sy.measure("mcc")(nearly)
    assert np.nanmax(values) <= 1 + 2e-16


# -- one answer, and ranges that hold


def test_confusion_entropy_of_one_occupied_cell_has_one_answer() -> None:
    measure = sy.measure("confusion_entropy")
    for matrix in ([[5, 0], [0, 0]], sy.Confusion([[5, 0], [0, 0]], ["a", "b"]), [[5]]):
        assert measure(matrix) == 0.0
        assert measure.exact(matrix) == 0
    assert math.isnan(measure([[0, 0], [0, 0]]))


def test_the_range_of_a_normalised_measure_holds() -> None:
    """Confusion entropy exceeds 1 for two classes, so 1 - CEN falls below 0: to 1 - 2 / (e ln 2)."""
    measure = sy.normalised(sy.measure("confusion_entropy"))
    low, high = measure.range.at(2)
    assert (low, high) == (pytest.approx(1 - 2 / (math.e * math.log(2)), rel=1e-12), 1)
    assert low <= measure([[3, 7], [7, 4]]) < 0
    assert measure.range.at(3) == (0, 1)
    assert "C = 2" in str(measure.range)


# -- bare exceptions


@pytest.mark.parametrize(
    "priors",
    [None, object(), 1 + 0j, b"ab", {"a": None}, [None, 1], ["0.5", "0.5"]],
    ids=lambda given: type(given).__name__,
)
def test_priors_that_are_none_are_refused_in_a_sentence(priors: Any) -> None:
    with pytest.raises(sy.InputError, match="priors"):
        sy.measure("precision").at_priors(priors)


def test_priors_may_be_fractions() -> None:
    """TPr 3/4, FPr 1/5: (1/3 3/4) / (1/3 3/4 + 2/3 1/5) = 15/23."""
    third = Fraction(1, 3)
    matrix = sy.Confusion([[3, 1], [1, 4]], ["yes", "no"])
    for priors in (third, {"yes": third, "no": 1 - third}):
        measure = sy.measure("precision").at_priors(priors)
        assert measure.exact(matrix, positive="yes") == Fraction(15, 23)
        assert measure(matrix, positive="yes") == pytest.approx(15 / 23, rel=1e-15)
    assert sy.measure("accuracy").at_priors([third, 1 - third]).exact(matrix) == Fraction(47, 60)


@pytest.mark.parametrize("beta", [1e200, float("inf"), float("nan"), -1, "2", None, True])
@pytest.mark.parametrize("name", ["f_beta", "macro_f_beta", "f_beta_of_macros", "balanced_f_beta"])
def test_a_beta_that_is_none_is_refused_in_a_sentence(name: str, beta: Any) -> None:
    with pytest.raises(sy.InputError, match="beta"):
        sy.measure(name, beta=beta)


def test_a_decimal_beta_is_squared_exactly() -> None:
    """beta = 0.1: (1.01 * 3) / (1.01 * 3 + 0.01 * 1 + 1)."""
    assert sy.measure("f_beta", beta=0.1).exact([[3, 1], [1, 4]]) == Fraction(303, 404)


def test_a_class_cannot_be_given_two_relevances() -> None:
    with pytest.raises(sy.InputError, match="class 'a' is given a relevance twice"):
        sy.relevance.parse("a=0.5, a=1", ["a", "b"])


@pytest.mark.parametrize("size", [1e-200, 1e-160, 1e153, 1e160, 1e200, 1e300])
def test_what_grows_with_the_size_is_right_at_any_size(size: float) -> None:
    """Chi-squared of k times a matrix is k times that of the matrix: of [[30, 10], [5, 55]] it is
    100 (30 * 55 - 10 * 5)^2 / (40 * 60 * 35 * 65). Krippendorff's alpha of so many is that of endless ones,
    1 - 2 * 15 * 200 / (75 * 125 * 2)."""
    counts = [[30 * size, 10 * size], [5 * size, 55 * size]]
    expected = 100 * (30 * 55 - 10 * 5) ** 2 / (40 * 60 * 35 * 65)
    assert sy.measure("chi_squared")(counts) / size == pytest.approx(expected, rel=1e-12)
    if size > 1:
        assert sy.measure("krippendorff_alpha")(counts) == pytest.approx(0.68, rel=1e-12)


def test_an_angle_next_to_a_half_turn_has_a_value() -> None:
    for far in (Fraction(1, 10**200), Fraction(1, 10**20)):
        assert float(exact_half_turns(-1 + far)) == pytest.approx(1)
        assert float(exact_half_turns(1 - far)) == pytest.approx(0, abs=1e-9)
