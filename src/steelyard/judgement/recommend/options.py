"""Options of `recommend`, and the questions whose answers they are."""

# Each question has a field of the situation and the answers it may be given; an answer that is not given
# leaves the field as it is. The command line asks them, `recommend` says what an answer would change.

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import KW_ONLY, dataclass
from typing import Annotated, Any, ClassVar, Literal

from steelyard.errors import InputError, parameter
from steelyard.judgement.common_options import Labels, Truth
from steelyard.parameters import Parameter

Costly = Literal["false-positive", "false-negative"]
Relevance = Literal["prevalence", "partial", "total", "scores"]


def read_costs(costs: Any) -> tuple[float, float]:
    """The cost of a miss and of a false alarm: '200:4', or a pair of numbers."""
    text = isinstance(costs, str)
    try:
        miss, false_alarm = (float(amount) for amount in (costs.split(":") if text else costs))
    except (TypeError, ValueError):
        example = " with a colon between, such as 200:4" if text else ", such as costs=(200, 4)"
        allowed = f"the cost of a miss and of a false alarm{example}"
        raise InputError(
            "the costs are not understood", found=repr(costs), allowed=allowed, parameter="costs"
        ) from None
    return miss, false_alarm


@dataclass(frozen=True)
class Options:
    """Recommend metrics for a task; every choice says what it rests on and what it gives up."""

    data: Annotated[
        Any,
        Parameter(
            "A file of predictions (CSV, TSV, JSON lines or Parquet) that says how many classes there are and"
            " which are absent.",
            flag="--data",
        ),
    ] = None
    y_pred: Any = None
    _: KW_ONLY
    classes: Annotated[Any, Parameter("How many classes there are.", metavar="[two|many]", default="two")] = (
        None
    )
    priors_change: Annotated[
        bool,
        Parameter("The class distribution may change between test sets, or between test and production."),
    ] = False
    classes_appear: Annotated[bool, Parameter("The number of classes may change.")] = False
    costly: Annotated[Costly | None, Parameter("Which error of two classes is the costly one.")] = None
    cost: Annotated[
        Any,
        Parameter(
            "What the errors of two classes cost, as truth>prediction=cost: 'fraud>ok=200, ok>fraud=4'; the"
            " class that is named first is the positive one."
        ),
    ] = None
    costs: Annotated[
        Any,
        Parameter(
            "The same without names: what a miss and a false alarm cost, such as 200:4.",
            metavar="MISS:FALSE-ALARM",
            read=read_costs,
        ),
    ] = None
    capacity: Annotated[bool, Parameter("Only so many cases can be reviewed.")] = False
    labels_wrong: Annotated[bool, Parameter("Some labels of two classes may be wrong.")] = False
    every_class: Annotated[bool, Parameter("Every class must be detected.")] = False
    relevance: Annotated[Relevance | None, Parameter("What is known of how much the classes matter.")] = None
    truth: Truth = None
    pred: Annotated[str | None, Parameter("The column of predicted labels in the data.")] = None
    labels: Labels = None
    EXCLUSIVE: ClassVar = (
        ("costs are given once", "cost and costs"),
        ("a column is named, but no data", "truth, pred without data", f"give {parameter('data')}"),
        ("the data say how many classes there are", "classes beside data"),
        (
            "the costs say already which error is the costly one",
            "cost, costs beside costly",
            "leave out one of the two",
        ),
    )


@dataclass(frozen=True)
class Situation:
    """What is known about the task."""

    many_classes: bool = False
    #: May the class distribution differ between test sets, or between test and production?
    priors_change: bool = False
    #: May the number of classes change, or are tasks with different numbers of classes compared?
    classes_appear: bool = False
    costly: Costly | None = None
    #: What a miss and a false alarm cost.
    costs: tuple[float, float] | None = None
    #: Can only so many cases be reviewed?
    capacity: bool = False
    #: Must every class be detected, even at the expense of the others?
    every_class: bool = False
    #: What is known of how much the classes matter.
    relevance: Relevance | None = None
    #: May some labels be wrong, whatever was predicted?
    labels_wrong: bool = False
    #: Classes of the data that are never predicted.
    never_predicted: tuple[str, ...] = ()
    #: Classes absent from the data.
    absent: tuple[str, ...] = ()


@dataclass(frozen=True)
class Question:
    """What is asked, of how many classes, and how it may be answered."""

    field: str
    classes: Literal["two", "many", "any"]
    words: str
    # Each answer in words, and what it makes of the field.
    answers: Mapping[str, Any]

    def keyword(self, value: Any) -> str:
        """How a caller in Python gives this answer."""
        amounts = self.field == "costs"  # of which those of the answer are only an example
        return f"{self.field}={'(miss, false_alarm)' if amounts else repr(value)}"

    def option(self, value: Any) -> str:
        """How the command line gives this answer."""
        flag = f"--{self.field.replace('_', '-')}"
        if self.field == "costs":
            return f"{flag} MISS:FALSE-ALARM"
        return flag if value is True else f"{flag} {value}"

    def is_open(self, situation: Situation) -> bool:
        """Does it concern the task, and has it no answer yet?"""
        unsaid = getattr(situation, self.field) in (None, False)
        settled = self.field == "costly" and situation.costs is not None  # amounts say more than a direction
        concerns = self.classes in ("any", "many" if situation.many_classes else "two")
        return concerns and unsaid and not settled


QUESTIONS = (
    Question(
        "costs", "two", "Is it known what a miss and a false alarm cost?",
        {"both costs are known": (1.0, 1.0)},
    ),
    Question(
        "costly", "two", "Is one of the two errors the costly one?",
        {"a false alarm is the costly error": "false-positive",
         "a miss is the costly error": "false-negative"},
    ),
    Question(
        "capacity", "two", "Can only so many cases be reviewed?",
        {"only a limited number of cases can be reviewed": True},
    ),
    Question(
        "priors_change", "any",
        "May the class distribution change, between test sets or between test and production?",
        {"the class distribution may change": True},
    ),
    Question("labels_wrong", "two", "May some labels be wrong?", {"some labels may be wrong": True}),
    Question(
        "every_class", "many", "Must every class be detected, even at the expense of the others?",
        {"every class must be detected": True},
    ),
    Question(
        "classes_appear", "many", "May the number of classes change?",
        {"the number of classes may change": True},
    ),
    Question(
        "relevance", "many", "Do some classes matter more than others?",
        {"the rarer a class, the more it matters": "prevalence",
         "some classes matter more than some others": "partial",
         "all classes have an order of importance": "total",
         "each class has a known weight": "scores"},
    ),
)  # fmt: skip


def open_questions(situation: Situation) -> Iterator[Question]:
    """The questions that concern this task and have no answer yet."""
    return (question for question in QUESTIONS if question.is_open(situation))
