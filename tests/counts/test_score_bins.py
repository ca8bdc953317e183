"""Do bins of scores hold every example, few of each class, and stay as near to the curve as they say?"""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import steelyard as sy
from steelyard.counts import curves
from steelyard.counts.score_bins import few_enough, in_bins, quantile_starts
from steelyard.counts.ties import Ties, TwoSides

SIDE = st.lists(st.integers(-20, 20), min_size=1, max_size=60)


def pair_of(positives, negatives, weight=None):
    sides = [np.array(side, dtype=np.float64) for side in (positives, negatives)]
    return TwoSides(
        *(Ties.of(side, None if weight is None else np.full(len(side), weight)) for side in sides)
    )


@given(SIDE, SIDE, st.integers(1, 12))
def test_bins_hold_every_example_and_little_of_each_class(positives, negatives, parts):
    pair = pair_of(positives, negatives)
    found = in_bins(pair, parts)
    assert found.bins <= 4 * parts
    edges = [*found.starts.tolist(), np.inf]
    for side, coarse in ((positives, found.pair.positives), (negatives, found.pair.negatives)):
        by_hand = {low: sum(low <= score < high for score in side) for low, high in itertools.pairwise(edges)}
        assert dict(zip(coarse.scores.tolist(), coarse.counts.tolist(), strict=True)) == {
            low: count for low, count in by_hand.items() if count
        }
        for low, high in itertools.pairwise(edges):
            if len({score for score in (*positives, *negatives) if low <= score < high}) > 1:
                assert by_hand[low] <= len(side) / parts


@given(SIDE, SIDE, st.integers(1, 12))
def test_the_area_is_no_farther_off_than_said(positives, negatives, parts):
    pair = pair_of(positives, negatives)
    found = in_bins(pair, parts)
    assert abs(curves.area(found.pair) - curves.area(pair)) <= found.area_error + 1e-12


@given(SIDE, SIDE)
def test_as_many_parts_as_examples_lose_nothing(positives, negatives):
    pair = pair_of(positives, negatives)
    found = in_bins(pair, max(len(positives), len(negatives)))
    assert (found.pair.positives, found.pair.negatives) == (pair.positives, pair.negatives)
    assert found.area_error == 0


def test_weights_are_gathered_too():
    found = in_bins(pair_of([1, 2, 3, 4], [1, 1, 2, 5], weight=0.5), 2)
    assert found.pair.positives.total == 2.0
    assert found.pair.negatives.total == 2.0


def test_one_side_alone_and_none():
    assert quantile_starts(pair_of([], [3.0, 1.0]), 4).tolist() == [1.0, 3.0]
    assert quantile_starts(pair_of([], []), 4).tolist() == []


def test_one_side_alone_in_bins():
    found = in_bins(pair_of([], [3.0, 1.0, 1.0]), 4)
    assert found.pair.positives.scores.tolist() == found.pair.positives.counts.tolist() == []
    assert found.pair.negatives.counts.tolist() == [2, 1]
    assert found.area_error == 0


@pytest.mark.parametrize(
    ("positives", "negatives", "expected"),
    [
        ([1, 2, 3], [0], [0, 1, 2]),  # above 0 lies 1, above 1 lies 2, both of the first side
        ([0], [1, 2, 3], [0, 1, 2]),  # and of the second
        ([0, 4, 5], [1, 3], [0, 1, 3]),  # above 0 lies 1, above 1 lies 3, nearer than 4
        ([1, 3], [0, 4, 5], [0, 1, 3]),
    ],
)
def test_a_bin_begins_just_above_each_cut_on_either_side(positives, negatives, expected):
    """One part a class: the cuts are the lowest scores of both, and the next score above belongs to either."""
    assert quantile_starts(pair_of(positives, negatives), 1).tolist() == expected


def test_infinite_scores_and_whole_numbers_are_scores():
    found = in_bins(pair_of([np.inf, 1.0], [-np.inf, 1.0]), 3)
    assert found.starts.tolist() == [-np.inf, 1.0, np.inf]
    counted = sy.ScoreCounts.from_scores([0, 1, 0, 1], np.array([2**60, 2**60 + 1, 3, 4]))
    assert in_bins(counted.ranked(), 4).starts.tolist() == [3, 4, 2**60, 2**60 + 1]


@pytest.mark.parametrize(("scores", "expected"), [([1.0, 2.0, 3.0], False), ([1.0, 2.0, 2.0], True)])
def test_scores_are_few_by_their_number_together(scores, expected):
    assert few_enough(pair_of(scores, [1.0, 2.0]), most=2) is expected


def test_up_to_twenty_thousand_scores_each_is_drawn_by_itself():
    """As the page on scores says."""
    scores = np.arange(20_001.0)
    assert few_enough(pair_of(scores[:9_000], scores[9_000:20_000]))
    assert not few_enough(pair_of(scores[:9_000], scores[9_000:]))
    assert few_enough(pair_of(scores[:20_000], scores[:20_000]))
