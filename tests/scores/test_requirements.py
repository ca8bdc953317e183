"""Thresholds that keep what was required: by hand, on new data, and what is refused."""

from __future__ import annotations

import math
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

import steelyard as sy
from steelyard.scores.requirements import aim_unsaid, requirement, threshold_under


def normal_scores(rng, positives=200, negatives=1000):
    score = np.r_[rng.normal(2, 1, positives), rng.normal(0, 1, negatives)]
    return sy.ScoreCounts.from_scores([1] * positives + [0] * negatives, score, positive=1)


def test_by_hand():
    sc = sy.ScoreCounts.from_scores([0, 0, 1, 1], [0.1, 0.4, 0.35, 0.8], positive=1)
    assert threshold_under(sc, [requirement("recall>=1")])[0].threshold == 0.35
    assert threshold_under(sc, [requirement("recall >= 50%")])[0].threshold == 0.8
    best, (kept,) = threshold_under(sc, [requirement("alerts<=0.5")], "recall")
    assert (best.threshold, kept.value) == (0.8, 0.25)


@pytest.mark.parametrize(
    ("required", "aim"),
    [
        (["recall>=0.5"], None),
        (["fnr<=0.5"], None),  # the same requirement said the other way round
        (["precision>=0.6"], "recall"),
        (["specificity>=0.5"], "recall"),
        (["fpr<=0.5"], "recall"),
        (["alerts<=0.5"], "recall"),
        (["precision>=0.6", "alerts<=0.5"], "recall"),
        (["precision>=0.6", "recall>=1"], None),
    ],
)
def test_what_one_right_alert_would_keep_asks_for_the_most_that_is_found(required, aim):
    """Ten positives: one right alert finds a tenth of them, and raises nothing else."""
    sc = sy.ScoreCounts.from_scores([1] * 10 + [0] * 20, np.linspace(1, 0, 30), positive=1)
    found = aim_unsaid(sc, [requirement(text) for text in required])
    assert (found.id if found else None) == aim


def test_a_precision_alone_does_not_end_in_a_single_alert():
    """Scores 0.9 (1), 0.8 (0), 0.7 (1), 0.6 (0): precision is 1, 1/2, 2/3, 1/2 from the top down."""
    sc = sy.ScoreCounts.from_scores([1, 0, 1, 0], [0.9, 0.8, 0.7, 0.6], positive=1)
    wanted = [requirement("precision>=0.6")]
    assert threshold_under(sc, wanted, aim_unsaid(sc, wanted))[0].threshold == 0.7


def test_a_requirement_is_named_as_it_was_asked_for():
    assert requirement("f1>=0.6").words == "f1 at least 0.6"


def test_a_sure_threshold_keeps_its_promise():
    """Recall of at least 0.8 with probability 0.95: of 60 thresholds at least 50 keep it in truth."""
    rng = np.random.default_rng(0)
    kept = 0
    for _ in range(60):
        found, _ = threshold_under(normal_scores(rng), [requirement("recall>=0.8")], surely=0.95)
        kept += found.threshold <= 2 - 0.8416212  # the 20% quantile of a normal with mean 2
    assert kept >= 50


@pytest.mark.parametrize("text", ["recall", "recall=0.8", "recall>=x"])
def test_what_is_not_understood(text):
    with pytest.raises(sy.InputError):
        requirement(text)


def test_several_requirements_in_one_text_are_written_as_options():
    with pytest.raises(
        sy.InputError, match=r"each on its own: require='recall>=0.9' require='precision>=0.99'"
    ):
        requirement("recall>=0.9, precision>=0.99")


def test_what_cannot_be_kept():
    sc = sy.ScoreCounts.from_scores([0, 1, 0, 1], [0.1, 0.1, 0.2, 0.2], positive=1)
    with pytest.raises(sy.InputError, match="no threshold meets every requirement"):
        threshold_under(sc, [requirement("precision>=0.9")])


