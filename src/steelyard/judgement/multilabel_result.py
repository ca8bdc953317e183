"""What is said of a classifier that gives each row any number of labels? Each label, and their averages."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any, Final

from steelyard._version import __version__
from steelyard.counts.confusion import Confusion
from steelyard.counts.label_sets import LabelSets
from steelyard.counts.plain import number_or_none
from steelyard.measures.measure import Measure
from steelyard.report.presented import Presented
from steelyard.report.sections import Report

SCHEMA = "steelyard/multilabel/1"
WORDS: Final = {
    "macro": "the mean over labels",
    "weighted": "the mean over labels, each counting as often as it occurs",
    "micro": "all answers of all labels together",
    "samples": "the mean over rows",
}


@dataclass(frozen=True)
class Value:
    """A value with its interval, or why there is none."""

    value: float
    low: float = math.nan
    high: float = math.nan
    why_undefined: str | None = None

    def to_dict(self) -> dict[str, Any]:
        numbers = {"value": self.value, "low": self.low, "high": self.high}
        return {
            **{name: number_or_none(number) for name, number in numbers.items()},
            "undefined_because": self.why_undefined,
        }


@dataclass(frozen=True, eq=False)
class LabelReport:
    """One label against its absence."""

    label: str
    matrix: Confusion
    values: dict[str, Value]

    @property
    def examples(self) -> int:
        return int(self.matrix.counts[0].sum())

    @property
    def predicted(self) -> int:
        return int(self.matrix.counts[:, 0].sum())


@dataclass(frozen=True, repr=False, eq=False)
class MultilabelEvaluation(Presented):
    """What is said of a classifier that gives each row any number of labels.

    >>> import steelyard as sy
    >>> found = sy.evaluate_multilabel([[1, 0], [1, 1], [0, 0]], [[1, 0], [0, 1], [0, 1]], undefined=0)
    >>> round(found.subset_accuracy.value, 3), round(found.hamming_loss.value, 3)
    (0.333, 0.333)
    >>> round(found.averages["macro"]["recall"].value, 3)
    0.75
    """

    source: str
    sets: LabelSets
    measures: tuple[Measure, ...]
    labels: tuple[LabelReport, ...]
    averages: dict[str, dict[str, Value]]
    """By the kind of average, then by the name of the measure."""
    subset_accuracy: Value
    """How often are all labels of a row told right?"""
    hamming_loss: Value
    """How often is a label told wrong?"""
    level: float
    replicates: int
    notes: tuple[str, ...]

    def to_dict(self) -> dict[str, Any]:
        """Plain data as described by `steelyard.judgement.schemas.MULTILABEL`."""
        return {
            "schema": SCHEMA,
            "steelyard": __version__,
            "source": self.source,
            "rows": self.sets.n_rows,
            "rows_left_out": self.sets.dropped,
            "level": self.level,
            "replicates": self.replicates,
            "subset_accuracy": self.subset_accuracy.to_dict(),
            "hamming_loss": self.hamming_loss.to_dict(),
            "averages": {
                kind: {name: value.to_dict() for name, value in values.items()}
                for kind, values in self.averages.items()
            },
            "labels": [
                {
                    "label": one.label,
                    "examples": one.examples,
                    "predicted": one.predicted,
                    "matrix": one.matrix.counts.tolist(),
                    "measures": {name: value.to_dict() for name, value in one.values.items()},
                }
                for one in self.labels
            ],
            "notes": list(self.notes),
        }

    def table(self) -> list[dict[str, Any]]:
        """A row for each label and for each average."""
        rows: list[dict[str, Any]] = [
            {"id": one.label, "kind": "label", "examples": one.examples, "predicted": one.predicted}
            | {name: value.value for name, value in one.values.items()}
            for one in self.labels
        ]
        every = int(self.sets.by_label.counts[:, 0].sum()), int(self.sets.by_label.counts[..., 0].sum())
        rows += [
            {"id": kind, "kind": "average", "examples": every[0], "predicted": every[1]}
            | {name: value.value for name, value in values.items()}
            for kind, values in self.averages.items()
        ]
        return rows

    def report(self) -> Report:
        from steelyard.judgement.multilabel_sections import multilabel_report

        return multilabel_report(self)
