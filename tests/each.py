"""One test for many values: the catalogue has a hundred metrics, and an item of pytest takes longer than most checks."""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable, Iterable
from typing import Any


def each(name: str, values: Iterable[Any], ids: Callable[[Any], str] = str) -> Callable[..., Any]:
    """Run the test for every value, and say for which of them it failed, and how; otherwise as `parametrize`."""
    chosen = list(values)
    assert chosen, f"there is no {name} to test"

    def decorate(test: Callable[..., None]) -> Callable[..., None]:
        @functools.wraps(test, updated=())
        def of_all(**others: Any) -> None:
            failures = []
            for value in chosen:
                try:
                    test(**{name: value}, **others)
                except Exception as error:
                    error.add_note(f"with {name} = {ids(value)}")
                    failures.append(error)
            if failures:
                raise ExceptionGroup(f"{len(failures)} of {len(chosen)} failed", failures)

        inner = inspect.signature(test)
        others = [parameter for key, parameter in inner.parameters.items() if key != name]
        of_all.__signature__ = inner.replace(parameters=others)  # type: ignore[attr-defined]
        of_all.pytestmark = getattr(test, "pytestmark", [])  # type: ignore[attr-defined]
        return of_all

    return decorate
