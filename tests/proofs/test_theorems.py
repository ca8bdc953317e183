"""What is known to be true is proved, for the numbers of classes it is true for."""

from fractions import Fraction

import pytest

from steelyard import at_priors, balanced
from steelyard.measures.catalogue import measure
from steelyard.proofs.prover.subject import Subject
from steelyard.proofs.questions import orderings
from steelyard.proofs.questions.conditions import property_named
from steelyard.proofs.questions.orderings import decide_rising_function
from steelyard.proofs.verdict import EVERY, Verdict


def decide(name, question):
    return property_named(question).decide(Subject(measure(name) if isinstance(name, str) else name))


@pytest.mark.parametrize("name", ["macro_recall", "gmean", "balanced_accuracy", "maurpc_ova"])
def test_condition_1_holds_for_every_number_of_classes(name):
    verdict = decide(name, "Condition 1")
    assert verdict.grade == "proved"
    assert verdict.classes == EVERY


@pytest.mark.parametrize(
    "name", ["kappa", "mcc", "class_balance_accuracy", "confusion_entropy", "f_beta_of_macros"]
)
def test_whatever_is_balanced_satisfies_condition_1_by_construction(name):
    verdict = decide(balanced(measure(name)), "prior-invariance")
    assert (verdict.grade, verdict.classes) == ("proved", EVERY)
    assert "by construction" in verdict.method


def test_fixed_priors_that_are_not_uniform_also_satisfy_condition_1():
    verdict = decide(at_priors(measure("precision"), 0.001), "prior-invariance")
    assert verdict.grade == "proved"


def test_truth_depends_on_the_number_of_classes():
    verdict = decide("auroc_ova", "prior-invariance")
    assert verdict.grade == "refuted"
    assert verdict.holds_at(2) is True
    assert verdict.holds_at(3) is False


@pytest.mark.parametrize(
    "name",
    [
        "macro_recall",
        "macro_precision",
        "aurpc_ova",
        "maurpc_ova",
        "class_balance_accuracy",
        "gmean",
        "imbalance_accuracy",
    ],
)
def test_condition_2_holds_for_every_number_of_classes(name):
    assert (decide(name, "Condition 2").grade, decide(name, "Condition 2").classes) == ("proved", EVERY)


@pytest.mark.parametrize(
    ("name", "low"),
    [("auroc_ovo", Fraction(1, 4)), ("auroc_ova", Fraction(1, 6)), ("mean_binary_accuracy", Fraction(1, 3))],
)
def test_condition_2_fails_where_the_floor_rises(name, low):
    verdict = decide(name, "same-bounds")
    assert verdict.grade == "refuted"
    assert f"none below {low}" in verdict.notes[0]
    subject = Subject(measure(name))
    assert subject.value([[0, 1], [1, 0]]) == 0  # taken with two classes
    assert (
        min(subject.value(m) for m in ([[0, 1, 0], [0, 0, 1], [1, 0, 0]], [[0, 0, 1], [0, 0, 1], [0, 9, 0]]))
        >= low
    )


def test_mcc_is_not_said_to_break_condition_2_by_a_rounding_error():
    assert decide("mcc", "same-bounds").grade == "not refuted"


def test_what_is_not_proved_is_not_called_proved():
    assert decide("relative_classifier_information", "bounded").grade in ("not refuted", "timed out")


def test_proofs_for_single_sizes_do_not_claim_every_size():
    verdict = decide("auroc_ovo", "prior-invariance")
    assert (verdict.grade, verdict.classes) == ("proved", "C = 2..4")


def test_two_class_measures_are_not_asked_about_many_classes():
    assert decide("precision", "same-bounds").grade == "not applicable"


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("kappa", "0"),
        ("mcc", "0"),
        ("informedness", "0"),
        ("macro_recall", "1/2"),
        ("relative_classifier_information", "0"),
    ],
)
def test_chance_gets_one_value(name, value):
    verdict = decide(name, "chance-constant")
    assert verdict.grade == "proved"
    assert verdict.notes == (f"the value is {value} at C = 2",)


