"""Which matrices speak for or against the papers' claims? Those of the ledger, as they were decided last.

`python -m steelyard.papers.counterexamples` decides the claims and writes them down anew, so that nobody who
only wants to look at a matrix waits for a proof.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from fractions import Fraction
from functools import cache
from pathlib import Path

FILE = Path(__file__).with_suffix(".json")


@dataclass(frozen=True)
class Kept:
    """The matrices on which a claim was decided."""

    claim: str
    paper: str
    statement: str
    verdict: str
    matrices: tuple[tuple[tuple[Fraction, ...], ...], ...]


@cache
def kept() -> tuple[Kept, ...]:
    """The claims that were decided by matrices, in the order of the ledger."""
    return tuple(
        Kept(
            one["claim"],
            one["paper"],
            one["statement"],
            one["verdict"],
            tuple(tuple(tuple(Fraction(v) for v in row) for row in m) for m in one["matrices"]),
        )
        for one in json.loads(FILE.read_text(encoding="utf-8"))
    )


def main() -> None:
    """Decide the ledger and write the matrices down."""
    from steelyard.papers import ledger

    found = [
        {
            "claim": one.claim.id,
            "paper": one.claim.paper,
            "statement": one.claim.statement,
            "verdict": one.finding.verdict,
            "matrices": [[[str(v) for v in row] for row in m] for m in one.finding.matrices],
        }
        for one in ledger.decide()
        if one.finding.matrices
    ]
    FILE.write_text(json.dumps(found, ensure_ascii=False, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
