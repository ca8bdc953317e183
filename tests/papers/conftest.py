"""The ledger is decided once for all tests that ask it, each claim with the check of its certificates."""

from __future__ import annotations

import functools
from collections.abc import Callable

import pytest

from steelyard.proofs.prover.certificates import Checked
from steelyard_papers.claim import Decided
from steelyard_papers.ledger import CLAIMS, PAPERS, check_claims, choose
from tests.real_parts import needs

CheckedClaims = dict[str, tuple[Decided, Checked | None]]


@pytest.fixture(scope="session")
def checked_claims(tmp_path_factory: pytest.TempPathFactory) -> Callable[[str], CheckedClaims]:
    """Claims of a paper that are decided by computing, not by a study, and what became of their certificates."""
    needs("flint")
    folder = tmp_path_factory.mktemp("claims")

    @functools.cache
    def of_paper(paper: str) -> CheckedClaims:
        with pytest.MonkeyPatch.context() as patch:
            patch.setenv("STEELYARD_CACHE", str(folder))
            return {decided.claim.id: (decided, found) for decided, found in check_claims(choose(paper))}

    return of_paper


@pytest.fixture(scope="session")
def ledger(checked_claims: Callable[[str], CheckedClaims]) -> dict[str, Decided]:
    """All claims in their order; those that a study decides from its record."""
    computed = {name: decided for paper in PAPERS for name, (decided, _) in checked_claims(paper).items()}
    return {
        claim.id: computed[claim.id] if claim.id in computed else Decided(claim, claim.decide())
        for claim in CLAIMS
    }
