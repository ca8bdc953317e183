"""How two measures stand to each other: functions of each other, lines, order; what is known by construction is found."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest

import steelyard as sy
from steelyard.measures.formula import formula_measure
from steelyard.measures.measure import multi_class
from steelyard.proofs.prover.prove import prove_not_less
from steelyard.proofs.prover.refuter import climb, refute_pairs
from steelyard.proofs.prover.subject import Subject, small_matrices
from steelyard.proofs.questions import orderings
from steelyard.proofs.questions.invariance import transposed
from steelyard.proofs.questions.orderings import decide_rising_function
from tests.real_parts import needs


def declared(body, **facts):
    return Subject(
        multi_class(id="mine", title="Mine", question="?", formula="", reads="", body=body, **facts)
    )


def accuracy_of(c):
    return c.ratio(c.all_hits, c.total, "no examples")


def subject(name, **facts):
    return Subject(formula_measure(name) if "/" in name else sy.measure(name), **facts)


def test_rising_with_two_classes_and_falling_with_more_is_not_rising():
    """(5 - 2 C) times the accuracy: 1, -1 and -3 times, a line for every C."""
    needs("flint")
    turning = declared(lambda c: accuracy_of(c) * (5 - 2 * c.n_classes))
    assert orderings.decide_affine(turning, subject("accuracy")).grade == "proved"
    verdict = decide_rising_function(turning, subject("accuracy"))
    assert verdict.grade == "refuted"
    assert [verdict.holds_at(c) for c in (3, 4)] == [False, False]


def test_a_finer_measure_is_no_function_of_a_coarser_one():
    """A step of the accuracy, 1 or 2, never falls as the accuracy rises, but does not tell which accuracy it is."""
    step = declared(lambda c: c.where(accuracy_of(c) * 2 >= 1, 2, 1))
    verdict = decide_rising_function(subject("accuracy"), step, (2,))
    assert verdict.grade == "refuted"
    a, b, one, other = verdict.counterexample.values
    assert one == other
    assert a != b


def test_only_matrices_on_which_both_have_a_value_are_counted():
    """The square of the recall, where there are negatives: a rising function that is no line."""
    needs("flint")
    verdict = decide_rising_function(subject("tp^2/(tp+fn)^2 + 0*fp/(fp+tn)"), subject("recall"))
    assert verdict.grade == "not refuted"
    matrices = small_matrices(2)
    both = int((matrices.sum(axis=2) > 0).all(axis=1).sum())
    assert [part.cases for part in verdict.at] == [both]


def test_what_only_floats_get_wrong_is_not_refuted():
    """In fractions it is the recall plus 1; in floats the 1 is lost wherever there is a hit."""
    verdict = decide_rising_function(subject("tp/(tp+fn) + ((tp*1e17 + 1) - tp*1e17)"), subject("recall"))
    assert verdict.grade != "refuted"


@pytest.mark.parametrize("which", [0, 1])
def test_a_relation_is_not_proved_of_what_takes_no_symbols(which):
    needs("flint")
    for decide, one, other in (
        (decide_rising_function, "threat_score", "f_beta"),
        (orderings.decide_affine, "imbalance_accuracy", "class_balance_accuracy"),
        (orderings.decide_equal, "auc_point", "balanced_accuracy"),
    ):
        assert decide(subject(one), subject(other)).grade == "proved"
        given = [
            subject(name, black_box=None if k != which else subject(name).floats)
            for k, name in enumerate((one, other))
        ]
        assert decide(*given).grade == "not refuted"


def test_no_line_is_fitted_to_one_value():
    needs("flint")
    verdict = orderings.decide_affine(subject("recall"), subject("(tp+fn)/(tp+fn)"))
    assert verdict.grade == "not refuted"
    assert "fewer than two different values to fit" in verdict.method
    constant = declared(lambda c: c.ratio(c.total, c.total, ""))
    assert orderings.decide_affine(subject("accuracy"), constant).grade == "not refuted"


def test_z3_says_whether_it_gave_up_or_found_a_point():
    """x is not always at least y, and a point shows it."""
    needs("flint")
    needs("z3")
    attempt = prove_not_less(["x", "y"], lambda at: (at["x"], at["y"]))
    assert (attempt.proved, attempt.timed_out) == (False, False)
    assert attempt.method == "z3 found the negation possible"


def test_the_smallest_pair_with_every_class_on_both_sides_is_shown():
    """Transposed, [[1, 0], [1, 0]] has a class without examples; among the others three examples are the fewest."""
    recall = subject("recall")
    pairs = list(transposed.numeric_pairs(small_matrices(2)))
    search = refute_pairs(recall, pairs)
    assert search.cases == len(small_matrices(2))
    for matrix in search.counterexample.matrices:
        assert all(any(row) for row in matrix)
        assert sum(map(sum, matrix)) == 3
    one, other = search.counterexample.matrices
    assert one == tuple(zip(*other, strict=True))
    assert search.counterexample.values == tuple(m[0][0] / sum(m[0]) for m in (one, other))


def test_pairs_are_counted():
    batch = np.array([[[1, 0], [0, 1]], [[2, 1], [1, 2]], [[3, 0], [1, 1]]])
    same = refute_pairs(subject("accuracy"), [(batch, batch), (batch[:2], 2 * batch[:2])])
    assert (same.counterexample, same.cases) == (None, 5)
    other = refute_pairs(subject("accuracy"), [(batch, batch[::-1])])
    assert other.counterexample is not None
    assert other.counterexample.values == (Fraction(1), Fraction(4, 5))


def test_climbing_ends_where_nothing_is_better():
    """On a plain the matrices stay as small as they were; towards more hits they grow as long as they may."""
    batch = np.array([[[1, 0], [0, 1]], [[2, 1], [1, 2]], [[3, 0], [1, 1]]])

    def flat(matrices):
        return np.zeros(len(matrices))

    found, tried = climb(flat, flat, batch, flat(batch), 50)
    assert {str(m.tolist()) for m in found} == {str(m.tolist()) for m in batch}
    assert tried == 3 * 5 * 4  # once: each of five moves in each of four cells
    found, _ = climb(lambda m: m[:, 0, 0] / m.sum(axis=(1, 2)), flat, batch, flat(batch), 3)
    assert found[0][0, 0] > 0
    assert found[0].sum() == found[0][0, 0]  # all that is left is what counts
