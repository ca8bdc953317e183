"""Is the matrix right at every threshold, and the best threshold the best?"""

from __future__ import annotations

import itertools
import json
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import steelyard as sy
from steelyard.errors import InputError
from steelyard.proofs import precomputed
from steelyard.scores.threshold_selection import OPTIMISTIC, best_threshold
from steelyard.scores.threshold_sweep import matrix_at, sweep
from tests.scores.cases import TWO_CLASS, drawn

ROWS = st.lists(st.tuples(st.integers(0, 1), st.integers(-3, 3)), min_size=2, max_size=30).filter(
    lambda rows: len({y for y, _ in rows}) == 2
)


def labelled(truth, score, threshold):
    """The matrix the slow way: label every row, then count."""
    predicted = [int(s >= threshold) for s in score]
    return sy.Confusion.from_labels(truth, predicted, labels=[1, 0])


@given(ROWS)
def test_the_sweep_is_every_labelling(rows):
    truth, score = [y for y, _ in rows], [float(s) for _, s in rows]
    swept = sweep(sy.ScoreCounts.from_scores(truth, score))
    assert swept.thresholds.tolist() == [np.inf, *sorted(set(score), reverse=True)]
    for threshold, counts in zip(swept.thresholds, swept.matrices.counts, strict=True):
        assert counts.tolist() == labelled(truth, score, threshold).counts.tolist()
        assert (
            matrix_at(sy.ScoreCounts.from_scores(truth, score), threshold).counts.tolist() == counts.tolist()
        )


@given(ROWS, st.sampled_from(["f_beta", "gmean", "IAM", "mcc", "error_rate", "informedness", "accuracy"]))
def test_the_best_threshold_is_the_best_labelling(rows, name):
    truth, score = [y for y, _ in rows], [float(s) for _, s in rows]
    measure = sy.measure(name)
    values = [
        measure(labelled(truth, score, t), positive=1) for t in [np.inf, *sorted(set(score), reverse=True)]
    ]
    best = best_threshold(sy.ScoreCounts.from_scores(truth, score), name, replicates=0)
    assert best.value == pytest.approx(
        (np.nanmin if measure.better == "lower" else np.nanmax)(values), abs=1e-12
    )
    assert best.value == pytest.approx(measure(labelled(truth, score, best.threshold), positive=1))
    assert best.matrix == labelled(truth, score, best.threshold)


def test_by_hand():
    # F_1 at 0.8: 1/(1 + 1/2) = 2/3; at 0.4: 4/5; at 0.35 (tp 2, fp 2): 4/6; at 0.1: the same with one more.
    scores = sy.ScoreCounts.from_scores([0, 0, 1, 1], [0.1, 0.4, 0.35, 0.8])
    values = sweep(scores).values("f_beta")
    np.testing.assert_allclose(values, [0, 2 / 3, 1 / 2, 4 / 5, 2 / 3])
    best = best_threshold(scores, "f1", replicates=0)
    assert (best.threshold, best.next_lower, best.value) == (0.35, 0.1, pytest.approx(4 / 5))
    assert best.note == OPTIMISTIC
    assert best.threshold_interval is None


def test_of_equal_thresholds_the_highest_is_taken():
    scores = sy.ScoreCounts.from_scores([1, 0, 1, 0], [4, 3, 2, 1])
    # Accuracy is 3/4 at 4 and at 2.
    assert best_threshold(scores, "accuracy", replicates=0).threshold == 4


def test_user_priors_move_the_threshold():
    truth, score = drawn(400, 50, 4, 21, 15)
    scores = sy.ScoreCounts.from_scores(truth, score)
    rare, frequent = (best_threshold(scores, "IAM", priors=p, replicates=0) for p in (0.001, 0.5))
    assert rare.threshold > frequent.threshold
    by_hand = [
        sy.measure("IAM").at_priors({1: 0.001, 0: 0.999})(labelled(truth, score, t))
        for t in sorted(set(score))
    ]
    assert rare.value == pytest.approx(max(by_hand))
    two_class = best_threshold(scores, "precision", priors={0: 0.9, 1: 0.1}, replicates=0)
    assert two_class.measure.name == "precision at priors 0 0.9, 1 0.1"


