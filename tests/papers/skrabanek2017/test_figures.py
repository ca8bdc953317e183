"""skrabanek2017: Tab. 2 and Tab. 3 as identities on random matrices, and Tab. 3 from the operator `balanced`."""

from __future__ import annotations

from fractions import Fraction
from math import sqrt
from typing import NamedTuple

import numpy as np
import pytest

import steelyard as sy
from tests.each import each


class Cells(NamedTuple):
    """|TP|, |FN|, |FP|, |TN| and what section 3 derives from them."""

    tp: Fraction
    fn: Fraction
    fp: Fraction
    tn: Fraction

    @property
    def n(self) -> Fraction:
        return sum(self, start=Fraction(0))

    @property
    def v_p(self) -> Fraction:
        return (self.tp + self.fn) / self.n

    @property
    def v_n(self) -> Fraction:
        return (self.fp + self.tn) / self.n

    @property
    def xi_tp(self) -> Fraction:
        return self.tp / (self.tp + self.fn)

    @property
    def xi_tn(self) -> Fraction:
        return self.tn / (self.tn + self.fp)

    @property
    def matrix(self) -> list[list[int]]:
        return [[int(self.tp), int(self.fn)], [int(self.fp), int(self.tn)]]


def _drawn() -> list[Cells]:
    rng = np.random.default_rng(2017)
    small = rng.integers(1, 50, size=(10, 4))
    skewed = rng.integers(1, 50, size=(10, 4)) * np.array([1, 1, 100, 1000])
    return [Cells(*(Fraction(int(v)) for v in row)) for row in np.concatenate([small, skewed])]


MATRICES = _drawn()

TAB_2 = {
    # name: (our measure, standard expression, modified expression)
    "acc": ("accuracy", lambda c: (c.tp + c.tn) / c.n, lambda c: c.xi_tp * c.v_p + c.xi_tn * c.v_n),
    "er": (
        "error_rate",
        lambda c: (c.fp + c.fn) / c.n,
        lambda c: (1 - c.xi_tp) * c.v_p + (1 - c.xi_tn) * c.v_n,
    ),
    "pr": (
        "precision",
        lambda c: c.tp / (c.tp + c.fp),
        lambda c: c.xi_tp * c.v_p / (c.xi_tp * c.v_p + (1 - c.xi_tn) * c.v_n),
    ),
    "re": ("recall", lambda c: c.tp / (c.tp + c.fn), lambda c: c.xi_tp),
    "sp": ("specificity", lambda c: c.tn / (c.tn + c.fp), lambda c: c.xi_tn),
    "fnr": ("fnr", lambda c: c.fn / (c.tp + c.fn), lambda c: 1 - c.xi_tp),
    "fpr": ("fpr", lambda c: c.fp / (c.tn + c.fp), lambda c: 1 - c.xi_tn),
    "AUC": (
        "auc_point",
        lambda c: (c.tp / (c.tp + c.fn) + c.tn / (c.tn + c.fp)) / 2,
        lambda c: (c.xi_tp + c.xi_tn) / 2,
    ),
}


@pytest.mark.parametrize("row", list(TAB_2))
@each("cells", MATRICES)
def test_tab_2_rows_without_parameters(row: str, cells: Cells) -> None:
    name, standard, modified = TAB_2[row]
    assert sy.measure(name).exact(cells.matrix) == standard(cells) == modified(cells)
    assert sy.measure(name)(cells.matrix) == pytest.approx(float(standard(cells)), rel=1e-13)


@pytest.mark.parametrize("beta", [Fraction(1, 2), Fraction(1), Fraction(2)])
@each("cells", MATRICES)
def test_tab_2_fscore(beta: Fraction, cells: Cells) -> None:
    b2 = beta**2
    standard = (b2 + 1) * cells.tp / ((b2 + 1) * cells.tp + b2 * cells.fn + cells.fp)
    modified = (
        (b2 + 1)
        * cells.xi_tp
        * cells.v_p
        / (((b2 + 1) * cells.xi_tp + b2 * (1 - cells.xi_tp)) * cells.v_p + (1 - cells.xi_tn) * cells.v_n)
    )
    assert sy.measure("f_beta", beta=float(beta)).exact(cells.matrix) == standard == modified


