"""Is a measure called the same everywhere, and is what is printed read back?"""

from __future__ import annotations

import pytest

import steelyard as sy
from steelyard.judgement.catalogue import explained
from steelyard.measures.names import short_name


@pytest.mark.parametrize(
    ("asked", "called"),
    [
        ("gmean", "G-mean"),
        ("f_beta", "F1"),
        ("macro_f_beta", "macro F1"),
        ("balanced_f_beta", "balanced F1"),
        ("class_balance_accuracy", "CBA"),
        ("mcc", "MCC"),
        ("false_discovery_rate", "false discovery rate"),
        ("f_beta(beta=2)", "F2"),
        ("iba(gmean, alpha=0.05)", "IBA(G-mean, alpha=0.05)"),
        ("balanced(F2)", "balanced(F2)"),
        ("one_versus_all(F0.5)", "one versus all(F0.5, macro)"),
        ("f_beta_of_macros", "F1 of macros"),
        ("average_accuracy", "AvAcc"),
        ("class_weighted_accuracy", "class-weighted accuracy (w=0.5)"),
        ("hand_till", "Hand-Till"),
    ],
)
def test_what_people_call_it(asked: str, called: str) -> None:
    assert short_name(sy.measure(asked)) == called


@pytest.mark.parametrize("m", sy.catalogue("all"), ids=lambda m: m.name)
def test_what_is_called_so_is_found_by_it(m: sy.Measure) -> None:
    assert sy.measure(short_name(m)).name == m.name


def test_results_are_titled_by_it() -> None:
    table = sy.evaluate([[60, 40], [5, 895]]).to_dict()["measures"]
    titles = {row["id"]: row["title"] for row in table}
    assert (titles["gmean"], titles["f_beta"], titles["mcc"]) == ("G-mean", "F1", "MCC")


def test_explain_says_the_display_name_first_then_what_it_stands_for() -> None:
    first = repr(explained("gmean")).splitlines()[0]
    assert first == "G-mean (geometric mean of the class recalls, id gmean)"
    assert repr(explained("recall")).splitlines()[0] == "recall"


def test_a_name_made_of_classes_is_a_title() -> None:
    elsewhere = sy.measure("precision").at_priors({"fraud": 0.1, "ok": 0.9})
    assert short_name(elsewhere) == elsewhere.title_inside


@pytest.mark.parametrize(("own", "called"), [("mcc", "mcc"), ("my_f_beta_2", "my f beta 2")])
def test_a_measure_of_ones_own_keeps_its_name(own: str, called: str) -> None:
    facts = {"title": "Mine", "question": "Mine?", "formula": "x", "reads": "x", "better": "higher"}
    assert short_name(sy.multi_class(id=own, body=lambda c: c.total * 0, range=(0, 1), **facts)) == called
