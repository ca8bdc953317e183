"""Constant baseline (gosgens2021): the mean value of guessing, whatever the class sizes."""

# The truth has given class sizes, the prediction too; over all ways to deal out the predictions, each as
# likely as any other, the mean of the measure is taken. A measure has a constant baseline if that mean is one
# number for all sizes. Sizes for which some deal has no value are left out.

from __future__ import annotations

import math
from collections.abc import Sequence
from fractions import Fraction
from functools import lru_cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from steelyard.proofs.prover import certificates
from steelyard.proofs.prover.expression_trees import tree
from steelyard.proofs.prover.prove import Attempt, prove_equal
from steelyard.proofs.prover.refuter import Search
from steelyard.proofs.prover.regions import Point, matrix_names
from steelyard.proofs.prover.subject import Subject, is_nan
from steelyard.proofs.questions.behaviour import prove_chance
from steelyard.proofs.questions.deciding import decided, not_asked, sizes_for
from steelyard.proofs.verdict import Counterexample, Matrix, Verdict, as_matrix, shown_number

Array = NDArray[Any]
# Numbers of examples whose deals are all looked at.
TOTALS = {2: (2, 3, 4, 5, 6, 7, 8), 3: (3, 4, 5, 6)}


def decide_constant_baseline(subject: Subject, question: str, sizes: Sequence[int] = (2, 3)) -> Verdict:
    """Is the mean value of guessing the same for all sizes of the true and of the predicted classes?"""
    used = [c for c in sizes_for(subject, sizes) if c in TOTALS]
    searches: dict[int, Search] = {}
    notes: list[str] = []
    for c in used:
        search, constant = _different_means(subject, c)
        if constant is None:
            continue
        searches[c] = search
        if search.counterexample is None:
            notes.append(f"the mean is {shown_number(constant)} at C = {c}")
    if not searches:
        why = "for all sizes of the classes some deal of the predictions has no value"
        return not_asked(subject, question, why, used or sizes)
    if any(search.counterexample for search in searches.values()):
        notes.append(
            "each matrix is the mean of all deals with its row and column sums, each value the mean of"
            " their values"
        )
    return decided(subject, question, searches, lambda c: _prove(subject, c), notes=notes)


Deals = dict[tuple[tuple[int, ...], tuple[int, ...]], list[int]]


@lru_cache(maxsize=16)
def deals(n_classes: int, total: int) -> tuple[Array, Deals]:
    """All matrices with this many examples, and which of them share their row and column sums, every class
    present on both sides."""
    cells = n_classes * n_classes
    tables: list[tuple[int, ...]] = []

    def fill(left: int, so_far: tuple[int, ...]) -> None:
        if len(so_far) == cells - 1:
            tables.append((*so_far, left))
            return
        for k in range(left + 1):
            fill(left - k, (*so_far, k))

    fill(total, ())
    matrices = np.array(tables).reshape(-1, n_classes, n_classes)
    groups: Deals = {}
    for k, (rows, columns) in enumerate(
        zip(matrices.sum(axis=2).tolist(), matrices.sum(axis=1).tolist(), strict=True)
    ):
        if min(rows) > 0 and min(columns) > 0:
            groups.setdefault((tuple(rows), tuple(columns)), []).append(k)
    return matrices, groups


def ways(matrix: Any) -> int:
    """In how many ways predictions can be dealt out to make this matrix, up to a factor that its row and
    column sums fix."""
    cells = [int(v) for row in matrix for v in row]
    return math.factorial(sum(cells)) // math.prod(math.factorial(v) for v in cells)


def exact_mean(subject: Subject, matrices: Array) -> Fraction | float:
    """The mean over deals, each as likely as it is; NaN where one has no value."""
    total, weight = Fraction(0), 0
    for matrix in matrices.tolist():
        value = subject.value(matrix)
        if is_nan(value):
            return float("nan")
        total += ways(matrix) * Fraction(value)
        weight += ways(matrix)
    return total / weight


