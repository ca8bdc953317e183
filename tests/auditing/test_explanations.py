"""Why values cannot be true: the fewest that contradict each other, how near one can come, and which mistake explains them."""

from __future__ import annotations

import itertools
from fractions import Fraction
from typing import Any

import pytest

import steelyard as sy
from steelyard.auditing.explanations import contradiction, explanations
from steelyard.auditing.options import Options, demands_of, sizes_of
from steelyard.auditing.problem.demands import Demand, averaged_term
from steelyard.auditing.problem.folds import Folds, Setting
from steelyard.auditing.problem.printed_numbers import statements
from steelyard.auditing.problem.settings import OneMatrix
from steelyard.auditing.search.branch_and_bound import Budget
from steelyard.measures.operators import one_versus_all


def asked(values: str, sizes: str, **folds: Any) -> tuple[list[Demand], Setting]:
    known = sizes_of(Options("", sizes), [])
    setting: Setting = Folds(known, **folds) if folds else OneMatrix(known)
    return demands_of(statements(values), known, None, "nearest", bool(folds)), setting


@pytest.mark.parametrize(("positives", "printed"), list(itertools.product((7, 60), ("0.86", "0.84", "0.37"))))
def test_the_nearest_value_is_the_nearest_of_all(positives: int, printed: str) -> None:
    demands, setting = asked(f"recall={printed}", f"pos={positives}, neg=3")
    stated = Fraction(printed)
    away = min(abs(Fraction(hits, positives) - stated) for hits in range(positives + 1))
    if away <= Fraction(5, 1000):
        assert setting.decide(demands, Budget(5)).answer == "possible"
        return
    (near,) = contradiction(demands, setting, Budget(5)).nearest
    assert (near.away, near.exact) == (away, True)
    assert abs(near.value - stated) == away
    assert (near.value * positives).denominator == 1


# 10 examples each: hits 5 + 5 + 9 of 30 are 0.633, not 0.60; each three of the four values fit.
FOUR = ("recall[a]=0.50", "recall[b]=0.50", "recall[c]=0.90", "accuracy=0.60")
AGAIN = ("recall[a]=0.5", "recall[b]=0.5", "recall[a]=0.500", "recall[b]=0.500", "accuracy=0.6")


def test_of_many_values_the_superfluous_are_taken_out() -> None:
    """Nine values have 129 subsets of at most three: too many to try, so that they are thinned out one by one."""
    demands, setting = asked(", ".join((*AGAIN, *FOUR)), "a=10, b=10, c=10")
    core = contradiction(demands, setting, Budget(20)).demands
    assert len(core) == 4
    assert setting.decide(core, Budget(5)).answer == "impossible"
    for left_out in core:
        rest = [demand for demand in core if demand is not left_out]
        assert setting.decide(rest, Budget(5)).answer == "possible"


def test_without_time_nothing_is_taken_out() -> None:
    demands, setting = asked(", ".join(FOUR), "a=10, b=10, c=10")
    assert contradiction(demands, setting, Budget(-1)).demands == tuple(demands)


@pytest.mark.parametrize(
    ("values", "sizes", "folds", "found"),
    [
        # A quarter of 2 positives cannot be; of 4 after oversampling it can, of 3 in balanced classes not.
        ("recall=0.25", "pos=2, neg=4", {}, {"oversampled": "4 each"}),
        # Thirds: of 3 after undersampling, and half of 7 examples are 3 too. Sixths: of half of 12.
        ("recall=0.33", "pos=4, neg=3", {}, {"undersampled": "3 each", "balanced": "3 each"}),
        ("recall=0.17", "pos=8, neg=4", {}, {"balanced": "6 each"}),
        # Classes of one size stay what they are.
        ("recall=0.25", "pos=3, neg=3", {}, {}),
        # Two folds of one positive each: means in halves. Of two each, or of two and one: (1/2 + 0) / 2.
        ("recall=0.25", "pos=2, neg=4", {"count": 2}, {"oversampled": "4 each", "balanced": "3 each"}),
        ("recall=0.25", "pos=2, neg=4", {"count": 2, "arrangement": ((1, 2), (1, 2))}, {}),
    ],
)  # fmt: skip
def test_classes_that_were_made_equal_explain_a_share(
    values: str, sizes: str, folds: dict[str, Any], found: dict[str, str]
) -> None:
    demands, setting = asked(values, sizes, **folds)
    mistakes = [
        m
        for m in explanations(demands, None, setting, Budget(5))
        if m.id in ("oversampled", "undersampled", "balanced")
    ]
    assert {m.id: m.sentence.rpartition("(")[2].rstrip(")") for m in mistakes} == found
    for m in mistakes:
        assert all(d.holds(m.setting.value(d, m.decision.matrices)) for d in m.demands)


def test_the_metric_that_an_average_averages() -> None:
    specificity = sy.measure("specificity")
    assert averaged_term(one_versus_all(specificity, "micro")) == (specificity, "micro")
    assert averaged_term(sy.measure("accuracy")) == (sy.measure("recall"), "prevalence")
    assert averaged_term(sy.measure("weighted_precision")) == (sy.measure("precision"), "prevalence")
    assert averaged_term(sy.measure("gmean")) is None
    assert averaged_term(sy.measure("mcc")) is None
    found = averaged_term(sy.measure("macro_f_beta", beta=2))
    assert found is not None
    assert (found[0].name, found[1]) == ("f_beta(beta=2)", "macro")


def test_a_value_is_as_printed_up_to_the_ends_of_its_digits() -> None:
    (demand,) = asked("recall=0.85", "pos=3, neg=3")[0]
    assert demand.holds(Fraction("0.845"))
    assert demand.holds(Fraction("0.855"))
    assert not demand.holds(Fraction("0.8449"))
    assert not demand.holds(Fraction("0.8551"))
    assert not demand.holds(float("nan"))


def test_every_value_that_is_impossible_by_itself_is_named():
    """0.8545 of 100 is 85.45 and 0.9734 of 200 is 194.68, neither a number of rows; 0.9567 of 300 is 287."""
    result = sy.audit("accuracy=0.9567, recall=0.8545, specificity=0.9734", "pos=100, neg=200")
    assert "So is specificity = 0.9734." in result.reason()
    assert result.to_dict()["contradiction"]["also_impossible"] == ["specificity = 0.9734"]
