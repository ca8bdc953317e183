"""The measure under examination, in floats, in exact fractions and in symbols.

The engine asks every measure, built in or a user's, through this one door.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray

from steelyard.errors import InputError
from steelyard.measures import evaluate
from steelyard.measures.measure import MatrixMeasure, Measure
from steelyard.measures.numbers import Fractions, Numbers
from steelyard.measures.undefined import Policy
from steelyard.proofs.prover.small_matrices import small_matrices

Array = NDArray[Any]

# Values that were computed in floating point are called different beyond this.
ROUNDING = 1e-12
# Roots and logarithms are computed to 60 digits: exact values further apart than this are certainly
# different.
TINY = Fraction(1, 10**40)


@dataclass(frozen=True)
class Subject:
    """A measure under examination."""

    measure: Measure
    bounds_known: bool = True
    """Is a range declared?"""
    sizes: tuple[int, ...] | None = None
    """The only numbers of classes to look at, if given."""
    most: int = 10_000
    """So many small matrices are tried: fewer for a function that takes one at a time."""
    black_box: Callable[[Array], Array] | None = None
    """Values on floats (B, C, C) of a function that could not be traced."""

    def __post_init__(self) -> None:
        if not isinstance(self.measure, MatrixMeasure):
            raise InputError(
                "a measure of scores cannot be examined",
                found=self.measure.name,
                allowed="measures of a confusion matrix",
            )

    @property
    def matrix_measure(self) -> MatrixMeasure:
        assert isinstance(self.measure, MatrixMeasure)
        return self.measure

    @property
    def symbolic(self) -> bool:
        """Has it a graph, of which something can be proved?"""
        known = type(self.measure) is MatrixMeasure  # a class of its own may answer with something else
        return known and self.black_box is None and not self.matrix_measure.opaque

    @property
    def exact(self) -> bool:
        """Are its values exact fractions? What cannot be traced is asked for floats only."""
        return self.symbolic

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
        given = np.asarray(matrices, dtype=np.float64)
        if self.black_box is not None:
            return self.black_box(given)
        block = np.ascontiguousarray(np.moveaxis(given, 0, -1))
        with np.errstate(all="ignore"):
            values = evaluate.values_on(self.matrix_measure.graph, block, self.two_class_only)
        return np.where(np.isfinite(values), values, np.nan)

    def value(self, matrix: Any) -> Fraction | float:
        """The value on one matrix: exact where it is a formula, NaN where it is undefined."""
        if not self.exact:
            return float(self.floats(np.array([[[float(v) for v in row] for row in matrix]]))[0])
        cells = np.empty((len(matrix), len(matrix)), dtype=object)
        cells[...] = [[Fraction(v) for v in row] for row in matrix]
        value = self.symbol(cells, Fractions(Policy()))
        return float("nan") if isinstance(value, float) else Fraction(value)

    def symbol(self, matrix: Array, numbers: Numbers) -> Any:
        """The value on a (C, C) matrix of symbols, or of any other numbers."""
        return evaluate.value_on(self.matrix_measure.graph, matrix, numbers, self.two_class_only)

    def differ(self, one: Fraction | float, other: Fraction | float) -> bool:
        """Are two values certainly different? An undefined value differs from every defined one."""
        if is_nan(one) or is_nan(other):
            return is_nan(one) != is_nan(other)
        if isinstance(one, Fraction) and isinstance(other, Fraction):
            return abs(one - other) > TINY
        return abs(float(one) - float(other)) > ROUNDING * max(1.0, abs(float(one)))

    def exceeds(self, one: Fraction | float, other: Fraction | float) -> bool:
        """Is one value certainly greater than the other?"""
        return not is_nan(one) and not is_nan(other) and one > other and self.differ(one, other)


def is_nan(value: Any) -> bool:
    return isinstance(value, float) and value != value
