"""Inequalities in whole numbers: one point, or that there is none, against every point listed."""

from __future__ import annotations

import itertools
import random
from collections.abc import Sequence
from fractions import Fraction

import pytest
from steelyard.auditing.dive import dive
from steelyard.auditing.expressions import Linear, NotTraceableError, Product, Variable

from steelyard.auditing.checker.question import Interval, Problem
from steelyard.auditing.problem.settings import solved
from steelyard.auditing.search.branch_and_bound import Budget
from steelyard.proofs.prover import smt
from tests.real_parts import needs

Row = tuple[dict[int, int], int, int]


def problem_of(most: Sequence[int], rows: Sequence[Row]) -> Problem:
    problem = Problem([Variable(place, f"x{place}", 0, top) for place, top in enumerate(most)])
    for factors, least, greatest in rows:
        form = Linear({problem.variables[place]: Fraction(c) for place, c in factors.items()})
        problem.require(form, Interval(Fraction(least), Fraction(greatest)))
    return problem


def listed(most: Sequence[int], rows: Sequence[Row]) -> set[tuple[int, ...]]:
    return {
        point
        for point in itertools.product(*(range(top + 1) for top in most))
        if all(least <= sum(c * point[p] for p, c in row.items()) <= top for row, least, top in rows)
    }


def test_every_small_system_is_decided_by_diving() -> None:
    """A box is parted into at least two that do not meet: of 18 points there are at most 18 + 17 boxes, and 40 are tried."""
    rng = random.Random(5)
    answers = set()
    for _ in range(400):
        most = rng.choice([(2, 5), (2, 2, 1), (8, 1), (1, 1, 1, 1), (17,)])
        rows: list[Row] = []
        for _ in range(rng.randint(1, 3)):
            places = rng.sample(range(len(most)), rng.randint(1, len(most)))
            least = rng.randint(-6, 12)
            rows.append(
                (
                    {p: rng.choice((-5, -3, -2, -1, 1, 2, 3, 5)) for p in places},
                    least,
                    least + rng.randint(0, 3),
                )
            )
        fitting = listed(most, rows)
        found = dive(problem_of(most, rows))
        assert found is not None, (most, rows)
        assert found.status == ("found" if fitting else "none"), (most, rows)
        if found.point is not None:
            assert found.point in fitting
            assert (found.count, found.complete) == (1, False)
        else:
            assert found.complete
        answers.add(found.status)
    assert answers == {"found", "none"}


@pytest.mark.parametrize(
    ("most", "rows"),
    [
        ((3, 3), [({0: 2, 1: -2}, 1, 1)]),  # an even number is not 1
        ((2, 5), [({0: 3, 1: 3}, 10, 11)]),
        ((2, 2, 1), [({0: 2, 1: 2, 2: -2}, 3, 3)]),
        ((3, 3), [({0: 3, 1: 5}, 7, 7)]),
        ((3, 3), [({0: 2, 1: 3}, 6, 6), ({0: 1, 1: -1}, 0, 1)]),  # (0, 2) and (3, 0) only
    ],
)
def test_what_only_whole_numbers_exclude_is_excluded(most: Sequence[int], rows: Sequence[Row]) -> None:
    fitting = listed(most, rows)
    found = dive(problem_of(most, rows))
    assert found is not None
    assert (found.status, found.complete) == ("none", True) or found.point in fitting
    assert (found.status == "none") == (not fitting)


@pytest.mark.parametrize(
    ("most", "rows", "point"),
    [
        ((3,), [({0: 1}, 3, 9)], (3,)),  # only from below
        ((9,), [({0: -1}, 0, 5)], (0,)),  # -x from 0: x is 0
        ((9, 9), [({0: 3, 1: 5}, 0, 2)], (0, 0)),  # only from above
        ((4, 4), [({0: 1, 1: 1}, 8, 8)], (4, 4)),
    ],
)
def test_what_the_inequalities_leave_open_needs_no_choice(
    most: Sequence[int], rows: Sequence[Row], point: tuple[int, ...]
) -> None:
    found = dive(problem_of(most, rows))
    assert found is not None
    assert (found.point, found.boxes) == (point, 1)


