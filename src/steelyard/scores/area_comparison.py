"""Compare the areas under the ROC and precision-recall curves of several models on the same rows."""
# Every pair of score columns by delong1988's test, with p-values corrected for the number of pairs.

from __future__ import annotations

import itertools
import math
from collections.abc import Mapping
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
from steelyard.scores.delong import AucComparison, areas_of_rows, delong_of, thinned_roc
from steelyard.scores.score_bootstrap import Bounds, bounds
from steelyard.uncertainty.binomial_intervals import area_trials, wilson_by_spread
from steelyard.uncertainty.differences import holm
from steelyard.uncertainty.resampling import check_level


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
    intervals: Mapping[str, tuple[float, float]]
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
    y_true: Any, scores: Mapping[str, Any], positive: Label | None = None, *, level: float = 0.95
) -> AreaComparison:
    """Compare the rankings of models by their scores of the positive class, all in the order of `y_true`."""
    refuse_single_column(len(scores))
    return compare_counted_areas(areas_of_rows(y_true, scores, positive), level=level)


def areas_on_cluster(
    source: SparkTable, truth: str | None, columns: Mapping[str, str], positive: Label | None, *, level: float
) -> AreaComparison:
    """Compare the rankings of models (model -> column of scores) where the rows are, on a Spark cluster."""
    refuse_single_column(len(columns))
    return compare_counted_areas(areas_of_cluster(source, truth, columns, positive), level=level)


def compare_counted_areas(counted: CountedAreas, *, level: float) -> AreaComparison:
    """DeLong's test of every pair, and the interval of every area."""
    check_level(level)
    area, label, names = measure("roc_auc"), counted.positive, list(counted.counts)
    values = {name: float(area(counts, positive=label)) for name, counts in counted.counts.items()}
    within = {name: bounds(area, counts, label) for name, counts in counted.counts.items()}
    binned = {name: ends for name, ends in within.items() if ends is not None}
    # What bins leave open counts against a difference.
    half = {name: (binned[name].most - binned[name].least) / 2 if name in binned else 0.0 for name in names}
    pairs = []
    for i, j in itertools.combinations(range(len(names)), 2):
        first, second = names[i], names[j]
        parts = tuple((size, covariance[np.ix_([i, j], [i, j])]) for size, covariance in counted.parts)
        unknown = half[first] + half[second]
        pairs.append((first, second, delong_of(values[first], values[second], parts, level, label, unknown)))
    corrected = holm([test.p_value for _, _, test in pairs])
    curves = {name: thinned_roc(counts, label) for name, counts in counted.counts.items()}
    intervals = {}
    for k, name in enumerate(names):
        low, high = _interval(values[name], float(counted.covariance[k, k]), counted, level)
        intervals[name] = max(0.0, low - half[name]), min(1.0, high + half[name])
    return AreaComparison(
        label,
        values,
        intervals,
        tuple(AreaPair(*pair, p) for pair, p in zip(pairs, corrected, strict=True)),
        level,
        curves,
        counted.positives / (counted.positives + counted.negatives),
        binned,
    )


def _interval(value: float, variance: float, counted: CountedAreas, level: float) -> tuple[float, float]:
    """Wilson's interval by spread, as of `evaluate`, with DeLong's variance in place of the bootstrap's."""
    fewest = min(counted.positives, counted.negatives)
    # The bootstrap's variance divides by the number of examples, DeLong's by one less.
    spread = math.sqrt(variance * (fewest - 1) / fewest)
    trials = area_trials(value, counted.positives, counted.negatives)
    low, high = wilson_by_spread(value, spread, 0.0, fewest, level, model_trials=trials)
    return float(low), float(high)


def refuse_single_column(number: int) -> None:
    """Refuse to compare the scores of one model."""
    if number < 2:
        raise InputError(
            "a comparison of rankings needs scores",
            found=f"{number} column",
            allowed="scores of at least 2 models",
        )
