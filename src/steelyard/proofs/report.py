"""Reports of examinations: the verdicts in a line, every property, and the figures."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Any

from steelyard._version import __version__
from steelyard.proofs.portrait import PRIORS, Portrait
from steelyard.proofs.questions.conditions import BY_ID, Property
from steelyard.proofs.verdict import Grade, Verdict
from steelyard.report import sections as blocks
from steelyard.report.sections import Block, Cell, Column, Report, Section, Sentence, Table

if TYPE_CHECKING:
    from steelyard.proofs.result import Examination

TONES: dict[str, blocks.Tone] = {
    "proved": "good",
    "proved of the formula": "good",
    "reproduced": "good",
    "refuted": "bad",
    "reproduced (digits cut)": "good",
    "within noise": "open",
    "not reproduced": "bad",
    "not refuted": "open",
    "timed out": "open",
    "not decided": "soft",
    "not applicable": "soft",
}
GRADES: dict[Grade, str] = {
    "proved": "by an argument or by exact algebra, for the numbers of classes that are named",
    "proved of the formula": "the same, of the formula that a Python function was traced to",
    "refuted": "by a matrix on which it fails, verified before it is shown",
    "not refuted": "so many cases were tried, and it held in all of them",
    "timed out": "the deciders gave up within their limits, and no counterexample was found",
    "not applicable": "the question does not arise",
}
ORIENTATION = "Rows of a matrix are the true classes, columns the predicted ones. C is the number of classes."
# Tables of verdicts are shown whole.
EVERY_ROW = 1000
# What the range of a formula says whose author declared none.
UNBOUNDED = "-∞ to ∞"

# What a property means to somebody who wants to use the measure: where it holds, and where it does not.
_CONSEQUENCES: dict[str, tuple[str, str]] = {
    "prior-invariance": (
        "does not depend on how frequent the classes are",
        "depends on how frequent the classes are",
    ),
    "same-bounds": (
        "has the same bounds for every number of classes",
        "has bounds that change with the number of classes",
    ),
    "one-class-failing": (
        "still distinguishes classifiers when one class is missed entirely",
        "falls to its worst value when one class is missed entirely",
    ),
    "chance-constant": (
        "gives all random predictions the same value",
        "gives random predictions different values",
    ),
    "monotone": ("never gets worse when an error becomes a hit", "can get worse when an error becomes a hit"),
}


def examination_report(examination: Examination) -> Report:
    """One measure: its verdicts, then its figures where they were drawn."""
    counts = Counter(v.grade for v in examination.verdicts)
    cards = tuple(blocks.Card(g, str(counts[g]), meaning) for g, meaning in GRADES.items() if counts[g])
    return Report(
        examination.title,
        (
            Section("", tuple(_opening(examination)), "brief"),
            Section("", (blocks.Cards(cards),), "page"),
            Section("Properties", tuple(_verdicts(examination)), "brief", "properties"),
            *looks(examination),
        ),
        footer=(f"Steelyard {__version__}. With --json the verdicts and their certificates are data."),
    )


def _opening(examination: Examination) -> Iterator[Block]:
    yield Sentence(verdict_line(examination), "strong")
    if examination.measure is not None:
        yield Sentence(f"Question it answers: {examination.measure.question}")
        written, limits = examination.measure.reads, str(examination.measure.range)
        # A user's formula reads as it was given, and has no range but the one that is found below.
        formula = "" if written == examination.subject else f"{examination.subject} = {written}. "
        bounds = "" if limits == UNBOUNDED else f"Range {limits}; "
        condition = f"{bounds}undefined when: {examination.measure.undefined_when}."
        yield Sentence(formula + condition[0].upper() + condition[1:], "soft")
    for remark in examination.remarks:
        yield Sentence(f"Note: {remark}.", "bad")


def verdict_line(examination: Examination) -> str:
    """What the verdicts come to, in one line."""
    consequences = []
    for question, (holds, fails) in _CONSEQUENCES.items():
        verdict = next((v for v in examination.verdicts if v.question == question), None)
        if verdict is not None and verdict.holds is not None:
            consequences.append(holds if verdict.holds else fails)
    counts = Counter(v.grade for v in examination.verdicts)
    number = f"{len(examination.verdicts)} propert{'ies' if len(examination.verdicts) > 1 else 'y'}"
    counted = f"Of {number}: " + ", ".join(f"{counts[grade]} {grade}" for grade in GRADES if counts[grade])
    *others, last = consequences or [""]
    joined = f"{', '.join(others)} and {last}" if others else last
    return f"It {joined}. {counted}." if consequences else f"{counted}."


def _verdicts(examination: Examination, identity: str = "verdicts") -> Iterator[Block]:
    if any(v.counterexample is not None for v in examination.verdicts):
        yield Sentence(ORIENTATION, "soft")
    if any(v.question == "p1" for v in examination.verdicts):
        yield Sentence("p1 to p5: invariances of two classes, as garcia2012 numbers them.", "soft")
    rows = []
    for v in examination.verdicts:
        known = BY_ID.get(v.question)
        title, statement = (v.question, "") if known is None else (known.title, known.statement)
        rows.append((Cell(title, "strong"), Cell(statement, "soft"), *_decision(v)))
    names = "property", "it says", "verdict", "for", "evidence"
    table = words_table(names, rows, identity=identity)
    statement_column = replace(table.columns[1], depth="page")
    yield replace(table, columns=(table.columns[0], statement_column, *table.columns[2:]))


def words_table(names: Sequence[str], rows: Iterable[Sequence[Cell | str]], **options: Any) -> Table:
    """A table of words, shown whole."""
    columns = tuple(Column(name, "words", name == "verdict") for name in names)
    return Table(columns, tuple(map(tuple, rows)), stacked=True, most_printed=EVERY_ROW, **options)


def _decision(verdict: Verdict) -> tuple[Cell | str, ...]:
    """The cells of the columns verdict, for and evidence."""
    classes = "" if verdict.grade == "not applicable" else verdict.classes
    return verdict_cell(verdict.grade), classes, evidence(verdict)


def verdict_cell(word: str) -> Cell:
    """A verdict, in the tone of its kind."""
    return Cell(word, TONES[word])


def evidence(verdict: Verdict) -> Cell:
    """The counterexample or the method, then the notes."""
    example = verdict.counterexample
    if verdict.grade != "refuted" or example is None:
        texts = (verdict.uncertified, verdict.method, verdict.domain, *verdict.notes)
        return Cell("; ".join(words for words in texts if words))
    captions = example.shown_values
    if len(example.matrices) == 1:  # two measures on one matrix
        captions = [" but ".join(captions)]
    if len(captions) != len(example.matrices):
        captions = [""] * len(example.matrices)
    words = [verdict.proved_at] if verdict.proved_at else []
    shown = tuple(map(blocks.SmallMatrix.of, example.matrices, captions))
    text = "; ".join([*words, *verdict.notes])
    return Cell(f"{text}:" if text and shown else text, matrices=shown)


def few_report(examinations: Sequence[Examination]) -> Report:
    """A few measures with every verdict."""
    sections = tuple(
        Section(f"{e.title} ({e.subject})", (*_opening(e), *_verdicts(e, e.subject)), "brief")
        for e in examinations
    )
    return Report(f"{len(examinations)} metrics", sections, footer=f"Steelyard {__version__}.")


def relations_report(title: str, verdicts: Sequence[Verdict]) -> Report:
    """How measures relate to another one."""
    rows = ((v.question, *_decision(v)) for v in verdicts)
    table = words_table(("relation", "verdict", "for", "evidence"), rows, identity="relations")
    return Report(title, (Section("", (table,), "brief"),), footer=f"Steelyard {__version__}.")


def statements_report(properties: Sequence[Property]) -> Report:
    """What the properties say."""
    rows = ((Cell(p.title, "strong"), p.statement, p.source) for p in properties)
    table = words_table(("property", "statement", "source"), rows, identity="statements")
    return Report("What a metric is examined for", (Section("", (table,), "brief"),))


# -- how a measure looks: figures are drawn on a page only, so what draws them is imported there


def looks(examination: Examination) -> Iterator[Section]:
    """The sections of the figures; none before the measure was drawn."""
    if (portrait := examination.portrait) is not None:
        yield Section("Over the class rates", tuple(_rates(portrait, examination.subject)), "page")
        fixed = tuple(_fixed_classifiers(portrait, examination.subject))
        yield Section("A fixed classifier on other classes", fixed, "page")
    elif examination.no_picture:
        why = Sentence(f"There are no figures: {examination.no_picture}.")
        yield Section("How it looks", (why,), "page")


def _rates(portrait: Portrait, name: str) -> Iterator[Block]:
    from steelyard.proofs import figures

    if not portrait.has_two_class_values:
        yield Sentence("With two classes it has no value to draw.")
        return
    common = figures.common_levels(portrait)
    if not common:
        yield Sentence(
            "With two classes it has the same value for every classifier at every prior:"
            " there is nothing to draw."
        )
        return
    yield Sentence(
        "With two classes a classifier is a point: its specificity (TNr) and its recall (TPr). A measure that"
        " does not depend on class prevalence looks the same at every prior."
    )
    options = []
    for prior in PRIORS:
        levels = blocks.Figure(partial(figures.levels_chart, portrait, name, prior, common))
        slopes = blocks.Figure(partial(figures.slopes_chart, portrait, name, prior))
        options.append((f"{prior:g}", (blocks.SideBySide((levels, slopes)),)))
    yield blocks.Choice("prior", "Prior of the positive class, v_P:", tuple(options))


def _fixed_classifiers(portrait: Portrait, name: str) -> Iterator[Block]:
    from steelyard.proofs import figures

    charts = figures.fixed_charts(portrait, name)
    yield from (blocks.Figure(partial(charts.__getitem__, identity)) for identity in charts)
    if "classes" not in charts and portrait.against_classes:
        why = "it has a value with one number of classes at most"
        yield Sentence(f"There is no figure over the number of classes: {why}.")
    if not charts and not portrait.against_classes:
        yield Sentence("It has no value to draw.")