def test_relevance_moves_the_threshold():
    truth, score = drawn(400, 50, 4, 22, 15)
    scores = sy.ScoreCounts.from_scores(truth, score)
    lenient, strict = (
        best_threshold(scores, "macro_recall", relevance=phi, replicates=0)
        for phi in ({1: 1, 0: 0.1}, {1: 0.1, 0: 1})
    )
    assert lenient.threshold < strict.threshold


def test_a_measure_at_all_thresholds():
    case = TWO_CLASS["ties"]
    swept = sweep(sy.ScoreCounts.from_scores(case.truth, case.array))
    for name in ("precision", "mcc", "f_beta", "balanced_precision"):
        np.testing.assert_array_equal(swept.values(name), sy.measure(name)(swept.matrices, positive=1))


def test_infinite_scores_leave_no_room_above():
    scores = sy.ScoreCounts.from_scores([1, 0, 0], [np.inf, 1.0, -np.inf])
    swept = sweep(scores)
    assert swept.thresholds.tolist() == [np.inf, 1.0, -np.inf]
    assert swept.matrices.counts[0].tolist() == [[1, 0], [0, 2]]
    text = json.dumps(best_threshold(scores, "accuracy", replicates=10).to_dict(), allow_nan=False)
    assert '"threshold": "infinity"' in text


def test_weights_are_counted_but_not_resampled():
    case = TWO_CLASS["weights"]
    scores = sy.ScoreCounts.from_scores(case.truth, case.array, positive=1, sample_weight=case.weights)
    best = best_threshold(scores, "gmean")
    assert best.threshold_interval is None
    chosen = np.array(case.scores) >= best.threshold
    weights, truth = np.array(case.weights), np.array(case.truth) == 1
    expected = [
        [weights[truth & chosen].sum(), weights[truth & ~chosen].sum()],
        [weights[~truth & chosen].sum(), weights[~truth & ~chosen].sum()],
    ]
    np.testing.assert_allclose(best.matrix.counts, expected)


def test_the_interval_holds_the_truth_as_often_as_it_says():
    # Positives stand at 1..10 evenly, negatives at -5..4: the sampled best threshold of accuracy on many rows is near the population's.
    rng = np.random.default_rng(5)
    covered = 0
    for _ in range(40):
        truth = np.repeat([1, 0], 150)
        score = np.concatenate([rng.normal(1, 1, 150), rng.normal(-1, 1, 150)])
        best = best_threshold(sy.ScoreCounts.from_scores(truth, score), "macro_recall", replicates=100)
        low, high = best.threshold_interval
        assert low <= high
        covered += low <= 0 <= high  # the densities cross at 0
    assert covered >= 34  # 95% of 40 is 38; below 34 has a chance under 2%


def test_optimism_is_seen_and_held_out_rows_are_judged_apart():
    rng = np.random.default_rng(6)
    truth, score = np.repeat([1, 0], [20, 200]), rng.random(220)  # scores that know nothing
    scores = sy.ScoreCounts.from_scores(truth, score)
    best = best_threshold(scores, "mcc", replicates=200, seed=1)
    assert best.value > 0.05
    assert best.optimism > 0.03
    fresh = sy.ScoreCounts.from_scores(np.repeat([1, 0], [2000, 20000]), rng.random(22000))
    applied = best.applied_to(fresh)
    assert abs(applied.value) < 0.02
    assert applied.matrix == matrix_at(fresh, best.threshold)
    assert applied.to_dict()["value"] == applied.value
    again = best_threshold(scores, "mcc", replicates=200, seed=1)
    assert again.threshold_interval == best.threshold_interval


