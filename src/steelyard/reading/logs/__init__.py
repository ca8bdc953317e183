"""Logs of LLM evaluations: one module for each tool that wrote them, all of the same shape."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any


def is_log(source: Any) -> bool:
    """Is this the log of an LLM evaluation? JSON lines are looked into, since any table may be written so."""
    if not isinstance(source, (str, Path)) or not Path(source).is_file():
        return False
    suffix = Path(source).suffix.lower()
    if suffix in (".eval", ".json"):
        return True
    if suffix != ".jsonl":
        return False
    from steelyard.reading.logs import lm_evaluation_harness, promptfoo

    try:
        with Path(source).open(encoding="utf-8") as file:
            first = json.loads(file.readline())
    except (ValueError, OSError):
        return False
    return lm_evaluation_harness.recognises(first) or promptfoo.recognises(first)
