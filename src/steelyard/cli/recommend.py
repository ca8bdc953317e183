"""steelyard recommend: which measure should I use?"""

from __future__ import annotations

import sys
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import click

from steelyard.cli.output import (
    full_option,
    html_option,
    json_option,
    markdown_option,
    refuse_to_replace,
    schema_option,
    show_and_save,
)
from steelyard.errors import InputError

if TYPE_CHECKING:
    from steelyard.judgement.questions import Situation


def _two_or_many(said: str | None) -> str | None:
    """How many classes, as a word or a number."""
    if said is None or said in ("two", "many"):
        return said
    if said.isdigit() and int(said) >= 2:
        return "two" if int(said) == 2 else "many"
    raise InputError("the number of classes is not understood", found=repr(said), allowed="two or many")


@click.command(short_help="Which measure to use, and what it gives up.")
@click.option(
    "--classes",
    metavar="[two|many]",
    callback=lambda context, option, value: _two_or_many(value),
    help="How many classes there are; two if neither this nor --data says.",
)
@click.option(
    "--priors-change",
    is_flag=True,
    help="The class proportions may change between test sets, or between test and use.",
)
@click.option("--classes-appear", is_flag=True, help="The number of classes may change.")
@click.option(
    "--costly",
    type=click.Choice(["false-positive", "false-negative"]),
    help="Which error of two classes is the costly one.",
)
@click.option(
    "--costs",
    metavar="MISS:FALSE-ALARM",
    help="What a miss and a false alarm of two classes cost, such as 200:4.",
)
@click.option("--capacity", is_flag=True, help="Only so many cases can be looked at.")
@click.option("--every-class", is_flag=True, help="Every class must be found.")
@click.option(
    "--relevance",
    type=click.Choice(["prevalence", "partial", "total", "scores"]),
    help="What is known of how much the classes matter.",
)
@click.option(
    "--data",
    help=(
        "A file of predictions (CSV, TSV, JSON lines or Parquet) that says how many classes there are and"
        " which are lacking."
    ),
)
@click.option("--truth", help="The column of true labels in --data.")
@click.option("--pred", help="The column of predicted labels in --data.")
@click.option(
    "--ask/--no-ask",
    default=None,
    help="Ask step by step for what is not said; on a terminal it does so when nothing is.",
)
@full_option
@json_option
@schema_option("recommend")
@html_option
@markdown_option
def recommend(
    classes: str | None,
    priors_change: bool,
    classes_appear: bool,
    costly: Any,
    costs: str | None,
    capacity: bool,
    every_class: bool,
    relevance: Any,
    data: str | None,
    truth: str | None,
    pred: str | None,
    ask: bool | None,
    full: bool,
    json_path: str | None,
    html_path: str | None,
    markdown_path: str | None,
) -> None:
    """Recommend measures for a task; every choice says what it rests on and what it gives up."""
    from dataclasses import replace

    from steelyard.judgement.kept_answers import kept_answer
    from steelyard.judgement.questions import Situation

    refuse_to_replace([data], json_path, html_path, markdown_path)
    if data is None and (truth is not None or pred is not None):
        raise InputError(
            "a column is named, but no file",
            found="--truth" if truth is not None else "--pred",
            do="say --data",
        )
    known = {
        "priors_change": priors_change,
        "classes_appear": classes_appear,
        "costly": costly,
        "costs": None if costs is None else _two_costs(costs),
        "capacity": capacity,
        "every_class": every_class,
        "relevance": relevance,
    }
    if ask is None:
        ask = _nothing_said(classes, data, known) and sys.stdin.isatty() and sys.stdout.isatty()
    if data is not None:
        from steelyard.judgement.advising import situation_of

        situation = situation_of(_matrix(data, truth, pred), **known)
    elif ask and classes is None:
        situation = Situation(
            many_classes=_asked("How many classes are there?", ["two", "more"]) == 1, **known
        )
    else:
        situation = Situation(many_classes=classes == "many", **known)
    if ask:
        situation = _answered(situation)
    found = kept_answer(situation)
    if found is None:
        from steelyard.judgement.advising import worked_out

        found = worked_out(situation)
    show_and_save(
        replace(found, by_command=True),
        depth="full" if full else "brief",
        html_path=html_path,
        json_path=json_path,
        markdown_path=markdown_path,
    )


def _nothing_said(classes: str | None, data: str | None, known: Mapping[str, Any]) -> bool:
    return classes is None and data is None and not any(known.values())


def _answered(situation: Situation) -> Situation:
    """The situation once every open question was asked; questions and answers go to standard error."""
    from steelyard.judgement.questions import QUESTIONS, answered

    for question in QUESTIONS:
        if not question.is_open(situation):
            continue
        place = _asked(question.words, [answer.words for answer in question.answers], none="no, or not known")
        if place is None:
            continue
        value = question.answers[place].value
        if question.field == "costs":
            value = (_amount("What does a miss cost?"), _amount("What does a false alarm cost?"))
        situation = answered(situation, question, value)
    return situation


def _asked(words: str, answers: Sequence[str], none: str | None = None) -> int | None:
    """Which answer, by its number; None for no answer."""
    click.echo(words, err=True)
    listed = [*([f"0  {none}"] if none else []), *(f"{i}  {answer}" for i, answer in enumerate(answers, 1))]
    for line in listed:
        click.echo(f"  {line}", err=True)
    lowest = 0 if none else 1
    chosen: int = click.prompt("Answer", type=_Answer(lowest, len(answers)), default=lowest, err=True)
    return chosen - 1 if chosen else None


class _Answer(click.IntRange):
    """The number of an answer; where the question is yes or no, these words too."""

    name = "answer"

    def convert(self, value: Any, parameter: click.Parameter | None, context: click.Context | None) -> Any:
        lowest, highest = int(self.min or 0), int(self.max or 0)
        meant = {"n": 0, "no": 0} if lowest == 0 else {}
        if (lowest, highest) == (0, 1):
            meant |= {"y": 1, "yes": 1}
        word = value.strip().lower() if isinstance(value, str) else value
        if word in meant:
            return meant[word]
        try:
            return super().convert(value, parameter, context)
        except click.BadParameter:
            spoken = ", y or n" if "y" in meant else " or n" if meant else ""
            self.fail(f"{value!r} is none of the answers: {lowest} to {highest}{spoken}.", parameter, context)


def _amount(words: str) -> float:
    amount: float = click.prompt(words, type=click.FloatRange(min=0), prompt_suffix=" ", err=True)
    return amount


def _two_costs(text: str) -> tuple[float, float]:
    parts = text.split(":")
    try:
        miss, false_alarm = (float(part) for part in parts)
    except ValueError:
        raise InputError(
            "the costs are not understood",
            found=repr(text),
            allowed="the cost of a miss and of a false alarm with a colon between, such as 200:4",
        ) from None
    return miss, false_alarm


def _matrix(path: str, truth: str | None, pred: str | None) -> Any:
    from steelyard.reading.counting import count

    return count(path, truth=truth, pred=pred).confusion()
