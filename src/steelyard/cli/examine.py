"""steelyard examine: what is true of a measure itself?"""

from __future__ import annotations

import sys

import click

from steelyard.cli.output import (
    html_option,
    json_option,
    markdown_option,
    refuse_to_replace,
    schema_option,
    show_and_save,
)
from steelyard.errors import InputError


@click.command(short_help="Decide what is true of a measure: a name, a formula or a file.")
@click.argument("measures", nargs=-1)
@click.option(
    "--property",
    "properties",
    multiple=True,
    help="Only this property, such as prior-invariance; may be repeated.",
)
@click.option(
    "--against",
    help="Another measure: show how each relates to it (equal, affine, never greater, same ranking).",
)
@click.option(
    "--classes", default="2,3,4", show_default=True, help="Numbers of classes to try a user's function on."
)
@click.option("--seconds", default=8.0, show_default=True, help="Time limit for each property.")
@click.option(
    "--picture", type=click.Path(dir_okay=False), help="Draw one measure into this file (png, svg, pdf)."
)
@html_option
@markdown_option
@click.option(
    "--check",
    "only_check",
    is_flag=True,
    help="Decide anew and check the certificate of every proof; exit 1 where one fails.",
)
@click.option("--list", "list_properties", is_flag=True, help="List the properties and what they say.")
@json_option
@schema_option("examine")
def examine(
    measures: tuple[str, ...],
    properties: tuple[str, ...],
    against: str | None,
    classes: str,
    seconds: float,
    picture: str | None,
    html_path: str | None,
    markdown_path: str | None,
    only_check: bool,
    list_properties: bool,
    json_path: str | None,
) -> None:
    """Decide what is true of MEASURES: names, formulas such as 'tp/(tp+fp)' or 'mean(hits/actual)', or
    file.py:function. Without any, of the whole catalogue."""
    from steelyard.proofs import judge
    from steelyard.proofs.result import Statements
    from steelyard.report.terminal import told

    if list_properties:
        show_and_save(Statements(), json_path=json_path)
        return
    sizes = _sizes(classes)
    if (picture is not None or html_path is not None) and (len(measures) != 1 or against is not None):
        raise InputError(
            "a picture or a page shows one measure",
            found=f"{len(measures)} measures" if against is None else "--against",
            allowed="one measure with --picture or --html",
        )
    outputs = (picture, html_path, markdown_path, json_path)
    refuse_to_replace((name.rpartition(":")[0] for name in measures), *outputs, what="the measure")
    if against is not None:
        show_and_save(judge.relate(measures, against), json_path=json_path, markdown_path=markdown_path)
    elif only_check:
        failed = False
        for proof in judge.check_proofs(measures, properties or None, classes=sizes, seconds=seconds):
            click.echo(str(proof))
            failed = failed or proof.fails
        raise click.exceptions.Exit(int(failed))
    else:
        progress = told if sys.stderr.isatty() or not measures else None
        found = judge.examine(measures or None, properties or None, progress, seconds, classes=sizes)
        if picture is not None:
            found.examinations[0].draw(picture)
        show_and_save(found, html_path=html_path, json_path=json_path, markdown_path=markdown_path)


def _sizes(text: str) -> tuple[int, ...]:
    try:
        return tuple(int(part) for part in text.split(","))
    except ValueError as error:
        raise InputError(
            "the numbers of classes are not understood", found=repr(text), allowed="numbers such as 2,3,4"
        ) from error
