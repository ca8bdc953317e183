"""What is true of a measure, and how it looks, as a page."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from html import escape

from steelyard._version import __version__
from steelyard.measures.measure import Measure
from steelyard.properties import pictures as pictures
from steelyard.properties.conditions import BY_ID
from steelyard.properties.examination import Examination
from steelyard.properties.portrait import PRIORS, Portrait
from steelyard.properties.verdict import Verdict
from steelyard.properties.verdict_markup import GRADES, matrices_shown, verdict_word
from steelyard.report.page import html


def page(
    found: Examination, portrait: Portrait | None, no_picture: str = "", measure: Measure | None = None
) -> str:
    """The whole page: the verdicts, then the pictures or why there are none; `measure` is the one of the catalogue, if it is."""
    return html.page(f"Examination of {found.subject}", list(_body(found, portrait, no_picture, measure)))


def _body(
    found: Examination, portrait: Portrait | None, no_picture: str, measure: Measure | None
) -> Iterator[str]:
    yield html.heading(found.title, 1)
    if measure is not None:
        yield html.paragraph(measure.question)
        yield html.paragraph(
            f"{found.subject} = {measure.reads}. Range {measure.range}, undefined when: {measure.undefined_when}.",
            "soft",
        )
    for remark in found.remarks:
        yield html.paragraph(f"Note: {remark}.", "bad")
    yield from _verdicts(found)
    if portrait is None:
        yield html.heading("How it looks")
        yield html.paragraph(f"There are no pictures: {no_picture}.")
    else:
        yield from _rates(portrait, found.subject)
        yield from _fixed_classifiers(portrait, found.subject)
    yield html.paragraph(
        f"Steelyard {__version__}. The same verdicts are printed by steelyard examine, with --json as figures.",
        "soft",
    )


def _verdicts(found: Examination) -> Iterator[str]:
    counts = Counter(v.grade for v in found.verdicts)
    yield html.heading("What is true of it")
    yield html.cards(
        [(grade, str(counts[grade]), meaning) for grade, meaning in GRADES.items() if counts[grade]]
    )
    yield html.paragraph(
        "Rows of a matrix are the true classes, columns the predicted ones; below it stands the value.",
        "soft",
    )
    yield html.table(
        ["property", "verdict", "for", "evidence"],
        [_row(v) for v in found.verdicts],
        words=(0, 3),
        identity="verdicts",
        stacked=True,
    )


def _row(verdict: Verdict) -> list[object]:
    known = BY_ID.get(verdict.question)
    name = known.name if known is not None else verdict.question
    statement = html.coloured(known.statement, "soft") if known is not None else ""
    applies = "" if verdict.grade == "not applicable" else verdict.classes
    return [
        html.Markup(f"<b>{escape(name)}</b><br>{statement}"),
        verdict_word(verdict.grade),
        applies,
        html.Markup("".join(_evidence(verdict))),
    ]


def _evidence(verdict: Verdict) -> Iterator[str]:
    example = verdict.counterexample
    words = [verdict.method]
    if verdict.grade == "refuted" and example is not None:
        words = [] if len(example.values) == len(example.matrices) else [str(example)]
        held = [str(part.n_classes) for part in verdict.at if part.grade == "proved"]
        words += [f"proved at C = {', '.join(held)}"] if held else []
        yield matrices_shown(example.matrices, example.shown_values) + "<br>"
    yield escape("; ".join([*words, *verdict.notes]))


def _rates(portrait: Portrait, name: str) -> Iterator[str]:
    yield html.heading("Over the class rates")
    if not portrait.has_two_class_values:
        yield html.paragraph("With two classes it has no value to draw.")
        return
    common = pictures.common_levels(portrait)
    if not common:
        yield html.paragraph(
            "With two classes it has the same value for every classifier at every prior: there is nothing to draw."
        )
        return
    yield html.paragraph(
        "With two classes a classifier is a point: the share of the negatives it tells right (TNr) and the share of the positives (TPr). "
        "A measure that does not depend on the class proportions looks the same at every prior."
    )
    yield html.choice(
        "prior",
        "Prior of the positive class, v_P:",
        [(f"{prior:g}", _at_prior(portrait, name, prior, common)) for prior in PRIORS],
    )
    yield html.figure(
        pictures.cube_picture(portrait, name),
        "The gradient over TNr, TPr and v_P, after Fig. 1 of skrabanek2017. An arrow points to where the value grows. Arrows that stay in their plane "
        "(blue) say that the class proportions do not matter there; arrows that leave it (orange) say that they do. The longest quarter is cut to one length.",
    )


def _at_prior(portrait: Portrait, name: str, prior: float, common: list[float]) -> str:
    levels = pictures.levels_picture(portrait, name, prior, common)
    slopes = pictures.slopes_picture(portrait, name, prior)
    circles = (
        "A filled circle: the value grows with the prior, class rates unchanged; an empty one: it falls; larger where it matters more."
        if pictures.depends_on_prior(portrait, prior)
        else "There are no circles: the value does not change with the prior."
    )
    one = html.figure(
        levels,
        f"Level curves at v_P = {prior:g}. Classifiers on one curve have the same value; the deeper the colour, the greater.",
    )
    other = html.figure(
        slopes, f"Slopes at v_P = {prior:g}. An arrow points to where the value grows fastest. {circles}"
    )
    return f'<div class="pair">{one}{other}</div>'


def _fixed_classifiers(portrait: Portrait, name: str) -> Iterator[str]:
    yield html.heading("A fixed classifier on other classes")
    against_prior, against_classes = (
        pictures.prior_picture(portrait, name),
        pictures.classes_picture(portrait, name),
    )
    errs = (
        ""
        if portrait.classes_of_shares == 2
        else " Where it errs it takes every class for the first, and the first for the second."
    )
    if against_prior is not None:
        who = (
            "two classes"
            if portrait.classes_of_shares == 2
            else "three classes, the other two equally frequent"
        )
        yield html.figure(
            against_prior,
            f"With {who}. The classifier stays the same, only how frequent the classes are changes; a line that is not level is the distortion of mullick2020, Fig. 2c.{errs}",
        )
    if against_classes is not None:
        yield html.figure(
            against_classes,
            f"With classes of equal size. The classifier tells the same share of every class right, however many there are; a line that is not level is the distortion of mullick2020, Fig. 2f.{errs}",
        )
    elif portrait.against_classes:
        yield html.paragraph(
            "There is no picture over the number of classes: it has a value with one number of classes at most."
        )
    if against_prior is None and not portrait.against_classes:
        yield html.paragraph("It has no value to draw.")
