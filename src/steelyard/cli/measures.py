"""`steelyard measures`, `explain` and `weigh`: which measures are there, what is one of them, what do they say of a matrix?"""

from __future__ import annotations

from typing import Any

import click

from steelyard.cli.options import MATRIX, UNDEFINED, parse_labels, parse_priors
from steelyard.cli.output import json_option, show_or_json


@click.command()
@click.option(
    "--kind", type=click.Choice(["two-class", "multi-class", "scores"]), help="Only measures of this kind."
)
@json_option
def measures(kind: Any, json_path: str | None) -> None:
    """List every measure: what it asks, its range, where it comes from."""
    from steelyard.measures.catalogue import catalogue
    from steelyard.measures.description import describe

    chosen = catalogue(kind or "all")
    from steelyard.judgement.catalogue_shown import show_measures

    show_or_json(lambda: [describe(measure) for measure in chosen], json_path, lambda: show_measures(chosen))


@click.command()
@click.argument("name")
@json_option
def explain(name: str, json_path: str | None) -> None:
    """Explain one measure: NAME is an id, a paper's symbol or an alias."""
    from steelyard.measures.catalogue import measure
    from steelyard.measures.description import describe

    found = measure(name)
    from steelyard.judgement.catalogue_shown import show_measure

    show_or_json(lambda: describe(found), json_path, lambda: show_measure(found))


@click.command()
@click.argument("matrix", type=MATRIX)
@click.option("--labels", help="Class names in the order of the rows, separated by commas.")
@click.option("--positive", help="The positive class, for the measures of two classes.")
@click.option(
    "--relevance", help="How much classes matter: 'ham < spam < phishing', 'ham=0.1, spam=1' or 'prevalence'."
)
@click.option(
    "--priors",
    help="Class priors to weigh at: 'ham=0.999, spam=0.001', a JSON object, a .json file, or the prior of the positive class.",
)
@click.option(
    "--undefined", type=UNDEFINED, default="nan", show_default=True, help="nan, skip, raise or a number."
)
@json_option
def weigh(
    matrix: Any,
    labels: str | None,
    positive: str | None,
    relevance: str | None,
    priors: str | None,
    undefined: Any,
    json_path: str | None,
) -> None:
    """Show every measure of MATRIX, a JSON list of rows (rows are truth, columns are predictions)."""
    from steelyard.counts.confusion import Confusion
    from steelyard.judgement.weighing import weigh_all
    from steelyard.measures import relevance as relevances

    confusion = Confusion(matrix, parse_labels(labels))
    weights = None
    if relevance is not None:
        weights = (
            relevances.prevalence(confusion)
            if relevance.strip().lower() == "prevalence"
            else relevances.parse(relevance, confusion.labels)
        )
    result = weigh_all(
        confusion, positive=positive, priors=parse_priors(priors), relevance=weights, undefined=undefined
    )
    from steelyard.judgement.weighing_shown import show_weighing

    show_or_json(result.to_dict, json_path, lambda: show_weighing(result))
