"""Interval arithmetic and constraint propagation on boxes of counts, against every point in exact fractions."""

from __future__ import annotations

import itertools
import random
from collections.abc import Sequence
from fractions import Fraction
from typing import Any

import numpy as np
import pytest

from steelyard.auditing.checker.expressions import Linear, Ranges, Terms, Tree, number, variable
from steelyard.auditing.checker.question import Interval
from steelyard.auditing.search.branch_and_bound import Budget, Problem, search
from steelyard.auditing.search.interval_arithmetic import Array, Contractor, Seen

Box = list[tuple[int, int]]


def value(tree: Tree, point: Sequence[int]) -> Fraction | None:
    """The value at a point; None where a denominator without a fill is 0."""
    kind = tree[0]
    if kind == "linear":
        return tree[1].constant + sum((factor * point[v] for v, factor in tree[1].terms), Fraction(0))
    if kind == "sum":
        total = value(("linear", tree[1]), point)
        for factor, part in tree[2]:
            here = value(part, point)
            if here is None or total is None:
                return None
            total += factor * here
        return total
    inner = [value(part, point) for part in tree[1:3] if isinstance(part, tuple)]
    if None in inner:
        return None
    values: list[Any] = inner
    if kind == "ratio":
        return tree[3] if values[1] == 0 else values[0] / values[1]
    operation: Any = {"product": lambda a, b: a * b, "greatest": max, "absolute": abs}[kind]
    return operation(*values)


def linear(factors: dict[int, int], constant: Fraction | int = 0) -> Linear:
    return Linear(Fraction(constant), tuple((v, Fraction(factor)) for v, factor in factors.items()))


def drawn_form(rng: random.Random, most: Sequence[int]) -> Linear:
    chosen = rng.sample(range(len(most)), rng.randint(1, len(most)))
    factors = (Fraction(1), Fraction(1), Fraction(-1), Fraction(2), Fraction(1, 3), Fraction(-2, 7))
    constant = Fraction(rng.choice((0, 0, 1, -2, Fraction(1, 10))))
    return Linear(constant, tuple((v, rng.choice(factors)) for v in chosen))


def drawn(rng: random.Random, most: Sequence[int], depth: int, terms: Terms) -> Tree:
    if not depth:
        return terms.linear(drawn_form(rng, most))
    one, other = (drawn(rng, most, depth - 1, terms) for _ in range(2))
    kind = rng.randrange(6)
    if kind == 0:
        factor = Fraction(rng.choice((-3, 1, 2)), 3)
        return terms.sum(
            [(Fraction(1), terms.linear(drawn_form(rng, most))), (factor, one), (Fraction(1), other)]
        )
    if kind == 1:
        return terms.product(one, one if rng.random() < 0.3 else other)
    if kind == 2:
        return terms.greatest(one, other)
    if kind == 3:
        return terms.absolute(one)
    return terms.ratio(one, other, rng.choice((None, Fraction(0), Fraction(1, 2))))


def columns(boxes: Sequence[Box]) -> tuple[Array, Array]:
    ends = np.array(boxes, dtype=float)
    return ends[:, :, 0].T.copy(), ends[:, :, 1].T.copy()


def points(box: Box) -> list[tuple[int, ...]]:
    return list(itertools.product(*(range(low, high + 1) for low, high in box)))


def drawn_boxes(rng: random.Random, most: Sequence[int], count: int) -> list[Box]:
    boxes = []
    for _ in range(count):
        ends = [sorted((rng.randint(0, top), rng.randint(0, top))) for top in most]
        boxes.append([(low, high) for low, high in ends])
    return boxes


@pytest.mark.parametrize("seed", range(12))
def test_no_value_is_outside_the_bounds_and_none_is_cut_off(seed: int) -> None:
    rng = random.Random(seed)
    most_of = (3, 2, 4)
    whole = [(0, top) for top in most_of]
    for _ in range(25):
        tree = drawn(rng, most_of, rng.choice((1, 2, 2)), terms := Terms())
        boxes = drawn_boxes(rng, most_of, 4)
        low, high = columns(boxes)
        seen, contractor = Seen(len(boxes)), Contractor(whole)
        assert terms is not None
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
    most_of, terms = (3, 4, 2), Terms()
    for _ in range(20):
        top = linear({v: rng.randint(-3, 3) for v in range(3)}, rng.randint(-2, 2))
        bottom = linear({v: rng.randint(0, 3) for v in range(3)}, rng.randint(1, 4))
        tree = terms.ratio(terms.linear(top.plus(number(0))), terms.linear(bottom.plus(number(0))), None)
        for box in drawn_boxes(rng, most_of, 3):
            found = [value(tree, point) for point in points(box)]
            exact = [v for v in found if v is not None]
            with np.errstate(all="ignore"):
                least, most = Contractor([(0, top) for top in most_of]).enclose(
                    tree, *columns([box]), Seen(1)
                )
            assert float(least[0]) == pytest.approx(float(min(exact)), abs=1e-9)
            assert float(most[0]) == pytest.approx(float(max(exact)), abs=1e-9)


def test_bounds_stay_narrow_with_millions_of_counts() -> None:
    """3,000,000 hits of 8,000,000 are 0.375: to decide a digit, the bounds must not be wide."""
    terms = Terms()
    tree = terms.ratio(terms.linear(linear({0: 1})), terms.linear(linear({0: 1, 1: 1})), Fraction(0))
    with np.errstate(all="ignore"):
        least, most = Contractor([(0, 10**7)] * 2).enclose(
            tree, *columns([[(3 * 10**6, 3 * 10**6), (5 * 10**6, 5 * 10**6)]]), Seen(1)
        )
    assert 0.375 - 1e-12 < least[0] <= 0.375 <= most[0] < 0.375 + 1e-12


