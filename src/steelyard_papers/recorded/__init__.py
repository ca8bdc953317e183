"""What did the recorded runs of the studies find? Results of real runs, kept with the package as JSON."""

from __future__ import annotations

import json
from importlib import resources
from typing import Any

from steelyard.errors import UnknownNameError


def recorded_names() -> list[str]:
    """The studies that have a recorded run."""
    return sorted(
        entry.name.removesuffix(".json")
        for entry in resources.files(__name__).iterdir()
        if entry.name.endswith(".json")
    )


def recorded(name: str) -> dict[str, Any]:
    """The recorded result of a study: its findings, tables, seed, versions and time."""
    if name not in recorded_names():
        raise UnknownNameError("recorded study", name, recorded_names())
    result: dict[str, Any] = json.loads(
        (resources.files(__name__) / f"{name}.json").read_text(encoding="utf-8")
    )
    return result


def findings() -> list[dict[str, Any]]:
    """Every recorded finding, each with the study it comes from: {study, claim_id, statement, reproduced,
    paper_figure, our_figure, words}."""
    return [{"study": name, **finding} for name in recorded_names() for finding in recorded(name)["findings"]]
