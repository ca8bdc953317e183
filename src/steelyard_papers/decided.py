"""Recorded verdicts of the ledger, with their matrices.

`python -m steelyard_papers.decided` decides every statement that needs no study and writes the file again, so
that nobody who only wants to read a verdict waits for a proof.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

from steelyard.proofs import Matrix, as_matrix
from steelyard_papers.branco2017.printed import CASES
from steelyard_papers.experiment import verdict_of
from steelyard_papers.recorded import recorded
from steelyard_papers.registry import Entry, statements

FILE = Path(__file__).with_suffix(".json")
# Largest matrix shown cell by cell.
LARGEST = 12


@dataclass(frozen=True)
class Recorded:
    """What was decided of a statement."""

    verdict: str
    classes: str
    matrices: tuple[Matrix, ...]


@cache
def decided() -> Mapping[str, Recorded]:
    """The statements that were decided without a study, by id."""
    records = json.loads(FILE.read_text(encoding="utf-8"))
    return {
        name: Recorded(record["verdict"], record["classes"], tuple(map(as_matrix, record["matrices"])))
        for name, record in records.items()
    }


def recorded_verdict(entry: Entry) -> str:
    """The verdict on a statement as the package keeps it: that of the last decision or of the study's run."""
    if not entry.study:
        return decided()[entry.id].verdict
    for finding in recorded(entry.study)["findings"]:
        if finding["claim_id"] == entry.id:
            return verdict_of(finding)
    return "not decided"


def tally(verdicts: Iterable[str]) -> str:
    """ "2 reproduced, 1 within noise", the most frequent first."""
    return ", ".join(f"{count} {verdict}" for verdict, count in Counter(verdicts).most_common())


def study_tally(findings: Sequence[Mapping[str, Any]]) -> str:
    """The findings of a study: what the paper states, and apart from it what we ask ourselves."""
    known = statements()
    ours = [f for f in findings if f["claim_id"] in known and known[f["claim_id"]].ours]
    theirs = [f for f in findings if f not in ours]
    parts = []
    for group, singular, plural in (
        (theirs, "statement of the paper", "statements of the paper"),
        (ours, "question of ours", "questions of ours"),
    ):
        if group:
            parts.append(
                f"{len(group)} {singular if len(group) == 1 else plural}:"
                f" {tally(map(verdict_on_finding, group))}"
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


def cases() -> list[dict[str, Any]]:
    """The worked cases of branco2017 and the matrices that decide the ledger, for the studio."""
    listed = [
        _case("branco2017", f"branco2017, case {number}", f"Case {number} of Tables 2 to 5.", rows)
        for number, rows in CASES.items()
    ]
    for name, verdict in decided().items():
        entry = statements()[name]
        for k, matrix in enumerate(verdict.matrices):
            if 2 <= len(matrix) <= LARGEST and all(len(row) == len(matrix) for row in matrix):
                which = f", M{k + 1}" if len(verdict.matrices) > 1 else ""
                title, words = f"{name}{which}: {verdict.verdict}", f"{entry.what} ({verdict.verdict})"
                listed.append(_case(f"claims of {entry.paper}", title, words, matrix))
    return listed


def _case(group: str, name: str, words: str, rows: Sequence[Sequence[Any]]) -> dict[str, Any]:
    cells = [[int(v) if v == int(v) else float(v) for v in row] for row in rows]
    labels = [f"c{i + 1}" for i in range(len(rows))]
    return {"group": group, "name": name, "words": words, "labels": labels, "rows": cells}


def main() -> None:
    """Decide the ledger and write the verdicts and matrices down."""
    from steelyard_papers.ledger import CLAIMS, decide

    records = {
        decision.claim.id: {
            "verdict": decision.finding.verdict,
            "classes": decision.finding.classes,
            "matrices": [[[str(v) for v in row] for row in m] for m in decision.finding.matrices],
        }
        for decision in decide([claim for claim in CLAIMS if not claim.study])
    }
    FILE.write_text(json.dumps(records, ensure_ascii=False, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
