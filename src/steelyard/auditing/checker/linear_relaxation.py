"""Linear relaxation: inequalities that hold wherever in a box of integers the requirements hold."""

# A requirement on a linear form, or on a quotient of two, is itself a linear inequality, and over integers it
# can be tightened to the next value that the form takes. Every other quotient, product and root gets a
# variable of its own, with its McCormick envelope over the box (McCormick 1976). Quotients with a common
# numerator are tied together by Sedrakyan's inequality, from which the concavity of the harmonic mean
# follows: the mean of F-measures is at most the F-measure of mean precision and mean recall.

from __future__ import annotations

import itertools
import math
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import astuple
from fractions import Fraction
from typing import Any, NamedTuple

from steelyard.auditing.checker import expressions
from steelyard.auditing.checker.expressions import ZERO, Box, Linear, Range, Ranges, Tree, number, variable
from steelyard.auditing.checker.question import Interval


class Requirement(NamedTuple):
    """The expression must have a value in the interval; or inequalities `row` >= 0, valid in any box."""

    tree: Tree
    interval: Interval
    rows: tuple[Linear, ...] | None = None

    @classmethod
    def of(cls, tree: Tree, interval: Interval) -> Requirement:
        """A requirement; the inequalities of a linear form are found once."""
        return cls(tree, interval, _between(tree[1], interval, True) if tree[0] == "linear" else None)

    def linear_rows(self, box: Box, always: Sequence[Linear] = ()) -> tuple[Linear, ...] | None:
        """Linear inequalities that are equivalent to the requirement over a box; None if it is curved."""
        return linearised(self.tree, self.interval, box, always) if self.rows is None else self.rows


def excludes(requirement: Requirement, ranges: Ranges) -> bool:
    """True if the requirement by itself holds nowhere in the box."""
    rows = requirement.linear_rows(ranges.box)
    if rows is not None:
        return any(row.range(ranges.box)[1] < 0 for row in rows)
    low, high, low_open, high_open = astuple(requirement.interval)
    least, most, empty = ranges.of(requirement.tree)
    below = most < low or (low_open and most <= low)
    return empty or below or least > high or (high_open and least >= high)


def linearised(
    tree: Tree, interval: Interval, box: Box, always: Sequence[Linear] = (), whole: bool = True
) -> tuple[Linear, ...] | None:
    """The inequalities `row` >= 0 that are equivalent to an expression having a value in an interval."""
    # For linear forms, their quotients, and roots and multiples of these; tightened if variables are whole.
    # The rows `always` hold by themselves.
    kind = tree[0]
    if kind == "linear":
        return _between(tree[1], interval, whole)
    if kind == "sum" and len(tree[2]) == 1 and not tree[1].terms:
        ((factor, operand),) = tree[2]
        return linearised(operand, interval.shifted(factor, tree[1].constant), box, always, whole)
    if kind == "power" and tree[2].numerator == 1:
        # A root lies between two ends exactly where its base, nowhere negative, lies between their powers.
        return linearised(tree[1], interval.power(tree[2].denominator), box, always, whole)
    if kind == "ratio" and tree[3] is None and tree[1][0] == tree[2][0] == "linear":
        top, bottom = tree[1][1], tree[2][1]
        if nowhere_negative(bottom, box, always):  # where it is 0 there is no value
            return (
                _row(top.plus(bottom, -interval.low), interval.low_open, whole),
                _row(bottom.times(interval.high).plus(top, -1), interval.high_open, whole),
                _row(bottom, True, whole),
            )
    return None


def nowhere_negative(form: Linear, box: Box, always: Sequence[Linear]) -> bool:
    """True if the form is not negative over the box, by itself or because a row holds."""
    # A size less its hits may seem negative in the box, but is required not to be.
    if form.range(box)[0] >= 0:
        return True
    variables = {v for v, _ in form.terms}
    rows = [row for row in always if variables.issuperset(v for v, _ in row.terms)]
    return any(form.plus(row, -1).range(box)[0] >= 0 for row in rows)


def _row(form: Linear, strictly: bool, whole: bool) -> Linear:
    return tightened(form, strictly) if whole else form


def _between(form: Linear, interval: Interval, whole: bool) -> tuple[Linear, ...]:
    return (
        _row(form.plus(number(interval.low), -1), interval.low_open, whole),
        _row(number(interval.high).plus(form, -1), interval.high_open, whole),
    )


