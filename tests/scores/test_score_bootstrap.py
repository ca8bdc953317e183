"""Do intervals and bands hold what they promise?"""

from __future__ import annotations

from types import SimpleNamespace

import numpy as np
import pytest

import steelyard as sy
from steelyard.counts import curves
from steelyard.errors import InputError
from steelyard.scores.delong import areas_of
from steelyard.scores.score_bootstrap import (
    BootstrapSamples,
    found_at,
    measured,
    precision_at,
    ranking_intervals,
    resample,
    resample_all,
    tpr_at,
)
from tests.scores.cases import MANY_CLASS, drawn

TRUTH, SCORES = drawn(600, 50, 4, 51, 20)
COUNTED = sy.ScoreCounts.from_scores(TRUTH, SCORES)


def ranking_interval(measure, scores, positive=None, **how):
    return ranking_intervals([measure], scores, positive, **how)[0]


def band(rates, at, scores, **how):
    again = BootstrapSamples(scores, **how)
    (drawn,) = again.statistics_of([rates])
    value = rates(again.two)
    ends = again.band(at, value, drawn)
    return SimpleNamespace(at=ends.at, value=value, low=ends.low, high=ends.high)


def roc_band(scores, points=101, **how):
    at = np.linspace(0, 1, points)
    return band(found_at(at), at, scores, **how)


def precision_recall_band(scores, prior=None, points=101, **how):
    at = np.linspace(0, 1, points)[1:]
    return band(precision_at(at, prior), at, scores, **how)


@pytest.mark.parametrize("counts", [[2, 1, 0, 3], [1, 1, 1], [0, 5, 0], [3, 0, 1] * 20])
def test_an_example_is_drawn_by_its_number(counts):
    """The places of the numbers drawn, found one by one as the same generator gives them."""
    counts = np.array(counts)
    numbers = np.random.default_rng(8).integers(0, counts.sum(), 40)
    place_of = np.repeat(np.arange(len(counts)), counts)
    expected = [int((place_of[numbers] == place).sum()) for place in range(len(counts))]
    assert resample(counts, np.random.default_rng(8), 40).tolist() == expected


@pytest.mark.parametrize("counts", [[1, 1, 1, 1], [0, 3, 1, 0], [1000, 0, 2000]])
def test_draws_keep_the_total_and_the_mean(counts):
    rng = np.random.default_rng(1)
    samples = np.array([resample(np.array(counts), rng) for _ in range(4000)])
    assert (samples.sum(axis=1) == sum(counts)).all()
    shares = np.array(counts) / sum(counts)
    # Binomial: the mean of 4,000 draws stays within five of its standard errors, the variance is n p (1 - p).
    spread = np.sqrt(sum(counts) * shares * (1 - shares))
    assert (abs(samples.mean(axis=0) - counts) <= 5 * spread / np.sqrt(4000) + 1e-12).all()
    np.testing.assert_allclose(samples.std(axis=0), spread, rtol=0.08, atol=1e-12)


def test_the_interval_of_the_auc_agrees_with_delong():
    found = ranking_interval("roc_auc", COUNTED, replicates=1000)
    truth, score = np.array(TRUTH) == 1, np.array(SCORES)
    areas, parts = areas_of([(score[truth], score[~truth])] * 2)
    error = np.sqrt(sum(covariance[0, 0] for _, covariance in parts))
    assert found.value == pytest.approx(areas[0])
    assert (found.low, found.high) == pytest.approx(
        (areas[0] - 1.96 * error, areas[0] + 1.96 * error), abs=0.25 * error
    )


def test_intervals_of_other_measures():
    for measure in (
        sy.measure("average_precision").at_priors(0.01),
        sy.measure("h_measure"),
        sy.measure("weighted_auc"),
    ):
        found = ranking_interval(measure, COUNTED, replicates=100)
        assert found.low < found.value < found.high


