"""The ledger: all claims with their verdicts."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

from steelyard.errors import InputError, UnknownNameError
from steelyard.proofs import Checked, as_matrix, cached, require_provers, with_certificates
from steelyard.report import Presented, Report
from steelyard_papers.claim import Claim, Decided, Finding, verdict_on
from steelyard_papers.claims_sections import ledger_report
from steelyard_papers.registry import statements

CLAIMS: tuple[Claim, ...] = tuple(entry.claim for entry in statements().values())
PAPERS = tuple(dict.fromkeys(claim.paper for claim in CLAIMS))


@dataclass(frozen=True, repr=False)
class Ledger(Presented):
    """Claims of the papers with their verdicts."""

    decided: tuple[Decided, ...]

    def report(self) -> Report:
        return ledger_report(self.decided)

    def to_dict(self) -> dict[str, Any]:
        return {"claims": self.plain()}

    def plain(self) -> list[dict[str, Any]]:
        return [d.to_dict() for d in self.decided]

    def table(self) -> list[dict[str, Any]]:
        """Every claim as a row of plain data."""
        kept = ("id", "paper", "where", "statement", "verdict", "evidence")
        return [{name: d.to_dict()[name] for name in kept} for d in self.decided]


def choose(paper: str | None = None, only: Iterable[str] = ()) -> tuple[Claim, ...]:
    """All claims, those of one paper, or those with these ids."""
    if paper is not None and paper not in PAPERS:
        raise UnknownNameError("paper", paper, PAPERS)
    wanted = list(only)
    ids = [claim.id for claim in CLAIMS]
    for name in wanted:
        if name not in ids:
            raise UnknownNameError("claim", name, ids)
    chosen = tuple(
        c for c in CLAIMS if (paper is None or c.paper == paper) and (not wanted or c.id in wanted)
    )
    if not chosen:
        raise InputError(
            "no claim is left", found=f"paper={paper!r} with {', '.join(wanted)}", do="leave one of them out"
        )
    return chosen


def claims(
    paper: str | None = None,
    only: Iterable[str] = (),
    progress: Callable[[float], None] | None = None,
) -> Ledger:
    """Decide what the papers state: all of it, that of one paper, or the statements with these ids."""
    return Ledger(tuple(decide(choose(paper, only), progress)))


def decide(
    claims: Sequence[Claim] = CLAIMS, progress: Callable[[float], None] | None = None
) -> list[Decided]:
    """The verdict on each claim, from the cache where nothing has changed since it was computed."""
    require_provers("deciding the claims")
    decided = []
    for done, claim in enumerate(claims):
        if progress is not None:
            progress(done / len(claims))
        if claim.study:  # read from the study's record, which may be newer than the cache
            finding = claim.decide()
        else:
            finding = cached(("claim", claim.id, claim.statement, _sources()), claim.decide, _plain, _read)
        decided.append(Decided(claim, finding))
    return decided


def check_claims(claims: Iterable[Claim]) -> Iterator[tuple[Decided, Checked | None]]:
    """Decide every claim anew and have an independent checker, which shares no code with the prover, go over
    its certificates; None where nothing was proved by algebra: a counterexample or a study decides."""
    for claim in claims:
        if claim.study:
            continue
        verdict_on.cache_clear()  # so that what claims share is filed with each of them
        finding, checked = with_certificates(claim.decide, lambda finding: finding.evidence)
        proved = finding.verdict == "proved" or checked.certificates
        yield Decided(claim, finding), checked if proved else None


@cache
def _sources() -> str:
    """A fingerprint of this package: what was decided by other code is decided anew."""
    files = sorted(Path(__file__).parent.rglob("*.py"))
    return hashlib.sha256(b"".join(path.read_bytes() for path in files)).hexdigest()


def _plain(finding: Finding) -> dict[str, Any]:
    matrices = [[[str(v) for v in row] for row in m] for m in finding.matrices]
    return {
        "verdict": finding.verdict,
        "evidence": finding.evidence,
        "matrices": matrices,
        "parts": list(finding.parts),
        "classes": finding.classes,
    }


def _read(data: dict[str, Any]) -> Finding:
    matrices = tuple(map(as_matrix, data["matrices"]))
    return Finding(
        verdict=data["verdict"],
        evidence=data["evidence"],
        matrices=matrices,
        parts=tuple(data["parts"]),
        classes=data["classes"],
    )
