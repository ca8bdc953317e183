"""Can the functions of a measure be found again in another process?

pickle stores a function by its address: module and name. A lambda, or a function defined inside another, has
none, and pickle's own words for that do not say what to do. cloudpickle (which joblib uses between processes)
stores such functions whole.
"""

from __future__ import annotations

import pickle
import sys
from collections.abc import Callable, Iterator, Mapping
from dataclasses import fields, is_dataclass
from types import FunctionType
from typing import Any

_STORE_FUNCTIONS_WHOLE = ("cloudpickle", "dill")


def refuse_what_has_no_address(name: str, facts: Mapping[str, Any]) -> None:
    """Refuse, in one sentence, to pickle a measure whose functions pickle could not find again."""
    if _stored_whole():
        return
    for fact, value in facts.items():
        for function in _functions(value):
            if _at_address(function) is not function:
                raise pickle.PicklingError(
                    f"the measure {name!r} cannot be pickled, because {fact}= is {_described(function)} that"
                    " another process cannot find; write it with def at the top level of a module, or use"
                    " cloudpickle."
                )


def _functions(value: Any) -> Iterator[FunctionType]:
    if isinstance(value, FunctionType):
        yield value
    elif isinstance(value, tuple):
        for part in value:
            yield from _functions(part)
    elif is_dataclass(value) and not isinstance(value, type) and not hasattr(value, "recipe"):
        for each in fields(value):
            yield from _functions(getattr(value, each.name))


def _at_address(function: Callable[..., Any]) -> Any:
    found: Any = sys.modules.get(function.__module__)
    for part in function.__qualname__.split("."):
        found = getattr(found, part, None)
    return found


def _described(function: FunctionType) -> str:
    return "a lambda" if function.__name__ == "<lambda>" else f"the function {function.__qualname__}"


def _stored_whole() -> bool:
    """Is the one who asks a pickler that stores functions whole? Its own frame is among those that led
    here."""
    frame = sys._getframe(1)
    while frame is not None:
        if any(
            part.lstrip("_") in _STORE_FUNCTIONS_WHOLE
            for part in frame.f_globals.get("__name__", "").split(".")
        ):
            return True
        frame = frame.f_back  # type: ignore[assignment]
    return False
