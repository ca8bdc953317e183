"""Every certificate of the ledger is checked by code that shares nothing with the prover."""

from __future__ import annotations

from steelyard.proofs.prover.certificates import Checked
from steelyard_papers.claim import Decided


def test_no_certificate_fails_and_every_proof_has_one(
    checked_claims: dict[str, tuple[Decided, Checked | None]],
) -> None:
    states = {name: found.state for name, (_, found) in checked_claims.items() if found is not None}
    assert "fails" not in states.values()
    assert {name for name, state in states.items() if state != "certified"} == set()
