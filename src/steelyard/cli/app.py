"""The commands: parse, call, show."""

from __future__ import annotations

import contextlib
import os
import signal
import sys
import threading
from functools import cache, partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from steelyard._lazy import lazily, plugins
from steelyard._version import __version__
from steelyard.cli import messages
from steelyard.cli.output import speak_any_encoding
from steelyard.errors import SteelyardError

if TYPE_CHECKING:
    from importlib.metadata import EntryPoint

# Every command of this package, and the module it is in.
MODULE_OF = {
    **dict.fromkeys(("audit", "compare", "evaluate", "gate", "metrics", "multilabel"), "capabilities"),
    **dict.fromkeys(("plan", "priors", "recommend", "sample", "threshold"), "capabilities"),
    **dict.fromkeys(("examine", "explain", "measures", "properties", "studio"), "measures"),
    "watch": "watch",
}
_OURS = lazily("steelyard.cli", MODULE_OF)


@cache
def _plugins() -> dict[str, EntryPoint]:
    """The commands of other packages."""
    return {name: point for name, point in plugins("commands").items() if name not in MODULE_OF}


class _Commands(click.Group):
    """The commands by name, each imported when it is asked for."""

    # Whoever runs one does not wait for the others, and the installed packages are looked through only for a
    # name that is not known here.

    def list_commands(self, ctx: click.Context) -> list[str]:
        return sorted({**MODULE_OF, **_plugins()})

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        if cmd_name not in MODULE_OF and cmd_name not in _plugins():
            return None
        if cmd_name not in self.commands:
            load = partial(_OURS, cmd_name) if cmd_name in MODULE_OF else _plugins()[cmd_name].load
            self.commands[cmd_name] = load()
        return self.commands[cmd_name]


@click.group(cls=_Commands, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(__version__, prog_name="steelyard", message="%(prog)s %(version)s")
def app() -> None:
    """Evaluate classifiers on imbalanced data."""


# Names are looked up before a command has a context.
_NO_CONTEXT = click.Context(app)
# The exit code of a fault of the program itself: 1 is an answer, of a gate that fails for one.
OWN_FAULT = 70


def run(arguments: list[str]) -> int:
    """Run a command; what the user did wrong is one sentence on standard error and exit code 2."""
    # Closed standard streams (2>&-) are None in Python: what is written there goes nowhere.
    for name in ("stdout", "stderr"):
        if getattr(sys, name) is None:
            setattr(sys, name, Path(os.devnull).open("w", encoding="utf-8"))  # noqa: SIM115
    speak_any_encoding()
    if threading.current_thread() is threading.main_thread():
        # Python ends at once on SIGTERM, without a finally clause: folders that DuckDB spills into would
        # stay.
        signal.signal(signal.SIGTERM, _terminate)
    arguments = messages.in_todays_commands(arguments)
    command = _command(arguments)
    words = arguments
    try:
        words = messages.in_todays_words(arguments, command)
        messages.refuse_repeated(command, words[1:])
        ended = app.main(words, prog_name="steelyard", standalone_mode=False, obj=tuple(words))
    except SteelyardError as error:
        print(f"steelyard: {messages.in_its_words(error, command, words)}", file=sys.stderr)
        return 2
    except click.exceptions.Exit as ending:
        return ending.exit_code
    except click.UsageError as error:
        if type(error).__name__ == "NoArgsIsHelpError":  # since Click 8.2: what is asked for is the help
            error.show()
        else:
            print(f"steelyard: {messages.typed_wrongly(error)}", file=sys.stderr)
        return 2
    except click.ClickException as error:
        error.show()
        return 2
    except (click.Abort, KeyboardInterrupt):
        print("steelyard: interrupted.", file=sys.stderr)
        return 130
    except _Terminated:
        return 143
    except SystemExit:  # so Click and Rich leave when the reader of a pipe, such as head, has seen enough
        return 0
    except OSError as error:
        if error.filename is not None:  # a file, and not the output
            print(f"steelyard: {error.strerror}; found {error.filename}.", file=sys.stderr)
            return 2
        return _output_lost(error)
    except Exception:
        import traceback

        traceback.print_exc()
        print("steelyard: this is a fault of steelyard, not of your data; please report it.", file=sys.stderr)
        return OWN_FAULT
    try:
        sys.stdout.flush()
    except OSError as error:
        return _output_lost(error)
    return ended if isinstance(ended, int) else 0  # Click hands on the code of Context.exit


class _Terminated(BaseException):
    """The process was asked to end (SIGTERM): temporary files are removed on the way out."""


def _terminate(_number: int, _frame: Any) -> None:
    raise _Terminated


def _output_lost(error: OSError) -> int:
    """Standard output cannot be written: nobody reads it any more, which is no fault, or it is full."""
    with contextlib.suppress(OSError, ValueError):
        # Python flushes standard output when it exits, and would print a second error.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())  # for what is flushed at the very end
    if isinstance(error, BrokenPipeError):
        return 0
    print(f"steelyard: the output cannot be written; found {error.strerror or error}.", file=sys.stderr)
    return 2


def _command(arguments: list[str]) -> click.Command:
    """The command that was called."""
    command: click.Command = app
    for word in arguments:
        inner = command.get_command(_NO_CONTEXT, word) if isinstance(command, click.Group) else None
        if inner is None:
            break
        command = inner
    return command
