"""Report of a recommendation: each choice with why, what it rests on, and what it gives up."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from steelyard._version import __version__
from steelyard.report.sections import Block, Cell, Folded, Report, Section, Sentence, Table, words_column

if TYPE_CHECKING:
    from steelyard.judgement.recommend.questions import Situation
    from steelyard.judgement.recommend.result import Advice, Recommendation

NOT_PROVED = "not proved"
RELEVANCE = {
    "prevalence": "rare classes that matter more",
    "partial": "some classes known to matter more than others",
    "total": "classes in an order of relevance",
    "scores": "a score of relevance for each class",
}


def recommendation_report(found: Recommendation) -> Report:
    """The ranked list, best first."""
    first = tuple(_opening(found))
    choices = (_choice(place, advice) for place, advice in enumerate(found.advice, start=1))
    left_out = tuple(Sentence(words, "soft") for words in found.left_out)
    return Report(
        "Which metric to use",
        (
            Section("", first, "brief"),
            *((Section("Or", (_others(found),), "brief"),) if found.advice[1:] else ()),
            *(
                (Section("What further answers would change", (_unsaid(found),), "brief"),)
                if any(set(u.first) != {found.first} for u in found.unanswered)
                else ()
            ),
            *choices,
            *((Section("Left out", left_out, "full"),) if left_out else ()),
        ),
        footer=f"Steelyard {__version__}. Every reason rests on a verdict that steelyard examine prints.",
    )


def _opening(found: Recommendation) -> Iterator[Block]:
    if found.advice:
        best = found.advice[0].measure
        yield Sentence(f"Use the {best.title_inside} ({best.name}).", "strong")
    else:
        yield Sentence("No metric of the catalogue fits all of this.", "bad")
    yield Sentence(f"Asked for: {', '.join(_asked(found.situation))}.", "soft")
    if found.advice:
        yield from _why(found.advice[0])


def _why(advice: Advice) -> Iterator[Block]:
    for reason in advice.reasons:
        yield Sentence(f"Why: {reason.rule} [{reason.source}].")
        if reason.rests_on.startswith(NOT_PROVED):
            yield Sentence(f"What that rests on is {reason.rests_on}.", "bad")
    for words in advice.gives_up:
        yield Sentence(f"Gives up: {words}.", "bad")


def _others(found: Recommendation) -> Table:
    return Table(
        (words_column("metric", whole=True), words_column("because")),
        tuple(
            (advice.measure.name, "; ".join(reason.rule for reason in advice.reasons))
            for advice in found.advice[1:]
        ),
        stacked=True,
    )


def _unsaid(found: Recommendation) -> Table:
    """One row for each answer nobody gave; amounts that were not given are not shown as if they were."""
    rows = [
        (
            answer.words,
            answer.option if found.by_command else unsaid.question.said(answer),
            first.partition("(miss")[0],
        )
        for unsaid in found.unanswered
        for answer, first in zip(unsaid.question.answers, unsaid.first, strict=True)
    ]
    headings = (words_column("if"), words_column("say", whole=True), words_column("then first"))
    return Table(headings, tuple(rows), stacked=True)


def _asked(situation: Situation) -> Iterator[str]:
    yield "many classes" if situation.many_classes else "two classes"
    if situation.priors_change:
        yield "a class distribution that may change"
    if situation.classes_appear:
        yield "a number of classes that may change"
    if situation.costs is not None:
        yield "a miss that costs {:g} and a false alarm that costs {:g}".format(*situation.costs)
    if situation.capacity:
        yield "a limited review capacity"
    if situation.costly is not None:
        yield f"costly {situation.costly.replace('-', ' ')}s"
    if situation.every_class:
        yield "every class detected"
    if situation.relevance is not None:
        yield RELEVANCE[situation.relevance]
    if situation.absent:
        yield f"no rows of {', '.join(situation.absent)}"
    if situation.never_predicted:
        yield f"{', '.join(situation.never_predicted)} never predicted"


def _choice(place: int, advice: Advice) -> Section:
    measure = advice.measure
    because = tuple(Sentence(f"Why: {reason.rule} [{reason.source}]") for reason in advice.reasons)
    rests_on = Table(
        (words_column("it rests on"), words_column("source", whole=True)),
        tuple((reason.rests_on, Cell(reason.source, "soft")) for reason in advice.reasons),
        stacked=True,
    )
    gives_up = tuple(Sentence(f"Gives up: {words}", "bad") for words in advice.gives_up)
    return Section(
        f"{place}. {measure.title} ({measure.name})",
        (*because, *gives_up, Folded("What it rests on", (rests_on,))),
        "full",
        measure.name,
    )
