"""Over which counts is the search: all cells of a matrix, or only what each class was told right, missed and
wrongly called?

Most measures of many classes need no more of a matrix than the hits, examples and predictions of each class.
There are 3 C such numbers instead of C², and a matrix with them exists just when, off the diagonal, no class
takes part in more errors than there are.
"""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray

from steelyard.auditing.expressions import Expression, Linear, Tracing, Variable, constant
from steelyard.auditing.problem import Interval, Problem
from steelyard.counts.labels import Label
from steelyard.measures.measure import Measure
from steelyard.measures.undefined import Policy
from steelyard.measures.view import View
from steelyard.measures.views import Classes, TwoClass

Array = NDArray[Any]
Matrix = tuple[tuple[int, ...], ...]


class NeedsCellsError(Exception):
    """A measure looks at single cells, not only at the totals of the classes."""


@dataclass(frozen=True)
class Sizes:
    """How many examples each class has: a number, or None where it is not known; and of all together."""

    labels: tuple[Label, ...]
    known: tuple[int | None, ...]
    total: int | None = None
    up_to: int = 1000
    """Where neither the sizes nor their total are known, this many examples at most."""
    least: int = 1
    """Examples of a class of unknown size, at least."""

    @property
    def complete(self) -> bool:
        return all(size is not None for size in self.known)

    @property
    def most(self) -> int:
        """All examples together, at most."""
        if self.complete:
            return sum(size for size in self.known if size is not None)
        return self.up_to if self.total is None else self.total

    def most_of(self, place: int) -> int:
        """Examples of one class, at most: what the others leave, at least one of each."""
        known = self.known[place]
        if known is not None:
            return known
        others = sum(
            self.least if size is None else size for at, size in enumerate(self.known) if at != place
        )
        return max(self.least, self.most - others)

    def matrices(self) -> int:
        """How many matrices have these sizes?"""
        classes = len(self.labels)
        fixed = math.prod(
            math.comb(size + classes - 1, classes - 1) for size in self.known if size is not None
        )
        free = sum(size is None for size in self.known)
        if not free:
            return fixed
        rest = self.most - sum(size for size in self.known if size is not None)
        # Every class has an example: matrices with empty classes are counted and taken away in turn.
        return fixed * sum(
            (-1 if empty % 2 else 1) * math.comb(free, empty) * self._fillings(rest, (free - empty) * classes)
            for empty in range(free + 1)
        )

    def _fillings(self, rest: int, cells: int) -> int:
        """In how many ways do the examples of the unknown classes fall into so many cells?"""
        if not cells:
            return int(self.total is None or rest == 0)
        return (
            math.comb(rest + cells - 1, cells - 1)
            if self.total is not None
            else math.comb(rest + cells, cells)
        )


class Space(ABC):
    """Integer variables, what always holds of them, and the matrix that a point stands for."""

    def __init__(self, sizes: Sizes, variables: list[Variable] | None = None) -> None:
        self.sizes = sizes
        self.labels = sizes.labels
        # Spaces of several folds number their variables together.
        self.variables: list[Variable] = [] if variables is None else variables
        self._first = len(self.variables)
        self.traced: dict[tuple[Any, ...], tuple[Measure, Expression]] = {}
        """What measures leave behind on the counts; the measure is kept, for it is known by its identity."""
        self._views: dict[tuple[Any, ...], View] = {}

    def viewed(self, policy: Policy, kind: str, positive: int | None, transposed: bool) -> View:
        """The view that all measures of one kind share, and so its sums."""
        key = (policy, kind == "two-class", positive, transposed)
        if key not in self._views:
            self._views[key] = self.view(Tracing(policy), kind, positive, transposed)
        return self._views[key]

    @property
    def own(self) -> list[Variable]:
        """The variables of this space alone."""
        return self.variables[self._first : self._first + self._number]

    _number = 0

    def _variable(self, name: str, most: int) -> Linear:
        self._number += 1
        variable = Variable(len(self.variables), name, 0, most)
        self.variables.append(variable)
        return Linear({variable: Fraction(1)})

    def problem(self) -> Problem:
        """A problem with the requirements that every matrix fulfils."""
        problem = Problem(self.variables)
        self.constrain(problem)
        return problem

    @abstractmethod
    def constrain(self, problem: Problem) -> None:
        """Add what every matrix of this space fulfils."""

    @abstractmethod
    def view(self, arithmetic: Tracing, kind: str, positive: int | None, transposed: bool) -> View:
        """What a body sees of the counts: two sides if it needs a positive class, else all classes."""

    @abstractmethod
    def matrix(self, point: Sequence[int]) -> Matrix:
        """A matrix with the counts of a point."""

    @abstractmethod
    def actual(self, place: int) -> Linear:
        """The examples of a class."""

    def multiplicity(self, points: NDArray[np.int64]) -> tuple[int, bool]:
        """How many matrices do these points stand for, and is that number exact?"""
        return points.shape[1], True

    def _with_sizes(self, problem: Problem, actual: Sequence[Linear]) -> None:
        for size, form in zip(self.sizes.known, actual, strict=True):
            if size is None:
                problem.at_least(form, Fraction(self.sizes.least))
        if self.sizes.complete:
            return
        total = constant(0)
        for form in actual:
            total = total.plus(form)
        least = self.sizes.total if self.sizes.total is not None else 0
        problem.require(total, Interval(Fraction(least), Fraction(self.sizes.most)))


