"""`steelyard threshold`: choose a decision threshold."""

from __future__ import annotations

from steelyard.cli.commands import command

threshold = command(
    "judgement.threshold",
    summary="Choose a decision threshold by cost or capacity.",
    waiting="Reading {data}",
)
