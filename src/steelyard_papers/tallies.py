"""How many statements have which verdict: counted in one way for the ledger, the studies and every page."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from steelyard_papers.decided import recorded_verdict
from steelyard_papers.experiment import verdict_of
from steelyard_papers.registry import statements


def tally(verdicts: Iterable[str]) -> str:
    """ "2 reproduced, 1 within noise", the most frequent first."""
    return ", ".join(f"{count} {verdict}" for verdict, count in Counter(verdicts).most_common())


def study_tally(findings: Sequence[Mapping[str, Any]]) -> str:
    """The findings of a study: what the paper states, and apart from it what we ask ourselves."""
    known = statements()
    ours = [f for f in findings if f["claim_id"] in known and known[f["claim_id"]].ours]
    theirs = [f for f in findings if f not in ours]
    parts = []
    for found, one, more in (
        (theirs, "statement of the paper", "statements of the paper"),
        (ours, "question of ours", "questions of ours"),
    ):
        if found:
            parts.append(
                f"{len(found)} {one if len(found) == 1 else more}: {tally(map(verdict_on_finding, found))}"
            )
    return "; ".join(parts)


HOLDS = ("proved", "reproduced", "reproduced (digits cut)")


def verdict_on_finding(finding: Mapping[str, Any]) -> str:
    """The verdict on a finding's statement: the ledger's where the statement is decided without a study and
    the run agrees with it, so that a statement has one verdict everywhere."""
    entry = statements().get(finding["claim_id"])
    if entry is not None and not entry.study:
        known = recorded_verdict(entry)
        if (known in HOLDS) == bool(finding["reproduced"]):
            return known
    return verdict_of(finding)


def stated(finding: Mapping[str, Any]) -> str:
    """The words of a finding's statement, as the registry has them; a question of ours is called one."""
    known = statements().get(finding["claim_id"])
    if known is None:
        return str(finding["statement"])
    return f"{known.what} (our question)" if known.ours else known.what
