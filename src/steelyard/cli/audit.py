"""`steelyard audit`: can printed numbers be true?"""

from __future__ import annotations

from steelyard.cli.commands import command

audit = command(
    "auditing",
    name="audit",
    summary="Check printed results: is there a matrix that gives them?",
    waiting="Searching for a confusion matrix",
    outputs=("html", "json"),
)