def test_bands_hold_the_curve():
    roc = roc_band(COUNTED, replicates=200, points=21)
    assert ((roc.low <= roc.value + 0.02) & (roc.value <= roc.high + 0.02)).all()
    assert (roc.at[0], roc.value[-1]) == (0, 1)
    pr = precision_recall_band(COUNTED, replicates=200, points=21)
    assert (pr.low <= pr.high).all()
    assert ((pr.low <= pr.value) & (pr.value <= pr.high)).mean() > 0.9
    assert pr.value[-1] == pytest.approx(
        curves.precision_recall_curve(COUNTED).precision[
            np.argmax(curves.precision_recall_curve(COUNTED).recall >= 1)
        ]
    )
    rare = precision_recall_band(COUNTED, prior=0.001, replicates=50, points=21)
    assert (rare.value < pr.value + 1e-12).all()


def test_what_is_not_said_is_100_steps_500_samples_and_seed_0():
    few = sy.ScoreCounts.from_scores([0, 0, 1, 1, 0, 1], [0.1, 0.4, 0.35, 0.8, 0.2, 0.3])
    assert roc_band(few, replicates=2).at.tolist() == pytest.approx(np.arange(101) / 100)
    assert precision_recall_band(few, replicates=2).at.tolist() == pytest.approx(np.arange(1, 101) / 100)
    area = [sy.measure("roc_auc")]
    whole = ranking_interval("roc_auc", few)
    assert BootstrapSamples(few).replicates == 500
    assert whole == ranking_interval("roc_auc", few, replicates=500, seed=0)
    once, again = (
        BootstrapSamples(few, replicates=9, **seed).statistics_of([measured(area)])[0]
        for seed in ({}, {"seed": 0})
    )
    assert once.tolist() == again.tolist()
    other = BootstrapSamples(few, replicates=9, seed=1).statistics_of([measured(area)])[0]
    assert once.tolist() != other.tolist()


def test_the_rate_at_a_step_is_its_top():
    curve = curves.RocCurve(
        np.array([0, 0, 0.5, 0.5, 1]), np.array([0, 0.2, 0.4, 0.8, 1]), np.arange(5.0)[::-1]
    )
    np.testing.assert_allclose(tpr_at(curve, np.array([0, 0.25, 0.5, 0.75, 1])), [0.2, 0.3, 0.8, 0.9, 1])


def many_scores(rows=24_000, positives=600, seed=71):
    rng = np.random.default_rng(seed)
    truth = (np.arange(rows) < positives).astype(int)
    return sy.ScoreCounts.from_scores(truth, rng.normal(size=rows) + 1.5 * truth)


def test_many_scores_are_drawn_in_bins_and_the_interval_stays():
    counted = many_scores()
    again = BootstrapSamples(counted, replicates=400)
    assert again.binned is not None
    assert again.binned.bins <= 4096
    assert again.binned.area_error < 1 / 1024
    found = ranking_interval("roc_auc", counted, replicates=400)
    pair = counted.ranked()
    areas, parts = areas_of([(pair.positives.scores, pair.negatives.scores)] * 2)
    error = np.sqrt(sum(covariance[0, 0] for _, covariance in parts))
    assert found.value == pytest.approx(areas[0], abs=1e-12)
    # The same tolerance as above, where every score is drawn.
    assert (found.low, found.high) == pytest.approx(
        (areas[0] - 1.96 * error, areas[0] + 1.96 * error), abs=0.25 * error
    )


def test_a_perfect_ranking_stays_perfect_in_bins():
    truth = np.repeat([0, 1], [15_000, 15_000])
    found = ranking_interval("roc_auc", sy.ScoreCounts.from_scores(truth, np.arange(30_000.0)), replicates=20)
    assert (found.value, found.high) == (1, 1)
    # Wilson's interval of 15,000 out of 15,000, 15,000 / (15,000 + 1.96²), by hand
    assert found.low == pytest.approx(0.99974, abs=1e-5)


