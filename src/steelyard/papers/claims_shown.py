"""Claims on a terminal."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from rich.text import Text

from steelyard.papers.claim import Decided
from steelyard.properties.shown import STYLES
from steelyard.report.terminal import console, plain_table


def show_claims(decided: Sequence[Decided]) -> None:
    """Every claim on a line, then what the papers have wrong."""
    out = console()
    table = plain_table("id", "where", "statement", "verdict", "evidence")
    for d in decided:
        text = d.finding.evidence if len(d.finding.evidence) < 400 else d.finding.evidence[:397] + "..."
        table.add_row(
            Text(d.claim.id),
            Text(d.claim.where),
            Text(d.claim.statement),
            Text(d.finding.verdict, style=STYLES[d.finding.verdict]),
            Text(text),
        )
    out.print(table)
    counts = Counter(d.finding.verdict for d in decided)
    out.print(
        Text(f"{len(decided)} claims: " + ", ".join(f"{n} {v}" for v, n in counts.most_common()), style="dim")
    )