def test_the_prover_finds_a_subset_with_a_given_sum() -> None:
    """Of twelve numbers, some add up to a sum; a handful of choices does not show which."""
    needs("z3")
    numbers = [10007, 12011, 15013, 18041, 20011, 23017, 26003, 29009, 31013, 35023, 38011, 41011]
    total = sum(numbers[place] for place in (0, 3, 4, 7, 10))
    problem = problem_of((1,) * 12, [(dict(enumerate(numbers)), total, total)])
    assert dive(problem) is None
    found = solved(problem, Budget(-1), wanted=1)  # nothing is left for a search
    assert (found.status, found.count, found.complete) == ("found", 1, False)
    assert found.point is not None
    assert found.points is not None
    assert sum(a * n for a, n in zip(found.point, numbers, strict=True)) == total
    assert found.points.T.tolist() == [list(found.point)]


def test_whole_numbers_of_the_prover_reach_both_ends() -> None:
    needs("z3")
    for least, most in itertools.product(range(3), range(2, 4)):
        assert smt.integer_point([(least, most)], [({0: 1}, 0, least, least)]) == ("yes", [least])
        assert smt.integer_point([(least, most)], [({0: 2}, 1, 2 * most + 1, 99)]) == ("yes", [most])
        assert smt.integer_point([(least, most)], [({0: 1}, 0, most + 1, 99)])[0] == "no"
        assert smt.integer_point([(least, most)], [({0: 1}, 0, -5, least - 1)])[0] == "no"


THIRDS = [Fraction(k, 3) for k in range(-9, 10)]


@pytest.mark.parametrize("opened", list(itertools.product((False, True), repeat=2)))
def test_intervals_of_what_lies_behind_a_line_or_a_root(opened: tuple[bool, bool]) -> None:
    for low, high in itertools.combinations_with_replacement(THIRDS[4:16:2], 2):
        interval = Interval(low, high, *opened)
        for factor, constant in itertools.product((Fraction(-2), Fraction(1, 3), Fraction(3)), THIRDS[6:12]):
            behind = interval.shifted(factor, constant)
            for x in THIRDS:
                assert behind.holds(x) == interval.holds(constant + factor * x)
        for degree in (2, 3):
            behind = interval.power(degree)
            for root in THIRDS[9:]:
                assert behind.holds(root**degree) == interval.holds(root)


def test_counts_are_compared_where_every_matrix_gives_the_same_answer() -> None:
    x, y = (Linear({Variable(place, "x", 0, 5): Fraction(1)}) for place in range(2))
    assert x + 1 > 0
    assert not x + 1 < 0
    assert x - 6 < 0
    assert not x - 6 > 0
    assert x != x + 1
    same = x + y
    for other in (y + x, same):
        assert same == other
        assert (same != other) is False
        assert not same > other
        assert not same < other
    for one, two in ((x, y), (x, 5), (Product(x, y), -1)):
        with pytest.raises(NotTraceableError):
            bool(one > two)


def test_a_polynomial_stands_in_its_relation_to_nothing() -> None:
    """x > 0 is neither 0 nor below; x - 2 is all of it, and so is x^2 - 2, at a root that is no fraction."""
    needs("z3")
    x, two_less, root = (
        {(1,): Fraction(1)},
        {(1,): Fraction(1), (0,): Fraction(-2)},
        {(2,): Fraction(1), (0,): Fraction(-2)},
    )
    assert [smt.satisfiable(1, [0], [(x, relation)]) for relation in (">", "<", "<=", "=")] == [
        "yes",
        "no",
        "no",
        "no",
    ]
    for terms in (two_less, root):
        assert {smt.satisfiable(1, [0], [(terms, relation)]) for relation in (">", "<", "<=", "=")} == {"yes"}
    assert smt.satisfiable(1, [0], [(two_less, "="), (root, "=")]) == "no"
