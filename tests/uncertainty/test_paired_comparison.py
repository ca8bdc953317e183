"""Two models on the same examples."""

from __future__ import annotations

import math

import numpy as np
import pytest

import steelyard as sy
from steelyard.counts.joint import JointCounts
from steelyard.judgement.compare.disagreement import class_gains
from steelyard.uncertainty.confidence_limits import unbiased_percentiles
from steelyard.uncertainty.differences import (
    Difference,
    Gaps,
    differences,
    mcnemar_of,
    simultaneous_level,
    stretched,
)
from steelyard.uncertainty.permutation_test import exchangeability_p_values
from steelyard.uncertainty.resampling import Simulation, drawn_values
from studies.paired import paired_differences

SCIPY_1500_OF_3100 = 0.07537169707532781
ACCURACY, CBA = sy.measure("accuracy"), sy.measure("CBA")


def difference(measure, estimates, first, second, level, rope, centre=None) -> Difference:
    """Of one pair of models."""
    centres, value = None if centre is None else np.array([centre]), estimates[0] - estimates[1]
    return differences(measure, [value], (first - second)[None], level, rope, centres)[0][0]


def test_mcnemar_by_hand() -> None:
    """1 and 5 discordant: P(at most 1 of 6) = 7/64, so p = 14/64; the mid-p leaves out half of each tail's own 6/64."""
    found = mcnemar_of(1, 5)
    assert found.exact == pytest.approx(14 / 64, abs=1e-15)
    assert found.mid_p == pytest.approx(8 / 64, abs=1e-15)
    assert mcnemar_of(5, 1).exact == found.exact
    assert mcnemar_of(0, 3).exact == pytest.approx(2 / 8, abs=1e-15)
    assert mcnemar_of(0, 3).mid_p == pytest.approx(1 / 8, abs=1e-15)


def test_mcnemar_without_a_difference() -> None:
    for count in (0, 1, 7):
        assert (mcnemar_of(count, count).exact, mcnemar_of(count, count).mid_p) == (
            1.0,
            pytest.approx(1.0, abs=1e-12),
        )


def test_mcnemar_of_many() -> None:
    """scipy.stats.binomtest(1500, 3100).pvalue in SciPy 1.17.1."""
    assert mcnemar_of(1500, 1600).exact == pytest.approx(SCIPY_1500_OF_3100, rel=1e-8)


def only_one_is_right(joint: JointCounts) -> tuple[int, int]:
    """How many examples only the first model gets right, and how many only the second."""
    gains = class_gains(joint, 0, 1)
    return sum(gain.only_first for gain in gains), sum(gain.only_second for gain in gains)


def test_mcnemar_of_all_examples_and_of_one_class() -> None:
    y = [0, 0, 0, 0, 1, 1, 1]
    joint = JointCounts.from_columns(y, {"a": [0, 0, 0, 1, 1, 0, 1], "b": [0, 1, 1, 0, 0, 1, 1]})
    assert only_one_is_right(joint) == (3, 2)
    of_class = class_gains(joint, 0, 1)[0]
    assert (of_class.only_first, of_class.only_second) == (2, 1)


def test_swapping_is_mcnemar_for_accuracy() -> None:
    y = np.repeat([0, 1], [40, 12])
    a, b = y.copy(), y.copy()
    a[[0, 45]] = 1 - a[[0, 45]]
    b[[1, 2, 3, 4, 5, 46, 47, 48]] = 1 - b[[1, 2, 3, 4, 5, 46, 47, 48]]
    joint = JointCounts.from_columns(y, {"a": a, "b": b})
    exact = mcnemar_of(*only_one_is_right(joint))
    assert (exact.only_first, exact.only_second) == (8, 2)
    (found,) = exchangeability_p_values(joint, [(0, 1)], ACCURACY, Simulation(40_000, 0))
    assert found == pytest.approx(exact.exact, abs=0.008)
    for draws in (100, 400, 2_500):  # so many swaps and the rows themselves
        (some,) = exchangeability_p_values(joint, [(0, 1)], ACCURACY, Simulation(draws, 0))
        assert some is not None
        assert some * (draws + 1) == pytest.approx(round(some * (draws + 1)), abs=1e-9)


