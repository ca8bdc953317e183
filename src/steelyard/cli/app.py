"""The commands: parse, call, show."""

from __future__ import annotations

import contextlib
import os
import sys
import traceback

import click

from steelyard._version import __version__
from steelyard.cli.audit import audit
from steelyard.cli.claims import claims
from steelyard.cli.compare import compare
from steelyard.cli.evaluate import evaluate
from steelyard.cli.examine import examine
from steelyard.cli.gate import gate
from steelyard.cli.measures import explain, measures, weigh
from steelyard.cli.messages import in_its_words
from steelyard.cli.options import in_todays_words
from steelyard.cli.output import speak_any_encoding
from steelyard.cli.plan import plan
from steelyard.cli.priors import priors
from steelyard.cli.properties import properties
from steelyard.cli.recommend import recommend
from steelyard.cli.studio import studio
from steelyard.cli.study import study
from steelyard.cli.threshold import threshold
from steelyard.cli.watch import watch
from steelyard.errors import SteelyardError


@click.group(context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(__version__, prog_name="steelyard", message="%(prog)s %(version)s")
def app() -> None:
    """Weigh classifiers when the classes are unequal."""


for command in (
    evaluate,
    compare,
    threshold,
    gate,
    plan,
    priors,
    examine,
    audit,
    properties,
    claims,
    recommend,
    study,
    studio,
    watch,
    measures,
    explain,
    weigh,
):
    app.add_command(command)


OWN_FAULT = 70
"""The exit code of a fault of the program itself: 1 is an answer, of a gate that fails for one."""


def run(arguments: list[str]) -> int:
    """Run a command; what the user did wrong is one sentence on standard error and exit code 2."""
    command = _command(arguments)
    speak_any_encoding()
    try:
        words = in_todays_words(arguments, command)
        ended = app.main(words, prog_name="steelyard", standalone_mode=False, obj=tuple(words))
    except SteelyardError as error:
        print(f"steelyard: {in_its_words(error, command)}", file=sys.stderr)
        return 2
    except click.exceptions.Exit as ending:
        return ending.exit_code
    except click.ClickException as error:
        error.show()
        return 2
    except (click.Abort, KeyboardInterrupt):
        print("steelyard: interrupted.", file=sys.stderr)
        return 130
    except SystemExit:  # so Click and Rich leave when the reader of a pipe, such as head, has seen enough
        return 0
    except OSError as error:
        if error.filename is not None:  # a file, and not the output
            print(f"steelyard: {error.strerror}; found {error.filename}.", file=sys.stderr)
            return 2
        return _output_lost(error)
    except Exception:
        traceback.print_exc()
        print("steelyard: this is a fault of steelyard, not of your data; please report it.", file=sys.stderr)
        return OWN_FAULT
    try:
        sys.stdout.flush()
    except OSError as error:
        return _output_lost(error)
    return ended if isinstance(ended, int) else 0  # Click hands on the code of Context.exit


def _output_lost(error: OSError) -> int:
    """Standard output cannot be written: nobody reads it any more, which is no fault, or it is full, which is
    said."""
    with contextlib.suppress(OSError, ValueError):
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())  # for what is flushed at the very end
    if isinstance(error, BrokenPipeError):
        return 0
    print(f"steelyard: the output cannot be written; found {error.strerror or error}.", file=sys.stderr)
    return 2


def _command(arguments: list[str]) -> click.Command:
    """The command that was called."""
    command: click.Command = app
    for word in arguments:
        if not isinstance(command, click.Group) or word not in command.commands:
            break
        command = command.commands[word]
    return command