@pytest.mark.parametrize(
    ("text", "name", "at_least", "bound"),
    [
        ("recall>=0.8", "recall", True, 0.8),
        (" fpr <= 1% ", "fpr", False, 0.01),
        ("precision>=1e-3", "precision", True, 0.001),
        ("mcc>=-0.5", "mcc", True, -0.5),
        ("mcc<=-1", "mcc", False, -1.0),
    ],
)
def test_a_requirement_is_read(text, name, at_least, bound):
    found = requirement(text)
    assert (found.measure.name, found.at_least) == (name, at_least)
    assert found.bound == pytest.approx(bound, rel=1e-15)


@pytest.mark.parametrize(
    "text", ["recall>=1.01", "recall<=-0.1", "mcc>=1.5", "alerts>=2", "roc_auc>=0.5", "recall>=."]
)
def test_requirements_that_no_threshold_can_meet(text):
    with pytest.raises(sy.InputError):
        requirement(text)
    assert requirement("recall>=1").bound == 1
    assert requirement("recall<=0").bound == 0


def test_among_those_that_are_kept_the_best_by_a_measure():
    """Matrices (tp, fn, fp, tn) from the top: inf: 0 3 0 3; .9: 1 2 0 3; .8: 1 2 1 2; .7: 2 1 1 2; .5: 3 0 1 2; .2: 3 0 3 0."""
    sc = sy.ScoreCounts.from_scores([1, 0, 1, 1, 0, 0], [0.9, 0.8, 0.7, 0.5, 0.2, 0.2], positive=1)
    best, kept = threshold_under(sc, [requirement("fpr<=0.4"), requirement("recall>=0.6")], "precision")
    assert (best.threshold, best.value, best.next_lower) == (0.5, 0.75, 0.2)
    assert [one.value for one in kept] == [pytest.approx(1 / 3), 1.0]
    assert all(0 < one.probability < 1 for one in kept)
    assert best.matrix.counts.tolist() == [[3, 0], [1, 2]]
    fewest, _ = threshold_under(sc, [requirement("recall>=0.3")])
    assert (fewest.threshold, fewest.next_lower) == (0.9, 0.8)
    lowest, _ = threshold_under(sc, [requirement("fpr>=1")])
    assert (lowest.threshold, lowest.next_lower) == (0.2, None)
    least, _ = threshold_under(sc, [requirement("recall>=0.6")], "fpr")  # lower is better
    assert least.threshold in (0.7, 0.5)
    assert least.value == pytest.approx(1 / 3)


def test_what_is_kept_as_plain_data():
    sc = sy.ScoreCounts.from_scores([1, 0, 1, 0], [0.9, 0.8, 0.7, 0.1], positive=1)
    _, kept = threshold_under(sc, [requirement("recall>=0.5"), requirement("fpr<=0.5")])
    assert kept[0].to_dict() == {
        "measure": "recall",
        "at_least": 0.5,
        "value": 0.5,
        "probability": kept[0].probability,
        "held_out": None,
    }
    assert kept[1].to_dict()["at_most"] == 0.5
    assert replace(kept[0], value=float("nan")).to_dict()["value"] is None


@pytest.mark.parametrize("surely", [0, 1, -0.1, 1.1])
def test_confidence_is_a_probability(surely):
    with pytest.raises(sy.InputError, match="confidence= is out of range"):
        sy.threshold([1, 0], score=[0.9, 0.1], positive=1, require=["recall>=0.5"], confidence=surely)


