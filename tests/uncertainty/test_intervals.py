"""Intervals: always inside the range, never without width where nothing is certain, honest about what they are worth."""

from __future__ import annotations

import json
import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import beta

import steelyard as sy
from steelyard.counts.confusion import Confusion
from steelyard.measures.costs import costs_for, expected_cost_of
from steelyard.uncertainty.confidence_limits import (
    moves,
    skewness_corrected_percentiles,
    unbiased_percentiles,
)
from steelyard.uncertainty.coverage_record import PROMISED, TOLERANCE, coverage, nearest, record, warning_for
from steelyard.uncertainty.intervals import Interval
from tests import simulated

PERFECT = [[50, 0, 0], [0, 20, 0], [0, 0, 5]]
NOTHING_RIGHT = [[0, 30, 20], [10, 0, 10], [3, 2, 0]]


def check(found: Interval, matrix: Confusion) -> None:
    m = (
        sy.measure(found.measure)
        if "(" not in found.measure
        else next(k for k in sy.catalogue() if k.name == found.measure)
    )
    if math.isnan(found.low):
        assert found.note
        return
    low, high = m.range.at(2 if m.kind == "two-class" else matrix.n_classes)
    assert low <= found.low <= found.estimate <= found.high <= high, found
    assert found.low < found.high or "did not move" in found.note, found


@pytest.mark.parametrize("method", ["auto", "bootstrap", "percentile", "posterior"])
@pytest.mark.parametrize("design", ["sample", "fixed"])
@pytest.mark.parametrize("counts", [PERFECT, NOTHING_RIGHT, [[9, 1, 0], [2, 5, 0], [3, 0, 0]]])
def test_every_measure_at_the_ends(method: str, design: str, counts: list[list[int]]) -> None:
    matrix = Confusion(counts, ["a", "b", "c"])
    found = sy.interval(matrix, positive="c", method=method, design=design, draws=400)
    assert len(found) == len(sy.catalogue())
    for one in found.values():
        check(one, matrix)


@given(st.lists(st.integers(0, 12), min_size=9, max_size=9).filter(any))
def test_every_measure_of_any_small_matrix(cells: list[int]) -> None:
    matrix = Confusion(np.array(cells).reshape(3, 3), ["a", "b", "c"])
    for one in sy.interval(matrix, draws=100).values():
        check(one, matrix)


@pytest.mark.parametrize(
    "method", ["auto", "bootstrap", "percentile", "posterior", "wilson", "clopper-pearson"]
)
@pytest.mark.parametrize(("counts", "value"), [([[5, 0], [3, 90]], 1.0), ([[0, 5], [3, 90]], 0.0)])
def test_a_rate_of_none_or_all_has_width(method: str, counts: list[list[int]], value: float) -> None:
    found = sy.interval(counts, "recall", method=method, draws=2000)["recall"]
    assert found.estimate == value
    assert found.high - found.low > 0.2
    if method in ("bootstrap", "percentile"):
        assert found.method == "posterior"
        assert "alike" in found.note


def test_undefined_draws_are_counted() -> None:
    """Precision has no value where nothing is called positive: of ten positives one is, so a draw misses it with 0.9^10."""
    found = sy.interval([[1, 9], [0, 20]], "precision", method="percentile", draws=20_000)["precision"]
    # every defined draw is 1, so the posterior stands in; the bootstrap itself is seen with false alarms present
    assert found.method == "posterior"
    mixed = sy.interval([[1, 9], [1, 19]], "balanced_precision", method="percentile", draws=20_000)[
        "balanced_precision"
    ]
    missed = 0.9**10 * 0.95**20
    assert mixed.undefined_draws / 20_000 == pytest.approx(missed, abs=4 * math.sqrt(missed / 20_000))
    assert f"undefined in {mixed.undefined_draws:,} of 20,000 draws" in mixed.note


def test_an_undefined_estimate_says_why() -> None:
    found = sy.interval(Confusion([[4, 0, 1], [1, 5, 0], [0, 0, 0]], ["a", "b", "c"]), "macro_recall")[
        "macro_recall"
    ]
    assert math.isnan(found.low)
    assert "no examples of class 'c'" in found.note
    skipped = sy.interval(
        Confusion([[4, 0, 1], [1, 5, 0], [0, 0, 0]], ["a", "b", "c"]),
        "macro_recall",
        undefined="skip",
        draws=500,
    )
    assert skipped["macro_recall"].low < (4 / 5 + 5 / 6) / 2 < skipped["macro_recall"].high


