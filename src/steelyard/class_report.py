"""How is each single class told from the others?"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

from steelyard.columns import Label
from steelyard.confusion import Confusion, plain_label
from steelyard.measures.catalogue import measure
from steelyard.uncertainty.rates import wilson
from steelyard.weighing import number_or_none


@dataclass(frozen=True)
class ClassReport:
    """One class against the others."""

    label: Label
    support: float
    predicted: float
    recall: float
    precision: float
    f1: float
    balanced_precision: float
    """Precision if all classes were equally frequent."""
    taken_for: tuple[tuple[Label, float], ...]
    """What its examples were most often mistaken for."""
    recall_interval: tuple[float, float] | None = None
    precision_interval: tuple[float, float] | None = None

    def to_dict(self) -> dict[str, Any]:
        values = {name: number_or_none(getattr(self, name)) for name in ("recall", "precision", "f1", "balanced_precision")}
        return {
            "label": plain_label(self.label),
            "support": self.support,
            "predicted": self.predicted,
            **values,
            "recall_interval": self.recall_interval,
            "precision_interval": self.precision_interval,
            "taken_for": [{"label": plain_label(label), "count": count} for label, count in self.taken_for],
        }


def class_reports(matrix: Confusion, level: float | None) -> tuple[ClassReport, ...]:
    """Each class, with Wilson's interval for its rates where a level is given."""
    return tuple(_class_report(matrix, i, level) for i in range(matrix.n_classes))


def _class_report(matrix: Confusion, i: int, level: float | None) -> ClassReport:
    label, hits = matrix.labels[i], matrix.hits[i].item()
    support, predicted = matrix.actual[i].item(), matrix.predicted[i].item()
    row = matrix.counts[i].tolist()
    mistakes = sorted(((matrix.labels[j], count) for j, count in enumerate(row) if j != i and count > 0), key=lambda pair: -pair[1])
    against = matrix.one_vs_rest(label) if matrix.n_classes > 1 else None
    recall, precision, f1 = (
        measure(name)(against, positive=label) if against is not None else math.nan for name in ("recall", "precision", "f_beta")
    )
    return ClassReport(
        label=label,
        support=support,
        predicted=predicted,
        recall=recall,
        precision=precision,
        f1=f1,
        balanced_precision=_balanced_precision(matrix, i),
        taken_for=tuple(mistakes[:3]),
        recall_interval=wilson(hits, support, level) if level is not None and support else None,
        precision_interval=wilson(hits, predicted, level) if level is not None and predicted else None,
    )


def _balanced_precision(matrix: Confusion, i: int) -> float:
    """r_i / sum_j m_ji / t_j: the precision part of mullick2020's Eq. 25 for class i."""
    if (matrix.actual == 0).any():
        return math.nan
    rates = (matrix.counts[:, i] / matrix.actual).tolist()
    return rates[i] / sum(rates) if sum(rates) else math.nan
