"""Do the certificates of the ledger hold? Every claim is decided anew, and its certificates are checked by
code that shares nothing with the prover."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from steelyard.papers.claim import Claim, Decided, verdict_on
from steelyard.proofs.prover.certified import Checked, checked, with_certificates


def check_claims(claims: Iterable[Claim]) -> Iterator[tuple[Decided, Checked | None]]:
    """Each claim with what became of its certificates; None where nothing was proved by algebra: a
    counterexample or a study decides."""
    for claim in claims:
        if claim.study:
            continue
        verdict_on.cache_clear()  # so that what claims share is filed with each of them
        finding, certificates = with_certificates(claim.decide)
        proved = finding.verdict == "proved" or certificates
        yield Decided(claim, finding), checked(certificates, finding.evidence) if proved else None
