"""For which numbers of classes is IAM at most the accuracy? (Theorem 4)

With d_i the hits of class i, a_i its misses, b_i its false alarms, e_i = max(a_i, b_i), M_i = d_i + e_i =
max(t_i, p_i), E all errors and n all examples, IAM = 1 - (2/C) sum e_i/M_i and accuracy = 1 - E/n. So IAM <=
accuracy says sum e_i/M_i >= (C/2) E/n.

Lemma: sum e_i/M_i >= 2 E/n for every matrix of every number of classes. Let D = sum d_i and T = sum e_i.
1. sum e_i/M_i >= (sum sqrt(e_i))^2 / (D + T), by Cauchy and Schwarz, as sum M_i = D + T.
2. e_i <= T - e_i for every i: a miss of class i is a false alarm of another class, so a_i <= sum of b_j over
j != i, which is at most T - e_i; and likewise b_i.
3. (sum sqrt(e_i))^2 >= 2 T: a sum of square roots is concave, so over all e_i >= 0 with sum T and none above
T/2 it is least at a corner, where two of them are T/2.
4. 2 T/(D + T) >= 2 E/(D + E) = 2 E/n, as T >= E: sum max(a_i, b_i) >= sum a_i = E.

For C <= 4 the lemma is more than the theorem asks for. For C >= 5 two classes that are always taken for each
other, E times in all, and C - 2 classes with one correct example each
give IAM = 1 - 4/C > 0 and accuracy (C - 2)/(E + C - 2), which is smaller as soon as E > 4 (C - 2)/(C - 4):
the theorem fails for every C >= 5.

Steps 1 and 3 are sums over classes of inequalities for one class, which is how they are proved here: with
q = sqrt(e) the term e/M is 2 l q - l^2 M and a square over M, whatever l; summed, with l = Q/(D + T) and
Q = sum q, that is step 1. And with h = sqrt(T/2), which no q exceeds, q >= q^2/h; summed, Q >= T/h = 2h,
which is step 3.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from typing import Any

import numpy as np

from steelyard.proofs import Matrix, Summed, as_matrix, certify_sum, prove_equal, prove_not_less

ARGUMENT = (
    "for C = 2, 3, 4 it holds: with e_i the larger of misses and false alarms of class i, the sum of e_i /"
    " max(t_i, p_i) is at least twice the error rate for every C (Cauchy-Schwarz; no e_i exceeds half of"
    " their sum; the errors are at most that sum), and C <= 4 asks for no more"
)
HOLDS_UP_TO = 4


def holds_up_to_four() -> bool:
    """The lemma in algebra, class by class and then of the sums; C <= 4 asks for no more than it says."""

    def squared(q: Any, larger: Any, factor: Any) -> tuple[Any, Any]:
        rest = q - factor * larger
        return q * q / larger, 2 * factor * q - factor * factor * larger + rest * rest / larger

    def summed(roots: Any, right: Any, total: Any) -> tuple[Any, Any]:
        all_of_them = right + total
        factor = roots / all_of_them
        return 2 * factor * roots - factor * factor * all_of_them, roots * roots / all_of_them

    def none_above_half(q: Any, u: Any) -> tuple[Any, Any]:
        half = q + u
        return q, q * q / half

    def squares_of_roots(half: Any, more: Any) -> tuple[Any, Any]:
        # Q is at least T/h, with T = 2 h^2, and by `more` greater.
        total = 2 * half * half
        return (total / half + more) ** 2, 2 * total

    def of_the_errors(right: Any, errors: Any, u: Any) -> tuple[Any, Any]:
        total = errors + u
        return 2 * total / (right + total), 2 * errors / (right + errors)

    def cauchy(q: Any, larger: Any, roots: Any, every: Any) -> Summed:
        # The q add up to roots, the M (larger) to every.
        factor = roots / every
        parts = [(2 * factor, q, roots), (-(factor * factor), larger, every)]
        return Summed(q * q / larger, parts, roots * roots / every, [(1 / larger, q - factor * larger)])

    def corner(half: Any, v: Any, w: Any) -> Summed:
        # No q exceeds h (half): it is a part v/(v + w) of it; the squares of all q add up to 2 h^2.
        q = half * v / (v + w)
        return Summed(q, [(1 / half, q * q, 2 * half * half)], 2 * half)

    certify_sum(cauchy, ("q", "larger"))
    certify_sum(corner, ("v", "w"))
    return (
        prove_equal(squared)
        and prove_equal(summed)
        and prove_not_less(none_above_half)
        and prove_not_less(squares_of_roots)
        and prove_not_less(of_the_errors)
    )


def fails_from_five_on() -> bool:
    """IAM exceeds the accuracy where two classes are taken for each other often enough, for every C >= 5."""

    def exceeds(more: Any, u: Any) -> tuple[Any, Any]:
        c = more + 5
        errors = 4 * (c - 2) / (c - 4) + u
        return 1 - 4 / c, (c - 2) / (errors + c - 2) + u * (c - 4) / (c * (errors + c - 2))

    return prove_equal(exceeds)


def steps_hold(matrix: Matrix) -> bool:
    """Do the four steps of the lemma hold on this matrix, in exact numbers? (Squares are compared instead of
    roots.)"""
    size = range(len(matrix))
    hits = [matrix[i][i] for i in size]
    missed = [sum(matrix[i]) - hits[i] for i in size]
    alarms = [sum(row[i] for row in matrix) - hits[i] for i in size]
    larger = [max(a, b) for a, b in zip(missed, alarms, strict=True)]
    total, right, errors = sum(larger), sum(hits), sum(missed)
    if errors == 0:
        return True
    left = sum((e / (d + e) for d, e in zip(hits, larger, strict=True) if e), Fraction(0))
    return all(e <= total - e for e in larger) and total >= errors and left * (right + errors) >= 2 * errors


def two_taken_for_each_other(n_classes: int) -> Matrix:
    """The smallest matrix of this family on which IAM exceeds the accuracy, for C >= 5."""
    errors = 4 * (n_classes - 2) // (n_classes - 4) + 1
    rows = [[0] * n_classes for _ in range(n_classes)]
    rows[0][1], rows[1][0] = errors - errors // 2, errors // 2
    for i in range(2, n_classes):
        rows[i][i] = 1
    return as_matrix(rows)


def fewest_examples(n_classes: int, most: int) -> int | None:
    """The fewest examples of a matrix with every class present on which IAM exceeds the accuracy; None if
    there is none of at most so many.

    Only d_i, a_i and b_i matter. Numbers with equal sums of a_i and of b_i are those of a matrix exactly when
    a_i + b_i <= E for every i, so that all of them are looked through, class by class, keeping the least sum
    of e_i / M_i for each sum of d, a and b.
    """
    for examples in range(n_classes, most + 1):
        for errors in range(2, examples + 1):
            right = examples - errors
            least = _least_sum(n_classes, right, errors)
            if least is not None and least < n_classes * errors / (2 * examples) - 1e-9:
                return examples
    return None


def _least_sum(n_classes: int, right: int, errors: int) -> float | None:
    shape = (right + 1, errors + 1, errors + 1)
    least = np.full(shape, np.inf)
    least[0, 0, 0] = 0
    terms = [
        (d, a, b, 0.0 if not max(a, b) else max(a, b) / (d + max(a, b)))
        for d in range(right + 1)
        for a in range(errors + 1)
        for b in range(errors - a + 1)
        if d + a
    ]
    for _ in range(n_classes):
        following = np.full(shape, np.inf)
        for d, a, b, term in terms:
            moved = least[: right + 1 - d, : errors + 1 - a, : errors + 1 - b] + term
            remaining = following[d:, a:, b:]
            np.minimum(remaining, moved, out=remaining)
        least = following
    total = float(least[right, errors, errors])
    return total if np.isfinite(total) else None


def smallest(classes: Sequence[int], most: int) -> tuple[int, int] | None:
    """The number of classes and of examples of the smallest matrix over these numbers of classes."""
    sizes = [(examples, c) for c in classes if (examples := fewest_examples(c, most)) is not None]
    return (min(sizes)[1], min(sizes)[0]) if sizes else None
