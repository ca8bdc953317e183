"""Measures made of measures."""

from __future__ import annotations

import numpy as np
import pytest

import steelyard as sy

# -- reasons and weights must survive the way through an operator


def test_a_reason_names_the_class_also_through_one_versus_all_of_a_multi_class_measure() -> None:
    matrix = sy.Confusion([[0, 0, 0], [1, 4, 0], [0, 2, 3]], labels=["a", "b", "c"])
    assert "class 'a'" in sy.one_versus_all(sy.measure("gmean")).why_undefined(matrix)
    assert "class 'a'" in sy.one_versus_one(sy.measure("gmean")).why_undefined(matrix)


@pytest.mark.parametrize("name", ["accuracy", "gmean", "kappa", "mcc", "macro_precision", "auroc_ova"])
@pytest.mark.parametrize("operator", [sy.one_versus_all, sy.one_versus_one])
@pytest.mark.parametrize("average", ["macro", "micro", "prevalence"])
def test_an_empty_matrix_has_a_reason_through_every_average(name: str, operator, average: str) -> None:
    measure = operator(sy.measure(name), average)
    for labels in (["a", "b", "c"], None):
        assert measure.why_undefined(sy.Confusion(np.zeros((3, 3), dtype=int), labels=labels))


def test_relevance_is_not_lost_inside_an_index_of_balanced_accuracy() -> None:
    """Weights 1 and 1/3: the exponents of TPr and TNr are 3/4 and 1/4."""
    matrix = sy.Confusion([[8, 2], [10, 30]], labels=["yes", "no"])
    weighted = sy.measure("gmean").weighted_by({"yes": 1, "no": 1 / 3})
    expected = 0.8**0.75 * 0.75**0.25
    assert weighted(matrix) == pytest.approx(expected, rel=1e-14)
    assert sy.iba(weighted, alpha=0.5)(matrix, positive="yes") == pytest.approx((1 + 0.5 * 0.05) * expected, rel=1e-14)
    assert sy.iba(weighted, alpha=0.5)(matrix, positive="no") == pytest.approx((1 - 0.5 * 0.05) * expected, rel=1e-14)
