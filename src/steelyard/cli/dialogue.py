"""Dialogue of steelyard recommend: ask on the terminal for what was not said."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from typing import Any

import click

ASK = click.Option(
    ["--ask/--no-ask"],
    default=None,
    help="Ask step by step for what is not said; on a terminal it does so when nothing is.",
)


def ask(asks: bool | None, given: dict[str, Any]) -> dict[str, Any]:
    """What was said, and the answers to every open question; questions go to standard error."""
    from steelyard.judgement.recommend.judge import situation_of
    from steelyard.judgement.recommend.options import Options
    from steelyard.judgement.recommend.questions import QUESTIONS
    from steelyard.parameters import checked

    said = {name: value for name, value in given.items() if value is not False}
    if asks is None:
        asks = not said and sys.stdin.isatty() and sys.stdout.isatty()
    if not asks:
        return said
    if "classes" not in said and "data" not in said:
        said["classes"] = ("two", "many")[_asked("How many classes are there?", ["two", "more"]) or 0]
    for question in QUESTIONS:
        if not question.is_open(situation_of(checked(Options(**said)))):
            continue
        place = _asked(question.words, [answer.words for answer in question.answers], none="no, or not known")
        if place is None:
            continue
        said[question.field] = question.answers[place].value
        if question.field == "costs":
            said["costs"] = (_amount("What does a miss cost?"), _amount("What does a false alarm cost?"))
    return said


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
