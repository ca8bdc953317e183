"""What is found within a capacity: by hand, against scikit-learn, with ties, and how sure it is."""

from __future__ import annotations

import numpy as np
import pytest

import steelyard as sy
from steelyard.counts.curves import found_within, precision_from_recall, recall_within_false_alarms
from steelyard.report.terminal import plain_text
from steelyard.scores.score_bootstrap import ends_by_spread
from steelyard.scores.top_k import Capacities, operating_line
from tests.schemas import BY_COMMAND, fits

pytestmark = pytest.mark.usefixtures("few_samples")


def scored(seed=0, rows=2000, share=0.05):
    rng = np.random.default_rng(seed)
    y = rng.random(rows) < share
    return y.astype(int), (rng.normal(0, 1, rows) + 1.5 * y).round(2)


def sides(y, score):
    return sy.ScoreCounts.from_scores(y, score, positive=1).ranked()


def test_by_hand_with_ties():
    # from the top: 1, then two of equal score of which one is positive, then 0, 1
    pair = sides([1, 1, 0, 0, 1], [0.9, 0.5, 0.5, 0.4, 0.1])
    assert found_within(pair, np.array([0, 1, 2, 3, 4, 5])).tolist() == [0, 1, 1.5, 2, 2, 3]
    assert recall_within_false_alarms(pair, np.array([0, 0.49, 0.5, 1])).tolist() == pytest.approx(
        [1 / 3, 1 / 3, 2 / 3, 1]
    )
    assert precision_from_recall(pair, np.array([0.1, 1 / 3, 0.5, 1])).tolist() == pytest.approx(
        [1, 1, 2 / 3, 3 / 5]
    )


def test_the_last_positive_is_found_only_with_all_that_score_as_low():
    pair = sides([1, 1, 0, 0, 0], [0.9, 0.1, 0.1, 0.1, 0.1])
    assert precision_from_recall(pair, np.array([0.5, 0.51, 1])).tolist() == pytest.approx([1, 2 / 5, 2 / 5])


def test_like_scikit_learn():
    metrics = pytest.importorskip("sklearn.metrics")
    y, score = scored()
    pair = sides(y, score)
    fpr, tpr, _ = metrics.roc_curve(y, score, drop_intermediate=False)
    rates = np.array([0.001, 0.01, 0.1, 0.5])
    np.testing.assert_allclose(
        recall_within_false_alarms(pair, rates), [tpr[fpr <= rate + 1e-12].max() for rate in rates]
    )
    precision, recall, _ = metrics.precision_recall_curve(y, score)
    recalls = np.array([0.2, 0.5, 0.8, 1.0])
    np.testing.assert_allclose(
        precision_from_recall(pair, recalls),
        # the last point of scikit-learn's curve is no threshold
        [precision[:-1][recall[:-1] >= r - 1e-12].max() for r in recalls],
    )


def test_in_an_evaluation():
    y, score = scored()
    result = sy.evaluate(y, score=score, threshold=1.5, positive=1, cost="1>0=20, 0>1=1")
    capacity = result.ranking.classes[0].capacity
    order = np.argsort(-score, kind="stable")
    for row in capacity.at_k:
        above = score > score[order[row.k - 1]]
        tied = score == score[order[row.k - 1]]
        found = y[above].sum() + y[tied].mean() * (row.k - above.sum())
        assert row.found == pytest.approx(found)
        assert row.recall.value == pytest.approx(found / y.sum())
        assert row.precision.value == pytest.approx(found / row.k)
        assert row.lift.value == pytest.approx(found / row.k / y.mean())
        assert row.recall.low <= row.recall.value <= row.recall.high
        assert row.recall.low < row.recall.high
    costs = capacity.costs
    middle = len(costs.cost) // 2
    at = [(0.5 * (score[y == 1] < t).mean() + 0.5 * (score[y == 0] >= t).mean()) for t in np.unique(score)]
    assert costs.probability_cost[middle] == 0.5
    assert costs.cost[middle] == pytest.approx(min(at))
    assert costs.low[middle] <= costs.cost[middle] <= costs.high[middle]
    fits(result.to_dict(), BY_COMMAND["evaluate"])
    assert result.figure("cost").title == "Cost curve"
    assert "recall at a false positive rate of at most 1.0%" in plain_text(result.report(), "full")


def test_all_of_the_first_is_not_certain():
    y = np.r_[np.ones(40, dtype=int), np.zeros(960, dtype=int)]
    score = np.r_[np.linspace(2, 3, 40), np.linspace(0, 1, 960)]
    result = sy.evaluate(y, score=score, threshold=1.5, positive=1)
    row = next(one for one in result.ranking.classes[0].capacity.at_k if one.k == 10)
    assert row.precision.value == 1
    # Wilson with Student's quantile of 9 degrees of freedom: 1 / (1 + t² / 10)
    assert row.precision.low == pytest.approx(1 / (1 + 2.262157**2 / 10), abs=1e-6)