def test_resampling_many_rows_at_few_scores():
    truth, score = drawn(3000, 5, 4, 23, 1)
    best = best_threshold(sy.ScoreCounts.from_scores(truth, score), "gmean", replicates=50)
    assert best.value_interval[0] < best.value - best.optimism < best.value_interval[1]


def test_many_scores_are_resampled_in_bins():
    rng = np.random.default_rng(31)
    truth = np.repeat([1, 0], [1_000, 24_000])
    scores = sy.ScoreCounts.from_scores(
        truth, np.concatenate([rng.normal(2, 1, 1_000), rng.normal(0, 1, 24_000)])
    )
    best = best_threshold(scores, "macro_recall", replicates=100)
    assert 1_000 < best.bins <= 4_096
    low, high = best.threshold_interval
    assert low <= 1 <= high  # the densities, each of weight 1, cross at 1
    assert best.value_interval[0] < best.value < best.value_interval[1] + best.bin_error
    # No bin holds more than a part of 1,024 of a class, so (TPr + TNr) / 2 rises inside one by half of that at most.
    assert 0 <= best.bin_error <= 0.5 / 1024
    swept = sweep(scores)
    assert set(best.threshold_interval) <= set(swept.thresholds.tolist())
    assert best_threshold(scores, "macro_recall", replicates=100) == best
    assert best.to_dict()["interval"]["bins"] == best.bins
    fixed = best_threshold(scores, "macro_recall", replicates=20, design="fixed")
    assert fixed.design == "fixed"


def test_bins_begin_where_parts_of_a_class_do():
    """Positives at even and negatives at odd scores, 16 of each in 1,024 parts: in each part bins begin at its first positive and
    its first negative."""
    scores = sy.ScoreCounts.from_scores(1 - np.arange(32 * 1024) % 2, np.arange(32.0 * 1024))
    best = best_threshold(scores, "recall", replicates=2)
    assert (best.bins, best.replicates) == (2 * 1024, 2)


def test_what_a_bin_may_hide():
    """All rows in one bin: at its start both classes are called, above it none, and inside it all positives alone may be."""
    scores = sy.ScoreCounts.from_scores([1, 1, 1, 0, 0], [0.1, 0.2, 0.3, 0.2, 0.4], bins=1)
    best = best_threshold(scores, "macro_recall", replicates=0)
    assert (best.value, best.bins, best.bin_error) == (0.5, 1, 0.5)
    # One positive above: 3 of 5 are right at either start, and all of them may be inside the lower bin.
    scores = sy.ScoreCounts.from_scores([1, 1, 1, 0, 0], [0.9, 0.2, 0.3, 0.2, 0.4], bins=2)
    best = best_threshold(scores, "accuracy", replicates=0)
    assert (best.value, best.bins, best.bin_error) == (0.6, 2, pytest.approx(0.4))


@pytest.mark.parametrize("name", ["gmean", "error_rate"])
def test_on_new_rows_a_chosen_threshold_is_not_as_good(name):
    """The interval of a threshold that was given, moved by the optimism; its pessimistic end by what a sample would show that held
    all rows instead of 1 - 1/e = 63.2% of them."""
    rng = np.random.default_rng(4)  # scores that hardly tell the classes apart: what is best is so by chance
    truth = np.arange(60) % 2
    best = best_threshold(sy.ScoreCounts.from_scores(truth, rng.normal(0.3 * truth, 1)), name, replicates=100)
    given = sy.interval(best.matrix, name, positive=best.positive)[name]
    assert best.optimism > 0.01
    low, high = given.low - best.optimism, given.high - 0.6321206 * best.optimism
    if name == "error_rate":
        low, high = given.low + 0.6321206 * best.optimism, given.high + best.optimism
    assert best.value_interval == pytest.approx((low, high), abs=1e-6)


