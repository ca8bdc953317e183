"""Reports of examinations: the verdicts in a line, every property, and the figures."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from functools import partial
from typing import TYPE_CHECKING

from steelyard._version import __version__
from steelyard.proofs.portrait import PRIORS, Portrait
from steelyard.proofs.questions.conditions import BY_ID, Property
from steelyard.proofs.verdict import Grade, Matrix, Verdict
from steelyard.report.sections import (
    Block,
    Card,
    Cards,
    Cell,
    Choice,
    Figure,
    Option,
    Report,
    Section,
    Sentence,
    SideBySide,
    SmallMatrix,
    Table,
    Tone,
    words_column,
)

if TYPE_CHECKING:
    from steelyard.proofs.result import Examination

TONES: dict[str, Tone] = {
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
ORIENTATION = "Rows of a matrix are the true classes, columns the predicted ones."
# Tables of verdicts are shown whole.
EVERY_ROW = 1000

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
        "still tells classifiers apart when one class fails",
        "falls to its worst when one class fails",
    ),
    "chance-constant": ("gives all guesses the same value", "does not give all guesses the same value"),
    "monotone": ("never gets worse when an error becomes a hit", "can get worse when an error becomes a hit"),
}


def examination_report(examination: Examination) -> Report:
    """One measure: its verdicts, then its figures where they were drawn."""
    return Report(
        examination.title,
        (
            Section("", tuple(_opening(examination)), "brief"),
            Section("", (_counted(examination),), "page"),
            Section("What is true of it", tuple(_verdicts(examination)), "brief", "properties"),
            *looks(examination),
        ),
        footer=(f"Steelyard {__version__}. With --json the verdicts and their certificates are data."),
    )


def _opening(examination: Examination) -> Iterator[Block]:
    yield Sentence(verdict_line(examination), "strong")
    if examination.measure is not None:
        yield Sentence(examination.measure.question)
        yield Sentence(
            f"{examination.subject} = {examination.measure.reads}. Range {examination.measure.range},"
            f" undefined when: {examination.measure.undefined_when}.",
            "soft",
        )
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
    joined = (
        ", ".join(consequences[:-1]) + " and " + consequences[-1]
        if len(consequences) > 1
        else "".join(consequences)
    )
    return f"It {joined}. {counted}." if consequences else f"{counted}."


def _counted(examination: Examination) -> Cards:
    counts = Counter(v.grade for v in examination.verdicts)
    return Cards(
        tuple(Card(grade, str(counts[grade]), meaning) for grade, meaning in GRADES.items() if counts[grade])
    )


def _verdicts(examination: Examination, identity: str = "verdicts") -> Iterator[Block]:
    if any(v.counterexample is not None for v in examination.verdicts):
        yield Sentence(ORIENTATION, "soft")
    columns = (
        words_column("property"),
        words_column("it says", depth="page"),
        words_column("verdict", whole=True),
        words_column("for"),
        words_column("evidence"),
    )
    yield Table(
        columns,
        tuple(_verdict_row(v) for v in examination.verdicts),
        identity=identity,
        stacked=True,
        most_printed=EVERY_ROW,
    )


def _verdict_row(verdict: Verdict) -> tuple[Cell | str, ...]:
    known = BY_ID.get(verdict.question)
    return (
        Cell(verdict.question if known is None else known.title, "strong"),
        Cell("" if known is None else known.statement, "soft"),
        verdict_cell(verdict.grade),
        _applies_to(verdict),
        evidence(verdict),
    )


def _applies_to(verdict: Verdict) -> str:
    return "" if verdict.grade == "not applicable" else verdict.classes


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
    words: list[str] = []
    proved_at = [str(decision.n_classes) for decision in verdict.at if decision.grade == "proved"]
    words += [f"proved at C = {', '.join(proved_at)}"] if proved_at else []
    return Cell("; ".join([*words, *verdict.notes]), matrices=matrices(example.matrices, captions))


def matrices(exact: Sequence[Matrix], captions: Sequence[str] = ()) -> tuple[SmallMatrix, ...]:
    """Exact matrices to be shown, each over its caption if there are captions."""
    words = captions if len(captions) == len(exact) else [""] * len(exact)
    return tuple(SmallMatrix.of(matrix, caption) for matrix, caption in zip(exact, words, strict=True))


MARKS: dict[Grade, str] = {
    "proved": "✓",
    "proved of the formula": "✓",
    "refuted": "✗",
    "not refuted": "?",
    "timed out": "…",
    "not applicable": "·",
}


def few_report(examinations: Sequence[Examination]) -> Report:
    """A few measures with every verdict."""
    sections = tuple(
        Section(f"{e.title} ({e.subject})", (*_opening(e), *_verdicts(e, e.subject)), "brief")
        for e in examinations
    )
    return Report(f"{len(examinations)} metrics", sections, footer=f"Steelyard {__version__}.")


def relations_report(title: str, verdicts: Sequence[Verdict]) -> Report:
    """How measures relate to another one."""
    rows = tuple((v.question, verdict_cell(v.grade), _applies_to(v), evidence(v)) for v in verdicts)
    columns = (
        words_column("relation"),
        words_column("verdict", whole=True),
        words_column("for"),
        words_column("evidence"),
    )
    table = Table(columns, rows, identity="relations", stacked=True, most_printed=EVERY_ROW)
    return Report(title, (Section("", (table,), "brief"),), footer=f"Steelyard {__version__}.")


def statements_report(properties: Sequence[Property]) -> Report:
    """What the properties say."""
    rows = tuple((Cell(p.title, "strong"), p.statement, p.source) for p in properties)
    columns = (words_column("property"), words_column("statement"), words_column("source"))
    table = Table(columns, rows, identity="statements", stacked=True, most_printed=EVERY_ROW)
    return Report("What a metric is examined for", (Section("", (table,), "brief"),))


# -- how a measure looks: figures are drawn on a page only, so what draws them is imported there


def looks(examination: Examination) -> Iterator[Section]:
    """The sections of the figures; none before the measure was drawn."""
    if examination.portrait is not None:
        yield Section(
            "Over the class rates", tuple(_rates(examination.portrait, examination.subject)), "page"
        )
        fixed = tuple(_fixed_classifiers(examination.portrait, examination.subject))
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
    yield Choice(
        "prior",
        "Prior of the positive class, v_P:",
        tuple(Option(f"{prior:g}", (_at_prior(portrait, name, prior, common),)) for prior in PRIORS),
    )


def _at_prior(portrait: Portrait, name: str, prior: float, common: list[float]) -> SideBySide:
    from steelyard.proofs import figures

    return SideBySide(
        (
            Figure(partial(figures.levels_chart, portrait, name, prior, common)),
            Figure(partial(figures.slopes_chart, portrait, name, prior)),
        )
    )


def _fixed_classifiers(portrait: Portrait, name: str) -> Iterator[Block]:
    from steelyard.proofs import figures

    two = portrait.classes_of_shares == 2
    errs = "" if two else " Where it errs it takes every class for the first, and the first for the second."
    who = "two classes" if two else "three classes, the other two equally frequent"
    against_prior = figures.prior_chart(
        portrait,
        name,
        f"With {who}. The classifier stays the same, only how frequent the classes are changes; a line"
        f" that is not level is the distortion of mullick2020, Fig. 2c.{errs}",
    )
    against_classes = figures.classes_chart(
        portrait,
        name,
        "With classes of equal size. The classifier is correct on the same share of every class, however many"
        f" there are; a line that is not level is the distortion of mullick2020, Fig. 2f.{errs}",
    )
    if against_prior is not None:
        yield Figure(lambda: against_prior)
    if against_classes is not None:
        yield Figure(lambda: against_classes)
    elif portrait.against_classes:
        yield Sentence(
            "There is no figure over the number of classes: it has a value with one number of classes at"
            " most."
        )
    if against_prior is None and not portrait.against_classes:
        yield Sentence("It has no value to draw.")
