"""Is the mixture that is found the nearest one of all, and are its intervals as wide as theory says?"""

from __future__ import annotations

import itertools

import numpy as np
import pytest

from steelyard.counts.score_counts import ScoreCounts
from steelyard.counts.ties import Ties
from steelyard.scores.prior_shift import Cells, Reading, nearest_mixture
from steelyard.scores.unlabelled_priors import by_counting, by_em

DRAWS = 20_000
"""The half-width of an interval of so many draws is off by about 1%."""

MANY = 1e9
"""Labelled rows of a class whose rates are as good as known."""


def every_mixture(step=0.01):
    """All shares of three classes on a grid."""
    number = round(1 / step)
    return np.array(
        [(i, j, number - i - j) for i, j in itertools.product(range(number + 1), repeat=2) if i + j <= number]
    ) / number  # fmt: skip


@pytest.mark.parametrize(
    "unlabelled",
    [
        [700, 250, 50],
        [100, 850, 50],
        [900, 50, 50],
        [850, 149, 1],
        [1, 400, 599],
        [1, 1, 998],
        [500, 30, 470],
    ],
)
def test_no_other_mixture_is_nearer(unlabelled):
    """Brute force over all shares, at the weights of the cells that were used; classes whose share would be negative among them."""
    labelled = np.array([[800.0, 150, 50], [60, 900, 40], [30, 300, 670]]) * np.array([[1], [0.2], [3]])
    found, weights = nearest_mixture(labelled, np.array(unlabelled, dtype=float))
    rates = labelled / labelled.sum(axis=1, keepdims=True)
    seen = np.array(unlabelled) / 1000

    def distance(shares):
        return ((seen - shares @ rates) ** 2 * weights).sum(axis=-1)

    assert found.sum() == pytest.approx(1)
    assert (found >= 0).all()
    assert distance(found) <= distance(every_mixture()).min() * (1 + 1e-9) + 1e-9


def half_width(found, place=0):
    return (found.high[place] - found.low[place]) / 2


def test_an_interval_of_counting_is_that_of_a_binomial_share():
    """Rates 0.8 and 0.1, known; 380 of 1,000 called: the share is (0.38 - 0.1) / 0.7 and its standard error that of 0.38 over 0.7."""
    cells = Cells(MANY * np.array([[0.8, 0.2], [0.1, 0.9]]), np.array([380.0, 620.0]))
    found, _ = by_counting(cells, 0.95, DRAWS, np.random.default_rng(1))
    assert found.shares == pytest.approx([0.4, 0.6])
    assert half_width(found) == pytest.approx(1.95996 * np.sqrt(0.38 * 0.62 / 1000) / 0.7, rel=0.025)


def test_an_interval_of_matching_is_wider_by_a_twentieth():
    """The second cell parted into two that say the same: nothing more is known. docs/coverage-priors.md: where the rows choose the
    combination of the cells, draws are spread by 1.05."""
    cells = Cells(MANY * np.array([[0.8, 0.05, 0.15], [0.1, 0.225, 0.675]]), np.array([380.0, 155.0, 465.0]))
    found, _ = by_counting(cells, 0.95, DRAWS, np.random.default_rng(2))
    assert found.shares == pytest.approx([0.4, 0.6])
    assert half_width(found) == pytest.approx(1.05 * 1.95996 * np.sqrt(0.38 * 0.62 / 1000) / 0.7, rel=0.025)


def test_intervals_of_all_classes_at_once_are_bonferronis():
    """Normal quantiles at 0.975 and at 1 - 0.025 / 3: 1.95996 and 2.39398."""
    cells = Cells(MANY * np.array([[0.8, 0.1, 0.1], [0.1, 0.8, 0.1], [0.1, 0.1, 0.8]]), np.full(3, 1000.0))
    found, _ = by_counting(cells, 0.95, DRAWS, np.random.default_rng(3))
    for k in range(3):
        wider = (found.high_of_all[k] - found.low_of_all[k]) / (found.high[k] - found.low[k])
        assert wider == pytest.approx(2.39398 / 1.95996, rel=0.025)
    two = Cells(MANY * np.array([[0.8, 0.2], [0.1, 0.9]]), np.array([380.0, 620.0]))
    found, _ = by_counting(two, 0.95, 500, np.random.default_rng(4))
    assert (found.low_of_all.tolist(), found.high_of_all.tolist()) == (
        found.low.tolist(),
        found.high.tolist(),
    )


def scored(rows):
    """Labelled rows of four scores in the ratios 5 : 3 : 1 : 1 and 1 : 2 : 3 : 4."""
    amounts = np.array([[5, 3, 1, 1], [1, 2, 3, 4]]) * rows // 10
    truth = np.repeat([1, 0], amounts.sum(axis=1))
    return ScoreCounts.from_scores(
        truth, np.concatenate([np.repeat([3, 2, 1, 0], own) for own in amounts]), 1
    )


def by_ratio(*ratios):
    """A reading by which the scores 0, 1 .. are so many times as likely in the positive class."""
    return lambda scores: np.log(np.array(ratios))[scores.astype(int)]


def test_the_readings_of_em_are_averaged_by_weight():
    """One row each of scores 0 and 3. Where they are 1/2 and 4 times as likely among the positives the likeliest share is 5/6
    (-(3 - 1/2) / (2 * 3 * -1/2)), where 1/2 and 7/4 times it is -(3/4 - 1/2) / (2 * 3/4 * -1/2) = 1/3."""
    readings = (Reading(0.6, by_ratio(1 / 2, 1, 1, 4)), Reading(0.2, by_ratio(1 / 2, 1, 1, 7 / 4)))
    found = by_em(scored(1000), Ties.of(np.array([0.0, 3.0])), 0.95, 200, np.random.default_rng(5), readings)
    share = (0.6 * 5 / 6 + 0.2 / 3) / 0.8
    assert found.shares == pytest.approx([share, 1 - share])


@pytest.mark.parametrize("weights", [(1.0,), (0.96, 0.04)])
def test_an_interval_of_em_is_that_of_the_likelihood(weights):
    """At a share of 0.3 a row tells of it E[((r - 1) / (1 + 0.3 (r - 1)))^2] (Fisher's information); a reading of little weight that
    says the opposite hardly matters. Draws are spread by 1.05."""
    positives, negatives = np.array([1, 1, 3, 5]) / 10, np.array([4, 3, 2, 1]) / 10
    ratios = positives / negatives
    mixed = 0.3 * positives + 0.7 * negatives
    seen = np.repeat([0.0, 1, 2, 3], np.rint(3000 * mixed).astype(int))
    information = (mixed * ((ratios - 1) / (1 + 0.3 * (ratios - 1))) ** 2).sum()
    readings = tuple(map(Reading, weights, (by_ratio(*ratios), by_ratio(*(1 / ratios)))))
    found = by_em(scored(1_000_000), Ties.of(seen), 0.95, DRAWS, np.random.default_rng(6), readings)
    assert half_width(found) == pytest.approx(1.05 * 1.95996 / np.sqrt(3000 * information), rel=0.06)
