"""Which matrices speak for or against the papers' claims? Those of the ledger, as they were decided last.

`python -m steelyard_papers.counterexamples` decides the claims and writes them down anew, so that nobody who
only wants to look at a matrix waits for a proof.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cache
from pathlib import Path
from typing import Any

from steelyard_papers.branco2017.printed import CASES

LARGEST = 12
"""Classes up to which a counterexample can be looked at cell by cell."""
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


def cases() -> list[dict[str, Any]]:
    """The worked cases of branco2017 and the matrices that decide the ledger, for the studio."""
    found = [
        _case("branco2017", f"branco2017, case {number}", f"Case {number} of Tables 2 to 5.", rows)
        for number, rows in CASES.items()
    ]
    for one in kept():
        for k, matrix in enumerate(one.matrices):
            if 2 <= len(matrix) <= LARGEST and all(len(row) == len(matrix) for row in matrix):
                which = f", M{k + 1}" if len(one.matrices) > 1 else ""
                name, words = f"{one.claim}{which}: {one.verdict}", f"{one.statement} ({one.verdict})"
                found.append(_case(f"claims of {one.paper}", name, words, matrix))
    return found


def _case(group: str, name: str, words: str, rows: Sequence[Sequence[Any]]) -> dict[str, Any]:
    cells = [[int(v) if v == int(v) else float(v) for v in row] for row in rows]
    labels = [f"c{i + 1}" for i in range(len(rows))]
    return {"group": group, "name": name, "words": words, "labels": labels, "rows": cells}


def main() -> None:
    """Decide the ledger and write the matrices down."""
    from steelyard_papers import ledger

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
