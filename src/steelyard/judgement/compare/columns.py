"""What do the columns of a frame or file say of several models? Read where the rows are."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from steelyard.counts.encoding import keep_rows, missing_rows
from steelyard.counts.joint import JointCounts
from steelyard.counts.labels import Label
from steelyard.counts.libraries import refuse_unaligned
from steelyard.errors import InputError
from steelyard.reading.engines import open_table
from steelyard.reading.joint_counts import JointAmounts, amounts_of_table, joint_of_table
from steelyard.reading.spark import SparkTable
from steelyard.scores.area_comparison import AreaComparison, areas_on_cluster


def read_columns(
    source: Any,
    truth: Any,
    pred: Sequence[str] | Mapping[str, str],
    *,
    scores: Mapping[str, Any] | None,
    fold: Any,
    positive: Label | None,
    level: float,
    amount: Any = None,
    missing: str = "error",
) -> tuple[JointCounts, AreaComparison | None, JointAmounts | None]:
    """The joint counts of models whose predictions are columns, the comparison of their scores if there are
    any, and the sums of a column of amounts if one is named."""
    columns = dict(pred) if isinstance(pred, Mapping) else {name: name for name in pred}
    named = [truth, *columns.values(), *(scores or {}).values(), *([] if fold is None else [fold])]
    strange = [name for name in named if not isinstance(name, str)]
    if strange or isinstance(pred, str):
        raise InputError(
            "a frame is compared by the names of its columns",
            found=repr(pred) if isinstance(pred, str) else type(strange[0]).__name__,
            allowed='as in compare(frame, "y", pred=["rf", "svm"])',
        )
    opened = open_table(source)
    try:
        areas = None
        if scores is not None:
            if not isinstance(opened, SparkTable):
                raise InputError(
                    "scores are compared by name on Spark only",
                    found=type(source).__name__,
                    do="give the columns themselves: compare({...}, y_true, scores={...})",
                )
            areas = areas_on_cluster(opened, truth, scores, positive, level=level)
        joint = joint_of_table(opened, truth, columns, fold, missing, source)
        amounts = None
        if amount is not None and fold is None:
            amounts = amounts_of_table(opened, truth, columns, str(amount), joint)
        return joint, areas, amounts
    finally:
        opened.close()


def refuse_scores_beside(missing: str) -> None:
    """Scores and predictions of a file or frame are read apart: they would be of other rows."""
    if missing != "error":
        raise InputError(
            "scores of a file or frame are compared on all of its rows",
            found=f'missing="{missing}" beside them',
            do="leave one of the two out, or give columns: compare({...}, y_true, scores={...})",
        )


def whole_rows(
    predictions: Mapping[str, Any], scores: Mapping[str, Any] | None, truth: Any, groups: Any
) -> tuple[dict[str, Any], dict[str, Any] | None, Any, Any, int]:
    """The same columns without the rows that lack the truth, a prediction or a score, and how many rows these
    are."""
    refuse_unaligned(truth, *predictions.values(), *(scores or {}).values(), groups)
    columns = [truth, *predictions.values(), *(scores or {}).values()]
    lengths = {len(column) for column in columns}
    if len(lengths) > 1 or (groups is not None and len(groups) not in lengths):
        return dict(predictions), None if scores is None else dict(scores), truth, groups, 0
    kept = ~np.logical_or.reduce([missing_rows(column) for column in columns])
    if not kept.any():
        raise InputError(
            "every row lacks its truth or a prediction",
            found=f"{len(kept):,} rows",
            allowed="at least one whole row",
        )

    def whole(given: Mapping[str, Any]) -> dict[str, Any]:
        return {name: keep_rows(column, kept) for name, column in given.items()}

    return (
        whole(predictions),
        None if scores is None else whole(scores),
        keep_rows(truth, kept),
        None if groups is None else keep_rows(groups, kept),
        int(np.count_nonzero(~kept)),
    )
