"""Write the pages of the site that come from the program itself: one for each measure, the table of their
properties, the public names, a sample report, the studio."""

from __future__ import annotations

import re
from pathlib import Path

import steelyard as sy
from steelyard.judgement.studio import Studio
from steelyard.measures.catalogue import names_of
from steelyard.measures.measure import Measure
from steelyard.measures.record import REFERENCES
from steelyard.proofs.precomputed import made_of, shipped
from steelyard.proofs.property_table import (
    GOSGENS,
    KEY,
    OTHERS,
    PropertyTable,
    anchor,
    cell_of,
    counted,
    property_table,
)
from steelyard.proofs.questions.conditions import BY_ID, EVERY_PROPERTY
from steelyard.proofs.verdict import Verdict
from steelyard_papers.gosgens2021.published import comparisons
from tools.measure_figures import figure

WORKED = [[90, 10], [30, 870]]
KINDS = {
    "two-class": "Two-class metrics",
    "multi-class": "Multi-class metrics",
    "scores": "Metrics of scores",
}


def write(docs: Path) -> None:
    """Write every generated page below docs/."""
    pages = {f"measures/{m.id}.md": measure_page(m) for m in sy.catalogue("all", wide=True)}
    pages["_generated/property-table.md"] = property_table_page()
    pages["measures/index.md"] = measures_index()
    pages["_generated/names.rst"] = public_names()
    pages["_generated/report.html"] = sy.evaluate(WORKED, labels=["fraud", "ok"], positive="fraud").to_html()
    pages["_generated/studio.html"] = Studio().to_html()
    for name, text in pages.items():
        target = docs / name
        target.parent.mkdir(exist_ok=True)
        if (
            not target.exists() or target.read_text(encoding="utf-8") != text
        ):  # what did not change is not built again
            target.write_text(text, encoding="utf-8")


def verdicts_on(m: Measure) -> list[Verdict]:
    """The verdicts that come with the package."""
    return [v for v in _shipped(m) if v.grade != "not applicable"]


def _shipped(m: Measure) -> list[Verdict]:
    definition = None if m.kind == "scores" else made_of(m)
    return [v for p in EVERY_PROPERTY if (v := shipped(definition, p.id)) is not None]


def property_table_page() -> str:
    """Every metric against every property, and the cells of gosgens2021 beside ours."""
    whole = len(EVERY_PROPERTY)
    table = property_table([m for m in sy.catalogue(wide=True) if len(_shipped(m)) == whole])
    lines = [counted(table.examinations), "", KEY, "", "Each mark links to its evidence.", ""]
    for title, names in (
        ("Properties of gosgens2021", GOSGENS),
        ("Conditions, p1 to p5 and common use", OTHERS),
    ):
        lines += [f"## {title}", "", *_marks(table, names), "", *_legend(names), ""]
    lines += ["## Published cells beside ours, for two classes", "", *_published(), ""]
    return "\n".join(lines)


def _marks(table: PropertyTable, names: dict[str, str]) -> list[str]:
    lines = ["| metric | " + " | ".join(names.values()) + " |", "| --- |" + " --- |" * len(names)]
    for e in table.examinations:
        page = f"measures/{e.measure.id if e.measure is not None else e.subject}.html"
        cells = [
            f'<a href="{page}#{anchor(e.subject, i)}" title="{cell_of(e[i]).in_words}">{cell_of(e[i]).mark}</a>'
            for i in names
        ]
        lines.append(f'| <a href="{page}">{e.subject}</a> | ' + " | ".join(cells) + " |")
    return lines


def _legend(names: dict[str, str]) -> list[str]:
    return [
        f"- {short}: {BY_ID[i].name}, {BY_ID[i].statement} ({BY_ID[i].source})" for i, short in names.items()
    ]


