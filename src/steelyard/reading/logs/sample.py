"""One sample of a log: what was asked for, what the model answered, and what else is known of it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from steelyard.errors import InputError


@dataclass(frozen=True)
class LogSample:
    """A target and an answer."""

    sample: str
    target: Any
    answer: Any
    """None where there is none."""
    model: str
    epoch: int = 1
    choices: Sequence[str] = ()
    """The classes that were offered, where the log says so."""
    columns: Mapping[str, Any] = field(default_factory=dict)
    """Metadata: the document, the topic, the verdict of a scorer."""


def plain_columns(metadata: Any) -> dict[str, Any]:
    """Metadata that are single values."""
    items = metadata.items() if isinstance(metadata, Mapping) else ()
    return {str(name): value for name, value in items if isinstance(value, (str, int, float, bool))}


def not_read(tool: str, path: str, why: str, do: str = "") -> InputError:
    """A log that cannot be evaluated, in one sentence."""
    return InputError(f"this log of {tool} cannot be evaluated: {why}", found=path, do=do)
