"""All claims, and what became of each."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from steelyard.errors import InputError, MissingExtraError, UnknownNameError
from steelyard.papers import audits
from steelyard.papers.branco2017 import claims as branco2017
from steelyard.papers.claim import Claim, Decided, Finding
from steelyard.papers.claims_sections import ledger_report
from steelyard.papers.garcia2012 import claims as garcia2012
from steelyard.papers.gosgens2021 import claims as gosgens2021
from steelyard.papers.mortaz2020 import claims as mortaz2020
from steelyard.papers.mullick2020 import claims as mullick2020
from steelyard.papers.skrabanek2017 import claims as skrabanek2017
from steelyard.proofs import cache
from steelyard.proofs.prover import symbols
from steelyard.report.presented import Presented
from steelyard.report.sections import Report

CLAIMS: tuple[Claim, ...] = (
    *mullick2020.CLAIMS,
    *branco2017.CLAIMS,
    *audits.of("branco2017"),
    *garcia2012.CLAIMS,
    *skrabanek2017.CLAIMS,
    *audits.of("skrabanek2017"),
    *mortaz2020.CLAIMS,
    *audits.of("mortaz2020"),
    *gosgens2021.CLAIMS,
)
PAPERS = tuple(dict.fromkeys(claim.paper for claim in CLAIMS))


@dataclass(frozen=True, repr=False)
class Ledger(Presented):
    """Claims of the papers, and what became of each."""

    decided: tuple[Decided, ...]

    def report(self) -> Report:
        return ledger_report(self)

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


def decide(
    claims: Iterable[Claim] = CLAIMS, progress: Callable[[Claim], None] | None = None
) -> list[Decided]:
    """The verdict on each claim, from the cache where nothing has changed since it was computed."""
    if not symbols.available():
        raise MissingExtraError("python-flint", "proofs", "deciding the claims")
    decided = []
    for claim in claims:
        if progress is not None:
            progress(claim)
        if claim.study:  # read from the study's record, which may be newer than the cache
            decided.append(Decided(claim, claim.decide()))
            continue
        name = cache.key("claim", claim.id, claim.statement)
        finding = cache.load(name, _read)
        if finding is None:
            finding = claim.decide()
            cache.store(name, _plain(finding))
        decided.append(Decided(claim, finding))
    return decided


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
    matrices = tuple(tuple(tuple(Fraction(v) for v in row) for row in m) for m in data["matrices"])
    return Finding(
        verdict=data["verdict"],
        evidence=data["evidence"],
        matrices=matrices,
        parts=tuple(data["parts"]),
        classes=data["classes"],
    )
