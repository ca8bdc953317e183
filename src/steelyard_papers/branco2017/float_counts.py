"""Counts of distinct float64 values, computed and compared as the authors' R code does.

R's `unique` compares doubles bit by bit, so the count depends on how each sum was rounded.
The authors' counts on 2-4-15 come out exactly when recalls, precisions and class F measures are summed one
after the other in doubles, CBA is R's `mean` (a sum in extended precision and a second pass), weighted CBA is
`sum(w * x) / sum(w)` with sums in extended precision, and the precision of a class that is never predicted
counts as 0. A measure without a value on some matrix has one value more: NaN. Extended precision is the 80
bits of x86; elsewhere NumPy may have other ones.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from steelyard_papers.branco2017.enumeration import States
from steelyard_papers.branco2017.printed import MECHANISMS
from steelyard_papers.branco2017.relevance_based import WEIGHTED

Array = NDArray[Any]


def float_counts(
    sizes: Sequence[int], found: States, relevances: Mapping[str, Sequence[Any]]
) -> dict[str, int]:
    """The number of different doubles of the five originals and their twenty relevance-based forms."""
    hits, predicted = found.hits.astype(float), found.predicted.astype(float)
    actual = np.array(sizes, dtype=float)[:, None]
    recalls = hits / actual
    precisions = np.divide(hits, predicted, out=np.zeros_like(hits), where=predicted > 0)
    class_f = 2 * hits / (actual + predicted)
    balance = hits / np.maximum(actual, predicted)
    counts = {}
    for mechanism in ("", *MECHANISMS):
        weights = [1.0] * len(sizes) if not mechanism else [float(w) for w in relevances[mechanism]]
        recall, precision = _mean_in_doubles(recalls, weights), _mean_in_doubles(precisions, weights)
        values = {
            "Rec": recall,
            "Prec": precision,
            "F_1": _harmonic(precision, recall),
            "AvF_1": _mean_in_doubles(class_f, weights),
            "CBA": _mean_of_r(balance) if not mechanism else _weighted_sum_of_r(balance, weights),
        }
        for base, column in values.items():
            name = f"{base}^{mechanism}" if mechanism else WEIGHTED[base]
            counts[name] = len(np.unique(column))
    return counts


def _mean_in_doubles(columns: Array, weights: Sequence[float]) -> Array:
    total, weight = np.zeros(columns.shape[1]), 0.0
    for column, own in zip(columns, weights, strict=True):
        total = total + own * column
        weight += own
    return np.asarray(total / weight)


def _harmonic(precision: Array, recall: Array) -> Array:
    with np.errstate(invalid="ignore"):  # 0 / 0 is NaN, which R counts as a value
        return np.asarray(2 * precision * recall / (precision + recall))


def _mean_of_r(columns: Array) -> Array:
    """R's mean: the sum in extended precision, divided, and corrected by the mean of what is left."""
    wide = columns.astype(np.longdouble)
    first = _in_turn(wide) / len(columns)
    return np.asarray((first + _in_turn(wide - first) / len(columns)).astype(float))


def _weighted_sum_of_r(columns: Array, weights: Sequence[float]) -> Array:
    products = np.array([own * column for own, column in zip(weights, columns, strict=True)])
    total = _in_turn(products.astype(np.longdouble)).astype(float)
    weight = float(_in_turn(np.array(weights, dtype=np.longdouble)))
    return np.asarray(total / weight)


def _in_turn(values: Array) -> Any:
    """A sum in the order given, which NumPy's own sum need not keep."""
    total = values[0]
    for value in values[1:]:
        total = total + value
    return total
