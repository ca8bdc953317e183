"""Probabilities: values of scikit-learn (recorded), hand arithmetic, and what is refused."""

from __future__ import annotations

import json
import math

import numpy as np
import pytest

import steelyard as sy
from steelyard.counts import calibration
from steelyard.scores.calibration_evaluation import report_class_probabilities, report_probabilities
from tests import simulated
from tests.reading.sources import read_score_counts
from tests.real_parts import needs
from tests.schemas import fits
from tests.scores.record_probabilities import RECORDED, three_classes, two_classes

pytestmark = pytest.mark.usefixtures("few_samples")

RECORD = json.loads(RECORDED.read_text(encoding="utf-8"))
NAMES = [m.id for m in sy.catalogue("scores", wide=True) if getattr(m, "of_probabilities", False)]
CLOSE = {"rel": 1e-12, "abs": 1e-12}


def counted():
    return sy.ScoreCounts.from_scores(*two_classes(), positive=1)


@pytest.mark.parametrize(
    ("measure", "recorded"),
    [
        (sy.measure("log_loss"), "log_loss"),
        (sy.balanced("log_loss"), "log_loss balanced"),
        (sy.measure("log_loss").at_priors({1: 0.01, 0: 0.99}), "log_loss at 0.01"),
        (sy.measure("brier"), "brier"),
        (sy.measure("brier").at_priors({1: 0.01, 0: 0.99}), "brier at 0.01"),
    ],
    ids=lambda value: getattr(value, "name", None),
)
def test_of_two_classes(measure, recorded):
    assert measure(counted()) == pytest.approx(RECORD[recorded], **CLOSE)


@pytest.mark.parametrize("name", ["brier_skill", "log_loss_skill"])
def test_skill_of_two_classes(name):
    assert sy.measure(name)(counted()) == pytest.approx(RECORD[name], **CLOSE)


@pytest.mark.parametrize(
    "name", ["log_loss", "brier", "brier_skill", "log_loss_skill", "top_k_accuracy", "top_k_accuracy(k=1)"]
)
def test_of_three_classes(name):
    assert sy.measure(name)(*three_classes()) == pytest.approx(RECORD[f"{name} of three"], **CLOSE)


def test_balanced_within_the_best_two():
    """scikit-learn's with rows that make the classes equally heavy, and with a file instead of arrays."""
    assert sy.balanced("top_k_accuracy")(*three_classes()) == pytest.approx(
        RECORD["top_k_accuracy of three, balanced"], **CLOSE
    )


def test_within_the_best_k_of_a_file(tmp_path):
    truth, table = three_classes()
    rows = [f"{y},{','.join(map(repr, row))}" for y, row in zip(truth.tolist(), table.tolist(), strict=True)]
    path = tmp_path / "three.csv"
    path.write_text("y,p_2,p_0,p_1\n" + "\n".join(rows) + "\n", encoding="utf-8")
    turned = table[:, [1, 2, 0]]
    counts = read_score_counts(path, "p_*", "y")
    own = sy.ScoreCounts.from_scores(truth, turned)
    np.testing.assert_allclose(counts.own_places, own.own_places)
    for one in (counts, own):
        assert sy.measure("top_k_accuracy")(one + one) == sy.measure("top_k_accuracy")(own)


def test_classes_that_tie_share_their_places():
    """b and c tie for second and third place: half of it, whatever their order; a tie of all three: two thirds."""
    table = [[0.5, 0.25, 0.25], [0.5, 0.25, 0.25], [0.4, 0.4, 0.4]]
    assert sy.measure("top_k_accuracy")(["b", "c", "a"], table) == pytest.approx((0.5 + 0.5 + 2 / 3) / 3)
    assert sy.measure("top_k_accuracy(k=3)")(["b", "c", "a"], table) == pytest.approx(1)


@pytest.mark.parametrize("k", [0, 2.5, True, "a", math.inf], ids=repr)
def test_k_is_a_number_of_classes(k):
    with pytest.raises(sy.InputError, match="k must be a number of classes"):
        sy.measure("top_k_accuracy", k=k)


def test_within_the_best_k_needs_whole_rows():
    with pytest.raises(sy.InputError, match="compares the scores of a row"):
        sy.measure("top_k_accuracy")(counted())


