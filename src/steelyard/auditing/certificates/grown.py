"""What proves that nothing gives the printed values? A tree that parts all matrices until every part is
excluded.

What is found here is checked in `check`, which trusts nothing of it: so this may use doubles, and stop.
"""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray

from steelyard.auditing.certificates.check import Part
from steelyard.auditing.certificates.posed import Posed, posed
from steelyard.auditing.certificates.question import Question
from steelyard.auditing.certificates.rows import Requirement, Rows, excludes
from steelyard.auditing.certificates.simplex import multiples
from steelyard.auditing.certificates.terms import integers_of
from steelyard.auditing.expressions import NotTraceableError
from steelyard.auditing.search import Budget

MOST_NODES = 30_000
LEAST_CUT = 1 / 8
"""A part is parted where an inequality leaves at least this share of it out; else in the middle."""
DIGITS = (3, 7, 12)
"""Multiples are written with as few digits as are enough."""

Split = tuple[int | list[list[int]], int]


@dataclass(frozen=True)
class TooLarge:
    """There is no certificate yet: so many nodes were made, and so many parts are still open."""

    nodes: int
    open_parts: int


def grown(question: Question, budget: Budget) -> dict[str, Any] | TooLarge | None:
    """A certificate; how far one got within the budget; or None where a measure has no exact bounds."""
    try:
        problem = posed(question)
    except NotTraceableError:
        return None
    trees: list[list[list[Any]]] = []
    for divisor in question.divisors():
        found = _tree_of(problem, divisor, budget, sum(map(len, trees)))
        if isinstance(found, TooLarge):
            return found
        trees.append(found)
    return {"question": question.to_dict(), "trees": trees}


def _tree_of(problem: Posed, divisor: int, budget: Budget, before: int) -> list[list[Any]] | TooLarge:
    """A tree that parts unknown sizes, one after the other, before all else; or one that does not: which of
    them is small is not known beforehand."""
    requirements = problem.requirements(divisor)
    sizes = any(role[0] == "size" for role in problem.roles)
    ways = (True, False) if sizes else (False,)
    for number, sizes_first in enumerate(ways):
        tree = _Tree(problem, requirements, budget.part(1 / (len(ways) - number)), before, sizes_first)
        if tree.grow():
            return tree.nodes
    return TooLarge(len(tree.nodes) + before, len(tree.waiting))


