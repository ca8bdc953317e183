"""Every certificate of the ledger is checked by code that shares nothing with the prover."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from steelyard_papers.ledger import PAPERS
from tests.papers.conftest import CheckedClaims


@pytest.mark.parametrize("paper", PAPERS)
def test_no_certificate_fails_and_every_proof_has_one(
    checked_claims: Callable[[str], CheckedClaims], paper: str
) -> None:
    states = {name: found.state for name, (_, found) in checked_claims(paper).items() if found is not None}
    assert "fails" not in states.values()
    assert {name for name, state in states.items() if state != "certified"} == set()
