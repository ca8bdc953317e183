"""Bounds on boxes of counts, and boxes that are shrunk: against every point of the box, in exact fractions."""

from __future__ import annotations

import itertools
import random
from collections.abc import Sequence
from fractions import Fraction

import numpy as np
import pytest
from steelyard.auditing.expressions import (
    Absolute,
    Expression,
    Greatest,
    Linear,
    Opaque,
    Product,
    Ratio,
    Sum,
    Variable,
)

from steelyard.auditing.checker.expressions import Ranges, Terms, number, variable
from steelyard.auditing.checker.question import Interval, Problem
from steelyard.auditing.search.branch_and_bound import Budget, search
from steelyard.auditing.search.constraint_propagation import Contractor
from steelyard.auditing.search.interval_arithmetic import Array, Encloser, Seen

Box = list[tuple[int, int]]


def value(tree: Expression, point: Sequence[int]) -> Fraction | None:
    """The value at a point; None where a denominator without a fill is 0."""
    match tree:
        case Linear():
            return tree.constant + sum((c * point[v.place] for v, c in tree.terms.items()), Fraction(0))
        case Sum():
            parts = [value(part, point) for _, part in tree.parts]
            total = value(tree.linear, point)
            assert total is not None
            for (factor, _), part in zip(tree.parts, parts, strict=True):
                if part is None:
                    return None
                total += factor * part
            return total
        case Ratio():
            top, bottom = value(tree.top, point), value(tree.bottom, point)
            if top is None or bottom is None:
                return None
            return tree.fill if bottom == 0 else top / bottom
        case Product() | Greatest():
            one, other = value(tree.one, point), value(tree.other, point)
            if one is None or other is None:
                return None
            return one * other if isinstance(tree, Product) else max(one, other)
        case Absolute():
            inner = value(tree.inner, point)
            return None if inner is None else abs(inner)
    raise AssertionError(tree)


def variables(*most: int) -> list[Variable]:
    return [Variable(place, f"x{place}", 0, top) for place, top in enumerate(most)]


def drawn_form(rng: random.Random, known: Sequence[Variable]) -> Linear:
    chosen = rng.sample(list(known), rng.randint(1, len(known)))
    factors = (Fraction(1), Fraction(1), Fraction(-1), Fraction(2), Fraction(1, 3), Fraction(-2, 7))
    return Linear({v: rng.choice(factors) for v in chosen}, rng.choice((0, 0, 1, -2, Fraction(1, 10))))


def drawn(rng: random.Random, known: Sequence[Variable], depth: int) -> Expression:
    if not depth:
        return drawn_form(rng, known)
    one, other = drawn(rng, known, depth - 1), drawn(rng, known, depth - 1)
    kind = rng.randrange(6)
    if kind == 0:
        return Sum(drawn_form(rng, known), ((Fraction(rng.choice((-3, 1, 2)), 3), one), (Fraction(1), other)))
    if kind == 1:
        return Product(one, one if rng.random() < 0.3 else other)
    if kind == 2:
        return Greatest(one, other)
    if kind == 3:
        return Absolute(one)
    return Ratio(one, other, rng.choice((None, Fraction(0), Fraction(1, 2))))


def columns(boxes: Sequence[Box]) -> tuple[Array, Array]:
    ends = np.array(boxes, dtype=float)
    return ends[:, :, 0].T.copy(), ends[:, :, 1].T.copy()


def points(box: Box) -> list[tuple[int, ...]]:
    return list(itertools.product(*(range(low, high + 1) for low, high in box)))


def drawn_boxes(rng: random.Random, known: Sequence[Variable], count: int) -> list[Box]:
    boxes = []
    for _ in range(count):
        ends = [sorted((rng.randint(0, v.most), rng.randint(0, v.most))) for v in known]
        boxes.append([(low, high) for low, high in ends])
    return boxes


