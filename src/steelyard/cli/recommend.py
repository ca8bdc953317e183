"""steelyard recommend: which measure should I use?"""

from __future__ import annotations

import csv
from pathlib import Path
from typing import Any

import click

from steelyard.errors import InputError


@click.command()
@click.option("--classes", type=click.Choice(["two", "many"]), default="two", show_default=True, help="How many classes there are.")
@click.option("--priors-change", is_flag=True, help="The class proportions may change between test sets, or between test and use.")
@click.option("--classes-appear", is_flag=True, help="The number of classes may change.")
@click.option("--costly", type=click.Choice(["false-positive", "false-negative"]), help="Which error of two classes is the costly one.")
@click.option("--every-class", is_flag=True, help="Every class must be found.")
@click.option(
    "--relevance", type=click.Choice(["prevalence", "partial", "total", "scores"]), help="What is known of how much the classes matter."
)
@click.option("--data", type=click.Path(dir_okay=False), help="A CSV file with columns y_true and y_pred.")
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
def recommend(
    classes: str,
    priors_change: bool,
    classes_appear: bool,
    costly: Any,
    every_class: bool,
    relevance: Any,
    data: str | None,
    as_json: bool,
) -> None:
    """Recommend measures for a task; every choice says what it rests on and what it gives up."""
    from steelyard.recommend import Situation, situation_of
    from steelyard.recommend import recommend as advise
    from steelyard.report import judgement_terminal as terminal

    known = {
        "priors_change": priors_change,
        "classes_appear": classes_appear,
        "costly": costly,
        "every_class": every_class,
        "relevance": relevance,
    }
    situation = Situation(many_classes=classes == "many", **known) if data is None else situation_of(_read(data), **known)
    found = advise(situation)
    if as_json:
        click.echo(terminal.as_json(found.to_dict()))
    else:
        terminal.show_advice(found)


def _read(path: str) -> Any:
    from steelyard.confusion import Confusion

    try:
        with Path(path).open(encoding="utf-8", newline="") as file:
            rows = list(csv.DictReader(file))
    except (OSError, UnicodeDecodeError, csv.Error) as error:
        raise InputError("the predictions cannot be read", found=path, allowed="a CSV file with columns y_true and y_pred") from error
    if not rows or not {"y_true", "y_pred"} <= set(rows[0]):
        raise InputError(
            "the predictions have no columns y_true and y_pred",
            found=", ".join(rows[0]) if rows else "an empty file",
            allowed="a header with y_true and y_pred",
        )
    return Confusion.from_labels([row["y_true"] for row in rows], [row["y_pred"] for row in rows])
