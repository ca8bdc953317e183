"""Where a result goes: the terminal, a page, a file of figures; what is shown while it is computed."""

from __future__ import annotations

import datetime
import io
import json
import platform
import shlex
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from glob import escape, glob
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import click

from steelyard._lazy import module_named
from steelyard.errors import InputError

if TYPE_CHECKING:
    from steelyard.report.presented import Presented
    from steelyard.report.sections import Depth


# A function that becomes a command.
Command = TypeVar("Command", bound=Callable[..., Any])
FOLDERS_WRITTEN = ("plots", "out")


@dataclass(frozen=True)
class Output:
    """Where a result goes besides the terminal, and how much of it is shown there."""

    # None for a result that has no first screen of its own.
    full: bool | None = None
    html: str | None = None
    markdown: str | None = None
    json: str | None = None
    plots: str | None = None
    summary: str | None = None
    # The title of pages, in place of the one they have.
    title: str | None = None

    @property
    def paths(self) -> tuple[str | None, ...]:
        return self.html, self.markdown, self.json, self.summary

    def texts(self, result: Presented) -> Iterator[tuple[str, str]]:
        """Each file (`-` for standard output) and its text; JSON on standard output is printed elsewhere."""
        for place, short in ((self.html, False), (self.summary, True)):
            if place is not None:
                yield place, result.to_html(made=made_now(), title=self.title or "", summary=short)
        if self.markdown is not None:
            yield self.markdown, result.to_markdown()
        if self.json is not None and self.json != "-":
            yield self.json, as_json(result.plain()) + "\n"


_OPTIONS: dict[str, dict[str, Any]] = {
    "full": {"is_flag": True, "help": "Show everything; without it the first screen."},
    "all": {"is_flag": True, "hidden": True, "help": "The same as --full."},
    "html": {"type": click.Path(dir_okay=False), "help": "Write the report as an HTML page to this file."},
    "title": {"help": "The title of the HTML page."},
    "summary": {
        "type": click.Path(dir_okay=False),
        "help": "Write the first screen and three findings as HTML that prints on one page to this file.",
    },
    "markdown": {"type": click.Path(dir_okay=False), "help": "Write the report as Markdown to this file."},
    "plots": {"help": "Write the figures as PNG and SVG into this folder (pip install 'steelyard[plots]')."},
    "json": {
        "is_flag": False,
        "flag_value": "-",
        "help": "Write the results as JSON to this file; without a file (or with -) print them.",
    },
}


# The same options as decorators, for commands that are written by hand.
json_option, markdown_option = (
    click.option(f"--{name}", f"{name}_path", **_OPTIONS[name]) for name in ("json", "markdown")
)
# Where the title of a page waits for `show_and_save`: a command need not know of it.
_TITLE = "steelyard.title"


def html_option(command: Command) -> Command:
    """The options `--html` and `--title`, as a decorator."""

    def remember(context: click.Context, _: click.Parameter, title: str | None) -> None:
        context.meta[_TITLE] = title

    titled = click.option("--title", expose_value=False, callback=remember, **_OPTIONS["title"])
    return click.option("--html", "html_path", **_OPTIONS["html"])(titled(command))


def presented(schema: str) -> Callable[[Command], Command]:
    """The options of a command that shows a result: `--html`, `--markdown`, `--json` and its schema."""
    return lambda command: html_option(markdown_option(json_option(schema_option(schema)(command))))


def output_options(names: Iterable[str]) -> list[click.Parameter]:
    """The options that say where a result goes."""
    return [click.Option([f"--{name}", name], **_OPTIONS[name]) for name in names]


def schema_option(schema: str | Callable[[], Any]) -> Callable[[Any], Any]:
    """`--json-schema`: print the schema of what a command writes and stop."""
    # It is what a function returns, which may be named: "judgement.catalogue:json_schema".

    def show(context: click.Context, _: click.Parameter, wanted: bool) -> None:
        if wanted:
            written: Any = schema
            if isinstance(schema, str):
                module, function = schema.split(":")
                written = getattr(module_named(f"steelyard.{module}"), function)
            print_json(written())
            context.exit()

    return click.option(
        "--json-schema",
        is_flag=True,
        is_eager=True,
        expose_value=False,
        callback=show,
        help="Print the schema of the JSON and stop.",
    )


def print_json(data: Any, indent: int | None = 2) -> None:
    """JSON on standard output; characters that its encoding lacks are written as JSON escapes them."""
    click.echo(as_json(data, indent=indent, escaped=not _speaks_unicode(sys.stdout)))


def as_json(data: Any, *, indent: int | None = 2, escaped: bool = False) -> str:
    """JSON as every command writes it: NaN never gets there, it is null with a reason beside it."""
    return json.dumps(data, ensure_ascii=escaped, allow_nan=False, indent=indent)


