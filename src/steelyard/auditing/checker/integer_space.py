"""The integers that stand for all matrices that a question allows, and what always holds of them."""

# The integers are the hits of each class, its size where that is not known, and with three classes or more
# its false alarms; of every fold, if there are folds. A matrix with given hits, sizes and false alarms exists
# exactly when there are as many false alarms as misses and no class takes part in more errors than there are.
# Formulas that need single cells get one integer for each cell beside the diagonal.

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
    # What each integer is: ("size", fold, class), ("hits", ...), ("alarms", ...) or ("cell", fold, row,
    # column).
    roles: list[tuple[Any, ...]] = field(default_factory=list)
    always: list[Requirement] = field(default_factory=list)
    # Folds that can be exchanged are considered in one order only.
    order: list[Requirement] = field(default_factory=list)
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

    # -- building

    def new(self, role: tuple[Any, ...], least: int, most: int) -> Linear:
        self.box.append((least, max(least, most)))
        self.roles.append(role)
        if most < least:  # nothing fits: stated once, by a requirement that nothing meets
            self.hold(number(-1))
        return variable(len(self.box) - 1)

    def hold(self, form: Linear) -> None:
        """Require that the form is not negative."""
        self.always.append(self._not_negative(form))

    def vanish(self, form: Linear) -> None:
        """Require that the form is 0."""
        self.always.append(Requirement.of(self.terms.linear(form), Interval(ZERO, ZERO)))

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
        kinds: list[Any] = [None] * count
        folds: list[list[Linear]] = []
        if not isinstance(fold_sizes, str):
            kinds, folds = list(fold_sizes), [[number(size) for size in fold] for fold in fold_sizes]
        elif fold_sizes == "stratified":
            columns = []
            for at, size in enumerate(totals):
                # A stratified split gives every fold the whole part of its share.
                # Some folds, not known which, take one of the examples that are left over.
                least, more = divmod(size, count)
                places = range(start, start + count)
                columns.append(
                    [
                        self.new(("size", fold, at), least, least + 1) if more else number(least)
                        for fold in places
                    ]
                )
                if more:
                    self.vanish(total(columns[-1]).plus(number(-size)))
            folds = [list(fold) for fold in zip(*columns, strict=True)]
        else:
            kinds = even_sizes(sum(totals), count)
            for fold, size in enumerate(kinds, start):
                ends = [min(size, of_class) for of_class in totals[:-1]]
                row = [self.new(("size", fold, at), 0, most) for at, most in enumerate(ends)]
                folds.append([*row, number(size).plus(total(row), -1)])
                self.hold(folds[-1][-1])
            for at, of_class in enumerate(totals[:-1]):
                self.vanish(total([fold[at] for fold in folds]).plus(number(-of_class)))
        for sizes in folds:
            self.add_fold(sizes)
        # Symmetry breaking: k folds of one kind come in k! orders that give the same means and deviations, so
        # they are sorted by the size of their first class, then by its hits.
        large = 1 + max(self.greatest(fold.hits[0]) for fold in self.folds[start:])
        keys = [fold.sizes[0].times(large).plus(fold.hits[0]) for fold in self.folds[start:]]
        for kind, next_kind, key, next_key in zip(kinds, kinds[1:], keys, keys[1:], strict=False):
            if kind == next_kind:
                self.order.append(self._not_negative(next_key.plus(key, -1)))

    def add_fold(self, sizes: list[Linear]) -> None:
        """One matrix with these class sizes."""
        at, count = len(self.folds), len(sizes)
        if count > 2 and self.by_cells:
            cells = []
            for i, size in enumerate(sizes):
                most = self.greatest(size)
                row = [self.new(("cell", at, i, j), 0, most) if j != i else number(0) for j in range(count)]
                row[i] = size.plus(total(row), -1)
                self.hold(row[i])
                cells.append(row)
            alarms = [total([cells[i][j] for i in range(count) if i != j]) for j in range(count)]
            self.folds.append(Fold(sizes, [cells[i][i] for i in range(count)], alarms, cells))
            return
        hits = []
        for i, size in enumerate(sizes):
            hits.append(self.new(("hits", at, i), 0, self.greatest(size)))
            if size.terms:
                self.hold(size.plus(hits[i], -1))
        # Two classes: the misses of one are the false alarms of the other, so hits say everything.
        if count == 2:
            misses = [size.plus(h, -1) for size, h in zip(sizes, hits, strict=True)]
            self.folds.append(Fold(sizes, hits, misses[::-1], [[hits[0], misses[0]], [misses[1], hits[1]]]))
            return
        everyone = total(sizes)
        errors = everyone.plus(total(hits), -1)
        ends = [self.greatest(everyone.plus(size, -1)) for size in sizes]
        alarms = [self.new(("alarms", at, i), 0, most) for i, most in enumerate(ends)]
        # Errors of class i are its misses and its false alarms, two different cells of each error: their sum
        # is at most the number of all errors. With equal totals this is also enough for a matrix
        # (`errors_with`).
        for i, size in enumerate(sizes):
            self.hold(errors.plus(size, -1).plus(hits[i]).plus(alarms[i], -1))
        self.vanish(errors.plus(total(alarms), -1))
        self.folds.append(Fold(sizes, hits, alarms))


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
