"""Read what is compared: columns in memory, a frame, one file, or a file for each model."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import closing
from dataclasses import replace
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from steelyard.counts.encoding import encode
from steelyard.counts.joint import JointCounts
from steelyard.counts.labels import check_missing
from steelyard.counts.libraries import column_of, is_frame, is_lazy, refuse_unaligned
from steelyard.counts.score_columns import codes_of_labels
from steelyard.errors import InputError, parameter
from steelyard.judgement.compare import score_comparison
from steelyard.judgement.compare.options import Options
from steelyard.judgement.rules import decided_by, decider
from steelyard.measures.catalogue import measure as look_up
from steelyard.measures.costs import cost_column, costs_for
from steelyard.measures.measure import Measure
from steelyard.reading import joint_counts
from steelyard.reading.column_names import find_column, truth_among, unnamed
from steelyard.reading.engines import open_table
from steelyard.reading.spark import SparkTable
from steelyard.scores.delong import AreaComparison, areas_of_cluster, compare_areas, compare_counted_areas


class Inputs(NamedTuple):
    """The joint counts of the models' predictions; the comparison of their scores if there are any, the sums
    of a column of costs if one is named, and how labels were made of scores where none were given."""

    joint: JointCounts
    areas: AreaComparison | None = None
    amounts: joint_counts.JointAmounts | None = None
    score_metrics: tuple[score_comparison.ScoreMetric, ...] = ()
    cross_fitting: score_comparison.CrossFitting | None = None


def read_inputs(options: Options) -> Inputs:
    """Read the predictions, wherever they are."""
    check_missing(options.missing)
    source = options.predictions
    if isinstance(source, Mapping) or (source is None and isinstance(options.scores, Mapping)):
        return _of_mapping(options)
    paths = paths_of(source)
    if source is None or (options.pred is None and options.scores is None):
        raise no_models(options)
    if paths is None:
        models = _of_frame(options)
    else:
        others = [name for name in (_group(options), cost_column(options.cost)) if name is not None]
        models = joint_counts.open_models(
            paths,
            options.y_true,
            _texts(options.pred),
            _texts(options.scores),
            key=options.key,
            others=others if len(paths) > 1 else [],
            engine=options.engine,
            spark_master=options.spark_master,
        )
    with closing(models.table):
        # Scores are compared row by row: a frame in memory is not copied through an engine for that.
        if models.scores and is_frame(source) and not is_lazy(source):
            return _of_mapping(_with_columns(options, models))
        return _of_table(models, options, source if paths is None else None)


def no_models(options: Options) -> InputError:
    """The refusal of a call that names no predictions, with the columns that look like them."""
    paths = paths_of(options.predictions)
    what = "a comparison needs the predictions of models"
    named = options.predictions if paths is None else paths[0]
    truth = options.y_true if isinstance(options.y_true, str) else None
    return unnamed(named, "models", what, truth=truth) or InputError(
        what,
        found="no file" if named is None else type(named).__name__ if paths is None else "none",
        allowed='predictions by model such as {"rf": p1, "svm": p2}, or columns of a file or frame',
        do=f"name the file; {parameter('pred')} and {parameter('dataset')} name columns in it",
    )


def _with_columns(options: Options, models: joint_counts.ModelColumns) -> Options:
    """The columns of a frame in place of their names: scores are compared row by row, in memory."""
    frame, table = options.predictions, models.table
    truth = truth_among(table.names, models.truth, [*models.predictions.values(), *models.scores.values()])

    def column(name: Any) -> Any:
        return None if name is None else column_of(frame, find_column(name, table.names))

    return replace(
        options,
        predictions={model: column(name) for model, name in models.predictions.items()},
        y_true=column(truth),
        pred=None,
        scores={model: column(name) for model, name in models.scores.items()},
        folds=column(options.folds),
        cluster=column(options.cluster),
    )


def paths_of(source: Any) -> list[str] | None:
    """The files that were named; None where the source is no path."""
    named = [source] if isinstance(source, (str, Path)) else source
    if isinstance(named, (list, tuple)) and named and all(isinstance(path, (str, Path)) for path in named):
        return [str(path) for path in named]
    return None


def _group(options: Options) -> Any:
    return options.cluster if options.folds is None else options.folds


def model_columns(named: Any, known: Sequence[str]) -> dict[str, str]:
    """Columns by model: a mapping, or known columns, written model=column or standing for themselves."""
    if isinstance(named, Mapping):
        return dict(named)
    return joint_counts.named_columns(_texts(named), [""], known)


def _texts(columns: Any) -> list[str]:
    """Names of columns as text; a mapping is written model=column."""
    if columns is None:
        return []
    if isinstance(columns, Mapping):
        return [name if name == column else f"{name}={column}" for name, column in columns.items()]
    return [columns] if isinstance(columns, str) else list(columns)


def _of_table(models: joint_counts.ModelColumns, options: Options, frame: Any) -> Inputs:
    table, fold, amount = models.table, _group(options), cost_column(options.cost)
    if models.scores and not isinstance(table, SparkTable):
        rows = joint_counts.scored_rows(models, fold, options.missing)
        inputs = _of_rows(rows, options)
    elif models.scores and (not models.predictions or options.missing != "error"):
        raise InputError(
            "scores on a Spark cluster are compared on all of its rows, beside predicted labels",
            found=parameter("missing", "drop") if models.predictions else f"{parameter('scores')} alone",
            do="name each model's predicted labels beside its scores, and leave out no rows",
            parameter="missing" if models.predictions else "pred",
        )
    else:
        inputs = Inputs(
            joint_counts.joint_of_table(table, models.truth, models.predictions, fold, options.missing, frame)
        )
    if models.scores and isinstance(table, SparkTable):
        counted = areas_of_cluster(table, models.truth, models.scores, options.positive)
        inputs = inputs._replace(areas=compare_counted_areas(counted, level=options.level))
    if amount is None or fold is not None or not models.predictions:
        return inputs
    if models.scores and inputs.joint.left_out:
        raise InputError(
            "costs by row and scores are compared on the same rows",
            found=f"{parameter('missing', 'drop')} beside both",
            do="leave one of them out",
        )
    amounts = joint_counts.amounts_of_table(
        table, models.truth, models.predictions, str(amount), inputs.joint
    )
    return inputs._replace(amounts=amounts)


def _of_rows(rows: joint_counts.ScoredRows, options: Options) -> Inputs:
    """Models by their labels, and by their scores where there are any; where a model has scores alone its
    labels come from cross-fitted thresholds."""
    scores, labels, joint = rows.scores, rows.predictions, rows.joint
    # One model's scores say nothing about the others: it is compared by labels, as the others are.
    alone = len(scores) == 1
    unlabelled = {name: scores[name] for name in scores if not labels or (alone and name not in labels)}
    refuse_few_models(len(labels) + len(unlabelled))
    areas, fitting = None, None
    truth = rows.truth
    if scores:
        refuse_unaligned(truth, *scores.values())
        truth = encode(truth, "y_true")  # once for all that is computed of scores
    metrics: tuple[score_comparison.ScoreMetric, ...] = ()
    if len(scores) > 1:
        scored, level = (truth, scores, options.positive), options.level
        areas = compare_areas(*scored, level=level)
        metrics = score_comparison.compare_score_metrics(*scored, level=level, seed=options.seed)
    elif scores and not unlabelled:
        raise InputError(
            "the scores of one model are compared with nothing",
            found=f"{parameter('scores')} of {next(iter(scores))} alone",
            allowed="scores of at least 2 models, or of one that has no predicted labels",
            do=f"leave it out, or name the scores of another model with {parameter('scores')}",
        )
    if unlabelled:
        numbers = {name: np.asarray(column, dtype=float) for name, column in unlabelled.items()}
        maximise = _objective(options, truth)
        fitted, fitting = score_comparison.cross_fit(
            truth, numbers, options.positive, maximise, rows.groups, options.seed
        )
        labels, joint = {**labels, **fitted}, None
    if joint is None:
        joint = JointCounts.from_columns(rows.truth, labels, labels=options.labels, folds=rows.groups)
    return Inputs(replace(joint, left_out=rows.left_out), areas, None, metrics, fitting)


def _objective(options: Options, truth: Any) -> Measure:
    """The metric that chooses thresholds: that by which the models are ranked."""
    if options.by is not None:
        return look_up(options.by)
    if options.cost is None:
        return decider(2).measure
    costs = costs_for(options.cost, tuple(codes_of_labels(encode(truth, "y_true"))))
    if costs.by_row or costs.most is not None:
        raise InputError(
            "thresholds inside a comparison are chosen by one cost for each error",
            found=costs.words,
            do="give numbers, or name each model's predicted labels beside its scores",
            parameter="cost",
        )
    return decided_by(costs).measure


def _of_frame(options: Options) -> joint_counts.ModelColumns:
    """The columns of a frame, by their names."""
    models, scores = (model_columns(named, _texts(named)) for named in (options.pred, options.scores))
    names = [options.y_true, *models.values(), *scores.values(), _group(options)]
    strange = [name for name in names if not isinstance(name, str | None)]
    if strange or isinstance(options.pred, str):
        raise InputError(
            "a frame is compared by the names of its columns",
            found=repr(options.pred) if isinstance(options.pred, str) else type(strange[0]).__name__,
            allowed='as in compare(frame, "y", pred=["rf", "svm"])',
        )
    table = open_table(options.predictions, options.engine, options.spark_master)
    return joint_counts.ModelColumns(table, options.y_true, models, scores)


def _of_mapping(options: Options) -> Inputs:
    """Columns by model."""
    if options.pred is not None:
        raise InputError(
            f"{parameter('pred')} names columns of a frame",
            found="predictions by model",
            do=f"leave out {parameter('pred')}",
        )
    predictions = options.predictions or {}
    if len({str(name) for name in predictions}) < len(predictions):
        raise InputError(
            "two models are written alike",
            found=", ".join(map(repr, predictions)),
            allowed="names that differ as text",
        )
    named = {str(name): column for name, column in predictions.items()}
    rows = joint_counts.ScoredRows(options.y_true, named, options.scores or {}, _group(options))
    columns = [rows.truth, *named.values(), *rows.scores.values()]
    columns += [] if rows.groups is None else [rows.groups]
    # Columns of different lengths are refused where they are counted.
    if options.missing == "drop" and len(set(map(len, columns))) == 1:
        refuse_unaligned(*columns)
        rows = rows.whole()
    return _of_rows(rows, options)


def refuse_few_models(models: int) -> None:
    """A comparison is of at least two models."""
    if models < 2:
        raise InputError(
            "a comparison needs models",
            found=f"{models}",
            allowed="at least 2",
            do="evaluate judges one model alone",
        )
