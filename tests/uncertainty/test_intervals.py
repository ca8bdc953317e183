"""Intervals: always inside the range, never without width where nothing is certain, honest about what they are worth."""

from __future__ import annotations

import json
import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import steelyard as sy
from steelyard.counts.confusion import Confusion
from steelyard.uncertainty.intervals import Interval
from steelyard.uncertainty.limits import corrected_percentiles
from steelyard.uncertainty.trust import (
    PROMISED,
    TOLERANCE,
    preferred,
    record,
    studied_size,
    warning_for,
    worst_coverage,
)

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
@pytest.mark.parametrize("design", ["stratified", "multinomial"])
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
    fixed = sy.interval([[5, 5], [10, 80]], "prevalence", draws=200)["prevalence"]
    assert (fixed.low, fixed.high) == (0.1, 0.1)
    assert "multinomial" in fixed.note
    free = sy.interval(
        [[5, 5], [10, 80]], "prevalence", design="multinomial", method="percentile", draws=20_000
    )["prevalence"]
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
    assert corrected_percentiles(values, 0.0, 0.0, 0.9) == (
        pytest.approx(-0.9, abs=1e-4),
        pytest.approx(0.9, abs=1e-4),
    )


def test_the_same_seed_gives_the_same_interval() -> None:
    first, again, other = (sy.interval(PERFECT, "CBA", seed=seed, draws=500)["CBA"] for seed in (1, 1, 2))
    assert first == again
    assert first != other


def test_the_preferred_method_keeps_its_promise_and_the_others_warn() -> None:
    """What the coverage study found decides: no measure is left with a method that falls more than 3 points short, if one does not."""
    sizes = {row["rare"] for row in record()["rows"]}
    assert sizes == {5, 20, 200}
    for m in (sy.measure(row) for row in {row["measure"] for row in record()["rows"]}):
        for size in sizes:
            best = preferred(m, size)
            if worst_coverage(m, best, size) < PROMISED - TOLERANCE:
                assert warning_for(m, best, size)
            for method in ("bca", "percentile"):
                short = worst_coverage(m, method, size) < PROMISED - TOLERANCE
                assert bool(warning_for(m, method, size)) == short
    rare = sy.interval(
        [[900, 90, 10], [30, 260, 10], [1, 1, 3]], "balanced_accuracy", method="bootstrap", draws=300
    )["balanced_accuracy"]
    assert "with 5 examples in the smallest class" in rare.note
    assert "method='posterior'" in rare.note
    assert (
        sy.interval([[900, 90, 10], [30, 260, 10], [1, 1, 3]], "balanced_accuracy", draws=300)[
            "balanced_accuracy"
        ].note
        == ""
    )


def test_studied_sizes_are_matched_by_ratio() -> None:
    assert [studied_size(n) for n in (1, 9, 11, 60, 70, 10**6)] == [5, 5, 20, 20, 200, 200]


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
        ({"measures": []}, "no measure"),
        ({"measures": "nonsense"}, "there is no measure 'nonsense'"),
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
    with pytest.raises(sy.InputError, match="recall is a measure of two classes"):
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