def models(agreement: float) -> JointCounts:
    """Two models of equal recalls whose predictions agree as often as said, else are independent."""
    rng = np.random.default_rng(4)
    y = np.repeat([0, 1, 2], [300, 80, 20])
    p = np.where(rng.random(400) < 0.75, y, rng.integers(0, 3, 400))
    q = np.where(rng.random(400) < 0.75, y, rng.integers(0, 3, 400))
    return JointCounts.from_columns(y, {"p": p, "q": np.where(rng.random(400) < agreement, p, q)})


@pytest.mark.parametrize("source", ["bootstrap", "posterior"])
def test_pairing_matters(source: str) -> None:
    """Models that mostly agree differ less than two independent test sets would let them: the paired interval is narrower."""
    joint = models(0.9)
    together = drawn_values(joint, [CBA], Simulation(draws=4000), source=source)[CBA.name]
    apart = [
        drawn_values(joint.only([k]), [CBA], Simulation(draws=4000, seed=k), source=source)[CBA.name][0]
        for k in (0, 1)
    ]
    assert (together[0] - together[1]).std() < 0.6 * (apart[0] - apart[1]).std()
    # and the variance of the paired difference is the one the covariance says
    independent = drawn_values(models(0.0), [CBA], Simulation(draws=4000), source=source)[CBA.name]
    assert abs(np.corrcoef(independent)[0, 1]) < 0.35 < np.corrcoef(together)[0, 1]


@pytest.mark.parametrize("source", ["bootstrap", "posterior"])
@pytest.mark.parametrize("design", ["sample", "fixed"])
def test_identical_predictors_differ_by_exactly_nothing(source: str, design: str) -> None:
    rng = np.random.default_rng(0)
    y, p = rng.integers(0, 3, 50), rng.integers(0, 3, 50)
    joint = JointCounts.from_columns(y, {"a": p, "b": p.copy(), "c": rng.integers(0, 3, 50)})
    values = drawn_values(joint, [CBA], Simulation(design=design, draws=500), source=source)[CBA.name]
    assert (values[0] == values[1]).all()
    found = difference(CBA, (0.4, 0.4), values[0], values[1], 0.95, 0.0)
    assert (found.value, found.low, found.high, found.probability_better, found.probability_equivalent) == (
        0,
        0,
        0,
        0.5,
        1,
    )
    assert (values[0] != values[2]).any()


def test_one_discordant_example_is_not_certainty() -> None:
    """A single example that only the first model gets right makes it probably, not certainly, the better one."""
    y = np.repeat([0, 1], [30, 10])
    a, b = y.copy(), y.copy()
    b[35] = 0
    joint = JointCounts.from_columns(y, {"a": a, "b": b})
    values = drawn_values(joint, [CBA], Simulation(draws=4000))[CBA.name]
    found = difference(CBA, (1.0, float(CBA(joint.matrix(1)))), values[0], values[1], 0.95, None)
    assert 0.6 < found.probability_better < 0.99
    assert not found.is_clear


def test_lower_is_better_where_the_measure_says_so() -> None:
    error = sy.measure("error_rate")
    first, second = np.full(100, 0.1), np.full(100, 0.3)
    assert difference(error, (0.1, 0.3), first, second, 0.95, None).probability_better == 1
    assert difference(ACCURACY, (0.1, 0.3), first, second, 0.95, None).probability_better == 0
    ties = difference(ACCURACY, (0.1, 0.1), first, first, 0.95, 0.05)
    assert (ties.probability_better, ties.probability_equivalent) == (0.5, 1.0)


