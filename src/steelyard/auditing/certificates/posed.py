"""Which integers stand for all matrices that a question allows, and what must hold of them?

The integers are the hits of each class, its size where that is not known, and with three classes or more its
false alarms; of every fold, if there are folds. Matrices with given hits, sizes and false alarms exist just
when there are as many false alarms as misses and no class takes part in more errors than there are.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any

import numpy as np

from steelyard.auditing import expressions as e
from steelyard.auditing.certificates.question import Question, as_squares
from steelyard.auditing.certificates.rows import Requirement
from steelyard.auditing.certificates.terms import NOTHING, Linear, Terms, Tree, number, variable
from steelyard.auditing.spaces import ClassTotals, NeedsCellsError, of_one
from steelyard.measures.measure import Measure
from steelyard.measures.undefined import Policy, Undefined
from steelyard.measures.view import View
from steelyard.measures.views import Classes, TwoClass

Matrix = Sequence[Sequence[int]]


@dataclass
class Fold:
    """One matrix: its classes' sizes and its counts as linear forms of the integers."""

    sizes: list[Linear]
    cells: list[list[Linear]] | None = None
    hits: list[Linear] = field(default_factory=list)
    alarms: list[Linear] = field(default_factory=list)


@dataclass
class Posed:
    """Integers, what always holds of them, and the printed values as requirements on them."""

    question: Question
    terms: Terms = field(default_factory=Terms)
    box: list[tuple[int, int]] = field(default_factory=list)
    roles: list[tuple[Any, ...]] = field(default_factory=list)
    """What each integer is: ("size", fold, class), ("hits", ...), ("alarms", ...) or ("cell", fold, row,
    column)."""
    always: list[Requirement] = field(default_factory=list)
    order: list[Requirement] = field(default_factory=list)
    """Folds that can be exchanged are looked at in one order only."""
    folds: list[Fold] = field(default_factory=list)
    values: list[list[Tree]] = field(default_factory=list)
    """Of each printed value: the measure on each fold."""

    def requirements(self, divisor: int) -> list[Requirement]:
        """All that must hold, where a deviation divides by the number of folds less this."""
        found = [*self.always, *self.order]
        demanded = self.question.intervals()
        for printed, values, (_, _, interval) in zip(
            self.question.printed, self.values, demanded, strict=True
        ):
            ends: tuple[Fraction, Fraction] = (interval.low, interval.high)
            tree = self._mean(values)
            if printed.is_deviation:
                ends = as_squares(interval)
                tree = self._variance(values, tree, divisor)
            low_open = interval.low_open and not (printed.is_deviation and interval.low < 0)
            make = Requirement.linear if tree[0] == "linear" else Requirement
            found.append(make(tree, *ends, low_open, interval.high_open))
        return found

    def _mean(self, values: Sequence[Tree]) -> Tree:
        share = Fraction(1, len(values))
        return values[0] if len(values) == 1 else self.terms.sum([(share, value) for value in values])

    def _variance(self, values: Sequence[Tree], mean: Tree, divisor: int) -> Tree:
        share = Fraction(1, len(values) - divisor)
        away = [self.terms.sum([(Fraction(1), value), (Fraction(-1), mean)]) for value in values]
        return self.terms.sum([(share, self.terms.product(part, part)) for part in away])

    def point(self, matrices: Sequence[Matrix]) -> list[int]:
        """The integers of these matrices, one for each fold."""
        found = []
        for kind, fold, *where in self.roles:
            matrix = matrices[fold]
            if kind == "cell":
                found.append(matrix[where[0]][where[1]])
            elif kind == "alarms":
                found.append(sum(row[where[0]] for row in matrix) - matrix[where[0]][where[0]])
            else:
                row = matrix[where[0]]
                found.append(sum(row) if kind == "size" else row[where[0]])
        return found

    # -- making

    def new(self, role: tuple[Any, ...], least: int, most: int) -> Linear:
        self.box.append((least, max(least, most)))
        self.roles.append(role)
        if most < least:  # nothing fits: said once, by a requirement that nothing meets
            self.hold(number(-1))
        return variable(len(self.box) - 1)

    def hold(self, form: Linear, most: int | None = None) -> None:
        """The form is not negative, and at most `most`."""
        high = None if most is None else Fraction(most)
        self.always.append(Requirement.linear(self.terms.linear(form), NOTHING, high))

    def greatest(self, form: Linear) -> int:
        return int(form.range(self.box)[1])

    def add_fold(self, sizes: list[Linear], by_cells: bool) -> None:
        at, count = len(self.folds), len(sizes)
        everyone = number(0)
        for size in sizes:
            everyone = everyone.plus(size)
        hits: list[Linear] = []
        if count > 2 and by_cells:
            cells = []
            for i, size in enumerate(sizes):
                row = [
                    number(0) if j == i else self.new(("cell", at, i, j), 0, self.greatest(size))
                    for j in range(count)
                ]
                row[i] = size
                for j in range(count):
                    row[i] = row[i].plus(row[j], -1) if j != i else row[i]
                self.hold(row[i])
                cells.append(row)
                hits.append(row[i])
            self.folds.append(Fold(sizes, cells, hits))
            return
        for i, size in enumerate(sizes):
            hits.append(self.new(("hits", at, i), 0, self.greatest(size)))
            if size.terms:
                self.hold(size.plus(hits[i], -1))
        if count == 2:
            ((a, b), (p, n)) = hits, sizes
            self.folds.append(Fold(sizes, [[a, p.plus(a, -1)], [n.plus(b, -1), b]], hits))
            return
        alarms, errors = [], everyone
        for i, size in enumerate(sizes):
            alarms.append(self.new(("alarms", at, i), 0, self.greatest(everyone.plus(size, -1))))
            errors = errors.plus(hits[i], -1)
        balance = errors
        for i, size in enumerate(sizes):
            balance = balance.plus(alarms[i], -1)
            self.hold(errors.plus(size, -1).plus(hits[i]).plus(alarms[i], -1))
        self.hold(balance, 0)
        self.folds.append(Fold(sizes, None, hits, alarms))


