"""Questions whose answers decide which metric to use.

Each question has a field of the situation and the answers it may be given; an answer that is not given leaves
the field as it is. The command line asks them, `recommend` says what an answer would change.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any, Literal

Costly = Literal["false-positive", "false-negative"]
Relevance = Literal["prevalence", "partial", "total", "scores"]


@dataclass(frozen=True)
class Situation:
    """What is known about the task."""

    many_classes: bool = False
    priors_change: bool = False
    """May the class distribution differ between test sets, or between test and production?"""
    classes_appear: bool = False
    """May the number of classes change, or are tasks with different numbers of classes compared?"""
    costly: Costly | None = None
    costs: tuple[float, float] | None = None
    """What a miss and a false alarm cost."""
    capacity: bool = False
    """Can only so many cases be reviewed?"""
    every_class: bool = False
    """Must every class be detected, even at the expense of the others?"""
    relevance: Relevance | None = None
    """What is known of how much the classes matter."""
    never_predicted: tuple[str, ...] = ()
    """Classes of the data that are never predicted."""
    absent: tuple[str, ...] = ()
    """Classes absent from the data."""


@dataclass(frozen=True)
class Answer:
    """One answer: its words, what it makes of the field, and the option of the command line that gives it."""

    words: str
    value: Any
    option: str


@dataclass(frozen=True)
class Question:
    """What is asked, of how many classes, and how it may be answered."""

    words: str
    field: str
    answers: tuple[Answer, ...]
    of_two: bool = True
    of_many: bool = True

    def said(self, answer: Answer) -> str:
        """How a caller in Python gives this answer."""
        amounts = self.field == "costs"  # of which those of the answer are only an example
        return f"{self.field}={'(miss, false_alarm)' if amounts else repr(answer.value)}"

    def concerns(self, situation: Situation) -> bool:
        return self.of_many if situation.many_classes else self.of_two

    def is_open(self, situation: Situation) -> bool:
        """Does it concern the task, and has it no answer yet?"""
        unsaid = getattr(situation, self.field) in (None, False)
        settled = self.field == "costly" and situation.costs is not None  # amounts say more than a direction
        return self.concerns(situation) and unsaid and not settled


QUESTIONS = (
    Question(
        "Is it known what a miss and a false alarm cost?",
        "costs",
        (Answer("both costs are known", (1.0, 1.0), "--costs MISS:FALSE-ALARM"),),
        of_many=False,
    ),
    Question(
        "Is one of the two errors the costly one?",
        "costly",
        (
            Answer("a false alarm is the costly error", "false-positive", "--costly false-positive"),
            Answer("a miss is the costly error", "false-negative", "--costly false-negative"),
        ),
        of_many=False,
    ),
    Question(
        "Can only so many cases be reviewed?",
        "capacity",
        (Answer("only so many can be reviewed", True, "--capacity"),),
        of_many=False,
    ),
    Question(
        "May the class distribution change, between test sets or between test and production?",
        "priors_change",
        (Answer("the class distribution may change", True, "--priors-change"),),
    ),
    Question(
        "Must every class be detected, even at the expense of the others?",
        "every_class",
        (Answer("every class must be detected", True, "--every-class"),),
        of_two=False,
    ),
    Question(
        "May the number of classes change?",
        "classes_appear",
        (Answer("the number of classes may change", True, "--classes-appear"),),
        of_two=False,
    ),
    Question(
        "Do some classes matter more than others?",
        "relevance",
        (
            Answer("the rarer a class, the more it matters", "prevalence", "--relevance prevalence"),
            Answer("some matter more than some others", "partial", "--relevance partial"),
            Answer("all stand in one order", "total", "--relevance total"),
            Answer("each has a weight that is known", "scores", "--relevance scores"),
        ),
        of_two=False,
    ),
)


def open_questions(situation: Situation) -> Iterator[Question]:
    """The questions that concern this task and have no answer yet."""
    return (question for question in QUESTIONS if question.is_open(situation))


def answered(situation: Situation, question: Question, value: Any) -> Situation:
    """The situation once this question has this answer."""
    return replace(situation, **{question.field: value})
