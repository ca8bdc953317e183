"""Branch and bound: find integers that meet every requirement, count them, or prove that there are none."""

# Boxes are bisected. Each box is first contracted to what the requirements leave of it; one of which nothing
# is left is excluded as a whole, one in which everything holds is counted as a whole. So a thousand million
# matrices are excluded without being listed, and what is excluded is excluded by bounds that err on the safe
# side.

from __future__ import annotations

import math
import time
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from steelyard.auditing.checker.expressions import Linear, Tree, variables_of
from steelyard.auditing.checker.linear_relaxation import linearised
from steelyard.auditing.checker.question import Interval
from steelyard.auditing.search.interval_arithmetic import Array, Contractor, Seen

Answer = Literal["possible", "impossible", "undecided"]

# Boxes treated at once: enough to make the Python around them cheap, few enough to go deep soon.
CHUNK = 512
# Seconds for counting the others once a first point is found.
LINGER = 0.5
# Single points that are kept.
MOST_KEPT = 10_000
_ZERO = Fraction(0)


@dataclass(frozen=True)
class Outcome:
    """What a search found."""

    answer: Answer
    # One point at which everything holds.
    point: tuple[int, ...] | None = None
    # All (or the first) single points that were found, a column each.
    points: NDArray[np.int64] | None = None
    # Points found.
    count: int = 0
    # True if the whole space was searched, so that there are no other points.
    complete: bool = False
    # Boxes that were examined.
    boxes: int = 0


class Budget:
    """A deadline in seconds of computing, and a number of boxes at most."""

    def __init__(self, seconds: float, boxes: int | None = None) -> None:
        # Computing time of this thread, not wall time: a loaded machine must not change a verdict.
        self.end = time.thread_time() + seconds
        self.boxes = boxes

    def spent(self, boxes: int) -> bool:
        return time.thread_time() > self.end or (self.boxes is not None and boxes > self.boxes)

    def share(self, fraction: float, boxes: int | None = None, seconds: float = math.inf) -> Budget:
        """A share of what is left, at most so many seconds and so many boxes."""
        limits = [limit for limit in (self.boxes, boxes) if limit is not None]
        return Budget(min(self.left * fraction, seconds), min(limits, default=None))

    @property
    def left(self) -> float:
        return max(0.0, self.end - time.thread_time())


@dataclass(eq=False)
class Problem:
    """A box of integers, linear inequalities, and expressions that must lie in intervals."""

    # A requirement is taken apart as far as it stays exact: linear forms and quotients of linear forms become
    # inequalities in integers, for which doubles make no error; what remains (roots, sums of quotients) is
    # bounded by interval arithmetic.

    box: Sequence[tuple[int, int]]
    # False for a relaxation to real numbers, which can only exclude.
    whole: bool = True
    # Linear forms with integer coefficients that must not be negative.
    rows: list[Linear] = field(default_factory=list)
    curved: list[tuple[Tree, Interval]] = field(default_factory=list)
    # Whether all printed values are true at a point, in exact fractions, where bounds cannot decide.
    check: Callable[[Sequence[int]], bool] = field(default=lambda point: True)

    def require(self, tree: Tree, interval: Interval) -> None:
        """The expression must have a value, and it must lie in the interval."""
        # Linear inequalities in integers are exact in doubles; only what stays curved pays for rounding.
        rows = linearised(tree, interval, self.box, self.rows, self.whole)
        if rows is None:
            self.curved.append((tree, interval))
        else:
            self.add(rows)

    def add(self, rows: Iterable[Linear]) -> None:
        """Require row >= 0 of each row, with integer coefficients; those that always hold are dropped."""
        for row in rows:
            if row.range(self.box)[0] < 0:
                self.rows.append(row.times(row.common_denominator()))


def search(problem: Problem, budget: Budget, wanted: int | None = None) -> Outcome:
    """Search all points; stop early once `wanted` are found."""
    if any(row.range(problem.box)[1] < 0 for row in problem.rows):
        return Outcome("impossible", complete=True, boxes=1)
    # Bounds may be infinite, and what is computed of boxes without a value is never looked at.
    with np.errstate(all="ignore"):
        return _Search(problem, budget, wanted).run()