def posed(question: Question) -> Posed:
    """All matrices that a question allows, and what it demands of them."""
    try:
        return _posed(question, by_cells=False)
    except NeedsCellsError:
        return _posed(question, by_cells=True)


def _posed(question: Question, by_cells: bool) -> Posed:
    found = Posed(question)
    if question.folds is None:
        found.add_fold(_sizes(found), by_cells)
    for repetition in range(question.repeats if question.folds is not None else 0):
        start = len(found.folds)
        kinds, sizes = _fold_sizes(found, repetition)
        for fold in sizes:
            found.add_fold(fold, by_cells)
        _order(found, start, kinds)
    for measure, place, _ in question.intervals():
        found.values.append([_traced(found, fold, measure, place) for fold in found.folds])
    return found


def _sizes(found: Posed) -> list[Linear]:
    """The sizes of the classes of one matrix: each known, or at least 1 and together no more than told."""
    question = found.question
    unknown = [at for at, size in enumerate(question.sizes) if size is None]
    limit = question.up_to if question.total is None else question.total
    spare = (limit or 0) - sum(1 if size is None else size for size in question.sizes)
    # With a total the last unknown size is what the others leave.
    left = number(limit or 0)
    sizes = []
    for at, size in enumerate(question.sizes):
        if size is not None:
            sizes.append(number(size))
        elif question.total is not None and at == unknown[-1]:
            sizes.append(number(0))
        else:
            sizes.append(found.new(("size", 0, at), 1, 1 + spare))
        left = left.plus(sizes[at], -1)
    if not unknown:
        return sizes
    if question.total is not None:
        sizes[unknown[-1]] = left
        left = left.plus(number(-1))
    if left.terms:
        found.hold(left)
    return sizes