def expected(rows: Sequence[int], columns: Sequence[int]) -> Matrix:
    """The mean of all deals: a_i b_j / n."""
    return as_matrix([[Fraction(a * b, sum(rows)) for b in columns] for a in rows])


def certificates_of(subject: Subject, example: Counterexample) -> list[certificates.Certificate | None]:
    """The means of a counterexample, each a sum over all deals that the checker works out again."""

    def mean(matrix: Array, arithmetic: Any) -> Any:
        rows, columns = (tuple(int(v) for v in matrix.sum(axis=axis)) for axis in (1, 0))
        matrices, groups = deals(len(rows), sum(rows))
        total: Any = Fraction(0)
        members = [matrices[k].tolist() for k in groups[rows, columns]]
        weight = sum(map(ways, members))
        for member in members:
            cells = np.array([[Fraction(v) for v in row] for row in member], dtype=object)
            share = tree(Fraction(ways(member), weight))
            total = total + share * subject.symbol(cells, arithmetic)
        return total

    return certificates.of_counterexample(mean, example, values=True)


def _different_means(subject: Subject, n_classes: int) -> tuple[Search, Fraction | float | None]:
    """Two choices of class sizes with different means; the mean of the first choice that has one."""
    first: tuple[Matrix, Fraction | float] | None = None
    cases = 0
    for total in TOTALS[n_classes]:
        matrices, groups = deals(n_classes, total)
        if len(matrices) > subject.most:
            break
        values = subject.floats(matrices)
        weights = np.array([float(ways(m)) for m in matrices.tolist()])
        for (rows, columns), members in groups.items():
            cases += 1
            mean = float((values[members] * weights[members]).sum() / weights[members].sum())
            if mean != mean:
                continue
            if first is not None and abs(mean - float(first[1])) < 1e-11:
                continue
            exactly = exact_mean(subject, matrices[members])
            if is_nan(exactly):
                continue
            here = (expected(rows, columns), exactly)
            if first is None:
                first = here
            elif subject.differ(first[1], exactly):
                example = Counterexample((first[0], here[0]), (first[1], exactly), subject.exact)
                return Search(example, cases), first[1]
    return Search(None, cases), None if first is None else first[1]


def _prove(subject: Subject, n_classes: int) -> Attempt:
    """For given sums of rows and columns the value is linear in the counts, so its mean is its value at the
    mean matrix; and that is constant."""
    for u in range((n_classes - 1) ** 2):
        for v in range(u + 1):
            attempt = _prove_linear(subject, n_classes, divmod(u, n_classes - 1), divmod(v, n_classes - 1))
            if not attempt.proved:
                return Attempt(
                    False, "it is not seen to be linear in the counts for given row and column sums"
                )
    chance = prove_chance(subject, n_classes)
    if not chance.proved:
        return chance
    return Attempt(
        True,
        "for given row and column sums it is linear in the counts, and it is constant on their mean:"
        f" {chance.method}",
    )


def _prove_linear(subject: Subject, n_classes: int, u: tuple[int, int], v: tuple[int, int]) -> Attempt:
    names = matrix_names(n_classes)

    def compute(at: Point) -> tuple[Any, Any]:
        def value(a: int, b: int) -> Any:
            # Positive entries on which two exchanges of predictions cost nothing: each is added before it is
            # taken away.
            matrix = at.matrix(n_classes)
            for place, taken, letter in ((u, a, "k0"), (v, b, "k1")):
                _exchange(matrix, place, taken, at[letter])
            return subject.symbol(matrix, at.numbers)

        return value(1, 1) + value(0, 0), value(1, 0) + value(0, 1)

    return prove_equal([*names, "k0", "k1"], compute)


def _exchange(matrix: Array, place: tuple[int, int], taken: int, amount: Any) -> None:
    """Add `amount` to two opposite corners of a rectangle: to one pair before, to the other after the
    exchange."""
    i, j = place
    last = len(matrix) - 1
    for row, column in ((i, j), (last, last)) if taken else ((i, last), (last, j)):
        matrix[row, column] = matrix[row, column] + amount
