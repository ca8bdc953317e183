"""`steelyard plan`: how many examples of each class does a test set need?"""

from __future__ import annotations

from typing import Any

import click
from click.core import ParameterSource

from steelyard.cli.options import MATRIX, parse_labels
from steelyard.cli.output import (
    html_option,
    json_option,
    markdown_option,
    refuse_to_replace,
    schema_option,
    show_and_save,
)
from steelyard.errors import InputError


@click.command(short_help="How many examples of each class does a test set need?")
@click.argument("pilot", required=False)
@click.option("--measure", required=True, help="The measure that is to be known.")
@click.option("--width", type=float, required=True, help="How wide its interval may be.")
@click.option(
    "--matrix", type=MATRIX, help="The pilot as a confusion matrix instead of a file; rows are truth."
)
@click.option("--truth", help="The column of true labels of the pilot.")
@click.option("--pred", help="The column of predicted labels of the pilot.")
@click.option("--labels", help="The classes, separated by commas.")
@click.option("--positive", help="The positive class.")
@click.option(
    "--classes", type=int, default=2, show_default=True, help="Without a pilot: the number of classes."
)
@click.option(
    "--rate",
    type=float,
    default=0.8,
    show_default=True,
    help="Without a pilot: how often a class is told right.",
)
@click.option("--level", type=float, default=0.95, show_default=True, help="The level of the interval.")
@click.option("--seed", type=int, default=0, show_default=True, help="The same seed gives the same plan.")
@markdown_option
@html_option
@json_option
@schema_option("plan")
def plan(
    pilot: str | None,
    measure: str,
    width: float,
    matrix: Any,
    truth: str | None,
    pred: str | None,
    labels: str | None,
    positive: str | None,
    classes: int,
    rate: float,
    level: float,
    seed: int,
    markdown_path: str | None,
    html_path: str | None,
    json_path: str | None,
) -> None:
    """Say how many examples of each class a test set needs. PILOT is a predictions file whose class rates are
    expected again."""
    from steelyard.judgement.plan import plan as run

    refuse_to_replace([pilot], json_path, html_path, markdown_path, what="the pilot")
    if pilot is not None and matrix is not None:
        raise InputError("one pilot at a time", found="a file and a matrix", do="give a file, or --matrix")
    if pilot is not None or matrix is not None:
        _refuse_beside_a_pilot("classes", "rate")
    given: Any = None
    if matrix is not None:
        from steelyard.counts.confusion import Confusion

        given = Confusion(matrix, parse_labels(labels))
    elif pilot is not None:
        from steelyard.reading.counting import count

        given = count(pilot, truth=truth, pred=pred, labels=parse_labels(labels)).confusion()
    result = run(
        measure, width, pilot=given, classes=classes, rate=rate, positive=positive, level=level, seed=seed
    )
    show_and_save(result, html_path=html_path, json_path=json_path, markdown_path=markdown_path)


def _refuse_beside_a_pilot(*names: str) -> None:
    """Refuse what is said in place of a pilot, where there is one."""
    context = click.get_current_context()
    for name in names:
        if context.get_parameter_source(name) is ParameterSource.COMMANDLINE:
            raise InputError(
                "the pilot says how often each class is told right",
                found=f"--{name} beside it",
                do=f"leave out --{name}, or the pilot",
            )
