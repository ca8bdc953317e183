"""The parts that reports on scores are made of, each by hand or against SciPy and NumPy."""

from __future__ import annotations

import math
from itertools import pairwise

import numpy as np
import pytest

import steelyard as sy
from steelyard.counts import calibration
from steelyard.scores.calibration_evaluation import (
    are_probabilities,
    error_interval,
    report_class_probabilities,
    report_probabilities,
)
from steelyard.scores.delong import compare_areas
from steelyard.scores.prior_shift import most_likely_share, nearest_mixture
from steelyard.scores.score_bootstrap import _harmonic
from steelyard.scores.unlabelled_priors import cells_of_scores


def counted(y, score):
    return sy.ScoreCounts.from_scores(y, score, positive=1)


def test_which_scores_could_be_probabilities():
    assert are_probabilities(counted([0, 1], [0.2, 0.9]))
    assert are_probabilities(counted([0, 1], [0.0, 0.5]))
    assert are_probabilities(counted([0, 1, 1], [0.0, 0.5, 1.0]))
    assert not are_probabilities(counted([0, 1], [0.0, 1.0]))
    assert not are_probabilities(counted([0, 1], [-0.1, 0.9]))
    assert not are_probabilities(counted([0, 1], [0.5, 1.1]))
    assert not are_probabilities(counted([0, 1, 0], [0.5, 0.6, 7.0]))


def test_bins_of_a_reliability_diagram():
    """Ten bins of equal width; in each the exact interval of a rate (clopper1934), from SciPy's Beta distribution."""
    stats = pytest.importorskip("scipy.stats")
    rng = np.random.default_rng(5)
    score = rng.random(400).round(3).clip(0.001, 0.999)
    y = (rng.random(400) < score).astype(int)
    report = report_probabilities(counted(y, score), 0.9)
    assert report is not None
    assert sum(one.rows for one in report.bins) == 400
    for one, following in pairwise([*report.bins, None]):
        end = 1.0 if following is None else following.start
        inside = (score >= one.start) & ((score < end) if following is not None else (score <= 1))
        hits, rows = int(y[inside].sum()), int(inside.sum())
        assert (one.rows, one.share) == (rows, pytest.approx(hits / rows))
        assert one.mean_probability == pytest.approx(score[inside].mean())
        assert one.low == pytest.approx(
            0.0 if not hits else stats.beta.ppf(0.05, hits, rows - hits + 1), abs=1e-9
        )
        assert one.high == pytest.approx(
            1.0 if hits == rows else stats.beta.ppf(0.95, hits + 1, rows - hits), abs=1e-9
        )
    assert report.brier == pytest.approx(((score - y) ** 2).mean())
    assert report.log_loss == pytest.approx(-np.mean(np.where(y == 1, np.log(score), np.log1p(-score))))
    share = y.mean()
    assert report.uncertainty == pytest.approx(share * (1 - share))
    assert report.miscalibration - report.discrimination + report.uncertainty == pytest.approx(report.brier)
    assert report.error_low <= report.error <= report.error_high
    assert report.level == 0.9
    said = report.to_dict()
    assert said["brier_skill"] == pytest.approx(1 - ((score - y) ** 2).mean() / (share * (1 - share)))
    assert said["calibration_error"] == {
        "value": report.error, "low": report.error_low, "high": report.error_high
    }  # fmt: skip
    assert [one["rows"] for one in said["reliability"]] == [one.rows for one in report.bins]


def test_a_calibration_error_is_uncertain_to_both_sides():
    """100 forecasts of 0.7 of which half come true: 0.2 off, with a standard error of sqrt(0.5 * 0.5 / 100) = 0.05. One such error
    down and up must lie within 95%."""
    report = report_probabilities(counted(np.arange(100) % 2, np.full(100, 0.7)))
    assert report.error_low < 0.15
    assert report.error_high > 0.25
    certain = report_probabilities(counted([0, 1, 1], [0.0, 0.5, 0.0])).to_dict()
    assert certain["log_loss"] == "Infinity"  # what happened had been said never to


