"""Studies on the terminal: which there are, and what a run found."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from rich.text import Text

from steelyard.papers.study import Study
from steelyard.report.terminal import console, plain_table


def listed(study: Study, record: Mapping[str, Any] | None) -> dict[str, Any]:
    """One study as plain data."""
    return {
        "study": study.name,
        "paper": study.paper,
        "title": study.title,
        "reproduces": study.reproduces,
        "recorded": None
        if record is None
        else {"seed": record["seed"], "run": record["run"], "findings": record["findings"]},
    }


def show_list(rows: Iterable[tuple[Study, Mapping[str, Any] | None]]) -> None:
    """Every study on a line."""
    table = plain_table("study", "what it does again", "recorded run")
    for study, record in rows:
        table.add_row(Text(study.name), Text(study.title), Text(_record(record)))
    console().print(table)


def show_result(result: Mapping[str, Any]) -> None:
    """The paper's findings beside ours."""
    out = console()
    out.print(Text(f"{result['study']}: {result['title']}", style="bold"))
    if result["quick"]:
        out.print(
            Text(
                "A quick run: not the paper's size. Its findings show only that the study runs.",
                style="italic",
            )
        )
    table = plain_table("claim", "the paper states", "paper", "ours", "verdict")
    for finding in result["findings"]:
        verdict = "reproduced" if finding["reproduced"] else "not reproduced"
        table.add_row(
            *(Text(str(finding[key])) for key in ("claim_id", "statement", "paper_figure", "our_figure")),
            Text(verdict, style="" if finding["reproduced"] else "bold"),
        )
    out.print(table)
    run = result["run"]
    out.print(
        Text(
            f"seed {result['seed']}, {run['steps']} steps, {run['seconds']:,.1f} s of work, {run['started']}",
            style="dim",
        )
    )


def _record(record: Mapping[str, Any] | None) -> str:
    if record is None:
        return "none"
    held = sum(finding["reproduced"] for finding in record["findings"])
    return f"{held} of {len(record['findings'])} statements reproduced"