def test_class_wise_calibration_from_scikit_learns_curves():
    errors = []
    for curve in RECORD["calibration curves of three"]:
        share, mean, rows = (np.array(curve[key]) for key in ("share", "mean", "rows"))
        errors.append((rows * np.abs(share - mean)).sum() / rows.sum())
    classwise = sy.measure("classwise_calibration_error")
    assert classwise(*three_classes()) == pytest.approx(np.mean(errors), **CLOSE)
    # by relevance, classes weigh 1, 2 and 1
    weighted = classwise.weighted_by({0: 0.5, 1: 1, 2: 0.5})(*three_classes())
    assert weighted == pytest.approx(np.average(errors, weights=[1, 2, 1]), **CLOSE)
    truth, table = three_classes()
    even = classwise(truth, table, sample_weight=1 / np.bincount(truth)[truth])
    assert sy.balanced(classwise)(truth, table) == pytest.approx(even, **CLOSE)


def test_two_columns_are_one():
    truth, p = two_classes()
    table = np.stack([1 - p, p], axis=1)
    for name in ("log_loss", "brier"):
        assert sy.measure(name)(truth, table) == pytest.approx(RECORD[name], **CLOSE)


def test_parts_of_the_brier_score():
    parts = {
        name: sy.measure(f"brier_{name}")(counted())
        for name in ("miscalibration", "discrimination", "uncertainty")
    }
    assert parts["uncertainty"] == pytest.approx(0.15 * 0.85, **CLOSE)
    whole = parts["miscalibration"] - parts["discrimination"] + parts["uncertainty"]
    assert whole == pytest.approx(RECORD["brier"], **CLOSE)
    # The Brier score after scikit-learn's isotonic regression
    assert RECORD["brier"] - parts["miscalibration"] == pytest.approx(
        RECORD["brier of recalibrated"], **CLOSE
    )


def test_calibration_error_from_scikit_learns_curve():
    curve = RECORD["calibration_curve"]
    share, mean, rows = (np.array(curve[key]) for key in ("share", "mean", "rows"))
    gaps = np.abs(share - mean)
    assert sy.measure("ECE")(counted()) == pytest.approx((rows * gaps).sum() / rows.sum(), **CLOSE)
    noise = share * (1 - share) / np.maximum(rows - 1, 1)
    square = (rows * (gaps**2 - noise)).sum() / rows.sum()
    assert sy.measure("calibration_error")(counted()) == pytest.approx(np.sqrt(square), **CLOSE)


def test_worked_by_hand():
    # One positive given 0.8, one negative given 0.8, two negatives given 0.
    sc = sy.ScoreCounts.from_scores([1, 0, 0, 0], [0.8, 0.8, 0.0, 0.0], positive=1)
    assert sy.measure("brier")(sc) == pytest.approx((0.04 + 0.64) / 4)
    assert sy.measure("log_loss")(sc) == pytest.approx(-(np.log(0.8) + np.log(0.2)) / 4)
    assert sy.measure("spherical_score")(sc) == pytest.approx((1 / np.sqrt(0.68) + 2) / 4)
    assert sy.measure("ECE")(sc) == pytest.approx(0.5 * 0.3)
    assert sy.measure("calibration_distance")(sc) == pytest.approx((1.6 - 1) / 4)
    # In the bin of 0.8: (0.5 - 0.8)² - 0.25 / 1, which chance explains.
    assert sy.measure("calibration_error")(sc) == 0


def test_a_true_class_of_probability_0_costs_without_end():
    assert sy.measure("log_loss")([1, 0], [0.0, 0.0], positive=1) == np.inf


def test_weights_are_rows():
    truth, p = [1, 0, 0], [0.7, 0.4, 0.1]
    for name in NAMES:
        if name != "debiased_calibration_error":  # it asks how many rows there are
            twice = sy.measure(name)([1, 0, 0, 0], [0.7, 0.4, 0.1, 0.1], positive=1)
            assert sy.measure(name)(truth, p, sample_weight=[1, 1, 2], positive=1) == pytest.approx(twice), (
                name
            )


@pytest.mark.parametrize("name", NAMES)
def test_balanced_is_rows_weighted(name):
    """Three negatives to one positive, each positive weighing three times as much."""
    truth, p = [1, 0, 0, 0], [0.7, 0.4, 0.1, 0.6]
    weighted = sy.measure(name)(truth, p, sample_weight=[3, 1, 1, 1], positive=1)
    if name != "debiased_calibration_error":
        assert sy.balanced(name)(sy.ScoreCounts.from_scores(truth, p, 1)) == pytest.approx(weighted)


