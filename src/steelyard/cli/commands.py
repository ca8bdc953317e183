"""Commands from declared options: parse, call the public function, show its result."""

# A command is a public function with the same name and options. `command` reads them off the capability's
# options.py (see steelyard.parameters), adds where the result goes (--html, --json, ...), and decides
# nothing.

from __future__ import annotations

import contextlib
import math
import sys
import tempfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import MISSING, fields, replace
from pathlib import Path
from typing import Any, get_args

import click

from steelyard._lazy import module_named
from steelyard.cli import output
from steelyard.cli.timings import verbose_option
from steelyard.errors import InputError
from steelyard.parameters import Declared, declared, ends_of

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
            texts = (error.what, str(error.found), error.allowed, error.do)
            what, shown, allowed, do = (text.replace(str(path), STANDARD_INPUT) for text in texts)
            named = None if error.found is None else shown
            raise InputError(what, found=named, allowed=allowed, do=do) from error


def _of_standard_input(result: Any, keys: Mapping[str, str]) -> Any:
    """The result without names of temporary files: what they were read from, and - in its commands."""
    texts = [(field.name, getattr(result, field.name)) for field in fields(result)]
    changes: dict[str, Any] = {
        name: STANDARD_INPUT for name, text in texts if isinstance(text, str) and text in keys
    }
    if hasattr(result, "options"):
        changes["options"] = replace(result.options, **dict.fromkeys(keys.values(), "-"))
    return replace(result, **changes)


class DeclaredCommand(click.Command):
    """A command whose options are declared by a capability."""

    # Former flags, and the flags that replaced them.
    former: Mapping[str, str]


def command(
    capability: str,
    *,
    name: str,
    summary: str,
    waiting: str,
    outputs: Sequence[str],
    files: Mapping[str, tuple[str, str]],
    usual: Mapping[str, Callable[[], Any]],
    dialogue: tuple[click.Option, Callable[..., dict[str, Any]]] | None = None,
) -> DeclaredCommand:
    """The command of a capability, such as "judgement.gate".

    `summary` stands in the list of commands; `waiting` says what is worked at and may name arguments: {data}.
    `files` are further outputs: an option, its help, and the method of the result that gives the text.
    `usual` finds a value where an option is not given, such as a settings file in the working folder.
    `dialogue` is an option that asks on the terminal for what was not said, and what asks.
    """
    options = module_named(f"steelyard.{capability}.options").Options
    everything = declared(options)
    known = [each for each in everything if each.spec is not None]
    if "html" in outputs and all(each.name != "title" for each in everything):
        outputs = (*outputs, "title")

    def run(**values: Any) -> None:
        places = {key: values.pop(key) for key in outputs}
        places["full"] = places.pop("all", False) or places.get("full")
        targets = output.Output(**places)
        paths = {flag: values.pop(flag[2:].replace("-", "_")) for flag in files}
        output.refuse_to_replace((), *targets.paths, *paths.values())
        talks = None if dialogue is None else values.pop(str(dialogue[0].name))
        # What was not given is left to the default of the library function, which is declared once.
        arguments = {key: value for key, value in values.items() if value is not None and value != ()}
        if dialogue is not None:
            arguments = dialogue[1](talks, arguments)
        for key, find in usual.items():
            if key not in arguments and (value := find()) is not None:
                arguments[key] = value
        with contextlib.ExitStack() as stack:
            named_inputs = [each.name for each in known if each.spec and each.spec.argument]
            piped = [key for key in named_inputs if arguments.get(key) == "-"]
            for key in piped:
                arguments[key] = stack.enter_context(standard_input())
            named = {key: ", ".join(map(str, v)) if isinstance(v, tuple) else v for key, v in values.items()}
            working = waiting.format(**named)
            measured = any(each.name == "progress" for each in everything)
            progress = stack.enter_context(output.progress_bar(working, measured))
            arguments |= {"progress": progress} if measured else {}
            result = getattr(module_named(f"steelyard.{capability}.judge"), name)(**arguments)
            if piped:
                result = _of_standard_input(result, {str(arguments[key]): key for key in piped})
            if hasattr(result, "by_command"):
                result = replace(result, by_command=True)
            if hasattr(result, "rows_file"):
                result = replace(result, rows_file=paths.get("--out"))
        # A settings file names inputs that no word of the command line does.
        read = [*map(str, arguments.values()), *getattr(result, "files_read", ())]
        output.refuse_to_replace(read, *targets.paths, *paths.values())
        written = {Path(path): getattr(result, files[flag][1])() for flag, path in paths.items() if path}
        for path, text in written.items() if hasattr(result, "rows_file") else ():
            # Labels cost money: a file with a column more than this one would have is not replaced.
            if path.is_file() and path.read_bytes().splitlines()[:1] != text.encode().splitlines()[:1]:
                raise InputError(
                    "the file exists with other columns and may hold labels",
                    found=str(path),
                    do="name another file with --out, or delete it",
                )
        if targets.plots is not None:
            written |= result.draw_plots(targets.plots)
        output.show_and_save(result, targets, written)
        click.get_current_context().exit(getattr(result, "exit_code", 0))

    parameters = parameters_of(options)
    parameters += [click.Option([flag], help=words) for flag, (words, _) in files.items()]
    parameters += [] if dialogue is None else [dialogue[0]]
    parameters += output.output_options(outputs)
    declared_command = DeclaredCommand(
        name, callback=run, params=parameters, help=options.__doc__, short_help=summary
    )
    declared_command.former = {
        "--" + old.replace("_", "-"): each.flag for each in known if each.spec for old in each.spec.former
    }
    verbose_option(declared_command)
    output.schema_option(f"{capability}.result:json_schema")(declared_command)
    return declared_command


def parameters_of(options: Any) -> list[click.Parameter]:
    """The options and arguments that a capability declares."""
    return [_parameter(each) for each in declared(options) if each.spec is not None]


def _parameter(option: Declared) -> click.Parameter:
    """The option or argument that a declared parameter is on the command line."""
    assert option.spec is not None
    required = option.default is MISSING
    if option.spec.argument:
        return click.Argument(
            [option.name], required=required, nargs=-1 if option.repeats else 1, metavar=option.spec.argument
        )
    has_default = not (required or option.default in (None, "", ()) or option.default is False)
    # Click takes a default of None for a value, and would not ask for what is required.
    default: dict[str, Any] = {}
    if not required:
        default["default"] = option.default if has_default and not option.repeats else None
    return click.Option(
        [option.flag, option.name],
        type=_type(option),
        is_flag=option.type is bool,
        multiple=option.repeats,
        required=required,
        **default,
        show_default=option.spec.default or has_default,
        metavar=option.spec.metavar or None,
        help=option.spec.help,
    )


def _type(option: Declared) -> Any:
    """Click's type of a parameter; what its text means is the library's to say."""
    if option.allowed:
        return click.Choice([str(value) for value in option.allowed])
    kind = next(iter(get_args(option.type)), option.type)
    least, _ = ends_of(option.within)
    if kind is int:
        return click.IntRange(min=int(least)) if math.isfinite(least) else click.INT
    return click.FLOAT if kind is float else click.BOOL if kind is bool else click.STRING
