"""Every certificate of the ledger is checked by code that shares nothing with the prover."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from steelyard_papers.ledger import CLAIMS
from tests.papers.conftest import CheckedClaim


@pytest.mark.parametrize("name", [claim.id for claim in CLAIMS if not claim.study])
def test_no_certificate_fails_and_every_proof_has_one(
    checked_claims: Callable[[str], CheckedClaim], name: str
) -> None:
    _, found = checked_claims(name)
    assert found is None or found.state == "certified"