@pytest.mark.parametrize("seed", range(12))
def test_no_value_is_outside_the_bounds_and_none_is_cut_off(seed: int) -> None:
    rng = random.Random(seed)
    known = variables(3, 2, 4)
    for _ in range(25):
        tree, boxes = drawn(rng, known, rng.choice((1, 2, 2))), drawn_boxes(rng, known, 4)
        low, high = columns(boxes)
        seen, contractor = Seen(len(boxes)), Contractor()
        values = [{point: value(tree, point) for point in points(box)} for box in boxes]
        attained = [v for of_box in values for v in of_box.values() if v is not None]
        aim = rng.choice(attained or [Fraction(0)])
        target = (float(aim) - rng.choice((1e-9, 0.1)), float(aim) + rng.choice((1e-9, 0.3)))
        with np.errstate(all="ignore"):
            least, most = contractor.enclose(tree, low, high, seen)
            contractor.contract(
                tree, (np.full(len(boxes), target[0]), np.full(len(boxes), target[1])), low, high, seen
            )
        for at, of_box in enumerate(values):
            for point, here in of_box.items():
                if here is None:
                    assert seen.touching[at]
                    continue
                # Python compares a double and a fraction without rounding either.
                assert float(least[at]) <= here <= float(most[at]), (tree, point)
                assert not seen.void[at]
                if target[0] <= here <= target[1]:
                    assert all(low[k, at] <= v <= high[k, at] for k, v in enumerate(point)), tree


@pytest.mark.parametrize("seed", range(5))
def test_the_range_of_a_quotient_of_counts_is_exact(seed: int) -> None:
    """Where the bottom is positive the extremes lie at corners, which are points."""
    rng = random.Random(100 + seed)
    known = variables(3, 4, 2)
    for _ in range(20):
        top = Linear({v: Fraction(rng.randint(-3, 3)) for v in known}, rng.randint(-2, 2))
        bottom = Linear({v: Fraction(rng.randint(0, 3)) for v in known}, rng.randint(1, 4))
        tree = Ratio(top, bottom, None)
        for box in drawn_boxes(rng, known, 3):
            found = [value(tree, point) for point in points(box)]
            exact = [v for v in found if v is not None]
            with np.errstate(all="ignore"):
                least, most = Encloser().enclose(tree, *columns([box]), Seen(1))
            assert float(least[0]) == pytest.approx(float(min(exact)), abs=1e-9)
            assert float(most[0]) == pytest.approx(float(max(exact)), abs=1e-9)


def test_bounds_stay_narrow_with_millions_of_counts() -> None:
    """3,000,000 hits of 8,000,000 are 0.375: to decide a digit, the bounds must not be wide."""
    hits, missed = variables(10**7, 10**7)
    tree = Ratio(Linear({hits: Fraction(1)}), Linear({hits: Fraction(1), missed: Fraction(1)}), Fraction(0))
    with np.errstate(all="ignore"):
        least, most = Encloser().enclose(
            tree, *columns([[(3 * 10**6, 3 * 10**6), (5 * 10**6, 5 * 10**6)]]), Seen(1)
        )
    assert 0.375 - 1e-12 < least[0] <= 0.375 <= most[0] < 0.375 + 1e-12


def shrunk(tree: Expression, target: tuple[float, float], box: Box) -> Box:
    low, high = columns([box])
    seen, contractor = Seen(1), Contractor()
    with np.errstate(all="ignore"):
        contractor.enclose(tree, low, high, seen)
        contractor.contract(tree, (np.array([target[0]]), np.array([target[1]])), low, high, seen)
    return [(int(a), int(b)) for a, b in zip(low[:, 0], high[:, 0], strict=True)]


x, y, z, w = variables(10, 10, 10, 10)
X, Y, Z, W = (Linear({v: Fraction(1)}) for v in (x, y, z, w))


