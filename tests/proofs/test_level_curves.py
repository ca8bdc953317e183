"""Level curves go where the function has the value."""

import math
from itertools import pairwise

import numpy as np
import pytest

from steelyard.proofs.figures import level_curves

AXIS = np.linspace(-1, 1, 41)
X, Y = np.meshgrid(AXIS, AXIS)


def test_a_plane_has_one_straight_curve_from_side_to_side():
    (curve,) = level_curves(AXIS, AXIS, 2 * X + Y, 0.3)
    assert all(2 * x + y == pytest.approx(0.3) for x, y in curve)
    assert sorted(round(y, 9) for _, y in (curve[0], curve[-1])) == [-1, 1]


def test_a_circle_is_closed_and_a_pair_of_circles_are_two():
    (curve,) = level_curves(AXIS, AXIS, X**2 + Y**2, 0.5)
    assert curve[0] == curve[-1]
    assert all(math.hypot(x, y) == pytest.approx(math.sqrt(0.5), abs=1e-3) for x, y in curve)
    turned = math.fsum(abs(a[0] * b[1] - a[1] * b[0]) for a, b in pairwise(curve)) / 2
    assert turned == pytest.approx(0.5 * math.pi, rel=1e-2)
    pair = np.minimum((X - 0.5) ** 2 + Y**2, (X + 0.5) ** 2 + Y**2)
    assert len(level_curves(AXIS, AXIS, pair, 0.1)) == 2


def test_a_saddle_does_not_cross_itself():
    for level in (0.1, -0.1):
        curves = level_curves(AXIS, AXIS, X * Y, level)
        assert len(curves) == 2
        assert all(x * y == pytest.approx(level, abs=1e-3) for curve in curves for x, y in curve)
    for values, level in (([[1.0, 0.0], [0.0, 1.0]], 0.4), ([[1.0, 0.0], [0.0, 1.0]], 0.6), ([[0.0, 1.0], [1.0, 0.0]], 0.4), ([[0.0, 1.0], [1.0, 0.0]], 0.6)):  # fmt: skip
        square = np.array(values)
        first, second = level_curves(np.array([0.0, 1.0]), np.array([0.0, 1.0]), square, level)
        corners = [(0, 0), (1, 0), (0, 1), (1, 1)]
        around = [min(corners, key=lambda c, k=k: math.dist(c, np.mean(k, axis=0))) for k in (first, second)]
        # with a middle of 0.5, the corners below a level of 0.4 are cut off, and those above one of 0.6
        assert {bool(square[y, x] > level) for x, y in around} == {level > 0.5}


def test_uneven_grids_and_holes():
    axis = np.array([-1, -0.2, 0.7, 1.0])
    x, y = np.meshgrid(axis, axis)
    (curve,) = level_curves(axis, axis, x - y, 0.1)
    assert all(a - b == pytest.approx(0.1) for a, b in curve)
    holed = np.where((np.abs(X) < 0.2) & (np.abs(Y) < 0.2), np.nan, X)
    assert len(level_curves(AXIS, AXIS, holed, 0.01)) == 2
    assert level_curves(AXIS, AXIS, np.full_like(X, 0.5), 0.5) == []
