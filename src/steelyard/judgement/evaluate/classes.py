"""Classes of a test set: how frequent they are, the kind of imbalance, recall and precision of each."""

# The ratio of representatives is mullick2020's (Def. 2), the shapes are branco2017's: balanced,
# multi-minority (one class is much larger than the others), multi-majority (one is much smaller) or complete
# (several of both).

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Annotated, Literal

import numpy as np

from steelyard.counts.confusion import Confusion
from steelyard.counts.labels import Label
from steelyard.report.records import AnyLabel, Record, Value, in_json
from steelyard.scores.fields import by_label
from steelyard.uncertainty.intervals import Interval


@dataclass(frozen=True)
class ClassReport(Record):
    """One class against the others."""

    label: AnyLabel
    support: float
    predicted: float
    recall: Value
    precision: Value
    f1: Value
    # Precision if all classes were equally frequent.
    balanced_precision: Value
    # What its examples were most often mistaken for.
    taken_for: Annotated[tuple[tuple[Label, float], ...], by_label("count")]
    recall_interval: tuple[float, float] | None = None
    precision_interval: tuple[float, float] | None = None

    @property
    @in_json("undefined_because")
    def why_undefined(self) -> str | None:
        """Which of its values have no denominator, and why; None where all are defined."""
        values = (self.recall, self.precision, self.f1, self.balanced_precision)
        if not any(map(math.isnan, values)):
            return None
        if not self.support:
            missing = "no examples" if self.predicted else "neither examples nor predictions"
            return f"the class has {missing}"
        if not self.predicted:
            return "the class is never predicted"
        return "balanced precision needs examples of every class"


def class_reports(
    matrix: Confusion, sure_of: Callable[[Label], Mapping[str, Interval]] | None
) -> tuple[ClassReport, ...]:
    """Each class, with the intervals of its recall and precision where it is said how to find them."""
    actual, predicted, hits = matrix.actual.tolist(), matrix.predicted.tolist(), matrix.hits.tolist()
    alike = _balanced_precisions(matrix)
    rows = []
    for i, label in enumerate(matrix.labels):
        row = matrix.counts[i]
        taken_for = np.flatnonzero(row > 0)  # of thousands of classes, a class is taken for a few
        taken_for = taken_for[taken_for != i]
        most = taken_for[np.argsort(-row[taken_for], kind="stable")[:3]].tolist()
        intervals = {} if sure_of is None or not (actual[i] or predicted[i]) else sure_of(label)
        sure = {name: (ends.low, ends.high) for name, ends in intervals.items() if not math.isnan(ends.low)}
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


def _ratio(count: float, whole: float) -> float:
    return count / whole if whole else math.nan


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


Shape = Literal["balanced", "imbalanced", "multi-minority", "multi-majority", "complete", "one class"]

# A ratio of largest to smallest class up to which the set is called balanced; branco2017 leaves ">>" open.
BALANCED_UP_TO = 1.5

MEANING: dict[Shape, str] = {
    "balanced": "the classes are about equally frequent",
    "imbalanced": "one of the two classes is much more frequent than the other",
    "multi-minority": "one class is much more frequent than the others",
    "multi-majority": "one class is much rarer than the others",
    "complete": "several classes are much more frequent than several others",
    "one class": "only one class has examples",
}


@dataclass(frozen=True)
class ClassShare(Record):
    """A class, its examples and its share of them."""

    label: AnyLabel
    count: float
    share: float


@dataclass(frozen=True)
class TestSet(Record):
    """The truth of a test set, whatever was predicted."""

    classes: tuple[ClassShare, ...]
    total: float
    # Largest over smallest class that has examples; None where only one has.
    rrt: float | None
    shape: Shape
    # The classes on the rare side of the widest gap in size.
    minority: tuple[AnyLabel, ...]
    # Classes without examples.
    absent: tuple[AnyLabel, ...]

    __test__ = False  # not a test, whatever its name begins with

    @property
    def largest(self) -> ClassShare:
        return max(self.classes, key=lambda c: c.count)

    @property
    def smallest(self) -> ClassShare:
        return min((c for c in self.classes if c.count > 0), key=lambda c: c.count)


# The split distinguishes branco2017's cases.
def describe_test_set(matrix: Confusion) -> TestSet:
    """The shape of the truth: sizes are split where two neighbouring ones differ most."""
    sizes, total = matrix.actual.tolist(), matrix.total.item()
    classes = tuple(
        ClassShare(label, size, size / total if total else 0.0)
        for label, size in zip(matrix.labels, sizes, strict=True)
    )
    present = sorted((c for c in classes if c.count > 0), key=lambda c: c.count)
    absent = tuple(c.label for c in classes if c.count == 0)
    if len(present) < 2:
        return TestSet(classes, total, None, "one class", (), absent)
    rrt = present[-1].count / present[0].count
    if rrt <= BALANCED_UP_TO:
        return TestSet(classes, total, rrt, "balanced", (), absent)
    gap = max(range(1, len(present)), key=lambda i: present[i].count / present[i - 1].count)
    minority, majority = present[:gap], present[gap:]
    shape: Shape = "multi-majority" if len(minority) == 1 else "complete"
    if len(majority) == 1:
        shape = "imbalanced" if len(present) == 2 else "multi-minority"
    return TestSet(classes, total, rrt, shape, tuple(c.label for c in minority), absent)


def shape_in_words(test_set: TestSet) -> str:
    """One sentence on the shape of the test set."""
    sentence = MEANING[test_set.shape]
    if test_set.rrt is None:
        return sentence
    return f"{sentence} (the largest class has {test_set.rrt:,.3g} times the examples of the smallest)"
