"""`steelyard evaluate`: from a predictions file to an honest report."""

from __future__ import annotations

import sys
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

import click

from steelyard.cli.options import MATRIX, UNDEFINED, as_json, engine_options, parse_labels, parse_priors, print_json
from steelyard.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator


@click.command()
@click.argument("source", required=False)
@click.option("--matrix", type=MATRIX, help="A confusion matrix as JSON instead of a file; rows are truth, columns are predictions.")
@click.option("--truth", help="The column of true labels.")
@click.option("--pred", help="The column of predicted labels.")
@click.option("--weight", help="A column of weights.")
@click.option("--labels", help="The classes, separated by commas; without it those that occur.")
@click.option("--positive", help="The positive class.")
@click.option(
    "--priors",
    help="Class priors to be judged at: 'ham=0.999, spam=0.001', a JSON object, a .json file, or the prior of the positive class.",
)
@click.option("--relevance", help="How much classes matter: 'ham < spam < phishing', 'ham=0.1, spam=1' or 'prevalence' (the default).")
@click.option("--slice", "slices", multiple=True, help="A column to cut the test set by; may be repeated.")
@click.option(
    "--missing", type=click.Choice(["error", "drop"]), default="error", show_default=True, help="What to do with rows that lack a label."
)
@engine_options
@click.option("--undefined", type=UNDEFINED, default="nan", show_default=True, help="Undefined values: nan, skip, raise or a number.")
@click.option("--all", "everything", is_flag=True, help="Print every measure.")
@click.option("--html", "html_path", help="Write the report to this file.")
@click.option("--json", "json_path", help="Write the figures to this file; - prints them.")
@click.option("--plots", "plots_folder", help="Write the pictures as PNG and SVG into this folder (needs the extra: plots).")
@click.option("--json-schema", is_flag=True, help="Print the schema of the JSON output and stop.")
def evaluate(
    source: str | None,
    matrix: Any,
    truth: str | None,
    pred: str | None,
    weight: str | None,
    labels: str | None,
    positive: str | None,
    priors: str | None,
    relevance: str | None,
    slices: tuple[str, ...],
    missing: str,
    engine: str,
    spark_master: str | None,
    undefined: Any,
    everything: bool,
    html_path: str | None,
    json_path: str | None,
    plots_folder: str | None,
    json_schema: bool,
) -> None:
    """Evaluate the predictions in SOURCE: a CSV, TSV, JSON lines or Parquet file, or a quoted glob of them.

    Columns are found by their usual names (y_true, truth, label, ...; y_pred, pred, prediction, ...) unless they are named.
    """
    if json_schema:
        from steelyard.schemas import EVALUATION

        print_json(EVALUATION)
        return
    if (source is None) == (matrix is None):
        raise InputError(
            "one thing is evaluated at a time",
            found="a file and a matrix" if source else "neither a file nor a matrix",
            do="give a file, or --matrix",
        )
    from steelyard.evaluate import evaluate as run

    options = {
        "positive": positive,
        "priors": parse_priors(priors),
        "relevance": relevance,
        "undefined": undefined,
        "labels": parse_labels(labels),
    }
    if matrix is not None:
        result = run(matrix, **options)
    else:
        with progress_bar(f"Counting {source}") as progress:
            result = run(
                source,
                truth=truth,
                pred=pred,
                weight=weight,
                slices=slices,
                missing=missing,
                engine=engine,
                spark_master=spark_master,
                progress=progress,
                **options,
            )
    if html_path is not None:
        result.to_html(html_path)
    if plots_folder is not None:
        from steelyard.report.plots import save_plots

        save_plots(result, plots_folder)
    if json_path == "-":
        print_json(result.to_dict())
        return
    if json_path is not None:
        from steelyard.report.saving import save

        save(json_path, as_json(result.to_dict()) + "\n")
    from steelyard.report import terminal
    from steelyard.report.evaluation import show

    show(result, terminal.console(), everything)
    for path in (html_path, json_path, plots_folder):
        if path is not None:
            click.echo(f"Written: {path}")


@contextmanager
def progress_bar(words: str) -> Iterator[Callable[[float], None] | None]:
    """Progress on a terminal; nothing at all when standard error is piped."""
    if not sys.stderr.isatty():
        yield None
        return
    from steelyard.report.progress import bar

    with bar(words) as report:
        yield report