@pytest.mark.parametrize(
    ("tree", "target", "before", "after"),
    [
        # x * 2 / (z * z) <= 1.5 with z up to 3: x <= 1.5 * 9 / 2 = 6.75. Where z is 0 there is no value.
        (Ratio(Product(X, Y), Product(Z, Z), None), (1.0, 1.5), [(0, 10), (2, 2), (0, 3), (0, 0)], [(0, 6), (2, 2), (0, 3), (0, 0)]),
        # With z from 1 also x * 2 >= 1 * 1, and so x >= 1.
        (Ratio(Product(X, Y), Product(Z, Z), Fraction(0)), (1.0, 1.5), [(0, 10), (2, 2), (1, 3), (0, 0)], [(1, 6), (2, 2), (1, 3), (0, 0)]),
        # Where z may be 0 and counts as 1 then, x may be anything.
        (Ratio(Product(X, Y), Product(Z, Z), Fraction(1)), (1.0, 1.5), [(0, 10), (2, 2), (0, 3), (0, 0)], [(0, 10), (2, 2), (0, 3), (0, 0)]),
        # x * 2 is 20 at most, so z * 2 is at most 20 / 4: z <= 2.5.
        (Ratio(Product(X, Y), Product(Z, W), None), (4.0, 5.0), [(0, 10), (2, 2), (1, 9), (2, 2)], [(4, 10), (2, 2), (1, 2), (2, 2)]),
        # Of a top of which nothing is known, and a value of which only the least is, nothing follows.
        (Ratio(Opaque((x,)), Product(Z, W), None), (1.0, np.inf), [(0, 10), (0, 0), (1, 9), (2, 3)], [(0, 10), (0, 0), (1, 9), (2, 3)]),
        # x * 5 = 35.
        (Product(X, Y), (35.0, 35.0), [(0, 10), (5, 5), (0, 0), (0, 0)], [(7, 7), (5, 5), (0, 0), (0, 0)]),
        # 3 x + 2 y <= 7 with y from 1: x <= 5 / 3; with x from 1: y <= 2.
        (Linear({x: Fraction(3), y: Fraction(2)}), (0.0, 7.0), [(1, 9), (1, 9), (0, 0), (0, 0)], [(1, 1), (1, 2), (0, 0), (0, 0)]),
    ],
)  # fmt: skip
def test_boxes_shrunk_by_hand(tree: Expression, target: tuple[float, float], before: Box, after: Box) -> None:
    assert shrunk(tree, target, before) == after


def test_what_follows_from_the_requirements_is_not_searched() -> None:
    """x * 5 = 35 leaves one point of the first box."""
    problem = Problem(variables(10, 5))
    first, second = problem.variables
    only_five = Linear({second: Fraction(1)})
    problem.require(only_five, Interval(Fraction(5), Fraction(5)))
    problem.require(Product(Linear({first: Fraction(1)}), only_five), Interval(Fraction(35), Fraction(35)))
    found = search(problem, Budget(10))
    assert (found.status, found.point, found.count, found.complete) == ("found", (7, 5), 1, True)
    assert found.boxes == 1


def test_a_half_that_cannot_reach_the_value_is_left_at_once() -> None:
    """|x - 50| = 0 among 0..100: seven halvings, of two boxes each."""
    problem = Problem(variables(100))
    away = Linear({problem.variables[0]: Fraction(1)}, -50)
    problem.require(Absolute(away), Interval(Fraction(0), Fraction(0)))
    found = search(problem, Budget(10))
    assert (found.status, found.point, found.count, found.complete) == ("found", (50,), 1, True)
    assert found.boxes <= 1 + 2 * 7


def test_a_certificate_knows_where_a_quotient_has_no_value() -> None:
    """1 / ((x - 2) y): without a value where x is 2, between -1 / 2 and no limit where x is 0 to 2 and y is 1."""
    terms = Terms()
    away = terms.linear(variable(0).plus(number(-2)))
    ratio = terms.ratio(terms.linear(number(1)), terms.product(away, terms.linear(variable(1))), None)
    assert Ranges([(2, 2), (0, 5)]).of(ratio).empty
    assert Ranges([(0, 5), (0, 0)]).of(ratio).empty
    assert not Ranges([(0, 2), (1, 1)]).of(ratio).empty
    assert Ranges([(3, 4), (1, 2)]).of(ratio) == (Fraction(1, 4), 1, False)