class _Tree:
    def __init__(
        self,
        problem: Posed,
        requirements: Sequence[Requirement],
        budget: Budget,
        before: int,
        sizes_first: bool,
    ) -> None:
        self.problem, self.requirements, self.budget, self.before = problem, requirements, budget, before
        self.curved = [(k, r) for k, r in enumerate(requirements) if r.rows is None]
        self.waiting = [Part(problem.box)]
        self.nodes: list[list[Any]] = []
        used = set().union(*(integers_of(tree) for values in problem.values for tree in values))
        self.used = sorted(used)
        self.sizes = [v for v in self.used if sizes_first and problem.roles[v][0] == "size"]

    def grow(self) -> bool:
        """Part and exclude until nothing is left; False if it gets too large or something fits."""
        while self.waiting:
            if self.before + len(self.nodes) + len(self.waiting) > MOST_NODES or self.budget.spent(0):
                return False
            here = self.waiting.pop()
            out = next((k for k, r in self.curved if excludes(r, here.ranges)), None)
            if out is not None:
                self.nodes.append(["out", out])
                continue
            planes = _Planes(Rows(here.ranges, self.requirements, here.extra), len(here.box))
            found = planes.alone() or self._part(here, planes)
            if isinstance(found, list):
                self.nodes.append(["sum", found])
                continue
            if found is None:
                self.waiting.append(here)
                return False
            what, at = found
            low, high = here.halves(what if isinstance(what, int) else [(v, f) for v, f in what], at)
            self.nodes.append(["split", what, at])
            self.waiting += [high, low]
        return True

    def _part(self, here: Part, planes: _Planes) -> list[list[Any]] | Split | None:
        """Why nothing fits here; or where to part: the first size that is not known yet; where the
        inequalities could hold, a sum over like folds that is not whole there; where one of them leaves much
        out; or the widest integer in the middle."""
        several = len(self.problem.folds) > 1
        begun = [v for v in self.sizes if here.box[v][0] < here.box[v][1]]
        if begun and several:
            return self._middle(here, begun[0])
        cut = None if several else planes.cut()
        if cut is not None:
            return cut
        contradiction = planes.together()
        if contradiction is not None:
            return contradiction
        if begun:
            return self._middle(here, min(begun, key=lambda v: here.box[v][1] - here.box[v][0]))
        for form in self._sums(here):
            value = float(sum(planes.where[v] for v in form))
            if min(value - math.floor(value), math.ceil(value) - value) > 1e-6:
                return [[v, 1] for v in form], math.floor(value)
        cut = planes.cut() if several else None
        if cut is not None:
            return cut
        widest = max(self.used, key=lambda v: here.box[v][1] - here.box[v][0], default=None)
        return None if widest is None else self._middle(here, widest)

    @staticmethod
    def _middle(here: Part, v: int) -> Split | None:
        low, high = here.box[v]
        return (v, (low + high) // 2) if low < high else None

    def _sums(self, here: Part) -> list[list[int]]:
        """The integers of one kind in folds whose sizes are known by now and the same."""
        if len(self.problem.folds) == 1:
            return []
        like: dict[tuple[Any, ...], list[int]] = defaultdict(list)
        for v, (kind, fold, *where) in enumerate(self.problem.roles):
            ends = [size.range(here.box) for size in self.problem.folds[fold].sizes]
            if kind != "size" and all(low == high for low, high in ends):
                like[(kind, tuple(low for low, _ in ends), *where)].append(v)
        return [form for form in like.values() if len(form) > 1]


class _Planes:
    """The rows of a part in doubles, every integer and number scaled to lie between 0 and 1."""

    def __init__(self, rows: Rows, integers: int) -> None:
        self.rows = rows
        ends = [
            (math.nan if a is None else float(a), math.nan if b is None else float(b)) for a, b in rows.spans
        ]
        low, high = np.array(ends).T
        self.low, self.width = low, high - low
        self.integers = integers
        kept, forms, constants, scales = [], [], [], []
        for number, row in enumerate(rows.rows):
            places = [v for v, _ in row.terms]
            factors = np.array([float(f) for _, f in row.terms])
            if not np.isfinite(self.width[places]).all():
                continue
            scaled = factors * self.width[places]
            constant = float(row.constant) + float(factors @ low[places]) if places else float(row.constant)
            size = max(1e-300, float(np.abs(scaled).max(initial=0.0)), abs(constant))
            exponent = math.frexp(size)[1]
            form = np.zeros(len(ends))
            form[places] = np.ldexp(scaled, -exponent)
            kept.append(number)
            forms.append(form)
            constants.append(math.ldexp(constant, -exponent))
            scales.append(exponent)
        self.kept, self.scales = kept, scales
        self.forms: NDArray[np.float64] = np.array(forms).reshape(len(kept), len(ends))
        self.constants = np.array(constants)
        self.where = low.copy()
        self.most = self.constants + np.maximum(self.forms, 0.0).sum(axis=1)

    def alone(self) -> list[list[Any]] | None:
        """One row that cannot hold by itself."""
        for line in np.flatnonzero(self.most < 0):
            total = self.rows.total([(self.kept[line], Fraction(1))])
            if total is not None and total < 0:
                return [[self.kept[line], "1"]]
        return None

    def cut(self) -> Split | None:
        """The largest part that one row leaves out: the integer, and where it is parted."""
        forms, width = self.forms[:, : self.integers], self.width[: self.integers]
        free = width > 0
        if not len(self.kept) or not free.any():
            return None
        forms, width = forms[:, free], width[free]
        with np.errstate(divide="ignore", invalid="ignore"):
            # form * y >= -(most without it)
            need = -(self.most[:, None] - np.abs(forms)) / np.abs(forms)
            cut = np.where((forms != 0) & (need > 0), np.ceil(need * width - 1e-9), 0.0)
        cut = np.where(cut > width, 0.0, cut)
        share = cut / (width + 1)
        line, column = np.unravel_index(int(np.argmax(share)), share.shape)
        if not share[line, column] > LEAST_CUT:
            return None
        v = int(np.flatnonzero(free)[column])
        low, whole = int(self.low[v]), int(cut[line, column])
        return v, (low + whole - 1 if forms[line, column] > 0 else low + int(width[column]) - whole)

    def together(self) -> list[list[Any]] | None:
        """Multiples of rows that cannot hold together."""
        if not len(self.kept):
            return None
        found, where = multiples(self.forms, self.constants)
        self.where = np.where(np.isfinite(self.width), self.low + where * self.width, 0.0)
        if found is None:
            return None
        for digits in DIGITS:
            exact = [
                (self.kept[line], Fraction(round(float(m) * 10**digits), 10**digits) / Fraction(2) ** scale)
                for line, (m, scale) in enumerate(zip(found, self.scales, strict=True))
            ]
            taken = [(row, factor) for row, factor in exact if factor > 0]
            total = self.rows.total(taken) if taken else None
            if total is not None and total < 0:
                return [[row, str(factor)] for row, factor in taken]
        return None