@pytest.mark.parametrize("name", NAMES)
def test_scores_that_are_no_probabilities_are_refused(name):
    with pytest.raises(sy.InputError, match="probabilities"):
        sy.measure(name)(sy.ScoreCounts.from_scores([1, 0], [1.5, -0.2], 1))
    with pytest.raises(sy.InputError, match="probabilities"):
        sy.measure(name)([1, 0], [1.5, 0.2], positive=1)


def test_rows_that_do_not_add_up_are_refused():
    with pytest.raises(sy.InputError, match="must add up to 1"):
        sy.measure("brier")([0, 1, 2], np.full((3, 3), 0.5))
    with pytest.raises(sy.InputError, match="must add up to 1"):
        sy.measure("brier")(sy.ScoreCounts.from_scores([0, 1, 2], np.full((3, 3), 0.5)))


def test_a_class_without_examples():
    one = sy.ScoreCounts.from_scores([1, 1], [0.5, 0.6], positive=1, labels=[0, 1])
    assert np.isnan(sy.measure("ECE")(one))
    assert "no examples" in sy.measure("ECE").why_undefined(one)
    assert sy.measure("brier")(one) == pytest.approx((0.25 + 0.16) / 2)


def test_pooling_is_isotonic_regression():
    needs("sklearn")
    from sklearn.isotonic import IsotonicRegression

    rng = np.random.default_rng(3)
    truth, p = rng.integers(0, 2, 300), np.round(rng.random(300), 2)
    given = calibration.forecasts(sy.ScoreCounts.from_scores(truth, p, 1).ranked())
    expected = IsotonicRegression().fit(p, truth).predict(given.probabilities)
    np.testing.assert_allclose(given.rising, expected, atol=1e-12)


@pytest.mark.parametrize("rows", [1, 2, 101, 3_000])
def test_pooling_many_is_isotonic_regression_too(rows):
    """Also where every neighbour falls, where none does, and where one fall at the end undoes all that rises."""
    needs("sklearn")
    from sklearn.isotonic import isotonic_regression

    rng = np.random.default_rng(rows)
    rising = np.linspace(0.1, 1, rows)
    last_falls = rising.copy()
    last_falls[-1] = 0
    noisy = np.clip(rising + rng.normal(size=rows) / 3, 0, 1)
    hits = (rng.random(rows) < rising).astype(float)
    for shares in (rising, rising[::-1], last_falls, noisy, hits, np.zeros(rows)):
        weights = rng.integers(1, 5, rows).astype(float)
        given = calibration.Forecasts(np.arange(rows) / rows, shares * weights, weights)
        np.testing.assert_allclose(
            given.rising, isotonic_regression(shares, sample_weight=weights), atol=1e-12
        )


@simulated.sets(50, 200)
def test_the_interval_of_the_calibration_error_covers(sets):
    """Probabilities whose true error is known: intervals of 95% hold it (180 or more of 200)."""
    rng = np.random.default_rng(0)
    covered = 0
    for _ in range(sets):
        p = (rng.integers(0, 10, 1000) + 0.5) / 10
        truth = (rng.random(1000) < 0.2 + 0.6 * p).astype(int)
        found = report_probabilities(sy.ScoreCounts.from_scores(truth, p, 1))
        centres = (np.arange(10) + 0.5) / 10
        true = np.sqrt(np.mean((0.2 - 0.4 * centres) ** 2))
        covered += found.error_low <= true <= found.error_high
    assert covered >= simulated.fewest(sets, 0.95)


def test_the_report_speaks_of_probabilities_only():
    truth, p = two_classes()
    found = sy.evaluate(truth, score=p, threshold=0.5, positive=1)
    assert found.ranking.probabilities is not None
    assert "RMS calibration error" in found.to_markdown()
    others = sy.evaluate(truth, score=10 * p, threshold=5, positive=1, interval=None)
    assert others.ranking.probabilities is None


def test_the_schema_holds():

    from tests.schemas import BY_COMMAND

    truth, p = two_classes()
    fits(sy.evaluate(truth, score=p, threshold=0.5, positive=1).to_dict(), BY_COMMAND["evaluate"])


def test_net_benefit_by_hand():
    # vickers2006: tp / n - fp / n * t / (1 - t)
    sc = sy.ScoreCounts.from_scores([1, 1, 0, 0, 0], [0.9, 0.3, 0.5, 0.2, 0.1], positive=1)
    curve = sy.curves.decision_curve(sc, [0.4, 0.2])
    assert curve.net_benefit.tolist() == pytest.approx([1 / 5 - 1 / 5 * 2 / 3, 2 / 5 - 2 / 5 / 4])
    assert curve.act_on_all.tolist() == pytest.approx([2 / 5 - 3 / 5 * 2 / 3, 2 / 5 - 3 / 5 / 4])
    half = sy.curves.decision_curve(sc, [0.4], prior=0.5)
    assert half.net_benefit[0] == pytest.approx(0.5 * 0.5 - 0.5 / 3 * 2 / 3)
    with pytest.raises(sy.InputError, match="needs probabilities"):
        sy.curves.decision_curve(sy.ScoreCounts.from_scores([1, 0], [2.0, 0.0], 1))