def test_the_class_proportions_alone() -> None:
    """Prevalence does not move while classes keep their sizes, and that is said; with them drawn too it is a plain rate."""
    fixed = sy.interval([[5, 5], [10, 80]], "prevalence", design="fixed", draws=200)["prevalence"]
    assert (fixed.low, fixed.high) == (0.1, 0.1)
    assert "design='sample'" in fixed.note
    free = sy.interval([[5, 5], [10, 80]], "prevalence", method="percentile", draws=20_000)["prevalence"]
    assert free.low == pytest.approx(0.05, abs=0.011)  # binomial quantiles of 100 at 0.1: 5 and 16
    assert free.high == pytest.approx(0.16, abs=0.011)


def test_bca_matches_scipy() -> None:
    """scipy.stats.bootstrap (SciPy 1.17.1), BCa, 99,999 resamples, mean of 12 ones and 38 zeros: 0.14 to 0.38."""
    found = sy.interval([[12, 0], [38, 0]], "accuracy", method="bca", design="multinomial", draws=50_000)[
        "accuracy"
    ]
    assert (found.low, found.high) == (pytest.approx(0.14, abs=0.0201), pytest.approx(0.38, abs=0.0201))


def test_bca_without_bias_and_skewness_is_the_percentiles() -> None:
    values = np.linspace(-1, 1, 100_001)
    assert skewness_corrected_percentiles(values, 0.0, 0.0, 0.9) == (
        pytest.approx(-0.9, abs=1e-4),
        pytest.approx(0.9, abs=1e-4),
    )


def test_the_same_seed_gives_the_same_interval() -> None:
    first, again, other = (sy.interval(PERFECT, "CBA", seed=seed, draws=500)["CBA"] for seed in (1, 1, 2))
    assert first == again
    assert first != other


def test_what_the_coverage_study_found_is_said_in_words() -> None:
    """A method whose simulations fell more than 3 points short on average says so, and no other."""
    rows = record()["rows"]
    for m in (sy.measure(row) for row in {row["measure"] for row in rows}):
        for method in {row["method"] for row in rows}:
            for classes, rarest in ((2, 3), (3, 20), (50, 5), (50, 200)):
                found = coverage(m, method, classes, rarest, "sample")
                short = found is not None and found[0] < PROMISED - TOLERANCE
                assert bool(warning_for(m, method, classes, rarest, "sample")) == short


def test_studied_sizes_are_matched_by_ratio() -> None:
    assert [nearest(n, (5, 20, 200)) for n in (0, 1, 9, 11, 60, 70, 10**6)] == [5, 5, 5, 20, 20, 200, 200]


def test_a_linear_measure_is_not_moved_and_a_curved_one_is() -> None:
    """b = mean - centre, less the error of drawing sd / sqrt(n): (2 + sqrt(2)) b at the end that it hides,
    2(b - sd / 4) at the other; uniform draws have sd = 1 / sqrt(12)."""
    values = np.linspace(0, 1, 10_001)
    spread = 1 / math.sqrt(12)
    error = spread / 100
    assert moves(values, 0.5, 0.95) == (pytest.approx(0, abs=1e-9), pytest.approx(0, abs=1e-9))
    assert moves(values, 0.5 + error / 2, 0.95) == (pytest.approx(0, abs=1e-9), pytest.approx(0, abs=1e-9))
    low, high = moves(values, 0.6, 0.95)
    assert low == pytest.approx(-2 * (0.1 - error - spread / 4), abs=1e-4)
    assert high == pytest.approx(-(2 + math.sqrt(2)) * (0.1 - error), abs=1e-4)
    assert moves(values, 0.4, 0.95) == (pytest.approx(-high), pytest.approx(-low))
    assert unbiased_percentiles(values, 0.6, 0.9) == (pytest.approx(0.05 - low), pytest.approx(0.95 - high))
    assert moves(np.array([math.inf, 1.0]), 1.0, 0.95) == (0.0, 0.0)


