"""Impossibility: no two-class measure is strictly monotone, a distance and has a constant baseline.

Not even on three examples. Let d be the gap to the best value. On labelings of three examples with both
classes in each, d takes four values: 0 between equal ones, x between {1} and {2}, y between {1} and {1, 2}, z
between {1} and {2, 3}. A constant baseline wants 2x = 2y + z, strict monotonicity z > x, and a distance x <=
2y. The first two give x > 2y."""

from __future__ import annotations

import itertools
from fractions import Fraction
from typing import Any

from steelyard.proofs import as_matrix, prove_equal
from steelyard_papers.claim import Finding

Labeling = tuple[int, ...]
Table = tuple[tuple[int, int], tuple[int, int]]
EXAMPLES = 3


def confusion(truth: Labeling, prediction: Labeling) -> Table:
    """The confusion matrix of two labelings with 1 for the positive class."""
    cells = [[0, 0], [0, 0]]
    for a, b in zip(truth, prediction, strict=True):
        cells[1 - a][1 - b] += 1
    return (cells[0][0], cells[0][1]), (cells[1][0], cells[1][1])


def labelings() -> list[Labeling]:
    """All labelings of the examples in which both classes occur."""
    return [labels for labels in itertools.product((0, 1), repeat=EXAMPLES) if 0 < sum(labels) < EXAMPLES]


def baseline(truth: Labeling, positives: int) -> dict[Table, Fraction]:
    """The mean over all predictions with so many positives, as weights of confusion matrices."""
    predictions = [labels for labels in labelings() if sum(labels) == positives]
    weights: dict[Table, Fraction] = {}
    for prediction in predictions:
        table = confusion(truth, prediction)
        weights[table] = weights.get(table, Fraction(0)) + Fraction(1, len(predictions))
    return weights


# {1}, {2}, {1, 2} and {2, 3}.
FIRST, SECOND, BOTH, OTHERS = (1, 0, 0), (0, 1, 0), (1, 1, 0), (0, 1, 1)
X, Y, Z = confusion(FIRST, SECOND), confusion(FIRST, BOTH), confusion(FIRST, OTHERS)
EQUAL = confusion(FIRST, FIRST)


def _premises() -> bool:
    """Are the four matrices joined as the argument says?"""
    third = Fraction(1, 3)
    return (
        baseline(FIRST, 1) == {EQUAL: third, X: 2 * third}
        and baseline(FIRST, 2) == {Y: 2 * third, Z: third}
        # One false alarm of Z becomes a rejection: X, which must be nearer.
        and ((Z[0][0], Z[0][1]), (Z[1][0] - 1, Z[1][1] + 1)) == X
        # From {1} over {1, 2} to {2}: Y, then Y with truth and prediction exchanged.
        and confusion(BOTH, SECOND) == ((Y[0][0], Y[1][0]), (Y[0][1], Y[1][1]))
    )


def impossible_together() -> Finding:
    """The three demands on three examples, added up to a contradiction."""

    def added_up(x: Any, y: Any, z: Any) -> tuple[Any, Any]:
        constant_baseline = (2 * x - 2 * y - z) / 3  # is 0
        monotone = z - x  # is greater than 0
        triangle = 2 * y - x  # is not less than 0
        return 3 * constant_baseline + monotone + triangle, 0

    if not (prove_equal(added_up) and _premises()):
        return Finding("not decided", "the argument on three examples does not go through")
    evidence = (
        "already on three examples: with d the gap to the best value, x = d{1},{2}, y = d{1},{1,2} and"
        " z = d{1},{2,3}, a constant baseline means 2x = 2y + z, strict monotonicity z > x and a distance"
        " x <= 2y; their sum reads 0 > 0"
    )
    return Finding("proved", evidence, tuple(as_matrix(table) for table in (X, Y, Z)), classes="C = 2")
