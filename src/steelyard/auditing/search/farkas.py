"""Search for a certificate: a branch and bound tree whose leaves are Farkas certificates."""

# Farkas' lemma: linear inequalities have no common solution exactly when non-negative multiples of them add
# up to a contradiction. The multipliers come from HiGHS (`scipy.optimize.linprog`) in doubles; they are
# rounded to few digits and checked in exact fractions (`checker.certificate`), so that nothing here needs to
# be trusted.

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Sequence
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray

from steelyard.auditing.checker.certificate import Region
from steelyard.auditing.checker.expressions import NoExactBoundsError, Ranges, Tree, to_json, variables_of
from steelyard.auditing.checker.integer_space import IntegerSpace, requirements_of, space_of
from steelyard.auditing.checker.linear_relaxation import Requirement, Rows, excludes
from steelyard.auditing.checker.question import Question
from steelyard.auditing.search.branch_and_bound import Budget, Problem

MOST_NODES = 30_000
# A part is split where an inequality excludes at least this share of it; else in the middle.
LEAST_CUT = 1 / 8
# Multipliers are written with as few digits as are enough.
DIGITS = (3, 7, 12)

Split = tuple[int | list[list[int]], int]


class TooLargeError(Exception):
    """The certificate is not complete yet: this many nodes, and this many parts still open."""

    def __init__(self, nodes: int, open_regions: int) -> None:
        self.nodes, self.open_regions = nodes, open_regions


def certificate_for(
    question: Question, formulas: Sequence[Tree], by_cells: bool, weights: Sequence[Fraction], budget: Budget
) -> dict[str, Any] | None:
    """A certificate that the question has no solution; None where a formula has no exact bounds."""
    # `weights` are parameters of Sedrakyan's inequality. TooLargeError if the budget ends before the tree.
    try:
        written = [to_json(formula) for formula in formulas]
        space = space_of(question, by_cells)
        trees: list[list[list[Any]]] = []
        # Unknown sizes are split first, one after the other, or not: which tree is small is not known
        # beforehand. With sizes known all else is nearly linear; but a contradiction may not need them.
        orders = (True, False) if any(role[0] == "size" for role in space.roles) else (False,)
        for divisor in question.divisors():
            requirements, before = requirements_of(question, space, formulas, divisor), sum(map(len, trees))
            for number, sizes_first in enumerate(orders):
                share = budget.share(1 / (len(orders) - number))
                tree = _Tree(space, requirements, weights, share, before, sizes_first)
                if tree.grow():
                    break
            else:
                raise TooLargeError(len(tree.nodes) + before, len(tree.open_regions))
            trees.append(tree.nodes)
    except NoExactBoundsError:
        return None
    return {
        "question": question.to_dict(),
        "counts": "cells" if by_cells else "classes",
        "formulas": written,
        "weights": [str(weight) for weight in weights],
        "trees": trees,
    }


