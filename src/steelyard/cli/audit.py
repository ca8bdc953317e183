"""steelyard audit: can these printed numbers be true?"""

from __future__ import annotations

from typing import Any

import click

from steelyard.cli.options import UNDEFINED
from steelyard.cli.output import json_option, refuse_to_replace, schema_option, show_and_save


@click.command(short_help="Can printed numbers be true? Look for a matrix that gives them.")
@click.argument("values")
@click.option(
    "--sizes",
    help=(
        "Examples of each class: 'pos=100,neg=200', with ? for an unknown one. The first is the positive"
        " class."
    ),
)
@click.option("--positive", help="The positive class, where it is not the first.")
@click.option(
    "--rounding",
    type=click.Choice(["nearest", "cut", "either"]),
    default="nearest",
    show_default=True,
    help="How digits were dropped; nearest leaves ties either way.",
)
@click.option(
    "--total", type=int, help="All examples together, where the sizes of the classes are not known."
)
@click.option("--up-to", type=int, help="Without sizes: test sets of this many examples at most (1000).")
@click.option("--classes", type=int, help="Without sizes: how many classes there are (2).")
@click.option("--folds", type=int, help="The values are of so many folds.")
@click.option("--repeats", type=int, default=1, help="How often the folds were drawn (1).")
@click.option(
    "--fold-sizes",
    default="stratified",
    show_default=True,
    help="stratified, unknown, or the classes of each fold: '7/52, 8/53'.",
)
@click.option(
    "--aggregate",
    type=click.Choice(["mean", "pooled"]),
    default="mean",
    show_default=True,
    help="Of folds: means of the values, or values of all folds added up.",
)
@click.option(
    "--deviation",
    type=click.Choice(["sample", "population", "either"]),
    default="either",
    show_default=True,
    help="Of folds: what stands after ± divides by n - 1 or by n.",
)
@click.option(
    "--undefined",
    type=UNDEFINED,
    default="nan",
    show_default=True,
    help="What an undefined term counted as: nan (no value), skip or a number.",
)
@click.option("--seconds", type=float, default=10.0, show_default=True, help="Seconds of computing at most.")
@click.option(
    "--check",
    is_flag=True,
    help="Certify an impossible result; of a saved result (--json FILE), check its certificate again.",
)
@click.option("--html", "html_path", type=click.Path(dir_okay=False), help="Write a page to this file.")
@json_option
@schema_option("audit")
@click.pass_context
def audit(
    context: click.Context,
    values: str,
    sizes: str | None,
    positive: str | None,
    rounding: str,
    total: int | None,
    up_to: int | None,
    classes: int | None,
    folds: int | None,
    repeats: int,
    fold_sizes: str,
    aggregate: str,
    deviation: str,
    undefined: str | float,
    seconds: float,
    check: bool,
    html_path: str | None,
    json_path: str | None,
) -> None:
    """Can printed numbers be true: is there a matrix that gives them all, to the digits printed?

    VALUES is text such as 'accuracy=0.9567, recall=0.8545, specificity=0.9734', or a CSV, JSON or YAML file
    with a row for each model and a column for each measure. Exit code 0: possible; 1: impossible (or a row
    is); 2: wrong input (or a row is); 3: not decided within the budget.
    """
    from steelyard.auditing.judge import audit as decide
    from steelyard.auditing.judge import audit_table, check_saved
    from steelyard.auditing.problem.printed_numbers import TABLE_SUFFIXES

    options: dict[str, Any] = {
        "sizes": sizes,
        "positive": positive,
        "rounding": rounding,
        "total": total,
        "up_to": up_to,
        "classes": classes,
        "folds": folds,
        "repeats": repeats,
        "fold_sizes": fold_sizes,
        "aggregate": aggregate,
        "deviation": deviation,
        "undefined": undefined,
        "seconds": seconds,
        "check": check,
    }
    if check and values.endswith(".json"):
        again = check_saved(values)
        if again is not None:
            click.echo(again)
            context.exit(1)
    is_table = values.endswith(TABLE_SUFFIXES) and "=" not in values
    result = audit_table(values, **options) if is_table else decide(values, **options)
    refuse_to_replace((), html_path, json_path)
    show_and_save(result, html_path=html_path, json_path=json_path)
    context.exit(result.exit_code)
