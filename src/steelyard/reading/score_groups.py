"""How many examples of each class were given each score, counted by another engine than DuckDB?

The engine groups the rows by class and score; the groups, not the rows, come back.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from steelyard.counts.labels import Label, is_missing
from steelyard.counts.score_columns import LACKING, Missing, checked_missing
from steelyard.counts.score_counts import ScoreCounts
from steelyard.counts.ties import Ties
from steelyard.errors import InputError
from steelyard.reading.engines import combinations, open_source
from steelyard.reading.named_columns import find_column


def score_counts_with(
    engine: str,
    source: str,
    score: str,
    truth: str | None = None,
    positive: Label | None = None,
    *,
    spark_master: str | None = None,
    missing: Missing = "error",
) -> ScoreCounts:
    """Count the scores of one class in files that this engine reads."""
    checked_missing(missing)
    opened = open_source(source, engine, spark_master)
    try:
        truth = find_column(truth, [c for c in opened.columns if c != score], "truth", "truth=...")
        find_column(score, opened.columns, "column", "")
        rows = combinations(opened, [truth, score])
    finally:
        opened.close()
    by_label: dict[Label, dict[float, int]] = {}
    lost = 0
    for label, value, count in rows:
        number = _number(value, score)
        if is_missing(label):
            raise InputError(
                f"column {truth!r} has missing labels",
                found=f"{count:,} rows",
                allowed="a label in every row",
                do="drop those rows",
            )
        if math.isnan(number) and missing != "lowest":
            lost += count
            continue
        counts = by_label.setdefault(label, {})
        place = -math.inf if math.isnan(number) else number
        counts[place] = counts.get(place, 0) + count
    if lost and missing == "error":
        raise InputError(
            f"some scores are missing in {score}",
            found=f"none in {lost:,} rows",
            allowed="a number in every row",
            do=LACKING,
        )
    if not by_label:
        raise InputError(
            "no row has a score", found=f"{lost:,} rows without one", allowed="at least one score"
        )
    return ScoreCounts.from_ties(
        {label: _ties(counts) for label, counts in by_label.items()}, positive, dropped=lost
    )


def _number(value: Any, column: str) -> float:
    if is_missing(value):
        return math.nan
    try:
        if isinstance(value, str) and "_" in value:  # to Python a number, to nobody else
            raise ValueError(value)
        return float(value)
    except (TypeError, ValueError) as error:
        raise InputError(
            f"the column {column!r} holds no scores", found=repr(value), allowed="numbers"
        ) from error


def _ties(counts: dict[float, int]) -> Ties:
    scores: Sequence[float] = sorted(counts)
    return Ties(np.array(scores), np.array([counts[score] for score in scores], dtype=np.int64))
