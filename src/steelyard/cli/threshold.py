"""`steelyard threshold`: where should a score become a positive label?"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from steelyard.cli.options import (
    design_option,
    engine_options,
    parse_priors,
    score_counting_options,
)
from steelyard.cli.output import (
    full_option,
    json_option,
    markdown_option,
    refuse_to_replace,
    schema_option,
    show_and_save,
)
from steelyard.cli.progress import progress_bar, shown_waiting
from steelyard.errors import InputError, UnknownNameError

if TYPE_CHECKING:
    from steelyard.counts.score_counts import ScoreCounts
    from steelyard.judgement.budget import Budget
    from steelyard.scores.requirements import Kept


@click.command(short_help="Where should a score become a positive label?")
@click.argument("file", required=False)
@click.option(
    "--truth",
    help="The column of true labels; without it the one with a usual name (y_true, truth, label, ...).",
)
@click.option(
    "--score",
    required=True,
    help="The column of scores of the positive class; higher means more surely positive.",
)
@click.option(
    "--maximise",
    "--maximize",
    "maximise",
    help=(
        "The measure to make best: an id, a paper's symbol or an alias; without it the one that the rules"
        " name."
    ),
)
@click.option(
    "--cost",
    help=(
        "What decisions cost, as truth>prediction=cost: 'fraud>ok=200, ok>fraud=4', a column for what each"
        " row costs ('fraud>ok=amount'), or a file; the threshold minimises it."
    ),
)
@click.option(
    "--require",
    "required",
    multiple=True,
    help=(
        "What must be kept, 'recall>=0.8'; may be repeated. Without an aim the fewest alerts are taken, or,"
        " where one right alert would keep it ('precision>=0.8'), the threshold that finds most."
    ),
)
@click.option("--alerts", help="At most this share of the rows may be called positive: '0.5%' or 0.005.")
@click.option(
    "--budget",
    help=(
        "At most so many alerts on average for each value of a column of FILE, '50/day', or for so many"
        " rows, '50/10000'."
    ),
)
@click.option(
    "--surely",
    type=float,
    help="Take a threshold that keeps what is required on new data with this probability, such as 0.95.",
)
@click.option("--positive", help="The positive class.")
@click.option(
    "--priors",
    help=(
        "Class priors to choose at: the prior of the positive class, 'ham=0.999, spam=0.001', a JSON object"
        " or a .json file."
    ),
)
@click.option("--relevance", help="How much classes matter: 'ham < spam', 'ham=0.1, spam=1'.")
@click.option("--weight", help="A column of weights.")
@click.option("--fit-on", help="Choose the threshold on this file (instead of FILE).")
@click.option("--apply-to", help="Judge the threshold on this file, on rows it was not chosen on.")
@click.option(
    "--missing",
    type=click.Choice(["error", "drop", "lowest"]),
    default="error",
    show_default=True,
    help="Rows without a score.",
)
@click.option(
    "--bins",
    type=click.IntRange(min=1),
    help="Bound the memory: count probabilities in this many equal bins.",
)
@click.option(
    "--replicates",
    type=click.IntRange(min=0),
    default=200,
    show_default=True,
    help="Bootstrap samples for the interval; 0 for none.",
)
@click.option("--level", type=float, default=0.95, show_default=True, help="Level of the interval.")
@click.option("--seed", type=int, default=0, show_default=True, help="Seed of the bootstrap.")
@design_option
@full_option
@click.option("--html", "html_path", help="Write the report to this file.")
@markdown_option
@json_option
@engine_options
@score_counting_options
@schema_option("threshold")
def threshold(
    file: str | None,
    truth: str | None,
    score: str,
    maximise: str | None,
    cost: str | None,
    required: tuple[str, ...],
    alerts: str | None,
    budget: str | None,
    surely: float | None,
    positive: str | None,
    priors: str | None,
    relevance: str | None,
    weight: str | None,
    fit_on: str | None,
    apply_to: str | None,
    missing: Any,
    bins: int | None,
    replicates: int,
    level: float,
    seed: int,
    design: Any,
    full: bool,
    html_path: str | None,
    markdown_path: str | None,
    json_path: str | None,
    engine: str,
    spark_master: str | None,
    tolerance: float,
    exact: bool,
) -> None:
    """Find the threshold that makes a measure best, on the scores in FILE (CSV, TSV, JSON lines or
    Parquet)."""
    from steelyard.judgement.budget import judged_there, kept_budget, requirements
    from steelyard.judgement.rules import decider
    from steelyard.judgement.threshold import Thresholding, trade_off
    from steelyard.measures import relevance as relevances
    from steelyard.measures.catalogue import measure
    from steelyard.measures.costs import costs_for, measure_of_two
    from steelyard.reading.said_costs import said_costs
    from steelyard.reading.score_files import score_counts_from_files
    from steelyard.reading.score_groups import ClusterReading
    from steelyard.reading.spark_scores import score_counts_of_spark
    from steelyard.scores.requirements import aim_unsaid, threshold_under
    from steelyard.scores.row_costs import applied_by_row, cheapest_by_row, row_costs
    from steelyard.scores.thresholds import best_threshold

    if (file is None) == (fit_on is None):
        raise InputError(
            "one file to choose the threshold on is needed",
            found="none" if file is None else f"{file} and --fit-on {fit_on}",
            allowed="FILE, or --fit-on FILE",
        )
    refuse_to_replace([file, fit_on, apply_to], json_path)
    if "*" in score:
        raise InputError(
            "a threshold is for one column of scores", found=repr(score), allowed="the name of one column"
        )
    if maximise is not None and cost is not None:
        raise InputError("a threshold has one aim", found="--maximise and --cost", do="leave one of them out")
    refuse_to_replace([file, fit_on, apply_to], html_path, json_path, markdown_path)
    given_priors = parse_priors(priors)
    said = None if cost is None else said_costs(cost)
    column = None if said is None else said.column
    if column is not None and (weight is not None or relevance is not None):
        raise InputError(
            "costs by row stand alone",
            found="--weight" if weight is not None else "--relevance",
            do="leave one of them out",
        )
    if engine == "spark" and bins is not None:
        raise InputError(
            "Spark finds its bins by itself",
            found="--bins",
            do="leave it out, or say how much they may leave open with --tolerance",
        )
    reading = ClusterReading(engine, spark_master, tolerance, exact)

    def read(source: str, label: Any, weight: str | None = weight) -> ScoreCounts:
        if reading.reads(source):
            with reading.opened(source) as frame:
                return score_counts_of_spark(
                    frame,
                    score,
                    truth,
                    label,
                    weight=weight,
                    missing=missing,
                    tolerance=tolerance,
                    exact=exact,
                )
        with progress_bar(f"Reading {source}") as progress:
            return score_counts_from_files(
                source,
                score,
                truth,
                label,
                weight=weight,
                missing=missing,
                bins=bins,
                progress=progress,
                tolerance=tolerance,
                exact=exact,
            )

    scores = read(fit_on or file or "", positive)
    choice = scores.positive_class()
    # The held-out rows are read before anything is shown: a bad file leaves nothing half printed.
    held_out = None if apply_to is None else read(apply_to, choice.label)
    amounts = amounts_held_out = None
    if column is not None:
        amounts = _amounts(read, fit_on or file or "", choice.label, column)
        amounts_held_out = None if apply_to is None else _amounts(read, apply_to, choice.label, column)
    weights = None if relevance is None else relevances.parse(relevance, scores.labels)
    rule = decider(2) if maximise is None and cost is None else None
    costs = None if said is None else costs_for(said, scores.labels)
    by_row = None
    if costs is not None:
        if costs.most is not None:
            raise InputError(
                "a threshold is chosen at one cost",
                found=costs.words,
                do="choose it at both ends of the range, and see how far they are apart",
            )
        chosen = measure_of_two(costs, choice.label)
        by_row = None if amounts is None else row_costs(scores, amounts, costs, given_priors)
    else:
        chosen = decider(2).measure if maximise is None else measure(maximise)
    wanted = requirements(required, alerts, budget, fit_on or file or "", int(scores.totals.sum()))
    kept: tuple[Kept, ...] = ()
    with shown_waiting("Choosing the threshold"):
        if wanted:
            if given_priors is not None or weights is not None:
                raise InputError(
                    "requirements are kept on rows as they are",
                    found="--priors" if given_priors is not None else "--relevance",
                    do="leave it out, or the requirements",
                )
            if maximise is None and cost is None:
                rule = None
                aim = aim_unsaid(scores, wanted, choice.label)
            else:
                aim = chosen
            best, kept = threshold_under(
                scores,
                wanted,
                aim,
                surely=surely,
                seed=seed,
                cost_at=None if by_row is None else by_row.values,
            )
        elif surely is not None:
            raise InputError(
                "surely is for requirements", found="--surely alone", do="say what is required with --require"
            )
        elif by_row is not None:
            best = cheapest_by_row(by_row, replicates=replicates, level=level, seed=seed, design=design)
        else:
            best = best_threshold(
                scores,
                chosen,
                priors=given_priors,
                relevance=weights,
                replicates=replicates,
                level=level,
                seed=seed,
                design=design,
            )
    applied = None
    if held_out is not None:
        applied = (
            best.applied_to(held_out)
            if amounts_held_out is None or costs is None
            else applied_by_row(best, held_out, amounts_held_out, costs, given_priors)
        )

    def budget_of(source: str | None, counted: ScoreCounts | None) -> Budget | None:
        if budget is None or source is None or counted is None:
            return None
        return kept_budget(budget, source, counted, best, truth, score)

    budget_held_out = budget_of(apply_to, held_out)
    if applied is not None:
        kept = tuple(judged_there(one, applied, budget_held_out) for one in kept)
    result = Thresholding(
        source=fit_on or file or "",
        scores=scores,
        best=best,
        trade_off=trade_off(scores, best, None if by_row is None else by_row.values),
        applied=applied,
        decides_because="" if rule is None else rule.words,
        kept=kept,
        budget=budget_of(fit_on or file, scores),
        budget_held_out=budget_held_out,
    )
    show_and_save(
        result,
        html_path=html_path,
        json_path=json_path,
        markdown_path=markdown_path,
        depth="full" if full else "brief",
    )


def _amounts(read: Any, source: str, label: Any, column: Any) -> ScoreCounts:
    """The same scores, weighted by a column of amounts."""
    try:
        found: ScoreCounts = read(source, label, column)
    except InputError as error:
        raise InputError(
            f"the amounts of column {column!r} cannot be used",
            found=error.found if error.found is not None else error.what,
            allowed="a number of at least 0 in every row",
            do=error.do if isinstance(error, UnknownNameError) else "",
        ) from error
    return found