def test_few_examples_without_an_error_are_not_certain():
    """20 positives above 180 negatives, by hand: 20 / (20 + t²) with Student's 2.093 of 19 degrees of freedom. An area borrows 50 / 20 degrees
    of Newcombe's model, in which it is worth 3600 / (1 + 99 / 2) trials: 21.83 / (21.83 + t²) with 2.077 of 21.5."""
    perfect = sy.ScoreCounts.from_scores(np.repeat([0, 1], [180, 20]), np.arange(200.0))
    trials = 21.5 / (19 / 20 + 2.5 / (3600 / 50.5))
    expected = {"roc_auc": trials / (trials + 2.0766**2), "average_precision": 20 / (20 + 2.093**2)}
    for name, low in expected.items():
        found = ranking_interval(name, perfect, replicates=50)
        assert (found.low, found.value, found.high) == (pytest.approx(low, abs=1e-4), 1, 1)


def test_the_precision_of_a_sample_moves_with_its_class_sizes():
    """Average precision depends on the share of positives, the area under the ROC curve does not."""
    width = {
        (name, design): (lambda i: i.high - i.low)(ranking_interval(name, COUNTED, design=design))
        for name in ("roc_auc", "average_precision")
        for design in ("sample", "fixed")
    }
    assert width["average_precision", "sample"] > 1.05 * width["average_precision", "fixed"]
    assert width["roc_auc", "sample"] == pytest.approx(width["roc_auc", "fixed"], rel=0.15)


def test_areas_are_covered_as_promised():
    """Two normal distributions one apart whose area is known, 0.92, 20 positives and 60 negatives: 150 intervals hold
    it at least 93% of the time
    less three standard errors of the simulation (87.7%)."""
    rng, apart = (
        np.random.default_rng(2027),
        1.9871,
    )  # sqrt(2) times the 92% point of the normal distribution
    truth = np.repeat([1, 0], [20, 60])
    held = 0
    for seed in range(150):
        scores = sy.ScoreCounts.from_scores(truth, rng.normal(size=80) + apart * truth)
        found = ranking_interval("roc_auc", scores, replicates=100, seed=seed)
        held += found.low <= 0.92 <= found.high
    assert held >= 0.877 * 150


def test_one_set_of_draws_tells_what_each_alone_tells():
    at = np.linspace(0, 1, 11)
    again = BootstrapSamples(COUNTED, replicates=30, seed=4)
    values, rates = again.statistics_of([measured([sy.measure("roc_auc")]), found_at(at)])
    alone = ranking_interval("roc_auc", COUNTED, replicates=30, seed=4)
    assert again.intervals([sy.measure("roc_auc")], values)[0] == alone
    band = roc_band(COUNTED, points=11, replicates=30, seed=4)
    np.testing.assert_array_equal(again.band(at, band.value, rates).low, band.low)


def test_samples_of_many_sizes_keep_to_occupied_places():
    drawn = resample_all(np.array([3, 0, 1, 0]), [0, 5, 1000], np.random.default_rng(3))
    assert drawn.sum(axis=1).tolist() == [0, 5, 1000]
    assert not drawn[:, [1, 3]].any()


@pytest.mark.parametrize(
    ("scores", "options", "words"),
    [
        (COUNTED, {"level": 0}, "the level is not a probability"),
        (COUNTED, {"replicates": 0}, "there must be replicates"),
        (sy.ScoreCounts.from_scores([0, 1], [1, 2], sample_weight=[1, 2]), {}, "cannot be resampled"),
    ],
)
def test_bad_input(scores, options, words):
    for ask in (roc_band, precision_recall_band, lambda *a, **k: ranking_interval("roc_auc", *a, **k)):
        with pytest.raises(InputError, match=words):
            ask(scores, **options)


def test_one_class_of_a_table():
    case = MANY_CLASS["three classes"]
    scores = sy.ScoreCounts.from_scores(case.truth, case.array)
    found = ranking_interval("roc_auc", scores, 1, replicates=50)
    assert found.value == pytest.approx(sy.measure("roc_auc")(scores, positive=1))
    with pytest.raises(InputError, match="positive class must be named"):
        ranking_interval("hand_till", scores)
