"""What is the same for every source whose values need no care: labels are as they stand, and nothing was
opened."""

from __future__ import annotations

from contextlib import AbstractContextManager, nullcontext
from typing import Any

from steelyard.reading.groups import MOST_GROUPS


class PlainSource:
    """A source that holds labels as they are written and has nothing to give back."""

    holds_text = False
    at_most = MOST_GROUPS

    def label(self, value: Any, name: str) -> Any:
        return value

    def grouping(self) -> AbstractContextManager[None]:
        return nullcontext()

    def first_missing(self, truth: str, pred: str) -> int | None:
        return None

    def close(self) -> None:
        pass
