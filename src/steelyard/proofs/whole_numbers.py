"""What is a whole number of NumPy? One of 64 bits that wraps around, where Python's grows.

A number that NumPy made of whole numbers is kept apart from Python's, so that nothing is read as a formula
that would wrap around when it is run."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from steelyard.proofs.prover.symbols import TooHardError

LARGEST = 2**62
"""Half of what NumPy holds: a sum of two still does not wrap around."""


class Whole(int):
    """A whole number of NumPy; a TooHardError where it would come near to wrapping around."""

    __slots__ = ()

    def __new__(cls, value: int) -> Whole:
        if not -LARGEST < value < LARGEST:
            raise TooHardError("a whole number of NumPy that wraps around")
        return super().__new__(cls, value)

    def __add__(self, other: Any) -> Any:
        return Whole(int(self) + int(other)) if isinstance(other, int) else NotImplemented

    __radd__ = __add__

    def __sub__(self, other: Any) -> Any:
        return Whole(int(self) - int(other)) if isinstance(other, int) else NotImplemented

    def __rsub__(self, other: Any) -> Any:
        return Whole(int(other) - int(self)) if isinstance(other, int) else NotImplemented

    def __mul__(self, other: Any) -> Any:
        return Whole(int(self) * int(other)) if isinstance(other, int) else NotImplemented

    __rmul__ = __mul__

    def __neg__(self) -> Whole:
        return Whole(-int(self))

    def __pos__(self) -> Whole:
        return self

    def __abs__(self) -> Whole:
        return Whole(abs(int(self)))

    def raised(self, exponent: int) -> Whole:
        """A power; NumPy refuses those below 0."""
        if exponent < 0 or int(self).bit_length() * exponent > 10 * LARGEST.bit_length():
            raise TooHardError("a power of a whole number of NumPy")
        return Whole(int(self) ** exponent)


def as_numpy(value: Any) -> Any:
    """A result of NumPy: the whole numbers in it are NumPy's."""
    if isinstance(value, np.ndarray):
        return of_array(value) if value.dtype == object else value
    return Whole(value) if isinstance(value, int) and not isinstance(value, bool) else value


def of_array(value: NDArray[Any]) -> NDArray[Any]:
    if not any(type(entry) is int for entry in value.flat):
        return value
    out = np.empty(value.shape, dtype=object)
    for place in np.ndindex(value.shape):
        out[place] = as_numpy(value[place])
    return out
