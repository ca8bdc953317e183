"""Measures made of measures."""

from __future__ import annotations

import math
import pickle
from fractions import Fraction
from typing import Any

import numpy as np
import pytest

import steelyard as sy

# -- reasons and weights must survive the way through an operator


def test_a_reason_names_the_class_also_through_one_versus_all_of_a_multi_class_measure() -> None:
    matrix = sy.Confusion([[0, 0, 0], [1, 4, 0], [0, 2, 3]], labels=["a", "b", "c"])
    assert "class 'a'" in sy.one_versus_all(sy.measure("gmean")).why_undefined(matrix)
    assert "class 'a'" in sy.one_versus_one(sy.measure("gmean")).why_undefined(matrix)


@pytest.mark.parametrize("name", ["accuracy", "gmean", "kappa", "mcc", "macro_precision", "auroc_ova"])
@pytest.mark.parametrize("operator", [sy.one_versus_all, sy.one_versus_one])
@pytest.mark.parametrize("average", ["macro", "micro", "prevalence"])
def test_an_empty_matrix_has_a_reason_through_every_average(name: str, operator: Any, average: str) -> None:
    measure = operator(sy.measure(name), average)
    for labels in (["a", "b", "c"], None):
        assert measure.why_undefined(sy.Confusion(np.zeros((3, 3), dtype=int), labels=labels))


def test_relevance_is_not_lost_inside_an_index_of_balanced_accuracy() -> None:
    """Weights 1 and 1/3: the exponents of TPr and TNr are 3/4 and 1/4."""
    matrix = sy.Confusion([[8, 2], [10, 30]], labels=["yes", "no"])
    weighted = sy.measure("gmean").weighted_by({"yes": 1, "no": 1 / 3})
    expected = 0.8**0.75 * 0.75**0.25
    assert weighted(matrix) == pytest.approx(expected, rel=1e-14)
    assert sy.iba(weighted, alpha=0.5)(matrix, positive="yes") == pytest.approx(
        (1 + 0.5 * 0.05) * expected, rel=1e-14
    )
    assert sy.iba(weighted, alpha=0.5)(matrix, positive="no") == pytest.approx(
        (1 - 0.5 * 0.05) * expected, rel=1e-14
    )


THREE = sy.Confusion([[5, 1, 2], [3, 40, 4], [6, 7, 50]], labels=["a", "b", "c"])
FRAUD = sy.Confusion([[8, 2], [10, 30]], labels=["fraud", "ok"])  # TPr 4/5, FPr 1/4

# -- at priors


def test_precision_in_production() -> None:
    """One case in a thousand: 0.001 * 4/5 / (0.001 * 4/5 + 0.999 * 1/4)."""
    expected = Fraction(8, 10_000) / (Fraction(8, 10_000) + Fraction(999, 4000))
    rare = sy.measure("precision").at_priors({"fraud": 0.001, "ok": 0.999})
    assert rare.exact(FRAUD, positive="fraud") == expected
    assert rare(FRAUD, positive="fraud") == pytest.approx(float(expected), rel=1e-14)
    assert sy.measure("precision").at_priors(0.001).exact(FRAUD, positive="fraud") == expected
    assert (
        sy.at_priors(sy.measure("precision"), {"ok": 0.999, "fraud": 0.001}).exact(FRAUD, positive="fraud")
        == expected
    )


def test_how_it_reads_says_which_priors() -> None:
    at = sy.measure("accuracy").at_priors([0.2, 0.8]).reads
    assert at.endswith("with m_ij replaced by w_i m_ij / t_i")
    assert sy.balanced("accuracy").reads == f"{at}, w_i = 1/C"


@pytest.mark.parametrize("name", [m.id for m in sy.catalogue("multi-class")])
def test_at_its_own_priors_a_measure_is_itself(name: str) -> None:
    shares = {label: t / 118 for label, t in zip("abc", (8, 47, 63), strict=True)}
    assert sy.measure(name).at_priors(shares)(THREE) == pytest.approx(sy.measure(name)(THREE), rel=1e-12)
    assert sy.measure(name).at_priors(list(shares.values()))(THREE) == pytest.approx(
        sy.measure(name)(THREE), rel=1e-12
    )


@pytest.mark.parametrize("name", [m.id for m in sy.catalogue("multi-class")])
def test_at_priors_is_the_measure_of_the_matrix_with_its_rows_scaled(name: str) -> None:
    scaled = [
        [float(v) * w / t for v in row]
        for row, w, t in zip(THREE.counts.tolist(), (0.2, 0.7, 0.1), (8, 47, 63), strict=True)
    ]
    assert sy.measure(name).at_priors([0.2, 0.7, 0.1])(THREE) == pytest.approx(
        sy.measure(name)(scaled), rel=1e-12
    )


