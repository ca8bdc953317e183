"""Settings: where printed values come from (one matrix, or one for each fold) and how each is decided."""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from steelyard.auditing.checker.expressions import Tree, degree, number, variable
from steelyard.auditing.checker.integer_space import Fold, IntegerSpace
from steelyard.auditing.problem.demands import Demand, Matrix, beta_squared, f_triples, simplified
from steelyard.auditing.problem.expressions import Formula, formula_of
from steelyard.auditing.search.branch_and_bound import Answer, Budget, Outcome, Problem, integer_point, search
from steelyard.auditing.search.farkas import has_no_real_point
from steelyard.auditing.search.hill_climbing import climb
from steelyard.auditing.search.meet_in_the_middle import SumsOverClasses, all_sizes, meet
from steelyard.counts.confusion import Confusion
from steelyard.counts.labels import Array, Label
from steelyard.measures.measure import weigh
from steelyard.measures.undefined import Undefined

# Up to this many integers, branch and bound is likely to decide, and counts all that fits.
FEW_INTEGERS = 12
# The part of an interval that hill climbing aims at.
INNER = 0.6
# Recalls of the class that is unlike the others, where a climb begins.
LAST_RECALLS = tuple(k / 20 for k in range(21))
# Boxes that are searched before other methods are tried: a number that, unlike a time, gives the same
# answer on every machine.
SOON = 4000
# Larger numbers of matrices are not counted.
MOST_DIGITS = 1000
# Up to this many examples, matrices are sought by meeting in the middle.
MOST_EXAMPLES = 1000

Counts = Sequence[int] | NDArray[np.int64]


@dataclass(frozen=True)
class Sizes:
    """How many examples each class has: a number, or None where it is unknown; and all classes together."""

    labels: tuple[Label, ...]
    known: tuple[int | None, ...]
    total: int | None = None
    # Where neither the sizes nor their total are known, at most this many examples.
    up_to: int = 1000

    @property
    def complete(self) -> bool:
        return None not in self.known

    @property
    def most(self) -> int:
        """All examples together, at most."""
        if self.complete:
            return sum(size or 0 for size in self.known)
        return self.up_to if self.total is None else self.total

    def matrices(self) -> int | None:
        """The number of matrices with these sizes; None where it has more digits than anyone reads."""
        classes, known = len(self.labels), [size for size in self.known if size is not None]
        free, rest = len(self.known) - len(known), self.most - sum(known)

        def fillings(cells: int) -> int | None:
            # The ways in which the examples of the unknown classes fall into this many cells; where they may
            # be fewer, one cell more takes what is left.
            slots = cells + (self.total is None)
            return choices(rest, slots) if slots else int(rest == 0)

        if fillings(free * classes) is None:
            return None
        # Every class has an example: matrices with empty classes are removed by inclusion and exclusion.
        of_unknown = sum(
            (-1 if empty % 2 else 1) * math.comb(free, empty) * (fillings((free - empty) * classes) or 0)
            for empty in range(free + 1)
        )
        return product_of([*(choices(size, classes) for size in known), of_unknown])


def choices(examples: int, cells: int) -> int | None:
    """In how many ways examples fall into cells; None where the number has too many digits."""
    n, k = examples + cells - 1, cells - 1
    digits = (math.lgamma(n + 1) - math.lgamma(k + 1) - math.lgamma(n - k + 1)) / math.log(10)
    return math.comb(n, k) if digits < MOST_DIGITS else None


def product_of(numbers: Sequence[int | None]) -> int | None:
    """The product; None where it or one of the numbers has too many digits."""
    counted = [number for number in numbers if number is not None]
    digits = sum(math.log10(number) for number in counted if number)
    return math.prod(counted) if len(counted) == len(numbers) and digits < MOST_DIGITS else None


@dataclass(frozen=True)
class Decision:
    """The answer, and what it rests on."""

    answer: Answer
    # A matrix (with folds: one for each) on which every value is as printed, checked in exact fractions.
    matrices: tuple[Matrix, ...] = ()
    # How many matrices fit, of those that were found.
    count: int = 0
    # True if these are all of them.
    complete: bool = False
    # How many boxes of matrices were examined.
    boxes: int = 0


