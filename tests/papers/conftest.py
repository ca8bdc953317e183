"""The ledger is decided once for all tests that ask it, each claim with the check of its certificates."""

from __future__ import annotations

import functools
from collections.abc import Callable

import pytest

from steelyard.proofs.prover.certificates import Checked
from steelyard_papers.claim import Decided
from steelyard_papers.ledger import CLAIMS, check_claims, choose
from tests.real_parts import needs

CheckedClaim = tuple[Decided, Checked | None]


@pytest.fixture(scope="session")
def checked_claims(tmp_path_factory: pytest.TempPathFactory) -> Callable[[str], CheckedClaim]:
    """A claim that is decided by computing, not by a study, and what became of its certificates."""
    needs("flint")
    folder = tmp_path_factory.mktemp("claims")

    @functools.cache
    def of_claim(name: str) -> CheckedClaim:
        with pytest.MonkeyPatch.context() as patch:
            patch.setenv("STEELYARD_CACHE", str(folder))
            (checked,) = check_claims(choose(only=[name]))
            return checked

    return of_claim


@pytest.fixture(scope="session")
def ledger(checked_claims: Callable[[str], CheckedClaim]) -> dict[str, Decided]:
    """All claims in their order; those that a study decides from its record."""
    return {
        claim.id: Decided(claim, claim.decide()) if claim.study else checked_claims(claim.id)[0]
        for claim in CLAIMS
    }