# Chvatal-Gomory rounding: an inequality whose left side takes multiples of a step is moved to the next one.
def tightened(form: Linear, strictly: bool = False) -> Linear:
    """form >= 0 (or > 0) at integers, as the strictest inequality in whole steps of the form."""
    step = form.step()
    if not step:
        return number(-1) if form.constant < 0 or (strictly and form.constant == 0) else number(0)
    need = -form.constant / step
    least = math.floor(need) + 1 if strictly else math.ceil(need)
    return Linear(-least * step, form.terms)


class Rows:
    """Inequalities `row` >= 0 over the integers of a box and the variables of curved expressions."""

    # `spans` are the ranges of all of them, `weights` the parameters of Sedrakyan's inequality (0 to 1).
    def __init__(
        self,
        ranges: Ranges,
        requirements: Sequence[Requirement],
        extra: Sequence[Linear] = (),
        weights: Sequence[Fraction] = (),
    ) -> None:
        self._ranges = ranges
        self.spans: list[tuple[expressions.End, expressions.End]] = list(ranges.box)
        self.rows: list[Linear] = list(extra)
        self._variables: dict[int, Linear] = {}
        # Quotients of linear forms by their numerator, scaled so that its first coefficient is 1.
        self._ratios: dict[Linear, list[tuple[Fraction, Tree]]] = defaultdict(list)
        self._always = [row for r in requirements for row in r.rows or () if row.terms]
        for requirement in requirements:
            rows = requirement.linear_rows(ranges.box, self._always)
            if rows is None:
                # What follows from a curved requirement, with variables for its curved parts.
                form = self._flat(requirement.tree)
                whole = all(v < len(ranges.box) for v, _ in form.terms)
                rows = _between(form, requirement.interval, whole)
            self.rows += rows
        # Hits over the actual, over the predicted and over their sum: recall, precision and F1 of one class
        # have a common numerator.
        for weight in weights:
            for top, ratios in self._ratios.items():
                if self._nowhere_negative(top):
                    for quotient, other in itertools.permutations(ratios, 2):
                        self._tie(top, quotient, other, weight)

    def _nowhere_negative(self, form: Linear) -> bool:
        return nowhere_negative(form, self._ranges.box, self._always)

    def total(self, multiples: Sequence[tuple[int, Fraction]]) -> expressions.End:
        """The greatest value of a sum of multiples of the rows."""
        form = expressions.total(
            (self.rows[row] for row, _ in multiples), (factor for _, factor in multiples)
        )
        greatest: expressions.End = form.constant
        for v, factor in form.terms:
            greatest += factor * self.spans[v][1 if factor > 0 else 0]
        return greatest

    def _flat(self, tree: Tree) -> Linear:
        """An expression as a linear form of the integers and the variables of its curved parts."""
        if tree[0] == "linear":
            form: Linear = tree[1]
            return form
        if tree[0] == "sum":
            form = tree[1]
            return form.plus(
                expressions.total((self._flat(t) for _, t in tree[2]), (factor for factor, _ in tree[2]))
            )
        # Equal expressions share one variable (trees are interned), so that what one requirement says of a
        # precision another one can use.
        if id(tree) not in self._variables:
            self._variables[id(tree)] = self._divided(tree) or self._enclosed(tree)
        return self._variables[id(tree)]

    def _divided(self, tree: Tree) -> Linear | None:
        """A quotient whose bottom is one number in the whole box is as linear as its top."""
        if tree[0] != "ratio" or tree[2][0] != "linear":
            return None
        # Deep in the tree sizes are known: the quotient needs no envelope and loses nothing.
        low, high = tree[2][1].range(self._ranges.box)
        return self._flat(tree[1]).times(1 / low) if low == high != 0 else None

    def _enclosed(self, tree: Tree) -> Linear:
        """A new variable for a curved expression, and the planes between which it lies."""
        kind, span = tree[0], self._ranges.of(tree)
        inner = [self._flat(operand) for operand in expressions.operands(tree)]
        ends = [self._ranges.of(operand) for operand in expressions.operands(tree)]
        low, high = span.low, span.high
        of_forms = kind == "ratio" and tree[1][0] == tree[2][0] == "linear"
        bottom = ZERO
        if kind == "ratio":
            bottom = self._least_bottom(tree)
            # Where the top is at most the bottom, the quotient is a share and at most 1.
            shares = (tree[2][1], tree[2][1].plus(tree[1][1], -1)) if of_forms and high == math.inf else ()
            if shares and all(map(self._nowhere_negative, shares)):
                high = max(Fraction(1), tree[3] or ZERO)
            if bottom > 0 and tree[3] is None:
                high = max(ends[0].high / bottom, ZERO) if high == math.inf else high
                low = min(ends[0].low / bottom, ZERO) if low == -math.inf else low
        mine = variable(len(self.spans))
        self.spans.append((low, high))
        if of_forms and tree[1][1].terms:
            top = _sorted(tree[1][1])
            self._ratios[top.times(1 / top.terms[0][1])].append((top.terms[0][1], tree))
        if kind == "ratio" and bottom > 0:
            # top = quotient * bottom: the envelope of a product serves for a quotient.
            spans = Range(low, high), Range(bottom, max(ends[1].high, bottom))
            self._mccormick(mine, spans[0], inner[1], spans[1], inner[0])
        elif kind == "product":
            self._mccormick(inner[0], ends[0], inner[1], ends[1], mine)
        elif kind == "power" and tree[2] == Fraction(1, 2):
            # base = root * root
            if ends[0].low >= 0:
                self._mccormick(mine, span, mine, span, inner[0])
        elif kind == "greatest":
            self.rows += [mine.plus(inner[0], -1), mine.plus(inner[1], -1)]
        elif kind == "absolute":
            self.rows += [mine.plus(inner[0], -1), mine.plus(inner[0])]
        return mine

    def _least_bottom(self, tree: Tree) -> Fraction:
        """The least bottom of a quotient wherever it has a value of its own; 0 if that is not known."""
        low = self._ranges.of(tree[2]).low
        if low == -math.inf or low > 0:
            return Fraction(max(low, ZERO))
        form: Linear = tree[2][1]
        if tree[3] is not None or tree[2][0] != "linear" or not self._nowhere_negative(form):
            return ZERO
        # The bottom is nowhere negative, and where it is 0 there is no value.
        self.rows.append(tightened(form, True))
        return Fraction(1, form.common_denominator())

    def _mccormick(self, left: Linear, a: Range, right: Linear, b: Range, product: Linear) -> None:
        """McCormick envelope of product = left * right."""
        # (left - end) (right - end) has a known sign at each pair of ends.
        if not (a.bounded and b.bounded):
            return
        corners: Any = ((a.low, b.low, 1), (a.high, b.high, 1), (a.low, b.high, -1), (a.high, b.low, -1))
        for x, y, sign in corners:
            form = product.plus(right, -x).plus(left, -y).plus(number(x * y))
            self.rows.append(form.times(sign))

    # Sedrakyan's inequality is the Cauchy-Schwarz inequality in Engel's form (also Titu's lemma).
    def _tie(
        self, top: Linear, quotient: tuple[Fraction, Tree], other: tuple[Fraction, Tree], weight: Fraction
    ) -> None:
        """t / (a + b) <= w^2 t / a + (1 - w)^2 t / b for t >= 0 and a, b > 0."""
        # For a quotient t / d whose denominator d is a + factor * b, b the denominator of the other one.
        (scale, tree), (other_scale, other_tree) = quotient, other
        whole, share, box = tree[2][1], other_tree[2][1], self._ranges.box
        coefficients = dict(whole.terms)
        factor = min((coefficients.get(v, ZERO) / f for v, f in share.terms), default=ZERO)
        if tree[3] not in (None, 0) or factor <= 0 or not self._nowhere_negative(share):
            return
        # An undefined quotient counted as 0 keeps the inequality if its numerator is 0 there as well.
        if other_tree[3] is not None and (
            other_tree[3] != 0 or not self._nowhere_negative(share.plus(top, -1))
        ):
            return
        rest = whole.plus(share, -factor)
        low, high = rest.range(box)
        if low <= 0:
            return
        if low == high:
            first = top.times(1 / low)
        else:
            same = [(s, t) for s, t in self._ratios[top] if _sorted(t[2][1]) == _sorted(rest)]
            if not same:
                return
            first = self._variables[id(same[0][1])].times(1 / same[0][0])
        second = self._variables[id(other_tree)].times((1 - weight) ** 2 / (factor * other_scale))
        row = first.times(weight**2).plus(second)
        self.rows.append(row.plus(self._variables[id(tree)], -1 / scale))


def _sorted(form: Linear) -> Linear:
    return Linear(form.constant, tuple(sorted(form.terms)))
