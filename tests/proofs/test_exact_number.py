"""Exact numbers behave like floats where a user's function expects it."""

import math
from fractions import Fraction

import numpy as np
import pytest

from steelyard.proofs.exact_number import Exact


def test_floats_count_as_written():
    assert Exact(1) * 0.1 == Fraction(1, 10)
    assert 0.5 + Exact(1, 3) == Fraction(5, 6)
    assert isinstance(1 - Exact(1, 3), Exact)
    assert np.float64(0.25) * Exact(2) == Fraction(1, 2)


def test_division_by_zero_is_that_of_numpy():
    assert math.isnan(Exact(0) / 0)
    assert Exact(2) / Exact(0) == math.inf
    assert -1 / Exact(0) == -math.inf
    assert math.isnan(Exact(1) + math.nan)


def test_roots_powers_and_logarithms():
    assert np.sqrt(np.array([Exact(4, 9)], dtype=object))[0] == Fraction(2, 3)
    assert Exact(8) ** (1 / 2) == pytest.approx(math.sqrt(8), rel=1e-15)
    assert Exact(2) ** -2 == Fraction(1, 4)
    assert float(np.log(np.array([Exact(3)], dtype=object))[0]) == pytest.approx(math.log(3), rel=1e-15)
    assert float(Exact(8).log2()) == pytest.approx(3, rel=1e-15)
    assert Exact(0).log() == -math.inf
    assert math.isnan(Exact(-1).sqrt())


def test_a_power_of_zero_below_zero_is_that_of_numpy():
    assert Exact(0) ** -1 == math.inf
    assert Exact(0) ** -0.5 == math.inf
    assert Exact(0) ** 0 == 1
    assert math.isnan(Exact(-2) ** 0.5)
    assert Exact(-2) ** 3 == -8


def test_signs_and_order_are_those_of_fractions():
    assert (-Exact(1, 3), +Exact(1, 3), abs(Exact(-1, 3))) == (
        Fraction(-1, 3),
        Fraction(1, 3),
        Fraction(1, 3),
    )
    assert all(isinstance(v, Exact) for v in (-Exact(1), +Exact(1), abs(Exact(1)), Exact(2) ** 2))
    assert hash(Exact(1, 3)) == hash(Fraction(1, 3))
    assert Exact(3).__add__("a") is NotImplemented
    assert Exact(3).__rsub__("a") is NotImplemented
    assert Exact(3).__pow__("a") is NotImplemented
    assert Exact(2) ** math.inf == math.inf
    assert 5 - Exact(2) == 3
    assert 1 / Exact(4) == Fraction(1, 4)
