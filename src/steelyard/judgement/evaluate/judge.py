"""Evaluate a classifier: read the input, then judge it."""

# Two steps: `inputs.read` counts whatever the source is; `judge` computes everything else from the counts.

from __future__ import annotations

from dataclasses import fields, replace
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np

from steelyard._lazy import plugins
from steelyard.counts.confusion import Confusion
from steelyard.counts.libraries import by_own_names
from steelyard.errors import InputError, UnknownNameError, parameter
from steelyard.judgement.evaluate.classes import TestSet, class_reports, describe_test_set
from steelyard.judgement.evaluate.findings import ROWS_ALONE, notes_on, notes_on_labels, suspicious_input
from steelyard.judgement.evaluate.inputs import EvaluationInput, ReadRequest, read
from steelyard.judgement.evaluate.intervals import IntervalFinder
from steelyard.judgement.evaluate.options import Options
from steelyard.judgement.evaluate.prevalence_dependence import find_shifts, headline_rows, sweep_priors
from steelyard.judgement.evaluate.result import Evaluation as Evaluation
from steelyard.judgement.metrics.judge import relevance_of, weigh_all
from steelyard.judgement.metrics.result import Weighing
from steelyard.judgement.rules import (
    HEADLINE_MULTI_CLASS,
    HEADLINE_TWO_CLASS,
    OTHERS_REPORT_MULTI_CLASS,
    OTHERS_REPORT_TWO_CLASS,
    decided_by,
    decider,
)
from steelyard.judgement.sample.strata import Strata, labelling_of
from steelyard.measures.catalogue import measure
from steelyard.measures.measure import Measure
from steelyard.measures.relevance import Relevance, prevalence
from steelyard.parameters import public_function
from steelyard.reading.column_names import naming_candidates, one_name
from steelyard.reading.engines import is_log
from steelyard.uncertainty.resampling import Simulation, check_drawing, draws_in_use

if TYPE_CHECKING:
    from steelyard.judgement.evaluate.costs import Amounts
    from steelyard.judgement.evaluate.slices import SliceReport
    from steelyard.judgement.label_errors import LabelErrors
    from steelyard.measures.costs import Costs
    from steelyard.reading.cost_input import CostRules
    from steelyard.scores.ranking_result import RankingReport


@public_function(Options)
def evaluate(options: Options) -> Evaluation:
    """Evaluate a classifier from columns of labels, a frame, files (a path or a glob), counts, a tally, a
    Confusion or a matrix.

    `weight` and `slices` name columns of the frame or file; with bare columns of labels they are the columns
    themselves (slices as a mapping from name to column). `engine` ("duckdb" or "spark") and `spark_master`
    say who reads files. `relevance` is a Relevance or text such as 'ham < spam'; without one, PREV is used.
    `cluster` names the column of the patient, user, document, day or week that a row belongs to (or is that
    column): intervals then come from resampling those groups. `block` does the same for a series: so many
    rows that follow each other are a group. Rows with weights are worth (sum of weights)² / (sum of squared
    weights) examples. `interval` is the method of the confidence intervals: "auto", "bootstrap",
    "posterior" or None ("none" too); `design` says whether another test set would have other class sizes
    ("sample") or the same ones ("fixed"); see `steelyard.interval`.

    `score` is a column of scores of the positive class, `scores` a column for each class (a pattern such as
    "p_*" in a frame or file). The labels are the predictions if there are any, otherwise scores that reach
    `threshold` (a number, or "best:gmean", chosen on these rows or on `fit_on`: a file, a frame, or columns
    of truth and score), or the class with the largest score.

    On a Spark cluster (a frame there, or engine="spark"), and in a file of more than a hundred million, many
    different scores are counted in bins that leave less than `tolerance` open of the area under the ROC
    curve; `exact` brings every score back.

    `production` is unlabelled data of production (a file or a frame with the same column of predictions or
    scores, or such a column): the metrics there are estimated under label shift, which is tested, and under
    covariate shift, with intervals over both samples.

    `cost` says what decisions cost, as truth>prediction=cost: text such as 'fraud>ok=200, ok>fraud=4', a
    mapping, a table in the order of the classes, or a file (CSV, JSON, TOML). A star stands for every class
    ('*>fraud=4'), and a name for a column with what each row costs ('fraud>ok=amount'). It then decides, and
    with scores `threshold` may be "best:cost" (chosen on the rows) or "cheapest" (by the probabilities; with
    `scores` too).

    `sample_weight`, scikit-learn's name for `weight`, is accepted too.

    >>> import steelyard as sy
    >>> result = sy.evaluate(["fraud", "ok", "ok", "fraud"], ["fraud", "ok", "fraud", "ok"], positive="fraud")
    >>> result.matrix.counts.tolist()
    [[1, 1], [1, 1]]
    >>> sy.evaluate("predictions.csv", truth="y", pred="yhat", positive="fraud").matrix.counts.tolist()
    [[90, 10], [30, 870]]
    """
    if not is_log(options.data):
        return _evaluated(options)
    from steelyard.reading.logs import rows_of_logs

    with rows_of_logs([str(options.data)]) as rows:
        if len(rows.models) > 1:
            raise InputError(
                "the log holds the answers of several models",
                found=", ".join(rows.models),
                do=f"compare them: steelyard compare {options.data}",
            )
        truth, pred = options.truth or "target", options.pred or "answer"
        cluster = rows.cluster if options.cluster is None and options.block is None else options.cluster
        result = _evaluated(replace(options, data=rows.path, truth=truth, pred=pred, cluster=cluster))
    notes = () if cluster is None or options.cluster is not None else (f"Rows are clustered by {cluster}.",)
    return replace(
        result, source=str(options.data), options=options, labels_come_from=(*result.labels_come_from, *notes)
    )


