"""The commands of capabilities, and the dialogue of `steelyard recommend`."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import click

from steelyard.cli.commands import command

ASK = click.Option(
    ["--ask/--no-ask"],
    default=None,
    help="Ask step by step for what is not said; on a terminal it does so when nothing is.",
)


def ask(asks: bool | None, options: dict[str, Any]) -> dict[str, Any]:
    """The options, and the answers to every open question; questions go to standard error."""
    from steelyard.judgement.recommend.judge import situation_of
    from steelyard.judgement.recommend.options import QUESTIONS, Options
    from steelyard.parameters import checked

    answers = {name: value for name, value in options.items() if value is not False}
    if asks is None:
        asks = not answers and sys.stdin.isatty() and sys.stdout.isatty()
    if not asks:
        return answers
    if "classes" not in answers and "data" not in answers:
        answers["classes"] = ("two", "many")[
            _answer_number("How many classes are there?", ["two", "more"]) or 0
        ]
    for question in QUESTIONS:
        if not question.is_open(situation_of(checked(Options(**answers)))):
            continue
        place = _answer_number(question.words, list(question.answers), none="no, or not known")
        if place is None:
            continue
        answers[question.field] = list(question.answers.values())[place]
        if question.field == "costs":
            amount: dict[str, Any] = {"type": click.FloatRange(min=0), "prompt_suffix": " ", "err": True}
            words = ("What does a miss cost?", "What does a false alarm cost?")
            answers["costs"] = tuple(click.prompt(word, **amount) for word in words)
    return answers


def _answer_number(words: str, answers: Sequence[str], none: str | None = None) -> int | None:
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


# The summary of each command, what is said while it works, and where its result can go.
CAPABILITIES: dict[str, tuple[str, str, str]] = {
    "audit": (
        "Check whether published metrics are consistent.", "Searching for a confusion matrix", "html json",
    ),
    "compare": (
        "Compare models on the same test set.", "Comparing the models of {predictions}",
        "full html summary markdown json plots",
    ),
    "evaluate": (
        "Evaluate one classifier by a file of predictions.", "Counting {data}",
        "full all html summary markdown json plots",
    ),
    "gate": ("Fail a build when metrics violate limits.", "Evaluating the rules", "markdown html json"),
    "metrics": ("Compute every metric of one confusion matrix.", "Computing", "html markdown json"),
    "multilabel": ("Evaluate a multi-label classifier.", "Counting {data}", "full html markdown json"),
    "plan": ("How many examples of each class does a test set need?", "Planning", "markdown html json"),
    "priors": (
        "Estimate class priors of unlabelled data.", "Estimating the priors", "full html markdown json",
    ),
    "recommend": (
        "Which metric to use, and what it gives up.", "Ranking the metrics", "full html markdown json",
    ),
    "sample": (
        "Choose the rows of an unlabelled pool that are worth labelling.", "Reading {data}",
        "html markdown json",
    ),
    "threshold": (
        "Choose a decision threshold by cost or capacity.", "Reading {data}", "full html markdown json",
    ),
}  # fmt: skip
# Further outputs: an option, its help, and the method of the result that gives the text.
_FILES = {
    "compare": {"--latex": ("Write the table as LaTeX (booktabs) to this file.", "to_latex")},
    "gate": {
        "--junit": ("Write the rulings as JUnit XML to this file.", "to_junit"),
        "--annotations": (
            "Write what did not pass as annotations of GitHub Actions to this file.",
            "to_annotations",
        ),
    },
    "sample": {"--out": ("Write the rows to label to this CSV file.", "to_csv")},
}


def _rules_file() -> str | None:
    """The rules in the working folder, if there are some."""
    from steelyard.judgement.gate.limits import RULES_FILE

    return RULES_FILE if Path(RULES_FILE).exists() else None


def __getattr__(name: str) -> click.Command:
    if name not in CAPABILITIES:
        raise AttributeError(name)
    summary, waiting, outputs = CAPABILITIES[name]
    return command(
        "auditing" if name == "audit" else f"judgement.{name}",
        name=name,
        summary=summary,
        waiting=waiting,
        outputs=outputs.split(),
        files=_FILES.get(name, {}),
        usual={"rules": _rules_file} if name == "gate" else {},
        dialogue=(ASK, ask) if name == "recommend" else None,
    )
