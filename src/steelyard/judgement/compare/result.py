"""Result of a comparison: values, paired differences and ranks of models on the same examples."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import partial
from typing import TYPE_CHECKING, Annotated, Any, ClassVar

from steelyard.counts.confusion import Confusion
from steelyard.counts.joint import JointCounts
from steelyard.counts.labels import Label
from steelyard.errors import InputError, UnknownNameError
from steelyard.judgement.compare.dataset_result import DatasetComparison
from steelyard.judgement.compare.disagreement import ClassGain, Disagreement
from steelyard.judgement.compare.options import Options
from steelyard.judgement.compare.ranges import CostRange, PriorsRange
from steelyard.judgement.compare.score_comparison import CrossFitting, ScoreMetric, ScoreValue
from steelyard.judgement.label_errors import Fragility
from steelyard.measures.catalogue import measure as look_up
from steelyard.measures.costs import Costs
from steelyard.measures.kinship import Kinship
from steelyard.measures.measure import Measure
from steelyard.report import records
from steelyard.report.presented import Presented
from steelyard.scores.delong import AreaComparison
from steelyard.scores.fields import TEXT, MeasureName
from steelyard.uncertainty.differences import Difference, McNemar, detectable_difference

if TYPE_CHECKING:
    from steelyard.report.sections import Finding


@dataclass(frozen=True)
class MetricValue(ScoreValue):
    """A metric of one model with its confidence interval, or why it has none."""

    undefined_because: str | None = None


@dataclass(frozen=True)
class PairedDifference(records.Record):
    """A metric's difference between two models, with the p-value corrected for the number of pairs."""

    difference: Difference
    holm_p_value: records.Value | None


@dataclass(frozen=True)
class Pair(records.Record):
    """Two models on the same examples; every difference is the first minus the second."""

    first: str
    second: str
    differences: Annotated[Mapping[str, Difference], records.HIDDEN]
    holm_p_values: Annotated[Mapping[str, float | None], records.HIDDEN]
    """Corrected for the number of pairs, metric by metric."""
    mcnemar: McNemar | None
    """Of accuracy; None for an audit sample."""
    gains: Annotated[tuple[ClassGain, ...], records.Json("classes")]
    exchangeability_p_value: records.Value | None = None
    """Permutation test of the hypothesis that the models are alike in every respect, by the primary metric;
    None over folds."""

    @property
    @records.in_json()
    def measures(self) -> Mapping[str, PairedDifference]:
        return {
            name: PairedDifference(difference, self.holm_p_values[name])
            for name, difference in self.differences.items()
        }

    def __getitem__(self, measure: str | Measure) -> Difference:
        return self.differences[look_up(measure).name]

    def is_significant(self, measure: Measure, level: float) -> bool:
        """Does the interval exclude 0, and is the p-value corrected for the number of pairs (Holm) below
        1 - level? The same p-value decides which models are not distinguished."""
        gap, corrected = self.differences[measure.name], self.holm_p_values[measure.name]
        # One pair has nothing to correct: its interval alone decides.
        return gap.is_clear and (corrected is None or corrected == gap.p_value or corrected < 1 - level)

    def winner(self, measure: Measure, level: float) -> str | None:
        """The model that is significantly better by this metric."""
        if not self.is_significant(measure, level):
            return None
        is_first = (self.differences[measure.name].value > 0) == (measure.better != "lower")
        return self.first if is_first else self.second


@dataclass(frozen=True)
class Ranked(records.Record):
    """A model's rank by the primary metric."""

    model: str
    value: records.Value
    probability_best: records.Value
    mean_rank: records.Value
    rank_low: records.Value
    rank_high: records.Value


@dataclass(frozen=True)
class RowCosts(records.Record):
    """The per-row costs by which models were ranked."""

    costs: Annotated[Costs, records.Json(write=lambda costs: costs.words, schema=TEXT)]
    average: Annotated[Costs, records.Json("at_mean_amounts", write=lambda costs: costs.words, schema=TEXT)]
    """The same at the mean cost of each true class."""
    rows_apart: int
    """The fewest rows that two models classify differently and of which one decision costs what the column
    says."""
    notes: tuple[str, ...] = ()
    """What the intervals of models rest on, where that is little."""

    column = records.derived(str, lambda self: str(self.costs.column))


@dataclass(frozen=True)
class ClassSize(records.Record):
    """Examples of a class."""

    label: records.AnyLabel
    examples: int


