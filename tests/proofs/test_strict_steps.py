"""Every mended error and every added hit: what is proved, refuted and told of each kind of step, worked out by hand."""

from dataclasses import replace
from fractions import Fraction

import pytest

import steelyard as sy
from steelyard.measures.operators import one_versus_all
from steelyard.proofs.prover.strict_inequalities import prove_greater
from steelyard.proofs.prover.subject import Subject, small_matrices
from steelyard.proofs.questions.monotonicity import adding, decide_strict, mending
from tests.real_parts import needs

OCCUR = "where every class occurs in truth and prediction"


def decided(measure, sizes=(2,), steps=mending):
    needs("flint")
    return decide_strict(Subject(measure), "q", sizes, steps)


def test_every_step_that_was_tried_is_counted():
    """An error of either kind is mended in its row and in its column: each matrix with such an error is a case of two."""
    verdict = decided(sy.measure("accuracy"))
    tried = small_matrices(2)
    errors = int((tried[:, 0, 1] > 0).sum() + (tried[:, 1, 0] > 0).sum())
    assert verdict.grade == "proved"
    assert [part.cases for part in verdict.at] == [2 * errors]


def test_what_became_of_each_kind_of_step_is_told():
    """Recall sees no false alarm, mended or not. Informedness rises with each mended prediction; a missed positive whose label
    is mended changes neither rate if nothing is predicted positive, and one of them otherwise."""
    assert decided(sy.measure("recall")).notes == (
        "predictions mended: refuted at C = 2",
        "labels mended: refuted at C = 2",
    )
    assert decided(sy.measure("informedness")).notes == (
        "predictions mended: proved at C = 2",
        f"labels mended: refuted at C = 2 (proved {OCCUR})",
    )


@pytest.mark.parametrize("better", ["higher", "lower"])
def test_a_value_that_falls_is_no_improvement(better):
    """The share of errors falls with each error that is mended."""
    verdict = decided(replace(sy.measure("error_rate"), better=better, relations=()))
    assert verdict.grade == ("proved" if better == "lower" else "refuted")
    if verdict.counterexample is not None:
        before, after = verdict.counterexample.values
        assert after < before


@pytest.mark.parametrize("better", ["higher", "lower"])
def test_a_macro_average_of_losses_falls_for_every_number_of_classes(better):
    """(fn + fp) / (2 tp + fn + fp): of an error that becomes a hit it falls, of a false alarm that is one no more it does not rise.
    The same upside down."""

    def loss(c):
        return c.ratio(c.fn + c.fp, c.tp + c.tp + c.fn + c.fp, "nothing is positive")

    def gain(c):
        return c.ratio(c.tp + c.tp, c.tp + c.tp + c.fn + c.fp, "nothing is positive")

    body = loss if better == "lower" else gain
    mine = sy.two_class(id="mine", title="Mine", question="?", formula="", reads="", body=body, better=better)
    verdict = decided(one_versus_all(mine, "macro"), (2, 3))
    assert (verdict.grade, verdict.classes) == ("proved", "every C")


def test_hits_of_all_that_is_right_already_improve_nothing():
    """Accuracy rises with a hit unless it is 1, and with an error less unless it is 0."""
    verdict = decided(sy.measure("accuracy"), (2, 3), adding)
    assert verdict.grade == "proved"
    assert verdict.notes == (
        "hits added: proved at C = 2, proved at C = 3",
        "errors taken away: proved at C = 2, proved at C = 3",
    )


def test_a_root_that_can_be_0_is_not_greater_than_0():
    """((x - y)²)^(1/3) is 0 where x = y, although its root is a quantity that is positive everywhere else."""
    needs("flint")

    def root(at):
        return at.numbers.raised((at["x"] - at["y"]) ** 2, Fraction(1, 3)), Fraction(0)

    assert not prove_greater(("x", "y"), root, positive=("x", "y")).proved
