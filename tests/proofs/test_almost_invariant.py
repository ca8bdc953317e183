"""Measures that are almost invariant must be refuted, by matrices that plain fractions confirm."""

from fractions import Fraction

import numpy as np
import pytest

from steelyard import multi_class, two_class
from steelyard.measures.catalogue.multi_class import recalls
from steelyard.measures.catalogue.two_class import tnr, tpr
from steelyard.proofs.prover.prove import prove_equal
from steelyard.proofs.prover.regions import Symbols, matrix_names, regions
from steelyard.proofs.prover.subject import Subject
from steelyard.proofs.prover.symbols import Field, TooHardError, limit_at_zero, log_of, power_of
from steelyard.proofs.questions.conditions import property_named
from steelyard.proofs.questions.invariance import rows_scaled

HALF = Fraction(1, 2)


def made(make, body, name="almost"):
    return Subject(make(id=name, title=name, question="?", formula="", reads="", body=body))


def mean_recall(m):
    return sum((m[i][i] / sum(m[i]) for i in range(len(m))), Fraction(0)) / len(m)


def accuracy(m):
    return sum(m[i][i] for i in range(len(m))) / sum(map(sum, m))


@pytest.mark.parametrize("off", [Fraction(1, 10**9), Fraction(1, 10**25)])
def test_off_by_a_hair_is_refuted(off):
    subject = made(
        multi_class, lambda c: c.mean(recalls(c)) + c.number(off) * c.ratio(c.all_hits, c.total, "empty")
    )
    verdict = rows_scaled.decide(subject, "prior-invariance", (2, 3))
    assert verdict.grade == "refuted"
    one, other = verdict.counterexample.matrices
    assert mean_recall(one) == mean_recall(other)
    assert accuracy(one) != accuracy(other)
    assert verdict.counterexample.values[1] - verdict.counterexample.values[0] == off * (
        accuracy(other) - accuracy(one)
    )


def test_wrong_only_with_four_classes_is_refuted_there_and_proved_elsewhere():
    def body(c):
        value = c.mean(recalls(c))
        return value + c.ratio(c.all_hits, c.total, "empty") if c.n_classes == 4 else value

    verdict = property_named("prior-invariance").decide(made(multi_class, body))
    assert verdict.grade == "refuted"
    assert [verdict.holds_at(c) for c in (2, 3, 4)] == [True, True, False]
    one, other = verdict.counterexample.matrices
    assert len(one) == 4
    assert mean_recall(one) == mean_recall(other)
    assert accuracy(one) != accuracy(other)


def test_wrong_only_at_a_corner_is_refuted():
    def body(c):
        value = (tpr(c) + tnr(c)) / 2
        at_corner = c.where((c.fp == 0) & ~c.is_nan(value), c.number(1), value * 0)
        return value + at_corner * c.ratio(c.tp, c.total, "empty")

    verdict = rows_scaled.decide(made(two_class, body), "prior-invariance")
    assert verdict.grade == "refuted"
    for (tp, _fn), (fp, _tn) in verdict.counterexample.matrices:
        assert fp == 0
        assert tp > 0
    one, other = verdict.counterexample.matrices
    assert one[0][0] / sum(map(sum, one)) != other[0][0] / sum(map(sum, other))


def test_wrong_only_beyond_a_thousand_examples_is_refuted():
    def body(c):
        large = c.where(c.total > 1000, c.number(1), c.total * 0)
        return tpr(c) + large * c.ratio(c.tp, c.total, "empty")

    verdict = rows_scaled.decide(made(two_class, body), "prior-invariance")
    assert verdict.grade == "refuted"
    assert max(sum(map(sum, m)) for m in verdict.counterexample.matrices) > 1000


