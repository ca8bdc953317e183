"""Is the difference of two AUCs tested as delong1988 does?"""

from __future__ import annotations

import math

import numpy as np
import pytest

import steelyard as sy
from steelyard.errors import InputError
from steelyard.scores.delong import CountedAreas, compare_areas, compare_counted_areas, delong, delong_of


def test_delong_by_hand():
    # Positives first. Parts of the positives: a (1, 1/2), b (1/2, 3/4); of the negatives: a (1/2, 1), b (1/4, 1).
    # Variances over positives .125 and .03125, covariance -.0625; over negatives .125 and .28125, covariance .1875.
    # Var(a - b) = (.125 + .03125 + .125) / 2 + (.125 + .28125 - .375) / 2 = .15625; z = .125 / sqrt(.15625) = 1 / sqrt(10).
    found = delong([1, 1, 0, 0], [3, 1, 2, 0], [1, 2, 2, 0])
    assert (found.auc_a, found.auc_b, found.difference) == (0.75, 0.625, 0.125)
    assert found.standard_error == pytest.approx(np.sqrt(0.15625))
    # Satterthwaite: .15625² / (.140625² + .015625²) = 1.2195 degrees of freedom. Two-sided tails beyond .316228 have closed forms for 1
    # degree, 1 - 2 atan(t) / pi = .80502, and for 2, 1 - t / sqrt(2 + t²) = .78178.
    assert 0.78178 < found.p_value < 0.80502
    # 2 scipy.stats.t.sf(.316228, 1.219512) in SciPy 1.17.1
    assert found.p_value == pytest.approx(0.79736, abs=1e-5)
    assert found.interval == (-1, 1)  # with one degree of freedom nothing is known


