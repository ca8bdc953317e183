"""Commands about metrics themselves: `measures`, `explain`, `properties`, `examine` and `studio`."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import click

from steelyard.cli import output
from steelyard.cli.timings import verbose_option
from steelyard.errors import InputError

# Characters a line from which every column of the list has room.
WIDE = 120


@click.command(short_help="List every metric and the question it answers.")
@click.option(
    "--kind", type=click.Choice(["two-class", "multi-class", "scores"]), help="Only metrics of this kind."
)
@output.presented("judgement.catalogue:list_schema")
def measures(kind: Any, **outputs: Any) -> None:
    """List every metric: what it asks, its range, where it comes from."""
    from steelyard.judgement.catalogue import listed
    from steelyard.report.terminal import width

    output.show_and_save(listed(kind), **outputs, depth="full" if width() >= WIDE else "brief", more=False)


@click.command(short_help="Explain one metric: formula, range, other names, sources.")
@click.argument("name")
@output.presented("judgement.catalogue:json_schema")
def explain(name: str, **outputs: Any) -> None:
    """Explain one metric: NAME is an id, a paper's symbol or an alias; RRT, PREV or Rec^PREV too."""
    from steelyard.judgement.catalogue import explained

    output.show_and_save(explained(name), **outputs)


@click.command(short_help="What is proved and refuted of every metric.")
@click.option(
    "--has",
    multiple=True,
    help="Only metrics of which this property is proved, such as prior-invariance; may be repeated.",
)
@click.option(
    "--lacks", multiple=True, help="Only metrics of which this property is refuted; may be repeated."
)
@click.option(
    "--property", "columns", multiple=True, help="Only this column, such as distance; may be repeated."
)
@click.option("--wide", is_flag=True, help="Also the metrics that are found by name only.")
@output.presented("proofs.result:properties_schema")
def properties(
    has: tuple[str, ...], lacks: tuple[str, ...], columns: tuple[str, ...], wide: bool, **outputs: Any
) -> None:
    """Show measures against properties: what is proved, refuted or open of each."""
    from steelyard.proofs.property_table import properties as judge

    output.show_and_save(judge(has=has, lacks=lacks, columns=columns, wide=wide), **outputs)


def _numbers(_: click.Context, __: click.Parameter, text: str) -> tuple[int, ...]:
    try:
        return tuple(int(number) for number in text.split(","))
    except ValueError as error:
        what = "the numbers of classes are not understood"
        raise InputError(what, found=repr(text), allowed="numbers such as 2,3,4") from error


@click.command(short_help="Examine a metric or formula: what is proved and refuted.")
@click.argument("measures", nargs=-1)
@click.option(
    "--property",
    "properties",
    multiple=True,
    help="Only this property, such as prior-invariance; may be repeated.",
)
@click.option(
    "--against",
    help="Another metric: show how each relates to it (equal, affine, never greater, same ranking).",
)
@click.option(
    "--classes",
    default="2,3,4",
    show_default=True,
    callback=_numbers,
    help="Numbers of classes to try a user's function on.",
)
@click.option("--seconds", default=8.0, show_default=True, help="Time limit for each property.")
@click.option(
    "--picture",
    type=click.Path(dir_okay=False),
    help="Draw one metric into files named like this one (svg, png).",
)
@click.option(
    "--check",
    "only_check",
    is_flag=True,
    help="Decide anew and check the certificate of every proof; exit 1 where one fails.",
)
@verbose_option
@click.option("--list", "list_properties", is_flag=True, help="List the properties and what they say.")
@output.presented("proofs.result:json_schema")
def examine(
    measures: tuple[str, ...],
    properties: tuple[str, ...],
    against: str | None,
    classes: tuple[int, ...],
    seconds: float,
    picture: str | None,
    only_check: bool,
    list_properties: bool,
    **outputs: Any,
) -> None:
    """Decide what is true of MEASURES: names, formulas such as 'tp/(tp+fp)' or 'mean(hits/actual)', or
    file.py:function. Without any, of the whole catalogue."""
    from steelyard.proofs import judge
    from steelyard.proofs.result import Statements
    from steelyard.report.terminal import note

    html, json, markdown = (outputs[f"{name}_path"] for name in ("html", "json", "markdown"))
    if list_properties:
        output.show_and_save(Statements(), json_path=json)
        return
    if (picture is not None or html is not None) and (len(measures) != 1 or against is not None):
        raise InputError(
            "a figure or a page shows one metric",
            found=f"{len(measures)} metrics" if against is None else "--against",
            allowed="one metric with --picture or --html",
        )
    read = (name.rpartition(":")[0] for name in measures)
    output.refuse_to_replace(read, picture, html, markdown, json, what="the measure")
    if against is not None:
        output.show_and_save(judge.relate(measures, against), json_path=json, markdown_path=markdown)
    elif only_check:
        failed = False
        for proof in judge.check_proofs(measures, properties or None, classes=classes, seconds=seconds):
            click.echo(str(proof))
            failed = failed or proof.fails
        raise click.exceptions.Exit(int(failed))
    else:
        progress = note if sys.stderr.isatty() or not measures else None
        result = judge.examine(measures or None, properties or None, progress, seconds, classes=classes)
        if picture is not None:
            result.examinations[0].draw(picture)
        output.show_and_save(result, **outputs)


@click.command(short_help="A page to try counts, class distributions, costs and formulas on.")
@click.option(
    "--out",
    type=click.Path(dir_okay=False),
    default="steelyard-studio.html",
    show_default=True,
    help="Write the page to this file.",
)
@click.option("--open/--no-open", "opens", default=True, help="Open it in a browser.")
def studio(out: str, opens: bool) -> None:
    """Write a page on which counts, class distributions, costs and formulas are tried out, and open it."""
    from steelyard.judgement.studio import Studio
    from steelyard.report.terminal import note

    Studio().to_html(out, made=output.made_now())
    note(f"Written: {out}")
    if opens:
        import webbrowser

        webbrowser.open(Path(out).resolve().as_uri())
