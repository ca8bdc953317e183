"""Statements for every number of classes: their arguments on concrete matrices, and the smallest counterexamples."""

import random
from fractions import Fraction

import pytest

from steelyard.measures.catalogue import measure
from steelyard.proofs.prover.subject import Subject
from steelyard.proofs.verdict import as_matrix
from steelyard_papers.ledger import check_claims, choose, decide
from steelyard_papers.mortaz2020.below_accuracy import fewest_examples, steps_hold, two_taken_for_each_other
from steelyard_papers.mullick2020.every_size import least_ova
from tests.real_parts import needs

EVERY_C = {
    "mullick-l2": ("proved", "every C"), "mullick-l3": ("proved", "every C"), "mullick-n1": ("proved", "every C"),
    "mullick-t3.3": ("proved", "every C"), "mullick-t5c": ("proved", "every C"), "mullick-t5p": ("proved", "every C"),
    "mullick-t5a": ("proved", "every C"), "branco-i1": ("refuted", "every C"), "mullick-n2": ("refuted", "C >= 3"),
    "mullick-t3.4": ("proved", "C >= 3"), "mortaz-t4": ("refuted", "C >= 5"),
}  # fmt: skip


def random_matrices(count, seed=3):
    draws = random.Random(seed)
    for _ in range(count):
        c = draws.randint(2, 7)
        top = draws.choice((1, 3, 30))
        rows = [[draws.randint(0, top) * draws.choice((0, 1)) for _ in range(c)] for _ in range(c)]
        for i in range(c):
            rows[i][draws.randrange(c)] += 1
        yield as_matrix(rows)


@pytest.mark.parametrize("claim", EVERY_C)
def test_the_verdict_says_for_which_numbers_of_classes(claim):
    needs("flint")
    (found,) = decide(choose(None, (claim,)))
    assert (found.finding.verdict, found.finding.classes) == EVERY_C[claim]
    assert found.to_dict()["classes"] == EVERY_C[claim][1]


@pytest.mark.parametrize("claim", EVERY_C)
def test_every_step_in_algebra_is_certified(claim):
    needs("flint")
    ((_, result),) = check_claims(choose(None, (claim,)))
    assert result is not None
    assert result.state == "certified"


def test_the_steps_of_the_lemma_on_random_matrices():
    assert all(steps_hold(matrix) for matrix in random_matrices(400))


def test_iam_is_at_most_the_accuracy_up_to_four_classes():
    iam, accuracy = Subject(measure("IAM")), Subject(measure("accuracy"))
    for matrix in random_matrices(200, seed=5):
        if len(matrix) <= 4:
            assert iam.value(matrix) <= accuracy.value(matrix)


def test_the_smallest_counterexamples():
    for n_classes, examples in ((5, 16), (6, 13), (7, 12), (8, 13)):
        matrix = two_taken_for_each_other(n_classes)
        assert sum(map(sum, matrix)) == examples
        right = sum(matrix[i][i] for i in range(n_classes))
        assert 1 - Fraction(4, n_classes) > Fraction(right) / examples  # IAM and accuracy by hand
    assert fewest_examples(5, 15) is None
    assert fewest_examples(7, 11) is None
    assert fewest_examples(4, 12) is None
    assert fewest_examples(7, 12) == 12


def test_the_bound_of_lemma_3_on_random_matrices():
    ova = Subject(measure("AUROC-OVA"))
    for matrix in random_matrices(150, seed=8):
        assert least_ova(matrix) <= ova.value(matrix) <= 1
        assert least_ova(matrix) >= Fraction(len(matrix) - 2, 2 * len(matrix))
