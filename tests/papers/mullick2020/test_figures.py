"""mullick2020: Definitions 4 to 7 as formulas on random matrices; Definitions 5 and 7 from the operator `balanced`."""

from __future__ import annotations

from fractions import Fraction
from math import prod, sqrt

import numpy as np
import pytest

import steelyard as sy

_rng = np.random.default_rng(2020)
TWO = [m.tolist() for m in _rng.integers(1, 40, size=(20, 2, 2))] + [[[1, 9], [50, 5000]]]
MANY = [_rng.integers(1, 40, size=(C, C)).tolist() for C in (2, 3, 3, 4, 5, 7, 10)] + [
    (_rng.integers(1, 9, size=(4, 4)) * np.array([[1], [10], [100], [1000]])).tolist()
]


def cells(m: list[list[int]]) -> tuple[Fraction, Fraction, Fraction, Fraction]:
    (tp, fn), (fp, tn) = m
    return Fraction(tp), Fraction(fn), Fraction(fp), Fraction(tn)


@pytest.mark.parametrize("m", TWO)
def test_definition_4(m: list[list[int]]) -> None:
    tp, fn, fp, tn = cells(m)
    beta = tp / (tp + fn)
    assert sy.measure("GMean")(m) == pytest.approx(sqrt(tp / (tp + fn) * tn / (fp + tn)), rel=1e-13)  # (2)
    assert sy.measure("auc_point").exact(m) == (tp / (tp + fn) + tn / (fp + tn)) / 2  # (3)
    assert sy.measure("ζ").exact(m) == tp / (tp + fp)  # (4)
    assert sy.measure("AURPC").exact(m) == (beta + tp / (tp + fp)) / 2  # (5)


@pytest.mark.parametrize("m", TWO)
def test_definition_5_comes_out_of_balanced(m: list[list[int]]) -> None:
    tp, fn, fp, tn = cells(m)
    n1, n2 = tp + fn, fp + tn
    modified_precision = (tp / n1) / (tp / n1 + fp / n2)  # (8)
    assert (
        sy.balanced(sy.measure("precision")).exact(m)
        == sy.measure("mPrecision").exact(m)
        == modified_precision
    )
    modified_aurpc = (tp / n1 + modified_precision) / 2  # (9)
    assert sy.balanced(sy.measure("aurpc_point")).exact(m) == sy.measure("mAURPC").exact(m) == modified_aurpc


def sums(m: list[list[int]]) -> tuple[int, list[int], list[int], int]:
    """C, n_i, k_i and n."""
    return len(m), [sum(row) for row in m], [sum(column) for column in zip(*m, strict=True)], sum(map(sum, m))


@pytest.mark.parametrize("m", MANY)
def test_definition_6(m: list[list[int]]) -> None:
    size, n_i, k_i, n = sums(m)
    classes = range(size)
    recalls = [Fraction(m[i][i], n_i[i]) for i in classes]
    assert sy.measure("GMean")(m) == pytest.approx(prod(map(float, recalls)) ** (1 / size), rel=1e-12)  # (10)
    assert sy.measure("ACSA").exact(m) == sum(recalls) / size  # (11)
    drawn = [sum(Fraction(m[j][i], (size - 1) * n_i[j]) for j in classes if j != i) for i in classes]
    assert sy.measure("AUROC-OVO").exact(m) == sum(1 + recalls[i] - drawn[i] for i in classes) / (
        2 * size
    )  # (12)
    mistaken = [Fraction(k_i[i] - m[i][i], n - n_i[i]) for i in classes]
    auroc_ova = sum(1 + recalls[i] - mistaken[i] for i in classes) / (2 * size)
    assert sy.measure("AUROC-OVA").exact(m) == auroc_ova  # (13)
    assert sy.measure("AURPC-OVA").exact(m) == sum(
        Fraction(m[i][i], k_i[i]) + recalls[i] for i in classes
    ) / (2 * size)  # (14)
    low = Fraction(size - 2, 2 * size)
    assert (
        sy.measure("nAUROC-OVA").exact(m)
        == sy.normalised(sy.measure("auroc_ova")).exact(m)
        == (auroc_ova - low) / (1 - low)
    )


@pytest.mark.parametrize("m", MANY)
def test_definition_7_comes_out_of_balanced(m: list[list[int]]) -> None:
    size, n_i, _, _ = sums(m)
    classes = range(size)
    total = Fraction(0)
    for i in classes:
        recall = Fraction(m[i][i], n_i[i])
        total += recall / sum(Fraction(m[j][i], n_i[j]) for j in classes) + recall
    expected = total / (2 * size)  # (25)
    assert sy.balanced(sy.measure("AURPC-OVA")).exact(m) == sy.measure("mAURPC-OVA").exact(m) == expected
    assert sy.measure("mAURPC-OVA")(m) == pytest.approx(float(expected), rel=1e-13)


@pytest.mark.parametrize("m", MANY)
def test_auroc_ovo_normalised_is_acsa(m: list[list[int]]) -> None:
    assert sy.normalised(sy.measure("AUROC-OVO")).exact(m) == sy.measure("ACSA").exact(m)


@pytest.mark.parametrize("size", [2, 3, 5, 8])
def test_the_floor_of_the_auroc_indices_depends_on_the_number_of_classes(size: int) -> None:
    """Every example wrong, evenly so: AUROC-OVO (C-2)/(2(C-1)), AUROC-OVA (C-2)/(2C)."""
    wrong = np.roll(np.eye(size, dtype=int) * 7, 1, axis=1)
    assert sy.measure("AUROC-OVO").exact(wrong) == Fraction(size - 2, 2 * (size - 1))
    assert sy.measure("AUROC-OVA").exact(wrong) == Fraction(1, 2) * (1 - Fraction(1, size - 1))
    assert sy.measure("AUROC-OVA").range.at(size)[0] == pytest.approx((size - 2) / (2 * size), rel=1e-15)
