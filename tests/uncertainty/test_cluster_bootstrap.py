"""Groups and rows with weights, drawn again: against closed forms."""

from __future__ import annotations

import numpy as np
import pytest

import steelyard as sy
from steelyard.counts.joint import JointCounts
from steelyard.uncertainty.cluster_bootstrap import Units, drawn_in_groups, unit_intervals
from steelyard.uncertainty.resampling import Simulation

ACCURACY, RECALL = sy.measure("accuracy"), sy.measure("recall")
SETTINGS = {"level": 0.95, "draws": 4000, "seed": 0, "positive": "a", "undefined": "nan"}


def of_group(right: int, wrong: int) -> sy.Confusion:
    """As many of both classes right, and wrong."""
    return sy.Confusion([[right, wrong], [wrong, right]], ["a", "b"])


def test_rows_of_a_group_are_not_independent() -> None:
    """Forty groups of 20 rows, half of them all right and half of them right in 5 of 10: the mean of forty numbers 1 and 1/2 has the
    standard error 1/4 / sqrt(39), whatever the number of rows in a group."""
    units = Units.of_groups([of_group(10, 0)] * 20 + [of_group(5, 5)] * 20)
    found = unit_intervals(units, [ACCURACY], Simulation(**SETTINGS))["accuracy"]
    assert found.estimate == 0.75
    error = 0.25 / np.sqrt(39)
    student = 2.022690920036762  # the 97.5% quantile of Student's t with 39 degrees of freedom, from tables
    assert found.high - found.low == pytest.approx(2 * student * error, rel=0.06)
    alone = sy.interval(sy.Confusion([[300, 100], [100, 300]], ["a", "b"]), "accuracy", positive="a")[
        "accuracy"
    ]
    assert found.high - found.low > 2 * (alone.high - alone.low)
    assert found.method == "bootstrap of groups"


def test_groups_of_one_row_are_rows() -> None:
    rows = [sy.Confusion([[1, 0], [0, 0]], ["a", "b"])] * 60 + [
        sy.Confusion([[0, 1], [0, 0]], ["a", "b"])
    ] * 20
    rows += [sy.Confusion([[0, 0], [0, 1]], ["a", "b"])] * 80
    found = unit_intervals(Units.of_groups(rows), [RECALL], Simulation(**SETTINGS))["recall"]
    error = np.sqrt(0.75 * 0.25 / 80)
    assert found.high - found.low == pytest.approx(2 * 1.96 * error, rel=0.08)


def test_too_little_to_go_by_is_said() -> None:
    few = Units.of_groups([of_group(5, 0), of_group(3, 2), of_group(4, 1)])
    found = unit_intervals(few, [ACCURACY], Simulation(**SETTINGS))["accuracy"]
    assert "worth 3 groups only" in found.note
    assert 0 <= found.low < found.estimate < found.high <= 1
    alike = unit_intervals(Units.of_groups([of_group(5, 0)] * 3), [ACCURACY], Simulation(**SETTINGS))[
        "accuracy"
    ]
    assert "did not move" in alike.note
    assert alike.low < 0.6  # three groups without an error say little


def test_groups_without_an_error_leave_room_for_some() -> None:
    """Wilson's interval of 20 of 20, with Student's quantile for 19 degrees of freedom in the place of the normal one:
    n / (n + t²)."""
    found = unit_intervals(Units.of_groups([of_group(5, 0)] * 20), [ACCURACY], Simulation(**SETTINGS))[
        "accuracy"
    ]
    student = 2.093024054408263  # from tables
    assert (found.low, found.high) == (pytest.approx(20 / (20 + student**2)), 1.0)


