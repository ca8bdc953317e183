"""What is loaded when it is used: names that a package exports, and what other packages add (plugins)."""

from __future__ import annotations

import importlib
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from importlib.metadata import EntryPoint


def module_named(name: str) -> Any:
    """The module of that name, imported when it is asked for."""
    return importlib.import_module(name)


def lazily(package: str, homes: Mapping[str, str]) -> Callable[[str], Any]:
    """The `__getattr__` (PEP 562) of a package: each public name with the module below it that holds it."""

    def attribute(name: str) -> Any:
        if name not in homes:
            raise AttributeError(f"module {package!r} has no attribute {name!r}")
        return getattr(module_named(f"{package}.{homes[name]}"), name)

    return attribute


def plugins(group: str) -> dict[str, EntryPoint]:
    """What the installed packages add to `steelyard.<group>` (commands, evaluate, compare, terms, cases)."""
    from importlib.metadata import entry_points

    return {point.name: point for point in entry_points(group=f"steelyard.{group}")}
