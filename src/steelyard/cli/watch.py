"""`steelyard watch`: did the classifier change, or only the classes it meets?"""

from __future__ import annotations

import signal
import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING, Literal

import click

from steelyard.cli.made import made_now
from steelyard.cli.output import (
    as_json,
    markdown_option,
    note_written,
    print_json,
    refuse_to_replace,
    schema_option,
)
from steelyard.errors import InputError

if TYPE_CHECKING:
    from steelyard.counts.labels import Label
    from steelyard.judgement.watch import Watch
    from steelyard.judgement.watch_looks import Look
    from steelyard.judgement.watch_unlabelled import UnlabelledLook, UnlabelledWatch
    from steelyard.reading.stream import Block

SECONDS_BETWEEN_PAGES = 1.0
MANY_ENOUGH = 20
"""Rows that could be parted into blocks."""


@click.command(short_help="Watch a stream: did the model change, or only the classes?")
@click.argument("source", default="-")
@click.option("--every", type=int, default=10_000, show_default=True, help="Rows in a block.")
@click.option(
    "--reference",
    help="A predictions file that shows what is normal; without it the rows before the change do.",
)
@click.option("--truth", help="The column of true labels.")
@click.option("--pred", help="The column of predicted labels.")
@click.option(
    "--unlabelled",
    is_flag=True,
    help="SOURCE has no truth: estimate the class shares of every block by --reference, which has.",
)
@click.option("--score", help="With --unlabelled: the column of scores of the positive class, in both.")
@click.option("--positive", help="The positive class.")
@click.option("--measure", "measures", multiple=True, help="A measure to watch; may be repeated.")
@click.option(
    "--alpha",
    type=float,
    default=0.05,
    show_default=True,
    help="The probability of ever raising a false alarm.",
)
@click.option(
    "--missing",
    type=click.Choice(["error", "drop"]),
    default="error",
    show_default=True,
    help="What to do with rows that lack a label.",
)
@click.option("--follow", is_flag=True, help="Wait at the end of the file for more, until interrupted.")
@click.option("--html", "html_path", help="Write the page to this file, again after every block.")
@markdown_option
@click.option(
    "--json",
    "json_path",
    is_flag=False,
    flag_value="-",
    help="Write a JSON object a line to this file; without a file (or with -) print them instead of words.",
)
@schema_option("watch")
def watch(
    source: str,
    every: int,
    reference: str | None,
    truth: str | None,
    pred: str | None,
    unlabelled: bool,
    score: str | None,
    positive: str | None,
    measures: tuple[str, ...],
    alpha: float,
    missing: str,
    follow: bool,
    html_path: str | None,
    markdown_path: str | None,
    json_path: str | None,
) -> None:
    """Watch the predictions in SOURCE (CSV or JSON lines; - is standard input): a line for every block of
    rows.

    Each block is held against the reference: how far the class priors moved, which measures moved only
    because of that, and whether class rates changed. With --unlabelled the class shares of each block are
    estimated, with a warning when the classes themselves have changed.
    """
    from steelyard.counts.labels import spelling_note
    from steelyard.judgement.watch import Watch
    from steelyard.reading.stream import STDIN, Blocks
    from steelyard.report.saving import save

    name = "standard input" if source == STDIN else Path(source).name
    watched: Watch | UnlabelledWatch
    names: tuple[Label, ...] = ()
    if unlabelled:
        watched = _without_labels(name, reference, truth, pred, score, positive, missing, alpha, measures)
    else:
        if score is not None:
            raise InputError(
                "a stream with labels is watched by its predictions", found="--score", do="say --pred"
            )
        known = None
        if reference is not None:
            from steelyard.reading.column_names import columns_of
            from steelyard.reading.counting import count

            with columns_of(Path(reference).name):
                known = count(reference, truth=truth, pred=pred, missing=missing).confusion()
        watched = Watch(known, measures=measures or None, positive=positive, alpha=alpha, source=name)
        names = () if known is None else known.labels
    blocks = Blocks(
        source,
        every,
        truth=truth,
        pred=score if score is not None else pred,
        missing=missing,
        follow=follow,
        unlabelled=unlabelled,
        known=names,
    )
    refuse_to_replace([source if source != STDIN else None, reference], html_path, markdown_path, json_path)
    page = _Page(watched, html_path)
    shown = _Shown(json_path)
    previous = (
        signal.signal(signal.SIGINT, signal.default_int_handler) if follow else None
    )  # a background job ignores it otherwise
    try:
        for block in blocks:
            shown.show(_looked(watched, block))
            page.write()
    except KeyboardInterrupt:
        pass  # the way a watch ends
    finally:
        if previous is not None:
            signal.signal(signal.SIGINT, previous)
    rest = blocks.rest()
    if len(rest):
        shown.show(_looked(watched, rest))
    page.write(last=True)
    _conclude(watched, every, quiet=json_path == "-")
    if markdown_path is not None:
        save(markdown_path, watched.to_markdown())
    if blocks.spelled:
        click.echo(spelling_note(blocks.spelled), err=True)
    if blocks.dropped:
        rows = "1 row was" if blocks.dropped == 1 else f"{blocks.dropped:,} rows were"
        click.echo(f"{rows} left out because a label is missing.", err=True)
    note_written(html_path, markdown_path, json_path)