def test_samples_without_a_value_are_left_out():
    # MCC needs both labels to be predicted; some samples of three rows put every example at one score.
    scores = sy.ScoreCounts.from_scores([1, 0, 1], [1, 1, 0])
    best = best_threshold(scores, "mcc", replicates=60)
    assert 0 < best.replicates < 60
    assert json.dumps(best.to_dict(), allow_nan=False)


def test_one_class_of_many():
    truth = ["a", "b", "c", "a", "b"]
    table = {"a": [0.8, 0.1, 0.4, 0.5, 0.3], "b": [0.1, 0.8, 0.3, 0.2, 0.4], "c": [0.1, 0.1, 0.3, 0.3, 0.3]}
    best = best_threshold(sy.ScoreCounts.from_scores(truth, table), "accuracy", "a", replicates=0)
    assert (best.threshold, best.value, best.positive) == (0.5, 1.0, "a")


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (lambda s: best_threshold(s, "roc_auc"), "roc_auc has no threshold"),
        (lambda s: best_threshold(s, "prevalence"), "cannot be maximised"),
        (lambda s: best_threshold(s, "gmean", level=2), "the level is not a probability"),
        (lambda s: best_threshold(s, "gmean", replicates=-1), "replicates cannot be used; found -1"),
        (lambda s: best_threshold(s, "mcc", relevance={0: 1, 1: 0.5}), "not a mean over classes"),
        (lambda s: best_threshold(s, "gmean", priors=1.5), "must be a proportion; found 1.5"),
        (lambda s: matrix_at(s, float("nan")), "not a number"),
        (
            lambda s: best_threshold(s, "gmean", replicates=0).applied_to(
                sy.ScoreCounts.from_scores([0, 1], [1, 2], positive=0)
            ),
            "scores are of another class",
        ),
        (
            lambda s: best_threshold(sy.ScoreCounts.from_scores([0, 0], [1, 2], positive=1), "recall"),
            "undefined at every threshold",
        ),
        (
            lambda s: matrix_at(sy.ScoreCounts.from_scores([0, 1], [0.1, 0.2], bins=10), 0.15),
            "start of a bin only",
        ),
    ],
)
def test_bad_input(call, words):
    with pytest.raises(InputError, match=words):
        call(sy.ScoreCounts.from_scores([0, 0, 1, 1], [0.1, 0.4, 0.35, 0.8]))


def test_binned_scores_are_cut_at_the_start_of_a_bin():
    truth, score = drawn(200, 97, 3, 24, 20)
    score = [s / 2 for s in score]
    binned = sy.ScoreCounts.from_scores(truth, score, bins=10)
    for threshold in (0.3, 0.5):
        assert matrix_at(binned, threshold) == labelled(truth, score, threshold)


def test_weights_leave_no_dust_below_the_lowest_threshold() -> None:
    """Calling everything positive leaves nothing to be called negative: NPV is undefined there, not 1."""
    scores = sy.ScoreCounts.from_scores([0, 0, 0, 1], [3, 2, 1, 0], 1, sample_weight=[0.3, 0.3, 0.7, 0.3])
    best = sy.best_threshold(scores, "NPV", replicates=0)
    assert best.threshold == np.inf
    assert best.value == pytest.approx(1.3 / 1.6, rel=1e-14)
    swept = sy.thresholds.sweep(scores)
    assert swept.matrices.counts[-1].tolist() == [[0.3, 0], [pytest.approx(1.3), 0]]
    assert sy.thresholds.matrix_at(scores, 0.0).counts[:, 1].tolist() == [0, 0]