def _published() -> list[str]:
    cells = list(comparisons())
    rows = list(dict.fromkeys(cell.row for cell in cells))
    lines = ["| metric | " + " | ".join(GOSGENS.values()) + " |", "| --- |" + " --- |" * len(GOSGENS)]
    for row in rows:
        marks = [
            f"{c.our_mark} ({c.theirs.mark})" if c.theirs else f"{c.our_mark} (–)"
            for c in cells
            if c.row == row
        ]
        lines.append(f"| {row} | " + " | ".join(marks) + " |")
    known = [c for c in cells if c.theirs is not None]
    found = f"of {len(cells)} cells {len(known)} are in its public text"
    rest = f"{len(cells) - len(known)} are not public (–)"
    lines += ["", f"Ours, with the paper's in parentheses: {found}, {rest}.", ""]
    lines += [
        f"- {c.row}, {BY_ID[c.property_id].name}: the paper {c.theirs.mark}, here {c.our_mark}. {_cell(c.why)}"
        for c in known
        if c.differs and c.theirs is not None
    ]
    return lines


def measures_index() -> str:
    """All metrics by kind."""
    lines = [
        "# Metrics",
        "",
        "Every metric of the catalogue: definition, range, properties and sources.",
        "",
    ]
    for kind, title in KINDS.items():
        lines += [f"## {title}", "", "| metric | what it measures |", "| --- | --- |"]
        lines += [
            f"| [{m.title}]({m.id}.md) | {m.question} |"
            for m in sy.catalogue("all", wide=True)
            if m.kind == kind
        ]
        lines += [""]
    return "\n".join([*lines, "```{toctree}", ":hidden:", ":glob:", "", "*", "```", ""])


def measure_page(m: Measure) -> str:
    """The page of one metric."""
    lines = [
        f"# {m.title}",
        "",
        m.question,
        "",
        *_formula(m),
        "",
        f"| id | `{m.id}` |",
        "| --- | --- |",
    ]
    others = [name for name in names_of(m) if name != m.id]
    lines += [f"| aliases | {', '.join(others)} |"] if others else []
    lines += [f"| range | {m.range}; {_better(m)} |", f"| undefined | {m.undefined_when} |"]
    lines += (
        [f"| parameters | {', '.join(f'{k} = {v}' for k, v in m.parameters.items())} |"]
        if m.parameters
        else []
    )
    lines += ["", *_example(m), "", *figure(m)]
    lines += [f"- {relation.text}" for relation in m.relations] + [f"- {note}" for note in m.notes]
    if verdicts := verdicts_on(m):
        lines += ["", "## Properties", "", "| property | verdict |", "| --- | --- |"]
        lines += [
            f'| <a id="{anchor(m.name, v.question)}"></a>{_cell(BY_ID[v.question].statement)} | {_cell(str(v))} |'
            for v in verdicts
        ]
    if m.sources:
        lines += ["", "## Sources", ""]
        lines += [f"- {source.key} {source.where or ''}: {_reference(source.key)}" for source in m.sources]
    return "\n".join(lines).rstrip() + "\n"


def _better(m: Measure) -> str:
    return {
        "higher": "higher is better",
        "lower": "lower is better",
        "neither": "neither direction is better",
    }[m.better]


def _formula(m: Measure) -> list[str]:
    """Typeset as MathML, which browsers draw without a script; and in one line of plain text."""
    try:
        from latex2mathml.converter import convert
    except ImportError:
        return [f"`{m.reads}`"]
    # \Bigl and \Bigr are read as brackets of a fixed size, of which browsers draw one large and one small.
    stretched = re.sub(r"\\[bB]igg?r", r"\\right", re.sub(r"\\[bB]igg?l", r"\\left", m.formula))
    return ["```{raw} html", convert(stretched, display="block"), "```", "", f"As text: `{m.reads}`"]


def _example(m: Measure) -> list[str]:
    if m.kind == "scores":
        return []
    value = m(sy.Confusion(WORKED, labels=["fraud", "ok"]), positive="fraud")
    return [
        "Of 100 frauds 90 are detected; 30 of 900 other payments are false alarms:",
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
