"""`steelyard priors`: how frequent is each class in data that nobody labelled?"""

from __future__ import annotations

import click

from steelyard.cli.output import (
    full_option,
    html_option,
    json_option,
    markdown_option,
    refuse_to_replace,
    schema_option,
    show_and_save,
)
from steelyard.errors import InputError


@click.command(short_help="Estimate the class shares of data that nobody labelled.")
@click.argument("labelled")
@click.option("--unlabelled", required=True, help="The file, or a quoted glob of files, without labels.")
@click.option("--truth", help="The column of true labels in LABELLED.")
@click.option("--pred", help="The column of predicted labels, in both.")
@click.option("--score", help="The column of scores of the positive class, in both; two classes.")
@click.option("--positive", help="The positive class.")
@click.option(
    "--missing",
    type=click.Choice(["error", "drop"]),
    default="error",
    show_default=True,
    help="What to do with rows that lack a label or a score.",
)
@click.option("--level", type=float, default=0.95, show_default=True, help="The level of the intervals.")
@click.option("--draws", type=int, default=4000, show_default=True, help="How often both sets are drawn.")
@click.option(
    "--seed", type=int, default=0, show_default=True, help="The same seed gives the same intervals."
)
@full_option
@html_option
@markdown_option
@json_option
@schema_option("priors")
def priors(
    labelled: str,
    unlabelled: str,
    truth: str | None,
    pred: str | None,
    score: str | None,
    positive: str | None,
    missing: str,
    level: float,
    draws: int,
    seed: int,
    full: bool,
    html_path: str | None,
    markdown_path: str | None,
    json_path: str | None,
) -> None:
    """Estimate the class priors of unlabelled data from predictions or scores that are known with their truth
    in LABELLED (CSV, TSV, JSON lines or Parquet)."""
    from steelyard.judgement.priors import estimate_priors

    if pred is not None and score is not None:
        raise InputError(
            "priors are found from predictions or from scores",
            found="--pred and --score",
            do="leave one of them out",
        )
    refuse_to_replace([labelled, unlabelled], html_path, json_path, markdown_path)
    result = estimate_priors(
        labelled,
        unlabelled=unlabelled,
        truth=truth,
        pred=pred,
        score=score,
        positive=positive,
        missing=missing,
        level=level,
        draws=draws,
        seed=seed,
    )
    show_and_save(
        result,
        html_path=html_path,
        json_path=json_path,
        markdown_path=markdown_path,
        depth="full" if full else "brief",
    )