def _evaluated(options: Options) -> Evaluation:
    """The evaluation of rows, counts or a matrix."""
    draws = draws_in_use(options.draws, 2)
    check_drawing(Simulation(draws, options.seed, options.design, level=options.level))
    cost_rules = None
    if options.cost is not None:
        from steelyard.reading.cost_input import parse_costs

        cost_rules = parse_costs(options.cost)
    if (options.data is None) == (options.matrix is None):
        raise InputError(
            "one classifier is evaluated at a time",
            found="neither a file nor a matrix" if options.data is None else "a file and a matrix",
            do=f"give a file, or {parameter('matrix')}",
        )
    data = options.matrix if options.data is None else options.data
    request = _read_request(data, options, cost_rules)
    priors = by_own_names(options.priors)
    production = None
    if options.production is not None:
        from steelyard.judgement.evaluate.production import Unlabelled

        if options.scores is not None and options.threshold is not None:
            raise InputError(
                "production of many classes takes the class with the largest score",
                found=parameter("threshold", options.threshold),
                do="leave it out, or give predictions in both",
            )
        production = Unlabelled(data, options.production, options, options.scores)
        if options.score is not None and options.threshold is not None:
            priors = production.estimate_by_scores
    columns = {name: getattr(options, name) for name in ("truth", "pred", "score", "scores")}
    choosing = {name: getattr(options, name) for name in ("level", "seed", "design")}
    with_intervals = options.interval not in (None, "none")
    with naming_candidates(data, "labels", **columns):
        inputs = read(data, options.y_pred, request, priors=priors, intervals=with_intervals, **choosing)
    if options.label_rates is not None:
        # The matrix of true classes that recorded labels and their error rates imply.
        from steelyard.judgement.sample.label_rates import corrected_labels

        corrected = corrected_labels(inputs.matrix, options.label_rates)
        inputs = replace(inputs, counted=replace(inputs.counted, matrix=corrected.pool), strata=corrected)
    if production is not None:
        if production.priors is None:
            production.estimate_by_predictions(inputs)
        priors = production.by_label
    costs, amounts = None, None
    if cost_rules is not None:
        from steelyard.judgement.evaluate.costs import costs_of_one, with_amounts

        costs = costs_of_one(cost_rules, inputs.matrix.labels)
        inputs, amounts = with_amounts(data, options.y_pred, request, inputs, costs)
    result = judge(inputs, options, priors, costs, amounts)
    if options.report != "standard":
        reports = plugins("evaluate")
        if options.report not in reports:
            raise UnknownNameError("report", options.report, ["standard", *reports])
        tuple(reports[options.report].load()(result))  # refused here, where it does not apply
    if production is None:
        return result
    from steelyard.judgement.evaluate.production import report_production

    measures = [*(measure(name) for name in result.headline), *_cost_measures(costs)]
    report = report_production(inputs, production, measures, result.positive_label)
    return replace(result, production=report, warned=(*result.warned, *report.notes))


