"""Result of a recommendation: a ranked list of metrics, what was left out and why, and what was not said."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import partial
from typing import Annotated, Any, ClassVar

from steelyard._version import __version__
from steelyard.counts.confusion import ORIENTATION
from steelyard.judgement.recommend.options import QUESTIONS, Question, Situation
from steelyard.measures.catalogue import measure
from steelyard.measures.names import introduced, short_name
from steelyard.report import sections as blocks
from steelyard.report.presented import Presented
from steelyard.report.records import HIDDEN, Json, Record, derived, document, in_json
from steelyard.report.sections import Block, Cell, Report, Section, Sentence, Table, table_of, words_column
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

    title = derived(str, lambda self: short_name(self.measure))


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
            FirstByAnswer(words, self.question.option(value), name)
            for (words, value), name in zip(self.question.answers.items(), self.first, strict=True)
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
        """The ranked list, best first."""
        sections = [Section("", tuple(_opening(self)), "brief")]
        if self.advice[1:]:
            sections.append(Section("Alternatives", (_others(self),), "brief"))
        if any(set(open_question.first) != {self.first} for open_question in self.unanswered):
            sections.append(Section("If you know more about the task", (_unanswered(self),), "brief"))
        sections += [_choice(place, advice) for place, advice in enumerate(self.advice, start=1)]
        if left_out := tuple(Sentence(words, "soft") for words in self.left_out):
            sections.append(Section("Left out", left_out, "full"))
        rests_on = "Every reason rests on a verdict that steelyard examine prints."
        return Report("Which metric to use", tuple(sections), f"Steelyard {__version__}. {rests_on}")

    def table(self) -> list[dict[str, Any]]:
        """Every choice as a row of plain data, best first."""
        return [
            {
                "place": place,
                "measure": advice.measure.name,
                "title": short_name(advice.measure),
                "because": "; ".join(reason.rule for reason in advice.reasons),
                "gives_up": "; ".join(advice.gives_up),
            }
            for place, advice in enumerate(self.advice, start=1)
        ]


json_schema = partial(document, Recommendation, "Which metric to use")
# How a reason begins whose property is open: shown, never hidden.
NOT_PROVED = "not proved"


def _opening(result: Recommendation) -> Iterator[Block]:
    if result.advice:
        yield Sentence(f"Use {introduced(result.advice[0].measure)}.", "strong")
    else:
        yield Sentence("No metric of the catalogue fits all of this.", "bad")
    yield Sentence(f"For: {'; '.join(_situation_words(result.situation))}.", "soft")
    if result.advice:
        yield from _why(result.advice[0])
        if any("[[" in words for words in result.advice[0].gives_up):
            yield Sentence(f"Matrices: {ORIENTATION}.", "soft")


def _why(advice: Advice) -> Iterator[Block]:
    for reason in advice.reasons:
        yield Sentence(f"Why: {reason.rule} [{reason.source}].")
        if reason.rests_on.startswith(NOT_PROVED):
            yield Sentence(f"What that rests on is {reason.rests_on}.", "bad")
    for words in advice.gives_up:
        yield Sentence(f"Weakness: {words}.", "bad")


def _others(result: Recommendation) -> Table:
    return table_of(
        result.advice[1:],
        (words_column("metric"), lambda advice: introduced(advice.measure, identity=False)),
        (words_column("because"), lambda advice: "; ".join(reason.rule for reason in advice.reasons)),
        stacked=True,
    )


def _unanswered(result: Recommendation) -> Table:
    """One row for each answer nobody gave; amounts that were not given are not shown as if they were."""
    rows = []
    for question, names in ((each.question, each.first) for each in result.unanswered):
        written = question.option if result.by_command else question.keyword
        for (words, value), first in zip(question.answers.items(), names, strict=True):
            # Costs that nobody gave are not shown.
            name, blank, weighted = first.partition("(miss")[0].partition(" ")
            shown = "cost per row" if name == "expected_cost" else short_name(measure(name))
            rows.append((words, written(value), f"{shown}{blank}{weighted}"))
    headings = (words_column("if"), words_column("add", whole=True), words_column("it recommends"))
    return Table(headings, tuple(rows), stacked=True)


def _situation_words(situation: Situation) -> Iterator[str]:
    yield "many classes" if situation.many_classes else "two classes"
    if situation.costs is not None:
        miss, false_alarm = situation.costs
        yield f"a miss costs {miss:g} and a false alarm {false_alarm:g}"
    for question in QUESTIONS:
        value = getattr(situation, question.field)
        if question.field != "costs":  # amounts say more
            yield from (words for words, answer in question.answers.items() if answer == value)
    if situation.absent:
        yield f"no rows of {', '.join(situation.absent)}"
    if situation.never_predicted:
        yield f"{', '.join(situation.never_predicted)} never predicted"


def _choice(place: int, advice: Advice) -> Section:
    measure = advice.measure
    rests_on = table_of(
        advice.reasons,
        (words_column("it rests on"), lambda reason: reason.rests_on),
        (words_column("source", whole=True), lambda reason: Cell(reason.source, "soft")),
        stacked=True,
    )
    content: tuple[Block, ...] = (*_why(advice), blocks.Folded("What it rests on", (rests_on,)))
    in_list = f"{place}. {short_name(measure)}"
    return Section(f"{place}. {introduced(measure)}", content, "full", measure.name, short=in_list)
