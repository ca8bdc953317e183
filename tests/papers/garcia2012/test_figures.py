"""garcia2012: the definitions of section 2, by hand arithmetic on one small matrix."""

from __future__ import annotations

from fractions import Fraction
from math import sqrt

import pytest

import steelyard as sy

# 10 positives of which 8 are found, 40 negatives of which 30 are left alone.
MATRIX = [[8, 2], [10, 30]]


def test_rates_accuracy_and_auc() -> None:
    assert sy.measure("TPr").exact(MATRIX) == Fraction(4, 5)
    assert sy.measure("TNr").exact(MATRIX) == Fraction(3, 4)
    assert sy.measure("Prec").exact(MATRIX) == Fraction(4, 9)
    assert sy.measure("Acc").exact(MATRIX) == Fraction(19, 25)
    assert sy.measure("Err").exact(MATRIX) == Fraction(6, 25)
    assert sy.measure("auc_point").exact(MATRIX) == Fraction(31, 40)


def test_gmean() -> None:
    assert sy.measure("Gm")(MATRIX) == pytest.approx(sqrt(0.6), rel=1e-14)  # 4/5 * 3/4 = 3/5


def test_f_measure() -> None:
    assert sy.measure("F_1").exact(MATRIX) == Fraction(4, 7)  # 2 * 4/5 * 4/9 / (4/5 + 4/9) = 32/45 / (56/45)
    assert sy.measure("F_beta", beta=2).exact(MATRIX) == Fraction(
        20, 29
    )  # 5 * 16/45 / (16/9 + 4/5) = 16/9 * 45/116


def test_kappa() -> None:
    # N_p R_p + N_n R_n = 10 * 18 + 40 * 32 = 1460 of 2500: P_e = 0.584; (0.76 - 0.584) / 0.416 = 176/416
    assert sy.measure("kappa").exact(MATRIX) == Fraction(11, 26)


def test_optimized_precision() -> None:
    # 0.76 - (0.05 / 1.55) = 19/25 - 1/31
    assert sy.measure("OP").exact(MATRIX) == Fraction(19, 25) - Fraction(1, 31)


def test_class_weighted_accuracy() -> None:
    assert sy.measure("cwA", w=0.75).exact(MATRIX) == Fraction(63, 80)  # 3/4 * 4/5 + 1/4 * 3/4
    assert sy.measure("cwA", w=0).exact(MATRIX) == Fraction(3, 4)
    assert sy.measure("cwA", w=1).exact(MATRIX) == Fraction(4, 5)


def test_adjusted_gmean() -> None:
    # P_n = 4/5: (sqrt(3/5) + 3/4 * 4/5) / (9/5)
    assert sy.measure("AGm")(MATRIX) == pytest.approx((sqrt(0.6) + 0.6) / 1.8, rel=1e-14)
    assert sy.measure("AGm")([[0, 10], [10, 30]]) == 0  # 0 where no positive is found


def test_index_of_balanced_accuracy() -> None:
    # Dom = 4/5 - 3/4 = 1/20, so 1 + 0.05 * 0.05 = 1.0025
    expected = 1.0025 * sqrt(0.6)
    assert sy.measure("IBA_0.05(Gm)")(MATRIX) == pytest.approx(expected, rel=1e-14)
    assert sy.iba(sy.measure("gmean"), alpha=0.05)(MATRIX) == pytest.approx(expected, rel=1e-14)
    assert sy.iba(sy.measure("auc_point"), alpha=1).exact(MATRIX) == Fraction(21, 20) * Fraction(31, 40)


def test_iba_names_both_its_parameters() -> None:
    assert sy.iba(sy.measure("auc_point"), alpha=0.3).name == "iba(auc_point, alpha=0.3)"
    assert "gmean" in sy.measure("iba").name
    assert "0.05" in sy.measure("iba").name