def test_the_prover_alone_does_not_miss_a_corner_that_the_body_asks_about():
    """Even without the refuter: matrices with fp = 0 are proved apart, and here that fails."""
    subject = made(
        two_class,
        lambda c: tpr(c) + c.where(c.fp == 0, c.number(1), tpr(c) * 0) * c.ratio(c.tp, c.total, "empty"),
    )

    def compute(at):
        matrix = at.matrix(2)
        scaled = matrix * np.array([[at["b"]], [1]], dtype=object)
        return subject.symbol(matrix, at.numbers), subject.symbol(scaled, at.numbers)

    assert not prove_equal([*matrix_names(2), "b"], compute).proved


@pytest.mark.parametrize(("sums", "proved"), [(8, True), (9, False)])
def test_eight_sums_may_be_asked_whether_they_are_nothing(sums, proved):
    """Each set of them is a case of its own: 256 are worked through, 512 are not begun."""
    names = [f"x{i}" for i in range(sums)]

    def compute(at):
        values = at.counts(names).tolist()
        asked = [value for value in values if not value == 0]  # noqa: SIM201
        total = sum(values, start=Fraction(0))
        return total, sum(asked, start=Fraction(0))

    attempt = prove_equal(names, compute)
    assert attempt.proved is proved
    assert proved or "more than 8 sums are asked whether they are 0" in attempt.method


def test_a_root_of_a_square_is_not_taken_for_its_base():
    found = {
        repr(r.values[0]) for r in regions(["x", "y"], lambda at: [power_of((at["x"] - at["y"]) ** 2, HALF)])
    }
    assert len(found) == 2  # x - y where x is larger, y - x where it is not


def test_roots_multiply_and_logarithms_add():
    owner = Field(["x", "y"])
    x, y = owner.variable("x"), owner.variable("y")

    def root(value):
        return power_of(value, HALF)

    assert (root(x) * root(y) - root(x * y)).is_zero
    assert (root((x + y) ** 2 * y) - (x + y) * root(y)).is_zero
    assert root(8 * x) - 2 * root(2 * x) == 0
    assert (log_of(x / y) - log_of(x) + log_of(y)).is_zero
    assert (1 / root(x) - root(x) / x).is_zero
    assert not (root(x) - root(y)).is_zero


def test_limits_are_exact_or_refused():
    owner = Field(["e", "x"])
    e, x = owner.variable("e"), owner.variable("x")
    assert limit_at_zero((e + 2) / (e + 4)) == Fraction(1, 2)
    assert limit_at_zero(e / (e + e * e + 0)) == 1
    assert limit_at_zero(e * x) == 0
    with pytest.raises(TooHardError):
        limit_at_zero(x / e)


def test_equality_of_expressions_is_not_guessed():
    owner = Field(["x", "y"])
    with pytest.raises(TooHardError):
        bool(owner.variable("x") == owner.variable("y"))


def test_too_large_an_algebra_gives_up_instead_of_hanging():
    names = [f"x{i}" for i in range(12)]
    owner = Field(names)
    total = sum((owner.variable(n) for n in names[1:]), start=owner.variable(names[0]))
    with pytest.raises(TooHardError):
        _ = math_power(total, 40)


def math_power(value, times):
    result = value
    for _ in range(times):
        result = result * value
    return result


def test_symbols_give_the_same_values_as_fractions():
    """The three arithmetics run one body: substitute numbers into the symbolic value."""
    from steelyard.measures.catalogue import catalogue

    matrix = [[Fraction(3), Fraction(1)], [Fraction(2), Fraction(5)]]
    for measure in catalogue():
        subject = Subject(measure)
        owner = Field(["one"])
        symbols = np.array([[owner.constant(v) for v in row] for row in matrix], dtype=object)
        value = subject.symbol(symbols, Symbols(owner))
        expected = subject.value(matrix)
        if owner.roots or owner.logs:
            continue
        found = (
            value
            if isinstance(value, Fraction)
            else Fraction(str(value.combined()[0])) / Fraction(str(value.combined()[1]))
        )
        assert found == expected, measure.name
