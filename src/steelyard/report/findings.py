"""Findings: what was found, why it matters and what to do next, as data that every surface renders."""

from __future__ import annotations

import shlex
from dataclasses import dataclass
from typing import Literal

from steelyard.report.records import Record

# Findings that a first screen has room for.
MOST_ON_FIRST_SCREEN = 4


@dataclass(frozen=True)
class Finding(Record):
    """One finding; a list of them is ordered by harm, the most harmful first."""

    kind: Literal["warning", "note"]
    what: str
    """The fact, in at most 40 words."""
    why: str
    """What it means for a decision."""
    next: str
    """One imperative sentence."""
    command: str = ""
    """The command that does it, as it can be pasted into a shell; empty where there is none."""


def command_line(command: str, *arguments: object, **options: object) -> str:
    """A command of Steelyard that can be pasted into a shell; options that are None are left out.

    >>> command_line("threshold", "my file.csv", truth="y", score="p", positive=None)
    "steelyard threshold 'my file.csv' --truth y --score p"
    """
    parts = ["steelyard", command, *(shlex.quote(str(argument)) for argument in arguments)]
    for name, value in options.items():
        if value is not None:
            parts += [f"--{name.replace('_', '-')}", shlex.quote(str(value))]
    return " ".join(parts)
