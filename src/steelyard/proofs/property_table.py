"""Property table: measures against properties, each cell with its evidence."""

# A cell speaks of two classes and of more: where the two differ it holds a mark for each.

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from steelyard._version import __version__
from steelyard.measures.catalogue import catalogue
from steelyard.proofs.judge import examine
from steelyard.proofs.questions.conditions import BY_ID, EVERY_PROPERTY, property_named
from steelyard.proofs.report import EVERY_ROW, TONES, evidence, verdict_cell, words_table
from steelyard.proofs.result import Examination, Overview
from steelyard.proofs.verdict import EVERY, Grade, Verdict, joint_grade
from steelyard.report.sections import Block, Cell, Column, Folded, Report, Section, Sentence, Table

# The properties of gosgens2021, under short names.
GOSGENS = {
    "maximal-agreement": "Max",
    "minimal-agreement": "Min",
    "order-invariance": "CSym",
    "transposition": "Sym",
    "distance": "Dist",
    "strictly-monotone": "Mon",
    "strongly-monotone": "SMon",
    "constant-baseline": "CB",
    "chance-constant": "ACB",
}
# The others, under theirs.
OTHERS = {
    "prior-invariance": "C1",
    "same-bounds": "C2",
    "one-class-failing": "C3",
    "p1": "p1",
    "p2": "p2",
    "p3": "p3",
    "p4": "p4",
    "p5": "p5",
    "bounded": "Bnd",
    "scale-invariance": "Scl",
    "monotone": "NW",
    "constant-predictor": "CP",
    "always-defined": "Def",
    "label-noise": "LN",
}
OPEN = ("not refuted", "timed out")
MARKS = {"proved": "✓", "proved of the formula": "✓", "refuted": "✗", "open": "?"}


@dataclass(frozen=True)
class CellOfTable:
    """What is known of one property of one measure, for two classes and for more."""

    verdict: Verdict
    two: Grade | None
    many: Grade | None

    @property
    def grades(self) -> dict[str, str]:
        """The grades for two classes and for more, where the question arises; open where undecided."""
        known = {"C = 2": self.two, "C > 2": self.many}
        return {
            when: "open" if grade in OPEN else grade for when, grade in known.items() if grade is not None
        }

    @property
    def cases(self) -> int:
        """How many cases were tried."""
        return sum(decision.cases for decision in self.verdict.at)

    @property
    def mark(self) -> str:
        """✓, ✗, ?, or one for two classes and one for more."""
        return "/".join(dict.fromkeys(MARKS[grade] for grade in self.grades.values())) or "·"

    @property
    def in_words(self) -> str:
        """The same in words."""
        tried = {"open": f"open, {self.cases:,} cases tried"}
        words = (f"{when}: {tried.get(grade, grade)}" for when, grade in self.grades.items())
        return "; ".join(words) or "not applicable"


def cell_of(verdict: Verdict) -> CellOfTable:
    """A verdict by numbers of classes."""
    if verdict.grade == "not applicable":
        return CellOfTable(verdict, None, None)
    two = next((decision.grade for decision in verdict.at if decision.n_classes == 2), None)
    grades = [decision.grade for decision in verdict.at if decision.n_classes > 2]
    every = verdict.grade == "proved" and verdict.classes == EVERY
    many: Grade | None = "proved" if every else joint_grade(grades) if grades else None
    return CellOfTable(verdict, two if two is not None or many is not None else verdict.grade, many)


@dataclass(frozen=True, repr=False)
class PropertyTable(Overview):
    """Measures against properties.

    >>> import steelyard as sy
    >>> from steelyard.proofs.property_table import property_table
    >>> table = property_table([sy.measure("accuracy")])
    >>> table.cell("accuracy", "distance").mark, table.cell("accuracy", "constant-baseline").mark
    ('✓', '✗')
    """

    def cell(self, measure: str, property_id: str) -> CellOfTable:
        """What is known of a property of a measure."""
        examination = next(e for e in self.examinations if e.subject == measure)
        return cell_of(examination[property_id])

    def report(self) -> Report:
        return table_report(self.examinations)

    def to_html(self, path: str | Path | None = None, **more: Any) -> str:
        return super(Overview, self).to_html(path, **more)

    def table(self) -> list[dict[str, Any]]:
        """Every cell as a row of plain data."""
        return [
            {
                "measure": e.subject,
                "property": v.question,
                "two classes": cell_of(v).two,
                "more classes": cell_of(v).many,
                "cases": cell_of(v).cases,
                "certified": v.certified,
                "text": str(v),
            }
            for e in self.examinations
            for v in e.verdicts
        ]


def property_table(measures: Sequence[Any]) -> PropertyTable:
    """Every property of these measures, from the verdicts that come with the package where there are any."""
    return PropertyTable(tuple(examine(m, EVERY_PROPERTY) for m in measures))


