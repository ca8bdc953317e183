"""The command line that says what a Python call said, from the declared options."""

from __future__ import annotations

import dataclasses
import shlex
from collections.abc import Collection
from pathlib import Path
from typing import Any

from steelyard.parameters import declared


def command_text(name: str, options: Any, leave_out: Collection[str] = (), **changes: Any) -> str:
    """The command with these options, files as they were named; empty where it cannot be said in a shell.

    It cannot where the data are no file, or where a parameter is an object of Python.
    """
    if options is None:
        return ""
    words = ["steelyard", name]
    flags: list[str] = []
    for one in declared(options.__class__):
        value = changes.get(one.name, getattr(options, one.name))
        if one.name in leave_out or one.name == "progress" or _is_default(value, one.default):
            continue
        if one.said is None or not _can_be_said(value):
            return ""
        if one.said.argument:
            words += [_said(value) for value in (value if isinstance(value, tuple) else (value,))]
        elif value is True:
            flags.append(one.flag)
        else:
            for word in value if isinstance(value, (list, tuple)) else (value,):
                flags += [one.flag, _said(word)]
    return shlex.join([*words, *flags]) if len(words) > 2 else ""


def _is_default(value: Any, default: Any) -> bool:
    if default is dataclasses.MISSING:
        return False
    return value is default or (
        type(value) is type(default) and isinstance(value, (str, int, float, tuple)) and value == default
    )


def _can_be_said(value: Any) -> bool:
    if isinstance(value, (list, tuple)):
        return all(isinstance(one, (str, int, float, Path)) for one in value)
    return isinstance(value, (str, int, float, Path))


def _said(value: Any) -> str:
    return f"{value:g}" if isinstance(value, float) else str(value)
