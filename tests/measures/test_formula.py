"""One grammar: the cases of the data file, which every implementation of it reads."""

import json
import math
import pickle
from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest

from steelyard.measures.formula import FormulaError, formula_measure, is_formula
from steelyard.proofs.judge import examine
from steelyard.proofs.prover.subject import Subject
from steelyard.proofs.questions.conditions import property_named
from steelyard.proofs.questions.deciding import class_term
from tests.real_parts import needs

CASES = json.loads((Path(__file__).parent / "formula_cases.json").read_text(encoding="utf-8"))


@pytest.mark.parametrize(("text", "matrix", "value"), CASES["values"])
def test_values_by_hand(text, matrix, value):
    if value == "error":
        with pytest.raises(FormulaError, match="exponent"):
            formula_measure(text)
        return
    subject = Subject(formula_measure(text))
    found, exact = subject.floats(np.array([matrix]))[0], subject.value(matrix)
    if value is None:
        assert not math.isfinite(found)
        assert not math.isfinite(exact)
    else:
        assert found == pytest.approx(value, abs=1e-12)
        assert isinstance(exact, Fraction)
        assert float(exact) == pytest.approx(value, abs=1e-12)


@pytest.mark.parametrize(("text", "words"), CASES["errors"])
def test_what_is_no_formula_is_said_with_its_place(text, words):
    with pytest.raises(FormulaError) as caught:
        formula_measure(text)
    assert words in str(caught.value)


def test_depth_is_limited():
    with pytest.raises(FormulaError, match="nested too deeply"):
        formula_measure("(" * 5000 + "tp" + ")" * 5000)
    with pytest.raises(FormulaError, match="nested too deeply"):
        formula_measure("-" * 200 + "tp")


def test_what_lies_within_the_limits_is_read():
    """As many as the refusals allow, and one more."""
    formula_measure("(" * 60 + "tp" + ")" * 60 + "/(tp+fn)")
    with pytest.raises(FormulaError, match="60 parentheses within each other"):
        formula_measure("(" * 61 + "tp" + ")" * 61 + "/(tp+fn)")
    formula_measure("tp^" + "-" * 60 + "1")
    with pytest.raises(FormulaError, match="60 signs in a row"):
        formula_measure("tp^" + "-" * 61 + "1")
    long = "0." + "3" * 48
    assert formula_measure(f"{long}*tp/tp")([[5, 1], [2, 3]], positive="c1") == pytest.approx(1 / 3)
    with pytest.raises(FormulaError, match=r"the number 0\.333"):
        formula_measure(f"{long}3*tp/tp")


@pytest.mark.parametrize(
    ("text", "classwise"),
    [
        ("mean(hits/actual)", True),
        ("geometric_mean(hits/max(actual, predicted))", True),
        ("mean(hits/sum(actual))", True),
        ("mean(hits/sum(hits))", False),
        ("mean(hits*C/actual)", False),
        ("sum(hits)/sum(actual)", False),
    ],
)
def test_a_mean_of_what_each_class_has_of_its_own(text, classwise):
    needs("flint")
    assert (class_term(formula_measure(text)) is not None) is classwise


def test_names_of_measures_and_files_are_no_formulas():
    assert not any(map(is_formula, ("recall", "f_beta(beta=2)", "my.py:tp", "g-mean", "balanced(accuracy)")))
    assert all(map(is_formula, ("tp/(tp+fn)", "mean(hits/actual)", "sqrt(tp*tn)")))


def test_a_formula_is_a_measure_that_can_be_called_and_pickled():
    made = formula_measure("tp/(tp+fn)")
    assert made([[3, 1], [2, 4]], positive="c1") == 0.75
    assert pickle.loads(pickle.dumps(made)).id == made.id


@pytest.mark.parametrize(
    ("text", "property_id", "grade", "classes"),
    [
        ("tp/(tp+fn)", "prior-invariance", "proved", "C = 2"),
        ("tp/(tp+fp)", "prior-invariance", "refuted", "C = 2"),
        ("mean(hits/actual)", "prior-invariance", "proved", "every C"),
        ("geometric_mean(hits/actual)", "prior-invariance", "proved", "every C"),
        ("mean(hits/max(actual, predicted))", "transposition", "proved", "every C"),
        # A sum over classes inside the term: what one class shows is not what the mean is made of.
        ("mean(hits/sum(actual))", "prior-invariance", "refuted", "C = 2..4"),
        ("mean(hits/sum(hits))", "transposition", "proved", "C = 2..4"),
        ("mean(hits*C/actual)", "prior-invariance", "proved", "C = 2..4"),
    ],
)
def test_properties_of_formulas(text, property_id, grade, classes):
    needs("flint")
    verdict = examine(formula_measure(text), [property_named(property_id)])[property_id]
    assert (verdict.grade, verdict.classes) == (grade, classes)


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("+".join(["tp"] * 30_000) + "/tp", "too long"),
        ("tp/(tp+fn)" + "+0" * 50_000, "too long"),
        ("1e400*tp", "the number 1e400"),
        ("1e-400*tp/(tp+fn)", "the number 1e-400"),
        ("9" * 5000 + "*tp/(tp+fn)", "the number 99999999999999999..."),
        ("1e" + "9" * 5000 + "*tp", "the number 1e999999999999999..."),
    ],
    ids=lambda given: given[:16],
)
def test_what_no_mode_of_computing_can_follow_is_refused(text, words):
    with pytest.raises(FormulaError, match=words):
        formula_measure(text)


def test_a_long_formula_is_read():
    value = formula_measure("+".join(["tp"] * 200) + "/(tp+fn)")
    assert value is not None
