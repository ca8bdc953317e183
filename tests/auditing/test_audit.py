"""Printed numbers that can and that cannot be true, worked out by hand."""

from __future__ import annotations

import json
from fractions import Fraction

import pytest

import steelyard as sy
from steelyard.auditing.options import Options, demands_of, sizes_of
from steelyard.auditing.problem.printed_numbers import statements
from steelyard.auditing.problem.settings import OneMatrix
from steelyard.auditing.search.branch_and_bound import Budget
from steelyard.cli import main
from steelyard.errors import InputError, UnknownNameError
from steelyard.measures.catalogue import measure as look_up

SIZES = "pos=100, neg=200"


def test_one_number_that_cannot_be() -> None:
    # 85 of 100 is 0.85 and 86 is 0.86: nothing in between is printed as 0.8545.
    result = sy.audit("accuracy=0.9567, recall=0.8545, specificity=0.9734", SIZES)
    assert result.verdict == "impossible"
    assert result.contradiction is not None
    assert [d.text for d in result.contradiction.demands] == ["recall = 0.8545"]
    (near,) = result.contradiction.nearest
    assert (near.value, near.away, near.exact) == (Fraction(85, 100), Fraction(45, 10_000), True)


def test_two_numbers_that_contradict_each_other() -> None:
    # 0.9567 of 300 is 287 right. With 86 positives found, 201 of 200 negatives would have to be right.
    result = sy.audit("accuracy=0.9567, recall=0.86", SIZES)
    assert result.verdict == "impossible"
    assert result.contradiction is not None
    near = {n.demand.text: n.value for n in result.contradiction.nearest}
    assert near == {"accuracy = 0.9567": Fraction(286, 300), "recall = 0.86": Fraction(87, 100)}


def test_the_only_matrix_is_found() -> None:
    result = sy.audit("accuracy=0.9333, recall=0.85, specificity=0.975", SIZES)
    assert result.verdict == "possible"
    assert result.witness == ((85, 15), (5, 195))
    assert (result.decision.count, result.decision.complete) == (1, True)
    assert result.candidates == 101 * 201


def test_digits_decide() -> None:
    assert sy.audit("recall=0.6", "pos=13, neg=5").verdict == "possible"  # 8/13 = 0.615
    assert sy.audit("recall=0.60", "pos=13, neg=5").verdict == "impossible"


def test_rounding_decides() -> None:
    # 2/3 is 0.67 rounded and 0.66 cut.
    assert sy.audit("recall=0.66", "pos=3, neg=5").verdict == "impossible"
    assert sy.audit("recall=0.66", "pos=3, neg=5", rounding="cut").verdict == "possible"
    assert sy.audit("recall=0.67", "pos=3, neg=5", rounding="cut").verdict == "impossible"
    assert sy.audit("recall=0.66", "pos=3, neg=5", rounding="either").verdict == "possible"
    assert sy.audit("recall=0.12", "pos=8, neg=5").verdict == "possible"  # 0.125, a tie
    assert sy.audit("recall=0.13", "pos=8, neg=5").verdict == "possible"


def test_the_first_class_is_positive_unless_another_is_named() -> None:
    assert sy.audit("recall=0.50", "a=2, b=3").verdict == "possible"
    assert sy.audit("recall=0.50", "a=2, b=3", positive="b").verdict == "impossible"
    assert sy.audit("recall[b]=0.33", "a=2, b=3").verdict == "possible"


def test_an_interval_is_given_with_plus_minus() -> None:
    assert sy.audit("recall=0.8545 ± 0.01", SIZES).verdict == "possible"
    assert sy.audit("recall=0.8545 ± 0.001", SIZES).verdict == "impossible"


def test_unknown_sizes_are_looked_through_up_to_a_limit() -> None:
    # 1/7 = 0.142857 is the simplest fraction printed like this; 2/14 the next.
    assert sy.audit("recall=0.142857", up_to=7).verdict == "impossible"
    result = sy.audit("recall=0.142857", up_to=8)
    assert result.verdict == "possible"
    assert result.decision.count == 2  # one negative, predicted right or wrong
    assert "up to 8" in result.to_dict()["sentence"]
    assert "1,000" in repr(sy.audit("recall=0.142857"))


def test_partly_known_sizes_and_a_known_total() -> None:
    assert sy.audit("accuracy=0.90, recall=1.00", "pos=5, neg=?", total=10).witness == ((5, 0), (1, 4))
    assert sy.audit("accuracy=0.95", "pos=5, neg=?", total=10).verdict == "impossible"


def test_more_than_a_thousand_million_matrices_are_excluded_without_being_listed() -> None:
    # The decision alone: why it is so, and which mistake would explain it, is asked in the tests below.
    sizes = sizes_of(Options("", "a=3000, b=4000, c=5000"), [])
    printed = statements("accuracy=0.7500, macro_recall=0.7422, macro_f1=0.6431")
    decision = OneMatrix(sizes).decide(demands_of(printed, sizes, None, "nearest"), Budget(60))
    assert decision.answer == "impossible"
    assert (sizes.matrices() or 0) > 10**20
    assert decision.boxes < 10_000


