"""Measures that a list of demands led to, by hand.

On [[3, 1], [1, 3]] truth and prediction have four of each class: tp tn - fn fp = 8 and every product of two sums is
16, so every mean of the two is 16 and the value 8/16 whatever r. On [[2, 1], [0, 3]] the products are 9 and 8.
"""

from fractions import Fraction

import pytest

import steelyard as sy

EVEN = sy.Confusion([[3, 1], [1, 3]], labels=["yes", "no"])
UNEVEN = sy.Confusion([[2, 1], [0, 3]], labels=["yes", "no"])


@pytest.mark.parametrize("r", [-2, -1, -0.5, 0, 0.5, 1, 2, 7])
def test_of_equal_products_every_mean_is_the_same(r):
    assert sy.measure("generalised_means", r=r)(EVEN, positive="yes") == pytest.approx(0.5, rel=1e-14)


def test_means_of_nine_and_eight():
    """tp tn - fn fp = 6: over the mean 17/2, over the harmonic mean 2 * 72 / 17, over the root of 72."""
    assert sy.measure("generalised_means").exact(UNEVEN, positive="yes") == Fraction(12, 17)
    assert sy.measure("generalised_means", r=-1).exact(UNEVEN, positive="yes") == Fraction(6 * 17, 144)
    assert sy.measure("generalised_means", r=0)(UNEVEN, positive="yes") == pytest.approx(
        6 / 72**0.5, rel=1e-14
    )
    quadratic = ((9**2 + 8**2) / 2) ** 0.5
    assert sy.measure("generalised_means", r=2)(UNEVEN, positive="yes") == pytest.approx(
        6 / quadratic, rel=1e-14
    )


def test_the_angle_of_a_correlation_of_one_half_is_a_third_of_a_half_turn():
    assert sy.measure("CD").exact(EVEN) == Fraction(1, 3)
    assert sy.measure("CD")(EVEN) == pytest.approx(1 / 3, rel=1e-14)


def test_ends():
    assert sy.measure("CD").exact([[2, 0], [0, 5]]) == 0
    assert sy.measure("CD").exact([[0, 2], [5, 0]]) == 1


def test_symmetric_balanced_accuracy_is_a_name():
    assert sy.measure("SBA") is sy.measure("aurpc_ova")


@pytest.mark.parametrize("r", [float("nan"), float("inf"), 101, "two", True])
def test_powers_that_are_none(r):
    with pytest.raises(sy.InputError):
        sy.measure("generalised_means", r=r)


@pytest.mark.parametrize("r", [-1, 0, 0.5, 1, 2])
def test_where_a_mean_is_undefined_it_says_what_the_record_says(r):
    """With r above 0 the mean of 0 and another product is not 0; otherwise it is."""
    measure = sy.measure("generalised_means", r=r)
    both, truth_alone = [[5, 0], [0, 0]], [[3, 2], [0, 0]]
    assert measure.why_undefined(both) == measure.undefined_when
    if r > 0:
        assert measure(truth_alone) == 0
    else:
        assert measure.why_undefined(truth_alone) == measure.undefined_when
