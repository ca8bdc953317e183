"""Check the certificates of the ledger: every claim is decided anew, and an independent checker, which shares
no code with the prover, goes over its certificates."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from steelyard.proofs import Checked, with_certificates
from steelyard_papers.claim import Claim, Decided, verdict_on


def check_claims(claims: Iterable[Claim]) -> Iterator[tuple[Decided, Checked | None]]:
    """Each claim with what became of its certificates; None where nothing was proved by algebra: a
    counterexample or a study decides."""
    for claim in claims:
        if claim.study:
            continue
        verdict_on.cache_clear()  # so that what claims share is filed with each of them
        finding, checked = with_certificates(claim.decide, lambda finding: finding.evidence)
        proved = finding.verdict == "proved" or checked.certificates
        yield Decided(claim, finding), checked if proved else None
