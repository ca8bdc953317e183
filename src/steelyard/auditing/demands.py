"""What must a matrix give, what was decided, and for which setting (one matrix, or one for each fold) is it
asked?"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from typing import Literal, Protocol

from steelyard.auditing.problem import Interval
from steelyard.auditing.search import Budget
from steelyard.auditing.spaces import Matrix, Sizes
from steelyard.counts.confusion import Confusion
from steelyard.counts.labels import Label
from steelyard.measures.measure import Measure
from steelyard.measures.undefined import Undefined

Answer = Literal["possible", "impossible", "undecided"]
Statistic = Literal["value", "deviation"]


@dataclass(frozen=True)
class Demand:
    """A measure that must take a value in an interval, on all classes or of one class against the rest."""

    measure: Measure
    interval: Interval
    place: int | None = None
    """Where the positive class stands, for a measure of two classes."""
    text: str = ""
    """The statement as it was printed."""
    statistic: Statistic = "value"
    """Over folds: the mean of the values, or their standard deviation."""
    transposed: bool = False
    """Was the measure taken of the matrix with truth and prediction exchanged?"""
    of_means: bool = False
    """Over folds: the F-measure of the mean precision and the mean recall instead of the mean F-measure."""

    def value(self, matrix: Matrix, labels: Sequence[Label], undefined: Undefined) -> Fraction | float:
        """The exact value on a matrix."""
        positive = None if self.place is None else labels[self.place]
        seen = tuple(zip(*matrix, strict=True)) if self.transposed else matrix
        return self.measure.exact(_counted(seen, tuple(labels)), undefined=undefined, positive=positive)

    def holds(self, value: Fraction | float) -> bool:
        return isinstance(value, Fraction) and self.interval.holds(value)


@lru_cache(maxsize=32)
def _counted(matrix: Matrix, labels: tuple[Label, ...]) -> Confusion:
    """A matrix is asked for one value after the other."""
    return Confusion(matrix, labels)


@dataclass(frozen=True)
class Decision:
    """The answer, and what it rests on."""

    answer: Answer
    matrices: tuple[Matrix, ...] = ()
    """A matrix (with folds: one for each) on which every value is as printed, checked in exact fractions."""
    count: int = 0
    """How many matrices fit, of those that were found."""
    complete: bool = False
    """Is that all of them?"""
    candidates: int = 0
    """How many matrices have the sizes that were given."""
    boxes: int = 0
    """How many boxes of matrices were looked at."""


class Setting(Protocol):
    """Where the values come from: which counts are possible at all."""

    @property
    def sizes(self) -> Sizes: ...

    @property
    def undefined(self) -> Undefined: ...

    @property
    def what(self) -> str:
        """What is counted: matrices, or outcomes of folds."""

    def assumptions(self) -> tuple[str, ...]:
        """What was assumed of the folds, in words."""

    def decide(self, demands: Sequence[Demand], budget: Budget, wanted: int | None = None) -> Decision:
        """Is there something that meets every demand?"""

    def value(self, demand: Demand, matrices: Sequence[Matrix]) -> Fraction | float:
        """The value of a demand on a witness, in exact fractions."""