class Cells(Space):
    """Every cell of the matrix; with two classes of known size two of them determine the others."""

    def __init__(self, sizes: Sizes, variables: list[Variable] | None = None) -> None:
        super().__init__(sizes, variables)
        count = len(self.labels)
        self.cells = np.empty((count, count, 1), dtype=object)
        self._rows: list[tuple[Linear, int]] = []
        for i, size in enumerate(sizes.known):
            last = count - 1 - i if count == 2 else -1
            for j in range(count):
                if count == 2 and size is not None and j == last:
                    continue
                self.cells[i, j, 0] = self._variable(f"{self.labels[i]}→{self.labels[j]}", sizes.most_of(i))
            if size is not None and count == 2:
                self.cells[i, last, 0] = constant(size).plus(self.cells[i, i, 0], -1)
            elif size is not None:
                self._rows.append((self.actual(i), size))

    def actual(self, place: int) -> Linear:
        total = constant(0)
        for cell in self.cells[place, :, 0]:
            total = total.plus(cell)
        return total

    def constrain(self, problem: Problem) -> None:
        for form, size in self._rows:
            problem.require(form, Interval(Fraction(size), Fraction(size)))
        self._with_sizes(problem, [self.actual(i) for i in range(len(self.labels))])

    def view(self, arithmetic: Tracing, kind: str, positive: int | None, transposed: bool) -> View:
        cells = np.swapaxes(self.cells, 0, 1) if transposed else self.cells
        if kind == "two-class" and len(self.labels) == 2:
            order = [positive or 0, 1 - (positive or 0)]
            names = (self.labels[order[0]], self.labels[order[1]])
            return TwoClass(cells[order][:, order], [names], arithmetic)
        classes = Classes(cells, self.labels, arithmetic)
        return classes if kind != "two-class" else of_one(classes, positive or 0)

    def matrix(self, point: Sequence[int]) -> Matrix:
        values = {variable: point[variable.place] for variable in self.own}
        return tuple(tuple(int(cell.at(values)) for cell in row) for row in self.cells[:, :, 0])


class Totals(Space):
    """Hits, misses and false alarms of each class."""

    def __init__(self, sizes: Sizes, variables: list[Variable] | None = None) -> None:
        super().__init__(sizes, variables)
        count = len(self.labels)
        self.hits, self.missed, self.alarms = [], [], []
        most = sizes.most
        for place, name in enumerate(self.labels):
            of_class = sizes.most_of(place)
            self.hits.append(self._variable(f"hits of {name}", of_class))
            known = sizes.known[place]
            self.missed.append(
                constant(known).plus(self.hits[-1], -1)
                if known is not None
                else self._variable(f"missed of {name}", of_class)
            )
            others = most - (self.sizes.least if known is None else known)
            self.alarms.append(self._variable(f"false alarms of {name}", others))
        self.count = count

    def actual(self, place: int) -> Linear:
        return self.hits[place].plus(self.missed[place])

    def constrain(self, problem: Problem) -> None:
        errors, alarms = constant(0), constant(0)
        for missed, alarm in zip(self.missed, self.alarms, strict=True):
            errors, alarms = errors.plus(missed), alarms.plus(alarm)
        problem.require(errors.plus(alarms, -1), Interval(Fraction(0), Fraction(0)))
        for missed, alarm in zip(self.missed, self.alarms, strict=True):
            problem.at_least(errors.plus(missed, -1).plus(alarm, -1), Fraction(0))
        self._with_sizes(problem, [h.plus(m) for h, m in zip(self.hits, self.missed, strict=True)])

    def view(self, arithmetic: Tracing, kind: str, positive: int | None, transposed: bool) -> View:
        actual = [h.plus(m) for h, m in zip(self.hits, self.missed, strict=True)]
        predicted = [h.plus(a) for h, a in zip(self.hits, self.alarms, strict=True)]
        if transposed:
            actual, predicted = predicted, actual
        classes = ClassTotals(
            _column(self.hits), _column(actual), _column(predicted), self.labels, arithmetic
        )
        return classes if kind != "two-class" else of_one(classes, positive or 0)

    def matrix(self, point: Sequence[int]) -> Matrix:
        values = {variable: point[variable.place] for variable in self.own}
        hits, missed, alarms = (
            [int(form.at(values)) for form in forms] for forms in (self.hits, self.missed, self.alarms)
        )
        cells = np.diag(hits) + errors_with(missed, alarms)
        return tuple(tuple(int(v) for v in row) for row in cells)

    def multiplicity(self, points: NDArray[np.int64]) -> tuple[int, bool]:
        if self.count != 3:
            return points.shape[1], False
        total = 0
        for point in points.T:
            values = {variable: int(point[variable.place]) for variable in self.own}
            a, b = ([int(form.at(values)) for form in forms] for forms in (self.missed, self.alarms))
            # One cell determines the other five: m_12 = x, m_13 = a_1 - x, m_32 = b_2 - x, ...
            least = max(0, b[1] - a[2], b[0] + b[1] - a[1] - a[2])
            total += max(0, min(a[0], b[1], b[0] + b[1] - a[2]) - least + 1)
        return total, True