def properties(
    *, has: Iterable[str] = (), lacks: Iterable[str] = (), columns: Iterable[str] = (), wide: bool = False
) -> PropertyTable:
    """The measures of which some properties are proved and others refuted, against every property or those
    named as `columns`; with `wide` also the measures that are found by name only."""
    wanted = [(property_named(name), "proved") for name in has]
    wanted += [(property_named(name), "refuted") for name in lacks]
    named = {property_named(name).id for name in columns}
    shown = [p for p in EVERY_PROPERTY if not named or p.id in named or p in dict(wanted)]
    return PropertyTable(
        tuple(
            examine(m, shown)
            for m in catalogue(wide=wide)
            if all(examine(m, [p]).verdicts[0].grade == grade for p, grade in wanted)
        )
    )


def table_report(examinations: Sequence[Examination]) -> Report:
    """The marks, what they count up to, and on a page the evidence for each."""
    if not examinations:
        none = Sentence("No metric of the catalogue has all of these.")
        return Report("0 metrics", (Section("", (none,)),))
    questions = [v.question for v in examinations[0].verdicts]
    sections = [Section("", (Sentence(counted(examinations)), Sentence(KEY, "soft")), "brief")]
    titles = "Properties of gosgens2021", "Conditions, p1 to p5 and common use"
    for title, names in zip(titles, (GOSGENS, OTHERS), strict=True):
        shown = {i: name for i, name in names.items() if i in questions}
        if shown:
            called = {i: BY_ID[i].words or BY_ID[i].name for i in shown}
            words = "; ".join(f"{name} {called[i]}" for i, name in shown.items() if name != i)
            legend = (Sentence(f"{words}.", "soft"),) if words else ()
            sections.append(Section(title, (*legend, _marks(examinations, shown)), "brief"))
    short = {**GOSGENS, **OTHERS}
    rows = ((i, BY_ID[i]) for i in questions)
    stated = tuple((Cell(short.get(i, i), "strong"), p.title, p.statement, p.source) for i, p in rows)
    statements = words_table(("column", "property", "it says", "source"), stated)
    sections.append(Section("The properties", (statements,), "page"))
    folded = tuple(Folded(f"{e.title} ({e.subject})", _evidence(e)) for e in examinations)
    sections.append(Section("Evidence for each metric", folded, "page"))
    return Report(
        f"{len(examinations)} metrics and {len(questions)} propert{'y' if len(questions) == 1 else 'ies'}",
        tuple(sections),
        footer=f"Steelyard {__version__}. Every mark comes from a verdict that steelyard examine prints.",
    )


KEY = (
    "✓ proved, ✗ refuted, ? open, · does not arise; a/b: a for two classes, b for more. Proved of more"
    " classes means of three, or of every number where its evidence says so."
)


def counted(examinations: Sequence[Examination]) -> str:
    """How many cells are decided and how many are open."""
    counts: Counter[str] = Counter()
    open_cases = 0
    for cell in (cell_of(v) for e in examinations for v in e.verdicts):
        counts.update(cell.grades.values())
        open_cases += cell.cases if "open" in cell.grades.values() else 0
    total = sum(counts.values())
    open_ones = f"{counts['open']} are open (nothing found in {open_cases:,} cases)" if counts["open"] else ""
    decided = f"{counts['proved']} proved, {counts['refuted']} refuted by a matrix"
    return f"{total:,} questions: {decided}{', ' + open_ones if open_ones else ''}."


def anchor(measure: str, property_id: str) -> str:
    """The name by which a link finds the evidence."""
    return re.sub(r"[^a-z0-9]+", "-", f"{measure} {property_id}".lower()).strip("-")


def _marks(examinations: Sequence[Examination], shown: dict[str, str]) -> Table:
    columns = (Column("metric", "words", whole=True), *(Column(name, "words") for name in shown.values()))
    rows = []
    for e in examinations:
        by_id = {v.question: v for v in e.verdicts}
        cells: list[Cell | str] = [e.title]
        for property_id in shown:
            cell = cell_of(by_id[property_id])
            tip, link = f"{BY_ID[property_id].name}, {cell.in_words}", anchor(e.subject, property_id)
            cells.append(Cell(cell.mark, TONES[cell.verdict.grade], tip=tip, link=link))
        rows.append(tuple(cells))
    return Table(columns, tuple(rows), most_printed=EVERY_ROW, most_on_page=EVERY_ROW)


def _evidence(examination: Examination) -> tuple[Block, ...]:
    rows = []
    for v in examination.verdicts:
        name = Cell(BY_ID[v.question].name, "strong", anchor=anchor(examination.subject, v.question))
        state = "" if v.certified is None else "certified" if v.certified else "not certified"
        rows.append((name, verdict_cell(v.grade), v.classes, state, evidence(v)))
    names = "property", "verdict", "for", "certificate", "evidence"
    return (words_table(names, rows, most_on_page=EVERY_ROW),)
