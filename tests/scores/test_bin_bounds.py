"""Do the bounds hold whatever the order inside the bins, and are they reached?"""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import steelyard as sy
from steelyard.scores.score_bootstrap import RISES_WITH_THE_CURVE, bounds

ROWS = st.lists(st.tuples(st.integers(0, 1), st.integers(0, 39)), min_size=4, max_size=40).filter(
    lambda rows: len({y for y, _ in rows}) == 2
)


def binned(truth, score):
    return sy.ScoreCounts.from_scores(truth, np.array(score) / 40, bins=5)


@given(ROWS, st.sampled_from(sorted(RISES_WITH_THE_CURVE | {"average_precision"})))
def test_the_exact_value_lies_within(rows, name):
    truth, score = [y for y, _ in rows], [s for _, s in rows]
    measure = sy.measure(name)
    exact = measure(sy.ScoreCounts.from_scores(truth, np.array(score) / 40))
    found = bounds(measure, binned(truth, score))
    assert found.least - 1e-12 <= exact <= found.most + 1e-12


@settings(max_examples=30)
@given(st.lists(st.integers(0, 1), min_size=2, max_size=6).filter(lambda t: len(set(t)) == 2))
def test_one_bin_is_bounded_by_its_worst_and_best_order(truth):
    """All orders of both classes at distinct scores, tried one by one."""
    together = sy.ScoreCounts.from_scores(truth, [0.1] * len(truth), bins=1)
    for name in ("roc_auc", "average_precision"):
        measure = sy.measure(name)
        values = [
            measure(sy.ScoreCounts.from_scores(order, range(len(truth)), positive=1))
            for order in set(itertools.permutations(truth))
        ]
        found = bounds(measure, together)
        assert found.least == pytest.approx(min(values), abs=1e-12)
        assert found.most == pytest.approx(max(values), abs=1e-12)


def test_weights_too():
    rng = np.random.default_rng(3)
    truth, score, weight = rng.integers(0, 2, 200), rng.random(200), rng.random(200)
    for name in ("roc_auc", "average_precision", "h_measure"):
        measure = sy.measure(name)
        exact = measure(sy.ScoreCounts.from_scores(truth, score, 1, sample_weight=weight))
        found = bounds(measure, sy.ScoreCounts.from_scores(truth, score, 1, sample_weight=weight, bins=8))
        assert found.least < exact < found.most


def test_bins_of_one_score_leave_nothing_open():
    counts = sy.ScoreCounts.from_scores([0, 1, 0, 1], [0.1, 0.1, 0.4, 0.9], bins=2)
    known = sy.ScoreCounts(
        counts.labels, counts.columns, counts.positive, counts.starts, several=np.array([0.0])
    )
    assert known.auc_error_bound() == 1 / 4  # two of the four pairs are in one bin, and half of them is open
    assert bounds(sy.measure("roc_auc"), counts) == bounds(sy.measure("roc_auc"), known)
    none = sy.ScoreCounts(counts.labels, counts.columns, counts.positive, counts.starts, several=np.empty(0))
    assert none.auc_error_bound() == 0
    found = bounds(sy.measure("roc_auc"), none)
    assert found.least == found.most == sy.measure("roc_auc")(counts)
    # A positive alone at the top, then one among two negatives: (1 + 2 / 4) / 2.
    assert bounds(sy.measure("average_precision"), none) == pytest.approx((0.75, 0.75))


def test_exact_scores_and_unknown_measures_have_no_bounds():
    exact = sy.ScoreCounts.from_scores([0, 1], [0.1, 0.2])
    assert bounds(sy.measure("roc_auc"), exact) is None
    coarse = sy.ScoreCounts.from_scores([0, 1], [0.1, 0.2], bins=2)
    assert bounds(sy.measure("ova_auc"), coarse) is None
    assert bounds(sy.measure("roc_auc"), sy.ScoreCounts.from_scores([0, 0], [0.1, 0.2], 1, bins=2)) is None