@pytest.mark.parametrize(
    ("values", "sizes", "mistake"),
    [
        ("accuracy=0.9333, recall=0.975, specificity=0.85", SIZES, "swapped"),
        ("balanced_accuracy=0.9333, recall=0.85", SIZES, "accuracy called balanced"),
        ("accuracy=0.9125, recall=0.85, specificity=0.975", SIZES, "balanced called accuracy"),
        ("recall=0.66", "pos=3, neg=5", "cut"),
        ("accuracy=93.33, recall=85.0, specificity=0.975", SIZES, "percent"),
        ("precision=0.00, specificity=1.00", "pos=10, neg=20", "zero for undefined"),
        # Precision 85/90 and recall 85/100 of [[85, 15], [5, 195]], exchanged.
        ("accuracy=0.9333, precision=0.85, recall=0.9444", SIZES, "transposed"),
        # [[8, 1, 1], [2, 10, 8], [0, 0, 70]]: macro precision (.8 + 10/11 + 70/79)/3, macro recall (.8 + .5 + 1)/3.
        ("accuracy=0.8800, macro_recall=0.7667, macro_precision=0.8651, macro_f1=0.8129", "a=10, b=20, c=70", "F of macros"),
        ("accuracy=0.8800, macro_recall=0.8800", "a=10, b=20, c=70", "micro called macro"),
        # Of 200 + 200 after oversampling, half of the errors in each class.
        ("recall=0.855, specificity=0.975", SIZES, "oversampled"),
    ],
)  # fmt: skip
def test_a_mistake_that_explains_the_values_is_named_with_a_matrix(
    values: str, sizes: str, mistake: str
) -> None:
    result = sy.audit(values, sizes, seconds=60)  # a limit, not the time it takes
    assert result.verdict == "impossible"
    found = {m.id: m for m in result.mistakes}
    assert mistake in found
    checked = found[mistake]
    assert all(d.holds(checked.setting.value(d, checked.decision.matrices)) for d in checked.demands)


@pytest.mark.parametrize(
    ("values", "sizes", "options", "verdict"),
    [
        # Of a classifier that predicts nothing, precision and false discovery rate are both undefined: both 0 here.
        ("false_discovery_rate=0.000, recall=0.000", "pos=3, neg=3", {"undefined": 0}, "possible"),
        ("false_discovery_rate=0.000, recall=0.000", "pos=3, neg=3", {}, "impossible"),
        # (recall + specificity) / 2 of a against the rest is not the mean recall of three classes:
        # [[2, 0, 0], [0, 0, 2], [0, 2, 0]] has 1 and 1/3.
        ("auc_point[a]=1.00, macro_recall=0.33", "a=2, b=2, c=2", {}, "possible"),
        # Skipped terms cannot be bounded, over folds neither: folds [[1, 0], [1, 0]] and [[1, 1], [1, 0]].
        ("mean_binary_accuracy=0.4167, balanced_precision[a]=0.42", "a=3, b=2", {"undefined": "skip", "folds": 2}, "possible"),
        # Three classes of 4, 5, 3 in 2 folds: the odd ones of b and c may meet in one fold (3 + 2) or not.
        ("recall[b]=0.500, recall[c]=0.750", "a=4, b=5, c=3", {"folds": 2}, "possible"),
        # Hits of 1,099,511,627,775 to 13 digits: beyond what doubles hold.
        ("recall=0.5000000000001", "pos=1099511627775, neg=1", {}, "impossible"),
        ("recall=0.50000000000", "pos=1099511627775, neg=1", {}, "possible"),
    ],
)  # fmt: skip
def test_answers_that_were_wrong_or_might_be(
    values: str, sizes: str, options: dict[str, object], verdict: str
) -> None:
    assert sy.audit(values, sizes, **options).verdict == verdict  # type: ignore[arg-type]


def test_names_of_averages_and_operators() -> None:
    assert look_up("macro_specificity").name == "one_versus_all(specificity, macro)"
    # By prevalence, recalls add up to the hits of all classes: sum of t_i/n * d_i/t_i.
    assert look_up("weighted recall").name == "accuracy"
    assert look_up("f2").parameters == {"beta": 2.0}
    assert look_up("balanced(precision)").name == "balanced(precision)"
    assert look_up("iba(gmean, alpha=0.1)").name == "iba(gmean, alpha=0.1)"
    assert look_up("f_beta(beta=0.5)").parameters == {"beta": 0.5}
    assert look_up("one_versus_one(f1, weighted)").name == "one_versus_one(f_beta, prevalence)"