def _conclude(watched: Watch | UnlabelledWatch, every: int, quiet: bool) -> None:
    """What all blocks together say, on standard error: who reads lines reads lines only."""
    from steelyard.judgement.watch import Watch
    from steelyard.judgement.watch_sections import verdict

    if quiet or not isinstance(watched, Watch) or not watched.looks:
        return
    words = verdict(watched)
    if len(watched.looks) == 1 and not watched.given and watched.rows >= MANY_ENOUGH:
        words += f" Blocks of {every:,} rows are too large for {watched.rows:,}: say fewer with --every."
    click.echo(words, err=True)


def _looked(watched: Watch | UnlabelledWatch, block: Block) -> Look | UnlabelledLook:
    from steelyard.judgement.watch import Watch

    return watched.look(block.confusion()) if isinstance(watched, Watch) else watched.look(block.values())


def _without_labels(
    name: str,
    reference: str | None,
    truth: str | None,
    pred: str | None,
    score: str | None,
    positive: str | None,
    missing: str,
    alpha: float,
    measures: tuple[str, ...],
) -> UnlabelledWatch:
    """The watch of a stream whose truth is not known."""
    from steelyard.judgement.watch_unlabelled import UnlabelledWatch
    from steelyard.reading.column_names import columns_of

    if reference is None:
        raise InputError(
            "rows without labels are held against labelled ones", found="no --reference", do="name a file"
        )
    if measures:
        raise InputError("rows without labels have no measures", found="--measure", do="leave it out")
    if score is not None and pred is not None:
        raise InputError(
            "shares are found from predictions or from scores", found="--pred and --score", do="leave one out"
        )
    if score is not None:
        from steelyard.reading.score_counting import read_score_counts

        kept: Literal["drop", "error"] = "drop" if missing == "drop" else "error"
        with columns_of(Path(reference).name):
            scores = read_score_counts(reference, score, truth, positive, missing=kept)
        return UnlabelledWatch(scores, positive=positive, alpha=alpha, source=name)
    from steelyard.reading.counting import count

    with columns_of(Path(reference).name):
        known = count(reference, truth=truth, pred=pred, missing=missing).confusion()
    return UnlabelledWatch(known, positive=positive, alpha=alpha, source=name)


class _Shown:
    """Where each look goes: words on standard output, JSON lines there instead, or JSON lines in a file
    beside the words."""

    def __init__(self, json_path: str | None) -> None:
        self._path = json_path
        if json_path not in (None, "-"):
            self._write("w", "")

    def show(self, look: Look | UnlabelledLook) -> None:
        if self._path not in (None, "-"):
            self._write(
                "a", as_json(look.to_dict(), indent=None) + "\n"
            )  # whole lines, for who follows the file
        if self._path == "-":
            print_json(look.to_dict(), indent=None)
        else:
            click.echo(_words(look))
        sys.stdout.flush()

    def _write(self, mode: str, text: str) -> None:
        assert self._path is not None
        try:
            with Path(self._path).open(mode, encoding="utf-8") as file:
                file.write(text)
        except OSError as error:
            raise InputError(
                f"the file cannot be written: {error.strerror}", found=self._path, do="choose another place"
            ) from error


def _words(look: Look | UnlabelledLook) -> str:
    from steelyard.judgement.watch_looks import Look
    from steelyard.judgement.watch_sections import line
    from steelyard.judgement.watch_unlabelled_sections import unlabelled_line

    return line(look) if isinstance(look, Look) else unlabelled_line(look)


class _Page:
    """The page of a watch, written again as blocks arrive but not more often than can be read."""

    def __init__(self, watched: Watch | UnlabelledWatch, path: str | None) -> None:
        self._watched, self._path = watched, path
        self._written = -SECONDS_BETWEEN_PAGES

    def write(self, last: bool = False) -> None:
        if self._path is not None and (last or time.monotonic() - self._written >= SECONDS_BETWEEN_PAGES):
            self._watched.to_html(self._path, made=made_now())
            self._written = time.monotonic()
