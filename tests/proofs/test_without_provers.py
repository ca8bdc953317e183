"""Without FLINT and z3 nothing is proved, and nothing breaks."""

from fractions import Fraction

import pytest

from steelyard.auditing.expressions import Linear, Variable
from steelyard.auditing.problem.settings import solved
from steelyard.auditing.checker.question import Interval, Problem
from steelyard.auditing.search.branch_and_bound import Budget
from steelyard.errors import MissingExtraError
from steelyard.measures.catalogue import measure
from steelyard.proofs import cache
from steelyard.proofs.prover import polynomials, smt, symbols
from steelyard.proofs.prover.subject import Subject
from steelyard.proofs.questions.conditions import PROPERTIES, property_named
from steelyard_papers.ledger import decide


@pytest.fixture
def no_flint(monkeypatch):
    def missing():
        raise MissingExtraError("python-flint", "proofs", "proving an identity")

    monkeypatch.setattr(polynomials, "_flint", missing)
    monkeypatch.setattr(symbols, "available", lambda: False)
    cache.engine.cache_clear()
    yield
    cache.engine.cache_clear()


@pytest.mark.usefixtures("no_flint")
@pytest.mark.parametrize("p", PROPERTIES, ids=lambda p: p.id)
def test_the_refuter_works_alone(p):
    for name in ("precision", "macro_recall"):
        verdict = p.decide(Subject(measure(name)))
        assert verdict.grade in ("refuted", "not refuted", "not applicable")


@pytest.mark.usefixtures("no_flint")
def test_by_construction_needs_no_algebra():
    assert property_named("prior-invariance").decide(Subject(measure("maurpc_ova"))).grade == "proved"


@pytest.mark.usefixtures("no_flint")
def test_the_claims_say_which_extra_they_need():
    with pytest.raises(MissingExtraError, match=r"steelyard\[proofs\]"):
        decide()


def test_without_z3_its_questions_stay_open(monkeypatch):
    monkeypatch.setattr(smt, "available", lambda: False)
    verdict = property_named("bounded").decide(Subject(measure("fowlkes_mallows")))
    assert verdict.grade == "not refuted"
    assert "z3 is not installed" in verdict.method


def test_without_z3_whole_numbers_are_searched(monkeypatch):
    # A sum of two of four numbers, among boxes that must be halved.
    monkeypatch.setattr(smt, "available", lambda: False)
    assert smt.integer_point([(0, 1)], [({0: 1}, 0, 1, 1)]) == ("unknown", None)
    numbers = [10007, 12011, 15013, 18041, 20011, 23017, 26003, 29009]
    problem = Problem([Variable(place, "x", 0, 1) for place in range(len(numbers))])
    form = Linear({v: Fraction(n) for v, n in zip(problem.variables, numbers, strict=True)})
    total = Fraction(10007 + 18041 + 29009)
    problem.require(form, Interval(total, total))
    assert solved(problem, Budget(10), wanted=1).point == (1, 0, 0, 1, 0, 0, 0, 1)
