"""Do the corners of a ROC curve make the same curve, and equal weights the same sums?"""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from steelyard.counts import curves, ties
from steelyard.counts.ties import Ties, TwoSides, merged

SIDE = st.lists(st.integers(-6, 6), min_size=1, max_size=25)


def sides(positives, negatives, weights=(None, None)):
    made = []
    for scores, weight in zip((positives, negatives), weights, strict=True):
        column = np.array(scores, dtype=np.float64)
        made.append(Ties.of(column, None if weight is None else np.full(len(column), weight)))
    return TwoSides(*made)


@given(SIDE, SIDE, st.sampled_from([(None, None), (0.25, 3.0)]))
def test_corners_are_points_of_the_curve_and_hold_every_bend(positives, negatives, weights):
    pair = sides(positives, negatives, weights)
    thresholds, tp, fp = pair.corners
    unit = [1.0 if weight is None else weight for weight in weights]
    for threshold, found, called in zip(thresholds.tolist(), tp.tolist(), fp.tolist(), strict=True):
        assert found == unit[0] * sum(score >= threshold for score in positives)
        assert called == unit[1] * sum(score >= threshold for score in negatives)
    whole = curves.roc_curve(pair)
    points = set(zip((fp / pair.negatives.total).tolist(), (tp / pair.positives.total).tolist(), strict=True))
    ends = {(0.0, 0.0), (1.0, 1.0)}
    x, y = whole.fpr, whole.tpr
    turns = (
        np.flatnonzero(np.abs(np.diff(x)[:-1] * np.diff(y)[1:] - np.diff(x)[1:] * np.diff(y)[:-1]) > 1e-12)
        + 1
    )
    assert set(zip(x[turns].tolist(), y[turns].tolist(), strict=True)) <= points | ends


@given(SIDE, SIDE)
def test_what_is_read_off_the_outline_is_what_is_read_off_the_curve(positives, negatives):
    pair = sides(positives, negatives)
    whole = curves.roc_curve(pair)
    outline = curves.outline(pair, most=0)
    assert curves.area_up_to(outline, 1.0) == pytest.approx(curves.area(pair), abs=1e-12)
    assert curves.area_up_to(outline, 0.3) == pytest.approx(curves.area_up_to(whole, 0.3), abs=1e-12)
    np.testing.assert_allclose(curves.strip_areas(outline, 7), curves.strip_areas(whole, 7), atol=1e-12)
    assert curves.h_loss(outline, 0.2)[0] == pytest.approx(curves.h_loss(whole, 0.2)[0], abs=1e-12)


def test_of_many_scores_only_the_bends_are_kept():
    rng = np.random.default_rng(2)
    pair = sides(rng.normal(1, 1, 300), rng.normal(0, 1, 30_000))
    outline = curves.outline(pair)
    assert len(outline.fpr) <= 2 * 300 + 2
    whole = curves.roc_curve(pair)
    assert curves.area_up_to(outline, 0.1) == pytest.approx(curves.area_up_to(whole, 0.1), abs=1e-12)
    assert curves.h_loss(outline, 0.01) == pytest.approx(curves.h_loss(whole, 0.01), abs=1e-12)


@given(SIDE, SIDE, st.sampled_from([0.1, 0.5, 7.0]))
def test_equal_weights_are_multiplied(positives, negatives, factor):
    distinct = sides(sorted(set(positives)), sorted(set(negatives)))
    scaled = TwoSides(distinct.positives.scaled(factor), distinct.negatives.scaled(2.0).scaled(0.25))
    by_hand = TwoSides(
        Ties(distinct.positives.scores, np.full(len(distinct.positives.scores), factor)),
        Ties(distinct.negatives.scores, np.full(len(distinct.negatives.scores), 0.5)),
    )
    assert scaled.positives == by_hand.positives
    assert scaled.positives.is_weighted
    assert scaled.positives.total == pytest.approx(by_hand.positives.total)
    assert curves.area(scaled) == pytest.approx(curves.area(by_hand))
    assert curves.area(scaled) == pytest.approx(curves.area(distinct))
    assert curves.precision_sum(scaled) == pytest.approx(curves.precision_sum(by_hand))
    for ours, theirs in zip(scaled.cells, by_hand.cells, strict=True):
        np.testing.assert_allclose(ours, theirs, atol=1e-12)
    assert merged([scaled.positives, distinct.negatives]).total == pytest.approx(
        by_hand.positives.total + distinct.negatives.total
    )


