"""Every name that is printed is read back, everywhere."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from typing import Any

import numpy as np
import pytest

import steelyard as sy
from steelyard.errors import AmbiguousNameError, UnknownNameError
from steelyard.proofs.questions.conditions import BY_ID

TWO = sy.Confusion([[8, 2], [10, 30]], labels=["fraud", "ok"])
THREE = sy.Confusion([[5, 1, 2], [3, 40, 4], [6, 7, 50]], labels=["a", "b", "c"])

PARAMETERS: list[sy.Measure] = [
    *sy.catalogue("all", wide=True),
    sy.measure("f_beta", beta=2),
    sy.measure("f_beta", beta=1 / 3),
    sy.measure("balanced_f_beta", beta=0.5),
    sy.measure("class_weighted_accuracy", w=0.8),
    sy.measure("iba", alpha=0.3),
    sy.measure("weighted_auc", rho=0.2),
    sy.measure("partial_auc", max_fpr=0.05),
    sy.measure("ova_auc", average="prevalence"),
]

OPERATORS: dict[str, Callable[[sy.Measure], sy.Measure]] = {
    "balanced": sy.balanced,
    "normalised": sy.normalised,
    "iba": lambda m: sy.iba(m, 0.3),
    "one_versus_all": sy.one_versus_all,
    "one_versus_one": lambda m: sy.one_versus_one(m, "prevalence"),
    "at priors by class": lambda m: m.at_priors({"fraud": 0.1, "ok": 0.9}),
    "at priors in order": lambda m: m.at_priors([0.25, 0.75]),
    "at one prior": lambda m: m.at_priors(1 / 3),
    "at a fraction": lambda m: m.at_priors(Fraction(1, 3)),
}


def same(one: sy.Measure, other: sy.Measure) -> bool:
    """The same name, and the same values where the priors fit the classes."""
    if one.kind == "scores":
        return one.name == other.name and one.parameters == other.parameters
    try:
        values = [m.exact(TWO, positive="fraud") for m in (one, other)]
    except sy.InputError:
        values = [0, 0]
    return one.name == other.name and (values[0] == values[1] or all(v != v for v in values))


@pytest.mark.parametrize("measure", PARAMETERS, ids=lambda m: m.name)
def test_a_name_with_its_parameters_is_read_back(measure: sy.Measure) -> None:
    again = sy.measure(measure.name)
    assert same(again, measure)
    assert again.id == measure.id
    assert dict(again.parameters) == dict(measure.parameters)


@pytest.mark.parametrize("outer", OPERATORS)
@pytest.mark.parametrize("inner", OPERATORS)
def test_names_of_operators_are_read_back_to_depth_two(inner: str, outer: str) -> None:
    for name in ("precision", "kappa", "f_beta(beta=2)", "iba(gmean, alpha=0.05)", "confusion_entropy"):
        try:
            made = OPERATORS[outer](OPERATORS[inner](sy.measure(name)))
        except sy.InputError:  # no scale to normalise to
            continue
        assert same(sy.measure(made.name), made), made.name


@pytest.mark.parametrize(
    "labels",
    [
        ("a, b", "c"),
        ("it's", "c"),
        ("a (b)", "c)"),
        ("x=1", "\\"),
        ("in at priors out", "c"),
        (" a", "b "),
        ("", "b"),
        (1, 0),
        ("0.5", "1/2"),
        ("the cat", "the dog"),
        ("ä ö", "日本"),
    ],
    ids=repr,
)
def test_any_label_is_read_back(labels: tuple[Any, Any]) -> None:
    matrix = sy.Confusion([[8, 2], [10, 30]], labels=labels)
    made = sy.one_versus_all(
        sy.measure("accuracy").at_priors(dict(zip(labels, (0.1, 0.9), strict=True))), "micro"
    )
    inside = sy.measure(made.name)
    assert inside.name == made.name
    plain = sy.measure("accuracy").at_priors(dict(zip(labels, (0.1, 0.9), strict=True)))
    assert sy.measure(plain.name).exact(matrix) == plain.exact(matrix)


@pytest.mark.parametrize(
    ("written", "meant"),
    [
        ("F_beta( beta = 2 )", "f_beta(beta=2)"),
        ("IBA(Gm, alpha=0.05)", "iba(gmean, alpha=0.05)"),
        ("IBA_0.05(Gm)", "iba(gmean, alpha=0.05)"),
        ("balanced(IBA_0.05(Gm))", "balanced(iba(gmean, alpha=0.05))"),
        ("iba(alpha=0.3)", "iba(gmean, alpha=0.3)"),
        ("one versus all(precision)", "one_versus_all(precision, macro)"),
        ("one_versus_all(precision, average=micro)", "one_versus_all(precision, micro)"),
        ("normalized(MCC)", "normalised(mcc)"),
        ("f_beta(beta=1)", "f_beta"),
        ("f_beta(beta=1/2)", "f_beta(beta=1/2)"),
        ("Balanced( CBA )", "balanced(class_balance_accuracy)"),
    ],
)
def test_names_are_read_kindly(written: str, meant: str) -> None:
    assert sy.measure(written).name == meant


@pytest.mark.parametrize(
    ("written", "words"),
    [
        ("f_beta(2)", r"write f_beta\(beta=2"),
        ("f_beta(betta=2)", "did you mean 'beta'"),
        ("f_betta(beta=2)", "did you mean 'f_beta'"),
        ("balancd(precision)", "did you mean 'balanced'"),
        ("balanced(precison)", "did you mean 'precision'"),
        ("balanced(precision", "a bracket is not closed"),
        ("balanced(precision))", r"nothing can stand at '\)'"),
        ("balanced()", "a name is missing"),
        ("(precision)", "a name is missing"),
        ("iba(gmean)", "alpha"),
        ("iba(gmean, 0.05)", r"write iba\(alpha=0.05"),
        ("iba(gmean, alpha=0.05, alpha=0.1)", "given twice"),
        ("iba(gmean, alpha=x)", "alpha"),
        ("one_versus_all(precision, macr)", "did you mean 'macro'"),
        ("gmean(w=2)", "gmean has no parameters"),
        ("precision at priors ", "priors behind"),
        ("precision at priors x", "priors behind"),
        ("precision at priors 0.1, 0.9, ok 0.3", "only some have a class"),
        ("precision at priors ok 0.3, ok 0.7", "stands there twice"),
        ("precision at priors 'ok 0.3", "quotation mark"),
        ("precision at priors 1.3", "must be a proportion"),
        ("macro_recall weighted by relevance", "relevance of each class is not part"),
        ("__import__('os').system('true')", "nothing can stand|no measure|not understood"),
    ],
)
def test_what_is_not_understood_is_said_in_one_sentence(written: str, words: str) -> None:
    with pytest.raises(sy.InputError, match=words) as told:
        sy.measure(written)
    assert "\n" not in str(told.value)


def test_an_ambiguous_name_stays_ambiguous_in_brackets() -> None:
    with pytest.raises(AmbiguousNameError, match="roc_auc"):
        sy.measure("balanced(AUC)")
    with pytest.raises(UnknownNameError):
        sy.measure("no such measure")


def test_an_id_that_others_use_for_more_is_read_back_inside_other_names() -> None:
    for made in (
        sy.balanced("average_accuracy"),
        sy.at_priors("average_accuracy", {"fraud": 0.1, "ok": 0.9}),
    ):
        assert sy.measure(made.name).name == made.name


# -- every door takes a name


def test_operators_take_names() -> None:
    for operator in (sy.balanced, sy.normalised, sy.one_versus_all, sy.one_versus_one):
        assert operator("kappa").name == operator(sy.measure("kappa")).name
    assert sy.at_priors("precision", 0.1).name == "precision at priors 0.1"
    assert sy.iba("auc_point", 0.3)(TWO, positive="fraud") == sy.iba(sy.measure("auc_point"), 0.3)(
        TWO, positive="fraud"
    )
    assert sy.weighted_by("macro_recall", [1, 0.5, 0.5])(THREE) == pytest.approx(
        (5 / 8 + 0.5 * 40 / 47 + 0.5 * 50 / 63) / 2
    )
    with pytest.raises(UnknownNameError, match="did you mean 'kappa'"):
        sy.balanced("kapa")


def test_functions_of_measures_take_names() -> None:
    assert sy.weigh(["gmean", "balanced(f_beta(beta=2))"], TWO, positive="fraud").keys() == {
        "gmean",
        "balanced(f_beta(beta=2))",
    }
    assert sy.weigh("gmean", TWO).keys() == {"gmean"}
    invariance = [BY_ID["prior-invariance"]]
    assert sy.examine("balanced(precision)", invariance).subject == "balanced(precision)"
    assert sy.interval(TWO, "iba(gmean, alpha=0.3)", positive="fraud")
    scores = sy.ScoreCounts.from_scores([0, 1, 1, 0], [0.1, 0.9, 0.4, 0.5], 1)
    assert sy.best_threshold(scores, "f_beta(beta=2)", replicates=0).measure.name == "f_beta(beta=2)"
    assert sy.scorer("f_beta(beta=2)")._score_func.__name__ == "f_beta(beta=2)"


# -- two columns


def test_a_measure_takes_two_columns() -> None:
    """What a user of scikit-learn types first. Recalls 1/2 and 1: the geometric mean is √½."""
    truth, predicted = ["a", "a", "b", "b"], ["a", "b", "b", "b"]
    assert sy.measure("gmean")(truth, predicted) == pytest.approx(0.5**0.5, rel=1e-15)
    assert sy.measure("gmean")(np.array(truth), np.array(predicted)) == pytest.approx(0.5**0.5, rel=1e-15)
    assert sy.measure("recall")(truth, predicted, positive="a") == 0.5
    assert sy.measure("recall")(truth, predicted, positive="a", sample_weight=[3, 1, 1, 1]) == 0.75
    assert sy.measure("macro_recall")(truth, predicted, labels=["a", "b", "c"], undefined="skip") == 0.75
    assert sy.measure("roc_auc")([0, 0, 1, 1], [0.1, 0.4, 0.35, 0.8], positive=1) == 0.75


def test_a_matrix_stays_a_matrix() -> None:
    assert sy.measure("accuracy")([[8, 2], [10, 30]]) == 0.76
    with pytest.raises(sy.InputError, match="without columns"):
        sy.measure("accuracy")([[8, 2], [10, 30]], sample_weight=[1, 2])
    with pytest.raises(sy.InputError, match="without columns"):
        sy.measure("roc_auc")(sy.ScoreCounts.from_scores([0, 1], [0.1, 0.9], 1), labels=[0, 1])
    with pytest.raises(sy.InputError, match="differ in length"):
        sy.measure("accuracy")([1, 0], [1, 0, 1])


@pytest.mark.parametrize(
    ("typed", "told"),
    [
        ("gmaen", "did you mean 'gmean'"),
        ("precison", "did you mean 'precision'"),
        ("matthews_corcoef", "did you mean 'mcc' (matthews_corrcoef)?"),
        ("sensitivty", "did you mean 'recall' (sensitivity)?"),
        ("brier_scor", "did you mean 'brier' (brier_score)"),
        ("kapa", "did you mean 'kappa'?"),
    ],
)
def test_a_misspelt_name_is_answered_with_ids(typed: str, told: str) -> None:
    with pytest.raises(UnknownNameError) as refused:
        sy.measure(typed)
    assert told in str(refused.value)


@pytest.mark.parametrize(
    ("written", "beta"),
    [("F0.5", 0.5), ("f0.5", 0.5), ("F2", 2), ("f2_score", 2), ("F 1.5-measure", 1.5), ("F1", 1)],
)
def test_f_is_read_with_its_beta(written: str, beta: float) -> None:
    # tp 6, fn 2, fp 3: (1 + b^2) 6 / ((1 + b^2) 6 + b^2 2 + 3)
    by_hand = (1 + beta**2) * 6 / ((1 + beta**2) * 6 + beta**2 * 2 + 3)
    assert sy.measure(written)([[6, 2], [3, 9]]) == pytest.approx(by_hand, rel=1e-14)


@pytest.mark.parametrize("written", ["BA", "bacc", "BAcc"])
def test_balanced_accuracy_has_its_short_names(written: str) -> None:
    assert sy.measure(written) is sy.measure("balanced_accuracy")
