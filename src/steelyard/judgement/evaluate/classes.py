"""Per-class results: recall, precision and F1 of each class against the rest, and its usual confusions."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Annotated

import numpy as np

from steelyard.counts.confusion import Confusion
from steelyard.counts.labels import Label
from steelyard.counts.plain import plain_label
from steelyard.report.records import AnyLabel, Json, Record, Value, in_json
from steelyard.scores.fields import LABEL, NUMBER, many, record
from steelyard.uncertainty.intervals import Interval

_CONFUSED_WITH = Json(
    write=lambda pairs: [{"label": plain_label(label), "count": count} for label, count in pairs],
    schema=many(record(label=LABEL, count=NUMBER)),
)


@dataclass(frozen=True)
class ClassReport(Record):
    """One class against the others."""

    label: AnyLabel
    support: float
    predicted: float
    recall: Value
    precision: Value
    f1: Value
    balanced_precision: Value
    """Precision if all classes were equally frequent."""
    taken_for: Annotated[tuple[tuple[Label, float], ...], _CONFUSED_WITH]
    """What its examples were most often mistaken for."""
    recall_interval: tuple[float, float] | None = None
    precision_interval: tuple[float, float] | None = None

    @property
    @in_json("undefined_because")
    def why_undefined(self) -> str | None:
        """Which of its values have no denominator, and why; None where all are defined."""
        undefined = [
            name
            for name in ("recall", "precision", "f1", "balanced_precision")
            if math.isnan(getattr(self, name))
        ]
        if not undefined:
            return None
        if not self.support:
            return (
                "the class has no examples"
                if self.predicted
                else "the class has neither examples nor predictions"
            )
        return (
            "the class is never predicted"
            if not self.predicted
            else "balanced precision needs examples of every class"
        )


def class_reports(
    matrix: Confusion, sure_of: Callable[[Label], Mapping[str, Interval]] | None
) -> tuple[ClassReport, ...]:
    """Each class, with the intervals of its recall and precision where it is said how to find them."""
    actual, predicted, hits = matrix.actual.tolist(), matrix.predicted.tolist(), matrix.hits.tolist()
    alike = _balanced_precisions(matrix)
    rows = []
    for i, label in enumerate(matrix.labels):
        row = matrix.counts[i]
        held = np.flatnonzero(row > 0)  # of thousands of classes, a class is taken for a few
        held = held[held != i]
        most = held[np.argsort(-row[held], kind="stable")[:3]].tolist()
        sure = {} if sure_of is None or not (actual[i] or predicted[i]) else _ends(sure_of(label))
        rows.append(
            ClassReport(
                label=label,
                support=actual[i],
                predicted=predicted[i],
                recall=_ratio(hits[i], actual[i]),
                precision=_ratio(hits[i], predicted[i]),
                f1=_ratio(2 * hits[i], actual[i] + predicted[i]),
                balanced_precision=alike[i],
                taken_for=tuple((matrix.labels[j], row[j].item()) for j in most),
                recall_interval=sure.get("recall"),
                precision_interval=sure.get("precision"),
            )
        )
    return tuple(rows)


def _ends(found: Mapping[str, Interval]) -> dict[str, tuple[float, float]]:
    return {name: (one.low, one.high) for name, one in found.items() if not math.isnan(one.low)}


def _ratio(part: float, whole: float) -> float:
    return part / whole if whole else math.nan


def _balanced_precisions(matrix: Confusion) -> list[float]:
    """r_i / sum_j m_ji / t_j for every class i: the precision part of mullick2020's Eq. 25."""
    if (matrix.actual == 0).any():
        return [math.nan] * matrix.n_classes
    if matrix.is_large:  # a matrix of rates beside that of counts would be as large again
        places = matrix.held.places
        whole = places.sums(matrix.held.values / matrix.actual[places.rows], axis=0)
        rates = matrix.hits / matrix.actual
    else:
        shares = matrix.counts / matrix.actual[:, None]
        whole, rates = shares.sum(axis=0), np.diagonal(shares)
    return [_ratio(rate, all_) for rate, all_ in zip(rates.tolist(), whole.tolist(), strict=True)]