def test_corrected_probabilities_are_refused_where_they_are_none():
    with pytest.raises(sy.InputError, match="scores outside"):
        sy.correct_probabilities([1.5], trained_at=0.5, priors=0.1)
    with pytest.raises(sy.InputError, match="do not go together"):
        sy.correct_probabilities([0.5], trained_at=[0.5, 0.5], priors=[0.1, 0.9])
    with pytest.raises(sy.InputError, match="trained_at= are not a class distribution"):
        sy.correct_probabilities([0.5], trained_at=0.0, priors=0.1)


def test_the_transformer():
    needs("sklearn")
    from sklearn.base import clone

    p = np.array([[0.5, 0.5], [0.1, 0.9]])
    correction = clone(sy.PriorCorrection(priors=[0.9, 0.1]))
    by_hand = p * [0.9 / 0.75, 0.1 / 0.25]
    found = correction.fit(p, [0, 0, 0, 1]).transform(p)
    assert found == pytest.approx(by_hand / by_hand.sum(axis=1, keepdims=True))
    with pytest.raises(sy.InputError, match="not known at which shares"):
        sy.PriorCorrection(priors=[0.9, 0.1]).fit(p)
    with pytest.raises(sy.InputError, match="a column for each class"):
        correction.transform(p[:, :1])


def test_each_class_of_a_table_of_probabilities():
    """Each class against the rest is what its own column says; scores that are no probabilities say nothing."""
    truth, table = three_classes()
    counts = sy.ScoreCounts.from_scores(truth, table)
    found = dict(report_class_probabilities(counts, [0, 2]))
    assert list(found) == [0, 2]
    alone = report_probabilities(sy.ScoreCounts.from_scores((truth == 2).astype(int), table[:, 2], 1))
    assert found[2] == alone
    twice = sy.ScoreCounts.from_scores(truth, table * 0.5)
    assert report_class_probabilities(twice, [0, 2]) == ()


@pytest.mark.parametrize(("outside", "said"), [(1.5, "1.5"), (-0.25, "-0.25")])
def test_one_score_outside_is_enough_and_is_said(outside, said):
    for name in ("log_loss", "brier", "expected_calibration_error"):
        with pytest.raises(sy.InputError, match=f"scores that are none; found {said};"):
            sy.measure(name)(sy.ScoreCounts.from_scores([0, 1, 1], [0.5, 0.75, outside], positive=1))


def test_one_bin_holds_every_row():
    """|mean probability - share of positives|: |0.55 - 0.5|."""
    given = sy.ScoreCounts.from_scores([1, 0, 1, 0], [0.9, 0.6, 0.5, 0.2], positive=1)
    assert sy.measure("ece", bins=1)(given) == pytest.approx(0.05)
    with pytest.raises(sy.InputError, match="1 or more"):
        sy.measure("ece", bins=0)


def test_chance_alone_makes_a_miscalibration_that_is_reported() -> None:
    """Probabilities that are right: what isotonic regression calls miscalibration is what chance makes of as many rows. Brier's own
    decomposition with one probability is exact: the variance p (1 - p) / n of a share."""
    rng = np.random.default_rng(3)
    seen, chance = [], []
    for _ in range(40):
        given = rng.uniform(0.02, 0.3, 1000)
        happened = (rng.random(1000) < given).astype(int)
        report = report_probabilities(sy.ScoreCounts.from_scores(happened, given, positive=1))
        assert report is not None
        seen.append(report.miscalibration or 0.0)
        chance.append(report.by_chance or 0.0)
    assert np.mean(seen) == pytest.approx(np.mean(chance), rel=0.3)
    one = sy.ScoreCounts.from_scores([1] * 20 + [0] * 80, [0.2] * 100, positive=1)
    found = [report_probabilities(one, seed=seed) for seed in range(20)]
    by_chance = [report.by_chance or 0.0 for report in found if report is not None]
    assert np.mean(by_chance) == pytest.approx(0.2 * 0.8 / 100, rel=0.2)  # 400 draws: a standard error of 7%
