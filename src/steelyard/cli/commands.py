"""Commands from declared options: parse, call the public function, show its result.

A command is a public function with the same name and options. `command` reads them off the capability's
options.py (see steelyard.parameters), adds where the result goes (--html, --json, ...), and decides nothing.
"""

from __future__ import annotations

import contextlib
import sys
import tempfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import MISSING, replace
from pathlib import Path
from typing import Any, get_args

import click

from steelyard._lazy import module_named
from steelyard.cli.output import (
    Output,
    output_options,
    progress_bar,
    refuse_to_replace,
    schema_option,
    show_and_save,
    shown_waiting,
)
from steelyard.errors import InputError
from steelyard.parameters import Declared, declared

STANDARD_INPUT = "standard input"


@contextmanager
def standard_input() -> Iterator[str]:
    """The path of a file that holds standard input; errors call it by its name."""
    # Bytes: DuckDB reads files, and an encoding error is told with its place.
    content = sys.stdin.buffer.read()
    suffix = ".jsonl" if content.lstrip(b"\xef\xbb\xbf \r\n\t")[:1] == b"{" else ".csv"
    with tempfile.TemporaryDirectory(prefix="steelyard-") as folder:
        path = Path(folder) / f"standard-input{suffix}"
        path.write_bytes(content)
        try:
            yield str(path)
        except InputError as error:
            what, allowed, do = (
                part.replace(str(path), STANDARD_INPUT) for part in (error.what, error.allowed, error.do)
            )
            found = None if error.found is None else str(error.found).replace(str(path), STANDARD_INPUT)
            raise InputError(what, found=found, allowed=allowed, do=do) from error


class DeclaredCommand(click.Command):
    """A command whose options are declared by a capability."""

    former: Mapping[str, str]
    """Former flags, and the flags that replaced them."""


def command(
    capability: str,
    *,
    summary: str,
    waiting: str,
    name: str = "",
    outputs: Sequence[str] = ("full", "html", "markdown", "json"),
    files: Mapping[str, tuple[str, str]] | None = None,
    usual: Mapping[str, Callable[[], Any]] | None = None,
    dialogue: tuple[click.Option, Callable[..., dict[str, Any]]] | None = None,
) -> DeclaredCommand:
    """The command of a capability, such as "judgement.gate".

    `summary` stands in the list of commands; `waiting` says what is worked at and may name arguments: {data}.
    `files` are further outputs: an option, its help, and the method of the result that gives the text.
    `usual` finds a value where an option is not given, such as a settings file in the working folder.
    `dialogue` is an option that asks on the terminal for what was not said, and what asks.
    """
    name = name or capability.rpartition(".")[2]
    options = _module(capability, "options").Options
    everything = declared(options)
    known = [one for one in everything if one.said is not None]
    more = dict(files or {})
    if "html" in outputs and all(one.name != "title" for one in everything):
        outputs = (*outputs, "title")

    def run(verbose: bool, **given: Any) -> None:
        if verbose:
            from steelyard.cli.time_spent import time_spent

            click.get_current_context().with_resource(time_spent())
        places = {key: given.pop(key) for key in outputs}
        places["full"] = places.pop("all", False) or places.get("full")
        output = Output(**places)
        paths = {flag: given.pop(_key(flag)) for flag in more}
        refuse_to_replace((), *output.paths, *paths.values())
        talks = None if dialogue is None else given.pop(str(dialogue[0].name))
        # What was not given is left to the default of the library function, which is declared once.
        asked = {key: value for key, value in given.items() if value is not None and value != ()}
        if dialogue is not None:
            asked = dialogue[1](talks, asked)
        for key, find in (usual or {}).items():
            if key not in asked and (value := find()) is not None:
                asked[key] = value
        with contextlib.ExitStack() as stack:
            piped = [
                one.name for one in known if one.said and one.said.argument and asked.get(one.name) == "-"
            ]
            for key in piped:
                asked[key] = stack.enter_context(standard_input())
            named = {key: ", ".join(map(str, v)) if isinstance(v, tuple) else v for key, v in given.items()}
            working = waiting.format(**named)
            if any(one.name == "progress" for one in everything):
                asked["progress"] = stack.enter_context(progress_bar(working))
            else:
                stack.enter_context(shown_waiting(working))
            result = getattr(_module(capability, "judge"), name)(**asked)
            if piped:
                result = replace(result, source=STANDARD_INPUT)
            if hasattr(result, "by_command"):
                result = replace(result, by_command=True)
        # A settings file names inputs that no word of the command line does.
        refuse_to_replace(
            [*map(str, asked.values()), *getattr(result, "files_read", ())], *output.paths, *paths.values()
        )
        written = {Path(path): getattr(result, more[flag][1])() for flag, path in paths.items() if path}
        if output.plots is not None:
            written |= result.draw_plots(output.plots)
        show_and_save(result, output, written)
        click.get_current_context().exit(getattr(result, "exit_code", 0))

    parameters = parameters_of(options)
    parameters += [click.Option([flag], help=words) for flag, (words, _) in more.items()]
    parameters += [] if dialogue is None else [dialogue[0]]
    parameters += output_options(outputs)
    parameters.append(
        click.Option(["--verbose"], is_flag=True, help="Say on standard error where the time went.")
    )
    made = DeclaredCommand(name, callback=run, params=parameters, help=options.__doc__, short_help=summary)
    made.former = {
        "--" + old.replace("_", "-"): one.flag for one in known if one.said for old in one.said.former
    }
    schema_option(f"{capability}.result:json_schema")(made)
    return made


def parameters_of(options: Any) -> list[click.Parameter]:
    """The options and arguments that a capability declares."""
    return [_parameter(one) for one in declared(options) if one.said is not None]


def _module(capability: str, part: str) -> Any:
    return module_named(f"steelyard.{capability}.{part}")


def _key(flag: str) -> str:
    return flag.removeprefix("--").replace("-", "_")


def _parameter(one: Declared) -> click.Parameter:
    """The option or argument that a declared parameter is on the command line."""
    assert one.said is not None
    required = one.default is MISSING
    if one.said.argument:
        return click.Argument(
            [one.name], required=required, nargs=-1 if one.repeats else 1, metavar=one.said.argument
        )
    has_default = not (required or one.default in (None, "", ()) or one.default is False)
    # Click takes a default of None for a value, and would not ask for what is required.
    default: dict[str, Any] = {}
    if not required:
        default["default"] = one.default if has_default and not one.repeats else None
    return click.Option(
        [one.flag, one.name],
        type=_type(one),
        is_flag=one.type is bool,
        multiple=one.repeats,
        required=required,
        **default,
        show_default=one.said.default or has_default,
        metavar=one.said.metavar or None,
        help=one.said.help,
    )


def _type(one: Declared) -> Any:
    """Click's type of a parameter; what its text means is the library's to say."""
    if one.allowed:
        return click.Choice([str(value) for value in one.allowed])
    kind = next(iter(get_args(one.type)), one.type)
    least = None if one.said is None else one.said.least
    if kind is int:
        return click.INT if least is None else click.IntRange(min=int(least))
    return click.FLOAT if kind is float else click.BOOL if kind is bool else click.STRING