def test_sweeps_with_weights_against_counting_one_by_one() -> None:
    rng = np.random.default_rng(17)
    for _ in range(300):
        n = int(rng.integers(2, 7))
        truth = np.concatenate([[0, 1], rng.integers(0, 2, n)])
        score = rng.integers(0, 4, n + 2).astype(float)
        weight = rng.choice([0.1, 0.2, 0.3, 0.7, 1.1], n + 2)
        swept = sy.thresholds.sweep(sy.ScoreCounts.from_scores(truth, score, 1, sample_weight=weight))
        for threshold, cells in zip(swept.thresholds, swept.matrices.counts, strict=True):
            called = score >= threshold
            for row, is_class in enumerate((truth == 1, truth == 0)):
                for column, said in enumerate((called, ~called)):
                    expected = weight[is_class & said]
                    assert (cells[row, column] == 0) == (len(expected) == 0)
                    assert cells[row, column] == pytest.approx(expected.sum(), rel=1e-14)


@pytest.mark.parametrize("threshold", ["x", None, [0.5]])
def test_a_threshold_that_is_no_number_is_one_sentence(threshold) -> None:
    scores = sy.ScoreCounts.from_scores([0, 1], [0.2, 0.8])
    with pytest.raises(sy.InputError, match="the threshold is not a number"):
        sy.thresholds.matrix_at(scores, threshold)


def test_whole_numbers_that_are_one_double_are_no_thresholds() -> None:
    scores = sy.ScoreCounts.from_scores([1, 0], np.array([2**53 + 1, 2**53]))
    assert sy.measure("roc_auc")(scores) == 1.0
    with pytest.raises(
        InputError, match="would be one threshold; found 9007199254740992 and 9007199254740993"
    ):
        best_threshold(scores, "f1")
    apart = sy.ScoreCounts.from_scores([1, 0], np.array([2**53 + 2, 2**53]))
    assert best_threshold(apart, "f1", replicates=0).threshold == 2**53 + 2


@pytest.mark.parametrize("seed", [-1, 1.5, "x", True])
def test_a_seed_that_is_none_is_one_sentence(seed) -> None:
    scores = sy.ScoreCounts.from_scores([1, 0, 1, 0], [0.1, 0.2, 0.3, 0.4])
    with pytest.raises(InputError, match=r"the seed cannot be used; found .*; allowed: a whole number >= 0"):
        best_threshold(scores, "gmean", seed=seed)


def test_the_interval_of_a_threshold_reaches_over_the_bins_it_was_drawn_in() -> None:
    # No negative reaches 0.7: the best threshold is the first score above, in the middle of a bin.
    random = np.random.default_rng(0)
    truth = (random.random(60_000) < 0.2).astype(int)
    score = random.random(60_000) * 0.7 + truth * 0.3
    found = best_threshold(sy.ScoreCounts.from_scores(truth, score), "mcc")
    assert found.bins is not None
    low, high = found.threshold_interval or (np.nan, np.nan)
    assert low <= found.threshold <= high


def by_hand(name, tp, fn, fp, tn):
    """The metrics in plain formulas; NaN where a denominator is 0."""
    total, recall, specificity = tp + fn + fp + tn, tp / (tp + fn), tn / (tn + fp)
    called, chance = tp + fp, ((tp + fn) * (tp + fp) + (fn + tn) * (fp + tn)) / (tp + fn + fp + tn) ** 2
    with np.errstate(invalid="ignore", divide="ignore"):
        return {
            "gmean": np.sqrt(recall * specificity),
            "macro_recall": (recall + specificity) / 2,
            "balanced_accuracy": (recall + specificity) / 2,
            "accuracy": (tp + tn) / total,
            "error_rate": (fp + fn) / total,
            "f1": 2 * tp / (2 * tp + fp + fn),
            "f_beta(beta=2)": 5 * tp / (5 * tp + 4 * fn + fp),
            "mcc": (tp * tn - fp * fn) / np.sqrt(called * (tp + fn) * (tn + fp) * (tn + fn)),
            "kappa": ((tp + tn) / total - chance) / (1 - chance),
        }[name]


