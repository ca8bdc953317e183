"""Does a function say what its source was read as? Compared before anything is called proved.

On small matrices, on matrices of every scale up to the last whole numbers that floats hold, at random
fractions, and on the boundaries of the algebra:
where a denominator is 0 and where two sides of a maximum are equal. The floats of the function must be those
of the reading, and both must be near the exact
value: what floats lose in rounding is not what the formula says.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator, Mapping
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray

from steelyard.proofs.derived import Derived, exact_matrix
from steelyard.proofs.enclosed_numbers import Enclosed, EnclosedNumbers
from steelyard.proofs.leaving import LeavesSubsetError
from steelyard.proofs.numbers_of_reading import ExactNumbers, FloatNumbers, SymbolicNumbers
from steelyard.proofs.prover.prove import generic_matrix, matrix_names
from steelyard.proofs.prover.regions import Symbols, regions
from steelyard.proofs.prover.symbols import Field, TooHardError, available
from steelyard.proofs.python_subset import read_source
from steelyard.proofs.tried_matrices import allowed, emptied, near, plain, shown_rows
from steelyard.proofs.user_subject import ReadFunction

Array = NDArray[Any]
Ask = Callable[[Array], Array]
SAME = 1e-12
"""Two float computations of one formula differ by no more than this, relative to the value."""
DERIVED = 1e-12
"""The derived expression and the exact value agree to this, as roots and logarithms have sixty digits."""
MOST_EMPTIED = 128
"""Sets of empty cells for which the derived expression is worked out."""
ENCLOSED = 3
"""Every so many matrices it is asked what rounding could do."""


def read_function(
    text: bytes, name: str, of_cells: bool, batched: bool, beside: Mapping[str, bytes] | None = None
) -> ReadFunction | str:
    """The function as its source says it, or where it leaves what can be read."""
    if not available():
        return "FLINT is not installed"
    try:
        return ReadFunction(read_source(text, name, beside), name, of_cells, batched)
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
    without, matrices = emptied(n_classes), np.concatenate([plain(n_classes), _boundary(read, n_classes)])
    every = np.concatenate([without, matrices])
    with np.errstate(all="ignore"):
        said, found = read.floats(every), ask(every)
    for matrix, one, other in zip(every, said, found, strict=True):
        if not near(one, other, SAME):
            return _words(matrix, other, one)
    try:
        read.floats(matrices, beyond="raise")
    except FloatingPointError:
        return "on some matrices it computes a number that is too large or too small for floats"
    derived = Derived(read, n_classes)
    looked = _looked_at(read, without)
    for matrix, value in [
        *zip(matrices, said[len(without) :], strict=True),
        *((without[k], None) for k in looked),
    ]:
        words = _one(read, derived, matrix, value)
        if words:
            return words
    for matrix in [*matrices[::ENCLOSED], *without[looked[::ENCLOSED]]]:
        value, _ = read.traced(matrix, EnclosedNumbers())
        if isinstance(value, Enclosed) and not near(value.low, value.high, allowed(matrix)):
            return f"on {shown_rows(matrix)} rounding alone can move it by {value.width:.3g}"
    return ""


def _looked_at(read: ReadFunction, without: Array) -> Array:
    """The matrices with empty cells on which branches are compared: a function that compares nothing has
    none."""
    with np.errstate(all="ignore"):
        branches = bool(read.traced(without[-1], FloatNumbers())[1])
    most = MOST_EMPTIED if branches else MOST_EMPTIED // 4
    return np.unique(np.linspace(0, len(without) - 1, min(most, len(without))).astype(int))


def _one(read: ReadFunction, derived: Derived, matrix: Array, value: float | None) -> str:
    """Is the exact value near the floats, and is it that of the derived expression, with the same branches on
    the way?"""
    exactly = exact_matrix(matrix)
    exact, falls = read.traced(exactly, ExactNumbers())
    if value is not None and not near(float(exact), value, allowed(matrix)):
        return _words(matrix, value, float(exact))
    with np.errstate(all="ignore"):
        in_floats = read.traced(matrix, FloatNumbers())[1] if falls else falls
    if in_floats != falls:
        return f"on {shown_rows(matrix)} its comparisons fall otherwise in floats than in exact numbers"
    formal = derived.at(exactly)
    if formal is None:
        return ""
    if falls != formal[1]:
        return f"on {shown_rows(matrix)} its comparisons fall otherwise than in algebra"
    if not near(float(formal[0]), float(exact), DERIVED):
        values = _shown(float(exact)), _shown(float(formal[0]))
        return f"on {shown_rows(matrix)} its formula gives {values[0]}, and {values[1]} in algebra"
    return ""


def _words(matrix: Array, value: float, formula: float) -> str:
    return f"on {shown_rows(matrix)} it returns {_shown(value)}, while its formula gives {_shown(formula)}"


def _shown(value: float) -> str:
    return "no number" if np.isnan(value) else f"{value:.9g}"


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