class ClassTotals(Classes):
    """Classes of which only hits, examples and predictions are known."""

    def __init__(
        self,
        hits: Array,
        actual: Array,
        predicted: Array | None,
        labels: Sequence[Any],
        arithmetic: Tracing,
        weights: Any = None,
    ) -> None:
        self.labels, self.arithmetic, self.weights, self._everyone = labels, arithmetic, weights, None
        self._totals = (hits, actual, predicted)
        # These stand in for the sums that a view takes over its cells.
        self.__dict__.update(_hits=hits, _actual=actual)
        if predicted is not None:
            self.__dict__["_predicted"] = predicted

    def against_rest(self) -> TwoClass:
        if "_against_rest" not in self.__dict__:
            self.__dict__["_against_rest"] = super().against_rest()
        found: TwoClass = self.__dict__["_against_rest"]
        return found

    def __getattr__(self, name: str) -> Any:
        if name == "raw":
            raise NeedsCellsError
        raise AttributeError(name)

    @property
    def n_classes(self) -> int:
        return len(self.labels)

    def like(self, counts: Array | None = None, weights: Any = None) -> Any:
        if counts is not None:
            raise NeedsCellsError
        chosen = self.weights if weights is None else weights
        return ClassTotals(*self._totals, self.labels, self.arithmetic, chosen)  # type: ignore[arg-type]

    def with_rows_scaled(self, factors: Array) -> Any:
        hits, actual, _ = self._totals
        # Predictions mix rows that are scaled differently.
        return ClassTotals(hits * factors, actual * factors, None, self.labels, self.arithmetic, self.weights)  # type: ignore[arg-type]


def of_one(classes: Classes, place: int) -> TwoClass:
    """One class against the rest."""
    rest = classes.against_rest()
    return TwoClass(rest.raw[:, :, place], [rest.labels[place]], classes.arithmetic)


def _column(forms: Sequence[Linear]) -> Array:
    column = np.empty((len(forms), 1), dtype=object)
    column[:, 0] = forms
    return column


def trace(
    space: Space, measure: Measure, positive: int | None, policy: Policy, transposed: bool = False
) -> Expression:
    """The expression that a measure's body leaves behind on the counts of a space."""
    view = space.viewed(policy, measure.kind, positive, transposed)
    value = np.broadcast_to(np.asarray(measure.body(view), dtype=object), (1,))[0]
    return value if isinstance(value, Expression) else constant(value)


def errors_with(missed: Sequence[int], alarms: Sequence[int]) -> NDArray[np.int64]:
    """A matrix with an empty diagonal, these row sums and these column sums."""
    a, b = [int(v) for v in missed], [int(v) for v in alarms]
    count, left = len(a), sum(a)
    cells = np.zeros((count, count), dtype=np.int64)
    while left:
        tight = next((k for k in range(count) if a[k] + b[k] == left), None)
        if tight is not None:
            # Every error that is left is made or received by this class.
            for k in range(count):
                if k != tight:
                    cells[k, tight] += a[k]
                    cells[tight, k] += b[k]
            return cells
        i = max(range(count), key=lambda k: a[k])
        j = max((k for k in range(count) if k != i), key=lambda k: b[k])
        slack = min((left - a[k] - b[k] for k in range(count) if k not in (i, j)), default=left)
        moved = min(a[i], b[j], slack)
        cells[i, j] += moved
        a[i] -= moved
        b[j] -= moved
        left -= moved
    return cells
