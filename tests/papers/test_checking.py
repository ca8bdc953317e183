"""Every certificate of the ledger is checked by code that shares nothing with the prover."""

from steelyard.papers.checking import check_claims
from steelyard.papers.ledger import CLAIMS
from tests.real_parts import needs


def test_no_certificate_fails_and_every_proof_has_one():
    needs("flint")
    states = {d.claim.id: c.state for d, c in check_claims(CLAIMS) if c is not None}
    assert "fails" not in states.values()
    assert {name for name, state in states.items() if state != "certified"} == set()
