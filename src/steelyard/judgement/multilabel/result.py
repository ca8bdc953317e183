"""Result of a multi-label evaluation: each label, and their averages."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Annotated, Any, ClassVar, Final

from steelyard._version import __version__
from steelyard.counts.confusion import Confusion
from steelyard.counts.label_sets import LabelSets
from steelyard.judgement.fields import NUMBER, many
from steelyard.measures.measure import Measure
from steelyard.report.presented import Presented
from steelyard.report.records import HIDDEN, Json, Record, Schema, document, in_json
from steelyard.report.records import Value as Number
from steelyard.report.sections import Report

WORDS: Final = {
    "macro": "the mean over labels",
    "weighted": "the mean over labels, each counting as often as it occurs",
    "micro": "all answers of all labels together",
    "samples": "the mean over rows",
}


@dataclass(frozen=True)
class Value(Record):
    """A value with its interval, or why there is none."""

    value: Number
    low: Number = math.nan
    high: Number = math.nan
    why_undefined: Annotated[str | None, Json("undefined_because")] = None


@dataclass(frozen=True, eq=False)
class LabelReport(Record):
    """One label against its absence."""

    label: str
    matrix: Annotated[Confusion, Json(write=lambda matrix: matrix.counts.tolist(), schema=many(many(NUMBER)))]
    values: Annotated[dict[str, Value], Json("measures")]

    @property
    @in_json()
    def examples(self) -> int:
        return int(self.matrix.counts[0].sum())

    @property
    @in_json()
    def predicted(self) -> int:
        return int(self.matrix.counts[:, 0].sum())


@dataclass(frozen=True, repr=False, eq=False)
class MultilabelEvaluation(Record, Presented):
    """What is said of a classifier that gives each row any number of labels.

    >>> import steelyard as sy
    >>> found = sy.evaluate_multilabel([[1, 0], [1, 1], [0, 0]], [[1, 0], [0, 1], [0, 1]], undefined=0)
    >>> round(found.subset_accuracy.value, 3), round(found.hamming_loss.value, 3)
    (0.333, 0.333)
    >>> round(found.averages["macro"]["recall"].value, 3)
    0.75
    """

    SCHEMA: ClassVar[str] = "steelyard/multilabel/1"
    source: str
    sets: Annotated[LabelSets, HIDDEN]
    measures: Annotated[tuple[Measure, ...], HIDDEN]
    labels: tuple[LabelReport, ...]
    averages: dict[str, dict[str, Value]]
    """By the kind of average, then by the name of the measure."""
    subset_accuracy: Value
    """Share of rows with every label correct."""
    hamming_loss: Value
    """Share of wrong labels."""
    level: float
    replicates: int
    notes: tuple[str, ...]

    @property
    @in_json()
    def steelyard(self) -> str:
        return __version__

    @property
    @in_json()
    def rows(self) -> int:
        return self.sets.n_rows

    @property
    @in_json()
    def rows_left_out(self) -> int:
        return self.sets.dropped

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
        from steelyard.judgement.multilabel.sections import multilabel_report

        return multilabel_report(self)


def json_schema() -> Schema:
    """The JSON schema of `steelyard multilabel --json`."""
    return document(MultilabelEvaluation, "A classifier that gives each row any number of labels")
