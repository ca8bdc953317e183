"""Points: the matrix of positive symbols, some of them set to 0, at which two values are compared."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray

Array = NDArray[Any]


def matrix_names(n_classes: int) -> list[str]:
    return [f"m{i}_{j}" for i in range(n_classes) for j in range(n_classes)]


@dataclass(frozen=True)
class Point:
    """Independent positive variables: symbols for the algebra, or expression trees for a certificate."""

    field: Any
    """What makes variables: a `Field` of symbols, or a `TreeField`."""
    numbers: Any
    """The number type in which graphs are evaluated on them."""
    zeros: frozenset[str] = frozenset()
    """The variables that are 0 here."""

    def __getitem__(self, name: str) -> Any:
        return Fraction(0) if name in self.zeros else self.field.variable(name)

    def counts(self, names: Sequence[str]) -> Array:
        """These variables in their order."""
        entries = np.empty(len(names), dtype=object)
        entries[:] = [self[name] for name in names]
        return entries

    def matrix(self, n_classes: int) -> Array:
        """A matrix of independent counts."""
        return self.counts(matrix_names(n_classes)).reshape(n_classes, n_classes)

    def without(self, names: Sequence[str]) -> Point:
        """The same with more variables set to 0."""
        return replace(self, zeros=self.zeros.union(names))


# The values to be compared.
Compute = Callable[[Point], Sequence[Any]]