@pytest.mark.parametrize("name", ["positive_likelihood_ratio", "lift", "diagnostic_odds_ratio"])
def test_ratios_are_unbounded(name):
    verdict = decide(name, "bounded")
    assert verdict.grade == "refuted"
    assert verdict.counterexample.values[0] > 10**6


@pytest.mark.parametrize(
    "name", ["class_balance_accuracy", "imbalance_accuracy", "macro_f_beta", "gmean", "aurpc_ova"]
)
def test_a_hit_more_never_hurts_a_mean_over_classes(name):
    verdict = decide(name, "monotone")
    assert (verdict.grade, verdict.classes) == ("proved", EVERY)


def test_monotone_is_refuted_where_an_extra_hit_lowers_the_value():
    verdict = decide("optimized_precision", "monotone")
    before, after = verdict.counterexample.matrices
    assert verdict.grade == "refuted"
    assert sum(after[i][i] for i in (0, 1)) == sum(before[i][i] for i in (0, 1)) + 1
    assert verdict.counterexample.values[1] < verdict.counterexample.values[0]


def test_where_a_measure_is_undefined_is_said_in_words():
    verdict = decide("precision", "always-defined")
    assert verdict.grade == "refuted"
    assert verdict.notes == ("because nothing was predicted as the positive class",)


# -- relations


def subjects(*names):
    return [Subject(measure(name)) for name in names]


def test_iam_is_an_affine_function_of_cba_for_every_number_of_classes():
    verdict = orderings.decide_affine(*subjects("IAM", "CBA"))
    assert (verdict.grade, verdict.classes) == ("proved", EVERY)
    assert verdict.notes == ("imbalance_accuracy = 2 * class_balance_accuracy + -1",)
    assert orderings.decide_same_ranking(*subjects("IAM", "CBA")).grade == "proved"


def test_iam_exceeds_accuracy_with_five_classes():
    verdict = orderings.decide_not_greater(*subjects("IAM", "accuracy"), (2, 5))
    assert verdict.grade == "refuted"
    assert verdict.holds_at(2) is True
    (matrix,) = verdict.counterexample.matrices
    assert all(sum(row) > 0 for row in matrix)
    t = [sum(row) for row in matrix]
    p = [sum(column) for column in zip(*matrix, strict=True)]
    d = [matrix[i][i] for i in range(5)]
    iam = sum((2 * d[i] - max(t[i], p[i])) / max(t[i], p[i]) for i in range(5)) / 5
    assert iam > sum(d) / sum(t)


def test_two_measures_that_rank_oppositely_come_with_the_pair():
    verdict = orderings.decide_same_ranking(*subjects("accuracy", "macro_recall"), (2,))
    assert verdict.grade == "refuted"
    one, other = verdict.counterexample.matrices
    a, b, c, d = verdict.counterexample.values
    assert [sum(row) for row in one] == [sum(row) for row in other]
    assert (a - b) * (c - d) < 0


def test_equal_measures_are_proved_equal():
    assert orderings.decide_equal(*subjects("auc_point", "balanced_accuracy")).grade == "proved"
    assert orderings.decide_equal(*subjects("macro_f_beta", "f_beta_of_macros")).grade == "refuted"


def test_the_threat_score_is_a_rising_function_of_the_f_measure():
    verdict = decide_rising_function(*subjects("threat_score", "f_beta"))
    assert verdict.grade == "proved"
    assert "the function rises" in verdict.method


def test_a_falling_function_is_refuted_with_two_matrices():
    verdict = decide_rising_function(*subjects("fnr", "recall"))
    assert verdict.grade == "refuted"
    a, b, c, d = verdict.counterexample.values
    assert (a - b) * (c - d) < 0


def test_what_is_no_function_is_refuted():
    verdict = decide_rising_function(*subjects("accuracy", "macro_recall"), (2,))
    assert verdict.grade == "refuted"
    a, b, c, d = verdict.counterexample.values
    assert (c == d and a != b) or (a - b) * (c - d) < 0


def test_a_verdict_survives_being_written_down():
    for question in ("prior-invariance", "same-bounds", "always-defined"):
        verdict = decide("auroc_ova", question)
        again = Verdict.from_dict(verdict.to_dict())
        assert str(again) == str(verdict)
        assert again.at == verdict.at
