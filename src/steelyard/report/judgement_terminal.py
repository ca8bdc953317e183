"""Verdicts, claims and advice on a terminal."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Sequence
from typing import Any

from rich.console import Console
from rich.text import Text

from steelyard.claims.claim import Decided
from steelyard.properties.conditions import BY_ID
from steelyard.properties.examination import Examination
from steelyard.properties.verdict import Verdict
from steelyard.recommend import Recommendation
from steelyard.report.terminal import console, plain_table

STYLES = {
    "proved": "green", "reproduced": "green", "refuted": "red", "not reproduced": "red", "not refuted": "yellow", "timed out": "yellow",
    "not decided": "dim", "not applicable": "dim",
}  # fmt: skip
MARKS = {"proved": "✓", "refuted": "✗", "not refuted": "?", "timed out": "…", "not applicable": "·"}


def progress(text: str) -> None:
    """One line on standard error, so that a pipe stays clean."""
    Console(stderr=True, highlight=False).print(Text(text, style="dim"))


def show_examination(found: Examination) -> None:
    """Every property of one measure, with its evidence."""
    out = console()
    out.print(Text(found.title, style="bold"), Text(f"({found.subject})", style="dim"))
    for remark in found.remarks:
        out.print(Text(f"Note: {remark}.", style="yellow"))
    table = plain_table("property", "verdict", "for", "evidence")
    for verdict in found.verdicts:
        name = BY_ID[verdict.question].name if verdict.question in BY_ID else verdict.question
        table.add_row(Text(name), Text(verdict.grade, style=STYLES[verdict.grade]), Text(verdict.classes), Text(evidence(verdict)))
    out.print(table)


def evidence(verdict: Verdict) -> str:
    """The counterexample or the method, then the notes."""
    if verdict.grade == "refuted" and verdict.counterexample is not None:
        held = [str(part.n_classes) for part in verdict.at if part.grade == "proved"]
        first = str(verdict.counterexample) + (f"; proved at C = {', '.join(held)}" if held else "")
    else:
        first = verdict.method
    return "; ".join([first, *verdict.notes[:2]])


def show_statements() -> None:
    """What the properties say."""
    table = plain_table("property", "statement", "source")
    for p in BY_ID.values():
        table.add_row(Text(p.name), Text(p.statement), Text(p.source))
    console().print(table)


def show_overview(found: Sequence[Examination]) -> None:
    """Many measures: a mark for each property."""
    out = console()
    ids = [v.question for v in found[0].verdicts]
    table = plain_table("measure", *(BY_ID[i].name.replace("Condition ", "C") for i in ids))
    for e in found:
        table.add_row(Text(e.subject), *(Text(MARKS[v.grade], style=STYLES[v.grade]) for v in e.verdicts))
    out.print(table)
    counts = Counter(v.grade for e in found for v in e.verdicts)
    out.print(
        Text(
            "✓ proved, ✗ refuted, ? not refuted, … timed out, · not applicable: " + ", ".join(f"{n} {g}" for g, n in counts.most_common()),
            style="dim",
        )
    )


def show_verdicts(verdicts: Sequence[Verdict]) -> None:
    """Relations between two measures."""
    table = plain_table("relation", "verdict", "for", "evidence")
    for v in verdicts:
        table.add_row(Text(v.question), Text(v.grade, style=STYLES[v.grade]), Text(v.classes), Text(evidence(v)))
    console().print(table)


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
    out.print(Text(f"{len(decided)} claims: " + ", ".join(f"{n} {v}" for v, n in counts.most_common()), style="dim"))


def show_advice(found: Recommendation) -> None:
    """A short ranked list."""
    out = console()
    for place, advice in enumerate(found.advice, start=1):
        out.print(Text(f"{place}. {advice.measure.title}", style="bold"), Text(f"({advice.measure.name})", style="dim"))
        for reason in advice.reasons:
            out.print(Text(f"   because {reason.rule} [{reason.source}]"))
            out.print(Text(f"      {reason.rests_on}", style="dim"))
        for words in advice.gives_up:
            out.print(Text(f"   gives up: {words}", style="yellow"))
    if not found.advice:
        out.print(Text("No measure of the catalogue fits all of this.", style="yellow"))
    for words in found.left_out:
        out.print(Text(f"Left out: {words}", style="dim"))


def as_json(data: Any) -> str:
    return json.dumps(data, ensure_ascii=False, allow_nan=False, indent=2)
