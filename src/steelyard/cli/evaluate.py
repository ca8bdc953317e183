"""`steelyard evaluate`: from a predictions file to an honest report."""

from __future__ import annotations

import sys
import tempfile
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from steelyard.cli.options import (
    MATRIX,
    UNDEFINED,
    design_option,
    engine_options,
    parse_labels,
    parse_priors,
    score_counting_options,
)
from steelyard.cli.output import (
    full_option,
    html_option,
    json_option,
    markdown_option,
    refuse_to_replace,
    schema_option,
    show_and_save,
)
from steelyard.cli.progress import progress_bar
from steelyard.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Iterator


@click.command(short_help="Evaluate one classifier by a file of predictions.")
@click.argument("source", required=False)
@click.option(
    "--matrix",
    type=MATRIX,
    help="A confusion matrix as JSON instead of a file; rows are truth, columns are predictions.",
)
@click.option("--truth", help="The column of true labels.")
@click.option("--pred", help="The column of predicted labels.")
@click.option(
    "--score", help="The column of scores of the positive class; higher means more surely positive."
)
@click.option(
    "--scores",
    help="The columns of scores, one for each class, as a pattern: 'p_*' where the star is the class.",
)
@click.option(
    "--threshold",
    help=(
        "Where a score becomes a positive label: a number, 'best:gmean' for the one that makes a measure"
        " best, 'best:cost', or 'cheapest' for the label that costs least by the probabilities."
    ),
)
@click.option("--fit-on", help="Choose the threshold on this file, so that it is judged on other rows.")
@click.option(
    "--multilabel",
    nargs=2,
    metavar="TRUTH PRED",
    help=(
        "Rows with any number of labels: the columns of 0 and 1 that hold the truth and the predictions, as"
        " patterns whose star is the label: 'y_*' 'p_*'."
    ),
)
@click.option("--weight", help="A column of weights.")
@click.option("--labels", help="The classes, separated by commas; without it those that occur.")
@click.option("--positive", help="The positive class.")
@click.option(
    "--priors",
    help=(
        "Class priors to be judged at: 'ham=0.999, spam=0.001', a JSON object, a .json file, or the prior of"
        " the positive class."
    ),
)
@click.option(
    "--priors-from",
    help=(
        "Unlabelled data of production: its class priors are estimated, and the measures there are given with"
        " both uncertainties."
    ),
)
@click.option(
    "--cost",
    help=(
        "What decisions cost, as truth>prediction=cost: 'fraud>ok=200, ok>fraud=4', a star for every class, a"
        " column of SOURCE for what each row costs ('fraud>ok=amount'), or a file (CSV, JSON, TOML)."
    ),
)
@click.option(
    "--relevance",
    help="How much classes matter: 'ham < spam < phishing', 'ham=0.1, spam=1' or 'prevalence' (the default).",
)
@click.option(
    "--slice",
    "slices",
    multiple=True,
    help="A column to cut the test set by; several are crossed, a slice for each combination.",
)
@click.option(
    "--cluster",
    help=(
        "The column of the patient, user, document or day that a row belongs to: intervals come from drawing"
        " those again."
    ),
)
@click.option(
    "--block",
    type=int,
    help="For a series: intervals come from drawing blocks of this many consecutive rows again.",
)
@click.option(
    "--missing",
    type=click.Choice(["error", "drop"]),
    default="error",
    show_default=True,
    help="What to do with rows that lack a label or a score.",
)
@engine_options
@score_counting_options
@click.option(
    "--undefined",
    type=UNDEFINED,
    default="nan",
    show_default=True,
    help="Undefined values: nan, skip, raise or a number.",
)
@click.option(
    "--interval",
    type=click.Choice(["auto", "bootstrap", "posterior", "none"]),
    default="auto",
    show_default=True,
    help="How sure are we of each number?",
)
@click.option("--level", type=float, default=0.95, show_default=True, help="The level of the intervals.")
@click.option(
    "--draws",
    type=int,
    show_default="10,000, fewer with many classes",
    help="How many test sets are drawn for them.",
)
@design_option
@click.option(
    "--seed", type=int, default=0, show_default=True, help="The same seed gives the same intervals."
)
@full_option
@click.option("--all", "everything", is_flag=True, help="The same as --full.")
@html_option
@markdown_option
@json_option
@click.option(
    "--plots",
    "plots_folder",
    help="Write the pictures as PNG and SVG into this folder (needs the extra: plots).",
)
@schema_option("evaluate")
def evaluate(
    source: str | None,
    matrix: Any,
    truth: str | None,
    pred: str | None,
    score: str | None,
    scores: str | None,
    threshold: str | None,
    fit_on: str | None,
    multilabel: tuple[str, str] | None,
    weight: str | None,
    labels: str | None,
    positive: str | None,
    priors: str | None,
    priors_from: str | None,
    cost: str | None,
    relevance: str | None,
    slices: tuple[str, ...],
    cluster: str | None,
    block: int | None,
    missing: str,
    engine: str,
    spark_master: str | None,
    tolerance: float,
    exact: bool,
    undefined: Any,
    interval: str,
    level: float,
    draws: int | None,
    design: str,
    seed: int,
    full: bool,
    everything: bool,
    html_path: str | None,
    markdown_path: str | None,
    json_path: str | None,
    plots_folder: str | None,
) -> None:
    """Evaluate the predictions in SOURCE: a CSV, TSV, JSON lines or Parquet file, or a quoted glob of them.

    Columns are found by their usual names (y_true, truth, label, ...; y_pred, pred, prediction, ...) unless
    they are named.
    """
    if (source is None) == (matrix is None):
        raise InputError(
            "one thing is evaluated at a time",
            found="a file and a matrix" if source else "neither a file nor a matrix",
            do="give a file, or --matrix",
        )
    refuse_to_replace([source, fit_on, priors_from], html_path, json_path, markdown_path)
    if multilabel is not None:
        other = {
            "--matrix": matrix, "--truth": truth, "--pred": pred, "--score": score, "--scores": scores,
            "--threshold": threshold, "--fit-on": fit_on, "--weight": weight, "--labels": labels,
            "--positive": positive, "--priors": priors, "--priors-from": priors_from,
            "--relevance": relevance, "--cost": cost,
            "--slice": slices or None, "--cluster": cluster, "--block": block, "--plots": plots_folder,
        }  # fmt: skip
        _of_several_labels(
            str(source),
            multilabel,
            [name for name, value in other.items() if value is not None],
            missing=missing,
            undefined=undefined,
            interval=None if interval == "none" else interval,
            level=level,
            seed=seed,
            shown={
                "html_path": html_path,
                "json_path": json_path,
                "markdown_path": markdown_path,
                "depth": "full" if full or everything else "brief",
            },
        )
        return
    from steelyard.judgement.evaluate.judge import evaluate as run

    options = {
        "positive": positive,
        "priors": parse_priors(priors),
        "priors_from": priors_from,
        "cost": cost,
        "relevance": relevance,
        "undefined": undefined,
        "labels": parse_labels(labels),
    }
    options |= {
        "interval": None if interval == "none" else interval,
        "level": level,
        "draws": draws,
        "design": design,
        "seed": seed,
    }
    scored: dict[str, Any] = {"score": score, "scores": scores, "threshold": threshold, "fit_on": fit_on}
    if matrix is not None and any(value is not None for value in scored.values()):
        raise InputError(
            "a matrix has no scores", found="--matrix with scores", do="give a file, or leave the scores out"
        )
    if matrix is not None:
        for option, column in (("--truth", truth), ("--pred", pred)):
            if column is not None:
                raise InputError(
                    "a matrix has no columns", found=f"{option} with --matrix", do="leave it out"
                )
        result = run(matrix, weight=weight, slices=slices, cluster=cluster, block=block, **options)
    else:
        with named_source(source) as (path, name), progress_bar(f"Counting {name}") as progress:
            result = run(
                path,
                truth=truth,
                pred=pred,
                weight=weight,
                slices=slices,
                cluster=cluster,
                block=block,
                missing=missing,
                engine=engine,
                spark_master=spark_master,
                tolerance=tolerance,
                exact=exact,
                progress=progress,
                **scored,
                **options,
            )
            result = replace(result, source=name)
    figures = {}
    if plots_folder is not None:
        from steelyard.judgement.evaluate.plots import draw_plots

        figures = draw_plots(result, plots_folder)
    show_and_save(
        result,
        html_path=html_path,
        json_path=json_path,
        markdown_path=markdown_path,
        pictures=figures,
        pictures_folder=plots_folder,
        depth="full" if full or everything else "brief",
    )