def _read_request(data: Any, options: Options, costs: CostRules | None) -> ReadRequest:
    """How the source is to be read."""
    scored = (options.score, options.scores, options.threshold, options.fit_on)
    scores = None
    if any(option is not None for option in scored):
        from steelyard.reading.score_counting import ScoreReading
        from steelyard.scores.score_options import AskedScores

        reading = ScoreReading(options.engine, options.spark_master, options.tolerance, options.exact)
        scores = AskedScores.of(*scored, reading, costs)
    same: dict[str, Any] = {field.name: getattr(options, field.name, None) for field in fields(ReadRequest)}
    same["weight"] = one_name(weight=options.weight, sample_weight=options.sample_weight)
    same["labels"] = None if options.labels is None else list(options.labels)
    request = ReadRequest(**same | {"scores": scores, "labelling": labelling_of(data, options)})
    # The kind of rows decides which interval method there is.
    alone = [parameter(name) for name in ("weight", "cluster", "block") if getattr(request, name) is not None]
    alone += [parameter("label_rates")] if options.label_rates is not None else []
    alone += ["an audit sample"] if request.labelling is not None else []
    if alone and options.interval not in (None, "none", "auto"):
        raise InputError(
            "such rows have one interval method",
            found=f"{parameter('interval', options.interval)} beside {alone[0]}",
            allowed="auto or none",
            do=f"leave out {parameter('interval')}",
            parameter="interval",
        )
    if options.label_rates is not None and request.labelling is not None:
        raise InputError(
            "error rates correct a matrix of rows with predicted labels",
            found=f"{parameter('label_rates')} with an audit sample",
            do="leave one of them out",
        )
    return request


# `amounts` are what the rows say of costs, where these differ from row to row. What few evaluations have is
# imported by those: importing it takes longer than counting a small file.
def judge(
    inputs: EvaluationInput,
    options: Options,
    priors: Any,
    costs: Costs | None = None,
    amounts: Amounts | None = None,
) -> Evaluation:
    """Say what the counts, and the scores where there are some, mean."""
    matrix, test_set = inputs.matrix, _test_set(inputs.matrix)
    relevance = _relevance(options.relevance, matrix, test_set)
    weighing = _weighed(inputs, options, priors, relevance)
    two = matrix.n_classes == 2
    headline = HEADLINE_TWO_CLASS if two else HEADLINE_MULTI_CLASS
    label = weighing.positive.label if weighing.positive is not None else None
    rule = decider(matrix.n_classes, None if options.relevance is None else relevance)
    if costs is not None:
        rule = decided_by(costs)
    of_matrix = None if costs is not None and costs.by_row else rule.measure
    interval_finder = IntervalFinder(inputs, options, label)
    intervals, assumed = interval_finder.of_everything(of_matrix, headline)
    ranking = _ranking(inputs, options, priors, costs)
    slices: tuple[SliceReport, ...] = ()
    of_slices: tuple[str, ...] = ()
    if inputs.counted.slices:
        from steelyard.judgement.evaluate.slices import notes_on_slices, slice_reports

        first, by_cost = [measure(name) for name in headline], _cost_measures(costs)
        by_rows = intervals is not None and inputs.units is None and inputs.strata is None
        drawing = interval_finder.drawing if by_rows else None
        slices = slice_reports(inputs.counted, first, label, options.undefined, drawing, by_cost[:1])
        of_slices = notes_on_slices(slices, [*first, *by_cost])
    labels_come_from = (
        *(() if inputs.abstention is None else inputs.abstention.sentences),
        *suspicious_input(inputs),
        *(() if ranking is None else notes_on_labels(inputs, ranking)),
    )
    strata, cost_report, label_errors = None, None, None
    if isinstance(inputs.strata, Strata):
        from steelyard.judgement.sample.result import described

        strata = described(inputs.strata, label if two else None)
    if costs is not None:
        from steelyard.judgement.evaluate.costs import report_costs

        cost_report = report_costs(inputs, costs, amounts, interval_finder, weighing.priors)
    if options.label_errors is not None:
        label_errors = _label_errors(inputs, options.label_errors, weighing)
    row_counts = inputs.counted.row_counts if inputs.strata is None else None
    row_count = None if row_counts is None else float(row_counts.total)
    of_class = None if intervals is None else partial(interval_finder.of_class, known=intervals)
    return Evaluation(
        source=inputs.source,
        counted=inputs.counted,
        test_set=test_set,
        headline=headline,
        first=headline_rows(matrix, headline, weighing, label, of_matrix, row_count),
        decider=rule,
        others_report=OTHERS_REPORT_TWO_CLASS if two else OTHERS_REPORT_MULTI_CLASS,
        weighing=weighing,
        shifts=find_shifts(matrix, label, weighing.priors),
        sweep=sweep_priors(matrix, test_set, label),
        classes=class_reports(matrix, of_class),
        slices=slices,
        assumed=None if intervals is None else assumed,
        warned=(
            *([assumed] if intervals is None and assumed else []),
            *notes_on(inputs, test_set),
            *labels_come_from,
            *(() if ranking is None else [note for note in ranking.notes if note not in labels_come_from]),
            *([ROWS_ALONE] if ranking is not None and ranking.level and inputs.units is not None else []),
        ),
        labels_come_from=labels_come_from,
        sample=inputs.strata,
        strata=strata,
        of_slices=of_slices,
        intervals=intervals,
        ranking=ranking,
        abstention=inputs.abstention,
        costs=cost_report,
        label_errors=label_errors,
        options=options,
    )


