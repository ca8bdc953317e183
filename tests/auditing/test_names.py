"""Names as papers print them: averages and operators around what the catalogue knows."""

from __future__ import annotations

import pytest

from steelyard.auditing.problem.printed_numbers import named
from steelyard.errors import InputError, UnknownNameError
from steelyard.measures.catalogue import measure as look_up


@pytest.mark.parametrize(
    ("printed", "meant"),
    [
        ("f.5", "f_beta(beta=0.5)"),
        ("F_.5-score", "f_beta(beta=0.5)"),
        ("f0.5 measure", "f_beta(beta=0.5)"),
        ("macro(specificity)", "one_versus_all(specificity, macro)"),
        ("Weighted ( specificity )", "one_versus_all(specificity, prevalence)"),
        ("specificity_macro", "one_versus_all(specificity, macro)"),
        ("macro-specificity", "one_versus_all(specificity, macro)"),
        ("micro_f_beta(beta=2)", "one_versus_all(f_beta(beta=2), micro)"),
        ("macro_f.5", "one_versus_all(f_beta(beta=0.5), macro)"),
        ("balanced(macro_specificity)", "balanced(one_versus_all(specificity, macro))"),
        ("iba(macro_specificity, alpha=0.1)", "iba(one_versus_all(specificity, macro), alpha=0.1)"),
        ("one_versus_all(specificity, average=weighted)", "one_versus_all(specificity, prevalence)"),
    ],
)
def test_what_a_printed_name_means(printed: str, meant: str) -> None:
    assert look_up(printed).name == meant


@pytest.mark.parametrize("name", ["foo_recall", "recall_foo", "macro", "foo(beta=2)", "foo(recall)"])
def test_an_unknown_name_is_told_as_it_was_written(name: str) -> None:
    with pytest.raises(UnknownNameError, match=f"no metric '{name.partition('(')[0]}'"):
        look_up(name)


def test_an_operator_given_wrongly_is_refused() -> None:
    with pytest.raises(InputError, match="a parameter of balanced has no name"):
        look_up("balanced(macro_specificity, 1, 2, 3)")
    with pytest.raises(InputError, match="specificity has no parameters"):
        look_up("macro_specificity(beta=2)")


def test_the_class_in_brackets() -> None:
    measure, label = named("recall [ spam ]")
    assert (measure.name, label) == ("recall", "spam")
    assert named("macro_recall")[1] is None
