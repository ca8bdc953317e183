"""`steelyard gate`: hold predictions against limits; the exit code is the answer."""

from __future__ import annotations

from pathlib import Path

from steelyard.cli.commands import command
from steelyard.judgement.gate.options import RULES_FILE

gate = command(
    "judgement.gate",
    summary="Hold metrics against limits; the exit code answers.",
    waiting="Evaluating the rules",
    outputs=("markdown", "html", "json"),
    files={"--junit": ("Write the rulings as JUnit XML to this file.", "to_junit")},
    usual={"rules": lambda: RULES_FILE if Path(RULES_FILE).exists() else None},
)
