"""The commands of capabilities: where each is found, its summary, and where its result can go."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from steelyard.cli import dialogue
from steelyard.cli.commands import command

CAPABILITIES: dict[str, dict[str, Any]] = {
    "compare": {
        "capability": "judgement.compare",
        "summary": "Compare models on the same test set.",
        "waiting": "Comparing the models of {predictions}",
        "outputs": ("full", "html", "markdown", "json", "plots"),
        "files": {"--latex": ("Write the table as LaTeX (booktabs) to this file.", "to_latex")},
    },
    "evaluate": {
        "capability": "judgement.evaluate",
        "summary": "Evaluate one classifier by a file of predictions.",
        "waiting": "Counting {data}",
        "outputs": ("full", "all", "html", "markdown", "json", "plots"),
    },
    "gate": {
        "capability": "judgement.gate",
        "summary": "Hold metrics against limits; the exit code answers.",
        "waiting": "Evaluating the rules",
        "outputs": ("markdown", "html", "json"),
        "files": {
            "--junit": ("Write the rulings as JUnit XML to this file.", "to_junit"),
            "--annotations": (
                "Write what did not pass as annotations of GitHub Actions to this file.",
                "to_annotations",
            ),
        },
        "usual": {"rules": lambda: _rules_file()},
    },
    "metrics": {
        "capability": "judgement.metrics",
        "summary": "Compute every metric of one confusion matrix.",
        "waiting": "Computing",
        "outputs": ("html", "markdown", "json"),
    },
    "multilabel": {
        "capability": "judgement.multilabel",
        "summary": "Evaluate a multi-label classifier.",
        "waiting": "Counting {data}",
    },
    "plan": {
        "capability": "judgement.plan",
        "summary": "How many examples of each class does a test set need?",
        "waiting": "Planning",
        "outputs": ("markdown", "html", "json"),
    },
    "priors": {
        "capability": "judgement.priors",
        "summary": "Estimate class priors of unlabelled data.",
        "waiting": "Estimating the priors",
    },
    "recommend": {
        "capability": "judgement.recommend",
        "summary": "Which metric to use, and what it gives up.",
        "waiting": "Ranking the metrics",
        "dialogue": (dialogue.ASK, dialogue.ask),
    },
    "sample": {
        "capability": "judgement.sample",
        "summary": "Choose the rows of an unlabelled pool that are worth labelling.",
        "waiting": "Reading {data}",
        "outputs": ("html", "markdown", "json"),
        "files": {"--out": ("Write the rows to label to this CSV file.", "to_csv")},
    },
    "threshold": {
        "capability": "judgement.threshold",
        "summary": "Choose a decision threshold by cost or capacity.",
        "waiting": "Reading {data}",
    },
}
"""Arguments of `steelyard.cli.commands.command` for each command."""


def _rules_file() -> str | None:
    """The rules in the working folder, if there are some."""
    from steelyard.judgement.gate.limits import RULES_FILE

    return RULES_FILE if Path(RULES_FILE).exists() else None


def __getattr__(name: str) -> click.Command:
    if name not in CAPABILITIES:
        raise AttributeError(name)
    return command(name=name, **CAPABILITIES[name])
