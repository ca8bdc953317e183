"""Result of a recommendation: a ranked list of metrics, what was left out and why, and what was not said."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, Any, ClassVar, Protocol

from steelyard.judgement.recommend.questions import Question, Situation
from steelyard.report.presented import Presented
from steelyard.report.records import HIDDEN, Json, Record, Schema, document, in_json
from steelyard.report.sections import Report


class Named(Protocol):
    """What is said of a metric that is recommended."""

    @property
    def name(self) -> str: ...
    @property
    def title(self) -> str: ...
    @property
    def title_inside(self) -> str: ...


@dataclass(frozen=True)
class Reason(Record):
    """Why a metric is offered: a rule, and the verdict it rests on."""

    rule: str
    rests_on: str
    source: str


@dataclass(frozen=True)
class Advice(Record):
    """One choice."""

    measure: Annotated[Named, Json(write=lambda measure: measure.name, schema={"type": "string"})]
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
            FirstByAnswer(answer.words, answer.option, name)
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
    by_command: Annotated[bool, HIDDEN] = False
    """Was it asked on the command line, where answers are given by options?"""

    @property
    def first(self) -> str:
        """The metric to use, by name; empty where none fits."""
        return self.advice[0].measure.name if self.advice else ""

    def report(self) -> Report:
        from steelyard.judgement.recommend.sections import recommendation_report

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