def test_a_class_without_examples_has_unknown_rates() -> None:
    matrix = sy.Confusion([[5, 1, 2], [0, 0, 0], [6, 7, 50]], labels=["a", "b", "c"])
    for measure in (sy.balanced(sy.measure("accuracy")), sy.measure("accuracy").at_priors([0.2, 0.3, 0.5])):
        assert math.isnan(measure(matrix))
        assert (
            measure.why_undefined(matrix)
            == "there are no examples of class 'b', so nothing is known about it at other priors"
        )
        assert measure(matrix, undefined=0.5) == 0.5
    assert sy.balanced(sy.measure("accuracy"))(matrix, undefined="skip") == pytest.approx(
        (5 / 8 + 50 / 63) / 2, rel=1e-14
    )


@pytest.mark.parametrize(
    ("priors", "words"),
    [
        ({"fraud": 0.5, "ok": 0.6}, "do not add up to 1; found a sum of 1.1"),
        ({"fraud": -0.5, "ok": 1.5}, "must be proportions"),
        ({"fraud": float("nan"), "ok": 1}, "must be proportions"),
        ({"fraud": True, "ok": 0}, "must be proportions"),
        ({}, "must be proportions"),
        ([], "must be proportions"),
        (1.5, "must be a proportion"),
        (float("nan"), "must be a proportion"),
        ("balanced", "not understood"),
    ],
    ids=str,
)
def test_bad_priors_are_refused_when_they_are_given(priors: Any, words: str) -> None:
    with pytest.raises(sy.InputError, match=words):
        sy.measure("precision").at_priors(priors)


def test_priors_that_do_not_fit_the_classes_are_refused_when_they_are_used() -> None:
    with pytest.raises(sy.InputError, match="no prior for class 'ok'"):
        sy.measure("precision").at_priors({"fraud": 0.5, "okay": 0.5})(FRAUD, positive="fraud")
    with pytest.raises(sy.InputError, match="'other'"):
        sy.measure("accuracy").at_priors({"fraud": 0.25, "ok": 0.5, "other": 0.25})(FRAUD)
    with pytest.raises(sy.InputError, match="2 priors for 3 classes"):
        sy.measure("accuracy").at_priors([0.5, 0.5])(THREE)
    with pytest.raises(sy.InputError, match="ambiguous"):
        sy.measure("precision").at_priors([0.5, 0.5])(FRAUD, positive="fraud")
    with pytest.raises(sy.InputError, match="one prior is not enough"):
        sy.measure("accuracy").at_priors(0.5)(THREE)


# -- normalised


@pytest.mark.parametrize(
    ("name", "of"),
    [("error_rate", "accuracy"), ("balanced_error_rate", "balanced_accuracy"), ("fnr", "recall")],
)
def test_normalised_turns_lower_into_higher(name: str, of: str) -> None:
    measure = sy.normalised(sy.measure(name))
    assert measure.better == "higher"
    assert measure([[8, 2], [10, 30]]) == pytest.approx(sy.measure(of)([[8, 2], [10, 30]]), rel=1e-14)


def test_normalised_needs_two_ends_one_of_them_better() -> None:
    for name in ("lift", "positive_likelihood_ratio", "diagnostic_odds_ratio", "prevalence"):
        with pytest.raises(sy.InputError, match="no scale"):
            sy.normalised(sy.measure(name))
    assert sy.normalised(sy.measure("mcc"))(THREE) == pytest.approx(
        (sy.measure("mcc")(THREE) + 1) / 2, rel=1e-14
    )


# -- one versus all, one versus one


@pytest.mark.parametrize("name", [m.id for m in sy.catalogue("two-class") if m.range.at(2)[1] < math.inf])
def test_one_versus_all_by_hand(name: str) -> None:
    measure = sy.measure(name)
    each = [measure(THREE.one_vs_rest(label), positive=label) for label in "abc"]
    assert sy.one_versus_all(measure)(THREE) == pytest.approx(sum(each) / 3, rel=1e-12)
    by_size = (8 * each[0] + 47 * each[1] + 63 * each[2]) / 118
    assert sy.one_versus_all(measure, "prevalence")(THREE) == pytest.approx(by_size, rel=1e-12)
    weighted = sy.one_versus_all(measure).weighted_by({"a": 1, "b": 0.5, "c": 0.25})
    assert weighted(THREE) == pytest.approx((each[0] + 0.5 * each[1] + 0.25 * each[2]) / 1.75, rel=1e-12)
    pooled = np.sum([THREE.one_vs_rest(label).counts for label in "abc"], axis=0)
    assert sy.one_versus_all(measure, "micro")(THREE) == pytest.approx(measure(pooled), rel=1e-12)


