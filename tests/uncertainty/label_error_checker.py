"""Independent checker of bounds under label errors and of reversals, with the standard library alone.

It imports nothing of Steelyard: metrics are written out here in fractions after their definitions, and every relabelling is listed row
by row. A bound or a reversal that was found by a search is right if it equals the best of what is listed.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator
from fractions import Fraction
from math import sqrt

Matrix = tuple[tuple[int, ...], ...]
"""Rows are labels, columns predictions; class 0 is the positive one."""


def ratio(part: int, whole: int) -> Fraction | None:
    return Fraction(part, whole) if whole else None


def recall(m: Matrix, k: int = 0) -> Fraction | None:
    return ratio(m[k][k], sum(m[k]))


def precision(m: Matrix, k: int = 0) -> Fraction | None:
    return ratio(m[k][k], sum(row[k] for row in m))


def f1(m: Matrix, k: int = 0) -> Fraction | None:
    return ratio(2 * m[k][k], sum(m[k]) + sum(row[k] for row in m))


def accuracy(m: Matrix) -> Fraction | None:
    return ratio(sum(m[k][k] for k in range(len(m))), sum(map(sum, m)))


def specificity(m: Matrix) -> Fraction | None:
    others = range(1, len(m))
    return ratio(sum(m[i][j] for i in others for j in others), sum(sum(m[i]) for i in others))


def macro_recall(m: Matrix) -> Fraction | None:
    each = [recall(m, k) for k in range(len(m))]
    return None if None in each else sum((one for one in each if one is not None), Fraction()) / len(m)


def gmean(m: Matrix) -> float | None:
    product = Fraction(1)
    for k in range(len(m)):
        one = recall(m, k)
        if one is None:
            return None
        product *= one
    return float(product) ** (1 / len(m))


def kappa(m: Matrix) -> Fraction | None:
    total = sum(map(sum, m))
    chance = sum(sum(m[k]) * sum(row[k] for row in m) for k in range(len(m)))
    if total * total == chance:
        return None
    return Fraction(total * sum(m[k][k] for k in range(len(m))) - chance, total * total - chance)


def mcc(m: Matrix) -> float | None:
    total, hits = sum(map(sum, m)), sum(m[k][k] for k in range(len(m)))
    actual, predicted = [sum(row) for row in m], [sum(row[k] for row in m) for k in range(len(m))]
    cover = hits * total - sum(a * p for a, p in zip(actual, predicted, strict=True))
    spread = (total**2 - sum(a * a for a in actual)) * (total**2 - sum(p * p for p in predicted))
    return cover / sqrt(spread) if spread else None


Metric = Callable[[Matrix], "Fraction | float | None"]
TWO_CLASS: dict[str, Metric] = {
    "recall": recall,
    "precision": precision,
    "f_beta": f1,
    "specificity": specificity,
}
MULTI_CLASS: dict[str, Metric] = {
    "accuracy": accuracy,
    "macro_recall": macro_recall,
    "gmean": gmean,
    "kappa": kappa,
    "mcc": mcc,
}


def relabelled(cells: tuple[int, ...], classes: int) -> Iterator[tuple[int, tuple[int, ...]]]:
    """Cells (label first, then anything) after one row gets another label, with the label it had."""
    size = len(cells) // classes
    for source, target, place in itertools.product(range(classes), range(classes), range(size)):
        if source != target and cells[source * size + place]:
            after = list(cells)
            after[source * size + place] -= 1
            after[target * size + place] += 1
            yield source, tuple(after)


def reachable(matrix: Matrix, most: int | None, by_class: tuple[int, ...] | None) -> set[tuple[int, ...]]:
    """Every matrix within the budget, flat."""
    start = (tuple(itertools.chain(*matrix)), (0,) * len(matrix))
    seen, layer = {start}, [start]
    while layer:
        following = []
        for cells, used in layer:
            for source, after in relabelled(cells, len(matrix)):
                spent = tuple(n + (k == source) for k, n in enumerate(used))
                fits = (
                    sum(spent) <= most
                    if most is not None
                    else all(n <= limit for n, limit in zip(spent, by_class or (), strict=True))
                )
                if fits and (after, spent) not in seen:
                    seen.add((after, spent))
                    following.append((after, spent))
        layer = following
    return {cells for cells, _ in seen}


def folded(flat: tuple[int, ...], classes: int) -> Matrix:
    return tuple(flat[k * classes : (k + 1) * classes] for k in range(classes))


def bounds(
    matrix: Matrix, metric: Metric, most: int | None, by_class: tuple[int, ...] | None
) -> tuple[float, float] | None:
    """The least and the greatest value over every relabelling within the budget; None where all are undefined."""
    classes = len(matrix)
    values = [metric(folded(flat, classes)) for flat in reachable(matrix, most, by_class)]
    known = [float(value) for value in values if value is not None]
    return (min(known), max(known)) if known else None


def least_reversal(joint: tuple[int, ...], metric: Metric, most: int, classes: int = 2) -> int | None:
    """The least number of wrong labels after which the second model is better: joint counts by label, prediction of
    the first and of the second model, flat. None if it needs more than `most`."""
    every = range(classes)
    layer, seen = {joint}, {joint}
    for number in range(most + 1):
        for cells in layer:
            by_label = [folded(cells[y * classes**2 : (y + 1) * classes**2], classes) for y in every]
            first = tuple(tuple(sum(both[a]) for a in every) for both in by_label)
            second = tuple(tuple(sum(row[b] for row in both) for b in every) for both in by_label)
            values = metric(first), metric(second)
            if None not in values and float(values[1]) > float(values[0]) + 1e-12:  # type: ignore[arg-type]
                return number
        layer = {after for cells in layer for _, after in relabelled(cells, classes)} - seen
        seen |= layer
    return None