def integer_point(problem: Problem, budget: Budget) -> Outcome | None:
    """A point of a linear problem by mixed-integer programming, checked in exact fractions."""
    # None if HiGHS (`scipy.optimize.milp`) finds none, which in doubles proves nothing.
    from scipy.optimize import Bounds, LinearConstraint, milp
    from scipy.sparse import lil_matrix

    # No objective: any feasible point will do.
    matrix, least = lil_matrix((len(problem.rows), len(problem.box))), np.zeros(len(problem.rows))
    for at, row in enumerate(problem.rows):
        # Large coefficients are scaled to at most 1: tolerances of HiGHS are absolute.
        scale = float(max((abs(factor) for _, factor in row.terms), default=1))
        for v, factor in row.terms:
            matrix[at, v] = float(factor) / scale
        least[at] = -float(row.constant) / scale
    result = milp(
        np.zeros(len(problem.box)),
        integrality=np.ones(len(problem.box)),
        bounds=Bounds(*np.array(problem.box, dtype=float).T),
        constraints=LinearConstraint(matrix.tocsr(), least, np.inf),
        options={"time_limit": max(0.1, budget.left)},
    )
    if result.x is None:
        return None
    point = tuple(round(value) for value in result.x)
    if any(row.at(point) < 0 for row in problem.rows) or not problem.check(point):
        return None
    return Outcome("possible", point, np.array(point, dtype=np.int64)[:, None], 1)


