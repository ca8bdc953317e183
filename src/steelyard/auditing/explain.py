"""Why can these values not be true together? The fewest of them that already contradict each other, and by
how much."""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from dataclasses import dataclass, replace
from fractions import Fraction

from steelyard.auditing.demands import Demand, Setting
from steelyard.auditing.problem import Interval
from steelyard.auditing.search import Budget

MOST_TRIED = 80
"""Subsets that are tried before one is only thinned out."""


@dataclass(frozen=True)
class Nearest:
    """If all but one of the contradicting values hold, how near can that one come?"""

    demand: Demand
    value: Fraction
    """The nearest attainable value; exact, or as near as the budget allowed to tell."""
    away: Fraction
    """Its distance from the printed number."""
    exact: bool
    """Is it proved that no attainable value is nearer?"""


@dataclass(frozen=True)
class Contradiction:
    """Values that cannot be true together, none of which can be left out, and how far apart they are."""

    demands: tuple[Demand, ...]
    nearest: tuple[Nearest, ...]


def contradiction(demands: Sequence[Demand], setting: Setting, budget: Budget) -> Contradiction:
    """The fewest demands that are impossible together; all of them are known to be."""
    core = _core(demands, setting, budget)
    near = [_nearest(core, number, setting, budget) for number in range(len(core))]
    return Contradiction(core, tuple(found for found in near if found is not None))


def _core(demands: Sequence[Demand], setting: Setting, budget: Budget) -> tuple[Demand, ...]:
    tried = 0
    for size in range(1, len(demands)):
        for subset in itertools.combinations(demands, size):
            tried += 1
            if tried > MOST_TRIED or budget.spent(0):
                return _thinned(demands, setting, budget)
            if _impossible(subset, setting, budget):
                return subset
    return tuple(demands)


def _thinned(demands: Sequence[Demand], setting: Setting, budget: Budget) -> tuple[Demand, ...]:
    """What is left when every demand without which the others are still impossible is taken out."""
    kept = list(demands)
    for demand in demands:
        rest = [other for other in kept if other is not demand]
        if rest and not budget.spent(0) and _impossible(rest, setting, budget):
            kept = rest
    return tuple(kept)


def _impossible(demands: Sequence[Demand], setting: Setting, budget: Budget) -> bool:
    return setting.decide(demands, budget.part(0.2), wanted=1).answer == "impossible"


def _nearest(core: Sequence[Demand], number: int, setting: Setting, budget: Budget) -> Nearest | None:
    """Widen one interval until something fits, then find by halving how little is enough."""
    demand = core[number]
    middle = (demand.interval.low + demand.interval.high) / 2
    half = (demand.interval.high - demand.interval.low) / 2
    unit = half if half > 0 else Fraction(1, 10_000)
    others = [other for place, other in enumerate(core) if place != number]

    def attained(distance: Fraction, strictly: bool) -> tuple[str, Fraction | None]:
        wide = Interval(middle - distance, middle + distance, strictly, strictly)
        asked = replace(demand, interval=wide)
        found = setting.decide([*others, asked], budget.part(0.1), wanted=1)
        if found.answer != "possible":
            return found.answer, None
        value = setting.value(asked, found.matrices)
        return "possible", value if isinstance(value, Fraction) else None

    none_within, best = half, None
    width = unit * 4
    for _ in range(40):
        answer, best = attained(width, False)
        if answer == "possible":
            break
        if answer == "undecided" or width > 4:
            return None
        none_within, width = width, width * 4
    if best is None:
        return None
    exact = False
    for _ in range(30):
        gap = abs(best - middle)
        if gap - none_within <= unit / 1000:
            answer, nearer = attained(gap, True)
            exact = answer == "impossible"
            best = nearer if nearer is not None else best
            break
        between = (none_within + gap) / 2
        answer, nearer = attained(between, False)
        if answer == "undecided":
            break
        if nearer is None:
            none_within = between
        else:
            best = nearer
    return Nearest(demand, best, abs(best - middle), exact)
