"""Which classes make a measure depend on the class proportions, and by how much each?

Between balanced classes and the proportions of the test set lies a straight way; along it every class's share
changes at a constant pace. What a measure gains or loses on the way is the integral of its slope in each
share times that pace, so the parts of the classes sum to the whole gap (the Aumann-Shapley values of the
shares).
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Annotated, Any

import numpy as np
from numpy.typing import NDArray

from steelyard.counts.confusion import Confusion
from steelyard.counts.labels import Label
from steelyard.measures.measure import Measure, weigh
from steelyard.report.records import HIDDEN, AnyLabel, Record

Array = NDArray[Any]

MOST_CLASSES = 50
"""Classes up to which the parts are found: the work grows with their cube."""
FEW_CLASSES = 12
_STEP = 1e-4
_CLOSE = 0.02
"""Slopes tell nothing of a corner on the way; where they leave more of the gap unexplained than this, nothing
is attributed."""


@dataclass(frozen=True)
class Part(Record):
    """What one class contributes to observed less balanced."""

    label: AnyLabel
    share: Annotated[float, HIDDEN]
    recall: Annotated[float, HIDDEN]
    contribution: float


def attributed(
    matrix: Confusion, gaps: Sequence[tuple[Measure, float]], positive: Label | None
) -> dict[str, tuple[Part, ...]]:
    """The part of each class in each measure's gap, the largest in the gap's own direction first; none where
    it cannot be had."""
    wanted = [(m, gap) for m, gap in gaps if gap and not math.isnan(gap)]
    classes = matrix.n_classes
    if classes > MOST_CLASSES or not wanted or not (matrix.actual > 0).all():
        return {}
    rates = matrix.counts / np.asarray(matrix.actual, dtype=np.float64)[:, None]
    even = np.full(classes, 1 / classes)
    shares = np.asarray(matrix.actual, dtype=np.float64) / float(matrix.total)
    pace = shares - even
    places, weights = _nodes(64 if classes <= FEW_CLASSES else 12)
    here = even + places[:, None] * pace
    nudged = here[:, None, None, :] * (1 + _STEP * np.array([1.0, -1.0])[:, None, None] * np.eye(classes))
    batch = Confusion(nudged[..., None] * rates, matrix.labels)
    parts = {}
    for name, values in weigh([m for m, _ in wanted], batch, positive=positive).items():
        slopes = (values[:, 0] - values[:, 1]) / (2 * _STEP * here)
        parts[name] = (weights[:, None] * slopes * pace).sum(axis=0)
    return {
        m.name: _ordered(matrix, parts[m.name], gap, shares, np.diagonal(rates))
        for m, gap in wanted
        if abs(parts[m.name].sum() - gap) <= _CLOSE * abs(gap)
    }


def _nodes(number: int) -> tuple[Array, Array]:
    """Places on the way from 0 to 1 and their weights, dense towards the test set, where rare classes make
    measures steep."""
    nodes, weights = np.polynomial.legendre.leggauss(number)
    away = (1 - nodes) / 2
    return 1 - away**4, weights / 2 * 4 * away**3


def _ordered(matrix: Confusion, parts: Array, gap: float, shares: Array, recalls: Array) -> tuple[Part, ...]:
    parts = parts + (gap - parts.sum()) * np.abs(parts) / np.abs(parts).sum()
    order = np.argsort(-parts * math.copysign(1.0, gap), kind="stable")
    return tuple(Part(matrix.labels[i], float(shares[i]), float(recalls[i]), float(parts[i])) for i in order)
