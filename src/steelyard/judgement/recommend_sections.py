"""What is said of a recommendation? Each choice with why, what it rests on, and what it gives up."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from steelyard._version import __version__
from steelyard.report.sections import Block, Cell, Folded, Report, Section, Sentence, Table, words_column

if TYPE_CHECKING:
    from steelyard.judgement.recommend import Advice, Recommendation, Situation

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
        "Which measure to use",
        (
            Section("", first, "brief"),
            *choices,
            *((Section("Left out", left_out, "brief"),) if left_out else ()),
        ),
        footer=f"Steelyard {__version__}. Every reason rests on a verdict that steelyard examine prints.",
    )


def _opening(found: Recommendation) -> Iterator[Block]:
    if found.advice:
        best = found.advice[0].measure
        yield Sentence(f"Use {best.title.lower()} ({best.name}).", "strong")
    else:
        yield Sentence("No measure of the catalogue fits all of this.", "bad")
    yield Sentence(f"Asked for: {', '.join(_asked(found.situation))}.", "soft")


def _asked(situation: Situation) -> Iterator[str]:
    yield "many classes" if situation.many_classes else "two classes"
    if situation.priors_change:
        yield "class proportions that may change"
    if situation.classes_appear:
        yield "a number of classes that may change"
    if situation.costly is not None:
        yield f"costly {situation.costly.replace('-', ' ')}s"
    if situation.every_class:
        yield "every class found"
    if situation.relevance is not None:
        yield RELEVANCE[situation.relevance]
    if situation.absent:
        yield f"no examples of {', '.join(situation.absent)}"
    if situation.never_predicted:
        yield f"{', '.join(situation.never_predicted)} never predicted"


def _choice(place: int, advice: Advice) -> Section:
    measure = advice.measure
    because = tuple(Sentence(f"Because {reason.rule} [{reason.source}]") for reason in advice.reasons)
    rests_on = Table(
        (words_column("it rests on"), words_column("source", whole=True)),
        tuple((reason.rests_on, Cell(reason.source, "soft")) for reason in advice.reasons),
        stacked=True,
    )
    gives_up = tuple(Sentence(f"Gives up: {words}", "bad") for words in advice.gives_up)
    return Section(
        f"{place}. {measure.title} ({measure.name})",
        (*because, *gives_up, Folded("What it rests on", (rests_on,))),
        "brief",
        measure.name,
    )
