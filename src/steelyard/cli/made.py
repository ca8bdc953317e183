"""When and by which command was a page made? Said in its footer, so that it can be made again."""

from __future__ import annotations

import datetime
import platform
import shlex
from pathlib import Path

import click


def made_now() -> str:
    """The day, the versions and the command line, with the names of files but not their folders."""
    from importlib.metadata import version

    with_what = f"Python {platform.python_version()} and NumPy {version('numpy')}"
    made = f"Made on {datetime.datetime.now(tz=datetime.UTC):%Y-%m-%d} with {with_what}"
    command = command_line()
    return f"{made} by: {command}" if command else f"{made}."


def command_line() -> str:
    """The command as it was given, without the folders of files: who reads a page need not learn where it was
    made."""
    context = click.get_current_context(silent=True)
    arguments = None if context is None else context.find_root().obj
    return shlex.join(["steelyard", *map(_without_folder, arguments)]) if arguments else ""


def _without_folder(word: str) -> str:
    """The last part of a path; other words, such as the name of a class with a slash, stay as they are."""
    option, equals, value = word.partition("=") if word.startswith("--") else ("", "", word)
    try:
        known = Path(value.rpartition(":")[0] or value).exists() or Path(value).parent.is_dir()
    except (OSError, ValueError):  # too long for a path, or with a character that no path has
        known = False
    if not known or Path(value).name == value:
        return word
    return option + equals + (Path(value).name or value)
