"""What happens where a denominator is 0, in the corners of the policy."""

from __future__ import annotations

import math
from fractions import Fraction

import numpy as np
import pytest

import steelyard as sy

EMPTY = sy.Confusion([[0, 0], [0, 0]], labels=["positive", "other"])


@pytest.mark.parametrize("name", ["weighted_precision", "weighted_f_beta"])
def test_a_mean_in_which_no_class_has_weight_takes_the_number(name: str) -> None:
    """Nothing is ever silently 0: with no examples at all there is no average to speak of."""
    assert math.isnan(sy.measure(name)(EMPTY))
    assert sy.measure(name)(EMPTY, undefined=0.5) == 0.5
    assert sy.measure(name).exact(EMPTY, undefined=0.5) == Fraction(1, 2)


@pytest.mark.parametrize("name", ["gmean", "adjusted_gmean", "iba", "fowlkes_mallows"])
def test_a_negative_number_may_stand_in_for_an_undefined_term_under_a_root(name: str) -> None:
    """No root of it exists, so the whole value takes the number; no warning, and the same in exact arithmetic."""
    matrix = [[0, 0], [3, 7]]  # no positive examples, so recall is undefined
    assert sy.measure(name)(matrix, undefined=-3) == -3 or name == "fowlkes_mallows"
    assert (
        sy.measure(name)([matrix, matrix], undefined=-3).tolist()
        == [sy.measure(name)(matrix, undefined=-3)] * 2
    )
    assert float(sy.measure(name).exact(matrix, undefined=-3)) == pytest.approx(
        sy.measure(name)(matrix, undefined=-3)
    )


def test_the_0_of_adjusted_gmean_is_for_a_recall_of_0_not_for_an_undefined_one() -> None:
    """Without positive examples recall is what the caller says: TPr 1/2, TNr 7/10, P_n 1."""
    expected = (math.sqrt(0.5 * 0.7) + 0.7) / 2
    assert sy.measure("adjusted_gmean")([[0, 0], [3, 7]], undefined=0.5) == pytest.approx(expected, rel=1e-14)
    assert sy.measure("adjusted_gmean")([[0, 4], [3, 7]], undefined=0.5) == 0


def test_raise_holds_for_exact_values_and_for_many_measures_at_once() -> None:
    matrix = [[0, 5], [0, 9]]
    with pytest.raises(
        sy.UndefinedError, match="precision is undefined: nothing was predicted as the positive class"
    ):
        sy.measure("precision").exact(matrix, undefined="raise")
    with pytest.raises(
        sy.UndefinedError, match="precision is undefined on 1 of 2 matrices, the first being number 1"
    ):
        sy.weigh(
            [sy.measure("recall"), sy.measure("precision")], [[[1, 1], [1, 1]], matrix], undefined="raise"
        )
    with pytest.raises(sy.InputError, match="one matrix at a time"):
        sy.measure("precision").exact([matrix, matrix])


@pytest.mark.parametrize("policy", ["zero", "NaN", None, True, float("inf"), [0]])
def test_unknown_policies_are_refused(policy: object) -> None:
    with pytest.raises(sy.InputError, match=r"undefined= is not a policy"):
        sy.measure("precision")([[1, 1], [1, 1]], undefined=policy)  # type: ignore[arg-type]


def test_nan_as_a_number_is_the_default_policy() -> None:
    assert math.isnan(sy.measure("precision")([[0, 5], [0, 9]], undefined=float("nan")))


def test_each_matrix_of_a_batch_has_its_own_reason() -> None:
    lacking = [[[0, 0], [3, 7]], [[2, 4], [0, 0]]]
    for batch in (lacking, lacking[::-1], [*lacking, *lacking]):
        told = sy.measure("macro_recall").why_undefined(sy.Confusion(batch, labels=["a", "b"]))
        assert told.tolist() == [f"there are no examples of class '{'ab'[not m[1][0]]}'" for m in batch]


def test_classes_that_are_left_out_do_not_lend_their_reasons() -> None:
    """Both matrices hold two classes, of which the second has no examples; it is not the same one."""
    batch = np.zeros((2, 3, 3), dtype=int)
    batch[0, 0, 1] = batch[1, 0, 2] = 4
    assert sy.measure("macro_recall").why_undefined(batch).tolist() == [
        "there are no examples of class 'c2'",
        "there are no examples of class 'c3'",
    ]


def test_a_quotient_by_the_columns_names_the_class_of_the_column() -> None:
    purity = sy.multi_class(
        id="purity",
        title="Purity",
        question="Are the examples of a prediction of one class?",
        formula="p",
        reads="mean over predictions of the greatest share of a class",
        body=lambda c: c.mean(
            c.ratio(c.counts, c.predicted[None, :], "nothing was predicted as {label}").max(axis=0)
        ),
    )
    matrix = sy.Confusion([[3, 0, 1], [2, 0, 4], [1, 0, 5]], labels=["a", "b", "c"])
    assert purity.why_undefined(matrix) == "nothing was predicted as class 'b'"
    assert purity(matrix, undefined="skip") == pytest.approx((3 / 6 + 5 / 10) / 2)


def test_no_reason_is_asked_where_every_matrix_has_a_value() -> None:
    """Nothing is known of class a, which has no relevance; what it lacks leaves every value defined."""
    batch = sy.Confusion([[[0, 0], [3, 7]], [[0, 0], [2, 2]]], labels=["a", "b"])
    weighted = sy.measure("macro_recall").weighted_by({"a": 0, "b": 1})
    assert weighted(batch).tolist() == [0.7, 0.5]
    assert weighted.why_undefined(batch).tolist() == [None, None]
