"""Is the float value the exact one, and undefined in the same places, through every operator?"""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Iterator
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

import steelyard as sy
from steelyard.measures.arithmetic import Fractions, as_fraction
from steelyard.measures.undefined import Policy
from steelyard.measures.views import Classes, TwoClass

Array = NDArray[Any]
Operator = Callable[[sy.Measure, int], sy.Measure]

RELATIVE, ABSOLUTE = 1e-12, 1e-14
"""A difference of two numbers near 1 cannot be known better than to their rounding."""

PRIORS = {2: [0.34, 0.66], 3: [0.1, 0.2, 0.7], 4: [0.05, 0.15, 0.35, 0.45]}

OPERATORS: dict[str, Operator] = {
    "itself": lambda m, size: m,
    "balanced": lambda m, size: sy.balanced(m),
    "at priors": lambda m, size: sy.at_priors(
        m, dict(zip("abcd"[:size], PRIORS[size], strict=True)) if m.kind == "multi-class" else 0.34
    ),
    "one versus all": lambda m, size: sy.one_versus_all(m),
    "one versus all by prevalence": lambda m, size: sy.one_versus_all(m, "prevalence"),
    "one versus all, micro": lambda m, size: sy.one_versus_all(m, "micro"),
    "one versus one": lambda m, size: sy.one_versus_one(m),
    "iba": lambda m, size: sy.iba(m, 0.3),
    "normalised": lambda m, size: sy.normalised(m),
}


def compositions(size: int) -> Iterator[sy.Measure]:
    """Every measure under every operator, and under two of them, that takes matrices of this size."""
    for measure in sy.catalogue(wide=True):
        for one, outer in OPERATORS.items():
            for other, inner in OPERATORS.items():
                if other == "at priors" and "versus" in one:
                    continue  # priors of all classes do not fit one class and the rest
                try:
                    made = outer(inner(measure, size), size)
                except sy.InputError:  # no scale to normalise to
                    continue
                if made.kind == "multi-class" or size == 2:
                    yield made


def hard(size: int, number: int, rng: np.random.Generator) -> Array:
    """Matrices with empty cells, rows and columns, decimal weights that do not add up in binary, and rows apart by 10^9."""
    decimals = np.array([0.1, 0.2, 0.3, 0.7, 1.1, 2.3, 1e-3, 3.0])
    cells = np.where(
        rng.random((number, size, size)) < 0.5,
        rng.choice(decimals, (number, size, size)),
        rng.integers(0, 50, (number, size, size)),
    )
    cells *= rng.random((number, size, size)) < rng.choice([0.4, 0.7, 1.0], (number, 1, 1))
    far = rng.choice([1.0, 1.0, 1e-3, 1e9], (number, size, 1))
    return np.asarray(np.round(cells * far, 6))


def exactly(measure: sy.Measure, cells: Array, names: list[str]) -> list[Fraction | float]:
    """The body on fractions, a batch at a time; a two-class measure sees the first class as the positive one."""
    turned = np.moveaxis(cells, 0, -1)
    block = np.array([as_fraction(v) for v in turned.reshape(-1).tolist()], dtype=object).reshape(
        turned.shape
    )
    arithmetic = Fractions(Policy())
    seen = (
        TwoClass(block, [tuple(names)], arithmetic)
        if measure.kind == "two-class"
        else Classes(block, names, arithmetic)
    )
    return list(np.broadcast_to(measure.body(seen), (len(cells),)))


@pytest.mark.parametrize("size", [2, 3, 4])
def test_floats_agree_with_fractions(size: int) -> None:
    """Every 26th composition, so that all measures and all pairs of operators come up; 20,000 matrices in all."""
    names = list("abcd"[:size])
    rng = np.random.default_rng(2026 + size)
    tried = 0
    for measure in itertools.islice(compositions(size), size, None, 26):
        cells = hard(size, 40, rng)
        floats = measure(sy.Confusion(cells, names), positive="a")
        for matrix, value, exact in zip(cells, floats.tolist(), exactly(measure, cells, names), strict=True):
            tried += 1
            what = f"{measure.name} on {matrix.tolist()}: {value} should be {float(exact)}"
            assert math.isnan(value) == math.isnan(exact), what
            assert math.isnan(value) or math.isclose(value, exact, rel_tol=RELATIVE, abs_tol=ABSOLUTE), what
    assert tried > 6_000