def test_a_small_bias_narrows_nothing_and_the_short_side_is_given_some_room() -> None:
    """Squares of uniform draws: mean 1/3, 2.5% quantile 0.000625, 97.5% quantile 0.950625."""
    values = np.linspace(0, 1, 100_001) ** 2
    mean = 1 / 3
    low, high = moves(values, mean, 0.95)
    assert low == pytest.approx(0.05 * ((0.950625 - mean) - (mean - 0.000625)), abs=1e-4)
    assert high == pytest.approx(0, abs=1e-4)


def test_intervals_of_ratios_are_those_of_the_log_scale() -> None:
    """Woolf (1955): the log of an odds ratio has the variance 1/tp + 1/fn + 1/fp + 1/tn; Katz et al. (1978): that of a ratio
    of two rates a/m and b/n is 1/a - 1/m + 1/b - 1/n. Their limits and those of the posterior agree to a tenth."""
    tp, fn, fp, tn = 91, 9, 419, 3481
    expected = {
        "diagnostic_odds_ratio": (tp * tn / (fp * fn), 1 / tp + 1 / fn + 1 / fp + 1 / tn),
        "positive_likelihood_ratio": ((tp / 100) / (fp / 3900), 1 / tp - 1 / 100 + 1 / fp - 1 / 3900),
        "negative_likelihood_ratio": ((fn / 100) / (tn / 3900), 1 / fn - 1 / 100 + 1 / tn - 1 / 3900),
        "relative_risk": ((tp / 510) / (fn / 3490), 1 / tp - 1 / 510 + 1 / fn - 1 / 3490),
    }
    intervals = sy.interval([[tp, fn], [fp, tn]], list(expected), positive="c1")
    for name, (ratio, variance) in expected.items():
        reach = 1.959964 * math.sqrt(variance)
        assert math.log(intervals[name].low) == pytest.approx(math.log(ratio) - reach, abs=0.1), name
        assert math.log(intervals[name].high) == pytest.approx(math.log(ratio) + reach, abs=0.1), name


def test_a_likelihood_ratio_without_an_error_has_the_limit_of_its_rate() -> None:
    """LR- of 0 of 20 missed and no false alert of 2,000: the miss rate itself, whose Jeffreys limit is a quantile of
    Beta(0.5, 20.5)."""
    (found,) = sy.interval([[20, 0], [0, 2000]], ["negative_likelihood_ratio"], positive="c1").values()
    assert found.low == 0
    assert found.high == pytest.approx(beta.ppf(0.975, 0.5, 20.5), rel=0.1)


def test_the_old_words_for_a_design_mean_the_same() -> None:
    for old, new in (("multinomial", "sample"), ("stratified", "fixed")):
        first, second = (
            sy.interval([[7, 2], [30, 961]], "mcc", design=word, draws=400) for word in (old, new)
        )
        assert first["mcc"] == second["mcc"]
        assert first.settings["design"] == new
    assert "sample" in sy.interval([[7, 2], [30, 961]], "mcc", draws=400).settings["assumed"]


def test_a_sample_is_less_sure_of_precision_than_fixed_class_sizes() -> None:
    """With 20 positives in 4,000 their number alone varies by a fifth; recall does not depend on it."""
    sample, fixed = (
        sy.interval([[12, 8], [40, 3940]], ["precision", "recall"], design=design, draws=4000)
        for design in ("sample", "fixed")
    )
    assert sample["precision"].high - sample["precision"].low > 1.1 * (
        fixed["precision"].high - fixed["precision"].low
    )
    assert sample["recall"].low == pytest.approx(fixed["recall"].low, abs=0.02)


def test_measures_at_given_priors_know_them() -> None:
    """At given priors the class sizes of the test set play no part, whichever way they are drawn."""
    at = sy.measure("precision").at_priors({"a": 0.01, "b": 0.99})
    matrix = Confusion([[12, 8], [40, 3940]], ["a", "b"])
    sample, fixed = (
        sy.interval(matrix, at, design=design, positive="a", draws=4000)[at.name]
        for design in ("sample", "fixed")
    )
    assert sample.low == pytest.approx(fixed.low, rel=0.05)
    assert sample.high == pytest.approx(fixed.high, rel=0.05)


