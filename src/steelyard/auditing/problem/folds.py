"""Means over folds: every fold has a matrix of its own, and a printed value is the mean of their values."""

# The mean of ratios is not the ratio of means: a mean F-measure is not the F-measure of the mean precision
# and the mean recall, nor that of the pooled counts. Where every value is a linear function of the counts
# (accuracy, recall, balanced accuracy), folds of equal size behave like one larger fold, and only the sums
# matter.

from __future__ import annotations

import itertools
import math
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Literal

from steelyard.auditing.checker.expressions import Linear, Tree, number, total
from steelyard.auditing.checker.integer_space import Fold, IntegerSpace, even_sizes
from steelyard.auditing.checker.question import DIVISORS
from steelyard.auditing.problem import settings
from steelyard.auditing.problem.demands import Demand, Matrix, beta_squared, f_measure, simplified
from steelyard.auditing.problem.settings import (
    Decision,
    OneMatrix,
    Sizes,
    choices,
    expression_of,
    needs_cells,
    product_of,
)
from steelyard.auditing.search.branch_and_bound import Answer, Budget
from steelyard.measures.catalogue import measure as look_up
from steelyard.measures.numbers import exact_root
from steelyard.measures.undefined import Undefined

Arrangement = Literal["stratified", "unknown"] | tuple[tuple[int, ...], ...]
Deviation = Literal["sample", "population", "either"]
FoldSizes = list[tuple[int, ...]]
# Distributions of unknown class sizes over folds that are searched one by one; more, together.
MOST_SPLITS = 2000


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
        arranged = {"stratified": "stratified", "unknown": "of about equal size, their classes unknown"}
        sizes = arranged[self.arrangement] if isinstance(self.arrangement, str) else "of the given sizes"
        text = f"values are means over {self.count * self.repeats} folds, {sizes}"
        rest = [(size or 0) % self.count for size in self.sizes.known]
        if self.arrangement == "stratified" and _remainders(rest, self.count) is None:
            text += ", remainders distributed one class after the other as scikit-learn does"
        return (text,)

    def candidates(self) -> int | None:
        """The number of outcomes, the most of all arrangements; None where it has too many digits."""
        listed = [sizes * self.repeats for sizes in self._arrangements() if sizes is not None]
        if not listed:  # where the classes of the folds are unknown, an upper bound
            folds = even_sizes(self.sizes.most, self.count) * self.repeats
            return product_of([choices(size, len(self.sizes.labels) ** 2) for size in folds])
        counts = [product_of([Sizes(self.sizes.labels, of).matrices() for of in sizes]) for sizes in listed]
        return None if None in counts else max(filter(None, counts), default=0)

    def contradict(self, demands: Sequence[Demand]) -> bool:
        """True if relations, concavity or the bounds of a mean exclude the demands, without any search."""
        simple = simplified(demands, len(self.sizes.labels), self.undefined, over_folds=True)
        return simple is None or any(self._deviates_too_far(demand, demands) for demand in demands)

    def decide(self, demands: Sequence[Demand], budget: Budget, wanted: int | None = None) -> Decision:
        """Some reading (how remainders are distributed, which deviation is meant) must fit."""
        classes, demanded = len(self.sizes.labels), any(d.statistic == "deviation" for d in demands)
        simple = simplified(demands, classes, self.undefined, over_folds=True)
        readings = [
            (None if sizes is None else sizes * self.repeats, divisor)
            for sizes in self._arrangements()
            for divisor in (DIVISORS[self.deviation] if demanded else (1,))
        ]
        if simple is None or self.contradict(demands):
            return Decision("impossible", complete=True)
        # A reader of a paper cannot know which reading is meant, so "impossible" needs all of them excluded.
        undecided = 0
        for at, (sizes, divisor) in enumerate(readings):
            if at and budget.spent(0):
                undecided += 1
                break
            decision = self._decide(simple, sizes, divisor, budget.share(1 / (len(readings) - at)))
            if decision.answer == "possible":
                return decision
            undecided += decision.answer == "undecided"
        answer: Answer = "undecided" if undecided else "impossible"
        return Decision(answer, complete=not undecided)

    def _deviates_too_far(self, spread: Demand, demands: Sequence[Demand]) -> bool:
        """Is a deviation larger than numbers of this range and mean can have?"""
        # Their variance is at most (mean - low) * (high - mean), which values at the two ends attain (Bhatia
        # and Davis, 2000).
        if spread.statistic != "deviation" or spread.of_means or spread.interval.low <= 0:
            return False
        # Checked before any search: boxes of many folds narrow too slowly to notice it.
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
        fewest = folds - max(DIVISORS[self.deviation])
        return spread.interval.low**2 > variance * folds / fewest

    def value(self, demand: Demand, matrices: Sequence[Matrix]) -> Fraction | float:
        # A usual mistake of cross-validated F-measures: Forman and Scholz 2010 compare the three ways.
        if demand.of_means:
            precision, recall = (self.value(mean, matrices) for mean in _means(demand))
            if not (isinstance(precision, Fraction) and isinstance(recall, Fraction)):
                return math.nan
            value = f_measure(beta_squared(demand), precision, recall)
            return math.nan if value is None else value
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
        roots = [exact_root(around / (len(exact) - divisor), 2) for divisor in DIVISORS[self.deviation]]
        return min(roots, key=demand.interval.distance)

    def _arrangements(self) -> Sequence[FoldSizes | None]:
        """The class sizes of each fold; None where they are unknown and not listed."""
        totals = [size or 0 for size in self.sizes.known]
        if not isinstance(self.arrangement, str):
            return [list(self.arrangement)]
        if self.arrangement == "unknown":
            examples = even_sizes(sum(totals), self.count)
            if len(totals) > 2 or self.repeats > 1:
                return [None]
            listed = list(itertools.islice(_splits(totals[0], examples), MOST_SPLITS + 1))
            return [None] if len(listed) > MOST_SPLITS else [*listed]
        rest = [size % self.count for size in totals]
        dealt = _remainders(rest, self.count) or [_one_after_the_other(rest, self.count)]
        whole = [size // self.count for size in totals]
        return [[tuple(map(sum, zip(whole, extra, strict=True))) for extra in extras] for extras in dealt]

    def _decide(
        self, demands: Sequence[Demand], sizes: FoldSizes | None, divisor: int, budget: Budget
    ) -> Decision:
        if sizes is not None:
            if any(self._is_without_value(demand, fold) for demand in demands for fold in sizes):
                return Decision("impossible", complete=True)
            # What is linear is decided over sums of folds; if that is impossible, so is the whole.
            linear = [d for d in demands if self._is_linear(d, sizes)]
            if linear:
                decision = self._decide_linear(linear, sizes, budget)
                if len(linear) == len(demands) or decision.answer == "impossible":
                    return decision
        present = sizes is not None and all(min(fold) > 0 for fold in sizes)
        space = IntegerSpace(needs_cells(demands, len(self.sizes.labels), self.undefined, present))
        totals = [size or 0 for size in self.sizes.known]
        for start in range(0, self.count * self.repeats, self.count):
            fold_sizes = "unknown" if sizes is None else sizes[start : start + self.count]
            space.add_folds(totals, self.count, fold_sizes)

        def matrices(point: Sequence[int]) -> tuple[Matrix, ...]:
            return tuple(settings.matrix_at(fold, point) for fold in space.folds)

        trees = [self._statistic(demand, space, divisor, present) for demand in demands]
        return self._solved(space, demands, trees, matrices, budget)

    def _solved(
        self,
        space: IntegerSpace,
        demands: Sequence[Demand],
        trees: Sequence[Tree],
        matrices: Callable[[Sequence[int]], tuple[Matrix, ...]],
        budget: Budget,
    ) -> Decision:
        """Search a space for the matrices on which each expression has the value that is demanded of it."""

        def check(point: Sequence[int]) -> bool:
            witness = matrices(point)
            return all(demand.holds(self.value(demand, witness)) for demand in demands)

        problem = settings.problem_of(space, check)
        for demand, tree in zip(demands, trees, strict=True):
            interval = demand.interval if demand.statistic == "value" else demand.interval.power(2)
            problem.require(tree, interval)
        outcome = settings.solved(problem, budget, wanted=1)
        if outcome.point is None:
            return Decision(outcome.answer, complete=outcome.complete)
        return Decision("possible", matrices(outcome.point), 1, False, boxes=outcome.boxes)

    def _statistic(self, demand: Demand, space: IntegerSpace, divisor: int, present: bool) -> Tree:
        if demand.of_means:
            precision, recall = (self._statistic(mean, space, divisor, present) for mean in _means(demand))
            weight, terms = beta_squared(demand), space.terms
            top = terms.sum([(1 + weight, terms.product(precision, recall))])
            return terms.ratio(top, terms.sum([(weight, precision), (Fraction(1), recall)]), None)
        values = [expression_of(space, fold, demand, self.undefined, present) for fold in space.folds]
        return space.mean(values) if demand.statistic == "value" else space.variance(values, divisor)

    def _is_without_value(self, demand: Demand, fold: Sequence[int]) -> bool:
        """True if the metric needs examples of a class of which this fold has none."""
        needed = {
            "recall": (demand.place or 0,),
            "specificity": (1 - (demand.place or 0),),
            "macro_recall": range(len(fold)),
        }
        if self.undefined != "nan" or 0 not in fold or (len(fold) > 2 and demand.place is not None):
            return False
        return any(fold[place] == 0 for place in needed.get(demand.measure.id, ()))

    def _is_linear(self, demand: Demand, sizes: FoldSizes) -> bool:
        """True if the value of a fold is a linear function of its cells, for folds of all these sizes."""
        if demand.statistic == "deviation" or demand.of_means:
            return False
        for fold in dict.fromkeys(sizes):
            present = min(fold) > 0
            space = IntegerSpace(needs_cells([demand], len(fold), self.undefined, present))
            space.add_fold([number(size) for size in fold])
            if expression_of(space, space.folds[0], demand, self.undefined, present)[0] != "linear":
                return False
        return True

    def _decide_linear(self, demands: Sequence[Demand], sizes: FoldSizes, budget: Budget) -> Decision:
        """Folds of equal sizes as one, where every value is a mean of linear functions of the cells."""
        # Sums of counts over equal folds can be dealt out to them again (`_dealt`), so one fold stands for
        # many.
        groups = Counter(sizes)
        present = all(min(fold) > 0 for fold in groups)
        space = IntegerSpace(needs_cells(demands, len(self.sizes.labels), self.undefined, present))
        for fold, many in groups.items():
            space.add_fold([number(size * many) for size in fold])
        pools = list(zip(space.folds, groups.items(), strict=True))
        singles = [(_single(pool, many), many) for pool, (_, many) in pools]

        def mean(demand: Demand) -> Tree:
            forms = [
                (expression_of(space, single, demand, self.undefined, present)[1], many)
                for single, many in singles
            ]
            sums = total(form._replace(constant=form.constant * many) for form, many in forms)
            return ("linear", sums.times(Fraction(1, len(sizes))))

        def matrices(point: Sequence[int]) -> tuple[Matrix, ...]:
            shares = {
                fold: _dealt(settings.matrix_at(pool, point), fold, many) for pool, (fold, many) in pools
            }
            return tuple(next(shares[fold]) for fold in sizes)

        return self._solved(space, demands, [mean(demand) for demand in demands], matrices, budget)


def _means(demand: Demand) -> list[Demand]:
    """Mean precision and mean recall in place of an F-measure of both."""
    return [replace(demand, measure=look_up(name), of_means=False) for name in ("precision", "recall")]


# Where printed values come from: which matrices there are.
Setting = OneMatrix | Folds


def pooled(setting: Folds) -> OneMatrix:
    """The same examples as one matrix: all folds added up, each repetition counted."""
    known = tuple(None if size is None else size * setting.repeats for size in setting.sizes.known)
    return OneMatrix(replace(setting.sizes, known=known), setting.undefined)


def _splits(left: int, sizes: Sequence[int], least: int = 0) -> Iterator[list[tuple[int, ...]]]:
    """The ways in which `left` examples of the first of two classes fall into folds of these sizes."""
    # Folds of equal size in one order only: with at least as many as the one before.
    if left > sum(sizes):
        return
    if not sizes:
        yield []
        return
    for count in range(least, min(left, sizes[0]) + 1):
        for rest in _splits(left - count, sizes[1:], count if sizes[1:2] == sizes[:1] else 0):
            yield [(count, sizes[0] - count), *rest]


def _remainders(rest: Sequence[int], count: int) -> list[Sequence[tuple[int, ...]]] | None:
    """The ways in which folds take one more example of a class, folds in any one order."""
    # None if there are too many to look at one by one.
    ways: set[tuple[tuple[int, ...], ...]] = {((),) * count}
    for many in rest:
        ways = {tuple(sorted(way)) for before in ways for way in _with_one_more(before, many)}
        if len(ways) > MOST_SPLITS:
            return None
    return [tuple(reversed(way)) for way in sorted(ways, reverse=True)]


def _with_one_more(folds: Sequence[tuple[int, ...]], many: int) -> Iterator[list[tuple[int, ...]]]:
    """Every choice of `many` folds that get one more example each; equal folds are interchangeable."""
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
    # StratifiedKFold sorts the labels and deals them out in turn, one class after the other.
    starts = itertools.accumulate(rest, initial=0)
    taken = [
        {(start + more) % count for more in range(many)} for start, many in zip(starts, rest, strict=False)
    ]
    return [tuple(int(fold in folds) for folds in taken) for fold in range(count)]


def _single(pool: Fold, many: int) -> Fold:
    """One of the folds that were pooled, with the variables of the pool."""
    # Of a function that is linear in the counts, the sum over the folds then differs in the constant only,
    # which counts once for each fold.

    def single(forms: Sequence[Linear]) -> list[Linear]:
        return [form._replace(constant=form.constant / many) for form in forms]

    cells = None if pool.cells is None else [single(row) for row in pool.cells]
    return Fold(single(pool.sizes), single(pool.hits), single(pool.alarms), cells)


def _dealt(matrix: Matrix, sizes: Sequence[int], many: int) -> Iterator[Matrix]:
    """The rows of a matrix distributed over this many folds of these sizes."""
    left = [list(row) for row in matrix]
    for _ in range(many):
        fold = []
        for row, size in zip(left, sizes, strict=True):
            taken, missing = [], size
            for place, count in enumerate(row):
                moved = min(count, missing)
                row[place] -= moved
                missing -= moved
                taken.append(moved)
            fold.append(tuple(taken))
        yield tuple(fold)
