"""Class distribution of a test set, and the kind of imbalance it has.

Class counts and prevalences, the ratio of representatives (mullick2020 Def. 2), and which of branco2017's
shapes it has: balanced, multi-minority (one class is much larger than the others), multi-majority (one is
much smaller) or complete (several of both).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from steelyard.counts.confusion import Confusion
from steelyard.report.records import AnyLabel, Record

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
    rrt: float | None
    """Largest over smallest class that has examples; None where only one has."""
    shape: Shape
    minority: tuple[AnyLabel, ...]
    """The classes on the rare side of the widest gap in size."""
    absent: tuple[AnyLabel, ...]
    """Classes without examples."""

    __test__ = False  # not a test, whatever its name begins with

    @property
    def largest(self) -> ClassShare:
        return max(self.classes, key=lambda c: c.count)

    @property
    def smallest(self) -> ClassShare:
        return min((c for c in self.classes if c.count > 0), key=lambda c: c.count)


def describe_test_set(matrix: Confusion) -> TestSet:
    """The shape of the truth: sizes are split where two neighbouring ones differ most, which tells
    branco2017's cases apart."""
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
    shape: Shape
    if len(present) == 2:
        shape = "imbalanced"
    elif len(majority) == 1:
        shape = "multi-minority"
    elif len(minority) == 1:
        shape = "multi-majority"
    else:
        shape = "complete"
    return TestSet(classes, total, rrt, shape, tuple(c.label for c in minority), absent)


def shape_in_words(test_set: TestSet) -> str:
    """One sentence on the shape of the test set."""
    sentence = f"{test_set.shape}: {MEANING[test_set.shape]}"
    if test_set.rrt is not None:
        sentence += (
            f" (RRT {test_set.rrt:,.3g}: the largest class has that many times the examples of the smallest)"
        )
    return sentence
