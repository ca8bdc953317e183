"""Condition 3 of mullick2020: one failing class does not pull the value down to its worst."""

# One class i is found with a rate e that goes to 0, every other class with a rate of at least 1 - e. The
# value in the limit must stay better than the worst value the measure can take. The limit is taken in
# symbols: class i sends its examples to the others in any proportion, and what leaks into column i is of the
# order of e.

from __future__ import annotations

import itertools
from collections.abc import Mapping, Sequence
from fractions import Fraction
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from steelyard.proofs.prover import symbols
from steelyard.proofs.prover.prove import BY_COEFFICIENTS, Attempt
from steelyard.proofs.prover.refuter import Search, verified
from steelyard.proofs.prover.regions import Symbols
from steelyard.proofs.prover.subject import Subject, is_nan
from steelyard.proofs.prover.symbols import Field, TooHardError, limit_at_zero
from steelyard.proofs.questions import every_c
from steelyard.proofs.questions.bounds import declared, extremes
from steelyard.proofs.questions.deciding import SIZES, Argument, decided
from steelyard.proofs.questions.invariance import classes_reordered, prove_invariance
from steelyard.proofs.verdict import Verdict

Array = NDArray[Any]


def decide_one_class_failing(subject: Subject, question: str, sizes: Sequence[int]) -> Verdict:
    """Condition 3."""
    higher = subject.measure.better == "higher"
    worst: dict[int, Fraction | None] = {}
    for c in sizes:
        worst[c] = declared(subject, c)[0 if higher else 1]
        if not subject.bounds_known:
            ends = extremes(subject, c)
            worst[c] = None if ends is None or is_nan(ends.low.value) else Fraction(ends.low.value)

    def argument() -> Argument | None:
        lows = {declared(subject, c)[0] for c in SIZES}
        low = lows.pop() if subject.symbolic and higher else None
        return every_c.one_class_failing(subject.measure, low) if not lows and low is not None else None

    searches = {c: _collapsed(subject, c, value) for c, value in worst.items()}
    prove = partial(_prove, subject, worst)
    return decided(subject, question, searches, prove, argument, symbolic=True)


def _collapsed(subject: Subject, n_classes: int, worst: Fraction | None) -> Search:
    """A limit matrix (one class wrong throughout, the others right throughout) with the worst value."""
    if worst is None:
        return Search(None, 0, "its worst value is not known")
    shares = [s for s in itertools.product((0, 1, 2), repeat=n_classes - 1) if any(s)]
    sizes = [
        (1,) * (n_classes - 1),
        (2,) * (n_classes - 1),
        tuple(range(1, n_classes)),
        (9,) * (n_classes - 1),
    ]
    matrices = []
    for share, hits in itertools.product(shares, sizes):
        matrix = np.zeros((n_classes, n_classes), dtype=np.int64)
        matrix[0, 1:] = share
        matrix[1:, 1:] = np.diag(hits)
        matrices.append(matrix)
    turned = [np.roll(m, (k, k), axis=(0, 1)) for m in matrices for k in range(n_classes)]
    batch = np.array(sorted(turned, key=lambda m: int(m.sum())))
    values = subject.floats(batch)
    suspects = ((m,) for m in batch[np.abs(values - float(worst)) < 1e-9][:10])
    example = verified([subject], suspects, lambda value: not subject.differ(value, worst))
    words = (
        "no limit matrix has the worst value" if example is None else "a limit matrix with the worst value"
    )
    return Search(example, len(batch), words)


def _prove(subject: Subject, worst_at: Mapping[int, Fraction | None], n_classes: int) -> Attempt | None:
    """The limit is strictly better than the worst value, whichever classes receive the errors."""
    if (worst := worst_at[n_classes]) is None:
        return None
    if not subject.symbolic or not symbols.available():
        return Attempt(False, "it cannot be examined in symbols")
    if not prove_invariance(subject, classes_reordered, n_classes).proved:
        return Attempt(False, "it is not known that all classes are treated alike")
    for size in range(1, n_classes):
        for receivers in itertools.combinations(range(1, n_classes), size):
            try:
                value = limit_of_one_class_failing(subject, n_classes, receivers)
                if isinstance(value, float):
                    return Attempt(False, "the limit is not defined")
                beyond = (value - worst) * subject.orientation
                if isinstance(beyond, Fraction):
                    positive = beyond > 0
                else:
                    top, bottom = beyond.combined()
                    positive = value.field.is_positive(top) and value.field.is_positive(bottom)
            except TooHardError as error:
                return Attempt(False, f"the algebra gave up: {error}")
            except (ZeroDivisionError, TypeError, AttributeError, ValueError) as error:
                return Attempt(False, f"the algebra does not follow the formula: {error}")
            if not positive:
                return Attempt(False, "the limit is not visibly better")
    return Attempt(True, f"the limit less the worst value is {BY_COEFFICIENTS}")


def limit_of_one_class_failing(subject: Subject, n_classes: int, receivers: Sequence[int]) -> Any:
    """The limit as class 0 is found at a rate going to 0 and sends its examples to the receivers."""
    others = range(1, n_classes)
    names = ["e", *(f"s{j}" for j in receivers), *(f"h{j}" for j in others), *(f"a{j}" for j in others)]
    owner = Field(names)
    e = owner.variable("e")
    matrix = np.full((n_classes, n_classes), Fraction(0), dtype=object)
    matrix[0, 0] = e
    for j in receivers:
        matrix[0, j] = owner.variable(f"s{j}")
    for j in others:
        matrix[j, j] = owner.variable(f"h{j}")
        matrix[j, 0] = e * owner.variable(f"a{j}")
    value = subject.symbol(matrix, Symbols(owner))
    if owner.decisions.chosen:
        raise TooHardError("the limit depends on comparisons")
    # What leaks into the failing class may be nothing at all; everything else in the limit is positive.
    if any(all(name.startswith("a") for name in names_of_zero) for names_of_zero in owner.tested_for_zero):
        raise TooHardError("the formula asks whether a leak is 0")
    return limit_at_zero(value)
