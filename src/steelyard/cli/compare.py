"""`steelyard compare`: which model is better, by which measure, and how sure are we?"""

from __future__ import annotations

from typing import Any

import click

from steelyard.cli.options import RATIO, UNDEFINED, design_option, engine_options, parse_range
from steelyard.cli.output import (
    full_option,
    json_option,
    markdown_option,
    refuse_to_replace,
    schema_option,
    show_and_save,
)
from steelyard.cli.progress import shown_waiting
from steelyard.errors import InputError


@click.command(short_help="Compare models: which is better, and how sure is that?")
@click.argument("files", nargs=-1, required=True, type=click.Path())
@click.option("--truth", help="The column of true labels; without it the one that is named so.")
@click.option(
    "--pred",
    "predictions",
    multiple=True,
    help="A column of predictions: several in one file, or one in each file.",
)
@click.option(
    "--score",
    "scores",
    multiple=True,
    help="A model's column of scores of the positive class, as in rf=p_rf: compares areas under ROC curves.",
)
@click.option("--key", help="The column that names an example, to match the rows of several files.")
@click.option("--fold", help="The column that names the fold or run of a row.")
@click.option(
    "--cluster",
    help=(
        "The column of the patient, user, document or day that a row belongs to: intervals and p-values come"
        " from drawing those again."
    ),
)
@click.option("--by", help="The measure that ranks the models; without it the one that the rules name.")
@click.option(
    "--measure", "measures", multiple=True, help="A measure to compare by; 'all' for the whole catalogue."
)
@click.option("--level", type=float, default=0.95, show_default=True, help="The level of the intervals.")
@click.option(
    "--draws", type=int, show_default="10,000, fewer with many classes", help="How many test sets are drawn."
)
@design_option
@click.option("--seed", type=int, default=0, show_default=True, help="The same seed gives the same result.")
@click.option("--rope", type=float, help="The largest difference that does not matter.")
@click.option(
    "--method",
    type=click.Choice(["posterior", "bootstrap"]),
    default="posterior",
    show_default=True,
    help="How they are drawn.",
)
@click.option(
    "--test-to-train",
    type=RATIO,
    help="Test examples per training example, for --fold; by default that of a cross-validation.",
)
@click.option(
    "--priors-range",
    help="The share of a class as a range, fraud=0.0005..0.01: who is better where, and where that flips.",
)
@click.option(
    "--cost",
    help=(
        "What decisions cost, as truth>prediction=cost, or a file: 'fraud>ok=200, ok>fraud=4'; it decides,"
        " and says over which costs ('fraud>ok=50..500') a model is cheaper; 'fraud>ok=amount' is"
        " a column."
    ),
)
@click.option(
    "--missing",
    type=click.Choice(["error", "drop"]),
    default="error",
    show_default=True,
    help="What to do with rows that lack the truth or a model's prediction: left out for all models.",
)
@click.option("--positive", help="The positive class, for the measures of two classes.")
@click.option(
    "--undefined", type=UNDEFINED, default="nan", show_default=True, help="nan, skip, raise or a number."
)
@full_option
@click.option("--html", "html_path", help="Write the comparison to this file.")
@markdown_option
@engine_options
@json_option
@schema_option("compare")
def compare(
    files: tuple[str, ...],
    truth: str | None,
    predictions: tuple[str, ...],
    scores: tuple[str, ...],
    key: str | None,
    fold: str | None,
    cluster: str | None,
    priors_range: str | None,
    measures: tuple[str, ...],
    missing: str,
    full: bool,
    html_path: str | None,
    markdown_path: str | None,
    json_path: str | None,
    engine: str,
    spark_master: str | None,
    **settings: Any,
) -> None:
    """Compare models by their predictions in FILES (CSV or Parquet): one file with several --pred, or one
    file for each model with --key."""
    from steelyard.judgement.compare.columns import refuse_scores_beside
    from steelyard.judgement.compare.judge import compare_counts, refuse_both
    from steelyard.judgement.compare.settings import Settings
    from steelyard.measures.costs import cost_column
    from steelyard.reading.joint_counts import read_joint

    refuse_to_replace(files, html_path, json_path, markdown_path)
    chosen: Any = None if not measures else "all" if measures == ("all",) else list(measures)
    refuse_both(fold, cluster, settings["test_to_train"])
    if key is not None and len(files) == 1:
        raise InputError(
            "rows of one file need no key",
            found=f"--key {key} with {files[0]}",
            do="leave it out, or give a file for each model",
        )
    if not predictions:
        from steelyard.reading.candidate_columns import unnamed

        what = "a comparison needs the predictions of models"
        raise unnamed(files[0], "models", what, truth=truth) or InputError(
            what, found="none", do="name them with --pred"
        )
    asked = Settings(
        measures=chosen, in_groups=cluster is not None, priors_range=parse_range(priors_range), **settings
    )
    amount = cost_column(asked.cost)
    together = scores and missing == "drop" and len(files) == 1 and engine == "duckdb" and amount is None
    if scores and not together:
        refuse_scores_beside(missing)
    with shown_waiting(f"Reading {files[0] if len(files) == 1 else f'{len(files)} files'}"):
        if together:
            from steelyard.reading.joint_counts import read_whole_rows

            rows = read_whole_rows(files[0], truth, predictions, scores, fold or cluster)
            joint = rows.joint
        else:
            joint = read_joint(
                files,
                truth,
                predictions,
                key=key,
                fold=fold or cluster,
                engine=engine,
                spark_master=spark_master,
                missing=missing,
            )
        amounts = None
        if amount is not None and not (fold or cluster):
            from steelyard.reading.joint_counts import read_joint_amounts

            amounts = read_joint_amounts(files, truth, predictions, amount, joint, engine, spark_master)
        areas = None
        if scores and engine == "spark":
            from steelyard.reading.joint_counts import named_columns
            from steelyard.reading.spark import SparkFiles
            from steelyard.scores.area_comparison import areas_on_cluster

            source = SparkFiles(files[0], spark_master)
            try:
                named = named_columns(scores, files)
                areas = areas_on_cluster(source, truth, named, asked.positive, level=asked.level)
            finally:
                source.close()
        elif scores:
            from steelyard.reading.joint_counts import read_score_rows
            from steelyard.scores.area_comparison import compare_areas

            labels, columns = (
                (rows.truth, rows.scores) if together else read_score_rows(files, truth, scores, key)
            )
            areas = compare_areas(labels, columns, asked.positive, level=asked.level, seed=asked.seed)
    with shown_waiting(f"Comparing {len(joint.models)} models"):
        result = compare_counts(joint, asked, areas, amounts)
    show_and_save(
        result,
        html_path=html_path,
        json_path=json_path,
        markdown_path=markdown_path,
        depth="full" if full else "brief",
    )