def test_bins_that_hold_one_kind_only():
    report = report_probabilities(counted([0, 0, 0, 1, 1], [0.05, 0.05, 0.05, 0.95, 0.95]), 0.95)
    first, last = report.bins
    assert (first.low, last.high) == (0.0, 1.0)
    assert first.high == pytest.approx(1 - 0.025 ** (1 / 3))  # clopper1934 at 0 of 3
    assert last.low == pytest.approx(0.025 ** (1 / 2))  # at 2 of 2
    (only,) = report_probabilities(counted([0, 0, 1], [0.05, 0.05, 0.05]), 0.95).bins
    assert only.low == pytest.approx(1 - 0.975 ** (1 / 3))  # at 1 of 3


def test_no_report_where_there_are_no_probabilities():
    assert report_probabilities(counted([0, 1], [-1.0, 2.0])) is None
    weighted = sy.ScoreCounts.from_scores([0, 1], [0.2, 0.7], positive=1, sample_weight=[1.5, 2.0])
    assert report_probabilities(weighted) is None
    alone = sy.ScoreCounts.from_scores([1, 1], [0.2, 0.7], positive=1, labels=[0, 1])
    assert report_probabilities(alone) is None


def test_the_interval_of_the_calibration_error():
    """The true error of a forecast of 0.6 where 0.5 happens is 0.1: covered, by an interval that narrows with the rows."""
    widths = []
    for rows in (100, 10_000):
        held = calibration.Bins(np.array([0.6]), np.array([float(rows)]), np.array([0.6]), np.array([0.5]))
        low, high = error_interval(held, 0.95, 1)
        assert low <= 0.1 <= high
        widths.append(high - low)
    assert widths[1] < widths[0] / 5
    # Two bins of 0.1 and 0.3 off, the second of three times as many rows: sqrt((0.01 + 3 * 0.09) / 4).
    held = calibration.Bins(
        np.array([0.2, 0.8]), np.array([25_000.0, 75_000.0]), np.array([0.2, 0.8]), np.array([0.3, 0.5])
    )
    low, high = error_interval(held, 0.95, 1)
    assert low < math.sqrt((0.01 + 3 * 0.09) / 4) < high
    assert high - low < 0.02


@pytest.mark.parametrize(("rows", "hits", "said"), [(1000, 30, 0.01), (4000, 10, 0.006), (500, 400, 0.7)])
def test_the_calibration_error_of_one_bin_has_the_limits_of_its_share(rows: int, hits: int, said: float):
    """One bin that is surely off: the limits are those of Clopper and Pearson, less the probability."""
    from scipy.stats import beta

    share = hits / rows
    ends = (beta.ppf(0.025, hits, rows - hits + 1), beta.ppf(0.975, hits + 1, rows - hits))
    held = calibration.Bins(np.array([0.0]), np.array([float(rows)]), np.array([said]), np.array([share]))
    expected = sorted(abs(end - said) for end in ends)
    assert error_interval(held, 0.95, 1) == pytest.approx(expected, abs=0.15 * (expected[1] - expected[0]))


def test_a_calibration_error_that_chance_explains_may_be_0():
    held = calibration.Bins(np.array([0.0]), np.array([3000.0]), np.array([0.01]), np.array([0.011]))
    low, high = error_interval(held, 0.95, 1)
    assert low == 0
    assert 0.003 < high < 0.007  # Clopper and Pearson's upper limit of 33 of 3,000 is 0.0154


def test_several_classes_are_reported_only_if_rows_add_up():
    rng = np.random.default_rng(1)
    y = rng.choice(list("abc"), 200)
    table = rng.dirichlet([2, 2, 2], 200)
    good = sy.ScoreCounts.from_scores(y, table, labels=list("abc"))
    assert [label for label, _ in report_class_probabilities(good, list("abc"))] == list("abc")
    assert [label for label, _ in report_class_probabilities(good, ["b"])] == ["b"]
    half = sy.ScoreCounts.from_scores(y, table / 2, labels=list("abc"))
    assert report_class_probabilities(half, list("abc")) == ()


# -- shares of unlabelled rows


