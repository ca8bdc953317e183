"""The integers that stand for all matrices that a question allows, and what always holds of them.

The integers are the hits of each class, its size where that is not known, and with three classes or more its
false alarms; of every fold, if there are folds. A matrix with given hits, sizes and false alarms exists
exactly when there are as many false alarms as misses and no class takes part in more errors than there are.
Formulas that need single cells get one integer for each cell beside the diagonal.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any

from steelyard.auditing.checker.expressions import ZERO, Linear, Terms, Tree, number, total, variable
from steelyard.auditing.checker.linear_relaxation import Requirement, tightened
from steelyard.auditing.checker.question import Interval, Question


def counts_of(classes: int, by_cells: bool) -> int:
    """How many counts a formula speaks of: sizes, then hits and false alarms (or all cells, by rows)."""
    return classes + (classes * classes if by_cells else 2 * classes)


def even_sizes(examples: int, folds: int) -> list[int]:
    """The sizes of folds that differ by one example at most."""
    return [examples // folds + (fold < examples % folds) for fold in range(folds)]


@dataclass
class Fold:
    """One matrix: the sizes of its classes and its counts as linear forms of the integers."""

    sizes: list[Linear]
    hits: list[Linear]
    alarms: list[Linear]
    cells: list[list[Linear]] | None = None

    def counts(self, by_cells: bool, transposed: bool = False) -> list[Linear]:
        """The counts that a formula speaks of, of the matrix or of its transpose."""
        pairs = zip(self.sizes, self.hits, self.alarms, strict=True)
        sizes = [hits.plus(alarms) for _, hits, alarms in pairs] if transposed else self.sizes
        if by_cells:
            assert self.cells is not None
            rows = zip(*self.cells, strict=True) if transposed else self.cells
            return [*sizes, *(cell for row in rows for cell in row)]
        misses = [size.plus(hits, -1) for size, hits in zip(self.sizes, self.hits, strict=True)]
        return [*sizes, *self.hits, *(misses if transposed else self.alarms)]


@dataclass
class IntegerSpace:
    """A box of integers, requirements that always hold in it, and the folds that the integers describe."""

    by_cells: bool = False
    terms: Terms = field(default_factory=Terms)
    box: list[tuple[int, int]] = field(default_factory=list)
    roles: list[tuple[Any, ...]] = field(default_factory=list)
    """What each integer is: ("size", fold, class), ("hits", ...), ("alarms", ...) or ("cell", fold, row,
    column)."""
    always: list[Requirement] = field(default_factory=list)
    order: list[Requirement] = field(default_factory=list)
    """Folds that can be exchanged are considered in one order only."""
    folds: list[Fold] = field(default_factory=list)

    def value(self, formula: Tree, fold: Fold, transposed: bool = False) -> Tree:
        """A formula on the counts of a fold, as an expression of the integers."""
        return self.terms.substituted(formula, fold.counts(self.by_cells, transposed), self.box)

    def mean(self, values: Sequence[Tree]) -> Tree:
        share = Fraction(1, len(values))
        return values[0] if len(values) == 1 else self.terms.sum([(share, value) for value in values])

    def variance(self, values: Sequence[Tree], divisor: int) -> Tree:
        """The variance over folds, dividing by their number less `divisor`."""
        mean, share = self.mean(values), Fraction(1, len(values) - divisor)
        # Squares of deviations, not the mean of squares less the square of the mean: the difference of two
        # large intervals would say nothing.
        deviations = [self.terms.sum([(Fraction(1), value), (Fraction(-1), mean)]) for value in values]
        return self.terms.sum([(share, self.terms.product(deviation, deviation)) for deviation in deviations])

    def point(self, matrices: Sequence[Sequence[Sequence[int]]]) -> list[int]:
        """The integers of these matrices, one for each fold."""
        point = []
        for kind, fold, *where in self.roles:
            matrix = matrices[fold]
            if kind == "cell":
                point.append(matrix[where[0]][where[1]])
            elif kind == "alarms":
                point.append(sum(row[where[0]] for row in matrix) - matrix[where[0]][where[0]])
            else:
                row = matrix[where[0]]
                point.append(sum(row) if kind == "size" else row[where[0]])
        return point

    # -- building

    def new(self, role: tuple[Any, ...], least: int, most: int) -> Linear:
        self.box.append((least, max(least, most)))
        self.roles.append(role)
        if most < least:  # nothing fits: stated once, by a requirement that nothing meets
            self.hold(number(-1))
        return variable(len(self.box) - 1)

    def hold(self, form: Linear, most: int | None = None) -> None:
        """Require that the form is not negative, and at most `most`."""
        if most is not None:
            self.always.append(Requirement.of(self.terms.linear(form), Interval(ZERO, Fraction(most))))
        else:
            self.always.append(self._not_negative(form))

    def _not_negative(self, form: Linear) -> Requirement:
        everything = Interval(ZERO, Fraction(max(0, self.greatest(form))))
        return Requirement(self.terms.linear(form), everything, (tightened(form),))

    def greatest(self, form: Linear) -> int:
        return int(form.range(self.box)[1])

    def add_matrix(self, known: Sequence[int | None], limit: int, is_total: bool) -> None:
        """One matrix whose class sizes are known, or at least 1 and together at most (or exactly) `limit`."""
        unknown = [at for at, size in enumerate(known) if size is None]
        spare = limit - sum(1 if size is None else size for size in known)
        # With a total the last unknown size is what the others leave.
        left = number(limit)
        sizes = []
        for at, size in enumerate(known):
            if size is not None:
                sizes.append(number(size))
            elif is_total and at == unknown[-1]:
                sizes.append(number(0))
            else:
                sizes.append(self.new(("size", 0, at), 1, 1 + spare))
            left = left.plus(sizes[at], -1)
        if unknown and is_total:
            sizes[unknown[-1]] = left
            left = left.plus(number(-1))
        if unknown and left.terms:
            self.hold(left)
        self.add_fold(sizes)

    def add_folds(self, totals: Sequence[int], count: int, fold_sizes: Any) -> None:
        """The folds of one repetition: their class sizes are given, stratified or unknown."""
        start = len(self.folds)
        if not isinstance(fold_sizes, str):
            kinds, sizes = list(fold_sizes), [[number(size) for size in fold] for fold in fold_sizes]
        elif fold_sizes == "stratified":
            kinds, sizes = [None] * count, self._stratified(totals, count)
        else:
            kinds = even_sizes(sum(totals), count)
            sizes = self._unknown(totals, kinds)
        for fold in sizes:
            self.add_fold(fold)
        self._sort(start, kinds)

    def _stratified(self, totals: Sequence[int], count: int) -> list[list[Linear]]:
        columns, first = [], len(self.folds)
        for at, size in enumerate(totals):
            least, more = divmod(size, count)
            # A stratified split gives every fold the whole part of its share.
            # Some folds, not known which, take one of the examples that are left over.
            columns.append(
                [
                    self.new(("size", first + fold, at), least, least + 1) if more else number(least)
                    for fold in range(count)
                ]
            )
            if more:
                self.hold(total(columns[-1]).plus(number(-size)), 0)
        return [list(fold) for fold in zip(*columns, strict=True)]

    def _unknown(self, totals: Sequence[int], examples: Sequence[int]) -> list[list[Linear]]:
        folds, first = [], len(self.folds)
        for fold, size in enumerate(examples):
            row = [
                self.new(("size", first + fold, at), 0, min(size, of_class))
                for at, of_class in enumerate(totals[:-1])
            ]
            last = number(size).plus(total(row), -1)
            self.hold(last)
            folds.append([*row, last])
        for at, of_class in enumerate(totals[:-1]):
            self.hold(total([fold[at] for fold in folds]).plus(number(-of_class)), 0)
        return folds

    def _sort(self, start: int, kinds: Sequence[Any]) -> None:
        """Means and deviations do not depend on the order of folds of one kind: they are sorted by the size
        of their first class, then by its hits."""
        # Symmetry breaking: k folds of one kind come in k! orders that give the same means.
        large = 1 + max(self.greatest(fold.hits[0]) for fold in self.folds[start:])
        keys = [fold.sizes[0].times(large).plus(fold.hits[0]) for fold in self.folds[start:]]
        for kind, next_kind, key, next_key in zip(kinds, kinds[1:], keys, keys[1:], strict=False):
            if kind == next_kind:
                form = next_key.plus(key, -1)
                self.order.append(self._not_negative(form))

    def add_fold(self, sizes: list[Linear]) -> None:
        """One matrix with these class sizes."""
        at, count = len(self.folds), len(sizes)
        if count > 2 and self.by_cells:
            self.folds.append(self._fold_of_cells(at, sizes))
            return
        hits = []
        for i, size in enumerate(sizes):
            hits.append(self.new(("hits", at, i), 0, self.greatest(size)))
            if size.terms:
                self.hold(size.plus(hits[i], -1))
        # Two classes: the misses of one are the false alarms of the other, so hits say everything.
        if count == 2:
            misses = [size.plus(h, -1) for size, h in zip(sizes, hits, strict=True)]
            cells = [[hits[0], misses[0]], [misses[1], hits[1]]]
            self.folds.append(Fold(sizes, hits, misses[::-1], cells))
            return
        everyone = total(sizes)
        errors = everyone.plus(total(hits), -1)
        alarms = []
        for i, size in enumerate(sizes):
            alarms.append(self.new(("alarms", at, i), 0, self.greatest(everyone.plus(size, -1))))
        # Errors of class i are its misses and its false alarms, two different cells of each error: their sum
        # is at most the number of all errors. With equal totals this is also enough for a matrix
        # (`errors_with`).
        for i, size in enumerate(sizes):
            self.hold(errors.plus(size, -1).plus(hits[i]).plus(alarms[i], -1))
        self.hold(errors.plus(total(alarms), -1), 0)
        self.folds.append(Fold(sizes, hits, alarms))

    def _fold_of_cells(self, at: int, sizes: list[Linear]) -> Fold:
        count, cells = len(sizes), []
        for i, size in enumerate(sizes):
            row = [
                number(0) if j == i else self.new(("cell", at, i, j), 0, self.greatest(size))
                for j in range(count)
            ]
            row[i] = size.plus(total(row), -1)
            self.hold(row[i])
            cells.append(row)
        alarms = [total([cells[i][j] for i in range(count) if i != j]) for j in range(count)]
        return Fold(sizes, [cells[i][i] for i in range(count)], alarms, cells)


def space_of(question: Question, by_cells: bool) -> IntegerSpace:
    """All matrices that a question allows."""
    space = IntegerSpace(by_cells)
    if question.folds is None:
        is_total = question.total is not None
        space.add_matrix(question.sizes, (question.total if is_total else question.up_to) or 0, is_total)
    else:
        for _ in range(question.repeats):
            space.add_folds([size or 0 for size in question.sizes], question.folds, question.fold_sizes)
    return space


def requirements_of(
    question: Question, space: IntegerSpace, formulas: Sequence[Tree], divisor: int
) -> list[Requirement]:
    """All that must hold, where a deviation divides by the number of folds less `divisor`."""
    requirements = [*space.always, *space.order]
    for printed, formula, interval in zip(question.printed, formulas, question.intervals(), strict=True):
        values = [space.value(formula, fold) for fold in space.folds]
        if printed.is_deviation:
            interval, tree = interval.power(2), space.variance(values, divisor)
        else:
            tree = space.mean(values)
        requirements.append(Requirement.of(tree, interval))
    return requirements
