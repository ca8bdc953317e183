"""Is a measure called the same everywhere, and is what is printed read back?"""

from __future__ import annotations

import pytest

import steelyard as sy
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
        ("iba(gmean, alpha=0.05)", "iba(gmean, alpha=0.05)"),
        ("balanced(F2)", "balanced(f_beta(beta=2))"),
        ("one_versus_all(F0.5)", "one_versus_all(f_beta(beta=0.5), macro)"),
        ("f_beta_of_macros", "F1 of macros"),
    ],
)
def test_what_people_call_it(asked: str, called: str) -> None:
    assert short_name(sy.measure(asked)) == called


@pytest.mark.parametrize("m", sy.catalogue(), ids=lambda m: m.name)
def test_what_is_called_so_is_found_by_it(m: sy.Measure) -> None:
    assert sy.measure(short_name(m)).name == m.name


def test_a_name_made_of_classes_is_a_title() -> None:
    elsewhere = sy.measure("precision").at_priors({"fraud": 0.1, "ok": 0.9})
    assert short_name(elsewhere) == elsewhere.title_inside


@pytest.mark.parametrize(("own", "called"), [("mcc", "mcc"), ("my_f_beta_2", "my f beta 2")])
def test_a_measure_of_ones_own_keeps_its_name(own: str, called: str) -> None:
    facts = {"title": "Mine", "question": "Mine?", "formula": "x", "reads": "x", "better": "higher"}
    assert short_name(sy.multi_class(id=own, body=lambda c: c.total * 0, range=(0, 1), **facts)) == called