def test_undefined_draws_are_left_out_and_counted() -> None:
    first, second = np.array([0.5, np.nan, 0.7, 0.6]), np.array([0.4, 0.4, np.nan, 0.4])
    found = difference(ACCURACY, (0.6, 0.4), first, second, 0.95, None)
    assert found.undefined_draws == 2
    assert "2 draws" in found.note
    nothing = difference(ACCURACY, (float("nan"), 0.4), first, second, 0.95, None)
    assert np.isnan(nothing.low)
    assert nothing.to_dict()["low"] is None


def test_the_p_value_is_the_level_at_which_the_interval_reaches_0() -> None:
    """Draws 1, 2, ..., 99, and -1: one of a hundred lies at or below 0, so p = 2 * (1 + 1) / (100 + 1)."""
    first = np.concatenate([[-1.0], np.arange(1.0, 100)])
    found = difference(ACCURACY, (50.0, 0.0), first, np.zeros(100), 0.95, None)
    assert found.p_value == pytest.approx(4 / 101)
    assert not found.p_value_is_floor
    assert found.is_clear
    certain = difference(ACCURACY, (50.0, 0.0), np.arange(1.0, 101), np.zeros(100), 0.95, None)
    assert (certain.p_value, certain.p_value_is_floor) == (pytest.approx(2 / 101), True)


def test_equal_balanced_accuracy_is_not_rejected_because_the_models_differ() -> None:
    """Recall .70 with false alarms .02 against .73 with .05: equal balanced accuracy, and no two models less alike. 120 sets with 20
    rare examples; at a true 6% more than 16 rejections have a probability of 0.2%."""
    random = np.random.default_rng(2)
    balanced = sy.measure("balanced_accuracy")
    y = np.repeat([1, 0], [20, 980])
    rejected = 0
    for number in range(120):
        first = np.where(y == 1, random.random(1000) < 0.70, random.random(1000) < 0.02).astype(int)
        second = np.where(y == 1, random.random(1000) < 0.73, random.random(1000) < 0.05).astype(int)
        joint = JointCounts.from_columns(y, {"a": first, "b": second})
        found = paired_differences(joint, [balanced], Simulation(draws=400, seed=number, positive=1))[
            balanced.name
        ]
        assert found.p_value is not None
        rejected += found.p_value < 0.05
    assert rejected <= 16


def test_intervals_that_hold_at_once() -> None:
    """Of independent pairs each must hold with level^(1/pairs); one pair is its own, equal pairs need no more than one."""
    gaps = np.random.default_rng(0).normal(size=(3, 200_000))
    assert simultaneous_level(gaps[:1], 0.95) == pytest.approx(0.95, abs=1e-3)
    assert simultaneous_level(gaps, 0.95) == pytest.approx(0.95 ** (1 / 3), abs=1e-3)
    assert simultaneous_level(np.stack([gaps[0]] * 3), 0.95) == pytest.approx(0.95, abs=1e-3)


@pytest.mark.parametrize("ties", [False, True])
def test_the_level_of_all_pairs_is_read_from_depths(ties: bool) -> None:
    """By the definition: the depth of a draw is the smaller number of draws at most, or at least, as large. Between the last depth of fewer
    draws than wanted and the next one the level is interpolated; ends are the d-th draws, (d - 1) / (n - 1) of the way up."""
    gaps = np.random.default_rng(1).normal(size=(6, 700))
    gaps[1] = gaps[0] + 0.1 * gaps[1]
    if ties:
        gaps = np.round(gaps, 1)
        gaps[2] = 0  # two models that are one: never the shallowest
    for level in (0.5, 0.9, 0.95, 0.99):
        at_most = (gaps[:, :, None] >= gaps[:, None, :]).sum(axis=2)
        at_least = (gaps[:, :, None] <= gaps[:, None, :]).sum(axis=2)
        depths = np.minimum(at_most, at_least).min(axis=0)
        wanted = int((1 - level) * 699) + 1
        upper = int(np.sort(depths)[wanted - 1])
        until, before = int((depths <= upper).sum()), int((depths < upper).sum())
        depth = upper - (until - wanted) / (until - before)
        expected = 1 - 2 * max(depth - 1, 0) / 699 if upper < 350 else 0.0
        assert simultaneous_level(gaps, level) == pytest.approx(expected)
    assert simultaneous_level(np.zeros((2, 300)), 0.95) == 0


