"""In which ways is a matrix changed when one asks whether a measure changes with it?

Each transformation gives pairs of matrices: small ones in numbers for the refuter, and generic ones in
symbols for the prover.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray

Array = NDArray[Any]
Pair = tuple[Array, Array]


@dataclass(frozen=True)
class Transformation:
    """A change of the matrix, with parameters that range over a few values or over symbols."""

    id: str
    parameters: Callable[[int], Sequence[Any]]
    """The parameter values tried in numbers, for C classes."""
    apply: Callable[[Array, Any], Array]
    """The changed matrix; works on (..., C, C) arrays of numbers and on (C, C) arrays of symbols."""
    symbols: Callable[[int], Sequence[str]]
    """Names of the parameters in symbols."""
    symbolic: Callable[[int, Callable[[str], Any]], Sequence[Any]]
    """The parameter values in symbols: the prover must succeed for each of them."""

    def numeric_pairs(self, matrices: Array) -> Iterator[Pair]:
        """Batches (before, after) of shape (B, C, C)."""
        for parameter in self.parameters(matrices.shape[-1]):
            yield matrices, self.apply(matrices, parameter)

    def random_pair(self, matrix: Array, draw: Callable[[], Fraction]) -> Pair:
        """One pair with random exact parameters."""
        n_classes = len(matrix)
        values: dict[str, Fraction] = {}
        parameter = self.symbolic(n_classes, lambda name: values.setdefault(name, draw()))[0]
        return matrix, self.apply(matrix, parameter)


def _rows(matrix: Array, factors: Any) -> Array:
    return np.asarray(matrix * np.asarray(factors, dtype=matrix.dtype)[:, None])


def _changed(cell: tuple[int, int]) -> Callable[[Array, Any], Array]:
    def apply(matrix: Array, amount: Any) -> Array:
        out = matrix.copy()
        out[..., cell[0], cell[1]] = out[..., cell[0], cell[1]] + amount
        return out

    return apply


def _factor_choices(n_classes: int) -> list[tuple[int, ...]]:
    one = [tuple(2 if i == k else 1 for i in range(n_classes)) for k in range(n_classes)]
    return [*one, tuple(10 if i == 0 else 1 for i in range(n_classes)), tuple(range(1, n_classes + 1))]


def _permuted(matrix: Array, order: Any) -> Array:
    places = list(order)
    return matrix[..., places, :][..., :, places]


def _generators_of_orders(n_classes: int) -> list[tuple[int, ...]]:
    """The swap of the first two and the turn of all: together they make every order."""
    swap = (1, 0, *range(2, n_classes))
    turn = (*range(1, n_classes), 0)
    return [swap] if n_classes == 2 else [swap, turn]


rows_scaled = Transformation(
    "rows scaled",
    _factor_choices,
    _rows,
    lambda n: [f"b{i}" for i in range(n)],
    lambda n, variable: [np.array([variable(f"b{i}") for i in range(n)], dtype=object)],
)

all_scaled = Transformation(
    "all counts scaled",
    lambda n: (2, 3),
    lambda m, k: np.asarray(m * k),
    lambda n: ["k"],
    lambda n, variable: [variable("k")],
)

classes_reordered = Transformation(
    "classes reordered",
    lambda n: [p for p in itertools.permutations(range(n)) if p != tuple(range(n))][:23],
    _permuted,
    lambda n: [],
    lambda n, variable: _generators_of_orders(n),
)

transposed = Transformation(
    "truth and prediction exchanged",
    lambda n: (None,),
    lambda m, _: np.swapaxes(m, -1, -2),
    lambda n: [],
    lambda n, variable: [None],
)


def cell_changed(name: str, cell: tuple[int, int]) -> Transformation:
    """One cell of a two-class matrix changes, the others stay."""
    return Transformation(
        f"{name} changed",
        lambda n: (1, 2, 7),
        _changed(cell),
        lambda n: ["k"],
        lambda n, variable: [variable("k")],
    )


def error_becomes_hit(wrong: tuple[int, int]) -> Transformation:
    """Some examples of class i that were predicted as j are now predicted as i."""
    i, j = wrong

    def apply(matrix: Array, amount: Any) -> Array:
        out = matrix.copy()
        out[..., i, i] = out[..., i, i] + amount
        out[..., i, j] = out[..., i, j] - amount
        return out

    return Transformation(
        f"errors {i}->{j} become hits",
        lambda n: (1,),
        apply,
        lambda n: ["k"],
        lambda n, variable: [variable("k")],
    )
