"""What is the same for every source whose values need no care: labels are as they stand, and nothing was
opened."""

from __future__ import annotations

from contextlib import AbstractContextManager, nullcontext
from typing import Any


class PlainSource:
    """A source that holds labels as they are written and has nothing to give back."""

    holds_text = False

    def label(self, value: Any, name: str) -> Any:
        return value

    def grouping(self) -> AbstractContextManager[None]:
        return nullcontext()

    def first_missing(self, truth: str, pred: str) -> int | None:
        return None

    def close(self) -> None:
        pass