@each("cells", MATRICES)
def test_tab_2_gmean(cells: Cells) -> None:
    """The table's expression (of recall and specificity), not the prose's (of precision and recall)."""
    standard = cells.tp / (cells.tp + cells.fn) * cells.tn / (cells.tn + cells.fp)
    assert sy.measure("gmean")(cells.matrix) == pytest.approx(sqrt(standard), rel=1e-13)
    assert standard == cells.xi_tp * cells.xi_tn
    prose = sqrt(cells.tp / (cells.tp + cells.fp) * cells.tp / (cells.tp + cells.fn))
    assert sy.measure("fowlkes_mallows")(cells.matrix) == pytest.approx(prose, rel=1e-13)


TAB_3 = {
    # symbol: (what is balanced, standard expression with class weights, modified expression)
    "acc_B": (
        "accuracy",
        lambda c: (c.v_n * c.tp + c.v_p * c.tn) / (c.v_n * (c.tp + c.fn) + c.v_p * (c.tn + c.fp)),
        lambda c: (c.xi_tp + c.xi_tn) / 2,
    ),
    "er_B": (
        "error_rate",
        lambda c: (c.v_p * c.fp + c.v_n * c.fn) / (c.v_n * (c.tp + c.fn) + c.v_p * (c.tn + c.fp)),
        lambda c: ((1 - c.xi_tp) + (1 - c.xi_tn)) / 2,
    ),
    "pr_B": (
        "precision",
        lambda c: c.v_n * c.tp / (c.v_n * c.tp + c.v_p * c.fp),
        lambda c: c.xi_tp / (c.xi_tp + 1 - c.xi_tn),
    ),
}


@pytest.mark.parametrize("row", list(TAB_3))
@each("cells", MATRICES)
def test_tab_3_comes_out_of_balanced(row: str, cells: Cells) -> None:
    inner, standard, modified = TAB_3[row]
    operated = sy.balanced(sy.measure(inner))
    assert operated.exact(cells.matrix) == standard(cells) == modified(cells)
    assert sy.measure(row).exact(cells.matrix) == standard(
        cells
    )  # the catalogue's entry under the paper's symbol
    assert operated(cells.matrix) == pytest.approx(float(standard(cells)), rel=1e-13)


@pytest.mark.parametrize("beta", [Fraction(1, 2), Fraction(1), Fraction(2)])
@each("cells", MATRICES)
def test_tab_3_fscore_comes_out_of_balanced(beta: Fraction, cells: Cells) -> None:
    b2 = beta**2
    standard = (
        (b2 + 1)
        * cells.v_n
        * cells.tp
        / (cells.v_n * ((b2 + 1) * cells.tp + b2 * cells.fn) + cells.v_p * cells.fp)
    )
    modified = (b2 + 1) * cells.xi_tp / ((b2 + 1) * cells.xi_tp + b2 * (1 - cells.xi_tp) + (1 - cells.xi_tn))
    assert sy.balanced(sy.measure("f_beta", beta=float(beta))).exact(cells.matrix) == standard == modified
    assert sy.measure("Fscore_B", beta=float(beta)).exact(cells.matrix) == standard


@pytest.mark.parametrize("name", ["accuracy", "error_rate", "precision", "f_beta"])
def test_balanced_measures_do_not_see_the_class_proportions(name: str) -> None:
    """The third column of Tab. 3 has no v_P: scaling one class changes the plain measure and leaves the balanced one."""
    plain, balanced = sy.measure(name), sy.balanced(sy.measure(name))
    few, many = [[36, 4], [5, 15]], [[36, 4], [500, 1500]]
    assert balanced.exact(few) == balanced.exact(many)
    assert plain.exact(few) != plain.exact(many)
