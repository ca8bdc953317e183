"""Result of evaluating scores: metrics, curves with bands, the operating point, the threshold sweep."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

from numpy.typing import NDArray

from steelyard.counts.labels import Label
from steelyard.counts.plain import number_or_none, plain_label
from steelyard.counts.score_counts import ScoreCounts
from steelyard.measures.measure import Measure
from steelyard.scores.bin_bounds import Bounds
from steelyard.scores.calibration_evaluation import ProbabilityReport
from steelyard.scores.score_bootstrap import Band
from steelyard.scores.threshold_choice import ThresholdChoice
from steelyard.scores.threshold_selection import threshold_as_json
from steelyard.scores.top_k import CapacityReport

Array = NDArray[Any]


@dataclass(frozen=True)
class RankingMeasure:
    """A measure of scores as observed, on balanced classes and at the user's priors."""

    measure: Measure
    value: float
    balanced: float
    at_priors: float | None
    low: float = math.nan
    high: float = math.nan
    why_undefined: str | None = None
    bounds: Bounds | None = None
    """The least and the greatest value that scores counted in bins allow; None where scores are exact."""

    def to_dict(self) -> dict[str, Any]:
        numbers = {
            "value": self.value,
            "low": self.low,
            "high": self.high,
            "balanced": self.balanced,
            "at_priors": self.at_priors,
        }
        plain = {name: number_or_none(value) for name, value in numbers.items()}
        return {
            "id": self.measure.name,
            "title": self.measure.title,
            **plain,
            "undefined_because": self.why_undefined,
            "bounds": None if self.bounds is None else list(self.bounds),
        }


@dataclass(frozen=True, eq=False)
class Curve:
    """A curve with its band, where there is one."""

    name: str
    x: Array
    y: Array
    thresholds: Array
    band: Band | None = None
    prior: float | None = None
    """The share of positives a precision-recall curve is told for."""

    def to_dict(self, x: str, y: str) -> dict[str, Any]:
        band = self.band
        return {
            "name": self.name,
            "prior": self.prior,
            x: self.x.tolist(),
            y: self.y.tolist(),
            "thresholds": [threshold_as_json(t) for t in self.thresholds.tolist()],
            "band": (
                None
                if band is None
                else {"at": band.at.tolist(), "low": band.low.tolist(), "high": band.high.tolist()}
            ),
        }


@dataclass(frozen=True)
class OperatingPoint:
    """Where the labels that were evaluated stand on the curves."""

    tpr: float
    fpr: float
    threshold: float | None
    """None where predictions were given."""
    implied: float | None = None
    """The threshold whose labels the given predictions are; None where they are those of none."""

    def precision(self, prior: float) -> float:
        """The precision at a share of positives."""
        right, wrong = prior * self.tpr, (1 - prior) * self.fpr
        return right / (right + wrong) if right + wrong > 0 else math.nan

    def to_dict(self) -> dict[str, Any]:
        threshold = None if self.threshold is None else threshold_as_json(self.threshold)
        return {
            "tpr": number_or_none(self.tpr),
            "fpr": number_or_none(self.fpr),
            "threshold": threshold,
            "implied_threshold": self.implied,
        }


@dataclass(frozen=True, eq=False)
class MeasureSweep:
    """Measures of matrices against the threshold, falling."""

    thresholds: Array
    alerts: Array
    """The share of the rows that are called at each threshold."""
    lines: dict[str, Array]
    chosen_by: str | None
    """The measure the threshold was chosen by."""

    def to_dict(self) -> dict[str, Any]:
        lines = {name: [number_or_none(v) for v in values.tolist()] for name, values in self.lines.items()}
        return {"thresholds": self.thresholds.tolist(), "lines": lines, "chosen_by": self.chosen_by}


@dataclass(frozen=True, eq=False)
class ClassRanking:
    """One class against all others by its own score."""

    label: Label
    examples: float
    measures: tuple[RankingMeasure, ...]
    roc: Curve | None
    """None where the class, or all others together, have no examples; so are the following."""
    precision_recall: tuple[Curve, ...]
    operating_point: OperatingPoint | None
    sweep: MeasureSweep | None
    capacity: CapacityReport | None = None
    """Of the only class that is ranked."""

    def to_dict(self) -> dict[str, Any]:
        return {
            "label": plain_label(self.label),
            "examples": self.examples,
            "measures": [m.to_dict() for m in self.measures],
            "roc": None if self.roc is None else self.roc.to_dict("fpr", "tpr"),
            "precision_recall": [curve.to_dict("recall", "precision") for curve in self.precision_recall],
            "operating_point": None if self.operating_point is None else self.operating_point.to_dict(),
            "sweep": None if self.sweep is None else self.sweep.to_dict(),
            "capacity": None if self.capacity is None else self.capacity.to_dict(),
        }


@dataclass(frozen=True, eq=False)
class RankingReport:
    """What is said about the scores of one classifier."""

    scores: ScoreCounts
    choice: ThresholdChoice | None
    measures: tuple[RankingMeasure, ...]
    """Of all classes together; empty for one column of scores."""
    classes: tuple[ClassRanking, ...]
    priors_given: bool
    level: float | None
    """The level of intervals and bands; None where there are none."""
    replicates: int
    notes: tuple[str, ...]
    bins: int | None = None
    """Bins of scores that were drawn again; None where every score was."""
    area_error: float | None = None
    """How far the bins move an area under the ROC curve, at most."""
    probabilities: ProbabilityReport | None = None
    """Of one column of scores that are probabilities."""
    class_probabilities: tuple[tuple[Label, ProbabilityReport], ...] = ()
    """Of a column for each class, where rows hold probabilities: each class with curves against the rest."""

    def to_dict(self) -> dict[str, Any]:
        return {
            "scores": self.scores.to_dict(),
            "threshold": None if self.choice is None else self.choice.to_dict(),
            "measures": [m.to_dict() for m in self.measures],
            "classes": [c.to_dict() for c in self.classes],
            "level": self.level,
            "replicates": self.replicates,
            "bins": self.bins,
            "area_error": self.area_error,
            "probabilities": None if self.probabilities is None else self.probabilities.to_dict(),
            "class_probabilities": [
                {"label": plain_label(label), **one.to_dict()} for label, one in self.class_probabilities
            ],
        }