def test_a_threshold_at_an_observed_score_is_an_order_statistic() -> None:
    """All of 8 positives lie at or above the lowest of them. The share of new positives above it is Beta(8, 1): at least 0.7 with
    probability 1 - 0.7 ** 8 = 0.942 (Jeffreys' Beta(8.5, 0.5) would say 0.975)."""
    truth = np.r_[np.ones(8, dtype=int), np.zeros(30, dtype=int)]
    scores = sy.ScoreCounts.from_scores(truth, np.r_[np.arange(8) + 10.0, np.arange(30) / 10], positive=1)
    _, (kept,) = threshold_under(scores, [requirement("recall>=1")])
    assert kept.value == 1
    _, (kept,) = threshold_under(scores, [requirement("recall>=0.7")], "specificity", surely=0.94)
    assert kept.probability == pytest.approx(1 - 0.7**8, abs=1e-12)


def test_probabilities_of_rates_are_those_of_order_statistics() -> None:
    """By hand. Recall at the 3rd highest of 4 positives is Beta(3, 2), above 1/2 with probability P(Bin(4, 1/2) <= 2) = 11/16. FPR with 1 of
    3 negatives above the threshold is at most Beta(2, 2), below 1/2 with probability 1/2. Precision with 3 of 4 alerts right: Beta(3, 2)."""
    truth, score = [1, 1, 0, 1, 1, 0, 0], [0.9, 0.8, 0.7, 0.6, 0.5, 0.4, 0.3]
    sc = sy.ScoreCounts.from_scores(truth, score, positive=1)
    asked = [requirement(text) for text in ("recall>=0.5", "fpr<=0.5", "precision>=0.5", "recall>=0.7")]
    best, kept = threshold_under(sc, asked)
    assert best.threshold == 0.6
    assert [one.probability for one in kept[:3]] == pytest.approx([11 / 16, 1 / 2, 11 / 16])


@pytest.mark.parametrize("text", ["recall>=0.8", "precision>=0.2", "f1>=0.35", "alerts<=5%", "mcc>=0.4"])
@pytest.mark.parametrize("surely", [0.8, 0.95])
def test_the_probability_reported_is_at_least_the_confidence_asked_for(text, surely) -> None:
    """On the bundled payments, whose recall of 0.8 was promised with 95% and reported with 94.3%."""
    result = sy.threshold(
        str(Path(__file__).parents[2] / "examples/data/payments.csv"),
        truth="y",
        score="p",
        require=(text,),
        confidence=surely,
    )
    assert result.requirements[0].probability >= surely


def test_with_the_confidence_asked_for_the_fewest_alerts_are_taken() -> None:
    """8 positives: a recall of 0.5 at the k-th highest of them has probability P(Bin(8, 1/2) <= k - 1), a sum of binomial coefficients."""
    tails = [sum(math.comb(8, j) for j in range(k)) / 256 for k in range(1, 9)]
    first = next(k for k, tail in enumerate(tails, start=1) if tail >= 0.9)
    positives = np.linspace(2, 1, 8)
    sc = sy.ScoreCounts.from_scores(
        np.r_[np.ones(8, dtype=int), np.zeros(50, dtype=int)],
        np.r_[positives, np.linspace(0.9, 0, 50)],
        positive=1,
    )
    best, (kept,) = threshold_under(sc, [requirement("recall>=0.5")], surely=0.9)
    assert best.threshold == positives[first - 1]
    assert kept.probability == pytest.approx(tails[first - 1])


def test_a_level_acts_on_held_out_rows_and_is_refused_without_them():
    fit, fresh = (normal_scores(np.random.default_rng(seed)) for seed in (3, 4))
    with pytest.raises(sy.InputError, match=r"found level=0.8; .*confidence=0.8"):
        sy.threshold(fit, require=("recall>=0.8",), level=0.8)
    wide, narrow = (
        sy.threshold(fit, require=("recall>=0.8",), maximise="mcc", apply_to=fresh, level=level).held_out
        for level in (0.99, 0.5)
    )
    assert narrow.high - narrow.low < (wide.high - wide.low) / 2
    again = sy.threshold(fit, require=("recall>=0.8",), maximise="mcc", apply_to=fresh, level=0.99, seed=7)
    assert again.held_out.interval != wide.interval