@dataclass(frozen=True)
class OneMatrix:
    """All values are of one and the same matrix, of a test set or of all folds pooled."""

    sizes: Sizes
    undefined: Undefined = "nan"

    # What is counted.
    what = "confusion matrices"

    def assumptions(self) -> tuple[str, ...]:
        """What was assumed about folds, as text."""
        return ()

    def candidates(self) -> int | None:
        """The number of matrices; None where it has too many digits."""
        return self.sizes.matrices()

    def contradict(self, demands: Sequence[Demand]) -> bool:
        """True if relations, concavity or the bounds of a mean exclude the demands, without any search."""
        return simplified(demands, len(self.sizes.labels), self.undefined, sizes=self.sizes.known) is None

    def decide(self, demands: Sequence[Demand], budget: Budget, wanted: int | None = None) -> Decision:
        """Decide whether a matrix meets every demand."""
        sizes, undefined, classes = self.sizes, self.undefined, len(self.sizes.labels)
        simple = simplified(demands, classes, undefined, sizes=sizes.known)
        if simple is None:
            return Decision("impossible", complete=True)
        space = IntegerSpace(needs_cells(simple, classes, undefined))
        space.add_matrix(sizes.known, sizes.most, sizes.total is not None)

        problem = problem_of(space, lambda point: self._holds(demands, matrix_at(space.folds[0], point)))
        for demand in simple:
            problem.require(expression_of(space, space.folds[0], demand, undefined), demand.interval)
        if not problem.curved:
            return self._decision(solved(problem, budget, wanted), space)
        # Branch and bound, for unknown sizes the relaxation to real numbers, meeting in the middle and hill
        # climbing in turn, each with more effort than before.
        few = len(space.box) <= FEW_INTEGERS
        soon = SOON if len(space.box) <= FEW_INTEGERS // 2 else SOON // 4
        boxes = (soon if wanted is None else SOON // 16) if few else SOON // 64
        decision = Decision("undecided")
        finds_first = not few and boxes < (budget.boxes or SOON)
        meeting = None if space.by_cells else self._meet(simple, demands)
        ways = [way for way in (meeting, self._climb(demands)) if way is not None]
        seconds = 1 / 2
        while not budget.spent(0):
            if not finds_first:
                decision = self._decision(solved(problem, budget.share(0.5, boxes), wanted), space)
                if decision.answer != "undecided" or budget.spent(boxes):
                    return decision
                if self._is_excluded_in_reals(simple, space.by_cells, budget.share(0.5, boxes)):
                    return replace(decision, answer="impossible", complete=True)
            finds_first = False
            for matrices in ways:
                share = budget.share(0.5, seconds=seconds)
                for matrix in matrices:
                    if matrix is not None:
                        return replace(decision, answer="possible", matrices=(matrix,), count=1)
                    if share.spent(0):
                        break
                else:
                    return replace(decision, answer="impossible", complete=True)
            boxes, seconds = boxes * 8, seconds * 8
        return decision

    def _holds(self, demands: Sequence[Demand], matrix: Matrix) -> bool:
        return all(d.holds(d.value(matrix, self.sizes.labels, self.undefined)) for d in demands)

    def _climb(self, demands: Sequence[Demand]) -> Iterator[Matrix | None]:
        """A matrix on which every demand holds, by hill climbing; None while there is none."""
        sizes = self.sizes
        cost = partial(_distance, demands=demands, sizes=sizes, undefined=self.undefined)
        check = partial(self._holds, demands)
        first = proportional_matrices(sizes, demands)
        return climb(sizes.known, sizes.most, sizes.total is not None, cost, check, first)

    def _meet(self, simple: Sequence[Demand], demands: Sequence[Demand]) -> Iterator[Matrix | None] | None:
        """The same by meeting in the middle; None where that is not possible or takes too long."""
        sizes, most, classes = self.sizes, self.sizes.most, len(self.sizes.labels)
        if classes == 2 or most > MOST_EXAMPLES:
            return None
        every = all_sizes(sizes.known, most, sizes.total is not None or sizes.complete)
        if every is None and sizes.total is None:
            return None
        space = IntegerSpace(box=[(1, most)] * classes + [(0, most)] * 2 * classes)
        counts = [variable(at) for at in range(3 * classes)]

        def sums_of(known: Sequence[int | None]) -> SumsOverClasses | None:
            forms = [c if size is None else number(int(size)) for c, size in zip(counts, known, strict=False)]
            fold = Fold(forms, counts[classes : 2 * classes], counts[2 * classes :])
            trees = [expression_of(space, fold, demand, self.undefined) for demand in simple]
            return SumsOverClasses.of(trees, classes, space.box)

        # Most metrics are sums over classes whatever the sizes are, accuracy for known sizes only.
        of_any = sums_of(sizes.known)
        if of_any is None and sums_of([size or 1 for size in sizes.known]) is None:
            return None
        if of_any is not None and every is not None and not any(sizes.known) and of_any.are_alike(most):
            every = every[(np.diff(every, axis=1) <= 0).all(axis=1)]

        def check(*counts: NDArray[np.int64]) -> Matrix | None:
            matrix = _matrix_of(*counts)
            return matrix if self._holds(demands, matrix) else None

        ends = np.array([[float(end) for end in (d.interval.low, d.interval.high)] for d in simple]).T
        return meet(sizes.known, most, sums_of if of_any is None else lambda _: of_any, ends, check, every)

    def _is_excluded_in_reals(self, demands: Sequence[Demand], by_cells: bool, budget: Budget) -> bool:
        """True if no real numbers in place of counts meet the demands, whatever the size of the test set."""
        # Metrics do not change when all counts are multiplied by a number: counts of fewer examples than
        # `up_to` are scaled up to that total, where class sizes and predictions are still at least 1.
        if self.sizes.known != (None,) * len(self.sizes.labels) or self.sizes.total is not None:
            return False
        space = IntegerSpace(by_cells)
        space.add_matrix(self.sizes.known, self.sizes.most, True)
        problem = problem_of(space, lambda point: False, whole=False)
        for demand in demands:
            formula = _formula(demand, len(self.sizes.labels), self.undefined, True)
            if degree(formula.tree) == 0:
                problem.require(expression_of(space, space.folds[0], demand, self.undefined), demand.interval)
        return search(problem, budget).answer == "impossible"

    def value(self, demand: Demand, matrices: Sequence[Matrix]) -> Fraction | float:
        return demand.value(matrices[0], self.sizes.labels, self.undefined)

    def _decision(self, outcome: Outcome, space: IntegerSpace) -> Decision:
        if outcome.point is None:
            return Decision(outcome.answer, complete=outcome.complete, boxes=outcome.boxes)
        count, exact = outcome.count, True
        if outcome.points is not None and space.folds[0].cells is None:
            count, exact = _multiplicity(space.folds[0], outcome.points)
            exact = exact and outcome.points.shape[1] == outcome.count
            count = max(count, outcome.count)
        witness = matrix_at(space.folds[0], outcome.point)
        return Decision("possible", (witness,), count, outcome.complete and exact, outcome.boxes)


def needs_cells(demands: Sequence[Demand], classes: int, undefined: Undefined, present: bool = True) -> bool:
    """True if sizes, hits and false alarms of the classes do not determine every value."""
    # `present`: every class has an example.
    return any(_formula(d, classes, undefined, present).by_cells for d in demands)


def _formula(
    demand: Demand, classes: int, undefined: Undefined, present: bool, in_cells: bool = False
) -> Formula:
    # In the transpose the predictions of a class take the place of its examples: there may be none.
    present = present and not demand.transposed
    return formula_of(demand.measure, classes, demand.place, undefined, present, in_cells)


def expression_of(
    space: IntegerSpace, fold: Fold, demand: Demand, undefined: Undefined, present: bool = True
) -> Tree:
    """The metric of a demand on a fold, as an expression of the integers of the space."""
    formula = _formula(demand, len(fold.sizes), undefined, present, space.by_cells)
    return space.value(formula.tree, fold, demand.transposed)


def problem_of(space: IntegerSpace, check: Callable[[Sequence[int]], bool], whole: bool = True) -> Problem:
    """A problem with the requirements that every matrix of a space fulfils."""
    problem = Problem(space.box, whole, check=check)
    for requirement in (*space.always, *space.order):
        problem.require(requirement.tree, requirement.interval)
    return problem


def solved(problem: Problem, budget: Budget, wanted: int | None = None) -> Outcome:
    """Branch and bound, and where all is linear, linear programming."""
    # A linear problem that a few boxes do not decide is also put to HiGHS, which finds a point or the
    # multipliers of a contradiction.
    if problem.curved:
        return search(problem, budget, wanted)
    # Most linear questions need a few boxes; importing HiGHS alone would take longer.
    outcome = search(problem, budget.share(1.0, SOON if wanted is None else SOON // 16), wanted)
    if outcome.answer == "undecided" and not budget.spent(outcome.boxes):
        if has_no_real_point(problem):
            return Outcome("impossible", complete=True, boxes=outcome.boxes)
        outcome = integer_point(problem, budget.share(0.5)) or search(problem, budget, wanted)
    return outcome


def matrix_at(fold: Fold, point: Sequence[int]) -> Matrix:
    """A matrix with the counts of a fold at a point."""
    if fold.cells is not None:
        return tuple(tuple(int(cell.at(point)) for cell in row) for row in fold.cells)
    hits, sizes, alarms = (
        [int(f.at(point)) for f in forms] for forms in (fold.hits, fold.sizes, fold.alarms)
    )
    return _matrix_of(hits, [size - hit for size, hit in zip(sizes, hits, strict=True)], alarms)


def _matrix_of(hits: Counts, misses: Counts, alarms: Counts) -> Matrix:
    return tuple(map(tuple, (np.diag(hits) + errors_with(misses, alarms)).tolist()))


def _multiplicity(fold: Fold, points: NDArray[np.int64]) -> tuple[int, bool]:
    """How many matrices these points stand for, and whether that number is exact."""
    # Beyond three classes the number of matrices with given margins has no simple formula.
    if len(fold.sizes) != 3:
        return points.shape[1], False
    count = 0
    for point in points.T.tolist():
        misses = [int(s.plus(h, -1).at(point)) for s, h in zip(fold.sizes, fold.hits, strict=True)]
        alarms = [int(form.at(point)) for form in fold.alarms]
        # One cell determines the other five: m_12 = x, m_13 = misses_1 - x, m_32 = alarms_2 - x, ...
        least = max(0, alarms[1] - misses[2], alarms[0] + alarms[1] - misses[1] - misses[2])
        most = min(misses[0], alarms[1], alarms[0] + alarms[1] - misses[2])
        count += max(0, most - least + 1)
    return count, True


def _distance(
    matrices: Array, demands: Sequence[Demand], sizes: Sizes, undefined: Undefined
) -> tuple[Array, NDArray[np.bool_]]:
    """How far the values are from the inner part of their intervals, and whether all seem to fit."""
    # Squared and in units of the intervals.
    distance, fits = np.zeros(len(matrices)), np.ones(len(matrices), dtype=bool)
    values: dict[tuple[bool, int | None], Mapping[str, Any]] = {}
    for demand in demands:
        alike = demand.transposed, demand.place
        if alike not in values:
            counted = np.swapaxes(matrices, 1, 2) if demand.transposed else matrices
            positive = None if demand.place is None else sizes.labels[demand.place]
            confusion = Confusion(counted, sizes.labels, copy=False)
            together = [d.measure for d in demands if (d.transposed, d.place) == alike]
            values[alike] = weigh(together, confusion, undefined=undefined, positive=positive)
        value = values[alike][demand.measure.name]
        low, high = float(demand.interval.low), float(demand.interval.high)
        width = max(high - low, 1e-9)
        # The inner part is the aim: nearing an end from outside, steps would become ever smaller.
        outside = np.maximum(np.abs(value - (low + high) / 2) / width - INNER / 2, 0.0)
        distance += np.where(np.isnan(outside), 1e6, outside) ** 2
        fits &= (value >= low - 1e-12) & (value <= high + 1e-12)
    return distance, fits


def proportional_matrices(sizes: Sizes, demands: Sequence[Demand]) -> Iterator[Array]:
    """Matrices near the printed macro precision and recall with a high mean of F-measures, nearest first."""
    # That mean comes near the F-measure of the means only where precision and recall have nearly the same
    # ratio in all classes, and no random start of a climb does. So all classes but one are found alike and
    # predicted `ratio` times as often as they occur; the last one takes the other predictions.
    count, total = len(sizes.labels), sizes.most
    if not sizes.complete or count == 2:
        return
    examples = np.array(sizes.known, dtype=np.int64)
    starts: list[tuple[float, Array, Array, Array]] = []
    for f, *means in f_triples(demands, over_folds=False):
        weight, aim = float(beta_squared(f)), float(f.interval.low + f.interval.high) / 2
        # Near the upper ends, where the F-measure may be highest.
        precision, recall = (float(mean.low + 9 * mean.high) / 10 for mean in means)
        for last, last_recall in itertools.product(range(count), LAST_RECALLS):
            other_recall = (count * recall - last_recall) / (count - 1)
            ratio = recall / precision
            for _ in range(20):  # a fixed point: precision of the last class depends on what others leave it
                left = max(total - ratio * (total - examples[last]), 1.0)
                last_precision = min(last_recall * examples[last] / left, 1.0)
                ratio = (count - 1) * other_recall / max(count * precision - last_precision, 1e-9)
            recalls = np.where(np.arange(count) == last, last_recall, other_recall)
            hits = np.rint(recalls * examples).astype(np.int64)
            columns = np.rint(ratio * examples).astype(np.int64)
            columns[last] += total - columns.sum()
            misses, alarms = examples - hits, columns - hits
            # What a class misses and what it takes from others are different errors.
            if min(hits.min(), misses.min(), alarms.min()) >= 0 and max(misses + alarms) <= misses.sum():
                values = (hits / np.maximum(columns, 1), hits / examples)
                value = np.mean((1 + weight) * hits / (weight * examples + columns))
                away = [abs(v.mean() - mean) for v, mean in zip(values, (precision, recall), strict=True)]
                starts.append((abs(value - aim) + sum(away), hits, misses, alarms))
    for _, hits, misses, alarms in sorted(starts, key=lambda start: start[0]):
        yield np.diag(hits) + errors_with(misses.tolist(), alarms.tolist())


def errors_with(misses: Counts, alarms: Counts) -> NDArray[np.int64]:
    """A matrix with an empty diagonal, these row sums and these column sums."""
    # Greedy: the largest rest of a row meets the largest rest of a column, never so much that another class
    # could no longer place its errors outside the diagonal.
    a, b = [int(v) for v in misses], [int(v) for v in alarms]
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
