"""Compare the areas under the ROC and precision-recall curves of several models on the same rows."""
# Every pair of score columns by delong1988's test, with p-values corrected for the number of pairs.

from __future__ import annotations

import itertools
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Annotated, Any, Literal

import numpy as np

from steelyard.counts.curves import RocCurve
from steelyard.counts.labels import Label
from steelyard.errors import InputError
from steelyard.measures.catalogue import measure
from steelyard.reading.area_covariance import CountedAreas, areas_of_cluster
from steelyard.reading.spark import SparkTable
from steelyard.report.records import HIDDEN, AnyLabel, Json, Record, derived, schema_of
from steelyard.scores.delong import (
    AucComparison,
    ScoredRows,
    degrees_of_freedom,
    delong_of,
    thinned_roc,
)
from steelyard.scores.score_bootstrap import Bounds, bounds
from steelyard.uncertainty.differences import holm
from steelyard.uncertainty.resampling import check_level

# Of a curve on a page.
MOST_POINTS = 200


@dataclass(frozen=True)
class AreaPair(Record):
    """Two models' areas under the ROC curve; every difference is the first less the second."""

    first: str
    second: str
    delong: AucComparison
    # DeLong's, corrected for the number of pairs.
    holm_p_value: float


@dataclass(frozen=True)
class AreaComparison(Record):
    """The areas under the ROC curves of several models on the same rows."""

    positive: AnyLabel
    areas: Annotated[Mapping[str, float], Json("values")]
    pairs: tuple[AreaPair, ...]
    level: float
    # Of each model, thinned to what a page can show.
    curves: Annotated[Mapping[str, RocCurve], HIDDEN]
    # Of the positive class in these rows.
    share: Annotated[float, HIDDEN]
    # Of the areas of scores that were counted in bins: least and greatest value that the bins allow.
    bounds: Annotated[Mapping[str, Bounds], Json(schema=schema_of(Mapping[str, list[float]]))] = field(
        default_factory=dict
    )

    measure = derived(Literal["roc_auc"], lambda self: "roc_auc")


def compare_areas(
    y_true: Any,
    scores: Mapping[str, Any],
    positive: Label | None = None,
    *,
    level: float = 0.95,
) -> AreaComparison:
    """Compare the rankings of models by their scores of the positive class, all in the order of `y_true`."""
    refuse_single_column(len(scores))
    check_level(level)
    rows = ScoredRows(scores, y_true, positive)
    pairs = [(*both, rows.delong(*both, level)) for both in itertools.combinations(scores, 2)]
    curves = {name: rows.curve(name, MOST_POINTS) for name in scores}
    share = rows.positives / (rows.positives + rows.negatives)
    return AreaComparison(rows.label, rows.areas, _corrected(pairs), level, curves, share)


def _corrected(pairs: Sequence[tuple[str, str, AucComparison]]) -> tuple[AreaPair, ...]:
    """The pairs with DeLong's p-values corrected for their number."""
    corrected = holm([pair[2].p_value for pair in pairs])
    return tuple(AreaPair(*pair, p) for pair, p in zip(pairs, corrected, strict=True))


def areas_on_cluster(
    source: SparkTable, truth: str | None, columns: Mapping[str, str], positive: Label | None, *, level: float
) -> AreaComparison:
    """Compare the rankings of models (model -> column of scores) where the rows are, on a Spark cluster."""
    refuse_single_column(len(columns))
    counted = areas_of_cluster(source, truth, columns, positive)
    return compare_counted_areas(counted, level=check_level(level))


def compare_counted_areas(counted: CountedAreas, *, level: float) -> AreaComparison:
    """DeLong's test of what a cluster counted."""
    # What bins leave open counts against a difference.
    area = measure("roc_auc")
    names = list(counted.counts)
    values = {name: float(area(counts, positive=counted.positive)) for name, counts in counted.counts.items()}
    binned = {
        name: within
        for name, counts in counted.counts.items()
        if (within := bounds(area, counts, counted.positive)) is not None
    }
    half = {name: (binned[name].most - binned[name].least) / 2 if name in binned else 0.0 for name in names}
    pairs = []
    for i, j in itertools.combinations(range(len(names)), 2):
        first, second = names[i], names[j]
        degrees = degrees_of_freedom([(n, float(c[i, i] + c[j, j] - 2 * c[i, j])) for n, c in counted.parts])
        covariance, unknown = counted.covariance[np.ix_([i, j], [i, j])], half[first] + half[second]
        how = covariance, level, counted.positive, unknown, degrees
        pairs.append((first, second, delong_of(values[first], values[second], *how)))
    curves = {name: thinned_roc(c, counted.positive, MOST_POINTS) for name, c in counted.counts.items()}
    share = counted.positives / (counted.positives + counted.negatives)
    return AreaComparison(counted.positive, values, _corrected(pairs), level, curves, share, binned)


def refuse_single_column(number: int) -> None:
    """Refuse to compare the scores of one model."""
    if number < 2:
        raise InputError(
            "a comparison of rankings needs scores",
            found=f"{number} column",
            allowed="scores of at least 2 models",
        )
