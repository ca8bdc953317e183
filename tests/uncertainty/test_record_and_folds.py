"""What the coverage study says is read where it speaks, and values over folds follow nadeau2003."""

from __future__ import annotations

import math

import numpy as np
import pytest

import steelyard as sy
from steelyard.uncertainty.cluster_bootstrap import Units
from steelyard.uncertainty.coverage_record import coverage, nearest, record, warning_for
from steelyard.uncertainty.differences import drawn_over_folds, ratio_in_use, value_over_folds

ROWS = record()["rows"]
KEYS = ("of", "method", "design", "classes", "rare", "measure")


@pytest.mark.parametrize("row", ROWS[::151], ids=lambda row: "-".join(str(row[k]) for k in KEYS))
def test_a_cell_of_the_record_is_found_again(row) -> None:
    """A studied case is answered by its own rows: the mean over them, by the cells they stand for."""
    same = [r for r in ROWS if all(r[k] == row[k] for k in KEYS)]
    expected = sum(r["coverage"] * r["cells"] for r in same) / sum(r["cells"] for r in same)
    asked = (row["method"], row["classes"], row["rare"], row["design"], row["of"])
    found = coverage(sy.measure(row["measure"]), *asked)
    assert found is not None
    share, classes, rare = found
    assert (classes, rare) == (row["classes"], row["rare"])
    # Kin of the measure may have been studied too, so that the mean lies among theirs.
    alike = [r["coverage"] for r in ROWS if all(r[k] == row[k] for k in KEYS[:-1])]
    assert min(alike) - 1e-12 <= share <= max(alike) + 1e-12
    if row["measure"] in ("accuracy", "kappa", "gmean", "mcc"):
        assert share == pytest.approx(expected)
    words = warning_for(sy.measure(row["measure"]), *asked)
    assert (words == "") is (share >= 0.95 - 0.03)
    if words:
        assert f"covered {100 * share:.0f}% on average" in words


@pytest.mark.parametrize("method", ["percentile", "bca"])
def test_a_better_method_is_named_where_there_is_one(method) -> None:
    """Whoever asked for a method that covers less than 92% is told of the usual one if that covers more, and of nothing else."""
    told = {True: 0, False: 0}
    for name in ("accuracy", "kappa", "gmean", "mcc"):
        kept = ("measure", "design", "classes", "rare")
        own = [row for row in ROWS if row["of"] == "single" and row["measure"] == name]
        usual = {tuple(row[k] for k in kept): row["coverage"] for row in own if row["method"] == "corrected"}
        for row in own:
            if row["method"] != method or row["coverage"] >= 0.92:
                continue
            better = usual[tuple(row[k] for k in kept)]
            words = warning_for(sy.measure(name), method, row["classes"], row["rare"], row["design"])
            assert f"95% {method} intervals covered {100 * row['coverage']:.0f}% on average" in words
            advice = f"; method='corrected' covered {100 * better:.0f}%"
            assert words.endswith(advice) if better >= 0.92 else "corrected" not in words
            told[better >= 0.92] += 1
    assert told[True] > 3


def test_the_nearest_studied_number_is_by_ratio() -> None:
    assert nearest(7, [5, 10]) == 5  # 7/5 = 1.4, 10/7 = 1.43
    assert nearest(8, [5, 10]) == 10
    assert nearest(0, [3, 200]) == 3
    assert nearest(1, [1, 3]) == 1
    assert nearest(1000, [3, 200]) == 200
    assert coverage(sy.measure("accuracy"), "no such method", 2, 10, "sample") is None
    assert warning_for(sy.measure("accuracy"), "no such method", 2, 10, "sample") == ""


def test_values_over_folds_by_hand() -> None:
    """0.8, 0.9, 0.7, 0.8, 0.8: mean 0.8, variance 0.005; of five folds test to train is 1/4; t(0.975, 4) = 2.7764451."""
    values = np.array([0.8, 0.9, 0.7, 0.8, 0.8])
    half = 2.7764451 * math.sqrt(0.005 * (1 / 5 + 1 / 4))
    assert value_over_folds(values, None, 0.95, 0, 1) == pytest.approx(
        (0.8, 0.8 - half, 0.8 + half if 0.8 + half < 1 else 1.0)
    )
    free = value_over_folds(values, 0.0, 0.95, -9, 9)
    assert free == pytest.approx(
        (0.8, 0.8 - 2.7764451 * math.sqrt(0.001), 0.8 + 2.7764451 * math.sqrt(0.001))
    )
    with_hole = value_over_folds(np.array([*values, np.nan]), 0.25, 0.95, -9, 9)
    assert with_hole == pytest.approx((0.8, 0.8 - half, 0.8 + half))
    one = value_over_folds(np.array([0.5, np.nan]), None, 0.95, 0, 1)
    assert one[0] == 0.5
    assert math.isnan(one[1])
    assert math.isnan(value_over_folds(np.array([np.nan]), None, 0.95, 0, 1)[0])
    assert ratio_in_use(None, 10) == pytest.approx(1 / 9)
    assert ratio_in_use(0.3, 10) == 0.3
    assert ratio_in_use(None, 1) == 0
    assert ratio_in_use(0.0, 10) == 0


def test_draws_over_folds_have_the_interval_of_the_correlated_t() -> None:
    values = np.array([[0.8, 0.9, 0.7, 0.8, 0.8], [0.6, 0.7, 0.6, 0.5, 0.6], [0.1, 0.2, 0.3, 0.4, 0.5]])
    drawn = drawn_over_folds(values, None, 200_000, 1)
    for row, found in zip(values, drawn, strict=True):
        mean, low, high = value_over_folds(row, None, 0.9, -9, 9)
        assert found.mean() == pytest.approx(mean, abs=2e-3)
        assert np.quantile(found, [0.05, 0.95]).tolist() == pytest.approx([low, high], abs=4e-3)
    # A difference of two models follows the same distribution as the differences of their folds.
    _, low, high = value_over_folds(values[0] - values[1], None, 0.9, -9, 9)
    assert np.quantile(drawn[0] - drawn[1], [0.05, 0.95]).tolist() == pytest.approx([low, high], abs=4e-3)
    assert np.isnan(drawn_over_folds(np.array([[0.5, np.nan]]), None, 10, 1)).all()
    holes = drawn_over_folds(np.array([[0.8, 0.9, np.nan, 0.7], [0.5, 0.4, 0.1, 0.6]]), 0.2, 1000, 1)
    assert not np.isnan(holes).any()


def test_units_are_drawn_as_often_as_there_are() -> None:
    """Two kinds of groups, three of the one and one of the other: four units in every draw, three quarters of the first kind."""
    kinds = np.array([[[1.0, 0], [0, 0]], [[0, 0], [0, 10.0]]])
    units = Units(("a", "b"), np.repeat(kinds, [3, 1], axis=0), "groups")
    drawn = units.drawn(20_000, np.random.default_rng(1))
    of_first, of_second = drawn[:, 0, 0], drawn[:, 1, 1] / 10
    assert (of_first + of_second == 4).all()
    assert of_first.mean() == pytest.approx(3, abs=0.03)
    assert of_first.var() == pytest.approx(4 * 0.75 * 0.25, abs=0.03)
    assert (drawn[:, 0, 1] == 0).all()