@simulated.sets(40, 100)
def test_twenty_classes_are_covered(sets: int) -> None:
    """Every class of 50 found with rate .97. A prior centred on 1/2 covered 63% here (macro recall); a true 93% is
    enough, for which 100 sets show fewer than 85 with a probability below 0.2%."""
    random = np.random.default_rng(1)
    rates = np.full((20, 20), 0.03 / 19)
    np.fill_diagonal(rates, 0.97)
    held = dict.fromkeys(("macro_recall", "CBA"), 0)
    for number in range(sets):
        counts = np.stack([random.multinomial(50, row) for row in rates])
        found = sy.interval(Confusion(counts, range(20)), list(held), draws=200, seed=number)
        for measure in held:
            held[measure] += found[measure].low <= 0.97 <= found[measure].high
    assert min(held.values()) >= simulated.fewest(sets, 0.93), held


def test_draws_are_fewer_where_classes_are_many() -> None:
    two = sy.interval([[7, 2], [3, 9]], "accuracy")
    many = sy.interval(Confusion(np.eye(40, dtype=int) * 9 + 1, range(40)), "accuracy")
    assert (two.settings["draws"], many.settings["draws"]) == (10_000, 3125)


def test_plain_data() -> None:
    found = sy.interval([[7, 2], [30, 961]], ["CBA", "recall"], draws=200)
    data = json.loads(json.dumps(found.to_dict(), allow_nan=False))
    assert data["schema"] == "steelyard/interval/1"
    assert [row["measure"] for row in data["intervals"]] == ["class_balance_accuracy", "recall"]
    assert set(data["intervals"][0]) == set(Interval.__dataclass_fields__)
    assert found["CBA"] == found["class_balance_accuracy"]
    assert "class_balance_accuracy" in repr(found)


@pytest.mark.parametrize(
    ("given", "told"),
    [
        ({"level": 0}, "the level is not a probability"),
        ({"level": 1.0}, "the level is not a probability"),
        ({"level": 95}, "the level is not a probability"),
        ({"draws": 10}, "draws"),
        ({"draws": 1000.0}, "draws"),
        ({"seed": -1}, "seed"),
        ({"method": "magic"}, "the method is not known"),
        ({"design": "magic"}, "the design is not known"),
        ({"prior": "magic"}, "the prior is not known"),
        ({"measures": []}, "no metric"),
        ({"measures": "nonsense"}, "there is no metric 'nonsense'"),
    ],
)
def test_bad_settings(given: dict[str, object], told: str) -> None:
    with pytest.raises(sy.InputError, match=told):
        sy.interval([[5, 1], [2, 9]], **given)  # type: ignore[arg-type]


def test_bad_counts() -> None:
    with pytest.raises(sy.InputError, match="whole"):
        sy.interval([[1.5, 1], [2, 9]])
    with pytest.raises(sy.InputError, match="one matrix at a time"):
        sy.interval(np.ones((3, 2, 2)))
    with pytest.raises(sy.InputError, match="nothing to be sure of"):
        sy.interval([[0, 0], [0, 0]])
    with pytest.raises(sy.InputError, match="recall is a metric of two classes"):
        sy.interval(PERFECT, "recall")


def test_many_classes_do_not_underflow() -> None:
    """With 40 classes the prior of a cell is 1/78 of an example; warnings are errors here."""
    counts = np.random.default_rng(0).integers(0, 3, (40, 40))
    for one in sy.interval(Confusion(counts, range(40)), draws=200).values():
        check(one, Confusion(counts, range(40)))


def test_one_class_only() -> None:
    found = sy.interval([[5]], "accuracy", draws=200)["accuracy"]
    assert (found.low, found.high) == (1, 1)
    assert found.note == "it did not move in any draw"


def test_an_undefined_measure_has_no_interval_and_no_draws() -> None:
    found = sy.interval([[0, 5], [0, 9]], "precision", positive="c1")["precision"]
    assert math.isnan(found.estimate)
    assert (found.method, found.draws, found.undefined_draws) == ("none", 0, 0)
    assert found.note.startswith("undefined: ")
    closed = sy.interval([[3, 5], [1, 9]], "recall", positive="c1", method="wilson")["recall"]
    assert (closed.draws, closed.undefined_draws) == (0, 0)


