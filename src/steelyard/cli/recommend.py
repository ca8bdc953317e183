"""steelyard recommend: which measure should I use?"""

from __future__ import annotations

from typing import Any

import click

from steelyard.cli.output import html_option, json_option, markdown_option, refuse_to_replace, show_and_save


@click.command()
@click.option(
    "--classes",
    type=click.Choice(["two", "many"]),
    default="two",
    show_default=True,
    help="How many classes there are.",
)
@click.option(
    "--priors-change",
    is_flag=True,
    help="The class proportions may change between test sets, or between test and use.",
)
@click.option("--classes-appear", is_flag=True, help="The number of classes may change.")
@click.option(
    "--costly",
    type=click.Choice(["false-positive", "false-negative"]),
    help="Which error of two classes is the costly one.",
)
@click.option("--every-class", is_flag=True, help="Every class must be found.")
@click.option(
    "--relevance",
    type=click.Choice(["prevalence", "partial", "total", "scores"]),
    help="What is known of how much the classes matter.",
)
@click.option(
    "--data",
    help=(
        "A file of predictions (CSV, TSV, JSON lines or Parquet) that says how many classes there are and"
        " which are lacking."
    ),
)
@click.option("--truth", help="The column of true labels in --data.")
@click.option("--pred", help="The column of predicted labels in --data.")
@json_option
@html_option
@markdown_option
def recommend(
    classes: str,
    priors_change: bool,
    classes_appear: bool,
    costly: Any,
    every_class: bool,
    relevance: Any,
    data: str | None,
    truth: str | None,
    pred: str | None,
    json_path: str | None,
    html_path: str | None,
    markdown_path: str | None,
) -> None:
    """Recommend measures for a task; every choice says what it rests on and what it gives up."""
    from steelyard.judgement.recommend import Situation, situation_of
    from steelyard.judgement.recommend import recommend as advise

    refuse_to_replace([data], json_path, html_path, markdown_path)
    known = {
        "priors_change": priors_change,
        "classes_appear": classes_appear,
        "costly": costly,
        "every_class": every_class,
        "relevance": relevance,
    }
    situation = (
        Situation(many_classes=classes == "many", **known)
        if data is None
        else situation_of(_matrix(data, truth, pred), **known)
    )
    found = advise(situation)
    show_and_save(found, html_path=html_path, json_path=json_path, markdown_path=markdown_path)


def _matrix(path: str, truth: str | None, pred: str | None) -> Any:
    from steelyard.reading.engines import count

    return count(path, truth=truth, pred=pred).confusion()
