"""The command line. `steelyard --version` is answered before anything else is imported."""

# A package adds commands of its own by entry points of the group `steelyard.commands`, each naming a Click
# command; the names below are public for them: the options that every command has (`--json`, `--html`, ...)
# and how a result is shown and saved.

from __future__ import annotations

import atexit
import contextlib
import gc
import os
import sys
import threading
from typing import TYPE_CHECKING, NoReturn

from steelyard._lazy import lazily

if TYPE_CHECKING:
    from steelyard.cli.output import html_option as html_option
    from steelyard.cli.output import json_option as json_option
    from steelyard.cli.output import markdown_option as markdown_option
    from steelyard.cli.output import progress_bar as progress_bar
    from steelyard.cli.output import refuse_to_replace as refuse_to_replace
    from steelyard.cli.output import schema_option as schema_option
    from steelyard.cli.output import show_and_save as show_and_save
    from steelyard.cli.output import show_or_json as show_or_json
    from steelyard.cli.timings import verbose_option as verbose_option

_OPTIONS = ("html_option", "json_option", "markdown_option", "schema_option")
_SHOWN = ("progress_bar", "refuse_to_replace", "show_and_save", "show_or_json")
_HOMES = {**dict.fromkeys((*_OPTIONS, *_SHOWN), "output"), "verbose_option": "timings"}
__all__ = [*_HOMES, "main"]
__getattr__ = lazily(__name__, _HOMES)


def main(arguments: list[str] | None = None) -> int:
    """Run the command line and return its exit code: 0 done, 2 bad input, 130 interrupted."""
    words = sys.argv[1:] if arguments is None else arguments
    if words == ["--version"]:
        from steelyard._version import __version__

        print(f"steelyard {__version__}")
        return 0
    # Modules and their classes live as long as the process: looking for garbage among them at every 700th
    # object took a tenth of a short command.
    gc.set_threshold(200_000, 20, 20)
    from steelyard.cli.app import run

    return run(words)


def command() -> NoReturn:
    """The process of a command: the command line, and the end of the process."""
    # NumPy's OpenBLAS starts a thread for each core as it is imported, and they spin while they wait: a third
    # of the CPU of a short command. No command multiplies matrices that gain by them (decision 36).
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
    try:
        code = main()
    except KeyboardInterrupt:  # while the command itself is imported
        print("steelyard: interrupted.", file=sys.stderr)
        code = 130
    # Python ends a process that was interrupted in an import by the signal, not with the code.
    if code != 130 and (threading.active_count() > 1 or "multiprocessing" in sys.modules):
        sys.exit(code)
    # Taking every module apart takes an eighth of a short command; what asked to be done at the end is done,
    # and what was written is flushed.
    atexit._run_exitfuncs()
    for stream in (sys.stdout, sys.stderr):
        with contextlib.suppress(OSError, ValueError):
            stream.flush()
    os._exit(code)