@pytest.mark.parametrize("name", ["recall", "precision", "f_beta", "auc_point", "mcc", "gmean"])
def test_one_versus_one_by_hand(name: str) -> None:
    measure = sy.measure(name)
    pairs = [(i, j) for i in "abc" for j in "abc" if i != j]
    each = [
        measure(THREE.select(pair), positive=pair[0] if measure.kind == "two-class" else None)
        for pair in pairs
    ]
    assert sy.one_versus_one(measure)(THREE) == pytest.approx(sum(each) / 6, rel=1e-12)
    phi = {"a": 1, "b": 0.5, "c": 0.25}
    weights = [phi[i] + phi[j] for i, j in pairs]
    expected = sum(w * v for w, v in zip(weights, each, strict=True)) / sum(weights)
    assert sy.one_versus_one(measure).weighted_by(phi)(THREE) == pytest.approx(expected, rel=1e-12)
    pooled = np.sum([THREE.select(pair).counts for pair in pairs], axis=0)
    assert sy.one_versus_one(measure, "micro")(THREE) == pytest.approx(measure(pooled), rel=1e-12)


def test_micro_recall_precision_and_f_are_accuracy() -> None:
    for name in ("recall", "precision", "f_beta"):
        assert sy.one_versus_all(sy.measure(name), "micro").exact(THREE) == sy.measure("accuracy").exact(
            THREE
        )


def test_unknown_averages_are_refused() -> None:
    with pytest.raises(sy.InputError, match="did you mean 'macro'"):
        sy.one_versus_all(sy.measure("recall"), "macr")
    with pytest.raises(sy.InputError, match="not a mean over classes"):
        sy.one_versus_all(sy.measure("recall"), "micro").weighted_by({"a": 1})


# -- index of balanced accuracy


@pytest.mark.parametrize("alpha", [0, 0.05, 0.5, 1, 3])
@pytest.mark.parametrize("name", ["gmean", "kappa", "accuracy", "auc_point", "mcc", "optimized_precision"])
def test_iba_stays_in_the_range_it_states(name: str, alpha: float) -> None:
    measure = sy.iba(sy.measure(name), alpha)
    batch = np.random.default_rng(1).integers(0, 6, size=(3000, 2, 2)) * np.array([[1], [7]])
    values = measure(batch)
    low, high = measure.range
    assert np.nanmin(values) >= low - 1e-12
    assert np.nanmax(values) <= high + 1e-12
    dominance = sy.measure("recall")(batch) - sy.measure("specificity")(batch)
    np.testing.assert_allclose(
        values, (1 + alpha * dominance) * sy.measure(name)(batch), rtol=1e-12, atol=1e-15
    )


@pytest.mark.parametrize("alpha", [-0.1, float("nan"), float("inf"), "0.05", None])
def test_bad_alphas_are_refused(alpha: Any) -> None:
    with pytest.raises(sy.InputError, match="alpha"):
        sy.iba(sy.measure("gmean"), alpha)


# -- weighted by


@pytest.mark.parametrize(
    ("relevance", "words"),
    [
        ([1, 0.5], "2 scores for 3 classes"),
        ({"a": 1, "b": 0.5}, "no relevance for class 'c'"),
        ({"a": 1, "b": 0.5, "c": 0.1, "d": 1}, "'d'"),
        ([1, 0.5, -1], "numbers from 0 to 1"),
        ([1, 0.5, 2], "numbers from 0 to 1"),
        ([0, 0, 0], "not all 0"),
        ([1, 0.5, float("nan")], "numbers from 0 to 1"),
    ],
    ids=str,
)
def test_bad_relevance_is_refused(relevance: Any, words: str) -> None:
    with pytest.raises(sy.InputError, match=words):
        sy.measure("macro_recall").weighted_by(relevance)(THREE)


def test_relevance_goes_to_the_class_it_is_of() -> None:
    """Class a alone: its 5/8 against the 3/47 of b and the 6/63 of c that are called a."""
    alone = sy.measure("auroc_ovo").weighted_by({"a": 1, "b": 0, "c": 0})
    drawn = (Fraction(3, 47) + Fraction(6, 63)) / 2
    assert alone.exact(THREE) == (1 + Fraction(5, 8) - drawn) / 2
    # F of 5/14 (of 14 called a) and 5/8
    of_means = sy.measure("f_beta_of_macros").weighted_by({"a": 1, "b": 0, "c": 0})
    assert of_means.exact(THREE) == Fraction(2 * 5, 14 + 8)