def _of_several_labels(
    source: str, patterns: tuple[str, str], other: list[str], *, shown: dict[str, Any], **options: Any
) -> None:
    """Evaluate rows that have any number of labels."""
    from steelyard.judgement.multilabel import evaluate_multilabel

    if other:
        raise InputError(
            "rows with any number of labels are evaluated by their columns alone",
            found=f"--multilabel with {', '.join(other)}",
            do="leave them out",
        )
    with named_source(source) as (path, name), progress_bar(f"Counting {name}") as progress:
        result = evaluate_multilabel(path, truth=patterns[0], pred=patterns[1], progress=progress, **options)
        result = replace(result, source=name)
    show_and_save(result, **shown)


@contextmanager
def named_source(source: str | None) -> Iterator[tuple[str | None, str]]:
    """The file to read and what it is called; `-` is standard input, kept in a file as long as it is
    needed."""
    if source != "-":
        yield source, str(source)
        return
    content = sys.stdin.buffer.read()
    suffix = ".jsonl" if content.lstrip(b"\xef\xbb\xbf \r\n\t")[:1] == b"{" else ".csv"
    with tempfile.TemporaryDirectory(prefix="steelyard-") as folder:
        path = Path(folder) / f"standard-input{suffix}"
        path.write_bytes(content)
        try:
            yield str(path), "standard input"
        except InputError as error:  # nobody knows the file that it was kept in
            what, allowed, do = (
                part.replace(str(path), "standard input") for part in (error.what, error.allowed, error.do)
            )
            found = None if error.found is None else str(error.found).replace(str(path), "standard input")
            raise InputError(what, found=found, allowed=allowed, do=do) from error
