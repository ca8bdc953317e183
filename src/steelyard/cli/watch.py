"""`steelyard watch`: print every block as soon as it was checked."""

from __future__ import annotations

import contextlib
import math
import signal
import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from steelyard.cli import output
from steelyard.cli.commands import parameters_of
from steelyard.cli.timings import verbose_option
from steelyard.errors import InputError
from steelyard.judgement.watch.options import Options

if TYPE_CHECKING:
    from steelyard.judgement.watch.result import Watched

SECONDS_BETWEEN_PAGES = 1.0


class _Display:
    """Where each block goes: the terminal, JSON lines there instead, JSON lines in a file, and a page that is
    written again as blocks of an endless stream arrive, but not more often than can be read."""

    def __init__(
        self, json_path: str | None, html_path: str | None, title: str, follow: bool, endless: bool
    ) -> None:
        self._json, self._html, self._title, self._follow = json_path, html_path, title, follow
        self._begun, self._written = False, -SECONDS_BETWEEN_PAGES if endless else math.inf
        self._lines: list[str] = []

    def show(self, watched: Watched, block: Any) -> None:
        from steelyard.judgement.watch.sections import line, opening

        if self._json not in (None, "-"):
            self._lines.append(output.as_json(block.to_dict(), indent=None) + "\n")
            if self._follow:  # whole lines, for whoever follows the file
                self._write("a" if self._begun else "w", self._lines[-1])
        if self._json == "-":
            output.print_json(block.to_dict(), indent=None)
        else:
            if not self._begun:
                click.echo("\n".join(opening(watched)))
            click.echo(line(watched, block))
        self._begun = True
        sys.stdout.flush()
        if time.monotonic() - self._written >= SECONDS_BETWEEN_PAGES:
            self.write_page(watched)

    def conclude(self, watched: Watched) -> None:
        from steelyard.judgement.watch.sections import conclusion

        self.write_page(watched)
        if self._json not in (None, "-") and not (self._follow and self._begun):
            self._write("w", "".join(self._lines))
        words = "\n".join(["", *conclusion(watched)])
        if self._json != "-":
            click.echo(words)
        elif watched.notes:
            click.echo("\n".join(watched.notes), err=True)

    def write_page(self, watched: Watched) -> None:
        if self._html is not None:
            watched.to_html(self._html, made=output.made_now(), title=self._title)
            self._written = time.monotonic()

    def _write(self, mode: str, text: str) -> None:
        assert self._json is not None
        try:
            with Path(self._json).open(mode, encoding="utf-8") as file:
                file.write(text)
        except OSError as error:
            raise InputError(
                f"the file cannot be written: {error.strerror}", found=self._json, do="choose another place"
            ) from error


def _run(
    html: str | None,
    title: str | None,
    markdown: str | None,
    json: str | None,
    exit_zero: bool,
    **values: Any,
) -> None:
    from steelyard.judgement.watch.judge import watch as judge
    from steelyard.reading.stream import STDIN
    from steelyard.report.saving import save

    output.refuse_to_replace((), html, markdown, json)
    options = {name: value for name, value in values.items() if value is not None and value != ()}
    follow = bool(options.get("follow"))
    display = _Display(json, html, title or "", follow, endless=follow or options.get("data") == STDIN)
    previous = None
    if follow:  # a background job ignores interrupts otherwise
        previous = signal.signal(signal.SIGINT, signal.default_int_handler)
    try:
        with contextlib.ExitStack() as waiting:
            what = " and ".join(str(options[name]) for name in ("reference", "data") if name in options)
            waiting.enter_context(output.progress_bar(f"Reading {what}", measured=False))

            def on_block(watched: Watched, block: Any) -> None:
                waiting.close()
                display.show(watched, block)

            watched = judge(**options, on_block=on_block)
    finally:
        if previous is not None:
            signal.signal(signal.SIGINT, previous)
    display.conclude(watched)
    if markdown is not None:
        save(markdown, watched.to_markdown())
    output.note_written(html, markdown, json)
    click.get_current_context().exit(0 if exit_zero else watched.exit_code)


watch = click.Command(
    "watch",
    callback=_run,
    params=[
        *parameters_of(Options),
        click.Option(["--exit-zero"], is_flag=True, help="Exit with code 0 even if an alarm was raised."),
        *output.output_options(("html", "title", "markdown")),
        click.Option(
            ["--json"],
            is_flag=False,
            flag_value="-",
            help="Write a JSON object per block to this file; without a file (or with -) print them instead.",
        ),
    ],
    help=Options.__doc__,
    short_help="Detect drift in a stream: class rates, class priors.",
)
verbose_option(watch)
output.schema_option("judgement.watch.result:json_schema")(watch)
