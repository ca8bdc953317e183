"""Are there integers that fulfil every requirement: one of them, how many, or provably none?

Boxes of integers are halved. Each box is first shrunk to what the requirements leave of it; one of which
nothing is left is excluded as a whole, one in which everything holds is counted as a whole. So a thousand
million matrices are excluded without being listed, and what is excluded is excluded by bounds that err on the
other side.
"""

from __future__ import annotations

import time
from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from steelyard.auditing.contraction import Contractor
from steelyard.auditing.enclosures import Array, Seen
from steelyard.auditing.problem import Problem

Status = Literal["found", "none", "undecided"]

CHUNK = 512
"""Boxes treated at once: enough to make the Python around them cheap, few enough to go deep soon."""


@dataclass(frozen=True)
class Outcome:
    """What a search found."""

    status: Status
    point: tuple[int, ...] | None = None
    """One point at which everything holds."""
    points: NDArray[np.int64] | None = None
    """All (or the first) single points that were found, a column each."""
    count: int = 0
    """Points found."""
    complete: bool = False
    """Was the whole space worked through, so that there are no others?"""
    boxes: int = 0
    """Boxes that were looked at."""


class Budget:
    """How many seconds of computing may searches take that belong together?"""

    def __init__(self, seconds: float, boxes: int | None = None, linger: float = 0.5) -> None:
        self.end = time.thread_time() + seconds
        self.boxes = boxes
        self.linger = linger

    def found(self) -> Budget:
        """What is left once a first point is found, for counting the others."""
        return Budget(min(self.left, self.linger), self.boxes, self.linger)

    def spent(self, boxes: int) -> bool:
        return time.thread_time() > self.end or (self.boxes is not None and boxes > self.boxes)

    def part(self, share: float, boxes: int | None = None) -> Budget:
        """A share of what is left, and so many boxes at most."""
        limits = [limit for limit in (self.boxes, boxes) if limit is not None]
        return Budget(self.left * share, min(limits, default=None), self.linger)

    @property
    def left(self) -> float:
        return max(0.0, self.end - time.thread_time())


def search(problem: Problem, budget: Budget, wanted: int | None = None, keep: int = 10_000) -> Outcome:
    """Look through all points; stop early once `wanted` are found."""
    return _Search(problem, budget, wanted, keep).run()


