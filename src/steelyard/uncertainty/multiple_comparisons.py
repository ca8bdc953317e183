"""Multiple comparisons: ranks, P(best), Holm's correction, groups without a significant difference."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

Array = NDArray[Any]


def ranks(values: Array, lower_is_better: bool = False) -> Array:
    """The rank of each model in each draw, 1 the best, equal ones sharing the mean of their places; values
    (M, draws)."""
    better = -values if lower_is_better else values
    above = (better[None] > better[:, None]).sum(axis=1)
    equal = (better[None] == better[:, None]).sum(axis=1)
    return np.asarray(above + (equal + 1) / 2)


def probability_best(values: Array, lower_is_better: bool = False) -> Array:
    """How likely is each model the best one? Equal ones share their draw."""
    better = -values if lower_is_better else values
    top = better == better.max(axis=0)
    return np.asarray((top / top.sum(axis=0)).mean(axis=1))


def holm(p_values: Sequence[float]) -> list[float]:
    """p-values corrected for asking several questions at once (Holm 1979)."""
    order = np.argsort(p_values, kind="stable")
    steps = np.asarray(p_values, dtype=np.float64)[order] * np.arange(len(p_values), 0, -1)
    corrected = np.empty(len(p_values))
    corrected[order] = np.minimum(1, np.maximum.accumulate(steps))
    return [float(p) for p in corrected]


def groups_not_told_apart(
    models: Sequence[str], p_values: Mapping[tuple[str, str], float], threshold: float
) -> list[tuple[str, ...]]:
    """Runs of neighbours in the ranking whose first and last differ by no more than noise: the bars of a
    critical-difference diagram.

    `models` are in order of rank. A run is kept if no longer run contains it.
    """

    def alike(a: str, b: str) -> bool:
        return p_values.get((a, b), p_values.get((b, a), 1.0)) >= threshold

    runs: list[tuple[int, int]] = []
    for start in range(len(models)):
        stop = start
        while stop + 1 < len(models) and all(
            alike(models[k], models[stop + 1]) for k in range(start, stop + 1)
        ):
            stop += 1
        if stop > start and not any(a <= start and stop <= b for a, b in runs):
            runs.append((start, stop))
    return [tuple(models[a : b + 1]) for a, b in runs]
