"""What is printed of a measure is what it computes: formulas are evaluated as they stand, on exact counts."""

from __future__ import annotations

import random
from fractions import Fraction
from typing import Any

import pytest

import steelyard as sy
from steelyard.measures.catalogue import measure as measure_named
from steelyard.measures.formula import FormulaError, formula_measure
from tests.measures import latex_values

OF_MATRICES: list[Any] = [m for m in sy.catalogue("all", wide=True) if m.kind != "scores"]
NOT_IN_SYMBOLS = {"iba"}
"""Its formula speaks of two classes and of all classes at once; tests/measures/test_operators.py is about it."""


def is_in_grammar(measure: sy.Measure) -> bool:
    try:
        formula_measure(measure.reads)
    except FormulaError:
        return False
    return True


IN_SYMBOLS = [m for m in OF_MATRICES if m.id not in NOT_IN_SYMBOLS]
IN_GRAMMAR = [m for m in OF_MATRICES if is_in_grammar(m)]


def matrices(measure: sy.Measure, count: int = 12) -> list[list[list[int]]]:
    """Matrices without empty cells, on which nothing is undefined; sizes 2 to 4 for measures of classes."""
    drawn = random.Random(f"formulas of {measure.id}")
    sizes = (2,) if measure.kind == "two-class" else (2, 3, 4)
    return [
        [[drawn.randint(1, 30) for _ in range(size)] for _ in range(size)]
        for size in sizes
        for _ in range(count)
    ]


def exact(measure: sy.Measure, rows: list[list[int]]) -> Fraction:
    positive = "c1" if measure.kind == "two-class" else None
    value = measure.exact(rows, positive=positive)
    assert isinstance(value, Fraction), value
    return value


@pytest.mark.parametrize("measure", IN_SYMBOLS, ids=[m.id for m in IN_SYMBOLS])
def test_formula_in_latex_means_what_is_computed(measure: sy.Measure) -> None:
    parameters = dict(measure.parameters)
    if measure.remake is not None:
        import inspect

        defaults = {k: p.default for k, p in inspect.signature(measure.remake).parameters.items()}
        parameters = {k: v for k, v in defaults.items() if v is not inspect.Parameter.empty} | parameters
    for rows in matrices(measure):
        if measure.id == "modified_confusion_entropy":
            parameters = {"alpha": int(len(rows) > 2)}

        def other(symbol: str, rows: list[list[int]] = rows) -> Fraction:
            return exact(measure_named({"FPr": "fpr", "FNr": "fnr"}.get(symbol, symbol)), rows)

        try:
            expected = exact(measure, rows)
        except AssertionError:
            continue  # undefined on this matrix
        found = latex_values.value(measure.formula, rows, parameters, other)
        close = Fraction(1, 10**12) if measure.id == "correlation_distance" else Fraction(1, 10**40)
        assert abs(found - expected) <= close, (measure.formula, rows)


@pytest.mark.parametrize("measure", IN_GRAMMAR, ids=[m.id for m in IN_GRAMMAR])
def test_formula_in_one_line_is_read_back_as_the_same(measure: sy.Measure) -> None:
    again = formula_measure(measure.reads)
    assert again.kind == measure.kind or measure.id in ("prevalence",)
    for rows in matrices(measure):
        value = again.exact(rows, positive="c1" if again.kind == "two-class" else None)
        assert abs(Fraction(value) - exact(measure, rows)) <= Fraction(1, 10**40), measure.reads


def test_most_lines_can_be_given_back() -> None:
    assert len(IN_GRAMMAR) >= 55


def test_constants_are_printed_as_written() -> None:
    """0.4999999999999995 is not 0.5, and an alpha of eight digits is not one of six."""
    rooted = sy.two_class(
        id="rooted",
        title="Almost a root",
        question="What is the power of the recall?",
        body=lambda c: c.power(c.ratio(c.tp, c.positives, "no positives"), 0.4999999999999995),
    )
    assert "0.4999999999999995" in rooted.formula
    assert sy.iba("gmean", 0.12345678).name == "iba(gmean, alpha=0.12345678)"
