"""What do the columns of a frame or file say of several models? Read where the rows are."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from steelyard.counts.joint import JointCounts
from steelyard.counts.labels import Label
from steelyard.errors import InputError
from steelyard.reading.engines import open_source
from steelyard.reading.joint_amounts import JointAmounts, amounts_of_source
from steelyard.reading.joint_files import joint_of_source
from steelyard.reading.spark import SparkFrame
from steelyard.scores.area_comparison import AreaComparison, areas_on_cluster


def read_columns(
    source: Any,
    truth: Any,
    pred: Sequence[str] | Mapping[str, str],
    scores: Mapping[str, Any] | None,
    fold: Any,
    positive: Label | None,
    level: float,
    amount: Any = None,
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
    opened = open_source(source)
    try:
        areas = None
        if scores is not None:
            if not isinstance(opened, SparkFrame):
                raise InputError(
                    "scores are compared by name on Spark only",
                    found=type(source).__name__,
                    do="give the columns themselves: compare({...}, y_true, scores={...})",
                )
            areas = areas_on_cluster(opened, truth, scores, positive, level=level)
        joint = joint_of_source(opened, truth, columns, fold)
        amounts = None
        if amount is not None and fold is None:
            amounts = amounts_of_source(opened, truth, columns, str(amount), joint)
        return joint, areas, amounts
    finally:
        opened.close()
