"""Every matrix of given sizes, and what a dozen measures say of it, written out independently of the catalogue."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from functools import lru_cache
from typing import Any

import numpy as np
from numpy.typing import NDArray


def rows(total: int, cells: int) -> list[tuple[int, ...]]:
    if cells == 1:
        return [(total,)]
    return [(first, *rest) for first in range(total + 1) for rest in rows(total - first, cells - 1)]


@lru_cache(maxsize=8)
def matrices(sizes: tuple[int, ...]) -> NDArray[Any]:
    """All matrices whose rows add up to the sizes."""
    choices = [np.array(rows(size, len(sizes))) for size in sizes]
    picked = np.meshgrid(*(np.arange(len(choice)) for choice in choices), indexing="ij")
    return np.stack([choice[at.ravel()] for choice, at in zip(choices, picked, strict=True)], axis=1)


def values(name: str, m: NDArray[Any]) -> NDArray[Any]:
    """The value of a measure on each matrix; NaN where a denominator is 0."""
    hits, actual, predicted = np.diagonal(m, axis1=1, axis2=2), m.sum(axis=2), m.sum(axis=1)
    n = m.sum(axis=(1, 2))
    with np.errstate(all="ignore"):
        recall, precision = hits / actual, hits / predicted
        if name == "accuracy":
            return np.asarray(hits.sum(axis=1) / n)
        if name == "macro_recall":
            return np.asarray(recall.mean(axis=1))
        if name == "macro_precision":
            return np.asarray(precision.mean(axis=1))
        if name == "macro_f1":
            return np.asarray((2 * hits / (actual + predicted)).mean(axis=1))
        if name == "weighted_f1":
            return np.asarray((2 * hits / (actual + predicted) * actual).sum(axis=1) / n)
        if name == "gmean":
            return np.asarray(np.prod(recall, axis=1) ** (1 / m.shape[1]))
        if name == "class_balance_accuracy":
            return np.asarray((hits / np.maximum(actual, predicted)).mean(axis=1))
        chance = (actual * predicted).sum(axis=1) / n**2
        agreed = hits.sum(axis=1) / n
        if name == "kappa":
            return np.asarray((agreed - chance) / (1 - chance))
        if name == "mcc":
            spread = (n**2 - (predicted**2).sum(axis=1)) * (n**2 - (actual**2).sum(axis=1))
            return np.asarray((n * hits.sum(axis=1) - (actual * predicted).sum(axis=1)) / np.sqrt(spread))
        if name in ("recall", "precision"):
            return np.asarray((recall if name == "recall" else precision)[:, 0])
        if name == "specificity":
            return np.asarray(recall[:, 1])
        if name == "f1":
            return np.asarray((2 * hits / (actual + predicted))[:, 0])
    raise AssertionError(name)


MANY = (
    "accuracy",
    "macro_recall",
    "macro_precision",
    "macro_f1",
    "weighted_f1",
    "gmean",
    "class_balance_accuracy",
    "kappa",
    "mcc",
)
TWO = (*MANY, "recall", "precision", "specificity", "f1")


def fitting(printed: dict[str, str], sizes: Sequence[int]) -> tuple[int, bool]:
    """How many matrices give all values rounded to the nearest, and whether any lies too near a tie to tell with doubles."""
    m = matrices(tuple(sizes))
    near, sure = np.ones(len(m), dtype=bool), np.ones(len(m), dtype=bool)
    for name, text in printed.items():
        half = float(Fraction(1, 2 * 10 ** len(text.partition(".")[2])))
        away = np.abs(values(name, m) - float(text))
        near &= away <= half + 1e-9
        sure &= away <= half - 1e-9
    return int(near.sum()), bool((near != sure).any())
