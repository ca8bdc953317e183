"""Angles are compared by their cosines: those of them that are rational are the five of Niven's theorem."""

from __future__ import annotations

import math
from fractions import Fraction

import pytest

from steelyard.proofs.prover.symbols import Angle, TooHardError, cosine_of, difference


@pytest.mark.parametrize("turns", [Fraction(0), Fraction(1, 3), Fraction(1, 2), Fraction(2, 3), Fraction(1)])
def test_the_cosines_that_are_rational(turns):
    assert float(cosine_of(turns)) == pytest.approx(math.cos(math.pi * float(turns)), abs=1e-15)


@pytest.mark.parametrize("turns", [Fraction(1, 4), Fraction(1, 6), Fraction(2), Fraction(-1), Fraction(1, 5)])
def test_no_other_angle_has_a_cosine_that_is_known_here(turns):
    with pytest.raises(TooHardError, match="whose cosine is not known"):
        cosine_of(turns)


def test_a_larger_angle_has_the_smaller_cosine():
    """arccos(1/4) is 0.42 half turns: more than a third, less than a half."""
    angle = Angle(Fraction(1, 4))
    assert difference(angle, Fraction(1, 3)) > 0
    assert difference(angle, Fraction(1, 2)) < 0
    assert difference(angle, Angle(Fraction(1, 4))) == 0
    assert difference(Fraction(1, 2), Fraction(1, 3)) == Fraction(1, 6)