def _fold_sizes(found: Posed, repetition: int) -> tuple[list[Any], list[list[Linear]]]:
    """The sizes of the classes of each fold, and of what kind each fold is: those of one kind can be
    exchanged."""
    question, first = found.question, len(found.folds)
    count, totals = question.folds or 0, [size or 0 for size in question.sizes]
    if not isinstance(question.fold_sizes, str):
        return list(question.fold_sizes), [[number(s) for s in fold] for fold in question.fold_sizes]
    if question.fold_sizes == "stratified":
        columns = []
        for at, total in enumerate(totals):
            least, more = divmod(total, count)
            # Some folds, nobody knows which, take one of the examples that are left over.
            columns.append(
                [
                    found.new(("size", first + fold, at), least, least + 1) if more else number(least)
                    for fold in range(count)
                ]
            )
            if more:
                _add_up(found, columns[-1], total)
        return [None] * count, [list(fold) for fold in zip(*columns, strict=True)]
    everyone = sum(totals)
    in_fold = [everyone // count + (fold < everyone % count) for fold in range(count)]
    folds = []
    for fold, size in enumerate(in_fold):
        row = [
            found.new(("size", first + fold, at), 0, min(size, total)) for at, total in enumerate(totals[:-1])
        ]
        last = number(size)
        for form in row:
            last = last.plus(form, -1)
        found.hold(last)
        folds.append([*row, last])
    for at, total in enumerate(totals[:-1]):
        _add_up(found, [fold[at] for fold in folds], total)
    return in_fold, folds


def _add_up(found: Posed, sizes: Sequence[Linear], total: int) -> None:
    form = number(-total)
    for size in sizes:
        form = form.plus(size)
    found.hold(form, 0)


def _order(found: Posed, start: int, kinds: Sequence[Any]) -> None:
    """Means and deviations do not depend on the order of folds of one kind: they are sorted by the size of
    their first class, then by its hits."""
    much = 1 + max(found.greatest(fold.hits[0]) for fold in found.folds[start:])
    keys = [fold.sizes[0].times(much).plus(fold.hits[0]) for fold in found.folds[start:]]
    for kind, after, key, larger in zip(kinds, kinds[1:], keys, keys[1:], strict=False):
        if kind == after:
            form = larger.plus(key, -1)
            found.order.append(Requirement.linear(found.terms.linear(form), NOTHING, None))


def _traced(found: Posed, fold: Fold, measure: Measure, place: int | None) -> Tree:
    """The body of a measure, run once on the counts of a fold."""
    arithmetic = e.Tracing(Policy.of(found.question.undefined))
    given = [e.Variable(at, "", *ends) for at, ends in enumerate(found.box)]
    view = _view(fold, found.question.labels, given, measure.kind, place, arithmetic)
    value = np.broadcast_to(np.asarray(measure.body(view), dtype=object), (1,))[0]
    return _tree(value if isinstance(value, e.Expression) else e.constant(value), found.terms)


def _view(
    fold: Fold,
    labels: Sequence[str],
    given: Sequence[e.Variable],
    kind: str,
    place: int | None,
    arithmetic: e.Tracing,
) -> View:
    def form(linear: Linear) -> e.Linear:
        return e.Linear({given[v]: factor for v, factor in linear.terms}, linear.constant)

    def column(forms: Sequence[Linear]) -> Any:
        made = np.empty((len(forms), 1), dtype=object)
        made[:, 0] = [form(linear) for linear in forms]
        return made

    if fold.cells is None:
        predicted = [hits.plus(alarms) for hits, alarms in zip(fold.hits, fold.alarms, strict=True)]
        classes: Classes = ClassTotals(
            column(fold.hits), column(fold.sizes), column(predicted), labels, arithmetic
        )
    else:
        cells = np.empty((len(labels), len(labels), 1), dtype=object)
        for i, row in enumerate(fold.cells):
            cells[i, :, 0] = [form(cell) for cell in row]
        if kind == "two-class" and len(labels) == 2:
            order = [place or 0, 1 - (place or 0)]
            names = (labels[order[0]], labels[order[1]])
            return TwoClass(cells[order][:, order], [names], arithmetic)
        classes = Classes(cells, labels, arithmetic)
    return classes if kind != "two-class" else of_one(classes, place or 0)


def _tree(expression: e.Expression, terms: Terms) -> Tree:
    """An expression as a tree of tuples."""
    match expression:
        case e.Linear():
            return terms.linear(
                Linear(expression.constant, tuple((v.place, c) for v, c in expression.terms.items()))
            )
        case e.Ratio():
            return terms.ratio(_tree(expression.top, terms), _tree(expression.bottom, terms), expression.fill)
        case e.Sum():
            pieces = [(Fraction(1), expression.linear), *expression.parts]
            return terms.sum([(factor, _tree(part, terms)) for factor, part in pieces])
        case e.Product():
            return terms.product(_tree(expression.one, terms), _tree(expression.other, terms))
        case e.Power():
            return terms.power(_tree(expression.base, terms), expression.exponent)
        case e.Greatest():
            return terms.greatest(_tree(expression.one, terms), _tree(expression.other, terms))
        case e.Absolute():
            return terms.absolute(_tree(expression.inner, terms))
    raise e.NotTraceableError(f"{type(expression).__name__} has no plain form")


def values_of(
    measure: Measure,
    matrices: Sequence[Matrix],
    labels: Sequence[str],
    undefined: Undefined,
    place: int | None,
) -> list[Fraction | None]:
    """The measure on each matrix, in exact fractions; None where it has no value."""
    from steelyard.counts.confusion import Confusion

    positive = None if place is None else labels[place]
    found = [
        measure.exact(Confusion(matrix, labels), undefined=undefined, positive=positive)
        for matrix in matrices
    ]
    return [value if isinstance(value, Fraction) else None for value in found]