@pytest.mark.parametrize("share", [0.0, 0.13, 0.5, 0.9, 1.0])
def test_the_most_likely_share_is_where_the_likelihood_is_greatest(share):
    rng = np.random.default_rng(3)
    likelihoods = np.column_stack([[0.7, 0.2, 0.1], [0.1, 0.3, 0.6]]).astype(float)
    counts = np.rint(10_000 * (share * likelihoods[:, 0] + (1 - share) * likelihoods[:, 1]))
    found = most_likely_share(likelihoods, counts)
    assert found == pytest.approx(share, abs=2e-4)
    grid = np.linspace(0, 1, 1001)
    loglik = (
        counts * np.log(grid[:, None] * likelihoods[:, 0] + (1 - grid[:, None]) * likelihoods[:, 1])
    ).sum(axis=1)
    assert abs(found - grid[loglik.argmax()]) <= 0.001
    noisy = counts + rng.integers(0, 3, 3)
    assert 0 <= most_likely_share(likelihoods, noisy) <= 1


@pytest.mark.parametrize("shares", [(0.2, 0.5, 0.3), (0.0, 0.4, 0.6), (1.0, 0.0, 0.0)])
def test_a_mixture_is_found_again(shares):
    labelled = np.array([[700.0, 200, 100], [100, 800, 100], [50, 150, 800]])
    rates = labelled / 1000
    unlabelled = 10_000 * (np.array(shares) @ rates)
    found, _ = nearest_mixture(labelled, unlabelled)
    assert found.tolist() == pytest.approx(shares, abs=1e-6)
    batch, _ = nearest_mixture(np.stack([labelled, labelled]), np.stack([unlabelled, unlabelled[::-1]]))
    assert batch[0].tolist() == pytest.approx(shares, abs=1e-6)
    assert batch.sum(axis=-1).tolist() == pytest.approx([1, 1])


def test_what_a_cell_says_is_one_over_its_variance():
    """One cell of two, rates 0.8 and 0.3, all unlabelled rows of the first class: p (1 - p) / n without the multinomial's cross terms."""
    labelled, unlabelled = np.array([[8e6, 2e6], [3e6, 7e6]]), np.array([800.0, 200.0])
    _, weights = nearest_mixture(labelled, unlabelled)
    assert weights.tolist() == pytest.approx([1000 / 0.8, 1000 / 0.2], rel=1e-3)
    # Of ten labelled rows and one that is spread evenly 8.5 of 11 are in the first cell.
    of_ten = nearest_mixture(labelled / 1e6, unlabelled)[1]
    assert of_ten.tolist() == pytest.approx(
        [11 / 8.5 / (1 / 1000 + 1 / 10), 11 / 2.5 / (1 / 1000 + 1 / 10)], rel=1e-6
    )
    few = nearest_mixture(labelled / 1e4, unlabelled * 1e6)[1]  # what labelled rows leave open decides
    assert few.tolist() == pytest.approx([1000 / 0.8, 1000 / 0.2], rel=2e-2)


def test_a_class_that_would_be_negative_is_left_out():
    labelled = np.array([[900.0, 50, 50], [50, 900, 50], [50, 50, 900]])
    found, _ = nearest_mixture(labelled, np.array([5000.0, 5000.0, 0.0]))
    assert found.tolist() == pytest.approx([0.5, 0.5, 0.0], abs=1e-9)


def test_cells_of_scores_hold_equal_parts():
    y = np.repeat([1, 0], 100)
    score = np.concatenate([np.arange(100) + 50, np.arange(100)]).astype(float)
    sc = counted(y, score)
    unlabelled = counted(np.repeat([1, 0], 60), np.arange(120.0)).ranked().positives
    cells, starts = cells_of_scores(sc, unlabelled, bins=4)
    assert starts[0] == -np.inf
    assert len(starts) == 4
    assert cells.labelled.sum(axis=1).tolist() == [100, 100]
    assert cells.unlabelled.sum() == 60
    both = cells.labelled.sum(axis=0)
    assert both.tolist() == pytest.approx([50] * 4, abs=2)
    edges = [*starts[1:], np.inf]
    for place, (start, end) in enumerate(zip(starts, edges, strict=True)):
        inside = (score >= start) & (score < end)
        assert cells.labelled[0, place] == (inside & (y == 1)).sum()
        assert cells.labelled[1, place] == (inside & (y == 0)).sum()
    _, with_edge = cells_of_scores(sc, unlabelled, bins=4, edge=60.0)
    assert 60.0 in with_edge.tolist()