def test_two_groups_have_three_samples() -> None:
    """One group all right and one half right: drawn twice they are right in 1, 3/4 or 1/2 of the rows, in a quarter, a half and a
    quarter of the samples. Spread by sqrt(2 / 1) t / z with Student's quantile 12.7062 for one degree of freedom."""
    truth = ["a"] * 4 + ["b"] * 4 + ["a"] * 4 + ["b"] * 4
    called = truth[:8] + ["a", "a", "b", "b"] * 2
    joint = JointCounts.from_columns(truth, {"m": called, "same": called}, folds=[0] * 8 + [1] * 8)
    settings = {"draws": 4000, "seed": 0, "positive": None, "undefined": "nan"}
    drawn = drawn_in_groups(joint, [ACCURACY], Simulation(**settings))["accuracy"][0]
    values, times = np.unique(drawn.round(9), return_counts=True)
    assert times / 4000 == pytest.approx([0.25, 0.5, 0.25], abs=0.03)
    step = 0.25 * np.sqrt(2) * 12.7062 / 1.95996
    assert np.diff(values) == pytest.approx([step, step], rel=1e-5)
    assert values[1] == pytest.approx(
        0.75, abs=0.15
    )  # twice 3/4 less the mean, ten times as far from it as that is


def test_what_has_no_value_has_no_interval_in_groups() -> None:
    never = Units.of_groups([sy.Confusion([[0, 3], [0, 5]], ["a", "b"])] * 4)
    found = unit_intervals(never, [sy.measure("precision"), RECALL], Simulation(**SETTINGS))
    assert np.isnan([found["precision"].estimate, found["precision"].low, found["precision"].high]).all()
    assert (found["precision"].note, found["precision"].undefined_draws) == ("undefined", 4000)
    assert found["recall"].high > 0


def test_blocks_are_joined_until_neighbours_are_not_correlated() -> None:
    """Runs of four blocks that are right and four that are wrong, by hand."""
    right, wrong = sy.Confusion([[2, 0], [0, 0]], (1, 0)), sy.Confusion([[0, 2], [0, 0]], (1, 0))
    series = ([right] * 4 + [wrong] * 4) * 8
    units = Units.of_groups(series, "blocks")
    # 64 blocks of +1 or -1: of 63 pairs 48 are alike and 15 differ, (48 - 15) / 64.
    assert units.neighbour_correlation() == pytest.approx(33 / 64)
    assert units.correlated()
    assert units.joined(4).neighbour_correlation() == pytest.approx(-15 / 16)
    # Joined by 2: 32 blocks, 31 pairs, 16 alike and 15 not: 1/32; once more: 16 blocks.
    longer = units.long_enough()
    assert len(longer.matrices) == 16
    assert longer.matrices.sum() == units.matrices.sum()


def test_classes_in_runs_are_no_dependence_of_the_errors() -> None:
    positives, negatives = sy.Confusion([[1, 1], [0, 0]], (1, 0)), sy.Confusion([[0, 0], [0, 2]], (1, 0))
    units = Units.of_groups([positives] * 20 + [negatives] * 20, "blocks")
    assert units.neighbour_correlation() == 0.0
    assert units.long_enough() is units


def test_few_groups_are_hardly_wider_than_a_cluster_robust_t():
    """Accuracy of ten groups of 40 rows, errors in clusters (Beta(9, 2)): mean widths of 60 test sets beside those of Student's interval of
    the groups' own means with 9 degrees of freedom, which equal groups allow. 1.3 times as wide is the bar; they were 1.4 times."""
    random = np.random.default_rng(4)
    ours, by_student = [], []
    for seed in range(60):
        hits = random.binomial([[20], [20]], random.beta(9, 2, (2, 10)))
        groups = [sy.Confusion([[a, 20 - a], [20 - b, b]], (1, 0)) for a, b in hits.T.tolist()]
        settings = {"level": 0.95, "draws": 400, "seed": seed, "positive": 1, "undefined": "nan"}
        found = unit_intervals(Units.of_groups(groups), [sy.measure("accuracy")], Simulation(**settings))[
            "accuracy"
        ]
        ours.append(found.high - found.low)
        means = hits.sum(axis=0) / 40
        by_student.append(
            2 * 2.262157 * means.std(ddof=1) / np.sqrt(10)
        )  # t of 0.975 with 9 degrees of freedom
    assert 0.9 < np.mean(ours) / np.mean(by_student) < 1.3