def test_the_seed_that_is_not_said_is_0() -> None:
    unsaid, said = (sy.interval(PERFECT, "CBA", draws=300, **seed) for seed in ({}, {"seed": 0}))
    assert (unsaid["CBA"], unsaid.settings["seed"]) == (said["CBA"], 0)


def test_a_class_that_nobody_listed_and_that_does_not_occur_is_none() -> None:
    """Rows and columns of zeros in a bare table say nothing; classes that were listed belong to the question."""
    names, draws = ["macro_recall", "mcc"], 300
    bare = sy.interval([[50, 5, 0], [4, 41, 0], [0, 0, 0]], names, draws=draws)
    two = sy.interval([[50, 5], [4, 41]], names, draws=draws)
    for name in names:
        assert (bare[name].low, bare[name].high) == (two[name].low, two[name].high)
    # Of two classes none is left out: the other one may occur next time.
    lonely = sy.interval([[20, 0], [0, 0]], "accuracy", draws=draws)["accuracy"]
    assert lonely.low < lonely.high == 1


def test_no_gmean_beyond_what_a_class_without_hits_allows() -> None:
    """0 of 97: Jeffreys' limit of the recall solves P(Beta(0.5, 97.5) < x) = 0.975, x = 0.0255; sqrt(0.0255 * 1) = 0.16."""
    found = sy.interval([[0, 97], [0, 1903]], "gmean")["gmean"]
    assert (found.low, found.high) == (0, pytest.approx(0.16, abs=0.002))


def test_a_dear_confusion_that_was_never_seen_does_not_make_the_cost() -> None:
    """A bootstrap of the counts has a standard error of sqrt(p (1 - p) / n) for costs of 1: 0.02 for 80 errors of 400."""
    counts = [[80, 0, 10, 10], [8, 80, 6, 6], [5, 5, 80, 10], [10, 5, 5, 80]]
    table = [[0, 500, 1, 1], [1, 0, 1, 1], [1, 1, 0, 1], [1, 1, 1, 0]]
    costs = expected_cost_of(costs_for(table, (0, 1, 2, 3)))
    found = sy.interval(sy.Confusion(counts, range(4)), costs)[costs.name]
    assert found.estimate == pytest.approx(0.2)
    assert found.high - found.low == pytest.approx(2 * 1.96 * 0.02, rel=0.1)
    assert "1 of 12 kinds never occurred" in found.note


def test_ordered_classes_of_neighbouring_errors() -> None:
    """Errors fall on the next class, 6 of 30 in each of 20: the standard error of the mean distance 1/5 is
    sqrt(0.2 * 0.8 / 600) = 0.0163."""
    counts = np.diag([24] * 20) + np.diag([6] * 19, 1)
    counts[19, 18] = 6
    found = sy.interval(sy.Confusion(counts, range(20)), "macro_mae", design="fixed")["macro_mae"]
    assert found.estimate == pytest.approx(0.2)
    assert found.high - found.low == pytest.approx(2 * 1.96 * 0.0163, rel=0.1)


def test_head_and_tail_are_not_drawn_towards_each_other() -> None:
    """15 classes of 1000 with 95% and 15 of 5 with 20% correct: the mean recall is 0.575, and its interval lies around it."""
    counts = np.diag([950] * 15 + [1] * 15)
    counts[1:, 0] += np.array([50] * 14 + [4] * 15)
    counts[0, 1] += 50
    found = sy.interval(sy.Confusion(counts, range(30)), "macro_recall", design="fixed")["macro_recall"]
    assert (found.low + found.high) / 2 == pytest.approx(0.575, abs=0.012)


def test_many_classes_of_few_examples_have_a_cautious_gmean():
    def note(classes):
        counts = np.diag([8] * classes) + 2 * np.roll(np.eye(classes, dtype=int), 1, axis=1)
        return sy.interval(counts, ["gmean"], draws=100)["gmean"].note

    assert "cautious (wide): many classes have few examples" in note(12)
    assert note(9) == ""
