"""How do the areas of several models' scores vary together, on a cluster?

The scores of all models are counted in one pass, in bins. A second pass looks up, for every row and model,
the part that the row has in the model's area (delong1988: the share of negatives below a positive, of
positives above a negative, ties half), and adds up products of two models' parts. So rows stay where they
are, and what comes back is one row a class, whatever the number of rows.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from steelyard.counts.labels import Label
from steelyard.counts.score_counts import ScoreCounts
from steelyard.errors import InputError
from steelyard.reading.bounded_bins import TOLERANCE, Bin, bin_of
from steelyard.reading.named_columns import find_column, truth_among
from steelyard.reading.spark import SparkFrame
from steelyard.reading.spark_scores import Asked, counts_of_bins

Array = NDArray[Any]

LEVELS = 1_024
"""A row's part in an area is told to this part of either class: bins that lie closer share it."""


@dataclass(frozen=True)
class CountedAreas:
    """What a cluster tells of several models' scores of the same rows."""

    positive: Label
    positives: int
    negatives: int
    counts: Mapping[str, ScoreCounts]
    covariance: Array
    """Of the areas under the ROC curve, (models, models)."""


def areas_of_spark(
    source: SparkFrame,
    truth: str | None,
    columns: Mapping[str, str],
    positive: Label | None = None,
    *,
    tolerance: float = TOLERANCE,
) -> CountedAreas:
    """Count the scores of several models (model -> column) on a cluster, and tell how their areas vary
    together."""
    truth = truth_among(source.columns, truth, list(columns.values()))
    for column in (truth, *columns.values()):
        find_column(column, source.columns, "column", "")
    asked = Asked(source, truth, list(columns.values()), None)
    asked.settle("error")
    labels, bins = asked.counted(tolerance)
    counts = {name: counts_of_bins(labels, own, positive) for name, own in zip(columns, bins, strict=True)}
    label = next(iter(counts.values())).positive_class().label
    place = labels.index(label)
    positives = int(sum(own.amounts.get(place, 0) for own in bins[0]))
    negatives = int(sum(sum(own.amounts.values()) for own in bins[0])) - positives
    if positives < 2 or negatives < 2:
        raise InputError(
            "too few examples to tell a difference from chance",
            found=f"{positives} positive and {negatives} negative ones",
            allowed="two or more of each",
        )
    lookups = [_lookup(own, place) for own in bins]
    return CountedAreas(label, positives, negatives, counts, _covariance(asked, lookups, label))


Lookup = list[tuple[int, float, float, float, float]]
"""The pieces of each bin of the first pass: from which score, up to which (before it; NaN stands above all),
and the part of a positive and of a negative in it."""


def _lookup(bins: Sequence[Bin], place: int) -> Lookup:
    """The part of a row in the area, by its score; less the area, so that squares do not cancel."""
    amounts = np.array(
        [[own.amounts.get(place, 0), sum(own.amounts.values()) - own.amounts.get(place, 0)] for own in bins],
        dtype=np.float64,
    )
    totals = amounts.sum(axis=0)
    if len(bins) <= LEVELS:
        group = np.arange(len(bins))
    else:
        levels = np.floor((np.cumsum(amounts, axis=0) - amounts) / totals * LEVELS)
        group = np.concatenate([[0], np.cumsum((np.diff(levels, axis=0) > 0).any(axis=1))]).astype(np.intp)
    inside = np.stack([np.bincount(group, weights=side) for side in amounts.T], axis=1)
    below = np.cumsum(inside, axis=0) - inside
    middle = (below + inside / 2) / totals
    area = float(middle[:, 1] @ inside[:, 0] / totals[0])
    of_positive, of_negative = middle[:, 1] - area, 1 - middle[:, 0] - area
    begins: dict[int, list[tuple[float, int]]] = {}
    for own, g in zip(bins, group.tolist(), strict=True):
        pieces = begins.setdefault(own.first, [])
        if not pieces or pieces[-1][1] != g:
            pieces.append((float(own.low) if pieces else -math.inf, g))
    return [
        (first, start, end, float(of_positive[g]), float(of_negative[g]))
        for first, pieces in begins.items()
        for (start, g), end in zip(pieces, [*(start for start, _ in pieces[1:]), math.nan], strict=True)
    ]


def _covariance(asked: Asked, lookups: Sequence[Lookup], positive: Label) -> Array:
    """From one pass over the rows: the sums and products of the parts, positives and negatives apart."""
    models = len(lookups)
    source = asked.source
    bins = [f"{bin_of(f's{k}')} AS b{k}" for k in range(models)]
    scores = [f"s{k}" for k in range(models)]
    is_positive = source.equal(asked.rows, "t", positive).alias("is_positive")
    rows = asked.rows.select(is_positive, *(source.expression(text) for text in (*scores, *bins)))
    for k, lookup in enumerate(lookups):
        names = f"k{k} BIGINT, from{k} DOUBLE, to{k} DOUBLE, high{k} DOUBLE, low{k} DOUBLE"
        table = source.table(lookup, names).hint("broadcast")
        # Numbers beside numbers, no lists: so all of it is compiled.
        rows = rows.join(table, on=source.expression(f"b{k} = k{k} AND s{k} >= from{k} AND s{k} < to{k}"))
    parts = [f"CASE WHEN is_positive THEN high{k} ELSE low{k} END AS v{k}" for k in range(models)]
    pairs = [(i, j) for i in range(models) for j in range(i, models)]
    wanted = ["count(*)", *(f"sum(v{k})" for k in range(models)), *(f"sum(v{i} * v{j})" for i, j in pairs)]
    grouped = rows.selectExpr("is_positive", *parts).groupBy("is_positive")
    covariance = np.zeros((models, models))
    for row in source.collected(grouped.agg(*(source.expression(text) for text in wanted))):
        number, sums = float(row[1]), np.array(row[2 : 2 + models])
        for (i, j), product in zip(pairs, row[2 + models :], strict=True):
            own = (product - sums[i] * sums[j] / number) / (number - 1) / number
            covariance[i, j] += own
            if i != j:
                covariance[j, i] += own
    return covariance