def speak_any_encoding() -> None:
    """Let standard output and standard error replace the characters that their encoding lacks."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper) and not _speaks_unicode(stream):
            stream.reconfigure(errors="replace")


def _speaks_unicode(stream: Any) -> bool:
    return str(getattr(stream, "encoding", None) or "utf-8").lower().replace("-", "").startswith("utf")


def show_or_json(data: Callable[[], Any], json_path: str | None, show: Callable[[], None]) -> None:
    """Print the figures where `--json` names no file; otherwise write them to it, and show the words."""
    from steelyard.report.saving import save_all

    if json_path == "-":
        print_json(data())
        return
    if json_path is not None:
        save_all({Path(json_path): as_json(data()) + "\n"})
    show()
    note_written(json_path)


def note_written(*paths: str | None, err: bool = True) -> None:
    """Say which files were written: on standard error, where figures on standard output must stay alone."""
    for path in paths:
        if path is not None and path != "-":
            click.echo(f"Written: {path}", err=err)


def refuse_to_replace(
    sources: Iterable[str | None], *outputs: str | None, what: str = "what is read"
) -> None:
    """An output named like an input would destroy it, and two outputs of one name each other."""
    # Whatever else the command line names may be read too: priors, costs, rules, a table.
    # Through links: two names of one file are one file.
    read = {_place(source) for source in sources if source is not None}
    written = [output for output in outputs if output is not None and output != "-"]
    for output in written:
        if _place(output) in read | _named_beside(written):
            raise InputError(f"an output would replace {what}", found=output, do="name another file")
    if len({_place(output) for output in written}) < len(written):
        raise InputError("two outputs have one name", found=written[0], do="name two files")


def _place(named: str) -> Path:
    """The file that a name means, through links; links in a circle mean none."""
    try:
        return Path(named).resolve()
    except (OSError, RuntimeError):
        return Path(named).absolute()


def _named_beside(outputs: Sequence[str]) -> set[Path]:
    """The files that words of the command line other than its outputs may name."""
    context = click.get_current_context(silent=True)
    parameters = {} if context is None else context.params
    left = list(outputs)
    paths: set[Path] = set()
    for name, value in parameters.items():
        for word in value if isinstance(value, (tuple, list)) else (value,):
            if not isinstance(word, str) or not word:
                continue
            if word in left:
                left.remove(word)  # the output itself
                continue
            for text in {word, word.partition("=")[2] or word}:
                # The name itself, a pattern, and the files of a folder that is read.
                patterns = [escape(text), text, *([] if name in FOLDERS_WRITTEN else [f"{escape(text)}/*"])]
                paths |= {_place(path) for pattern in patterns for path in glob(pattern)}
    return paths


def show_and_save(
    result: Presented,
    output: Output | None = None,
    files: Mapping[Path, str | bytes] | None = None,
    *,
    html_path: str | None = None,
    json_path: str | None = None,
    markdown_path: str | None = None,
    depth: Depth | None = None,
    more: bool = True,
) -> None:
    """Write all the files asked for or none, then show the result on the terminal."""
    # `--json -` prints the figures instead.
    #
    # `more` says whether a first screen ends with how to see the rest.
    from steelyard.report.saving import save_all

    if output is None:
        context = click.get_current_context(silent=True)
        title = None if context is None else context.meta.get(_TITLE)
        output = Output(None, html_path, markdown_path, json_path, title=title)
    shown = depth or ("brief" if output.full is False else "full")
    texts = list(output.texts(result))
    printed = [text for place, text in texts if place == "-"]
    saved = {Path(place): text for place, text in texts if place != "-"}
    written: dict[Path, str | bytes] = {**(files or {}), **saved}
    # All texts are made before the first file is written: a failing renderer leaves nothing behind.
    save_all(written, None if output.plots is None else Path(output.plots))
    if output.json == "-":
        print_json(result.plain())
    elif printed:
        click.echo("\n".join(printed))
    else:
        from steelyard.report import terminal

        terminal.show(result.brief_report() if shown == "brief" else result.report(), shown)
        if shown == "brief" and more:
            terminal.written("More: --full, --html or --json.")
    others = [str(path) for path in files or {}]
    note_written(*output.paths, output.plots, *others, err=output.json == "-" or bool(printed))


def made_now() -> str:
    """The day, the versions and the command line, with the names of files but not their folders."""
    from importlib.metadata import version

    with_what = f"Python {platform.python_version()} and NumPy {version('numpy')}"
    origin = f"Made on {datetime.datetime.now(tz=datetime.UTC):%Y-%m-%d} with {with_what}"
    context = click.get_current_context(silent=True)
    arguments = None if context is None else context.find_root().obj
    if not arguments:
        return f"{origin}."
    # Who reads a page need not learn where it was made.
    command = shlex.join(["steelyard", *map(_without_folder, arguments)])
    return f"{origin}, folders of files left out, by: {command}"


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


@contextmanager
def progress_bar(words: str, measured: bool = True) -> Iterator[Callable[[float], None] | None]:
    """How far it has come: call what this gives with the part done, 0 to 1; not `measured`: a clock."""
    if not sys.stderr.isatty():
        yield None
        return
    from steelyard.report.progress import progress_on_terminal

    with progress_on_terminal(words, measured) as report:
        yield report