def test_gain_and_lift():
    y, score = scored()
    gains = sy.curves.gain_curve(sy.ScoreCounts.from_scores(y, score, positive=1))
    assert gains.gain[-1] == gains.share[-1] == 1
    assert np.isnan(gains.lift[0])
    assert gains.lift[-1] == pytest.approx(1)
    with pytest.raises(sy.InputError, match="a curve needs examples of both classes"):
        sy.curves.gain_curve(sy.ScoreCounts.from_scores([1, 1], [0.1, 0.2], positive=1))


def test_picture_of_costs():
    y, score = scored(rows=300)
    assert sy.evaluate(y, score=score, threshold=1.5, positive=1, interval=None).plot("cost").marks
    with pytest.raises(sy.InputError, match="cannot be drawn"):
        sy.evaluate(y, (score > 1).astype(int), positive=1, interval=None).plot("cost")


def test_every_figure_of_a_report_by_hand():
    """Ten rows, four positive; from the top: 1 1 0 1 0 0 0 1 0 0. Of the first two both are positive, of the first five three."""
    y = [1, 1, 0, 1, 0, 0, 0, 1, 0, 0]
    score = np.arange(10, 0, -1) / 10
    two = sy.ScoreCounts.from_scores(y, score, positive=1)
    capacities = Capacities(two, True)
    rng = np.random.default_rng(1)
    drawn = []
    for _ in range(60):
        rows = np.concatenate(
            [rng.choice(np.flatnonzero(np.array(y) == k), size) for k, size in ((1, 4), (0, 6))]
        )
        drawn.append(
            capacities.figures(sy.ScoreCounts.from_scores(np.array(y)[rows], score[rows], positive=1))
        )
    report = capacities.report(two, np.array(drawn), 0.9)
    by_k = {row.k: row for row in report.at_k}
    truth = {k: sum(y[:k]) for k in by_k}
    assert by_k
    for k, row in by_k.items():
        assert row.share == pytest.approx(k / 10)
        assert row.found == pytest.approx(truth[k])
        assert row.recall.value == pytest.approx(truth[k] / 4)
        assert row.precision.value == pytest.approx(truth[k] / k)
        assert row.lift.value == pytest.approx(truth[k] / k / 0.4)
        for figure in (row.recall, row.precision, row.lift):
            assert figure.low <= figure.value <= figure.high
        assert row.lift.low == pytest.approx(row.recall.low / (k / 10))
        assert row.lift.high == pytest.approx(row.recall.high / (k / 10))
        assert row.recall.high <= 1
        assert row.precision.high <= 1
        if truth[k] == k:  # all of the first are positive, which is not certain
            assert row.precision.low < 0.2
            assert (
                row.recall.high > k / 4
            )  # other rows have fewer positives: the bound of these is not theirs
    for rate, figure in report.recall_at_fpr:
        allowed = int(rate * 6 + 1e-9)
        places = [i for i, label in enumerate(y) if not label]
        first = places[allowed] if allowed < 6 else 10
        assert figure.value == pytest.approx(sum(y[:first]) / 4)
    # Half of the positives are the first two rows; of four fifths or more on all four are needed, which are in the first eight.
    assert {recall: figure.value for recall, figure in report.precision_at_recall} == pytest.approx(
        {0.5: 1, 0.8: 4 / 8, 0.9: 4 / 8, 0.95: 4 / 8}
    )
    costs = report.costs
    for at, least in zip(costs.probability_cost.tolist(), costs.cost.tolist(), strict=True):
        every = [
            at * (1 - sum(y[:k]) / 4) + (1 - at) * (k - sum(y[:k])) / 6 for k in range(11)
        ]  # fmt: skip
        assert least == pytest.approx(min(every), abs=1e-12)
    assert (costs.low >= 0).all()
    assert (costs.low <= costs.cost + 1e-12).all() or (costs.high >= costs.cost).all()
    assert (costs.high >= costs.cost - 1e-12).all()
    assert (
        costs.high
        <= np.maximum(costs.cost, np.minimum(costs.probability_cost, 1 - costs.probability_cost)) + 1e-12
    ).all()
    assert report.gain_curve.share[0] == 0
    assert report.gain_curve.gain[-1] == pytest.approx(1)
    without = Capacities(two, False).report(two, None, 0.9)
    assert without.costs.low is None
    assert all(np.isnan(row.recall.low) for row in without.at_k)
    said = report.to_dict()
    assert [row["k"] for row in said["at_k"]] == list(by_k)
    assert len(said["recall_at_fpr"]) == len(report.recall_at_fpr)


def test_what_labels_cost_is_a_line():
    assert operating_line(0.8, 0.1, [0.0, 0.5, 1.0]) == pytest.approx([0.1, 0.15, 0.2])


