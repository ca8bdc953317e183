"""Advice on a terminal."""

from __future__ import annotations

from rich.text import Text

from steelyard.judgement.recommend import Recommendation
from steelyard.report.terminal import console


def show_advice(found: Recommendation) -> None:
    """A short ranked list."""
    out = console()
    for place, advice in enumerate(found.advice, start=1):
        out.print(
            Text(f"{place}. {advice.measure.title}", style="bold"),
            Text(f"({advice.measure.name})", style="dim"),
        )
        for reason in advice.reasons:
            out.print(Text(f"   because {reason.rule} [{reason.source}]"))
            out.print(Text(f"      {reason.rests_on}", style="dim"))
        for words in advice.gives_up:
            out.print(Text(f"   gives up: {words}", style="yellow"))
    if not found.advice:
        out.print(Text("No measure of the catalogue fits all of this.", style="yellow"))
    for words in found.left_out:
        out.print(Text(f"Left out: {words}", style="dim"))
