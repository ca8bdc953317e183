"""A study's page in Markdown: the paper's findings beside ours, with the run."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from steelyard_papers.decided import stated, study_tally, verdict_on_finding
from steelyard_papers.experiment import ResultTable

MOST_ROWS = 80
NOT_REPRINTED = (
    "The paper's own figures are not reprinted (publisher's copyright). Printed values stand"
    " beside ours in the figures and tables; where the paper prints only a figure, its finding is"
    " stated in words."
)


def page(result: Mapping[str, Any], pictures: str = "") -> str:
    """A result as Markdown; `pictures` goes before the names of the figure files."""
    run = result["run"]
    lines = [
        f"# {result['study']}: {result['title']}",
        "",
        f"Paper: `{result['paper']}`. {result['reproduces']}",
        "",
    ]
    if result["quick"]:
        lines += [
            ("**This is a quick run, not the paper's size: its findings show only that the study runs.**"),
            "",
        ]
    if result["differs"]:
        listed = "; ".join(
            f"{name} = {shown_value(result['parameters'][name])} instead of {shown_value(paper)}"
            for name, paper in result["differs"].items()
        )
        lines += [f"**Not the paper's size: {listed}.**", ""]
    lines += [
        f"{study_tally(result['findings'])}.",
        "",
        "## The paper's findings beside ours",
        "",
        "| claim | statement | the paper's figure | our figure | verdict |",
        "| --- | --- | --- | --- | --- |",
    ]
    lines += [
        f"| {f['claim_id']} | {table_cell(stated(f))} | {table_cell(f['paper_figure'])}"
        f" | {table_cell(f['our_figure'])} | {_verdict(f)} |"
        for f in result["findings"]
    ]
    lines.append("")
    lines += [f"- **{f['claim_id']}: {_verdict(f)}.** {f['words']}" for f in result["findings"]]
    lines += ["", "## How it was done", "", *(f"- {sentence}" for sentence in result["method"])]
    if result.get("choices"):
        lines += ["", "## What was settled here, and when", ""]
        lines += [f"- *{choice['when']}*: {choice['what']}" for choice in result["choices"]]
    if result["notes"]:
        lines += ["", "## What else was seen", "", *(f"- {note}" for note in result["notes"])]
    for name, words in result["pictures"].items():
        lines += ["", f"![{words}]({pictures}{name}.svg)", "", f"*{words}*"]
    if result["pictures"]:
        lines += ["", NOT_REPRINTED]
    for plain in result["tables"]:
        if plain["shown"]:
            lines += ["", *_table(ResultTable.from_dict(plain))]
    versions = ", ".join(f"{name} {version}" for name, version in run["versions"].items())
    quick = " --quick" if result["quick"] else ""
    lines += [
        "",
        "## The run",
        "",
        (
            f"`steelyard study run {result['study']} --seed {result['seed']}{quick}`, started"
            f" {run['started']}, {run['steps']} steps, {run['seconds']:,.1f} s of work on {run['workers']}"
            f" worker{'s' if run['workers'] > 1 else ''}; {versions}."
        ),
        "",
        (
            "Parameters: "
            + "; ".join(f"{key} = {shown_value(value)}" for key, value in result["parameters"].items())
            + "."
            if result["parameters"]
            else "No parameters."
        ),
        "",
    ]
    return "\n".join(lines)


def _verdict(finding: Mapping[str, Any]) -> str:
    probability = finding.get("probability")
    return verdict_on_finding(finding) + ("" if probability is None else f" (probability {probability:.2f})")


def _table(table: ResultTable) -> list[str]:
    rows = list(table.rows)[:MOST_ROWS]
    lines = [
        f"### {table.title}",
        "",
        "| " + " | ".join(table.columns) + " |",
        "|" + " --- |" * len(table.columns),
    ]
    lines += ["| " + " | ".join(table_cell(shown_value(value)) for value in row) + " |" for row in rows]
    if len(table.rows) > len(rows):
        lines += ["", f"({len(table.rows) - len(rows)} more rows in {table.name}.csv.)"]
    return lines


def shown_value(value: Any) -> str:
    if value is None:
        return "-"
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, float):
        return f"{value:.4g}" if abs(value) < 1000 else f"{value:,.0f}"
    if isinstance(value, int):
        return f"{value:,}"
    if isinstance(value, list | tuple):
        return ", ".join(shown_value(v) for v in value)
    return str(value)


def table_cell(text: str) -> str:
    """Text of a cell of a Markdown table."""
    return str(text).replace("|", "\\|").replace("\n", " ")