@dataclass(frozen=True, repr=False)
class Comparison(records.Record, Presented):
    """Comparison of models on the same examples."""

    SCHEMA: ClassVar[str] = "steelyard/compare/1"
    level: float
    draws: int
    seed: int
    method: str
    design: str
    assumed: str
    prior: str | None
    rope: records.Value | None
    missing_left_out: int
    folds: int | None
    clusters: Annotated[int | None, records.Json("groups")]
    positive: records.AnyLabel | None
    decides_because: str | None
    models: tuple[str, ...]
    labels: Annotated[tuple[Label, ...], records.HIDDEN]
    actual: Annotated[tuple[int, ...], records.HIDDEN]
    by: MeasureName
    measures: Annotated[tuple[Measure, ...], records.HIDDEN]
    values: Mapping[str, Mapping[str, MetricValue]]
    """By model, then by the metric's name."""
    best: Mapping[str, tuple[str, ...]]
    """By metric: the model or models with the best value."""
    pairs: tuple[Pair, ...]
    ranking: tuple[Ranked, ...]
    groups: Annotated[tuple[tuple[str, ...], ...], records.Json("not_told_apart")]
    """Neighbours in the ranking without a significant difference (corrected for multiple comparisons)."""
    disagreements: tuple[Disagreement, ...]
    kinships: Annotated[tuple[Kinship, ...], records.Json("cannot_disagree")]
    notes: tuple[str, ...]
    matrices: Annotated[Mapping[str, Confusion], records.HIDDEN]
    """The confusion matrix of each model."""
    areas: AreaComparison | None = None
    """Areas under the ROC curve, where scores were given."""
    score_metrics: tuple[ScoreMetric, ...] = ()
    """Other score metrics with their paired differences, where scores were given."""
    cross_fitting: CrossFitting | None = None
    """The thresholds that made labels of scores, where models were compared by scores alone."""
    over_shares: Annotated[PriorsRange | None, records.Json("priors_range")] = None
    """The models over a range of prevalences, where one was given."""
    over_costs: Annotated[CostRange | None, records.Json("cost_range")] = None
    """The models over a range of costs, where costs were given."""
    fragility: Fragility | None = None
    """How few wrong labels would reverse the order of the two best models."""
    labelled_rows: int | None = None
    """Rows of an audit sample; classes and matrices are then those estimated for the pool."""
    row_costs: RowCosts | None = None
    """The models by per-row costs, where a column holds them."""
    options: Annotated[Options | None, records.HIDDEN] = None
    """What was asked, so that the report can say the command."""
    joint: Annotated[JointCounts | None, records.HIDDEN] = field(default=None, compare=False)
    """The joint counts of two models, so that a page can draw their difference again."""

    @property
    @records.in_json()
    def classes(self) -> tuple[ClassSize, ...]:
        return tuple(ClassSize(label, n) for label, n in zip(self.labels, self.actual, strict=True))

    @property
    @records.in_json()
    def minimum_detectable_difference(self) -> records.Value:
        """The smallest true difference of the two best models by the primary metric that a test set like this
        one shows with power 0.8."""
        ranked = [row.model for row in self.ranking if not math.isnan(row.value)]
        if len(ranked) < 2:
            return math.nan
        gap = self.pair(ranked[0], ranked[1]).differences[self.by.name]
        return detectable_difference((gap.high - gap.low) / 2, self.level)

    @property
    def findings(self) -> tuple[Finding, ...]:
        """What a reader should know, the most harmful first, each with what to do next."""
        findings: tuple[Finding, ...] = self._beside("notes").find(self)
        return findings

    def pair(self, first: str, second: str) -> Pair:
        """The comparison of two models, in the order in which they were given."""
        for name in (first, second):
            if name not in self.models:
                raise UnknownNameError("model", name, self.models)
        for pair in self.pairs:
            if {pair.first, pair.second} == {first, second}:
                return pair
        raise InputError(
            "a model is not compared with itself", found=repr(first), allowed="two different models"
        )

    def difference(self, measure: str | Measure, first: str, second: str) -> tuple[float, float, float]:
        """The first model's value less the second's with its interval, in whichever order they were given."""
        pair = self.pair(first, second)
        gap, sign = pair[measure], 1 if pair.first == first else -1
        low, high = sorted((sign * gap.low + 0.0, sign * gap.high + 0.0))
        return sign * gap.value + 0.0, low, high

    def table(self) -> list[dict[str, Any]]:
        """A row for each model and metric."""
        return [
            {"model": model, "measure": name, **value.to_dict()}
            for model, row in self.values.items()
            for name, value in row.items()
        ]

    @property
    def positive_label(self) -> Label | None:
        """The positive class of two: the one that was named, otherwise by convention; None of several."""
        return self.class_of_metrics if len(self.labels) == 2 else None

    @property
    def class_of_metrics(self) -> Label | None:
        """The class that metrics of two classes take for positive: of several the one that was named."""
        named = [label for label in self.labels if str(label) == str(self.positive)]
        if self.positive is not None and named:
            return named[0]
        return None if len(self.labels) > 2 else next(iter(self.matrices.values())).positive_class().label

    @property
    def class_in_question(self) -> int:
        """The class whose detections are counted: the positive one, the rarest of many."""
        if (label := self.class_of_metrics) is not None:
            return self.labels.index(label)
        return min((k for k, n in enumerate(self.actual) if n), key=lambda k: self.actual[k])


_TITLE = "Comparison of models on the same examples; the second form over data sets, with --dataset"
json_schema = partial(records.document, Comparison, _TITLE, DatasetComparison)
