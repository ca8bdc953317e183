"""What stands in a column of the rows, for every combination of truth and predictions that several models
gave?

Beside the joint counts, the sums and the sums of squares of a column are all that a comparison of what
decisions cost needs: again no row leaves the engine.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from steelyard.counts.joint import JointCounts
from steelyard.counts.labels import is_missing, one_spelling
from steelyard.errors import InputError
from steelyard.reading.engines import Source, open_source
from steelyard.reading.expressions import TRUTH, WEIGHT, grouped, prediction_name
from steelyard.reading.named_columns import find_column, truth_among

Array = NDArray[Any]


@dataclass(frozen=True, eq=False)
class JointAmounts:
    """Sums of a column and of its squares, shape (K,), in the order of the cells of joint counts."""

    sums: Array
    squares: Array


def read_joint_amounts(
    paths: Sequence[str | Path],
    truth: str | None,
    predictions: Sequence[str],
    column: str,
    joint: JointCounts,
    engine: str | None = None,
    spark_master: str | None = None,
) -> JointAmounts:
    """The sums of a column of one file with a column for each model."""
    if len(paths) != 1:
        raise InputError(
            "costs by row are compared in one table",
            found=f"{len(paths)} files",
            do="put the predictions into one file, with a column for each model",
        )
    source = open_source(str(paths[0]), engine, spark_master)
    try:
        return amounts_of_source(source, truth, {name: name for name in predictions}, column, joint)
    finally:
        source.close()


def amounts_of_source(
    source: Source, truth: str | None, predictions: Mapping[str, str], column: str, joint: JointCounts
) -> JointAmounts:
    """The sums of a column of a source whose joint counts are these."""
    find_column(column, source.columns, "column", "")
    named = [truth_among(source.columns, truth, list(predictions.values())), *predictions.values()]
    picked = {TRUTH: named[0], **{prediction_name(k): name for k, name in enumerate(named[1:])}}
    with source.grouping():
        counted = grouped(source.named({**picked, WEIGHT: column}), len(predictions), 0, True)
    told = ((*map(source.label, row[:-4], picked), *row[-4:]) for row in source.fetch(counted))
    # Joint counts left such rows out, or refused them.
    rows = [row for row in told if not any(map(is_missing, row[:-4]))]
    bad = sum(int(row[-2]) for row in rows)
    if bad:
        raise InputError(
            f"the amounts of column {column!r} cannot be used",
            found=f"{bad:,} that {'is' if bad == 1 else 'are'} missing, negative, infinite or no number",
            allowed="a number of at least 0 in every row",
        )
    spelled = one_spelling(*zip(*(row[:-4] for row in rows), strict=True)) if source.holds_text else {}
    place = {label: k for k, label in enumerate(joint.labels)}
    cells = zip(joint.truth.tolist(), *joint.predictions.T.tolist(), strict=True)
    cell = {key: k for k, key in enumerate(cells)}
    sums, squares = np.zeros(len(cell)), np.zeros(len(cell))
    for row in rows:
        at = cell[tuple(place[spelled.get(value, value)] for value in row[:-4])]
        sums[at] += float(row[-3])
        squares[at] += float(row[-1])
    return JointAmounts(sums, squares)