def test_ends_by_spread_solve_wilsons_equation():
    """(v - p)² = t² p (1 - p) / m at both ends: m is v (1 - v) over the variance n / (n - 1) s², each with one error among n² pairs;
    t(0.975, 29) = 2.04523 from tables."""
    drawn = np.linspace(0.5, 0.9, 101)
    variance = drawn.var() * 30 / 29
    worth = (0.7 * 0.3 + 1 / 900) / (variance + 1 / 27000)
    for end in ends_by_spread(0.7, drawn, 30, 0.95):
        assert (0.7 - end) ** 2 == pytest.approx(2.04523**2 * end * (1 - end) / worth, rel=1e-5)
    low, high = ends_by_spread(np.array([0.7, 1.0]), np.stack([drawn, np.ones(101)], axis=1), 30, 0.95)
    assert (low[0], high[0]) == pytest.approx(ends_by_spread(0.7, drawn, 30, 0.95))
    assert (low[1], high[1]) == (pytest.approx(1 / (1 + 2.04523**2 / 30), rel=1e-5), 1)


@pytest.mark.parametrize(("positives", "highest"), [(4, [0.5148, 0.5806]), (1, [0.9522, 0.9522])])
def test_none_of_the_first_is_not_certain(positives, highest):
    """The positives stand last. None of n is a rate of up to r / (1 + r), r = t² / n: of one row or two 19.93 (t(0.95, 1) = 6.3138), of
    four positives 1.3846 (t(0.95, 3) = 2.3534). The first of ten rows holds 0.1 / 0.1942 of the positives at most, by Wilson's
    lower limit of 4 of 10."""
    y = np.r_[np.zeros(10 - positives, dtype=int), np.ones(positives, dtype=int)]
    two = sy.ScoreCounts.from_scores(y, np.arange(10, 0, -1), positive=1)
    asked = Capacities(two, False)
    report = asked.report(two, np.tile(asked.figures(two), (20, 1)), 0.9)
    assert [row.k for row in report.at_k] == [1, 2]
    assert [row.precision.high for row in report.at_k] == pytest.approx([0.9522, 0.9522], abs=1e-4)
    assert [row.recall.high for row in report.at_k] == pytest.approx(highest, abs=1e-4)
    assert [(row.precision.low, row.recall.low) for row in report.at_k] == [(0, 0), (0, 0)]


def test_all_of_the_first_may_be_luck():
    """Six positives stand first. All of n is a rate of 1 / (1 + r) or more, r = t² / n as above; of six 0.6767 (t(0.95, 5) = 2.0150)."""
    y = np.r_[np.ones(6, dtype=int), np.zeros(4, dtype=int)]
    two = sy.ScoreCounts.from_scores(y, np.arange(10, 0, -1), positive=1)
    asked = Capacities(two, False)
    report = asked.report(two, np.tile(asked.figures(two), (20, 1)), 0.9)
    assert [row.precision.low for row in report.at_k] == pytest.approx([0.0478, 0.0478], abs=1e-4)
    # Recalls of 1 and 2 of 6 without a spread are worth (v (1 - v) + 1/36) 216 = 36 and 54 trials; the first of ten rows
    # holds 0.1 / 0.3516 of the positives at most, by Wilson's lower limit of 6 of 10.
    assert [(row.recall.low, row.recall.high) for row in report.at_k] == [
        pytest.approx((0.0771, 0.2844), abs=1e-4),
        pytest.approx((0.2198, 0.4702), abs=1e-4),
    ]
    far = Capacities(
        sy.ScoreCounts.from_scores(np.r_[y, np.zeros(6, dtype=int)], np.arange(16, 0, -1), 1), False
    )
    (rate, figure), *_ = far.report(far.two, np.tile(far.figures(far.two), (20, 1)), 0.9).recall_at_fpr
    assert (rate, figure.value) == (0.1, 1)  # one false alarm of ten
    assert figure.low == pytest.approx(0.5964, abs=1e-4)
    assert [row.precision.high for row in report.at_k] == [1, 1]


def test_the_band_of_costs_is_turned_round():
    """Samples that cost 0 to 20% less than the data: 90% of them 1 to 19%. On new rows it costs as much more, at most as much
    as always or never calling."""
    y, score = [1, 0, 1, 0, 1, 0, 0, 0, 0, 0], np.arange(10, 0, -1)
    two = sy.ScoreCounts.from_scores(y, score, positive=1)
    asked = Capacities(two, True)
    drawn = asked.figures(two) * np.linspace(0.8, 1, 101)[:, None]
    found = asked.report(two, drawn, 0.9).costs
    least = np.minimum(found.probability_cost, 1 - found.probability_cost)
    assert found.low == pytest.approx(1.01 * found.cost)
    assert found.high == pytest.approx(np.minimum(1.19 * found.cost, least))
