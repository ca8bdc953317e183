"""The measure under examination, in floats, in exact fractions and in symbols."""

# The engine asks every measure, built in or a user's, through this one door.

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from typing import Any

import numpy as np

from steelyard.counts.labels import Array
from steelyard.errors import InputError
from steelyard.measures import evaluate
from steelyard.measures.measure import MatrixMeasure, Measure
from steelyard.measures.numbers import Fractions, Numbers
from steelyard.measures.undefined import Policy
from steelyard.proofs.verdict import as_matrix


@lru_cache(maxsize=16)
def small_matrices(n_classes: int, most: int = 4000) -> Array:
    """Every matrix of small counts while they are few, then structured and random ones; by total."""
    # Two classes: all with counts up to 4. Three: all with counts 0 and 1. Beyond that and besides: corner
    # cases (identity, one class failing, one predicted class, swapped classes, empty rows and columns),
    # random sparse and full ones, and a few with large counts.
    parts = [_structured(n_classes)]
    highest = {1: 50, 2: 4, 3: 1}.get(n_classes, 0)
    if highest:
        codes, cells = np.arange((highest + 1) ** n_classes**2), range(n_classes**2)
        digits = [(codes // (highest + 1) ** k) % (highest + 1) for k in cells]
        parts.append(np.stack(digits, axis=-1).reshape(-1, n_classes, n_classes))
    random = np.random.default_rng(n_classes)
    wanted = max(0, most - sum(map(len, parts)))
    drawn = random.integers(0, 5, size=(wanted, n_classes, n_classes))
    density = random.choice([0.3, 0.6, 1.0], size=(wanted, 1, 1))
    parts.append(drawn * (random.random(drawn.shape) < density))
    heavy = random.integers(0, 3, size=(300, n_classes, n_classes))
    parts.append(heavy * random.choice([1, 1, 10, 50], size=(300, n_classes, 1)))
    # A few large ones, tried last, for what shows only there.
    parts += [random.integers(1, top, size=(60, n_classes, n_classes)) for top in (10**4, 10**6)]
    joined = np.unique(np.concatenate([p.astype(np.int64) for p in parts]), axis=0)
    joined = joined[joined.sum(axis=(1, 2)) > 0]
    order = np.lexsort(((joined != 0).sum(axis=(1, 2)), joined.sum(axis=(1, 2))))
    result = joined[order]
    result.setflags(write=False)
    return np.asarray(result)


def _structured(n_classes: int) -> Array:
    identity = np.eye(n_classes, dtype=np.int64)
    turned = np.roll(identity, 1, axis=1)
    matrices = [identity, turned, identity + 1, np.ones_like(identity)]
    matrices += [turned + identity, identity * 3 + turned]

    def with_row(matrix: Array, k: int, row: Array) -> Array:
        return np.where(np.arange(n_classes)[:, None] == k, row, matrix)

    for k in range(n_classes):
        column = np.ones_like(identity) * identity[k]
        failed = with_row(identity, k, np.roll(identity[k], 1))
        to_first = with_row(identity, k, identity[0])
        matrices += [column, column * np.arange(1, n_classes + 1)[:, None], failed, failed * 3 + identity]
        matrices += [with_row(identity, k, 10 * identity[k]), with_row(turned, k, identity[k])]
        matrices += [with_row(identity, k, 0 * identity[k]), to_first, to_first * 2 + identity]
    return np.array(matrices)


def all_present(matrices: Array) -> Array:
    """In which of them has every class examples?"""
    return np.asarray((matrices.sum(axis=-1) > 0).all(axis=-1))


def all_occur(matrices: Array) -> Array:
    """In which of them has every class examples, and is predicted?"""
    return np.asarray(all_present(matrices) & (matrices.sum(axis=-2) > 0).all(axis=-1))


# Values that were computed in floating point are called different beyond this.
ROUNDING = 1e-12
# Roots and logarithms are computed to 60 digits: exact values further apart than this are certainly
# different.
TINY = Fraction(1, 10**40)


@dataclass(frozen=True)
class Subject:
    """A measure under examination."""

    measure: Measure
    # Is a range declared?
    bounds_known: bool = True
    # The only numbers of classes to look at, if given.
    sizes: tuple[int, ...] | None = None
    # So many small matrices are tried: fewer for a function that takes one at a time.
    most: int = 10_000
    # Values on floats (B, C, C) of a function that could not be traced.
    black_box: Callable[[Array], Array] | None = None

    def __post_init__(self) -> None:
        if not isinstance(self.measure, MatrixMeasure):
            raise InputError(
                "a metric of scores cannot be examined",
                found=self.measure.name,
                allowed="metrics of a confusion matrix",
            )

    @property
    def matrix_measure(self) -> MatrixMeasure:
        assert isinstance(self.measure, MatrixMeasure)
        return self.measure

    @property
    def symbolic(self) -> bool:
        """Has it a graph, of which something can be proved, and whose values are exact fractions?"""
        known = type(self.measure) is MatrixMeasure  # a class of its own may answer with something else
        return known and self.black_box is None and not self.matrix_measure.opaque

    @property
    def name(self) -> str:
        return self.measure.name

    @property
    def two_class_only(self) -> bool:
        return self.measure.kind == "two-class"

    @property
    def orientation(self) -> int:
        """-1 where lower is better, else 1."""
        return -1 if self.measure.better == "lower" else 1

    def small(self, n_classes: int) -> Array:
        """The small matrices that are tried."""
        return small_matrices(n_classes)[: self.most]

    def floats(self, matrices: Array) -> Array:
        """Values on matrices of shape (B, C, C)."""
        batch = np.asarray(matrices, dtype=np.float64)
        if self.black_box is not None:
            return self.black_box(batch)
        block = np.ascontiguousarray(np.moveaxis(batch, 0, -1))
        with np.errstate(all="ignore"):
            values = evaluate.values_on(self.matrix_measure.graph, block, self.two_class_only)
        return np.where(np.isfinite(values), values, np.nan)

    def value(self, matrix: Any) -> Fraction | float:
        """The value on one matrix: exact where it is a formula, NaN where it is undefined."""
        if not self.symbolic:
            return float(self.floats(np.array([[[float(v) for v in row] for row in matrix]]))[0])
        value = self.symbol(np.array(as_matrix(matrix), dtype=object), Fractions(Policy()))
        return float("nan") if isinstance(value, float) else Fraction(value)

    def symbol(self, matrix: Array, numbers: Numbers) -> Any:
        """The value on a (C, C) matrix of symbols, or of any other numbers."""
        return evaluate.value_on(self.matrix_measure.graph, matrix, numbers, self.two_class_only)

    def differ(self, first: Fraction | float, second: Fraction | float) -> bool:
        """Are two values certainly different? An undefined value differs from every defined one."""
        if is_nan(first) or is_nan(second):
            return is_nan(first) != is_nan(second)
        if isinstance(first, Fraction) and isinstance(second, Fraction):
            return abs(first - second) > TINY
        return abs(float(first) - float(second)) > ROUNDING * max(1.0, abs(float(first)))

    def exceeds(self, larger: Fraction | float, smaller: Fraction | float) -> bool:
        """Is one value certainly greater than the other?"""
        return (
            not is_nan(larger) and not is_nan(smaller) and larger > smaller and self.differ(larger, smaller)
        )


def is_nan(value: Any) -> bool:
    return isinstance(value, float) and value != value
