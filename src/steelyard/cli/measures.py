"""`steelyard measures`, `explain` and `weigh`: which measures are there, what is one of them, what do they
say of a matrix?"""

from __future__ import annotations

from typing import Any

import click

from steelyard.cli.options import MATRIX, UNDEFINED, parse_labels, parse_priors
from steelyard.cli.output import html_option, json_option, markdown_option, schema_option, show_and_save

WIDE = 120
"""Characters a line from which every column of the list has room."""


@click.command(short_help="List every measure and the question it answers.")
@click.option(
    "--kind", type=click.Choice(["two-class", "multi-class", "scores"]), help="Only measures of this kind."
)
@html_option
@markdown_option
@json_option
@schema_option("measures")
def measures(kind: Any, **outputs: Any) -> None:
    """List every measure: what it asks, its range, where it comes from."""
    from steelyard.judgement.catalogue import MeasureList
    from steelyard.measures.catalogue import catalogue
    from steelyard.report.terminal import width

    found = MeasureList(tuple(catalogue(kind or "all", wide=True)))
    show_and_save(found, **outputs, depth="full" if width() >= WIDE else "brief")


@click.command(short_help="Explain one measure: formula, range, other names, sources.")
@click.argument("name")
@html_option
@markdown_option
@json_option
@schema_option("explain")
def explain(name: str, **outputs: Any) -> None:
    """Explain one measure: NAME is an id, a paper's symbol or an alias."""
    from steelyard.judgement.catalogue import Explanation
    from steelyard.measures.catalogue import measure

    show_and_save(Explanation(measure(name)), **outputs)


@click.command(short_help="Every measure of one confusion matrix.")
@click.argument("matrix", type=MATRIX)
@click.option("--labels", help="Class names in the order of the rows, separated by commas.")
@click.option("--positive", help="The positive class, for the measures of two classes.")
@click.option(
    "--relevance", help="How much classes matter: 'ham < spam < phishing', 'ham=0.1, spam=1' or 'prevalence'."
)
@click.option(
    "--priors",
    help=(
        "Class priors to weigh at: 'ham=0.999, spam=0.001', a JSON object, a .json file, or the prior of the"
        " positive class."
    ),
)
@click.option(
    "--undefined", type=UNDEFINED, default="nan", show_default=True, help="nan, skip, raise or a number."
)
@html_option
@markdown_option
@json_option
@schema_option("weigh")
def weigh(
    matrix: Any,
    labels: str | None,
    positive: str | None,
    relevance: str | None,
    priors: str | None,
    undefined: Any,
    **outputs: Any,
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
    show_and_save(result, **outputs)
