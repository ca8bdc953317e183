"""Branch and bound in whole numbers: one point, or that there is none, against every point listed."""

from __future__ import annotations

import itertools
import random
from collections.abc import Sequence
from fractions import Fraction

import pytest

from steelyard.auditing.checker.expressions import Linear
from steelyard.auditing.checker.question import Interval
from steelyard.auditing.problem.settings import solved
from steelyard.auditing.search.branch_and_bound import Budget, Problem, integer_point, search
from steelyard.proofs.prover import smt
from tests.real_parts import needs

Row = tuple[dict[int, int], int, int]


def problem_of(most: Sequence[int], rows: Sequence[Row]) -> Problem:
    problem = Problem([(0, top) for top in most])
    for factors, least, greatest in rows:
        form = Linear(Fraction(0), tuple((v, Fraction(factor)) for v, factor in factors.items()))
        problem.require(("linear", form), Interval(Fraction(least), Fraction(greatest)))
    return problem


def listed(most: Sequence[int], rows: Sequence[Row]) -> set[tuple[int, ...]]:
    return {
        point
        for point in itertools.product(*(range(top + 1) for top in most))
        if all(least <= sum(c * point[p] for p, c in row.items()) <= top for row, least, top in rows)
    }


def test_every_small_system_is_decided_and_counted() -> None:
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
        problem = problem_of(most, rows)
        found = search(problem, Budget(10))
        assert found.answer == ("possible" if fitting else "impossible"), (most, rows)
        assert found.complete
        assert found.count == len(fitting)
        if found.point is not None:
            assert found.point in fitting
        answers.add(found.answer)
    assert answers == {"possible", "impossible"}


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
    problem = problem_of(most, rows)
    found = solved(problem, Budget(10), wanted=1)
    assert found.answer == ("possible" if fitting else "impossible")
    by_highs = integer_point(problem, Budget(5))
    assert (by_highs is not None) == bool(fitting)
    assert by_highs is None or by_highs.point in fitting


def test_highs_finds_a_subset_with_a_given_sum() -> None:
    """Of twelve numbers, some add up to a sum; a handful of boxes does not show which."""
    numbers = [10007, 12011, 15013, 18041, 20011, 23017, 26003, 29009, 31013, 35023, 38011, 41011]
    total = sum(numbers[place] for place in (0, 3, 4, 7, 10))
    problem = problem_of((1,) * 12, [(dict(enumerate(numbers)), total, total)])
    assert search(problem, Budget(10, boxes=3)).answer == "undecided"
    found = integer_point(problem, Budget(10))
    assert found is not None
    assert (found.answer, found.count, found.complete) == ("possible", 1, False)
    assert found.point is not None
    assert sum(a * n for a, n in zip(found.point, numbers, strict=True)) == total


def test_a_point_of_highs_that_fails_the_exact_check_is_no_witness() -> None:
    problem = problem_of((5, 5), [({0: 1, 1: 1}, 4, 4)])
    assert integer_point(problem, Budget(5)) is not None
    problem.check = lambda point: False
    assert integer_point(problem, Budget(5)) is None


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
