"""Result of a comparison over data sets: ranks, tests, and the expected difference on a new data set."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Annotated, Any, ClassVar

import numpy as np

from steelyard.errors import UnknownNameError
from steelyard.judgement.compare.dataset_inputs import Kind
from steelyard.measures.measure import Measure
from steelyard.measures.names import short_name
from steelyard.report.presented import Presented
from steelyard.report.records import HIDDEN, Json, Record, Value, derived, in_json
from steelyard.uncertainty.differences import quantiles
from steelyard.uncertainty.rank_tests import ExpectedDifference, Friedman, SignedRank


@dataclass(frozen=True)
class DatasetPair(Record):
    """Two models over the data sets, the better mean rank first; differences are the first minus the second,
    better is positive."""

    first: str
    second: str
    wins: int
    ties: int
    losses: int
    mean_difference: float
    median_difference: float
    nemenyi_p_value: float
    wilcoxon_p_value: float
    holm_p_value: float
    """Wilcoxon's, corrected for the number of pairs."""
    signed_rank: SignedRank
    """Bayesian signed-rank test."""
    expected: ExpectedDifference | None
    """Hierarchical model on counts: the difference on a new data set; None where only scores are known."""


@dataclass(frozen=True)
class LeftOut(Record):
    """A data set that a metric's tests leave out for all models, and why."""

    dataset: str
    reason: str


@dataclass(frozen=True)
class ValueInterval(Record):
    """The confidence interval of a model's value on one data set."""

    low: Value
    high: Value


@dataclass(frozen=True)
class MetricRanks(Record):
    """A metric of every model over the data sets."""

    measure: Annotated[Measure | None, HIDDEN]
    """None where scores of a metric without a name were given."""
    values: Mapping[str, Mapping[str, Value]]
    """By data set, then by model; undefined where there is none."""
    datasets: int
    """Data sets in the tests."""
    left_out: tuple[LeftOut, ...]
    mean_ranks: Mapping[str, float]
    """The best first."""
    mean_values: Mapping[str, float]
    friedman: Friedman | None
    critical_difference: Value
    """Nemenyi's, of mean ranks."""
    nemenyi_groups: tuple[tuple[str, ...], ...]
    """Models without a significant difference of mean ranks."""
    groups: tuple[tuple[str, ...], ...]
    """Neighbours in mean rank without a significant difference by Wilcoxon-Holm."""
    pairs: tuple[DatasetPair, ...]
    intervals: Mapping[str, Mapping[str, ValueInterval]] | None = None
    """By data set, then by model, where counts are known: of the primary metric and of those named."""

    name = derived(str, lambda self: "score" if self.measure is None else self.measure.name)
    title = derived(str, lambda self: "score" if self.measure is None else short_name(self.measure))
    lower_is_better = derived(bool, lambda self: self.measure is not None and self.measure.better == "lower")
    # The model with the best mean rank.
    best = derived(str, lambda self: next(iter(self.mean_ranks)))

    def pair(self, first: str, second: str) -> DatasetPair:
        return next(pair for pair in self.pairs if {pair.first, pair.second} == {first, second})


@dataclass(frozen=True, repr=False)
class DatasetComparison(Record, Presented):
    """Comparison of models over data sets."""

    SCHEMA: ClassVar[str] = "steelyard/compare-datasets/1"
    level: float
    rope: float
    given: Annotated[Kind, Json("input")]
    datasets: tuple[str, ...]
    models: tuple[str, ...]
    seeds: int | None
    by: str
    metrics: Mapping[str, MetricRanks]
    """By the metric's name; the primary metric first."""
    missing_left_out: int
    notes: tuple[str, ...]

    def __getitem__(self, metric: str) -> MetricRanks:
        if metric not in self.metrics:
            raise UnknownNameError("metric", metric, self.metrics)
        return self.metrics[metric]

    @property
    def primary(self) -> MetricRanks:
        return self.metrics[self.by]

    # The model with the best mean rank by each metric.
    winners = derived(
        Mapping[str, str], lambda self: {name: ranks.best for name, ranks in self.metrics.items()}
    )

    @property
    @in_json()
    def minimum_detectable_difference(self) -> Value:
        """The smallest true mean difference of the two best models by the primary metric that so many data
        sets show with power 0.8; normal approximation, before correction for several pairs."""
        best, second, *_ = self.primary.mean_ranks
        gaps = np.array([row[best] - row[second] for row in self.primary.values.values()])
        gaps = gaps[~np.isnan([list(row.values()) for row in self.primary.values.values()]).any(axis=1)]
        if len(gaps) < 2:
            return math.nan
        return quantiles(self.level, 0.8) * float(np.std(gaps, ddof=1)) / math.sqrt(len(gaps))

    def table(self) -> list[dict[str, Any]]:
        """A row for each metric, data set and model."""
        return [
            {"measure": name, "dataset": dataset, "model": model, "value": value}
            for name, ranks in self.metrics.items()
            for dataset, row in ranks.values.items()
            for model, value in row.items()
        ]

    def to_latex(self, *, full: bool = False, metric: str | None = None) -> str:
        """The table of data sets and models with booktabs: best in bold, ties underlined, mean ranks below,
        with caption and label; with `full` a table for every metric."""
        names = list(self.metrics) if full else [metric or self.by]
        return "\n".join(self._beside("sections").latex_table(self, self[name]) for name in names)


def best_of(row: Mapping[str, float], lower_is_better: bool) -> tuple[str, ...]:
    """The model or models with the best value on a data set."""
    known = {model: value for model, value in row.items() if not math.isnan(value)}
    if not known:
        return ()
    top = min(known.values()) if lower_is_better else max(known.values())
    return tuple(model for model, value in known.items() if value == top)


def best_by(m: Measure, values: Mapping[str, float]) -> tuple[str, ...]:
    """The model or models with the best value of a metric; none where neither end is better."""
    return () if m.better == "neither" else best_of(values, m.better == "lower")