def test_an_index_of_balanced_accuracy_is_no_mean_over_classes() -> None:
    with pytest.raises(sy.InputError, match="mean over classes"):
        sy.iba("gmean", 0.1).weighted_by([0.5, 1])


def test_a_class_of_no_relevance_needs_no_value() -> None:
    matrix = sy.Confusion([[5, 0, 2], [0, 0, 0], [6, 0, 50]], labels=["a", "b", "c"])
    assert sy.measure("macro_precision").weighted_by({"a": 1, "b": 0, "c": 1})(matrix) == pytest.approx(
        (5 / 11 + 50 / 52) / 2
    )
    assert sy.measure("gmean").weighted_by({"a": 1, "b": 0, "c": 1})(matrix) == pytest.approx(
        math.sqrt(5 / 7 * 50 / 56)
    )


# -- what is said of operated measures


OPERATED = [
    sy.balanced(sy.measure("kappa")),
    sy.measure("precision").at_priors(0.01),
    sy.measure("f_beta", beta=2).at_priors({"fraud": 0.1, "ok": 0.9}),
    sy.measure("macro_recall").weighted_by({"fraud": 1, "ok": 0.5}),
    sy.iba(sy.measure("auc_point"), 0.3),
    sy.normalised(sy.measure("mcc")),
    sy.one_versus_all(sy.measure("precision"), "prevalence"),
    sy.one_versus_one(sy.measure("auc_point")),
    sy.balanced(sy.one_versus_all(sy.measure("f_beta", beta=0.5))),
    sy.normalised(sy.balanced(sy.measure("mcc"))),
]


@pytest.mark.parametrize("measure", OPERATED, ids=[m.name for m in OPERATED])
def test_an_operated_measure_is_complete_and_pickles(measure: sy.Measure) -> None:
    assert measure.id
    assert measure.title
    assert measure.question.endswith("?")
    assert measure.formula
    assert measure.reads
    assert measure.sources
    positive = "fraud" if measure.kind == "two-class" else None
    value = measure(FRAUD, positive=positive)
    back = pickle.loads(pickle.dumps(measure))
    assert back.name == measure.name
    assert back(FRAUD, positive=positive) == value
    assert float(measure.exact(FRAUD, positive=positive)) == pytest.approx(value, rel=1e-12)
    batch = sy.Confusion(np.stack([FRAUD.counts] * 3), labels=FRAUD.labels)
    assert measure(batch, positive=positive).tolist() == pytest.approx([value] * 3)


def test_names_tell_operated_measures_apart() -> None:
    assert len({m.name for m in OPERATED}) == len(OPERATED)
    assert sy.measure("precision").at_priors(0.01).name != sy.measure("precision").at_priors(0.02).name
    assert sy.measure("f_beta").at_priors(0.5).name != sy.measure("f_beta", beta=2).at_priors(0.5).name


# -- classes that were not listed and hold nothing

GAP = [[5, 1, 0], [2, 7, 0], [0, 0, 0]]  # c3 has neither examples nor predictions
WHOLE = [[5, 1, 1], [2, 7, 3], [1, 1, 4]]


@pytest.mark.parametrize(
    "relevance",
    [{"c1": 1, "c2": 0.5, "c3": 0.2}, [1, 0.5, 0.2], sy.relevance.scores({"c1": 1, "c2": 0.5, "c3": 0.2})],
    ids=str,
)
def test_relevance_of_a_class_that_is_left_out_is_left_out(relevance: Any) -> None:
    """As one replicate of a batch may lack a rare class, it must not make the scores misfit."""
    weighted = sy.measure("macro_recall").weighted_by(relevance)
    expected = (Fraction(5, 6) + Fraction(1, 2) * Fraction(7, 9)) / Fraction(3, 2)
    assert weighted.exact(GAP) == expected
    assert weighted(np.array([GAP, WHOLE])).tolist() == pytest.approx([float(expected), weighted(WHOLE)])


