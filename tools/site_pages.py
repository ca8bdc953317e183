"""Write the pages of the site that come from the program itself: one for each measure, the public names, a sample report."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import steelyard as sy
from steelyard.measures.catalogue import names_of
from steelyard.measures.measure import Measure
from steelyard.measures.references import REFERENCES

WORKED = [[90, 10], [30, 870]]
KINDS = {"two-class": "Of a positive class", "multi-class": "Of all classes", "scores": "Of scores"}


def write(docs: Path) -> None:
    """Write every generated page below docs/."""
    verdicts = _verdicts(docs / "verdicts.json")
    pages = {f"measures/{m.id}.md": measure_page(m, verdicts.get(m.id, [])) for m in sy.catalogue("all")}
    pages["measures/index.md"] = measures_index()
    pages["_generated/names.rst"] = public_names()
    pages["_generated/report.html"] = sy.evaluate(WORKED, labels=["fraud", "ok"], positive="fraud").to_html()
    for name, text in pages.items():
        target = docs / name
        target.parent.mkdir(exist_ok=True)
        if (
            not target.exists() or target.read_text(encoding="utf-8") != text
        ):  # what did not change is not built again
            target.write_text(text, encoding="utf-8")


def _verdicts(path: Path) -> dict[str, list[dict[str, Any]]]:
    """The verdicts that tools/record_verdicts.py keeps, by measure."""
    if not path.exists():
        return {}
    kept: dict[str, list[dict[str, Any]]] = json.loads(path.read_text(encoding="utf-8"))
    return kept


def measures_index() -> str:
    """All measures by kind."""
    lines = [
        "# Measures",
        "",
        "Every measure of the catalogue: what it asks, how it is defined, where it comes from.",
        "",
    ]
    for kind, title in KINDS.items():
        lines += [f"## {title}", "", "| measure | asks |", "| --- | --- |"]
        lines += [f"| [{m.title}]({m.id}.md) | {m.question} |" for m in sy.catalogue("all") if m.kind == kind]
        lines += [""]
    return "\n".join([*lines, "```{toctree}", ":hidden:", ":glob:", "", "*", "```", ""])


def measure_page(m: Measure, verdicts: list[dict[str, Any]]) -> str:
    """What is said of one measure."""
    lines = [
        f"# {m.title}",
        "",
        m.question,
        "",
        *_formula(m),
        "",
        "| | |",
        "| --- | --- |",
        f"| id | `{m.id}` |",
    ]
    others = [name for name in names_of(m) if name != m.id]
    lines += [f"| also called | {', '.join(others)} |"] if others else []
    lines += [f"| range | {m.range}; {_better(m)} |", f"| undefined | {m.undefined_when} |"]
    lines += (
        [f"| parameters | {', '.join(f'{k} = {v}' for k, v in m.parameters.items())} |"]
        if m.parameters
        else []
    )
    lines += ["", *_example(m)]
    lines += [f"- {relation.text}" for relation in m.relations] + [f"- {note}" for note in m.notes]
    if verdicts:
        lines += ["", "## What is true of it", "", "| statement | verdict |", "| --- | --- |"]
        lines += [f"| {_cell(v['statement'])} | {_cell(v['text'])} |" for v in verdicts]
    if m.sources:
        lines += ["", "## Sources", ""]
        lines += [f"- {source.key} {source.where or ''}: {_reference(source.key)}" for source in m.sources]
    return "\n".join(lines).rstrip() + "\n"


def _better(m: Measure) -> str:
    return {"higher": "higher is better", "lower": "lower is better", "neither": "neither end is better"}[
        m.better
    ]


def _formula(m: Measure) -> list[str]:
    """Typeset as MathML, which browsers draw without a script; and in one line of plain text."""
    try:
        from latex2mathml.converter import convert
    except ImportError:
        return [f"`{m.reads}`"]
    return ["```{raw} html", convert(m.formula, display="block"), "```", "", f"In one line: `{m.reads}`"]


def _example(m: Measure) -> list[str]:
    if m.kind == "scores":
        return []
    value = m(sy.Confusion(WORKED, labels=["fraud", "ok"]), positive="fraud")
    return [
        "Of 100 frauds 90 are found, and 30 of 900 others are called fraud:",
        "",
        "```python",
        ">>> import steelyard as sy",
        f">>> cm = sy.Confusion({WORKED}, labels=['fraud', 'ok'])",
        f">>> round(sy.measure({m.id!r})(cm, positive='fraud'), 3)",
        f"{round(value, 3)!r}",
        "```",
        "",
    ]


def public_names() -> str:
    """Directives for every public name."""
    lines = []
    for name in sy.__all__:
        found = getattr(sy, name)
        if isinstance(found, type):
            lines += [f".. autoclass:: {name}", "   :members:", ""]
        elif callable(found):
            lines += [f".. autofunction:: {name}", ""]
    return "\n".join(lines)


def _reference(key: str) -> str:
    found = REFERENCES[key]
    return f"{found.text} [doi:{found.doi}](https://doi.org/{found.doi})" if found.doi else found.text


def _cell(words: str) -> str:
    return words.replace("|", "\\|").replace("_", "\\_").replace("[[", "\\[\\[")
