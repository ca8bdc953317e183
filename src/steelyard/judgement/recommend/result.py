"""Result of a recommendation: a ranked list of metrics, what was left out and why, and what was not said."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Annotated, Any, ClassVar

from steelyard._version import __version__
from steelyard.judgement.recommend.options import Question, Situation
from steelyard.measures.catalogue import measure
from steelyard.measures.measure import Measure
from steelyard.measures.names import short_name
from steelyard.report.presented import Presented
from steelyard.report.records import HIDDEN, Json, Record, Schema, document, in_json
from steelyard.report.sections import Block, Cell, Folded, Report, Section, Sentence, Table, words_column
from steelyard.scores.fields import MeasureName


@dataclass(frozen=True)
class Reason(Record):
    """Why a metric is offered: a rule, and the verdict it rests on."""

    rule: str
    rests_on: str
    source: str


@dataclass(frozen=True)
class Advice(Record):
    """One choice."""

    measure: MeasureName
    reasons: tuple[Reason, ...]
    gives_up: tuple[str, ...]

    @property
    @in_json()
    def title(self) -> str:
        return self.measure.title


@dataclass(frozen=True)
class FirstByAnswer(Record):
    """Which metric an answer would put first."""

    answer: str
    option: str
    first: str


@dataclass(frozen=True)
class Unanswered(Record):
    """A question nobody answered, and which metric each answer would put first."""

    question: Annotated[Question, Json(write=lambda question: question.words, schema={"type": "string"})]
    first: Annotated[tuple[str, ...], HIDDEN]

    @property
    @in_json()
    def answers(self) -> tuple[FirstByAnswer, ...]:
        return tuple(
            FirstByAnswer(answer.words, self.question.option(answer), name)
            for answer, name in zip(self.question.answers, self.first, strict=True)
        )


@dataclass(frozen=True, repr=False)
class Recommendation(Record, Presented):
    """The ranked list, what was left out and why, and what was not said."""

    SCHEMA: ClassVar[str] = "steelyard/recommend/1"
    situation: Annotated[Situation, HIDDEN]
    advice: tuple[Advice, ...]
    left_out: tuple[str, ...]
    unanswered: tuple[Unanswered, ...] = ()
    #: Was it asked on the command line, where answers are given by options?
    by_command: Annotated[bool, HIDDEN] = False

    @property
    def first(self) -> str:
        """The metric to use, by name; empty where none fits."""
        return self.advice[0].measure.name if self.advice else ""

    def report(self) -> Report:
        return recommendation_report(self)

    def table(self) -> list[dict[str, Any]]:
        """Every choice as a row of plain data, best first."""
        return [
            {
                "place": place,
                "measure": advice.measure.name,
                "title": advice.measure.title,
                "because": "; ".join(reason.rule for reason in advice.reasons),
                "gives_up": "; ".join(advice.gives_up),
            }
            for place, advice in enumerate(self.advice, start=1)
        ]


def json_schema() -> Schema:
    """The JSON schema of `steelyard recommend --json`."""
    return document(Recommendation, "Which metric to use")


# How a reason begins whose property is open: shown, never hidden.
NOT_PROVED = "not proved"
RELEVANCE = {
    "prevalence": "rare classes that matter more",
    "partial": "some classes known to matter more than others",
    "total": "classes in an order of relevance",
    "scores": "a score of relevance for each class",
}


def recommendation_report(result: Recommendation) -> Report:
    """The ranked list, best first."""
    first = tuple(_opening(result))
    choices = (_choice(place, advice) for place, advice in enumerate(result.advice, start=1))
    left_out = tuple(Sentence(words, "soft") for words in result.left_out)
    return Report(
        "Which metric to use",
        (
            Section("", first, "brief"),
            *((Section("Alternatives", (_others(result),), "brief"),) if result.advice[1:] else ()),
            *(
                (Section("What further answers would change", (_unanswered(result),), "brief"),)
                if any(set(u.first) != {result.first} for u in result.unanswered)
                else ()
            ),
            *choices,
            *((Section("Left out", left_out, "full"),) if left_out else ()),
        ),
        footer=f"Steelyard {__version__}. Every reason rests on a verdict that steelyard examine prints.",
    )


def _opening(result: Recommendation) -> Iterator[Block]:
    if result.advice:
        best = result.advice[0].measure
        yield Sentence(f"Use {short_name(best)}{_in_words(best)}.", "strong")
    else:
        yield Sentence("No metric of the catalogue fits all of this.", "bad")
    yield Sentence(f"For: {', '.join(_situation_words(result.situation))}.", "soft")
    if result.advice:
        yield from _why(result.advice[0])


def _in_words(best: Measure) -> str:
    """What the name stands for, where it does not say so itself, and what to type."""
    name, title = short_name(best), best.title_inside
    words = [] if title.casefold() == name.casefold() else [title]
    words += [] if best.name == name.replace(" ", "_") else [f"id {best.name}"]
    return f" ({', '.join(words)})" if words else ""


def _why(advice: Advice) -> Iterator[Block]:
    for reason in advice.reasons:
        yield Sentence(f"Why: {reason.rule} [{reason.source}].")
        if reason.rests_on.startswith(NOT_PROVED):
            yield Sentence(f"What that rests on is {reason.rests_on}.", "bad")
    for words in advice.gives_up:
        yield Sentence(f"Weakness: {words}.", "bad")


def _others(result: Recommendation) -> Table:
    return Table(
        (words_column("metric", whole=True), words_column("because")),
        tuple(
            (short_name(advice.measure), "; ".join(reason.rule for reason in advice.reasons))
            for advice in result.advice[1:]
        ),
        stacked=True,
    )


def _unanswered(result: Recommendation) -> Table:
    """One row for each answer nobody gave; amounts that were not given are not shown as if they were."""
    rows = [
        (
            answer.words,
            open_question.question.option(answer)
            if result.by_command
            else open_question.question.keyword(answer),
            _display_name(first),
        )
        for open_question in result.unanswered
        for answer, first in zip(open_question.question.answers, open_question.first, strict=True)
    ]
    headings = (words_column("if"), words_column("add", whole=True), words_column("it recommends"))
    return Table(headings, tuple(rows), stacked=True)


def _display_name(first: str) -> str:
    """The display name of a recommended metric; costs that nobody gave are not shown."""
    name, blank, weighted = first.partition("(miss")[0].partition(" ")
    return f"{'cost per row' if name == 'expected_cost' else short_name(measure(name))}{blank}{weighted}"


def _situation_words(situation: Situation) -> Iterator[str]:
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
    if situation.labels_wrong:
        yield "labels of which some may be wrong"
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
    gives_up = tuple(Sentence(f"Weakness: {words}", "bad") for words in advice.gives_up)
    return Section(
        f"{place}. {measure.title} ({measure.name})",
        (*because, *gives_up, Folded("What it rests on", (rests_on,))),
        "full",
        measure.name,
    )
