"""Lazy exports: a package offers names of its modules and imports a module when one of its names is used."""

from __future__ import annotations

import importlib
from collections.abc import Callable, Mapping
from typing import Any


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
