"""JSON Schema of what the commands of this package write."""

from __future__ import annotations

import json
from collections.abc import Callable
from importlib import resources
from typing import Any


def schema_of(command: str) -> Callable[[], Any]:
    """The schema of a command's `--json`, read when it is asked for."""

    def read() -> Any:
        return json.loads((resources.files("steelyard_papers") / "schemas.json").read_text("utf-8"))[command]

    return read
