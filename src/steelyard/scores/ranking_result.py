"""Result of evaluating scores: metrics, curves with bands, the operating point, the threshold sweep."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Annotated, Any

from steelyard.counts.labels import Array, Label, number_or_none, plain_label
from steelyard.report.records import HIDDEN, Amount, AnyLabel, Json, Record, Schema, Value, plain, schema_of
from steelyard.scores import fields
from steelyard.scores.calibration_evaluation import ProbabilityReport
from steelyard.scores.fields import NUMBER, Defined, OfMeasure, many, or_none, record
from steelyard.scores.predicted_labels import ThresholdChoice
from steelyard.scores.score_bootstrap import Band, Bounds
from steelyard.scores.top_k import CapacityReport


@dataclass(frozen=True)
class RankingMeasure(OfMeasure):
    """A measure of scores as observed, on balanced classes and at the user's priors."""

    value: Defined
    balanced: Defined
    at_priors: Defined | None
    low: Defined = math.nan
    high: Defined = math.nan
    why_undefined: Annotated[str | None, Json("undefined_because")] = None
    # The least and the greatest value that scores counted in bins allow; None where scores are exact.
    bounds: Annotated[Bounds | None, Json(schema=or_none(schema_of(fields.Pair)))] = None


@dataclass(frozen=True, eq=False)
class Curve:
    """A curve with its band, where there is one."""

    name: str
    x: Array
    y: Array
    thresholds: Array
    band: Band | None = None
    # The share of positives a precision-recall curve is told for.
    prior: float | None = None

    def to_dict(self, x: str, y: str) -> dict[str, Any]:
        """Plain data, with these names for the axes."""
        points = {"name": self.name, "prior": self.prior, x: self.x, y: self.y}
        written: dict[str, Any] = plain({**points, "thresholds": self.thresholds, "band": self.band})
        return written


def _curve(x: str, y: str) -> Schema:
    """A curve with its band, which stands on a grid of its own."""
    points = {"prior": {"type": ["number", "null"]}, x: many(NUMBER), y: many(NUMBER)}
    thresholds, band = many(fields.AMOUNT), or_none(schema_of(Band))
    return record(name=fields.TEXT, **points, thresholds=thresholds, band=band)


@dataclass(frozen=True)
class OperatingPoint(Record):
    """Where the labels that were evaluated stand on the curves."""

    tpr: Defined
    fpr: Defined
    # None where predictions were given.
    threshold: Amount | None
    # The threshold whose labels the given predictions are; None where they are those of none.
    implied: Annotated[float | None, Json("implied_threshold")] = None

    @property
    def in_use(self) -> float | None:
        """The threshold, or the one that the labels stand for."""
        return self.implied if self.threshold is None else self.threshold

    def precision(self, prior: float) -> float:
        """The precision at a share of positives."""
        right, wrong = prior * self.tpr, (1 - prior) * self.fpr
        return right / (right + wrong) if right + wrong > 0 else math.nan


@dataclass(frozen=True, eq=False)
class MeasureSweep(Record):
    """Measures of matrices against the threshold, falling."""

    thresholds: fields.Numbers
    # The share of the rows that are called at each threshold.
    alerts: Annotated[Array, HIDDEN]
    lines: Annotated[
        dict[str, Array],
        Json(
            write=lambda lines: {k: list(map(number_or_none, v.tolist())) for k, v in lines.items()},
            schema={"type": "object", "additionalProperties": many(fields.VALUE)},
        ),
    ]
    # The measure the threshold was chosen by.
    chosen_by: str | None


@dataclass(frozen=True, eq=False)
class ClassRanking(Record):
    """One class against all others by its own score."""

    label: AnyLabel
    examples: float
    measures: tuple[RankingMeasure, ...]
    # None where the class, or all others together, have no examples; so are the following.
    roc: Annotated[
        Curve | None,
        Json(
            write=lambda curve: None if curve is None else curve.to_dict("fpr", "tpr"),
            schema=or_none(_curve("fpr", "tpr")),
        ),
    ]
    precision_recall: Annotated[
        tuple[Curve, ...],
        Json(
            write=lambda curves: [curve.to_dict("recall", "precision") for curve in curves],
            schema=many(_curve("recall", "precision")),
        ),
    ]
    operating_point: OperatingPoint | None
    sweep: MeasureSweep | None
    # Of the only class that is ranked.
    capacity: CapacityReport | None = None


@dataclass(frozen=True, eq=False)
class RankingReport(Record):
    """What is said about the scores of one classifier."""

    scores: fields.Scores
    choice: Annotated[ThresholdChoice | None, Json("threshold")]
    # Of all classes together; empty for one column of scores.
    measures: tuple[RankingMeasure, ...]
    classes: tuple[ClassRanking, ...]
    priors_given: Annotated[bool, HIDDEN]
    # The level of intervals and bands; None where there are none.
    level: float | None
    replicates: int
    notes: Annotated[tuple[str, ...], HIDDEN]
    # Bins of scores that were resampled; None where every score was.
    bins: int | None = None
    # How far the bins move an area under the ROC curve, at most.
    area_error: Value | None = None
    # Of one column of scores that are probabilities.
    probabilities: ProbabilityReport | None = None
    # Of a column for each class, where rows hold probabilities: each class with curves against the rest.
    class_probabilities: Annotated[
        tuple[tuple[Label, ProbabilityReport], ...],
        Json(
            write=lambda reports: [{"label": plain_label(k), **r.to_dict()} for k, r in reports],
            schema=many(record(label=fields.LABEL, **schema_of(ProbabilityReport)["properties"])),
        ),
    ] = ()
