"""What happens where a denominator is 0, in the corners of the policy."""

from __future__ import annotations

import math
from fractions import Fraction

import pytest

import steelyard as sy

EMPTY = sy.Confusion([[0, 0], [0, 0]], labels=["positive", "other"])


@pytest.mark.parametrize("name", ["weighted_precision", "weighted_f_beta"])
def test_a_mean_in_which_no_class_has_weight_takes_the_number(name: str) -> None:
    """Nothing is ever silently 0: with no examples at all there is no average to speak of."""
    assert math.isnan(sy.measure(name)(EMPTY))
    assert sy.measure(name)(EMPTY, undefined=0.5) == 0.5
    assert sy.measure(name).exact(EMPTY, undefined=0.5) == Fraction(1, 2)