def contracted(tree: Tree, target: tuple[float, float], box: Box) -> Box:
    low, high = columns([box])
    seen, contractor = Seen(1), Contractor([(0, 10)] * 4)
    with np.errstate(all="ignore"):
        contractor.enclose(tree, low, high, seen)
        contractor.contract(tree, (np.array([target[0]]), np.array([target[1]])), low, high, seen)
    return [(int(a), int(b)) for a, b in zip(low[:, 0], high[:, 0], strict=True)]


TERMS = Terms()
X, Y, Z, W = (TERMS.linear(variable(v)) for v in range(4))
XY, ZZ, ZW = TERMS.product(X, Y), TERMS.product(Z, Z), TERMS.product(Z, W)


@pytest.mark.parametrize(
    ("tree", "target", "before", "after"),
    [
        # x * 2 / (z * z) <= 1.5 with z up to 3: x <= 1.5 * 9 / 2 = 6.75. Where z is 0 there is no value.
        (TERMS.ratio(XY, ZZ, None), (1.0, 1.5), [(0, 10), (2, 2), (0, 3), (0, 0)], [(0, 6), (2, 2), (0, 3), (0, 0)]),
        # With z from 1 also x * 2 >= 1 * 1, and so x >= 1.
        (TERMS.ratio(XY, ZZ, Fraction(0)), (1.0, 1.5), [(0, 10), (2, 2), (1, 3), (0, 0)], [(1, 6), (2, 2), (1, 3), (0, 0)]),
        # Where z may be 0 and counts as 1 then, x may be anything.
        (TERMS.ratio(XY, ZZ, Fraction(1)), (1.0, 1.5), [(0, 10), (2, 2), (0, 3), (0, 0)], [(0, 10), (2, 2), (0, 3), (0, 0)]),
        # x * 2 is 20 at most, so z * 2 is at most 20 / 4: z <= 2.5.
        (TERMS.ratio(XY, ZW, None), (4.0, 5.0), [(0, 10), (2, 2), (1, 9), (2, 2)], [(4, 10), (2, 2), (1, 2), (2, 2)]),
        # Of a top of which nothing is known, and a value of which only the least is, nothing follows.
        (TERMS.ratio(("opaque", (0,)), ZW, None), (1.0, np.inf), [(0, 10), (0, 0), (1, 9), (2, 3)], [(0, 10), (0, 0), (1, 9), (2, 3)]),
        # x * 5 = 35.
        (XY, (35.0, 35.0), [(0, 10), (5, 5), (0, 0), (0, 0)], [(7, 7), (5, 5), (0, 0), (0, 0)]),
        # 3 x + 2 y <= 7 with y from 1: x <= 5 / 3; with x from 1: y <= 2.
        (TERMS.linear(linear({0: 3, 1: 2})), (0.0, 7.0), [(1, 9), (1, 9), (0, 0), (0, 0)], [(1, 1), (1, 2), (0, 0), (0, 0)]),
    ],
)  # fmt: skip
def test_boxes_contracted_by_hand(tree: Tree, target: tuple[float, float], before: Box, after: Box) -> None:
    assert contracted(tree, target, before) == after


def test_what_follows_from_the_requirements_is_not_searched() -> None:
    """x * 5 = 35 leaves one point of the first box."""
    problem = Problem([(0, 10), (0, 5)])
    problem.require(Y, Interval(Fraction(5), Fraction(5)))
    problem.require(XY, Interval(Fraction(35), Fraction(35)))
    found = search(problem, Budget(10))
    assert (found.answer, found.point, found.count, found.complete) == ("possible", (7, 5), 1, True)
    assert found.boxes == 1


def test_a_half_that_cannot_reach_the_value_is_excluded_at_once() -> None:
    """|x - 50| = 0 among 0..100: seven bisections, of two boxes each."""
    problem = Problem([(0, 100)])
    away = TERMS.linear(linear({0: 1}, -50))
    problem.require(TERMS.absolute(away), Interval(Fraction(0), Fraction(0)))
    found = search(problem, Budget(10))
    assert (found.answer, found.point, found.count, found.complete) == ("possible", (50,), 1, True)
    assert found.boxes <= 1 + 2 * 7


def test_real_numbers_exclude_what_whole_numbers_cannot_reach_either() -> None:
    """x y = 30 and x + y = 10: the product is 25 at most, in reals as in integers; 21 is 3 * 7."""
    for product, answer in ((30, "impossible"), (21, "undecided")):
        problem = Problem([(0, 10), (0, 10)], whole=False)
        problem.require(XY, Interval(Fraction(product), Fraction(product)))
        problem.require(TERMS.linear(linear({0: 1, 1: 1})), Interval(Fraction(10), Fraction(10)))
        assert search(problem, Budget(5, boxes=2000)).answer == answer


def test_a_certificate_knows_where_a_quotient_has_no_value() -> None:
    """1 / ((x - 2) y): without a value where x is 2, between -1 / 2 and no limit where x is 0 to 2 and y is 1."""
    terms = Terms()
    away = terms.linear(variable(0).plus(number(-2)))
    ratio = terms.ratio(terms.linear(number(1)), terms.product(away, terms.linear(variable(1))), None)
    assert Ranges([(2, 2), (0, 5)]).of(ratio).empty
    assert Ranges([(0, 5), (0, 0)]).of(ratio).empty
    assert not Ranges([(0, 2), (1, 1)]).of(ratio).empty
    assert Ranges([(3, 4), (1, 2)]).of(ratio) == (Fraction(1, 4), 1, False)
