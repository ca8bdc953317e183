"""Columns of multi-label data: a column of truth and one of predictions for each label, paired by pattern."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from steelyard.counts.label_sets import LabelSets, lacking
from steelyard.counts.labels import check_missing
from steelyard.counts.libraries import column_names, column_of, is_frame, is_lazy
from steelyard.errors import InputError
from steelyard.reading.column_names import columns_of_classes
from steelyard.reading.engines import opened
from steelyard.reading.score_counting import refuse_no_numbers
from steelyard.reading.table import ROWS, Number, Progress


def paired_columns(available: Sequence[str], truth: str, pred: str) -> dict[str, tuple[str, str]]:
    """For each label its column of truth and its column of predictions: what the stars of both patterns stand
    for."""
    for pattern in (truth, pred):
        if not isinstance(pattern, str) or pattern.count("*") != 1:
            raise InputError(
                "the columns of several labels are named by a pattern",
                found=repr(pattern),
                allowed="one star, as in 'y_*'",
            )
    if truth == pred:
        raise InputError(
            "truth and predictions are the same columns", found=repr(truth), allowed="two patterns"
        )
    matching = [
        {str(label): column for label, column in columns_of_classes(available, pattern).items()}
        for pattern in (truth, pred)
    ]
    # y_* takes in what y_pred_* does: a column belongs to the pattern that says more of its name.
    narrow = 0 if len(truth) > len(pred) else 1
    taken = set(matching[narrow].values())
    wide = {label: column for label, column in matching[1 - narrow].items() if column not in taken}
    truths, preds = (matching[narrow], wide) if narrow == 0 else (wide, matching[narrow])
    for here, there, pattern, role in ((truths, preds, pred, "predictions"), (preds, truths, truth, "truth")):
        alone = [label for label in here if label not in there]
        if alone:
            raise InputError(
                "the columns of truth and predictions do not pair",
                found=f"{here[alone[0]]!r} without {pattern.replace('*', alone[0])!r}"
                + (f", and {len(alone) - 1} more" if len(alone) > 1 else ""),
                allowed=f"a column of {role} for every label",
            )
    return {label: (column, preds[label]) for label, column in truths.items()}


def read_label_sets(
    source: Any, truth: str, pred: str, *, missing: str = "error", progress: Progress | None = None
) -> LabelSets:
    """The labels of a file, of all files of a glob, or of a frame."""
    check_missing(missing)
    if is_frame(source):
        frame = source.collect() if is_lazy(source) else source
        pairs = paired_columns(column_names(frame), truth, pred)
        y_true, y_pred = (
            np.stack([_floats(column_of(frame, pair[side]), pair[side]) for pair in pairs.values()], axis=1)
            for side in (0, 1)
        )
        return LabelSets.from_tables(y_true, y_pred, list(pairs), missing=missing)
    if not isinstance(source, (str, Path)):
        raise InputError(
            "patterns name columns of a file or a frame",
            found=type(source).__name__,
            allowed="a path, a glob, or a frame of pandas, polars or arrow",
            do="give two tables of 0 and 1 instead",
        )
    with opened(source, progress=progress) as table:
        pairs = paired_columns(table.names, truth, pred)
        columns = [pair[side] for side in (0, 1) for pair in pairs.values()]
        refuse_no_numbers(table, columns, allowed="0 and 1, or true and false")
        *values, rows = table.columns([Number(column) for column in columns], [ROWS])
    patterns = np.stack(values, axis=1)
    rows = rows.astype(np.int64)
    lost = np.isnan(patterns).any(axis=1)
    if lost.any() and missing == "error":
        raise lacking(int(rows[lost].sum()), int(rows.sum()))
    order = np.lexsort(patterns[~lost].T[::-1])  # the same order whoever counts
    return LabelSets.of_patterns(
        list(pairs), patterns[~lost][order], rows[~lost][order], int(rows[lost].sum())
    )


def _floats(column: Any, name: str) -> Any:
    try:
        return np.asarray([np.nan if value is None else float(value) for value in column.to_list()])
    except (TypeError, ValueError, AttributeError):
        values = column.to_pylist() if hasattr(column, "to_pylist") else list(column)
    try:
        return np.asarray([np.nan if value is None else float(value) for value in values])
    except (TypeError, ValueError) as error:
        raise InputError(
            f"column {name!r} must hold 0 and 1", found="values that are no numbers", allowed="0 and 1"
        ) from error