class _Search:
    def __init__(self, problem: Problem, budget: Budget, wanted: int | None, keep: int) -> None:
        self.problem, self.budget, self.wanted, self.keep = problem, budget, wanted, keep
        self.encloser = Contractor()
        self.outer = [problem.outward(interval) for _, interval in problem.curved]
        self.inner = [problem.inward(interval) for _, interval in problem.curved]
        self.count = self.boxes = 0
        self.point: tuple[int, ...] | None = None
        self.points: list[NDArray[np.int64]] = []
        self.kept = 0
        used = problem.used()
        self.used = np.array([variable in used for variable in problem.variables])
        self.weight = _weights(problem) * self.used[:, None]

    def run(self) -> Outcome:
        # Bounds may be infinite, and what is computed of boxes without a value is never looked at.
        with np.errstate(all="ignore"):
            return self._run()

    def _run(self) -> Outcome:
        if self.problem.contradicts_itself():
            return Outcome("none", complete=True, boxes=1)
        low = np.array([[float(v.least)] for v in self.problem.variables])
        high = np.array([[float(v.most)] for v in self.problem.variables])
        waiting = [(low, high)]
        while waiting:
            if self.budget.spent(self.boxes) or (self.wanted is not None and self.count >= self.wanted):
                break
            low, high = waiting.pop()
            if low.shape[1] > CHUNK:
                waiting.append((low[:, CHUNK:], high[:, CHUNK:]))
                low, high = low[:, :CHUNK], high[:, :CHUNK]
            self.boxes += low.shape[1]
            low, high = self._shrunk(low.copy(), high.copy())
            if not low.shape[1]:
                continue
            before = self.count
            low, high = self._settled(low, high)
            if self.count and not before:
                self.budget = self.budget.found()
            if low.shape[1]:
                waiting.append(self._halved(low, high))
        status: Status = "found" if self.count else "undecided" if waiting else "none"
        points = np.concatenate(self.points, axis=1) if self.points else None
        return Outcome(status, self.point, points, self.count, not waiting, self.boxes)

    def _shrunk(self, low: Array, high: Array) -> tuple[Array, Array]:
        """The boxes without what the requirements exclude, as often as that halves some of them."""
        for turn in range(4):
            before = np.log2(high - low + 1).sum(axis=0)
            for row in self.problem.rows:
                width = low.shape[1]
                target = (np.full(width, row.low), np.full(width, row.high))
                self.encloser.contract(row.form, target, low, high, Seen(0))
            low, high = _nonempty(low, high)
            for (expression, _), (least, most) in zip(self.problem.curved, self.outer, strict=True):
                if not low.shape[1]:
                    return low, high
                seen = Seen(low.shape[1])
                a, b = self.encloser.enclose(expression, low, high, seen)
                reached = (b >= least) & (a <= most) & ~seen.void
                if not reached.all():
                    low, high = low[:, reached], high[:, reached]
                    if not low.shape[1]:
                        return low, high
                    seen = Seen(low.shape[1])
                    self.encloser.enclose(expression, low, high, seen)
                target = (np.full(low.shape[1], least), np.full(low.shape[1], most))
                self.encloser.contract(expression, target, low, high, seen)
                low, high = _nonempty(low, high)
            if turn == 3 or not low.shape[1]:
                break
            after = np.log2(high - low + 1).sum(axis=0)
            if len(before) == len(after) and not (after < before - 0.5).any():
                break
        return low, high

    def _settled(self, low: Array, high: Array) -> tuple[Array, Array]:
        """Count the boxes in which everything holds, decide single points exactly, and return the others."""
        holds = np.ones(low.shape[1], dtype=bool)
        possible = np.ones(low.shape[1], dtype=bool)
        for row in self.problem.rows:
            a, b = self.encloser.form(row.form).bounds(low, high)
            holds &= (a >= row.low) & (b <= row.high)
            possible &= (b >= row.low) & (a <= row.high)
        # A variable that no requirement speaks of may be anything, so it is never halved.
        single = (low == high)[self.used].all(axis=0)
        for (expression, _), (least, most) in zip(self.problem.curved, self.inner, strict=True):
            seen = Seen(low.shape[1])
            a, b = self.encloser.enclose(expression, low, high, seen)
            # A box that touches a place without a value is not wholly inside; its quotients leave that open.
            holds &= (a >= least) & (b <= most) & ~seen.touching
        for number in np.flatnonzero(single & possible & ~holds):
            holds[number] = self.problem.check(tuple(int(v) for v in low[:, number]))
        for number in np.flatnonzero(holds):
            if self.point is None:
                point = tuple(int(v) for v in low[:, number])
                if not self.problem.check(point):  # what is shown is checked, whatever the bounds say
                    holds[number] = False
                    continue
                self.point = point
            size = 1
            for width in high[:, number] - low[:, number] + 1:
                size *= int(width)
            self.count += size
        found = low[:, holds & single]
        if self.kept < self.keep and found.shape[1]:
            self.points.append(found.astype(np.int64))
            self.kept += found.shape[1]
        rest = ~(holds | single)
        return low[:, rest], high[:, rest]

    def _halved(self, low: Array, high: Array) -> tuple[Array, Array]:
        widest = np.argmax((high - low) * self.weight, axis=0)
        boxes = np.arange(low.shape[1])
        middle = np.floor((low[widest, boxes] + high[widest, boxes]) / 2)
        left_high, right_low = high.copy(), low.copy()
        left_high[widest, boxes] = middle
        right_low[widest, boxes] = middle + 1
        return np.concatenate([low, right_low], axis=1), np.concatenate([left_high, high], axis=1)


def _weights(problem: Problem) -> Array:
    """How much does a variable matter? A sum over the rows of how far it moves one, measured by the room that
    the row leaves."""
    weight = np.full((len(problem.variables), 1), 0.1)
    for row in (row for row in problem.rows if row.form.terms):
        room = max(0.0, row.high - row.low) + float(min(map(abs, row.form.terms.values())))
        for variable, coefficient in row.form.terms.items():
            weight[variable.place] += abs(float(coefficient)) / room
    return weight


def _nonempty(low: Array, high: Array) -> tuple[Array, Array]:
    kept = (low <= high).all(axis=0)
    return (low, high) if kept.all() else (low[:, kept], high[:, kept])
