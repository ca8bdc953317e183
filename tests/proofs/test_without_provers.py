"""Without FLINT and z3 nothing is proved, and nothing breaks."""

import pytest

import steelyard as sy
from steelyard.errors import MissingExtraError
from steelyard.measures.catalogue import measure
from steelyard.proofs import precomputed
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
    precomputed.engine.cache_clear()
    yield
    precomputed.engine.cache_clear()


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


@pytest.mark.usefixtures("no_flint")
def test_an_examination_names_the_command_that_installs_the_provers_once():
    found = sy.examine("mean(hits/max(actual, predicted))", "scale")
    assert [remark for remark in found.remarks if "pip install 'steelyard[proofs]'" in remark] == list(
        found.remarks
    )
    assert str(found).count("pip install") == 1
    assert sy.examine("precision", "prior-invariance").remarks == ()  # refuted, which needs no proof