class _Search:
    def __init__(self, problem: Problem, budget: Budget, wanted: int | None) -> None:
        self.problem, self.budget, self.wanted = problem, budget, wanted
        self.contractor = Contractor(problem.box, problem.whole)
        # The ends as doubles, rounded so that nothing is lost, and so that nothing is gained.
        ends = np.array([[float(i.low), float(i.high)] for _, i in problem.curved]).reshape(-1, 2)
        self.outer = np.nextafter(ends, [-np.inf, np.inf])
        self.inner = np.nextafter(ends, [np.inf, -np.inf])
        self.count = self.boxes = 0
        self.point: tuple[int, ...] | None = None
        self.points: list[NDArray[np.int64]] = []
        # The variables that a requirement depends on.
        used = {v for row in problem.rows for v, _ in row.terms}
        used = used.union(*(variables_of(tree) for tree, _ in problem.curved))
        self.used = np.array([v in used for v in range(len(problem.box))], dtype=bool)
        self.weight = _weights(problem) * self.used[:, None]

    def run(self) -> Outcome:
        low, high = (np.array([[float(ends[side])] for ends in self.problem.box]) for side in (0, 1))
        # Depth first (Land and Doig 1960, with intervals in place of linear programs): a last-in, first-out
        # stack keeps memory small and reaches single points early.
        open_boxes = [(low, high)]
        while open_boxes:
            if self.budget.spent(self.boxes) or (self.wanted is not None and self.count >= self.wanted):
                break
            low, high = open_boxes.pop()
            if low.shape[1] > CHUNK:
                open_boxes.append((low[:, CHUNK:], high[:, CHUNK:]))
                low, high = low[:, :CHUNK], high[:, :CHUNK]
            self.boxes += low.shape[1]
            low, high = self._contracted(low.copy(), high.copy())
            if not low.shape[1]:
                continue
            if self.problem.whole:
                before = self.count
                low, high = self._settled(low, high)
                if self.count and not before:
                    self.budget = Budget(min(self.budget.left, LINGER), self.budget.boxes)
            if low.shape[1]:
                open_boxes.append(self._bisected(low, high))
        answer: Answer = "possible" if self.count else "undecided" if open_boxes else "impossible"
        points = np.concatenate(self.points, axis=1) if self.points else None
        return Outcome(answer, self.point, points, self.count, not open_boxes, self.boxes)

    def _contracted(self, low: Array, high: Array) -> tuple[Array, Array]:
        """The boxes contracted by every requirement, as long as that halves some of them."""
        for turn in range(4):
            # Contraction is worth another turn only if it pays like a bisection: half of the points of some
            # box.
            before = np.log2(high - low + 1).sum(axis=0)
            for row in self.problem.rows:
                self.contractor.contract_row(row, low, high)
            low, high = _nonempty(low, high)
            for (tree, _), (least, most) in zip(self.problem.curved, self.outer, strict=True):
                if not low.shape[1]:
                    return low, high
                seen = Seen(low.shape[1])
                a, b = self.contractor.enclose(tree, low, high, seen)
                reached = (b >= least) & (a <= most) & ~seen.void
                if not reached.all():
                    low, high = low[:, reached], high[:, reached]
                    if not low.shape[1]:
                        return low, high
                    seen = Seen(low.shape[1])
                    self.contractor.enclose(tree, low, high, seen)
                target = (np.full(low.shape[1], least), np.full(low.shape[1], most))
                self.contractor.contract(tree, target, low, high, seen)
                low, high = _nonempty(low, high)
            if turn == 3 or not low.shape[1]:
                break
            after = np.log2(high - low + 1).sum(axis=0)
            if len(before) == len(after) and not (after < before - 0.5).any():
                break
        return low, high

    def _settled(self, low: Array, high: Array) -> tuple[Array, Array]:
        """Count the boxes in which everything holds, decide single points exactly, and return the others."""
        holds, possible = np.ones((2, low.shape[1]), dtype=bool)
        for row in self.problem.rows:
            a, b = self.contractor.form(row).bounds(low, high)
            holds &= a >= 0
            possible &= b >= 0
        # A variable that no requirement depends on may be anything, so it is never bisected.
        single = (low == high)[self.used].all(axis=0)
        for (tree, _), (least, most) in zip(self.problem.curved, self.inner, strict=True):
            seen = Seen(low.shape[1])
            a, b = self.contractor.enclose(tree, low, high, seen)
            # A box that touches a place without a value is not wholly inside; its quotients leave that open.
            holds &= (a >= least) & (b <= most) & ~seen.touching
        # Bounds in doubles leave a point open when its value is within rounding of an end; fractions decide
        # it.
        for number in np.flatnonzero(single & possible & ~holds):
            holds[number] = self.problem.check(tuple(int(v) for v in low[:, number]))
        for number in np.flatnonzero(holds):
            if self.point is None:
                point = tuple(int(v) for v in low[:, number])
                if not self.problem.check(point):  # what is shown is checked, whatever the bounds say
                    holds[number] = False
                    continue
                self.point = point
            self.count += math.prod(int(width) for width in high[:, number] - low[:, number] + 1)
        points = low[:, holds & single]
        if points.shape[1] and sum(column.shape[1] for column in self.points) < MOST_KEPT:
            self.points.append(points.astype(np.int64))
        rest = ~(holds | single)
        return low[:, rest], high[:, rest]

    def _bisected(self, low: Array, high: Array) -> tuple[Array, Array]:
        # Not the widest side in points, but in its effect on what is required.
        widest = np.argmax((high - low) * self.weight, axis=0)
        boxes = np.arange(low.shape[1])
        middle = (low[widest, boxes] + high[widest, boxes]) / 2
        left_high, right_low = high.copy(), low.copy()
        left_high[widest, boxes] = np.floor(middle) if self.problem.whole else middle
        right_low[widest, boxes] = np.floor(middle) + 1 if self.problem.whole else middle
        return np.concatenate([low, right_low], axis=1), np.concatenate([left_high, high], axis=1)


def _weights(problem: Problem) -> Array:
    """How much a variable matters."""
    # Summed over the linear forms, how far it moves one relative to the room that the rows leave it.
    weight = np.full((len(problem.box), 1), 0.1)
    ends: dict[tuple[tuple[int, Fraction], ...], list[float]] = {}
    for row in (row for row in problem.rows if row.terms):
        sign = 1 if row.terms[0][1] > 0 else -1
        form = row.times(sign)._replace(constant=_ZERO)
        limits = ends.setdefault(tuple(sorted(form.terms)), [float(end) for end in form.range(problem.box)])
        limits[0 if sign > 0 else 1] = -sign * float(row.constant)
    for terms, (low, high) in ends.items():
        room = max(0.0, high - low) + float(min(abs(factor) for _, factor in terms))
        for v, factor in terms:
            weight[v] += abs(float(factor)) / room
    return weight


def _nonempty(low: Array, high: Array) -> tuple[Array, Array]:
    nonempty = (low <= high).all(axis=0)
    return (low, high) if nonempty.all() else (low[:, nonempty], high[:, nonempty])
