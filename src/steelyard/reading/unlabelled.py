"""What do rows without a truth hold: how often was each class predicted, and which scores were given?"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

from steelyard.counts.labels import Label, check_missing, encode, is_missing, keep_rows, missing_rows
from steelyard.counts.libraries import column_names, is_countable, is_frame
from steelyard.counts.score_columns import DROPPED, numbers
from steelyard.counts.ties import Ties
from steelyard.errors import InputError
from steelyard.reading.counting import combinations
from steelyard.reading.duckdb_files import open_files, opened
from steelyard.reading.engines import open_source
from steelyard.reading.named_columns import find_column
from steelyard.reading.number_columns import number_of, refuse_no_numbers

WHERE = "unlabelled="


def predicted_labels(
    source: Any, pred: str | None, missing: str = "error", engine: str | None = None
) -> dict[Label, int]:
    """How often each class was predicted: in files, a frame, or a column of labels."""
    check_missing(missing)
    if isinstance(source, (str, Path)) or is_frame(source) or is_countable(source):
        opened_source = open_source(source, engine)
        try:
            column = find_column(pred, opened_source.columns, "prediction", "pred=...")
            found = combinations(opened_source, [column])
        finally:
            opened_source.close()
    else:
        lost = missing_rows(source)
        column, absent = "unlabelled", int(lost.sum())
        kept = encode(keep_rows(source, ~lost) if absent else source, "unlabelled")
        values, amounts = np.unique(kept.codes, return_counts=True)
        names = values.tolist() if kept.labels is None else [kept.labels[code] for code in values.tolist()]
        found = [*zip(names, amounts.tolist(), strict=True), *([(None, absent)] if absent else [])]
    counts: dict[Label, int] = {}
    without = 0
    for label, amount in found:
        if is_missing(label):
            without += amount
        else:
            counts[label] = counts.get(label, 0) + amount
    if without and missing == "error":
        raise InputError(
            f"column {column!r} of the unlabelled rows has missing predictions",
            found=f"{without:,} rows",
            allowed="a predicted label in every row",
            do='leave those rows out with missing="drop"',
        )
    _refuse_nothing(sum(counts.values()))
    return counts


def scores_alone(source: Any, score: str | None, missing: str = "error") -> Ties:
    """The scores of rows without a truth: in files, a frame, or a column of numbers."""
    if isinstance(source, (str, Path)):
        column = _named(score)
        files = open_files(source)
        find_column(column, files.columns, "column", "")
        with opened(files, [column]) as table:
            refuse_no_numbers(table, column)
            answer = table.arrays(f"SELECT {number_of(column)} AS s, count(*) AS n FROM source GROUP BY 1")
        values = np.asarray(answer["s"], dtype=np.float64)
        amounts = np.asarray(answer["n"], dtype=np.int64)
    elif is_frame(source):
        column = _named(score)
        frame = source.collect() if hasattr(source, "collect") else source
        find_column(column, column_names(frame), "column", "")
        values = numbers(frame[column], f"the score {column!r}")
        amounts = np.ones(len(values), dtype=np.int64)
    else:
        values = numbers(source, "the unlabelled scores")
        amounts = np.ones(len(values), dtype=np.int64)
    absent = np.isnan(values) if values.dtype.kind == "f" else np.zeros(len(values), dtype=bool)
    lost = int(amounts[absent].sum())
    if lost and missing == "error":
        raise InputError(
            "some scores of the unlabelled rows are missing",
            found=f"none in {lost:,} rows",
            allowed="a number in every row",
            do=DROPPED,
        )
    _refuse_nothing(int(amounts[~absent].sum()))
    return Ties.of(values[~absent], amounts[~absent])


def _named(score: Any) -> str:
    if not isinstance(score, str):
        raise InputError(
            "the scores of the unlabelled rows are named by their column",
            found=type(score).__name__,
            allowed="the name of a column, or a column of scores for unlabelled=",
        )
    return score


def _refuse_nothing(rows: int) -> None:
    if not rows:
        raise InputError("there are no unlabelled rows", found="0 rows", allowed="at least one row")