@pytest.mark.parametrize("priors", [{"c1": 0.2, "c2": 0.5, "c3": 0.3}, [0.2, 0.5, 0.3]], ids=str)
def test_priors_of_a_class_that_holds_nothing(priors: Any) -> None:
    """A prior above 0 makes the class count, so the value is undefined; under "skip" the others share."""
    accuracy = sy.measure("accuracy").at_priors(priors)
    batch = np.array([GAP, WHOLE])
    assert np.isnan(accuracy(batch)).tolist() == [True, False]
    assert (
        accuracy.why_undefined(GAP)
        == "there are no examples of class 'c3', so nothing is known about it at other priors"
    )
    assert list(accuracy.why_undefined(batch)) == [accuracy.why_undefined(GAP), None]
    assert accuracy(GAP, undefined="skip") == pytest.approx((0.2 * 5 / 6 + 0.5 * 7 / 9) / 0.7, rel=1e-14)
    assert accuracy(GAP, undefined=0.25) == 0.25
    assert sy.measure("accuracy").at_priors([0.2, 0.8, 0]).exact(GAP) == Fraction(1, 5) * Fraction(
        5, 6
    ) + Fraction(4, 5) * Fraction(7, 9)


@pytest.mark.parametrize("average", ["macro", "micro", "prevalence"])
@pytest.mark.parametrize("name", ["recall", "auc_point", "gmean"])
def test_one_class_cannot_be_told_from_another(name: str, average: str) -> None:
    """There are no pairs, hence no average: undefined, not 0."""
    measure = sy.one_versus_one(sy.measure(name), average)
    for alone in ([[5]], [[5, 0], [0, 0]]):
        assert math.isnan(measure(alone))
        assert math.isnan(measure.exact(alone))
        assert measure.why_undefined(alone) == "there is one class only"
        assert measure(alone, undefined=0.5) == 0.5


# -- numbers of classes in a series of pandas are named by its index


def test_priors_and_relevance_in_a_series_go_by_their_names() -> None:
    pd = pytest.importorskip("pandas")
    matrix = sy.Confusion([[5, 1, 0], [2, 7, 1], [0, 3, 30]], labels=["a", "b", "c"])
    turned = {"c": 0.1, "b": 0.2, "a": 0.7}
    precision, recall = sy.measure("macro_precision"), sy.measure("macro_recall")
    # by hand: rows scaled to 0.7, 0.2 and 0.1 of all
    rows = np.array([[5, 1, 0], [2, 7, 1], [0, 3, 30]]) / [[6], [10], [33]] * [[0.7], [0.2], [0.1]]
    by_hand = float(np.mean(np.diag(rows) / rows.sum(axis=0)))
    assert precision.at_priors(pd.Series(turned))(matrix) == pytest.approx(by_hand)
    assert precision.at_priors(turned)(matrix) == pytest.approx(by_hand)
    weighted = 0.7 * 5 / 6 + 0.2 * 7 / 10 + 0.1 * 30 / 33
    assert recall.weighted_by(pd.Series(turned))(matrix) == pytest.approx(weighted)
    assert sy.relevance.scores(pd.Series(turned)).scores_of(["a", "b"]) == [0.7, 0.2]
    in_order = pd.Series([0.7, 0.2, 0.1])
    assert precision.at_priors(in_order)(matrix) == pytest.approx(by_hand)


def test_a_series_that_names_a_class_twice_is_refused() -> None:
    pd = pytest.importorskip("pandas")
    with pytest.raises(sy.InputError, match="named twice; found 'a'"):
        sy.measure("macro_precision").at_priors(pd.Series([0.5, 0.2, 0.3], index=["a", "a", "b"]))


@pytest.mark.parametrize(
    ("counts", "value"),
    [
        # Two of three classes have examples and all of them are told wrong: the worst that two classes can be.
        ([[0, 1, 0], [3, 0, 0], [0, 0, 0]], 0),
        # Class a: recall 1/2, specificity 3/4; class b the other way round. Their mean is 5/8 on the scale 0 to 1.
        ([[1, 1, 0], [1, 3, 0], [0, 0, 0]], Fraction(5, 8)),
    ],
)
def test_normalised_to_as_many_classes_as_take_part(counts: list[list[int]], value: Fraction) -> None:
    matrix = sy.Confusion(counts, labels=["a", "b", "c"])
    measure = sy.measure("nauroc_ova")
    assert measure(matrix, undefined="skip") == pytest.approx(float(value), abs=1e-15)
    assert measure.exact(matrix, undefined="skip") == value
    in_a_batch = sy.Confusion([counts, [[2, 0, 0], [0, 2, 0], [0, 0, 2]]], labels=["a", "b", "c"])
    assert np.asarray(measure(in_a_batch, undefined="skip")) == pytest.approx([float(value), 1.0], abs=1e-15)


def test_a_mean_is_weighted_once() -> None:
    weighted = sy.weighted_by("macro_recall", [1, 0.5])
    with pytest.raises(sy.InputError, match="has its weights already; weight the metric it was made of"):
        sy.weighted_by(weighted, [0.5, 1])
