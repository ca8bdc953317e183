"""Can these means over folds be true? Every fold has a matrix of its own, and a printed value is the mean of
their values.

The mean of ratios is not the ratio of means: a mean F-measure is not the F-measure of the mean precision and
the mean recall, nor that of the pooled counts. Where every value is a linear function of the counts
(accuracy, recall, balanced accuracy), folds of equal size are one larger fold to the arithmetic, and only the
sums matter.
"""

from __future__ import annotations

import itertools
import math
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Literal

from steelyard.auditing import relations
from steelyard.auditing.demands import Decision, Demand
from steelyard.auditing.expressions import Expression, Linear, Variable, constant, product, quotient
from steelyard.auditing.one_matrix import OneMatrix, expression_of, solved, space_for
from steelyard.auditing.problem import Interval, Problem
from steelyard.auditing.search import Budget
from steelyard.auditing.spaces import Cells, Matrix, Sizes, Space, Totals
from steelyard.measures.arithmetic import exact_root
from steelyard.measures.catalogue import measure as look_up
from steelyard.measures.undefined import Undefined

Arrangement = Literal["stratified", "unknown"] | tuple[tuple[int, ...], ...]
Deviation = Literal["sample", "population", "either"]
Matrices = Callable[[Sequence[int]], tuple[Matrix, ...]]
MOST_SPLITS = 2000
"""Ways in which unknown class sizes can fall that are looked at one by one; more are searched together."""
_DIVISORS: dict[str, tuple[int, ...]] = {"sample": (1,), "population": (0,), "either": (1, 0)}


