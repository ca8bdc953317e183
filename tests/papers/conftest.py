"""The ledger is decided once for all tests that ask it, each claim with the check of its certificates."""

from __future__ import annotations

import pytest

from steelyard.proofs.prover.certificates import Checked
from steelyard_papers.claim import Decided
from steelyard_papers.ledger import CLAIMS, check_claims
from tests.real_parts import needs


@pytest.fixture(scope="session")
def checked_claims(
    tmp_path_factory: pytest.TempPathFactory,
) -> dict[str, tuple[Decided, Checked | None]]:
    """Claims that are decided by computing, not by a study, and what became of their certificates."""
    needs("flint")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("STEELYARD_CACHE", str(tmp_path_factory.mktemp("claims")))
        return {decided.claim.id: (decided, found) for decided, found in check_claims(CLAIMS)}


@pytest.fixture(scope="session")
def ledger(checked_claims: dict[str, tuple[Decided, Checked | None]]) -> dict[str, Decided]:
    """All claims in their order; those that a study decides from its record."""
    return {
        claim.id: checked_claims[claim.id][0]
        if claim.id in checked_claims
        else Decided(claim, claim.decide())
        for claim in CLAIMS
    }
