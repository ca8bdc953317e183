"""How does a measure answer in floats, in exact fractions and in symbols?

The engine asks every measure, built in or a user's, through this one door.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray

from steelyard.errors import InputError, MissingExtraError
from steelyard.measures.arithmetic import Arithmetic, Floats, Fractions
from steelyard.measures.measure import Measure
from steelyard.measures.undefined import Policy
from steelyard.measures.view import View
from steelyard.measures.views import NEGATIVE, POSITIVE, Classes, TwoClass
from steelyard.proofs.body_check import leaves_at, of_somebody_else
from steelyard.proofs.prover.small_matrices import small_matrices
from steelyard.proofs.prover.symbols import TooHardError
from steelyard.proofs.rounding import moved_by_rounding

Array = NDArray[Any]

ROUNDING = 1e-12
"""Values of a function that only takes floats are called different beyond this."""
TINY = Fraction(1, 10**40)
"""Roots and logarithms are computed to 60 digits: exact values further apart than this are certainly
different."""


@dataclass(frozen=True)
class Subject:
    """A measure under examination."""

    measure: Measure
    exact: bool = True
    """Does its body take exact fractions?"""
    symbolic: bool = True
    """Does its body take symbols?"""
    bounds_known: bool = True
    """Is a range declared?"""
    sizes: tuple[int, ...] | None = None
    """The only numbers of classes to look at, if given."""
    most: int = 10_000
    """So many small matrices are tried: fewer for a function that takes one at a time."""
    leaves: str = ""
    """Where the body leaves what can be proved; found out here."""

    def __post_init__(self) -> None:
        if self.measure.kind == "scores":
            raise InputError(
                "a measure of scores cannot be examined",
                found=self.measure.name,
                allowed="measures of a confusion matrix",
            )
        leaves = self.leaves or leaves_at(self.measure)
        if not leaves and self.symbolic and of_somebody_else(self.measure):
            leaves = moved_by_rounding(self.measure)
        if leaves:
            object.__setattr__(self, "leaves", leaves)
            object.__setattr__(self, "symbolic", False)

    @property
    def name(self) -> str:
        return self.measure.name

    @property
    def two_class_only(self) -> bool:
        return self.measure.kind == "two-class"

    def small(self, n_classes: int) -> Array:
        """The small matrices that are tried."""
        return small_matrices(n_classes)[: self.most]

    def view(self, counts: Array, arithmetic: Arithmetic) -> View:
        """What the body sees of counts of shape (C, C, batch...)."""
        if self.two_class_only:
            return TwoClass(counts, [(POSITIVE, NEGATIVE)], arithmetic)
        return Classes(counts, [f"c{i + 1}" for i in range(len(counts))], arithmetic)

    def floats(self, matrices: Array) -> Array:
        """Values on matrices of shape (B, C, C)."""
        block = np.ascontiguousarray(np.moveaxis(np.asarray(matrices, dtype=np.float64), 0, -1))
        with np.errstate(all="ignore"):
            value = self.measure.body(self.view(block, Floats(Policy())))
        return np.broadcast_to(np.asarray(value, dtype=np.float64), (len(matrices),))

    def value(self, matrix: Any) -> Fraction | float:
        """The value on one matrix: exact where the body can, NaN where it is undefined."""
        rows = [[Fraction(v) for v in row] for row in matrix]
        if not self.exact:
            return float(self.floats(np.array([[[float(v) for v in row] for row in rows]]))[0])
        counts = np.empty((len(rows), len(rows), 1), dtype=object)
        counts[:, :, 0] = rows
        value = np.broadcast_to(
            np.asarray(self.measure.body(self.view(counts, Fractions(Policy()))), dtype=object), (1,)
        )[0]
        return value if isinstance(value, float) else Fraction(value)

    def symbol(self, matrix: Array, arithmetic: Arithmetic) -> Any:
        """The value on a (C, C) matrix of symbols."""
        counts = np.empty((*matrix.shape, 1), dtype=object)
        counts[:, :, 0] = matrix
        try:
            return np.broadcast_to(
                np.asarray(self.measure.body(self.view(counts, arithmetic)), dtype=object), (1,)
            )[0]
        except (TooHardError, MissingExtraError):
            raise
        except Exception as error:  # a user's function may do anything with symbols
            raise TooHardError(f"the body does not take symbols ({type(error).__name__})") from error

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