class _Tree:
    def __init__(
        self,
        space: IntegerSpace,
        requirements: Sequence[Requirement],
        weights: Sequence[Fraction],
        budget: Budget,
        nodes_before: int,
        sizes_first: bool,
    ) -> None:
        self.space, self.requirements, self.weights = space, requirements, weights
        self.budget, self.nodes_before = budget, nodes_before
        self.curved = [(k, r) for k, r in enumerate(requirements) if r.rows is None]
        self.open_regions = [Region(space.box)]
        self.nodes: list[list[Any]] = []
        printed = requirements[len(space.always) + len(space.order) :]
        self.used = sorted(set().union(*(variables_of(r.tree) for r in printed)))
        self.sizes = [v for v in self.used if sizes_first and space.roles[v][0] == "size"]

    def grow(self) -> bool:
        """Split and exclude until nothing is left; False if it gets too large or something fits."""
        while self.open_regions:
            nodes = self.nodes_before + len(self.nodes) + len(self.open_regions)
            if nodes > MOST_NODES or self.budget.spent(0):
                return False
            region = self.open_regions.pop()
            excluding = next((k for k, r in self.curved if excludes(r, region.ranges)), None)
            if excluding is not None:
                self.nodes.append(["out", excluding])
                continue
            rows = Rows(region.ranges, self.requirements, region.extra, self.weights)
            relaxation = _Relaxation(rows, len(region.box))
            leaf = relaxation.single_row() or self._next(region, relaxation)
            if isinstance(leaf, list):
                self.nodes.append(["sum", leaf])
                continue
            if leaf is None:
                self.open_regions.append(region)
                return False
            what, at = leaf
            halves = region.halves(what if isinstance(what, int) else [(v, f) for v, f in what], at)
            self.nodes.append(["split", what, at])
            self.open_regions += halves[::-1]
        return True

    def _next(self, region: Region, relaxation: _Relaxation) -> list[list[Any]] | Split | None:
        """Multipliers that exclude the part, or where to split it."""
        # The first size that is not known yet; a sum over like folds that is fractional in the linear
        # program; where an inequality excludes much; or the widest integer in the middle.
        several = len(self.space.folds) > 1
        open_sizes = [v for v in self.sizes if region.box[v][0] < region.box[v][1]]
        if open_sizes and several:
            return self._middle(region, open_sizes[0])
        # At the root the linear program comes first: it may exclude everything at once.
        cut = None if several or not self.nodes else relaxation.cut()
        excluded = cut or relaxation.multipliers()
        if excluded:
            return excluded
        if open_sizes:
            return self._middle(region, min(open_sizes, key=lambda v: region.box[v][1] - region.box[v][0]))
        for form in self._sums(region):
            value = float(sum(relaxation.solution[v] for v in form))
            if min(value - math.floor(value), math.ceil(value) - value) > 1e-6:
                return [[v, 1] for v in form], math.floor(value)
        widest = max(self.used, key=lambda v: region.box[v][1] - region.box[v][0], default=None)
        return relaxation.cut() or (None if widest is None else self._middle(region, widest))

    @staticmethod
    def _middle(region: Region, v: int) -> Split | None:
        low, high = region.box[v]
        return (v, (low + high) // 2) if low < high else None

    def _sums(self, region: Region) -> list[list[int]]:
        """The integers of one kind in folds whose sizes are known by now and the same."""
        if len(self.space.folds) == 1:
            return []
        alike: dict[tuple[Any, ...], list[int]] = defaultdict(list)
        for v, (kind, fold, *where) in enumerate(self.space.roles):
            ends = [size.range(region.box) for size in self.space.folds[fold].sizes]
            if kind != "size" and all(low == high for low, high in ends):
                alike[(kind, tuple(low for low, _ in ends), *where)].append(v)
        return [form for form in alike.values() if len(form) > 1]


class _Relaxation:
    """The rows of a part in doubles, every variable scaled to lie between 0 and 1."""

    def __init__(self, rows: Rows, integers: int) -> None:
        self.rows = rows
        ends = np.array(rows.spans, dtype=float)
        low, high = np.where(np.isfinite(ends), ends, np.nan).T
        self.low, self.width = low, high - low
        self.integers = integers
        usable, forms, constants, scales = [], [], [], []
        for number, row in enumerate(rows.rows):
            places = [v for v, _ in row.terms]
            factors = np.array([float(f) for _, f in row.terms])
            if not np.isfinite(self.width[places]).all():
                continue
            scaled = factors * self.width[places]
            constant = float(row.constant) + float(factors @ low[places]) if places else float(row.constant)
            # Powers of two scale without rounding, so the exact multiplier is had back by shifting.
            size = max(1e-300, float(np.abs(scaled).max(initial=0.0)), abs(constant))
            exponent = math.frexp(size)[1]
            form = np.zeros(len(low))
            form[places] = np.ldexp(scaled, -exponent)
            usable.append(number)
            forms.append(form)
            constants.append(math.ldexp(constant, -exponent))
            scales.append(exponent)
        self.usable, self.scales = usable, scales
        self.forms: NDArray[np.float64] = np.array(forms).reshape(len(usable), len(low))
        self.constants = np.array(constants)
        self.solution = low.copy()
        self.most = self.constants + np.maximum(self.forms, 0.0).sum(axis=1)

    def single_row(self) -> list[list[Any]] | None:
        """One row that cannot hold by itself."""
        for line in np.flatnonzero(self.most < 0):
            if self.rows.total([(self.usable[line], Fraction(1))]) < 0:
                return [[self.usable[line], "1"]]
        return None

    def cut(self) -> Split | None:
        """The split by which one row excludes the largest share: the integer, and where it is split."""
        forms, width = self.forms[:, : self.integers], self.width[: self.integers]
        free = width > 0
        if not len(self.usable) or not free.any():
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

    def multipliers(self) -> list[list[Any]] | None:
        """Rows and multipliers that add up to a contradiction, in exact fractions; None if there are none."""
        if not len(self.usable):
            return None
        multipliers, solution = _farkas(self.forms, self.constants)
        self.solution = np.where(np.isfinite(self.width), self.low + solution * self.width, 0.0)
        if multipliers is None:
            return None
        # Short multipliers first: they keep the certificate readable, and most contradictions have slack.
        for digits in DIGITS:
            exact = [
                (row, Fraction(round(float(m) * 10**digits), 10**digits) / Fraction(2) ** scale)
                for row, m, scale in zip(self.usable, multipliers, self.scales, strict=True)
            ]
            positive = [(row, factor) for row, factor in exact if factor > 0]
            if self.rows.total(positive) < 0:
                return [[row, str(factor)] for row, factor in positive]
        return None


def has_no_real_point(problem: Problem) -> bool:
    """True if exact multiples of the rows of a linear problem add up to a contradiction (Farkas' lemma)."""
    # The multipliers come from HiGHS in doubles and are checked in fractions over the whole box.
    rows = Rows(Ranges(problem.box), (), problem.rows)
    return bool(problem.rows) and _Relaxation(rows, len(problem.box)).multipliers() is not None


def _farkas(
    forms: NDArray[np.float64], constants: NDArray[np.float64]
) -> tuple[NDArray[np.float64] | None, NDArray[np.float64]]:
    """Multipliers by which rows add up to a contradiction, and a point where they nearly hold."""
    # Multipliers m >= 0, their sum at most 1, for which m @ (forms @ y + constants) is negative at every y
    # from 0 to 1 (None if there are none), and a y at which the inequalities hold as nearly as possible. With
    # u_j = max(0, (m @ forms)_j) the greatest value is m @ constants + sum of u, which is minimised.
    from scipy.optimize import linprog
    from scipy.sparse import bmat, csr_matrix, eye

    # The dual is solved because its solution is the certificate; the primal point comes as its marginals.
    rows, width = forms.shape
    matrix = bmat([[csr_matrix(forms.T), -eye(width)], [csr_matrix(np.ones((1, rows))), None]], format="csr")
    cost = np.concatenate([constants, np.ones(width)])
    limits = np.concatenate([np.zeros(width), [1.0]])
    result = linprog(cost, A_ub=matrix, b_ub=limits, bounds=(0, None), method="highs")
    if result.x is None:
        return None, np.zeros(width)
    solution = np.clip(-result.ineqlin.marginals[:width], 0.0, 1.0)
    return (result.x[:rows] if result.fun < -1e-9 else None), solution
