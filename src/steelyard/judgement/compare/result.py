"""What is known of several models that saw the same examples: the result of a comparison, as plain data."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from steelyard.counts.confusion import Confusion
from steelyard.counts.labels import Label
from steelyard.counts.plain import plain_fields, plain_label
from steelyard.errors import InputError, UnknownNameError
from steelyard.judgement.compare.cost_range import CostRange
from steelyard.judgement.compare.disagreement import ClassGain, Disagreement
from steelyard.judgement.compare.priors_range import PriorsRange
from steelyard.judgement.compare.row_costs import RowCostComparison
from steelyard.measures.catalogue import measure as look_up
from steelyard.measures.kinship import Kinship
from steelyard.measures.measure import Measure
from steelyard.report.presented import Presented
from steelyard.report.sections import Report
from steelyard.scores.area_comparison import AreaComparison
from steelyard.uncertainty.differences import Difference
from steelyard.uncertainty.paired_comparison import McNemar

if TYPE_CHECKING:
    from steelyard.report.chart import Chart

SCHEMA = "steelyard/compare/1"


@dataclass(frozen=True)
class Value:
    """One measure of one model."""

    value: float
    low: float
    high: float
    undefined_because: str | None = None

    def to_dict(self) -> dict[str, Any]:
        return plain_fields(self)


@dataclass(frozen=True)
class Pair:
    """Two models on the same examples; every difference is the first less the second."""

    first: str
    second: str
    differences: Mapping[str, Difference]
    holm_p_values: Mapping[str, float | None]
    """Corrected for the number of pairs, measure by measure."""
    mcnemar: McNemar
    """Of accuracy."""
    gains: tuple[ClassGain, ...]
    exchangeability_p_value: float | None = None
    """Of the hypothesis that the models are alike in every respect, by swapping their predictions, judged by
    the deciding measure; None over folds."""

    def __getitem__(self, measure: str | Measure) -> Difference:
        return self.differences[look_up(measure).name]

    def to_dict(self) -> dict[str, Any]:
        return {
            "first": self.first,
            "second": self.second,
            "measures": {
                name: {"difference": found.to_dict(), "holm_p_value": self.holm_p_values[name]}
                for name, found in self.differences.items()
            },
            "mcnemar": self.mcnemar.to_dict(),
            "classes": [gain.to_dict() for gain in self.gains],
            "exchangeability_p_value": self.exchangeability_p_value,
        }


@dataclass(frozen=True)
class Ranked:
    """One model's place by the deciding measure."""

    model: str
    value: float
    probability_best: float
    mean_rank: float
    rank_low: float
    rank_high: float

    def to_dict(self) -> dict[str, Any]:
        return plain_fields(self)


@dataclass(frozen=True, repr=False)
class Comparison(Presented):
    """What several models are worth on the same examples."""

    models: tuple[str, ...]
    labels: tuple[Label, ...]
    actual: tuple[int, ...]
    by: Measure
    measures: tuple[Measure, ...]
    values: Mapping[str, Mapping[str, Value]]
    """By model, then by the measure's name."""
    best: Mapping[str, tuple[str, ...]]
    """By measure: the model or models with the best value."""
    pairs: tuple[Pair, ...]
    ranking: tuple[Ranked, ...]
    groups: tuple[tuple[str, ...], ...]
    """Neighbours in the ranking that the deciding measure cannot tell apart (corrected for multiple
    comparisons)."""
    disagreements: tuple[Disagreement, ...]
    kinships: tuple[Kinship, ...]
    settings: Mapping[str, Any]
    notes: tuple[str, ...] = ()
    areas: AreaComparison | None = None
    """Areas under the ROC curve, where scores were given."""
    matrices: Mapping[str, Confusion] = field(default_factory=dict)
    """The confusion matrix of each model."""
    over_shares: PriorsRange | None = None
    """The models over a range of shares of a class, where one was given."""
    over_costs: CostRange | None = None
    """The models over a range of costs, where costs were given."""
    row_costs: RowCostComparison | None = None
    """The models by what each row costs, where a column says that."""

    def report(self) -> Report:
        from steelyard.judgement.compare.sections import comparison_report

        return comparison_report(self)

    def pair(self, first: str, second: str) -> Pair:
        """The comparison of two models, in the order in which they were given."""
        for name in (first, second):
            if name not in self.models:
                raise UnknownNameError("model", name, self.models)
        for found in self.pairs:
            if {found.first, found.second} == {first, second}:
                return found
        raise InputError(
            "a model is not compared with itself", found=repr(first), allowed="two different models"
        )

    def to_dict(self) -> dict[str, Any]:
        """Plain data, ready for JSON."""
        return {
            "schema": SCHEMA,
            **self.settings,
            "models": list(self.models),
            "classes": [
                {"label": plain_label(label), "examples": n}
                for label, n in zip(self.labels, self.actual, strict=True)
            ],
            "by": self.by.name,
            "values": {
                model: {name: value.to_dict() for name, value in row.items()}
                for model, row in self.values.items()
            },
            "best": {name: list(models) for name, models in self.best.items()},
            "pairs": [pair.to_dict() for pair in self.pairs],
            "ranking": [ranked.to_dict() for ranked in self.ranking],
            "not_told_apart": [list(group) for group in self.groups],
            "disagreements": [found.to_dict() for found in self.disagreements],
            "cannot_disagree": [found.to_dict() for found in self.kinships],
            "areas": None if self.areas is None else self.areas.to_dict(),
            "priors_range": None if self.over_shares is None else self.over_shares.to_dict(),
            "cost_range": None if self.over_costs is None else self.over_costs.to_dict(),
            "row_costs": None if self.row_costs is None else self.row_costs.to_dict(),
            "notes": list(self.notes),
        }

    def charts(self) -> Mapping[str, Callable[[], Chart]]:
        """The charts by name: "ranking" by the primary metric, "values" of every metric, "differences" of the
        first two."""
        from steelyard.judgement.compare.figures import charts

        return charts(self)

    def table(self) -> list[dict[str, Any]]:
        """A row for each model and measure."""
        return [
            {"model": model, "measure": name, **value.to_dict()}
            for model, row in self.values.items()
            for name, value in row.items()
        ]