# -- small things


def test_harmonic_numbers():
    found = _harmonic(np.array([0.0, 1.0, 2.0, 10.0, 1e6]))
    assert found[:4].tolist() == pytest.approx([0, 1, 1.5, sum(1 / k for k in range(1, 11))], rel=1e-14)
    assert found[4] == pytest.approx(np.sum(1 / np.arange(1, 1_000_001)), rel=1e-14)
    for n in (4095, 4096, 5000):  # where the series takes over from the table
        assert _harmonic(np.array([float(n)]))[0] == pytest.approx(
            math.fsum(1 / k for k in range(1, n + 1)), rel=1e-14
        )


def test_net_benefit_needs_probabilities_between_0_and_1():
    sc = counted([0, 1, 1], [0.1, 0.4, 0.9])
    for thresholds in ([0.0, 0.5], [0.5, 1.0], [], [[0.5]], [-0.1], [1.5, 0.2]):
        with pytest.raises(sy.InputError, match="decision thresholds are probabilities"):
            sy.curves.decision_curve(sc, thresholds)
    assert sy.curves.decision_curve(sc).thresholds.tolist() == pytest.approx(np.arange(1, 100) / 100)
    with pytest.raises(sy.InputError, match="needs probabilities"):
        sy.curves.decision_curve(counted([0, 1], [0.2, 1.5]), [0.5])
    with pytest.raises(sy.InputError, match="needs probabilities"):
        sy.curves.decision_curve(counted([0, 1], [-0.2, 0.5]), [0.5])
    for prior in (-0.1, 1.1):
        with pytest.raises(sy.InputError, match="not a share"):
            sy.curves.decision_curve(sc, [0.5], prior=prior)
    unsorted = sy.curves.decision_curve(sc, [0.5, 0.2, 0.8])
    each = [sy.curves.decision_curve(sc, [t]).net_benefit[0] for t in (0.5, 0.2, 0.8)]
    assert unsorted.net_benefit.tolist() == pytest.approx(each)


def test_the_best_threshold_as_plain_data():
    sc = counted([0, 0, 1, 1], [0.1, 0.4, 0.35, 0.8])
    best = sy.best_threshold(sc, "recall")
    said = best.to_dict()
    assert said["threshold"] == best.threshold
    assert said["next_lower_score"] == best.next_lower == 0.1


def test_areas_of_models_are_compared():
    """Three models: the areas are those of pairs told right, counted one by one, and p-values are Holm's."""
    rng = np.random.default_rng(4)
    y = np.repeat([1, 0], 40)
    scores = {
        name: rng.normal(0, 1, 80).round(1) + shift * y
        for name, shift in (("a", 2.0), ("b", 1.0), ("c", 0.0))
    }
    found = compare_areas(y, scores, 1, level=0.9)
    for name, score in scores.items():
        pairs = [(p > n) + (p == n) / 2 for p in score[y == 1] for n in score[y == 0]]
        assert found.areas[name] == pytest.approx(np.mean(pairs))
        curve = found.curves[name]
        assert np.trapezoid(curve.tpr, curve.fpr) == pytest.approx(found.areas[name], abs=0.02)
    assert [(pair.first, pair.second) for pair in found.pairs] == [("a", "b"), ("a", "c"), ("b", "c")]
    plain = sorted((pair.delong.p_value, k) for k, pair in enumerate(found.pairs))
    worst = 0.0
    for place, (p, k) in enumerate(plain):
        worst = max(worst, min(1.0, (3 - place) * p))
        assert found.pairs[k].holm_p_value == pytest.approx(worst)
    assert (found.share, found.level) == (0.5, 0.9)
    for pair in found.pairs:
        assert pair.delong.difference == pytest.approx(found.areas[pair.first] - found.areas[pair.second])
    said = found.to_dict()
    assert said["values"] == dict(found.areas)
    with pytest.raises(sy.InputError, match="at least 2 models"):
        compare_areas(y, {"a": scores["a"]}, 1)
