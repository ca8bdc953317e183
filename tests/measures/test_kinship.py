"""Measures that cannot disagree."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import steelyard as sy
from steelyard.measures.kinship import kin_of, kinships, listed, short_name
from steelyard.measures.record import Relation
from tests.measures.own import declared


def found(names: list[str], classes: int) -> list[tuple[str, ...]]:
    return [kin.measures for kin in kinships([sy.measure(name) for name in names], classes)]


def test_the_papers_twins() -> None:
    names = ["accuracy", "CBA", "IAM", "auroc_ovo", "ACSA", "gmean", "error_rate"]
    assert found(names, 3) == [
        ("accuracy", "error_rate"),
        ("class_balance_accuracy", "imbalance_accuracy"),
        ("auroc_ovo", "macro_recall"),
    ]
    text = str(kinships([sy.measure("IAM"), sy.measure("CBA")], 3)[0])
    assert text == "IAM and CBA cannot disagree: IAM = 2 CBA - 1"


def test_kinship_through_a_measure_that_is_not_compared() -> None:
    (kin,) = kinships([sy.measure("auroc_ovo"), sy.measure("balanced_accuracy")], 4)
    assert kin.measures == ("auroc_ovo", "balanced_accuracy")
    assert len(kin.because) == 2


def test_kinship_between_two_class_and_other_measures_needs_two_classes() -> None:
    assert found(["auc_point", "balanced_accuracy"], 2) == [("auc_point", "balanced_accuracy")]
    assert found(["auc_point", "balanced_accuracy"], 3) == []


@pytest.mark.parametrize("classes", [2, 3, 5])
def test_kin_never_disagree_on_any_matrix(classes: int) -> None:
    """The claim itself, on random pairs of matrices with the same truth."""
    rng = np.random.default_rng(classes)
    sizes = rng.integers(5, 60, classes)
    rates = rng.dirichlet(np.ones(classes), size=(400, classes))
    matrices = np.stack([rng.multinomial(n, rates[:, i]) for i, n in enumerate(sizes)], axis=1)
    chosen = [m for m in sy.catalogue("multi-class") if len(kin_of(m, classes)) > 1]
    values = sy.weigh(chosen, sy.Confusion(matrices, range(classes)))
    for kin in kinships(chosen, classes):
        first, *others = (
            values[name] * (1 if sy.measure(name).better == "higher" else -1) for name in kin.measures
        )
        for other in others:
            gaps, same = first[:200] - first[200:], other[:200] - other[200:]
            clear = np.abs(gaps) > 1e-12
            assert (np.sign(gaps[clear]) == np.sign(same[clear])).all(), kin.measures


@pytest.mark.parametrize(
    ("relation", "kin"),
    [
        (lambda r, _: r / 2, True),
        (lambda r, _: max(r, 0.5), False),  # says nothing about recalls below one half
        (lambda r, _: -r, False),  # better by one is worse by the other
    ],
)
def test_a_relation_makes_kin_only_if_it_always_rises(relation: Any, kin: bool) -> None:
    mine = declared(id="mine", relations=(Relation("mine is made of recall", "recall", relation),))
    told = [one.measures for one in kinships([mine, sy.measure("recall")], 2)]
    assert told == ([("mine", "recall")] if kin else [])


def test_words() -> None:
    assert listed(["a"]) == "a"
    assert listed(["a", "b", "c"]) == "a, b and c"
    assert short_name(sy.measure("CBA")) == "CBA"
    assert short_name(sy.measure("macro_precision")) == "macro precision"
