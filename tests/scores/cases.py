"""The scores that scikit-learn's values were recorded for, and that the tests give to Steelyard."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

import numpy as np


@dataclass(frozen=True)
class TwoClassCase:
    truth: list[int]
    scores: list[float]
    weights: list[float] | None = None
    dtype: str = "float64"

    @property
    def array(self) -> np.ndarray:
        return np.array(self.scores, dtype=self.dtype)


@dataclass(frozen=True)
class ManyClassCase:
    truth: list[int]
    table: list[list[float]]
    weights: list[float] | None = None
    dtype: str = "float64"
    labels: list[int] = field(default_factory=lambda: [0, 1, 2])

    @property
    def array(self) -> np.ndarray:
        return np.array(self.table, dtype=self.dtype)


def numbers(seed: int) -> Iterator[int]:
    """A linear congruential sequence, so that no library's generator decides what is tested."""
    state = seed
    while True:
        state = (1664525 * state + 1013904223) % 2**32
        yield state >> 8


def drawn(rows: int, steps: int, one_in: int, seed: int, shift: int = 0) -> tuple[list[int], list[float]]:
    """Labels with one positive in `one_in`, and scores on a grid of `steps`, those of positives a little higher."""
    source = numbers(seed)
    truth = [int(next(source) % one_in == 0) for _ in range(rows)]
    scores = [(next(source) % steps + shift * y) / steps for y in truth]
    return truth, scores


def _weights(rows: int, seed: int, zeros: bool) -> list[float]:
    source = numbers(seed)
    return [0.0 if zeros and next(source) % 5 == 0 else (next(source) % 1000 + 1) / 250 for _ in range(rows)]


NEAR = [0.5, 0.5 + 1e-9, 0.5 - 1e-9, 0.25, 0.25 + 1e-9, 0.75, 0.5, 0.75 - 1e-9]

TWO_CLASS = {
    "distinct": TwoClassCase(*drawn(60, 1_000_003, 3, 1, 200_000)),
    "ties": TwoClassCase(*drawn(120, 6, 3, 2, 2)),
    "weights": TwoClassCase(*drawn(80, 9, 4, 3, 2), _weights(80, 4, zeros=False)),
    "weights with zeros": TwoClassCase(*drawn(80, 9, 4, 5, 2), _weights(80, 6, zeros=True)),
    "rare positives": TwoClassCase(*drawn(800, 40, 60, 7, 10)),
    "constant scores": TwoClassCase([0, 1, 0, 0, 1], [0.3] * 5),
    "perfect": TwoClassCase([0, 0, 1, 1], [0.1, 0.2, 0.8, 0.9]),
    "reversed": TwoClassCase([1, 1, 0, 0], [0.1, 0.2, 0.8, 0.9]),
    "near ties in float64": TwoClassCase([1, 0, 1, 0, 1, 1, 0, 0], NEAR),
    "near ties in float32": TwoClassCase([1, 0, 1, 0, 1, 1, 0, 0], NEAR, dtype="float32"),
    "infinite": TwoClassCase([1, 0, 1, 0, 1, 0, 0], [np.inf, np.inf, np.inf, 3.0, -2.0, -np.inf, 0.5]),
    "negative and large": TwoClassCase([1, 0, 1, 0, 0], [-1e300, -2e300, 5e12, 5e12, -0.0]),
}


def _table(rows: int, classes: int, steps: int, seed: int) -> tuple[list[int], list[list[float]]]:
    source = numbers(seed)
    truth = [k if k < classes else next(source) % classes for k in range(rows)]
    table = []
    for y in truth:
        raw = [next(source) % steps + 1 + (steps // 2 if k == y else 0) for k in range(classes)]
        table.append([value / sum(raw) for value in raw])
    return truth, table


MANY_CLASS = {
    "three classes": ManyClassCase(*_table(90, 3, 5, 11)),
    "four classes, many ties": ManyClassCase(*_table(150, 4, 2, 12), labels=[0, 1, 2, 3]),
    "three classes in float32": ManyClassCase(*_table(70, 3, 7, 13), dtype="float32"),
    "three classes, weights": ManyClassCase(*_table(90, 3, 5, 14), _weights(90, 15, zeros=False)),
}
