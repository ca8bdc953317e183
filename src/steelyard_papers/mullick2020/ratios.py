"""Imbalance ratio IR and ratio of representatives in the test set RRT: Definitions 1 and 2 of mullick2020."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from steelyard.errors import InputError


def imbalance_ratio(sizes: Mapping[Any, float]) -> float:
    """IR: the largest ratio of two class sizes of a training set.

    >>> imbalance_ratio({"fraud": 20, "ok": 980})
    49.0
    """
    _checked(sizes)
    return max(sizes.values()) / min(sizes.values())


def rrt(test: Mapping[Any, float], training: Mapping[Any, float] | None = None) -> float:
    """RRT: for two classes the test examples of the majority over those of the minority, both named after the
    training set, so that it can be below 1; for more classes, or without a training set, the largest ratio of
    two class sizes of the test set.

    >>> rrt({"fraud": 40, "ok": 20}, training={"fraud": 20, "ok": 980})
    0.5
    """
    _checked(test)
    if training is None or len(test) != 2:
        return imbalance_ratio(test)
    _checked(training)
    if set(training) != set(test):
        raise InputError(
            "training and test set have other classes",
            found=f"{sorted(map(str, training))} and {sorted(map(str, test))}",
            allowed="the same two classes",
        )
    majority = max(training, key=lambda label: training[label])
    minority = min(training, key=lambda label: training[label])
    return test[majority] / test[minority]


def _checked(sizes: Mapping[Any, float]) -> None:
    if len(sizes) < 2 or min(sizes.values()) <= 0:
        raise InputError(
            "a ratio of class sizes needs two classes or more, each with examples",
            found=str(dict(sizes)),
            allowed="positive sizes by class",
        )
