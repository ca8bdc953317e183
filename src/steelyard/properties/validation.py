"""Does a function say what its source was read as? Compared before anything is called proved.

On small matrices, on matrices of every scale up to the last whole numbers that floats hold, at random
fractions, and on the boundaries of the algebra:
where a denominator is 0 and where two sides of a maximum are equal. The floats of the function must be those
of the reading, and both must be near the exact
value: what floats lose in rounding is not what the formula says.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray

from steelyard.properties.leaving import LeavesSubsetError
from steelyard.properties.numbers_of_reading import ExactNumbers, SymbolicNumbers
from steelyard.properties.prove import generic_matrix, matrix_names
from steelyard.properties.python_subset import read_source
from steelyard.properties.regions import Symbols, regions
from steelyard.properties.small_matrices import small_matrices
from steelyard.properties.symbols import Field, TooHardError, available
from steelyard.properties.user_subject import ReadFunction

Array = NDArray[Any]
Ask = Callable[[Array], Array]
SAME = 1e-12
"""Two float computations of one formula differ by no more than this, relative to the value."""
ROUNDED = 1e-6
"""So far may floats be from the exact value."""
LOPSIDED = 1e-3
"""So far where counts of very different size stand side by side, as honest differences then lose digits
too."""
SCALES = (1, 10, 10**3, 10**5, 10**7, 10**9, 10**11, 10**13, 10**15, 2**53, 10**18, 1e-6, 1e-12)


def read_function(text: bytes, name: str, of_cells: bool, batched: bool) -> ReadFunction | str:
    """The function as its source says it, or where it leaves what can be read."""
    if not available():
        return "FLINT is not installed"
    try:
        return ReadFunction(read_source(text, name), name, of_cells, batched)
    except LeavesSubsetError as error:
        return str(error)


def disagreement(read: ReadFunction, ask: Ask, n_classes: int) -> str:
    """The first matrix on which the function is not what was read, or where it cannot be read; empty if there
    is neither."""
    try:
        return _disagreement(read, ask, n_classes)
    except LeavesSubsetError as error:
        return str(error)
    except TooHardError as error:
        return f"it cannot be read as a formula ({error})"
    except (ArithmeticError, TypeError, ValueError, IndexError, RecursionError) as error:
        return f"it cannot be read as a formula ({type(error).__name__})"


def _disagreement(read: ReadFunction, ask: Ask, n_classes: int) -> str:
    owner = Field(matrix_names(n_classes))
    read.one(
        generic_matrix(owner, n_classes), SymbolicNumbers(Symbols(owner))
    )  # it must have a meaning in algebra at all
    emptied, matrices = _emptied(n_classes), np.concatenate([_plain(n_classes), _boundary(read, n_classes)])
    every = np.concatenate([emptied, matrices])
    with np.errstate(all="ignore"):
        said, found = read.floats(every), ask(every)
    for matrix, one, other in zip(every, said, found, strict=True):
        if not _near(one, other, SAME):
            return _words(matrix, other, one)
    try:
        read.floats(matrices, beyond="raise")
    except FloatingPointError:
        return "on some matrices it computes a number that is too large or too small for floats"
    for matrix, value in zip(matrices, said[len(emptied) :], strict=True):
        exact = read.one(_fractions(matrix), ExactNumbers())
        counts = matrix[matrix > 0]
        if not _near(float(exact), value, ROUNDED if counts.max() < 1e4 * counts.min() else LOPSIDED):
            return _words(matrix, value, float(exact))
    return ""


def _near(one: float, other: float, allowed: float) -> bool:
    if np.isnan(one) or np.isnan(other):
        return bool(np.isnan(one) and np.isnan(other))
    return abs(one - other) <= allowed * max(1.0, abs(one), abs(other))


def _words(matrix: Array, value: float, formula: float) -> str:
    rows = [[int(v) if float(v).is_integer() else float(v) for v in row] for row in matrix]
    return f"on {rows} it returns {_shown(value)}, while its formula gives {_shown(formula)}"


def _shown(value: float) -> str:
    return "no number" if np.isnan(value) else f"{value:.9g}"


def _emptied(n_classes: int) -> Array:
    """Every set of empty cells of two and three classes, and many of more: a branch may wait in one."""
    cells = n_classes * n_classes
    draws = np.random.default_rng(17 + n_classes)
    if cells <= 9:
        full = (np.arange(1, 2**cells)[:, None] >> np.arange(cells)) & 1
    else:
        full = np.concatenate([draws.random((250, cells)) < share for share in (0.2, 0.5, 0.8)])
    counts = np.where(full, draws.integers(1, 100, full.shape), 0).astype(np.float64)
    counts = counts[counts.sum(axis=1) > 0]
    return np.asarray(counts.reshape(-1, n_classes, n_classes))


def _plain(n_classes: int) -> Array:
    """Small ones with and without zeros, every scale, scales mixed, and fractions."""
    small = small_matrices(n_classes).astype(np.float64)
    draws = np.random.default_rng(7 + n_classes)
    shape = (6, n_classes, n_classes)
    scaled = [
        draws.integers(1, 10, shape) * float(scale) + draws.integers(0, 10, shape) * min(1.0, scale)
        for scale in SCALES
    ]
    mixed = draws.integers(1, 10, (60, *shape[1:])) * 10.0 ** draws.integers(0, 13, (60, *shape[1:]))
    sparse = mixed * (draws.random(mixed.shape) < 0.7)
    quotients = draws.integers(1, 1000, (20, *shape[1:])) / draws.integers(1, 1000, (20, *shape[1:]))
    every = np.concatenate([small[:150], small[-40:], *scaled, mixed, sparse, quotients])
    return np.asarray(every[every.sum(axis=(1, 2)) > 0])


def _boundary(read: ReadFunction, n_classes: int) -> Array:
    """Matrices at which a denominator is 0, or on the edge between two regions, and some next to them."""
    names = matrix_names(n_classes)
    found: list[list[float]] = []
    draws = random.Random(n_classes)

    def compute(owner: Field, arithmetic: Any) -> tuple[Any]:
        return (read.one(generic_matrix(owner, n_classes), SymbolicNumbers(arithmetic)),)

    polynomials: dict[str, Any] = {}
    try:
        for number, region in enumerate(regions(names, compute)):
            polynomials |= region.field.denominators
            polynomials |= {str(p): p for p, _ in region.comparisons}
            if number > 40:
                break
    except TooHardError:  # too many regions: those that were seen give boundaries enough
        pass
    for polynomial in list(polynomials.values())[:60]:
        for point in _zeros(polynomial, len(names), draws):
            found.append([float(v) for v in point])
            found.append([float(v) + (1.0 if v else 0.0) for v in point])
    shape = (n_classes, n_classes)
    kept = [np.array(point).reshape(shape) for point in found if sum(point) > 0]
    return np.array(kept) if kept else np.ones((1, *shape))


def _zeros(polynomial: Any, count: int, draws: random.Random) -> Iterator[list[Fraction]]:
    """Points with entries >= 0 at which a polynomial is 0: solved for one variable that is linear in it, or
    by emptying its variables."""
    degrees = polynomial.degrees()
    if any(degrees[count:]):
        return
    used = [i for i in range(count) if degrees[i]]
    terms = [
        (tuple(int(e) for e in exponents[:count]), Fraction(int(c.p), int(c.q)))
        for exponents, c in polynomial.to_dict().items()
    ]
    empty = [Fraction(draws.randint(1, 9)) for _ in range(count)]
    for i in used:
        empty[i] = Fraction(0)
    if not any(not any(e) for e, _ in terms):
        yield empty
    for i in used:
        if degrees[i] != 1:
            continue
        for top in (1, 9, 1000):
            point = [
                Fraction(draws.randint(1, top)) if draws.random() < 0.8 else Fraction(0) for _ in range(count)
            ]
            slope, rest = Fraction(0), Fraction(0)
            for exponents, coefficient in terms:
                value = coefficient
                for j, power in enumerate(exponents):
                    if j != i:
                        value *= point[j] ** power
                slope, rest = (slope + value, rest) if exponents[i] else (slope, rest + value)
            if slope and -rest / slope >= 0:
                point[i] = -rest / slope
                yield point


def _fractions(matrix: Array) -> Array:
    out = np.empty(matrix.shape, dtype=object)
    out[...] = [[Fraction(float(v)) for v in row] for row in matrix]
    return out
