"""Do intervals and bands hold what they promise?"""

from __future__ import annotations

import numpy as np
import pytest

import steelyard as sy
from steelyard.counts import curves
from steelyard.errors import InputError
from steelyard.scores.areas import area_covariance
from steelyard.scores.resampling import draw_again, precision_recall_band, ranking_interval, roc_band, tpr_at
from tests.scores.cases import MANY_CLASS, drawn

TRUTH, SCORES = drawn(600, 50, 4, 51, 20)
COUNTED = sy.ScoreCounts.from_scores(TRUTH, SCORES)


@pytest.mark.parametrize("counts", [[1, 1, 1, 1], [0, 3, 1, 0], [1000, 0, 2000]])
def test_draws_keep_the_total_and_the_mean(counts):
    rng = np.random.default_rng(1)
    samples = np.array([draw_again(np.array(counts), rng) for _ in range(4000)])
    assert (samples.sum(axis=1) == sum(counts)).all()
    shares = np.array(counts) / sum(counts)
    # Binomial: the mean of 4,000 draws stays within five of its standard errors, the variance is n p (1 - p).
    spread = np.sqrt(sum(counts) * shares * (1 - shares))
    assert (abs(samples.mean(axis=0) - counts) <= 5 * spread / np.sqrt(4000) + 1e-12).all()
    np.testing.assert_allclose(samples.std(axis=0), spread, rtol=0.08, atol=1e-12)


def test_the_interval_of_the_auc_agrees_with_delong():
    found = ranking_interval("roc_auc", COUNTED, replicates=1000)
    truth, score = np.array(TRUTH) == 1, np.array(SCORES)
    areas, covariance = area_covariance([(score[truth], score[~truth])] * 2)
    error = np.sqrt(covariance[0, 0])
    assert found.value == pytest.approx(areas[0])
    assert (found.low, found.high) == pytest.approx(
        (areas[0] - 1.96 * error, areas[0] + 1.96 * error), abs=0.25 * error
    )
    assert found.to_dict()["measure"] == "roc_auc"


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


def test_the_rate_at_a_step_is_its_top():
    curve = curves.RocCurve(
        np.array([0, 0, 0.5, 0.5, 1]), np.array([0, 0.2, 0.4, 0.8, 1]), np.arange(5.0)[::-1]
    )
    np.testing.assert_allclose(tpr_at(curve, np.array([0, 0.25, 0.5, 0.75, 1])), [0.2, 0.3, 0.8, 0.9, 1])


@pytest.mark.parametrize(
    ("scores", "options", "words"),
    [
        (COUNTED, {"level": 0}, "level of an interval"),
        (COUNTED, {"replicates": 0}, "there must be replicates"),
        (sy.ScoreCounts.from_scores([0, 1], [1, 2], sample_weight=[1, 2]), {}, "cannot be drawn again"),
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