@pytest.mark.parametrize(
    "name",
    [
        "gmean",
        "macro_recall",
        "balanced_accuracy",
        "accuracy",
        "error_rate",
        "f1",
        "f_beta(beta=2)",
        "mcc",
        "kappa",
    ],
)
@pytest.mark.parametrize("weighted", [False, True])
def test_of_many_scores_those_that_can_be_best_are_enough(name, weighted, monkeypatch):
    """Against every threshold, by hand: ties, weights, positives that are rare, frequent, or ranked last."""
    monkeypatch.setattr("steelyard.scores.threshold_selection.MOST_SCORES", 4)
    monkeypatch.setattr("steelyard.scores.threshold_selection.PARTS", 2)
    rng = np.random.default_rng(7)
    for case in range(60):
        rows = int(rng.integers(12, 80))
        truth = (rng.random(rows) < rng.choice([0.1, 0.3, 0.6])).astype(int)
        truth[:2] = 0, 1
        score = np.round(rng.random(rows) + rng.choice([-0.6, 0.0, 0.3]) * truth, int(rng.choice([1, 2, 9])))
        weights = rng.integers(1, 5, rows) / 4 if weighted else None
        counts = sy.ScoreCounts.from_scores(truth, score, 1, sample_weight=weights)
        best = best_threshold(counts, name, replicates=0)
        thresholds = np.array([np.inf, *sorted(set(score), reverse=True)])
        called = score >= thresholds[:, None]
        each = np.ones(rows) if weights is None else weights
        cells = [
            ((truth == actual) & (called == predicted)) @ each
            for actual in (1, 0)
            for predicted in (True, False)
        ]
        values = by_hand(name, *cells) * (-1 if name == "error_rate" else 1)
        first = int(np.argmax(values >= np.nanmax(values) - 1e-12))
        assert best.threshold == thresholds[first], case
        assert best.value == pytest.approx(
            abs(values[first]) if name == "error_rate" else values[first], abs=1e-14
        )
        assert best.next_lower == (thresholds[first + 1] if first + 1 < len(thresholds) else None)


def test_intervals_of_pruned_thresholds_are_those_of_all():
    rng = np.random.default_rng(11)
    truth = (rng.random(30_000) < 0.05).astype(int)
    scores = sy.ScoreCounts.from_scores(truth, np.round(rng.normal(truth, 1), 5), 1)
    best = best_threshold(scores, "gmean", replicates=30)
    every = best_threshold(scores, replace(sy.measure("gmean"), monotone=False), replicates=30)
    parts = ("threshold", "value", "next_lower", "threshold_interval", "value_interval", "optimism", "bins")
    assert [getattr(best, part) for part in parts] == [getattr(every, part) for part in parts]
    assert best.bin_error == every.bin_error


MONOTONE = [measure.name for measure in sy.catalogue(wide=True) if measure.monotone]


@pytest.mark.parametrize("name", MONOTONE)
def test_what_is_declared_monotone_is(name):
    """No wrong prediction of a small matrix that becomes right makes the value worse, and it is proved."""
    before = np.array(list(itertools.product(range(6), repeat=4))).reshape(-1, 2, 2)
    for error, hit in (((0, 1), (0, 0)), ((1, 0), (1, 1))):
        matrices = before[(before[:, *error] > 0) & (before.sum(axis=2) > 0).all(axis=1)]
        mended = matrices.copy()
        mended[:, *error] -= 1
        mended[:, *hit] += 1
        measure = sy.measure(name)
        worse, better = (np.asarray(measure(sy.Confusion(m, [1, 0]), positive=1)) for m in (matrices, mended))
        gain = (better - worse) * (-1 if measure.better == "lower" else 1)
        assert not (gain < -1e-12).any()
    verdict = precomputed.shipped(precomputed.made_of(sy.measure(name)), "monotone")
    assert verdict is not None
    assert verdict.grade == "proved" or [at.grade for at in verdict.at if at.n_classes == 2] == ["proved"]
