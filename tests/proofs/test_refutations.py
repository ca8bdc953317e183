"""Every refutation is checked a second time, in plain fractions: the matrices are related as stated, and the values differ."""

from fractions import Fraction

import pytest

from steelyard.measures.catalogue import measure
from steelyard.proofs.prover.subject import Subject
from steelyard.proofs.questions.conditions import property_named
from tests.proofs.independent_formulas import RATIONAL, gmean_power, value

INVARIANCES = (
    "prior-invariance",
    "p1",
    "p2",
    "p3",
    "p4",
    "p5",
    "scale-invariance",
    "order-invariance",
    "transposition",
)
CELL = {"p2": (1, 1), "p3": (1, 0), "p4": (0, 0), "p5": (0, 1)}


def related(name, before, after):
    size = range(len(before))
    if name == "prior-invariance":  # every row is a positive multiple of the row before
        factors = [[a / b for a, b in zip(after[i], before[i], strict=True) if b] for i in size]
        zeros = all(
            (a == 0) == (b == 0)
            for x, y in zip(before, after, strict=True)
            for a, b in zip(x, y, strict=True)
        )
        return zeros and all(len(set(row)) <= 1 and all(f > 0 for f in row) for row in factors)
    if name == "scale-invariance":
        return (
            len({a / b for x, y in zip(after, before, strict=True) for a, b in zip(x, y, strict=True) if b})
            <= 1
        )
    if name == "transposition":
        return all(after[i][j] == before[j][i] for i in size for j in size)
    if name in CELL:
        return {(i, j) for i in size for j in size if before[i][j] != after[i][j]} == {CELL[name]}
    return sorted(before[i][i] for i in size) == sorted(after[i][i] for i in size) and sorted(
        sum(before, ())
    ) == sorted(sum(after, ()))


@pytest.mark.parametrize("name", RATIONAL)
@pytest.mark.parametrize("question", INVARIANCES)
def test_a_refuted_invariance_shows_two_related_matrices_with_different_values(name, question):
    verdict = property_named(question).decide(Subject(measure(name)))
    if verdict.grade != "refuted":
        assert verdict.counterexample is None
        return
    before, after = verdict.counterexample.matrices
    assert related(question, before, after)
    values = [value(RATIONAL[name], m) for m in (before, after)]
    assert values[0] != values[1]
    shown = [None if isinstance(v, float) else v for v in verdict.counterexample.values]
    assert shown == values


@pytest.mark.parametrize("name", RATIONAL)
def test_the_engine_and_the_plain_formulas_agree(name):
    subject = Subject(measure(name))
    two = [[Fraction(5), Fraction(2)], [Fraction(1, 3), Fraction(7)]]
    three = [
        [Fraction(5), Fraction(2), Fraction(1)],
        [Fraction(1, 3), Fraction(7), Fraction(2)],
        [Fraction(4), Fraction(4), Fraction(9)],
    ]
    for matrix in [two] if subject.two_class_only else [two, three]:
        assert subject.value(matrix) == RATIONAL[name](matrix)


def test_gmean_is_zero_when_one_class_fails():
    found = property_named("one-class-failing").decide(Subject(measure("gmean"))).counterexample
    (matrix,) = found.matrices
    assert gmean_power(matrix) == 0
    assert sum(matrix[i][i] == 0 for i in range(len(matrix))) == 1
