"""Verdicts on a terminal."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from rich.console import Console
from rich.text import Text

from steelyard.properties.conditions import BY_ID
from steelyard.properties.examination import Examination
from steelyard.properties.verdict import Verdict
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
        table.add_row(
            Text(name),
            Text(verdict.grade, style=STYLES[verdict.grade]),
            Text(verdict.classes),
            Text(evidence(verdict)),
        )
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
            "✓ proved, ✗ refuted, ? not refuted, … timed out, · not applicable: "
            + ", ".join(f"{n} {g}" for g, n in counts.most_common()),
            style="dim",
        )
    )


def show_verdicts(verdicts: Sequence[Verdict]) -> None:
    """Relations between two measures."""
    table = plain_table("relation", "verdict", "for", "evidence")
    for v in verdicts:
        table.add_row(
            Text(v.question), Text(v.grade, style=STYLES[v.grade]), Text(v.classes), Text(evidence(v))
        )
    console().print(table)
