"""Is there one matrix that gives all these values: one is shown, or there is none, or it stays open within
the budget?"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any

import numpy as np

from steelyard.auditing import relations
from steelyard.auditing.climb import climb
from steelyard.auditing.demands import Answer, Decision, Demand
from steelyard.auditing.dive import dive
from steelyard.auditing.expressions import Expression, NotTraceableError, Opaque
from steelyard.auditing.problem import Problem
from steelyard.auditing.search import Budget, Outcome, search
from steelyard.auditing.spaces import Cells, Matrix, NeedsCellsError, Sizes, Space, Totals, trace
from steelyard.measures.undefined import Policy, Undefined
from steelyard.proofs.prover import smt

SOON = 4000
"""Boxes that are searched before other ways are tried: a number that, unlike a time, gives the same answer on
every machine."""

SECONDS_OF_PROVER = 0.5
"""What the prover gets before boxes are searched, where one point is enough."""


@dataclass(frozen=True)
class OneMatrix:
    """All values are of one and the same matrix, of a test set or of all folds pooled."""

    sizes: Sizes
    undefined: Undefined = "nan"

    @property
    def what(self) -> str:
        return "matrices"

    def assumptions(self) -> tuple[str, ...]:
        return ()

    def decide(self, demands: Sequence[Demand], budget: Budget, wanted: int | None = None) -> Decision:
        plainer = relations.plain(demands, len(self.sizes.labels), self.undefined)
        if plainer is None:
            return Decision("impossible", complete=True, candidates=self.sizes.matrices())
        space = space_for(plainer, self.sizes, self.undefined)
        problem = problem_of(space, plainer, demands, self.undefined)
        may_climb = self.sizes.complete and not problem.is_linear
        outcome = solved(problem, budget.part(0.5, boxes=SOON) if may_climb else budget, wanted)
        decision = self._decision(outcome, space)
        if decision.answer == "undecided" and may_climb:
            found = climb(demands, self.sizes, self.undefined, budget.part(0.4))
            if found is not None:
                return replace(decision, answer="possible", matrices=(found,), count=1)
            return self._decision(solved(problem, budget, wanted), space)
        return decision

    def value(self, demand: Demand, matrices: Sequence[Matrix]) -> Fraction | float:
        return demand.value(matrices[0], self.sizes.labels, self.undefined)

    def _decision(self, outcome: Outcome, space: Space) -> Decision:
        facts: dict[str, Any] = {"candidates": self.sizes.matrices(), "boxes": outcome.boxes}
        if outcome.point is None:
            answer: Answer = "impossible" if outcome.status == "none" else "undecided"
            return Decision(answer, complete=outcome.complete, **facts)
        count, exact = outcome.count, True
        if outcome.points is not None and isinstance(space, Totals):
            count, exact = space.multiplicity(outcome.points)
            exact = exact and outcome.points.shape[1] == outcome.count
            count = max(count, outcome.count)
        return Decision(
            "possible", (space.matrix(outcome.point),), count, outcome.complete and exact, **facts
        )


def space_for(demands: Sequence[Demand], sizes: Sizes, undefined: Undefined) -> Space:
    """Totals of the classes where they are enough, else all cells."""
    if len(sizes.labels) > 2:
        totals = Totals(sizes)
        try:
            for demand in demands:
                expression_of(totals, demand, undefined)
        except NeedsCellsError:
            return Cells(sizes)
        return totals
    return Cells(sizes)


def problem_of(
    space: Space, plainer: Sequence[Demand], demands: Sequence[Demand], undefined: Undefined
) -> Problem:
    """The demands as requirements on the variables of a space; a point is checked against them as they were
    given."""
    problem = space.problem()
    for demand in plainer:
        problem.require(expression_of(space, demand, undefined), demand.interval)

    def check(point: Sequence[int]) -> bool:
        matrix = space.matrix(point)
        return all(demand.holds(demand.value(matrix, space.labels, undefined)) for demand in demands)

    return replace(problem, check=check)


def expression_of(space: Space, demand: Demand, undefined: Undefined) -> Expression:
    """The measure as an expression of the variables, written down once for a space; opaque where it compares
    counts."""
    key = (id(demand.measure), demand.place, undefined, demand.transposed)
    known = space.traced.get(key)
    if known is not None:
        return known[1]
    try:
        found = trace(space, demand.measure, demand.place, Policy.of(undefined), demand.transposed)
    except NotTraceableError:
        if isinstance(space, Totals):  # it might yet ask for cells, so that totals would not determine it
            raise NeedsCellsError from None
        found = Opaque(tuple(space.own))
    space.traced[key] = (demand.measure, found)
    return found


def solved(problem: Problem, budget: Budget, wanted: int | None = None) -> Outcome:
    """Search; a linear problem of which one point is enough is dived into first, and one that is not decided
    soon is asked of the prover, which is better at small hard ones."""
    if not problem.is_linear:
        return search(problem, budget, wanted)
    if wanted == 1:
        found = dive(problem) or _asked_of_prover(problem, SECONDS_OF_PROVER)
        if found is not None:
            return found
    soon = budget.part(1.0, boxes=SOON)
    outcome = search(problem, soon, wanted)
    if outcome.status == "undecided":
        outcome = _asked_of_prover(problem, max(1.0, budget.left)) or search(problem, budget, wanted)
    return outcome


def _asked_of_prover(problem: Problem, seconds: float) -> Outcome | None:
    """The linear requirements asked of z3: a small hard system of inequalities in integers."""
    rows = [
        (
            {v.place: int(c) for v, c in row.form.terms.items()},
            int(row.form.constant),
            row.least,
            row.most,
        )
        for row in problem.rows
    ]
    bounds = [(v.least, v.most) for v in problem.variables]
    answer, point = smt.integer_point(bounds, rows, seconds=seconds)
    if answer == "no":
        return Outcome("none", complete=True)
    if answer == "yes" and point is not None and problem.check(point):
        return Outcome("found", tuple(point), np.array(point, dtype=np.int64)[:, None], 1, False)
    return None
