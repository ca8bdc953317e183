"""What is a recommendation? A ranked list of measures, what was left out and why, and what was not said."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Protocol

from steelyard.judgement.questions import Question, Situation
from steelyard.judgement.recommend_sections import recommendation_report
from steelyard.report.presented import Presented
from steelyard.report.sections import Report


class Named(Protocol):
    """What is said of a measure that is recommended."""

    @property
    def name(self) -> str: ...
    @property
    def title(self) -> str: ...
    @property
    def title_inside(self) -> str: ...


@dataclass(frozen=True)
class Reason:
    """Why a measure is offered: a rule, and the verdict it rests on."""

    rule: str
    rests_on: str
    source: str


@dataclass(frozen=True)
class Advice:
    """One choice."""

    measure: Named
    reasons: tuple[Reason, ...]
    gives_up: tuple[str, ...]

    def to_dict(self) -> dict[str, Any]:
        return {
            "measure": self.measure.name,
            "title": self.measure.title,
            "reasons": [{"rule": r.rule, "rests_on": r.rests_on, "source": r.source} for r in self.reasons],
            "gives_up": list(self.gives_up),
        }


@dataclass(frozen=True)
class Unanswered:
    """A question nobody answered, and which measure each answer would put first."""

    question: Question
    first: tuple[str, ...]

    def to_dict(self) -> dict[str, Any]:
        return {
            "question": self.question.words,
            "answers": [
                {"answer": answer.words, "option": answer.option, "first": name}
                for answer, name in zip(self.question.answers, self.first, strict=True)
            ],
        }


@dataclass(frozen=True, repr=False)
class Recommendation(Presented):
    """The ranked list, what was left out and why, and what was not said."""

    situation: Situation
    advice: tuple[Advice, ...]
    left_out: tuple[str, ...]
    unanswered: tuple[Unanswered, ...] = ()
    by_command: bool = False
    """Was it asked on the command line, where answers are given by options?"""

    @property
    def first(self) -> str:
        """The measure to use, by name; empty where none fits."""
        return self.advice[0].measure.name if self.advice else ""

    def report(self) -> Report:
        return recommendation_report(self)

    def to_dict(self) -> dict[str, Any]:
        return {
            "schema": "steelyard/recommend/1",
            "advice": [a.to_dict() for a in self.advice],
            "left_out": list(self.left_out),
            "unanswered": [question.to_dict() for question in self.unanswered],
        }

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
