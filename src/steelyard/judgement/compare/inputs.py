"""Read what is compared: columns in memory, a frame, one file, or a file for each model."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import closing
from dataclasses import replace
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from steelyard.counts.encoding import encode, keep_rows, missing_rows
from steelyard.counts.joint import JointCounts
from steelyard.counts.labels import check_missing
from steelyard.counts.libraries import column_of, is_frame, is_lazy, refuse_unaligned
from steelyard.counts.scored_classes import codes_of_labels
from steelyard.errors import InputError, parameter
from steelyard.judgement.compare.cross_fitting import CrossFitting, cross_fit
from steelyard.judgement.compare.options import Options
from steelyard.judgement.compare.score_metrics import ScoreMetric, compare_score_metrics
from steelyard.judgement.rules import decided_by, decider
from steelyard.measures.catalogue import measure as look_up
from steelyard.measures.costs import cost_column, costs_for
from steelyard.measures.measure import Measure
from steelyard.reading.column_names import find_column, truth_among, unnamed
from steelyard.reading.engines import open_table
from steelyard.reading.joint_counts import (
    JointAmounts,
    ModelColumns,
    amounts_of_table,
    joint_of_table,
    open_models,
    scored_rows,
)
from steelyard.reading.spark import SparkTable
from steelyard.scores.area_comparison import AreaComparison, areas_on_cluster, compare_areas


class Inputs(NamedTuple):
    """The joint counts of the models' predictions; the comparison of their scores if there are any, the sums
    of a column of costs if one is named, and how labels were made of scores where none were given."""

    joint: JointCounts
    areas: AreaComparison | None = None
    amounts: JointAmounts | None = None
    score_metrics: tuple[ScoreMetric, ...] = ()
    cross_fitting: CrossFitting | None = None


def read_inputs(options: Options) -> Inputs:
    """Read the predictions, wherever they are."""
    check_missing(options.missing)
    source = options.predictions
    if isinstance(source, Mapping) or (source is None and isinstance(options.scores, Mapping)):
        return _of_columns(options)
    paths = paths_of(source)
    if options.pred is None and options.scores is None:
        raise no_models(options)
    if paths is None:
        models = _of_frame(options)
    else:
        others = [name for name in (_group(options), cost_column(options.cost)) if name is not None]
        models = open_models(
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
        if models.scores and is_frame(source) and not is_lazy(source):
            return _of_columns(_with_columns(options, models))
        return _of_table(models, options, source if paths is None else None)


def no_models(options: Options) -> InputError:
    """The refusal of a call that names no predictions, with the columns that look like them."""
    paths = paths_of(options.predictions)
    what = "a comparison needs the predictions of models"
    named = options.predictions if paths is None else paths[0]
    truth = options.y_true if isinstance(options.y_true, str) else None
    return unnamed(named, "models", what, truth=truth) or InputError(
        what,
        found=type(named).__name__ if paths is None else "none",
        allowed='predictions by model such as {"rf": p1, "svm": p2}, or columns of a file or frame',
        do=f"name them with {parameter('pred')}",
    )


def _with_columns(options: Options, models: ModelColumns) -> Options:
    """The columns of a frame in place of their names: scores are compared row by row, in memory."""
    frame, table = options.predictions, models.table
    truth = truth_among(table.names, models.truth, [*models.predictions.values(), *models.scores.values()])

    def column(name: Any) -> Any:
        return None if name is None else column_of(frame, find_column(name, table.names, "column", ""))

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
    if isinstance(named, (list, tuple)) and named and all(isinstance(one, (str, Path)) for one in named):
        return [str(one) for one in named]
    return None


def _group(options: Options) -> Any:
    return options.cluster if options.folds is None else options.folds


def model_columns(named: Any) -> dict[str, str]:
    """Columns by model: a mapping, or names of columns that stand for themselves."""
    if isinstance(named, Mapping):
        return dict(named)
    return {name: name for name in (() if named is None else [named] if isinstance(named, str) else named)}


def _texts(columns: Any) -> list[str]:
    """Names of columns as text; a mapping is written model=column."""
    if columns is None:
        return []
    if isinstance(columns, Mapping):
        return [name if name == column else f"{name}={column}" for name, column in columns.items()]
    return [columns] if isinstance(columns, str) else list(columns)


def _of_table(models: ModelColumns, options: Options, frame: Any) -> Inputs:
    table, fold, amount = models.table, _group(options), cost_column(options.cost)
    areas, amounts = None, None
    metrics: tuple[ScoreMetric, ...] = ()
    if not models.predictions:
        return _of_scores(models, options)
    if not models.scores:
        joint = joint_of_table(table, models.truth, models.predictions, fold, options.missing, frame)
    elif isinstance(table, SparkTable):
        if options.missing != "error":
            raise InputError(
                "scores on a Spark cluster are compared on all of its rows",
                found=parameter("missing", options.missing),
                do="leave one of the two out",
            )
        joint = joint_of_table(table, models.truth, models.predictions, fold, options.missing, frame)
        areas = areas_on_cluster(table, models.truth, models.scores, options.positive, level=options.level)
    else:
        rows = scored_rows(models, fold, options.missing)
        assert rows.joint is not None
        joint = rows.joint
        areas, metrics = _compare_scores(rows.truth, rows.scores, options)
    if amount is not None and fold is None:
        if models.scores and joint.left_out:
            raise InputError(
                "costs by row and scores are compared on the same rows",
                found=f"{parameter('missing', 'drop')} beside both",
                do="leave one of them out",
            )
        amounts = amounts_of_table(table, models.truth, models.predictions, str(amount), joint)
    return Inputs(joint, areas, amounts, metrics)


def _compare_scores(
    truth: Any, scores: Mapping[str, Any], options: Options
) -> tuple[AreaComparison, tuple[ScoreMetric, ...]]:
    """The models by their scores: areas under the ROC curve, and the other score metrics."""
    how: dict[str, Any] = {"level": options.level, "seed": options.seed}
    areas = compare_areas(truth, scores, options.positive, **how)
    return areas, compare_score_metrics(truth, scores, options.positive, **how)


def _of_scores(models: ModelColumns, options: Options) -> Inputs:
    """Models by the score columns of a table alone."""
    if isinstance(models.table, SparkTable):
        raise InputError(
            "scores alone are compared in memory",
            found="a table on a Spark cluster",
            do="name each model's predicted labels beside its scores",
            parameter="pred",
        )
    rows = scored_rows(models, _group(options), options.missing)
    return _of_score_columns(options, rows.truth, rows.scores, rows.groups, rows.left_out)


def _of_score_columns(
    options: Options, truth: Any, scores: Mapping[str, Any], groups: Any, left_out: int
) -> Inputs:
    """Models by their scores alone: labels come from cross-fitted thresholds."""
    refuse_few_models(len(scores))
    if options.missing == "drop" and not left_out:
        _, kept, truth, groups, left_out = _whole_rows({}, scores, truth, groups)
        scores = scores if kept is None else kept
    areas, metrics = _compare_scores(truth, scores, options)
    columns = {name: np.asarray(column, dtype=float) for name, column in scores.items()}
    labels, fitting = cross_fit(
        truth, columns, options.positive, _objective(options, truth), groups, options.seed
    )
    joint = JointCounts.from_columns(truth, labels, labels=options.labels, folds=groups)
    joint = replace(joint, left_out=left_out)
    return Inputs(joint, areas, None, metrics, fitting)


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


def _of_frame(options: Options) -> ModelColumns:
    """The columns of a frame, by their names."""
    models, scores = model_columns(options.pred), model_columns(options.scores)
    names = [options.y_true, *models.values(), *scores.values()]
    names += [] if _group(options) is None else [_group(options)]
    strange = [name for name in names if not isinstance(name, str | None)]
    if strange or isinstance(options.pred, str):
        raise InputError(
            "a frame is compared by the names of its columns",
            found=repr(options.pred) if isinstance(options.pred, str) else type(strange[0]).__name__,
            allowed='as in compare(frame, "y", pred=["rf", "svm"])',
        )
    table = open_table(options.predictions, options.engine, options.spark_master)
    return ModelColumns(table, options.y_true, models, scores)


def _of_columns(options: Options) -> Inputs:
    if options.pred is not None:
        raise InputError("pred= names columns of a frame", found="predictions by model", do="leave out pred=")
    if not options.predictions and options.scores:
        return _of_score_columns(options, options.y_true, options.scores, _group(options), 0)
    refuse_few_models(len(options.predictions))
    if len({str(name) for name in options.predictions}) < len(options.predictions):
        raise InputError(
            "two models are written alike",
            found=", ".join(map(repr, options.predictions)),
            allowed="names that differ as text",
        )
    columns = {str(name): column for name, column in options.predictions.items()}
    y_true, scores, groups, left_out = options.y_true, options.scores, _group(options), 0
    if options.missing == "drop":
        columns, scores, y_true, groups, left_out = _whole_rows(columns, scores, y_true, groups)
    joint = JointCounts.from_columns(y_true, columns, labels=options.labels, folds=groups)
    areas, metrics = (None, ()) if scores is None else _compare_scores(y_true, scores, options)
    return Inputs(replace(joint, left_out=left_out), areas, None, metrics)


def refuse_few_models(models: int) -> None:
    """A comparison is of at least two models."""
    if models < 2:
        raise InputError(
            "a comparison needs models",
            found=f"{models}",
            allowed="at least 2",
            do="evaluate judges one model alone",
        )


def _whole_rows(
    predictions: Mapping[str, Any], scores: Mapping[str, Any] | None, truth: Any, groups: Any
) -> tuple[dict[str, Any], dict[str, Any] | None, Any, Any, int]:
    """The same columns without the rows that lack the truth, a prediction or a score, and how many rows these
    are."""
    refuse_unaligned(truth, *predictions.values(), *(scores or {}).values(), groups)
    columns = [truth, *predictions.values(), *(scores or {}).values()]
    lengths = {len(column) for column in columns}
    if len(lengths) > 1 or (groups is not None and len(groups) not in lengths):
        return dict(predictions), None if scores is None else dict(scores), truth, groups, 0
    whole = ~np.logical_or.reduce([missing_rows(column) for column in columns])
    if not whole.any():
        raise InputError(
            "every row lacks its truth or a prediction",
            found=f"{len(whole):,} rows",
            allowed="at least one whole row",
        )

    def rows_of(columns: Mapping[str, Any]) -> dict[str, Any]:
        return {name: keep_rows(column, whole) for name, column in columns.items()}

    return (
        rows_of(predictions),
        None if scores is None else rows_of(scores),
        keep_rows(truth, whole),
        None if groups is None else keep_rows(groups, whole),
        int(np.count_nonzero(~whole)),
    )
