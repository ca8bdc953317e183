"""Is the float value the exact one, and undefined in the same places, through every operator?

Every measure of the catalogue under every operator and every pair of operators, on matrices that are hard for floats, against the
same body on fractions.
"""

from __future__ import annotations

import itertools
import json
import math
import time
from collections.abc import Callable, Iterator
from dataclasses import asdict, dataclass, field
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

import steelyard as sy
from steelyard.measures.evaluate import Evaluation
from steelyard.measures.matrix import Matrix
from steelyard.measures.measure import MatrixMeasure
from steelyard.measures.numbers import Fractions, as_fraction
from steelyard.measures.undefined import Policy

Array = NDArray[Any]
Operator = Callable[[sy.Measure, int], sy.Measure]

RELATIVE, ABSOLUTE = 1e-12, 1e-14
OF_AN_ANGLE = 2e-8
"""An angle near none is the root of what rounding leaves of its cosine: the root of 2^-53, over pi."""
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


def compositions(size: int, first: int = 0, step: int = 1) -> Iterator[sy.Measure]:
    """Every measure under every operator, and under two of them, that takes matrices of this size; or every so
    many-th of them."""
    triples = itertools.product(sy.catalogue(wide=True), OPERATORS.items(), OPERATORS.items())
    for measure, (one, outer), (other, inner) in itertools.islice(triples, first, None, step):
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
    """The graph on fractions, a batch at a time; a two-class measure sees the first class as the positive one."""
    turned = np.moveaxis(cells, 0, -1)
    flat = [as_fraction(v) for v in turned.reshape(-1).tolist()]
    block = np.array(flat, dtype=object).reshape(turned.shape)
    assert isinstance(measure, MatrixMeasure)
    evaluation = Evaluation(Matrix.of_classes(block, names), Fractions(Policy()))
    (found,) = evaluation.run((measure.graph,))
    return list(np.broadcast_to(found, (len(cells),)))


def differences(measure: sy.Measure, cells: Array, names: list[str]) -> list[str]:
    """Where the float value of a measure is not the exact one, in words."""
    floats = measure(sy.Confusion(cells, names), positive="a")
    wrong = []
    for matrix, value, exact in zip(cells, floats.tolist(), exactly(measure, cells, names), strict=True):
        least = OF_AN_ANGLE if "correlation_distance" in measure.name else ABSOLUTE
        agree = math.isnan(value) == math.isnan(exact) and (
            math.isnan(value) or math.isclose(value, exact, rel_tol=RELATIVE, abs_tol=least)
        )
        if not agree:
            wrong.append(f"{measure.name} on {matrix.tolist()}: {value} should be {float(exact)}")
    return wrong


@dataclass
class Tried:
    """What a run has done; `place` is the number of the next composition."""

    seed: int
    place: int = 0
    compositions: int = 0
    matrices: int = 0
    by_size: dict[str, int] = field(default_factory=dict)
    wrong: list[str] = field(default_factory=list)
    seconds: float = 0.0


def run(
    matrices: int, seed: int = 0, step: int = 1, state: Path | None = None, seconds: float | None = None
) -> Tried:
    """Every `step`-th composition, each on matrices of its own, together at least so many; resumed where it ended."""
    done = Tried(seed)
    if state is not None and state.exists():
        kept = json.loads(state.read_text(encoding="utf-8"))
        done = Tried(**kept)
    sizes = (2, 3, 4)
    asked = [(size, measure) for size in sizes for measure in compositions(size, seed % step, step)]
    each = -(-matrices // len(asked))
    started = time.monotonic()
    before = done.seconds
    for place in range(done.place, len(asked)):
        size, measure = asked[place]
        cells = hard(size, each, np.random.default_rng([seed, place]))
        done.wrong += differences(measure, cells, list("abcd"[:size]))
        done.place = place + 1
        done.compositions += 1
        done.matrices += each
        done.by_size[str(size)] = done.by_size.get(str(size), 0) + 1
        done.seconds = before + time.monotonic() - started
        over = seconds is not None and time.monotonic() - started > seconds
        if state is not None and (over or place % 50 == 49 or place + 1 == len(asked)):
            state.parent.mkdir(parents=True, exist_ok=True)
            state.write_text(json.dumps(asdict(done), indent=1), encoding="utf-8")
        if over:
            break
    return done
