"""Predicted labels from scores: by a threshold, or the class with the highest score.

A label is a score and a threshold, or the class with the largest score. Arrays, frames and files of scores
are counted twice: as scores, for everything that is said of the ranking, and as the labels they stand for,
for everything that is said of a matrix.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from steelyard.counts.labels import Label, meant
from steelyard.counts.libraries import frame_words, is_frame
from steelyard.counts.score_counts import ScoreCounts
from steelyard.errors import InputError
from steelyard.measures.costs import (
    costs_for,
)
from steelyard.reading.column_names import columns_of_classes, find_column
from steelyard.reading.groups import ModelCounts
from steelyard.reading.rows import score_rows
from steelyard.reading.score_labels import count_labels_of_scores
from steelyard.scores.score_options import CHEAPEST, AskedScores
from steelyard.scores.threshold_choice import ThresholdChoice
from steelyard.scores.threshold_sweep import matrix_at


def count_labels(
    asked: AskedScores,
    scores: ScoreCounts,
    choice: ThresholdChoice | None,
    data: Any,
    *,
    truth: str | None,
    weight: Any,
    slices: Any,
    missing: str,
) -> tuple[ModelCounts, str]:
    """The labels the scores stand for against the truth, and what the source is called."""
    names = scores.positive_first().labels if scores.positive is not None else scores.labels
    threshold = None if choice is None else choice.threshold
    if threshold is None and len(scores.columns) == 1:
        raise InputError(
            "scores alone give no predicted labels",
            found="no threshold",
            do='give a threshold such as 0.5 or "best:gmean"',
        )
    how: dict[str, Any] = {
        "threshold": threshold,
        "name": _label_source(asked, threshold),
        "weight": weight,
        "slices": [slices] if isinstance(slices, str) else slices,
        "missing": missing,
    }
    if asked.is_table and asked.threshold == CHEAPEST:
        how["costs"] = costs_for(asked.costs, names).fixed
    cut_here = weight is None and not len(slices) and missing == "error" and _is_exact_at(scores, threshold)
    if asked.reading.reads(data):
        if "costs" in how and asked.reading.on_cluster(data):
            raise InputError(
                "the cheapest label of many classes is found on this machine",
                found="scores on a cluster",
                do="leave out engine=, or write the labels there",
            )
        with asked.reading.opened(data) as table:
            columns = _columns_in_order(table.names, asked, names, threshold)
            if threshold is not None and cut_here:
                counted = _cut(table.names, truth, columns, scores, threshold, how["name"])
            else:
                counted = count_labels_of_scores(table, truth, columns, names, **how)
        return counted, str(data) if isinstance(data, (str, Path)) else frame_words(data)
    rows = score_rows(
        data,
        asked.score,
        is_table=asked.is_table,
        truth=truth,
        weight=weight,
        slices=slices,
        missing=missing,
    )
    called = frame_words(data) if is_frame(data) else "labels and scores in memory"
    return rows.called(names, threshold, _label_source(asked, threshold), how.get("costs")), called


def _is_exact_at(scores: ScoreCounts, threshold: float | None) -> bool:
    """Do the counted scores tell the matrix at this threshold, or does it lie inside a bin?"""
    if threshold is None or scores.starts is None:
        return True
    return not math.isfinite(threshold) or bool(threshold in scores.starts)


def _cut(
    available: Sequence[str],
    truth: str | None,
    columns: Mapping[Label, str],
    scores: ScoreCounts,
    threshold: float,
    name: str,
) -> ModelCounts:
    """The labels of scores of which none is missing: there is no need to read them again."""
    rest = [column for column in available if column not in columns.values()]
    truth = find_column(truth, rest, "truth", "truth=...")
    unused = tuple(column for column in rest if column != truth)
    return ModelCounts.of_matrix(matrix_at(scores, threshold), truth=truth, pred=name, unused=unused)


def _columns_in_order(
    available: Sequence[str], asked: AskedScores, names: Sequence[Label], threshold: float | None
) -> dict[Label, str]:
    """The columns of scores; with one for each class, in the order of the classes."""
    columns = columns_of_classes(available, asked.score)
    if threshold is not None:
        return dict(columns)
    own = zip(names, meant(names, columns), strict=True)
    return {label: columns[written] for label, written in own if written is not None}


def without_used(counted: ModelCounts, asked: AskedScores) -> ModelCounts:
    """The same counts, with the columns of scores no longer among the unused ones."""
    if not isinstance(asked.score, (str, Mapping)) or not counted.unused:
        return counted
    used = set(asked.names([*counted.unused]))
    return replace(counted, unused=tuple(column for column in counted.unused if column not in used))


def _label_source(asked: AskedScores, threshold: float | None) -> str:
    if threshold is not None:
        return f"{asked.score if isinstance(asked.score, str) else 'score'} >= {threshold:.6g}"
    if asked.threshold == CHEAPEST:
        return "the cheapest label"
    return f"the largest of {asked.score}" if isinstance(asked.score, str) else "the largest score"