def _two_rankings(rows, better, seed):
    rng = np.random.default_rng(seed)
    truth = np.repeat([1, 0], [rows // 4, rows - rows // 4])
    shared = rng.normal(size=rows)
    a = shared + better * truth + 0.3 * rng.normal(size=rows)
    b = shared + 0.8 * truth + 0.3 * rng.normal(size=rows)
    return truth, a.round(2), b.round(2)


def test_areas_of_rows_drawn_again_spread_as_delong_says():
    """The standard error of the difference beside that of 400 samples of the rows, known to 3.5%."""
    truth, a, b = _two_rankings(2000, 1.0, 1)
    found = delong(truth, a, b)
    area = sy.measure("roc_auc").score
    assert (found.auc_a, found.auc_b) == pytest.approx((area(truth, a), area(truth, b)))
    random = np.random.default_rng(0)
    draws = (random.integers(0, 2000, 2000) for _ in range(400))
    gaps = [area(truth[rows], a[rows]) - area(truth[rows], b[rows]) for rows in draws]
    assert np.std(gaps) == pytest.approx(found.standard_error, rel=0.15)
    assert found.p_value < 0.05


def test_pairing_is_kept():
    truth, a, b = _two_rankings(400, 1.0, 2)
    shuffled = np.concatenate([np.random.default_rng(3).permutation(part) for part in np.split(b, [100])])
    assert delong(truth, a, b).standard_error < delong(truth, a, shuffled).standard_error / 1.5


def test_equal_rankings_do_not_differ():
    truth, a, _ = _two_rankings(100, 1.0, 4)
    found = delong(truth, a, 2 * a + 1)
    assert (found.difference, found.p_value, found.interval) == (0, 1, (0, 0))


def test_false_alarms_are_as_frequent_as_promised():
    p_values = [delong(*_two_rankings(200, 0.8, seed)).p_value for seed in range(300)]
    assert 5 <= sum(p < 0.05 for p in p_values) <= 26  # 15 expected; outside has a chance below 1%


def test_to_dict_names_the_method():
    found = delong(["b", "b", "a", "a"], [3, 1, 2, 0], [1, 2, 2, 0], "b").to_dict()
    assert (found["method"], found["positive"], found["auc_a"]) == ("DeLong", "b", 0.75)


@pytest.mark.parametrize(
    ("arguments", "options", "words"),
    [
        (([1, 0, 0], [1, 2, 3], [1, 2, 3]), {}, "too few examples"),
        (([1, 1, 0, 0], [1, 2, 3, 4], [1, 2, 3]), {}, "not of the same rows; found 4 and 3 rows"),
        (([1, 1, 0, 0], [1, 2, 3, np.nan], [1, 2, 3, 4]), {}, "scores are missing"),
        (([1, 1, 0, 0], [1, 2, 3, 4], [1, 2, np.nan, 4]), {}, "scores are missing"),
        (([1, 1, 0, 0], [1, 2, 3, 4], [1, 2, 3, 4]), {"level": 1}, "the level is not a probability"),
    ],
)
def test_bad_input(arguments, options, words):
    with pytest.raises(InputError, match=words):
        delong(*arguments, **options)


def test_curves_of_compared_models_end_in_their_areas():
    """The thinned curves are for looking at: their trapezoids are the areas but for what thinning leaves out."""
    generator = np.random.default_rng(3)
    truth = generator.random(4000) < 0.1
    scores = {"a": truth + generator.normal(size=4000), "b": 0.5 * truth + generator.normal(size=4000)}
    found = compare_areas(truth, scores, positive=True)
    assert found.share == pytest.approx(truth.mean())
    for name, curve in found.curves.items():
        assert len(curve.fpr) <= 200
        assert (curve.fpr[0], curve.tpr[0], curve.fpr[-1], curve.tpr[-1]) == (0, 0, 1, 1)
        area = float(np.sum(np.diff(curve.fpr) * (curve.tpr[1:] + curve.tpr[:-1]) / 2))
        assert area == pytest.approx(found.areas[name], abs=0.005)


def test_what_a_cluster_counted_is_compared_as_rows_are():
    """The four rows of `test_delong_by_hand`, and their covariance: .125 and .15625 of the areas, .0625 of both.

    The positives add .140625 to the variance of the difference and the negatives .015625, so it has
    .15625² / (.140625² + .015625²) = 1.2195 degrees of freedom; SciPy's Student distribution gives the p-value.
    """
    truth = [1, 1, 0, 0]
    scores = {"a": [3, 1, 2, 0], "b": [1, 2, 2, 0]}
    counts = {name: sy.ScoreCounts.from_scores(truth, own, positive=1) for name, own in scores.items()}
    of_positives = np.array([[0.0625, -0.03125], [-0.03125, 0.015625]])
    of_negatives = np.array([[0.0625, 0.09375], [0.09375, 0.140625]])
    parts = ((2, of_positives), (2, of_negatives))
    found = compare_counted_areas(CountedAreas(1, 2, 2, counts, parts), level=0.95)
    assert found.areas == {"a": 0.75, "b": 0.625}
    assert (found.share, found.bounds) == (0.5, {})
    (pair,) = found.pairs
    assert (pair.first, pair.second) == ("a", "b")
    assert pair.delong.standard_error == pytest.approx(np.sqrt(0.15625))
    assert pair.holm_p_value == pair.delong.p_value == pytest.approx(0.797360, abs=5e-6)
    assert found.curves["a"].tpr.tolist() == [0, 0.5, 0.5, 1, 1]


def test_a_page_gets_200_points_of_a_curve_at_most():
    """Of 20,000 rows in no order the curve has thousands of corners; what is left lies evenly along it."""
    truth, score = np.arange(20_000) % 2, np.random.default_rng(6).permutation(20_000)
    counts = dict.fromkeys("ab", sy.ScoreCounts.from_scores(truth, score, positive=1))
    curve = compare_counted_areas(
        CountedAreas(1, 10_000, 10_000, counts, ((10_000, np.eye(2)),)), level=0.95
    ).curves["a"]
    assert len(curve.fpr) == 200
    assert np.diff(curve.fpr + curve.tpr).max() < 2 * 2 / 199


def test_the_interval_of_an_area_covers_it():
    """Normal scores one and a half standard deviations apart have an area of Phi(1.5 / sqrt(2)) = 0.8556; 300 test sets with 15
    positives, of which 95% should cover: fewer than 273 or more than 297 have a chance below 1%."""
    random, truth = np.random.default_rng(2), np.arange(165) < 15
    covered = 0
    for _ in range(300):
        scores = {name: 1.5 * truth + random.normal(size=165) for name in "ab"}
        low, high = compare_areas(truth, scores, positive=True).intervals["a"]
        covered += low <= 0.8556 <= high
    assert 273 <= covered <= 297


def test_what_bins_leave_open_counts_against_a_difference():
    """A positive alone in the upper bin, the other among both negatives in the lower one: the area is 1/2 to 1, a quarter to each
    side. Of two such models half is open, whatever the rows say."""
    own = sy.ScoreCounts.from_scores([1, 1, 0, 0], [0.9, 0.1, 0.2, 0.1], positive=1, bins=2)
    counted = CountedAreas(1, 2, 2, {"a": own, "b": own}, ((2, np.zeros((2, 2))),))
    found = compare_counted_areas(counted, level=0.95)
    assert found.to_dict()["bounds"] == {"a": [0.5, 1], "b": [0.5, 1]}
    assert found.pairs[0].delong.interval == (-0.5, 0.5)
    assert found.pairs[0].delong.p_value == 1
    with pytest.raises(InputError, match="the level is not a probability"):
        compare_areas([1, 1, 0, 0], {"a": [3, 1, 2, 0], "b": [1, 2, 2, 0]}, level=95)


@pytest.mark.parametrize("distance", [1.0, 7.2, 9.0, 36.0])
def test_a_small_p_value_has_its_digits(distance):
    stats = pytest.importorskip("scipy.stats")
    found = delong_of(0.5 + distance / 100, 0.5, ((math.inf, np.diag([1e-4, 0.0])),), 0.95, "fraud")
    assert found.p_value == pytest.approx(2 * stats.norm.sf(distance), rel=1e-9)
    assert found.p_value > 0


def test_the_p_value_of_two_and_two_rows_by_hand() -> None:
    """The parts in the areas differ by -1/2 and 0 of the positives and of the negatives: each has the variance 1/8 and a mean with 1/16.
    So the standard error is sqrt(1/8), the difference -1/4 lies 1/sqrt(2) of it from 0, and Satterthwaite's degrees of freedom are
    (1/8)² / (2 (1/16)²) = 2, for which the two-sided p-value is 1 - t / sqrt(2 + t²) = 1 - 1 / sqrt(5)."""
    test = sy.delong([0, 0, 1, 1], [0.1, 0.4, 0.35, 0.8], [0.1, 0.2, 0.35, 0.8])
    assert test.standard_error == pytest.approx(math.sqrt(1 / 8))
    assert test.p_value == pytest.approx(1 - 1 / math.sqrt(5), rel=1e-12)