def _label_errors(inputs: EvaluationInput, error_shares: Any, weighing: Weighing) -> LabelErrors:
    """The range of every metric if so many labels are wrong."""
    from steelyard.judgement.label_errors import report_label_errors

    if inputs.weighted is not None or inputs.strata is not None:
        raise InputError(
            "label errors are counted in rows",
            found="weighted rows" if inputs.strata is None else "a sample",
            do=f"leave out {parameter('label_errors')}",
            parameter="label_errors",
        )
    label = None if weighing.positive is None else weighing.positive.label
    return report_label_errors(inputs.matrix, error_shares, [row.measure for row in weighing.rows], label)


def _weighed(inputs: EvaluationInput, options: Options, priors: Any, relevance: Relevance | None) -> Weighing:
    """Every measure of the matrix, of the class whose scores were read where nobody named a positive one."""
    whose = None
    if inputs.scores is not None and options.positive is None and inputs.matrix.n_classes == 2:
        whose = inputs.scores.positive
    positive = options.positive if whose is None else whose.label
    how: dict[str, Any] = {"priors": priors, "relevance": relevance, "undefined": options.undefined}
    weighing = weigh_all(inputs.matrix, positive=positive, **how)
    if whose is None or weighing.positive is None:
        return weighing
    return replace(weighing, positive=weighing.positive._replace(reason=whose.reason, guessed=whose.guessed))


def _cost_measures(costs: Costs | None) -> list[Measure]:
    """What costs ask of production; per-row costs are not known there."""
    if costs is None or costs.by_row:
        return []
    from steelyard.measures.costs import expected_cost_of, savings_of

    return [expected_cost_of(costs), savings_of(costs)]


def _test_set(matrix: Confusion) -> TestSet:
    """The composition of the test set, if there is one that something can be said about."""
    if not matrix.total:
        raise InputError(
            "there is nothing to evaluate", found="a matrix of zeros", allowed="at least one example"
        )
    if not np.isfinite(matrix.total):
        raise InputError(
            "the examples are more than a number can say",
            found="counts or weights whose sum is infinite",
            do="give weights in a larger unit: the metrics do not depend on it",
        )
    test_set = describe_test_set(matrix)
    if test_set.shape == "one class":
        raise InputError(
            "the truth holds one class only, so a classifier cannot be evaluated",
            found=f"{test_set.total:,} examples of class {test_set.largest.label!r}",
            allowed="examples of at least two classes",
            do="steelyard metrics computes the metrics that are defined",
        )
    return test_set


def _relevance(request: Any, matrix: Confusion, test_set: TestSet) -> Relevance | None:
    if request is None:
        return None if test_set.absent else prevalence(matrix)
    relevance = relevance_of(request, matrix)
    if not isinstance(relevance, Relevance):
        raise InputError(
            "the relevance is not understood",
            found=repr(request),
            allowed="text such as 'ham < spam' or 'ham=0.1, spam=1', or a Relevance",
        )
    return relevance


def _ranking(
    inputs: EvaluationInput, options: Options, priors: Any, costs: Costs | None
) -> RankingReport | None:
    """What is said of the scores, where there are some."""
    if inputs.scores is None:
        return None
    from steelyard.scores.ranking_evaluation import report_ranking

    return report_ranking(
        inputs.scores,
        inputs.matrix,
        inputs.threshold,
        labels_from_scores=inputs.labels_from_scores,
        priors=priors,
        interval=None if options.interval == "none" else options.interval,
        level=options.level,
        seed=options.seed,
        costs=costs is not None,
        design=options.design,
    )