def test_huge_equal_weights_do_not_overflow():
    distinct = sides([1.0, 3.0], [0.0, 2.0])
    huge = TwoSides(distinct.positives.scaled(1e300), distinct.negatives.scaled(1e300))
    assert curves.area(huge) == 0.75


def test_as_many_examples_as_integers_hold_are_ranked():
    """Half of the positives stand above all negatives, the other half below: 2^64 doubled wins are no
    int64."""
    pair = TwoSides(
        Ties(np.array([1.0, 3.0]), np.array([2**31, 2**31])), Ties(np.array([2.0]), np.array([2**32]))
    )
    assert curves.wins(pair) == 2.0**63
    assert curves.area(pair) == 0.5


def test_a_weighted_side_without_examples_stays_empty():
    pair = TwoSides(Ties(np.empty(0), np.empty(0)), Ties(np.array([1.0]), np.array([2.0**300])))
    near = pair.weighed_alike()
    assert near.positives.total == 0
    assert near.negatives.total == pytest.approx(0.5)


def test_points_on_a_straight_line_are_left_out():
    """One positive and one negative at each of three scores: a straight line from (0, 0) to (1, 1)."""
    pair = sides([1, 2, 3], [1, 2, 3])
    short = curves.roc_curve(pair, corners_only=True)
    assert short.thresholds.tolist() == [np.inf, 3, 1]
    assert short.fpr.tolist() == short.tpr.tolist() == [0, 1 / 3, 1]


@given(st.lists(st.tuples(st.integers(0, 3), st.integers(0, 3)), min_size=1, max_size=12))
def test_counts_on_one_grid_are_the_same_sides(counts):
    grid = np.arange(len(counts)) / 4
    positives, negatives = np.array(counts).T
    made = TwoSides.on_grid(grid, positives, negatives)
    plain = TwoSides(*(Ties(grid[own > 0], own[own > 0].astype(np.int64)) for own in (positives, negatives)))
    assert (made.positives, made.negatives) == (plain.positives, plain.negatives)
    np.testing.assert_array_equal(made.thresholds, plain.thresholds)
    for ours, theirs in zip(made.cells, plain.cells, strict=True):
        np.testing.assert_array_equal(ours, theirs)


@pytest.mark.parametrize("decimals", [3, 12])
def test_scores_are_found_piece_by_piece_where_they_stand(decimals, monkeypatch):
    """Pieces of seven scores; many, few and no scores of the other side beside them, and ties at the seams."""
    monkeypatch.setattr(ties, "_SEARCHED", 7)
    random = np.random.default_rng(decimals)
    for among, values in ((500, 300), (30, 240), (1, 8), (40, 7), (400, 1)):
        high, low = (
            np.sort(random.random(size).round(decimals) + shift)
            for size, shift in ((among, 0.3), (values, 0))
        )
        assert ties.searched(high, low).tolist() == [int((high < value).sum()) for value in low]


def test_an_area_asks_for_the_order_once():
    pair = sides([3, 1, 4, 1, 5], [9, 2, 6, 5, 3, 5])
    assert pair.weighed_alike() is pair
    wins = sum((p > n) + (p == n) / 2 for p in [3, 1, 4, 1, 5] for n in [9, 2, 6, 5, 3, 5])
    assert curves.wins(pair) == wins
    alone = sides([3, 1, 4, 7], [9, 2, 6, 5, 3, 5])  # no two positives are alike
    assert curves.wins(alone) == sum((p > n) + (p == n) / 2 for p in [3, 1, 4, 7] for n in [9, 2, 6, 5, 3, 5])