def test_tails_and_ties_of_a_pair_are_counted() -> None:
    """Of 99 draws 3 lie below 0, 10 are 0 and 86 above: p is 2 (13 + 1) / 100, ties count half."""
    drawn = np.r_[np.full(3, -0.5), np.zeros(10), np.full(86, 0.25)]
    found, _ = differences(ACCURACY, [0.2], drawn[None], 0.9, 0.3)
    assert found[0].p_value == pytest.approx(28 / 100)
    assert found[0].probability_better == pytest.approx((86 + 5) / 99)
    assert found[0].probability_equivalent == pytest.approx(96 / 99)
    assert not found[0].p_value_is_floor
    loss, _ = differences(sy.measure("error_rate"), [0.2], drawn[None], 0.9, None)
    assert loss[0].probability_better == pytest.approx((3 + 5) / 99)


def test_pairs_together_are_as_pairs_alone() -> None:
    """One of them is undefined in some draws, one in the test set: both are said of that pair alone."""
    random = np.random.default_rng(3)
    drawn = random.normal(0.1, 0.2, size=(4, 500))
    drawn[1, :7] = np.nan
    values, centres = [0.1, 0.12, math.nan, 0.09], np.array([0.1, 0.1, 0.1, 0.3])
    found, gaps = differences(ACCURACY, values, drawn, 0.9, 0.05, centres)
    alone = [
        difference(ACCURACY, (value, 0.0), row, np.zeros(500), 0.9, 0.05, float(centre))
        for value, row, centre in zip(values, drawn, centres, strict=True)
    ]
    assert [str(one) for one in found] == [str(one) for one in alone]
    assert (found[1].undefined_draws, gaps.drawn.shape) == (7, (4, 493))
    assert math.isnan(found[2].low)
    assert (found[0].low, found[0].high) == pytest.approx(unbiased_percentiles(drawn[0], 0.1, 0.9))
    assert found[3].probability_equivalent == np.mean(
        np.abs(drawn[3] - sum(float(by[3]) for by in Gaps(drawn, 0.9, centres).moved) / 2) <= 0.05 + 1e-12
    )


@pytest.mark.parametrize(
    ("low", "high", "clear"),
    [(0.01, 0.2, True), (-0.2, -0.01, True), (-0.1, 0.1, False), (0.0, 0.2, False), (-0.2, 0.0, False)],
)
def test_an_interval_that_ends_at_0_does_not_exclude_it(low: float, high: float, clear: bool) -> None:
    assert Difference((low + high) / 2, low, high, 0.9, None, None).is_clear is clear


def test_draws_of_many_models_are_spread_about_their_mean() -> None:
    """Ten models agree in 4/9 of the prior, so that of 24 examples of the rarest class draws lie 1 + 4.8 (3/4 - 5/9) / 24 times as far
    from their mean, on the side where they lay; undefined ones stay so. Two models are left as they are."""
    y = np.repeat([0, 1], [40, 24])
    columns = {f"m{k}": np.where(np.arange(64) % 13 == k, 1 - y, y) for k in range(10)}
    joint = JointCounts.from_columns(y, columns)
    drawn = np.tile([0.1, 0.2, np.nan, 0.9], (10, 1))  # mean 0.4
    factor = 1 + 4.8 * (3 / 4 - 5 / 9) / 24
    expected = [0.4 - 0.3 * factor, 0.4 - 0.2 * factor, math.nan, 0.4 + 0.5 * factor]
    assert stretched(drawn, joint)[3].tolist() == pytest.approx(expected, nan_ok=True)
    assert stretched(drawn[:2], joint.only([0, 1])).tolist()[0] == pytest.approx(
        drawn[0].tolist(), nan_ok=True
    )