@dataclass(frozen=True)
class Folds:
    """Every printed value is the mean (or the standard deviation) of the values of the folds."""

    sizes: Sizes
    count: int
    arrangement: Arrangement = "stratified"
    repeats: int = 1
    deviation: Deviation = "either"
    undefined: Undefined = "nan"

    @property
    def what(self) -> str:
        return f"outcomes of {self.count * self.repeats} folds"

    def assumptions(self) -> tuple[str, ...]:
        known = (
            "stratified" if self.arrangement == "stratified" else "of about equal size, their classes unknown"
        )
        said = f"values are means over {self.count * self.repeats} folds, " + (
            known if isinstance(self.arrangement, str) else "of the sizes that were given"
        )
        rest = [(size or 0) % self.count for size in self.sizes.known]
        if self.arrangement == "stratified" and _remainders(rest, self.count) is None:
            said += ", remainders dealt out one class after the other as scikit-learn does"
        return (said,)

    def decide(self, demands: Sequence[Demand], budget: Budget, wanted: int | None = None) -> Decision:
        """Some reading (how the remainders fall, which deviation is meant) must fit; impossible if none
        does."""
        plainer = relations.plain(demands, len(self.sizes.labels), self.undefined)
        readings = list(self._readings(demands))
        candidates = max((math.prod(s.matrices() for s in folds) for folds, _ in readings), default=0)
        if plainer is None or any(self._spreads_too_far(demand, demands) for demand in demands):
            return Decision("impossible", complete=True, candidates=candidates)
        open_ones = 0
        for number, (folds, divisor) in enumerate(readings):
            if number and budget.spent(0):
                open_ones += 1
                break
            decision = self._decide(plainer, folds, divisor, budget.part(1 / (len(readings) - number)))
            if decision.answer == "possible":
                return replace(decision, candidates=candidates)
            open_ones += decision.answer == "undecided"
        return Decision(
            "undecided" if open_ones else "impossible", complete=not open_ones, candidates=candidates
        )

    def _spreads_too_far(self, spread: Demand, demands: Sequence[Demand]) -> bool:
        """Is a deviation larger than numbers of this range and mean can have? Their variance is at most
        (mean - low) * (high - mean), which values at the two ends attain (Bhatia and Davis, 2000)."""
        if spread.statistic != "deviation" or spread.of_means or spread.interval.low <= 0:
            return False
        ends = spread.measure.range.at(len(self.sizes.labels))
        filled = not isinstance(self.undefined, str) and not ends[0] <= self.undefined <= ends[1]
        if filled or not all(map(math.isfinite, ends)):
            return False
        low, high = (Fraction(end) for end in spread.measure.range.exactly_at(len(self.sizes.labels)))
        middle = (low + high) / 2
        # The mean within its digits that leaves most room; any mean where none is printed.
        printed = [
            max(d.interval.low, min(middle, d.interval.high))
            for d in demands
            if d == replace(spread, statistic="value", interval=d.interval, text=d.text)
        ]
        variance = min((mean - low) * (high - mean) for mean in printed or [middle])
        folds = self.count * self.repeats
        fewest = folds - max(_DIVISORS[self.deviation])
        return spread.interval.low**2 > variance * folds / fewest

    def value(self, demand: Demand, matrices: Sequence[Matrix]) -> Fraction | float:
        if demand.of_means:
            precision, recall = (
                self.value(replace(demand, measure=look_up(name), of_means=False), matrices)
                for name in ("precision", "recall")
            )
            if (
                not (isinstance(precision, Fraction) and isinstance(recall, Fraction))
                or precision + recall == 0
            ):
                return math.nan
            weight = _beta_squared(demand)
            return (1 + weight) * precision * recall / (weight * precision + recall)
        # Most folds of a witness are alike.
        of = {m: demand.value(m, self.sizes.labels, self.undefined) for m in dict.fromkeys(matrices)}
        values = [of[matrix] for matrix in matrices]
        exact = [value for value in values if isinstance(value, Fraction)]
        if len(exact) < len(values):
            return math.nan
        mean = sum(exact, Fraction(0)) / len(exact)
        if demand.statistic == "value":
            return mean
        around = sum(((value - mean) ** 2 for value in exact), Fraction(0))
        roots = [exact_root(around / (len(exact) - divisor), 2) for divisor in _DIVISORS[self.deviation]]
        return min(roots, key=demand.interval.distance)

    # -- readings

    def _readings(self, demands: Sequence[Demand]) -> Iterator[tuple[list[Sizes], int]]:
        spread = any(demand.statistic == "deviation" for demand in demands)
        divisors = _DIVISORS[self.deviation] if spread else (1,)
        for folds in self._arrangements():
            for divisor in divisors:
                yield folds * self.repeats, divisor

    def _arrangements(self) -> Iterator[list[Sizes]]:
        labels = self.sizes.labels
        if not isinstance(self.arrangement, str):
            yield [Sizes(labels, fold) for fold in self.arrangement]
            return
        totals = [size for size in self.sizes.known if size is not None]
        if self.arrangement == "unknown":
            everyone = sum(totals)
            sizes = [everyone // self.count + (at < everyone % self.count) for at in range(self.count)]
            listed = list(itertools.islice(_splits(totals, sizes), MOST_SPLITS + 1))
            if len(totals) == 2 and self.repeats == 1 and len(listed) <= MOST_SPLITS:
                for split in listed:
                    yield [Sizes(labels, fold) for fold in split]
            else:
                yield [Sizes(labels, (None,) * len(labels), size, size, least=0) for size in sizes]
            return
        rest = [size % self.count for size in totals]
        for extras in _remainders(rest, self.count) or [_one_after_the_other(rest, self.count)]:
            yield [
                Sizes(
                    labels, tuple(size // self.count + more for size, more in zip(totals, extra, strict=True))
                )
                for extra in extras
            ]

    # -- one reading

    def _decide(
        self, demands: Sequence[Demand], folds: list[Sizes], divisor: int, budget: Budget
    ) -> Decision:
        if all(size.complete for size in folds):
            if any(self._is_without_value(demand, size) for demand in demands for size in folds):
                return Decision("impossible", complete=True)
            # What is linear is decided over sums of folds; if that is impossible, so is the whole.
            linear = [d for d in demands if all(self._is_linear(d, size) for size in dict.fromkeys(folds))]
            if linear:
                decision = self._solved(*self._grouped(linear, folds), budget)
                if len(linear) == len(demands) or decision.answer == "impossible":
                    return decision
        variables: list[Variable] = []
        first = space_for(demands, folds[0], self.undefined)
        kind = Totals if isinstance(first, Totals) else Cells
        spaces: list[Space] = [kind(size, variables) for size in folds]
        problem = Problem(variables)
        for space in spaces:
            space.constrain(problem)
        if not all(size.complete for size in folds):
            self._fix_totals(problem, spaces)
        for demand in demands:
            interval = demand.interval if demand.statistic == "value" else demand.interval.power(2)
            problem.require(self._statistic(demand, spaces, divisor), interval)
        self._order(problem, spaces, folds)

        def matrices(point: Sequence[int]) -> tuple[Matrix, ...]:
            return tuple(space.matrix(point) for space in spaces)

        return self._solved(problem, matrices, demands, budget)

    def _solved(
        self, problem: Problem, matrices: Matrices, demands: Sequence[Demand], budget: Budget
    ) -> Decision:
        def check(point: Sequence[int]) -> bool:
            found = matrices(point)
            return all(demand.holds(self.value(demand, found)) for demand in demands)

        problem = replace(problem, check=check)
        outcome = solved(problem, budget, wanted=1)
        if outcome.point is None:
            return Decision(
                "impossible" if outcome.status == "none" else "undecided", complete=outcome.complete
            )
        return Decision("possible", matrices(outcome.point), 1, False, boxes=outcome.boxes)

    def _statistic(self, demand: Demand, spaces: Sequence[Space], divisor: int) -> Expression:
        if demand.of_means:
            precision, recall = (
                self._statistic(replace(demand, measure=look_up(name), of_means=False), spaces, divisor)
                for name in ("precision", "recall")
            )
            weight = _beta_squared(demand)
            return quotient(product(precision, recall) * (1 + weight), precision * weight + recall, None)
        values = [expression_of(space, demand, self.undefined) for space in spaces]
        total: Expression = constant(0)
        for value in values:
            total = total + value
        mean = total / len(values)
        if demand.statistic == "value":
            return mean
        around: Expression = constant(0)
        for value in values:
            away = value - mean
            around = around + product(away, away)
        return around / (len(values) - divisor)

    def _fix_totals(self, problem: Problem, spaces: Sequence[Space]) -> None:
        """The folds of each repetition hold all examples of each class."""
        for start in range(0, len(spaces), self.count):
            for place, size in enumerate(self.sizes.known):
                total = constant(0)
                for space in spaces[start : start + self.count]:
                    total = total.plus(space.actual(place))
                problem.require(total, Interval(Fraction(size or 0), Fraction(size or 0)))

    def _order(self, problem: Problem, spaces: Sequence[Space], folds: Sequence[Sizes]) -> None:
        """Folds of the same sizes can be exchanged, so that only one order of them is looked at."""
        if self.arrangement == "unknown" and self.repeats > 1:
            return
        for one, other, size, next_size in zip(spaces, spaces[1:], folds, folds[1:], strict=False):
            if size == next_size:
                difference = Linear({other.own[0]: Fraction(1), one.own[0]: Fraction(-1)})
                problem.at_least(difference, Fraction(0))

    def _is_without_value(self, demand: Demand, size: Sizes) -> bool:
        """Does the measure need examples of a class of which this fold has none?"""
        needed = {"recall": (demand.place,), "specificity": _others(demand.place), "macro_recall": None}
        if self.undefined != "nan" or demand.measure.id not in needed or 0 not in size.known:
            return False
        places = needed[demand.measure.id]
        counts = size.known if places is None else [size.known[place or 0] for place in places]
        return 0 in counts if places is None else not any(counts)

    def _is_linear(self, demand: Demand, size: Sizes) -> bool:
        """Is the value of a fold a linear function of its cells?"""
        if demand.statistic == "deviation" or demand.of_means:
            return False
        return isinstance(expression_of(Cells(size), demand, self.undefined), Linear)

    def _grouped(
        self, demands: Sequence[Demand], folds: Sequence[Sizes]
    ) -> tuple[Problem, Matrices, Sequence[Demand]]:
        """Folds of equal sizes as one, where every value is a mean of linear functions of the cells."""
        groups = Counter(folds)
        variables: list[Variable] = []
        spaces = {size: Cells(_times(size, many), variables) for size, many in groups.items()}
        means = [constant(0) for _ in demands]
        for size, many in groups.items():
            alone = Cells(size)
            for number, demand in enumerate(demands):
                form = expression_of(alone, demand, self.undefined)
                assert isinstance(form, Linear)
                moved = dict(zip(alone.own, spaces[size].own, strict=True))
                terms = {moved[variable]: factor for variable, factor in form.terms.items()}
                means[number] = means[number].plus(Linear(terms, form.constant * many))
        problem = Problem(variables)
        for space in spaces.values():
            space.constrain(problem)
        for demand, total in zip(demands, means, strict=True):
            problem.require(total.times(Fraction(1, len(folds))), demand.interval)

        def matrices(point: Sequence[int]) -> tuple[Matrix, ...]:
            waiting = {size: _dealt(spaces[size].matrix(point), size, many) for size, many in groups.items()}
            return tuple(next(waiting[size]) for size in folds)

        return problem, matrices, demands


def pooled(setting: Folds) -> OneMatrix:
    """The same examples as one matrix: all folds added up, each repetition counted."""
    known = tuple(None if size is None else size * setting.repeats for size in setting.sizes.known)
    return OneMatrix(replace(setting.sizes, known=known), setting.undefined)


def _others(place: int | None) -> tuple[int, ...]:
    return (1 - (place or 0),)


def _splits(totals: Sequence[int], sizes: Sequence[int]) -> Iterator[list[tuple[int, ...]]]:
    """The ways in which two classes fall into folds of these sizes, those of equal size in one order only."""
    first = totals[0]

    def placed(at: int, left: int, least: int) -> Iterator[list[tuple[int, ...]]]:
        if at == len(sizes):
            if left == 0:
                yield []
            return
        if left > sum(sizes[at:]):
            return
        start = least if at and sizes[at] == sizes[at - 1] else 0
        for count in range(start, min(left, sizes[at]) + 1):
            for rest in placed(at + 1, left - count, count):
                yield [(count, sizes[at] - count), *rest]

    return placed(0, first, 0)


def _beta_squared(demand: Demand) -> Fraction:
    return Fraction(str(demand.measure.parameters.get("beta", 1))) ** 2


def _remainders(rest: Sequence[int], count: int) -> list[Sequence[tuple[int, ...]]] | None:
    """The ways in which folds take one more example of a class, folds in any one order; None if there are too
    many to look at one by one."""
    ways: set[tuple[tuple[int, ...], ...]] = {((),) * count}
    for many in rest:
        ways = {tuple(sorted(way)) for before in ways for way in _with_one_more(before, many)}
        if len(ways) > MOST_SPLITS:
            return None
    return [tuple(reversed(way)) for way in sorted(ways, reverse=True)]


def _with_one_more(folds: Sequence[tuple[int, ...]], many: int) -> Iterator[list[tuple[int, ...]]]:
    """So many of the folds take one more example; folds that are alike are not told apart."""
    kinds = Counter(folds)

    def dealt(left: Sequence[tuple[int, ...]], missing: int) -> Iterator[list[tuple[int, ...]]]:
        if not left:
            if missing == 0:
                yield []
            return
        alike = kinds[left[0]]
        for taken in range(min(alike, missing) + 1):
            here = [(*left[0], 1)] * taken + [(*left[0], 0)] * (alike - taken)
            for others in dealt(left[1:], missing - taken):
                yield here + others

    return dealt(list(kinds), many)


def _one_after_the_other(rest: Sequence[int], count: int) -> Sequence[tuple[int, ...]]:
    """A class goes on with the fold at which the one before it stopped, as scikit-learn deals them out."""
    starts = itertools.accumulate(rest, initial=0)
    taken = [
        {(start + more) % count for more in range(many)} for start, many in zip(starts, rest, strict=False)
    ]
    return [tuple(int(fold in folds) for folds in taken) for fold in range(count)]


def _times(sizes: Sizes, many: int) -> Sizes:
    return replace(sizes, known=tuple(None if size is None else size * many for size in sizes.known))


def _dealt(matrix: Matrix, sizes: Sizes, many: int) -> Iterator[Matrix]:
    """The rows of a matrix dealt out to so many folds of these sizes."""
    left = [list(row) for row in matrix]
    for _ in range(many):
        fold = []
        for row, size in zip(left, sizes.known, strict=True):
            taken, missing = [], size or 0
            for place, count in enumerate(row):
                moved = min(count, missing)
                row[place] -= moved
                missing -= moved
                taken.append(moved)
            fold.append(tuple(taken))
        yield tuple(fold)