@pytest.mark.parametrize(
    ("values", "more", "says"),
    [
        ("accuracy=0.9, rcall=0.8", {"sizes": SIZES}, "did you mean 'recall'"),
        ("recall=0.8", {"sizes": "a=1, b=2, c=3"}, r"needs a positive class.*recall\[a\]"),
        ("roc_auc=0.9", {"sizes": SIZES}, "metric of scores"),
        ("accuracy[pos]=0.9", {"sizes": SIZES}, "one number for all classes"),
        ("recall=0.8", {"sizes": "pos=ten, neg=2"}, "not a number of examples"),
        ("recall=0.8", {"sizes": "pos=10"}, "one class is not enough"),
        ("recall[c]=0.8", {"sizes": SIZES}, "there is no class 'c'"),
        ("recall=0.8", {"sizes": SIZES, "total": 10}, "do not add up"),
        ("recall=0.8", {"sizes": "a=10, a=2"}, "named twice"),
        ("recall=0.8", {"sizes": SIZES, "seconds": 0}, "budget"),
        ("macro_recall=0.8", {"sizes": "a=1,000, b=2"}, "a comma separates classes, not thousands"),
        ("recall=1e400", {"sizes": SIZES}, "power of ten"),
        ("accuracy=0.9", {"sizes": SIZES, "classes": 3}, "3 and 2"),
        ("accuracy=0.9", {"sizes": SIZES, "positive": "spam"}, "there is no class 'spam'"),
        ("recall=95% ± 2", {"sizes": SIZES}, "at both or at none"),
        ("recall=0.95 ± 2%", {"sizes": SIZES}, "at both or at none"),
    ],
)  # fmt: skip
def test_wrong_input_is_refused_in_words(values: str, more: dict[str, object], says: str) -> None:
    with pytest.raises((InputError, UnknownNameError), match=says):
        sy.audit(values, **more)  # type: ignore[arg-type]


def test_a_budget_that_is_spent_is_said_and_never_guessed() -> None:
    result = sy.audit("macro_f1=0.7431, mcc=0.6120, kappa=0.6101", "a=3000, b=4000, c=5000", seconds=1e-6)
    assert result.verdict == "undecided"
    assert result.witness is None
    assert "Undecided" in repr(result)


@pytest.mark.parametrize(
    ("arguments", "code", "verdict"),
    [
        (["accuracy=0.9333, recall=0.85", "--sizes", SIZES], 0, "possible"),
        (["recall=0.8545", "--sizes", SIZES], 1, "impossible"),
        (["macro_f1=0.7431, mcc=0.6120", "--sizes", "a=3000,b=4000,c=5000", "--seconds", "0.000001"], 3, "undecided"),
    ],
)  # fmt: skip
def test_the_exit_code_and_the_json_say_the_verdict(
    arguments: list[str], code: int, verdict: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["audit", *arguments, "--json"]) == code
    answer = json.loads(capsys.readouterr().out)
    assert answer["verdict"] == verdict
    assert (answer["witness"] is not None) == (verdict == "possible")
    assert answer["reason"]


def test_plain_data_say_what_was_looked_through_and_checked() -> None:
    known, total, unknown = (
        sy.audit("recall=0.50", sizes, total=examples, up_to=limit, check=True).to_dict()
        for sizes, examples, limit in (("a=2, b=3", None, None), ("a=2, b=?", 5, None), ("a=2, b=?", None, 9))
    )
    assert [found["up_to"] for found in (known, total, unknown)] == [None, None, 9]
    assert [found["total"] for found in (known, total, unknown)] == [None, 5, None]
    assert known["check"] == "The witness was checked in exact fractions."
    assert sy.audit("recall=0.50", "a=2, b=3").to_dict()["check"] is None


def test_the_terminal_shows_the_matrix_and_the_assumptions(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["audit", "accuracy=0.9333, recall=0.85", "--sizes", SIZES]) == 0
    shown = capsys.readouterr().out
    assert "Possible: 1 of the 20,301 confusion matrices with class sizes pos=100, neg=200" in " ".join(
        shown.split()
    )
    assert "195" in shown
    assert "ties up or down" in shown


def test_wrong_input_is_exit_code_2(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["audit", "accuracy=high"]) == 2
    assert "not a printed number" in capsys.readouterr().err


@pytest.mark.parametrize("words", [["accuracy=0.90", "recall=0.80"], ["accuracy=0.90,", "recall=0.80"]])
def test_blanks_on_the_command_line_part_values_like_commas(
    words: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["audit", *words, "--sizes", "a=10,b=10", "--json"]) == 0
    values = json.loads(capsys.readouterr().out)["values"]
    assert [value["printed"] for value in values] == ["accuracy = 0.90", "recall = 0.80"]


def test_a_spread_after_a_blank_belongs_to_its_value(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["audit", "accuracy=0.90", "±", "0.02", "--sizes", "a=10,b=10", "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["values"][0]["printed"] == "accuracy = 0.90 ± 0.02"
    assert main(["audit", "accuracy", "0.90", "recall", "0.80"]) == 2
