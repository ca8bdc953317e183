"""Which values can a measure take?"""

from __future__ import annotations

from fractions import Fraction

import pytest

import steelyard as sy


@pytest.mark.parametrize("size", [2, 3, 5, 10])
def test_the_floor_of_mean_binary_accuracy_rises_with_the_number_of_classes(size: int) -> None:
    """Every example wrong: each one is wrong in two of the C yes-or-no questions."""
    wrong = [[int(j == (i + 1) % size) for j in range(size)] for i in range(size)]
    assert sy.measure("mean_binary_accuracy").exact(wrong) == 1 - Fraction(2, size)
    assert sy.measure("mean_binary_accuracy").range.exactly_at(size) == (1 - Fraction(2, size), 1)
    assert sy.normalised(sy.measure("mean_binary_accuracy")).exact(wrong) == 0
